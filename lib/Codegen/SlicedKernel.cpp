//===- SlicedKernel.cpp - Sums that threads share out ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Where there are few sums of many terms, as in a product of one row and a
// matrix, threads that have a sum each would leave a device idle, and what they
// load is used once, so that workgroup memory gains nothing. Here several
// threads of a workgroup have the same sums, each of every so many terms, and
// load their factors from where they are. In the end the parts of a sum meet in
// workgroup memory, where one thread adds them up, in a fixed order.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "Launch.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

static constexpr int64_t numThreads = DeviceProfile::workgroupSize;

namespace {
class SlicedBuilder : ContractionBuilder {
public:
  SlicedBuilder(linalg::GenericOp op, const Contraction &contraction,
                const SliceTile &tile)
      : ContractionBuilder(op, contraction), tile(tile),
        threadColumns(numThreads / tile.slices),
        neighbours(tile.terms / contraction.getTermsOfStep()),
        stepsOfRound(neighbours * tile.slices * tile.times),
        rounds(llvm::divideCeilSigned(contraction.steps, stepsOfRound)) {}

  void build();

private:
  int64_t getNumSums() const { return tile.rows * tile.columns; }
  void buildFactors(TileBuilder &builder, const ContractionOperand &operand,
                    ArrayRef<Operation *> slice, LinearForm vector,
                    int64_t lanes, ArrayRef<LinearForm> steps);
  SmallVector<Value> addProducts(LinearForm round, ValueRange sums);
  SmallVector<Value> buildSums();
  void joinRows(int64_t firstRow, int64_t numRows, ValueRange sums);
  void joinSums(ValueRange sums);

  const SliceTile &tile;
  /// Threads that have different columns.
  const int64_t threadColumns;
  /// Neighbouring iterations of a thread, those of all slices that a loop does
  /// at a time, and how often it does.
  const int64_t neighbours, stepsOfRound, rounds;

  /// Which of the slices of the terms, and which of the columns, the thread
  /// has.
  LinearForm slice, threadColumn;
  /// Whether neighbouring threads have different slices, rather than columns.
  bool isAlong = false;
  OperandTile rows, columns;
  Value memory;
};
} // namespace

/// Builds what `slice` computes at each of the iterations `steps` for each of
/// the `lanes` positions of `vector` of `operand`: element number
/// `lanes` * i + lane of the builder is that of iteration i.
void SlicedBuilder::buildFactors(TileBuilder &builder,
                                 const ContractionOperand &operand,
                                 ArrayRef<Operation *> slice, LinearForm vector,
                                 int64_t lanes, ArrayRef<LinearForm> steps) {
  SmallVector<Forms> ofVector, coordinates;
  for (int64_t lane = 0; lane < lanes; ++lane)
    ofVector.push_back(
        getCoordinates(operand, getPosition(operand, vector, lane, lanes)));
  for (const LinearForm &step : steps)
    for (const Forms &ofLane : ofVector) {
      bindStep(builder, coordinates.size(), step);
      coordinates.push_back(ofLane);
    }
  builder.buildSlice(slice, coordinates);
}

