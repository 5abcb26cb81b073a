#include "cloth/sheet_forces.h"

#include "cloth/hinge.h"
#include "grid/transfer_packs.h"

#include <algorithm>

namespace pliant::cloth {
namespace {

constexpr std::size_t grain = 512;  // hinges or vertices

template <class S>
std::size_t packs_of(std::size_t count) {
  return (count + std::size_t(Wide<S>::lanes) - 1) / std::size_t(Wide<S>::lanes);
}

}  // namespace

template <class S>
SheetForces<S>::SheetForces(const Sheet<S>& sheet, const Cloth<S>& law) : sheet_(sheet), law_(law) {
  at_.resize(sheet.vertices);
  forces_.resize(sheet.shares.size());
  share_of_.resize(sheet.shares.size());
  for (std::uint32_t k = 0; k < sheet.shares.size(); ++k) share_of_[sheet.shares[k]] = k;
  bent_.resize(sheet.vertices);
  energies_.resize(packs_of<S>(sheet.hinges.size()));
  // shares go upwards, those of the triangles first
  for (std::size_t v = 0; v < sheet.vertices; ++v) {
    const auto begin = sheet.shares.begin() + sheet.share_starts[v],
               end = sheet.shares.begin() + sheet.share_starts[v + 1];
    hinge_shares_.push_back(
        std::uint32_t(std::lower_bound(begin, end, std::uint32_t(3 * sheet.elements.size())) - sheet.shares.begin()));
  }
}

template <class S>
template <bool settles>
void SheetForces<S>::pull(TrianglePack<S>& pack) {
  using P = Wide<S>;
  using Four = Pack<S, 4>;
  Four edge1[P::lanes], edge2[P::lanes], constants[P::lanes];
  P d1[4], d2[4], inverse[4], volume;
  for (int l = 0; l < P::lanes; ++l) {
    const Element<S>& element = sheet_.elements[pack.number[l]];
    const Four start = Four::load(at_[element.corner[0]].a);
    edge1[l] = Four::load(at_[element.corner[1]].a) - start;
    edge2[l] = Four::load(at_[element.corner[2]].a) - start;
    constants[l] = Four::load(element.inverse);
    volume.set(l, element.volume);
  }
  to_rows<S>(edge1, d1);
  to_rows<S>(edge2, d2);
  to_rows<S>(constants, inverse);

  Matrix<P, 3> F;
  for (int d = 0; d < 3; ++d) {
    F(d, 0) = d1[d] * inverse[0] + d2[d] * inverse[2];
    F(d, 1) = d1[d] * inverse[1] + d2[d] * inverse[3];
    F(d, 2) = pack.director[d];
  }
  if constexpr (settles) law_.settle(F);

  // forces on the corners: minus the volume times the derivative by the edges
  const Matrix<P, 3> stress = law_.stress(F, Memory<P, 3>{F, P(0)});
  const P scale = P(0) - volume;
  P f0[3], f1[3], f2[3];
  for (int d = 0; d < 3; ++d) {
    f1[d] = scale * (stress(d, 0) * inverse[0] + stress(d, 1) * inverse[1]);
    f2[d] = scale * (stress(d, 0) * inverse[2] + stress(d, 1) * inverse[3]);
    f0[d] = P(0) - f1[d] - f2[d];
    pack.thrust[d] = volume * stress(d, 2);
    pack.director[d] = F(d, 2);
  }
  pack.F = F;
  alignas(64) S out[3][P::lanes][4];
  zip<S>(f0[0], f0[1], f0[2], P(0), out[0]);
  zip<S>(f1[0], f1[1], f1[2], P(0), out[1]);
  zip<S>(f2[0], f2[1], f2[2], P(0), out[2]);
  for (int l = 0; l < pack.count; ++l) {
    const std::uint32_t* share = &share_of_[3 * std::size_t(pack.number[l])];
    for (int k = 0; k < 3; ++k) Four::load(out[k][l]).store(forces_[share[k]].a);
  }
}

template <class S>
typename SheetForces<S>::HingePack SheetForces<S>::hinges_from(std::size_t first) const {
  using P = Wide<S>;
  HingePack pack;
  pack.count = int(std::min(std::size_t(P::lanes), sheet_.hinges.size() - first));
  Pack<S, 4> at[4][P::lanes];
  for (int l = 0; l < P::lanes; ++l) {
    // lanes past the end repeat the last hinge
    const Hinge<S>& hinge = sheet_.hinges[first + std::size_t(std::min(l, pack.count - 1))];
    for (int k = 0; k < 4; ++k) at[k][l] = Pack<S, 4>::load(at_[hinge.corner[k]].a);
    pack.stiffness.set(l, hinge.stiffness);
    pack.rest_angle.set(l, hinge.rest_angle);
  }
  for (int k = 0; k < 4; ++k) {
    P row[4];
    to_rows<S>(at[k], row);
    pack.x[k] = {{row[0], row[1], row[2]}};
  }
  return pack;
}

template <class S>
void SheetForces<S>::bend_pack(std::size_t first) {
  using P = Wide<S>;
  const HingePack pack = hinges_from(first);
  const HingeAngle<P> now = hinge_angle(pack.x);
  const P moment = pack.stiffness * (pack.rest_angle - now.angle);
  alignas(64) S out[4][P::lanes][4];
  for (int k = 0; k < 4; ++k) {
    const Vector<P, 3> f = moment * now.gradient[k];
    zip<S>(f[0], f[1], f[2], P(0), out[k]);
  }
  const std::uint32_t* share = &share_of_[3 * sheet_.elements.size() + 4 * first];
  for (int l = 0; l < pack.count; ++l)
    for (int k = 0; k < 4; ++k) Pack<S, 4>::load(out[k][l]).store(forces_[share[4 * l + k]].a);
}

template <class S>
void SheetForces<S>::bend(Workers& workers) {
  constexpr std::size_t lanes = std::size_t(Wide<S>::lanes);
  workers.for_each(packs_of<S>(sheet_.hinges.size()), grain / lanes, [&](std::size_t k) { bend_pack(k * lanes); });
  workers.for_each(sheet_.vertices, grain, [&](std::size_t v) {
    Pack<S, 4> sum = 0;
    for (std::uint32_t k = hinge_shares_[v]; k < sheet_.share_starts[v + 1]; ++k) sum += Pack<S, 4>::load(forces_[k].a);
    sum.store(bent_[v].a);
  });
}

template <class S>
double SheetForces<S>::bending_energy(Workers& workers) {
  constexpr std::size_t lanes = std::size_t(Wide<S>::lanes);
  workers.for_each(packs_of<S>(sheet_.hinges.size()), grain / lanes, [&](std::size_t k) {
    const HingePack pack = hinges_from(k * lanes);
    const Wide<S> bend = hinge_angle(pack.x).angle - pack.rest_angle, energy = pack.stiffness * bend * bend;
    energies_[k] = 0;
    for (int l = 0; l < pack.count; ++l) energies_[k] += 0.5 * double(energy[l]);
  });
  double sum = 0;
  for (const double energy : energies_) sum += energy;
  return sum;
}

template <class S>
Pack<S, 4> SheetForces<S>::pull_on(std::size_t vertex) const {
  Pack<S, 4> sum = 0;
  for (std::uint32_t k = sheet_.share_starts[vertex]; k < hinge_shares_[vertex]; ++k)
    sum += Pack<S, 4>::load(forces_[k].a);
  return sum;
}

template class SheetForces<float>;
template class SheetForces<double>;
template void SheetForces<float>::pull<true>(TrianglePack<float>&);
template void SheetForces<float>::pull<false>(TrianglePack<float>&);
template void SheetForces<double>::pull<true>(TrianglePack<double>&);
template void SheetForces<double>::pull<false>(TrianglePack<double>&);

}  // namespace pliant::cloth
