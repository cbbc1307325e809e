//===- MemoryPlan.h - Layout of the temporary arena -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_EXECUTABLE_MEMORYPLAN_H
#define DML_LIB_EXECUTABLE_MEMORYPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace dml {

/// A temporary buffer that is in use from step `first` to step `last`,
/// inclusive.
struct Allocation {
  uint64_t size;
  unsigned first, last;
  /// The offset in the arena. Set by planMemory.
  uint64_t offset = 0;
};

/// Returns the lowest offset from `offset` on at which `size` bytes cross no
/// multiple of `block`; more than `block` bytes begin at such a multiple. An
/// address space that is filled this way can be cut into buffers of `block`
/// bytes. For a block of 1000 bytes and an offset of 800, 300 bytes go to 1000,
/// and so do 1500 bytes.
uint64_t getOffsetInBlock(uint64_t offset, uint64_t size, uint64_t block);

/// Places allocations in one arena so that allocations in use at the same time
/// do not overlap. Offsets are multiples of `alignment`. No allocation of at
/// most `block` bytes crosses a multiple of `block`. Returns the size of the
/// arena. The allocations are placed from the largest to the smallest, each at
/// the lowest offset that is free while it is in use: the greedy-by-size
/// strategy of Pisarchyk and Lee, "Efficient Memory Management for Deep Neural
/// Net Inference" (2020).
uint64_t planMemory(llvm::MutableArrayRef<Allocation> allocations,
                    uint64_t alignment, uint64_t block = UINT64_MAX);

} // namespace dml

#endif // DML_LIB_EXECUTABLE_MEMORYPLAN_H
