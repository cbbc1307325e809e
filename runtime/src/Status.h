//===- Status.h - Results with a message ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_STATUS_H
#define DML_RUNTIME_STATUS_H

#include "dml/runtime.h"

#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace dml::runtime {

/// Joins its arguments, printed as streams print them.
template <typename... Ts> std::string concat(const Ts &...args) {
  std::ostringstream stream;
  (stream << ... << args);
  return stream.str();
}

/// Success, or a result code with one message for people.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(DmlResult result, std::string message)
      : code(result), text(std::move(message)) {}

  bool ok() const { return code == DML_SUCCESS; }
  DmlResult result() const { return code; }
  const std::string &message() const { return text; }

  /// The same result, its message standing after "context: ".
  Status in(const std::string &context) const {
    return ok() ? *this : Status(code, context + ": " + text);
  }

private:
  DmlResult code = DML_SUCCESS;
  std::string text;
};

template <typename... Ts> Status makeError(DmlResult result, const Ts &...ts) {
  return Status(result, concat(ts...));
}

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value(std::move(value)) {}
  Expected(Status status) : error(std::move(status)) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  const Status &status() const { return error; }

private:
  std::optional<T> value;
  Status error;
};

/// Returns from the calling function where `expression` is an error.
#define DML_TRY(expression)                                                    \
  do {                                                                         \
    if (::dml::runtime::Status dmlStatus = (expression); !dmlStatus.ok())      \
      return dmlStatus;                                                        \
  } while (false)

} // namespace dml::runtime

#endif // DML_RUNTIME_STATUS_H
