// The surface on which a field has a given value, as triangles.
#pragma once

#include "geometry/block_field.h"
#include "geometry/namespace.h"
#include "geometry/remesh.h"

namespace pliant::geometry {

// Surface nets: a vertex in each cell that the surface crosses, where it crosses the cell's edges on average, and two
// triangles across each edge of the grid that it crosses. Seen from where the field is less than the level they are
// counter-clockwise. Closed: each edge is walked as often forth as back (once, but where two parts touch). In units of
// nodes. Cells that the surface crosses must be covered with all their corners.
TriangleMesh surface_net(const BlockField& field, float level);

}  // namespace pliant::geometry
