//===- AttentionKernel.cpp - A softmax of products, and no scores ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A workgroup computes all columns of the outputs of some queries, and iterates
// over the keys in blocks. For each block, the threads first add up the scores
// in registers, like a contraction kernel. They then exchange the largest score
// of each query, and the sum of the exponentials, through workgroup memory.
// They store the weights, which are the exponentials divided by the sum so far,
// in workgroup memory, and finally add up the products of weights and values.
// Scores are never written to a buffer.
//
// Three values for each query are carried from block to block: the largest
// score so far, the sum of the exponentials of the scores minus the largest
// score, and the outputs, which are weighted means of the values so far. For
// example, two blocks have one key each, with the scores 3 and 5 and the values
// 10 and 20. After the first block, the largest score is 3, the sum is 1, and
// the output is 10. The largest score of the second block is 5. The sum is
// multiplied by e^-2 and increased by 1, to about 1.135. The output becomes 10
// * (e^-2 / 1.135) + 20 * (1 / 1.135) = 18.8.
//
// The outputs are weighted means after each block, instead of sums that are
// divided at the end, so that no number is larger than the largest value. The
// products of a block are added up separately, so that the carried outputs are
// rounded only where a block corrects them, instead of once for each key. Such
// a correction rounds an output at most 9 times. Error bounds allow about one
// rounding for each key: enough in a block of 16 keys or more, but not in a
// block of one key (docs/Reference.md). If the number of keys is not a multiple
// of the block size, the incomplete block is therefore the first one, which has
// no outputs to correct.
//
//===----------------------------------------------------------------------===//

#include "Kernels/AttentionKernel.h"
#include "Emit/ContractionBuilder.h"
#include "Emit/Launch.h"
#include "Emit/Softmax.h"
#include "Emit/Staging.h"
#include "Kernels/SeenKeys.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The largest number of elements of the output that a thread computes. The
/// thread keeps these elements in registers throughout its loop over keys. It
/// needs as many registers again for the sums of the present block of keys.
/// Devices have enough registers for 128 elements.
static constexpr int64_t maxOutputs = 128;

/// The least number of keys in a block. Each block of online softmax corrects,
/// and thus rounds, the sums that are carried from block to block. The results
/// of kernels are compared to error bounds (docs/Reference.md). Smaller blocks
/// would round more often than the bounds allow.
static constexpr int64_t minKeysTogether = 16;

std::optional<AttentionLayout> AttentionLayout::get(const Attention &attention,
                                                    const AttentionTile &tile) {
  std::optional<ThreadBlock> block =
      ThreadBlock::get({tile.queries, tile.keys, tile.terms});
  if (!block || tile.keys < minKeysTogether)
    return std::nullopt;
  AttentionLayout layout;
  layout.block = *block;
  layout.columnVectors =
      llvm::divideCeilSigned(attention.products.columns.size,
                             ThreadBlock::side * block->threadColumns);
  if (layout.columnVectors > maxOutputs ||
      layout.columnVectors * ThreadBlock::side * block->rows > maxOutputs)
    return std::nullopt;
  layout.terms = tile.terms;
  // One region of workgroup memory is used three times for each block of keys:
  // first for the factors of scores, then for the maxima and sums that threads
  // exchange, and then for the values. The region is as large as the largest of
  // the three.
  int64_t ofQueries = getStagedVectors(tile.queries),
          ofKeys = getStagedVectors(tile.keys),
          ofValues = getStagedVectors(layout.getColumns());
  int64_t exchanged =
      2 * block->threadColumns * (tile.queries / ThreadBlock::side);
  layout.stagedVectors = std::max({tile.terms * (ofQueries + ofKeys), exchanged,
                                   ThreadBlock::side * ofValues});
  layout.valueKeys = tile.keys;
  while (tile.keys % layout.valueKeys ||
         layout.valueKeys * ofValues > layout.stagedVectors)
    --layout.valueKeys;
  layout.weightVectors = tile.keys * ofQueries;
  return layout;
}

