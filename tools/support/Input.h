//===- Input.h - Executables from files and standard input ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_INPUT_H
#define DML_TOOLS_SUPPORT_INPUT_H

#include "support/Runtime.h"

#include <cstdint>
#include <vector>

namespace dml::tools {

/// Whether a path stands for standard input.
inline bool isStandardInput(const std::string &path) { return path == "-"; }

/// Reads a file, or standard input for "-", but no more than the first `most`
/// bytes. Fails if it cannot be read.
std::vector<uint8_t> readInput(const std::string &path, size_t most = SIZE_MAX);

/// Whether these are the bytes of an executable, damaged or not.
bool isExecutable(const std::vector<uint8_t> &bytes);

/// Reads an executable from a file, or from standard input for "-".
Executable loadExecutable(const std::string &path);

/// The executable that these bytes are.
Executable loadExecutable(const std::vector<uint8_t> &bytes);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_INPUT_H
