// Boxes sorted into cubes of space, so that those which meet another box are found quickly.
#pragma once

#include "cloth/namespace.h"
#include "core/small.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pliant::cloth {

struct Box {
  Vector<double, 3> low, high;  // m
};

inline bool meet(const Box& a, const Box& b) {
  for (int d = 0; d < 3; ++d)
    if (a.high[d] < b.low[d] || b.high[d] < a.low[d]) return false;
  return true;
}

class Bins {
 public:
  // side of the cubes: m, larger if a box would touch more than some thousand of them; box(i) stands in all that it
  // touches
  template <class F>
  void fill(double side, std::size_t count, const F& box) {
    boxes_.clear();
    entries_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      boxes_.push_back(box(i));
      for (int d = 0; d < 3; ++d) side = std::max(side, (boxes_[i].high[d] - boxes_[i].low[d]) / most_cubes);
    }
    per_side_ = 1 / side;
    for (std::size_t i = 0; i < count; ++i) {
      const Cube low = cube_of(boxes_[i].low);
      for_each_cube(low, cube_of(boxes_[i].high), [&](const Cube& cube) {
        entries_.push_back({key_of(cube), std::uint32_t(i), low});
      });
    }
    sort_by_slot();
  }

  // f(i) once for every box that meets this one; their order depends on the boxes alone
  template <class F>
  void near(const Box& box, const F& f) const {
    const Cube low = cube_of(box.low);
    for_each_cube(low, cube_of(box.high), [&](const Cube& cube) {
      const std::uint64_t key = key_of(cube);
      const std::size_t slot = slot_of(key);
      for (std::uint32_t at = starts_[slot]; at < starts_[slot + 1]; ++at) {
        const Entry& entry = sorted_[at];
        // of all cubes that two boxes have in common, the first
        if (entry.key != key || !is_first(cube, low, entry.low)) continue;
        if (meet(box, boxes_[entry.box])) f(entry.box);
      }
    });
  }

  std::size_t bytes() const {
    return sizeof(Entry) * (entries_.capacity() + sorted_.capacity()) + sizeof(Box) * boxes_.capacity() +
           4 * starts_.capacity();
  }

 private:
  static constexpr double most_cubes = 16;  // along one edge of a box
  using Cube = std::array<std::int32_t, 3>;
  struct Entry {
    std::uint64_t key;
    std::uint32_t box;
    Cube low;  // the box's first
  };

  template <class F>
  static void for_each_cube(const Cube& low, const Cube& high, const F& f) {
    for (std::int32_t a = low[0]; a <= high[0]; ++a)
      for (std::int32_t b = low[1]; b <= high[1]; ++b)
        for (std::int32_t c = low[2]; c <= high[2]; ++c) f({a, b, c});
  }
  static bool is_first(const Cube& cube, const Cube& a, const Cube& b) {
    return cube[0] == std::max(a[0], b[0]) && cube[1] == std::max(a[1], b[1]) && cube[2] == std::max(a[2], b[2]);
  }

  Cube cube_of(const Vector<double, 3>& x) const {
    Cube cube;
    for (int d = 0; d < 3; ++d) cube[d] = std::int32_t(std::floor(x[d] * per_side_));
    return cube;
  }
  // 21 bits each: cubes that are two million sides apart share a key, which costs time and nothing else
  static std::uint64_t key_of(const Cube& cube) {
    constexpr std::uint64_t low = (1 << 21) - 1;
    return (std::uint64_t(cube[0]) & low) << 42 | (std::uint64_t(cube[1]) & low) << 21 | (std::uint64_t(cube[2]) & low);
  }
  // cubes above each other are neighbours, because they are looked into one after the other
  std::size_t slot_of(std::uint64_t key) const {
    return (std::size_t(((key >> 21) * 0x9e3779b97f4a7c15u) >> 40) + std::size_t(key)) & mask_;
  }

  // entries of a slot stay in the order in which they came
  void sort_by_slot() {
    mask_ = 255;
    while (mask_ < 2 * entries_.size()) mask_ = 2 * mask_ + 1;
    starts_.assign(mask_ + 2, 0);
    for (const Entry& entry : entries_) ++starts_[slot_of(entry.key) + 1];
    for (std::size_t s = 0; s <= mask_; ++s) starts_[s + 1] += starts_[s];
    sorted_.resize(entries_.size());
    // each slot is filled from its end, the last first
    for (std::size_t i = entries_.size(); i-- > 0;) sorted_[--starts_[slot_of(entries_[i].key) + 1]] = entries_[i];
    // what is at s + 1 is now where s starts
    starts_.erase(starts_.begin());
    starts_.push_back(std::uint32_t(entries_.size()));
  }

  double per_side_ = 1;
  std::size_t mask_ = 255;
  std::vector<Box> boxes_;
  std::vector<Entry> entries_, sorted_;
  std::vector<std::uint32_t> starts_;  // of slots; one more
};

}  // namespace pliant::cloth
