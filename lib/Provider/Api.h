//===- Api.h - Calls of ONNX Runtime ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime's tables of functions, and how errors pass the boundary to it:
// inside the provider an error is an exception, and each function that ONNX
// Runtime calls turns exceptions into an OrtStatus by guard().
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_API_H
#define DML_LIB_PROVIDER_API_H

#include "OnnxRuntimeAbi.h"
#include "dml/session.hpp"
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace dml::provider {

/// The oldest and the newest version of ONNX Runtime's interface that the
/// provider works with. The newest is what it was built with, up to the one
/// that it was tested with.
constexpr uint32_t oldestVersion = 23,
                   newestVersion = ORT_API_VERSION < 29 ? ORT_API_VERSION : 29;

/// The tables of the ONNX Runtime that has loaded the provider.
struct Api {
  const OrtApi *ort = nullptr;
  const OrtEpApi *ep = nullptr;
  /// The version of the tables: the newest that both sides know.
  uint32_t version = 0;
};

/// The tables. They are there once initialize() has succeeded.
const Api &getApi();
inline const OrtApi &ort() { return *getApi().ort; }
inline const OrtEpApi &ep() { return *getApi().ep; }

/// Takes the tables of `base`. Returns an error, which ONNX Runtime owns then,
/// if it has no version that the provider works with, or if the provider
/// already works for another ONNX Runtime of this process.
OrtStatus *initialize(const OrtApiBase &base) noexcept;

/// An error that becomes an OrtStatus.
class Failure : public std::runtime_error {
public:
  explicit Failure(const std::string &message, OrtErrorCode code = ORT_FAIL)
      : std::runtime_error(message), code(code) {}
  const OrtErrorCode code;
};

/// Throws what `status` says, if it is an error, and releases it.
void check(OrtStatus *status);

/// Turns the exception that is being handled into a status.
OrtStatus *reportException() noexcept;

/// Runs the body of a function that ONNX Runtime calls.
template <typename Fn> OrtStatus *guard(Fn &&body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return reportException();
  }
}

/// Calls a function of ONNX Runtime whose last parameter receives the result.
template <typename T, typename Fn, typename... Args>
T get(Fn function, Args... args) {
  T result{};
  check(function(args..., &result));
  return result;
}

/// Calls two functions of ONNX Runtime: one that tells the number of elements,
/// and one that writes as many.
template <typename T, typename CountFn, typename Fn, typename Object>
std::vector<T> getAll(CountFn count, Fn function, Object object) {
  std::vector<T> result(get<size_t>(count, object));
  if (!result.empty())
    check(function(object, result.data(), result.size()));
  return result;
}

/// Objects of ONNX Runtime that the provider releases.
struct Releaser {
  void operator()(OrtTensorTypeAndShapeInfo *info) const;
  void operator()(OrtKeyValuePairs *pairs) const;
  void operator()(OrtMemoryInfo *info) const;
  void operator()(OrtValue *value) const;
  void operator()(OrtExternalInitializerInfo *info) const;
  void operator()(OrtKernelRegistry *registry) const;
  void operator()(OrtEnv *env) const;
  void operator()(OrtSession *session) const;
  void operator()(OrtSessionOptions *options) const;
};
template <typename T> using Owned = std::unique_ptr<T, Releaser>;

/// All pairs of a set of keys with values.
std::vector<std::pair<std::string, std::string>>
getPairs(const OrtKeyValuePairs *pairs);

/// Receives the provider's messages.
class Log {
public:
  explicit Log(const OrtLogger *logger) : logger(logger) {}
  void info(const std::string &message) const {
    write(ORT_LOGGING_LEVEL_INFO, message);
  }
  void warn(const std::string &message) const {
    write(ORT_LOGGING_LEVEL_WARNING, message);
  }

private:
  void write(OrtLoggingLevel level, const std::string &message) const;

  const OrtLogger *logger;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_API_H
