// What a user says of a material: a law and physical parameters in SI units.
#pragma once

#include <string>
#include <vector>

namespace pliant {

// A law of matter: its place on the list of laws (CMakeLists.txt), each of which is a file of src/material.
// `law_from_name` finds any of them; those that come with Pliant are constants too.
struct Law {
  unsigned number;

  friend bool operator==(const Law&, const Law&) = default;
  static const Law linear, linear_corotated, fixed_corotated, neo_hookean, hencky, sand, liquid, eraser, snow, cloth;
};

// Each law reads the parameters listed with it and ignores the others; `check` says what is wrong, with units.
struct Material {
  std::string name;
  Law law = Law::neo_hookean;
  double density = 1000;  // kg/m^3, above 0; all laws
  double E = 1e5;         // Pa, Young's modulus, above 0; all laws but liquid
  double nu = 0.3;        // Poisson's ratio, -1 < nu < 0.5; all laws but liquid
  double yield = 0;       // Pa, yield stress along one axis (von Mises); 0: never yields; linear_corotated, hencky
  double loss = 0.15;     // loss factor of shear while it touches, 0 to 10; laws that last, where they do not yield
  double friction_angle = 30;  // degrees, 0 to below 90; sand
  double cohesion = 0;         // logarithmic strain that sand bears in tension, 0 to 1; sand
  double bulk_modulus = 2e5;   // Pa, at rest, above 0; liquid
  double gamma = 7;            // exponent of the equation of state, 1 to 100; liquid
  double viscosity = 0;        // Pa s, not negative; liquid
  double hardening = 10;       // stiffness grows as exp(hardening (1 - plastic volume ratio)), to 148 times; snow
  double critical_compression = 2.5e-2;  // singular values below 1 - this flow, 0 to below 1; snow
  double critical_stretch = 7.5e-3;      // singular values above 1 + this flow, not negative; snow
  // Coulomb coefficient on bodies and boundaries, not negative; below 0: theirs counts alone. Of cloth on cloth too, there
  // 0.3 if it is below 0. All laws but liquid.
  double friction = -1;
  double bending = -1;          // N m, not negative; below 0: E t^3 / (12 (1 - nu^2)) of the sheet's thickness t; cloth
  double normal_stiffness = 0;  // Pa, against compression of layers; 0: E; cloth
  double shear_stiffness = 0;   // Pa, of layers that stick; 0: E / (2 (1 + nu)); cloth
};

// throws Error(bad_input) with the material's name, the value, its unit and the allowed range
void check(const Material& material);

// as in scene files; throws Error(bad_input) for what is not on the list
const char* name(Law law);
Law law_from_name(const std::string& name);

// all of them, in the order of the list
std::vector<Law> known_laws();

}  // namespace pliant
