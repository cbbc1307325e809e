//===- SlicedKernel.cpp - Sums that threads share out ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A sliced kernel is a kernel with split-K within a workgroup. If there are few
// sums with many terms, as in the product of a row and a matrix, one thread for
// each sum would not occupy the device. Each factor of the matrix is used only
// once, so that staging it in workgroup memory would gain nothing. In a sliced
// kernel, the terms of each sum are divided between several threads of a
// workgroup, which belong to different slices and load their factors directly.
// At the end, the partial sums are exchanged through workgroup memory and added
// up in a fixed order.
//
// All columns need the factors of the same row. If the columns are numbers of 4
// bits, a thread would load and widen more bytes of the row than of its
// columns: 64 bytes of f16 for 16 bytes. The threads of a workgroup therefore
// stage the row in workgroup memory, round by round, in f32. The words of the
// columns and the row's factors of the next round are loaded before the present
// round is computed (software pipelining).
//
//===----------------------------------------------------------------------===//

#include "Kernels/SlicedKernel.h"
#include "Emit/ContractionBuilder.h"
#include "Emit/Launch.h"
#include "Emit/LoadsAhead.h"
#include "Emit/Loops.h"
#include "Emit/QuantizedFactors.h"
#include "dml/Target/SumCosts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

/// The number of vectors of staged factors behind which one vector is left
/// free. Threads that read the same vector of neighbouring groups of 32 factors
/// then read different banks.
static constexpr int64_t vectorsOfPad = 8;

/// Returns the number of vectors in workgroup memory that staged factors take,
/// including the vectors that are left free.
static int64_t getStagedVectors(const SliceTile &tile) {
  int64_t vectors = tile.terms * tile.slices / ThreadBlock::side;
  return vectors + vectors / vectorsOfPad;
}

static int64_t getStagedBytes(const SliceTile &tile) {
  return getStagedVectors(tile) * DeviceProfile::vectorBytes;
}

/// The least number of quantized numbers in a word for which rows are staged.
/// The unpacking of 8 numbers of 4 bits takes longer than the transfer of their
/// word from memory, so that the row's factors must take little time.
static constexpr int64_t minPerStagedWord = 8;

/// Staging is faster if the two barriers of a round take less time than a
/// thread's own loads. On an H200, for example, the barriers take 180 cycles,
/// and four loads of 32 factors of f16 take 240. A barrier is slow on a
/// CPU, whose threads run in turn, and no load is saved there.
bool dml::isRowStaged(const Contraction &contraction, const SliceTile &tile,
                      int64_t numPerWord, const DeviceProfile &profile) {
  constexpr int64_t lanes = ThreadBlock::side;
  // The partial sums must fit in workgroup memory, too. Each sum of a thread
  // has a number for each thread, and one for each group of a plan.
  constexpr int64_t ofSums = 2 * DeviceProfile::workgroupSize * sizeof(float);
  int64_t ofStep = contraction.getTermsOfStep(),
          ofItem = std::max(lanes, ofStep);
  if (tile.rows != 1 || tile.times != 1 || numPerWord < minPerStagedWord ||
      ofItem % ofStep || ofItem % lanes || tile.terms % ofItem ||
      contraction.getTerms() % ofItem ||
      getStagedBytes(tile) + tile.columns * ofSums >
          DeviceProfile::workgroupMemory)
    return false;
  int64_t bits = 0;
  for (Operation *each : contraction.rows.slice)
    if (auto load = dyn_cast<memref::LoadOp>(each))
      bits = std::max<int64_t>(bits, load.getType().getIntOrFloatBitWidth());
  double loads =
      static_cast<double>(tile.terms * bits) / (8 * DeviceProfile::vectorBytes);
  const DeviceSpeed &speed = profile.getSpeed();
  return speed.runsInTurn == 0 &&
         2 * speed.barrierCycles < loads * speed.firstCacheCycles;
}

