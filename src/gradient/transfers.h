// Kernel and transfer as they are known when a scene is loaded, made known to the compiler.
#pragma once

#include "gradient/namespace.h"
#include "pliant/scene.h"

namespace pliant::gradient {

template <Kernel K, class F>
auto with_transfer(Transfer transfer, const F& f) {
  switch (transfer) {
    case Transfer::pic: return f.template operator()<K, Transfer::pic>();
    case Transfer::apic: return f.template operator()<K, Transfer::apic>();
    case Transfer::mls: break;
  }
  return f.template operator()<K, Transfer::mls>();
}

// f.operator()<K, X>()
template <class F>
auto with_transfer(Kernel kernel, Transfer transfer, const F& f) {
  switch (kernel) {
    case Kernel::linear: return with_transfer<Kernel::linear>(transfer, f);
    case Kernel::compact: return with_transfer<Kernel::compact>(transfer, f);
    case Kernel::quadratic: break;
  }
  return with_transfer<Kernel::quadratic>(transfer, f);
}

}  // namespace pliant::gradient
