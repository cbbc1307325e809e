//===- SplitAttentionKind.cpp - When keys are split over workgroups -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/BodySlice.h"
#include "Kernels/SplitAttentionKernel.h"
#include "Selection/AttentionKindOf.h"
#include "Selection/AttentionTime.h"
#include "Selection/KernelKinds.h"
#include "Selection/Occupancy.h"
#include "dml/Target/AttentionCosts.h"
#include "dml/Target/CostModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Returns the estimated time of the first kernel of split attention, in cycles
/// of a multiprocessor.
static double getPartsTime(const Attention &attention,
                           const SplitAttentionLayout &layout,
                           const DeviceSpeed &device) {
  auto terms = static_cast<double>(attention.scores.getTerms()),
       columns = static_cast<double>(attention.products.columns.size),
       rows = static_cast<double>(layout.rows),
       side = static_cast<double>(ThreadBlock::side),
       tiles = static_cast<double>(layout.rowTiles),
       groups = static_cast<double>(layout.groups * layout.parts) * tiles;
  double operations = rows * static_cast<double>(layout.keys) *
                      ((terms + columns) * getOpsOfProduct(rows, side, device) +
                       cost::attention::opsPerScore) /
                      DeviceSpeed::opsPerCycle;
  int64_t loads =
      1 + (layout.isWrittenOut(attention) ? 1 : layout.getTrips(attention)) +
      llvm::divideCeilSigned(layout.getKeysOfColumns(), layout.keysTogether);
  double waiting = static_cast<double>(loads) * device.memoryCycles +
                   cost::attention::barriersOfSplit * device.barrierCycles;
  Occupancy occupancy =
      Occupancy::get({static_cast<double>(layout.getRegisters() *
                                          DeviceProfile::workgroupSize),
                      static_cast<double>(layout.getBytes(attention))},
                     groups, device);
  // Several workgroups, which compute different rows, may need the same keys
  // and values. The first of these workgroups loads the keys and values from
  // memory, and the others load them from the last-level cache. Few workgroups
  // have too few loads in flight to reach the rate of memory.
  double bytes = getFactorBytes(attention) * tiles / groups;
  double loading = bytes *
                   (device.getCyclesPerByte() * device.multiprocessors +
                    (tiles - 1) / device.lastCacheBytesPerCycle) /
                   tiles * cost::attention::shareOfMemory *
                   (1 + cost::attention::memoryOfOne / occupancy.resident);
  // A workgroup that has a multiprocessor to itself loads, waits and computes
  // in turn. Several workgroups load while others wait.
  double together =
      std::max({operations, loading,
                (operations + loading + waiting) / occupancy.resident});
  return occupancy.getTimeOfKernel(
      occupancy.getTimeOfIteration(together, operations + waiting));
}

/// Returns the estimated time of both kernels of split attention, in cycles of
/// a multiprocessor. The cycles in which memory transfers the bytes of keys and
/// values are left out, since each way to compute attention reads them.
static double getSplitTime(const Attention &attention,
                           const SplitAttentionLayout &layout,
                           const DeviceSpeed &device) {
  double ofMemory = getFactorBytes(attention) * device.getCyclesPerByte();
  auto parts = static_cast<double>(layout.parts);
  double means = 2 * sizeof(float) * parts *
                 static_cast<double>(attention.products.columns.size *
                                     layout.groups * layout.queries);
  return device.launchCycles + device.kernelCycles +
         std::max(getPartsTime(attention, layout, device) - ofMemory, 0.0) +
         means * device.getCyclesPerByte() +
         2 * parts * cost::attention::cyclesOfPart;
}

/// Whether the first kernel of split attention binds no more buffers than the
/// profile allows: the buffers from which `op` loads, and two for the results.
static bool canBind(linalg::GenericOp op, const DeviceProfile &profile) {
  llvm::SmallPtrSet<Value, 8> sources;
  op.getBody()->walk([&](Operation *nested) {
    if (BodySlice::isLoad(nested))
      sources.insert(nested->getOperand(0));
  });
  return static_cast<int64_t>(sources.size()) + 2 <=
         profile.getMaxStorageBuffers();
}

/// The numbers of keys that the search tries for a part of the keys.
static constexpr int64_t keysOfParts[] = {32, 64, 128, 256, 512};

/// Adds kernels for split attention to `proposals`. Adds none if the keys
/// cannot be split.
static void searchSplitTiles(const Attention &attention,
                             const DeviceProfile &profile,
                             Proposals &proposals) {
  int64_t queries = attention.sharingHeads * attention.products.rows.size;
  if (queries > cost::attention::maxSplitQueries)
    return;
  for (int64_t most : {2, 4, 8, 16}) {
    int64_t tiles = llvm::divideCeilSigned(queries, most);
    for (int64_t keys : keysOfParts) {
      SplitAttentionTile tile{llvm::divideCeilSigned(queries, tiles), keys};
      SplitAttentionLayout layout;
      if (keys >= attention.keys ||
          !SplitAttentionLayout::get(attention, tile, profile, layout)
               .empty() ||
          static_cast<double>(layout.getRegisters()) >
              profile.getSpeed().registersOfThread)
        continue;
      proposals.add(
          {tile, getSplitTime(attention, layout, profile.getSpeed())});
    }
  }
}

namespace {
class SplitAttentionKind : public AttentionKindOf<SplitAttentionTile> {
  std::string tryBuildAttention(linalg::GenericOp op,
                                const Attention &attention,
                                const SplitAttentionTile &tile,
                                const DeviceProfile &profile) const override {
    SplitAttentionLayout layout;
    std::string problem =
        SplitAttentionLayout::get(attention, tile, profile, layout);
    if (problem.empty())
      buildSplitAttentionKernel(op, attention, layout);
    return problem;
  }

  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    return parseTile(text, context);
  }

  void proposeFastestAttention(const KernelQuery &query,
                               Proposals &proposals) const override {
    if (canBind(query.op, query.profile))
      searchSplitTiles(*query.attention, query.profile, proposals);
  }
  std::optional<Proposal>
  proposeWantedAttention(const KernelQuery &query,
                         const SplitAttentionTile &wanted) const override {
    SplitAttentionLayout layout;
    if (!canBind(query.op, query.profile) ||
        !SplitAttentionLayout::get(*query.attention, wanted, query.profile,
                                   layout)
             .empty())
      return std::nullopt;
    return Proposal::prefer(wanted);
  }
};
} // namespace

const KernelKind &dml::getSplitAttentionKind() {
  static const SplitAttentionKind kind;
  return kind;
}
