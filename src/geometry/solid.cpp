#include "geometry/solid.h"

#include "core/error.h"
#include "geometry/surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::geometry {

namespace {

using std::numbers::pi;

const char* name(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::box: return "box";
    case Shape::Kind::sphere: return "sphere";
    case Shape::Kind::cylinder: return "cylinder";
    case Shape::Kind::capsule: return "capsule";
    case Shape::Kind::mesh: return "mesh";
    case Shape::Kind::cloth: break;  // not a solid
  }
  return nullptr;
}

void check_kind(const Shape& shape, int dimension) {
  if (dimension != 2 && dimension != 3) fail(ErrorCode::bad_input, "dimension is {}; use 2 or 3", dimension);
  if (name(shape.kind) == nullptr) {
    fail(ErrorCode::bad_input, "shape kind {} is unknown; use box, sphere, cylinder, capsule or mesh", int(shape.kind));
  }
  if (dimension == 2 && shape.kind != Shape::Kind::box && shape.kind != Shape::Kind::sphere) {
    fail(ErrorCode::bad_input, "a {} does not exist in 2-D; use box (a rectangle) or sphere (a disc)",
         name(shape.kind));
  }
}

}  // namespace

Solid::Solid(const Shape& shape, int dimension) : shape_(shape), dimension_(dimension) {
  check_kind(shape, dimension);
  const auto& [w, x, y, z] = shape.rotation;
  const double length = std::sqrt(w * w + x * x + y * y + z * z);
  if (!(length > 0)) fail(ErrorCode::bad_input, "the rotation is a quaternion of length {}; give a unit one", length);
  for (double& q : shape_.rotation) q /= length;
  if (shape.kind == Shape::Kind::mesh) {
    tree_ = std::make_shared<MeshTree>(load_mesh(shape.mesh_file, shape.mesh_scale));
    check_overlap(*tree_, shape.mesh_file);
  }
}

double Solid::volume() const {
  const double r = shape_.radius;
  switch (shape_.kind) {
    case Shape::Kind::box: return shape_.size[0] * shape_.size[1] * (dimension_ == 3 ? shape_.size[2] : 1);
    case Shape::Kind::sphere: return dimension_ == 3 ? 4.0 / 3 * pi * r * r * r : pi * r * r;
    case Shape::Kind::cylinder: return pi * r * r * shape_.length;
    case Shape::Kind::capsule: return pi * r * r * (shape_.length + 4.0 / 3 * r);
    case Shape::Kind::mesh: return tree_->mesh().volume;
    case Shape::Kind::cloth: break;
  }
  return 0;
}

double Solid::second_moment() const {
  const double r = shape_.radius, l = shape_.length, V = volume();
  const auto& [a, b, c] = shape_.size;
  switch (shape_.kind) {
    case Shape::Kind::box: return V * (a * a + b * b + (dimension_ == 3 ? c * c : 0)) / 12;
    case Shape::Kind::sphere: return V * r * r * (dimension_ == 3 ? 0.6 : 0.5);
    case Shape::Kind::cylinder: return V * (r * r / 2 + l * l / 12);
    case Shape::Kind::capsule: {
      const double ends = 4.0 / 3 * pi * r * r * r;
      return (V - ends) * (r * r / 2 + l * l / 12) + ends * (0.6 * r * r + 0.375 * r * l + l * l / 4);
    }
    case Shape::Kind::mesh:
    case Shape::Kind::cloth: break;
  }
  return 0;
}

double Solid::surface_area() const {
  const double r = shape_.radius;
  const auto& [a, b, c] = shape_.size;
  switch (shape_.kind) {
    case Shape::Kind::box: return dimension_ == 3 ? 2 * (a * b + b * c + c * a) : 2 * (a + b);
    case Shape::Kind::sphere: return dimension_ == 3 ? 4 * pi * r * r : 2 * pi * r;
    case Shape::Kind::cylinder: return 2 * pi * r * (r + shape_.length);
    case Shape::Kind::capsule: return 2 * pi * r * (2 * r + shape_.length);
    case Shape::Kind::mesh: return tree_->mesh().area;
    case Shape::Kind::cloth: break;
  }
  return 0;
}

Point Solid::half_size() const {
  const double r = shape_.radius;
  Point half = {{r, r, r}};
  if (shape_.kind == Shape::Kind::box) half = 0.5 * to_point(shape_.size);
  if (shape_.kind == Shape::Kind::cylinder) half[2] = 0.5 * shape_.length;
  if (shape_.kind == Shape::Kind::capsule) half[2] += 0.5 * shape_.length;
  if (dimension_ == 2) half[2] = 0;
  return half;
}

Point Solid::lower() const { return tree_ ? tree_->mesh().lower : -1.0 * half_size(); }
Point Solid::upper() const { return tree_ ? tree_->mesh().upper : half_size(); }

// Distance to the surface, positive inside, for all but meshes. Outside a box or cylinder it may fall short.
double Solid::depth(const Point& p) const {
  const double r = shape_.radius;
  const Point half = half_size();
  switch (shape_.kind) {
    case Shape::Kind::box: {
      const double across = std::min(half[0] - std::fabs(p[0]), half[1] - std::fabs(p[1]));
      return dimension_ == 2 ? across : std::min(across, half[2] - std::fabs(p[2]));
    }
    case Shape::Kind::cylinder: return std::min(r - std::sqrt(p[0] * p[0] + p[1] * p[1]), half[2] - std::fabs(p[2]));
    case Shape::Kind::capsule: {
      const double beyond = std::max(std::fabs(p[2]) - 0.5 * shape_.length, 0.0);
      return r - norm(Point{{p[0], p[1], beyond}});
    }
    default: return r - norm(p);
  }
}

bool Solid::deeper(const Point& p, double distance) const {
  if (!tree_) return depth(p) >= distance;
  return tree_->contains(p) && (distance <= 0 || !tree_->near(p, distance));
}

bool Solid::farther(const Point& p, double distance) const {
  if (!tree_) return depth(p) <= -distance;
  return !tree_->near(p, distance) && !tree_->contains(p);
}

Vec3 Solid::place(const Point& p) const { return to_vec3(to_point(shape_.center) + rotate(shape_.rotation, p)); }

}  // namespace pliant::geometry
