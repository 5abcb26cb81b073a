// Contact as a minimisation over the velocities of nodes:
//   minimise  1/2 sum_i m_i |v_i - v*_i|^2  +  sum_c l_c(u_c),     u_c = sum_i w_ci v_i - b_c
// What the nodes, the weights and the laws belong to is not known here.
#pragma once

#include "core/small.h"
#include "solve/block3.h"
#include "solve/namespace.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pliant::solve {

using Vec3d = Vector<double, 3>;
using Mat3d = Matrix<double, 3>;

// Contacts go through their laws four at a time: block b holds the contacts 4b .. 4b + 3.
using Lanes = Pack<double, 4>;
using Vec3Lanes = Vector<Lanes, 3>;
inline std::size_t blocks_of(std::size_t contacts) { return (contacts + 3) / 4; }
// of contact c, from the blocks of all
inline Vec3d vector_of(const Vec3Lanes* blocks, std::size_t c) {
  const Vec3Lanes& x = blocks[c / 4];
  const int lane = int(c % 4);
  return {{x[0][lane], x[1][lane], x[2][lane]}};
}

struct BlockRange {
  std::size_t first, last;
};

// a function of the step length along a line, with its derivatives
struct LineValue {
  double value = 0, slope = 0, curvature = 0;
};

// The laws of all contacts, l_c(u_c): convex, once continuously differentiable. u is the velocity of the matter
// relative to the body; all vectors in the world's frame. The impulse on the matter is -gradient. Arrays are indexed by
// block; lanes beyond size() give zeros.
class ContactPotential {
 public:
  virtual ~ContactPotential() = default;
  virtual std::size_t size() const = 0;

  // the Hessian is not negative
  virtual void evaluate(BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient, Block3<Lanes>* hessian) const = 0;
  // Adds to the Hessian what makes its parabola lie above the potential of friction, wherever that slips.
  virtual void add_majorizer(BlockRange blocks, const Vec3Lanes* u, Block3<Lanes>* hessian) const = 0;
  // Friction of some laws goes by a normal impulse that is fixed, so that they are convex. True: that of some contacts is
  // to follow the solve. `follow` fixes it anew at what it is at u, which changes the potential.
  virtual bool follows() const { return false; }
  virtual void follow(BlockRange, const Vec3Lanes* /*u*/) {}
  // N s, by contact: the most that friction gives, mu times what it goes by
  virtual void get_radii(std::span<double>) const {}
  virtual void set_radii(std::span<const double>) {}
  // sum over the blocks at u + alpha du, by alpha
  virtual LineValue along(BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du, double alpha) const = 0;
};

// Row c of the weights holds the entries [begins[c], begins[c + 1]) of nodes and weights; a node is in a row once.
struct ContactProblem {
  std::span<const double> mass;           // kg, by node, above 0
  std::span<const Vec3d> free_velocity;   // m/s, v*, by node
  std::span<const std::uint32_t> begins;  // by contact, and one more
  std::span<const std::uint32_t> nodes;
  std::span<const double> weights;
  std::span<const Vec3d> bias;  // m/s, b_c, by contact
  ContactPotential* potential = nullptr;
};

}  // namespace pliant::solve
