//===- SplitSums.cpp - Sums of products in parts --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The last layers of an image network have few positions and many channels: for
// example, 512 filters of 3x3 over 512 channels compute 25,088 sums, one for
// each filter at each of 7x7 positions, of 4,608 products each. With tiles of
// 32 filters by 64 positions, there are only 16 workgroups, which leave most of
// a device idle. If each sum is split into 8 partial sums (split-K), there are
// 128 workgroups with 576 terms for each sum, and a second kernel adds up the 8
// partial sums of each sum.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Contraction.h"
#include "Selection/KernelKinds.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Target/SumCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dml {
#define GEN_PASS_DEF_SPLITSUMS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// The largest rank of a buffer, including the dimension of the parts.
static constexpr int64_t maxRank = 8;

static MemRefType getPartsType(linalg::GenericOp op,
                               const Contraction &contraction, int64_t parts) {
  SmallVector<int64_t> shape = {parts};
  llvm::append_range(
      shape, cast<MemRefType>(op.getOutputs().front().getType()).getShape());
  return MemRefType::get(shape, contraction.sumType);
}

/// Whether the sums of `op` can be split into `parts` partial sums that have
/// equal numbers of iterations of the outermost loop.
static bool canSplit(linalg::GenericOp op, const Contraction &contraction,
                     int64_t parts) {
  return parts > 1 && contraction.sums == 1 && op.getNumLoops() < maxRank &&
         contraction.trips.front() % parts == 0 &&
         contraction.trips.front() > parts;
}

/// Returns what the sums in parts must save.
static cost::sums::Margin getMargin(const Contraction &contraction) {
  if (std::min(contraction.rows.size, contraction.columns.size) <=
      cost::sums::mostFewRows)
    return cost::sums::marginOfFewRows;
  // The factors of a convolution with padding are selected.
  return isChosen(contraction.rows) || isChosen(contraction.columns)
             ? cost::sums::marginOfPadded
             : cost::sums::marginOfProducts;
}

/// Returns the number of partial sums for each sum with which `op` takes the
/// least time. Returns 1 if no number saves enough time.
static int64_t chooseParts(linalg::GenericOp op, const Contraction &contraction,
                           const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  double whole = estimateCycles({op, profile, &contraction});
  cost::sums::Margin margin = getMargin(contraction);
  double least = margin.share * whole,
         launch = margin.launches * device.launchCycles;
  int64_t best = 1;
  for (int64_t parts = 2; parts <= cost::sums::maxParts; ++parts) {
    if (!canSplit(op, contraction, parts))
      continue;
    Contraction part = contraction;
    part.steps /= parts;
    part.trips.front() /= parts;
    part.batches *= parts;
    // Each partial sum is written once and read once.
    double bytes = 2 * static_cast<double>(
                           getNumBytes(getPartsType(op, contraction, parts)));
    double time = estimateCycles({op, profile, &part}) + launch +
                  bytes * device.getCyclesPerByte();
    if (time >= least)
      continue;
    least = time;
    best = parts;
  }
  return best;
}

/// Erases the unused operations in the body of `op`.
static void eraseUnused(linalg::GenericOp op) {
  auto body = llvm::map_to_vector(op.getBody()->without_terminator(),
                                  [](Operation &nested) { return &nested; });
  for (Operation *nested : llvm::reverse(body))
    if (isOpTriviallyDead(nested))
      nested->erase();
}

/// Creates a generic that computes `parts` partial sums for each sum of `op`.
/// `buffer` has one more dimension than the output of `op`. This dimension is
/// the outermost one, and its coordinate p holds the p-th partial sums.
static void buildParts(linalg::GenericOp op, const Contraction &contraction,
                       Value buffer, int64_t parts) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  scf::ForOp outermost = contraction.loops.front();
  auto rank = static_cast<int64_t>(op.getNumLoops()) + 1;
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, /*inputs=*/ValueRange(), buffer,
      ArrayRef<AffineMap>(b.getMultiDimIdentityMap(rank)), iterators,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        ImplicitLocOpBuilder inner(loc, nested);
        int64_t trips = contraction.trips.front() / parts;
        Value first =
            arith::MulIOp::create(inner, linalg::IndexOp::create(inner, 0),
                                  arith::ConstantIndexOp::create(inner, trips));
        IRMapping mapping;
        for (Operation &before : *op.getBody()) {
          if (&before == outermost)
            break;
          if (auto index = dyn_cast<linalg::IndexOp>(before))
            mapping.map(
                index.getResult(),
                linalg::IndexOp::create(inner, index.getDim() + 1).getResult());
          else
            inner.clone(before, mapping);
        }
        auto loop = cast<scf::ForOp>(inner.clone(*outermost, mapping));
        ImplicitLocOpBuilder beforeLoop(loc, loop);
        loop.setUpperBound(arith::ConstantIndexOp::create(beforeLoop, trips));
        ImplicitLocOpBuilder inLoop(loc, loop.getBody(),
                                    loop.getBody()->begin());
        Value iteration = loop.getInductionVar();
        auto shifted = arith::AddIOp::create(inLoop, first, iteration);
        iteration.replaceAllUsesExcept(shifted, shifted);
        linalg::YieldOp::create(inner, loop.getResult(0));
      });
  generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  eraseUnused(generic);
}

/// Replaces the loops of `op` by the sum of the partial sums in `buffer`.
static void addParts(linalg::GenericOp op, const Contraction &contraction,
                     Value buffer, int64_t parts) {
  scf::ForOp outermost = contraction.loops.front();
  ImplicitLocOpBuilder b(op.getLoc(), outermost);
  SmallVector<Value> indices = {Value()};
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    indices.push_back(linalg::IndexOp::create(b, dim));
  Value sum;
  for (int64_t part = 0; part < parts; ++part) {
    indices.front() = arith::ConstantIndexOp::create(b, part);
    Value next = memref::LoadOp::create(b, buffer, indices);
    if (!sum)
      sum = next;
    else if (contraction.sumType.isF32())
      sum = arith::AddFOp::create(b, sum, next);
    else
      sum = arith::AddIOp::create(b, sum, next);
  }
  outermost.getResult(0).replaceAllUsesWith(sum);
  outermost.erase();
  eraseUnused(op);
}

namespace {
struct SplitSums : dml::impl::SplitSumsBase<SplitSums> {
  using SplitSumsBase::SplitSumsBase;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    int64_t wanted = 0;
    if (sumParts != "auto" && sumParts != "none" &&
        (StringRef(sumParts).getAsInteger(10, wanted) || wanted < 2 ||
         wanted > cost::sums::maxParts)) {
      getOperation().emitError("sum-parts is '")
          << sumParts
          << "', but wants to be 'auto', 'none' or a number from 2 to "
          << cost::sums::maxParts;
      return signalPassFailure();
    }
    if (sumParts == "none")
      return;
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics) {
      // A kernel that has been chosen before expects whole sums.
      if (op->hasAttr(kernelAttrName))
        continue;
      std::optional<Contraction> contraction = Contraction::match(op);
      if (!contraction)
        continue;
      int64_t count = wanted ? wanted : chooseParts(op, *contraction, profile);
      if (!canSplit(op, *contraction, count))
        continue;
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value buffer =
          memref::AllocOp::create(b, getPartsType(op, *contraction, count));
      buildParts(op, *contraction, buffer, count);
      addParts(op, *contraction, buffer, count);
    }
  }
};
} // namespace
