#include "contact/taxels.h"

#include "core/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pliant::contact {
namespace {

using Vec = Vector<double, 3>;
using Kind = RigidShape::Kind;
using Place = std::array<double, 2>;  // along columns, along rows

// the two axes of a box that its shortest edge is not along
std::array<int, 2> long_axes(const RigidShape& shape) {
  const int shortest = int(std::min_element(shape.size, shape.size + 3) - shape.size);
  return {shortest == 0 ? 1 : 0, shortest == 2 ? 1 : 2};
}

// x in the geom's frame
Place place_on(const RigidShape& shape, const Vec& x) {
  switch (shape.kind) {
    case Kind::box: {
      const auto axes = long_axes(shape);
      return {x[axes[0]], x[axes[1]]};
    }
    case Kind::plane:
    case Kind::mesh: return {x[0], x[1]};
    default: return {std::atan2(x[1], x[0]), x[2]};
  }
}

// of places, without those of a plane, which has no end
std::array<Place, 2> range_of(const RigidShape& shape) {
  constexpr double pi = std::numbers::pi;
  const double* s = shape.size;
  switch (shape.kind) {
    case Kind::box: {
      const auto axes = long_axes(shape);
      return {Place{-s[axes[0]], -s[axes[1]]}, Place{s[axes[0]], s[axes[1]]}};
    }
    case Kind::mesh: return {Place{-s[0], -s[1]}, Place{s[0], s[1]}};
    case Kind::cylinder: return {Place{-pi, -s[1]}, Place{pi, s[1]}};
    case Kind::capsule: return {Place{-pi, -s[1] - s[0]}, Place{pi, s[1] + s[0]}};
    case Kind::ellipsoid: return {Place{-pi, -s[2]}, Place{pi, s[2]}};
    default: return {Place{-pi, -s[0]}, Place{pi, s[0]}};
  }
}

int bin(double x, double low, double high, int count) {
  const double part = high > low ? (x - low) / (high - low) : 0;
  return std::clamp(int(std::floor(part * count)), 0, count - 1);
}

}  // namespace

Taxels taxels(std::span<const Touch> touches, const Geom& geom, const Pose& pose, double dt, int rows, int columns) {
  if (rows < 1 || columns < 1 || rows > 4096 || columns > 4096)
    fail(ErrorCode::bad_input, "taxels: {} rows and {} columns; give 1 to 4096 of each", rows, columns);
  const auto local = [&](const Touch& t) {
    const Vec x = {{t.position[0], t.position[1], t.position[2]}};
    return place_on(geom.shape, transpose(pose.rotation) * (x - pose.position));
  };
  std::array<Place, 2> range = range_of(geom.shape);
  if (geom.shape.kind == Kind::plane) {
    range = {Place{HUGE_VAL, HUGE_VAL}, Place{-HUGE_VAL, -HUGE_VAL}};
    for (const Touch& t : touches)
      for (std::size_t d = 0; t.partner == geom.id && d < 2; ++d) {
        range[0][d] = std::min(range[0][d], local(t)[d]);
        range[1][d] = std::max(range[1][d], local(t)[d]);
      }
    for (std::size_t d = 0; d < 2; ++d)
      if (!(range[0][d] <= range[1][d])) range[0][d] = range[1][d] = 0;
  }
  Taxels result;
  result.rows = rows;
  result.columns = columns;
  result.forces.assign(std::size_t(rows) * std::size_t(columns), {0, 0, 0});
  result.low = {range[0][0], range[0][1], 0};
  result.high = {range[1][0], range[1][1], 0};
  for (const Touch& t : touches) {
    if (t.partner != geom.id) continue;
    const Place at = local(t);
    const int column = bin(at[0], range[0][0], range[1][0], columns), row = bin(at[1], range[0][1], range[1][1], rows);
    Vec3& force = result.forces[std::size_t(row * columns + column)];
    for (std::size_t d = 0; d < 3; ++d) force[d] += t.impulse[d] / dt;
  }
  return result;
}

}  // namespace pliant::contact