namespace {
/// A plan for adding up the partial sums of a workgroup, `rows` rows at a time.
/// If `groups` is not 0, there are two steps. The first step divides the
/// partial sums of each sum into `groups` groups, and adds up each group. The
/// second step adds up the totals of a sum's groups. For example, 8 sums have
/// 64 partial sums each. In two steps with 16 groups, 128 threads first add up
/// 4 partial sums each. In one step, only 8 threads would work, on 64 partial
/// sums each.
///
/// In workgroup memory, each sum of a thread has a line of partial sums, one
/// for each thread. The totals of the groups follow at the end of the line, so
/// that they do not overwrite partial sums that other threads may still read.
/// The partial sums of a line fill a multiple of 32 banks. If the totals are
/// fewer than 32, they make neighbouring lines begin in different banks.
struct JoinPlan {
  int64_t rows = 1, groups = 0;
};

class SlicedBuilder : ContractionBuilder {
public:
  SlicedBuilder(linalg::GenericOp op, const Contraction &contraction,
                const SliceTile &tile, const DeviceProfile &profile)
      : ContractionBuilder(op, contraction), tile(tile), profile(profile),
        outputs(tile.columns / contraction.sums),
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
  /// The iterations of the contraction's loop over terms that a thread computes
  /// in a round, with a condition for each: that the iteration exists. A
  /// condition is null if the iteration always exists.
  struct Iterations {
    SmallVector<LinearForm> steps;
    SmallVector<Value> conditions;
  };
  Iterations buildIterations(LinearForm round);
  /// Returns the index of the thread's group of columns, counted over all
  /// threads of all workgroups.
  LinearForm getColumn() {
    return forms->add(b, forms->mul(b, columns.tile, threadColumns),
                      threadColumn);
  }
  SmallVector<Value> addProducts(LinearForm round, ValueRange sums);
  using Word = QuantizedFactors::Word;
  SmallVector<Word> buildWords(ArrayRef<LinearForm> steps);
  SmallVector<Value> addQuantizedProducts(const Iterations &iterations,
                                          ArrayRef<Word> words,
                                          ValueRange sums);
  /// Returns the place of a staged vector in workgroup memory.
  LinearForm getStagedPlace(const LinearForm &vector) {
    return forms->add(b, vector, forms->divide(b, vector, vectorsOfPad).first);
  }
  void stageRow(LinearForm round);
  SmallVector<Value> loadStaged(int64_t first, int64_t count);
  SmallVector<Value> buildSums();
  int64_t getStoredLanes() const;
  int64_t getPitch(const JoinPlan &plan) const {
    return numThreads + plan.groups * threadColumns;
  }
  JoinPlan chooseJoinPlan() const;
  /// Runs `build` for each of `count` items, which are distributed to the
  /// threads.
  void shareOut(int64_t count, function_ref<void(LinearForm)> build) {
    forEachItem(b, *forms, {count, forms->getThread(), numThreads}, build);
  }
  /// Returns the thread's place in a line of partial sums.
  LinearForm getPlaceOfSums() {
    if (!isAlong)
      return forms->getThread();
    return forms->add(b, forms->mul(b, threadColumn, tile.slices), slice);
  }
  Value addUp(const LinearForm &first, int64_t count, int64_t apart);
  void joinRows(int64_t firstRow, int64_t numRows, const JoinPlan &plan,
                ValueRange sums);
  void joinSums(ValueRange sums);

  const SliceTile &tile;
  const DeviceProfile &profile;
  /// The number of columns of the output for which a thread has sums.
  const int64_t outputs;
  /// The number of threads of a slice, which have different columns.
  const int64_t threadColumns;
  /// A thread adds the terms of `neighbours` neighbouring iterations of the
  /// contraction's loop at a time. In a round, all slices together cover
  /// `stepsOfRound` iterations. `rounds` rounds cover all iterations.
  const int64_t neighbours, stepsOfRound, rounds;

  /// The index of the thread's slice, and the index of the thread's group of
  /// columns within the workgroup.
  LinearForm slice, threadColumn;
  /// Whether consecutive threads belong to different slices and load
  /// neighbouring terms of one column. Otherwise, consecutive threads have
  /// different columns. Set if neighbouring terms lie closer together in memory
  /// than neighbouring columns.
  bool isAlong = false;
  OperandTile rows, columns;
  /// The factors of the columns, if these are quantized numbers that a thread
  /// unpacks a word at a time.
  std::optional<QuantizedFactors> quantized;
  Value memory;
  /// The factors of the row in a round, in vectors of 4 numbers, if they are
  /// staged in workgroup memory.
  Value stagedRow;
};
} // namespace

