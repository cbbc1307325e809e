//===- HazardTracker.h - Where barriers are due -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_EXECUTABLE_HAZARDTRACKER_H
#define DML_LIB_EXECUTABLE_HAZARDTRACKER_H

#include "dml/Codegen/IR/Placement.h"
#include "executable_generated.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <tuple>
#include <vector>

namespace dml {

/// An access of a step to a buffer: the bytes `extent` of the range `range`,
/// and whether the step reads or writes them.
struct Access {
  executable::BufferRange range;
  Strip extent;
  bool reads, writes;

  uint64_t getBegin() const { return range.offset() + extent.offset; }
  uint64_t getEnd() const { return range.offset() + extent.getEnd(); }
  /// Whether the two accesses have bytes of the same buffer in common.
  bool overlaps(const Access &other) const;
};

/// An access whose range moves with the iterations of a loop, as the Advance of
/// the format says. The range of `first` is that of iteration 0. An access that
/// stays where it is has the stride 0.
struct LoopAccess {
  Access first;
  int64_t stride = 0;
  uint32_t period = 0;

  /// Returns the access in one iteration.
  Access at(uint64_t iteration) const;
  /// Returns an access to all bytes of `count` iterations.
  Access all(uint64_t count) const;
};

/// A set of accesses that can be searched for accesses to the same bytes.
class AccessSet {
public:
  void insert(const Access &access);
  bool overlaps(const Access &access) const;
  void clear() { byLength.clear(); }

private:
  /// The accesses by buffer and by the logarithm of their length, rounded up;
  /// within each such class, sorted by first byte. The classes bound how far
  /// before a given byte an overlapping access can begin, which bounds the
  /// search.
  std::map<std::tuple<executable::BufferKind, uint32_t, unsigned>,
           std::multimap<uint64_t, Access>>
      byLength;
};

/// Decides where barriers are needed. Holds the accesses since the last
/// barrier.
class HazardTracker {
public:
  /// Returns whether `accesses` must wait for accesses since the last barrier,
  /// and records `accesses`.
  bool add(llvm::ArrayRef<Access> accesses);

  /// The same for the steps of a loop of `count` iterations. Returns for each
  /// step whether a barrier is needed before the step, in all iterations.
  std::vector<bool> addLoop(llvm::ArrayRef<llvm::SmallVector<LoopAccess>> steps,
                            uint64_t count);

private:
  /// Whether `accesses` must wait for accesses that are recorded.
  bool meets(llvm::ArrayRef<Access> accesses) const;
  void insert(llvm::ArrayRef<Access> accesses);
  void clear();

  /// The accesses that write, and the accesses that only read.
  AccessSet writes, reads;
};

} // namespace dml

#endif // DML_LIB_EXECUTABLE_HAZARDTRACKER_H
