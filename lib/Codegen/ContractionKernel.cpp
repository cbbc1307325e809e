//===- ContractionKernel.cpp - Sums of products in workgroup memory -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The threads of a workgroup load the factors that a tile of sums has in common
// once, into workgroup memory, some terms at a time. Each thread then adds up
// products for a block of the sums, whose factors it loads from there as
// vectors, and makes the elements of its sums in the end.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

static constexpr int64_t side = ThreadBlock::side;
static constexpr int64_t numThreads = DeviceProfile::workgroupSize;

namespace {
/// An operand in workgroup memory.
struct Staged : OperandTile {
  /// Vectors of neighbouring positions, one row of them for each term.
  Value memory;
  /// Whether neighbouring threads load factors of neighbouring iterations, and
  /// not of neighbouring positions: what lies side by side in memory.
  bool isAlongSteps = false;

  int64_t getVectors() const { return positions / side; }
  int64_t getPitch() const { return getStagedVectors(positions); }
};

class KernelBuilder : ContractionBuilder {
public:
  KernelBuilder(linalg::GenericOp op, const Contraction &contraction,
                const ContractionTile &tile)
      : ContractionBuilder(op, contraction), tile(tile),
        block(*ThreadBlock::get(tile)) {}

  void build();

private:
  void buildFactors(TileBuilder &builder, const ContractionOperand &operand,
                    ArrayRef<Operation *> slice, LinearForm vector,
                    LinearForm step);
  void stage(const Staged &staged, LinearForm thread, LinearForm firstStep);
  int64_t getNumItems(const Staged &staged) const;
  SmallVector<Value> addProducts(Value firstTerm, int64_t count,
                                 ValueRange sums);
  SmallVector<Value> buildSums();
  void storeSums(ValueRange sums);
  LinearForm getOwnVector(LinearForm thread, int64_t threads, int64_t number);

  const ContractionTile &tile;
  const ThreadBlock block;

  /// The place of the thread's blocks among those of the workgroup.
  LinearForm threadRow, threadColumn;
  Staged rows, columns;
};
} // namespace

/// Builds what `slice` computes at iteration `step` for each position of
/// `vector` of `operand`.
void KernelBuilder::buildFactors(TileBuilder &builder,
                                 const ContractionOperand &operand,
                                 ArrayRef<Operation *> slice, LinearForm vector,
                                 LinearForm step) {
  SmallVector<Forms> coordinates;
  for (int64_t lane = 0; lane < side; ++lane) {
    coordinates.push_back(
        getCoordinates(operand, getPosition(operand, vector, lane, side)));
    bindStep(builder, lane, step);
  }
  builder.buildSlice(slice, coordinates);
}

/// How many vectors of positions and iterations of these there are to load.
int64_t KernelBuilder::getNumItems(const Staged &staged) const {
  return staged.getVectors() * (tile.terms / contraction.getTermsOfStep());
}

/// Moves what depends on nothing inside of `guard`, and does no harm, in front
/// of it: from there, loops lose it.
static void hoistFromGuard(scf::IfOp guard) {
  Region *region = &guard.getThenRegion();
  moveLoopInvariantCode(
      region,
      [](Value value, Region *region) {
        return !region->isAncestor(value.getParentRegion());
      },
      [](Operation *nested, Region *) {
        return isMemoryEffectFree(nested) && isSpeculatable(nested) &&
               !nested->hasTrait<OpTrait::IsTerminator>();
      },
      [&](Operation *nested, Region *) { nested->moveBefore(guard); });
}

