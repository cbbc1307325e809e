//===- SplitAttentionKernel.cpp - Keys split over workgroups --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A decoder that generates a token has one query in each head, and keys and
// values of thousands of positions. Nearly all of the time of attention is then
// the time to read keys and values, in which all multiprocessors should take
// part: with 8 heads of keys and a workgroup for each head, only 8 of 132
// would. The keys are therefore split into parts, and a workgroup computes the
// outputs for the keys of one part (flash-decoding). A second kernel combines
// the parts. The heads of queries that share a head of keys are rows of one
// workgroup, which loads each key and each value once.
//
// For each query and each part, the first kernel stores the largest score, the
// sum of the exponentials of the scores minus the largest score, and a weighted
// mean of the values. For example, two parts have one key each, with the scores
// 3 and 5 and the values 10 and 20. The largest scores are 3 and 5, the sums
// are 1 and 1, and the means are 10 and 20. The largest score of all is 5, so
// that the parts have the weights e^-2 and 1, and the output is (10 * e^-2 +
// 20) / (e^-2 + 1) = 18.8.
//
// A workgroup whose keys no query sees reads none of them, and marks its part
// by a sum of -1.
//
//===----------------------------------------------------------------------===//

#include "Kernels/SplitAttentionKernel.h"
#include "Analysis/BodySlice.h"
#include "Emit/ContractionBuilder.h"
#include "Emit/Launch.h"
#include "Emit/Loops.h"
#include "Emit/Softmax.h"
#include "dml/Target/CostModel.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static constexpr int64_t side = ThreadBlock::side;
static constexpr int64_t numThreads = DeviceProfile::workgroupSize;

/// The number of equal groups into which a reduction divides the scores of a
/// row. The reduction first reduces each group, and then the results of the
/// groups.
static constexpr int64_t reducedParts = 8;

/// The largest numbers of rows and of keys of a workgroup, and the largest
/// number of parts of the keys. The second kernel holds a weight for each part
/// in workgroup memory.
static constexpr int64_t maxRows = 16, maxKeys = 512, maxParts = 1024;

/// The largest number of vectors of workgroup memory in which several rows
/// exchange their sums at a time.
static constexpr int64_t vectorsOfExchange = 256;

int64_t SplitAttentionLayout::getKeysOfColumns() const {
  return llvm::divideCeilSigned(keys, keyThreads);
}

int64_t SplitAttentionLayout::getTrips(const Attention &attention) const {
  return getTermVectors(attention) / lanes;
}

bool SplitAttentionLayout::isWrittenOut(const Attention &attention) const {
  constexpr int64_t maxProducts = 2048;
  return getTrips(attention) * rows * keysOfThread * terms <= maxProducts;
}

int64_t SplitAttentionLayout::getRegisters() const {
  constexpr int64_t ofAddresses = 32;
  int64_t ofScores = keysOfThread * (rows + terms) + side,
          ofValues = columns * (rows + keysTogether);
  return ofAddresses + std::max(ofScores, ofValues);
}

int64_t SplitAttentionLayout::getVectors(const Attention &attention) const {
  int64_t ofQueries = rows * attention.scores.getTerms() / side;
  return std::max(ofQueries, rowsTogether * numThreads * columns / side);
}

int64_t SplitAttentionLayout::getNumbers() const {
  return rows * (keys * (lanes + 1) + 2 * reducedParts);
}

int64_t SplitAttentionLayout::getBytes(const Attention &attention) const {
  return static_cast<int64_t>(sizeof(float)) *
         (side * getVectors(attention) + getNumbers());
}

int64_t dml::getLoadedBits(const ContractionOperand &operand) {
  int64_t bits = 0;
  for (Operation *op : operand.slice)
    if (BodySlice::isLoad(op) && op->getResult(0).getType().isIntOrFloat())
      bits = std::max<int64_t>(
          bits, op->getResult(0).getType().getIntOrFloatBitWidth());
  return bits ? bits : 32;
}

/// Returns the number of neighbouring factors that a thread loads at a time.
/// The number is 8 if factors have at most 16 bits and `count` is a multiple of
/// 8. Otherwise it is 4 if `count` is a multiple of 4, and 0 for other counts.
static int64_t getTogether(const ContractionOperand &operand, int64_t count) {
  int64_t together = getLoadedBits(operand) > 16 ? side : 2 * side;
  while (together >= side && count % together)
    together /= 2;
  return together >= side ? together : 0;
}

