//===- Parallel.cpp - Loops over all threads ------------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"

// The stable interface of libgomp.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
void omp_set_num_threads(int threads);
}

using namespace lowtide::runtime;

namespace {
struct Team {
  void (*body)(void *, int);
  void *context;
  int parts;
};
} // namespace

/// A team may be smaller than asked for: its members share the parts.
static void runMember(void *data) {
  const Team &team = *static_cast<Team *>(data);
  const int members = omp_get_num_threads();
  for (int part = omp_get_thread_num(); part < team.parts; part += members)
    team.body(team.context, part);
}

void cpu::runOnThreads(int threads, int parts, void (*body)(void *, int),
                       void *context) {
  Team team{body, context, parts};
  GOMP_parallel(runMember, &team, static_cast<unsigned>(threads), 0);
}

void cpu::setPoolThreads(int threads) { omp_set_num_threads(threads); }
