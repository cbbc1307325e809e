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

/// A temporary buffer that is in use from step `first` to step `last`, both
/// included.
struct Allocation {
  uint64_t size;
  unsigned first, last;
  /// The place in the arena, which planMemory sets.
  uint64_t offset = 0;
};

/// The lowest offset from `offset` on where `size` bytes reach over no multiple
/// of `block`; more than a block begin at one. A space of bytes that is filled
/// so can be cut into buffers of a block each. With blocks of 1000 bytes, 300
/// bytes are not at 800 but at 1000, and 1500 are at 1000 too.
uint64_t getOffsetInBlock(uint64_t offset, uint64_t size, uint64_t block);

/// Places allocations in one arena so that those in use at the same time do not
/// overlap, at offsets that are multiples of `alignment`, and none reaches over
/// a multiple of `block`, but for those that are larger. Returns the size of
/// the arena. Largest first, each at the lowest offset that is free while it is
/// in use: the greedy-by-size strategy of Pisarchyk and Lee, "Efficient Memory
/// Management for Deep Neural Net Inference" (2020).
uint64_t planMemory(llvm::MutableArrayRef<Allocation> allocations,
                    uint64_t alignment, uint64_t block = UINT64_MAX);

} // namespace dml

#endif // DML_LIB_EXECUTABLE_MEMORYPLAN_H
