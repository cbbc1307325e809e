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

/// Makes readSPIRVModule() accept a module as far as indices are concerned, and
/// returns how many it had to limit: each index that is not provably within an
/// array becomes its minimum with the last one that there is. Where there are
/// 64 elements, %i becomes UMin(%i, 63). Fails where the reader refuses the
/// module for anything else; the words are as they were then.
Expected<uint32_t> limitSPIRVIndices(std::vector<uint32_t> &words);

} // namespace dml::runtime

#endif // DML_RUNTIME_SPIRVINDICES_H
