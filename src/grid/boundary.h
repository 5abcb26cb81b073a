// Solids that grid nodes feel: signed distance, and the friction projection of S5, Eqs. 102-107.
#pragma once

#include "core/small.h"
#include "pliant/scene.h"

namespace pliant {

using Vec = Vector<double, 3>;  // in 2-D the third number is 0

// a boundary of the scene, ready for use; its centre and velocity are part of the state
struct BoundaryShape {
  Boundary::Kind kind;
  Boundary::Condition condition;
  double friction;
  Vec normal;                  // unit; plane, axis of a cylinder
  Vec half;                    // half edges; box
  Matrix<double, 3> rotation;  // box frame to world
  double radius, half_length;
  double side;  // 1, or -1 if matter is kept inside
};

struct BoundaryMotion {
  Vec center, velocity;
};

struct Distance {
  double phi;  // < 0: inside the solid
  Vec normal;  // away from the solid, unit
};

BoundaryShape boundary_shape(const Boundary& boundary, int dimension);
Distance distance(const BoundaryShape& shape, const Vec& center, const Vec& x);

// velocity that a solid leaves a node inside it, relative to the solid
Vec project(Boundary::Condition condition, double friction, const Vec& normal, const Vec& v);

}  // namespace pliant