std::string SplitAttentionLayout::get(const Attention &attention,
                                      const SplitAttentionTile &tile,
                                      const DeviceProfile &profile,
                                      SplitAttentionLayout &layout) {
  int64_t terms = attention.scores.getTerms(),
          columns = attention.products.columns.size;
  if (tile.rows > maxRows || tile.keys > maxKeys)
    return "has " + std::to_string(tile.rows) + " rows and " +
           std::to_string(tile.keys) + " keys, but at most " +
           std::to_string(maxRows) + " and " + std::to_string(maxKeys) +
           " are wanted";
  layout.queries = attention.sharingHeads * attention.products.rows.size;
  layout.groups = attention.products.batches / attention.sharingHeads;
  layout.rows = tile.rows;
  layout.rowTiles = llvm::divideCeilSigned(layout.queries, tile.rows);
  layout.keys = tile.keys;
  layout.parts = llvm::divideCeilSigned(attention.keys, tile.keys);
  layout.terms = getTogether(attention.scores.columns, terms);
  layout.columns = getTogether(attention.products.columns, columns);
  // The sums of a thread take up to 64 of 96 registers. The values that the
  // thread loads at a time take the other registers.
  constexpr int64_t maxSums = 64, maxValues = 96;
  if (tile.rows * layout.columns > maxSums)
    layout.columns = std::min(layout.columns, side);
  if (layout.terms == 0 || layout.columns == 0 ||
      layout.terms % attention.scores.getTermsOfStep() ||
      columns > side * numThreads || columns > layout.columns * numThreads)
    return "wants terms and columns that are multiples of " +
           std::to_string(side) + ", and at most " +
           std::to_string(side * numThreads) + " columns";
  int64_t vectors = layout.getTermVectors(attention);
  layout.lanes = vectors % 4 == 0 ? 4 : (vectors % 2 == 0 ? 2 : 1);
  if (tile.keys * layout.lanes % numThreads || tile.keys % reducedParts ||
      tile.rows * tile.keys % numThreads || layout.parts > maxParts)
    return "has " + std::to_string(tile.keys) +
           " keys, which do not occupy the threads, or has more than " +
           std::to_string(maxParts) + " parts";
  layout.keysOfThread = tile.keys * layout.lanes / numThreads;
  layout.columnThreads = columns / layout.columns;
  layout.keyThreads = numThreads / layout.columnThreads;
  layout.keysTogether = std::min(layout.getKeysOfColumns(),
                                 maxValues / layout.columns - tile.rows);
  layout.rowsTogether = std::clamp<int64_t>(
      vectorsOfExchange * side / (numThreads * layout.columns), 1, tile.rows);
  int64_t ofMeans = static_cast<int64_t>(sizeof(float)) * layout.parts *
                    layout.groups * layout.queries * columns;
  if (ofMeans > profile.getMaxStorageBufferRange())
    return "takes a buffer of " + std::to_string(ofMeans) +
           " bytes, but the device profile has " +
           std::to_string(profile.getMaxStorageBufferRange());
  int64_t bytes = layout.getBytes(attention);
  if (bytes > profile.getMaxWorkgroupMemory())
    return "takes " + std::to_string(bytes) +
           " bytes of workgroup memory, but the device profile has " +
           std::to_string(profile.getMaxWorkgroupMemory());
  return "";
}

//===----------------------------------------------------------------------===//
// Both kernels
//===----------------------------------------------------------------------===//

namespace {
/// The buffers that the first kernel writes and the second kernel reads. For
/// each part of the keys and each query, `statistics` holds the largest score
/// and the sum of exponentials, and `means` the weighted means of the values.
struct PartBuffers {
  Value statistics, means;
};

/// The common part of both kernels of split attention.
class SplitBuilder : protected ContractionBuilder {
protected:
  SplitBuilder(linalg::GenericOp op, const Attention &attention,
               const SplitAttentionLayout &layout, const PartBuffers &parts)
      : ContractionBuilder(op, attention.products), attention(attention),
        layout(layout), parts(parts),
        allRows(contraction.batches * contraction.rows.size) {}

  /// Creates the launch of `count` workgroups, and returns the workgroup's
  /// number.
  LinearForm launchGroups(int64_t count) {
    GroupedLaunch grouped = createLaunch(b, op, count, numThreads);
    launch = grouped.launch;
    views.emplace(launch);
    forms.emplace(launch.getThreadIds().x, numThreads);
    batch.resize(type.getRank());
    // Workgroups beyond the last one repeat the work of the last one.
    return forms->min(
        b, forms->getOpaque(grouped.group, {0, grouped.count - 1}), count - 1);
  }

  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value none() { return number(-std::numeric_limits<float>::infinity()); }
  Value select(Value condition, Value chosen, Value otherwise) {
    return condition ? arith::SelectOp::create(b, condition, chosen, otherwise)
                           .getResult()
                     : chosen;
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  }
  Value max(Value lhs, Value rhs) { return buildLarger(b, lhs, rhs); }
  Value exp(Value x) { return buildExponential(b, x); }
  Value getShift(Value largest) { return buildShift(b, largest); }
  /// Builds a divisor: `sum`, or 1 if `sum` is 0.
  Value getDivisor(Value sum) {
    return select(compare(arith::CmpFPredicate::OEQ, sum, number(0)), number(1),
                  sum);
  }
  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(b, VectorType::get(side, b.getF32Type()),
                                       scalar);
  }
  Value fromElements(ArrayRef<Value> elements) {
    return vector::FromElementsOp::create(
        b, VectorType::get(side, b.getF32Type()), elements);
  }
  Value load(Value memory, const LinearForm &place) {
    return memref::LoadOp::create(b, memory, forms->materialize(b, place));
  }
  void store(Value value, Value memory, const LinearForm &place) {
    memref::StoreOp::create(b, value, memory, forms->materialize(b, place));
  }
  /// Returns outer * size + inner.
  LinearForm at(const LinearForm &outer, int64_t size,
                const LinearForm &inner) {
    return forms->add(b, forms->mul(b, outer, size), inner);
  }
  /// Returns the number of vectors of 4 columns in a weighted mean of values.
  int64_t getMeanVectors() const { return contraction.columns.size / side; }
  Value getMeans() {
    return views->getVectors(
        b, parts.means, Packing(b.getF32Type(), DeviceProfile::vectorBytes));
  }
  Value getStatistics() { return views->getElements(b, parts.statistics); }

