//===- MatrixKernel.cpp - Sums of products by matrices --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// As in a contraction kernel, the threads of a workgroup stage the factors of a
// tile of sums in workgroup memory, but in the narrow type that the factors
// have in their buffers. Subgroups load the factors as cooperative matrices,
// and add up products of matrices. The loop is software-pipelined: while a
// subgroup multiplies the matrices of one stage, its threads load the factors
// of the next stage. At the end, the sums are stored to workgroup memory and
// loaded again, since devices do not specify which thread holds which element
// of a matrix.
//
//===----------------------------------------------------------------------===//

#include "Kernels/MatrixKernel.h"
#include "Emit/ContractionBuilder.h"
#include "Emit/Launch.h"
#include "Emit/QuantizedFactors.h"
#include "Emit/Staging.h"
#include "Emit/VectorPacker.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

/// The largest number of rows, columns or terms of a tile.
static constexpr int64_t maxTileSize = 1 << 12;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::string dml::findMemoryProblem(int64_t bytes,
                                   const DeviceProfile &profile) {
  if (bytes <= profile.getMaxWorkgroupMemory())
    return "";
  return "takes " + std::to_string(bytes) +
         " bytes of workgroup memory, but the device profile '" +
         profile.str() + "' has " +
         std::to_string(profile.getMaxWorkgroupMemory());
}

/// If the factors of the columns are quantized numbers with scales of f16,
/// returns the number of these factors in 16 bytes, which a thread stages at a
/// time. Returns 0 for other columns. Returns 0 as well unless all stages
/// consist of whole groups of this many factors. For this, the number must be a
/// multiple of the terms that an iteration of the loop over terms adds, and
/// must divide both the terms of the contraction and the terms of a stage.
static int64_t getPackedTerms(const Contraction &contraction,
                              const MatrixTile &tile) {
  SmallVector<QuantizedFactor> factors =
      matchQuantizedFactors(contraction.columns);
  if (factors.empty() || !factors.front().scale.getType().isF16())
    return 0;
  int64_t terms = 8 * DeviceProfile::vectorBytes / factors.front().bits;
  return terms % contraction.getTermsOfStep() ||
                 contraction.getTerms() % terms || tile.terms % terms
             ? 0
             : terms;
}