/// Loads the factors of the iterations from `firstStep` on into workgroup
/// memory, those that are the turn of `thread`, counted from whichever thread.
void KernelBuilder::stage(const Staged &staged, LinearForm thread,
                          LinearForm firstStep) {
  const ContractionOperand &operand = *staged.operand;
  int64_t numTerms = contraction.getTermsOfStep();
  int64_t numSteps = tile.terms / numTerms;
  int64_t numItems = getNumItems(staged);
  for (int64_t first = 0; first < numItems; first += numThreads) {
    LinearForm item = forms->add(b, thread, first);
    IndexForms saved = *forms;
    OpBuilder::InsertionGuard guard(b);
    // The last round may have threads without anything to load.
    scf::IfOp hasItem;
    if (first + numThreads > numItems) {
      hasItem = scf::IfOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                   forms->materialize(b, item),
                                   constant(numItems)));
      b.setInsertionPointToStart(hasItem.thenBlock());
      // What range analysis cannot learn from the condition.
      item = forms->min(b, item, numItems - 1);
    }
    LinearForm vector, number;
    if (staged.isAlongSteps)
      std::tie(vector, number) = forms->divide(b, item, numSteps);
    else
      std::tie(number, vector) = forms->divide(b, item, staged.getVectors());

    // Terms behind the last one are 0 times 0.
    LinearForm step = forms->add(b, firstStep, number);
    Value counts;
    if (contraction.steps % numSteps) {
      counts = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                     forms->materialize(b, step),
                                     constant(contraction.steps));
      step = forms->min(b, step, contraction.steps - 1);
    }
    LinearForm position =
        forms->add(b, forms->mul(b, staged.tile, staged.getVectors()), vector);
    TileBuilder builder(b, op, *forms, *views);
    buildFactors(builder, operand, operand.slice, position, step);
    // What it depends on is the same for all positions.
    builder.buildSlice(contraction.conditionSlice, batch);

    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    SmallVector<Value> vectors;
    for (int64_t term = 0; term < numTerms; ++term) {
      Value condition = counts;
      if (Value own = contraction.conditions[term]) {
        own = builder.getBuilt(0, own);
        condition = condition
                        ? arith::AndIOp::create(b, condition, own).getResult()
                        : own;
      }
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < side; ++lane) {
        Value factor = builder.getBuilt(lane, operand.factors[term]);
        if (condition)
          factor = arith::SelectOp::create(b, condition, factor, zero);
        lanes.push_back(factor);
      }
      vectors.push_back(vector::FromElementsOp::create(
          b, VectorType::get(side, b.getF32Type()), lanes));
    }
    LinearForm place = forms->add(
        b, forms->mul(b, number, numTerms * staged.getPitch()), vector);
    for (auto [term, value] : llvm::enumerate(vectors))
      memref::StoreOp::create(
          b, value, staged.memory,
          forms->materialize(
              b, forms->add(b, place,
                            static_cast<int64_t>(term) * staged.getPitch())));
    if (hasItem) {
      hoistFromGuard(hasItem);
      *forms = std::move(saved);
    }
  }
}

/// The number of the thread's vector `number` among those of a workgroup.
LinearForm KernelBuilder::getOwnVector(LinearForm thread, int64_t threads,
                                       int64_t number) {
  return forms->add(b, thread, number * threads);
}

/// Adds the products of `count` terms from `firstTerm` on to `sums`, vectors of
/// neighbouring columns in row-major order.
SmallVector<Value> KernelBuilder::addProducts(Value firstTerm, int64_t count,
                                              ValueRange sums) {
  SmallVector<Value> next(sums);
  auto load = [&](const Staged &staged, LinearForm vector, int64_t term) {
    LinearForm place = forms->add(
        b,
        forms->mul(b, forms->getOpaque(firstTerm, {0, tile.terms - 1}),
                   staged.getPitch()),
        forms->add(b, vector, term * staged.getPitch()));
    return memref::LoadOp::create(b, staged.memory,
                                  forms->materialize(b, place));
  };
  int64_t numVectors = block.columns / side;
  auto vectorType = VectorType::get(side, b.getF32Type());
  for (int64_t term = 0; term < count; ++term) {
    SmallVector<Value> factors;
    for (int64_t i = 0; i < numVectors; ++i)
      factors.push_back(load(
          columns, getOwnVector(threadColumn, block.threadColumns, i), term));
    for (int64_t i = 0; i < block.rows / side; ++i) {
      Value ofRows =
          load(rows, getOwnVector(threadRow, block.threadRows, i), term);
      for (int64_t lane = 0; lane < side; ++lane) {
        Value factor = vector::ExtractOp::create(b, ofRows, lane);
        factor = vector::BroadcastOp::create(b, vectorType, factor);
        MutableArrayRef<Value> row = MutableArrayRef(next).slice(
            (i * side + lane) * numVectors, numVectors);
        for (auto [sum, ofColumns] : llvm::zip_equal(row, factors))
          sum = math::FmaOp::create(b, factor, ofColumns, sum);
      }
    }
  }
  return next;
}

