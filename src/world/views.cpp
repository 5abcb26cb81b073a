// Particles of a world by piece of matter: reading them where they are, and writing them.
#include "world/views.h"

#include "core/error.h"

#include <cmath>

namespace pliant::world {
namespace {

const char* name_of(Attribute attribute) {
  switch (attribute) {
    case Attribute::position: return "positions";
    case Attribute::velocity: return "velocities";
    case Attribute::affine: return "affine";
    case Attribute::deformation_gradient: return "deformation_gradients";
    case Attribute::plastic: return "plastic";
    case Attribute::mass: return "masses";
    case Attribute::volume: return "volumes";
    case Attribute::id: return "ids";
  }
  return "";
}

// positions that the grid can hold
void check_place(const std::string& matter, std::size_t i, double x, double cell) {
  if (!(std::fabs(x) < max_cell * cell))
    fail(ErrorCode::out_of_range, "positions of '{}': particle {} at {} m is outside of the grid; give at most {} m",
         matter, i, x, max_cell * cell);
}

template <int D>
void check_deformation(const std::string& matter, std::size_t i, const double* a) {
  Matrix<double, D> F;
  std::copy_n(a, D * D, F.a);
  if (!(determinant(F) > 0))
    fail(ErrorCode::bad_input,
         "deformation_gradients of '{}': that of particle {} has determinant {}; give one above 0", matter, i,
         determinant(F));
}

// all is looked at before anything changes
template <int D, class S>
void check_values(const Model<S>& model, const std::string& matter, Attribute attribute, const View& target,
                  std::span<const double> values) {
  if (attribute == Attribute::mass || attribute == Attribute::volume || attribute == Attribute::id)
    fail(ErrorCode::bad_input, "{} of '{}' cannot be set; they stay as the world was made", name_of(attribute), matter);
  std::size_t each = 1;
  for (const std::size_t n : target.shape) each *= n;
  if (values.size() != target.count * each)
    fail(ErrorCode::bad_input, "{} of '{}': {} numbers for {} particles; give {} of each", name_of(attribute), matter,
         values.size(), target.count, each);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(S(values[i])))
      fail(ErrorCode::bad_input, "{} of '{}': particle {} has {}; give finite numbers", name_of(attribute), matter,
           i / each, values[i]);
    if (attribute == Attribute::position) check_place(matter, i / each, values[i], model.scene.step.cell);
    if (attribute == Attribute::deformation_gradient && i % each == 0)
      check_deformation<D>(matter, i / each, values.data() + i);
  }
}

}  // namespace

template <int D, class S>
View view_of(const State<D, S>& state, const Group& group, Attribute attribute) {
  const Point<D, S>* p = state.particles.points.data() + group.begin;
  const ParticleVelocity<D, S>* q = state.particles.velocities.data() + group.begin;
  View v;
  v.precision = sizeof(S) == 4 ? Precision::float32 : Precision::float64;
  v.count = group.end - group.begin;
  const bool is_rate = attribute == Attribute::velocity || attribute == Attribute::affine;
  v.stride = is_rate ? sizeof(ParticleVelocity<D, S>) : sizeof(Point<D, S>);
  switch (attribute) {
    case Attribute::position: v.data = p->x, v.shape = {D}; break;
    case Attribute::deformation_gradient: v.data = p->F, v.shape = {D, D}; break;
    case Attribute::plastic: v.data = &p->plastic; break;
    case Attribute::mass: v.data = &p->mass; break;
    case Attribute::volume: v.data = &p->volume; break;
    case Attribute::id: v.data = &p->id; break;
    case Attribute::velocity: v.data = q->v, v.shape = {D}; break;
    case Attribute::affine: v.data = q->C, v.shape = {D, D}; break;
  }
  return v;
}

template <int D, class S>
void set_values(const Model<S>& model, std::size_t g, Attribute attribute, std::span<const double> values,
                State<D, S>& state) {
  const Group group = model.groups[g];
  const std::string& matter = model.scene.matter[g].name;
  const View target = view_of(state, group, attribute);
  std::size_t each = 1;
  for (const std::size_t n : target.shape) each *= n;
  check_values<D, S>(model, matter, attribute, target, values);

  // by id: the order in memory is another one
  auto* first = static_cast<std::byte*>(const_cast<void*>(target.data));
  for (std::size_t k = 0; k < target.count; ++k) {
    const std::size_t row = std::size_t(state.particles.points[group.begin + k].id) - group.begin;
    S* to = reinterpret_cast<S*>(first + k * target.stride);
    for (std::size_t j = 0; j < each; ++j) to[j] = S(values[row * each + j]);
  }
  state.max_speed = 0;
  for (const ParticleVelocity<D, S>& q : state.particles.velocities)
    for (int d = 0; d < D; ++d) state.max_speed = max(state.max_speed, std::fabs(double(q.v[d])));
  // who is put elsewhere is not held where it was
  if (attribute == Attribute::position)
    std::erase_if(state.contacts,
                  [&](const ContactMemory& m) { return m.particle >= group.begin && m.particle < group.end; });
}

template View view_of(const State<2, float>&, const Group&, Attribute);
template View view_of(const State<3, float>&, const Group&, Attribute);
template View view_of(const State<2, double>&, const Group&, Attribute);
template View view_of(const State<3, double>&, const Group&, Attribute);
template void set_values(const Model<float>&, std::size_t, Attribute, std::span<const double>, State<2, float>&);
template void set_values(const Model<float>&, std::size_t, Attribute, std::span<const double>, State<3, float>&);
template void set_values(const Model<double>&, std::size_t, Attribute, std::span<const double>, State<2, double>&);
template void set_values(const Model<double>&, std::size_t, Attribute, std::span<const double>, State<3, double>&);

}  // namespace pliant::world
