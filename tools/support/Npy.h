//===- Npy.h - NumPy's file format ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_NPY_H
#define DML_TOOLS_SUPPORT_NPY_H

#include "support/HostTensor.h"

namespace dml::tools {

/// Reads a .npy file of version 1, 2 or 3, in C or Fortran order and in either
/// byte order, with floats (of 2, 4 or 8 bytes) or integers (of 1, 2, 4 or 8
/// bytes). Returns nothing, with `error` set, if this fails.
std::optional<HostTensor> readNpy(const std::string &path, std::string &error);

/// Writes version 1, C order, little-endian.
bool writeNpy(const std::string &path, const HostTensor &tensor,
              std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_NPY_H
