//===- Commands.h - A JSON model's commands for dml-run ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLCOMPILE_COMMANDS_H
#define DML_TOOLS_DMLCOMPILE_COMMANDS_H

#include "dml/Import/DirectML.h"

#include <vector>

namespace dml::tools {

/// The bytes of support/commands.fbs.
std::vector<uint8_t> serializeCommands(const directml::Commands &commands);

} // namespace dml::tools

#endif // DML_TOOLS_DMLCOMPILE_COMMANDS_H
