// Boundaries of the scene that matter feels at its surface: solids like any geom. One that keeps matter inside has a geom
// for each of its sides, so that matter in a corner meets all of them.
#pragma once

#include "bodies/geom_paths.h"
#include "contact/namespace.h"
#include "grid/boundary.h"
#include "pliant/scene.h"

#include <span>

namespace pliant::contact {

// shapes: by boundary of the scene
void add_boundaries(const Scene& scene, std::span<const BoundaryShape> shapes, GeomPaths& paths);
// where they are at this time, when a step or a part of it begins
void place_boundaries(std::span<const BoundaryShape> shapes, std::span<const BoundaryMotion> motions, double time,
                      GeomPaths& paths);

}  // namespace pliant::contact