std::string MatrixSchedule::get(const Contraction &contraction,
                                const MatrixTile &tile,
                                const DeviceProfile &profile,
                                MatrixSchedule &schedule) {
  if (contraction.sums > 1)
    return "computes one sum of each element, but the element has " +
           std::to_string(contraction.sums);
  std::optional<MatrixShape> shape = MatrixShape::parse(tile.shape);
  if (!shape || !llvm::is_contained(profile.getMatrixShapes(), *shape))
    return "has the shape '" + tile.shape +
           "', which is none of the device profile '" + profile.str() + "'";
  if (!profile.getSubgroupSize())
    return "wants a subgroup size, but the device profile '" + profile.str() +
           "' has none";
  if (!canMultiply(contraction, *shape))
    return "wants factors that were widened from " + shape->factors +
           " and sums of " + shape->sums;
  schedule.shape = *shape;
  int64_t bytesOfFactor = shape->factors == "f16" ? 2 : 1;
  int64_t lanes = DeviceProfile::vectorBytes / bytesOfFactor;
  schedule.lanes = lanes;
  // A subgroup multiplies whole matrices, and threads stage whole vectors. The
  // sizes of a subgroup's tile are therefore multiples of the matrices' sizes.
  // The sizes of matrices are multiples of a vector.
  for (auto [size, of, name] :
       {std::tuple(tile.subgroupRows, shape->rows, "rows of a subgroup"),
        std::tuple(tile.subgroupColumns, shape->columns,
                   "columns of a subgroup"),
        std::tuple(tile.terms, shape->terms, "terms")})
    if (size % of || of % lanes)
      return "has " + std::to_string(size) + " " + name +
             ", but whole matrices of " + std::to_string(of) +
             ", a multiple of " + std::to_string(lanes) + ", are wanted";
  if (tile.slices > maxTileSize || tile.terms / shape->terms % tile.slices)
    return "has " + std::to_string(tile.slices) + " slices of " +
           std::to_string(tile.terms) +
           " terms, but whole matrices are wanted in each";
  // Limited sizes keep the products below from overflowing.
  if (std::max({tile.rows, tile.columns, tile.terms}) > maxTileSize)
    return "has sizes of more than " + std::to_string(maxTileSize);
  int64_t threads = tile.getSubgroups() * profile.getSubgroupSize();
  if (threads > profile.getMaxWorkgroupSize())
    return "takes " + std::to_string(threads) +
           " threads, but the device profile '" + profile.str() + "' has " +
           std::to_string(profile.getMaxWorkgroupSize());

  // Neighbouring quantized factors share a scale. A thread stages all factors
  // in 16 bytes at once, so that it loads few scales for them.
  int64_t packed = getPackedTerms(contraction, tile);
  auto setTogether = [&](int64_t together) {
    int64_t unit = std::lcm(lanes, together),
            whole = std::lcm(std::max(lanes, packed), together);
    schedule.termsTogether = together;
    schedule.stepsOfUnit = unit / together;
    schedule.vectorsOfUnit = unit / lanes;
    schedule.unitsOfPacked = whole / unit;
    schedule.steps = tile.terms / whole * (whole / together);
  };
  setTogether(std::min(contraction.getTermsOfStep(), maxTileSize));
  if (schedule.steps == 0)
    setTogether(1);
  // Returns the number of vectors that an operand takes in a stage. Lines run
  // along terms or along positions, depending on the strides of the operand's
  // buffer. The strides are not known here, so that the function returns the
  // number of the larger layout.
  auto getVectors = [&](int64_t positions) {
    return std::max(positions * getLinePitch(tile.terms, lanes),
                    tile.terms * getLinePitch(positions, lanes));
  };
  int64_t stage = getVectors(tile.rows) + getVectors(tile.columns);
  int64_t limit = profile.getMaxWorkgroupMemory() / DeviceProfile::vectorBytes;
  schedule.addsRows = schedule.addsColumns = false;
  if (shape->factors == "i8") {
    schedule.addsRows = !getZeroPoint(contraction.columns).isZero();
    schedule.addsColumns = !getZeroPoint(contraction.rows).isZero();
  }
  // With zero points y and z, a sum of (a - y) * (b - z) needs more than the
  // sum of all a * b: the sum of all factors a if z is not 0, and the sum of
  // all factors b if y is not 0. The kernel computes these sums of factors as
  // products with a matrix of ones. `ones` is the number of vectors of this
  // matrix, and `added` the number of vectors of the sums of factors.
  int64_t ones =
      schedule.addsRows || schedule.addsColumns
          ? std::max(shape->rows, shape->columns) * shape->terms / lanes
          : 0;
  int64_t added = 0;
  if (schedule.addsRows)
    added += tile.rows * getLinePitch(shape->columns, wordsOfVector);
  if (schedule.addsColumns)
    added += shape->rows * getLinePitch(tile.columns, wordsOfVector);
  added *= tile.slices;
  schedule.stages = 2 * stage + ones <= limit ? tile.stages : 1;
  auto getSums = [&](int64_t rows) {
    return tile.slices * (tile.rows / tile.subgroupRows) * rows *
           getLinePitch(tile.columns, wordsOfVector);
  };
  // `rowsTogether` is the largest number of rows whose sums fit into the memory
  // of the stages.
  schedule.rowsTogether = tile.subgroupRows;
  while (
      schedule.rowsTogether > shape->rows &&
      (tile.subgroupRows % schedule.rowsTogether ||
       getSums(schedule.rowsTogether) + added > schedule.stages * stage + ones))
    schedule.rowsTogether -= shape->rows;
  schedule.stageVectors = schedule.stages * stage;
  schedule.sumVectors = getSums(schedule.rowsTogether);
  schedule.ofFactors = added;
  schedule.bytes =
      std::max(schedule.stageVectors + ones, schedule.sumVectors + added) *
      DeviceProfile::vectorBytes;
  return findMemoryProblem(schedule.bytes, profile);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
/// A workgroup's tile of the rows or of the columns, and the layout of its
/// factors in workgroup memory.
struct StagedMatrices : OperandTile {
  /// Whether lines of workgroup memory run along terms: a line has several
  /// terms of one position. Otherwise, a line has several positions of one
  /// term. Set if neighbouring terms lie closer together in the operand's
  /// buffer than neighbouring positions.
  bool isAlongTerms = false;
  /// The number of vectors of workgroup memory between the beginnings of
  /// neighbouring lines.
  int64_t pitch = 0;
  /// The number of units (MatrixSchedule::stepsOfUnit) in an item, if lines run
  /// along terms.
  int64_t units = 1;
  StagedArea area;
};

class MatrixBuilder : ContractionBuilder {
public:
  MatrixBuilder(linalg::GenericOp op, const Contraction &contraction,
                const MatrixTile &tile, const MatrixSchedule &schedule,
                int64_t subgroupSize)
      : ContractionBuilder(op, contraction), tile(tile), schedule(schedule),
        threads(tile.getSubgroups() * subgroupSize),
        factorType(getMatrixElement(op.getContext(), schedule.shape.factors)),
        sumType(contraction.sumType),
        // The matrix type states whether its components are signed.
        matrixType(
            factorType.isInteger()
                ? IntegerType::get(op.getContext(), 8, IntegerType::Signed)
                : factorType) {}

  void build();

private:
  /// The factors of a stage that are loaded but not yet stored in workgroup
  /// memory. `values` are the vectors that the thread has loaded, or, if
  /// `keepsWords` is set, what loadWords() returns for the items of the
  /// columns. `masks` has a word for each vector of an operand with padding:
  /// all ones, or 0 if 0 is to be stored in place of the vector.
  struct LoadedFactors {
    SmallVector<Value> values, masks;
  };

  SmallVector<int64_t> getUnpackedOrder() const;
  SmallVector<SmallVector<BuiltFactor>>
  getItemFactors(const StagedMatrices &staged, int64_t firstTerm);
  SmallVector<Value> loadWords(TileBuilder &builder, Value condition);
  SmallVector<Value> unpackWords(ValueRange values);
  Value buildPaired(Value vector);
  bool canKeepWords();
  LinearForm getUnits(const StagedMatrices &staged, LinearForm inLine);
  SmallVector<Value> loadItem(const StagedMatrices &staged,
                              const StagedItem &item, LinearForm firstStep,
                              int64_t firstTerm);
  int64_t layOut(StagedMatrices &staged, int64_t offset);
  LoadedFactors loadStage(LinearForm block, int64_t phase);
  void storeStage(const LoadedFactors &factors, LinearForm stage);
  /// Runs `build` for each of `count` items, which are distributed to the
  /// threads.
  void shareOut(int64_t count, llvm::function_ref<void(LinearForm)> build) {
    forEachItemInLoop(b, *forms, {count, forms->getThread(), threads}, build);
  }
  void clearMemory();
  Value loadMatrix(const StagedMatrices &staged, LinearForm stage,
                   LinearForm position, LinearForm term);
  void storeOnes();
  void multiply(LinearForm stage, MutableArrayRef<Value> sums);
  LinearForm getStage(LinearForm block, int64_t phase);
  SmallVector<Value> buildBlock(LinearForm block, ValueRange carried);
  Value buildMasked(Value vector, Value mask);
  /// Returns the number of values that loadWords() returns for a word: its
  /// bits, its scale and, if there are zero points, its zero point.
  size_t getValuesOfWord() const { return quantized->hasZeroPoint() ? 3 : 2; }
  /// Returns the number of values of an item that a thread holds until it
  /// stores the item.
  size_t getValuesOfItem(const StagedMatrices &staged) const {
    if (!keepsWords || &staged == &rows)
      return staged.area.vectorsOfItem;
    return staged.area.vectorsOfItem * schedule.lanes /
           quantized->getNumPerWord() * getValuesOfWord();
  }
  /// Returns the number of values of an operand that a thread loads for one
  /// stage.
  size_t getNumValues(const StagedMatrices &staged) const {
    return llvm::divideCeilSigned(staged.area.getNumItems(), threads) *
           getValuesOfItem(staged);
  }
  void buildStagesAhead(LinearForm block, int64_t count, int64_t end,
                        MutableArrayRef<Value> sums,
                        MutableArrayRef<LoadedFactors> slots);
  SmallVector<Value> buildSumsAhead(SmallVector<Value> sums);
  SmallVector<Value> buildSums();
  void storeMatrix(Value matrix, LinearForm line, LinearForm column,
                   LinearForm first, int64_t pitch);
  Value loadSum(LinearForm place, int64_t ofSlice);
  void storeFactorSums(ArrayRef<Value> sums);
  SmallVector<Value> buildZeroPoints(const ContractionOperand &operand,
                                     ArrayRef<LinearForm> positions);
  void subtractZeroPoints(LinearForm lineOfRow, LinearForm row,
                          LinearForm vectorInTile, LinearForm vector,
                          MutableArrayRef<Value> elements);
  void storeSums(ArrayRef<Value> sums);

  /// Returns how many cooperative matrices lie one below the other in the
  /// subgroup's tile of sums.
  int64_t getRowsOfMatrices() const {
    return tile.subgroupRows / schedule.shape.rows;
  }
  /// Returns how many cooperative matrices lie side by side in the subgroup's
  /// tile of sums.
  int64_t getColumnsOfMatrices() const {
    return tile.subgroupColumns / schedule.shape.columns;
  }
  /// Returns the number of cooperative matrices in the subgroup's tile of sums.
  int64_t getNumMatrices() const {
    return getRowsOfMatrices() * getColumnsOfMatrices();
  }

  gpu::MMAMatrixType getMatrixType(int64_t rows, int64_t columns, Type element,
                                   StringRef operand) {
    return gpu::MMAMatrixType::get({rows, columns}, element, operand);
  }

  const MatrixTile &tile;
  const MatrixSchedule &schedule;
  const int64_t threads;
  const Type factorType, sumType, matrixType;

  StagedMatrices rows, columns;
  /// The factors of the columns, if threads unpack quantized numbers a word at
  /// a time. Unpacking changes the order of a word's numbers. In workgroup
  /// memory, the terms of both rows and columns therefore have the order of the
  /// unpacked numbers, and a matrix product still multiplies factors of equal
  /// terms. A line begins with the first vectors of all its items, followed by
  /// their second vectors, and so on.
  std::optional<QuantizedFactors> quantized;
  /// Whether a thread holds the words of quantized numbers as they are from the
  /// load of a stage to its store, and unpacks the numbers when it stores them.
  /// Unpacking would have to wait for the load, and the numbers take up to four
  /// times the registers of the words. The factors of rows are then reordered
  /// when they are stored as well.
  bool keepsWords = false;
  /// Matrices of ones. Their products with factors are sums of factors, which
  /// the kernel needs for zero points. `onesOfRows` takes the place of factors
  /// of rows, and is multiplied with factors of columns. `onesOfColumns` takes
  /// the place of factors of columns. Each of both is null if the kernel does
  /// not need its sums.
  Value onesOfRows, onesOfColumns;
  /// The whole workgroup memory, as vectors, and the number of vectors in a
  /// stage.
  Value memory;
  int64_t stageSize = 0;
  /// The index of the subgroup's slice, and the place of the subgroup's tile in
  /// the workgroup's tile. The place is a row and a column, counted in tiles of
  /// subgroups.
  LinearForm slice, subgroupRow, subgroupColumn;
};
} // namespace

