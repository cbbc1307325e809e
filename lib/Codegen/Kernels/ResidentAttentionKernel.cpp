//===- ResidentAttentionKernel.cpp - Attention of few keys ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Where there are some hundred keys, as in the attention of one sentence or of
// one image, the scores of a workgroup's queries fit in its memory. Their
// softmax need not be an online one, which has two advantages over
// MatrixAttentionKernel.cpp. In a graph whose tensors are f16, weights are
// rounded to f16 after the division by their sum, which an online softmax knows
// only behind the last key. Few queries also occupy more of a device, since
// several subgroups share the work for 16 queries. The kernel has three phases,
// which are separated by barriers of the workgroup:
//
// * Scores. The keys are staged in blocks. The subgroups multiply the queries
//   with the keys of a block, as cooperative matrices, and store the sums. Each
//   thread then computes scores from some sums, and stores them, as f16 if the
//   graph rounds them.
// * Softmax. Each query has one or several threads of a subgroup. These threads
//   find the query's largest score and the sum of the exponentials, and replace
//   the scores by weights in f16.
// * Outputs. The values are staged in blocks, and the subgroups multiply the
//   weights with them.
//
// For example, 16 queries of 128 keys, which are one block, with 64 terms and
// 64 columns, have a workgroup of 128 threads. In the first phase, each of 4
// subgroups multiplies two of the 8 matrices of 16 queries and 16 keys, and
// each thread computes 16 scores. In the second phase, 8 threads share a query,
// and have 16 keys each. In the third phase, each subgroup computes 16 of the
// 64 columns.
//
//===----------------------------------------------------------------------===//

#include "Kernels/ResidentAttentionKernel.h"
#include "Emit/Launch.h"
#include "Emit/Softmax.h"
#include "Kernels/MatrixKernel.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

/// The factor of weights that the graph does not round. A device may flush
/// numbers of f16 below 2^-14, the denormals, to 0. With this factor, only
/// weights below 2^-22 become 0, which docs/Reference.md permits. The outputs
/// are divided by the factor, which is exact.
static constexpr double weightFactor = 256;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Returns the f16 that `attention` widens to the score of a query and a key,
/// or null if scores are not f16.
static Value getNarrowScore(const Attention &attention) {
  auto widening = attention.score.getDefiningOp<arith::ExtFOp>();
  return widening && widening.getIn().getType().isF16() ? widening.getIn()
                                                        : Value();
}

