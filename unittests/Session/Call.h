//===- Call.h - Calls of the session's C API --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_SESSION_CALL_H
#define DML_UNITTESTS_SESSION_CALL_H

#include "dml/session.h"
#include "gmock/gmock.h"
#include <string>

namespace dml::test {

/// What a call returned, with its message.
struct Outcome {
  DmlResult result = DML_SUCCESS;
  std::string message;
};

template <typename Fn, typename... Args>
Outcome call(Fn function, Args &&...args) {
  DmlError error = nullptr;
  Outcome outcome;
  outcome.result = function(args..., &error);
  outcome.message = dmlGetErrorMessage(error);
  dmlDestroyError(error);
  return outcome;
}

#define EXPECT_OK(...)                                                         \
  do {                                                                         \
    Outcome outcome = call(__VA_ARGS__);                                       \
    EXPECT_EQ(outcome.result, DML_SUCCESS) << outcome.message;                 \
  } while (false)
#define EXPECT_FAILS(code, text, ...)                                          \
  do {                                                                         \
    Outcome outcome = call(__VA_ARGS__);                                       \
    EXPECT_EQ(outcome.result, code);                                           \
    EXPECT_THAT(outcome.message, testing::HasSubstr(text));                    \
  } while (false)

} // namespace dml::test

#endif // DML_UNITTESTS_SESSION_CALL_H
