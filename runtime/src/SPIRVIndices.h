//===- SPIRVIndices.h - Indices that stay within their arrays ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The compiler's part of what readSPIRVModule() wants of indices. The runtime
// refuses modules and changes no index, so its libraries do without this.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_SPIRVINDICES_H
#define DML_RUNTIME_SPIRVINDICES_H

#include "Status.h"

#include <cstdint>
#include <vector>

namespace dml::runtime {

/// Changes a module so that readSPIRVModule() accepts its indices, and returns
/// the number of changed indices. An index that is not provably within an array
/// is replaced by its minimum with the last valid index: with 64 elements, %i
/// becomes UMin(%i, 63). Fails, and leaves the words unchanged, if the reader
/// refuses the module for another reason.
Expected<uint32_t> limitSPIRVIndices(std::vector<uint32_t> &words);

} // namespace dml::runtime

#endif // DML_RUNTIME_SPIRVINDICES_H
