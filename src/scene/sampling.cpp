#include "scene/sampling.h"

#include "core/error.h"
#include "geometry/triangle_surface.h"
#include "scene/fill.h"
#include "scene/fit_volumes.h"

#include <algorithm>
#include <cmath>

namespace pliant::scene {

namespace {

// What a particle on the surface stands for, as a part of one inside: about the half of its cell that is in the solid.
constexpr double surface_share = 0.5, least_share = 0.125, most_share = 1;
// between the vertices of a surface, in cells
constexpr double vertex_spacing = 1.0 / 3;

// m, between particles
double spacing_of(const Sampling& sampling, double cell, int dimension) {
  return cell / std::pow(sampling.particles_per_cell, 1.0 / dimension);
}

// lattice layers along a size: one at least
double layers(double size, double spacing) { return std::max(size / spacing, 1.0); }

// how many points fill a solid; a lattice puts at least one layer into a thin one
double expected_inside(const Solid& solid, const Sampling& sampling, double spacing) {
  const Shape& shape = solid.shape();
  const double by_volume = solid.volume() / std::pow(spacing, solid.dimension());
  if (sampling.method != Sampling::Method::lattice) return by_volume;
  switch (shape.kind) {
    case Shape::Kind::box: {
      const double area = layers(shape.size[0], spacing) * layers(shape.size[1], spacing);
      return solid.dimension() == 2 ? area : area * layers(shape.size[2], spacing);
    }
    case Shape::Kind::cylinder:
    case Shape::Kind::capsule: {
      const double length = solid.upper()[2] - solid.lower()[2];
      return std::max(by_volume, layers(length, spacing));
    }
    default: return by_volume;
  }
}

bool has_layer(const Sampling& sampling) { return sampling.surface_layer == SurfaceLayer::yes; }

// how far below the surface the inside begins; in what is thin, half way to the middle
double inner_depth(const Solid& solid, double spacing) {
  const Point size = solid.upper() - solid.lower();
  double least = std::min(size[0], size[1]);
  if (solid.dimension() == 3) least = std::min(least, size[2]);
  return std::min(0.5 * spacing, solid.dimension() == 3 ? 0.25 * least : HUGE_VAL);
}

// how many points cover its surface
double expected_on_surface(const Solid& solid, double spacing, double cell) {
  return solid.dimension() == 2 ? solid.surface_area() / spacing : expected_vertices(solid, vertex_spacing * cell);
}

std::size_t expected_count(const Solid& solid, const Sampling& sampling, double cell) {
  const double spacing = spacing_of(sampling, cell, solid.dimension());
  if (!(solid.volume() > 0)) {
    fail(ErrorCode::bad_input, "the shape has a volume of {} m^{}; give positive and larger sizes", solid.volume(),
         solid.dimension());
  }
  double count = expected_inside(solid, sampling, spacing);
  if (has_layer(sampling)) {
    const double depth = inner_depth(solid, spacing);
    count *= std::max(0.0, 1 - depth * solid.surface_area() / solid.volume());
    count += expected_on_surface(solid, spacing, cell);
  }
  // not a number counts as too many
  return count < 1e18 ? std::size_t(std::max(std::round(count), 1.0)) : std::size_t(1e18);
}

std::vector<Point> fill(const Region& region, const Sampling& sampling, double spacing, Random& random) {
  switch (sampling.method) {
    case Sampling::Method::lattice: return fill_lattice(region, spacing, sampling.jitter, random);
    case Sampling::Method::by_law:  // what it means is said by sampling_of
    case Sampling::Method::poisson: return fill_poisson(region, spacing, random);
  }
  fail(ErrorCode::bad_input, "sampling method {} is unknown; use lattice or poisson", int(sampling.method));
}

double sum_of_squares(const std::vector<Point>& points) {
  double sum = 0;
  for (const Point& p : points) sum += dot(p, p);
  return sum;
}

// the share with which the particles, each a small cube, have the second moment of the solid: it turns as it should
double share_on_surface(const Solid& solid, const std::vector<Point>& on_surface, const std::vector<Point>& inside) {
  if (on_surface.empty() || inside.empty() || !(solid.second_moment() > 0)) return surface_share;
  const double outer = double(on_surface.size()), inner = double(inside.size()), D = solid.dimension();
  const double outer_squares = sum_of_squares(on_surface), inner_squares = sum_of_squares(inside);
  double share = surface_share;
  // the cubes' own moments depend on the share, very little
  for (int n = 0; n < 20; ++n) {
    const double one = solid.volume() / (share * outer + inner);
    const double cubes = D / 12 * (inner * std::pow(one, 1 + 2 / D) + outer * std::pow(share * one, 1 + 2 / D));
    const double mean = (solid.second_moment() - cubes) / solid.volume();
    share = std::clamp((mean * inner - inner_squares) / (outer_squares - mean * outer), least_share, most_share);
  }
  return share;
}

void place_all(const Solid& solid, const std::vector<Point>& points, Samples& samples) {
  for (const Point& p : points) samples.positions.push_back(solid.place(p));
}

// the means of the squares of the distances from a place along each axis, by weight
Point mean_squares(const std::vector<Point>& points, const std::vector<double>& weights, const Point& from) {
  Point sum = Point::zero();
  double all = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    for (int d = 0; d < 3; ++d) sum[d] += w * (points[i][d] - from[d]) * (points[i][d] - from[d]);
    all += w;
  }
  return (1 / all) * sum;
}

// m^3, all alike inside, on the surface by area; so much on the surface that the three second moments about the centre
// are nearest to those of the shape, each as a part of itself
std::vector<double> first_volumes(const Moments& wanted, const TriangleSurface& surface,
                                  const std::vector<Point>& inside) {
  const double V = wanted.volume;
  const Point center = (1 / V) * wanted.first;
  double outer = V, area = 0;
  for (const double a : surface.areas) area += a;
  if (!inside.empty()) {
    const Point on = mean_squares(surface.vertices, surface.areas, center), in = mean_squares(inside, {}, center);
    double top = 0, bottom = 0;
    for (int d = 0; d < 3; ++d) {
      const double square = wanted.second[d] / V - center[d] * center[d], more = (on[d] - in[d]) / square;
      top += more * (1 - in[d] / square);
      bottom += more * more;
    }
    outer = V * std::clamp(top / bottom, 0.02, 0.95);
  }
  std::vector<double> volumes;
  for (const double a : surface.areas) volumes.push_back(outer * a / area);
  volumes.resize(volumes.size() + inside.size(), (V - outer) / double(inside.size()));
  return volumes;
}

// the vertices of the surface, then the inside
Samples sample_with_surface(const Solid& solid, const Sampling& sampling, double cell, double smear) {
  const double spacing = spacing_of(sampling, cell, 3), depth = inner_depth(solid, spacing);
  const TriangleSurface surface = triangle_surface(solid, vertex_spacing * cell);
  Random random(sampling.seed);
  std::vector<Point> points = surface.vertices;
  const std::vector<Point> inside = fill({solid, depth}, sampling, spacing, random);
  points.insert(points.end(), inside.begin(), inside.end());
  Samples samples;
  const Moments wanted = moments(solid);
  samples.volumes = first_volumes(wanted, surface, inside);
  fit_volumes(wanted, points, samples.volumes);
  if (smear > 0) samples.masses = masses_on_grid(points, samples.volumes, smear);
  place_all(solid, points, samples);
  samples.areas = surface.areas;
  for (const Point& f : surface.facing) samples.facing.push_back(to_vec3(rotate(solid.shape().rotation, f)));
  samples.triangles = surface.triangles;
  return samples;
}

// m, of balls as large as particles of this volume; nearer to the surface they are so small that they do not stick out
std::vector<double> radii_of_balls(const Solid& solid, const std::vector<Point>& points, double volume) {
  const double most = 0.5 * std::cbrt(volume);
  std::vector<double> radii;
  for (const Point& p : points) {
    double inside = 0, outside = most;
    if (solid.deeper(p, most)) inside = most;
    for (int n = 0; n < 20 && inside < most; ++n) {
      const double middle = 0.5 * (inside + outside);
      (solid.deeper(p, middle) ? inside : outside) = middle;
    }
    radii.push_back(inside);
  }
  return radii;
}

// points alone; in 2-D perhaps with a layer on the surface
Samples sample_points(const Solid& solid, const Sampling& sampling, double cell, bool balls) {
  const Shape& shape = solid.shape();
  const double spacing = spacing_of(sampling, cell, solid.dimension());
  const bool layer = has_layer(sampling);
  Random random(sampling.seed);
  std::vector<Point> on_surface, inside;
  if (layer) on_surface = cover_outline(solid, spacing);
  inside = fill({solid, layer ? inner_depth(solid, spacing) : 0}, sampling, spacing, random);
  // what is smaller than the spacing is one particle
  if (on_surface.empty() && inside.empty() && shape.kind != Shape::Kind::mesh) inside.push_back(Point::zero());
  if (on_surface.empty() && inside.empty()) {
    fail(ErrorCode::bad_input,
         "no particle fits into mesh '{}' of {:g} m^3 at a spacing of {:g} m; use a smaller cell, more particles per "
         "cell or a surface layer",
         shape.mesh_file, solid.volume(), spacing);
  }
  const double on_surface_share = share_on_surface(solid, on_surface, inside);
  const double share = solid.volume() / (on_surface_share * double(on_surface.size()) + double(inside.size()));
  Samples samples;
  place_all(solid, on_surface, samples);
  place_all(solid, inside, samples);
  samples.volumes.assign(on_surface.size(), on_surface_share * share);
  samples.volumes.resize(samples.positions.size(), share);
  if (balls) samples.radii = radii_of_balls(solid, inside, share);
  return samples;
}

}  // namespace

