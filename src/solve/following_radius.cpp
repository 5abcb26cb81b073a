#include "solve/following_radius.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::solve {
namespace {

using Radii = FollowingRadiusWork::Radii;

constexpr int eager = 12;         // iterations before friction is held
constexpr int longest_round = 8;  // iterations
// a round ends where its own residual is this part of that with friction of the present
constexpr double part_of_round = 0.1;
// of what friction is off by, how much is taken: at first, at least, at most
constexpr double first_part = 0.5, least_part = 1e-3, most_part = 1;
// after so many rounds that leave more than this of the best residual the other method has its turn
constexpr int patience = 15;
constexpr double better = 0.9;
// beside the largest: what steps that are alike are told apart by
constexpr double singular = 1e-10;

constexpr int depth = FollowingRadiusWork::depth;
using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, depth, depth>;
using SmallColumn = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, depth, 1>;

std::size_t place(int round) { return std::size_t(round % depth); }

double product(const Radii& a, const Radii& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

}  // namespace

bool FollowingRadius::follows(int iteration) {
  if (!potential_ || held_) return false;
  if (iteration < eager) return true;
  held_ = true;
  for (Radii* r : {&work_.held, &work_.present, &work_.missed, &work_.best_held, &work_.best_missed})
    r->assign(potential_->size(), 0);
  for (auto* moved : {&work_.held_moved, &work_.missed_moved})
    for (Radii& r : *moved) r.assign(potential_->size(), 0);
  potential_->get_radii(work_.held);
  return false;
}

bool FollowingRadius::round_ends(double residual) {
  const bool solved = residual <= part_of_round * residual_, ends = ++iterations_ >= longest_round * (1 + changes_);
  if (solved || ends) unsolved_ = solved ? 0 : unsolved_ + 1;
  return solved || ends;
}

void FollowingRadius::next_round(double residual) {
  potential_->get_radii(work_.present);
  choose_method(residual);
  remember_step();
  switch (method_) {
    case Method::relax: relax(); break;
    case Method::extrapolate: extrapolate(); break;
    case Method::descend: descend(); break;
  }
  residual_ = residual;
  iterations_ = 0;
  ++rounds_;
  // where the next step starts, until it is known where it ends
  std::copy(work_.held.begin(), work_.held.end(), work_.held_moved[place(rounds_)].begin());
  for (std::size_t c = 0; c < work_.held.size(); ++c) work_.held[c] = std::max(0.0, work_.present[c]);
  potential_->set_radii(work_.held);
}

void FollowingRadius::choose_method(double residual) {
  past_ = rounds_ == 0 ? 0 : std::min(past_ + 1, depth - 1);
  if (rounds_ == 0 || residual < better * best_) {
    best_ = residual;
    since_best_ = 0;
  } else if (++since_best_ > patience) {
    // what the other one finds is compared with where it starts
    best_ = residual;
    since_best_ = past_ = 0;
    method_ = Method((int(method_) + 1) % 3);
    part_ = first_part / (2 + changes_++);
    least_missed_ = std::numeric_limits<double>::infinity();
  }
}

// in place of the oldest one
void FollowingRadius::remember_step() {
  Radii &held_moved = work_.held_moved[place(rounds_)], &missed_moved = work_.missed_moved[place(rounds_)];
  for (std::size_t c = 0; c < work_.held.size(); ++c) {
    const double missed = work_.present[c] - work_.held[c];
    missed_moved[c] = missed - work_.missed[c];
    work_.missed[c] = missed;
    held_moved[c] = work_.held[c] - held_moved[c];
  }
}

// Aitken: a part of the way to the present, by what the last step has brought
void FollowingRadius::relax() {
  const Radii& moved = work_.missed_moved[place(rounds_)];
  const double change = product(moved, moved), old = product(work_.missed, moved) - change;
  if (past_ > 0 && change > 0) part_ *= -old / change;
  part_ = std::clamp(std::fabs(part_), least_part, most_part);
  for (std::size_t c = 0; c < work_.held.size(); ++c) work_.present[c] = work_.held[c] + part_ * work_.missed[c];
}

// A part of the way from where the least was missed, smaller until less is: where friction of one contact lifts the
// other, what is missed falls steeply along it, and turns back soon.
void FollowingRadius::descend() {
  const double missed = product(work_.missed, work_.missed);
  if (missed < least_missed_) {
    if (std::isfinite(least_missed_)) part_ = std::min(2 * part_, most_part);
    least_missed_ = missed;
    std::copy(work_.held.begin(), work_.held.end(), work_.best_held.begin());
    std::copy(work_.missed.begin(), work_.missed.end(), work_.best_missed.begin());
  } else {
    part_ *= 0.25;
  }
  for (std::size_t c = 0; c < work_.held.size(); ++c)
    work_.present[c] = work_.best_held[c] + part_ * work_.best_missed[c];
}

// Anderson: half of the way from where, by the steps that are remembered, least is missed
void FollowingRadius::extrapolate() {
  const auto step = [&](int k) { return place(rounds_ - k); };
  Small matrix(past_, past_);
  SmallColumn right(past_);
  for (int i = 0; i < past_; ++i) {
    right[i] = product(work_.missed_moved[step(i)], work_.missed);
    for (int j = 0; j <= i; ++j)
      matrix(i, j) = matrix(j, i) = product(work_.missed_moved[step(i)], work_.missed_moved[step(j)]);
    matrix(i, i) *= 1 + singular;
  }
  const SmallColumn share = matrix.ldlt().solve(right);
  for (std::size_t c = 0; c < work_.held.size(); ++c) work_.present[c] = work_.held[c] + first_part * work_.missed[c];
  if (!share.allFinite()) return;
  for (int i = 0; i < past_; ++i) {
    const Radii &held = work_.held_moved[step(i)], &missed = work_.missed_moved[step(i)];
    for (std::size_t c = 0; c < held.size(); ++c) work_.present[c] -= share[i] * (held[c] + first_part * missed[c]);
  }
}

}  // namespace pliant::solve
