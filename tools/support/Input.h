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

/// Reads the first bytes of a regular file, or none of anything else, whose
/// bytes can be read but once. Fails if the file cannot be read.
std::vector<uint8_t> readStart(const std::string &path);

/// Whether these are the bytes of an executable, damaged or not.
bool isExecutable(const std::vector<uint8_t> &bytes);

/// Whether a file that begins with these bytes is an ONNX model.
bool isOnnx(const std::vector<uint8_t> &bytes);

/// Whether a file that begins with these bytes is a JSON model.
bool isJson(const std::vector<uint8_t> &bytes);

/// Fails if the file, or standard input for "-", begins with the bytes of
/// another kind of file than executables: the message says of which, and which
/// tool reads it.
void wantExecutable(const std::string &path, const std::vector<uint8_t> &bytes);

/// Reads an executable from a file, or from standard input for "-".
Executable loadExecutable(const std::string &path);

/// The executable that these bytes are.
Executable loadExecutable(const std::vector<uint8_t> &bytes);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_INPUT_H
