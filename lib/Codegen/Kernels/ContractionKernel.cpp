//===- ContractionKernel.cpp - Sums of products in workgroup memory -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A workgroup computes a tile of sums. Its threads stage the factors for some
// terms at a time in workgroup memory, so that each factor is loaded only once
// from its buffer. Each thread then adds up the products for a block of the
// sums, for which it loads vectors of factors from workgroup memory. At the
// end, each thread computes elements of the output from its sums.
//
// The threads of a workgroup may form several slices (split-K within the
// workgroup). Each slice computes partial sums for the whole tile, over a part
// of the terms in workgroup memory. At the end, the slices exchange their
// partial sums through workgroup memory and add them up in a fixed order. For
// example, with 128 threads, one slice and a tile of 64 by 32 sums, a thread
// computes a block of 4 by 4 sums, and loads 8 factors for 16 products. With
// four slices, a thread computes a block of 8 by 8 sums, and loads 16 factors
// for 64 products.
//
//===----------------------------------------------------------------------===//

#include "Kernels/ContractionKernel.h"
#include "Analysis/BodySlice.h"
#include "Emit/ContractionBuilder.h"
#include "Emit/Launch.h"
#include "Emit/Staging.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

namespace {
/// A workgroup's tile of the rows or of the columns, and the layout of its
/// factors in workgroup memory.
struct StagedFactors : OperandTile {
  /// The layout of the operand in workgroup memory. The factors of one term, at
  /// all positions of the tile, are consecutive vectors of 4 positions. A
  /// thread loads an item at a time: the vectors of the same 4 positions for
  /// `together` neighbouring terms. All items of the same terms form a line.
  /// With 16 terms, 64 positions, and 4 terms in an item, there are 4 lines of
  /// 16 items of 4 vectors.
  StagedArea area;
  /// The load of the first term's factor, if the factors of consecutive terms
  /// are neighbours in their buffer. A thread can then load several of them at
  /// consecutive addresses. Null otherwise.
  memref::LoadOp firstLoad;
  /// The number of neighbouring terms that a thread loads at a time, for each
  /// of 4 neighbouring positions.
  int64_t together = 0;
  /// Whether some factors are selections between an element and a constant for
  /// padding.
  bool isChosen = false;

  int64_t getVectors() const { return positions / ThreadBlock::side; }
  int64_t getPitch() const { return getStagedVectors(positions); }
};

class ContractionKernel : ContractionBuilder {
public:
  ContractionKernel(linalg::GenericOp op, const Contraction &contraction,
                    const ContractionTile &tile)
      : ContractionBuilder(op, contraction), tile(tile),
        block(*ThreadBlock::get(tile)), numThreads(tile.threads),
        stepsOfRound(tile.terms / contraction.getTermsOfStep()),
        rounds(llvm::divideCeilSigned(contraction.steps, stepsOfRound)) {}

  void build();

private:
  static constexpr int64_t side = ThreadBlock::side;

  memref::LoadOp findFirstLoad(const StagedFactors &factors);
  SmallVector<Value> buildFactors(TileBuilder &builder,
                                  const StagedFactors &factors,
                                  LinearForm vector, LinearForm group);
  SmallVector<Value> buildNeighbours(TileBuilder &builder,
                                     const StagedFactors &factors,
                                     LinearForm vector, LinearForm group);
  SmallVector<Value> loadItem(const StagedFactors &factors,
                              const StagedItem &item, LinearForm round);
  void layOut(StagedFactors &factors);
  void stageRound(LinearForm round);
  SmallVector<Value> addProducts(LinearForm firstTerm, int64_t count,
                                 ValueRange sums);
  SmallVector<Value> addTerms(LinearForm round, ValueRange sums);
  SmallVector<Value> buildSums();
  SmallVector<Value> buildRound(LinearForm round, ValueRange sums);
  SmallVector<Value> buildRoundAhead(LinearForm round, ValueRange sums);
  SmallVector<Value> buildRounds(ValueRange sums);
  SmallVector<Value> joinSlices(ValueRange sums);
  void storeSums(ValueRange sums);
  LinearForm getBuffer(LinearForm round);
  LinearForm getOwnVector(LinearForm thread, int64_t threads,
                          LinearForm number);