/// Builds the operations `slice` of the body for the iterations `steps` of the
/// loop over terms, and for the `lanes` positions of vector `vector` of
/// `operand`. Element `lanes` * i + lane of the builder stands for iteration
/// `steps[i]` at position `lane`.
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

/// Returns the thread's iterations in `round`.
SlicedBuilder::Iterations SlicedBuilder::buildIterations(LinearForm round) {
  // In a round, the iterations are divided between the slices in runs of
  // `neighbours` iterations. Neighbouring slices thus take neighbouring terms.
  LinearForm first = forms->add(b, forms->mul(b, round, stepsOfRound),
                                forms->mul(b, slice, neighbours));
  // The last round may extend beyond the last iteration of the loop over terms.
  // In place of an iteration that does not exist, the kernel loads the factors
  // of one of the last iterations, and replaces these factors by 0. The
  // neighbouring iterations of a thread may either all exist or all not exist.
  // They are then replaced together, so that their factors remain neighbours in
  // memory and are loaded as vectors.
  int64_t together = contraction.steps % neighbours == 0 ? neighbours : 1;
  Iterations result;
  for (int64_t i = 0; i < neighbours * tile.times; ++i) {
    int64_t inside = i % together;
    LinearForm step = forms->add(
        b, first, i / neighbours * neighbours * tile.slices + i % neighbours);
    Value isStep;
    if (contraction.steps % stepsOfRound) {
      step = forms->sub(b, step, inside);
      isStep = inside ? result.conditions.back()
                      : arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                              forms->materialize(b, step),
                                              constant(contraction.steps))
                            .getResult();
      step = forms->divide(b, step, together).first;
      step = forms->min(b, step, contraction.steps / together - 1);
      step = forms->add(b, forms->mul(b, step, together), inside);
    }
    result.steps.push_back(step);
    result.conditions.push_back(isStep);
  }
  return result;
}

/// Adds the products of the thread's terms in `round` to `sums`, the thread's
/// partial sums in row-major order.
SmallVector<Value> SlicedBuilder::addProducts(LinearForm round,
                                              ValueRange sums) {
  Iterations iterations = buildIterations(round);
  ArrayRef<LinearForm> steps = iterations.steps;
  ArrayRef<Value> counts = iterations.conditions;
  if (quantized) {
    // All words are loaded first, so that their loads are in flight together.
    SmallVector<Word> words = buildWords(iterations.steps);
    if (!words.empty() &&
        isRowStaged(contraction, tile, quantized->getNumPerWord(), profile))
      stageRow(round);
    if (!words.empty())
      return addQuantizedProducts(iterations, words, sums);
  }
  TileBuilder ofRows(b, op, *forms, *views), ofColumns(b, op, *forms, *views);
  buildFactors(ofColumns, contraction.columns, contraction.columns.slice,
               getColumn(), outputs, steps);
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
        ArrayRef<Value> ofTerm = ArrayRef(operand.factors).drop_front(term);
        for (int64_t lane = 0; lane < lanes; ++lane)
          for (size_t sum = 0; sum < ofTerm.size();
               sum += contraction.getTermsOfStep()) {
            Value factor = builder.getBuilt(i * lanes + lane, ofTerm[sum]);
            if (condition)
              factor = arith::SelectOp::create(b, condition, factor, zero);
            factors.push_back(factor);
          }
        return factors;
      };
      SmallVector<Value> columnFactors =
          getFactors(ofColumns, contraction.columns, outputs);
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

/// Builds the words of quantized factors of the columns, for the iterations
/// `steps` of the loop over terms. For each group of terms that fill a word,
/// there is one word for each sum of each of the thread's columns. Returns no
/// words if the terms of the thread's neighbouring iterations do not fill
/// words, or if terms of one word have different scales or zero points.
SmallVector<QuantizedFactors::Word>
SlicedBuilder::buildWords(ArrayRef<LinearForm> steps) {
  int64_t ofStep = contraction.getTermsOfStep(),
          perWord = quantized->getNumPerWord(),
          terms = static_cast<int64_t>(steps.size()) * ofStep;
  if (neighbours * ofStep % perWord)
    return {};
  TileBuilder builder(b, op, *forms, *views);
  buildFactors(builder, contraction.columns, quantized->getSlice(), getColumn(),
               outputs, steps);
  SmallVector<Word> words;
  for (int64_t first = 0; first < terms; first += perWord)
    for (int64_t sum = 0; sum < tile.columns; ++sum) {
      int64_t lane = sum / contraction.sums, ofLane = sum % contraction.sums;
      SmallVector<BuiltFactor> numbers;
      for (int64_t term = first; term < first + perWord; ++term)
        numbers.push_back(
            {term / ofStep * outputs + lane, ofLane * ofStep + term % ofStep});
      std::optional<Word> word = quantized->buildWord(builder, numbers);
      if (!word)
        return {};
      words.push_back(*word);
    }
  return words;
}

