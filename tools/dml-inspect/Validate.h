//===- Validate.h - What SPIRV-Tools says of shaders ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DML_INSPECT_VALIDATE_H
#define DML_TOOLS_DML_INSPECT_VALIDATE_H

#include "Executable.h"

namespace dml::tools {

/// Has every shader module checked by SPIRV-Tools. Fails where it refuses one,
/// or does not know what one declares, or where it was not built in.
void validateShaders(const dml::runtime::Executable &executable);

} // namespace dml::tools

#endif // DML_TOOLS_DML_INSPECT_VALIDATE_H
