// Nearest points of a vertex and a triangle, and of two edges, as weights of the four corners.
#pragma once

#include "cloth/namespace.h"
#include "core/small.h"

#include <algorithm>

namespace pliant::cloth {

using Vec = Vector<double, 3>;

// sum of weight * corner leads from the second thing's nearest point to the first's
struct Between {
  double weight[4];
  bool inside = true;  // both nearest points are inside of their edges; of a triangle always
};

// where on the edge from a to b the point nearest to x is, 0 to 1
inline double along_edge(const Vec& x, const Vec& a, const Vec& b) {
  const Vec e = b - a;
  const double square = dot(e, e);
  return square > 0 ? std::clamp(dot(x - a, e) / square, 0.0, 1.0) : 0.0;
}

// corner 0 is the vertex, 1 to 3 are the triangle
inline Between vertex_and_triangle(const Vec x[4]) {
  const Vec e = x[2] - x[1], f = x[3] - x[1], d = x[0] - x[1];
  const double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), de = dot(d, e), df = dot(d, f);
  const double det = ee * ff - ef * ef;
  const double u = ff * de - ef * df, v = ee * df - ef * de;
  if (det > 0 && u >= 0 && v >= 0 && u + v <= det) return {{1, (u + v) / det - 1, -u / det, -v / det}};
  // over no inner point: the nearest of its edges
  Between best = {};
  double least = 1e300;
  for (int k = 1; k <= 3; ++k) {
    const int next = k % 3 + 1;
    const double t = along_edge(x[0], x[k], x[next]);
    const Vec gap = x[0] - ((1 - t) * x[k] + t * x[next]);
    if (dot(gap, gap) >= least) continue;
    least = dot(gap, gap);
    best = {{1, 0, 0, 0}};
    best.weight[k] = t - 1;
    best.weight[next] = -t;
  }
  return best;
}

// from corner 0 to 1 and from corner 2 to 3; where an end is nearest, a vertex and a triangle say more
inline Between two_edges(const Vec x[4]) {
  const Vec e = x[1] - x[0], f = x[3] - x[2], d = x[0] - x[2];
  const double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), de = dot(d, e), df = dot(d, f);
  const double det = ee * ff - ef * ef;
  const double s = ef * df - ff * de, t = ee * df - ef * de;
  if (!(det > 1e-12 * ee * ff) || s <= 0 || s >= det || t <= 0 || t >= det) return {{0, 0, 0, 0}, false};
  return {{1 - s / det, s / det, t / det - 1, -t / det}};
}

}  // namespace pliant::cloth
