// What the rest of the house may ask of a law without its formulas: its name, its parameters, and what a step, a contact
// or the manual must know of it. Filled in from the law's own file; the words are explained in law.h.
#pragma once

#include "material/namespace.h"
#include "material/parameter.h"

#include <span>
#include <string>

namespace pliant::material {

struct LawInfo {
  const char* name;
  const char* what;
  std::span<const Parameter> parameters;  // besides density
  bool keeps_shape, hardens, sheet, resists_only_pressure;
  bool flows_in_step;  // unless it is asked not to
  bool flows_in_windows;
  double (*wave_speed)(const Material& material, double plastic);
  bool (*lasts)(const Material& material);
  double (*modulus)(const Material& material);
  double (*shear_viscosity)(const Material& material);
};

// throws Error(bad_input) for a number that is not on the list
const LawInfo& info(Law law);

// every parameter that some law reads, in the order of the list, after density; and for which laws it is: "" for all,
// "linear_corotated, hencky", "all laws but liquid"
struct ListedParameter {
  Parameter parameter;
  std::string only_for;
};
const std::vector<ListedParameter>& all_parameters();
bool reads(Law law, const Parameter& parameter);

// m/s, the fastest wave in matter at rest whose memory has this plastic value
double sound_speed(const Material& material, double plastic);

// Pa s: the viscosity of shear that gives the material's loss factor to the lowest shear mode of a piece of this size, m,
// that lies on the ground (material/README.md). 0 for laws that do not last, and for matter that yields.
double loss_viscosity(const Material& material, double size);

// m^2/s, viscosity over density; 0 for matter without viscosity
double momentum_diffusivity(const Material& material);

}  // namespace pliant::material
