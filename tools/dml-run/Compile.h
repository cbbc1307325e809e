//===- Compile.h - Compile a module with dml-compile ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLRUN_COMPILE_H
#define DML_TOOLS_DMLRUN_COMPILE_H

#include "support/ExitCode.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dml::tools {

/// A file without a name in any folder, which therefore disappears when the
/// program ends, even after a crash.
class AnonymousFile {
public:
  AnonymousFile() = default;
  ~AnonymousFile();
  AnonymousFile(AnonymousFile &&other) noexcept
      : descriptor(std::exchange(other.descriptor, -1)) {}
  AnonymousFile &operator=(AnonymousFile &&) = delete;

  /// Creates a file of these bytes.
  bool create(std::string &error, const std::vector<uint8_t> &bytes = {});
  /// Creates an empty file for many bytes, in the folder for temporary files,
  /// or in memory if there is no such folder.
  bool createOnDisk(std::string &error);
  bool exists() const { return descriptor >= 0; }
  bool hasBytes() const;
  /// The name by which this process, and those that it starts, may open it.
  std::string path() const { return "/dev/fd/" + std::to_string(descriptor); }
  /// The bytes that were written to it.
  std::vector<uint8_t> read() const;
  /// The descriptor, or -1 where there is no file.
  int getDescriptor() const { return descriptor; }

private:
  int descriptor = -1;
};

/// Takes bytes that a tool tells.
using Consult = std::function<void(std::vector<uint8_t>)>;

/// Runs the compiler's tool `name` with `arguments`, without a shell. The tool
/// is the program beside this program, or else the one in PATH. `purpose` is
/// the purpose of the call in an error message. On failure, returns false and
/// sets `exitCode`, with which this program must end. `error` stays empty if
/// the tool has printed an error itself.
///
/// If `input` is not null, it is the tool's standard input, from its beginning.
/// If `consult` is not null, it is called with what the tool tells (`--consult`
/// of dml-compile) before it goes on. Where it throws, the tool ends, and the
/// exception goes on to the caller.
bool runCompilerTool(const std::string &name,
                     const std::vector<std::string> &arguments,
                     const std::string &purpose, std::string &error,
                     ExitCode &exitCode, const AnonymousFile *input = nullptr,
                     const Consult &consult = nullptr);

} // namespace dml::tools

#endif // DML_TOOLS_DMLRUN_COMPILE_H
