// What every law gives. A law is a small struct of numbers; its functions are templates on T, a number or a pack, and
// on the dimension D. F is the elastic deformation gradient. Symbols and equations in README.md of this folder.
//
//   template <class S> struct NeoHookean : ElasticSolid {
//     static constexpr const char* name          as scene files and Python call it: that of the file
//     static constexpr const char* what          one line for the manual
//     static NeoHookean make(const Material&)
//     energy(F, memory)                          energy per rest volume, Pa
//     stress(F, memory)                          first Piola stress, d energy / d F
//     kirchhoff(F, memory)                       stress * F^T, cheaper, the one that the explicit step uses
//     differential(F, dF, memory)                the derivative of the stress, applied to dF
//     principal_differential(s, plastic)         the same in 3-D where F = diag(s), for the strong step (principal.h)
//   };
//
// What it need not say is in ElasticSolid below. What only some have:
//
//   return_map(F, memory)             `plastic`: after the step F becomes elastic again, memory.plastic is updated
//   viscous_kirchhoff(J, gradient)    `viscous`
//   frame(start)                      `quadratic`, in place of principal_differential: A = R0 F^T of members mu, lambda
//   divergence_energy, opening_energy `resists_only_pressure`, in place of principal_differential (liquid.h)
//   yields(), yield_strain(F, plastic), flowing(F, start), flow_in_step(...)
//                                     `flows`: the return mapping as an energy (flow.h)
//   stressed(F, start)                energy and stress for the strong step, where that is cheaper than one by one
//   flow(F, dt, gradient)             how F follows a flow in a large step, where it is not (1 + dt gradient) F
//   grid_kirchhoff(F)                 `sheet`: the part of the stress that acts through the grid
#pragma once

#include "core/decompose.h"
#include "core/small.h"
#include "material/lame.h"
#include "material/namespace.h"
#include "material/parameter.h"

#include <array>
#include <cmath>

namespace pliant::material {

// what a particle remembers besides F
template <class T, int D>
struct Memory {
  Matrix<T, D> start;  // elastic F at the start of the step; linear_corotated takes its rotation R0 from it
  T plastic;           // one number, by law: accumulated plastic strain, volume correction, plastic volume ratio
};

// a particle at the start of a strong step
template <class T>
struct StepStart {
  Matrix<T, 3> F;         // elastic deformation gradient
  Matrix<T, 3> rotation;  // R0 of laws that are `about_start`
  T plastic;
  T yield;  // strain from which matter flows in the step (flow.h)
};

// energy per rest volume and first Piola stress
template <class T>
struct Stressed {
  T energy;
  Matrix<T, 3> stress;
};

// whether the solve of a strong step knows of the return mapping
enum class Flow {
  after,     // no: it comes after the solve
  if_asked,  // with `plastic_flow: implicit`
  in_step,   // unless `plastic_flow: lagged`
};

// What a law is unless it says otherwise: an elastic solid of E and nu.
struct ElasticSolid {
  static constexpr std::array parameters = {parameter::E, parameter::nu, parameter::loss, parameter::friction};

  static constexpr bool plastic = false;        // there is a return_map
  static constexpr double initial_plastic = 0;  // memory.plastic of matter at rest
  static constexpr bool hardens = false;        // waves get faster as memory.plastic gets smaller
  static constexpr bool viscous = false;        // there is a viscous_kirchhoff
  static constexpr bool keeps_shape = true;  // strain that is not of the volume stays from step to step, until it flows
  static constexpr bool tells_turns = true;  // a turn is no strain
  static constexpr bool sheet = false;       // goes with shape cloth, has no strong step
  // in the strong step
  static constexpr bool quadratic = false;    // the energy is, in F
  static constexpr bool about_start = false;  // the energy is about the rotation of the start of the step
  static constexpr bool resists_only_pressure =
      false;  // a liquid: no tension, and volume follows the divergence of the flow
  static constexpr Flow flows = Flow::after;
  static constexpr bool yields_by_pressure = false;  // the strain from which it flows moves with the pressure
  // in substeps: while it moves, one transfer serves several of them, in which it goes on flowing (grid/README.md)
  static constexpr bool flows_in_windows = false;

  // m/s, the fastest wave in matter at rest whose memory has this plastic value
  static double wave_speed(const Material& material, double) {
    const Lame l = lame(material);
    return std::sqrt((l.lambda + 2 * l.mu) / material.density);
  }
  // it keeps its shape for ever, and so has a surface that touches
  static bool lasts(const Material&) { return true; }
  // Pa, how stiff a contact with it has to be
  static double modulus(const Material& material) { return material.E; }
  // Pa s
  static double shear_viscosity(const Material&) { return 0; }

  template <class T, int D>
  void return_map(Matrix<T, D>&, Memory<T, D>&) const {}
};

}  // namespace pliant::material
