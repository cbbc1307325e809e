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
#include <map>
#include <tuple>

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

private:
  /// The accesses that write, and the accesses that only read.
  AccessSet writes, reads;
};

} // namespace dml

#endif // DML_LIB_EXECUTABLE_HAZARDTRACKER_H
