//===- MatrixAttentionKernel.cpp - Attention by matrices ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// As in AttentionKernel.cpp, a workgroup computes all columns of the outputs of
// some queries, and iterates over the keys in blocks. Its subgroups multiply
// cooperative matrices: queries with the keys of a block to compute scores, and
// weights in f16 with values to compute outputs. A subgroup processes as many
// queries as it has threads, and computes their scores and outputs without the
// other subgroups. The subgroups therefore only wait for each other where keys
// and values are staged.
//
// Devices do not specify which thread holds which element of a matrix. Scores
// are therefore exchanged through workgroup memory: each thread loads the
// scores of its query, computes weights from them, and stores the weights,
// which are half as wide, in place of the scores. The subgroup then loads the
// weights as matrices. While the threads compute the weights of one block, the
// matrix units multiply the keys of the next block, since the two computations
// are independent.
//
// The outputs stay in matrices from block to block, since scaling them for each
// query requires workgroup memory. To scale rarely, the kernel computes weights
// as exponentials of the scores minus a reference, which changes only if
// necessary. The reference is 5.55, the logarithm of 256, below the largest
// score of the query's first block, whose weight is thus 256. For example, two
// blocks have the scores 3 and 5 and the values 10 and 20. The weights are 256
// and 256 e^2 = 1892. The sum of the products of weights and values, 40392,
// divided by the sum of the weights, 2148, is the output, 18.8. If the weight
// of a score may exceed the range of f16, the query gets a new reference, and
// its subgroup scales the outputs and sums. A weight that is a denormal in f16
// is less than 2^-22 of the largest weight; docs/Reference.md describes the
// error that this permits.
//
// A causal mask or the length of a cache may hide the last keys from a query.
// The loop over the blocks of keys then ends with the last block in which a
// query of the workgroup sees a key. Values of later keys count as 0. A block
// may have keys that only some queries of the workgroup see. The weight of such
// a key is 0 for the other queries, but the product of 0 and an infinite or NaN
// value would be NaN. The kernel therefore replaces infinite and NaN values of
// such a block by 0 and marks them. At the end, the kernel adds the replaced
// values to the outputs of the queries that see them.
//
// A graph whose tensors are f16 rounds weights to f16 after the division by
// their sum. The sum is known only after the last key. The kernel then iterates
// over the keys twice: the first pass finds each query's largest score and the
// sum of its exponentials, and the second pass computes the same scores again,
// and from them the weights. Multiplying keys twice takes less time than
// writing all scores to memory and reading them, twice as well.
//
//===----------------------------------------------------------------------===//

#include "Kernels/MatrixAttentionKernel.h"
#include "Emit/Launch.h"
#include "Emit/Softmax.h"
#include "Kernels/MatrixKernel.h"
#include "Kernels/SeenKeys.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace dml;

/// The distance of a reference from the largest score of its query, when the
/// reference is set: the logarithm of 256. The reference is the number that is
/// subtracted from scores before the exponential. The weight of the largest
/// score is thus 256 instead of 1. Smaller weights, down to 2^-22 of the
/// largest one, are then normal numbers in f16, and 256 leaves room for later
/// scores that are larger.
static const double belowLargest = 8 * std::log(2.0);

/// The largest distance of a score above the reference, the number that is
/// subtracted from the score. The score's weight is then exp(10.54) = 37,798.
/// This is below the largest number of f16, 65,504 or exp(11.09), with a
/// margin.
static constexpr double mostAbove = 10.54;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Returns how many columns of a query's outputs are in workgroup memory at a
/// time, if each query has `vectors` vectors of memory. The outputs are stored
/// as matrices of `ofMatrix` columns. The result is therefore the largest
/// multiple of `ofMatrix`, up to `columns`, that fits.
static int64_t getColumnsTogether(int64_t columns, int64_t ofMatrix,
                                  int64_t vectors) {
  while (columns > ofMatrix && getLinePitch(columns, wordsOfVector) > vectors)
    columns -= ofMatrix;
  return columns;
}

