// What is constant after loading, and shared by all worlds of a scene.
#pragma once

#include "bodies/geom_paths.h"
#include "bodies/motion.h"
#include "cloth/sheets.h"
#include "contact/piece_surface.h"
#include "grid/boundary.h"
#include "grid/particles.h"
#include "material/laws.h"
#include "pliant/scene.h"
#include "step/namespace.h"
#include "step/pins.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace pliant::step {

// the bodies of a scene, or a user's own, and the boundaries that matter feels as it feels bodies
struct BodyModel {
  std::shared_ptr<mjModel> mujoco;  // nullptr: there are none
  GeomPaths geoms;                  // those that matter can touch, not yet on their way; then the boundaries' sides
  MotionPlayer motion;
  BodiesState first;                  // where they were when the first world was made
  std::vector<std::string> warnings;  // of loading
};

// where the particles of a piece of matter were at first, by id
template <class S>
struct FirstPlaces {
  std::vector<S> positions;
  std::vector<S> velocities;  // empty: all have that of the scene
};

struct BoundaryTrack {
  std::size_t boundary;
  Motion motion;
};

// of matter
struct ModelActuator {
  std::size_t group;
  std::array<double, 9> stress;  // Pa, of a value of 1
  std::vector<Motion> motion;    // none or one
};

template <class S>
struct Model {
  Scene scene;
  std::vector<Group> groups;             // by piece of matter
  std::vector<Material> materials;       // by group
  std::vector<AnyLaw<S>> laws;           // by group
  std::vector<double> loss_viscosities;  // by group, Pa s, of shear while it touches
  std::vector<double> thicknesses;       // by group, m, of a box with the same smallest second moment
  std::vector<FirstPlaces<S>> first;     // by group
  std::vector<BoundaryShape> boundaries;
  std::vector<BoundaryTrack> boundary_motions;
  std::vector<ModelActuator> actuators;  // as in the scene
  std::vector<ModelSheet<S>> sheets;     // the groups that are cloth
  std::vector<PieceSurface> surfaces;    // by group, how it touches
  std::vector<char> masses_fitted;       // by group: they turn on the grid as the shape does (scene/fit_volumes.h)
  Pins pins;
  BodyModel bodies;
  std::vector<std::string> warnings;  // of loading
  std::string identity;               // what states of this model must agree in, see world/identity.h

  std::size_t bytes() const {
    std::size_t numbers = 0;
    for (const FirstPlaces<S>& f : first) numbers += f.positions.capacity() + f.velocities.capacity();
    return numbers * sizeof(S);
  }
  // of a particle, by its id: those of a group are those of its place in the arrays
  std::size_t group_of(std::size_t id) const {
    const auto ends_before = [](const Group& group, std::size_t at) { return group.end <= at; };
    return std::size_t(std::lower_bound(groups.begin(), groups.end(), id, ends_before) - groups.begin());
  }
  std::size_t particle_count() const { return groups.empty() ? 0 : groups.back().end; }
};

}  // namespace pliant::step