std::string dml::findTileProblem(const Attention &attention,
                                 const AttentionTile &tile,
                                 const DeviceProfile &profile) {
  int64_t maxMemory = profile.getMaxWorkgroupMemory();
  int64_t ofStep = attention.scores.getTermsOfStep();
  // A tile must not have more terms than workgroup memory has bytes. The sizes
  // that are computed below then fit 64 bits.
  if (tile.terms > maxMemory || tile.terms % ofStep)
    return "has " + std::to_string(tile.terms) +
           " terms, but a multiple of the " + std::to_string(ofStep) +
           " of an iteration is wanted";
  std::optional<AttentionLayout> layout = AttentionLayout::get(attention, tile);
  if (!layout)
    return "is no " + std::to_string(DeviceProfile::workgroupSize) +
           " blocks of queries and keys that are multiples of " +
           std::to_string(ThreadBlock::side) + ", of " +
           std::to_string(minKeysTogether) + " keys or more, with at most " +
           std::to_string(maxOutputs) + " elements of the output for a thread";
  int64_t bytes = layout->getVectors() * ThreadBlock::side *
                  static_cast<int64_t>(sizeof(float));
  if (bytes > maxMemory)
    return "takes " + std::to_string(bytes) +
           " bytes of workgroup memory, but the device profile has " +
           std::to_string(maxMemory);
  return "";
}

