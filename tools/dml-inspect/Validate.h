//===- Validate.h - What SPIRV-Tools says of shaders ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DML_INSPECT_VALIDATE_H
#define DML_TOOLS_DML_INSPECT_VALIDATE_H

#include "Executable.h"

namespace dml::tools {

/// Checks every shader module by SPIRV-Tools. Fails if SPIRV-Tools refuses a
/// module or does not know a feature that the module declares, or if this
/// program was built without SPIRV-Tools.
void validateShaders(const dml::runtime::Executable &executable);

} // namespace dml::tools

#endif // DML_TOOLS_DML_INSPECT_VALIDATE_H
