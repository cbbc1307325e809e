//===- AttentionTime.cpp - The costs of attention -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/AttentionTime.h"
#include "Emit/ThreadBlock.h"
#include "Kernels/MatrixKernel.h"
#include "Kernels/SplitAttentionKernel.h"
#include "dml/Target/AttentionCosts.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MatrixCosts.h"

using namespace mlir;
using namespace dml;

double dml::getOpsOfProduct(double rows, double columns,
                            const DeviceSpeed &device) {
  return 1 + cost::getOpsPerLoad(device) * (rows + columns) /
                 ThreadBlock::side / (rows * columns);
}

double dml::getFactorBytes(const Attention &attention) {
  int64_t bits =
      attention.scores.getTerms() * getLoadedBits(attention.scores.columns) +
      attention.products.columns.size *
          getLoadedBits(attention.products.columns);
  int64_t groups = attention.products.batches / attention.sharingHeads;
  return static_cast<double>(groups * attention.keys) *
         static_cast<double>(bits) / 8;
}

double dml::getTimeOfFactors(const Attention &attention, int64_t times,
                             const DeviceSpeed &device) {
  return static_cast<double>(times - 1) * getFactorBytes(attention) /
         (device.multiprocessors * device.lastCacheBytesPerCycle);
}

double dml::getTimeApart(const Attention &attention,
                         const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  auto scores = static_cast<double>(attention.keys) *
                static_cast<double>(attention.products.rows.size) *
                static_cast<double>(attention.products.batches);
  // A thread computes blocks of at most 8 queries by 8 columns, and uses each
  // loaded factor for the whole block. With a single query, each product takes
  // more loads.
  constexpr int64_t rows = 2 * ThreadBlock::side;
  double ofProduct = getOpsOfProduct(
      static_cast<double>(std::min(rows, attention.products.rows.size)),
      2 * ThreadBlock::side, device);
  auto terms = static_cast<double>(attention.scores.getTerms()),
       columns = static_cast<double>(attention.products.columns.size);
  // Without an attention kernel, a separate kernel computes the scores. If the
  // device has cooperative matrices that can multiply the queries by the keys,
  // this kernel is a matrix kernel, whose products take less time. Weights that
  // are rounded to f16 can be multiplied by matrices as well.
  auto multiplies = [&](const Contraction &contraction) {
    return llvm::any_of(profile.getMatrixShapes(),
                        [&](const MatrixShape &shape) {
                          return canMultiply(contraction, shape);
                        });
  };
  double ofMatrix = DeviceSpeed::opsPerCycle * sizeof(uint16_t) /
                    device.matrixBytesPerCycle,
         ofStart = cost::matrix::getStartCycles(device);
  double ofScoreProduct = ofProduct, ofValueProduct = ofProduct, starts = 0;
  if (multiplies(attention.scores)) {
    ofScoreProduct = ofMatrix;
    starts += ofStart;
  }
  if (attention.isRounded && multiplies(attention.products)) {
    ofValueProduct = ofMatrix;
    starts += ofStart;
  }
  double operations =
      scores * (terms * ofScoreProduct + columns * ofValueProduct +
                cost::attention::opsPerScore);
  // Separate kernels write weights that are rounded to f16, and scores, as f16.
  double bytes =
      scores * (attention.isRounded ? sizeof(uint16_t) : sizeof(float));
  bool isCached = bytes <= cost::cachedShare * device.cacheBytes;
  double ofMemory = isCached ? 0
                             : cost::attention::passesOfScores * bytes *
                                   device.getCyclesPerByte();
  double time = cost::attention::waitingKernels *
                    (device.launchCycles + device.kernelCycles) +
                starts +
                getTimeOfFactors(attention, attention.sharingHeads, device) +
                operations / device.getOpsPerCycle() + ofMemory;
  return bytes > cost::attention::mostBytesOfScores
             ? cost::attention::timesOfLargeScores * time
             : time;
}
