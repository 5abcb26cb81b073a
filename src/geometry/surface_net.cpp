#include "geometry/surface_net.h"

#include <utility>

namespace pliant::geometry {

namespace {

constexpr std::int32_t edge = BlockField::edge, padded = edge + 1;

// a block's numbers and one layer of those after it
struct Padded {
  std::array<float, std::size_t(padded* padded* padded)> values;
  static std::size_t place(std::int32_t i, std::int32_t j, std::int32_t k) {
    return std::size_t((i * padded + j) * padded + k);
  }
};

// false: no number on one side of the level
bool gather(const BlockField& field, std::uint32_t block, float level, Padded& out) {
  const Node first = field.first_node(block);
  bool above = false, below = false;
  for (std::int32_t part = 0; part < 8; ++part) {
    const Node offset = {part & 1, part >> 1 & 1, part >> 2};
    const std::uint32_t number =
        field.block_of({first[0] + edge * offset[0], first[1] + edge * offset[1], first[2] + edge * offset[2]});
    Node n;
    for (n[0] = edge * offset[0]; n[0] < edge + offset[0]; ++n[0])
      for (n[1] = edge * offset[1]; n[1] < edge + offset[1]; ++n[1])
        for (n[2] = edge * offset[2]; n[2] < edge + offset[2]; ++n[2]) {
          const float value = number == BlockField::none ? 0.0f : field.block(number)[BlockField::place_in_block(n)];
          out.values[Padded::place(n[0], n[1], n[2])] = value;
          (value > level ? above : below) = true;
        }
  }
  return above && below;
}

// the mean of the places where the surface crosses the edges of a cell, as seen from its first corner
Point middle_of_crossings(const float* corners, float level) {
  int count = 0;
  Point sum = Point::zero();
  for (int axis = 0; axis < 3; ++axis)
    for (int a = 0; a < 8; ++a) {
      const int b = a | 1 << axis;
      if (a == b || (corners[a] > level) == (corners[b] > level)) continue;
      for (int d = 0; d < 3; ++d) sum[d] += a >> d & 1;
      sum[axis] += double(level - corners[a]) / double(corners[b] - corners[a]);
      ++count;
    }
  return (1.0 / count) * sum;
}

class Net {
 public:
  Net(const BlockField& field, float level)
      : field_(field), level_(level), cells_(field.block_count() * BlockField::nodes, BlockField::none) {}

  TriangleMesh make() {
    for (std::uint32_t block = 0; block < field_.block_count(); ++block) add_vertices(block);
    for (const Crossing& crossing : crossings_) add_square(crossing);
    return std::move(mesh_);
  }

 private:
  // the edge of the grid from a node along an axis; up: the node itself is above the level
  struct Crossing {
    Node node;
    std::size_t axis;
    bool up;
  };

  void add_vertices(std::uint32_t block) {
    if (!gather(field_, block, level_, near_)) return;
    const Node first = field_.first_node(block);
    Node n;
    for (n[0] = 0; n[0] < edge; ++n[0])
      for (n[1] = 0; n[1] < edge; ++n[1])
        for (n[2] = 0; n[2] < edge; ++n[2]) add_vertex(block, first, n);
  }

  void add_vertex(std::uint32_t block, const Node& first, const Node& n) {
    float corners[8];
    int above = 0;
    for (int c = 0; c < 8; ++c) {
      corners[c] = near_.values[Padded::place(n[0] + (c & 1), n[1] + (c >> 1 & 1), n[2] + (c >> 2))];
      above += corners[c] > level_;
    }
    if (above == 0 || above == 8) return;
    const Node node = {first[0] + n[0], first[1] + n[1], first[2] + n[2]};
    cells_[block * std::size_t(BlockField::nodes) + BlockField::place_in_block(n)] =
        std::uint32_t(mesh_.vertices.size());
    mesh_.vertices.push_back(middle_of_crossings(corners, level_) +
                             Point{{double(node[0]), double(node[1]), double(node[2])}});
    for (std::size_t axis = 0; axis < 3; ++axis)
      if ((corners[0] > level_) != (corners[1 << axis] > level_))
        crossings_.push_back({node, axis, corners[0] > level_});
  }

  std::uint32_t vertex_of(const Node& cell) const {
    const std::size_t block = field_.block_of(cell);
    return cells_[block * BlockField::nodes + BlockField::place_in_block(cell)];
  }

  // the vertices of the four cells around an edge of the grid
  void add_square(const Crossing& crossing) {
    const std::size_t u = (crossing.axis + 1) % 3, v = (crossing.axis + 2) % 3;
    Node cell = crossing.node;
    std::array<std::uint32_t, 4> around;
    around[0] = vertex_of(cell);
    --cell[u];
    around[1] = vertex_of(cell);
    --cell[v];
    around[2] = vertex_of(cell);
    ++cell[u];
    around[3] = vertex_of(cell);
    if (!crossing.up) std::swap(around[1], around[3]);
    // along the shorter diagonal
    const auto length = [&](std::size_t a, std::size_t b) {
      return norm(mesh_.vertices[around[a]] - mesh_.vertices[around[b]]);
    };
    const std::size_t k = length(0, 2) <= length(1, 3) ? 0 : 1;
    mesh_.triangles.push_back({around[k], around[k + 1], around[k + 2]});
    mesh_.triangles.push_back({around[k], around[k + 2], around[(k + 3) % 4]});
  }

  const BlockField& field_;
  const float level_;
  Padded near_;
  std::vector<std::uint32_t> cells_;  // vertex in each cell; a cell is called by its first node
  std::vector<Crossing> crossings_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh surface_net(const BlockField& field, float level) { return Net(field, level).make(); }

}  // namespace pliant::geometry