  const ContractionTile &tile;
  const ThreadBlock block;
  const int64_t numThreads;
  /// The kernel has a loop of `rounds` rounds. A round covers `stepsOfRound`
  /// iterations of the contraction's loop over terms, and stages their factors.
  const int64_t stepsOfRound, rounds;

  /// The index of the thread's slice, and the index of the thread in its slice.
  /// The threads of a slice form a grid, in which the thread is in row
  /// `threadRow` and in column `threadColumn`. A thread computes one or more
  /// blocks of 4 by 4 sums: in row 1 and column 3 of the grid, its first block
  /// has rows 4 to 7 and columns 12 to 15 of the tile.
  LinearForm slice, threadOfSlice, threadRow, threadColumn;
  StagedFactors rows, columns;
};
} // namespace

//===----------------------------------------------------------------------===//
// To workgroup memory
//===----------------------------------------------------------------------===//

/// If `factor` is computed from a loaded element by a chain of operations with
/// one operand each, returns the load and these operations. Returns nothing
/// otherwise.
static SmallVector<Operation *> getChain(Value factor) {
  SmallVector<Operation *> chain;
  while (Operation *op = factor.getDefiningOp()) {
    chain.push_back(op);
    if (isa<memref::LoadOp>(op)) {
      std::reverse(chain.begin(), chain.end());
      return chain;
    }
    if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        op->getNumRegions() || !isMemoryEffectFree(op))
      break;
    factor = op->getOperand(0);
  }
  return {};
}

/// Whether two chains of operations (getChain()) are equal except for their
/// loads, which come first.
static bool areEqual(ArrayRef<Operation *> lhs, ArrayRef<Operation *> rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip(lhs.drop_front(), rhs.drop_front()),
                      [](auto pair) {
                        return OperationEquivalence::isEquivalentTo(
                            std::get<0>(pair), std::get<1>(pair),
                            OperationEquivalence::ignoreValueEquivalence,
                            /*markEquivalent=*/nullptr,
                            OperationEquivalence::IgnoreLocations);
                      });
}

/// Returns the load of the first term's factor if the factors of consecutive
/// terms are neighbours in their buffer, and null otherwise. If an iteration of
/// the loop over terms adds n terms, the factor of term t of iteration i must
/// lie n * i + t elements behind the factor of term 0 of iteration 0.
memref::LoadOp ContractionKernel::findFirstLoad(const StagedFactors &factors) {
  const ContractionOperand &operand = *factors.operand;
  int64_t numTerms = contraction.getTermsOfStep();
  SmallVector<Operation *> chain = getChain(operand.factors.front());
  if (chain.empty() || llvm::any_of(contraction.conditions,
                                    [](Value value) { return bool(value); }))
    return {};
  Block discarded;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&discarded);
  IndexForms::Scope scope(*forms);
  LinearForm vector =
      forms->getOpaque(launch.getThreadIds().y,
                       {0, llvm::divideCeilSigned(operand.size, side) - 1});
  LinearForm step =
      forms->getOpaque(launch.getThreadIds().z, {0, contraction.steps - 1});
  // Returns the loads of the factors that iteration `step` of the loop over
  // terms multiplies.
  auto getLoads = [&](LinearForm step) {
    TileBuilder builder(b, op, *forms, *views);
    bindStep(builder, 0, step);
    builder.buildSlice(
        operand.slice,
        getCoordinates(operand, getPosition(operand, vector, 0, side)));
    SmallVector<std::optional<Load>> loads;
    for (Value factor : operand.factors) {
      SmallVector<Operation *> own = getChain(factor);
      loads.emplace_back();
      if (areEqual(own, chain))
        if (Scalar scalar = builder.getScalar(0, own.front()->getResult(0));
            auto *load = std::get_if<Load>(&scalar))
          loads.back() = *load;
    }
    return loads;
  };
  SmallVector<std::optional<Load>> atStep = getLoads(step),
                                   atFirst = getLoads(0);
  bool isSideBySide = atFirst.front() && !atFirst.front()->guard;
  for (auto [term, load] : llvm::enumerate(atStep)) {
    if (!isSideBySide)
      break;
    LinearForm behind = forms->add(b, forms->mul(b, step, numTerms),
                                   static_cast<int64_t>(term));
    isSideBySide =
        load && !load->guard && load->buffer == atFirst.front()->buffer &&
        load->position == forms->add(b, atFirst.front()->position, behind);
  }
  return isSideBySide ? cast<memref::LoadOp>(chain.front()) : memref::LoadOp();
}