  const Attention &attention;
  const SplitAttentionLayout &layout;
  const PartBuffers &parts;
  /// The number of rows (queries) in all groups together.
  const int64_t allRows;
};
} // namespace

//===----------------------------------------------------------------------===//
// One part of the keys
//===----------------------------------------------------------------------===//

namespace {
class PartKernel : SplitBuilder {
public:
  PartKernel(linalg::GenericOp op, const Attention &attention,
             const SplitAttentionLayout &layout, const PartBuffers &parts)
      : SplitBuilder(op, attention, layout, parts),
        itemsOfThread(layout.rows * layout.keys / numThreads) {}

  void build();

private:
  LinearForm getRow(const LinearForm &row);
  Forms getRowCoordinates(const LinearForm &row);
  LinearForm getKey(const LinearForm &key);
  void buildLastKey();
  SmallVector<Value> buildFactors(const ContractionOperand &operand,
                                  const Forms &coordinates,
                                  const LinearForm &vector,
                                  const LinearForm *key);
  void stageQueries();
  SmallVector<Value> addTerms(const LinearForm &vector, ValueRange sums);
  void buildSums();
  SmallVector<Value> loadValues(int64_t first);
  void buildScores();
  SmallVector<Value> reduce(int64_t first, Value neutral,
                            llvm::function_ref<Value(Value, Value)> combine);
  void buildWeights();
  void addValues(SmallVector<Value> values);
  void storeMeans(ArrayRef<Value> sums);
  void buildPart();

  /// Whether one row of the workgroup may see a key that another row does not
  /// see. The value of such a key must not be added for the other row, not even
  /// with the weight 0, since the value may be NaN. A key that no row sees
  /// needs no such care: getKey() replaces it by a key that is seen.
  bool hidesValues() const {
    auto isOfRow = [&](Operation *nested) {
      auto index = dyn_cast<linalg::IndexOp>(nested);
      return index &&
             (llvm::is_contained(contraction.rows.dims,
                                 static_cast<int64_t>(index.getDim())) ||
              (attention.sharingHeads > 1 &&
               static_cast<int64_t>(index.getDim()) ==
                   contraction.batchDims.back()));
    };
    return llvm::any_of(attention.isSeenSlice, isOfRow);
  }
  /// Returns the row and the key of the thread's item `i`. The items are the
  /// pairs of a row and a key.
  std::pair<LinearForm, LinearForm> getItem(int64_t i) {
    return forms->divide(b, forms->add(b, forms->getThread(), i * numThreads),
                         layout.keys);
  }
  // Several threads (lanes) share out the terms of a key. These functions
  // return indices in workgroup memory: of one lane's sum of products, of a
  // score or the weight that replaces the score, and of the first result of a
  // reduction.
  LinearForm getPlaceOfSum(const LinearForm &lane, const LinearForm &row,
                           const LinearForm &key) {
    return at(at(lane, layout.rows, row), layout.keys, key);
  }
  LinearForm getPlaceOfScore(const LinearForm &row, const LinearForm &key) {
    return getPlaceOfSum(layout.lanes, row, key);
  }
  int64_t getReduced() const {
    return layout.rows * layout.keys * (layout.lanes + 1);
  }

  /// The number of pairs of a row and a key for which a thread computes scores.
  const int64_t itemsOfThread;
  LinearForm part, rowTile, group;
  /// The parts of the work that the thread has. `keyThread` and `lane` number
  /// its keys and its terms in the product of queries and keys. `valueThread`
  /// and `columnThread` number its keys and its columns in the product of
  /// weights and values.
  LinearForm keyThread, lane, valueThread, columnThread;
  Value vectors, numbers;
  /// The last key that a query of the workgroup sees, or null if queries see
  /// all keys.
  Value lastKey;
  /// For each of the thread's items, a pair of a row and a key: the score of
  /// the item, which its weight later replaces; the condition that its key
  /// exists and is seen; and the largest score and the sum of exponentials of
  /// its row.
  SmallVector<Value> scores, seen, largest, totals;
};
} // namespace

/// Returns the number, within its group, of the workgroup's row `row`. A group
/// consists of the queries of all heads that share a head of keys. Rows beyond
/// the last one repeat the work of the last one.
LinearForm PartKernel::getRow(const LinearForm &row) {
  return forms->min(b, at(rowTile, layout.rows, row), layout.queries - 1);
}

