// Lame parameters of a material: the three-dimensional ones, in 2-D too (plane strain).
#pragma once

#include "material/namespace.h"
#include "pliant/material.h"

namespace pliant::material {

struct Lame {
  double mu, lambda;  // Pa
};

inline Lame lame(const Material& material) {
  const double E = material.E, nu = material.nu;
  return {E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))};
}

}  // namespace pliant::material
