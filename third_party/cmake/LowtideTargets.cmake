# The one way to declare a library, a tool or a unit test of this project.
#
#   lowtide_library(Solver SOURCES A.cpp Remat/B.cpp LINK LowtideSupport)
#   lowtide_tool(lowtide-solve SOURCES Main.cpp LINK LowtideSolver)
#   lowtide_unit_test(Solver SOURCES MaxFlowTest.cpp LINK LowtideSolver)
#
# LINK lists exactly the rows of docs/Architecture.md that the part may use;
# test/Lint checks the includes against the same table.

add_library(LowtideBase INTERFACE)
target_include_directories(LowtideBase INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
target_compile_options(LowtideBase INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Werror=return-type -ffp-contract=off)

function(lowtide_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(Lowtide${name} STATIC ${ARG_SOURCES})
  target_link_libraries(Lowtide${name} PUBLIC LowtideBase ${ARG_LINK})
  if(ARG_MLIR)
    target_link_libraries(Lowtide${name} PUBLIC LowtideMlir)
    lowtide_use_mlir_pch(Lowtide${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(Lowtide${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(lowtide_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE LowtideBase ${ARG_LINK})
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE LowtideMlir)
    lowtide_use_mlir_pch(${name})
  endif()
endfunction()

function(lowtide_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  set(target Lowtide${name}Tests)
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE LowtideBase LowtideTestMain ${ARG_LINK})
  if(ARG_MLIR)
    target_link_libraries(${target} PRIVATE LowtideMlir)
    lowtide_use_mlir_pch(${target})
  endif()
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/unit)
  lowtide_discover_tests(${target} ${name})
endfunction()

# One ctest entry per Catch2 test case, listed when the tests run.
function(lowtide_discover_tests target prefix)
  catch_discover_tests(${target} TEST_PREFIX "${prefix}/" DISCOVERY_MODE PRE_TEST)
endfunction()

# One ctest entry for a Python script, run by the interpreter that has onnx,
# onnxruntime and numpy. LOWTIDE_BIN names the folder of our tools, LOWTIDE_MODELS
# the stripped graphs; the test runs in a folder of its own. Exit code 77 skips.
#   lowtide_python_test(Integration/Oracle SCRIPT Oracle.py ARGS mlp)
function(lowtide_python_test name)
  cmake_parse_arguments(ARG "" "SCRIPT" "ARGS" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/run/${name})
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME ${name}
    COMMAND ${LOWTIDE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} ${ARG_ARGS}
    WORKING_DIRECTORY ${folder})
  set_tests_properties(${name} PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 1200 ENVIRONMENT
    "LOWTIDE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};LOWTIDE_MODELS=${PROJECT_SOURCE_DIR}/test/models;PYTHONDONTWRITEBYTECODE=1")
endfunction()

# Every file of the compiler includes the same heavy headers: compile them once.
function(lowtide_use_mlir_pch target)
  if(NOT TARGET LowtideMlirPch)
    file(WRITE ${PROJECT_BINARY_DIR}/mlir_pch.cpp "")
    add_library(LowtideMlirPch OBJECT ${PROJECT_BINARY_DIR}/mlir_pch.cpp)
    target_link_libraries(LowtideMlirPch PUBLIC LowtideBase LowtideMlir)
    # Without time stamps in it, ccache can tell two equal ones.
    target_compile_options(LowtideMlirPch PRIVATE
      "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(LowtideMlirPch PRIVATE
      <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
      <mlir/IR/DialectImplementation.h> <mlir/IR/OpImplementation.h>
      <mlir/IR/Matchers.h> <mlir/Interfaces/InferTypeOpInterface.h>
      <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Pass/Pass.h>
      <mlir/Dialect/Func/IR/FuncOps.h>
      <llvm/ADT/MapVector.h> <llvm/ADT/TypeSwitch.h>
      <llvm/Support/FormatVariadic.h> <map> <memory> <string> <vector>)
  endif()
  # Executables are compiled with -fPIE, which doesn't take a header compiled
  # with -fPIC; the later flag wins.
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL EXECUTABLE)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM LowtideMlirPch)
endfunction()