/// Stages the factors of the row in `round`: the threads of the workgroup share
/// the factors out, load and widen them, and store them in workgroup memory.
/// The last round may extend beyond the last term. Zeros take the places of
/// factors that do not exist.
void SlicedBuilder::stageRow(LinearForm round) {
  constexpr int64_t lanes = ThreadBlock::side;
  int64_t ofStep = contraction.getTermsOfStep(),
          ofItem = std::max(lanes, ofStep), stepsOfItem = ofItem / ofStep,
          itemsOfRound = stepsOfRound / stepsOfItem,
          numItems = contraction.steps / stepsOfItem;
  VectorType type = VectorType::get(lanes, contraction.sumType);
  if (!stagedRow) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&launch.getBody().front());
    stagedRow = allocateInWorkgroup(b, getStagedVectors(tile), type);
  }
  shareOut(itemsOfRound, [&](const LinearForm &ofRound) {
    LinearForm item =
        forms->add(b, forms->mul(b, round, itemsOfRound), ofRound);
    Value exists;
    if (numItems % itemsOfRound) {
      exists = buildIsBelow(b, *forms, item, numItems);
      item = forms->min(b, item, numItems - 1);
    }
    SmallVector<LinearForm> steps;
    for (int64_t i = 0; i < stepsOfItem; ++i)
      steps.push_back(forms->add(b, forms->mul(b, item, stepsOfItem), i));
    TileBuilder builder(b, op, *forms, *views);
    buildFactors(builder, contraction.rows, contraction.rows.slice, rows.tile,
                 /*lanes=*/1, steps);
    SmallVector<Value> factors;
    for (int64_t term = 0; term < ofItem; ++term) {
      Value factor = builder.getBuilt(term / ofStep,
                                      contraction.rows.factors[term % ofStep]);
      if (exists)
        factor = arith::SelectOp::create(b, exists, factor, getZero());
      factors.push_back(factor);
    }
    for (int64_t first = 0; first < ofItem; first += lanes) {
      Value vector = vector::FromElementsOp::create(
          b, type, ArrayRef(factors).slice(first, lanes));
      LinearForm place = getStagedPlace(
          forms->add(b, forms->mul(b, ofRound, ofItem / lanes), first / lanes));
      memref::StoreOp::create(b, vector, stagedRow,
                              forms->materialize(b, place));
    }
  });
  gpu::BarrierOp::create(b);
}

/// Returns `count` staged factors, from the thread's term `first` in the round
/// on.
SmallVector<Value> SlicedBuilder::loadStaged(int64_t first, int64_t count) {
  constexpr int64_t lanes = ThreadBlock::side;
  LinearForm vector =
      forms->add(b, forms->mul(b, slice, tile.terms / lanes), first / lanes);
  SmallVector<Value> factors;
  for (int64_t i = 0; i < count / lanes; ++i) {
    LinearForm place = getStagedPlace(forms->add(b, vector, i));
    Value loaded =
        memref::LoadOp::create(b, stagedRow, forms->materialize(b, place));
    for (int64_t lane = 0; lane < lanes; ++lane)
      factors.push_back(vector::ExtractOp::create(b, loaded, lane));
  }
  return factors;
}

