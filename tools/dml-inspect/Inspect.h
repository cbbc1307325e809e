//===- Inspect.h - What an executable holds ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLINSPECT_INSPECT_H
#define DML_TOOLS_DMLINSPECT_INSPECT_H

#include "Executable.h"

#include <string>
#include <vector>

namespace dml::tools {

/// A range of a variant's temporary memory, and the first and the last step
/// that use it.
struct TemporaryRange {
  uint64_t offset;
  uint64_t size;
  size_t firstStep;
  size_t lastStep;
};

/// The ranges of a variant's temporaries, in the order of their offsets.
std::vector<TemporaryRange> planMemory(const runtime::Variant &variant);

std::string printText(const runtime::Executable &executable);
std::string printJson(const runtime::Executable &executable);

/// Returns a description of a shader module: its number, and its name if it has
/// one.
std::string describeModule(const runtime::Executable &executable, size_t index);

/// Returns the name of a file for a shader module, such as "0-add.spv": the
/// module's number, and the characters of its name that may be in a file's
/// name.
std::string nameShaderFile(const runtime::Executable &executable, size_t index);

} // namespace dml::tools

#endif // DML_TOOLS_DMLINSPECT_INSPECT_H
