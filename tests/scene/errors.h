// Expects a named error whose text says certain things.
#pragma once

#include "pliant/error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pliant {

template <class Call>
void expect_error(ErrorCode code, const std::vector<std::string>& said, Call call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected " << name(code) << ": " << (said.empty() ? "" : said[0]);
  } catch (const Error& error) {
    EXPECT_STREQ(name(error.code()), name(code)) << error.what();
    for (const std::string& words : said)
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << "'" << words << "' is not in: " << error.what();
  }
}

}  // namespace pliant