/// Returns the order in which workgroup memory has the terms of a vector, if
/// the columns are unpacked.
SmallVector<int64_t> MatrixBuilder::getUnpackedOrder() const {
  SmallVector<int64_t> paired = quantized->getPairedNumbers(), order;
  auto perWord = static_cast<int64_t>(paired.size());
  for (int64_t term = 0; term < schedule.lanes; ++term)
    order.push_back(term / perWord * perWord + paired[term % perWord]);
  return order;
}

/// Returns the factors in each vector of an item of `staged`, in the order in
/// which they are loaded.
SmallVector<SmallVector<BuiltFactor>>
MatrixBuilder::getItemFactors(const StagedMatrices &staged, int64_t firstTerm) {
  int64_t lanes = schedule.lanes, together = schedule.termsTogether;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  if (quantized && !keepsWords)
    order = getUnpackedOrder();
  SmallVector<SmallVector<BuiltFactor>> vectors;
  for (int64_t vector = 0; vector < staged.area.vectorsOfItem; ++vector) {
    SmallVector<BuiltFactor> &factors = vectors.emplace_back();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t term = vector * lanes + order[lane];
      factors.push_back(
          staged.isAlongTerms
              ? BuiltFactor{term / together, firstTerm + term % together}
              : BuiltFactor{lane, firstTerm + vector});
    }
  }
  return vectors;
}

/// Loads the words of an item of the columns. `builder` has built their
/// addresses and scales. Returns, for each word, its bits, its scale and, if
/// there are zero points, its zero point. The scales become 0 if `condition`
/// does not hold. A null condition always holds. Returns no values if the item
/// does not consist of whole words.
SmallVector<Value> MatrixBuilder::loadWords(TileBuilder &builder,
                                            Value condition) {
  int64_t perWord = quantized->getNumPerWord(),
          together = schedule.termsTogether,
          terms = columns.area.vectorsOfItem * schedule.lanes;
  SharedValues &shared = builder.getShared();
  SmallVector<Value> values;
  for (int64_t first = 0; first < terms; first += perWord) {
    SmallVector<BuiltFactor> numbers;
    for (int64_t term = first; term < first + perWord; ++term)
      numbers.push_back({term / together, term % together});
    std::optional<QuantizedFactors::Word> word =
        quantized->buildWord(builder, numbers);
    if (!word)
      return {};
    if (condition)
      word->scale = shared.buildSelect(
          condition, word->scale,
          shared.getConstant(b.getZeroAttr(word->scale.getType())));
    values.append({word->bits, word->scale});
    if (quantized->hasZeroPoint())
      values.push_back(word->zeroPoint);
  }
  return values;
}

/// Builds the vectors of the factors of an item of the columns from the values
/// that loadWords() has returned.
SmallVector<Value> MatrixBuilder::unpackWords(ValueRange values) {
  SmallVector<Value> parts, vectors;
  for (; !values.empty(); values = values.drop_front(getValuesOfWord())) {
    QuantizedFactors::Word word{values[0], values[1], Value()};
    if (quantized->hasZeroPoint())
      word.zeroPoint = values[2];
    for (Value pair : quantized->buildPairs(b, word)) {
      Value part = vector::BitCastOp::create(
          b, VectorType::get(1, b.getI32Type()), pair);
      parts.push_back(vector::ExtractOp::create(b, part, 0));
    }
  }
  auto type = VectorType::get(wordsOfVector, b.getI32Type());
  for (ArrayRef<Value> left = parts; !left.empty();
       left = left.drop_front(wordsOfVector))
    vectors.push_back(vector::FromElementsOp::create(
        b, type, left.take_front(wordsOfVector)));
  return vectors;
}

/// Returns `vector`, factors of rows in the order of their terms, in the order
/// in which unpackWords() returns the terms of columns.
Value MatrixBuilder::buildPaired(Value vector) {
  SmallVector<Value> halves;
  for (int64_t number = 0; number < wordsOfVector; ++number) {
    Value word = vector::BroadcastOp::create(
        b, VectorType::get(1, b.getI32Type()),
        vector::ExtractOp::create(b, vector, number));
    Value pair =
        vector::BitCastOp::create(b, VectorType::get(2, factorType), word);
    for (int64_t half = 0; half < 2; ++half)
      halves.push_back(vector::ExtractOp::create(b, pair, half));
  }
  SmallVector<Scalar> ordered;
  for (int64_t term : getUnpackedOrder())
    ordered.push_back(halves[term]);
  TileBuilder builder(b, op, *forms, *views);
  return VectorPacker(builder.getShared(),
                      Packing(factorType, DeviceProfile::vectorBytes))
      .pack(ordered);
}

/// Whether the thread can hold the words of any item of the columns from the
/// load to the store. Builds the load of an item whose numbers are not known,
/// which nothing uses, and which later passes erase.
bool MatrixBuilder::canKeepWords() {
  if (!quantized || contraction.steps % schedule.steps)
    return false;
  auto getUnknown = [&](int64_t count) {
    return forms->getOpaque(constant(0), {0, count - 1});
  };
  keepsWords = true;
  loadItem(
      columns,
      {getUnknown(columns.area.lines), getUnknown(columns.area.itemsOfLine)},
      forms->mul(b, getUnknown(schedule.getBlocks(contraction)),
                 schedule.steps),
      0);
  return keepsWords;
}

/// Returns the number of the first unit of terms in an item of `staged` whose
/// number in its line is `inLine`. A line of columns begins with the first
/// units of all its items if the columns are unpacked. With 4 items of 4 units,
/// a line has the units 0, 4, 8, 12, 1, 5 and so on. Items of rows that are
/// single units follow this order.
LinearForm MatrixBuilder::getUnits(const StagedMatrices &staged,
                                   LinearForm inLine) {
  if (staged.units == columns.units)
    return forms->mul(b, inLine, staged.units);
  auto [unit, item] = forms->divide(b, inLine, columns.area.itemsOfLine);
  return forms->add(b, forms->mul(b, item, columns.units), unit);
}

