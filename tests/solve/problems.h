// Contact problems for the solvers: small ones with everything at random, and layers of material points on a floor.
#pragma once

#include "contact/law_samples.h"
#include "solve/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace pliant::tests {

using namespace solve;
using namespace contact;

struct OwnedProblem {
  std::vector<double> mass, weights;
  std::vector<Vec3d> free_velocity, bias, start;
  std::vector<std::uint32_t> begins = {0}, nodes;
  mutable LawContacts potential;  // friction that follows a solve changes it

  explicit OwnedProblem(LawCase law) : potential(law.kind, law.memory) {}
  ContactProblem view() const { return {mass, free_velocity, begins, nodes, weights, bias, &potential}; }
  std::size_t contacts() const { return bias.size(); }
};

// 1 / sum of w^2 / m of a row: the mass that its contact moves
inline double moved_mass(const OwnedProblem& p, std::size_t c) {
  double sum = 0;
  for (std::uint32_t k = p.begins[c]; k < p.begins[c + 1]; ++k) sum += p.weights[k] * p.weights[k] / p.mass[p.nodes[k]];
  return 1 / sum;
}

// Rows overlap at random; masses over 10^mass_decades; springs from much softer to much stiffer than the mass they
// meet.
inline OwnedProblem random_problem(unsigned seed, double mass_decades) {
  LawSamples s(seed);
  OwnedProblem p(all_laws[seed % 4]);
  const int nodes = int(s.uniform(1, 16)), contacts = int(s.uniform(1, 24));
  const double speed = s.decade(-2, 1), gram = s.decade(-6, 0), dt = s.decade(-5, -2);
  for (int i = 0; i < nodes; ++i) {
    p.mass.push_back(gram * s.decade(0, mass_decades));
    p.free_velocity.push_back(speed * s.ball());
    p.start.push_back(s.chance(0.5) ? p.free_velocity.back() : s.decade(-2, 2) * speed * s.ball());
  }
  for (int c = 0; c < contacts; ++c) {
    double sum = 0;
    for (int i = 0; i < nodes; ++i)
      if (s.chance(0.5) || (i == nodes - 1 && sum == 0)) {
        p.nodes.push_back(std::uint32_t(i));
        p.weights.push_back(s.uniform(0.01, 1));
        sum += p.weights.back();
      }
    for (std::size_t k = p.begins.back(); k < p.weights.size(); ++k) p.weights[k] /= sum;
    p.begins.push_back(std::uint32_t(p.nodes.size()));
    p.bias.push_back(s.uniform(0, 1) * speed * s.ball());
    ContactData t = s.terms();
    t.dt = dt;
    t.stiffness = s.decade(-2, 4) * moved_mass(p, std::size_t(c)) / (dt * dt);
    t.gap = speed * dt * s.uniform(-1, 0.5);
    t.offset = speed * dt * s.uniform(0, 1) * s.tangent(t.normal);
    t.dissipation = s.chance(0.3) ? 0 : s.decade(-2, 1) / speed;
    t.relaxation = s.chance(0.3) ? 0 : dt * s.decade(-1, 1);
    t.last_impulse = s.chance(0.15) ? 0 : s.uniform(0, 2) * speed * moved_mass(p, std::size_t(c));
    t.stiction = speed * s.decade(-4, 0);
    t.tangential_resistance = s.decade(-3, 0) / moved_mass(p, std::size_t(c));
    p.potential.add(t);
  }
  return p;
}

// The contacts of a random problem with the lagged law, friction that follows the solve, and springs that are so many
// times as stiff as the mass they meet, within a decade. Corners have three walls whose normals are within 60 degrees of
// one direction, uneven by a tenth; wedges have normals anywhere: contacts that share nodes press them against each other.
enum class Walls { corner, wedge };
inline OwnedProblem following_problem(unsigned seed, Walls walls, double stiffer) {
  const OwnedProblem given = random_problem(seed, seed % 4);
  LawSamples s(seed + 1000000);
  OwnedProblem p({LawKind::lagged, seed % 8 < 4});
  p.mass = given.mass, p.weights = given.weights, p.begins = given.begins, p.nodes = given.nodes;
  p.free_velocity = given.free_velocity, p.bias = given.bias, p.start = given.start;
  const Vec3d up = s.direction();
  Vec3d normals[3];
  for (Vec3d& n : normals) do
      n = s.direction();
    while (dot(n, up) < 0.5);
  for (std::size_t c = 0; c < given.contacts(); ++c) {
    ContactData t = given.potential.terms(c);
    t.follows = true;
    t.stiffness = stiffer * s.decade(-0.5, 0.5) * moved_mass(given, c) / (t.dt * t.dt);
    if (walls == Walls::corner) {
      const Vec3d n = normals[c % 3] + 0.1 * s.ball();
      t.normal = (1 / norm(n)) * n;
    }
    p.potential.add(t);
  }
  return p;
}

