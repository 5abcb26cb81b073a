// Tapes in Python: the bare ones, which pliant/tape.py makes pleasant.
#include "pliant/tape.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "material/law_info.h"
#include "shared_world.h"

namespace pliant::python {

namespace {

struct WorldTape {
  nb::object owner;  // the world
  std::unique_ptr<Tape> tape;
  SharedWorld& shared() const { return nb::cast<SharedWorld&>(owner); }
};

nb::object array_of(const double* data, std::size_t count) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(count);
  auto out = nb::cast<nb::ndarray<double, nb::ndim<1>, nb::c_contig>>(array);
  std::copy_n(data, count, out.data());
  return array;
}
nb::object array_of(const std::vector<double>& list) { return array_of(list.data(), list.size()); }
template <std::size_t N>
nb::object array_of(const std::vector<std::array<double, N>>& rows) {
  return array_of(rows.empty() ? nullptr : rows.front().data(), N * rows.size());
}

Attribute attribute_named(const std::string& name) {
  if (name == "positions") return Attribute::position;
  if (name == "velocities") return Attribute::velocity;
  if (name == "affine") return Attribute::affine;
  if (name == "plastic") return Attribute::plastic;
  return Attribute::deformation_gradient;
}

// (step, attribute, matter, values, same, particles) as tape.py writes it
LossSeed seed_of(nb::handle tuple) {
  using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  LossSeed seed;
  seed.step = nb::cast<std::size_t>(tuple[0]);
  seed.attribute = attribute_named(nb::cast<std::string>(tuple[1]));
  seed.matter = nb::cast<std::string>(tuple[2]);
  const auto values = nb::cast<Numbers>(tuple[3]);
  seed.values.assign(values.data(), values.data() + values.size());
  seed.same = nb::cast<bool>(tuple[4]);
  const auto ids = nb::cast<Ids>(tuple[5]);
  seed.particles.assign(ids.data(), ids.data() + ids.size());
  return seed;
}

nb::dict piece_of(const PieceGradient& piece) {
  nb::dict d;
  d["positions"] = array_of(piece.positions);
  d["velocities"] = array_of(piece.velocities);
  d["affine"] = array_of(piece.affine);
  d["deformation_gradients"] = array_of(piece.deformation_gradients);
  d["plastic"] = array_of(piece.plastic);
  d["masses"] = array_of(piece.masses);
  d["actuation"] = array_of(piece.actuation);
  nb::dict material, particles;
  for (const auto& [name, value] : piece.material) material[name.c_str()] = value;
  for (const auto& [name, values] : piece.of_particles) particles[name.c_str()] = array_of(values);
  d["material"] = material;
  d["particles"] = particles;
  return d;
}

nb::dict gradient_of(const Gradient& gradient) {
  nb::dict matter, boundaries, all;
  for (const auto& [name, piece] : gradient.matter) matter[name.c_str()] = piece_of(piece);
  for (const auto& [name, boundary] : gradient.boundaries)
    boundaries[name.c_str()] = nb::make_tuple(boundary.friction, array_of(boundary.velocity));
  nb::list norms;
  for (const GradientNorms& n : gradient.norms)
    norms.append(nb::make_tuple(n.positions, n.velocities, n.deformation_gradients));
  all["matter"] = matter;
  all["boundaries"] = boundaries;
  nb::dict actuators;
  for (const auto& [name, values] : gradient.actuators) actuators[name.c_str()] = array_of(values);
  all["actuators"] = actuators;
  all["gravity"] = array_of(gradient.gravity.data(), 3);
  all["norms"] = norms;
  return all;
}

std::vector<LossSeed> seeds_of(nb::handle list) {
  std::vector<LossSeed> seeds;
  for (nb::handle seed : list) seeds.push_back(seed_of(seed));
  return seeds;
}

// at_step(loss, step, {name: derivative}) gives a list of seeds
AtStep at_step_of(const nb::object& at_step) {
  if (at_step.is_none()) return nullptr;
  return [&at_step](const StepGradient& found) {
    nb::gil_scoped_acquire held;
    nb::dict by;
    for (const auto& [name, stress] : found.matter) by[name.c_str()] = array_of(stress.data(), stress.size());
    for (const auto& [name, value] : found.actuators) by[name.c_str()] = value;
    return seeds_of(at_step(found.loss, found.step, by));
  };
}

nb::list backward(const WorldTape& self, const nb::list& given, std::size_t last, const nb::object& progress,
                  const nb::object& at_step) {
  std::vector<std::vector<LossSeed>> losses;
  for (nb::handle seeds : given) losses.push_back(seeds_of(seeds));
  std::function<void(std::size_t, std::size_t)> tell;
  if (!progress.is_none())
    tell = [&progress](std::size_t done, std::size_t all) {
      nb::gil_scoped_acquire held;
      progress(done, all);
    };
  const AtStep ask = at_step_of(at_step);
  const std::vector<Gradient> gradients =
      alone(self.shared(), [&](World&) { return self.tape->backward(losses, last, tell, ask); });
  nb::list found;
  for (const Gradient& gradient : gradients) found.append(gradient_of(gradient));
  return found;
}

}  // namespace

void bind_tape(nb::module_& module) {
  module.def(
      "law_parameters",
      [](const std::string& law) {
        nb::list names;
        for (const material::Parameter& p : material::info(law_from_name(law)).parameters) names.append(p.name);
        return names;
      },
      nb::arg("law"), nb::sig("def law_parameters(law: str) -> list[str]"), "What a law reads, besides density.");
  nb::class_<WorldTape>(module, "WorldTape", "What pliant.Tape is made of.")
      .def(
          "__init__",
          [](WorldTape* self, nb::object world, std::size_t memory) {
            auto tape =
                alone(nb::cast<SharedWorld&>(world), [&](World& w) { return std::make_unique<Tape>(w, memory); });
            new (self) WorldTape{world, std::move(tape)};
          },
          nb::arg("world"), nb::arg("memory"), nb::sig("def __init__(self, world: World, memory: int) -> None"))
      .def("end", [](const WorldTape& self) { alone(self.shared(), [&](World&) { self.tape->end(); }); })
      .def(
          "follow", [](const WorldTape& self, const WorldTape& other) { self.tape->follow(*other.tape); },
          nb::arg("other"))
      .def("backward", &backward, nb::arg("losses"), nb::arg("last"), nb::arg("progress").none(),
           nb::arg("at_step").none(),
           nb::sig("def backward(self, losses: list[typing.Any], last: int, progress: typing.Any, at_step: typing.Any) "
                   "-> list[typing.Any]"))
      .def_prop_ro("recording", [](const WorldTape& self) { return self.tape->is_recording(); })
      .def_prop_ro("steps", [](const WorldTape& self) { return self.tape->steps(); })
      .def_prop_ro("memory", [](const WorldTape& self) { return self.tape->memory(); });
}

}  // namespace pliant::python
