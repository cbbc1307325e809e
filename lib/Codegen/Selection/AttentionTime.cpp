//===- AttentionTime.cpp - What attention takes time for ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/AttentionTime.h"
#include "Emit/ThreadBlock.h"
#include "Kernels/MatrixKernel.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MatrixCosts.h"
#include "dml/Target/SumCosts.h"

using namespace mlir;
using namespace dml;

double dml::getOpsOfProduct(double rows, double columns) {
  return 1 + cost::opsPerLoad * (rows + columns) / ThreadBlock::side /
                 (rows * columns);
}

double dml::getTimeApart(const Attention &attention,
                         const DeviceProfile &profile) {
  auto scores = static_cast<double>(attention.keys) *
                static_cast<double>(attention.products.rows.size) *
                static_cast<double>(attention.products.batches);
  double ofProduct =
      getOpsOfProduct(2 * ThreadBlock::side, 2 * ThreadBlock::side);
  auto terms = static_cast<double>(attention.scores.getTerms()),
       columns = static_cast<double>(attention.products.columns.size);
  // Matrix kernels add up the scores of f16 where the device has matrices.
  double ofScoreProduct = ofProduct;
  for (const MatrixShape &shape : profile.getMatrixShapes())
    if (canMultiply(attention.scores, shape))
      ofScoreProduct =
          cost::opsPerCycle * sizeof(uint16_t) / cost::matrixBytesPerCycle;
  // Scores are written and read, and so are weights.
  constexpr double passes = 4;
  const DeviceSpeed &device = profile.getSpeed();
  double bytes = scores * sizeof(float);
  bool isCached = bytes <= cost::cachedShare * device.cacheBytes;
  double launches = 2 * (cost::cyclesOfLaunch + cost::cyclesOfStart) *
                    cost::getOpsOfCycle(device);
  double ops = launches +
               scores * (terms * ofScoreProduct + columns * ofProduct +
                         cost::opsPerScore) +
               (isCached ? 0 : passes * bytes * device.opsPerByte);
  return ops / cost::getOpsOfCycle(device);
}
