// the list of laws: their names, what is known of each, and how a law is made
#include "material/laws.h"

#include "core/error.h"
#include "material/law_info.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <type_traits>

namespace pliant::material {
namespace {

template <class S>
constexpr auto all = std::type_identity<AnyLaw<S>>();

template <class... L>
constexpr std::array<LawInfo, sizeof...(L)> infos_of(std::type_identity<std::variant<L...>>) {
  return {LawInfo{L::name, L::what, L::parameters, L::keeps_shape, L::hardens, L::sheet, L::resists_only_pressure,
                  L::flows == Flow::in_step, L::flows_in_windows, L::wave_speed, L::lasts, L::modulus,
                  L::shear_viscosity}...};
}
constexpr auto infos = infos_of(all<double>);

template <class Any, class... L>
Any made(std::type_identity<std::variant<L...>>, const Material& material) {
  using Make = Any (*)(const Material&);
  constexpr Make make[] = {[](const Material& m) { return Any(L::make(m)); }...};
  return make[material.law.number](material);
}

consteval Law listed(std::string_view name) {
  for (unsigned i = 0; i < infos.size(); ++i)
    if (name == infos[i].name) return {i};
  throw "the list in CMakeLists.txt has no such law";
}

// "linear_corotated, hencky", or what it is not for where that is shorter
std::string readers(const Parameter& parameter) {
  std::string are, are_not;
  int more = 0;
  for (const Law law : known_laws()) {
    const bool is = reads(law, parameter);
    std::string& names = is ? are : are_not;
    names += (names.empty() ? "" : ", ") + std::string(name(law));
    more += is ? 1 : -1;
  }
  return are_not.empty() ? "" : more > 0 ? "all laws but " + are_not : are;
}

std::vector<ListedParameter> list_parameters() {
  std::vector<ListedParameter> list = {{parameter::density, ""}};
  for (const LawInfo& law : infos)
    for (const Parameter& p : law.parameters) {
      const bool known = std::any_of(list.begin(), list.end(),
                                     [&](const ListedParameter& l) { return l.parameter.member == p.member; });
      if (!known) list.push_back({p, readers(p)});
    }
  return list;
}

}  // namespace

template <class S>
AnyLaw<S> make_law(const Material& material) {
  info(material.law);
  return made<AnyLaw<S>>(all<S>, material);
}
template AnyLaw<float> make_law<float>(const Material&);
template AnyLaw<double> make_law<double>(const Material&);

const LawInfo& info(Law law) {
  if (law.number >= infos.size())
    fail(ErrorCode::bad_input, "law number {} does not exist; use law_from_name, or a constant of Law", law.number);
  return infos[law.number];
}

bool reads(Law law, const Parameter& parameter) {
  const auto same = [&](const Parameter& p) { return p.member == parameter.member; };
  const auto list = info(law).parameters;
  return parameter.member == &Material::density || std::any_of(list.begin(), list.end(), same);
}

const std::vector<ListedParameter>& all_parameters() {
  static const std::vector<ListedParameter> list = list_parameters();
  return list;
}

double sound_speed(const Material& material, double plastic) {
  return info(material.law).wave_speed(material, plastic);
}

// loss = viscosity/G times the mode's pi c_s/(2 size)
double loss_viscosity(const Material& material, double size) {
  if (!reads(material.law, parameter::loss)) return 0;
  if (reads(material.law, parameter::yield) && material.yield > 0) return 0;
  return 2 * material.loss * size * std::sqrt(lame(material).mu * material.density) / std::numbers::pi;
}

double momentum_diffusivity(const Material& material) {
  return info(material.law).shear_viscosity(material) / material.density;
}

}  // namespace pliant::material

namespace pliant {

using namespace material;

constinit const Law Law::linear = listed("linear");
constinit const Law Law::linear_corotated = listed("linear_corotated");
constinit const Law Law::fixed_corotated = listed("fixed_corotated");
constinit const Law Law::neo_hookean = listed("neo_hookean");
constinit const Law Law::hencky = listed("hencky");
constinit const Law Law::sand = listed("sand");
constinit const Law Law::liquid = listed("liquid");
constinit const Law Law::eraser = listed("eraser");
constinit const Law Law::snow = listed("snow");
constinit const Law Law::cloth = listed("cloth");

const char* name(Law law) { return info(law).name; }

Law law_from_name(const std::string& name) {
  std::string known;
  for (unsigned i = 0; i < infos.size(); ++i) {
    if (name == infos[i].name) return {i};
    known += (i ? ", " : "") + std::string(infos[i].name);
  }
  fail(ErrorCode::bad_input, "law '{}' is not known; give one of {}", name, known);
}

std::vector<Law> known_laws() {
  std::vector<Law> laws;
  for (unsigned i = 0; i < infos.size(); ++i) laws.push_back({i});
  return laws;
}

}  // namespace pliant
