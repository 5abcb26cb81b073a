#include "contact/potential.h"

namespace pliant::contact {
namespace {

template <class LawOfLanes>
void evaluate_blocks(const std::vector<LawOfLanes>& laws, BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient,
                     Block3<Lanes>* hessian) {
  for (std::size_t b = blocks.first; b < blocks.last; ++b) {
    const LawValue<Lanes> l = value_at<Lanes>(laws[b], u[b]);
    gradient[b] = l.gradient;
    hessian[b] = l.hessian;
  }
}

double sum(Lanes x) { return (x[0] + x[1]) + (x[2] + x[3]); }

template <class LawOfLanes>
LineValue along_blocks(const std::vector<LawOfLanes>& laws, BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du,
                       double alpha) {
  LawLine<Lanes> total = {Lanes(0), Lanes(0), Lanes(0)};
  for (std::size_t b = blocks.first; b < blocks.last; ++b) {
    const LawLine<Lanes> l = line_at<Lanes>(laws[b], u[b], du[b], Lanes(alpha));
    total.value += l.value;
    total.slope += l.slope;
    total.curvature += l.curvature;
  }
  return {sum(total.value), sum(total.slope), sum(total.curvature)};
}

template <class LawOfLanes, class LawOfOne>
void add_lane(std::vector<LawOfLanes>& laws, std::size_t c, const LawOfOne& one) {
  if (c % 4 == 0) laws.emplace_back();
  set_lane(laws[c / 4], int(c % 4), one);
}

template <class LawOfOne>
bool slips_at(const LawOfOne& law, const Vec3d& u) {
  const SplitVector<double> x = law.frame.missing(u);
  return law.slips(x.normal, dot(x.tangent, x.tangent));
}

template <class LawOfOne>
double normal_at(const LawOfOne& law, const Vec3d& u) {
  const SplitVector<double> x = law.frame.missing(u);
  return law.at(x.normal, dot(x.tangent, x.tangent)).normal;
}

}  // namespace

void LawPotential::clear() {
  terms_.clear();
  lagged_.clear();
  sap_.clear();
}

void LawPotential::add(const ContactTerms& terms) {
  const std::size_t c = terms_.size();
  terms_.push_back(terms);
  if (kind_ == LawKind::lagged)
    add_lane(lagged_, c, LaggedLaw<double>(terms, memory_));
  else
    add_lane(sap_, c, SapLaw<double>(terms, memory_));
}

void LawPotential::set_last_impulse(std::size_t c, double impulse) {
  terms_[c].last_impulse = impulse;
  if (kind_ == LawKind::lagged) set_lane(lagged_[c / 4], int(c % 4), LaggedLaw<double>(terms_[c], memory_));
}

void LawPotential::evaluate(BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient,
                            Block3<Lanes>* hessian) const {
  if (kind_ == LawKind::lagged)
    evaluate_blocks(lagged_, blocks, u, gradient, hessian);
  else
    evaluate_blocks(sap_, blocks, u, gradient, hessian);
}

void LawPotential::add_majorizer(BlockRange blocks, const Vec3Lanes* u, Block3<Lanes>* hessian) const {
  if (kind_ != LawKind::lagged) return;
  for (std::size_t b = blocks.first; b < blocks.last; ++b) {
    const SplitVector<Lanes> x = lagged_[b].frame.missing(u[b]);
    hessian[b].add_square(-lagged_[b].at(x.normal, dot(x.tangent, x.tangent)).c, x.tangent);
  }
}

LineValue LawPotential::along(BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du, double alpha) const {
  return kind_ == LawKind::lagged ? along_blocks(lagged_, blocks, u, du, alpha)
                                  : along_blocks(sap_, blocks, u, du, alpha);
}

LawValue<double> LawPotential::evaluate(std::size_t c, const Vec3d& u) const {
  return kind_ == LawKind::lagged ? value_at<double>(LaggedLaw<double>(terms_[c], memory_), u)
                                  : value_at<double>(SapLaw<double>(terms_[c], memory_), u);
}

LawLine<double> LawPotential::along(std::size_t c, const Vec3d& u, const Vec3d& du, double alpha) const {
  return kind_ == LawKind::lagged ? line_at<double>(LaggedLaw<double>(terms_[c], memory_), u, du, alpha)
                                  : line_at<double>(SapLaw<double>(terms_[c], memory_), u, du, alpha);
}

double LawPotential::normal_impulse(std::size_t c, const Vec3d& u) const {
  return kind_ == LawKind::lagged ? normal_at(LaggedLaw<double>(terms_[c], memory_), u)
                                  : normal_at(SapLaw<double>(terms_[c], memory_), u);
}

bool LawPotential::slips(std::size_t c, const Vec3d& u) const {
  return kind_ == LawKind::lagged ? slips_at(LaggedLaw<double>(terms_[c], memory_), u)
                                  : slips_at(SapLaw<double>(terms_[c], memory_), u);
}

Vec3d LawPotential::offset_after(std::size_t c, const Vec3d& u) const {
  const ContactTerms& t = terms_[c];
  if (!memory_ || !(t.stiffness > 0)) return Vec3d::zero();
  if (!slips(c, u)) {
    return SplitVector<double>(t.normal, t.offset + t.dt * u).tangent;
  }
  // the spring pulls with the friction of this substep: it lies on the cone
  return (1 / (t.dt * t.stiffness)) * SplitVector<double>(t.normal, gradient(c, u)).tangent;
}

}  // namespace pliant::contact
