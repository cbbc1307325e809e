//===- AttentionKind.cpp - When attention stores no scores ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/AttentionKernel.h"
#include "Selection/AttentionKindOf.h"
#include "Selection/AttentionTime.h"
#include "Selection/KernelKinds.h"
#include "Selection/Occupancy.h"
#include "dml/Target/AttentionCosts.h"
#include "dml/Target/CostModel.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;

/// Returns the estimated time of an attention kernel, in cycles of a
/// multiprocessor. The kernel ends with the multiprocessors that have the most
/// workgroups: of 144 workgroups, 12 of 132 multiprocessors have two, so that
/// the kernel takes as long as two workgroups one after the other.
static double getAttentionTime(const Attention &attention,
                               const AttentionTile &tile,
                               const DeviceSpeed &device) {
  AttentionLayout layout = *AttentionLayout::get(attention, tile);
  auto rows = static_cast<double>(layout.block.rows),
       keys = static_cast<double>(layout.block.columns),
       columns = static_cast<double>(layout.columnVectors * ThreadBlock::side),
       queries = static_cast<double>(tile.queries),
       keysOfBlock = static_cast<double>(tile.keys);
  auto terms = static_cast<double>(
           llvm::alignTo(attention.scores.getTerms(), tile.terms)),
       allColumns = static_cast<double>(layout.getColumns());
  double ofScore = terms * getOpsOfProduct(rows, keys, device) +
                   allColumns * getOpsOfProduct(rows, columns, device) +
                   cost::attention::opsPerScore;
  double ofStaging =
      cost::getOpsPerLoad(device) *
      ((queries + keysOfBlock) * terms + keysOfBlock * allColumns);
  auto groups = static_cast<double>(
      llvm::divideCeilSigned(attention.products.rows.size, tile.queries) *
      attention.products.batches);
  auto blocks =
      static_cast<double>(llvm::divideCeilSigned(attention.keys, tile.keys));
  double rounds = std::ceil(groups / device.multiprocessors);
  return cost::attention::timesOfThreads * rounds * blocks *
         (queries * keysOfBlock * ofScore + ofStaging) /
         DeviceSpeed::opsPerCycle;
}

/// Whether the values of a thread with `layout` fit its registers. Compilers
/// that move loads to their uses where registers run short make every tile fit.
/// A thread holds its outputs from block to block. Beside them, it first holds
/// its scores, with factors of queries and keys, and then as many sums as it
/// has outputs, with a vector of values for each vector of columns and a vector
/// of weights.
static bool fitsThread(const AttentionLayout &layout,
                       const DeviceSpeed &device) {
  if (device.computesInOrder == 0)
    return true;
  const ThreadBlock &block = layout.block;
  int64_t outputs = block.rows * layout.columnVectors * ThreadBlock::side;
  int64_t ofScores = block.rows * block.columns + block.rows + block.columns,
          ofSums = outputs + layout.columnVectors * ThreadBlock::side;
  double registers =
      static_cast<double>(outputs + std::max(ofScores, ofSums)) +
      cost::attention::registersOfQuery * static_cast<double>(block.rows) +
      cost::attention::otherRegistersInOrder;
  return fitsThread(registers, device);
}

/// The tiles that the search tries, as pairs of a number of queries and a
/// number of keys. Tiles with many queries load the fewest keys and values for
/// each score, and tiles with few queries form the most workgroups. Blocks of
/// few keys waste the least time on keys beyond the last one.
static constexpr std::pair<int64_t, int64_t> attentionShapes[] = {
    {128, 64}, {64, 64}, {64, 32}, {32, 64}, {16, 128}, {128, 16}};

/// Adds attention kernels to `proposals`: one for each of `attentionShapes`
/// whose tile fits.
static void searchAttentionTiles(const Attention &attention,
                                 const DeviceProfile &profile,
                                 Proposals &proposals) {
  for (auto [queries, keys] : attentionShapes) {
    std::optional<AttentionTile> tile =
        getAttentionTile(attention, queries, keys, profile);
    if (!tile || !fitsThread(*AttentionLayout::get(attention, *tile),
                             profile.getSpeed()))
      continue;
    proposals.add(
        {*tile, getAttentionTime(attention, *tile, profile.getSpeed())});
  }
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class AttentionKind : public AttentionKindOf<AttentionTile> {
  std::string tryBuildAttention(linalg::GenericOp op,
                                const Attention &attention,
                                const AttentionTile &tile,
                                const DeviceProfile &profile) const override {
    std::string problem = findTileProblem(attention, tile, profile);
    if (problem.empty())
      buildAttentionKernel(op, attention, tile);
    return problem;
  }

  std::string describeOption() const override {
    return llvm::formatv(
        "queries and keys that {0} threads can share, such as "
        "'64x32', or a 'dml.kernel' with a "
        "matrix_attention_tile, a resident_attention_tile or a "
        "split_attention_tile",
        DeviceProfile::workgroupSize);
  }
  /// Parses a text such as '64x32', which states the queries and keys of a
  /// tile. The number of terms of this tile is 0, and is chosen later for each
  /// attention.
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    AttentionTile tile{};
    if (!parseSizes(text, {&tile.queries, &tile.keys}) ||
        !ThreadBlock::get({tile.queries, tile.keys, /*terms=*/1}))
      return std::nullopt;
    return tile;
  }

  void proposeFastestAttention(const KernelQuery &query,
                               Proposals &proposals) const override {
    searchAttentionTiles(*query.attention, query.profile, proposals);
  }
  std::optional<Proposal>
  proposeWantedAttention(const KernelQuery &query,
                         const AttentionTile &wanted) const override {
    std::optional<AttentionTile> tile = getAttentionTile(
        *query.attention, wanted.queries, wanted.keys, query.profile);
    return tile ? std::optional(Proposal::prefer(*tile)) : std::nullopt;
  }
};
} // namespace

const KernelKind &dml::getAttentionKind() {
  static const AttentionKind kind;
  return kind;
}
