//===- ResidentAttentionKind.cpp - When scores stay in a workgroup --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/ResidentAttentionKernel.h"
#include "Selection/AttentionKindOf.h"
#include "Selection/KernelKinds.h"
#include "Selection/Occupancy.h"
#include "dml/Target/AttentionCosts.h"
#include "dml/Target/MatrixCosts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Returns the estimated time, in cycles of a multiprocessor, of an attention
/// kernel that holds the scores of all keys in workgroup memory.
static double getResidentAttentionTime(const Attention &attention,
                                       const ResidentAttentionTile &tile,
                                       const ResidentAttentionLayout &layout,
                                       const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  auto queries = static_cast<double>(tile.queries),
       keys = static_cast<double>(layout.keys),
       terms = static_cast<double>(layout.terms + layout.columns),
       threads = static_cast<double>(layout.threads),
       subgroups = static_cast<double>(tile.subgroups),
       blocks = keys / static_cast<double>(tile.keys);
  constexpr double bytesOfFactor = sizeof(uint16_t);
  double staged = keys * terms * bytesOfFactor;
  double products = queries * staged / device.matrixBytesPerCycle;
  double scores = queries * keys * cost::attention::opsPerScore;
  // The subgroups of a workgroup load all staged keys and values from workgroup
  // memory once for the queries of each matrix, such as 16. A score is stored
  // and loaded as a sum, as a score and as a weight.
  double rowMatrices = queries / static_cast<double>(layout.shape.rows);
  double bytesOfScore =
      2 * (sizeof(float) +
           bytesOfFactor * static_cast<double>(layout.vectorsOfScores + 1));
  double shared = ((1 + rowMatrices) * staged + queries * keys * bytesOfScore) /
                  device.workgroupBytesPerCycle;
  double cached = staged / device.lastCacheBytesPerCycle;
  double together =
      std::max({products + scores / DeviceSpeed::opsPerCycle, shared, cached});
  // A workgroup that has the multiprocessor to itself waits for its loads and
  // at its barriers. Each thread computes its scores one after the other.
  double barriers = 4 * blocks + cost::attention::barriersOfResident;
  double alone =
      std::max(products * std::max(device.matrixUnits / subgroups, 1.0),
               shared) +
      scores / std::min(threads, DeviceSpeed::opsPerCycle) +
      barriers * device.barrierCycles + 2 * blocks * device.lastCacheCycles;
  double scoresOfThread = queries * keys / threads;
  // A thread holds its scores and their exponentials, and its share of the
  // staged keys or values of a block.
  double ofBlock = static_cast<double>(tile.keys) *
                   static_cast<double>(std::max(layout.terms, layout.columns)) *
                   bytesOfFactor / sizeof(float);
  double registers =
      2 * scoresOfThread + ofBlock / threads + cost::matrix::otherRegisters;
  auto groups = static_cast<double>(
      llvm::divideCeilSigned(attention.products.rows.size, tile.queries) *
      attention.products.batches);
  Occupancy occupancy = Occupancy::get(
      {threads * registers,
       static_cast<double>(layout.vectors * DeviceProfile::vectorBytes)},
      groups, device);
  occupancy.spills |= registers > device.registersOfThread;
  return occupancy.getTimeOfKernel(
      occupancy.getTimeOfIteration(together, alone) +
      cost::matrix::getStartCycles(device) / occupancy.resident);
}

/// The sizes of tiles that the search tries.
static constexpr int64_t queriesOfTiles[] = {16, 32},
                         keysOfTiles[] = {16, 32, 64, 128},
                         subgroupsOfTiles[] = {2, 4, 8};

/// Adds attention kernels that hold all scores to `proposals`. Adds none if the
/// scores do not fit in workgroup memory, or matrices cannot multiply the
/// factors.
static void searchResidentAttentionTiles(const Attention &attention,
                                         const DeviceProfile &profile,
                                         Proposals &proposals) {
  // If weights are not rounded, this estimate counts by the share of kernels
  // with an online softmax. (Times of attention whose weights are rounded lie
  // within a fifth of the estimate.)
  double share = attention.isRounded ? 1 : cost::attention::shareOfMatrices;
  for (const MatrixShape &shape : profile.getMatrixShapes())
    for (int64_t queries : queriesOfTiles)
      for (int64_t keys : keysOfTiles)
        for (int64_t subgroups : subgroupsOfTiles) {
          ResidentAttentionTile tile{queries, keys, shape.str(), subgroups};
          ResidentAttentionLayout layout;
          if (ResidentAttentionLayout::get(attention, tile, profile, layout)
                  .empty())
            proposals.add(
                {tile,
                 getResidentAttentionTime(attention, tile, layout, profile),
                 /*isPreferred=*/false, share});
        }
}

namespace {
class ResidentAttentionKind
    : public LaidOutAttentionKind<ResidentAttentionTile,
                                  ResidentAttentionLayout> {
  /// The sum of a query's weights is known before the first weight is rounded.
  std::string findProblem(const Attention &attention) const override {
    return "";
  }
  void buildAttention(linalg::GenericOp op, const ResidentAttentionTile &tile,
                      const DeviceProfile &profile) const override {
    buildResidentAttentionKernel(op, tile, profile);
  }
  void proposeFastestAttention(const KernelQuery &query,
                               Proposals &proposals) const override {
    searchResidentAttentionTiles(*query.attention, query.profile, proposals);
  }
};
} // namespace

const KernelKind &dml::getResidentAttentionKind() {
  static const ResidentAttentionKind kind;
  return kind;
}