/// Adds the products of the quantized columns in `iterations` of the loop over
/// terms to `sums`. `words` has the quantized numbers of these iterations.
SmallVector<Value>
SlicedBuilder::addQuantizedProducts(const Iterations &iterations,
                                    ArrayRef<Word> words, ValueRange sums) {
  int64_t ofStep = contraction.getTermsOfStep(),
          perWord = quantized->getNumPerWord();
  SmallVector<Value> next(sums);
  Value zero = getZero();
  ArrayRef<Word> left = words;
  for (int64_t first = 0; !left.empty(); first += perWord) {
    // `steps` are the iterations that have a term in the word.
    int64_t begin = first / ofStep,
            end = llvm::divideCeilSigned(first + perWord, ofStep);
    ArrayRef<LinearForm> steps =
        ArrayRef(iterations.steps).slice(begin, end - begin);
    Value condition = iterations.conditions[begin];
    TileBuilder ofRows(b, op, *forms, *views);
    SmallVector<Value> staged;
    if (stagedRow)
      staged = loadStaged(first, perWord);
    else
      buildFactors(ofRows, contraction.rows, contraction.rows.slice, rows.tile,
                   tile.rows, steps);
    SmallVector<SmallVector<Value>> factors;
    for (Word word : left.take_front(tile.columns)) {
      if (condition)
        word.scale =
            arith::SelectOp::create(b, condition, word.scale,
                                    ofRows.getShared().getConstant(
                                        b.getZeroAttr(word.scale.getType())));
      factors.push_back(quantized->buildFactors(b, word));
    }
    left = left.drop_front(tile.columns);
    for (int64_t term = 0; term < perWord; ++term) {
      int64_t step = (first + term) / ofStep - begin;
      auto *sum = next.begin();
      for (int64_t row = 0; row < tile.rows; ++row) {
        Value factor =
            stagedRow ? staged[term]
                      : ofRows.getBuilt(
                            step * tile.rows + row,
                            contraction.rows.factors[(first + term) % ofStep]);
        if (condition && !stagedRow)
          factor = arith::SelectOp::create(b, condition, factor, zero);
        for (ArrayRef<Value> ofColumn : factors) {
          *sum = addProduct(factor, ofColumn[term], *sum);
          ++sum;
        }
      }
    }
  }
  return next;
}

/// Builds the thread's partial sums.
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
  int64_t lanes = outputs;
  while (lanes > ThreadBlock::side || outputs % lanes || lanes == 3)
    --lanes;
  return lanes;
}

/// Returns the plan for adding up partial sums that has the lowest cost and
/// fits workgroup memory. The cost is the number of loads of a thread, where a
/// barrier counts as cost::sliced::loadsOfBarrier loads.
JoinPlan SlicedBuilder::chooseJoinPlan() const {
  constexpr int64_t bytes = 4;
  int64_t lanes = getStoredLanes() * contraction.sums,
          most = DeviceProfile::workgroupMemory -
                 (stagedRow ? getStagedBytes(tile) : 0);
  auto getRounds = [](int64_t items) {
    return llvm::divideCeilSigned(items, numThreads);
  };
  JoinPlan best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t passes = 1; passes <= tile.rows; ++passes)
    for (int64_t groups = 0; groups < tile.slices;
         groups = std::max<int64_t>(2 * groups, 1)) {
      JoinPlan plan{llvm::divideCeilSigned(tile.rows, passes), groups};
      int64_t sums = plan.rows * tile.columns;
      if (sums * getPitch(plan) * bytes > most)
        continue;
      int64_t loads = getRounds(sums / lanes * threadColumns) * lanes *
                      (groups > 0 ? groups : tile.slices);
      if (groups > 0)
        loads +=
            getRounds(sums * groups * threadColumns) * tile.slices / groups;
      int64_t barriers = groups > 0 ? 3 : 2;
      int64_t cost = passes * (loads + barriers * cost::sliced::loadsOfBarrier);
      if (cost >= least)
        continue;
      least = cost;
      best = plan;
    }
  return best;
}

/// Builds the sum of `count` numbers in workgroup memory. The first number lies
/// at index `first`, and neighbouring numbers are `apart` indices apart.
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

