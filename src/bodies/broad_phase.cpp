#include "bodies/broad_phase.h"

#include "core/parallel.h"

#include <algorithm>
#include <limits>

namespace pliant::bodies {
namespace {

using Floats = Wide<float>;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();  // compares with nothing

// the nearest float that is not above, or not below
float round_down(double x) {
  const auto f = float(x);
  return double(f) > x ? std::nextafter(f, -infinity) : f;
}
float round_up(double x) {
  const auto f = float(x);
  return double(f) < x ? std::nextafter(f, infinity) : f;
}

template <class S>
struct Box {
  S lower[3], upper[3];
};

template <int D, class S>
Box<S> box_of(const S* x, std::size_t stride, std::size_t count) {
  Box<S> box = {};
  for (int i = 0; i < D; ++i) box.lower[i] = box.upper[i] = x[i];
  for (std::size_t p = 1; p < count; ++p)
    for (int i = 0; i < D; ++i) {
      box.lower[i] = min(x[p * stride + i], box.lower[i]);
      box.upper[i] = max(x[p * stride + i], box.upper[i]);
    }
  return box;
}

}  // namespace

void BroadPhase::resize(std::size_t groups) {
  const std::size_t room = (groups + Floats::lanes - 1) / Floats::lanes * Floats::lanes;
  for (int i = 0; i < 3; ++i) {
    lower_[i].resize(room);
    upper_[i].resize(room);
    std::fill(lower_[i].begin() + std::ptrdiff_t(groups), lower_[i].end(), not_a_number);
    std::fill(upper_[i].begin() + std::ptrdiff_t(groups), upper_[i].end(), not_a_number);
  }
  begins_.resize(groups + 1);
}

template <class S>
void BroadPhase::build(const PositionsView<S>& positions, Workers& workers) {
  const std::size_t groups = (positions.count + group_size - 1) / group_size;
  resize(groups);
  workers.for_each(groups, 16, [&](std::size_t g) {
    const std::size_t begin = g * group_size, count = std::min<std::size_t>(group_size, positions.count - begin);
    const S* x = positions.first + begin * positions.stride;
    const Box<S> box =
        positions.dimension == 2 ? box_of<2>(x, positions.stride, count) : box_of<3>(x, positions.stride, count);
    for (int i = 0; i < 3; ++i) {
      lower_[i][g] = round_down(box.lower[i]);
      upper_[i][g] = round_up(box.upper[i]);
    }
    begins_[g] = std::uint32_t(begin);
  });
  begins_[groups] = std::uint32_t(positions.count);
}

template void BroadPhase::build<float>(const PositionsView<float>&, Workers&);
template void BroadPhase::build<double>(const PositionsView<double>&, Workers&);

void BroadPhase::build(std::span<const Bounds> boxes, std::span<const std::uint32_t> begins) {
  resize(boxes.size());
  for (std::size_t g = 0; g < boxes.size(); ++g)
    for (int i = 0; i < 3; ++i) {
      lower_[i][g] = round_down(boxes[g].lower[i]);
      upper_[i][g] = round_up(boxes[g].upper[i]);
    }
  std::copy(begins.begin(), begins.end(), begins_.begin());
}

// a group's middle that is farther from the shape than the group's radius and the margin keeps all of the group away
bool BroadPhase::is_near(const PosedShape& posed, std::size_t g, double margin) const {
  Vector<double, 3> middle, half;
  for (int i = 0; i < 3; ++i) {
    middle[i] = 0.5 * (double(lower_[i][g]) + double(upper_[i][g]));
    half[i] = 0.5 * (double(upper_[i][g]) - double(lower_[i][g]));
  }
  const Vector<double, 3> local = transpose(posed.pose.rotation) * (middle - posed.pose.position);
  // a rotation is one up to round-off only
  const double round_off = 1e-12 * (norm(middle) + norm(posed.pose.position) + norm(half));
  return !(distance_at_least(*posed.shape, local) > norm(half) + margin + round_off);
}

void BroadPhase::query(std::span<const PosedShape> shapes, double margin, std::vector<TouchCandidate>& found) const {
  found.clear();
  for (std::uint32_t s = 0; s < shapes.size(); ++s) {
    const Bounds bounds = world_bounds(*shapes[s].shape, shapes[s].pose);
    Floats lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
      lower[i] = round_down(bounds.lower[i] - margin);
      upper[i] = round_up(bounds.upper[i] + margin);
    }
    const std::size_t first = found.size();
    for (std::size_t g = 0; g < lower_[0].size(); g += Floats::lanes) {
      auto overlap = (Floats::load(&lower_[0][g]) <= upper[0]) & (Floats::load(&upper_[0][g]) >= lower[0]);
      for (int i = 1; i < 3; ++i)
        overlap = overlap & (Floats::load(&lower_[i][g]) <= upper[i]) & (Floats::load(&upper_[i][g]) >= lower[i]);
      for (unsigned bits = bits_of(overlap); bits != 0; bits &= bits - 1) {
        const std::size_t group = g + std::size_t(std::countr_zero(bits));
        if (!is_near(shapes[s], group, margin)) continue;
        if (found.size() > first && found.back().end == begins_[group])
          found.back().end = begins_[group + 1];
        else
          found.push_back({s, begins_[group], begins_[group + 1]});
      }
    }
  }
}

}  // namespace pliant::bodies
