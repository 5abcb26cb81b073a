#include "geometry/block_field.h"

#include "core/error.h"

namespace pliant::geometry {

namespace {
constexpr std::int32_t shift = 1 << 20;  // makes numbers of blocks positive
std::size_t mixed(std::uint64_t key) { return std::size_t(key * 0x9e3779b97f4a7c15u >> 32); }
}  // namespace

// 21 bits for each axis, so that the order of keys is that of x, then y, then z
std::uint64_t BlockField::key_of(const Node& block) {
  std::uint64_t key = 0;
  for (const std::int32_t b : block) key = key << 21 | std::uint64_t(b + shift);
  return key;
}

void BlockField::cover(const Node& low, const Node& high) {
  for (std::size_t d = 0; d < 3; ++d)
    if (low[d] < -farthest || high[d] > farthest)
      fail(ErrorCode::out_of_range, "a skin goes from node {} to {}; keep it within {}", low[d], high[d], farthest);
  Node b;
  for (b[0] = low[0] >> 3; b[0] <= high[0] >> 3; ++b[0])
    for (b[1] = low[1] >> 3; b[1] <= high[1] >> 3; ++b[1])
      for (b[2] = low[2] >> 3; b[2] <= high[2] >> 3; ++b[2]) keys_.push_back(key_of(b));
}

void BlockField::make_room() {
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  values_.assign(keys_.size() * std::size_t(nodes), 0.0f);
  std::size_t size = 16;
  while (size < 2 * keys_.size()) size *= 2;
  slots_.assign(size, none);
  for (std::uint32_t number = 0; number < keys_.size(); ++number) {
    std::size_t slot = mixed(keys_[number]) & (size - 1);
    while (slots_[slot] != none) slot = (slot + 1) & (size - 1);
    slots_[slot] = number;
  }
}

std::uint32_t BlockField::find(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mixed(key) & mask;
  while (slots_[slot] != none && keys_[slots_[slot]] != key) slot = (slot + 1) & mask;
  return slots_[slot];
}

std::uint32_t BlockField::block_of(const Node& node) const {
  return find(key_of({node[0] >> 3, node[1] >> 3, node[2] >> 3}));
}

Node BlockField::first_node(std::uint32_t block) const {
  Node node;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t b = keys_[block] >> (21 * (2 - d)) & ((1u << 21) - 1);
    node[d] = (std::int32_t(b) - shift) * edge;
  }
  return node;
}

template <class Of>
void BlockField::replace_along(std::size_t axis, const Of& of) {
  constexpr std::int32_t steps[3] = {edge * edge, edge, 1};
  const std::int32_t step = steps[axis], across = steps[(axis + 1) % 3], along = steps[(axis + 2) % 3];
  before_ = values_;
  float line[3 * edge + 1] = {};
  for (std::uint32_t number = 0; number < keys_.size(); ++number) {
    // the block between those before and after it
    const float* from[3];
    for (std::int32_t part = 0; part < 3; ++part) {
      Node node = first_node(number);
      node[axis] += edge * (part - 1);
      const std::uint32_t other = part == 1 ? number : block_of(node);
      from[part] = other == none ? nullptr : before_.data() + std::size_t(other) * nodes;
    }
    for (std::int32_t k = 0; k < edge * edge; ++k) {
      const std::int32_t start = k / edge * across + k % edge * along;
      for (std::int32_t i = 0; i < 3 * edge; ++i)
        line[i] = from[i / edge] ? from[i / edge][start + i % edge * step] : 0;
      for (std::int32_t i = 0; i < edge; ++i) block(number)[start + i * step] = of(line + edge + i);
    }
  }
}

void BlockField::close_gaps(std::int32_t radius) {
  const auto largest = [=](const float* i) { return *std::max_element(i - radius, i + radius + 1); };
  const auto least = [=](const float* i) { return *std::min_element(i - radius, i + radius + 1); };
  const auto mean = [](const float* i) { return 0.25f * (i[-1] + 2 * i[0] + i[1]); };
  for (std::size_t axis = 0; axis < 3; ++axis) replace_along(axis, largest);
  for (std::size_t axis = 0; axis < 3; ++axis) replace_along(axis, least);
  for (std::size_t axis = 0; axis < 3; ++axis) replace_along(axis, mean);
}

}  // namespace pliant::geometry
