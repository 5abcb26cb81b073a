// Numbers that a material is described by: how scene files call them, their units, what is allowed, what they mean. A
// law lists those that it reads; the ones that several laws read are here, the others in the law's own file. Defaults
// are those of `Material`.
#pragma once

#include "material/namespace.h"
#include "pliant/material.h"

namespace pliant::material {

// Allowed numbers.
struct Range {
  double from = -1e300, to = 1e300;
  bool open_from = false, open_to = false;

  constexpr bool holds(double value) const {
    return (open_from ? value > from : value >= from) && (open_to ? value < to : value <= to);
  }
};

struct Parameter {
  // a value outside of the range that has a meaning of its own
  enum class Also { nothing, zero, negative };

  const char* name;
  double Material::*member;
  const char* unit;  // "" for a pure number
  Range range;       // far beyond any matter; within it no law overflows in float
  const char* what;
  Also also = Also::nothing;
  const char* standard = nullptr;  // what the manual says in place of the default

  constexpr bool holds(double value) const {
    return range.holds(value) || (also == Also::zero && value == 0) ||
           (also == Also::negative && value < 0 && value >= -range.to);
  }
};

namespace parameter {

inline constexpr Range pressures = {1e-6, 1e15};

inline constexpr Parameter density = {"density", &Material::density, "kg/m^3", {1e-6, 1e9}, "at rest"};
inline constexpr Parameter E = {"E", &Material::E, "Pa", pressures, "Young's modulus"};
inline constexpr Parameter nu = {"nu", &Material::nu, "", {-1, 0.5, true, true}, "Poisson's ratio"};
inline constexpr Parameter yield = {"yield",
                                    &Material::yield,
                                    "Pa",
                                    pressures,
                                    "yield stress when pulled along one axis (von Mises); 0: never yields",
                                    Parameter::Also::zero};

inline constexpr Parameter loss = {
    "loss", &Material::loss, "", {0, 10}, "loss factor of shear, while it touches and unless it yields"};
inline constexpr Parameter friction = {"friction",
                                       &Material::friction,
                                       "",
                                       {0, 1e6},
                                       "Coulomb coefficient on bodies and boundaries, and of cloth on cloth",
                                       Parameter::Also::negative,
                                       "none: that of the partner counts; cloth on cloth: 0.3"};

}  // namespace parameter
}  // namespace pliant::material
