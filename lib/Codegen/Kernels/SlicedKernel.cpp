//===- SlicedKernel.cpp - Sums that threads share out ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Where there are few sums of many terms, as in a product of one row and a
// matrix, threads that have a sum each would leave a device idle, and what they
// load is used once, so that workgroup memory gains nothing. Here several
// threads of a workgroup have the same sums, each of every so many terms, and
// load their factors from where they are. In the end the parts of a sum meet in
// workgroup memory, where they are added up in a fixed order.
//
//===----------------------------------------------------------------------===//

#include "Kernels/SlicedKernel.h"
#include "Emit/ContractionBuilder.h"
#include "Emit/Launch.h"
#include "Emit/Loops.h"
#include "dml/Target/SumCosts.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

namespace {
/// How the parts of sums meet: those of so many rows at a time, and in two
/// steps where there are groups. Then each thread adds up the parts of a group
/// first: of 64 parts of 8 sums, 128 threads add up 4 each, to 16 groups of a
/// sum, instead of 8 threads 64. Behind the parts of a sum is room for what
/// its groups come to, so that the threads that read the parts of several sums
/// find them in different banks.
struct JoinPlan {
  int64_t rows = 1, groups = 0;
};

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
  static constexpr int64_t numThreads = DeviceProfile::workgroupSize;

  int64_t getNumSums() const { return tile.rows * tile.columns; }
  void buildFactors(TileBuilder &builder, const ContractionOperand &operand,
                    ArrayRef<Operation *> slice, LinearForm vector,
                    int64_t lanes, ArrayRef<LinearForm> steps);
  SmallVector<Value> addProducts(LinearForm round, ValueRange sums);
  SmallVector<Value> buildSums();
  int64_t getStoredLanes() const;
  int64_t getPitch(const JoinPlan &plan) const {
    return numThreads + plan.groups * threadColumns;
  }
  JoinPlan chooseJoinPlan() const;
  /// Runs `build` for each of `count` items, which the threads share out.
  void shareOut(int64_t count, function_ref<void(LinearForm)> build) {
    forEachItem(b, *forms, {count, forms->getThread(), numThreads}, build);
  }
  Value addUp(const LinearForm &first, int64_t count, int64_t apart);
  void joinRows(int64_t firstRow, int64_t numRows, const JoinPlan &plan,
                ValueRange sums);
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
  return buildLoop(b, *forms, {0, rounds}, Counter::AddedLast, init,
                   [&](LinearForm round, ValueRange sums) {
                     return addProducts(round, sums);
                   });
}

//===----------------------------------------------------------------------===//
// Parts of sums
//===----------------------------------------------------------------------===//

int64_t SlicedBuilder::getStoredLanes() const {
  int64_t lanes = tile.columns;
  while (lanes > ThreadBlock::side || tile.columns % lanes || lanes == 3)
    --lanes;
  return lanes;
}

/// The plan of the fewest loads of a thread that fits in workgroup memory.
JoinPlan SlicedBuilder::chooseJoinPlan() const {
  constexpr int64_t bytes = 4;
  int64_t lanes = getStoredLanes();
  auto getTurns = [](int64_t items) {
    return llvm::divideCeilSigned(items, numThreads);
  };
  JoinPlan best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t passes = 1; passes <= tile.rows; ++passes)
    for (int64_t groups = 0; groups < tile.slices;
         groups = std::max<int64_t>(2 * groups, 1)) {
      JoinPlan plan{llvm::divideCeilSigned(tile.rows, passes), groups};
      int64_t sums = plan.rows * tile.columns;
      if (sums * getPitch(plan) * bytes > DeviceProfile::workgroupMemory)
        continue;
      int64_t loads = getTurns(sums / lanes * threadColumns) * lanes *
                      (groups > 0 ? groups : tile.slices);
      if (groups > 0)
        loads += getTurns(sums * groups * threadColumns) * tile.slices / groups;
      int64_t barriers = groups > 0 ? 3 : 2;
      int64_t cost = passes * (loads + barriers * cost::sliced::loadsOfBarrier);
      if (cost >= least)
        continue;
      least = cost;
      best = plan;
    }
  return best;
}

/// The sum of `count` numbers in workgroup memory. The first one lies at
/// `first`, and each other one `apart` behind the one before.
Value SlicedBuilder::addUp(const LinearForm &first, int64_t count,
                           int64_t apart) {
  Value total;
  for (int64_t i = 0; i < count; ++i) {
    Value next = memref::LoadOp::create(
        b, memory, forms->materialize(b, forms->add(b, first, i * apart)));
    total = total ? add(total, next) : next;
  }
  return total;
}