std::optional<AttentionTile>
dml::getAttentionTile(const Attention &attention, int64_t queries, int64_t keys,
                      const DeviceProfile &profile) {
  constexpr int64_t mostTerms = 16;
  int64_t ofStep = attention.scores.getTermsOfStep();
  for (int64_t steps =
           std::clamp<int64_t>(mostTerms / ofStep, 1, attention.scores.steps);
       steps > 0; steps /= 2) {
    AttentionTile tile{queries, keys, steps * ofStep};
    if (findTileProblem(attention, tile, profile).empty())
      return tile;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// The largest number of terms, or of keys, over which a loop is unrolled.
static constexpr int64_t maxWrittenOut = 8;

/// Returns the largest divisor of `count` that is at most `most`.
static int64_t getDivisor(int64_t count, int64_t most) {
  most = std::min(count, most);
  while (count % most)
    --most;
  return most;
}

namespace {
/// An operand whose factors are staged in workgroup memory: the queries, the
/// keys or the values.
struct StagedOperand {
  const ContractionOperand *operand = nullptr;
  /// The contraction whose products have the factors of this operand.
  const Contraction *sums = nullptr;
  /// The first vector of positions that the workgroup stages, counted in
  /// vectors from the beginning of the operand.
  LinearForm firstVector;
  /// The layout of the operand in workgroup memory. The factors of one term, at
  /// all positions of the tile, are consecutive vectors of `side` = 4
  /// positions. A thread loads an item at a time: the vectors of the same 4
  /// positions for several neighbouring terms. All items of the same terms form
  /// a line. With 16 terms, 64 positions, and 4 terms in an item, there are 4
  /// lines of 16 items of 4 vectors.
  StagedArea area;
  /// The distance in memory between neighbouring terms, in vectors.
  int64_t pitch = 0;
  /// The value of the body that numbers the positions, such as the induction
  /// variable of the loop over keys. Null for an operand whose positions are
  /// coordinates of the output.
  Value position;

  /// Sets the layout of `terms` terms. Each term has `vectors` vectors, and a
  /// thread loads `termsOfItem` terms at a time.
  void layOut(int64_t terms, int64_t vectors, int64_t termsOfItem) {
    area.lines = terms / termsOfItem;
    area.itemsOfLine = vectors;
    area.vectorsOfItem = termsOfItem;
    area.ofLine = termsOfItem * pitch;
    area.ofItem = 1;
    area.ofVector = pitch;
  }
};

class AttentionKernel : ContractionBuilder {
public:
  AttentionKernel(linalg::GenericOp op, const Attention &attention,
                  const AttentionTile &tile)
      : ContractionBuilder(op, attention.products), attention(attention),
        tile(tile), layout(*AttentionLayout::get(attention, tile)),
        block(layout.block), rowVectors(block.rows / side),
        keyVectors(block.columns / side) {}

  void build();

private:
  static constexpr int64_t side = ThreadBlock::side;
  static constexpr int64_t numThreads = DeviceProfile::workgroupSize;

  // The values of a thread, in lists of SIMD vectors. OfRows has one vector for
  // each group of `side` queries. OfKeys has one vector for each such group and
  // each key. OfColumns has one vector for each query and each group of `side`
  // columns.
  using OfRows = SmallVector<Value>;
  using OfKeys = SmallVector<Value>;
  using OfColumns = SmallVector<Value>;

  Value constantOf(double value, int64_t lanes = side) {
    Type type = b.getF32Type();
    TypedAttr attribute = b.getFloatAttr(type, value);
    if (lanes > 1) {
      auto vector = VectorType::get(lanes, type);
      attribute = DenseElementsAttr::get(vector, attribute);
    }
    return arith::ConstantOp::create(b, attribute);
  }
  Value broadcast(Value scalar) {
    return vector::BroadcastOp::create(
        b, VectorType::get(side, scalar.getType()), scalar);
  }
  Value load(const LinearForm &place) {
    return memref::LoadOp::create(b, memory, forms->materialize(b, place));
  }
  void store(Value value, const LinearForm &place) {
    memref::StoreOp::create(b, value, memory, forms->materialize(b, place));
  }
  Value select(Value condition, Value chosen, Value otherwise) {
    return arith::SelectOp::create(b, condition, chosen, otherwise);
  }
  Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, predicate, lhs, rhs);
  }
  Value max(Value lhs, Value rhs) { return buildLarger(b, lhs, rhs); }
  Value exp(Value x) { return buildExponential(b, x); }
  Value getShift(Value largest) { return buildShift(b, largest); }

  using BodyFn = llvm::function_ref<SmallVector<Value>(LinearForm, ValueRange)>;
  /// Builds a loop from 0 to `count` in steps of `step`, which divides `count`.
  /// The loop carries `carried`. If there is only one iteration, the body is
  /// built without a loop. A `bound` that is not null is the number of
  /// iterations, which is at most `count` / `step`.
  SmallVector<Value> loopOver(int64_t count, int64_t step, ValueRange carried,
                              BodyFn body, Value bound = Value());

  SmallVector<Value> buildFactors(const StagedOperand &staged,
                                  LinearForm vector, LinearForm firstStep,
                                  int64_t steps);
  void stage(const StagedOperand &staged, LinearForm thread,
             LinearForm firstStep);
  OfKeys buildSums();
  void buildScores(LinearForm keyBlock, MutableArrayRef<Value> sums,
                   SmallVectorImpl<Value> &seen);
  OfColumns addValues(LinearForm keyBlock);
  Value buildSeenBlocks();
  SmallVector<Value> buildBlock(LinearForm keyBlock, ValueRange carried);
  void storeOutputs(ValueRange carried);
  void layOutOperands();

  /// Returns the index of the thread's `i`-th vector of queries, counted in the
  /// workgroup's tile.
  LinearForm getRowVector(int64_t i) {
    return forms->add(b, threadRow, i * block.threadRows);
  }
  /// Returns the index of the thread's `i`-th vector of keys, counted in a
  /// block of keys.
  LinearForm getKeyVector(int64_t i) {
    return forms->add(b, threadColumn, i * block.threadColumns);
  }
  /// Returns how many numbers of the blocks of keys have no key.
  int64_t getMissingKeys() const {
    return llvm::alignTo(attention.keys, tile.keys) - attention.keys;
  }
  /// Returns the key that has the number `number`, counted over all blocks, and
  /// the condition that the key exists. The condition is null if all numbers
  /// have keys.
  ///
  /// If the number of keys is not a multiple of the block, the first block is
  /// incomplete: its first numbers have no key, and the function returns key 0
  /// for them. With 100 keys in blocks of 32, numbers 0 to 27 have no key, and
  /// number 28 is key 0. The last block must not be the incomplete one, since a
  /// later block corrects, and thus rounds, the outputs of the blocks before.
  /// Error bounds do not allow such a rounding for a block of few keys.
  std::pair<LinearForm, Value> getKey(LinearForm number) {
    int64_t missing = getMissingKeys();
    if (missing == 0)
      return {number, Value()};
    Value isThere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                              forms->materialize(b, number), constant(missing));
    return {forms->max(b, forms->sub(b, number, missing), 0), isThere};
  }
  LinearForm getPlaceOfWeights(LinearForm key, LinearForm rowVector) {
    return forms->add(b, forms->mul(b, key, getStagedVectors(tile.queries)),
                      forms->add(b, rowVector, layout.stagedVectors));
  }

  const Attention &attention;
  const AttentionTile &tile;
  const AttentionLayout layout;
  const ThreadBlock block;
  /// The number of vectors of queries and the number of vectors of keys for
  /// which a thread computes scores.
  const int64_t rowVectors, keyVectors;

  LinearForm threadRow, threadColumn;
  OperandTile rows, columns;
  Value memory;
  StagedOperand queries, keys, values;
};
} // namespace

