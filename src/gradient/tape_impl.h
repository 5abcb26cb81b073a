// A tape behind its door: one class for all dimensions and precisions.
#pragma once

#include "gradient/namespace.h"
#include "pliant/tape.h"

namespace pliant {

class Tape::Impl {
 public:
  virtual ~Impl() = default;
  virtual std::size_t steps() const = 0;
  virtual std::size_t memory() const = 0;
  virtual std::vector<Gradient> backward(std::span<const std::vector<LossSeed>> losses, std::size_t last,
                                         const std::function<void(std::size_t, std::size_t)>& progress) = 0;

  bool is_recording = true;
};

}  // namespace pliant
