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
#include "Launch.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

static constexpr int64_t side = ThreadBlock::side;

namespace {
/// An operand in workgroup memory.
struct Staged : OperandTile {
  /// Vectors of neighbouring positions, one row of them for each term of each
  /// buffer.
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
        block(*ThreadBlock::get(tile)), numThreads(tile.threads),
        stepsOfRound(tile.terms / contraction.getTermsOfStep()),
        rounds(llvm::divideCeilSigned(contraction.steps, stepsOfRound)) {}

  void build();

private:
  void buildFactors(TileBuilder &builder, const ContractionOperand &operand,
                    LinearForm vector, LinearForm step);
  int64_t getNumItems(const Staged &staged) const;
  void stage(const Staged &staged, LinearForm thread, LinearForm round);
  void stageRound(LinearForm round);
  SmallVector<Value> addProducts(LinearForm firstTerm, int64_t count,
                                 ValueRange sums);
  SmallVector<Value> addTerms(LinearForm round, ValueRange sums);
  SmallVector<Value> buildSums();
  SmallVector<Value> buildRounds(ValueRange sums);
  void storeSums(ValueRange sums);
  LinearForm getBuffer(LinearForm round);
  LinearForm getOwnVector(LinearForm thread, int64_t threads, int64_t number);

  const ContractionTile &tile;
  const ThreadBlock block;
  const int64_t numThreads;
  /// Iterations whose terms are in workgroup memory at a time, and how often
  /// that is filled.
  const int64_t stepsOfRound, rounds;

  /// The place of the thread's blocks among those of the workgroup.
  LinearForm threadRow, threadColumn;
  Staged rows, columns;
};
} // namespace

//===----------------------------------------------------------------------===//
// To workgroup memory
//===----------------------------------------------------------------------===//

/// Builds the factors at iteration `step` for each position of `vector` of
/// `operand`.
void KernelBuilder::buildFactors(TileBuilder &builder,
                                 const ContractionOperand &operand,
                                 LinearForm vector, LinearForm step) {
  SmallVector<Forms> coordinates;
  for (int64_t lane = 0; lane < side; ++lane) {
    coordinates.push_back(
        getCoordinates(operand, getPosition(operand, vector, lane, side)));
    bindStep(builder, lane, step);
  }
  builder.buildSlice(operand.slice, coordinates);
}

/// Of the buffers in workgroup memory, which take turns, the one of `round`.
LinearForm KernelBuilder::getBuffer(LinearForm round) {
  return forms->divide(b, round, tile.buffers).second;
}