SmallVector<Value> AttentionKernel::loopOver(int64_t count, int64_t step,
                                             ValueRange carried, BodyFn body,
                                             Value bound) {
  int64_t trips = count / step;
  if (trips == 1)
    return body(0, carried);
  return buildLoop(b, *forms, {0, trips, 1, bound}, Counter::AddedLast, carried,
                   [&](LinearForm trip, ValueRange carried) {
                     return body(forms->mul(b, trip, step), carried);
                   });
}

//===----------------------------------------------------------------------===//
// To workgroup memory
//===----------------------------------------------------------------------===//

/// Builds the factors of `steps` iterations of the loop over terms, from
/// iteration `firstStep` on, at each position of vector `vector`. In the
/// result, the factors of one term are neighbours.
SmallVector<Value> AttentionKernel::buildFactors(const StagedOperand &staged,
                                                 LinearForm vector,
                                                 LinearForm firstStep,
                                                 int64_t steps) {
  const ContractionOperand &operand = *staged.operand;
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Forms> ofLanes, coordinates;
  SmallVector<LinearForm> positions;
  for (int64_t lane = 0; lane < side; ++lane) {
    positions.push_back(
        staged.position
            ? getKey(forms->add(b, forms->mul(b, vector, side), lane)).first
            : getPosition(operand, vector, lane, side));
    ofLanes.push_back(getCoordinates(operand, positions.back()));
  }
  SmallVector<Value> counts;
  for (int64_t i = 0; i < steps; ++i) {
    LinearForm step = forms->add(b, firstStep, i);
    // Factors of terms that do not exist are 0: of keys that the first block
    // lacks, or of iterations beyond the last one.
    Value isThere;
    if (staged.sums == &contraction) {
      std::tie(step, isThere) = getKey(step);
    } else if (forms->getRange(step).max >= staged.sums->steps) {
      isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                      forms->materialize(b, step),
                                      constant(staged.sums->steps));
      step = forms->min(b, step, staged.sums->steps - 1);
    }
    counts.push_back(isThere);
    for (int64_t lane = 0; lane < side; ++lane) {
      size_t element = coordinates.size();
      bindStep(builder, element, step, *staged.sums);
      if (staged.position)
        builder.bind(element, staged.position, positions[lane]);
      coordinates.push_back(ofLanes[lane]);
    }
  }
  builder.buildSlice(operand.slice, coordinates);
  SmallVector<Value> factors;
  for (int64_t i = 0; i < steps; ++i)
    for (Value factor : operand.factors)
      for (int64_t lane = 0; lane < side; ++lane) {
        factors.push_back(builder.getBuilt(i * side + lane, factor));
        if (counts[i])
          factors.back() = select(counts[i], factors.back(), getZero());
      }
  return factors;
}

/// Copies the factors of the loop over terms, from iteration `firstStep` on, to
/// workgroup memory. A thread chooses its items by `thread`. This is the
/// thread's own index, or this index plus an offset: threads that had no item
/// of the queries then take the first items of the keys.
void AttentionKernel::stage(const StagedOperand &staged, LinearForm thread,
                            LinearForm firstStep) {
  int64_t stepsOfItem = staged.area.vectorsOfItem /
                        static_cast<int64_t>(staged.operand->factors.size());
  Staging(b, *forms, numThreads)
      .stage(staged.area, thread, /*buffer=*/0, Staging::LastRound::Skips,
             [&](const StagedItem &item) {
               LinearForm step = forms->add(
                   b, firstStep, forms->mul(b, item.line, stepsOfItem));
               return buildFactors(
                   staged, forms->add(b, staged.firstVector, item.inLine), step,
                   stepsOfItem);
             });
}

//===----------------------------------------------------------------------===//
// A block of keys
//===----------------------------------------------------------------------===//

