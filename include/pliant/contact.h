// What matter does to bodies, as people read it. World axes; forces and impulses are those on the body.
#pragma once

#include "pliant/scene.h"

#include <cstdint>
#include <vector>

namespace pliant {

// a particle and a geom, or a boundary, that touched in the last step
struct Touch {
  std::uint32_t particle = 0;  // its id
  int geom = 0, body = 0;      // their numbers in the model of the bodies; -1 with a boundary
  int boundary = -1;           // its number in the scene; -1 with a geom
  int partner = 0;             // the geom's number; those of the boundaries' sides come after the model's
  Vec3 position = {0, 0, 0};   // m, mean over the step, weighed by impulse
  Vec3 normal = {0, 0, 0};     // unit, from the body to the matter, when last seen
  Vec3 impulse = {0, 0, 0};    // N s, sum over the step
  double gap = 0;              // m, when last seen; < 0: overlap
  bool slides = false;         // when last seen
};

// mean over the last step
struct Wrench {
  Vec3 force = {0, 0, 0};   // N
  Vec3 torque = {0, 0, 0};  // N m, about the body's centre of mass at the start of the step, or of each part of it
};

// The force on a geom by place, as a skin of rows x columns sensors would feel it. The sum of all is the geom's share
// of the wrench. Columns run along the first of the two axes, rows along the second:
//   box: its two longer edges (x before y before z); plane, mesh: x and y of its frame, over the touched part (plane)
//   or its box cylinder, capsule: angle about the axis from -pi, and the axis; sphere, ellipsoid: angle about z from
//   -pi, and z
struct Taxels {
  int rows = 0, columns = 0;
  std::vector<Vec3> forces;                // N, row by row
  Vec3 low = {0, 0, 0}, high = {0, 0, 0};  // first two numbers: range of the columns' and of the rows' axis, m or rad
};

}  // namespace pliant
