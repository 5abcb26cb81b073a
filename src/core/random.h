// Random numbers that are the same on every platform: xoshiro256++ filled by splitmix64.
#pragma once

#include "core/namespace.h"

#include <cstdint>

namespace pliant::core {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = splitmix(seed);
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotate_left(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate_left(state_[3], 45);
    return result;
  }

  // 0 <= x < 1
  double uniform() { return double(bits() >> 11) * 0x1p-53; }

  // 0 <= i < count, for counts below 2^53
  std::uint64_t below(std::uint64_t count) { return std::uint64_t(uniform() * double(count)); }

 private:
  static std::uint64_t rotate_left(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  static std::uint64_t splitmix(std::uint64_t& counter) {
    std::uint64_t z = (counter += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace pliant::core