/// Adds the products of the thread's terms of `round` to `sums`, in row-major
/// order.
SmallVector<Value> SlicedBuilder::addProducts(LinearForm round,
                                              ValueRange sums) {
  // Neighbouring slices have neighbouring terms.
  LinearForm first = forms->add(b, forms->mul(b, round, stepsOfRound),
                                forms->mul(b, slice, neighbours));
  SmallVector<LinearForm> steps;
  SmallVector<Value> counts;
  for (int64_t i = 0; i < neighbours * tile.times; ++i) {
    LinearForm step = forms->add(
        b, first, i / neighbours * neighbours * tile.slices + i % neighbours);
    Value isStep;
    if (contraction.steps % stepsOfRound) {
      // Terms behind the last one are 0 times 0.
      isStep = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                     forms->materialize(b, step),
                                     constant(contraction.steps));
      step = forms->min(b, step, contraction.steps - 1);
    }
    steps.push_back(step);
    counts.push_back(isStep);
  }
  TileBuilder ofRows(b, op, *forms, *views), ofColumns(b, op, *forms, *views);
  LinearForm column =
      forms->add(b, forms->mul(b, columns.tile, threadColumns), threadColumn);
  buildFactors(ofColumns, contraction.columns, contraction.columns.slice,
               column, tile.columns, steps);
  buildFactors(ofRows, contraction.rows, contraction.rows.slice, rows.tile,
               tile.rows, steps);
  Value zero = getZero();
  SmallVector<Value> next(sums);
  for (auto i : llvm::seq<int64_t>(steps.size())) {
    TileBuilder ofConditions(b, op, *forms, *views);
    buildFactors(ofConditions, contraction.rows, contraction.conditionSlice,
                 rows.tile, 1, steps[i]);
    for (int64_t term = 0; term < contraction.getTermsOfStep(); ++term) {
      Value condition = counts[i];
      if (Value own = contraction.conditions[term])
        condition = condition ? arith::AndIOp::create(
                                    b, condition, ofConditions.getBuilt(0, own))
                                    .getResult()
                              : ofConditions.getBuilt(0, own);
      auto getFactors = [&](TileBuilder &builder,
                            const ContractionOperand &operand, int64_t lanes) {
        SmallVector<Value> factors;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          Value factor =
              builder.getBuilt(i * lanes + lane, operand.factors[term]);
          if (condition)
            factor = arith::SelectOp::create(b, condition, factor, zero);
          factors.push_back(factor);
        }
        return factors;
      };
      SmallVector<Value> columnFactors =
          getFactors(ofColumns, contraction.columns, tile.columns);
      auto *sum = next.begin();
      for (Value row : getFactors(ofRows, contraction.rows, tile.rows))
        for (Value column : columnFactors) {
          *sum = addProduct(row, column, *sum);
          ++sum;
        }
    }
  }
  return next;
}

/// The thread's parts of its sums.
SmallVector<Value> SlicedBuilder::buildSums() {
  SmallVector<Value> init(getNumSums(), getZero());
  if (rounds == 1)
    return addProducts(0, init);
  auto loop =
      scf::ForOp::create(b, constant(0), constant(rounds), constant(1), init);
  IndexForms saved = *forms;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    LinearForm round =
        forms->getVarying(loop.getInductionVar(), {0, rounds - 1});
    scf::YieldOp::create(b, addProducts(round, loop.getRegionIterArgs()));
  }
  *forms = std::move(saved);
  moveLoopInvariantCode(loop);
  return SmallVector<Value>(loop.getResults());
}

