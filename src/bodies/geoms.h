// The geoms of a MuJoCo model that matter can touch, as shapes.
#pragma once

#include "bodies/namespace.h"
#include "core/parallel.h"
#include "geometry/shape.h"

#include <string>
#include <vector>

typedef struct mjModel_ mjModel;

namespace pliant::bodies {

struct Geom {
  int id = 0, body = 0;
  std::string name, body_name;        // as in the model, with the prefix of its file: "arm/link3"
  std::vector<std::string> carriers;  // names of the bodies that carry its body
  int rigid = 0;  // geoms with the same number never move against each other; 0: those that stand still
  RigidShape shape;
  double friction = 1;  // Coulomb coefficient, as MuJoCo has it for sliding
  int priority = 0;     // MuJoCo's

  // or a boundary of the scene, which has no body; one that keeps matter inside has a geom for each of its sides
  int boundary = -1;
  bool pulls = false;   // what has touched does not come off
  bool sticks = false;  // nor does it slide
};

struct GeomOptions {
  double tolerance = 2e-4;   // m, of the distance to meshes
  std::string cache_folder;  // for distance fields; empty: none
};

struct Geoms {
  std::vector<Geom> list;
  std::size_t in_model = 0;  // how many the model has
  std::vector<std::string> warnings;
};

// Geoms that may collide (contype or conaffinity not 0); the others are only to be looked at. A mesh that is not closed
// is taken as its convex hull, with a warning; height fields are left out, with a warning.
Geoms touchable_geoms(const mjModel* model, const GeomOptions& options, Workers& workers);

double timestep_of(const mjModel* model);  // s

}  // namespace pliant::bodies