/// Loads the factors of item `item` of a stage. The stage covers iterations of
/// the loop over terms, from iteration `firstStep` on. It has `termsTogether`
/// terms of each iteration, the first of which is the iteration's term number
/// `firstTerm`.
SmallVector<Value> MatrixBuilder::loadItem(const StagedMatrices &staged,
                                           const StagedItem &item,
                                           LinearForm firstStep,
                                           int64_t firstTerm) {
  const ContractionOperand &operand = *staged.operand;
  int64_t lanes = schedule.lanes, together = schedule.termsTogether;
  // `stepsOfItem` is the number of iterations of the loop over terms in an
  // item. If the loop consists of whole items, the iterations of an item either
  // all exist or all lie beyond the end of the loop. One condition then decides
  // for the whole item.
  int64_t stepsOfItem =
      staged.isAlongTerms ? schedule.stepsOfUnit * staged.units : 1;
  LinearForm position, step;
  if (staged.isAlongTerms) {
    position = forms->min(
        b,
        forms->add(b, forms->mul(b, staged.tile, staged.positions), item.line),
        operand.size - 1);
    step = forms->add(
        b, firstStep,
        forms->mul(b, getUnits(staged, item.inLine), schedule.stepsOfUnit));
  } else {
    position = forms->add(
        b, forms->mul(b, staged.tile, staged.positions / lanes), item.inLine);
    step = forms->add(b, firstStep, item.line);
  }

  SmallVector<Value> needed;
  for (int64_t term = firstTerm; term < firstTerm + together; ++term) {
    NarrowFactor narrow =
        *NarrowFactor::get(operand.factors[term], schedule.shape.factors);
    needed.append({narrow.element, narrow.condition, narrow.zeroPoint});
  }
  bool isWhole = contraction.steps % stepsOfItem == 0;
  LinearForm lastStep = contraction.steps - (isWhole ? stepsOfItem : 1);
  auto buildCounts = [&](const LinearForm &number) -> Value {
    if (contraction.steps % schedule.steps == 0)
      return Value();
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                 forms->materialize(b, number),
                                 forms->materialize(b, lastStep));
  };
  Value countsAll = isWhole ? buildCounts(step) : Value();
  if (isWhole)
    step = forms->min(b, step, lastStep);
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Forms> coordinates;
  // An item holds factors of several iterations of the loop over terms for one
  // position, or of several positions for one iteration. The builder builds the
  // body for each of these iterations or positions in a lane of its own.
  int64_t elements = staged.isAlongTerms ? stepsOfItem : lanes;
  SmallVector<Value> counts(elements, countsAll);
  for (int64_t lane = 0; lane < elements; ++lane) {
    LinearForm own = step;
    if (staged.isAlongTerms) {
      own = forms->add(b, step, lane);
      if (!isWhole) {
        counts[lane] = buildCounts(own);
        own = forms->min(b, own, lastStep);
      }
    }
    bindStep(builder, lane, own);
    coordinates.push_back(getCoordinates(
        operand, staged.isAlongTerms
                     ? position
                     : getPosition(operand, position, lane, lanes)));
  }
  if (quantized && &staged == &columns) {
    builder.buildSlice(quantized->getSlice(), coordinates);
    SmallVector<Value> words = loadWords(builder, countsAll);
    if (!words.empty())
      return keepsWords ? words : unpackWords(words);
    keepsWords = false;
  }
  builder.buildSlice(getSliceOf(operand.slice, needed), coordinates);
  // The conditions of terms do not depend on the position.
  builder.buildSlice(contraction.conditionSlice,
                     SmallVector<Forms>(elements, batch));
  SmallVector<Value> vectors;
  for (ArrayRef<BuiltFactor> factors : getItemFactors(staged, firstTerm))
    vectors.push_back(packFactors(builder, operand, schedule.shape.factors,
                                  factors, counts, contraction.conditions));
  return vectors;
}

/// Each word of `vector` may be a selection, by one condition, between a word
/// of one loaded vector and 0. If so, returns the loaded vector and the
/// condition. Otherwise returns `vector` and null.
static std::pair<Value, Value> getLoadAndCondition(Value vector) {
  std::pair<Value, Value> whole = {vector, Value()};
  auto words = vector.getDefiningOp<vector::FromElementsOp>();
  if (!words)
    return whole;
  Value loaded, condition;
  for (auto [number, word] : llvm::enumerate(words.getElements())) {
    auto select = word.getDefiningOp<arith::SelectOp>();
    auto extract =
        select ? select.getTrueValue().getDefiningOp<vector::ExtractOp>()
               : vector::ExtractOp();
    if (!extract || !matchPattern(select.getFalseValue(), m_Zero()) ||
        extract.getStaticPosition() !=
            ArrayRef<int64_t>(static_cast<int64_t>(number)) ||
        (number > 0 &&
         (extract.getSource() != loaded || select.getCondition() != condition)))
      return whole;
    loaded = extract.getSource();
    condition = select.getCondition();
  }
  if (loaded.getType() != vector.getType())
    return whole;
  return {loaded, condition};
}

/// Returns `vector` with each of its words masked by `mask` (a bitwise AND).
Value MatrixBuilder::buildMasked(Value vector, Value mask) {
  SmallVector<Value> words;
  for (int64_t number = 0; number < wordsOfVector; ++number)
    words.push_back(arith::AndIOp::create(
        b, vector::ExtractOp::create(b, vector, number), mask));
  return vector::FromElementsOp::create(b, vector.getType(), words);
}

/// Loads the thread's items for phase `phase` of the iterations in `block`.
/// Each phase fills one stage. If the kernel loads several stages ahead, the
/// choice between a factor and padding is left to storeStage(), since it would
/// have to wait for the load of the factor.
MatrixBuilder::LoadedFactors MatrixBuilder::loadStage(LinearForm block,
                                                      int64_t phase) {
  LinearForm firstStep = forms->mul(b, block, schedule.steps);
  Staging staging(b, *forms, threads);
  LoadedFactors factors;
  for (const StagedMatrices *staged : {&rows, &columns})
    llvm::append_range(factors.values,
                       staging.load(staged->area, [&](const StagedItem &item) {
                         return loadItem(*staged, item, firstStep,
                                         phase * schedule.termsTogether);
                       }));
  if (tile.ahead <= 1)
    return factors;
  // Each vector of an operand with padding gets a mask, even a vector without
  // padding in this stage. All stages then have the same number of masks.
  MutableArrayRef<Value> values = factors.values;
  for (const StagedMatrices *staged : {&rows, &columns}) {
    size_t count = getNumValues(*staged);
    if (isChosen(*staged->operand))
      for (Value &vector : values.take_front(count)) {
        Value condition;
        std::tie(vector, condition) = getLoadAndCondition(vector);
        Value mask = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
        if (condition)
          mask = arith::SelectOp::create(
              b, condition, mask,
              arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
        factors.masks.push_back(mask);
      }
    values = values.drop_front(count);
  }
  return factors;
}

/// Stores the factors of a stage, as loadStage() has returned them, in stage
/// `stage` of workgroup memory.
void MatrixBuilder::storeStage(const LoadedFactors &factors, LinearForm stage) {
  ArrayRef<Value> values = factors.values, masks = factors.masks;
  SmallVector<Value> stored;
  for (const StagedMatrices *staged : {&rows, &columns}) {
    size_t count = getNumValues(*staged);
    SmallVector<Value> vectors(values.take_front(count));
    values = values.drop_front(count);
    if (!masks.empty() && isChosen(*staged->operand)) {
      for (auto [vector, mask] : llvm::zip(vectors, masks))
        vector = buildMasked(vector, mask);
      masks = masks.drop_front(count);
    }
    if (keepsWords && staged == &columns)
      vectors = unpackWords(vectors);
    else if (keepsWords)
      vectors = llvm::map_to_vector(
          vectors, [&](Value vector) { return buildPaired(vector); });
    llvm::append_range(stored, vectors);
  }
  Staging staging(b, *forms, threads);
  ValueRange left = stored;
  for (const StagedMatrices *staged : {&rows, &columns})
    left = staging.store(staged->area, stage, left);
}

/// Stores 0 in all stages of workgroup memory before the first factors are
/// stored. A stage has room for `tile.terms` terms, but may hold fewer. With 9
/// terms in an iteration of the loop over terms, for example, 8 iterations fill
/// 72 of 80 terms. The matrices then multiply zeros in place of the missing
/// terms.
void MatrixBuilder::clearMemory() {
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get(wordsOfVector, b.getI32Type())));
  shareOut(schedule.stages * stageSize, [&](LinearForm place) {
    memref::StoreOp::create(b, zero, memory, forms->materialize(b, place));
  });
}

