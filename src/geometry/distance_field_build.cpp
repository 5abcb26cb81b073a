// Builds a distance field level by level, from the cube down.
#include "core/error.h"
#include "core/parallel.h"
#include "geometry/closest_point.h"
#include "geometry/distance_field.h"
#include "geometry/mesh.h"
#include "geometry/tree.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace pliant::geometry {

class DistanceFieldBuilder {
 public:
  DistanceFieldBuilder(const Mesh& mesh, Workers& workers)
      : winding_(mesh), closest_(winding_.mesh()), workers_(workers) {
    const Point size = mesh.upper - mesh.lower;
    size_ = std::max({size[0], size[1], size[2]});
  }

  double size() const { return size_; }

  // nothing if it does not fit
  std::optional<DistanceField> build(double tolerance, std::size_t memory);

 private:
  using Field = DistanceField;
  using Node = Field::Node;
  static constexpr int cells = Field::cells, side = Field::side, block_nodes = Field::block_nodes;
  static constexpr int fine_side = 2 * cells + 1;  // nodes per edge of a block cut in eighths
  static constexpr int max_depth = 20;  // never reached: a cell is as good as its edge, and tolerances are limited

  struct Exact {
    double phi;
    Point gradient;
    std::uint32_t triangle;
  };
  struct Coordinates {
    std::uint32_t c[3];  // in blocks of the level

    std::uint64_t key() const { return (std::uint64_t(c[2]) << 42) | (std::uint64_t(c[1]) << 21) | c[0]; }
  };
  // what an eighth of a block becomes
  struct Cut {
    bool wanted[8] = {};
    std::vector<Node> nodes;  // block_nodes of each that is wanted
  };

  Exact exact(const Point& x, const Exact* before, double step) const;
  void sample(const Coordinates& block, double cell, std::vector<Exact>& samples) const;
  double largest_excess(const Node* nodes, const std::vector<Exact>& samples, int eighth, double cell) const;
  static void every_other(const std::vector<Exact>& samples, double cell, Node* nodes);
  Cut cut(const Coordinates& at, double cell) const;
  bool add_level(std::vector<Cut>& cuts, std::size_t memory);
  void take_from_coarser(std::size_t child);
  bool is_present(const Coordinates& at, const int* offset) const;

  static Node to_node(const Exact& e, double cell);
  static void polynomial(const Node* block, const double* x, int count, double* d);

  MeshTree winding_;
  ClosestPointTree closest_;
  Workers& workers_;
  double size_;

  Field field_;
  int depth_ = 0;                     // of the finest level so far
  std::vector<Coordinates> level_;    // blocks of the finest level so far: the last ones of the field
  std::vector<std::uint64_t> keys_;   // of those, sorted
  std::vector<std::int32_t> parent_;  // of those
  std::vector<int> eighth_;           // of those, in the parent
};

// `before` is the answer at a point `step` away, if there is one: two points between which there is no surface are on
// the same side
DistanceFieldBuilder::Exact DistanceFieldBuilder::exact(const Point& x, const Exact* before, double step) const {
  const ClosestPoint found = closest_.find(x, before ? before->triangle : 0);
  const double d = std::sqrt(found.squared);
  const bool same_side = before && std::fabs(before->phi) + d > step * (1 + 1e-9);
  const double sign = same_side ? (before->phi < 0 ? -1 : 1) : (winding_.contains(x) ? -1 : 1);
  // at the surface the direction to the closest point is round-off
  if (d > 1e-7 * size_) return {sign * d, (sign / d) * (x - found.at), found.triangle};
  const Mesh& mesh = winding_.mesh();
  const Point a = mesh.corner(found.triangle, 0);
  const Point n = cross(mesh.corner(found.triangle, 1) - a, mesh.corner(found.triangle, 2) - a);
  const double length = norm(n);
  return {sign * d, length > 0 ? (1 / length) * n : Point{{0, 0, 1}}, found.triangle};
}

