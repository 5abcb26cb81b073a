#include "contact/contacts.h"

#include <algorithm>
#include <cmath>

namespace pliant::contact {
namespace {

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

// f(kind, its laws, its first block, those of its blocks that are asked for, counted from there)
template <class Kinds, class Laws, class F>
void for_kinds(const Kinds& kinds, Laws& laws, BlockRange blocks, const F& f) {
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const std::size_t start = kinds[k].range.first / 4, end = blocks_of(kinds[k].range.last);
    const std::size_t first = std::max(blocks.first, start), last = std::min(blocks.last, end);
    if (first < last)
      std::visit([&](auto& of_kind) { f(kinds[k], of_kind, start, BlockRange{first - start, last - start}); }, laws[k]);
  }
}

}  // namespace

void Contacts::clear() {
  data_.clear();
  kinds_.clear();
  begins_.assign(1, 0);
  unknowns_.clear();
  weights_.clear();
  bias_.clear();
  arm_.clear();
  body_.clear();
  left_out_.clear();
}

std::size_t Contacts::start_kind(const FrictionLag& lag) {
  // empty contacts: no row, no law
  const std::size_t first = 4 * blocks_of(data_.size());
  data_.resize(first);
  bias_.resize(first, Vec3d::zero());
  arm_.resize(first, Vec3d::zero());
  body_.resize(first, -1);
  begins_.resize(first + 1, std::uint32_t(unknowns_.size()));
  kinds_.push_back({{first, first}, lag});
  if (laws_.size() < kinds_.size()) laws_.emplace_back();
  std::visit([](auto& blocks) { blocks.clear(); }, laws_[kinds_.size() - 1]);
  return kinds_.size() - 1;
}

Contacts::Entries Contacts::add_entries(std::size_t count) {
  const std::size_t first = weights_.size();
  unknowns_.resize(first + count);
  weights_.resize(first + count);
  return {unknowns_.data() + first, weights_.data() + first};
}

void Contacts::leave_out(std::uint32_t node, double weight) {
  left_out_.push_back({std::uint32_t(data_.size()), node, weight});
}

void Contacts::add(const ContactData& contact, const PartnerSide& side) {
  data_.push_back(contact);
  begins_.push_back(std::uint32_t(unknowns_.size()));
  bias_.push_back(side.given - side.solved);
  arm_.push_back(side.arm);
  body_.push_back(side.body);
  kinds_.back().follows = contact.follows && contact.law == LawKind::lagged;
  kinds_.back().is_rough = kinds_.back().is_rough || contact.friction > 0;
  ContactRange& range = kinds_.back().range;
  LawBlocks& laws = laws_[kinds_.size() - 1];
  if (range.size() == 0 && laws.index() != std::size_t(contact.law)) laws = no_blocks(contact.law);
  if (range.size() % 4 == 0) std::visit([](auto& blocks) { blocks.emplace_back(); }, laws);
  ++range.last;
  set_law(data_.size() - 1);
}

void Contacts::set_law(std::size_t c) {
  std::size_t k = kinds_.size() - 1;
  while (c < kinds_[k].range.first) --k;
  const std::size_t block = (c - kinds_[k].range.first) / 4;
  std::visit(
      [&](auto& blocks, const auto& one) {
        if constexpr (requires { set_lane(blocks[block], 0, one); }) set_lane(blocks[block], int(c % 4), one);
      },
      laws_[k], law_of(data_[c]));
}

ContactProblem Contacts::problem() {
  ContactProblem p;
  p.begins = begins_;
  p.nodes = unknowns_;
  p.weights = weights_;
  p.bias = bias_;
  p.potential = this;
  return p;
}

void Contacts::view(StrongProblem& p) {
  p.begins = begins_;
  p.nodes = unknowns_;
  p.weights = weights_;
  p.bias = bias_;
  p.body = body_;
  p.arm = arm_;
  p.potential = this;
}

void Contacts::evaluate(BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient, Block3<Lanes>* hessian) const {
  for_kinds(kinds_, laws_, blocks, [&](const Kind&, const auto& laws, std::size_t start, BlockRange own) {
    for (std::size_t b = own.first; b < own.last; ++b) {
      const LawValue<Lanes> l = value_at<Lanes>(laws[b], u[start + b]);
      gradient[start + b] = l.gradient;
      hessian[start + b] = l.hessian;
    }
  });
}

