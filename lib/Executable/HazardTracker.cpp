//===- HazardTracker.cpp - Where barriers are due -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "HazardTracker.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

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

Access LoopAccess::at(uint64_t iteration) const {
  uint64_t place = period ? iteration % period : iteration;
  Access moved = first;
  // A product with a negative stride is right modulo 2^64.
  moved.range = executable::BufferRange(
      first.range.kind(), first.range.index(),
      first.range.offset() + static_cast<uint64_t>(stride) * place,
      first.range.size());
  return moved;
}

Access LoopAccess::all(uint64_t count) const {
  if (stride == 0)
    return first;
  Access last = at((period ? std::min<uint64_t>(period, count) : count) - 1);
  uint64_t begin = std::min(first.range.offset(), last.range.offset());
  uint64_t end =
      std::max(first.range.offset(), last.range.offset()) + first.range.size();
  auto size = static_cast<int64_t>(end - begin);
  return {executable::BufferRange(first.range.kind(), first.range.index(),
                                  begin, end - begin),
          Strip{0, size, size, 1}, first.reads, first.writes};
}

bool HazardTracker::meets(llvm::ArrayRef<Access> accesses) const {
  return llvm::any_of(accesses, [&](const Access &access) {
    return writes.overlaps(access) || (access.writes && reads.overlaps(access));
  });
}

void HazardTracker::insert(llvm::ArrayRef<Access> accesses) {
  for (const Access &access : accesses)
    (access.writes ? writes : reads).insert(access);
}

void HazardTracker::clear() {
  writes.clear();
  reads.clear();
}

bool HazardTracker::add(llvm::ArrayRef<Access> accesses) {
  bool hazard = meets(accesses);
  if (hazard)
    clear();
  insert(accesses);
  return hazard;
}

/// Whether the first three iterations show all ways in which two accesses can
/// meet in neighbouring iterations: both stay where they are or alternate
/// between two places, or both advance by the same stride.
static bool areInStep(const LoopAccess &lhs, const LoopAccess &rhs) {
  auto alternates = [](const LoopAccess &access) {
    return access.stride == 0 || access.period == 2;
  };
  return (alternates(lhs) && alternates(rhs)) ||
         (lhs.stride == rhs.stride && lhs.period == 0 && rhs.period == 0);
}

namespace {
/// What the first three iterations of a loop do not show.
struct LaterMeetings {
  /// The accesses that are not in step with another one, such as a row that is
  /// read from the first on and a row of the same buffer that is written from
  /// the last on. They are compared by the bytes of all iterations.
  llvm::SmallPtrSet<const LoopAccess *, 8> isWhole;
  /// Whether accesses may meet in iterations that are far apart, which matters
  /// in a loop without barriers.
  bool mayBeLate = false;
};
} // namespace

static LaterMeetings
findLaterMeetings(llvm::ArrayRef<llvm::SmallVector<LoopAccess>> steps,
                  uint64_t count) {
  llvm::SmallVector<const LoopAccess *> all, moving;
  for (const auto &step : steps)
    for (const LoopAccess &access : step) {
      all.push_back(&access);
      if (access.stride != 0)
        moving.push_back(&access);
    }
  LaterMeetings meetings;
  for (const LoopAccess *lhs : moving)
    for (const LoopAccess *rhs : all) {
      if (!(lhs->first.writes || rhs->first.writes) ||
          !lhs->all(count).overlaps(rhs->all(count)))
        continue;
      if (!areInStep(*lhs, *rhs)) {
        meetings.isWhole.insert(lhs);
        meetings.isWhole.insert(rhs);
      }
      auto step = static_cast<uint64_t>(std::abs(lhs->stride));
      meetings.mayBeLate |=
          lhs->period != 0 || step < lhs->first.range.size() ||
          lhs->stride != rhs->stride ||
          lhs->first.range.offset() != rhs->first.range.offset();
    }
  return meetings;
}

std::vector<bool>
HazardTracker::addLoop(llvm::ArrayRef<llvm::SmallVector<LoopAccess>> steps,
                       uint64_t count) {
  LaterMeetings later = findLaterMeetings(steps, count);
  std::vector<bool> barriers(steps.size());
  HazardTracker inside;
  for (uint64_t iteration = 0; iteration < std::min<uint64_t>(count, 3);
       ++iteration)
    for (auto [index, step] : llvm::enumerate(steps)) {
      llvm::SmallVector<Access> now, ever;
      for (const LoopAccess &access : step) {
        ever.push_back(access.all(count));
        now.push_back(later.isWhole.contains(&access) ? ever.back()
                                                      : access.at(iteration));
      }
      if (meets(ever) || inside.meets(now))
        barriers[index] = true;
      if (barriers[index]) {
        clear();
        inside.clear();
      }
      inside.insert(now);
    }
  if (later.mayBeLate && count > 1 && !llvm::is_contained(barriers, true))
    barriers.front() = true;

  // The steps from the last barrier on have no barrier behind them.
  size_t begin = steps.size();
  while (begin > 0 && !barriers[--begin]) {
  }
  if (llvm::is_contained(barriers, true))
    clear();
  for (const auto &step : steps.drop_front(begin))
    for (const LoopAccess &access : step)
      insert(access.all(count));
  return barriers;
}
