// Many files, one MuJoCo model: each Body of a scene is read, put at its pose, and its parts are called "name/part".
#pragma once

#include "bodies/namespace.h"
#include "pliant/scene.h"

#include <memory>
#include <string>
#include <vector>

typedef struct mjModel_ mjModel;

namespace pliant::bodies {

enum class Integrator { euler, implicit, implicitfast };

// What the scene says about all bodies, and never their files.
//
// Of a file's own <option> and <size> the rest survives: cone, solver, iterations, tolerances, impratio, density and
// viscosity of the medium, wind, flags, memory. Where two files give different values, MuJoCo keeps the smaller or
// larger one where that is safe (tolerances, iterations, memory, flags add up) and else (cone, solver, jacobian) it is
// an error. The flags "gravity" and "sleep" of a file do not survive: gravity is the scene's, and sleeping bodies
// cannot be restored exactly.
struct BodyOptions {
  double timestep = 1e-3;        // s
  Vec3 gravity = {0, 0, -9.81};  // m/s^2
  Integrator integrator = Integrator::implicitfast;
};

struct Assembly {
  std::shared_ptr<mjModel> model;
  std::vector<std::string> warnings;  // of MuJoCo, while reading
};

// Throws Error(bad_input) for names, poses and sites, and Error(bad_file) with the file's name, MuJoCo's own words and
// a cure. No bodies: an empty world.
Assembly assemble(const std::vector<Body>& bodies, const BodyOptions& options);

// the bodies of a scene, with its dt and gravity
Assembly assemble(const Scene& scene);

}  // namespace pliant::bodies
