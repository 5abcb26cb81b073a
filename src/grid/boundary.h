// Solids that grid nodes feel: signed distance, and the friction projection of S5, Eqs. 102-107.
#pragma once

#include "geometry/distance.h"
#include "grid/namespace.h"
#include "pliant/scene.h"

namespace pliant::grid {

using Vec = Vector<double, 3>;  // in 2-D the third number is 0

// a boundary of the scene, ready for use; its centre and velocity are part of the state
struct BoundaryShape {
  Boundary::Condition condition;
  double friction;
  RigidShape solid;            // about the boundary's centre; planes and cylinders along z
  Matrix<double, 3> rotation;  // the solid's frame to the world
  double side;                 // 1, or -1 if matter is kept inside
  Vec turning;                 // rad/s, about its centre; at surfaces
  bool at_nodes;               // felt by nodes of the grid, not by surfaces of matter
};

struct BoundaryMotion {
  Vec center, velocity;
};

BoundaryShape boundary_shape(const Boundary& boundary, int dimension);
// phi < 0: where matter may not be; normal towards where it may
ShapeDistance distance(const BoundaryShape& shape, const Vec& center, const Vec& x);

// velocity that a solid leaves a node inside it, relative to the solid
Vec project(Boundary::Condition condition, double friction, const Vec& normal, const Vec& v);

}  // namespace pliant::grid