std::string ResidentAttentionLayout::get(const Attention &attention,
                                         const ResidentAttentionTile &tile,
                                         const DeviceProfile &profile,
                                         ResidentAttentionLayout &layout) {
  if (attention.isSeen)
    return "wants scores of which none is hidden";
  if (!attention.isRounded && !attention.isRoundable)
    return "wants weights that may be rounded to f16";
  std::string problem =
      AttentionMatrices::get(attention, tile.shape, profile, layout);
  if (!problem.empty())
    return problem;
  const MatrixShape &shape = layout.shape;
  int64_t subgroupSize = profile.getSubgroupSize();
  if (subgroupSize == 0 ||
      tile.subgroups > profile.getMaxWorkgroupSize() / subgroupSize)
    return "has " + std::to_string(tile.subgroups) +
           " subgroups, but no more than " +
           std::to_string(profile.getMaxWorkgroupSize()) +
           " threads are wanted";
  layout.threads = subgroupSize * tile.subgroups;
  layout.threadsOfQuery = layout.threads / tile.queries;
  if (tile.queries % shape.rows || layout.threads % tile.queries ||
      subgroupSize % layout.threadsOfQuery)
    return "has " + std::to_string(tile.queries) +
           " queries, but whole matrices are wanted, and queries that the "
           "threads of a subgroup can share";
  problem = layout.findProblemOfBlocks(tile.keys, profile);
  if (!problem.empty())
    return problem;
  if (attention.keys > profile.getMaxWorkgroupMemory())
    return "stands on " + std::to_string(attention.keys) +
           " keys, but scores are wanted that fit in workgroup memory";
  layout.keys = llvm::alignTo(attention.keys, tile.keys);
  layout.vectorsOfScores =
      getNarrowScore(attention) ? 1 : lanes / wordsOfVector;
  layout.scoresPitch =
      getLinePitch(layout.keys * layout.vectorsOfScores, lanes);
  layout.sumsPitch =
      getLinePitch(std::max(tile.keys, layout.columns), wordsOfVector);
  layout.firstSum = tile.keys * std::max(layout.termsPitch, layout.valuesPitch);
  layout.firstScore = layout.firstSum + tile.queries * layout.sumsPitch;
  layout.firstQuery = layout.firstScore + tile.queries * layout.scoresPitch;
  layout.vectors = layout.firstQuery + tile.queries * layout.termsPitch;
  // The threads exchange a number each while they compute the softmax.
  return findMemoryProblem(layout.vectors * DeviceProfile::vectorBytes +
                               layout.threads *
                                   static_cast<int64_t>(sizeof(float)),
                           profile);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
class ResidentAttentionBuilder : AttentionMatrixBuilder {
public:
  ResidentAttentionBuilder(linalg::GenericOp op, const Attention &attention,
                           const ResidentAttentionTile &tile,
                           const ResidentAttentionLayout &layout)
      : AttentionMatrixBuilder(op, attention, layout, layout.threads,
                               tile.queries, tile.keys),
        tile(tile), layout(layout), blocks(layout.keys / tile.keys) {}

  void build();

private:
  /// Returns the place of vector `vector` of line `line` in an area that begins
  /// at `first`, where neighbouring lines are `pitch` vectors apart.
  LinearForm getPlace(LinearForm first, LinearForm line, int64_t pitch,
                      LinearForm vector) {
    return forms->add(b, forms->mul(b, line, pitch),
                      forms->add(b, vector, first));
  }
  /// Returns the place of the sums of the matrix in row `row` and column
  /// `column` of a grid.
  LinearForm getPlaceOfSums(LinearForm row, LinearForm column) {
    return getPlace(layout.firstSum, forms->mul(b, row, shape.rows),
                    layout.sumsPitch,
                    forms->mul(b, column, shape.columns / wordsOfVector));
  }
  /// Loads the 8 sums in vector `vector`, of 8, of query `query`.
  SmallVector<Value> loadSums(LinearForm query, LinearForm vector);
  /// Calls `build` for each matrix that the subgroup computes of a grid with
  /// `rowsOfGrid` rows of `inRow` matrices. `build` receives the row and the
  /// column of the matrix in the grid. The matrices of the grid are divided
  /// between the subgroups, one after the other.
  void forEachMatrix(int64_t rowsOfGrid, int64_t inRow,
                     function_ref<void(LinearForm, LinearForm)> build);
  void storeScores(LinearForm keyBlock);
  SmallVector<Value> loadScores(LinearForm place);
  void buildScores();
  Value combineThreads(Value own, function_ref<Value(Value, Value)> combineTwo);
  void buildWeights();
  void buildOutputs(ValueRange firstValues);

  /// Runs `build` for each of `count` items, which are distributed to the
  /// threads.
  void shareOut(int64_t count, function_ref<void(LinearForm)> build) {
    forEachItem(b, *forms, {count, forms->getThread(), threads}, build);
  }
  /// Splits a vector of 16 bytes into 8 numbers of f16, widened to f32.
  SmallVector<Value> widen(Value vector);

  const ResidentAttentionTile &tile;
  const ResidentAttentionLayout &layout;
  /// The number of blocks of keys.
  const int64_t blocks;
  /// The index of the thread's subgroup, and the index of the thread, counted
  /// over the threads of the subgroups, one after the other.
  LinearForm subgroup, thread;
  /// The memory in which the threads of a query exchange numbers.
  Value exchange;
};
} // namespace

void ResidentAttentionBuilder::forEachMatrix(
    int64_t rowsOfGrid, int64_t inRow,
    function_ref<void(LinearForm, LinearForm)> build) {
  SharedItems items = {rowsOfGrid * inRow, subgroup, tile.subgroups};
  forEachItem(b, *forms, items, [&](LinearForm item) {
    auto [row, column] = forms->divide(b, item, inRow);
    build(row, column);
  });
}

SmallVector<Value> ResidentAttentionBuilder::loadSums(LinearForm query,
                                                      LinearForm vector) {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < lanes / wordsOfVector; ++i) {
    Value loaded = loadNumbers(getPlace(
        layout.firstSum, query, layout.sumsPitch,
        forms->add(b, forms->mul(b, vector, lanes / wordsOfVector), i)));
    for (int64_t word = 0; word < wordsOfVector; ++word)
      sums.push_back(vector::ExtractOp::create(b, loaded, word));
  }
  return sums;
}