// exact values at the nodes of a block cut in eighths, along a path from neighbour to neighbour
void DistanceFieldBuilder::sample(const Coordinates& block, double cell, std::vector<Exact>& samples) const {
  samples.resize(std::size_t(fine_side) * fine_side * fine_side);
  const double step = 0.5 * cell;
  const Exact* before = nullptr;
  for (int k = 0; k < fine_side; ++k)
    for (int jj = 0; jj < fine_side; ++jj)
      for (int ii = 0; ii < fine_side; ++ii) {
        const int j = k % 2 == 0 ? jj : fine_side - 1 - jj;
        const int i = (k * fine_side + jj) % 2 == 0 ? ii : fine_side - 1 - ii;
        const int n[3] = {i, j, k};
        Point x;
        for (int a = 0; a < 3; ++a) x[a] = field_.corner_[a] + (block.c[a] * (2.0 * cells) + n[a]) * step;
        Exact& here = samples[std::size_t((k * fine_side + j) * fine_side + i)];
        here = exact(x, before, step);
        before = &here;
      }
}

DistanceFieldBuilder::Node DistanceFieldBuilder::to_node(const Exact& e, double cell) {
  return {{float(e.phi), float(e.gradient[0] * cell), float(e.gradient[1] * cell), 0, float(e.gradient[2] * cell), 0, 0,
           0}};
}

// the nodes of the block itself
void DistanceFieldBuilder::every_other(const std::vector<Exact>& samples, double cell, Node* nodes) {
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        nodes[(k * side + j) * side + i] =
            to_node(samples[std::size_t((2 * k * fine_side + 2 * j) * fine_side + 2 * i)], cell);
}

// the first derivatives, as many as counted, of a block's polynomial at x (in cells), in the order of a node's
void DistanceFieldBuilder::polynomial(const Node* block, const double* x, int count, double* d) {
  int c[3];
  double b[3][2][2][2];  // axis, order asked for, end, order held
  for (int a = 0; a < 3; ++a) {
    c[a] = std::min(int(x[a]), cells - 1);
    const double t = x[a] - c[a], u = 1 - t;
    b[a][0][0][0] = u * u * (1 + 2 * t), b[a][0][0][1] = t * u * u;
    b[a][0][1][0] = t * t * (3 - 2 * t), b[a][0][1][1] = -t * t * u;
    b[a][1][0][0] = -6 * t * u, b[a][1][0][1] = u * (1 - 3 * t);
    b[a][1][1][0] = 6 * t * u, b[a][1][1][1] = t * (3 * t - 2);
  }
  for (int asked = 0; asked < count; ++asked) {
    d[asked] = 0;
    for (int end = 0; end < 8; ++end) {
      const int e[3] = {end & 1, end >> 1 & 1, end >> 2};
      const Node& node = block[((c[2] + e[2]) * side + c[1] + e[1]) * side + c[0] + e[0]];
      for (int held = 0; held < 8; ++held)
        d[asked] += b[0][asked & 1][e[0]][held & 1] * b[1][asked >> 1 & 1][e[1]][held >> 1 & 1] *
                    b[2][asked >> 2][e[2]][held >> 2] * double(node.d[held]);
    }
  }
}

// how much phi errs in an eighth of a block beyond what is allowed, m; > 0: to be cut
double DistanceFieldBuilder::largest_excess(const Node* nodes, const std::vector<Exact>& samples, int eighth,
                                            double cell) const {
  // between the points that are looked at, phi was found to err by up to 2.3 times more (at the tip of a needle)
  const double tolerance = 0.3 * field_.tolerance_;
  const bool is_coarse = cell > size_ / 16;
  double largest = -HUGE_VAL;
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const int n[3] = {i + cells * (eighth & 1), j + cells * (eighth >> 1 & 1), k + cells * (eighth >> 2)};
        if ((n[0] | n[1] | n[2]) % 2 == 0) continue;
        const double phi = samples[std::size_t((n[2] * fine_side + n[1]) * fine_side + n[0])].phi;
        const double x[3] = {0.5 * n[0], 0.5 * n[1], 0.5 * n[2]};
        const double allowed = std::max(tolerance, phi > 0 ? 0.1 * phi : -0.2 * phi);
        if (is_coarse && std::fabs(phi) < cell) return HUGE_VAL;
        double d;
        polynomial(nodes, x, 1, &d);
        largest = std::max(largest, std::fabs(d - phi) - allowed);
      }
  return largest;
}

