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

/// Whether a step reads or writes a range, of whose bytes it is those of
/// `extent`.
struct Access {
  executable::BufferRange range;
  Strip extent;
  bool reads, writes;

  uint64_t getBegin() const { return range.offset() + extent.offset; }
  uint64_t getEnd() const { return range.offset() + extent.getEnd(); }
  /// Whether the two have bytes of one buffer in common.
  bool overlaps(const Access &other) const;
};

/// Accesses, found by the bytes that they have in common with others.
class AccessSet {
public:
  void insert(const Access &access);
  bool overlaps(const Access &access) const;
  void clear() { byLength.clear(); }

private:
  /// The accesses by their buffer and by the power of two that their extents
  /// are no longer than, each in the order of where they begin: what overlaps a
  /// range begins no further before it.
  std::map<std::tuple<executable::BufferKind, uint32_t, unsigned>,
           std::multimap<uint64_t, Access>>
      byLength;
};

/// Says where barriers are due: the accesses since the last one.
class HazardTracker {
public:
  /// Whether `accesses` must wait for earlier ones; records them.
  bool add(llvm::ArrayRef<Access> accesses);

private:
  /// Accesses that write, and those that only read.
  AccessSet writes, reads;
};

} // namespace dml

#endif // DML_LIB_EXECUTABLE_HAZARDTRACKER_H
