#include "bodies/shape.h"

#include <limits>

namespace pliant {

double bounding_radius(const RigidShape& shape) {
  const double* s = shape.size;
  switch (shape.kind) {
    case RigidShape::Kind::plane: return std::numeric_limits<double>::infinity();
    case RigidShape::Kind::sphere: return s[0];
    case RigidShape::Kind::capsule: return s[0] + s[1];
    case RigidShape::Kind::cylinder: return std::hypot(s[0], s[1]);
    case RigidShape::Kind::ellipsoid: return std::fmax(s[0], std::fmax(s[1], s[2]));
    case RigidShape::Kind::box:
    case RigidShape::Kind::mesh: return std::hypot(s[0], s[1], s[2]);
  }
  return 0;
}

}  // namespace pliant