// Judged by the exact values at the block's nodes, not by those taken from coarser blocks, which cutting does not
// change.
DistanceFieldBuilder::Cut DistanceFieldBuilder::cut(const Coordinates& at, double cell) const {
  std::vector<Exact> samples;
  sample(at, cell, samples);
  Node nodes[block_nodes];
  every_other(samples, cell, nodes);
  Cut result;
  for (int eighth = 0; eighth < 8; ++eighth) {
    if (!(largest_excess(nodes, samples, eighth, cell) > 0)) continue;
    result.wanted[eighth] = true;
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
          const int n[3] = {i + cells * (eighth & 1), j + cells * (eighth >> 1 & 1), k + cells * (eighth >> 2)};
          const Exact& e = samples[std::size_t((n[2] * fine_side + n[1]) * fine_side + n[0])];
          result.nodes.push_back(to_node(e, 0.5 * cell));
        }
  }
  return result;
}

// appends the wanted eighths as blocks; false if they do not fit
bool DistanceFieldBuilder::add_level(std::vector<Cut>& cuts, std::size_t memory) {
  std::size_t count = 0;
  for (const Cut& c : cuts) count += std::size_t(std::count(std::begin(c.wanted), std::end(c.wanted), true));
  const std::size_t blocks = field_.children_.size();
  if ((blocks + count) * Field::block_bytes > memory) return false;
  field_.children_.resize(blocks + count, {-1, -1, -1, -1, -1, -1, -1, -1});
  field_.nodes_.reserve((blocks + count) * block_nodes);

  std::vector<Coordinates> level;
  parent_.clear();
  eighth_.clear();
  auto next = std::int32_t(blocks);
  const std::size_t first = blocks - level_.size();
  for (std::size_t b = 0; b < cuts.size(); ++b) {
    field_.nodes_.insert(field_.nodes_.end(), cuts[b].nodes.begin(), cuts[b].nodes.end());
    for (int eighth = 0; eighth < 8; ++eighth) {
      if (!cuts[b].wanted[eighth]) continue;
      field_.children_[first + b][std::size_t(eighth)] = next++;
      parent_.push_back(std::int32_t(first + b));
      eighth_.push_back(eighth);
      Coordinates at;
      for (int a = 0; a < 3; ++a) at.c[a] = 2 * level_[b].c[a] + (eighth >> a & 1);
      level.push_back(at);
    }
    cuts[b] = Cut();
  }
  level_.swap(level);
  keys_.clear();
  for (const Coordinates& at : level_) keys_.push_back(at.key());
  std::sort(keys_.begin(), keys_.end());
  return true;
}

// is there a block of this level? Beyond the cube there is nothing to agree with.
bool DistanceFieldBuilder::is_present(const Coordinates& at, const int* offset) const {
  Coordinates other;
  for (int a = 0; a < 3; ++a) {
    other.c[a] = at.c[a] + std::uint32_t(offset[a]);
    if (other.c[a] >= 1u << depth_) return true;
  }
  return std::binary_search(keys_.begin(), keys_.end(), other.key());
}