/// How many vectors of positions and iterations of these there are to load.
int64_t KernelBuilder::getNumItems(const Staged &staged) const {
  return staged.getVectors() * stepsOfRound;
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

/// Loads the factors of `round` into workgroup memory, those that are the turn
/// of `thread`, counted from whichever thread.
void KernelBuilder::stage(const Staged &staged, LinearForm thread,
                          LinearForm round) {
  const ContractionOperand &operand = *staged.operand;
  int64_t numTerms = contraction.getTermsOfStep();
  int64_t numItems = getNumItems(staged);
  LinearForm firstRow = forms->mul(b, getBuffer(round), tile.terms);
  for (int64_t first = 0; first < numItems; first += numThreads) {
    LinearForm item = forms->add(b, thread, first);
    IndexForms saved = *forms;
    OpBuilder::InsertionGuard guard(b);
    // The last turn may have threads without anything to load.
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
      std::tie(vector, number) = forms->divide(b, item, stepsOfRound);
    else
      std::tie(number, vector) = forms->divide(b, item, staged.getVectors());

    // Terms behind the last one are 0 times 0.
    LinearForm step = forms->add(b, forms->mul(b, round, stepsOfRound), number);
    Value counts;
    if (contraction.steps % stepsOfRound) {
      counts = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                     forms->materialize(b, step),
                                     constant(contraction.steps));
      step = forms->min(b, step, contraction.steps - 1);
    }
    LinearForm position =
        forms->add(b, forms->mul(b, staged.tile, staged.getVectors()), vector);
    TileBuilder builder(b, op, *forms, *views);
    buildFactors(builder, operand, position, step);
    // What it depends on is the same for all positions.
    builder.buildSlice(contraction.conditionSlice, batch);

    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    SmallVector<Value> vectors;
    for (int64_t term = 0; term < numTerms; ++term) {
      Value condition = counts;
      if (Value own = contraction.conditions[term])
        condition = condition ? arith::AndIOp::create(b, condition,
                                                      builder.getBuilt(0, own))
                                    .getResult()
                              : builder.getBuilt(0, own);
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
    LinearForm row = forms->add(b, firstRow, forms->mul(b, number, numTerms));
    LinearForm place =
        forms->add(b, forms->mul(b, row, staged.getPitch()), vector);
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

void KernelBuilder::stageRound(LinearForm round) {
  stage(rows, forms->getThread(), round);
  // The columns begin with the threads that the rows have left out.
  LinearForm turned = forms->add(b, forms->getThread(),
                                 llvm::alignTo(getNumItems(rows), numThreads) -
                                     getNumItems(rows));
  stage(columns, forms->divide(b, turned, numThreads).second, round);
}

//===----------------------------------------------------------------------===//
// Loads ahead of stores
//===----------------------------------------------------------------------===//

/// The stores among the operations of `block` before `end`, and the operations
/// that only they need, or only what is in `storing`; last ones first.
static SmallVector<Operation *>
findLate(Block &block, Block::iterator end,
         const llvm::SmallPtrSetImpl<Operation *> &storing) {
  llvm::SetVector<Operation *> late;
  for (Operation &op : llvm::reverse(llvm::make_range(block.begin(), end))) {
    bool onlyStored =
        isMemoryEffectFree(&op) && !op.use_empty() &&
        llvm::all_of(op.getUsers(), [&](Operation *user) {
          Operation *ancestor = block.findAncestorOpInBlock(*user);
          return late.contains(ancestor) || storing.contains(ancestor);
        });
    if (isa<memref::StoreOp>(op) || onlyStored)
      late.insert(&op);
  }
  return late.takeVector();
}

/// Moves what only one guard in `block` needs, and loops have not lost, into
/// that guard.
static void sinkIntoGuards(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (op.use_empty() || op.getNumRegions() || !isMemoryEffectFree(&op))
      continue;
    auto guard = dyn_cast<scf::IfOp>(
        block.findAncestorOpInBlock(**op.getUsers().begin()));
    if (guard && llvm::all_of(op.getUsers(), [&](Operation *user) {
          return guard.getThenRegion().isAncestor(user->getParentRegion());
        }))
      op.moveBefore(guard.thenBlock(), guard.thenBlock()->begin());
  }
}

/// Makes two of `guard`: one that loads, where it stands, and one before
/// `point` that stores. Returns the second.
static scf::IfOp splitGuard(scf::IfOp guard, Operation *point) {
  OpBuilder b(guard);
  Location loc = guard.getLoc();
  Block *body = guard.thenBlock();
  Operation *end = body->getTerminator();
  SmallVector<Operation *> late =
      findLate(*body, end->getIterator(), llvm::SmallPtrSet<Operation *, 1>());
  // What is loaded goes from one to the other.
  llvm::SetVector<Value> crossing;
  for (Operation *op : late)
    for (Value operand : op->getOperands())
      if (operand.getParentBlock() == body &&
          !llvm::is_contained(late, operand.getDefiningOp()))
        crossing.insert(operand);
  SmallVector<Type> types =
      llvm::map_to_vector(crossing, [](Value v) { return v.getType(); });
  auto loading = scf::IfOp::create(b, loc, types, guard.getCondition(),
                                   /*withElseRegion=*/true);
  b.setInsertionPoint(point);
  auto storing = scf::IfOp::create(b, loc, guard.getCondition());
  for (Operation *op : llvm::reverse(late))
    op->moveBefore(storing.thenBlock()->getTerminator());
  for (auto [i, result] : llvm::enumerate(loading.getResults())) {
    Value value = crossing[i];
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return storing->isProperAncestor(use.getOwner());
    });
  }
  Block *thenBlock = loading.thenBlock();
  for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
    op.moveBefore(thenBlock, thenBlock->end());
  b.setInsertionPointToEnd(thenBlock);
  scf::YieldOp::create(b, loc, crossing.getArrayRef());
  b.setInsertionPointToEnd(loading.elseBlock());
  SmallVector<Value> nothing;
  for (Type type : types)
    nothing.push_back(
        arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type)));
  scf::YieldOp::create(b, loc, nothing);
  guard.erase();
  return storing;
}

/// Of the operations of a loop's body up to `end`, moves stores, and what only
/// they need, before `point`. Loads stay: the thread need not wait for them
/// before it has done what stands between.
static void postponeStores(Block &block, Block::iterator end,
                           Operation *point) {
  // A guard has both, and becomes two.
  llvm::SmallPtrSet<Operation *, 4> storing;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(block.begin(), end)))
    if (auto guard = dyn_cast<scf::IfOp>(op))
      storing.insert(splitGuard(guard, point));
  SmallVector<Operation *> late = findLate(block, end, storing);
  auto first =
      llvm::find_if(llvm::make_range(end, point->getIterator()),
                    [&](Operation &op) { return storing.contains(&op); });
  for (Operation *op : llvm::reverse(late))
    op->moveBefore(&*first);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The number of the thread's vector `number` among those of a workgroup.
