//===- Api.cpp - Calls of ONNX Runtime ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include <algorithm>
#include <mutex>
#include <new>

using namespace dml;
using namespace dml::provider;

static Api api;

const Api &provider::getApi() { return api; }

/// Returns the newest version of `base` up to the provider's newest one, or 0.
static uint32_t findVersion(const OrtApiBase &base) {
  for (uint32_t version = newestVersion; version >= oldestVersion; --version)
    if (base.GetApi(version))
      return version;
  return 0;
}

/// Makes an error with the oldest table, which every version has.
static OrtStatus *refuse(const OrtApiBase &base, const std::string &message) {
  const OrtApi *oldest = base.GetApi(1);
  return oldest ? oldest->CreateStatus(ORT_FAIL, message.c_str()) : nullptr;
}

OrtStatus *provider::initialize(const OrtApiBase &base) noexcept {
  try {
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    uint32_t version = findVersion(base);
    if (version == 0)
      return refuse(
          base,
          "ONNX Runtime " + std::string(base.GetVersionString()) +
              " has no API version from " + std::to_string(oldestVersion) +
              " to " + std::to_string(newestVersion) +
              ", with which the provider of dml " + dmlGetVersion() + " works");
    const OrtApi *ort = base.GetApi(version);
    if (api.ort && api.ort != ort)
      return refuse(base, "the provider already works for another ONNX Runtime "
                          "of this process");
    api = {ort, ort->GetEpApi(), version};
    return nullptr;
  } catch (const std::exception &error) {
    return refuse(base, error.what());
  }
}

void provider::check(OrtStatus *status) {
  if (!status)
    return;
  std::string message = api.ort->GetErrorMessage(status);
  OrtErrorCode code = api.ort->GetErrorCode(status);
  api.ort->ReleaseStatus(status);
  throw Failure(message, code);
}

/// Returns the error code of ONNX Runtime that is nearest in meaning to
/// `result`.
static OrtErrorCode toCode(DmlResult result) {
  switch (result) {
  case DML_ERROR_INVALID_ARGUMENT:
    return ORT_INVALID_ARGUMENT;
  case DML_ERROR_NOT_FOUND:
  case DML_ERROR_IO:
    return ORT_NO_SUCHFILE;
  case DML_ERROR_UNSUPPORTED:
    return ORT_NOT_IMPLEMENTED;
  default:
    return ORT_EP_FAIL;
  }
}

OrtStatus *provider::reportException() noexcept {
  try {
    throw;
  } catch (const Failure &error) {
    return api.ort->CreateStatus(error.code, error.what());
  } catch (const dml::Error &error) {
    return api.ort->CreateStatus(toCode(error.result()), error.what());
  } catch (const std::bad_alloc &) {
    return api.ort->CreateStatus(ORT_EP_FAIL, "there is no host memory");
  } catch (const std::exception &error) {
    return api.ort->CreateStatus(ORT_EP_FAIL, error.what());
  } catch (...) {
    return api.ort->CreateStatus(ORT_EP_FAIL, "an unknown exception");
  }
}

void Releaser::operator()(OrtTensorTypeAndShapeInfo *info) const {
  api.ort->ReleaseTensorTypeAndShapeInfo(info);
}
void Releaser::operator()(OrtKeyValuePairs *pairs) const {
  api.ort->ReleaseKeyValuePairs(pairs);
}
void Releaser::operator()(OrtMemoryInfo *info) const {
  api.ort->ReleaseMemoryInfo(info);
}
void Releaser::operator()(OrtValue *value) const {
  api.ort->ReleaseValue(value);
}
void Releaser::operator()(OrtExternalInitializerInfo *info) const {
  api.ort->ReleaseExternalInitializerInfo(info);
}

void Releaser::operator()(OrtEnv *env) const { api.ort->ReleaseEnv(env); }
void Releaser::operator()(OrtSession *session) const {
  api.ort->ReleaseSession(session);
}
void Releaser::operator()(OrtSessionOptions *options) const {
  api.ort->ReleaseSessionOptions(options);
}
void Releaser::operator()(OrtKernelRegistry *registry) const {
  api.ep->ReleaseKernelRegistry(registry);
}

std::vector<std::pair<std::string, std::string>>
provider::getPairs(const OrtKeyValuePairs *pairs) {
  const char *const *keys = nullptr, *const *values = nullptr;
  size_t count = 0;
  if (pairs)
    api.ort->GetKeyValuePairs(pairs, &keys, &values, &count);
  std::vector<std::pair<std::string, std::string>> result;
  for (size_t i = 0; i < count; ++i)
    result.emplace_back(keys[i], values[i]);
  return result;
}

void Log::write(OrtLoggingLevel level, const std::string &message) const {
  OrtLoggingLevel least = ORT_LOGGING_LEVEL_WARNING;
  if (!logger || api.ort->Logger_GetLoggingSeverityLevel(logger, &least) ||
      level < least)
    return;
  OrtStatus *status = api.ort->Logger_LogMessage(
      logger, level, ("dml: " + message).c_str(), __FILE__, __LINE__, "dml");
  if (status)
    api.ort->ReleaseStatus(status);
}
