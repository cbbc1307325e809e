//===- MatrixAttentionKind.cpp - When attention multiplies matrices -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/MatrixAttentionKernel.h"
#include "Selection/KernelKinds.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MatrixCosts.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;

/// Returns the cycles that a multiprocessor, whose units work side by side,
/// takes for an attention kernel that multiplies matrices.
static double getMatrixAttentionTime(const Attention &attention,
                                     const MatrixAttentionTile &tile,
                                     const MatrixAttentionLayout &layout,
                                     const DeviceProfile &profile) {
  auto queries = static_cast<double>(tile.queries),
       keys = static_cast<double>(tile.keys),
       terms = static_cast<double>(layout.terms + layout.columns);
  constexpr double bytesOfFactor = sizeof(uint16_t);
  double staged = keys * terms * bytesOfFactor;
  double products = queries * staged / cost::matrixBytesPerCycle;
  double scores = queries * keys * cost::opsPerScore / cost::opsPerCycle;
  // Each subgroup loads all that is staged. A score is stored and loaded, and
  // so is its weight.
  double subgroups = queries / static_cast<double>(layout.subgroupSize);
  constexpr double bytesOfScore = 2 * (sizeof(float) + bytesOfFactor);
  double shared = ((1 + subgroups) * staged + queries * keys * bytesOfScore) /
                  cost::workgroupBytesPerCycle;
  double cached = staged / cost::cachedBytesPerCycle;
  double together = std::max({products + scores, shared, cached});
  // A workgroup alone waits at its barriers.
  double barriers = tile.stages == 1 ? 2 : 1;
  double alone =
      std::max(products * std::max(cost::matrixUnits / subgroups, 1.0),
               shared) +
      scores + barriers * cost::barrierCycles + cost::stageCycles;
  // A thread has its shares of outputs, of queries, of what is on its way, and
  // of the next block's sums, and a query's scores.
  double registers =
      static_cast<double>(layout.columns) + 2 * keys + cost::otherRegisters +
      (static_cast<double>(layout.terms) + staged / queries / bytesOfFactor) *
          bytesOfFactor / sizeof(float);
  double ofRegisters = std::floor(cost::registers / (queries * registers)),
         ofMemory = std::floor(
             cost::workgroupMemories *
             static_cast<double>(profile.getMaxWorkgroupMemory()) /
             static_cast<double>(layout.vectors * DeviceProfile::vectorBytes));
  auto groups = static_cast<double>(
      llvm::divideCeilSigned(attention.products.rows.size, tile.queries) *
      attention.products.batches);
  double ofEach = std::ceil(groups / profile.getSpeed().multiprocessors);
  double resident = std::clamp(std::min(ofRegisters, ofMemory), 1.0, ofEach);
  double ofBlock = std::max(together, alone / resident);
  if (resident > 1)
    ofBlock += cost::unhiddenShare * alone;
  auto blocks =
      static_cast<double>(llvm::divideCeilSigned(attention.keys, tile.keys));
  bool spills = ofRegisters < 1 || registers > cost::registersOfThread;
  return ofEach * (spills ? cost::spillFactor : 1) *
         (blocks * ofBlock + cost::startCycles / resident);
}

namespace {
/// The sizes that the search for an attention kernel with matrices tries.
struct MatrixAttentionSeeds {
  int64_t queries[4], keys[4], stages[2];
};
} // namespace

static constexpr MatrixAttentionSeeds attentionSeeds = {
    /*queries=*/{32, 64, 128, 256},
    /*keys=*/{16, 32, 64, 128},
    /*stages=*/{1, 2}};

/// Returns the kernel of the least time, or nothing if matrices cannot multiply
/// the factors.
static std::optional<Proposal>
proposeMatrixAttention(const Attention &attention,
                       const DeviceProfile &profile) {
  std::optional<Proposal> best;
  auto consider = [&](const MatrixAttentionTile &tile) {
    MatrixAttentionLayout layout;
    if (!MatrixAttentionLayout::get(attention, tile, profile, layout).empty())
      return;
    double time = getMatrixAttentionTime(attention, tile, layout, profile);
    if (!best || time < best->cycles)
      best = {tile, time};
  };
  for (const MatrixShape &shape : profile.getMatrixShapes())
    for (int64_t queries : attentionSeeds.queries)
      for (int64_t keys : attentionSeeds.keys)
        for (int64_t stages : attentionSeeds.stages)
          consider({queries, keys, shape.str(), stages});
  return best;
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class MatrixAttentionKind : public KernelKind {
public:
  StringRef getTileName() const override { return MatrixAttentionTile::name; }

  std::string build(linalg::GenericOp op, const KernelTile &tile,
                    const DeviceProfile &profile) const override {
    const auto &own = std::get<MatrixAttentionTile>(tile);
    std::optional<Attention> attention;
    if (op.hasPureBufferSemantics())
      attention = Attention::match(op);
    MatrixAttentionLayout layout;
    std::string problem = describeProblem(
        attention ? MatrixAttentionLayout::get(*attention, own, profile, layout)
                  : "stands on no products with a softmax of products");
    if (problem.empty())
      buildMatrixAttentionKernel(op, own, profile);
    return problem;
  }

  StringRef getOption() const override { return "attention-tile"; }
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    return parseTile(text, context);
  }

  std::optional<Proposal> propose(const KernelQuery &query,
                                  const KernelTile *wanted) const override {
    if (!query.attention)
      return std::nullopt;
    if (!wanted)
      return proposeMatrixAttention(*query.attention, query.profile);
    MatrixAttentionLayout layout;
    if (!MatrixAttentionLayout::get(*query.attention,
                                    std::get<MatrixAttentionTile>(*wanted),
                                    query.profile, layout)
             .empty())
      return std::nullopt;
    return Proposal::prefer(*wanted);
  }
};
} // namespace

const KernelKind &dml::getMatrixAttentionKind() {
  static const MatrixAttentionKind kind;
  return kind;
}