/// Builds the sums of products from which the thread's scores are computed. The
/// result has one vector of sums for each key and each group of `side` queries.
AttentionKernel::OfKeys AttentionKernel::buildSums() {
  int64_t ofStep = attention.scores.getTermsOfStep();
  int64_t steps = tile.terms / ofStep;
  OfKeys init(rowVectors * block.columns, getZero(side));
  return loopOver(
      llvm::alignTo(attention.scores.steps, steps), steps, init,
      [&](LinearForm firstStep, ValueRange sums) {
        // The barrier lets all threads load the previous factors before the new
        // factors overwrite them in workgroup memory.
        gpu::BarrierOp::create(b);
        LinearForm thread = forms->getThread();
        stage(queries, thread, firstStep);
        // The threads that had no item of the queries in the last round take
        // the first items of the keys, by another numbering of the threads.
        int64_t numItems = queries.area.getNumItems();
        thread = forms->add(b, thread,
                            llvm::alignTo(numItems, numThreads) - numItems);
        stage(keys, forms->divide(b, thread, numThreads).second, firstStep);
        gpu::BarrierOp::create(b);
        int64_t writtenOut = getDivisor(tile.terms, maxWrittenOut);
        return loopOver(
            tile.terms, writtenOut, sums,
            [&](LinearForm firstTerm, ValueRange sums) {
              SmallVector<Value> next(sums);
              for (int64_t i = 0; i < writtenOut; ++i) {
                auto loadVector = [&](const StagedOperand &staged,
                                      LinearForm vector) {
                  LinearForm term = forms->add(b, firstTerm, i);
                  return load(
                      forms->add(b, forms->mul(b, term, staged.pitch),
                                 forms->add(b, vector, staged.area.first)));
                };
                SmallVector<Value> ofRows;
                for (int64_t row = 0; row < rowVectors; ++row)
                  ofRows.push_back(loadVector(queries, getRowVector(row)));
                for (int64_t vector = 0; vector < keyVectors; ++vector) {
                  Value ofKeys = loadVector(keys, getKeyVector(vector));
                  for (int64_t lane = 0; lane < side; ++lane) {
                    Value factor =
                        broadcast(vector::ExtractOp::create(b, ofKeys, lane));
                    for (int64_t row = 0; row < rowVectors; ++row) {
                      Value &sum =
                          next[row * block.columns + vector * side + lane];
                      sum = addProduct(ofRows[row], factor, sum);
                    }
                  }
                }
              }
              return next;
            });
      });
}

/// Replaces `sums` by scores. A score is -infinity if its key does not exist,
/// since the block is incomplete, or if the query does not see the key. For
/// each vector of scores, appends a vector of conditions to `seen`: that the
/// key exists and is seen. The vector is null if all keys exist and are seen.
void AttentionKernel::buildScores(LinearForm keyBlock,
                                  MutableArrayRef<Value> sums,
                                  SmallVectorImpl<Value> &seen) {
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Forms> coordinates;
  SmallVector<Value> areThere;
  for (int64_t row = 0; row < rowVectors; ++row)
    for (int64_t key = 0; key < block.columns; ++key) {
      LinearForm vector =
          forms->add(b, forms->mul(b, keyBlock, tile.keys / side),
                     getKeyVector(key / side));
      auto [position, isThere] =
          getKey(forms->add(b, forms->mul(b, vector, side), key % side));
      areThere.push_back(isThere);
      for (int64_t lane = 0; lane < side; ++lane) {
        size_t element = coordinates.size();
        builder.bind(element, attention.key, position);
        builder.bind(element, attention.sum,
                     Value(vector::ExtractOp::create(
                         b, sums[row * block.columns + key], lane)));
        LinearForm rowVector =
            forms->add(b, forms->mul(b, rows.tile, tile.queries / side),
                       getRowVector(row));
        coordinates.push_back(getCoordinates(
            *rows.operand, getPosition(*rows.operand, rowVector, lane, side)));
      }
    }
  builder.buildSlice(attention.scoreSlice, coordinates);
  builder.buildSlice(attention.isSeenSlice, coordinates);
  Value none = constantOf(-std::numeric_limits<float>::infinity(), 1);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    SmallVector<Value> lanes, conditions;
    for (int64_t lane = 0; lane < side; ++lane) {
      auto element = static_cast<size_t>(static_cast<int64_t>(i) * side + lane);
      lanes.push_back(builder.getBuilt(element, attention.score));
      Value condition = areThere[i];
      if (attention.isSeen)
        condition =
            both(b, condition, builder.getBuilt(element, attention.isSeen));
      if (!condition)
        continue;
      conditions.push_back(condition);
      lanes.back() = select(condition, lanes.back(), none);
    }
    sum = vector::FromElementsOp::create(
        b, VectorType::get(side, contraction.sumType), lanes);
    seen.push_back(
        conditions.empty()
            ? Value()
            : vector::FromElementsOp::create(
                  b, VectorType::get(side, b.getI1Type()), conditions)
                  .getResult());
  }
}

