// The pool of all contacts of one problem, in arrays that solvers read: data, rows of weights by unknown, the partners'
// side, and the laws four at a time. Kinds of contacts (particles with geoms, nodes with boundaries, ...) stand one after
// the other.
#pragma once

#include "contact/contact_data.h"
#include "contact/laws/list.h"
#include "contact/namespace.h"
#include "solve/contact_problem.h"
#include "solve/strong_problem.h"

#include <span>
#include <vector>

namespace pliant::contact {

// the contacts of one kind
struct ContactRange {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first; }
};

// Friction of some laws goes by normal impulses of before. It is solved for once more where they are off by more than a
// part of their sum.
struct FrictionLag {
  double limit = 0.1;
  bool rough_only = false;  // contacts without friction do not count
};

// As a ContactPotential the sum of the laws of all its contacts.
class Contacts : public ContactPotential {
 public:
  // a node that has no unknown, in the row of a contact
  struct LeftOut {
    std::uint32_t contact, node;  // of the grid
    double weight;
  };

  // memory is kept for the next contacts
  void clear();
  // What is added from here on is of the next kind; it starts with a block of four of its own. One law per kind.
  std::size_t start_kind(const FrictionLag& lag = {});
  // the row of the contact that is added next, entry by entry
  void add_entry(std::uint32_t unknown, double weight) {
    unknowns_.push_back(unknown);
    weights_.push_back(weight);
  }
  // the same for many, where they are to be written
  struct Entries {
    std::uint32_t* unknowns;
    double* weights;
  };
  Entries add_entries(std::size_t count);
  void leave_out(std::uint32_t node, double weight);
  void add(const ContactData& contact, const PartnerSide& side = {});

  std::size_t size() const override { return data_.size(); }
  const ContactData& operator[](std::size_t c) const { return data_[c]; }
  ContactRange range(std::size_t kind) const { return kinds_[kind].range; }
  std::span<const LeftOut> left_out() const { return left_out_; }
  // rows, bias and laws; the rest is for the caller to fill in
  ContactProblem problem();
  void view(StrongProblem& problem);

  void evaluate(BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient, Block3<Lanes>* hessian) const override;
  void add_majorizer(BlockRange blocks, const Vec3Lanes* u, Block3<Lanes>* hessian) const override;
  bool follows() const override;
  void follow(BlockRange blocks, const Vec3Lanes* u) override;
  void get_radii(std::span<double> radii) const override;
  void set_radii(std::span<const double> radii) override;
  LineValue along(BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du, double alpha) const override;

  // Its impulse acts this far from its place; more: m/s, what the rows of matter and body have more there, as expected
  void move(std::size_t c, const Vec3d& shift, const Vec3d& more) {
    data_[c].shift = shift;
    arm_[c] += shift;
    bias_[c] += more;
  }

  // the solver's answer, by block: velocities, gradients of the laws
  void take(const Vec3Lanes* u, const Vec3Lanes* gradient);
  // what matter really got by contact c
  void set_radius(std::size_t c, double radius) { data_[c].radius = radius; }
  void set_exchanged(std::size_t c, const Vec3d& impulse) { data_[c].exchanged = impulse; }
  // that friction goes by
  void set_last_impulse(std::size_t c, double impulse);
  // true: the normal impulses that friction went by were off by much and have been replaced, solve again. Those that
  // follow the solve are not off.
  bool refresh_friction();

 private:
  struct Kind {
    ContactRange range;
    FrictionLag lag;
    bool follows = false, is_rough = false;
  };
  void set_law(std::size_t c);
  bool refresh_friction(const Kind& kind);

  std::vector<ContactData> data_;
  std::vector<Kind> kinds_;
  std::vector<LawBlocks> laws_;  // by kind
  std::vector<std::uint32_t> begins_ = {0}, unknowns_;
  std::vector<double> weights_;
  std::vector<Vec3d> bias_, arm_;
  std::vector<std::int32_t> body_;
  std::vector<LeftOut> left_out_;
};

}  // namespace pliant::contact
