//===- PipelineCache.h - Compiled pipelines in a file ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_PIPELINECACHE_H
#define DML_TOOLS_SUPPORT_PIPELINECACHE_H

#include "support/Runtime.h"

#include <cstdint>
#include <vector>

namespace dml::tools {

/// A file that keeps a device's compiled pipelines from one run to the next.
/// Where the path is empty there is none, and nothing is done.
class PipelineCache {
public:
  PipelineCache(const char *tool, const std::string &path)
      : tool(tool), path(path) {}

  /// Gives the device what the file has, before programs are made. A damaged
  /// file, and one of another device, is named in a warning and otherwise
  /// ignored. Fails where the file is something else, which to write would
  /// destroy, or cannot be written.
  void load(DmlDevice device);

  /// Writes what the device has now, where the file has anything else.
  void save(DmlDevice device);

private:
  const char *tool;
  std::string path;
  /// What the file has.
  std::vector<uint8_t> bytes;
};

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_PIPELINECACHE_H
