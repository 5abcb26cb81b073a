// Stress of particles as one number.
#pragma once

#include "material/namespace.h"
#include "pliant/material.h"

#include <span>
#include <vector>

namespace pliant::material {

// Von Mises stress of each particle, Pa: sqrt(3/2) |dev tau| / J, of the law alone, without viscosity and actuation. F
// is elastic, D x D numbers row by row; `plastic` is one number per particle. In 2-D the deviator is the one in the
// plane.
std::vector<double> von_mises(const Material& material, int dimension, std::span<const double> F,
                              std::span<const double> plastic);

}  // namespace pliant::material
