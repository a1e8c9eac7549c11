# Finds every outside part. Where each comes from, which version and why is
# written in third_party/README.md; tools/setup installs and builds them.

include(${CMAKE_CURRENT_LIST_DIR}/FindParts.cmake)

# Debian keeps each LLVM release in a folder of its own.
set(LOWTIDE_LLVM_PREFIX /usr/lib/llvm-19 CACHE PATH "Where LLVM and MLIR 19 are")
find_package(LLVM 19.1 REQUIRED CONFIG HINTS ${LOWTIDE_LLVM_PREFIX})
add_library(LowtideLlvm INTERFACE)
target_include_directories(LowtideLlvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(LowtideLlvm INTERFACE LLVM)

find_package(Threads REQUIRED)
# The prebuilt oneDNN runs on GNU OpenMP. What sets its threads links the target
# gomp, not clang's own OpenMP, so that one process has one pool of threads.
lowtide_find_part(onednn LOWTIDE_ONEDNN_PREFIX)
unset(dnnl_DIR CACHE) # A build folder may remember an older recipe.
find_package(dnnl 3 REQUIRED CONFIG
  PATHS ${LOWTIDE_ONEDNN_PREFIX} NO_DEFAULT_PATH)

option(LOWTIDE_ENABLE_HIGHS "Solve integer programs with HiGHS" OFF)
if(LOWTIDE_ENABLE_HIGHS)
  lowtide_find_part(highs LOWTIDE_HIGHS_PREFIX)
  unset(highs_DIR CACHE)
  find_package(highs REQUIRED CONFIG
    PATHS ${LOWTIDE_HIGHS_PREFIX} NO_DEFAULT_PATH)
endif()

if(LOWTIDE_ENABLE_COMPILER)
  find_package(MLIR REQUIRED CONFIG HINTS ${LOWTIDE_LLVM_PREFIX})
  cmake_policy(SET CMP0116 OLD)
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  add_library(LowtideMlir INTERFACE)
  target_include_directories(LowtideMlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
  target_link_libraries(LowtideMlir INTERFACE MLIR LowtideLlvm)
  find_package(Protobuf REQUIRED)
  # Debian's package configuration of libzip asks for programs that it leaves
  # to another package.
  find_library(LOWTIDE_ZIP_LIBRARY zip REQUIRED)
  find_path(LOWTIDE_ZIP_INCLUDE zip.h REQUIRED)
  add_library(LowtideZip INTERFACE)
  target_include_directories(LowtideZip SYSTEM INTERFACE ${LOWTIDE_ZIP_INCLUDE})
  target_link_libraries(LowtideZip INTERFACE ${LOWTIDE_ZIP_LIBRARY})
  lowtide_find_part(onnx LOWTIDE_ONNX_PREFIX)
  unset(ONNX_DIR CACHE) # A build folder may remember an older recipe.
  find_package(ONNX REQUIRED CONFIG
    PATHS ${LOWTIDE_ONNX_PREFIX} NO_DEFAULT_PATH)
endif()

if(LOWTIDE_ENABLE_TESTS)
  lowtide_find_part(python LOWTIDE_PYTHON_PREFIX)
  set(LOWTIDE_PYTHON ${LOWTIDE_PYTHON_PREFIX}/bin/python)
  find_package(Catch2 2 REQUIRED CONFIG)
  include(Catch)
endif()