std::string MatrixAttentionLayout::get(const Attention &attention,
                                       const MatrixAttentionTile &tile,
                                       const DeviceProfile &profile,
                                       MatrixAttentionLayout &layout) {
  if (!attention.isRoundable && !attention.isRounded)
    return "wants weights that may be rounded to f16";
  if (attention.isRounded && attention.isSeen)
    return "wants scores of which none is hidden, where weights are rounded "
           "to f16";
  std::string problem =
      AttentionMatrices::get(attention, tile.shape, profile, layout);
  if (!problem.empty())
    return problem;
  const MatrixShape &shape = layout.shape;
  layout.subgroupSize = profile.getSubgroupSize();
  if (layout.subgroupSize == 0 || layout.subgroupSize % shape.rows ||
      tile.queries % layout.subgroupSize ||
      tile.queries > profile.getMaxWorkgroupSize())
    return "has " + std::to_string(tile.queries) +
           " queries, but as many are wanted as threads of whole subgroups, "
           "which are whole matrices";
  problem = layout.findProblemOfBlocks(tile.keys, profile);
  if (!problem.empty())
    return problem;
  layout.scoresPitch = getLinePitch(tile.keys, wordsOfVector);
  layout.stageVectors = tile.keys * (layout.termsPitch + layout.valuesPitch);
  layout.scoreVectors = tile.queries * layout.scoresPitch;
  // The queries are staged at the beginning, before scores and keys need the
  // same memory.
  layout.vectors =
      std::max(layout.scoreVectors + tile.stages * layout.stageVectors,
               tile.queries * layout.termsPitch);
  layout.scaledColumns =
      getColumnsTogether(layout.columns, shape.columns, layout.scoresPitch);
  layout.storedColumns = getColumnsTogether(layout.columns, shape.columns,
                                            layout.vectors / tile.queries);
  return findMemoryProblem(layout.vectors * DeviceProfile::vectorBytes,
                           profile);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
class MatrixAttentionBuilder : AttentionMatrixBuilder {
public:
  MatrixAttentionBuilder(linalg::GenericOp op, const Attention &attention,
                         const MatrixAttentionTile &tile,
                         const MatrixAttentionLayout &layout)
      : AttentionMatrixBuilder(op, attention, layout, /*threads=*/tile.queries,
                               tile.queries, tile.keys),
        tile(tile), layout(layout),
        rowMatrices(layout.subgroupSize / shape.rows) {}

  void build();

private:
  /// The values that the loop carries from block to block. `outputs` are the
  /// matrices of outputs in row-major order. `reference` is the number that is
  /// subtracted from the scores of the thread's query before the exponential,
  /// and `total` is the sum of the query's weights. `sums` are the matrices
  /// from which this block's scores are computed; the preceding iteration has
  /// computed them. `next` are vectors that have been loaded but not yet stored
  /// in workgroup memory: the keys of the next block and the values of this
  /// block. `marks` holds the vector of marks that hideNonFinite() has set so
  /// far, or nothing if all queries see all keys.
  struct State {
    SmallVector<Value> outputs;
    Value reference, total;
    SmallVector<Value> marks, sums, next;

    SmallVector<Value> get() const {
      SmallVector<Value> all(outputs);
      all.append({reference, total});
      llvm::append_range(all, marks);
      llvm::append_range(all, sums);
      llvm::append_range(all, next);
      return all;
    }
  };
  /// Splits the carried values `all`, of which the first `numOutputs` are
  /// matrices of outputs.
  State getState(ValueRange all, size_t numOutputs) const {
    State state;
    auto take = [&](size_t count) {
      auto taken = llvm::to_vector_of<Value>(all.take_front(count));
      all = all.drop_front(count);
      return taken;
    };
    state.outputs = take(numOutputs);
    state.reference = take(1).front();
    state.total = take(1).front();
    state.marks = take(attention.isSeen ? 1 : 0);
    state.sums = take(getNumSums());
    state.next = take(all.size());
    return state;
  }

  Value buildLastSeen(const Forms &coordinatesOfQuery);
  Value combineThreads(Value own,
                       llvm::function_ref<Value(Value, Value)> combineTwo);
  void findSeenKeys();
  SmallVector<Value> loadQueries();
  SmallVector<Value> multiplyKeys(LinearForm stage);
  void storeSums(ValueRange sums);
  SmallVector<Value> buildScores(LinearForm keyBlock);
  void setReference(State &state, Value largest, Value isFirst);
  /// Returns `total`, a sum of weights, or NaN if it is 0: the softmax of
  /// scores that are all -infinity is undefined, and becomes NaN.
  Value replaceZero(Value total) {
    Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, total,
                                         constantOf(0));
    Value nan = constantOf(std::numeric_limits<double>::quiet_NaN());
    return arith::SelectOp::create(b, isNone, nan, total);
  }
  SmallVector<Value> addWeights(State &state, ValueRange scores);
  SmallVector<Value> getRoundedWeights(const State &state, ValueRange scores);
  void storeWeights(ValueRange weights);
  SmallVector<Value> hideNonFinite(State &state, LinearForm keyBlock,
                                   ValueRange vectors);
  void addValues(State &state, LinearForm stage);
  LinearForm openStage(LinearForm keyBlock);
  SmallVector<Value> beginBlock(LinearForm keyBlock, LinearForm stage,
                                State &state, bool stagesValues);
  State buildBlock(LinearForm keyBlock, State state);
  State buildTotals(LinearForm keyBlock, State state);
  SmallVector<Value> beginPass(bool stagesValues, State &state);
  void findTotals(State &state);
  SmallVector<Value> addNonFinite(LinearForm number, LinearForm vector,
                                  ValueRange elements);
  void storeQuotients(LinearForm number, LinearForm vector, int64_t pitch,
                      int64_t firstColumn);
  void storeOutputs(const State &state);

  size_t getNumOutputs() const {
    return rowMatrices * (layout.columns / shape.columns);
  }
  /// Returns the number of blocks of keys, of which the last may lack keys.
  int64_t getBlocks() const {
    return llvm::divideCeilSigned(attention.keys, tile.keys);
  }
  size_t getNumSums() const {
    return rowMatrices * (tile.keys / shape.columns);
  }
  Value max(Value lhs, Value rhs) { return buildLarger(b, lhs, rhs); }
  Value getLargest(ValueRange scores);
  /// Returns the position in workgroup memory at which row `row` of the
  /// subgroup's matrices of scores, weights or outputs begins. A line holds the
  /// numbers of one query, and neighbouring lines lie `pitch` vectors apart.
  LinearForm getRowOfMatrices(int64_t row, int64_t pitch) {
    return forms->mul(b,
                      forms->add(b,
                                 forms->mul(b, subgroup, layout.subgroupSize),
                                 row * shape.rows),
                      pitch);
  }

  const MatrixAttentionTile &tile;
  const MatrixAttentionLayout &layout;
  /// The number of matrices that are needed, one below the other, for all
  /// queries of a subgroup.
  const int64_t rowMatrices;

  /// The index of the subgroup, the index of the thread's query within the
  /// workgroup, and the coordinates of this query.
  LinearForm subgroup, query;
  Forms coordinates;
  /// The last keys that queries see. A query sees all keys up to its last one.
  /// `ofQuery` is the last key that the thread's query sees, `ofAny` the last
  /// key that at least one query of the workgroup sees, and `ofAll` the last
  /// key that all queries of the workgroup see.
  struct SeenKeys {
    Value ofQuery, ofAny, ofAll;
  };
  /// Nothing if all queries see all keys.
  std::optional<SeenKeys> seen;
  /// The condition that hideNonFinite() has replaced a value in some thread of
  /// the workgroup. Null if all queries see all keys.
  Value isNonFinite;
  std::optional<Lines> keys, values;
  /// The matrices of the subgroup's queries, in row-major order. For 64 terms
  /// and matrices of 16 terms, each row of matrices has four matrices.
  SmallVector<Value> queries;
};
} // namespace

