//===- HazardTracker.cpp - Where barriers are due -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HazardTracker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace dml;

bool Access::overlaps(const Access &other) const {
  if (range.kind() != other.range.kind() ||
      range.index() != other.range.index())
    return false;
  if (range.offset() == other.range.offset())
    return extent.overlaps(other.extent);
  return getBegin() < other.getEnd() && other.getBegin() < getEnd();
}

void AccessSet::insert(const Access &access) {
  uint64_t length = std::max<uint64_t>(access.getEnd() - access.getBegin(), 1);
  byLength[{access.range.kind(), access.range.index(),
            llvm::Log2_64_Ceil(length)}]
      .emplace(access.getBegin(), access);
}

bool AccessSet::overlaps(const Access &access) const {
  auto kind = access.range.kind();
  uint32_t index = access.range.index();
  auto end = byLength.lower_bound({kind, index, UINT_MAX});
  for (auto found = byLength.lower_bound({kind, index, 0}); found != end;
       ++found) {
    const auto &[key, byBegin] = *found;
    uint64_t length = uint64_t{1} << std::get<2>(key);
    uint64_t begin = access.getBegin() - std::min(access.getBegin(), length);
    if (std::any_of(
            byBegin.lower_bound(begin), byBegin.lower_bound(access.getEnd()),
            [&](const auto &entry) { return entry.second.overlaps(access); }))
      return true;
  }
  return false;
}

bool HazardTracker::add(llvm::ArrayRef<Access> accesses) {
  bool hazard = llvm::any_of(accesses, [&](const Access &access) {
    return writes.overlaps(access) || (access.writes && reads.overlaps(access));
  });
  if (hazard) {
    writes.clear();
    reads.clear();
  }
  for (const Access &access : accesses)
    (access.writes ? writes : reads).insert(access);
  return hazard;
}
