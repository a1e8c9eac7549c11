//===- MatMulKernels.cpp - MatMul and Gemm, plain -------------------------===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Four rows of the result together; along a row the sum over k goes in order,
// whatever the number of threads.
//
// Tested by test/unit/Runtime/MatMulTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "MatMulShape.h"
#include "Parallel.h"
#include "StridedLoop.h"

#include <algorithm>

using namespace lowtide::runtime;
using namespace lowtide::runtime::cpu;

/// c = a * b for rows [begin, end) of one matrix; element (i, k) of a is at
/// i * aRow + k * aColumn, b likewise, c is dense.
template <typename T>
static void multiplyRows(const MatMulShape &s, const T *a, const T *b, T *c,
                         int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i += 4) {
    const int64_t rows = std::min<int64_t>(4, end - i);
    std::fill_n(c + i * s.n, rows * s.n, T(0));
    if (s.bColumn == 1) {
      for (int64_t k = 0; k < s.k; ++k) {
        const T *__restrict from = b + k * s.bRow;
        for (int64_t r = 0; r < rows; ++r) {
          T *__restrict to = c + (i + r) * s.n;
          const T factor = a[(i + r) * s.aRow + k * s.aColumn];
          for (int64_t j = 0; j < s.n; ++j)
            to[j] += factor * from[j];
        }
      }
      continue;
    }
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t j = 0; j < s.n; ++j) {
        const T *left = a + (i + r) * s.aRow;
        const T *right = b + j * s.bColumn;
        T lanes[8] = {};
        int64_t k = 0;
        if (s.aColumn == 1 && s.bRow == 1)
          for (; k + 8 <= s.k; k += 8)
            for (int l = 0; l < 8; ++l)
              lanes[l] += left[k + l] * right[k + l];
        for (; k < s.k; ++k)
          lanes[0] += left[k * s.aColumn] * right[k * s.bRow];
        c[(i + r) * s.n + j] = ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
                               ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
      }
  }
}

template <typename T>
static void multiplyAll(const MatMulShape &s, int threads, const T *a,
                        const T *b, T *c) {
  const int64_t grain = s.batch > 1 ? s.m : 4;
  parallelFor(threads, s.batch * s.m, std::max<int64_t>(1, grain),
              [&](int64_t begin, int64_t end) {
                while (begin < end) {
                  const int64_t matrix = begin / s.m;
                  const int64_t last = std::min(end, (matrix + 1) * s.m);
                  multiplyRows(s, a + s.aOffsets[matrix],
                               b + s.bOffsets[matrix], c + matrix * s.m * s.n,
                               begin - matrix * s.m, last - matrix * s.m);
                  begin = last;
                }
              });
}

static KernelBuild makeMatMul(const KernelCall &call, const CpuContext &cpu) {
  MatMulShape s;
  if (std::string why = readMatMul(call, s); !why.empty())
    return refuse(why);
  const int threads = cpu.threads;
  return withNumber(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      multiplyAll<T>(s, threads, in<T>(buffers, 0), in<T>(buffers, 1),
                     out<T>(buffers));
      return "";
    };
    return build;
  });
}

static KernelBuild makeGemm(const KernelCall &call, const CpuContext &cpu) {
  MatMulShape s;
  if (std::string why = readGemm(call, s); !why.empty())
    return refuse(why);
  const double alpha = call.floatAttr("alpha", 1.0);
  const double beta = call.floatAttr("beta", 1.0);
  const bool hasC = call.hasOperand(2) && beta != 0;
  const std::vector<int64_t> &shape = call.result(0).shape;
  const StridedLoop<1> addend(
      shape, {hasC ? broadcastStrides(call.operand(2).shape, shape)
                   : denseStrides(shape)});
  const int threads = cpu.threads;
  return withNumber(call.result(0).type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    KernelBuild build;
    build.run = [=](const KernelBuffers &buffers) -> std::string {
      T *y = out<T>(buffers);
      multiplyAll<T>(s, threads, in<T>(buffers, 0), in<T>(buffers, 1), y);
      if (!hasC && alpha == 1.0)
        return "";
      const T *c = hasC ? in<T>(buffers, 2) : y;
      const T left = static_cast<T>(alpha), right = static_cast<T>(beta);
      addend.walk(0, addend.numElements(),
                  [&](int64_t to, const auto &from, int64_t n) {
                    const int64_t step = addend.rowStride(0);
                    for (int64_t i = 0; i < n; ++i) {
                      const T product = static_cast<T>(left * y[to + i]);
                      y[to + i] =
                          hasC ? static_cast<T>(product +
                                                right * c[from[0] + i * step])
                               : product;
                    }
                  });
      return "";
    };
    return build;
  });
}

void cpu::addMatMulKernels(KernelTable &table) {
  table.add("onnx.MatMul", makeMatMul);
  table.add("onnx.Gemm", makeGemm);
}
