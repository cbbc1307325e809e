//===- Commands.h - What dml-run is told ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLCOMPILE_COMMANDS_H
#define DML_TOOLS_DMLCOMPILE_COMMANDS_H

#include "dml/Import/DirectML.h"
#include "support/Arguments.h"

#include <vector>

namespace dml::tools {

/// The bytes of a JSON model's commands, as support/commands.fbs has them.
std::vector<uint8_t> serializeCommands(const directml::Commands &commands);

/// Tells dml-run of the functions of a module, as support/commands.fbs has
/// them, over the socket `descriptor`, and waits for its answer. Returns
/// whether dml-run wants the module compiled.
bool consult(int descriptor, const std::vector<FunctionSignature> &functions);

} // namespace dml::tools

#endif // DML_TOOLS_DMLCOMPILE_COMMANDS_H
