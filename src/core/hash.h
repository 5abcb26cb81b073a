// A 64-bit hash of bytes: for comparing states and for noticing damaged files, not for secrets.
#pragma once

#include "core/namespace.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pliant::core {

// mixes all bits of x
inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

// chain calls by giving the last answer as seed
inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0) {
  const auto* p = static_cast<const unsigned char*>(data);
  std::uint64_t h = mix(seed + size);
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, p + i, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  if (i < size) {
    std::uint64_t word = 0;
    std::memcpy(&word, p + i, size - i);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
  }
  return mix(h);
}

}  // namespace pliant::core
