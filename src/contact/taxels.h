// The touches on a geom, gathered into a grid of sensors on its skin.
#pragma once

#include "bodies/geom_paths.h"
#include "contact/namespace.h"
#include "pliant/contact.h"

#include <span>

namespace pliant::contact {

// impulses of a step of dt; Error(bad_input) for rows or columns below 1
Taxels taxels(std::span<const Touch> touches, const Geom& geom, const Pose& pose, double dt, int rows, int columns);

}  // namespace pliant::contact