//===----------------------------------------------------------------------===//
// Seen keys
//===----------------------------------------------------------------------===//

/// Builds the index of the last key that a query sees.
Value MatrixAttentionBuilder::buildLastSeen(const Forms &coordinatesOfQuery) {
  TileBuilder builder(b, op, *forms, *views);
  return dml::buildLastSeen(b, builder, attention, coordinatesOfQuery);
}

/// Combines the vectors `own` of all threads through workgroup memory, which
/// must not be in use. All threads receive the same vector.
Value MatrixAttentionBuilder::combineThreads(
    Value own, llvm::function_ref<Value(Value, Value)> combineTwo) {
  memref::StoreOp::create(b, own, memory,
                          forms->materialize(b, forms->getThread()));
  gpu::BarrierOp::create(b);
  SmallVector<Value> all = buildLoop(
      b, *forms, {0, tile.queries}, Counter::InOrder, own,
      [&](LinearForm thread, ValueRange carried) -> SmallVector<Value> {
        Value other =
            memref::LoadOp::create(b, memory, forms->materialize(b, thread));
        return {combineTwo(carried.front(), other)};
      });
  gpu::BarrierOp::create(b);
  return all.front();
}

/// Sets `seen` if keys are hidden from queries.
void MatrixAttentionBuilder::findSeenKeys() {
  if (!attention.isSeen)
    return;
  Value last = buildLastSeen(coordinates);
  // Threads can exchange their largest number. The smallest number follows from
  // the complements of all numbers: its complement is the largest of them.
  Type i32 = b.getI32Type();
  Value number = arith::IndexCastUIOp::create(b, i32, last),
        ones = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1)),
        complement = arith::XOrIOp::create(b, number, ones);
  Value bounds = combineThreads(
      vector::FromElementsOp::create(
          b, VectorType::get(wordsOfVector, i32),
          SmallVector<Value>{number, complement, number, complement}),
      [&](Value lhs, Value rhs) {
        return arith::MaxUIOp::create(b, lhs, rhs).getResult();
      });
  auto toKey = [&](Value bound) {
    return arith::MinUIOp::create(
               b, arith::IndexCastUIOp::create(b, b.getIndexType(), bound),
               constant(attention.keys - 1))
        .getResult();
  };
  Value largest = vector::ExtractOp::create(b, bounds, 0),
        smallest = arith::XOrIOp::create(
            b, vector::ExtractOp::create(b, bounds, 1), ones);
  seen = {last, toKey(largest), toKey(smallest)};
  lastSeen = seen->ofAny;
}

//===----------------------------------------------------------------------===//
// To workgroup memory
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// Stages the workgroup's queries, and loads the matrices of the subgroup's
/// queries.
SmallVector<Value> MatrixAttentionBuilder::loadQueries() {
  Lines lines = getQueryLines(/*first=*/0);
  store(lines, 0, load(lines, 0));
  gpu::BarrierOp::create(b);
  SmallVector<Value> matrices;
  gpu::MMAMatrixType type = getRowType();
  for (int64_t row = 0; row < rowMatrices; ++row)
    for (int64_t term = 0; term < layout.terms; term += shape.terms)
      matrices.push_back(loadMatrix(
          type,
          forms->add(b, getRowOfMatrices(row, layout.termsPitch), term / lanes),
          layout.termsPitch));
  // The barrier lets all subgroups load their queries before keys and scores
  // overwrite them in workgroup memory.
  gpu::BarrierOp::create(b);
  return matrices;
}

/// Multiplies the queries with the keys in stage `stage`, and returns the sums
/// of products as matrices in column-major order.
SmallVector<Value> MatrixAttentionBuilder::multiplyKeys(LinearForm stage) {
  int64_t termMatrices = layout.terms / shape.terms;
  gpu::MMAMatrixType type = getColumnType();
  Value zero = getZeroSums();
  SmallVector<Value> all;
  for (int64_t key = 0; key < tile.keys; key += shape.columns) {
    SmallVector<Value> sums(rowMatrices, zero);
    LinearForm line = forms->add(b, forms->mul(b, stage, layout.stageVectors),
                                 key * layout.termsPitch + keys->area.first);
    for (int64_t term = 0; term < termMatrices; ++term) {
      Value ofKeys =
          loadMatrix(type, forms->add(b, line, term * (shape.terms / lanes)),
                     layout.termsPitch, /*isTransposed=*/true);
      for (auto [row, sum] : llvm::enumerate(sums))
        sum = multiply(queries[row * termMatrices + term], ofKeys, sum);
    }
    llvm::append_range(all, sums);
  }
  return all;
}

