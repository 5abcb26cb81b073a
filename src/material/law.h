// What every law gives. A law is a small struct of numbers; its functions are templates on T, a number or a pack, and
// on the dimension D. F is the elastic deformation gradient. Symbols and equations in README.md of this folder.
//
//   template <class S> struct NeoHookean {
//     static NeoHookean make(const Material&);
//     energy(F, memory)                  energy per rest volume, Pa
//     stress(F, memory)                  first Piola stress, d energy / d F
//     kirchhoff(F, memory)               stress * F^T, cheaper, the one that the explicit step uses
//     differential(F, dF, memory)        the derivative of the stress, applied to dF
//     return_map(F, memory)              after the step: F becomes elastic again, memory.plastic is updated
//     static constexpr bool plastic;     false: return_map does nothing
//     static constexpr bool viscous;     true: there is also viscous_kirchhoff(J, velocity_gradient)
//     static constexpr double initial_plastic;    memory.plastic of matter at rest
//   };
// Of cloth, `grid_kirchhoff(F)` is the part of the stress that acts through the grid.
#pragma once

#include "core/decompose.h"
#include "core/small.h"

namespace pliant {

// what a particle remembers besides F
template <class T, int D>
struct Memory {
  Matrix<T, D> start;  // elastic F at the start of the step; linear_corotated takes its rotation R0 from it
  T plastic;           // one number, by law: accumulated plastic strain, volume correction, plastic volume ratio
};

}  // namespace pliant
