//===- SplitAttentionKind.cpp - When keys are split over workgroups -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/SplitAttentionKernel.h"
#include "Selection/AttentionTime.h"
#include "Selection/KernelKinds.h"
#include "Selection/Occupancy.h"
#include "dml/Target/AttentionCosts.h"
#include "dml/Target/CostModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Returns the cycles of a multiprocessor in which the factors arrive, beyond
/// the cycles in which memory moves their bytes. While a workgroup waits for
/// bytes that depend on others, memory serves other workgroups, if there are
/// enough of them.
static double getWaitingTime(const Attention &attention,
                             const SplitAttentionLayout &layout,
                             const DeviceSpeed &device) {
  auto groups =
      static_cast<double>(layout.groups * layout.rowTiles * layout.parts);
  Occupancy occupancy =
      Occupancy::get({static_cast<double>(layout.getRegisters() *
                                          DeviceProfile::workgroupSize),
                      static_cast<double>(layout.getBytes(attention))},
                     groups, device);
  double together = occupancy.resident * device.multiprocessors;
  double bytes = getFactorBytes(attention);
  double ofTurn = bytes / groups * static_cast<double>(layout.rowTiles) *
                  std::min(together, groups) * device.getCyclesPerByte();
  int64_t loads =
      1 + (layout.isWrittenOut(attention) ? 1 : layout.getTrips(attention)) +
      llvm::divideCeilSigned(layout.getKeysOfColumns(), layout.keysTogether);
  double latency = static_cast<double>(loads) * device.memoryCycles +
                   cost::attention::barriersOfSplit * device.barrierCycles;
  double turns = std::ceil(groups / together);
  return turns * latency * latency / (latency + ofTurn);
}

/// Returns the cycles of a multiprocessor for both kernels. The bytes of keys
/// and values are not counted, since each way to compute attention reads them.
static double getSplitTime(const Attention &attention,
                           const SplitAttentionLayout &layout,
                           const DeviceSpeed &device) {
  double pairs =
      static_cast<double>(layout.groups * layout.rowTiles * layout.rows) *
      static_cast<double>(layout.parts * layout.keys);
  auto terms = static_cast<double>(attention.scores.getTerms()),
       columns = static_cast<double>(attention.products.columns.size),
       rows = static_cast<double>(layout.rows),
       side = static_cast<double>(ThreadBlock::side);
  double operations = pairs * (terms * getOpsOfProduct(rows, side, device) +
                               columns * getOpsOfProduct(rows, side, device) +
                               cost::attention::opsPerScore);
  auto groups =
      static_cast<double>(layout.groups * layout.rowTiles * layout.parts);
  double share = std::min(1.0, groups / device.multiprocessors);
  double means =
      2 * sizeof(float) * columns *
      static_cast<double>(layout.groups * layout.queries * layout.parts);
  return device.launchCycles + device.kernelCycles +
         getTimeOfFactors(attention, layout.rowTiles, device) +
         operations / (share * device.getOpsPerCycle()) +
         means * device.getCyclesPerByte() +
         getWaitingTime(attention, layout, device) +
         static_cast<double>(layout.parts) * 2 * cost::attention::cyclesOfPart;
}

/// The numbers of keys in a part that the search tries.
static constexpr int64_t keysOfParts[] = {32, 64, 128, 256, 512};

/// Returns the fastest kernel, or nothing if the keys cannot be split.
static std::optional<Proposal> searchSplitTiles(const Attention &attention,
                                                const DeviceProfile &profile) {
  std::optional<Proposal> best;
  int64_t queries = attention.sharingHeads * attention.products.rows.size;
  if (queries > cost::attention::maxSplitQueries)
    return best;
  for (int64_t most : {4, 8, 16}) {
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
      double time = getSplitTime(attention, layout, profile.getSpeed());
      if (!best || time < best->cycles)
        best = {tile, time};
    }
  }
  return best;
}

namespace {
class SplitAttentionKind : public KernelKindOf<SplitAttentionTile> {
  std::string tryBuild(linalg::GenericOp op, const SplitAttentionTile &tile,
                       const DeviceProfile &profile) const override {
    std::optional<Attention> attention;
    if (op.hasPureBufferSemantics())
      attention = Attention::match(op);
    if (!attention)
      return "stands on no products with a softmax of products";
    SplitAttentionLayout layout;
    std::string problem =
        SplitAttentionLayout::get(*attention, tile, profile, layout);
    if (problem.empty())
      buildSplitAttentionKernel(op, *attention, layout);
    return problem;
  }

  StringRef getOption() const override { return "attention-tile"; }
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    return parseTile(text, context);
  }

  std::optional<Proposal>
  proposeFastest(const KernelQuery &query) const override {
    return query.attention ? searchSplitTiles(*query.attention, query.profile)
                           : std::nullopt;
  }
  std::optional<Proposal>
  proposeWanted(const KernelQuery &query,
                const SplitAttentionTile &wanted) const override {
    SplitAttentionLayout layout;
    if (!query.attention || !SplitAttentionLayout::get(*query.attention, wanted,
                                                       query.profile, layout)
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
