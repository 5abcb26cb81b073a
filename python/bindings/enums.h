// Choices are strings in Python: members of the StrEnum classes in pliant/enums.py, which mirror the C++ enums. The
// laws of matter are a choice too, made from the list of this build.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pliant/error.h"
#include "pliant/scene.h"

namespace pliant::python {

namespace nb = nanobind;

// class name in pliant/enums.py, and the names of the values in the order of the C++ enum
template <class E>
struct Choices;

template <>
struct Choices<Law> {
  static constexpr const char* type = "Law";
  inline static const std::vector<const char*> names = [] {
    std::vector<const char*> all;
    for (const Law law : known_laws()) all.push_back(name(law));
    return all;
  }();
};

template <class M>
inline constexpr bool is_choice = std::is_enum_v<M> || std::is_same_v<M, Law>;

template <>
struct Choices<Precision> {
  static constexpr const char* type = "Precision";
  static constexpr std::array names = {"float32", "float64"};
};

template <>
struct Choices<Kernel> {
  static constexpr const char* type = "Kernel";
  static constexpr std::array names = {"linear", "quadratic", "compact"};
};

template <>
struct Choices<Transfer> {
  static constexpr const char* type = "Transfer";
  static constexpr std::array names = {"pic", "apic", "mls"};
};

template <>
struct Choices<Shape::Kind> {
  static constexpr const char* type = "ShapeKind";
  static constexpr std::array names = {"box", "sphere", "cylinder", "capsule", "mesh", "cloth"};
};

template <>
struct Choices<Sampling::Method> {
  static constexpr const char* type = "SamplingMethod";
  static constexpr std::array names = {"by_law", "lattice", "poisson"};
};

template <>
struct Choices<Boundary::Kind> {
  static constexpr const char* type = "BoundaryKind";
  static constexpr std::array names = {"plane", "box", "sphere", "cylinder"};
};

template <>
struct Choices<Boundary::Condition> {
  static constexpr const char* type = "Condition";
  static constexpr std::array names = {"stick", "slip", "separate"};
};

template <>
struct Choices<Boundary::At> {
  static constexpr const char* type = "BoundaryAt";
  static constexpr std::array names = {"surfaces", "nodes"};
};

template <>
struct Choices<Motion::Kind> {
  static constexpr const char* type = "MotionKind";
  static constexpr std::array names = {"actuator", "mocap", "boundary", "gripper", "pin", "actuation"};
};

template <>
struct Choices<Motion::Path> {
  static constexpr const char* type = "MotionPath";
  static constexpr std::array names = {"smooth", "linear", "hold"};
};

template <>
struct Choices<Method> {
  static constexpr const char* type = "Method";
  static constexpr std::array names = {"async", "strong", "one_way"};
};

template <>
struct Choices<PlasticFlow> {
  static constexpr const char* type = "PlasticFlow";
  static constexpr std::array names = {"by_law", "lagged", "implicit"};
};

template <>
struct Choices<Contact::Law> {
  static constexpr const char* type = "ContactLaw";
  static constexpr std::array names = {"lagged", "sap"};
};

template <>
struct Choices<Contact::Radius> {
  static constexpr const char* type = "FrictionRadius";
  static constexpr std::array names = {"following", "lagged"};
};

template <class E>
std::size_t number_of(E value) {
  return std::size_t(value);
}
inline std::size_t number_of(Law law) { return law.number; }

template <class E>
nb::object to_python(E value) {
  const nb::object type = nb::module_::import_("pliant.enums").attr(Choices<E>::type);
  return type(Choices<E>::names.at(number_of(value)));
}

// `where` names the attribute in the error text
template <class E>
E from_python(nb::handle value, const std::string& where) {
  const std::string given = nb::cast<std::string>(value);
  std::string known;
  for (std::size_t i = 0; i < Choices<E>::names.size(); ++i) {
    if (given == Choices<E>::names[i]) return E(i);
    known += std::string(i == 0 ? "" : ", ") + Choices<E>::names[i];
  }
  throw Error(ErrorCode::bad_input, where + " is '" + given + "'; choose one of " + known);
}

}  // namespace pliant::python