/// Loads from stage `stage` the matrix of an operand whose first factor is that
/// of position `position` and term `term`.
Value MatrixBuilder::loadMatrix(const StagedMatrices &staged, LinearForm stage,
                                LinearForm position, LinearForm term) {
  bool isRows = &staged == &rows;
  LinearForm line = position, inLine = term;
  if (!staged.isAlongTerms)
    std::swap(line, inLine);
  LinearForm place = forms->add(
      b, forms->mul(b, stage, stageSize),
      forms->add(b, forms->mul(b, line, staged.pitch),
                 forms->add(b, forms->divide(b, inLine, schedule.lanes).first,
                            staged.area.first)));
  const MatrixShape &shape = schedule.shape;
  gpu::MMAMatrixType matrix =
      isRows ? getMatrixType(shape.rows, shape.terms, matrixType, "AOp")
             : getMatrixType(shape.terms, shape.columns, matrixType, "BOp");
  // A load takes a line of workgroup memory as a row of the matrix, or as a
  // column if it transposes. A line consists of terms of one position
  // (isAlongTerms) or of positions of one term. In the operand of rows, a row
  // of a matrix holds the terms of a position, so that lines of terms need no
  // transposition. In the operand of columns, a row of a matrix holds the
  // positions of a term, so that lines of positions need no transposition.
  bool isTransposed = staged.isAlongTerms != isRows;
  return gpu::SubgroupMmaLoadMatrixOp::create(
      b, matrix, memory, ValueRange(forms->materialize(b, place)),
      b.getIndexAttr(staged.pitch),
      isTransposed ? b.getUnitAttr() : UnitAttr());
}

/// If the kernel needs sums of factors, stores a matrix of ones behind the
/// stages and loads it.
void MatrixBuilder::storeOnes() {
  if (!schedule.addsRows && !schedule.addsColumns)
    return;
  const MatrixShape &shape = schedule.shape;
  constexpr uint32_t bytes = 0x01010101;
  Value ones = arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get(wordsOfVector, b.getI32Type()),
                                APInt(32, bytes)));
  shareOut(
      std::max(shape.rows, shape.columns) * shape.terms / schedule.lanes,
      [&](LinearForm item) {
        memref::StoreOp::create(
            b, ones, memory,
            forms->materialize(b, forms->add(b, item, schedule.stageVectors)));
      });
  gpu::BarrierOp::create(b);
  auto load = [&](int64_t numRows, int64_t numColumns, StringRef operand,
                  bool isTransposed) {
    return gpu::SubgroupMmaLoadMatrixOp::create(
        b, getMatrixType(numRows, numColumns, matrixType, operand), memory,
        ValueRange(constant(schedule.stageVectors)),
        b.getIndexAttr(shape.terms / schedule.lanes),
        isTransposed ? b.getUnitAttr() : UnitAttr());
  };
  if (schedule.addsColumns)
    onesOfRows = load(shape.rows, shape.terms, "AOp", /*isTransposed=*/false);
  if (schedule.addsRows)
    onesOfColumns =
        load(shape.terms, shape.columns, "BOp", /*isTransposed=*/true);
}

/// Multiplies the factors in stage `stage` whose terms belong to the subgroup's
/// slice, and adds the products to `sums`. The array begins with the matrices
/// of sums of products, in row-major order. If addsRows is set, a matrix of
/// sums of the rows' factors follows for each row of matrices. If addsColumns
/// is set, a matrix of sums of the columns' factors follows for each column of
/// matrices.
void MatrixBuilder::multiply(LinearForm stage, MutableArrayRef<Value> sums) {
  const MatrixShape &shape = schedule.shape;
  int64_t numRows = getRowsOfMatrices(), numColumns = getColumnsOfMatrices();
  auto addTo = [&](Value &sum, Value ofRows, Value ofColumns) {
    sum = gpu::SubgroupMmaComputeOp::create(b, sum.getType(), ofRows, ofColumns,
                                            sum, UnitAttr(), UnitAttr());
  };
  MutableArrayRef<Value> ofFactors = sums.drop_front(getNumMatrices());
  int64_t termsOfSlice = tile.terms / tile.slices;
  for (int64_t number = 0; number < termsOfSlice; number += shape.terms) {
    LinearForm term = forms->add(b, forms->mul(b, slice, termsOfSlice), number);
    SmallVector<Value> ofColumns;
    for (int64_t j = 0; j < numColumns; ++j)
      ofColumns.push_back(loadMatrix(
          columns, stage,
          forms->add(b, forms->mul(b, subgroupColumn, tile.subgroupColumns),
                     j * shape.columns),
          term));
    for (int64_t i = 0; i < numRows; ++i) {
      Value ofRows = loadMatrix(
          rows, stage,
          forms->add(b, forms->mul(b, subgroupRow, tile.subgroupRows),
                     i * shape.rows),
          term);
      for (int64_t j = 0; j < numColumns; ++j)
        addTo(sums[i * numColumns + j], ofRows, ofColumns[j]);
      if (schedule.addsRows)
        addTo(ofFactors[i], ofRows, onesOfColumns);
    }
    if (schedule.addsColumns)
      for (int64_t j = 0; j < numColumns; ++j)
        addTo(ofFactors[(schedule.addsRows ? numRows : 0) + j], onesOfRows,
              ofColumns[j]);
  }
}

/// Returns the index of the stage that holds the factors of phase `phase` of
/// iteration `block` of the kernel's loop. If an iteration of the contraction's
/// loop over terms adds many terms, an iteration of the kernel's loop takes
/// several stages of factors, one in each phase. The stages are used in turn.
/// With two stages and three phases, iteration 0 uses the stages 0, 1 and 0,
/// and iteration 1 the stages 1, 0 and 1. A driver does not know the range of
/// the induction variable. The remainder is computed even where this range
/// makes it unnecessary, so that the driver sees that the index stays within
/// workgroup memory.
LinearForm MatrixBuilder::getStage(LinearForm block, int64_t phase) {
  if (schedule.stages == 1)
    return 0;
  LinearForm all = forms->add(
      b, forms->mul(b, block, schedule.getPhases(contraction)), phase);
  return forms->getOpaque(arith::RemUIOp::create(b, forms->materialize(b, all),
                                                 constant(schedule.stages)),
                          {0, schedule.stages - 1});
}

