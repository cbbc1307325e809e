//===- PipelineCache.cpp - Compiled pipelines in a file -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/PipelineCache.h"

#include "support/File.h"
#include "support/Input.h"

#include <algorithm>
#include <cstdio>
#include <sys/stat.h>

using namespace dml::tools;

/// The first bytes of dmlGetPipelineCacheData's data.
static constexpr char kMagic[] = {'D', 'M', 'L', 'P'};

void PipelineCache::load(DmlDevice device) {
  if (path.empty())
    return;
  std::string error;
  if (!checkOutput(path, error))
    fail(error, kExitNotWritten);
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return;
  if (!S_ISREG(status.st_mode))
    fail("pipeline cache '" + path + "' is no regular file");
  // A file that is no cache is not read to its end.
  std::vector<uint8_t> head = readInput(path, sizeof(kMagic));
  if (!std::equal(head.begin(), head.end(), kMagic))
    fail("'" + path + "' is no pipeline cache, and is not replaced by one");
  bytes = readInput(path);
  if (bytes.empty())
    return;
  Check check;
  DmlResult result =
      dmlSetPipelineCacheData(device, bytes.data(), bytes.size(), check);
  if (result != DML_ERROR_INVALID_ARGUMENT)
    return check(result);
  std::fprintf(stderr, "%s: warning: '%s' is made anew: %s\n", tool,
               path.c_str(),
               dmlGetErrorMessage(*static_cast<DmlError *>(check)));
}

void PipelineCache::save(DmlDevice device) {
  if (path.empty())
    return;
  size_t size = 0;
  DML_CHECK(dmlGetPipelineCacheData, device, &size, nullptr);
  std::vector<uint8_t> now(size);
  DML_CHECK(dmlGetPipelineCacheData, device, &size, now.data());
  now.resize(size);
  if (now == bytes)
    return;
  std::string error;
  if (!writeFile(path, {{now.data(), now.size()}}, error))
    fail(error, kExitNotWritten);
  bytes = std::move(now);
}