// nodes that a block of the finest level shares with coarser cells only take the values of the coarser polynomial
void DistanceFieldBuilder::take_from_coarser(std::size_t b) {
  bool present[3][3][3];
  for (int k = -1; k <= 1; ++k)
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const int offset[3] = {i, j, k};
        present[k + 1][j + 1][i + 1] = is_present(level_[b], offset);
      }
  const std::size_t self = field_.children_.size() - level_.size() + b;
  Node* nodes = field_.nodes_.data() + self * block_nodes;
  const Node* coarse = field_.nodes_.data() + std::size_t(parent_[b]) * block_nodes;
  for (int n = 0; n < block_nodes; ++n) {
    const int at[3] = {n % side, n / side % side, n / (side * side)};
    // all blocks that touch the node
    int low[3], high[3];
    for (int a = 0; a < 3; ++a) {
      low[a] = at[a] == 0 ? 0 : 1;
      high[a] = at[a] == cells ? 2 : 1;
    }
    bool all = true;
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i) all &= present[k][j][i];
    if (all) continue;
    double x[3], d[8];
    for (int a = 0; a < 3; ++a) x[a] = 0.5 * at[a] + (cells / 2) * (eighth_[b] >> a & 1);
    polynomial(coarse, x, 8, d);
    for (int e = 0; e < 8; ++e) nodes[n].d[e] = float(std::ldexp(d[e], -std::popcount(unsigned(e))));
  }
}

std::optional<DistanceField> DistanceFieldBuilder::build(double tolerance, std::size_t memory) {
  const Mesh& mesh = winding_.mesh();
  field_ = Field();
  field_.tolerance_ = tolerance;
  field_.bounds_ = {mesh.lower, mesh.upper};
  field_.edge_ = 1.25 * size_ + 8 * tolerance;
  for (int a = 0; a < 3; ++a) field_.corner_[a] = 0.5 * (mesh.lower[a] + mesh.upper[a] - field_.edge_);
  if (Field::block_bytes > memory) return std::nullopt;

  // the cube as one block
  field_.children_.assign(1, {-1, -1, -1, -1, -1, -1, -1, -1});
  level_.assign(1, {});
  depth_ = 0;
  double cell = field_.edge_ / cells;
  std::vector<Exact> samples;
  sample(level_[0], cell, samples);
  field_.nodes_.resize(block_nodes);
  every_other(samples, cell, field_.nodes_.data());

  while (!level_.empty() && depth_ < max_depth) {
    std::vector<Cut> cuts(level_.size());
    workers_.for_each(cuts.size(), 1, [&](std::size_t b) { cuts[b] = cut(level_[b], cell); });
    if (!add_level(cuts, memory)) return std::nullopt;
    ++depth_;
    cell *= 0.5;
    workers_.for_each(level_.size(), 16, [&](std::size_t b) { take_from_coarser(b); });
  }
  return std::move(field_);
}

DistanceField DistanceField::build(const Mesh& mesh, const std::string& name, const DistanceFieldOptions& options,
                                   Workers& workers) {
  check_closed(mesh, name);
  DistanceFieldBuilder builder(mesh, workers);
  const double least = 1e-5 * builder.size(), most = 0.1 * builder.size();
  if (!(options.tolerance >= least && options.tolerance <= most))
    fail(ErrorCode::bad_input, "mesh '{}': tolerance is {} m; for a mesh of size {:g} m give {:.2g} to {:.2g} m", name,
         options.tolerance, builder.size(), least, most);
  if (std::optional<DistanceField> field = builder.build(options.tolerance, options.memory)) return std::move(*field);

  for (double tolerance = 2 * options.tolerance; tolerance <= most; tolerance *= 2)
    if (builder.build(tolerance, options.memory))
      fail(ErrorCode::too_large,
           "mesh '{}': a distance field of tolerance {:g} m needs more than the {:.3g} MB allowed; a tolerance of {:g} "
           "m "
           "fits, or allow more memory",
           name, options.tolerance, double(options.memory) / 1e6, tolerance);
  fail(ErrorCode::too_large, "mesh '{}': no distance field fits into {:.3g} MB; allow more memory", name,
       double(options.memory) / 1e6);
}

}  // namespace pliant::geometry