/// Builds the body of the kernel's loop, if no factors stay in registers from
/// one iteration to the next. Iteration `block` covers several iterations of
/// the contraction's loop over terms. `carried` are the sums before, and the
/// new sums are returned. The body loads the factors of the next stage while
/// the factors of the present stage are multiplied (software pipelining).
SmallVector<Value> MatrixBuilder::buildBlock(LinearForm block,
                                             ValueRange carried) {
  int64_t blocks = schedule.getBlocks(contraction),
          phases = schedule.getPhases(contraction);
  SmallVector<Value> sums(carried);
  for (int64_t phase = 0; phase < phases; ++phase) {
    bool isLast = phase + 1 == phases;
    bool hasNext = !isLast || blocks > 1;
    // After the last phase of the loop's last iteration, nothing is left to
    // load. To avoid a branch, the kernel then loads the last block of terms
    // again, and does not use its factors.
    LoadedFactors next;
    if (hasNext)
      next = loadStage(
          isLast ? forms->min(b, forms->add(b, block, 1), blocks - 1) : block,
          isLast ? 0 : phase + 1);
    multiply(getStage(block, phase), sums);
    // With a single stage, the barrier lets all threads load the present
    // factors before the new factors overwrite them.
    if (schedule.stages == 1 && hasNext)
      gpu::BarrierOp::create(b);
    if (hasNext)
      storeStage(next, getStage(block, phase + 1));
    gpu::BarrierOp::create(b);
  }
  return sums;
}

/// Builds `count` stages of a kernel that loads factors ahead. The stages are
/// counted from the first stage of block `block`. `sums` are the sums so far.
/// `slots` are the factors that are loaded but not yet stored in workgroup
/// memory: slot i modulo the number of slots has the factors of stage i. Each
/// stage stores the factors of its slot in workgroup memory. It then loads the
/// factors of the stage that is `tile.ahead` stages later into the slot, if the
/// number of that stage is below `end`.
void MatrixBuilder::buildStagesAhead(LinearForm block, int64_t count,
                                     int64_t end, MutableArrayRef<Value> sums,
                                     MutableArrayRef<LoadedFactors> slots) {
  int64_t blocks = schedule.getBlocks(contraction),
          phases = schedule.getPhases(contraction);
  for (int64_t number = 0; number < count; ++number) {
    LinearForm present = forms->add(b, block, number / phases);
    LoadedFactors &slot = slots[number % tile.ahead];
    LinearForm stage = getStage(present, number % phases);
    storeStage(slot, stage);
    gpu::BarrierOp::create(b);
    int64_t next = number + tile.ahead;
    if (next < end)
      slot = loadStage(
          forms->min(b, forms->add(b, block, next / phases), blocks - 1),
          next % phases);
    multiply(stage, sums);
    // With a single stage, the barrier lets all threads load the present
    // factors before the next factors overwrite them.
    if (schedule.stages == 1 && (next < end || number + 1 < count))
      gpu::BarrierOp::create(b);
  }
}

/// Builds the loop over the terms for a kernel that loads factors ahead. `sums`
/// are the initial sums, which are 0. Returns the sums after all terms.
///
/// An iteration of the loop takes as many stages as there are slots of factors,
/// or a multiple of this number. The factors of each slot then stay in the same
/// registers: with 3 slots, an iteration multiplies the stages 3, 4 and 5 and
/// loads the stages 6, 7 and 8. If values moved from slot to slot instead, each
/// move would wait for its load.
SmallVector<Value> MatrixBuilder::buildSumsAhead(SmallVector<Value> sums) {
  int64_t blocks = schedule.getBlocks(contraction),
          phases = schedule.getPhases(contraction), stages = blocks * phases;
  SmallVector<LoadedFactors> slots;
  for (int64_t stage = 0; stage < tile.ahead; ++stage)
    slots.push_back(
        loadStage(std::min(stage / phases, blocks - 1), stage % phases));
  // `blocksTogether` is the number of blocks in an iteration. `iterations` is
  // the number of iterations that load only stages that exist. The remaining
  // stages follow the loop. With one slot, all stages are in the loop, and the
  // loop loads the last block again at its end. A second copy of the stages'
  // code behind the loop would save only this load.
  int64_t blocksTogether = tile.ahead / std::gcd(tile.ahead, phases);
  int64_t stagesTogether = blocksTogether * phases;
  int64_t iterations =
      tile.ahead == 1
          ? blocks
          : std::max<int64_t>(stages - tile.ahead, 0) / stagesTogether;
  auto join = [&] {
    SmallVector<Value> values = sums;
    for (const LoadedFactors &slot : slots) {
      llvm::append_range(values, slot.values);
      llvm::append_range(values, slot.masks);
    }
    return values;
  };
  auto split = [&](ArrayRef<Value> values) {
    auto take = [&](MutableArrayRef<Value> part) {
      llvm::copy(values.take_front(part.size()), part.begin());
      values = values.drop_front(part.size());
    };
    take(sums);
    for (LoadedFactors &slot : slots) {
      take(slot.values);
      take(slot.masks);
    }
  };
  if (iterations > 0)
    split(buildLoop(b, *forms, {0, iterations}, Counter::InOrder, join(),
                    [&](LinearForm iteration, ValueRange values) {
                      split(SmallVector<Value>(values));
                      bool hasNext = stages > 1;
                      buildStagesAhead(forms->mul(b, iteration, blocksTogether),
                                       stagesTogether,
                                       hasNext ? stagesTogether + tile.ahead
                                               : 0,
                                       sums, slots);
                      return join();
                    }));
  int64_t done = iterations * stagesTogether;
  if (int64_t left = stages - done)
    buildStagesAhead(iterations * blocksTogether, left, left, sums, slots);
  // The barrier lets all threads load the last stage before the sums overwrite
  // it.
  gpu::BarrierOp::create(b);
  return sums;
}

/// Builds the loop over the terms, and returns the sums of the subgroup in the
/// order that multiply() describes.
SmallVector<Value> MatrixBuilder::buildSums() {
  const MatrixShape &shape = schedule.shape;
  gpu::MMAMatrixType matrix =
      getMatrixType(shape.rows, shape.columns, sumType, "COp");
  Value zero = gpu::SubgroupMmaConstantMatrixOp::create(
      b, matrix, arith::ConstantOp::create(b, b.getZeroAttr(sumType)));
  int64_t numMatrices = getNumMatrices() +
                        (schedule.addsRows ? getRowsOfMatrices() : 0) +
                        (schedule.addsColumns ? getColumnsOfMatrices() : 0);
  SmallVector<Value> sums(numMatrices, zero);

  storeOnes();
  if (schedule.getUsedTerms() < tile.terms) {
    clearMemory();
    gpu::BarrierOp::create(b);
  }
  if (tile.ahead)
    return buildSumsAhead(std::move(sums));
  storeStage(loadStage(0, 0), 0);
  gpu::BarrierOp::create(b);
  return buildLoop(b, *forms, {0, schedule.getBlocks(contraction)},
                   Counter::InOrder, sums,
                   [&](LinearForm block, ValueRange carried) {
                     return buildBlock(block, carried);
                   });
}

