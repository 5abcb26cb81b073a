// From vectors of four numbers to rows, one lane per vector, and back.
#pragma once

#include "cloth/namespace.h"
#include "core/pack.h"

namespace pliant::cloth {

// a vector and room for a fourth number
template <class S>
struct alignas(4 * sizeof(S)) Quad {
  S a[4];
};

// row[d] has number d of quad l in lane l
template <class S>
inline void to_rows(const Pack<S, 4>* quads, Wide<S>* row) {
  if constexpr (Wide<S>::lanes == 8) {
    Wide<S> pair[4];  // quads l and l + 4
    for (int l = 0; l < 4; ++l) pair[l] = __builtin_shufflevector(quads[l].v, quads[l + 4].v, 0, 1, 2, 3, 4, 5, 6, 7);
    const auto a = __builtin_shufflevector(pair[0].v, pair[1].v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto b = __builtin_shufflevector(pair[0].v, pair[1].v, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto c = __builtin_shufflevector(pair[2].v, pair[3].v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto d = __builtin_shufflevector(pair[2].v, pair[3].v, 2, 10, 3, 11, 6, 14, 7, 15);
    row[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    row[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    row[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    row[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
  } else {
    for (int l = 0; l < Wide<S>::lanes; ++l)
      for (int d = 0; d < 4; ++d) row[d].set(l, quads[l][d]);
  }
}

}  // namespace pliant::cloth
