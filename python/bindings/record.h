// Binds a plain struct: keyword constructor, checked attributes, repr, equality, copy and pickle, from one list of
// fields.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "casters.h"
#include "enums.h"

namespace pliant::python {

template <class T>
struct Field {
  std::string name;
  std::string type;  // as written in the stubs
  std::function<nb::object(const T&)> get;
  std::function<void(T&, nb::handle)> set;
  std::string alias = {};  // another name that it may be given by
};

// the fields of a bound struct, filled in once when the module is loaded
template <class T>
std::vector<Field<T>>& fields() {
  static std::vector<Field<T>> list;
  return list;
}

inline std::string written(nb::handle value) {
  // a StrEnum member is written as its string
  const nb::object plain = nb::isinstance<nb::str>(value) ? nb::cast(nb::cast<std::string>(value)) : nb::borrow(value);
  return nb::cast<std::string>(nb::repr(plain));
}

template <class M>
std::string type_text() {
  if constexpr (is_choice<M>)
    return std::string("pliant.enums.") + Choices<M>::type;
  else if constexpr (std::is_same_v<M, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<M>)
    return "int";
  else if constexpr (std::is_floating_point_v<M>)
    return "float";
  else if constexpr (std::is_same_v<M, std::string>)
    return "str";
  else if constexpr (std::is_same_v<M, Vec3>)
    return "tuple[float, float, float]";
  else if constexpr (std::is_same_v<M, std::array<double, 4>>)
    return "tuple[float, float, float, float]";
  else
    return nb::cast<std::string>(nb::type<M>().attr("__name__"));
}

// what an attribute accepts, where that is more than its type
template <class M>
std::string accepted_text() {
  if constexpr (is_choice<M>)
    return type_text<M>() + " | str";
  else if constexpr (std::is_same_v<M, Vec3> || std::is_same_v<M, std::array<double, 4>>)
    return "collections.abc.Sequence[float]";
  else
    return type_text<M>();
}

// the same for a person
template <class M>
std::string expected_text() {
  if constexpr (std::is_same_v<M, Vec3>)
    return "3 numbers, or 2 in 2-D";
  else if constexpr (std::is_same_v<M, std::array<double, 4>>)
    return "4 numbers";
  else if constexpr (std::is_unsigned_v<M> && !std::is_same_v<M, bool>)
    return "int of 0 or more";
  else
    return accepted_text<M>();
}

[[noreturn]] inline void wrong_type(const std::string& where, const std::string& expected, nb::handle value) {
  const std::string got = nb::cast<std::string>(value.type().attr("__name__"));
  throw nb::type_error((where + " must be " + expected + ", not " + got + " " + written(value)).c_str());
}

template <class M>
M read(nb::handle value, const std::string& where) {
  try {
    if constexpr (is_choice<M>)
      return from_python<M>(value, where);
    else
      return nb::cast<M>(value);
  } catch (const nb::cast_error&) {
    wrong_type(where, expected_text<M>(), value);
  }
}

template <class M>
nb::object write(const M& value) {
  if constexpr (is_choice<M>)
    return to_python(value);
  else
    return nb::cast(value, nb::rv_policy::copy);
}

template <class T>
void assign(T& self, const std::string& type, nb::handle values) {
  for (auto [key, value] : nb::cast<nb::dict>(values)) {
    const std::string name = nb::cast<std::string>(key);
    std::string known;
    bool found = false;
    for (const Field<T>& field : fields<T>()) {
      if (field.name == name || (!field.alias.empty() && field.alias == name)) {
        field.set(self, value);
        found = true;
      }
      known += (known.empty() ? "" : ", ") + field.name;
    }
    if (!found) throw nb::type_error((type + " has no '" + name + "'; it has " + known).c_str());
  }
}

template <class T>
class Record {
 public:
  Record(nb::module_& module, const char* name, const char* doc) : class_(module, name, doc), name_(name) {}

  // an attribute held by value; a struct inside a struct is handed out by reference, so a.b.c = 1 works
  template <class M>
  Record& field(const char* name, M T::*member, const char* doc) {
    const std::string where = name_ + "." + name;
    auto set = [member, where](T& self, nb::handle value) { self.*member = read<M>(value, where); };
    auto get = [member](const T& self) { return write(self.*member); };
    fields<T>().push_back({name, accepted_text<M>(), get, set});
    auto setter = [set](T& self, nb::object value) { set(self, value); };
    const Signatures text(name, type_text<M>(), accepted_text<M>());
    if constexpr (std::is_class_v<M> && !is_choice<M> && !std::is_same_v<M, std::string> && !std::is_same_v<M, Vec3> &&
                  !std::is_same_v<M, std::array<double, 4>>) {
      class_.def_prop_rw(
          name, [member](T& self) -> M& { return self.*member; }, setter, doc,
          nb::for_getter(nb::sig(text.get.c_str())), nb::for_setter(nb::sig(text.set.c_str())),
          nb::for_setter(nb::arg("value").none()));
    } else {
      class_.def_prop_rw(name, get, setter, doc, nb::for_getter(nb::sig(text.get.c_str())),
                         nb::for_setter(nb::sig(text.set.c_str())), nb::for_setter(nb::arg("value").none()));
    }
    return *this;
  }

