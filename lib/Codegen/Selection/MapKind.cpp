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
#include "dml/Target/MatrixCosts.h"
#include "dml/Target/SumCosts.h"
#include <numeric>

using namespace mlir;
using namespace dml;

/// Products and loads of a map kernel's thread for each term: 8 rows of 4
/// elements, the most that it carries, take a load for each row and one for all
/// columns.
static constexpr double mapProducts = cost::maxCarried, mapLoads = 9;

/// Returns the cycles that a map kernel takes.
static double getMapTime(const KernelQuery &query) {
  linalg::GenericOp op = query.op;
  const Contraction &contraction = *query.contraction;
  const DeviceSpeed &device = query.profile.getSpeed();
  double sums = static_cast<double>(contraction.rows.size) *
                static_cast<double>(contraction.columns.size) *
                static_cast<double>(contraction.batches);
  // Vectors are no longer than what divides rows.
  int64_t innermost =
      cast<MemRefType>(op.getOutputs().front().getType()).getShape().back();
  auto lanes = static_cast<double>(std::gcd(innermost, ThreadBlock::side));
  double loads = mapLoads * ThreadBlock::side / lanes;
  double time = 1 + cost::opsPerLoad * loads / mapProducts;
  double busy = time * static_cast<double>(contraction.getTerms()) *
                std::max(sums, static_cast<double>(device.getEnoughThreads())) /
                cost::getOpsOfCycle(device);
  double ofStep = std::min(
      cost::cyclesOfTerm * static_cast<double>(contraction.getTermsOfStep()),
      cost::cyclesOfStep);
  return cost::cyclesOfStart + getTimeOfMemory(SumTraits::get(query), device) +
         std::max(busy, ofStep * static_cast<double>(contraction.steps));
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class MapKind : public KernelKind {
public:
  StringRef getTileName() const override { return MapTile::name; }

  std::string build(linalg::GenericOp op, const KernelTile &tile,
                    const DeviceProfile &profile) const override {
    if (std::string problem = findMapProblem(op); !problem.empty())
      return problem;
    auto own = std::get<MapTile>(tile);
    if (own.isOpen())
      own = getPlainTile(op);
    else if (std::string problem = own.getCrosswise()
                                       ? findCrosswiseProblem(op, own)
                                       : findTileProblem(op, own);
             !problem.empty())
      return describeProblem(problem);
    if (own.getCrosswise())
      buildCrosswiseKernel(op, own);
    else
      buildMapKernel(op, own);
    return "";
  }

  std::optional<Proposal> propose(const KernelQuery &query,
                                  const KernelTile *wanted) const override {
    if (!query.contraction || !query.isOnBuffers())
      return std::nullopt;
    return Proposal{/*tile=*/std::nullopt, getMapTime(query),
                    /*isPreferred=*/false, cost::share::inWorkgroups};
  }
};
} // namespace

const KernelKind &dml::getMapKind() {
  static const MapKind kind;
  return kind;
}
