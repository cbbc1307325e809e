//===- Npy.h - NumPy's file format ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_NPY_H
#define DML_TOOLS_SUPPORT_NPY_H

#include "support/ByteSource.h"
#include "support/HostTensor.h"

namespace dml::tools {

/// Reads a .npy file of version 1, 2 or 3, in C or Fortran order and in either
/// byte order, with bools, floats (of 2, 4 or 8 bytes) or integers (of 1, 2, 4
/// or 8 bytes). Returns nothing, with `error` set, if this fails. If `type` is
/// not empty and the file has a tensor of another type, returns that tensor
/// without its elements: a file that is wanted by nobody costs no memory.
std::optional<HostTensor> readNpy(const std::string &path, std::string &error,
                                  const std::string &type = "");
std::optional<HostTensor> readNpy(ByteSource &source, const std::string &type,
                                  std::string &error);

/// Writes version 1, C order, little-endian.
bool writeNpy(const std::string &path, const HostTensor &tensor,
              std::string &error);

/// Sets `start` to what a .npy file has in front of the elements of `tensor`.
bool describeNpy(const HostTensor &tensor, std::string &start,
                 std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_NPY_H