LinearForm KernelBuilder::getOwnVector(LinearForm thread, int64_t threads,
                                       int64_t number) {
  return forms->add(b, thread, number * threads);
}

/// Adds the products of `count` terms from `firstTerm` on to `sums`, vectors of
/// neighbouring columns in row-major order.
SmallVector<Value> KernelBuilder::addProducts(LinearForm firstTerm,
                                              int64_t count, ValueRange sums) {
  SmallVector<Value> next(sums);
  auto load = [&](const Staged &staged, LinearForm vector, int64_t term) {
    LinearForm place =
        forms->add(b, forms->mul(b, firstTerm, staged.getPitch()),
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

/// Adds the products of all terms that workgroup memory has of `round`.
SmallVector<Value> KernelBuilder::addTerms(LinearForm round, ValueRange sums) {
  LinearForm firstTerm = forms->mul(b, getBuffer(round), tile.terms);
  int64_t writtenOut = std::min(tile.terms, tile.writtenOut);
  while (tile.terms % writtenOut)
    --writtenOut;
  if (writtenOut == tile.terms)
    return addProducts(firstTerm, writtenOut, sums);
  auto loop = scf::ForOp::create(b, constant(0), constant(tile.terms),
                                 constant(writtenOut), sums);
  OpBuilder::InsertionGuard guard(b);
  IndexForms saved = *forms;
  b.setInsertionPointToStart(loop.getBody());
  LinearForm term =
      forms->getVarying(loop.getInductionVar(), {0, tile.terms - writtenOut});
  scf::YieldOp::create(b, addProducts(forms->add(b, firstTerm, term),
                                      writtenOut, loop.getRegionIterArgs()));
  *forms = std::move(saved);
  moveLoopInvariantCode(loop);
  return SmallVector<Value>(loop.getResults());
}

/// Adds up all rounds, one after the other.
SmallVector<Value> KernelBuilder::buildRounds(ValueRange sums) {
  if (rounds == 1) {
    stageRound(0);
    gpu::BarrierOp::create(b);
    return addTerms(0, sums);
  }
  int64_t first = 0;
  if (tile.isAhead) {
    stageRound(0);
    gpu::BarrierOp::create(b);
    first = 1;
  }
  auto loop = scf::ForOp::create(b, constant(first), constant(rounds),
                                 constant(1), sums);
  IndexForms saved = *forms;
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = loop.getBody();
    b.setInsertionPointToStart(body);
    LinearForm round =
        forms->getVarying(loop.getInductionVar(), {first, rounds - 1});
    stageRound(round);
    SmallVector<Value> next;
    if (tile.isAhead) {
      // What was staged before is added up while the loads are under way.
      Operation *last = &body->back();
      next = addTerms(forms->sub(b, round, 1), loop.getRegionIterArgs());
      Operation *wait = gpu::BarrierOp::create(b);
      // One buffer is free only when all threads have loaded from it.
      if (tile.buffers == 1)
        wait = gpu::BarrierOp::create(b);
      postponeStores(*body, std::next(last->getIterator()), wait);
    } else {
      gpu::BarrierOp::create(b);
      next = addTerms(round, loop.getRegionIterArgs());
      // Nothing is stored for the next terms before all threads have loaded.
      if (tile.buffers == 1)
        gpu::BarrierOp::create(b);
    }
    scf::YieldOp::create(b, next);
  }
  *forms = std::move(saved);
  moveLoopInvariantCode(loop);
  sinkIntoGuards(*loop.getBody());
  if (!tile.isAhead)
    return SmallVector<Value>(loop.getResults());
  return addTerms(rounds - 1, loop.getResults());
}

/// The sums of the thread: vectors of neighbouring columns.
SmallVector<Value> KernelBuilder::buildSums() {
  auto vectorType = VectorType::get(side, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  return buildRounds(
      SmallVector<Value>(block.rows * block.columns / side, zero));
}

void KernelBuilder::storeSums(ValueRange sums) {
  TileBuilder builder(b, op, *forms, *views);
  auto getVector = [&](const Staged &staged, LinearForm thread, int64_t threads,
                       int64_t number) {
    return forms->add(b, forms->mul(b, staged.tile, staged.getVectors()),
                      getOwnVector(thread, threads, number));
  };
  int64_t numVectors = block.columns / side;
  for (int64_t row = 0; row < block.rows; ++row) {
    LinearForm rowVector =
        getVector(rows, threadRow, block.threadRows, row / side);
    LinearForm position =
        forms->add(b, forms->mul(b, rowVector, side), row % side);
    for (int64_t i = 0; i < numVectors; ++i) {
      Value vectorOfSums = sums[row * numVectors + i];
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
    staged->memory = allocateInWorkgroup(
        b, tile.buffers * tile.terms * staged->getPitch(), vector);
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
