# Finds every outside part. Where each comes from, which version and why is
# written in third_party/README.md; tools/setup installs and builds them.

find_package(LLVM 19 REQUIRED CONFIG)
add_library(LowtideLlvm INTERFACE)
target_include_directories(LowtideLlvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(LowtideLlvm INTERFACE LLVM)

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(dnnl 3 REQUIRED CONFIG)

if(LOWTIDE_ENABLE_COMPILER)
  find_package(MLIR REQUIRED CONFIG)
  cmake_policy(SET CMP0116 OLD)
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  add_library(LowtideMlir INTERFACE)
  target_include_directories(LowtideMlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
  target_link_libraries(LowtideMlir INTERFACE MLIR LowtideLlvm)
  find_package(Protobuf REQUIRED)
  find_package(ONNX REQUIRED CONFIG)
endif()

if(LOWTIDE_ENABLE_TESTS)
  find_package(Catch2 2 REQUIRED CONFIG)
  include(Catch)
endif()
