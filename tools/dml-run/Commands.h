//===- Commands.h - What dml-compile tells, and commands --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLRUN_COMMANDS_H
#define DML_TOOLS_DMLRUN_COMMANDS_H

#include "dml/runtime.h"
#include "support/Arguments.h"
#include "support/HostTensor.h"

#include <functional>
#include <string>
#include <vector>

namespace dml::commands_format {
struct Binding;
struct Command;
struct Commands;
} // namespace dml::commands_format

namespace dml::tools {

/// The tensors of a function.
struct FunctionTensors {
  std::vector<DmlTensorInfo> inputs, outputs;
};

/// Reads what dml-compile tells of the functions of a module.
std::vector<FunctionSignature> readFunctions(const std::vector<uint8_t> &bytes);

/// The resources and commands of a JSON model. Resources are in host memory:
/// every dispatch copies the resources that it reads to the device, and copies
/// its results back. Functions throw Failure on errors.
class Commands {
public:
  /// Reads the commands that dml-compile has written, and the files of
  /// resources.
  explicit Commands(std::vector<uint8_t> bytes);

  /// Fails if a command cannot be run: if a resource is too small for a tensor,
  /// or if there is no folder for the files that commands write.
  void check(const std::function<FunctionTensors(const std::string &)> &find,
             const std::string &outputFolder);

  /// Runs all commands with `dispatch`, which computes a function's results.
  void
  run(const std::function<std::vector<HostTensor>(
          const std::string &, const std::vector<HostTensor> &)> &dispatch);

  /// Prints the output of the commands, and writes their files.
  void finish();

private:
  struct Resource {
    std::string name;
    DmlDataType type = DML_DATA_TYPE_UNKNOWN;
    std::vector<uint8_t> initial, current;
    /// Bytes that have an initial value.
    uint64_t valueSize = 0;
  };
  struct File {
    std::string path;
    HostTensor tensor;
  };

  Resource createResource(uint32_t index);
  void checkBinding(const commands_format::Binding &binding,
                    const DmlTensorInfo &tensor,
                    const std::string &place) const;
  uint64_t getOffset(const commands_format::Binding &binding) const;
  HostTensor readBinding(const commands_format::Binding &binding,
                         const DmlTensorInfo &tensor) const;
  std::string print(const Resource &resource, bool isVerbose) const;

  std::vector<uint8_t> bytes;
  const commands_format::Commands *commands = nullptr;
  std::vector<Resource> resources;
  /// The tensors of each command's function; none where it dispatches nothing.
  std::vector<FunctionTensors> tensors;
  std::string folder, text;
  std::vector<File> files;
};

} // namespace dml::tools

#endif // DML_TOOLS_DMLRUN_COMMANDS_H