/// Builds the sums of the products of the values with the weights of block
/// `keyBlock`, which are in workgroup memory.
AttentionKernel::OfColumns AttentionKernel::addValues(LinearForm keyBlock) {
  OfColumns init(block.rows * layout.columnVectors, getZero(side));
  LinearForm firstKey = forms->mul(b, keyBlock, tile.keys);
  return loopOver(
      tile.keys, layout.valueKeys, init,
      [&](LinearForm firstOfRound, ValueRange sums) {
        gpu::BarrierOp::create(b);
        stage(values, forms->getThread(),
              forms->add(b, firstKey, firstOfRound));
        gpu::BarrierOp::create(b);
        int64_t writtenOut = getDivisor(layout.valueKeys, maxWrittenOut);
        return loopOver(
            layout.valueKeys, writtenOut, sums,
            [&](LinearForm first, ValueRange sums) {
              SmallVector<Value> next(sums);
              for (int64_t i = 0; i < writtenOut; ++i) {
                LinearForm staged = forms->add(b, first, i);
                LinearForm key = forms->add(b, firstOfRound, staged);
                SmallVector<Value> ofColumns;
                for (int64_t vector = 0; vector < layout.columnVectors;
                     ++vector)
                  ofColumns.push_back(load(forms->add(
                      b, forms->mul(b, staged, values.pitch),
                      forms->add(b, getKeyVector(vector), values.area.first))));
                for (int64_t row = 0; row < rowVectors; ++row) {
                  Value weights =
                      load(getPlaceOfWeights(key, getRowVector(row)));
                  for (int64_t lane = 0; lane < side; ++lane) {
                    Value weight = vector::ExtractOp::create(b, weights, lane);
                    // A weight of -1 marks a key that the query does not see.
                    // The value of such a key must not be added, even if it is
                    // NaN. The value of a key with the weight NaN is added.
                    Value takesPart;
                    if (attention.isSeen)
                      takesPart = compare(arith::CmpFPredicate::UGE, weight,
                                          constantOf(0, 1));
                    Value factor = broadcast(weight);
                    for (auto [vector, ofVector] : llvm::enumerate(ofColumns)) {
                      Value &sum =
                          next[(row * side + lane) * layout.columnVectors +
                               static_cast<int64_t>(vector)];
                      Value more = addProduct(factor, ofVector, sum);
                      sum = takesPart ? select(takesPart, more, sum) : more;
                    }
                  }
                }
              }
              return next;
            });
      });
}

/// Builds the number of blocks of keys up to the last key that any query of the
/// workgroup sees. Later blocks change no output. Returns null if all queries
/// see all keys.
Value AttentionKernel::buildSeenBlocks() {
  if (!attention.isSeen)
    return Value();
  SmallVector<Value> last = buildLoop(
      b, *forms, {0, tile.queries}, Counter::InOrder, constant(0),
      [&](LinearForm query, ValueRange carried) -> SmallVector<Value> {
        LinearForm position = forms->min(
            b, forms->add(b, forms->mul(b, rows.tile, tile.queries), query),
            rows.operand->size - 1);
        TileBuilder builder(b, op, *forms, *views);
        Value ofQuery = buildLastSeen(b, builder, attention,
                                      getCoordinates(*rows.operand, position));
        return {arith::MaxUIOp::create(b, carried.front(), ofQuery)};
      });
  // The minimum with the number of the last key tells range analysis that
  // `lastKey` is the number of a key.
  Value lastKey =
      arith::MinUIOp::create(b, last.front(), constant(attention.keys - 1));
  Value lastNumber =
      arith::AddIOp::create(b, lastKey, constant(getMissingKeys()));
  return arith::AddIOp::create(
      b, arith::DivUIOp::create(b, lastNumber, constant(tile.keys)),
      constant(1));
}

