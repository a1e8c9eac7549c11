# The Python environment of the tests: onnx and ONNX Runtime judge what we
# write, numpy makes and compares arrays. Nothing of it is linked into Lowtide.
# The cache folder is keyed by the checksum of this file.
version=1
requirements='onnx==1.23.2 --hash=sha256:c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348
onnxruntime==1.32.0 --hash=sha256:5a34fc4dfeb5a7b4a74c95dcba1e773d722abda720b474edf1b0c419dc6d163d
numpy==2.4.6 --hash=sha256:89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93
flatbuffers==25.12.19 --hash=sha256:7634f50c427838bb021c2d66a3d1168e9d199b0607e6329399f04846d42e20b4
ml_dtypes==0.6.0 --hash=sha256:6c8e39b53e90afda8ce52859c93de4dba3e02b76d85dcf091cc469f9184c6dae
packaging==26.4 --hash=sha256:81383611a09c1bc0b08b76e0fd5829d7c6824c65b27a6aee339da133f4233ea2
protobuf==7.36.2 --hash=sha256:89f23aa53c24553a2416fd4fd1ec06f74fa42b14b546d8883128813f775bbfd2
typing_extensions==4.16.0 --hash=sha256:481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8'
pip_options='--only-binary :all:'

# build_part DOWNLOADS SCRATCH STAGE PREFIX
build_part() {
  /usr/bin/python3 -m venv "$3"
  "$3/bin/python" -m pip install --quiet --no-deps --no-index "$1"/*.whl
  # The scripts name the folder they were made in: let them name the last one.
  grep -rlIF "$3" "$3/bin" "$3/pyvenv.cfg" | xargs -r sed -i "s|$3|$4|g"
}