/// Returns the coordinates of the workgroup's row `row` in the output. The rows
/// of a group are the queries of its first head, of its second head, and so on.
PartKernel::Forms PartKernel::getRowCoordinates(const LinearForm &row) {
  auto [head, query] = forms->divide(b, getRow(row), contraction.rows.size);
  Forms coordinates(type.getRank());
  setDims(contraction.batchDims, at(group, attention.sharingHeads, head),
          coordinates, /*areOfBatch=*/true);
  setDims(contraction.rows.dims, query, coordinates);
  return coordinates;
}

/// Returns the number, among all keys, of key `key` of the part. A key behind
/// the last key that a query of the workgroup sees is replaced by this last
/// key, so that its factors are not read.
LinearForm PartKernel::getKey(const LinearForm &key) {
  LinearForm all = at(part, layout.keys, key);
  if (!lastKey)
    return forms->min(b, all, attention.keys - 1);
  return forms->getOpaque(
      arith::MinUIOp::create(b, forms->materialize(b, all), lastKey),
      {0, attention.keys - 1});
}

/// Builds the index of the last key that any row of the workgroup sees. The
/// condition `attention.isSeen` compares a key with the last key that a query
/// sees.
void PartKernel::buildLastKey() {
  if (!attention.isSeen)
    return;
  auto compare = attention.isSeen.getDefiningOp<arith::CmpIOp>();
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Forms> coordinates;
  for (int64_t row = 0; row < layout.rows; ++row) {
    builder.bind(row, attention.key, LinearForm(0));
    coordinates.push_back(getRowCoordinates(row));
  }
  builder.buildSlice(attention.isSeenSlice, coordinates);
  for (int64_t row = 0; row < layout.rows; ++row) {
    Value last = builder.getBuilt(row, compare.getRhs());
    lastKey = lastKey ? b.createOrFold<arith::MaxUIOp>(lastKey, last) : last;
  }
  lastKey = arith::MinUIOp::create(b, lastKey, constant(attention.keys - 1));
}

/// Builds the factors of a query, or of the key `key` if `key` is not null. Of
/// the terms, the factors of vector number `vector` are built.
SmallVector<Value> PartKernel::buildFactors(const ContractionOperand &operand,
                                            const Forms &coordinates,
                                            const LinearForm &vector,
                                            const LinearForm *key) {
  TileBuilder builder(b, op, *forms, *views);
  int64_t steps = layout.terms / attention.scores.getTermsOfStep();
  for (int64_t i = 0; i < steps; ++i) {
    bindStep(builder, i, at(vector, steps, i), attention.scores);
    if (key)
      builder.bind(i, attention.key, *key);
  }
  builder.buildSlice(operand.slice, SmallVector<Forms>(steps, coordinates));
  SmallVector<Value> factors;
  for (int64_t i = 0; i < steps; ++i)
    for (Value factor : operand.factors)
      factors.push_back(builder.getBuilt(i, factor));
  return factors;
}

/// Copies the queries to workgroup memory.
void PartKernel::stageQueries() {
  int64_t ofRow = layout.getTermVectors(attention), each = layout.terms / side;
  forEachItem(b, *forms, {layout.rows * ofRow, forms->getThread(), numThreads},
              [&](LinearForm item) {
                auto [row, vector] = forms->divide(b, item, ofRow);
                SmallVector<Value> factors = buildFactors(
                    attention.scores.rows, getRowCoordinates(row), vector,
                    /*key=*/nullptr);
                for (int64_t i = 0; i < each; ++i)
                  store(fromElements(ArrayRef(factors).slice(i * side, side)),
                        vectors, at(item, each, i));
              });
}

/// Adds the products of the terms in vector `vector` to `sums`. The list has a
/// sum for each row and each of the thread's keys.
SmallVector<Value> PartKernel::addTerms(const LinearForm &vector,
                                        ValueRange sums) {
  SmallVector<SmallVector<Value>> ofKeys;
  for (int64_t key = 0; key < layout.keysOfThread; ++key) {
    LinearForm number =
        getKey(forms->add(b, keyThread, key * (numThreads / layout.lanes)));
    ofKeys.push_back(
        buildFactors(attention.scores.columns, batch, vector, &number));
  }
  SmallVector<Value> next(sums);
  int64_t ofRow = layout.getTermVectors(attention), each = layout.terms / side;
  for (int64_t row = 0; row < layout.rows; ++row)
    for (int64_t i = 0; i < each; ++i) {
      Value query =
          load(vectors, at(forms->add(b, vector, row * ofRow), each, i));
      for (int64_t term = 0; term < side; ++term) {
        Value factor = vector::ExtractOp::create(b, query, term);
        for (int64_t key = 0; key < layout.keysOfThread; ++key) {
          Value &sum = next[row * layout.keysOfThread + key];
          sum = addProduct(factor, ofKeys[key][i * side + term], sum);
        }
      }
    }
  return next;
}