// A layer of jittered material points, cells x cells cells wide, eight points to a cell, that meets a floor: quadratic
// weights, masses of the nodes from all points, the default stiffness, or so much stiffer. What they weigh, how fast
// they are: dough.
inline OwnedProblem layer_problem(int cells, LawCase law, unsigned seed, double stiffer = 1) {
  constexpr double h = 0.0125, density = 1000, E = 1e5, dt = 2e-4;
  LawSamples s(seed);
  OwnedProblem p(law);
  struct Sum {
    double mass = 0;
    std::uint32_t number = 0;
  };
  std::map<std::tuple<int, int, int>, Sum> grid;
  struct Point {
    int base[3];
    double weight[3][3], height;
  };
  std::vector<Point> points;
  const double volume = h * h * h / 8;
  for (int i = 0; i < 2 * cells; ++i)
    for (int j = 0; j < 2 * cells; ++j)
      for (int k = 0; k < 8; ++k) {
        const double x[3] = {i + s.uniform(0, 1), j + s.uniform(0, 1), k + s.uniform(0, 1)};
        Point q;
        for (int d = 0; d < 3; ++d) {
          const double at = x[d] / 2;
          q.base[d] = int(std::floor(at - 0.5));
          const double f = at - q.base[d];
          q.weight[d][0] = 0.5 * (1.5 - f) * (1.5 - f);
          q.weight[d][1] = 0.75 - (f - 1) * (f - 1);
          q.weight[d][2] = 0.5 * (f - 0.5) * (f - 0.5);
        }
        q.height = x[2] / 2 * h;
        for (int n = 0; n < 27; ++n)
          grid[{q.base[0] + n / 9, q.base[1] + n / 3 % 3, q.base[2] + n % 3}].mass +=
              density * volume * q.weight[0][n / 9] * q.weight[1][n / 3 % 3] * q.weight[2][n % 3];
        points.push_back(q);
      }
  const double stiffness = stiffer * 10 * E * std::pow(volume, 2.0 / 3) / h, deepest = 0.25 * h;
  for (const Point& q : points) {
    if (q.height > deepest) continue;
    for (int n = 0; n < 27; ++n) {
      Sum& node = grid[{q.base[0] + n / 9, q.base[1] + n / 3 % 3, q.base[2] + n % 3}];
      if (node.number == 0) {
        p.mass.push_back(node.mass);
        p.free_velocity.push_back(Vec3d{{0.3, 0.1, -0.2}} + 0.05 * s.ball());
        node.number = std::uint32_t(p.mass.size());
      }
      p.nodes.push_back(node.number - 1);
      p.weights.push_back(q.weight[0][n / 9] * q.weight[1][n / 3 % 3] * q.weight[2][n % 3]);
    }
    p.begins.push_back(std::uint32_t(p.nodes.size()));
    p.bias.push_back(Vec3d::zero());
    ContactData t;
    t.normal = {{0, 0, 1}};
    t.gap = 0.1 * (q.height - 0.8 * deepest);
    t.friction = 0.5;
    t.stiffness = stiffness;
    t.dt = dt;
    t.last_impulse = s.uniform(0.5, 1.5) * stiffness * dt * std::max(0.0, -t.gap);
    t.offset = 1e-5 * s.uniform(0, 1) * s.tangent(t.normal);
    t.tangential_resistance = 1e-3 / moved_mass(p, p.bias.size() - 1);
    p.potential.add(t);
  }
  p.start = p.free_velocity;
  return p;
}

}  // namespace pliant::tests
