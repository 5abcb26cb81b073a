// What is wrong with parts of a state that someone else has written; empty: nothing.
#pragma once

#include "world/namespace.h"

#include <cstddef>
#include <string>

namespace pliant::world {

std::string wrong_warm(std::size_t size);
std::string wrong_held(const std::byte* data, std::size_t size, std::size_t boundaries);
std::string wrong_contacts(const std::byte* data, std::size_t size, std::size_t particles, std::size_t geoms);
std::string wrong_holds(const std::byte* data, std::size_t size);

}  // namespace pliant::world