/// Builds the sums of products of queries and keys, and stores them in
/// workgroup memory. Several threads (lanes) share out the terms of a key, and
/// each has a partial sum of its own.
void PartKernel::buildSums() {
  SmallVector<Value> sums(layout.rows * layout.keysOfThread, getZero());
  int64_t trips = layout.getTrips(attention);
  if (layout.isWrittenOut(attention)) {
    for (int64_t trip = 0; trip < trips; ++trip)
      sums = addTerms(forms->add(b, lane, trip * layout.lanes), sums);
  } else {
    sums = buildLoop(b, *forms, {0, trips}, Counter::AddedLast, sums,
                     [&](LinearForm trip, ValueRange sums) {
                       return addTerms(at(trip, layout.lanes, lane), sums);
                     });
  }
  for (auto [i, sum] : llvm::enumerate(sums)) {
    auto number = static_cast<int64_t>(i);
    LinearForm key =
        forms->add(b, keyThread,
                   number % layout.keysOfThread * (numThreads / layout.lanes));
    store(sum, numbers, getPlaceOfSum(lane, number / layout.keysOfThread, key));
  }
}

/// Loads the values of up to `keysTogether` of the thread's keys, from its key
/// number `first` on, at the thread's columns. Returns the values as vectors of
/// 4 columns.
SmallVector<Value> PartKernel::loadValues(int64_t first) {
  SmallVector<Value> result;
  int64_t end =
      std::min(first + layout.keysTogether, layout.getKeysOfColumns());
  for (int64_t i = first; i < end; ++i) {
    LinearForm key = forms->min(
        b, forms->add(b, valueThread, i * layout.keyThreads), layout.keys - 1);
    LinearForm position = getKey(key);
    TileBuilder builder(b, op, *forms, *views);
    SmallVector<Forms> coordinates;
    for (int64_t column = 0; column < layout.columns; ++column) {
      coordinates.push_back(batch);
      setDims(contraction.columns.dims,
              at(columnThread, layout.columns, column), coordinates.back());
      bindStep(builder, column, position);
    }
    builder.buildSlice(contraction.columns.slice, coordinates);
    SmallVector<Value> factors;
    for (int64_t column = 0; column < layout.columns; ++column)
      factors.push_back(
          builder.getBuilt(column, contraction.columns.factors.front()));
    for (int64_t column = 0; column < layout.columns; column += side)
      result.push_back(fromElements(ArrayRef(factors).slice(column, side)));
  }
  return result;
}

/// Builds the scores of the thread's items, which are pairs of a row and a key.
/// Several threads (lanes) have partial sums of a score. The code adds them up.
/// A score is -infinity if its key does not exist or is not seen.
void PartKernel::buildScores() {
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Forms> coordinates;
  for (int64_t i = 0; i < itemsOfThread; ++i) {
    auto [row, key] = getItem(i);
    Value sum;
    for (int64_t lane = 0; lane < layout.lanes; ++lane) {
      Value term = load(numbers, getPlaceOfSum(lane, row, key));
      sum = sum ? add(sum, term) : term;
    }
    LinearForm all = at(part, layout.keys, key);
    Value isThere;
    if (layout.parts * layout.keys > attention.keys)
      isThere = buildIsBelow(b, *forms, all, attention.keys);
    seen.push_back(isThere);
    builder.bind(i, attention.key, forms->min(b, all, attention.keys - 1));
    builder.bind(i, attention.sum, sum);
    coordinates.push_back(getRowCoordinates(row));
  }
  builder.buildSlice(attention.scoreSlice, coordinates);
  builder.buildSlice(attention.isSeenSlice, coordinates);
  for (int64_t i = 0; i < itemsOfThread; ++i) {
    if (attention.isSeen)
      seen[i] = both(b, seen[i], builder.getBuilt(i, attention.isSeen));
    scores.push_back(
        select(seen[i], builder.getBuilt(i, attention.score), none()));
  }
}

/// Reduces the scores over the keys of each row, and returns the results for
/// the rows of the thread's items. The reduction of 64 keys first reduces 8
/// groups of 8 keys. The results of the groups are stored in workgroup memory
/// from number `first` on.
SmallVector<Value>
PartKernel::reduce(int64_t first, Value neutral,
                   llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t i = 0; i < itemsOfThread; ++i) {
    auto [row, key] = getItem(i);
    store(scores[i], numbers, getPlaceOfScore(row, key));
  }
  gpu::BarrierOp::create(b);
  int64_t ofPart = layout.keys / reducedParts;
  forEachItem(
      b, *forms, {layout.rows * reducedParts, forms->getThread(), numThreads},
      [&](LinearForm item) {
        Value reduced = neutral;
        for (int64_t i = 0; i < ofPart; ++i)
          reduced = combine(reduced,
                            load(numbers, forms->add(b, at(item, ofPart, i),
                                                     getPlaceOfScore(0, 0))));
        store(reduced, numbers, forms->add(b, item, first));
      });
  gpu::BarrierOp::create(b);
  SmallVector<Value> results;
  for (int64_t i = 0; i < itemsOfThread; ++i) {
    LinearForm row = getItem(i).first;
    Value result = neutral;
    for (int64_t number = 0; number < reducedParts; ++number)
      result =
          combine(result, load(numbers, at(row, reducedParts, number + first)));
    results.push_back(result);
  }
  return results;
}