/// Builds the factors of one item: the factors of the neighbouring terms of
/// group number `group`, at each position of vector `vector`. In the result,
/// the factors of one term are neighbours.
SmallVector<Value> ContractionKernel::buildFactors(TileBuilder &builder,
                                                   const StagedFactors &factors,
                                                   LinearForm vector,
                                                   LinearForm group) {
  const ContractionOperand &operand = *factors.operand;
  if (factors.firstLoad)
    return buildNeighbours(builder, factors, vector, group);
  SmallVector<Forms> coordinates;
  for (int64_t lane = 0; lane < side; ++lane) {
    coordinates.push_back(
        getCoordinates(operand, getPosition(operand, vector, lane, side)));
    bindStep(builder, lane, group);
  }
  builder.buildSlice(operand.slice, coordinates);
  // The condition under which a term is added does not depend on the position.
  builder.buildSlice(contraction.conditionSlice, batch);
  Value zero = getZero();
  SmallVector<Value> elements;
  for (auto [factor, condition] :
       llvm::zip_equal(operand.factors, contraction.conditions))
    for (int64_t lane = 0; lane < side; ++lane) {
      elements.push_back(builder.getBuilt(lane, factor));
      if (condition)
        elements.back() = arith::SelectOp::create(
            b, builder.getBuilt(0, condition), elements.back(), zero);
    }
  return elements;
}

/// Builds the factors of the terms of `group`, if the factors of consecutive
/// terms are neighbours in their buffer. The address of the first term's factor
/// is computed once for each position, and the factor of term t lies t elements
/// behind the first term's.
SmallVector<Value>
ContractionKernel::buildNeighbours(TileBuilder &builder,
                                   const StagedFactors &factors,
                                   LinearForm vector, LinearForm group) {
  const ContractionOperand &operand = *factors.operand;
  SmallVector<Forms> ofLanes, coordinates;
  for (int64_t lane = 0; lane < side; ++lane) {
    ofLanes.push_back(
        getCoordinates(operand, getPosition(operand, vector, lane, side)));
    bindStep(builder, lane, 0);
  }
  SmallVector<Value> given =
      llvm::map_to_vector(contraction.loops, [](scf::ForOp loop) {
        return Value(loop.getInductionVar());
      });
  BodySlice address(op, given);
  Value loaded = memref::LoadOp(factors.firstLoad).getResult();
  // The load is one of the operand's operations, so that the backward slice
  // exists.
  [[maybe_unused]] LogicalResult isSlice = address.add(loaded);
  assert(succeeded(isSlice));
  builder.buildSlice(address.getOperations(), ofLanes);
  SmallVector<Load> loads;
  for (int64_t lane = 0; lane < side; ++lane)
    loads.push_back(std::get<Load>(builder.getScalar(lane, loaded)));
  LinearForm firstTerm = forms->mul(b, group, factors.together);
  for (int64_t term = 0; term < factors.together; ++term)
    for (int64_t lane = 0; lane < side; ++lane) {
      Load load = loads[lane];
      load.position =
          forms->add(b, load.position, forms->add(b, firstTerm, term));
      builder.bind(coordinates.size(), loaded, load);
      coordinates.push_back(ofLanes[lane]);
    }
  Value factor = operand.factors.front();
  SmallVector<Operation *> chain = getChain(factor);
  builder.buildSlice(ArrayRef(chain).drop_front(), coordinates);
  SmallVector<Value> elements;
  for (size_t i = 0; i < coordinates.size(); ++i)
    elements.push_back(builder.getBuilt(i, factor));
  return elements;
}

