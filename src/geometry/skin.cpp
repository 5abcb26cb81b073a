#include "geometry/skin.h"

#include "core/error.h"
#include "core/stop.h"
#include "geometry/block_field.h"
#include "geometry/surface_net.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pliant::geometry {

namespace {

constexpr double width = 1.25;       // of the kernel, over the spacing: half of the radius of its support
constexpr float level = 0.5f;        // of the density, 1 inside
constexpr double enough = 0.65;      // density at a particle that needs no help to show: that below a face of a lattice
constexpr double drop_reach = 1.1;   // of what is added to lone particles, over the spacing
constexpr double drop_height = 3.0;  // of that: threads and sheets of single particles keep about their volume
constexpr double gap = 1.0;          // that is filled, half of its width over the spacing
constexpr double finest = 4;         // nodes per spacing
constexpr int rounds = 3;            // of smoothing

// cubic B-spline, 0 from 2 on
double spline(double x) {
  x = std::abs(x);
  if (x >= 2) return 0;
  return x < 1 ? 2.0 / 3 + x * x * (x / 2 - 1) : (2 - x) * (2 - x) * (2 - x) / 6;
}

struct Box {
  Node low, high;
};

Box box_around(const Point& p, double r) {
  Box box;
  for (int d = 0; d < 3; ++d) {
    // what is far out of range is refused when it is covered
    const double far = 2.0 * BlockField::farthest;
    box.low[std::size_t(d)] = std::int32_t(std::ceil(std::clamp(p[d] - r, -far, far)));
    box.high[std::size_t(d)] = std::int32_t(std::floor(std::clamp(p[d] + r, -far, far)));
  }
  return box;
}

// the sum of kernels of particles; places are in units of nodes
class Density {
 public:
  explicit Density(double fineness) : fineness_(fineness), reach_(2 * width * fineness) {}

  BlockField of(const std::vector<Point>& points, const std::vector<double>& shares) {
    // one node more, for the cells that the surface crosses
    for (const Point& p : points) {
      const Box box = box_around(p, reach_ + 1);
      field_.cover(box.low, box.high);
    }
    field_.make_room();
    for (std::size_t i = 0; i < points.size(); ++i) {
      check_stop_at(i);
      add_kernel(points[i], shares[i]);
    }
    // all are looked at before any is changed
    std::vector<double> lacks(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) lacks[i] = std::max(0.0, 1 - at(points[i]) / enough);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (lacks[i] > 0) add_drop(points[i], drop_height * lacks[i] * lacks[i] * shares[i]);
    field_.close_gaps(std::int32_t(gap * fineness_));
    return std::move(field_);
  }

 private:
  // share: volume of the particle over that of a usual one
  void add_kernel(const Point& p, double share) {
    const Box box = box_around(p, reach_);
    float weights[3][std::size_t(4 * width * finest) + 1];
    for (std::size_t d = 0; d < 3; ++d)
      for (std::int32_t n = box.low[d]; n <= box.high[d]; ++n)
        weights[d][n - box.low[d]] = float(spline((n - p[int(d)]) / (width * fineness_)) / width);
    field_.for_rows(box.low, box.high, [&](float* values, const Node& n, std::int32_t count) {
      const float across = float(share) * weights[0][n[0] - box.low[0]] * weights[1][n[1] - box.low[1]];
      const float* along = weights[2] + (n[2] - box.low[2]);
      for (std::int32_t i = 0; i < count; ++i) values[i] += across * along[i];
    });
  }

  // between nodes
  double at(const Point& p) const {
    Node low;
    double share[3], sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::int32_t(std::floor(p[int(d)]));
      share[d] = p[int(d)] - low[d];
    }
    for (std::int32_t c = 0; c < 8; ++c) {
      const Node offset = {c & 1, c >> 1 & 1, c >> 2};
      double weight = 1;
      for (std::size_t d = 0; d < 3; ++d) weight *= offset[d] ? share[d] : 1 - share[d];
      sum += weight * double(field_.at({low[0] + offset[0], low[1] + offset[1], low[2] + offset[2]}));
    }
    return sum;
  }

