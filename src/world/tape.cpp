// A tape in a user's hands.
#include "pliant/tape.h"

#include "world/world_impl.h"

namespace pliant {

Tape::Tape(World& world, std::size_t memory, bool plain) : impl_(world.impl_->start_tape(memory, plain)) {}
Tape::~Tape() {
  if (impl_) impl_->is_recording = false;
}
Tape::Tape(Tape&&) noexcept = default;
Tape& Tape::operator=(Tape&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

void Tape::follow(const Tape& other) { impl_->given_plans = other.impl_->plans(); }
void Tape::end() { impl_->is_recording = false; }
bool Tape::is_recording() const { return impl_->is_recording; }
std::size_t Tape::steps() const { return impl_->steps(); }
std::size_t Tape::memory() const { return impl_->memory(); }
std::vector<Gradient> Tape::backward(std::span<const std::vector<LossSeed>> losses, std::size_t last,
                                     const std::function<void(std::size_t, std::size_t)>& progress,
                                     const AtStep& at_step) {
  return impl_->backward(losses, last, progress, at_step);
}

}  // namespace pliant