/// Stores `matrix` in workgroup memory, in an array of numbers that begins at
/// vector `first`. The matrix begins at line `line` and column `column` of the
/// array, whose lines are `pitch` vectors apart.
void MatrixBuilder::storeMatrix(Value matrix, LinearForm line,
                                LinearForm column, LinearForm first,
                                int64_t pitch) {
  LinearForm place = forms->add(
      b, forms->mul(b, line, pitch),
      forms->add(b, forms->divide(b, column, wordsOfVector).first, first));
  gpu::SubgroupMmaStoreMatrixOp::create(
      b, matrix, memory, ValueRange(forms->materialize(b, place)),
      b.getIndexAttr(pitch), UnitAttr());
}

/// Returns one vector of sums, which is the sum of the slices' vectors of
/// partial sums. In workgroup memory, the vector of the first slice lies at
/// `place`, and the vectors of neighbouring slices lie `ofSlice` vectors apart.
Value MatrixBuilder::loadSum(LinearForm place, int64_t ofSlice) {
  Value sum;
  for (int64_t number = 0; number < tile.slices; ++number) {
    Value part = memref::LoadOp::create(
        b, memory,
        forms->materialize(b, forms->add(b, place, number * ofSlice)));
    if (!sumType.isInteger())
      part = vector::BitCastOp::create(
          b, VectorType::get(wordsOfVector, sumType), part);
    sum = sum ? add(sum, part) : part;
  }
  return sum;
}

/// Stores the sums of factors in workgroup memory, behind the sums of products.
/// They will be multiplied by zero points. In each slice, all subgroups with
/// the same rows have computed the same sums of the factors of these rows. Only
/// the first of these subgroups stores the sums. The same holds for columns.
void MatrixBuilder::storeFactorSums(ArrayRef<Value> sums) {
  const MatrixShape &shape = schedule.shape;
  auto storeIfFirst = [&](LinearForm other, int64_t others,
                          llvm::function_ref<void()> store) {
    if (others == 1)
      return store();
    Value isFirst = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, forms->materialize(b, other), constant(0));
    GuardedBlock guard(b, *forms, isFirst);
    store();
  };
  LinearForm first =
      forms->add(b, forms->mul(b, slice, schedule.ofFactors / tile.slices),
                 schedule.sumVectors);
  if (schedule.addsRows) {
    int64_t pitch = getLinePitch(shape.columns, wordsOfVector);
    storeIfFirst(subgroupColumn, tile.columns / tile.subgroupColumns, [&] {
      for (int64_t i = 0; i < getRowsOfMatrices(); ++i)
        storeMatrix(sums[i],
                    forms->add(b, forms->mul(b, subgroupRow, tile.subgroupRows),
                               i * shape.rows),
                    0, first, pitch);
    });
    sums = sums.drop_front(getRowsOfMatrices());
    first = forms->add(b, first, tile.rows * pitch);
  }
  if (schedule.addsColumns)
    storeIfFirst(subgroupRow, tile.rows / tile.subgroupRows, [&] {
      for (int64_t j = 0; j < getColumnsOfMatrices(); ++j)
        storeMatrix(
            sums[j], 0,
            forms->add(b, forms->mul(b, subgroupColumn, tile.subgroupColumns),
                       j * shape.columns),
            first, getLinePitch(tile.columns, wordsOfVector));
    });
}

/// Builds the zero points of `operand` at `positions`. The values are null if
/// the operand's zero point is 0.
SmallVector<Value>
MatrixBuilder::buildZeroPoints(const ContractionOperand &operand,
                               ArrayRef<LinearForm> positions) {
  ZeroPoint zeroPoint = getZeroPoint(operand);
  SmallVector<Value> values(positions.size());
  if (zeroPoint.isZero())
    return values;
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Forms> coordinates;
  for (const LinearForm &position : positions)
    coordinates.push_back(getCoordinates(operand, position));
  builder.buildSlice(getSliceOf(operand.slice, zeroPoint.value), coordinates);
  constexpr int32_t flipped = 128;
  Value ofUnsigned = arith::ConstantOp::create(b, b.getI32IntegerAttr(flipped));
  Value zero = getZero();
  for (auto [i, value] : llvm::enumerate(values)) {
    value = zero;
    if (zeroPoint.value) {
      Value narrow = builder.getBuilt(i, zeroPoint.value);
      value = zeroPoint.isUnsigned
                  ? arith::ExtUIOp::create(b, sumType, narrow).getResult()
                  : arith::ExtSIOp::create(b, sumType, narrow).getResult();
    }
    if (zeroPoint.isUnsigned)
      value = b.createOrFold<arith::SubIOp>(value, ofUnsigned);
  }
  return values;
}

/// Replaces `elements`, which are sums of products x * y of narrow numbers, by
/// the sums of (x - p) * (y - q), where p and q are zero points. Such a sum is
/// the sum of all x * y, minus p times the sum of all y, minus q times the sum
/// of all x, plus p * q for each term. The arithmetic is exact, since integer
/// sums are defined modulo 2^32. The elements are neighbours in one row of the
/// output. `row` is the index of this row in the output, and `vector` the index
/// of the elements' vector of columns. `rowInTile` and `vectorInTile` are the
/// same indices, counted from the beginning of the tile.
void MatrixBuilder::subtractZeroPoints(LinearForm rowInTile, LinearForm row,
                                       LinearForm vectorInTile,
                                       LinearForm vector,
                                       MutableArrayRef<Value> elements) {
  if (!schedule.addsRows && !schedule.addsColumns)
    return;
  auto lanes = static_cast<int64_t>(elements.size());
  auto getBehind = [&](Value value, Value subtrahend) -> Value {
    return arith::SubIOp::create(b, value, subtrahend);
  };
  auto multiplied = [&](Value lhs, Value rhs) -> Value {
    return arith::MulIOp::create(b, lhs, rhs);
  };
  SmallVector<LinearForm> positions;
  for (int64_t lane = 0; lane < lanes; ++lane)
    positions.push_back(getPosition(contraction.columns, vector, lane, lanes));
  SmallVector<Value> ofColumns =
      buildZeroPoints(contraction.columns, positions);
  Value ofRow = buildZeroPoints(
      contraction.rows, forms->min(b, row, contraction.rows.size - 1))[0];
  int64_t first = schedule.sumVectors;
  Value rowSum;
  if (schedule.addsRows) {
    int64_t pitch = getLinePitch(schedule.shape.columns, wordsOfVector);
    Value loaded =
        loadSum(forms->add(b, forms->mul(b, rowInTile, pitch), first),
                schedule.ofFactors / tile.slices);
    rowSum = vector::ExtractOp::create(b, loaded, 0);
    // The sum of (a - y) * (b - z) is the sum of (a - y) * b, minus z times the
    // sum of all a - y. The following code builds the sum of all a - y. It
    // subtracts y from the sum of all a as often as the stages have terms.
    // Terms in a stage beyond the last term of the sum are staged with a = y,
    // and contribute 0.
    if (ofRow)
      rowSum = getBehind(
          rowSum,
          multiplied(ofRow, arith::ConstantOp::create(
                                b, b.getI32IntegerAttr(static_cast<int32_t>(
                                       schedule.getBlocks(contraction) *
                                       schedule.getPhases(contraction) *
                                       schedule.getUsedTerms())))));
    first += tile.rows * pitch;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value &element = elements[lane];
    if (rowSum)
      element = getBehind(element, multiplied(ofColumns[lane], rowSum));
    if (!schedule.addsColumns)
      continue;
    Value loaded = loadSum(
        forms->add(b, forms->mul(b, vectorInTile, lanes / wordsOfVector),
                   first + lane / wordsOfVector),
        schedule.ofFactors / tile.slices);
    Value columnSum =
        vector::ExtractOp::create(b, loaded, lane % wordsOfVector);
    element = getBehind(element, multiplied(ofRow, columnSum));
  }
}

