# HiGHS: integer programs, as one static C++ library built from the source
# distribution. Optional: tools/setup highs installs it.
# The cache folder is keyed by the checksum of this file.
version=1.15.1
requirements='highspy==1.15.1 --hash=sha256:20ed2fbf1cb64bf3044ee6632364b7e2653d93e6901e2b19fd3d5df10702e8c5'
pip_options='--no-binary highspy'

# build_part DOWNLOADS SCRATCH STAGE PREFIX
build_part() {
  tar -xzf "$1/highspy-$version.tar.gz" -C "$2"
  local source="$2/highspy-$version"
  # The distribution lacks files that its build names and doesn't need.
  touch "$source/highs.pc.in"
  mkdir -p "$source/app"
  touch "$source/app/CMakeLists.txt"
  cmake -S "$source" -B "$2/build" -G Ninja \
    -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_INSTALL_PREFIX="$4" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF -DBUILD_CXX_EXE=OFF \
    -DBUILD_SHARED_EXTRAS_LIB=OFF -DZLIB=OFF
  cmake --build "$2/build" -j "$(nproc)"
  DESTDIR="$2/root" cmake --install "$2/build"
  mv "$2/root$4"/* "$3"/
}
