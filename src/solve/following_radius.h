// When friction that follows the solve is fixed anew (ContactPotential::follow), and at what. At first in every
// iteration, at the normal impulses of its start. That may go round in circles. So after some iterations what friction is
// fixed at is found by a fixed-point iteration of its own, each of whose rounds is a convex problem that is solved well
// enough. Equations: README.md.
#pragma once

#include "solve/contact_problem.h"
#include "solve/namespace.h"

#include <array>
#include <vector>

namespace pliant::solve {

// Scratch memory, kept for the next solve; nothing in it changes a result. By contact.
struct FollowingRadiusWork {
  using Radii = std::vector<double>;
  static constexpr int depth = 5;                     // rounds
  Radii held, present, missed;                        // N s: as fixed, as the present has it, and the difference
  Radii best_held, best_missed;                       // where the least was missed
  std::array<Radii, depth> held_moved, missed_moved;  // from round to round
};

class FollowingRadius {
 public:
  FollowingRadius(ContactPotential* potential, FollowingRadiusWork& work)
      : potential_(potential && potential->follows() ? potential : nullptr), work_(work) {}

  // at the start of an iteration; true: friction is to be fixed at the present normal impulses
  bool follows(int iteration);
  // friction is not that of the present velocities
  bool held() const { return held_; }
  // a round is over: its problem is solved well enough beside what friction is off by
  bool round_ends(double residual);
  // the problems of the last rounds were not solved in their time: friction is not what is hard
  bool is_not_to_blame() const { return unsolved_ > most_unsolved; }
  // after `follow`: friction is held elsewhere. residual: with friction of the present
  void next_round(double residual);

 private:
  void choose_method(double residual);
  void remember_step();
  void relax();
  void extrapolate();
  void descend();

  static constexpr int most_unsolved = 6;
  enum class Method { relax, extrapolate, descend };
  ContactPotential* potential_;
  FollowingRadiusWork& work_;
  bool held_ = false;
  Method method_ = Method::relax;
  int iterations_ = 0, rounds_ = 0;  // of this round; rounds
  int past_ = 0;                     // steps that are remembered
  int since_best_ = 0, changes_ = 0;
  int unsolved_ = 0;                // rounds, the last ones
  double residual_ = 0, best_ = 0;  // with friction of the present
  double least_missed_ = 0;         // where it descends: the least square of what was missed
  double part_ = 0.5;               // of the way
};

}  // namespace pliant::solve