/// Builds the softmax of the scores in the part, and stores the weights in
/// workgroup memory. A key that does not exist, or that the row does not see,
/// has the weight -1 if other rows may see the key (hidesValues()), and 0
/// otherwise. The thread that has a row's first key stores the row's largest
/// score and the sum of its exponentials.
void PartKernel::buildWeights() {
  largest =
      reduce(getReduced(), none(), [&](Value x, Value y) { return max(x, y); });
  for (int64_t i = 0; i < itemsOfThread; ++i)
    scores[i] = select(
        seen[i], exp(arith::SubFOp::create(b, scores[i], getShift(largest[i]))),
        number(0));
  totals = reduce(getReduced() + layout.rows * reducedParts, number(0),
                  [&](Value x, Value y) { return add(x, y); });
  Value statistics = getStatistics();
  for (int64_t i = 0; i < itemsOfThread; ++i) {
    auto [row, key] = getItem(i);
    Value weight = arith::DivFOp::create(b, scores[i], getDivisor(totals[i]));
    store(select(seen[i], weight, number(hidesValues() ? -1 : 0)), numbers,
          getPlaceOfScore(row, key));
    Value isFirst = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, forms->materialize(b, key), constant(0));
    GuardedBlock guard(b, *forms, isFirst);
    LinearForm place =
        at(part, allRows, at(group, layout.queries, getRow(row)));
    store(largest[i], statistics, forms->mul(b, place, 2));
    store(totals[i], statistics, at(place, 2, 1));
  }
  gpu::BarrierOp::create(b);
}

/// Adds up the products of weights and values, and stores the means. `values`
/// are the values of the thread's first keys, which have been loaded already.
void PartKernel::addValues(SmallVector<Value> values) {
  int64_t each = layout.columns / side;
  SmallVector<Value> sums(layout.rows * each, getZero(side));
  for (int64_t i = 0; i < layout.getKeysOfColumns(); ++i) {
    int64_t place = i % layout.keysTogether;
    if (i > 0 && place == 0)
      values = loadValues(i);
    LinearForm key = forms->add(b, valueThread, i * layout.keyThreads);
    Value isThere;
    if (forms->getRange(key).max >= layout.keys) {
      isThere = buildIsBelow(b, *forms, key, layout.keys);
      key = forms->min(b, key, layout.keys - 1);
    }
    for (int64_t row = 0; row < layout.rows; ++row) {
      Value weight = load(numbers, getPlaceOfScore(row, key));
      if (isThere)
        weight = select(isThere, weight, number(0));
      // A weight that is NaN passes the comparison, so that its value is added.
      Value counts;
      if (hidesValues())
        counts = compare(arith::CmpFPredicate::UGE, weight, number(0));
      for (int64_t vector = 0; vector < each; ++vector) {
        Value &sum = sums[row * each + vector];
        sum = select(
            counts,
            addProduct(broadcast(weight), values[place * each + vector], sum),
            sum);
      }
    }
  }
  storeMeans(sums);
}

/// Adds up the sums of the threads that share columns, `rowsTogether` rows at a
/// time, and stores the totals, which are the means of the part.
void PartKernel::storeMeans(ArrayRef<Value> sums) {
  int64_t each = layout.columns / side, ofRow = getMeanVectors();
  Value means = getMeans();
  for (int64_t first = 0; first < layout.rows; first += layout.rowsTogether) {
    int64_t count = std::min(layout.rowsTogether, layout.rows - first);
    gpu::BarrierOp::create(b);
    {
      Value takesPart = buildIsBelow(b, *forms, forms->getThread(),
                                     layout.columnThreads * layout.keyThreads);
      GuardedBlock guard(b, *forms, takesPart);
      LinearForm thread = forms->min(b, valueThread, layout.keyThreads - 1);
      for (int64_t row = 0; row < count; ++row)
        for (int64_t vector = 0; vector < each; ++vector)
          store(sums[(first + row) * each + vector], vectors,
                at(at(thread, count, row), ofRow,
                   at(columnThread, each, vector)));
    }
    gpu::BarrierOp::create(b);
    forEachItem(
        b, *forms, {count * ofRow, forms->getThread(), numThreads},
        [&](LinearForm item) {
          Value sum;
          for (int64_t thread = 0; thread < layout.keyThreads; ++thread) {
            Value term =
                load(vectors, forms->add(b, item, thread * count * ofRow));
            sum = sum ? add(sum, term) : term;
          }
          auto [row, vector] = forms->divide(b, item, ofRow);
          LinearForm place =
              at(part, allRows,
                 at(group, layout.queries, getRow(forms->add(b, row, first))));
          store(sum, means, at(place, ofRow, vector));
        });
  }
}

void PartKernel::buildPart() {
  stageQueries();
  gpu::BarrierOp::create(b);
  buildSums();
  // The values of the first keys are loaded while the weights are computed.
  SmallVector<Value> values = loadValues(0);
  gpu::BarrierOp::create(b);
  buildScores();
  buildWeights();
  addValues(std::move(values));
}

