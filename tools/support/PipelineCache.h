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

/// A file that stores a device's compiled pipelines for later runs of a tool.
/// If its path is empty, there is no file, and the functions do nothing.
class PipelineCache {
public:
  PipelineCache(const char *tool, const std::string &path)
      : tool(tool), path(path) {}

  /// Passes the contents of the file to the device, before programs are
  /// created. A damaged file, or a file for another device, causes a warning
  /// and is otherwise ignored. Fails if the file cannot be written, or if it is
  /// not a file of pipelines, which save() would overwrite.
  void load(DmlDevice device);

  /// Writes the device's pipelines to the file, if they differ from its
  /// contents.
  void save(DmlDevice device);

private:
  const char *tool;
  std::string path;
  /// The contents of the file.
  std::vector<uint8_t> bytes;
};

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_PIPELINECACHE_H