/// Builds the online softmax for block `keyBlock` of the keys. `carried`
/// consists of the largest scores, the sums of exponentials and the outputs
/// after the preceding blocks. Returns the largest scores, sums and outputs
/// after this block.
SmallVector<Value> AttentionKernel::buildBlock(LinearForm keyBlock,
                                               ValueRange carried) {
  OfRows largest(carried.take_front(rowVectors)),
      totals(carried.slice(rowVectors, rowVectors));
  ValueRange outputs = carried.drop_front(2 * rowVectors);
  keys.firstVector = forms->mul(b, keyBlock, tile.keys / side);
  OfKeys scores = buildSums();
  SmallVector<Value> seen;
  buildScores(keyBlock, scores, seen);

  // Combines the partial results of the threads that share a query. Each thread
  // stores its partial results in workgroup memory, from vector `first` on, and
  // loads those of the other threads.
  int64_t ofPart = tile.queries / side;
  auto exchange = [&](int64_t first, ValueRange parts, OfRows &all,
                      llvm::function_ref<Value(Value, Value)> combine) {
    for (int64_t row = 0; row < rowVectors; ++row)
      store(parts[row], forms->add(b, forms->mul(b, threadColumn, ofPart),
                                   forms->add(b, getRowVector(row), first)));
    gpu::BarrierOp::create(b);
    for (int64_t row = 0; row < rowVectors; ++row) {
      Value combined;
      for (int64_t column = 0; column < block.threadColumns; ++column) {
        Value part =
            load(forms->add(b, getRowVector(row), first + column * ofPart));
        combined = combined ? combine(combined, part) : part;
      }
      all[row] = combine(all[row], combined);
    }
  };
  auto ofRow = [&](ValueRange ofKeys, int64_t row) {
    return ofKeys.slice(row * block.columns, block.columns);
  };
  // The barrier lets all threads load the factors of scores before the partial
  // results overwrite them in workgroup memory.
  gpu::BarrierOp::create(b);
  OfRows parts, before = largest;
  for (int64_t row = 0; row < rowVectors; ++row) {
    Value part;
    for (Value score : ofRow(scores, row))
      part = part ? max(part, score) : score;
    parts.push_back(part);
  }
  exchange(0, parts, largest, [&](Value x, Value y) { return max(x, y); });

  // Computes the exponentials of the scores minus the largest score, and adds
  // them to the sums of exponentials.
  Value zero = getZero(side);
  OfKeys exponentials;
  OfRows kept;
  for (int64_t row = 0; row < rowVectors; ++row) {
    Value shift = getShift(largest[row]);
    kept.push_back(exp(arith::SubFOp::create(b, getShift(before[row]), shift)));
    Value part;
    for (int64_t key = 0; key < block.columns; ++key) {
      int64_t number = row * block.columns + key;
      Value exponential = exp(arith::SubFOp::create(b, scores[number], shift));
      if (seen[number])
        exponential = select(seen[number], exponential, zero);
      exponentials.push_back(exponential);
      part = part ? add(part, exponential) : exponential;
    }
    parts[row] = part;
    kept[row] = arith::MulFOp::create(b, totals[row], kept[row]);
  }
  OfRows sums = kept;
  exchange(block.threadColumns * ofPart, parts, sums,
           [&](Value x, Value y) { return add(x, y); });

  // Computes the weights. If all scores so far are -infinity, the sum of
  // exponentials is 0, and the weights become 0 instead of 0 / 0.
  OfRows factors;
  for (int64_t row = 0; row < rowVectors; ++row) {
    Value divisor = select(compare(arith::CmpFPredicate::OEQ, sums[row], zero),
                           constantOf(1), sums[row]);
    factors.push_back(arith::DivFOp::create(b, kept[row], divisor));
    for (int64_t key = 0; key < block.columns; ++key) {
      int64_t number = row * block.columns + key;
      Value weight = arith::DivFOp::create(b, exponentials[number], divisor);
      if (attention.isSeen)
        weight = select(seen[number], weight, constantOf(-1));
      LinearForm place = forms->add(
          b, forms->mul(b, getKeyVector(key / side), side), key % side);
      store(weight, getPlaceOfWeights(place, getRowVector(row)));
    }
  }

  OfColumns added = addValues(keyBlock);
  SmallVector<Value> next(largest);
  llvm::append_range(next, sums);
  for (auto [i, sum] : llvm::enumerate(added)) {
    int64_t row = static_cast<int64_t>(i) / layout.columnVectors;
    Value factor = broadcast(
        vector::ExtractOp::create(b, factors[row / side], row % side));
    next.push_back(addProduct(outputs[i], factor, sum));
  }
  return next;
}

