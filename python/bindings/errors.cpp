// pliant::Error becomes the exception of pliant/errors.py that has the same code, with the same text.
#include "pliant/error.h"

#include "bindings.h"

namespace pliant::python {

namespace {

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::object types = nb::module_::import_("pliant.errors").attr("BY_CODE");
    PyErr_SetString(nb::object(types[name(error.code())]).ptr(), error.what());
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace pliant::python
