// Points spread evenly on the outline of a solid of 2-D, in its own frame.
#include "core/stop.h"
#include "scene/fill.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::scene {
namespace {

using std::numbers::pi;

std::int64_t round_up_to(double value, std::int64_t least) {
  return std::max(std::int64_t(std::llround(value)), least);
}

std::vector<Point> cover_circle(double radius, double spacing) {
  const std::int64_t count = round_up_to(2 * pi * radius / spacing, 3);
  std::vector<Point> points;
  for (std::int64_t i = 0; i < count; ++i) {
    check_stop_at(std::size_t(i));
    const double angle = 2 * pi * double(i) / double(count);
    points.push_back({{radius * std::cos(angle), radius * std::sin(angle), 0}});
  }
  return points;
}

// the outer sites of a lattice that includes corners
std::vector<Point> cover_rectangle(const Vec3& size, double spacing) {
  const std::int64_t last[2] = {round_up_to(size[0] / spacing, 1), round_up_to(size[1] / spacing, 1)};
  std::vector<Point> points;
  for (std::int64_t y = 0; y <= last[1]; ++y) {
    check_stop();
    const bool outer = y == 0 || y == last[1];
    for (std::int64_t x = 0; x <= last[0]; x += outer ? 1 : last[0])
      points.push_back(
          {{size[0] * (double(x) / double(last[0]) - 0.5), size[1] * (double(y) / double(last[1]) - 0.5), 0}});
  }
  return points;
}

}  // namespace

std::vector<Point> cover_outline(const Solid& solid, double spacing) {
  const Shape& shape = solid.shape();
  return shape.kind == Shape::Kind::box ? cover_rectangle(shape.size, spacing) : cover_circle(shape.radius, spacing);
}

}  // namespace pliant::scene