/// Returns the index of the buffer in workgroup memory that holds the factors
/// of round `round`. With two buffers, even and odd rounds use different ones.
LinearForm ContractionKernel::getBuffer(LinearForm round) {
  return forms->divide(b, round, tile.buffers).second;
}

/// Builds the factors of item `item` in round `round`: the factors of some
/// neighbouring terms at 4 neighbouring positions.
SmallVector<Value> ContractionKernel::loadItem(const StagedFactors &factors,
                                               const StagedItem &item,
                                               LinearForm round) {
  int64_t numGroups = contraction.getTerms() / factors.together;
  int64_t groupsOfRound = factors.area.lines;
  // The factors of terms beyond the last one are 0.
  LinearForm group =
      forms->add(b, forms->mul(b, round, groupsOfRound), item.line);
  Value counts;
  if (numGroups % groupsOfRound) {
    counts = buildIsBelow(b, *forms, group, numGroups);
    group = forms->min(b, group, numGroups - 1);
  }
  LinearForm vector = forms->add(
      b, forms->mul(b, factors.tile, factors.getVectors()), item.inLine);
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Value> elements = buildFactors(builder, factors, vector, group);
  if (counts) {
    Value zero = getZero();
    for (Value &element : elements)
      element = arith::SelectOp::create(b, counts, element, zero);
  }
  return elements;
}

/// Copies the factors of `round` to workgroup memory. The threads share out the
/// items of the rows, one item each at a time, and then those of the columns.
/// If the last items of the rows are fewer than the threads, the threads
/// without an item take the first items of the columns.
void ContractionKernel::stageRound(LinearForm round) {
  Staging staging(b, *forms, numThreads);
  auto stage = [&](const StagedFactors &factors, LinearForm thread) {
    staging.stage(
        factors.area, thread, getBuffer(round),
        tile.isAhead && !factors.isChosen ? Staging::LastRound::LoadsLast
                                          : Staging::LastRound::Skips,
        [&](const StagedItem &item) { return loadItem(factors, item, round); });
  };
  stage(rows, forms->getThread());
  int64_t ofRows = rows.area.getNumItems();
  LinearForm turned = forms->add(b, forms->getThread(),
                                 llvm::alignTo(ofRows, numThreads) - ofRows);
  stage(columns, forms->divide(b, turned, numThreads).second);
}

//===----------------------------------------------------------------------===//
// Loads ahead of stores
//===----------------------------------------------------------------------===//

/// Returns the operations of `block` before `end` that can run late: the
/// stores, and operations without side effects whose results only late code
/// uses. Late code is the stores, other such operations, and the code inside of
/// the guards `storing`. A guard is an scf.if around stores, and is not
/// returned itself. The operations are in reverse order: the last one comes
/// first.
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

/// Moves operations into a guard, a branch, if only the code in the guard uses
/// their results. Loop-invariant code motion may have moved these operations
/// out of the guard.
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