void PartKernel::build() {
  LinearForm workgroup =
      launchGroups(layout.parts * layout.rowTiles * layout.groups);
  std::tie(workgroup, part) = forms->divide(b, workgroup, layout.parts);
  std::tie(group, rowTile) = forms->divide(b, workgroup, layout.rowTiles);
  setDims(contraction.batchDims, forms->mul(b, group, attention.sharingHeads),
          batch, /*areOfBatch=*/true);
  std::tie(keyThread, lane) =
      forms->divide(b, forms->getThread(), layout.lanes);
  std::tie(valueThread, columnThread) =
      forms->divide(b, forms->getThread(), layout.columnThreads);
  vectors = allocateInWorkgroup(b, layout.getVectors(attention),
                                VectorType::get(side, b.getF32Type()));
  numbers = allocateInWorkgroup(b, layout.getNumbers(), b.getF32Type());
  buildLastKey();
  if (!lastKey)
    return buildPart();
  Value isSeen = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ule,
      forms->materialize(b, forms->mul(b, part, layout.keys)), lastKey);
  auto choice = scf::IfOp::create(b, isSeen, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    IndexForms::Scope scope(*forms);
    b.setInsertionPointToStart(choice.thenBlock());
    buildPart();
  }
  b.setInsertionPointToStart(choice.elseBlock());
  Value statistics = getStatistics();
  forEachItem(b, *forms, {layout.rows, forms->getThread(), numThreads},
              [&](LinearForm row) {
                LinearForm place =
                    at(part, allRows, at(group, layout.queries, getRow(row)));
                store(none(), statistics, forms->mul(b, place, 2));
                store(number(-1), statistics, at(place, 2, 1));
              });
}

//===----------------------------------------------------------------------===//
// The combination of the parts
//===----------------------------------------------------------------------===//

namespace {
/// The second kernel of split attention, which combines the parts of the keys.
/// A workgroup computes one row of the output.
class CombineKernel : SplitBuilder {
public:
  CombineKernel(linalg::GenericOp op, const Attention &attention,
                const SplitAttentionLayout &layout, const PartBuffers &parts)
      : SplitBuilder(op, attention, layout, parts),
        partThreads(numThreads / getMeanVectors()),
        rounds(llvm::divideCeilSigned(layout.parts, partThreads)) {}

  void build();

private:
  Value reduceParts(int64_t first, Value neutral,
                    llvm::function_ref<Value(Value, Value)> combine);
  void buildShares();
  /// A part whose mean the thread adds, and the condition that the part exists.
  /// The condition is null if the part always exists.
  struct AddedPart {
    LinearForm part;
    Value isThere;
  };
  AddedPart getAddedPart(const LinearForm &round);
  Value loadMean(const AddedPart &added);
  Value addMean(const AddedPart &added, Value mean, Value sum);
  Value addMeans(ArrayRef<Value> ahead);
  void storeRow(Value sum, const LinearForm &query);

  /// `partThreads` threads add the means of different parts for one vector of
  /// the row, each in `rounds` rounds.
  const int64_t partThreads, rounds;
  LinearForm row, partThread, vector;
  Value vectors, numbers, total;
};
} // namespace

/// Combines, by `combine`, one number for each part of the keys. The numbers
/// lie in workgroup memory from index `first` on.
Value CombineKernel::reduceParts(
    int64_t first, Value neutral,
    llvm::function_ref<Value(Value, Value)> combine) {
  return buildLoop(b, *forms, {0, layout.parts}, Counter::InOrder, neutral,
                   [&](LinearForm part, ValueRange carried) {
                     Value number = load(numbers, forms->add(b, part, first));
                     return SmallVector<Value>{
                         combine(carried.front(), number)};
                   })
      .front();
}

/// Stores the share that each part of the keys has in the output in workgroup
/// memory. A part in which the query sees no key gets the share -1. Also builds
/// the sum of the shares.
void CombineKernel::buildShares() {
  Value statistics = getStatistics();
  SharedItems items{layout.parts, forms->getThread(), numThreads};
  forEachItem(b, *forms, items, [&](LinearForm part) {
    LinearForm place = forms->mul(b, at(part, allRows, row), 2);
    store(load(statistics, place), numbers, part);
    store(load(statistics, forms->add(b, place, 1)), numbers,
          forms->add(b, part, layout.parts));
  });
  gpu::BarrierOp::create(b);
  Value shift = getShift(
      reduceParts(0, none(), [&](Value x, Value y) { return max(x, y); }));
  forEachItem(b, *forms, items, [&](LinearForm part) {
    LinearForm place = forms->add(b, part, layout.parts);
    Value sum = load(numbers, place);
    Value factor =
        exp(arith::SubFOp::create(b, getShift(load(numbers, part)), shift));
    Value isUnseen = compare(arith::CmpFPredicate::OLT, sum, number(0));
    store(select(isUnseen, sum, arith::MulFOp::create(b, sum, factor)), numbers,
          place);
  });
  gpu::BarrierOp::create(b);
  total = reduceParts(layout.parts, number(0), [&](Value x, Value y) {
    Value isUnseen = compare(arith::CmpFPredicate::OLT, y, number(0));
    return select(isUnseen, x, add(x, y));
  });
}

