//===- PackingCsvTest.cpp - Tables in and out -----------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/Packing/PackingCsv.h"

#include <catch2/catch.hpp>

using namespace lowtide::solver;

static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<PackingProblem> problem = readPackingCsv(text);
  return problem ? "" : llvm::toString(problem.takeError());
}

TEST_CASE("a table with every column comes back as it was") {
  llvm::StringRef text = "id,lower,upper,size,alignment,pinned,group,alias,"
                         "space,gaps,offset\n"
                         "a,0,9,64,64,128,,1,0,2-3 5-7,128\n"
                         "b,1,4,32,32,,7,,2,,0\n";
  std::vector<int64_t> offsets;
  PackingProblem problem = llvm::cantFail(readPackingCsv(text, &offsets));
  REQUIRE(problem.buffers.size() == 2);
  CHECK(problem.buffers[0].lifetime.size() == 3);
  CHECK(problem.buffers[0].pinnedOffsetBytes == 128);
  CHECK(problem.buffers[1].group == 7);
  CHECK(offsets == std::vector<int64_t>{128, 0});
  CHECK(writePackingCsv(problem, offsets) == text.str());
}

TEST_CASE("plain tables have plain answers, Windows line ends are fine") {
  PackingProblem problem =
      llvm::cantFail(readPackingCsv("id,lower,upper,size\r\n0,1,3,8\r\n"));
  CHECK(writePackingCsv(problem, {16}) ==
        "id,lower,upper,size,offset\n0,1,3,8,16\n");
}

TEST_CASE("start and end mean inclusive ends") {
  PackingProblem problem =
      llvm::cantFail(readPackingCsv("id,start,end,size\n0,1,3,8\n"));
  CHECK(problem.buffers[0].lifetime[0].upper == 4);
}

TEST_CASE("defects are named with their line") {
  CHECK(errorOf("") == "line 1: a header with id, lower, upper and size is "
                       "expected");
  CHECK(errorOf("id,lower,size\n") ==
        "line 1: a header with id, lower, upper and size is expected");
  CHECK(errorOf("id,lower,upper,size\n0,1,2\n") ==
        "line 2: 3 cells where the header has 4");
  CHECK(errorOf("id,lower,upper,size\n0,1,2,x\n") ==
        "line 2: size 'x' is not an integer");
  CHECK(errorOf("id,lower,upper,size\n0,1,2,99999999999999999999\n") ==
        "line 2: size '99999999999999999999' is not an integer");
  CHECK(errorOf("id,lower,upper,size\nw,2,2,1\n") ==
        "buffer 'w' is alive from 2 to 2, which is empty");
  CHECK(errorOf("id,lower,upper,size\nw,0,2,-1\n") ==
        "buffer 'w' has size -1, which is negative");
  CHECK(errorOf("id,lower,upper,size,gaps\nw,0,9,1,8-9\n") ==
        "line 2: gap '8-9' does not lie within the lifetime");
}
