// What the tests of gradients share: a run with a loss, its gradient by a tape, and differences of whole runs.
#pragma once

#include "pliant/tape.h"
#include "step/support.h"

#include <cmath>
#include <functional>
#include <random>

namespace pliant::test {

// numbers between -1 and 1
class Weights {
 public:
  explicit Weights(unsigned seed) : engine_(seed) {}
  double operator()() { return double(engine_() >> 11) / double(1ull << 52) - 1; }
  std::vector<double> list(std::size_t count) {
    std::vector<double> all(count);
    for (double& x : all) x = (*this)();
    return all;
  }

 private:
  std::mt19937_64 engine_;
};

// A run of a scene: what is said before and in it, and a loss that is a sum of weights times what is seen.
struct TapedRun {
  Scene scene;
  std::size_t steps = 1;
  int threads = 1;
  std::function<void(World&)> begin = [](World&) {};                          // edits of the first state
  std::function<void(World&, std::size_t)> act = [](World&, std::size_t) {};  // before each step

  // what the loss looks at: all attributes at the end, positions half way
  std::vector<LossSeed> seeds(const World& world) const {
    std::vector<LossSeed> all;
    Weights weight(3);
    const double speed = 1e-2, turn = 1e-3;  // so that none of them is lost beside the others
    for (const Matter& m : world.scene().matter) {
      const auto add = [&](std::size_t step, Attribute attribute, double scale) {
        LossSeed seed;
        seed.step = step, seed.attribute = attribute, seed.matter = m.name;
        for (const double x : numbers(world, m.name, attribute)) {
          (void)x;
          seed.values.push_back(scale * weight());
        }
        all.push_back(seed);
      };
      add(steps - 1, Attribute::position, 1);
      add(steps - 1, Attribute::velocity, speed);
      add(steps - 1, Attribute::affine, turn);
      add(steps - 1, Attribute::deformation_gradient, 0.1);
      add(steps / 2, Attribute::position, 1);
    }
    return all;
  }

  using Seen = std::vector<std::vector<double>>;
  Seen see(World& world, const std::vector<LossSeed>& seeds) const {
    Seen seen(seeds.size());
    for (std::size_t k = 0; k < steps; ++k) {
      act(world, k);
      world.step();
      for (std::size_t s = 0; s < seeds.size(); ++s)
        if (seeds[s].step == k) seen[s] = numbers(world, seeds[s].matter, seeds[s].attribute);
    }
    return seen;
  }

  // plain: never in packs
  Gradient gradient(std::size_t memory = std::size_t(1) << 30, bool plain = false) const {
    World world(scene, threads);
    begin(world);
    Tape tape(world, memory, plain);
    const std::vector<std::vector<LossSeed>> losses = {seeds(world)};
    see(world, losses[0]);
    return tape.backward(losses)[0];
  }
};

// How the loss of a run changes along a direction: change(run, x) gives the run at x. Five points; what is seen is taken
// less what is seen at x = 0, so that no digits are lost.
inline double differences(const TapedRun& run, const std::function<TapedRun(TapedRun, double)>& change, double step) {
  World base(run.scene, run.threads);
  run.begin(base);
  const std::vector<LossSeed> seeds = run.seeds(base);
  const TapedRun::Seen still = run.see(base, seeds);
  const auto loss = [&](double x) {
    const TapedRun moved = change(run, x);
    World world(moved.scene, moved.threads);
    moved.begin(world);
    const TapedRun::Seen seen = moved.see(world, seeds);
    double sum = 0;
    for (std::size_t s = 0; s < seeds.size(); ++s)
      for (std::size_t i = 0; i < seen[s].size(); ++i) sum += seeds[s].values[i] * (seen[s][i] - still[s][i]);
    return sum;
  };
  const auto central = [&](double h) { return (loss(h) - loss(-h)) / (2 * h); };
  return 4.0 / 3 * central(step) - 1.0 / 3 * central(2 * step);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
  return sum;
}

// an edit of one attribute of one piece, along fixed random numbers
inline std::function<TapedRun(TapedRun, double)> along(const std::string& matter, Attribute attribute,
                                                       const std::vector<double>& direction, double scale) {
  return [=](TapedRun run, double x) {
    const auto before = run.begin;
    run.begin = [=](World& world) {
      before(world);
      std::vector<double> values = numbers(world, matter, attribute);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += x * scale * direction[i];
      world.set(matter, attribute, values);
    };
    return run;
  };
}

// all numbers of a gradient
inline std::vector<double> flat(const Gradient& g) {
  std::vector<double> all;
  const auto put = [&](const std::vector<double>& list) { all.insert(all.end(), list.begin(), list.end()); };
  for (const auto& [name, piece] : g.matter) {
    for (const auto* list : {&piece.positions, &piece.velocities, &piece.affine, &piece.deformation_gradients,
                             &piece.plastic, &piece.masses})
      put(*list);
    for (const auto& [key, value] : piece.material) all.push_back(value);
    for (const auto& stress : piece.actuation) all.insert(all.end(), stress.begin(), stress.end());
  }
  for (const auto& [name, boundary] : g.boundaries) {
    all.push_back(boundary.friction);
    for (const Vec3& v : boundary.velocity) all.insert(all.end(), v.begin(), v.end());
  }
  all.insert(all.end(), g.gravity.begin(), g.gravity.end());
  for (const GradientNorms& n : g.norms) put({n.positions, n.velocities, n.deformation_gradients});
  return all;
}

inline double relative(double a, double b) { return std::abs(a - b) / std::max(std::abs(b), 1e-300); }

}  // namespace pliant::test