/// Computes elements of the output from the sums, and stores the elements. The
/// sums pass through workgroup memory in several passes if they do not fit at
/// once: each pass covers `rowsTogether` rows of each subgroup's tile.
void MatrixBuilder::storeSums(ArrayRef<Value> sums) {
  const MatrixShape &shape = schedule.shape;
  int64_t numColumns = getColumnsOfMatrices();
  int64_t pitch = getLinePitch(tile.columns, wordsOfVector);
  constexpr int64_t lanes = 2 * wordsOfVector;
  int64_t rowsTogether = schedule.rowsTogether;
  int64_t lines = tile.rows / tile.subgroupRows * rowsTogether;
  int64_t numItems = lines * (tile.columns / lanes);
  storeFactorSums(sums.drop_front(getNumMatrices()));
  for (int64_t part = 0; part < tile.subgroupRows; part += rowsTogether) {
    if (part > 0)
      gpu::BarrierOp::create(b);
    for (int64_t i = 0; i < rowsTogether; i += shape.rows)
      for (int64_t j = 0; j < numColumns; ++j)
        storeMatrix(
            sums[(part + i) / shape.rows * numColumns + j],
            forms->add(b, forms->mul(b, subgroupRow, rowsTogether), i),
            forms->add(b, forms->mul(b, subgroupColumn, tile.subgroupColumns),
                       j * shape.columns),
            forms->mul(b, slice, lines * pitch), pitch);
    gpu::BarrierOp::create(b);

    shareOut(numItems, [&](LinearForm item) {
      auto [line, vector] = forms->divide(b, item, tile.columns / lanes);
      auto [ofSubgroup, inPart] = forms->divide(b, line, rowsTogether);
      SmallVector<Value> elements;
      for (int64_t i = 0; i < lanes / wordsOfVector; ++i) {
        LinearForm place = forms->add(
            b, forms->mul(b, line, pitch),
            forms->add(b, forms->mul(b, vector, lanes / wordsOfVector), i));
        Value loaded = loadSum(place, lines * pitch);
        for (int64_t lane = 0; lane < wordsOfVector; ++lane)
          elements.push_back(vector::ExtractOp::create(b, loaded, lane));
      }
      LinearForm rowInTile =
          forms->add(b, forms->mul(b, ofSubgroup, tile.subgroupRows),
                     forms->add(b, inPart, part));
      LinearForm row =
          forms->add(b, forms->mul(b, rows.tile, tile.rows), rowInTile);
      LinearForm ofColumns = forms->add(
          b, forms->mul(b, columns.tile, tile.columns / lanes), vector);
      subtractZeroPoints(rowInTile, row, vector, ofColumns, elements);
      TileBuilder builder(b, op, *forms, *views);
      storeElements(builder, rows, row, columns, ofColumns, elements);
    });
  }
}

/// Determines the layout of an operand in a stage, from vector `offset` on, and
/// returns the number of vectors that the operand takes.
int64_t MatrixBuilder::layOut(StagedMatrices &staged, int64_t offset) {
  bool isAlong = staged.isAlongTerms = isAlongSteps(*staged.operand);
  staged.pitch =
      getLinePitch(isAlong ? tile.terms : staged.positions, schedule.lanes);
  StagedArea &area = staged.area;
  area.first = offset;
  area.vectorsOfItem = schedule.getVectorsOfItem(isAlong, staged.units);
  if (isAlong) {
    // An item is one or more units of neighbouring terms of one position.
    area.lines = staged.positions;
    area.itemsOfLine = schedule.steps / schedule.stepsOfUnit / staged.units;
    area.ofLine = staged.pitch;
    area.ofItem = quantized ? 1 : area.vectorsOfItem;
    area.ofVector = quantized ? area.itemsOfLine : 1;
    // Workgroup memory has banks for 8 vectors, so that vectors whose places
    // are 8 apart conflict. Lines have an odd pitch, so that the first vectors
    // of 8 neighbouring lines lie in different banks. But the end of a line may
    // conflict with the beginning of the line before. With 4 vectors in a line
    // and a pitch of 5, line 0 lies at the places 0 to 3 and line 1 at the
    // places 5 to 8, and the places 0 and 8 conflict.
    //
    // If each item is one vector, consecutive threads store whole lines at the
    // same time. They therefore take the lines in an order without such
    // conflicts (StagedArea::isSpread). If items have several vectors,
    // consecutive threads store vectors several places apart, and the order of
    // the lines stays.
    area.isSpread = area.vectorsOfItem == 1 || quantized;
    return staged.positions * staged.pitch;
  }
  // An item is a vector of positions for each of `termsTogether` terms.
  area.lines = schedule.steps;
  area.itemsOfLine = staged.positions / schedule.lanes;
  area.ofLine = schedule.termsTogether * staged.pitch;
  area.ofItem = 1;
  area.ofVector = staged.pitch;
  return tile.terms * staged.pitch;
}

void MatrixBuilder::build() {
  int64_t rowTiles = llvm::divideCeilSigned(contraction.rows.size, tile.rows);
  int64_t panel = std::min(tile.panel, rowTiles);
  while (rowTiles % panel)
    --panel;
  buildLaunch(tile.rows, tile.columns, threads, rows, columns, panel);
  if (getPackedTerms(contraction, tile) > 0 && isAlongSteps(contraction.rows) &&
      isAlongSteps(contraction.columns) &&
      llvm::none_of(contraction.conditions,
                    [](Value condition) { return condition; }))
    quantized = QuantizedFactors::match(contraction.columns);
  if (quantized) {
    columns.units = schedule.unitsOfPacked;
    rows.units = schedule.vectorsOfUnit > 1 ? schedule.unitsOfPacked : 1;
  }
  for (StagedMatrices *staged : {&rows, &columns})
    stageSize += layOut(*staged, stageSize);
  memory = allocateInWorkgroup(b, schedule.bytes / DeviceProfile::vectorBytes,
                               VectorType::get(wordsOfVector, b.getI32Type()));
  for (StagedMatrices *staged : {&rows, &columns}) {
    staged->area.memory = memory;
    staged->area.ofBuffer = stageSize;
  }
  int64_t subgroups = tile.getSubgroups();
  Value number = buildSubgroupId(b, subgroups);
  LinearForm ofSlice;
  std::tie(slice, ofSlice) = forms->divide(
      b, forms->getOpaque(number, {0, subgroups - 1}), subgroups / tile.slices);
  std::tie(subgroupRow, subgroupColumn) =
      forms->divide(b, ofSlice, tile.columns / tile.subgroupColumns);
  keepsWords = canKeepWords();
  storeSums(buildSums());
  op.erase();
}

void dml::buildMatrixKernel(linalg::GenericOp op, const MatrixTile &tile,
                            const DeviceProfile &profile) {
  widenLast(op);
  std::optional<Contraction> contraction = Contraction::match(op);
  MatrixSchedule schedule;
  [[maybe_unused]] std::string problem =
      MatrixSchedule::get(*contraction, tile, profile, schedule);
  assert(problem.empty() && "the tile was to be looked at before");
  MatrixBuilder(op, *contraction, tile, schedule, profile.getSubgroupSize())
      .build();
}