/// Adds up the parts of the sums of some rows, and stores their elements.
void SlicedBuilder::joinRows(int64_t firstRow, int64_t numRows,
                             ValueRange sums) {
  // The parts that neighbouring threads have of sums with the same number lie
  // side by side.
  auto getPlace = [&](const LinearForm &sum, const LinearForm &ofSlice,
                      const LinearForm &ofColumn) {
    LinearForm thread =
        isAlong
            ? forms->add(b, forms->mul(b, ofColumn, tile.slices), ofSlice)
            : forms->add(b, forms->mul(b, ofSlice, threadColumns), ofColumn);
    return forms->add(b, forms->mul(b, sum, numThreads), thread);
  };
  for (int64_t i = 0; i < numRows * tile.columns; ++i)
    memref::StoreOp::create(
        b, sums[firstRow * tile.columns + i], memory,
        forms->materialize(b, getPlace(i, slice, threadColumn)));
  gpu::BarrierOp::create(b);

  // The vectors of neighbouring columns that are stored together, shared out
  // among all threads.
  int64_t lanes = tile.columns;
  while (lanes > ThreadBlock::side || tile.columns % lanes || lanes == 3)
    --lanes;
  int64_t vectors = tile.columns / lanes;
  int64_t numItems = numRows * vectors * threadColumns;
  for (int64_t first = 0; first < numItems; first += numThreads) {
    LinearForm item = forms->add(b, forms->getThread(), first);
    IndexForms saved = *forms;
    OpBuilder::InsertionGuard guard(b);
    if (first + numThreads > numItems) {
      auto hasItem = scf::IfOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                   forms->materialize(b, item),
                                   constant(numItems)));
      b.setInsertionPointToStart(hasItem.thenBlock());
      // What range analysis cannot learn from the condition.
      item = forms->min(b, item, numItems - 1);
    }
    auto [rest, vector] = forms->divide(b, item, vectors);
    auto [row, ofColumn] = forms->divide(b, rest, threadColumns);
    LinearForm columnVector = forms->add(
        b,
        forms->mul(
            b,
            forms->add(b, forms->mul(b, columns.tile, threadColumns), ofColumn),
            vectors),
        vector);
    SmallVector<Value> totals;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      LinearForm sum =
          forms->add(b, forms->mul(b, row, tile.columns),
                     forms->add(b, forms->mul(b, vector, lanes), lane));
      Value total;
      for (int64_t part = 0; part < tile.slices; ++part) {
        Value next = memref::LoadOp::create(
            b, memory, forms->materialize(b, getPlace(sum, part, ofColumn)));
        total = total ? add(total, next) : next;
      }
      totals.push_back(total);
    }
    TileBuilder builder(b, op, *forms, *views);
    storeElements(builder, rows,
                  forms->add(b, forms->mul(b, rows.tile, tile.rows),
                             forms->add(b, row, firstRow)),
                  columns, columnVector, totals);
    *forms = std::move(saved);
  }
}

/// Adds up the parts of all sums, as many rows at a time as fit in workgroup
/// memory.
void SlicedBuilder::joinSums(ValueRange sums) {
  constexpr int64_t bytes = 4;
  int64_t rowsAtOnce = std::max<int64_t>(
      DeviceProfile::workgroupMemory / (numThreads * tile.columns * bytes), 1);
  rowsAtOnce = std::min(rowsAtOnce, tile.rows);
  memory = allocateInWorkgroup(b, rowsAtOnce * tile.columns * numThreads,
                               contraction.sumType);
  for (int64_t row = 0; row < tile.rows; row += rowsAtOnce) {
    // Nothing is stored for these rows before the others are read.
    if (row > 0)
      gpu::BarrierOp::create(b);
    joinRows(row, std::min(rowsAtOnce, tile.rows - row), sums);
  }
}

void SlicedBuilder::build() {
  buildLaunch(tile.rows, tile.columns * threadColumns, numThreads, rows,
              columns);
  // Neighbouring threads load what lies side by side.
  isAlong = isAlongSteps(contraction.columns);
  if (isAlong)
    std::tie(threadColumn, slice) =
        forms->divide(b, forms->getThread(), tile.slices);
  else
    std::tie(slice, threadColumn) =
        forms->divide(b, forms->getThread(), threadColumns);
  joinSums(buildSums());
  op.erase();
}

void dml::buildSlicedKernel(linalg::GenericOp op,
                            const Contraction &contraction,
                            const SliceTile &tile) {
  SlicedBuilder(op, contraction, tile).build();
}

namespace {
/// A launch that nothing comes of.
class Probe : ContractionBuilder {
public:
  Probe(linalg::GenericOp op, const Contraction &contraction)
      : ContractionBuilder(op, contraction) {
    b.setInsertionPointToEnd(&discarded);
    OperandTile rows, columns;
    buildLaunch(1, 1, numThreads, rows, columns);
  }
  using ContractionBuilder::isAlongSteps;

private:
  Block discarded;
};
} // namespace

bool dml::isAlongSteps(linalg::GenericOp op, const Contraction &contraction,
                       const ContractionOperand &operand) {
  return Probe(op, contraction).isAlongSteps(operand);
}