/// Splits `guard`, a branch that loads factors and stores them, into two: a
/// guard of the loads in its place, and a guard of the stores in front of
/// `point`. Returns the guard of the stores.
static scf::IfOp splitGuard(scf::IfOp guard, Operation *point) {
  OpBuilder b(guard);
  Location loc = guard.getLoc();
  Block *body = guard.thenBlock();
  Operation *end = body->getTerminator();
  SmallVector<Operation *> late =
      findLate(*body, end->getIterator(), llvm::SmallPtrSet<Operation *, 1>());
  // A guard that contains only stores is moved as a whole.
  if (late.size() + 1 == body->getOperations().size()) {
    guard->moveBefore(point);
    return guard;
  }
  // `crossing` are the values, such as loaded values, that the guard of the
  // loads computes and the guard of the stores uses. They become results of the
  // guard of the loads.
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

/// Moves the stores between the beginning of `block` and `end` in front of
/// `point`, together with the operations whose results only these stores use.
/// The loads stay in place, so that the thread executes the code between `end`
/// and `point` while it waits for the loaded values.
static void postponeStores(Block &block, Block::iterator end,
                           Operation *point) {
  // A guard that contains both loads and stores is split into two.
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

/// Returns the number, in the tile, of the thread's `number`-th vector. The
/// tile's vectors are distributed to `threads` threads one by one: with 8
/// threads, the vectors 0, 1 and 2 of thread 3 are the vectors 3, 11 and 19 of
/// the tile.
LinearForm ContractionKernel::getOwnVector(LinearForm thread, int64_t threads,
                                           LinearForm number) {
  return forms->add(b, thread, forms->mul(b, number, threads));
}

/// Adds the products of `count` terms from `firstTerm` on to `sums`, the sums
/// of the thread. The list has the thread's block in row-major order, as
/// vectors of neighbouring columns.
SmallVector<Value> ContractionKernel::addProducts(LinearForm firstTerm,
                                                  int64_t count,
                                                  ValueRange sums) {
  SmallVector<Value> next(sums);
  auto load = [&](const StagedFactors &factors, LinearForm vector,
                  int64_t term) {
    LinearForm place = forms->add(
        b, forms->mul(b, firstTerm, factors.getPitch()),
        forms->add(b, vector, factors.area.first + term * factors.getPitch()));
    return memref::LoadOp::create(b, factors.area.memory,
                                  forms->materialize(b, place));
  };
  int64_t numVectors = block.columns / side;
  auto vectorType = VectorType::get(side, contraction.sumType);
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
          sum = addProduct(factor, ofColumns, sum);
      }
    }
  }
  return next;
}

/// Adds to `sums` the products of the terms of `round` that belong to the
/// thread's slice.
SmallVector<Value> ContractionKernel::addTerms(LinearForm round,
                                               ValueRange sums) {
  int64_t terms = tile.terms / tile.slices;
  LinearForm firstTerm =
      forms->add(b, forms->mul(b, getBuffer(round), tile.terms),
                 forms->mul(b, slice, terms));
  int64_t writtenOut = std::min(terms, tile.writtenOut);
  while (terms % writtenOut)
    --writtenOut;
  if (writtenOut == terms)
    return addProducts(firstTerm, writtenOut, sums);
  return buildLoop(b, *forms, {0, terms, writtenOut}, Counter::AddedLast, sums,
                   [&](LinearForm term, ValueRange sums) {
                     return addProducts(forms->add(b, firstTerm, term),
                                        writtenOut, sums);
                   });
}

/// Stages the factors of `round` and adds their products to `sums`.
SmallVector<Value> ContractionKernel::buildRound(LinearForm round,
                                                 ValueRange sums) {
  stageRound(round);
  gpu::BarrierOp::create(b);
  SmallVector<Value> next = addTerms(round, sums);
  // With a single buffer, the barrier lets all threads load the factors of this
  // round before the next round overwrites them.
  if (tile.buffers == 1)
    gpu::BarrierOp::create(b);
  return next;
}

/// Loads the factors of `round`, adds the products of the preceding round while
/// the loads are in flight, and then stores the factors.
SmallVector<Value> ContractionKernel::buildRoundAhead(LinearForm round,
                                                      ValueRange sums) {
  stageRound(round);
  Block *body = b.getBlock();
  Operation *last = &body->back();
  SmallVector<Value> next = addTerms(forms->sub(b, round, 1), sums);
  Operation *wait = gpu::BarrierOp::create(b);
  // With a single buffer, the barrier lets all threads load the present factors
  // before the new factors overwrite them.
  if (tile.buffers == 1)
    wait = gpu::BarrierOp::create(b);
  postponeStores(*body, std::next(last->getIterator()), wait);
  return next;
}

/// Builds the loop over the rounds, which loads factors ahead if the tile asks
/// for it (isAhead).
SmallVector<Value> ContractionKernel::buildRounds(ValueRange sums) {
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
  SmallVector<Value> last =
      buildLoop(b, *forms, {first, rounds}, Counter::AddedLast, sums,
                [&](LinearForm round, ValueRange sums) {
                  return tile.isAhead ? buildRoundAhead(round, sums)
                                      : buildRound(round, sums);
                });
  sinkIntoGuards(*last.front().getDefiningOp<scf::ForOp>().getBody());
  return tile.isAhead ? addTerms(rounds - 1, last) : last;
}