/// Adds up the partial sums of some rows, and stores the elements of these rows
/// in the output.
void SlicedBuilder::joinRows(int64_t firstRow, int64_t numRows,
                             const JoinPlan &plan, ValueRange sums) {
  int64_t numSums = numRows * tile.columns, pitch = getPitch(plan);
  // Each thread has `numSums` partial sums. The i-th partial sums of all
  // threads form line i in workgroup memory. If isAlong is set, neighbours in a
  // line are parts of the same sum. Otherwise they belong to neighbouring
  // columns.
  for (int64_t i = 0; i < numSums; ++i)
    memref::StoreOp::create(
        b, sums[firstRow * tile.columns + i], memory,
        forms->materialize(b, forms->add(b, getPlaceOfSums(), i * pitch)));
  gpu::BarrierOp::create(b);

  // Distances in a line of workgroup memory: `ofPart` between the partial sums
  // of one sum, and `ofColumn` between the first partial sums of neighbouring
  // columns.
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

  // Each item is a vector of `lanes` neighbouring columns, which is stored at
  // once.
  int64_t lanes = getStoredLanes(), sumsOfVector = lanes * contraction.sums;
  int64_t vectors = outputs / lanes;
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
    for (int64_t ofVector = 0; ofVector < sumsOfVector; ++ofVector) {
      LinearForm sum = forms->add(
          b, forms->mul(b, row, tile.columns),
          forms->add(b, forms->mul(b, vector, sumsOfVector), ofVector));
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

/// Adds up the partial sums of all rows, a few rows at a time.
void SlicedBuilder::joinSums(ValueRange sums) {
  JoinPlan plan = chooseJoinPlan();
  memory = allocateInWorkgroup(b, plan.rows * tile.columns * getPitch(plan),
                               contraction.sumType);
  for (int64_t row = 0; row < tile.rows; row += plan.rows) {
    // The barrier lets all threads load the partial sums of the preceding rows
    // before new partial sums overwrite them.
    if (row > 0)
      gpu::BarrierOp::create(b);
    joinRows(row, std::min(plan.rows, tile.rows - row), plan, sums);
  }
}

void SlicedBuilder::build() {
  buildLaunch(tile.rows, outputs * threadColumns, numThreads, rows, columns);
  // If neighbouring terms of a column are neighbours in memory, consecutive
  // threads take neighbouring terms. Otherwise, they take neighbouring columns.
  // The loads of consecutive threads then coalesce.
  isAlong = isAlongSteps(contraction.columns);
  if (isAlong && llvm::none_of(contraction.conditions,
                               [](Value condition) { return condition; }))
    quantized = QuantizedFactors::match(contraction.columns);
  if (isAlong && tile.together > 0) {
    // Groups of `together` consecutive threads have the same columns. A
    // subgroup thus has threads of several columns, which load the same factors
    // of the rows.
    auto [rest, inner] = forms->divide(b, forms->getThread(), tile.together);
    LinearForm outer;
    std::tie(outer, threadColumn) = forms->divide(b, rest, threadColumns);
    slice = forms->add(b, forms->mul(b, outer, tile.together), inner);
  } else if (isAlong)
    std::tie(threadColumn, slice) =
        forms->divide(b, forms->getThread(), tile.slices);
  else
    std::tie(slice, threadColumn) =
        forms->divide(b, forms->getThread(), threadColumns);
  SmallVector<Value> sums = buildSums();
  joinSums(sums);
  auto loop = sums.front().getDefiningOp<scf::ForOp>();
  if (loop && stagedRow)
    loadIterationAhead(loop);
  op.erase();
}

/// The largest number of terms over which a thread's code is unrolled.
static constexpr int64_t maxSliceTerms = 128;

std::string dml::findTileProblem(const Contraction &contraction,
                                 const SliceTile &tile) {
  constexpr int64_t threads = DeviceProfile::workgroupSize;
  if (tile.slices < 2 || tile.slices > threads || threads % tile.slices)
    return "has " + std::to_string(tile.slices) + " slices, but a divisor of " +
           std::to_string(threads) + " from 2 on is wanted";
  if (tile.together > 0 && tile.slices % tile.together)
    return "has " + std::to_string(tile.together) +
           " threads together, but a divisor of its " +
           std::to_string(tile.slices) + " slices is wanted";
  if (tile.columns % contraction.sums)
    return "has " + std::to_string(tile.columns) +
           " columns, but a multiple of the " +
           std::to_string(contraction.sums) + " sums of an element is wanted";
  if (tile.rows > ThreadBlock::maxSums || tile.columns > ThreadBlock::maxSums ||
      tile.rows * tile.columns > ThreadBlock::maxSums)
    return "has more than " + std::to_string(ThreadBlock::maxSums) +
           " sums for a thread";
  // The partial sums of at least one row, `columns` for each thread, must fit
  // into workgroup memory.
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
                            const SliceTile &tile,
                            const DeviceProfile &profile) {
  SlicedBuilder(op, contraction, tile, profile).build();
}
