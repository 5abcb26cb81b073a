// World::von_mises, by what everybody can see of a world.
#include "material/von_mises.h"

#include "pliant/world.h"

#include <algorithm>
#include <cstring>

namespace pliant {

namespace {

std::vector<double> numbers_of(const View& view) {
  std::size_t each = 1;
  for (const std::size_t n : view.shape) each *= n;
  std::vector<double> numbers;
  numbers.reserve(each * view.count);
  const auto take = [&]<class S>(S) {
    std::vector<S> row(each);
    for (std::size_t i = 0; i < view.count; ++i) {
      std::memcpy(row.data(), static_cast<const std::byte*>(view.data) + i * view.stride, each * sizeof(S));
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
  };
  if (view.precision == Precision::float32)
    take(float());
  else
    take(double());
  return numbers;
}

}  // namespace

std::vector<double> World::von_mises(const std::string& matter) const {
  const std::vector<double> F = numbers_of(view(matter, Attribute::deformation_gradient));
  const std::vector<double> plastic = numbers_of(view(matter, Attribute::plastic));
  const auto named = [](const std::string& name) { return [&name](const auto& thing) { return thing.name == name; }; };
  // `view` has refused names that are not there
  const Scene& all = scene();
  const Matter& piece = *std::find_if(all.matter.begin(), all.matter.end(), named(matter));
  const Material& material = *std::find_if(all.materials.begin(), all.materials.end(), named(piece.material));
  return material::von_mises(material, all.dimension, F, plastic);
}

}  // namespace pliant
