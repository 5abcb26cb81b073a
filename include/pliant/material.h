// What a user says of a material: a law and physical parameters in SI units.
#pragma once

#include <string>

namespace pliant {

enum class Law {
  linear,            // small-strain elasticity
  linear_corotated,  // quadratic energy about the rotation at the start of the step, von Mises yield (S1, Sec. VI)
  fixed_corotated,
  neo_hookean,
  hencky,  // St. Venant-Kirchhoff in logarithmic strain, von Mises yield
  sand,    // Drucker-Prager on hencky, with volume correction
  liquid,  // equation of state, viscosity, no tension
  eraser,  // stores volume only: the deviatoric part of the strain is erased each step (S3, experiment 5)
  snow,    // fixed corotated, stretch limits, hardening
  cloth,   // a sheet of triangles: plane stress, bending, friction between layers (S2, Sec. VI-C)
};

// Each law reads the parameters listed with it and ignores the others; `check` says what is wrong, with units.
struct Material {
  std::string name;
  Law law = Law::neo_hookean;
  double density = 1000;       // kg/m^3, above 0; all laws
  double E = 1e5;              // Pa, Young's modulus, above 0; all laws but liquid
  double nu = 0.3;             // Poisson's ratio, -1 < nu < 0.5; all laws but liquid
  double yield = 0;            // Pa, von Mises yield stress |dev tau|_F; 0: never yields; linear_corotated, hencky
  double friction_angle = 30;  // degrees, 0 to below 90; sand
  double cohesion = 0;         // logarithmic strain that sand bears in tension, 0 to 1; sand
  double bulk_modulus = 2e5;   // Pa, at rest, above 0; liquid
  double gamma = 7;            // exponent of the equation of state, 1 to 100; liquid
  double viscosity = 0;        // Pa s, not negative; liquid
  double hardening = 10;       // stiffness grows as exp(hardening (1 - plastic volume ratio)), to 148 times; snow
  double critical_compression = 2.5e-2;  // singular values below 1 - this flow, 0 to below 1; snow
  double critical_stretch = 7.5e-3;      // singular values above 1 + this flow, not negative; snow
  double friction = 0.3;                 // Coulomb coefficient of cloth on cloth, not negative; cloth
  double bending = -1;          // N m, not negative; below 0: E t^3 / (12 (1 - nu^2)) of the sheet's thickness t; cloth
  double normal_stiffness = 0;  // Pa, against compression of layers; 0: E; cloth
  double shear_stiffness = 0;   // Pa, of layers that stick; 0: E / (2 (1 + nu)); cloth
};

// throws Error(bad_input) with the material's name, the value, its unit and the allowed range
void check(const Material& material);

const char* name(Law law);
Law law_from_name(const std::string& name);

}  // namespace pliant
