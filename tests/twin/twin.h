// The material point method as slowly and obviously as it can be written: the twin that the library must agree with.
//
// One explicit step (S5 Eqs. 3-10), double only, a std::map as grid. Node i of the grid sits at i h; the compact kernel
// has a second grid at (i + 1/2) h, and each of its two grids carries half the weight.
#pragma once

#include "pliant/scene.h"

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace twin {

template <int D>
using Vec = Eigen::Matrix<double, D, 1>;
template <int D>
using Mat = Eigen::Matrix<double, D, D>;

template <int D>
struct Particle {
  Vec<D> x, v;
  Mat<D> C = Mat<D>::Zero(), F = Mat<D>::Identity();
  double mass, volume;
  int group = 0;  // which material
};

template <int D>
struct Node {
  double mass = 0;
  Vec<D> momentum = Vec<D>::Zero();
  Vec<D> velocity = Vec<D>::Zero();
};

template <int D>
struct Plane {
  Vec<D> point, normal, velocity = Vec<D>::Zero();
  double friction = 0;
  pliant::Boundary::Condition condition = pliant::Boundary::Condition::separate;
};

// N(r) and N'(r), r in cells. The compact kernel cancels where it goes to 0: long double keeps its digits.
struct Weight {
  double value, slope;
};
inline Weight weight(pliant::Kernel kernel, double r) {
  const double a = std::abs(r), sign = r < 0 ? -1 : 1;
  if (kernel == pliant::Kernel::linear) return a < 1 ? Weight{1 - a, -sign} : Weight{0, 0};
  if (kernel == pliant::Kernel::quadratic) {
    if (a < 0.5) return {0.75 - a * a, -2 * r};
    return a < 1.5 ? Weight{0.5 * (1.5 - a) * (1.5 - a), sign * (a - 1.5)} : Weight{0, 0};
  }
  const long double turn = 2 * 3.14159265358979323846264338327950288L, u = 1 - (long double)(a);
  if (a >= 1) return {0, 0};
  return {double(u - std::sin(turn * u) / turn), double(sign * (std::cos(turn * u) - 1))};
}

template <int D>
struct Twin {
  double h, dt;
  Vec<D> gravity = Vec<D>::Zero();
  pliant::Kernel kernel = pliant::Kernel::quadratic;
  pliant::Transfer transfer = pliant::Transfer::mls;
  std::function<Mat<D>(const Particle<D>&)> kirchhoff;
  std::vector<Plane<D>> planes;
  std::vector<Particle<D>> particles;

  // a node that a particle feels: which one, its offset x_i - x_p, its weight and the weight's gradient at the particle
  struct Neighbour {
    std::array<int, D + 1> key;
    Vec<D> offset, slope;
    double weight;
  };
  std::map<std::array<int, D + 1>, Node<D>> grid;

  std::vector<Neighbour> neighbours(const Vec<D>& x) const {
    std::vector<Neighbour> found;
    const int grids = kernel == pliant::Kernel::compact ? 2 : 1;
    for (int g = 0; g < grids; ++g)
      for (int code = 0; code < std::pow(4, D); ++code) {
        Neighbour n{{}, {}, Vec<D>::Ones(), 1.0 / grids};
        n.key[D] = g;
        n.slope /= grids;
        for (int d = 0, rest = code; d < D; ++d, rest /= 4) {
          n.key[d] = int(std::floor(x[d] / h)) - 1 + rest % 4;
          n.offset[d] = (n.key[d] + 0.5 * g) * h - x[d];
          const Weight w = twin::weight(kernel, n.offset[d] / h);
          n.weight *= w.value;
          for (int e = 0; e < D; ++e) n.slope[e] *= e == d ? -w.slope / h : w.value;
        }
        if (n.weight != 0) found.push_back(n);
      }
    return found;
  }

  // inverse of D_p = sum w (x_i - x_p)(x_i - x_p)^T; the linear kernel, whose D_p may be singular, does without it
  Mat<D> inverse_moment(const std::vector<Neighbour>& nodes) const {
    if (kernel == pliant::Kernel::linear) return Mat<D>::Zero();
    Mat<D> moment = Mat<D>::Zero();
    for (const Neighbour& n : nodes) moment += n.weight * n.offset * n.offset.transpose();
    return moment.inverse();
  }

  // The vectors a_i for which C = sum v_i a_i^T, and for which the velocity gradient is sum v_i a_i^T and the force -V
  // tau a_i. For the linear kernel w D_p^-1 (x_i - x_p) is the gradient of w.
  Vec<D> affine_arm(const Neighbour& n, const Mat<D>& inverse) const {
    return kernel == pliant::Kernel::linear ? n.slope : Vec<D>(n.weight * (inverse * n.offset));
  }
  Vec<D> force_arm(const Neighbour& n, const Mat<D>& inverse) const {
    return transfer == pliant::Transfer::mls ? affine_arm(n, inverse) : n.slope;
  }

  void particles_to_grid() {
    grid.clear();
    for (const Particle<D>& p : particles) {
      const auto nodes = neighbours(p.x);
      const Mat<D> inverse = inverse_moment(nodes), stress = p.volume * kirchhoff(p);
      for (const Neighbour& n : nodes) {
        Vec<D> v = p.v;
        if (transfer != pliant::Transfer::pic) v += p.C * n.offset;
        grid[n.key].mass += n.weight * p.mass;
        grid[n.key].momentum += n.weight * p.mass * v - dt * stress * force_arm(n, inverse);
      }
    }
  }

  // S5 Eqs. 102-107 in the frame of the boundary
  static Vec<D> project(const Plane<D>& plane, const Vec<D>& velocity) {
    using Condition = pliant::Boundary::Condition;
    const Vec<D> v = velocity - plane.velocity;
    const double normal = v.dot(plane.normal);
    const Vec<D> tangent = v - normal * plane.normal;
    if (plane.condition == Condition::stick) return plane.velocity;
    const double slip = tangent.norm(), kept = std::max(slip + plane.friction * std::min(normal, 0.0), 0.0);
    const double leaving = plane.condition == Condition::separate ? std::max(normal, 0.0) : 0.0;
    return plane.velocity + (slip > 0 ? kept / slip : 0.0) * tangent + leaving * plane.normal;
  }

  void move_grid() {
    for (auto& [key, node] : grid) {
      Vec<D> x;
      for (int d = 0; d < D; ++d) x[d] = (key[d] + 0.5 * key[D]) * h;
      node.velocity = node.momentum / node.mass + dt * gravity;
      for (const Plane<D>& plane : planes)
        if ((x - plane.point).dot(plane.normal) < 1e-3 * h) node.velocity = project(plane, node.velocity);
    }
  }

  void grid_to_particles() {
    for (Particle<D>& p : particles) {
      const auto nodes = neighbours(p.x);
      const Mat<D> inverse = inverse_moment(nodes);
      Mat<D> gradient = Mat<D>::Zero();
      p.v.setZero(), p.C.setZero();
      for (const Neighbour& n : nodes) {
        const Vec<D> v = grid[n.key].velocity;
        p.v += n.weight * v;
        p.C += v * affine_arm(n, inverse).transpose();
        gradient += v * force_arm(n, inverse).transpose();
      }
      p.F += dt * gradient * p.F;
      p.x += dt * p.v;
    }
  }

  void step() {
    particles_to_grid();
    move_grid();
    grid_to_particles();
  }
};

// neo-Hookean Kirchhoff stress from Young's modulus and Poisson's ratio (plane strain in 2-D)
template <int D>
Mat<D> neo_hookean(const Mat<D>& F, double E, double nu) {
  const double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  return mu * (F * F.transpose() - Mat<D>::Identity()) + lambda * std::log(F.determinant()) * Mat<D>::Identity();
}

}  // namespace twin
