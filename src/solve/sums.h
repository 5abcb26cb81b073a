// Sums over nodes or contacts. They go in double over pieces of fixed size, and the sums of the pieces are added in
// their order, so that no number of threads changes a bit.
#pragma once

#include "core/buffer.h"
#include "core/parallel.h"
#include "solve/namespace.h"

#include <algorithm>
#include <cstddef>

namespace pliant::solve {

struct ThreeSums {
  double a = 0, b = 0, c = 0;
};

constexpr std::size_t nodes_per_piece = 256;

class PieceSums {
 public:
  // threaded: false where a loop takes less time than starting it on threads
  PieceSums(Workers& workers, Buffer<ThreeSums>& pieces, bool threaded = true)
      : workers_(workers), pieces_(pieces), threaded_(threaded) {}

  // f(first, last) -> ThreeSums of what is in between
  template <class F>
  ThreeSums over(std::size_t count, std::size_t per_piece, const F& f) const {
    const std::size_t pieces = (count + per_piece - 1) / per_piece;
    pieces_.resize(pieces);
    for_pieces(pieces,
               [&](std::size_t i) { pieces_[i] = sums_of(f, i * per_piece, std::min(count, (i + 1) * per_piece)); });
    ThreeSums total;
    for (const ThreeSums& piece : pieces_) {
      total.a += piece.a;
      total.b += piece.b;
      total.c += piece.c;
    }
    return total;
  }
  // f(i), in any order
  template <class F>
  void each(std::size_t count, const F& f) const {
    for_pieces((count + nodes_per_piece - 1) / nodes_per_piece, [&](std::size_t piece) {
      const std::size_t last = std::min(count, (piece + 1) * nodes_per_piece);
      for (std::size_t i = piece * nodes_per_piece; i < last; ++i) f(i);
    });
  }

 private:
  template <class F>
  void for_pieces(std::size_t pieces, const F& f) const {
    constexpr std::size_t most_per_task = 4;
    if (threaded_)
      workers_.for_each(pieces,
                        std::clamp<std::size_t>(pieces / (2 * std::size_t(workers_.threads())), 1, most_per_task), f);
    else
      for (std::size_t i = 0; i < pieces; ++i) f(i);
  }
  // one code for a piece, whoever runs it: the compiler is free to round differently in two copies
  template <class F>
  [[gnu::noinline, gnu::noclone]] static ThreeSums sums_of(const F& f, std::size_t first, std::size_t last) {
    return f(first, last);
  }

  Workers& workers_;
  Buffer<ThreeSums>& pieces_;
  bool threaded_;
};

}  // namespace pliant::solve
