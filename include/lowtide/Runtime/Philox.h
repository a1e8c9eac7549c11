//===- Philox.h - Random numbers from a counter -----------------*- C++ -*-===//
//
// Part of Lowtide, under the Apache License v2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
//
// Every random number of a step is a function of (seed, step, op id, element):
// a recomputed op draws the same numbers, and no state is kept. The function
// is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as
// easy as 1, 2, 3", 2011): ten rounds over a counter of four 32-bit words with
// a key of two.
//
//   key     = (low word of seed, high word of seed)
//   counter = (low word of block, op id, low word of step,
//              high word of block xor high word of step)
//
// One block gives four words w0 … w3. With e the element's row-major index:
//
//   dropout         block e / 4, word e mod 4; kept when word * 2^-32 >= ratio
//   random_uniform  block e / 4, word e mod 4;
//                   low + (high - low) * (word + 0.5) * 2^-32
//   random_normal   block e; mean + scale * sqrt(-2 ln((w0 + 1) * 2^-32))
//                                         * cos(2 pi w1 * 2^-32)
//
// all in double, then rounded to the element type.
//
// Example, for checks: seed 0, step 0, op id 0, block 0 gives
// 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
//
// Tested by test/unit/Runtime/RandomTest.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LOWTIDE_RUNTIME_PHILOX_H
#define LOWTIDE_RUNTIME_PHILOX_H

#include <array>
#include <cstdint>

namespace lowtide::runtime {

using PhiloxBlock = std::array<uint32_t, 4>;

/// The bare generator.
inline PhiloxBlock philox(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(0xD2511F53) * counter[0];
    const uint64_t b = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// The numbers of one op in one step.
class OpRandom {
public:
  OpRandom(int64_t seed, int64_t step, int64_t opId)
      : seed(static_cast<uint64_t>(seed)), step(static_cast<uint64_t>(step)),
        opId(static_cast<uint32_t>(opId)) {}

  PhiloxBlock block(int64_t index) const {
    const auto place = static_cast<uint64_t>(index);
    return philox(
        {static_cast<uint32_t>(place), opId, static_cast<uint32_t>(step),
         static_cast<uint32_t>(place >> 32) ^
             static_cast<uint32_t>(step >> 32)},
        {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  }

private:
  uint64_t seed, step;
  uint32_t opId;
};

} // namespace lowtide::runtime

#endif // LOWTIDE_RUNTIME_PHILOX_H