/// Returns the part whose mean the thread adds in `round`. The thread adds
/// every `partThreads`-th part, from part `partThread` on.
CombineKernel::AddedPart CombineKernel::getAddedPart(const LinearForm &round) {
  LinearForm part = at(round, partThreads, partThread);
  if (forms->getRange(part).max < layout.parts)
    return {part, Value()};
  Value isThere = buildIsBelow(b, *forms, part, layout.parts);
  return {forms->min(b, part, layout.parts - 1), isThere};
}

Value CombineKernel::loadMean(const AddedPart &added) {
  return load(getMeans(),
              at(at(added.part, allRows, row), getMeanVectors(), vector));
}

/// Adds `mean`, weighted by the share of its part, to `sum`.
Value CombineKernel::addMean(const AddedPart &added, Value mean, Value sum) {
  Value share = load(numbers, forms->add(b, added.part, layout.parts));
  Value counts = both(b, added.isThere,
                      compare(arith::CmpFPredicate::UGE, share, number(0)));
  Value weight = arith::DivFOp::create(b, share, getDivisor(total));
  return select(counts, addProduct(broadcast(weight), mean, sum), sum);
}

/// Adds up the weighted means of the thread's parts. `ahead` has the means if
/// they have been loaded before.
Value CombineKernel::addMeans(ArrayRef<Value> ahead) {
  Value sum = getZero(side);
  for (auto [round, mean] : llvm::enumerate(ahead))
    sum = addMean(getAddedPart(static_cast<int64_t>(round)), mean, sum);
  if (!ahead.empty())
    return sum;
  return buildLoop(b, *forms, {0, rounds}, Counter::InOrder, sum,
                   [&](LinearForm round, ValueRange carried) {
                     AddedPart added = getAddedPart(round);
                     return SmallVector<Value>{
                         addMean(added, loadMean(added), carried.front())};
                   })
      .front();
}

/// Stores the elements of the output that are computed from the thread's `sum`.
void CombineKernel::storeRow(Value sum, const LinearForm &query) {
  OperandTile rows{&contraction.rows, 1, query},
      columns{&contraction.columns, contraction.columns.size, 0};
  // The softmax of scores that are all -infinity is undefined, and becomes NaN.
  Value isNone = compare(arith::CmpFPredicate::OEQ, total, number(0));
  Value nan = number(std::numeric_limits<double>::quiet_NaN());
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < side; ++lane)
    lanes.push_back(
        select(isNone, nan, vector::ExtractOp::create(b, sum, lane)));
  TileBuilder builder(b, op, *forms, *views);
  storeElements(builder, rows, query, columns, forms->getThread(), lanes);
}

void CombineKernel::build() {
  row = launchGroups(allRows);
  auto [head, query] = forms->divide(b, row, contraction.rows.size);
  setDims(contraction.batchDims, head, batch, /*areOfBatch=*/true);
  int64_t vectorsOfRow = getMeanVectors();
  vectors =
      allocateInWorkgroup(b, numThreads, VectorType::get(side, b.getF32Type()));
  numbers = allocateInWorkgroup(b, 2 * layout.parts, b.getF32Type());
  std::tie(partThread, vector) =
      forms->divide(b, forms->getThread(), vectorsOfRow);
  partThread = forms->min(b, partThread, partThreads - 1);
  // Memory serves the loads of the means while the threads compute the shares.
  SmallVector<Value> means;
  if (rounds * side <= cost::maxRegistersAhead)
    for (int64_t round = 0; round < rounds; ++round)
      means.push_back(loadMean(getAddedPart(round)));
  buildShares();
  store(addMeans(means), vectors, forms->getThread());
  gpu::BarrierOp::create(b);
  GuardedBlock guard(b, *forms,
                     buildIsBelow(b, *forms, forms->getThread(), vectorsOfRow));
  LinearForm thread = forms->min(b, forms->getThread(), vectorsOfRow - 1);
  Value sum;
  for (int64_t i = 0; i < partThreads; ++i) {
    Value term = load(vectors, forms->add(b, thread, i * vectorsOfRow));
    sum = sum ? add(sum, term) : term;
  }
  storeRow(sum, query);
}

void dml::buildSplitAttentionKernel(linalg::GenericOp op,
                                    const Attention &attention,
                                    const SplitAttentionLayout &layout) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t rows =
      attention.products.batches * attention.products.rows.size * layout.parts;
  auto allocate = [&](int64_t count) -> Value {
    return memref::AllocOp::create(b, MemRefType::get({count}, b.getF32Type()));
  };
  PartBuffers parts{allocate(2 * rows),
                    allocate(rows * attention.products.columns.size)};
  PartKernel(op, attention, layout, parts).build();
  CombineKernel(op, attention, layout, parts).build();
  op.erase();
}
