// Numbers at the nodes of an endless grid, kept in blocks of 8^3 nodes where there are any; elsewhere they are 0.
#pragma once

#include "geometry/namespace.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace pliant::geometry {

using Node = std::array<std::int32_t, 3>;

class BlockField {
 public:
  static constexpr std::int32_t edge = 8, nodes = edge * edge * edge;
  static constexpr std::int32_t farthest = (1 << 23) - edge;  // node from the origin, along each axis
  static constexpr std::uint32_t none = ~0u;

  // Boxes of nodes, both corners included, that may get numbers; make_room() when all are known. What is out of range
  // is an Error, out_of_range.
  void cover(const Node& low, const Node& high);
  void make_room();

  std::size_t block_count() const { return keys_.size(); }
  Node first_node(std::uint32_t block) const;
  float* block(std::uint32_t number) { return values_.data() + std::size_t(number) * nodes; }
  const float* block(std::uint32_t number) const { return values_.data() + std::size_t(number) * nodes; }

  // number of the block that holds a node, or none
  std::uint32_t block_of(const Node& node) const;
  static std::uint32_t place_in_block(const Node& node) {
    return std::uint32_t(((node[0] & 7) * edge + (node[1] & 7)) * edge + (node[2] & 7));
  }
  float at(const Node& node) const {
    const std::uint32_t number = block_of(node);
    return number == none ? 0.0f : block(number)[place_in_block(node)];
  }

  // Fills pits and gaps of up to 2 radius nodes, radius <= 8: the largest number of a cube around each node, and then
  // the least of those, and then means with neighbours, since cubes have corners. What bulges outwards stays nearly as it is.
  void close_gaps(std::int32_t radius);

  // Calls at(values, node, count) for each row of a box, which must be covered: numbers of nodes from this one on along z.
  template <class At>
  void for_rows(const Node& low, const Node& high, const At& at);

 private:
  static std::uint64_t key_of(const Node& block);
  std::uint32_t find(std::uint64_t key) const;
  // each number replaced by of(i), where i points to it and its neighbours along an axis, up to 8 on each side
  template <class Of>
  void replace_along(std::size_t axis, const Of& of);

  std::vector<std::uint64_t> keys_;   // of blocks, sorted
  std::vector<std::uint32_t> slots_;  // a hash table of them
  std::vector<float> values_, before_;
};

template <class At>
void BlockField::for_rows(const Node& low, const Node& high, const At& at) {
  Node b, from, to;
  for (b[0] = low[0] >> 3; b[0] <= high[0] >> 3; ++b[0])
    for (b[1] = low[1] >> 3; b[1] <= high[1] >> 3; ++b[1])
      for (b[2] = low[2] >> 3; b[2] <= high[2] >> 3; ++b[2]) {
        for (std::size_t d = 0; d < 3; ++d) {
          from[d] = std::max(low[d], b[d] * edge);
          to[d] = std::min(high[d], b[d] * edge + edge - 1);
        }
        float* values = block(find(key_of(b)));
        for (Node n = from; n[0] <= to[0]; ++n[0])
          for (n[1] = from[1]; n[1] <= to[1]; ++n[1]) at(values + place_in_block(n), n, to[2] - from[2] + 1);
      }
}

}  // namespace pliant::geometry
