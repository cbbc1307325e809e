//===- MemoryPlan.cpp - Layout of the temporary arena ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MemoryPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <vector>

using namespace dml;

namespace {
/// A set of bytes, as ranges. Adjacent ranges are merged.
class ByteRanges {
public:
  void add(uint64_t begin, uint64_t end) {
    auto next = beginByEnd.lower_bound(begin);
    while (next != beginByEnd.end() && next->second <= end) {
      begin = std::min(begin, next->second);
      end = std::max(end, next->first);
      next = beginByEnd.erase(next);
    }
    beginByEnd.emplace_hint(next, end, begin);
  }

  /// Returns the lowest offset from `offset` on at which `size` bytes are in no
  /// range.
  uint64_t findGap(uint64_t offset, uint64_t size) const {
    for (auto next = beginByEnd.upper_bound(offset);
         next != beginByEnd.end() && next->second < offset + size; ++next)
      offset = next->first;
    return offset;
  }

private:
  std::map<uint64_t, uint64_t> beginByEnd;
};

/// The bytes of the arena that are in use at each step, as a binary tree: the
/// root covers all steps, and each child covers half of its parent's steps.
/// Only few of many thousand allocations are in use at any one step, and a
/// search visits only the nodes along its own steps.
class ArenaUse {
public:
  ArenaUse(unsigned numSteps, uint64_t block)
      : numSteps(llvm::PowerOf2Ceil(numSteps)), block(block),
        nodes(2 * this->numSteps) {}

  /// Returns the lowest offset at which the bytes for `allocation` are free at
  /// all of its steps.
  uint64_t findGap(const Allocation &allocation) {
    llvm::SmallVector<const ByteRanges *> inUse;
    visit(allocation, [&](const Node &node, bool isWithin) {
      inUse.push_back(isWithin ? &node.atSomeStep : &node.throughout);
    });
    uint64_t offset = 0, last;
    do {
      last = offset;
      for (const ByteRanges *ranges : inUse)
        offset = ranges->findGap(offset, allocation.size);
      offset = getOffsetInBlock(offset, allocation.size, block);
    } while (offset != last);
    return offset;
  }

  /// Marks the bytes from `begin` to `end` as in use at the steps of
  /// `allocation`.
  void take(const Allocation &allocation, uint64_t begin, uint64_t end) {
    visit(allocation, [&](Node &node, bool isWithin) {
      node.atSomeStep.add(begin, end);
      if (isWithin)
        node.throughout.add(begin, end);
    });
  }

private:
  /// `atSomeStep` has the bytes that are in use at one of the node's steps or
  /// more. `throughout` has the bytes of the allocations that cover all steps
  /// of the node, but not all steps of its parent.
  struct Node {
    ByteRanges atSomeStep, throughout;
  };
  using Visitor = llvm::function_ref<void(Node &node, bool isWithin)>;

  /// Visits the nodes whose steps `allocation` covers but whose parent's steps
  /// it does not, and all ancestors of these nodes.
  void visit(const Allocation &allocation, Visitor visitor) {
    visit(/*node=*/1, /*begin=*/0, numSteps, allocation, visitor);
  }
  void visit(uint64_t node, uint64_t begin, uint64_t end,
             const Allocation &allocation, Visitor visitor) {
    if (allocation.last < begin || end <= allocation.first)
      return;
    bool isWithin = allocation.first <= begin && end - 1 <= allocation.last;
    visitor(nodes[node], isWithin);
    if (isWithin)
      return;
    uint64_t middle = begin + (end - begin) / 2;
    visit(2 * node, begin, middle, allocation, visitor);
    visit(2 * node + 1, middle, end, allocation, visitor);
  }

  uint64_t numSteps, block;
  std::vector<Node> nodes;
};
} // namespace

uint64_t dml::getOffsetInBlock(uint64_t offset, uint64_t size, uint64_t block) {
  bool isWithin = offset % block == 0 || size <= block - offset % block;
  return isWithin ? offset : llvm::alignTo(offset, block);
}

uint64_t dml::planMemory(llvm::MutableArrayRef<Allocation> allocations,
                         uint64_t alignment, uint64_t block) {
  // An allocation without bytes needs no place.
  llvm::SmallVector<Allocation *> bySize;
  unsigned numSteps = 1;
  for (Allocation &allocation : allocations) {
    allocation.offset = 0;
    if (allocation.size == 0)
      continue;
    bySize.push_back(&allocation);
    numSteps = std::max(numSteps, allocation.last + 1);
  }
  llvm::stable_sort(bySize, [](const Allocation *lhs, const Allocation *rhs) {
    return lhs->size > rhs->size;
  });

  uint64_t arena = 0;
  ArenaUse use(numSteps, llvm::alignDown(block, alignment));
  for (Allocation *allocation : bySize) {
    allocation->offset = use.findGap(*allocation);
    uint64_t end =
        llvm::alignTo(allocation->offset + allocation->size, alignment);
    use.take(*allocation, allocation->offset, end);
    arena = std::max(arena, end);
  }
  return arena;
}