/// Stores in workgroup memory the sums that multiplyKeys() has returned.
void MatrixAttentionBuilder::storeSums(ValueRange sums) {
  for (auto [i, sum] : llvm::enumerate(sums)) {
    auto number = static_cast<int64_t>(i);
    storeMatrix(
        sum,
        forms->add(b,
                   getRowOfMatrices(number % rowMatrices, layout.scoresPitch),
                   number / rowMatrices * (shape.columns / wordsOfVector)),
        layout.scoresPitch);
  }
}

/// Computes the scores of the thread's query from the sums in workgroup memory.
/// The scores of keys that are missing or hidden from the query are -infinity.
SmallVector<Value> MatrixAttentionBuilder::buildScores(LinearForm keyBlock) {
  LinearForm line = forms->mul(b, query, layout.scoresPitch);
  LinearForm firstKey = forms->mul(b, keyBlock, tile.keys);
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Value> areThere;
  for (int64_t key = 0; key < tile.keys; key += wordsOfVector) {
    Value sums = loadNumbers(forms->add(b, line, key / wordsOfVector));
    for (int64_t lane = 0; lane < wordsOfVector; ++lane) {
      LinearForm number = forms->add(b, firstKey, key + lane);
      areThere.push_back(
          seen ? buildIsUpTo(number, seen->ofQuery)
               : buildCount(number, attention.keys - 1, getLastOfBlocks()));
      builder.bind(key + lane, attention.key,
                   forms->min(b, number, attention.keys - 1));
      builder.bind(key + lane, attention.sum,
                   Value(vector::ExtractOp::create(b, sums, lane)));
    }
  }
  builder.buildSlice(attention.scoreSlice,
                     SmallVector<Forms>(tile.keys, coordinates));
  Value none = constantOf(-std::numeric_limits<double>::infinity());
  SmallVector<Value> scores;
  for (auto [key, isThere] : llvm::enumerate(areThere)) {
    scores.push_back(builder.getBuilt(key, attention.score));
    if (isThere)
      scores.back() = arith::SelectOp::create(b, isThere, scores.back(), none);
  }
  return scores;
}

/// Combines `values` pairwise, like a binary tree.
static Value combine(ValueRange values,
                     llvm::function_ref<Value(Value, Value)> combineTwo) {
  if (values.size() == 1)
    return values.front();
  size_t half = values.size() / 2;
  Value lhs = combine(values.take_front(half), combineTwo);
  return combineTwo(lhs, combine(values.drop_front(half), combineTwo));
}

Value MatrixAttentionBuilder::getLargest(ValueRange scores) {
  return combine(scores, [&](Value lhs, Value rhs) { return max(lhs, rhs); });
}

/// Updates the reference of the thread's query. The reference is the number
/// that is subtracted from scores before the exponential. (Online softmax
/// commonly subtracts the largest score so far.) The first block of keys sets
/// the reference. A later block changes it only if a weight would exceed the
/// range of f16, and then rescales the query's outputs and the sum of its
/// weights. `largest` is the query's largest score in this block.
void MatrixAttentionBuilder::setReference(State &state, Value largest,
                                          Value isFirst) {
  // If all scores are -infinity, the lowest finite number takes the place of
  // the largest score, since -infinity minus -infinity would be NaN.
  Value lowest = constantOf(-std::numeric_limits<float>::max());
  Value isNone =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, largest, lowest);
  Value own = sub(arith::SelectOp::create(b, isNone, lowest, largest),
                  constantOf(belowLargest));
  Value before = arith::SelectOp::create(b, isFirst, own, state.reference);
  Value leaves =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, sub(largest, before),
                            constantOf(mostAbove));
  Value any = spirv::GroupNonUniformAnyOp::create(
      b, b.getI1Type(), spirv::Scope::Subgroup, leaves);
  SmallVector<Type> types(state.outputs.size(), getSumsType());
  types.append({b.getF32Type(), b.getF32Type()});
  auto choice = scf::IfOp::create(b, types, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  SmallVector<Value> kept(state.outputs);
  kept.append({before, state.total});
  scf::YieldOp::create(b, kept);

  b.setInsertionPointToStart(choice.thenBlock());
  IndexForms::Scope scope(*forms);
  // All threads of the subgroup run this code if the reference of one of their
  // queries must change. The references of the other queries stay, and their
  // outputs are multiplied by 1, which is exact.
  Value reference = arith::SelectOp::create(b, leaves, own, before);
  Value factor = arith::SelectOp::create(
      b, leaves, math::ExpOp::create(b, sub(before, own)), constantOf(1));
  Value factors = vector::BroadcastOp::create(
      b, VectorType::get(wordsOfVector, b.getF32Type()), factor);
  SmallVector<Value> scaled(state.outputs);
  int64_t pitch = layout.scoresPitch;
  int64_t ofRow = layout.columns / shape.columns;
  auto forEachMatrix =
      [&](int64_t first, int64_t end,
          llvm::function_ref<void(Value &, LinearForm)> build) {
        for (int64_t row = 0; row < rowMatrices; ++row)
          for (int64_t column = first; column < end; column += shape.columns)
            build(scaled[row * ofRow + column / shape.columns],
                  forms->add(b, getRowOfMatrices(row, pitch),
                             (column - first) / wordsOfVector));
      };
  for (int64_t first = 0; first < layout.columns;
       first += layout.scaledColumns) {
    int64_t end = std::min(first + layout.scaledColumns, layout.columns);
    // The barrier lets all threads of the subgroup load the data in workgroup
    // memory before the outputs overwrite it.
    meet();
    forEachMatrix(first, end, [&](Value &matrix, LinearForm place) {
      storeMatrix(matrix, place, pitch);
    });
    meet();
    for (int64_t column = first; column < end; column += wordsOfVector) {
      LinearForm place = forms->add(b, forms->mul(b, query, pitch),
                                    (column - first) / wordsOfVector);
      storeVector(arith::MulFOp::create(b, loadNumbers(place), factors), place);
    }
    meet();
    forEachMatrix(first, end, [&](Value &matrix, LinearForm place) {
      matrix = loadMatrix(getSumsType(), place, pitch);
    });
  }
  // The barrier lets all threads load the outputs before the weights overwrite
  // them in workgroup memory.
  meet();
  scaled.append(
      {reference, arith::MulFOp::create(b, state.total, factor).getResult()});
  scf::YieldOp::create(b, scaled);
  size_t count = getNumOutputs();
  state.outputs =
      llvm::to_vector_of<Value>(choice.getResults().take_front(count));
  state.reference = choice.getResult(count);
  state.total = choice.getResult(count + 1);
}

