//===- Compile.h - Compile a module with dml-compile ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLRUN_COMPILE_H
#define DML_TOOLS_DMLRUN_COMPILE_H

#include "support/ExitCode.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dml::tools {

/// A file that has no place in any folder, and so is gone when the program
/// ends, however that happens.
class AnonymousFile {
public:
  AnonymousFile() = default;
  ~AnonymousFile();
  AnonymousFile(AnonymousFile &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)) {}
  AnonymousFile &operator=(AnonymousFile &&) = delete;

  /// Creates a file of these bytes.
  bool create(std::string &error, const std::vector<uint8_t> &bytes = {});
  /// Creates an empty file in the folder for temporary files, or in memory
  /// where there is none: for bytes that may be many.
  bool createOnDisk(std::string &error);
  bool exists() const { return descriptor >= 0; }
  bool hasBytes() const;
  /// The name by which this process, and those that it starts, may open it.
  std::string path() const { return "/dev/fd/" + std::to_string(descriptor); }
  /// The bytes that were written to it.
  std::vector<uint8_t> read() const;

private:
  int descriptor = -1;
};

/// Runs the tool `name` of the compiler with `arguments`: the program beside
/// this one, or else in PATH. No shell is involved. `purpose` says in an error
/// what could not be done. Where it fails, `exitCode` is how this program is to
/// end; `error` stays empty if the tool has printed why.
bool runCompilerTool(const std::string &name,
                     const std::vector<std::string> &arguments,
                     const std::string &purpose, std::string &error,
                     ExitCode &exitCode);

} // namespace dml::tools

#endif // DML_TOOLS_DMLRUN_COMPILE_H