void Contacts::add_majorizer(BlockRange blocks, const Vec3Lanes* u, Block3<Lanes>* hessian) const {
  for_kinds(kinds_, laws_, blocks, [&](const Kind&, const auto& laws, std::size_t start, BlockRange own) {
    using LawOfLanes = typename std::decay_t<decltype(laws)>::value_type;
    if constexpr (LawOfLanes::lags)
      for (std::size_t b = own.first; b < own.last; ++b) {
        const SplitVector<Lanes> x = laws[b].frame.missing(u[start + b]);
        hessian[start + b].add_square(-laws[b].at(x.normal, dot(x.tangent, x.tangent)).c, x.tangent);
      }
  });
}

bool Contacts::follows() const {
  return std::any_of(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.follows && kind.is_rough; });
}

void Contacts::follow(BlockRange blocks, const Vec3Lanes* u) {
  for_kinds(kinds_, laws_, blocks, [&](const Kind& kind, auto& laws, std::size_t start, BlockRange own) {
    if constexpr (std::decay_t<decltype(laws)>::value_type::lags)
      for (std::size_t b = own.first; kind.follows && b < own.last; ++b) laws[b].follow(u[start + b]);
  });
}

void Contacts::get_radii(std::span<double> radii) const {
  for_kinds(kinds_, laws_, {0, blocks_of(size())}, [&](const Kind& kind, const auto& laws, std::size_t, BlockRange) {
    if constexpr (std::decay_t<decltype(laws)>::value_type::lags)
      for (std::size_t c = kind.range.first; kind.follows && c < kind.range.last; ++c)
        radii[c] = laws[(c - kind.range.first) / 4].radius[int(c % 4)];
  });
}

void Contacts::set_radii(std::span<const double> radii) {
  for_kinds(kinds_, laws_, {0, blocks_of(size())},
            [&](const Kind& kind, auto& laws, std::size_t start, BlockRange own) {
              if constexpr (std::decay_t<decltype(laws)>::value_type::lags)
                for (std::size_t b = own.first; kind.follows && b < own.last; ++b) {
                  Lanes four = 0;
                  for (std::size_t c = 4 * (start + b); c < std::min(kind.range.last, 4 * (start + b + 1)); ++c)
                    four.set(int(c % 4), radii[c]);
                  laws[b].set_radius(four);
                }
            });
}

LineValue Contacts::along(BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du, double alpha) const {
  LineValue total;
  for_kinds(kinds_, laws_, blocks, [&](const Kind&, const auto& laws, std::size_t start, BlockRange own) {
    const LineValue part = along_blocks(laws, own, u + start, du + start, alpha);
    total.value += part.value;
    total.slope += part.slope;
    total.curvature += part.curvature;
  });
  return total;
}

void Contacts::take(const Vec3Lanes* u, const Vec3Lanes* gradient) {
  for (const Kind& kind : kinds_)
    for (std::size_t c = kind.range.first; c < kind.range.last; ++c) {
      ContactData& contact = data_[c];
      contact.velocity = vector_of(u, c);
      contact.impulse = contact.exchanged = -1.0 * vector_of(gradient, c);
      contact.normal_impulse = normal_impulse(contact, contact.velocity);
      if (kind.follows) contact.last_impulse = contact.normal_impulse;
      contact.slips = slips(contact, contact.velocity);
    }
}

void Contacts::set_last_impulse(std::size_t c, double impulse) {
  data_[c].last_impulse = impulse;
  set_law(c);
}

bool Contacts::refresh_friction(const Kind& kind) {
  const bool lags = std::visit([](const auto& laws) { return std::decay_t<decltype(laws)>::value_type::lags; },
                               laws_[std::size_t(&kind - kinds_.data())]);
  if (!lags || kind.follows) return false;
  const auto counts = [&](const ContactData& c) { return !kind.lag.rough_only || c.friction > 0; };
  double off = 0, all = 0;
  for (std::size_t c = kind.range.first; c < kind.range.last; ++c) {
    if (!counts(data_[c])) continue;
    off += std::fabs(data_[c].normal_impulse - data_[c].last_impulse);
    all += data_[c].normal_impulse;
  }
  if (off <= kind.lag.limit * all) return false;
  for (std::size_t c = kind.range.first; c < kind.range.last; ++c)
    if (counts(data_[c])) set_last_impulse(c, data_[c].normal_impulse);
  return true;
}

bool Contacts::refresh_friction() {
  bool any = false;
  for (const Kind& kind : kinds_) any |= refresh_friction(kind);
  return any;
}

}  // namespace pliant::contact