/// Builds the sums of the thread, as vectors of neighbouring columns.
SmallVector<Value> ContractionKernel::buildSums() {
  return buildRounds(
      SmallVector<Value>(block.rows * block.columns / side, getZero(side)));
}

/// Adds up the partial sums of all slices. Each slice adds up an equal share of
/// the vectors of sums, and later stores its share in the output. A slice
/// receives the partial sums of the other slices through workgroup memory, as
/// many vectors at a time as fit.
SmallVector<Value> ContractionKernel::joinSlices(ValueRange sums) {
  int64_t numVectors = block.getVectors() / tile.slices;
  int64_t room = cast<MemRefType>(rows.area.memory.getType()).getNumElements();
  int64_t atOnce = numVectors;
  while (numVectors % atOnce || atOnce * getExchangedVectors(tile) > room)
    --atOnce;
  // Returns the index in workgroup memory of a vector of partial sums that
  // slice `from` has computed and slice `to` adds up. In an exchange, slice
  // `to` receives several vectors from slice `from`, and `number` counts them.
  auto getPlace = [&](int64_t number, LinearForm to, LinearForm from) {
    LinearForm place = forms->add(b, forms->mul(b, to, tile.slices), from);
    place = forms->add(b, place, number * tile.slices * tile.slices);
    place = forms->mul(b, place, numThreads / tile.slices);
    return forms->materialize(b, forms->add(b, place, threadOfSlice));
  };
  SmallVector<Value> joined;
  for (int64_t first = 0; first < numVectors; first += atOnce) {
    // The barrier lets all threads load factors or earlier partial sums before
    // the new partial sums overwrite them in workgroup memory.
    gpu::BarrierOp::create(b);
    for (int64_t to = 0; to < tile.slices; ++to)
      for (int64_t i = 0; i < atOnce; ++i)
        memref::StoreOp::create(b, sums[to * numVectors + first + i],
                                rows.area.memory, getPlace(i, to, slice));
    gpu::BarrierOp::create(b);
    for (int64_t i = 0; i < atOnce; ++i) {
      Value sum;
      for (int64_t from = 0; from < tile.slices; ++from) {
        Value part = memref::LoadOp::create(b, rows.area.memory,
                                            getPlace(i, slice, from));
        sum = sum ? add(sum, part) : part;
      }
      joined.push_back(sum);
    }
  }
  return joined;
}

void ContractionKernel::storeSums(ValueRange sums) {
  TileBuilder builder(b, op, *forms, *views);
  auto getVector = [&](const StagedFactors &factors, LinearForm thread,
                       int64_t threads, LinearForm number) {
    return forms->add(b, forms->mul(b, factors.tile, factors.getVectors()),
                      getOwnVector(thread, threads, number));
  };
  for (auto [i, vectorOfSums] : llvm::enumerate(sums)) {
    LinearForm number =
        forms->add(b, forms->mul(b, slice, static_cast<int64_t>(sums.size())),
                   static_cast<int64_t>(i));
    auto [row, ofColumns] = forms->divide(b, number, block.columns / side);
    auto [ofRows, lane] = forms->divide(b, row, side);
    LinearForm rowVector = getVector(rows, threadRow, block.threadRows, ofRows);
    SmallVector<Value> lanes;
    for (int64_t column = 0; column < side; ++column)
      lanes.push_back(vector::ExtractOp::create(b, vectorOfSums, column));
    storeElements(
        builder, rows, forms->add(b, forms->mul(b, rowVector, side), lane),
        columns,
        getVector(columns, threadColumn, block.threadColumns, ofColumns),
        lanes);
  }
}

