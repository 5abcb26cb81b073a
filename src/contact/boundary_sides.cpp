#include "contact/boundary_sides.h"

#include "solve/contact_problem.h"

#include <algorithm>
#include <string>
#include <vector>

namespace pliant::contact {
namespace {

using Kind = RigidShape::Kind;

struct Side {
  std::string name;  // behind the boundary's
  RigidShape shape;
  Pose pose;
};

// the half space beyond a face, whose normal points to the matter
Side wall(const char* name, const Mat3d& rotation, int axis, double at, double inwards) {
  Vec3d normal;
  for (int d = 0; d < 3; ++d) normal[d] = inwards * rotation(d, axis);
  return {name, {Kind::plane, {}, nullptr}, {(inwards * at) * normal, frame_along(normal)}};
}

std::vector<Side> sides_of(const BoundaryShape& boundary) {
  constexpr double endless = 1e30;
  RigidShape solid = boundary.solid;
  const Mat3d& R = boundary.rotation;
  if (boundary.side > 0) return {{"", solid, {Vec3d::zero(), R}}};
  std::vector<Side> sides;
  const auto add_walls = [&](int axis, double half) {
    constexpr const char* names[3][2] = {{"/-x", "/+x"}, {"/-y", "/+y"}, {"/-z", "/+z"}};
    sides.push_back(wall(names[axis][0], R, axis, -half, 1));
    sides.push_back(wall(names[axis][1], R, axis, half, -1));
  };
  switch (solid.kind) {
    case Kind::plane: return {wall("", R, 2, 0, -1)};
    case Kind::box:
      for (int axis = 0; axis < 3; ++axis) add_walls(axis, solid.size[axis]);
      return sides;
    case Kind::cylinder:
      add_walls(2, solid.size[1]);
      solid.size[1] = endless;
      break;
    default: break;
  }
  solid.inside_out = true;
  sides.push_back({solid.kind == Kind::cylinder ? "/round" : "", solid, {Vec3d::zero(), R}});
  return sides;
}

bool is_moved(const Scene& scene, const std::string& boundary) {
  return std::any_of(scene.motion.begin(), scene.motion.end(),
                     [&](const Motion& m) { return m.kind == Motion::Kind::boundary && m.target == boundary; });
}

}  // namespace

void add_boundaries(const Scene& scene, std::span<const BoundaryShape> shapes, GeomPaths& paths) {
  for (std::size_t b = 0; b < shapes.size(); ++b) {
    if (shapes[b].at_nodes) continue;
    for (const Side& side : sides_of(shapes[b])) {
      Geom geom;
      geom.name = scene.boundaries[b].name + side.name;
      geom.shape = side.shape;
      geom.boundary = int(b);
      geom.rigid = is_moved(scene, scene.boundaries[b].name) ? -1 - int(b) : 0;
      geom.friction = shapes[b].friction;
      geom.pulls = shapes[b].condition != Boundary::Condition::separate;
      geom.sticks = shapes[b].condition == Boundary::Condition::stick;
      paths.add_boundary(std::move(geom), side.pose);
    }
  }
}

void place_boundaries(std::span<const BoundaryShape> shapes, std::span<const BoundaryMotion> motions, double time,
                      GeomPaths& paths) {
  for (std::size_t b = 0; b < motions.size(); ++b) {
    const Vec3d& turning = shapes[b].turning;
    paths.place_boundary(int(b), {motions[b].center, time * turning, motions[b].velocity, turning});
  }
}

}  // namespace pliant::contact
