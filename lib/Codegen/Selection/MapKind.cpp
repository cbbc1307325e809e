//===- MapKind.cpp - When threads share nothing ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/CrosswiseKernel.h"
#include "Kernels/MapKernel.h"
#include "Selection/KernelKinds.h"
#include "Selection/SumTraits.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MapCosts.h"
#include "dml/Target/SumCosts.h"
#include <numeric>

using namespace mlir;
using namespace dml;

/// Returns the estimated time of the map kernel that computes the contraction
/// of `query`, in cycles of a multiprocessor.
static double getMapTime(const KernelQuery &query) {
  linalg::GenericOp op = query.op;
  const Contraction &contraction = *query.contraction;
  const DeviceSpeed &device = query.profile.getSpeed();
  double sums = static_cast<double>(contraction.rows.size) *
                static_cast<double>(contraction.columns.size) *
                static_cast<double>(contraction.batches * contraction.sums);
  // A thread loads vectors of 4 elements if rows consist of such vectors.
  // Otherwise it loads vectors of 2 elements or single elements.
  int64_t innermost =
      cast<MemRefType>(op.getOutputs().front().getType()).getShape().back();
  auto lanes = static_cast<double>(std::gcd(innermost, ThreadBlock::side));
  double loads = cost::map_sums::loadsOfTerm * ThreadBlock::side / lanes;
  double time = 1 + cost::getOpsPerLoad(device) * loads / cost::map::maxCarried;
  double busy = time * static_cast<double>(contraction.getTerms()) *
                std::max(sums, static_cast<double>(device.getEnoughThreads())) /
                device.getOpsPerCycle();
  double ofStep =
      std::min(cost::map_sums::getTermCycles(device) *
                   static_cast<double>(contraction.getTermsOfStep()),
               cost::map_sums::getMaxIterationCycles(device));
  return device.kernelCycles + getTimeOfMemory(SumTraits::get(query), device) +
         std::max(busy, ofStep * static_cast<double>(contraction.steps));
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

/// Returns the reason why `op`, for which there are map kernels, has none with
/// `tile`. Returns an empty text if there is such a kernel.
static std::string findProblemOfTile(linalg::GenericOp op,
                                     const MapTile &tile) {
  return tile.getCrosswise() ? findCrosswiseProblem(op, tile)
                             : findTileProblem(op, tile);
}

/// Returns the reason why `op` has no map kernel with `tile`, or an empty text
/// if there is one. A tile may be open: then any map kernel will do.
static std::string findMapTileProblem(linalg::GenericOp op,
                                      const MapTile &tile) {
  std::string problem = findMapProblem(op);
  return problem.empty() && !tile.isOpen() ? findProblemOfTile(op, tile)
                                           : problem;
}

namespace {
class MapKind : public KernelKindOf<MapTile> {
  std::string build(linalg::GenericOp op, const KernelTile &tile,
                    const DeviceProfile &profile) const override {
    std::string problem = findMapProblem(op);
    return problem.empty() ? KernelKindOf::build(op, tile, profile) : problem;
  }
  std::string tryBuild(linalg::GenericOp op, const MapTile &tile,
                       const DeviceProfile &profile) const override {
    if (tile.isOpen()) {
      buildMapKernel(op, getPlainTile(op));
      return "";
    }
    std::string problem = findProblemOfTile(op, tile);
    if (!problem.empty())
      return problem;
    if (tile.getCrosswise())
      buildCrosswiseKernel(op, tile);
    else
      buildMapKernel(op, tile);
    return "";
  }

  /// Proposes a map kernel, whose tile dml-select-map-tiles chooses later.
  void proposeFastest(const KernelQuery &query,
                      Proposals &proposals) const override {
    if (query.contraction && query.isOnBuffers())
      proposals.add({/*tile=*/std::nullopt, getMapTime(query),
                     /*isPreferred=*/false, cost::sums::shareInWorkgroups});
  }
  std::optional<Proposal> proposeWanted(const KernelQuery &query,
                                        const MapTile &wanted) const override {
    if (!query.isOnBuffers() || !findMapTileProblem(query.op, wanted).empty())
      return std::nullopt;
    return Proposal::prefer(wanted);
  }
};
} // namespace

const KernelKind &dml::getMapKind() {
  static const MapKind kind;
  return kind;
}
