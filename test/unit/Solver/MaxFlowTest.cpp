//===- MaxFlowTest.cpp - Cuts against brute force -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "lowtide/Solver/MaxFlow.h"

#include <catch2/catch.hpp>
#include <random>

using namespace lowtide::solver;

TEST_CASE(
    "the flow of two disjoint paths is the sum of their narrowest edges") {
  MaxFlow flow(4);
  flow.addEdge(0, 1, 3);
  int narrow = flow.addEdge(1, 3, 2);
  flow.addEdge(0, 2, 1);
  flow.addEdge(2, 3, 5);
  CHECK(flow.solve(0, 3) == 3);
  CHECK(flow.onSourceSide(1));
  CHECK_FALSE(flow.onSourceSide(2));
  flow.setCapacity(narrow, 7);
  CHECK(flow.solve(0, 3) == 4);
}

TEST_CASE("a chain of unlimited edges is reported as unlimited") {
  MaxFlow flow(3);
  flow.addEdge(0, 1, MaxFlow::unlimited);
  flow.addEdge(1, 2, MaxFlow::unlimited);
  CHECK(flow.solve(0, 2) >= MaxFlow::unlimited);
}

TEST_CASE("the flow equals the least cut over all node subsets") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int numNodes = 2 + int(random() % 6);
    MaxFlow flow(numNodes);
    std::vector<std::vector<int64_t>> capacity(
        numNodes, std::vector<int64_t>(numNodes, 0));
    for (int from = 0; from < numNodes; ++from)
      for (int to = 0; to < numNodes; ++to)
        if (from != to && random() % 2) {
          capacity[from][to] = int64_t(random() % 10);
          flow.addEdge(from, to, capacity[from][to]);
        }
    auto cutOf = [&](auto isSource) {
      int64_t cut = 0;
      for (int from = 0; from < numNodes; ++from)
        for (int to = 0; to < numNodes; ++to)
          if (isSource(from) && !isSource(to))
            cut += capacity[from][to];
      return cut;
    };
    int64_t least = INT64_MAX;
    for (int set = 0; set < (1 << numNodes); ++set)
      if ((set & 1) && !(set >> (numNodes - 1) & 1))
        least = std::min(least, cutOf([&](int n) { return set >> n & 1; }));
    CHECK(flow.solve(0, numNodes - 1) == least);
    CHECK(cutOf([&](int n) { return flow.onSourceSide(n); }) == least);
    CHECK(cutOf([&](int n) { return flow.onLargestSourceSide(n); }) == least);
  }
}
