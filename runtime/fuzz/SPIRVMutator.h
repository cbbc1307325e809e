//===- SPIRVMutator.h - Shader modules that are almost right --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_FUZZ_SPIRVMUTATOR_H
#define DML_RUNTIME_FUZZ_SPIRVMUTATOR_H

#include "Random.h"

#include <cstdint>
#include <vector>

namespace dml::fuzz {

using Code = std::vector<uint32_t>;

/// Creates a kernel with two storage buffers of f32 by the rules of
/// SPIRVTable.h: with instructions on values of the right types, ifs, loops,
/// and accesses to arrays. Most of these kernels are valid.
Code drawModule(Random &random);

/// Makes one change: to a word, an operand, an instruction, the blocks, the
/// types or the header. After most changes, the module still consists of whole
/// instructions.
void mutateModule(Code &code, Random &random);

} // namespace dml::fuzz

#endif // DML_RUNTIME_FUZZ_SPIRVMUTATOR_H