/// Adds up the parts of the sums of some rows, and stores their elements.
void SlicedBuilder::joinRows(int64_t firstRow, int64_t numRows,
                             const JoinPlan &plan, ValueRange sums) {
  int64_t numSums = numRows * tile.columns, pitch = getPitch(plan);
  // The parts that neighbouring threads have of sums with the same number lie
  // side by side.
  for (int64_t i = 0; i < numSums; ++i)
    memref::StoreOp::create(
        b, sums[firstRow * tile.columns + i], memory,
        forms->materialize(b, forms->add(b, forms->getThread(), i * pitch)));
  gpu::BarrierOp::create(b);

  // How far the parts of a sum, and those of neighbouring columns, lie apart.
  int64_t ofPart = isAlong ? 1 : threadColumns,
          ofColumn = isAlong ? tile.slices : 1;
  if (plan.groups > 0) {
    int64_t places = plan.groups * threadColumns;
    shareOut(numSums * places, [&](const LinearForm &item) {
      auto [sum, place] = forms->divide(b, item, places);
      auto [outer, inner] =
          forms->divide(b, place, isAlong ? plan.groups : threadColumns);
      LinearForm group = isAlong ? inner : outer,
                 column = isAlong ? outer : inner;
      LinearForm line = forms->mul(b, sum, pitch);
      LinearForm first =
          forms->add(b, line,
                     forms->add(b, forms->mul(b, group, ofPart),
                                forms->mul(b, column, ofColumn)));
      Value total =
          addUp(first, tile.slices / plan.groups, plan.groups * ofPart);
      memref::StoreOp::create(
          b, total, memory,
          forms->materialize(
              b, forms->add(b, forms->add(b, line, place), numThreads)));
    });
    gpu::BarrierOp::create(b);
    ofColumn = isAlong ? plan.groups : 1;
  }

  // The vectors of neighbouring columns that are stored together.
  int64_t lanes = getStoredLanes();
  int64_t vectors = tile.columns / lanes;
  shareOut(numRows * vectors * threadColumns, [&](const LinearForm &item) {
    auto [rest, vector] = forms->divide(b, item, vectors);
    auto [row, column] = forms->divide(b, rest, threadColumns);
    LinearForm columnVector = forms->add(
        b,
        forms->mul(
            b,
            forms->add(b, forms->mul(b, columns.tile, threadColumns), column),
            vectors),
        vector);
    SmallVector<Value> totals;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      LinearForm sum =
          forms->add(b, forms->mul(b, row, tile.columns),
                     forms->add(b, forms->mul(b, vector, lanes), lane));
      LinearForm first = forms->add(b, forms->mul(b, sum, pitch),
                                    forms->mul(b, column, ofColumn));
      totals.push_back(plan.groups > 0 ? addUp(forms->add(b, first, numThreads),
                                               plan.groups, ofPart)
                                       : addUp(first, tile.slices, ofPart));
    }
    TileBuilder builder(b, op, *forms, *views);
    storeElements(builder, rows,
                  forms->add(b, forms->mul(b, rows.tile, tile.rows),
                             forms->add(b, row, firstRow)),
                  columns, columnVector, totals);
  });
}

/// Adds up the parts of all sums, some rows after the others.
void SlicedBuilder::joinSums(ValueRange sums) {
  JoinPlan plan = chooseJoinPlan();
  memory = allocateInWorkgroup(b, plan.rows * tile.columns * getPitch(plan),
                               contraction.sumType);
  for (int64_t row = 0; row < tile.rows; row += plan.rows) {
    // Nothing is stored for these rows before the others are read.
    if (row > 0)
      gpu::BarrierOp::create(b);
    joinRows(row, std::min(plan.rows, tile.rows - row), plan, sums);
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

/// Terms that a thread of a sliced kernel has written out, at most.
static constexpr int64_t maxSliceTerms = 128;

std::string dml::findTileProblem(const Contraction &contraction,
                                 const SliceTile &tile) {
  constexpr int64_t threads = DeviceProfile::workgroupSize;
  if (tile.slices < 2 || tile.slices > threads || threads % tile.slices)
    return "has " + std::to_string(tile.slices) + " slices, but a divisor of " +
           std::to_string(threads) + " from 2 on is wanted";
  if (tile.rows > ThreadBlock::maxSums || tile.columns > ThreadBlock::maxSums ||
      tile.rows * tile.columns > ThreadBlock::maxSums)
    return "has more than " + std::to_string(ThreadBlock::maxSums) +
           " sums for a thread";
  // What a row's threads add up meets in workgroup memory.
  constexpr int64_t maxColumns =
      DeviceProfile::workgroupMemory / (threads * sizeof(float));
  if (tile.columns > maxColumns)
    return "has " + std::to_string(tile.columns) +
           " columns, but no more than " + std::to_string(maxColumns) +
           " are wanted, whose sums fit in workgroup memory";
  if (tile.terms > maxSliceTerms || tile.times > maxSliceTerms ||
      tile.terms * tile.times > maxSliceTerms ||
      tile.terms % contraction.getTermsOfStep())
    return "has " + std::to_string(tile.terms) + " terms " +
           std::to_string(tile.times) + " times, but a multiple of the " +
           std::to_string(contraction.getTermsOfStep()) +
           " of an iteration is wanted, and no more than " +
           std::to_string(maxSliceTerms) + " in all";
  return "";
}

void dml::buildSlicedKernel(linalg::GenericOp op,
                            const Contraction &contraction,
                            const SliceTile &tile) {
  SlicedBuilder(op, contraction, tile).build();
}
