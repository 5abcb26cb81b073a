#include "geometry/distance_field.h"

#include "core/hash.h"

#include <algorithm>

namespace pliant::geometry {
namespace {

using Vec = Vector<double, 3>;
using Eight = VectorOf<float, 8>::type;

// the four cubics of one axis and their slopes: value and slope at the left end, value and slope at the right end
struct Cubics {
  float value[4], slope[4];

  explicit Cubics(float t) {
    const float u = 1 - t;
    value[0] = u * u * (1 + 2 * t), value[1] = t * u * u, value[2] = t * t * (3 - 2 * t), value[3] = -t * t * u;
    slope[0] = -6 * t * u, slope[1] = u * (1 - 3 * t), slope[2] = 6 * t * u, slope[3] = t * (3 * t - 2);
  }
};

// lane i holds b[end] if bit `axis` of i is not set, else b[end + 1]
template <int axis>
Eight spread(const float* b) {
  const float p = b[0], q = b[1];
  if constexpr (axis == 0) return Eight{p, q, p, q, p, q, p, q};
  if constexpr (axis == 1) return Eight{p, p, q, q, p, p, q, q};
  return Eight{p, p, p, p, q, q, q, q};
}

float sum(Eight v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

}  // namespace

DistanceField::Place DistanceField::find(const Vec& x) const {
  constexpr double below_end = cells * (1 - 1e-15);
  double s[3];
  for (int i = 0; i < 3; ++i) s[i] = std::clamp((x[i] - corner_[i]) * (cells / edge_), 0.0, below_end);
  Place place = {0, edge_ / cells, {}};
  for (;;) {
    int eighth = 0;
    for (int i = 0; i < 3; ++i) eighth |= int(s[i] >= cells / 2) << i;
    const std::int32_t child = children_[std::size_t(place.block)][std::size_t(eighth)];
    if (child < 0) break;
    place.block = child;
    place.cell *= 0.5;
    for (int i = 0; i < 3; ++i) s[i] = std::min(2 * (s[i] - (eighth >> i & 1) * (cells / 2)), below_end);
  }
  for (int i = 0; i < 3; ++i) place.x[i] = float(s[i]);
  return place;
}

ShapeDistance DistanceField::inside_cube(const Vec& x, Vec& gradient) const {
  const Place place = find(x);
  int c[3];
  for (int i = 0; i < 3; ++i) c[i] = std::min(int(place.x[i]), cells - 1);
  const Cubics bx(place.x[0] - float(c[0])), by(place.x[1] - float(c[1])), bz(place.x[2] - float(c[2]));
  const Node* node = nodes_.data() + std::size_t(place.block) * block_nodes + (c[2] * side + c[1]) * side + c[0];

  Eight phi = {}, gx = {}, gy = {}, gz = {};
  const Eight x_value[2] = {spread<0>(bx.value), spread<0>(bx.value + 2)};
  const Eight x_slope[2] = {spread<0>(bx.slope), spread<0>(bx.slope + 2)};
#pragma GCC unroll 2
  for (int k = 0; k < 2; ++k) {
    const Eight z_value = spread<2>(bz.value + 2 * k), z_slope = spread<2>(bz.slope + 2 * k);
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      const Eight y_value = spread<1>(by.value + 2 * j), y_slope = spread<1>(by.slope + 2 * j);
      const Node* row = node + (k * side + j) * side;
      Eight left, right;
      std::memcpy(&left, row, sizeof left);
      std::memcpy(&right, row + 1, sizeof right);
      const Eight along = x_value[0] * left + x_value[1] * right, yz = y_value * z_value;
      phi += yz * along;
      gx += yz * (x_slope[0] * left + x_slope[1] * right);
      gy += y_slope * z_value * along;
      gz += y_value * z_slope * along;
    }
  }
  gradient = (1 / place.cell) * Vec{{sum(gx), sum(gy), sum(gz)}};
  const double length = norm(gradient);
  return {sum(phi), length > 1e-3 ? (1 / length) * gradient : Vec{{0, 0, 1}}};
}

ShapeDistance DistanceField::distance(const Vec& x) const {
  Vec nearest, gradient;
  bool is_outside = false;
  for (int i = 0; i < 3; ++i) {
    nearest[i] = !(x[i] > corner_[i]) ? corner_[i] : std::min(x[i], corner_[i] + edge_);
    is_outside |= nearest[i] != x[i];
  }
  const ShapeDistance d = inside_cube(nearest, gradient);
  if (!is_outside) return d;

  // the mesh lies in the cube, so its point y has |x - y|^2 >= |x - nearest|^2 + |nearest - y|^2
  const Vec beyond = x - nearest;
  const double phi = std::hypot(norm(beyond), d.phi);
  Vec slope = beyond;
  for (int i = 0; i < 3; ++i)
    if (beyond[i] == 0) slope[i] = d.phi * gradient[i];
  return {phi, (1 / norm(slope)) * slope};
}

double DistanceField::at_least(const Vec& x) const { return (distance(x).phi - tolerance_) / 1.25; }

std::size_t DistanceField::bytes() const {
  return sizeof *this + children_.capacity() * sizeof(Children) + nodes_.capacity() * sizeof(Node);
}

std::uint64_t DistanceField::hash() const {
  std::uint64_t h = hash_bytes(&corner_, sizeof corner_);
  h = hash_bytes(&edge_, sizeof edge_, h);
  h = hash_bytes(&bounds_, sizeof bounds_, h);
  h = hash_bytes(&tolerance_, sizeof tolerance_, h);
  h = hash_bytes(children_.data(), children_.size() * sizeof(Children), h);
  return hash_bytes(nodes_.data(), nodes_.size() * sizeof(Node), h);
}

}  // namespace pliant::geometry