  // a bump around a particle that would not show
  void add_drop(const Point& p, double height) {
    const double r = drop_reach * fineness_;
    const Box box = box_around(p, r);
    field_.for_rows(box.low, box.high, [&](float* values, const Node& n, std::int32_t count) {
      for (std::int32_t i = 0; i < count; ++i) {
        const Point away = Point{{double(n[0]), double(n[1]), double(n[2] + i)}} - p;
        const double left = std::max(0.0, 1 - dot(away, away) / (r * r));
        values[i] += float(height * left * left);
      }
    });
  }

  double fineness_, reach_;  // nodes per spacing; nodes
  BlockField field_;
};

// Taubin's: each vertex goes some way to the mean of its neighbours, and a little more back, so that nothing shrinks
void smooth(TriangleMesh& mesh) {
  std::vector<Point> sums(mesh.vertices.size());
  std::vector<double> counts(mesh.vertices.size());
  for (int pass = 0; pass < 2 * rounds; ++pass) {
    const double way = pass % 2 == 0 ? 0.5 : -0.526;
    sums.assign(sums.size(), Point::zero());
    counts.assign(counts.size(), 0);
    for (const auto& t : mesh.triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        sums[t[i]] += mesh.vertices[t[(i + 1) % 3]];
        counts[t[i]] += 1;
      }
    for (std::size_t v = 0; v < sums.size(); ++v)
      mesh.vertices[v] += way * ((1 / counts[v]) * sums[v] - mesh.vertices[v]);
  }
}

// means of the triangles around, larger ones counting more
std::vector<Point> normals_of(const TriangleMesh& mesh) {
  std::vector<Point> normals(mesh.vertices.size(), Point::zero());
  for (const auto& t : mesh.triangles) {
    const Point& a = mesh.vertices[t[0]];
    const Point twice_area = cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a);
    for (const std::uint32_t v : t) normals[v] += twice_area;
  }
  for (Point& n : normals) {
    const double length = norm(n);
    n = length > 0 ? (1 / length) * n : Point{{0, 0, 1}};
  }
  return normals;
}

double mean_volume(std::span<const double> volumes) {
  double mean = 0;
  for (const double v : volumes) mean += v / double(volumes.size());
  if (!(mean > 0) || !std::isfinite(mean))
    fail(ErrorCode::bad_input, "particles of {} m^3 on average have no skin; give positive volumes", mean);
  return mean;
}

}  // namespace

Skin skin_of(std::span<const Point> points, std::span<const double> volumes, double fineness) {
  if (!(fineness >= 1 && fineness <= finest))
    fail(ErrorCode::bad_input, "a skin of {} nodes per spacing; give 1 to {}", fineness, finest);
  if (points.empty()) return {};
  const double mean = mean_volume(volumes);
  const double node = std::cbrt(mean) / fineness;
  std::vector<Point> places(points.begin(), points.end());
  std::vector<double> shares(volumes.begin(), volumes.end());
  // nodes are half a node off from multiples of the spacing: faces of a lattice then are between them
  const Point half = {{0.5, 0.5, 0.5}};
  for (Point& p : places) {
    if (!std::isfinite(p[0] + p[1] + p[2]))
      fail(ErrorCode::not_finite, "a particle is nowhere; a skin needs positions");
    p = (1 / node) * p - half;
  }
  for (double& share : shares) share /= mean;

  TriangleMesh mesh = surface_net(Density(fineness).of(places, shares), level);
  smooth(mesh);
  for (Point& p : mesh.vertices) p = node * (p + half);
  std::vector<Point> normals = normals_of(mesh);
  return {std::move(mesh.vertices), std::move(normals), std::move(mesh.triangles)};
}

}  // namespace pliant::geometry