  // another name of the attribute before
  template <class M>
  Record& alias(const char* name, const char* of, M T::*member) {
    const std::string where = name_ + "." + name, doc = std::string("another name of ") + of;
    fields<T>().back().alias = name;
    const Signatures text(name, type_text<M>(), accepted_text<M>());
    class_.def_prop_rw(
        name, [member](const T& self) { return write(self.*member); },
        [member, where](T& self, nb::object value) { self.*member = read<M>(value, where); }, doc.c_str(),
        nb::for_getter(nb::sig(text.get.c_str())), nb::for_setter(nb::sig(text.set.c_str())),
        nb::for_setter(nb::arg("value").none()));
    return *this;
  }

  // an attribute with its own way in and out
  Record& field(Field<T> field, const char* type, const char* doc) {
    fields<T>().push_back(field);
    const Signatures text(field.name, type, field.type);
    class_.def_prop_rw(
        field.name.c_str(), field.get, [set = field.set](T& self, nb::object value) { set(self, value); }, doc,
        nb::for_getter(nb::sig(text.get.c_str())), nb::for_setter(nb::sig(text.set.c_str())),
        nb::for_setter(nb::arg("value").none()));
    return *this;
  }

  // what follows from the fields
  template <class M>
  Record& derived(const char* name, M (*get)(const T&), const char* doc) {
    class_.def_prop_ro(name, get, doc);
    return *this;
  }

  // after the last field
  void finish() {
    const std::string type = name_;
    class_.def(
        "__init__",
        [type](T* self, nb::kwargs values) {
          T made;
          assign(made, type, values);
          new (self) T(std::move(made));
        },
        nb::sig(constructor_text().c_str()));
    class_.def("__repr__", [type](const T& self) { return type + "(" + differences(self) + ")"; });
    class_.def(
        "__eq__",
        [](const T& self, nb::object other) -> nb::object {
          if (!nb::isinstance<T>(other)) return nb::steal(Py_NewRef(Py_NotImplemented));
          return nb::bool_(equal(self, nb::cast<const T&>(other)));
        },
        nb::sig("def __eq__(self, other: object, /) -> bool"));
    class_.attr("__hash__") = nb::none();
    class_.def(
        "__getstate__",
        [](const T& self) {
          nb::dict values;
          for (const Field<T>& field : fields<T>()) values[field.name.c_str()] = field.get(self);
          return values;
        },
        nb::sig("def __getstate__(self) -> dict[str, object]"));
    class_.def(
        "__setstate__",
        [type](T& self, nb::dict values) {
          T made;
          assign(made, type, values);
          new (&self) T(std::move(made));
        },
        nb::sig("def __setstate__(self, values: dict[str, object], /) -> None"));
  }

 private:
  struct Signatures {
    std::string get, set;
    Signatures(const std::string& name, const std::string& type, const std::string& accepted)
        : get("def " + name + "(self) -> " + type), set("def " + name + "(self, value: " + accepted + ", /) -> None") {}
  };

  std::string constructor_text() const {
    const T standard;
    std::string text = "def __init__(self, *";
    for (const Field<T>& field : fields<T>()) {
      const nb::object value = field.get(standard);
      const bool plain = nb::isinstance<nb::str>(value) || nb::isinstance<nb::float_>(value) ||
                         nb::isinstance<nb::int_>(value) || nb::isinstance<nb::tuple>(value);
      text += ", " + field.name + ": " + field.type + " = " + (plain ? written(value) : "...");
    }
    return text + ") -> None";
  }

  // the fields that are not at their default, as they would be written
  static std::string differences(const T& self) {
    const T standard;
    std::string text;
    for (const Field<T>& field : fields<T>()) {
      const nb::object value = field.get(self);
      if (same(value, field.get(standard))) continue;
      text += (text.empty() ? "" : ", ") + field.name + "=" + written(value);
    }
    return text;
  }

  static bool equal(const T& a, const T& b) {
    for (const Field<T>& field : fields<T>()) {
      if (!same(field.get(a), field.get(b))) return false;
    }
    return true;
  }

  // arrays compare by element, everything else by ==
  static bool same(nb::handle a, nb::handle b) {
    if (!nb::hasattr(a, "tobytes")) return a.equal(b);
    return a.attr("shape").equal(b.attr("shape")) && a.attr("tobytes")().equal(b.attr("tobytes")());
  }

  nb::class_<T> class_;
  std::string name_;
};

}  // namespace pliant::python
