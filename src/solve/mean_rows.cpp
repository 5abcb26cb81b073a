#include "solve/mean_rows.h"

#include "solve/sums.h"

#include <algorithm>

namespace pliant::solve {
namespace {

// nodes of a piece that one thread sums up
constexpr std::size_t chunk = 256;

Vec3d vector_at(const NodeVector<double>& v) { return {{v[0], v[1], v[2]}}; }

}  // namespace

MeanProducts::MeanProducts(const MeanRows& rows, Workers& workers, MeanRowsWork& work)
    : rows_(rows), workers_(workers), work_(work), pieces_(rows.begins.empty() ? 0 : rows.begins.size() - 1) {
  std::size_t most = 0;
  for (std::size_t p = 0; p < pieces_; ++p) most = std::max<std::size_t>(most, rows.begins[p + 1] - rows.begins[p]);
  work_.chunks.resize((most + chunk - 1) / chunk);
  work_.of_pieces.resize(pieces_);
}

void MeanProducts::add_velocities(const NodeVector<double>* v, Vec3Lanes* velocities) {
  if (empty()) return;
  for (std::size_t p = 0; p < pieces_; ++p) {
    const std::size_t begin = rows_.begins[p], end = rows_.begins[p + 1], chunks = (end - begin + chunk - 1) / chunk;
    workers_.for_each(chunks, 4, [&](std::size_t k) {
      Matrix<double, 3> sum = Matrix<double, 3>::zero();
      const std::size_t first = begin + k * chunk, last = std::min(end, first + chunk);
      for (std::size_t e = first; e < last; ++e) sum += outer(vector_at(v[rows_.nodes[e]]), rows_.weights[e]);
      work_.chunks[k] = sum;
    });
    Matrix<double, 3> sum = Matrix<double, 3>::zero();
    for (std::size_t k = 0; k < chunks; ++k) sum += work_.chunks[k];
    work_.of_pieces[p] = sum;
  }
  for (std::size_t c = 0; c < rows_.piece.size(); ++c) {
    if (rows_.piece[c] < 0) continue;
    const Vec3d more = work_.of_pieces[std::size_t(rows_.piece[c])] * rows_.shift[c];
    for (int d = 0; d < 3; ++d) velocities[c / 4][d].set(int(c % 4), velocities[c / 4][d][int(c % 4)] + more[d]);
  }
}

void MeanProducts::add_up(const Vec3Lanes* f, NodeVector<double>* result) {
  if (empty()) return;
  std::fill(work_.of_pieces.begin(), work_.of_pieces.end(), Matrix<double, 3>::zero());
  for (std::size_t c = 0; c < rows_.piece.size(); ++c)
    if (rows_.piece[c] >= 0) work_.of_pieces[std::size_t(rows_.piece[c])] += outer(vector_of(f, c), rows_.shift[c]);
  // a node may be of several pieces, but once of each
  for (std::size_t p = 0; p < pieces_; ++p) {
    const std::size_t begin = rows_.begins[p];
    workers_.for_each(rows_.begins[p + 1] - begin, 4 * chunk, [&](std::size_t e) {
      const Vec3d more = work_.of_pieces[p] * rows_.weights[begin + e];
      result[rows_.nodes[begin + e]] += NodeVector<double>::Vector{more[0], more[1], more[2], 0};
    });
  }
}

}  // namespace pliant::solve
