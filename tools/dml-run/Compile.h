//===- Compile.h - Compile a module with dml-compile ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLRUN_COMPILE_H
#define DML_TOOLS_DMLRUN_COMPILE_H

#include <string>
#include <vector>

namespace dml::tools {

/// A file that is removed with this object.
class TemporaryFile {
public:
  TemporaryFile() = default;
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  /// Creates an empty file whose name ends so.
  bool create(const std::string &suffix, std::string &error);
  const std::string &path() const { return name; }

private:
  std::string name;
};

/// Runs `dml-compile module -o output arguments...`: the program beside this
/// one, or else in PATH. No shell is involved.
bool compileModule(const std::string &module, const std::string &output,
                   const std::vector<std::string> &arguments,
                   std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_DMLRUN_COMPILE_H