SmallVector<Value> ResidentAttentionBuilder::widen(Value vector) {
  auto wordType = VectorType::get(1, b.getI32Type()),
       pairType = VectorType::get(2, b.getF16Type());
  SmallVector<Value> numbers;
  for (int64_t word = 0; word < wordsOfVector; ++word) {
    Value one = vector::FromElementsOp::create(
        b, wordType, vector::ExtractOp::create(b, vector, word).getResult());
    Value pair = vector::BitCastOp::create(b, pairType, one);
    for (int64_t half = 0; half < 2; ++half)
      numbers.push_back(arith::ExtFOp::create(
          b, b.getF32Type(),
          vector::ExtractOp::create(b, pair, half).getResult()));
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Computes the scores of block `keyBlock` from the sums of products in
/// workgroup memory, and stores them there. An item is the scores of a query
/// and 8 neighbouring keys: one vector of f16, or two of f32.
void ResidentAttentionBuilder::storeScores(LinearForm keyBlock) {
  int64_t vectors = tile.keys / lanes;
  Value narrowScore = getNarrowScore(attention);
  Value ofBody = narrowScore ? narrowScore : attention.score;
  Value none = arith::ConstantOp::create(
      b, b.getFloatAttr(ofBody.getType(),
                        -std::numeric_limits<double>::infinity()));
  shareOut(tile.queries * vectors, [&](LinearForm item) {
    auto [query, vector] = forms->divide(b, item, vectors);
    LinearForm firstKey = forms->add(b, forms->mul(b, keyBlock, tile.keys),
                                     forms->mul(b, vector, lanes));
    TileBuilder builder(b, op, *forms, *views);
    SmallVector<Value> areThere;
    for (auto [lane, sum] : llvm::enumerate(loadSums(query, vector))) {
      LinearForm key = forms->add(b, firstKey, static_cast<int64_t>(lane));
      areThere.push_back(
          buildCount(key, attention.keys - 1, getLastOfBlocks()));
      builder.bind(lane, attention.key, forms->min(b, key, attention.keys - 1));
      builder.bind(lane, attention.sum, sum);
    }
    builder.buildSlice(attention.scoreSlice,
                       SmallVector<Forms>(lanes, getQueryCoordinates(query)));
    SmallVector<Value> scores;
    for (auto [lane, isThere] : llvm::enumerate(areThere)) {
      scores.push_back(builder.getBuilt(lane, ofBody));
      if (isThere)
        scores.back() =
            arith::SelectOp::create(b, isThere, scores.back(), none);
    }
    LinearForm number = forms->add(b, forms->mul(b, keyBlock, vectors), vector);
    LinearForm place = getPlace(layout.firstScore, query, layout.scoresPitch,
                                forms->mul(b, number, layout.vectorsOfScores));
    if (narrowScore)
      return storeVector(packHalves(scores), place);
    for (int64_t i = 0; i < layout.vectorsOfScores; ++i)
      storeVector(vector::FromElementsOp::create(
                      b, VectorType::get(wordsOfVector, b.getF32Type()),
                      ArrayRef(scores).slice(i * wordsOfVector, wordsOfVector)),
                  forms->add(b, place, i));
  });
}

/// Computes the scores of all keys.
void ResidentAttentionBuilder::buildScores() {
  Lines queries = getQueryLines(layout.firstQuery),
        keys = getKeyLines(/*first=*/0, /*ofStage=*/0);
  SmallVector<Value> next = load(keys, 0);
  store(queries, 0, load(queries, 0));
  gpu::MMAMatrixType rowType = getRowType(), columnType = getColumnType();
  auto buildBlock = [&](LinearForm keyBlock, ValueRange loaded) {
    store(keys, 0, loaded);
    gpu::BarrierOp::create(b);
    // Where there is no further block, the last block is loaded again.
    SmallVector<Value> ahead;
    if (blocks > 1)
      ahead = load(keys, forms->min(b, forms->add(b, keyBlock, 1), blocks - 1));
    forEachMatrix(
        tile.queries / shape.rows, tile.keys / shape.columns,
        [&](LinearForm row, LinearForm column) {
          Value sum = getZeroSums();
          for (int64_t term = 0; term < layout.terms; term += shape.terms) {
            LinearForm vector = term / lanes;
            Value ofQueries = loadMatrix(
                rowType,
                getPlace(layout.firstQuery, forms->mul(b, row, shape.rows),
                         layout.termsPitch, vector),
                layout.termsPitch);
            Value ofKeys =
                loadMatrix(columnType,
                           getPlace(0, forms->mul(b, column, shape.columns),
                                    layout.termsPitch, vector),
                           layout.termsPitch, /*isTransposed=*/true);
            sum = multiply(ofQueries, ofKeys, sum);
          }
          storeMatrix(sum, getPlaceOfSums(row, column), layout.sumsPitch);
        });
    gpu::BarrierOp::create(b);
    storeScores(keyBlock);
    return ahead;
  };
  if (blocks == 1) {
    buildBlock(0, next);
    return;
  }
  buildLoop(b, *forms, {0, blocks}, Counter::InOrder, next,
            [&](LinearForm keyBlock, ValueRange carried) {
              return buildBlock(keyBlock, carried);
            });
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Combines the numbers `own` of the threads of a query, in a fixed order. All
/// of them receive the result. They belong to one subgroup.
Value ResidentAttentionBuilder::combineThreads(
    Value own, function_ref<Value(Value, Value)> combineTwo) {
  // The barrier lets all threads load the numbers of the preceding exchange.
  meet();
  memref::StoreOp::create(b, own, exchange, forms->materialize(b, thread));
  meet();
  LinearForm first =
      forms->mul(b, forms->divide(b, thread, layout.threadsOfQuery).first,
                 layout.threadsOfQuery);
  Value all;
  for (int64_t i = 0; i < layout.threadsOfQuery; ++i) {
    Value other = memref::LoadOp::create(
        b, exchange, forms->materialize(b, forms->add(b, first, i)));
    all = all ? combineTwo(all, other) : other;
  }
  return all;
}

/// Loads 8 neighbouring scores.
SmallVector<Value> ResidentAttentionBuilder::loadScores(LinearForm place) {
  if (layout.vectorsOfScores == 1)
    return widen(
        memref::LoadOp::create(b, memory, forms->materialize(b, place)));
  SmallVector<Value> scores;
  for (int64_t i = 0; i < layout.vectorsOfScores; ++i) {
    Value loaded = loadNumbers(forms->add(b, place, i));
    for (int64_t word = 0; word < wordsOfVector; ++word)
      scores.push_back(vector::ExtractOp::create(b, loaded, word));
  }
  return scores;
}

/// Replaces the scores of each query by its weights. The weights of a query
/// begin where its scores do. All threads of the query have loaded their scores
/// when the first of them stores weights, since they have exchanged sums.
void ResidentAttentionBuilder::buildWeights() {
  auto [query, place] = forms->divide(b, thread, layout.threadsOfQuery);
  LinearForm line = forms->add(b, forms->mul(b, query, layout.scoresPitch),
                               layout.firstScore);
  // The thread's vectors of scores. A thread without a vector in the last round
  // has scores of -infinity.
  int64_t vectors = layout.keys / lanes;
  SharedItems items = {vectors, place, layout.threadsOfQuery};
  Value none = constantOf(-std::numeric_limits<double>::infinity());
  SmallVector<Value> scores;
  items.forEachRound([&](int64_t first) {
    LinearForm vector = items.getItem(b, *forms, first);
    Value isThere = items.isPartial(first)
                        ? buildIsBelow(b, *forms, vector, items.count)
                        : Value();
    LinearForm own =
        forms->mul(b, items.limit(b, *forms, vector), layout.vectorsOfScores);
    for (Value score : loadScores(forms->add(b, line, own)))
      scores.push_back(
          isThere ? arith::SelectOp::create(b, isThere, score, none).getResult()
                  : score);
  });
  auto getLarger = [&](Value lhs, Value rhs) {
    return buildLarger(b, lhs, rhs);
  };
  auto getSum = [&](Value lhs, Value rhs) { return add(lhs, rhs); };
  Value largest = scores.front();
  for (Value score : ArrayRef(scores).drop_front())
    largest = getLarger(largest, score);
  Value shift = buildShift(b, combineThreads(largest, getLarger));
  Value total;
  for (Value &score : scores) {
    score = buildExponential(b, sub(score, shift));
    total = total ? add(total, score) : score;
  }
  total = combineThreads(total, getSum);
  for (Value &weight : scores) {
    weight = arith::DivFOp::create(b, weight, total);
    if (!attention.isRounded)
      weight = arith::MulFOp::create(b, weight, constantOf(weightFactor));
  }
  ArrayRef<Value> left = scores;
  forEachItem(b, *forms, items, [&](LinearForm vector) {
    storeVector(packHalves(left.take_front(lanes)),
                forms->add(b, line, vector));
    left = left.drop_front(lanes);
  });
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

/// Multiplies the weights with all values, and stores the outputs. `next` has
/// the values of the first block, which are loaded before the softmax.
void ResidentAttentionBuilder::buildOutputs(ValueRange next) {
  Lines values = getValueLines(/*first=*/0, /*ofStage=*/0);
  gpu::MMAMatrixType rowType = getRowType(), columnType = getColumnType();
  int64_t rowMatrices = tile.queries / shape.rows,
          columnMatrices = layout.columns / shape.columns,
          rounds = llvm::divideCeilSigned(rowMatrices * columnMatrices,
                                          tile.subgroups);
  // Subgroups without a matrix in the last round multiply the last matrix as
  // well, and do not store it.
  auto getMatrix = [&](int64_t round) {
    LinearForm matrix =
        forms->min(b, forms->add(b, subgroup, round * tile.subgroups),
                   rowMatrices * columnMatrices - 1);
    return forms->divide(b, matrix, columnMatrices);
  };
  auto buildBlock = [&](LinearForm keyBlock, ValueRange carried) {
    auto sums = llvm::to_vector_of<Value>(carried.take_front(rounds));
    store(values, 0, carried.drop_front(rounds));
    gpu::BarrierOp::create(b);
    SmallVector<Value> ahead;
    if (blocks > 1)
      ahead =
          load(values, forms->min(b, forms->add(b, keyBlock, 1), blocks - 1));
    for (int64_t round = 0; round < rounds; ++round) {
      auto [row, column] = getMatrix(round);
      for (int64_t key = 0; key < tile.keys; key += shape.terms) {
        LinearForm vector = forms->add(
            b, forms->mul(b, keyBlock, tile.keys / lanes), key / lanes);
        Value weights = loadMatrix(rowType,
                                   getPlace(layout.firstScore,
                                            forms->mul(b, row, shape.rows),
                                            layout.scoresPitch, vector),
                                   layout.scoresPitch);
        Value ofValues =
            loadMatrix(columnType,
                       getPlace(0, key, layout.valuesPitch,
                                forms->mul(b, column, shape.columns / lanes)),
                       layout.valuesPitch);
        sums[round] = multiply(weights, ofValues, sums[round]);
      }
    }
    // The barrier lets all subgroups load the values before those of the next
    // block overwrite them.
    if (blocks > 1)
      gpu::BarrierOp::create(b);
    llvm::append_range(sums, ahead);
    return sums;
  };
  SmallVector<Value> carried(rounds, getZeroSums());
  llvm::append_range(carried, next);
  SmallVector<Value> last;
  if (blocks == 1)
    last = buildBlock(0, carried);
  else
    last = buildLoop(b, *forms, {0, blocks}, Counter::InOrder, carried,
                     [&](LinearForm keyBlock, ValueRange all) {
                       return buildBlock(keyBlock, all);
                     });
  int64_t round = 0;
  forEachMatrix(rowMatrices, columnMatrices,
                [&](LinearForm row, LinearForm column) {
                  storeMatrix(last[round++], getPlaceOfSums(row, column),
                              layout.sumsPitch);
                });
  gpu::BarrierOp::create(b);
  int64_t vectors = layout.columns / lanes;
  shareOut(tile.queries * vectors, [&](LinearForm item) {
    auto [query, vector] = forms->divide(b, item, vectors);
    SmallVector<Value> elements = loadSums(query, vector);
    if (!attention.isRounded)
      for (Value &element : elements)
        element =
            arith::MulFOp::create(b, element, constantOf(1 / weightFactor));
    TileBuilder builder(b, op, *forms, *views);
    storeElements(builder, rows,
                  forms->add(b, forms->mul(b, rows.tile, tile.queries), query),
                  columns, vector, elements);
  });
}

void ResidentAttentionBuilder::build() {
  buildLaunch(tile.queries, layout.columns, threads, rows, columns);
  memory = allocateInWorkgroup(b, layout.vectors,
                               VectorType::get(wordsOfVector, b.getI32Type()));
  exchange = allocateInWorkgroup(b, threads, b.getF32Type());
  subgroup = forms->getOpaque(buildSubgroupId(b, tile.subgroups),
                              {0, tile.subgroups - 1});
  int64_t subgroupSize = threads / tile.subgroups;
  thread = forms->add(
      b, forms->mul(b, subgroup, subgroupSize),
      forms->getOpaque(buildLaneId(b, subgroupSize), {0, subgroupSize - 1}));
  buildScores();
  SmallVector<Value> values =
      load(getValueLines(/*first=*/0, /*ofStage=*/0), /*keyBlock=*/0);
  gpu::BarrierOp::create(b);
  buildWeights();
  buildOutputs(values);
  op.erase();
}

void dml::buildResidentAttentionKernel(linalg::GenericOp op,
                                       const ResidentAttentionTile &tile,
                                       const DeviceProfile &profile) {
  widenLast(op);
  std::optional<Attention> attention = Attention::match(op);
  ResidentAttentionLayout layout;
  [[maybe_unused]] std::string problem =
      ResidentAttentionLayout::get(*attention, tile, profile, layout);
  assert(problem.empty() && "the tile was to be looked at before");
  ResidentAttentionBuilder(op, *attention, tile, layout).build();
}