/// Computes the weights from `scores`, the scores of the thread's query, and
/// adds them to the query's sum of weights.
SmallVector<Value> MatrixAttentionBuilder::addWeights(State &state,
                                                      ValueRange scores) {
  auto addAll = [&](ValueRange values) {
    return combine(values, [&](Value lhs, Value rhs) { return add(lhs, rhs); });
  };
  SmallVector<Value> distances, weights;
  for (Value score : scores) {
    distances.push_back(sub(score, state.reference));
    weights.push_back(math::ExpOp::create(b, distances.back()));
  }
  // Some drivers return a number for the exponential of NaN. If a score is NaN,
  // the kernel therefore sets the sum of weights to NaN itself. A distance is a
  // score minus the reference. The sum of the distances is NaN if and only if a
  // score is NaN, since no distance is +infinity. (Masked scores have the
  // distance -infinity.) Adding a distance takes one operation. Comparing and
  // selecting would take two.
  Value distance = addAll(distances);
  Value isOrdered =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, distance, distance);
  state.total = arith::SelectOp::create(
      b, isOrdered, add(state.total, addAll(weights)), distance);
  return weights;
}

/// Computes the weights that the graph rounds to f16: the exponentials of the
/// scores, divided by their sum. If a score is NaN, the sum is NaN, and so are
/// all weights.
SmallVector<Value>
MatrixAttentionBuilder::getRoundedWeights(const State &state,
                                          ValueRange scores) {
  return llvm::map_to_vector(scores, [&](Value score) -> Value {
    Value exponential = math::ExpOp::create(b, sub(score, state.reference));
    return arith::MulFOp::create(b, exponential, state.total);
  });
}

/// Stores the weights of the thread's query in workgroup memory, in place of
/// the sums of products from which the scores were computed.
void MatrixAttentionBuilder::storeWeights(ValueRange weights) {
  LinearForm line = forms->mul(b, query, layout.scoresPitch);
  for (int64_t key = 0; key < tile.keys; key += lanes)
    storeVector(
        packHalves(llvm::to_vector_of<Value>(weights.slice(key, lanes))),
        forms->add(b, line, key / lanes));
}

/// Returns `vectors`, which hold values of block `keyBlock`. Where a key of the
/// block is hidden from a query of the workgroup, 0 replaces infinite and NaN
/// elements, and the function marks these elements in `state`. The weight of a
/// hidden key is 0, but matrix units compute 0 times NaN, which is NaN.
/// addNonFinite() adds the replaced elements to the outputs of the queries that
/// see them.
SmallVector<Value> MatrixAttentionBuilder::hideNonFinite(State &state,
                                                         LinearForm keyBlock,
                                                         ValueRange vectors) {
  if (!seen)
    return SmallVector<Value>(vectors);
  LinearForm end = forms->mul(b, forms->add(b, keyBlock, 1), tile.keys);
  Value isHidden = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ugt,
      forms->materialize(b, forms->sub(b, end, 1)), seen->ofAll);
  SmallVector<Value> kept(vectors);
  llvm::append_range(kept, state.marks);
  auto choice = scf::IfOp::create(b, ValueRange(kept).getTypes(), isHidden,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, kept);

  // A word has two f16 numbers, whose exponents are the bits 10 to 14. The
  // exponent of an infinite number or NaN is 31. Adding 1 to an exponent
  // carries into bit 15 only if the exponent is 31.
  b.setInsertionPointToStart(choice.thenBlock());
  auto type = cast<VectorType>(state.marks.front().getType());
  auto number = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, APInt(32, value)));
  };
  auto words = [&](uint32_t ofHalf) { return number(ofHalf << 16 | ofHalf); };
  SmallVector<Value> finite;
  Value marks = state.marks.front();
  for (Value vector : vectors) {
    Value exponents = arith::AndIOp::create(b, vector, words(0x7c00));
    Value carries = arith::AndIOp::create(
        b, arith::AddIOp::create(b, exponents, words(0x0400)), words(0x8000));
    marks = arith::OrIOp::create(b, marks, carries);
    // A half with a carry has all 16 bits in the mask `hidden`: the shift turns
    // the carry into 1, and the product is 0xffff.
    Value hidden = arith::MulIOp::create(
        b, arith::ShRUIOp::create(b, carries, number(15)), number(0xffff));
    finite.push_back(arith::AndIOp::create(
        b, vector, arith::XOrIOp::create(b, hidden, words(0xffff))));
  }
  finite.push_back(marks);
  scf::YieldOp::create(b, finite);
  state.marks = {choice.getResults().back()};
  return llvm::to_vector_of<Value>(choice.getResults().drop_back());
}

