//===- Commands.h - Running a JSON model's commands -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLRUN_COMMANDS_H
#define DML_TOOLS_DMLRUN_COMMANDS_H

#include "dml/runtime.h"
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

/// The resources and commands of a JSON model. Resources are in host memory:
/// every dispatch writes what it reads to the device and reads what it wrote.
/// Fails by throwing Failure.
class Commands {
public:
  /// Reads what dml-compile wrote, and the files that resources come from.
  explicit Commands(std::vector<uint8_t> bytes);

  /// Fails where a command cannot be run: a resource is too small for a tensor,
  /// or there is no folder for files to write.
  void check(const std::function<FunctionTensors(const std::string &)> &find,
             const std::string &outputFolder);

  /// Runs all commands with `dispatch`, which computes a function's results.
  void
  run(const std::function<std::vector<HostTensor>(
          const std::string &, const std::vector<HostTensor> &)> &dispatch);

  /// Prints and writes what the commands said.
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