void AttentionKernel::storeOutputs(ValueRange carried) {
  OfRows totals(carried.slice(rowVectors, rowVectors));
  ValueRange outputs = carried.drop_front(2 * rowVectors);
  TileBuilder builder(b, op, *forms, *views);
  Value nan = constantOf(std::numeric_limits<double>::quiet_NaN(), 1);
  for (int64_t row = 0; row < block.rows; ++row) {
    // The softmax of scores that are all -infinity is undefined, and becomes
    // NaN.
    Value total = vector::ExtractOp::create(b, totals[row / side], row % side);
    Value isNone = compare(arith::CmpFPredicate::OEQ, total, constantOf(0, 1));
    LinearForm rowVector =
        forms->add(b, forms->mul(b, rows.tile, tile.queries / side),
                   getRowVector(row / side));
    LinearForm position =
        forms->add(b, forms->mul(b, rowVector, side), row % side);
    for (int64_t vector = 0; vector < layout.columnVectors; ++vector) {
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < side; ++lane)
        lanes.push_back(
            select(isNone, nan,
                   vector::ExtractOp::create(
                       b, outputs[row * layout.columnVectors + vector], lane)));
      storeElements(builder, rows, position, columns, getKeyVector(vector),
                    lanes);
    }
  }
}

/// Determines the layout of queries, keys and values in workgroup memory.
void AttentionKernel::layOutOperands() {
  queries.operand = &attention.scores.rows;
  keys.operand = &attention.scores.columns;
  values.operand = &contraction.columns;
  queries.sums = keys.sums = &attention.scores;
  values.sums = &contraction;
  queries.firstVector = forms->mul(b, rows.tile, tile.queries / side);
  keys.position = attention.key;
  queries.pitch = getStagedVectors(tile.queries);
  keys.pitch = getStagedVectors(tile.keys);
  values.pitch = getStagedVectors(layout.getColumns());
  keys.area.first = tile.terms * queries.pitch;
  for (StagedOperand *staged : {&queries, &keys, &values}) {
    staged->area.memory = memory;
    // The order of the items lets consecutive threads load factors that are
    // neighbours in their buffer, so that the loads coalesce.
    staged->area.isAcrossLines =
        isAlongSteps(*staged->operand, *staged->sums, staged->position);
  }
  int64_t ofStep = attention.scores.getTermsOfStep();
  int64_t together = getDivisor(tile.terms / ofStep, ofStep < side ? side : 1);
  queries.layOut(tile.terms, tile.queries / side, together * ofStep);
  keys.layOut(tile.terms, tile.keys / side, together * ofStep);
  values.layOut(
      layout.valueKeys, llvm::divideCeilSigned(contraction.columns.size, side),
      getDivisor(layout.valueKeys, values.area.isAcrossLines ? side : 1));
}

void AttentionKernel::build() {
  buildLaunch(tile.queries, layout.getColumns(), numThreads, rows, columns);
  memory = allocateInWorkgroup(b, layout.getVectors(),
                               VectorType::get(side, contraction.sumType));
  std::tie(threadRow, threadColumn) =
      forms->divide(b, forms->getThread(), block.threadColumns);
  layOutOperands();

  SmallVector<Value> carried(
      rowVectors, constantOf(-std::numeric_limits<float>::infinity()));
  carried.append(rowVectors + block.rows * layout.columnVectors, getZero(side));
  int64_t blocks = llvm::divideCeilSigned(attention.keys, tile.keys);
  storeOutputs(loopOver(
      blocks, 1, carried,
      [&](LinearForm keyBlock, ValueRange carried) {
        return buildBlock(keyBlock, carried);
      },
      blocks > 1 ? buildSeenBlocks() : Value()));
  op.erase();
}

void dml::buildAttentionKernel(linalg::GenericOp op, const Attention &attention,
                               const AttentionTile &tile) {
  AttentionKernel(op, attention, tile).build();
}
