// The laws of all contacts of a substep, for the solver.
#pragma once

#include "contact/namespace.h"
#include "contact/lagged.h"
#include "contact/sap.h"
#include "contact/terms.h"
#include "solve/contact_problem.h"

#include <vector>

namespace pliant::contact {

enum class LawKind { lagged, sap };

class LawPotential final : public ContactPotential {
 public:
  LawPotential(LawKind kind, bool memory) : kind_(kind), memory_(memory) {}

  // memory is kept for the next contacts
  void clear();
  void add(const ContactTerms& terms);
  void set_last_impulse(std::size_t c, double impulse);
  double last_impulse(std::size_t c) const { return terms_[c].last_impulse; }
  const ContactTerms& terms(std::size_t c) const { return terms_[c]; }

  std::size_t size() const override { return terms_.size(); }
  void evaluate(BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient, Block3<Lanes>* hessian) const override;
  void add_majorizer(BlockRange blocks, const Vec3Lanes* u,
                     Block3<Lanes>* hessian) const override;  // lagged laws only
  LineValue along(BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du, double alpha) const override;

  // of one contact
  LawValue<double> evaluate(std::size_t c, const Vec3d& u) const;
  LawLine<double> along(std::size_t c, const Vec3d& u, const Vec3d& du, double alpha) const;
  Vec3d gradient(std::size_t c, const Vec3d& u) const { return evaluate(c, u).gradient; }
  // N s, along the normal: exactly 0 apart, whatever friction does
  double normal_impulse(std::size_t c, const Vec3d& u) const;
  // friction gives all it can
  bool slips(std::size_t c, const Vec3d& u) const;
  // m, of the matter from its anchor at the end of the substep; zero without memory
  Vec3d offset_after(std::size_t c, const Vec3d& u) const;

 private:
  LawKind kind_;
  bool memory_;
  std::vector<ContactTerms> terms_;
  // by block, those of the kind in use
  std::vector<LaggedLaw<Lanes>> lagged_;
  std::vector<SapLaw<Lanes>> sap_;
};

}  // namespace pliant::contact