/// The sums of the thread: vectors of neighbouring columns.
SmallVector<Value> KernelBuilder::buildSums() {
  auto vectorType = VectorType::get(side, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  SmallVector<Value> init(block.rows * block.columns / side, zero);
  int64_t numSteps = tile.terms / contraction.getTermsOfStep();
  int64_t rounds = llvm::divideCeilSigned(contraction.steps, numSteps);
  // Terms that are written out: the loop over all those in workgroup memory
  // runs a few times.
  int64_t writtenOut = 9;
  while (tile.terms % writtenOut)
    --writtenOut;

  auto outer =
      scf::ForOp::create(b, constant(0), constant(rounds), constant(1), init);
  OpBuilder::InsertionGuard guard(b);
  IndexForms saved = *forms;
  b.setInsertionPointToStart(outer.getBody());
  LinearForm firstStep = forms->mul(
      b, forms->getOpaque(outer.getInductionVar(), {0, rounds - 1}), numSteps);
  stage(rows, forms->getThread(), firstStep);
  // The columns begin with the threads that the rows have left out.
  LinearForm turned = forms->add(
      b, forms->getThread(),
      llvm::offsetToAlignment(getNumItems(rows), llvm::Align(numThreads)));
  stage(columns, forms->divide(b, turned, numThreads).second, firstStep);
  gpu::BarrierOp::create(b);
  auto inner =
      scf::ForOp::create(b, constant(0), constant(tile.terms),
                         constant(writtenOut), outer.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard innerGuard(b);
    IndexForms savedOfOuter = *forms;
    b.setInsertionPointToStart(inner.getBody());
    scf::YieldOp::create(b, addProducts(inner.getInductionVar(), writtenOut,
                                        inner.getRegionIterArgs()));
    *forms = std::move(savedOfOuter);
  }
  // Nothing is stored for the next iterations before all threads have loaded.
  gpu::BarrierOp::create(b);
  scf::YieldOp::create(b, inner.getResults());
  *forms = std::move(saved);
  moveLoopInvariantCode(inner);
  moveLoopInvariantCode(outer);
  return SmallVector<Value>(outer.getResults());
}

void KernelBuilder::storeSums(ValueRange sums) {
  TileBuilder builder(b, op, *forms, *views);
  auto getVector = [&](const Staged &staged, LinearForm thread, int64_t threads,
                       int64_t number) {
    return forms->add(b, forms->mul(b, staged.tile, staged.getVectors()),
                      getOwnVector(thread, threads, number));
  };
  for (int64_t row = 0; row < block.rows; ++row) {
    LinearForm rowVector =
        getVector(rows, threadRow, block.threadRows, row / side);
    LinearForm position =
        forms->add(b, forms->mul(b, rowVector, side), row % side);
    for (int64_t i = 0; i < block.columns / side; ++i) {
      Value vectorOfSums = sums[row * (block.columns / side) + i];
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < side; ++lane)
        lanes.push_back(vector::ExtractOp::create(b, vectorOfSums, lane));
      storeElements(builder, rows, position, columns,
                    getVector(columns, threadColumn, block.threadColumns, i),
                    lanes);
    }
  }
}

void KernelBuilder::build() {
  buildLaunch(tile.rows, tile.columns, numThreads, rows, columns);
  auto vector = VectorType::get(side, b.getF32Type());
  for (Staged *staged : {&rows, &columns}) {
    staged->memory = buildMemory(tile.terms * staged->getPitch(), vector);
    staged->isAlongSteps = isAlongSteps(*staged->operand);
  }
  std::tie(threadRow, threadColumn) =
      forms->divide(b, forms->getThread(), block.threadColumns);
  storeSums(buildSums());
  op.erase();
}

void dml::buildContractionKernel(linalg::GenericOp op,
                                 const Contraction &contraction,
                                 const ContractionTile &tile) {
  KernelBuilder(op, contraction, tile).build();
}