/// Adds the products of a block's weights and values to the outputs.
void MatrixAttentionBuilder::addValues(State &state, LinearForm stage) {
  gpu::MMAMatrixType rowType = getRowType(), columnType = getColumnType();
  int64_t ofRow = layout.columns / shape.columns;
  for (int64_t key = 0; key < tile.keys; key += shape.terms) {
    SmallVector<Value> weights;
    for (int64_t row = 0; row < rowMatrices; ++row)
      weights.push_back(loadMatrix(
          rowType,
          forms->add(b, getRowOfMatrices(row, layout.scoresPitch), key / lanes),
          layout.scoresPitch));
    LinearForm line = forms->add(b, forms->mul(b, stage, layout.stageVectors),
                                 key * layout.valuesPitch + values->area.first);
    for (int64_t column = 0; column < ofRow; ++column) {
      Value ofValues = loadMatrix(
          columnType, forms->add(b, line, column * (shape.columns / lanes)),
          layout.valuesPitch);
      for (int64_t row = 0; row < rowMatrices; ++row) {
        Value &sum = state.outputs[row * ofRow + column];
        sum = multiply(weights[row], ofValues, sum);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// All blocks
//===----------------------------------------------------------------------===//

/// Returns the stage for the next block of keys, after a barrier where the
/// stage may still be in use.
LinearForm MatrixAttentionBuilder::openStage(LinearForm keyBlock) {
  LinearForm stage = 0;
  if (tile.stages > 1)
    // The stages are filled in turn: with two stages, iteration i of the loop
    // over blocks of keys fills stage i modulo 2. A driver does not know the
    // range of the induction variable. The remainder is computed even where
    // this range makes it unnecessary, so that the driver sees that the index
    // stays within workgroup memory.
    stage = forms->getOpaque(
        arith::RemUIOp::create(b, forms->materialize(b, keyBlock),
                               constant(tile.stages)),
        {0, tile.stages - 1});
  else
    // With a single stage, the barrier lets all threads load the present keys
    // and values before the new ones overwrite them.
    gpu::BarrierOp::create(b);
  // The barrier lets all threads of the subgroup load the weights before the
  // sums overwrite them. With a single stage, the preceding barrier serves this
  // purpose as well.
  if (tile.stages > 1)
    meet();
  return stage;
}

/// Returns the scores of block `keyBlock`, whose sums of products are in
/// `state`. Stages the keys of the next block, and the values of this one if
/// `stagesValues`, and computes the next block's sums.
SmallVector<Value> MatrixAttentionBuilder::beginBlock(LinearForm keyBlock,
                                                      LinearForm stage,
                                                      State &state,
                                                      bool stagesValues) {
  LinearForm last = getBlocks() - 1;
  storeSums(state.sums);
  ValueRange ofValues = store(*keys, stage, state.next);
  if (stagesValues)
    store(*values, stage, hideNonFinite(state, keyBlock, ofValues));
  gpu::BarrierOp::create(b);
  // Where there is no further block, the last block is loaded again.
  state.next = load(*keys, forms->min(b, forms->add(b, keyBlock, 2), last));
  if (stagesValues)
    llvm::append_range(
        state.next,
        load(*values, forms->min(b, forms->add(b, keyBlock, 1), last)));
  state.sums = multiplyKeys(stage);
  return buildScores(keyBlock);
}

/// Builds the softmax for block `keyBlock` of the keys: an online softmax,
/// unless findTotals() has found the sum of weights. `state` contains the sums
/// of products of this block. The returned state contains those of the next
/// block, which the matrix units compute while the threads compute the weights
/// of this block.
MatrixAttentionBuilder::State
MatrixAttentionBuilder::buildBlock(LinearForm keyBlock, State state) {
  LinearForm stage = openStage(keyBlock);
  SmallVector<Value> scores =
      beginBlock(keyBlock, stage, state, /*stagesValues=*/true);
  if (attention.isRounded) {
    storeWeights(getRoundedWeights(state, scores));
  } else {
    Value largest = getLargest(scores);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                              forms->materialize(b, keyBlock), constant(0));
    setReference(state, largest, isFirst);
    storeWeights(addWeights(state, scores));
  }
  meet();
  addValues(state, stage);
  return state;
}

/// Adds the exponentials of the scores of block `keyBlock` to the query's sum.
/// The reference is the largest score so far.
MatrixAttentionBuilder::State
MatrixAttentionBuilder::buildTotals(LinearForm keyBlock, State state) {
  LinearForm stage = openStage(keyBlock);
  SmallVector<Value> scores =
      beginBlock(keyBlock, stage, state, /*stagesValues=*/false);
  Value before = state.reference;
  state.reference = max(before, getLargest(scores));
  state.total = arith::MulFOp::create(
      b, state.total, math::ExpOp::create(b, sub(before, state.reference)));
  addWeights(state, scores);
  return state;
}

/// Begins a pass over the keys: stages the keys of the first block, and loads
/// the vectors that the first iteration of the loop over blocks stages. Returns
/// the sums of the first block.
///
/// Iteration i of the loop over blocks of keys multiplies the keys of block i +
/// 1, which it stores in stage i modulo the number of stages. The keys of block
/// 0 therefore belong to an iteration -1, which is built in front of the loop.
/// It uses the last stage, since -1 modulo the number of stages is the last.
SmallVector<Value> MatrixAttentionBuilder::beginPass(bool stagesValues,
                                                     State &state) {
  int64_t blocks = getBlocks();
  store(*keys, tile.stages - 1, load(*keys, 0));
  state.next = load(*keys, std::min<int64_t>(1, blocks - 1));
  if (stagesValues)
    llvm::append_range(state.next, load(*values, 0));
  gpu::BarrierOp::create(b);
  return multiplyKeys(tile.stages - 1);
}

/// Sets the reference of the thread's query to its largest score, and its total
/// to the reciprocal of the sum of the exponentials.
void MatrixAttentionBuilder::findTotals(State &state) {
  State first;
  // The lowest finite number takes the place of the largest score if all scores
  // are -infinity, since -infinity minus -infinity would be NaN.
  first.reference = constantOf(-std::numeric_limits<float>::max());
  first.total = constantOf(0);
  first.sums = beginPass(/*stagesValues=*/false, first);
  int64_t blocks = getBlocks();
  State last = getState(
      buildLoop(b, *forms, {0, blocks}, Counter::InOrder, first.get(),
                [&](LinearForm keyBlock, ValueRange carried) {
                  return buildTotals(keyBlock,
                                     getState(carried, /*numOutputs=*/0))
                      .get();
                }),
      /*numOutputs=*/0);
  state.reference = last.reference;
  state.total =
      arith::DivFOp::create(b, constantOf(1), replaceZero(last.total));
  // The barrier lets all subgroups load keys and sums before those of the
  // second pass overwrite them.
  gpu::BarrierOp::create(b);
}

/// Returns `elements`, a vector of outputs of query `number`. If
/// hideNonFinite() has replaced values, the function adds the infinite and NaN
/// values that the query sees. Adding an infinity or NaN that the output
/// already has changes nothing. The function adds an infinity even if its
/// weight rounds to 0, where 0 times infinity would be NaN.
SmallVector<Value> MatrixAttentionBuilder::addNonFinite(LinearForm number,
                                                        LinearForm vector,
                                                        ValueRange elements) {
  if (!isNonFinite)
    return SmallVector<Value>(elements);
  auto choice = scf::IfOp::create(b, elements.getTypes(), isNonFinite,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, elements);
  b.setInsertionPointToStart(choice.thenBlock());
  IndexForms::Scope scope(*forms);
  Value last = buildLastSeen(getQueryCoordinates(number));
  const ContractionOperand &operand = contraction.columns;
  SmallVector<Value> sums = buildLoop(
      b, *forms, {0, attention.keys}, Counter::InOrder, elements,
      [&](LinearForm key, ValueRange carried) {
        TileBuilder builder(b, op, *forms, *views);
        SmallVector<Forms> places;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          bindStep(builder, lane, key);
          places.push_back(getCoordinates(
              operand, getPosition(operand, vector, lane, lanes)));
        }
        builder.buildSlice(operand.slice, places);
        Value isSeen = buildIsUpTo(key, last);
        SmallVector<Value> next;
        for (auto [lane, sum] : llvm::enumerate(carried)) {
          Value value = builder.getBuilt(lane, operand.factors.front());
          Value size = math::AbsFOp::create(b, value);
          Value isFinite = arith::CmpFOp::create(
              b, arith::CmpFPredicate::OLT, size,
              constantOf(std::numeric_limits<double>::infinity()));
          Value isAdded = arith::AndIOp::create(
              b, isSeen,
              arith::XOrIOp::create(
                  b, isFinite,
                  arith::ConstantOp::create(b, b.getBoolAttr(true))));
          next.push_back(
              arith::SelectOp::create(b, isAdded, add(sum, value), sum));
        }
        return next;
      });
  scf::YieldOp::create(b, sums);
  return llvm::to_vector_of<Value>(choice.getResults());
}

/// Divides a vector of outputs by the sum of the query's weights, and stores
/// the quotients in the output. `number` is the index of the query, and
/// `vector` is the index of the vector of columns, counted from `firstColumn`.
/// The outputs and the sum are loaded from workgroup memory, where the lines of
/// neighbouring queries are `pitch` vectors apart.
void MatrixAttentionBuilder::storeQuotients(LinearForm number,
                                            LinearForm vector, int64_t pitch,
                                            int64_t firstColumn) {
  LinearForm place = forms->mul(b, number, pitch);
  Value total = vector::ExtractOp::create(
      b, loadNumbers(forms->add(b, place, pitch - 1)), 0);
  Value divisor = replaceZero(total);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < lanes / wordsOfVector; ++i) {
    Value loaded = loadNumbers(forms->add(
        b, place,
        forms->add(b, forms->mul(b, vector, lanes / wordsOfVector), i)));
    for (int64_t lane = 0; lane < wordsOfVector; ++lane)
      elements.push_back(arith::DivFOp::create(
          b, vector::ExtractOp::create(b, loaded, lane), divisor));
  }
  LinearForm column = forms->add(b, vector, firstColumn / lanes);
  elements = addNonFinite(number, column, elements);
  TileBuilder builder(b, op, *forms, *views);
  storeElements(builder, rows,
                forms->add(b, forms->mul(b, rows.tile, tile.queries), number),
                columns, column, elements);
}

/// Stores the outputs through workgroup memory, a few columns at a time.
void MatrixAttentionBuilder::storeOutputs(const State &state) {
  int64_t ofRow = layout.columns / shape.columns;
  int64_t together = layout.storedColumns;
  // The last vector of each line holds the sum of the query's weights.
  int64_t pitch = getLinePitch(together, wordsOfVector);
  gpu::BarrierOp::create(b);
  if (seen) {
    Value marks =
        combineThreads(state.marks.front(), [&](Value lhs, Value rhs) {
          return arith::OrIOp::create(b, lhs, rhs).getResult();
        });
    Value all;
    for (int64_t word = 0; word < wordsOfVector; ++word) {
      Value ofWord = vector::ExtractOp::create(b, marks, word);
      all = all ? arith::OrIOp::create(b, all, ofWord).getResult() : ofWord;
    }
    isNonFinite = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, all,
        arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  }
  LinearForm line = forms->mul(b, query, pitch);
  storeVector(
      vector::BroadcastOp::create(
          b, VectorType::get(wordsOfVector, b.getF32Type()), state.total),
      forms->add(b, line, pitch - 1));
  for (int64_t first = 0; first < layout.columns; first += together) {
    if (first > 0)
      gpu::BarrierOp::create(b);
    int64_t end = std::min(first + together, layout.columns);
    for (int64_t row = 0; row < rowMatrices; ++row)
      for (int64_t column = first; column < end; column += shape.columns)
        storeMatrix(state.outputs[row * ofRow + column / shape.columns],
                    forms->add(b, getRowOfMatrices(row, pitch),
                               (column - first) / wordsOfVector),
                    pitch);
    gpu::BarrierOp::create(b);
    int64_t vectorsOfLine = (end - first) / lanes;
    SharedItems items = {vectorsOfLine * tile.queries, forms->getThread(),
                         tile.queries};
    forEachItemInLoop(b, *forms, items, [&](LinearForm item) {
      auto [number, vector] = forms->divide(b, item, vectorsOfLine);
      storeQuotients(number, vector, pitch, first);
    });
  }
}

void MatrixAttentionBuilder::build() {
  buildLaunch(tile.queries, layout.columns, tile.queries, rows, columns);
  memory = allocateInWorkgroup(b, layout.vectors,
                               VectorType::get(wordsOfVector, b.getI32Type()));
  int64_t subgroups = tile.queries / layout.subgroupSize;
  subgroup =
      forms->getOpaque(buildSubgroupId(b, subgroups), {0, subgroups - 1});
  query = forms->add(b, forms->mul(b, subgroup, layout.subgroupSize),
                     forms->getOpaque(buildLaneId(b, layout.subgroupSize),
                                      {0, layout.subgroupSize - 1}));
  coordinates = getQueryCoordinates(query);
  keys.emplace(getKeyLines(layout.scoreVectors, layout.stageVectors));
  values.emplace(
      getValueLines(layout.scoreVectors + tile.keys * layout.termsPitch,
                    layout.stageVectors));

  findSeenKeys();
  queries = loadQueries();
  Value zero = getZeroSums();
  State state;
  state.outputs.assign(getNumOutputs(), zero);
  state.reference = state.total = constantOf(0);
  if (seen)
    state.marks = {arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get(wordsOfVector, b.getI32Type())))};
  int64_t blocks = getBlocks();
  if (attention.isRounded)
    findTotals(state);
  state.sums = beginPass(/*stagesValues=*/true, state);
  // Blocks that no query sees are left out.
  LoopRange seenBlocks = {0, blocks};
  if (seen)
    seenBlocks.bound = arith::AddIOp::create(
        b, arith::DivUIOp::create(b, seen->ofAny, constant(tile.keys)),
        constant(1));
  SmallVector<Value> last = buildLoop(
      b, *forms, seenBlocks, Counter::InOrder, state.get(),
      [&](LinearForm keyBlock, ValueRange carried) {
        return buildBlock(keyBlock, getState(carried, getNumOutputs())).get();
      });
  State result = getState(last, getNumOutputs());
  // Rounded weights have been divided by their sum.
  if (attention.isRounded)
    result.total = constantOf(1);
  storeOutputs(result);
  op.erase();
}

void dml::buildMatrixAttentionKernel(linalg::GenericOp op,
                                     const MatrixAttentionTile &tile,
                                     const DeviceProfile &profile) {
  widenLast(op);
  std::optional<Attention> attention = Attention::match(op);
  MatrixAttentionLayout layout;
  [[maybe_unused]] std::string problem =
      MatrixAttentionLayout::get(*attention, tile, profile, layout);
  assert(problem.empty() && "the tile was to be looked at before");
  MatrixAttentionBuilder(op, *attention, tile, layout).build();
}
