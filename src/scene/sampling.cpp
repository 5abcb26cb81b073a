#include "scene/sampling.h"

#include "core/error.h"
#include "scene/fill.h"

#include <algorithm>
#include <cmath>

namespace pliant::scene {

namespace {

// What a particle on the surface stands for, as a part of one inside: about the half of its cell that is in the solid.
constexpr double surface_share = 0.5, least_share = 0.125, most_share = 1;

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
  if (sampling.method == Sampling::Method::poisson) return by_volume;
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

// how many points cover its surface; edges and thin rods count by length
double expected_on_surface(const Solid& solid, double spacing) {
  const double by_area = solid.surface_area() / std::pow(spacing, solid.dimension() - 1);
  const Point size = solid.upper() - solid.lower();
  return solid.dimension() == 2 ? by_area : by_area + (size[0] + size[1] + size[2]) / spacing;
}

std::size_t expected_count(const Solid& solid, const Sampling& sampling, double spacing) {
  if (!(solid.volume() > 0)) {
    fail(ErrorCode::bad_input, "the shape has a volume of {} m^{}; give positive and larger sizes", solid.volume(),
         solid.dimension());
  }
  double count = expected_inside(solid, sampling, spacing);
  if (sampling.surface_layer) count += expected_on_surface(solid, spacing);
  // not a number counts as too many
  return count < 1e18 ? std::size_t(std::max(std::round(count), 1.0)) : std::size_t(1e18);
}

std::vector<Point> fill(const Region& region, const Sampling& sampling, double spacing, Random& random) {
  switch (sampling.method) {
    case Sampling::Method::lattice: return fill_lattice(region, spacing, sampling.jitter, random);
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

}  // namespace

double volume(const Shape& shape, int dimension) { return Solid(shape, dimension).volume(); }

std::size_t estimate_count(const Shape& shape, const Sampling& sampling, double cell, int dimension) {
  return expected_count(Solid(shape, dimension), sampling, spacing_of(sampling, cell, dimension));
}

Samples sample(const Shape& shape, const Sampling& sampling, double cell, int dimension, std::size_t limit) {
  const Solid solid(shape, dimension);
  const double spacing = spacing_of(sampling, cell, dimension);
  const std::size_t expected = expected_count(solid, sampling, spacing);
  if (expected > limit) {
    fail(ErrorCode::too_large,
         "the shape would be filled with {:g} particles, the limit is {}; use a larger cell, fewer particles per cell "
         "or a "
         "smaller shape",
         double(expected), limit);
  }

  Random random(sampling.seed);
  std::vector<Point> on_surface, inside;
  if (sampling.surface_layer) on_surface = cover_surface(solid, spacing, random);
  inside = fill({solid, sampling.surface_layer ? 0.5 * spacing : 0}, sampling, spacing, random);
  // what is smaller than the spacing is one particle
  if (on_surface.empty() && inside.empty() && shape.kind != Shape::Kind::mesh) inside.push_back(Point::zero());
  if (on_surface.empty() && inside.empty()) {
    fail(ErrorCode::bad_input,
         "no particle fits into mesh '{}' of {:g} m^3 at a spacing of {:g} m; use a smaller cell, more particles per "
         "cell or "
         "a surface layer",
         shape.mesh_file, solid.volume(), spacing);
  }

  const double on_surface_share = share_on_surface(solid, on_surface, inside);
  const double share = solid.volume() / (on_surface_share * double(on_surface.size()) + double(inside.size()));
  Samples samples;
  samples.positions.reserve(on_surface.size() + inside.size());
  for (const std::vector<Point>* points : {&on_surface, &inside})
    for (const Point& p : *points) samples.positions.push_back(solid.place(p));
  samples.volumes.assign(on_surface.size(), on_surface_share * share);
  samples.volumes.resize(samples.positions.size(), share);
  return samples;
}

}  // namespace pliant::scene