/// Determines which factors a thread loads at a time, and the layout of the
/// factors in workgroup memory.
void ContractionKernel::layOut(StagedFactors &factors) {
  bool isAcross = isAlongSteps(*factors.operand);
  factors.isChosen = isChosen(*factors.operand);
  factors.together = contraction.getTermsOfStep();
  if (tile.together != 0 && contraction.getTerms() % tile.together == 0) {
    factors.firstLoad = findFirstLoad(factors);
    if (factors.firstLoad)
      factors.together = tile.together;
  }
  StagedArea &area = factors.area;
  area.lines = tile.terms / factors.together;
  area.itemsOfLine = factors.getVectors();
  area.vectorsOfItem = factors.together;
  area.ofLine = factors.together * factors.getPitch();
  area.ofItem = 1;
  area.ofVector = factors.getPitch();
  area.ofBuffer = tile.terms * factors.getPitch();
  // The order of the items lets consecutive threads load factors that are
  // neighbours in their buffer, so that the loads coalesce.
  area.isAcrossLines = isAcross;
  area.storesLast = true;
}

void ContractionKernel::build() {
  buildLaunch(tile.rows, tile.columns, numThreads, rows, columns);
  auto vector = VectorType::get(side, contraction.sumType);
  if (tile.slices > 1) {
    // The partial sums that slices exchange use the memory of the factors.
    columns.area.first = tile.buffers * tile.terms * rows.getPitch();
    rows.area.memory = columns.area.memory =
        allocateInWorkgroup(b, getNumVectors(tile), vector);
  } else {
    for (StagedFactors *factors : {&rows, &columns})
      factors->area.memory = allocateInWorkgroup(
          b, tile.buffers * tile.terms * factors->getPitch(), vector);
  }
  for (StagedFactors *factors : {&rows, &columns})
    layOut(*factors);
  std::tie(slice, threadOfSlice) =
      forms->divide(b, forms->getThread(), numThreads / tile.slices);
  std::tie(threadRow, threadColumn) =
      forms->divide(b, threadOfSlice, block.threadColumns);
  SmallVector<Value> sums = buildSums();
  storeSums(tile.slices > 1 ? joinSlices(sums) : sums);
  op.erase();
}

std::string dml::findTileProblem(const Contraction &contraction,
                                 const ContractionTile &tile,
                                 const DeviceProfile &profile) {
  if (contraction.sums > 1)
    return "computes one sum of each element, but the element has " +
           std::to_string(contraction.sums);
  if (!ThreadBlock::get(tile))
    return "is no " + std::to_string(tile.threads) +
           " blocks of rows and columns that are multiples of " +
           std::to_string(ThreadBlock::side) + " and have at most " +
           std::to_string(ThreadBlock::maxSums) + " elements, in " +
           std::to_string(tile.slices) + " slices";
  if (tile.threads > profile.getMaxWorkgroupSize())
    return "has " + std::to_string(tile.threads) +
           " threads, but the device profile has " +
           std::to_string(profile.getMaxWorkgroupSize());
  // A tile must not have more terms than workgroup memory has bytes. The sizes
  // that are computed below then fit 64 bits.
  int64_t maxMemory = profile.getMaxWorkgroupMemory();
  if (tile.terms > maxMemory || tile.terms % contraction.getTermsOfStep())
    return "has " + std::to_string(tile.terms) +
           " terms, but a multiple of the " +
           std::to_string(contraction.getTermsOfStep()) +
           " of an iteration is wanted";
  if (tile.terms % tile.slices ||
      (tile.together > 0 && tile.terms % tile.together))
    return "has " + std::to_string(tile.terms) +
           " terms, but a multiple of its slices and of the terms that a "
           "thread loads together is wanted";
  int64_t bytes = getNumVectors(tile) * DeviceProfile::vectorBytes;
  if (bytes > maxMemory)
    return "takes " + std::to_string(bytes) +
           " bytes of workgroup memory, but the device profile has " +
           std::to_string(maxMemory);
  return "";
}

void dml::buildContractionKernel(linalg::GenericOp op,
                                 const Contraction &contraction,
                                 const ContractionTile &tile) {
  ContractionKernel(op, contraction, tile).build();
}