// of the linear kernel the mean over all places; of the compact one 1/6 - 1/(2 pi^2)
double kernel_smear(Kernel kernel, double cell) {
  switch (kernel) {
    case Kernel::linear: return cell * cell / 6;
    case Kernel::quadratic: return cell * cell / 4;
    case Kernel::compact: return 0.11600617 * cell * cell;
  }
  return 0;
}

double volume(const Shape& shape, int dimension) { return Solid(shape, dimension).volume(); }

std::size_t estimate_count(const Shape& shape, const Sampling& sampling, double cell, int dimension) {
  return expected_count(Solid(shape, dimension), sampling, cell);
}

Samples sample(const Shape& shape, const Sampling& sampling, double cell, int dimension, std::size_t limit, bool balls,
               double smear) {
  const Solid solid(shape, dimension);
  const std::size_t expected = expected_count(solid, sampling, cell);
  if (expected > limit) {
    fail(ErrorCode::too_large,
         "the shape would be filled with {:g} particles, the limit is {}; use a larger cell, fewer particles per cell "
         "or a smaller shape",
         double(expected), limit);
  }
  if (has_layer(sampling) && dimension == 3) return sample_with_surface(solid, sampling, cell, smear);
  return sample_points(solid, sampling, cell, balls && dimension == 3 && !has_layer(sampling));
}

}  // namespace pliant::scene
