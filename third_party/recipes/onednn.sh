# oneDNN 3.2: convolutions, matrix products, pooling and normalisation on CPU,
# as the prebuilt library with OpenMP (the C and C++ headers are in the second
# package).
# The cache folder is keyed by the checksum of this file.
version=2023.2.0
requirements='onednn-cpu-gomp==2023.2.0 --hash=sha256:2f22a54d6a890ed14bfa185d42a4be65d8b5b1df85dc1f0f3a9abe31620416fb
onednn-devel-cpu-gomp==2023.2.0 --hash=sha256:9763c69e8c907e119056bd52ad918ca84ac9ba939d130a99dfa95ccca3e5e284'
pip_options='--only-binary :all:'

# build_part DOWNLOADS SCRATCH STAGE PREFIX
build_part() {
  "$pip" install --quiet --no-deps --no-index --prefix "$3" "$1"/*.whl
}
