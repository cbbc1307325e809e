//===- MemoryPlan.cpp - Layout of the temporary arena ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

uint64_t dml::planMemory(llvm::MutableArrayRef<Allocation> allocations,
                         uint64_t alignment) {
  llvm::SmallVector<Allocation *> bySize;
  for (Allocation &allocation : allocations)
    bySize.push_back(&allocation);
  llvm::stable_sort(bySize, [](const Allocation *lhs, const Allocation *rhs) {
    return lhs->size > rhs->size;
  });

  uint64_t arena = 0;
  llvm::SmallVector<const Allocation *> placed; // By offset.
  for (Allocation *allocation : bySize) {
    uint64_t offset = 0;
    for (const Allocation *other : placed) {
      bool together =
          other->first <= allocation->last && allocation->first <= other->last;
      if (!together)
        continue;
      if (offset + allocation->size <= other->offset)
        break; // Fits before it.
      offset = std::max(offset,
                        llvm::alignTo(other->offset + other->size, alignment));
    }
    allocation->offset = offset;
    arena =
        std::max(arena, llvm::alignTo(offset + allocation->size, alignment));
    placed.insert(
        llvm::upper_bound(placed, allocation,
                          [](const Allocation *lhs, const Allocation *rhs) {
                            return lhs->offset < rhs->offset;
                          }),
        allocation);
  }
  return arena;
}
