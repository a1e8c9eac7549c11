# ONNX: schemas, checker, shape inference, version converter, inliner, as one
# static C++ library built from the source distribution.
# The cache folder is keyed by the checksum of this file: a change here, even
# in a comment, builds the library anew.
version=1.23.2
requirements='onnx==1.23.2 --hash=sha256:008cb0467b2bbee41448acc7da8b6f4e704624cb0d327a2d5adafc7ce19bc5b8'
pip_options='--no-binary onnx'

# build_part DOWNLOADS SCRATCH STAGE PREFIX: whatever lands in STAGE becomes
# PREFIX when all went well.
build_part() {
  tar -xzf "$1/onnx-$version.tar.gz" -C "$2"
  local source="$2/onnx-$version"
  # It asks for CMake 3.26 and builds with Debian 12's 3.25 all the same.
  sed -i -E 's/^(cmake_minimum_required\(VERSION) 3\.26/\1 3.25/' \
    "$source/CMakeLists.txt"
  cmake -S "$source" -B "$2/build" -G Ninja \
    -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_INSTALL_PREFIX="$4" -DCMAKE_INSTALL_LIBDIR=lib \
    -DONNX_ML=ON -DONNX_BUILD_PYTHON=OFF -DONNX_USE_PROTOBUF_SHARED_LIBS=ON
  cmake --build "$2/build" -j "$(nproc)"
  DESTDIR="$2/root" cmake --install "$2/build"
  mv "$2/root$4"/* "$3"/
}
