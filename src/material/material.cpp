// checks of what users say of a material, and the names of laws
#include "pliant/material.h"

#include "core/error.h"

#include <array>
#include <limits>

namespace pliant {

namespace {

// in the order of enum class Law
constexpr std::array<const char*, 10> law_names = {
    "linear", "linear_corotated", "fixed_corotated", "neo_hookean", "hencky",
    "sand",   "liquid",           "eraser",          "snow",        "cloth"};

// An allowed interval of a parameter. The limits are far beyond any matter; between them no law overflows in float.
struct Range {
  double from, to;
  bool open_from = false, open_to = false;
};
constexpr Range pressures = {1e-6, 1e15};

void check_range(const Material& material, const char* parameter, double value, const char* unit, const Range& range) {
  const bool above = range.open_from ? value > range.from : value >= range.from;
  const bool below = range.open_to ? value < range.to : value <= range.to;
  if (above && below) return;
  fail(ErrorCode::bad_input, "material '{}': {} is {} {}; give a number {} {:g} and {} {:g}", material.name, parameter,
       value, unit, range.open_from ? "above" : "of at least", range.from, range.open_to ? "below" : "of at most",
       range.to);
}

void check_liquid(const Material& material) {
  check_range(material, "bulk_modulus", material.bulk_modulus, "Pa", pressures);
  check_range(material, "gamma", material.gamma, "(no unit)", {1, 100});
  check_range(material, "viscosity", material.viscosity, "Pa s", {0, 1e12});
}

void check_elastic(const Material& material) {
  check_range(material, "E", material.E, "Pa", pressures);
  check_range(material, "nu", material.nu, "(no unit)", {-1, 0.5, true, true});
}

void check_cloth(const Material& material) {
  check_range(material, "friction", material.friction, "(no unit)", {0, 1e6});
  check_range(material, "bending", material.bending, "N m", {-1e15, 1e15});
  check_range(material, "normal_stiffness", material.normal_stiffness, "Pa", {0, 1e15});
  check_range(material, "shear_stiffness", material.shear_stiffness, "Pa", {0, 1e15});
}

}  // namespace

void check(const Material& material) {
  name(material.law);
  check_range(material, "density", material.density, "kg/m^3", {1e-6, 1e9});
  if (material.law == Law::liquid) return check_liquid(material);
  check_elastic(material);
  const bool yields = material.law == Law::linear_corotated || material.law == Law::hencky;
  if (yields && material.yield != 0) check_range(material, "yield", material.yield, "Pa", pressures);
  if (material.law == Law::sand) {
    check_range(material, "friction_angle", material.friction_angle, "degrees", {0, 90, false, true});
    check_range(material, "cohesion", material.cohesion, "(logarithmic strain)", {0, 1});
  }
  if (material.law == Law::cloth) check_cloth(material);
  if (material.law == Law::snow) {
    check_range(material, "hardening", material.hardening, "(no unit)", {0, 1000});
    check_range(material, "critical_compression", material.critical_compression, "(no unit)", {0, 1, false, true});
    check_range(material, "critical_stretch", material.critical_stretch, "(no unit)", {0, 10});
  }
}

const char* name(Law law) {
  const auto index = static_cast<std::size_t>(law);
  if (index >= law_names.size())
    fail(ErrorCode::bad_input, "law number {} does not exist; use one of enum class Law", index);
  return law_names[index];
}

Law law_from_name(const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < law_names.size(); ++i) {
    if (name == law_names[i]) return static_cast<Law>(i);
    known += (i ? ", " : "") + std::string(law_names[i]);
  }
  fail(ErrorCode::bad_input, "law '{}' is not known; give one of {}", name, known);
}

}  // namespace pliant
