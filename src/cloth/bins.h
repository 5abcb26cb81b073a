// Points sorted into cubes of space, so that those in a box are found quickly.
#pragma once

#include "core/small.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace pliant {

struct Box {
  Vector<double, 3> low, high;  // m
};

class Bins {
 public:
  // side of the cubes: m; point(i) is where the points are
  template <class F>
  void fill(double side, std::size_t count, const F& point) {
    per_side_ = 1 / side;
    mask_ = 255;
    while (mask_ < 2 * count) mask_ = 2 * mask_ + 1;
    keys_.resize(count);
    entries_.resize(count);
    starts_.assign(mask_ + 2, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const Vector<double, 3> x = point(i);
      keys_[i] = key_of(cell(x[0]), cell(x[1]), cell(x[2]));
      ++starts_[slot_of(keys_[i]) + 1];
    }
    for (std::size_t s = 0; s <= mask_; ++s) starts_[s + 1] += starts_[s];
    // each slot is filled from its end, the last point first
    for (std::size_t i = count; i-- > 0;) {
      const std::size_t slot = slot_of(keys_[i]);
      entries_[--starts_[slot + 1]] = {keys_[i], std::uint32_t(i)};
    }
  }

  // f(i) for all points in the cubes that the box touches; their order depends on points and box alone
  template <class F>
  void near(const Box& box, const F& f) const {
    std::int64_t low[3], high[3];
    for (int d = 0; d < 3; ++d) low[d] = cell(box.low[d]), high[d] = cell(box.high[d]);
    for (std::int64_t a = low[0]; a <= high[0]; ++a)
      for (std::int64_t b = low[1]; b <= high[1]; ++b)
        for (std::int64_t c = low[2]; c <= high[2]; ++c) {
          const std::uint64_t key = key_of(a, b, c);
          const std::size_t slot = slot_of(key);
          for (std::uint32_t at = starts_[slot + 1]; at < end_of(slot); ++at)
            if (entries_[at].key == key) f(entries_[at].point);
        }
  }

  std::size_t bytes() const {
    return sizeof(Entry) * entries_.capacity() + 8 * keys_.capacity() + 4 * starts_.capacity();
  }

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t point;
  };

  std::int64_t cell(double x) const { return std::int64_t(std::floor(x * per_side_)); }
  // 21 bits each: cubes that are two million sides apart share a key, which costs time and nothing else
  static std::uint64_t key_of(std::int64_t a, std::int64_t b, std::int64_t c) {
    constexpr std::uint64_t low = (1 << 21) - 1;
    return (std::uint64_t(a) & low) << 42 | (std::uint64_t(b) & low) << 21 | (std::uint64_t(c) & low);
  }
  std::size_t slot_of(std::uint64_t key) const { return std::size_t((key * 0x9e3779b97f4a7c15u) >> 40) & mask_; }
  std::uint32_t end_of(std::size_t slot) const {
    return slot == mask_ ? std::uint32_t(entries_.size()) : starts_[slot + 2];
  }

  double per_side_ = 1;
  std::size_t mask_ = 255;
  std::vector<std::uint64_t> keys_;    // by point
  std::vector<Entry> entries_;         // by slot
  std::vector<std::uint32_t> starts_;  // of slot s at s + 1
};

}  // namespace pliant
