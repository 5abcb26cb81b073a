#include "scene/fit_volumes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant::scene {
namespace {

using geometry::Moments;
using geometry::Point;

constexpr double most_change = 3;
constexpr int most = 10;
using Row = std::array<double, most>;

// 1, x, y, z, xx, yy, zz, xy, yz, zx
Row powers(const Point& p) {
  return {1, p[0], p[1], p[2], p[0] * p[0], p[1] * p[1], p[2] * p[2], p[0] * p[1], p[1] * p[2], p[2] * p[0]};
}

// a place and a length that make all moments of the points about as large
struct Scale {
  Point middle;
  double length;
  Point operator()(const Point& p) const { return (1 / length) * (p - middle); }
};

Scale scale_of(const std::vector<Point>& points) {
  Point lower = points.front(), upper = points.front();
  for (const Point& p : points)
    for (int d = 0; d < 3; ++d) {
      lower[d] = std::min(lower[d], p[d]);
      upper[d] = std::max(upper[d], p[d]);
    }
  return {0.5 * (lower + upper), std::max(0.5 * norm(upper - lower), 1e-300)};
}

// the moments about another place, in another length
Row scaled(const Moments& m, const Scale& scale) {
  const Point& c = scale.middle;
  const double l = scale.length, V = m.volume;
  constexpr int pair_of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  Row row;
  row[0] = V;
  for (int d = 0; d < 3; ++d) row[std::size_t(1 + d)] = (m.first[d] - V * c[d]) / l;
  for (std::size_t k = 0; k < 6; ++k) {
    const auto [i, j] = pair_of[k];
    row[4 + k] = (m.second[k] - c[i] * m.first[j] - c[j] * m.first[i] + V * c[i] * c[j]) / (l * l);
  }
  return row;
}

// Cholesky's method on the first n rows; false: the matrix is singular, or nearly so
bool solve(int n, std::array<Row, most>& A, Row& x) {
  constexpr double least_pivot = 1e-7;
  for (int j = 0; j < n; ++j) {
    double pivot = A[j][j];
    for (int k = 0; k < j; ++k) pivot -= A[j][k] * A[j][k];
    if (!(pivot > least_pivot * A[j][j])) return false;
    A[j][j] = std::sqrt(pivot);
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= A[i][k] * x[k];
    x[i] /= A[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= A[k][i] * x[k];
    x[i] /= A[i][i];
  }
  return true;
}

// of the first n powers, that move the first n moments to those wanted, to first order; false: they do not tell them apart
bool find_factors(int n, const Row& wanted, const std::vector<Row>& rows, const std::vector<double>& volumes, Row& x) {
  std::array<Row, most> A = {};
  x = wanted;
  for (std::size_t p = 0; p < rows.size(); ++p)
    for (int i = 0; i < n; ++i) {
      x[i] -= volumes[p] * rows[p][i];
      for (int j = 0; j <= i; ++j) A[i][j] += volumes[p] * rows[p][i] * rows[p][j];
    }
  return solve(n, A, x);
}

// V_p <- V_p (1 + sum of factors times powers) meets the first n moments; false: volumes are as they were
bool fit(int n, const Row& wanted, const std::vector<Row>& rows, std::vector<double>& volumes) {
  Row x;
  if (!find_factors(n, wanted, rows, volumes, x)) return false;
  std::vector<double> fitted = volumes;
  for (std::size_t p = 0; p < rows.size(); ++p) {
    double factor = 1;
    for (int i = 0; i < n; ++i) factor += x[i] * rows[p][i];
    if (!(factor > 1 / most_change) || !(factor < most_change)) return false;
    fitted[p] *= factor;
  }
  volumes.swap(fitted);
  return true;
}

// V_p <- V_p exp(sum of factors times powers), by Newton's method: meets all moments and keeps volumes positive
bool fit_exponential(const Row& wanted, const std::vector<Row>& rows, std::vector<double>& volumes) {
  constexpr int most_iterations = 30;
  constexpr double done = 1e-12;
  for (int n = 0; n < most_iterations; ++n) {
    Row x;
    if (!find_factors(most, wanted, rows, volumes, x)) return false;
    double largest = 0;
    for (std::size_t p = 0; p < rows.size(); ++p) {
      double change = 0;
      for (int i = 0; i < most; ++i) change += x[i] * rows[p][i];
      volumes[p] *= std::exp(std::clamp(change, -0.5, 0.5));
      largest = std::max(largest, std::fabs(change));
    }
    if (largest < done) return true;
  }
  return false;
}

// of the points
Moments moments_of(const std::vector<Point>& points, const std::vector<double>& volumes) {
  Moments m;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Row row = powers(points[p]);
    m.volume += volumes[p];
    for (int d = 0; d < 3; ++d) m.first[d] += volumes[p] * row[std::size_t(1 + d)];
    for (std::size_t k = 0; k < 6; ++k) m.second[k] += volumes[p] * row[4 + k];
  }
  return m;
}

}  // namespace

std::vector<double> masses_on_grid(const std::vector<Point>& points, const std::vector<double>& volumes, double smear) {
  constexpr double most_lowered = 0.3;
  Moments wanted = moments_of(points, volumes);
  const Point center = (1 / wanted.volume) * wanted.first;
  for (std::size_t d = 0; d < 3; ++d) {
    const double square = wanted.second[d] / wanted.volume - center[int(d)] * center[int(d)];
    smear = std::min(smear, most_lowered * square);
  }
  for (int d = 0; d < 3; ++d) wanted.second[d] -= wanted.volume * smear;
  const Scale scale = scale_of(points);
  std::vector<Row> rows;
  rows.reserve(points.size());
  for (const Point& p : points) rows.push_back(powers(scale(p)));
  std::vector<double> masses = volumes;
  return fit_exponential(scaled(wanted, scale), rows, masses) ? masses : volumes;
}

int fit_volumes(const Moments& wanted, const std::vector<Point>& points, std::vector<double>& volumes) {
  const Scale scale = scale_of(points);
  const Row moments = scaled(wanted, scale);
  std::vector<Row> rows;
  rows.reserve(points.size());
  for (const Point& p : points) rows.push_back(powers(scale(p)));
  for (const int n : {most, 4, 1})
    if (fit(n, moments, rows, volumes)) {
      fit(n, moments, rows, volumes);  // what round-off has left
      return n;
    }
  return 0;
}

}  // namespace pliant::scene
