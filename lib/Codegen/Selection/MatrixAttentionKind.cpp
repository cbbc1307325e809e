//===- MatrixAttentionKind.cpp - When attention multiplies matrices -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/MatrixAttentionKernel.h"
#include "Selection/AttentionKindOf.h"
#include "Selection/KernelKinds.h"
#include "Selection/Occupancy.h"
#include "dml/Target/AttentionCosts.h"
#include "dml/Target/MatrixCosts.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;

/// Returns the estimated time, in cycles of a multiprocessor, of an attention
/// kernel with cooperative matrices. The units of a multiprocessor (matrix
/// units, lanes and workgroup memory) work concurrently.
static double getMatrixAttentionTime(const Attention &attention,
                                     const MatrixAttentionTile &tile,
                                     const MatrixAttentionLayout &layout,
                                     const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  // If weights are rounded, the keys are multiplied twice.
  double passes = attention.isRounded ? 2 : 1;
  auto queries = static_cast<double>(tile.queries),
       keys = static_cast<double>(tile.keys),
       terms = passes * static_cast<double>(layout.terms) +
               static_cast<double>(layout.columns);
  constexpr double bytesOfFactor = sizeof(uint16_t);
  double staged = keys * terms * bytesOfFactor;
  double products = queries * staged / device.matrixBytesPerCycle;
  double scores = passes * queries * keys * cost::attention::opsPerScore /
                  DeviceSpeed::opsPerCycle;
  // Each subgroup loads all staged keys and values from workgroup memory. Each
  // score, in each pass, and each weight is stored there once and loaded once.
  double subgroups = queries / static_cast<double>(layout.subgroupSize);
  double bytesOfScore = 2 * (passes * sizeof(float) + bytesOfFactor);
  double shared = ((1 + subgroups) * staged + queries * keys * bytesOfScore) /
                  device.workgroupBytesPerCycle;
  double cached = staged / device.lastCacheBytesPerCycle;
  double together = std::max({products + scores, shared, cached});
  // A workgroup that has the multiprocessor to itself waits at its barriers.
  double barriers = tile.stages == 1 ? 2 : 1;
  double alone =
      std::max(products * std::max(device.matrixUnits / subgroups, 1.0),
               shared) +
      scores +
      passes * (barriers * cost::matrix::getBarrierCycles(device) +
                cost::matrix::getStageCycles(device));
  // The registers of a thread hold several values: the scores of one query; the
  // thread's share of the outputs, of the queries and of the factors in flight;
  // and its share of the sums of products for the scores of the next block of
  // keys.
  double registers =
      static_cast<double>(layout.columns) + 2 * keys +
      cost::matrix::otherRegisters +
      (static_cast<double>(layout.terms) +
       keys * static_cast<double>(layout.terms + layout.columns) / queries) *
          bytesOfFactor / sizeof(float);
  auto groups = static_cast<double>(
      llvm::divideCeilSigned(attention.products.rows.size, tile.queries) *
      attention.products.batches);
  Occupancy occupancy = Occupancy::get(
      {queries * registers,
       static_cast<double>(layout.vectors * DeviceProfile::vectorBytes)},
      groups, device);
  occupancy.spills |= registers > device.registersOfThread;
  double ofBlock = occupancy.getTimeOfIteration(together, alone);
  auto blocks =
      static_cast<double>(llvm::divideCeilSigned(attention.keys, tile.keys));
  return occupancy.getTimeOfKernel(blocks * ofBlock +
                                   cost::matrix::getStartCycles(device) /
                                       occupancy.resident);
}

namespace {
/// The sizes of tiles that the search for an attention kernel with cooperative
/// matrices tries.
struct MatrixAttentionSeeds {
  int64_t queries[4], keys[4], stages[2];
};
} // namespace

static constexpr MatrixAttentionSeeds attentionSeeds = {
    /*queries=*/{32, 64, 128, 256},
    /*keys=*/{16, 32, 64, 128},
    /*stages=*/{1, 2}};

/// Adds attention kernels with cooperative matrices to `proposals`. Adds none
/// if matrices cannot multiply the factors.
static void searchMatrixAttentionTiles(const Attention &attention,
                                       const DeviceProfile &profile,
                                       Proposals &proposals) {
  auto consider = [&](const MatrixAttentionTile &tile) {
    if (attention.isRounded && tile.keys > cost::attention::maxRoundedKeys)
      return;
    MatrixAttentionLayout layout;
    if (!MatrixAttentionLayout::get(attention, tile, profile, layout).empty())
      return;
    proposals.add({tile,
                   getMatrixAttentionTime(attention, tile, layout, profile),
                   /*isPreferred=*/false, cost::attention::shareOfMatrices});
  };
  for (const MatrixShape &shape : profile.getMatrixShapes())
    for (int64_t queries : attentionSeeds.queries)
      for (int64_t keys : attentionSeeds.keys)
        for (int64_t stages : attentionSeeds.stages)
          consider({queries, keys, shape.str(), stages});
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class MatrixAttentionKind
    : public LaidOutAttentionKind<MatrixAttentionTile, MatrixAttentionLayout> {
  /// A first pass over the keys finds the sum of weights before they are
  /// rounded.
  std::string findProblem(const Attention &attention) const override {
    return "";
  }
  void buildAttention(linalg::GenericOp op, const MatrixAttentionTile &tile,
                      const DeviceProfile &profile) const override {
    buildMatrixAttentionKernel(op, tile, profile);
  }
  void proposeFastestAttention(const KernelQuery &query,
                               Proposals &proposals) const override {
    searchMatrixAttentionTiles(*query.attention, query.profile, proposals);
  }
};
} // namespace

const KernelKind &dml::getMatrixAttentionKind() {
  static const MatrixAttentionKind kind;
  return kind;
}
