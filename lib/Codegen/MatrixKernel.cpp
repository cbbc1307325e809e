//===- MatrixKernel.cpp - Sums of products by matrices --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The threads of a workgroup load the factors that a tile of sums has in common
// into workgroup memory, as a contraction kernel's do, but in the type that
// they were stored in. From there subgroups load cooperative matrices, whose
// products they add up. While they multiply the matrices of one stage, what
// their threads have loaded of the next is on its way. In the end the sums go
// through workgroup memory, too: which thread has which element of a matrix is
// the device's secret.
//
//===----------------------------------------------------------------------===//

#include "MatrixKernel.h"
#include "ContractionBuilder.h"
#include "Launch.h"
#include "Rounding.h"
#include "VectorPacker.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

/// Components of the vectors that workgroup memory is made of: words.
static constexpr int64_t words = 4;

/// Rows, columns and terms of a tile, at most.
static constexpr int64_t maxSize = 1 << 12;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The element type under its name in a MatrixShape.
static Type getType(MLIRContext *context, StringRef name) {
  Builder b(context);
  if (name == "f16")
    return b.getF16Type();
  if (name == "f32")
    return b.getF32Type();
  return name == "i32" ? b.getI32Type() : b.getI8Type();
}

/// Whether the f32 `value` is one of f16.
static bool isHalf(Value value) {
  if (auto widening = value.getDefiningOp<arith::ExtFOp>())
    return widening.getIn().getType().isF16();
  if (isRounded(value))
    return true;
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isHalf(select.getTrueValue()) && isHalf(select.getFalseValue());
  APFloat constant(0.0);
  if (!matchPattern(value, m_ConstantFloat(&constant)))
    return false;
  bool isInexact;
  constant.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven,
                   &isInexact);
  return !isInexact;
}

bool dml::hasFactorsOf(const Contraction &contraction, StringRef name) {
  return name == "f16" && llvm::all_of(contraction.rows.factors, isHalf) &&
         llvm::all_of(contraction.columns.factors, isHalf);
}

/// Chooses between narrow numbers before they are widened: what is staged is
/// then known to be an element of a buffer.
static void widenLast(linalg::GenericOp op) {
  op.getBody()->walk([](arith::SelectOp select) {
    if (!select.getType().isF32() || !isHalf(select))
      return;
    ImplicitLocOpBuilder b(select.getLoc(), select);
    auto narrow = [&](Value value) -> Value {
      if (auto widening = value.getDefiningOp<arith::ExtFOp>())
        return widening.getIn();
      return b.createOrFold<arith::TruncFOp>(b.getF16Type(), value);
    };
    Value chosen = arith::SelectOp::create(b, select.getCondition(),
                                           narrow(select.getTrueValue()),
                                           narrow(select.getFalseValue()));
    select.replaceAllUsesWith(
        arith::ExtFOp::create(b, b.getF32Type(), chosen).getResult());
    select.erase();
  });
}

/// What the f32 `factor` was widened from.
static Value getNarrow(Value factor) {
  auto widening = factor.getDefiningOp<arith::ExtFOp>();
  return widening ? widening.getIn() : factor;
}

/// The operations of `slice` that `value` depends on.
static void addSlice(ArrayRef<Operation *> slice, Value value,
                     llvm::SmallPtrSetImpl<Operation *> &needed) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !llvm::is_contained(slice, definition) ||
      !needed.insert(definition).second)
    return;
  for (Value operand : definition->getOperands())
    addSlice(slice, operand, needed);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Returns how many vectors a line of workgroup memory takes that holds `size`
/// factors. It takes one more than it needs, so that the lines of a matrix lie
/// in different banks.
static int64_t getPitch(int64_t size, int64_t lanes) {
  return size / lanes + 1;
}

std::string MatrixSchedule::get(const Contraction &contraction,
                                const MatrixTile &tile,
                                const DeviceProfile &profile,
                                MatrixSchedule &schedule) {
  std::optional<MatrixShape> shape = MatrixShape::parse(tile.shape);
  if (!shape || !llvm::is_contained(profile.getMatrixShapes(), *shape))
    return "has the shape '" + tile.shape +
           "', which is none of the device profile '" + profile.str() + "'";
  if (!profile.getSubgroupSize())
    return "wants a subgroup size, but the device profile '" + profile.str() +
           "' has none";
  if (shape->sums != "f32")
    return "has sums of " + shape->sums + ", but f32 is wanted";
  if (!hasFactorsOf(contraction, shape->factors))
    return "wants factors that were widened from " + shape->factors;
  schedule.shape = *shape;
  int64_t bytesOfFactor = shape->factors == "f16" ? 2 : 1;
  int64_t lanes = DeviceProfile::vectorBytes / bytesOfFactor;
  schedule.lanes = lanes;
  // Whole matrices, whose edges are multiples of a vector.
  for (auto [size, of, name] :
       {std::tuple(tile.subgroupRows, shape->rows, "rows of a subgroup"),
        std::tuple(tile.subgroupColumns, shape->columns,
                   "columns of a subgroup"),
        std::tuple(tile.terms, shape->terms, "terms")})
    if (size % of || of % lanes)
      return "has " + std::to_string(size) + " " + name +
             ", but whole matrices of " + std::to_string(of) +
             ", a multiple of " + std::to_string(lanes) + ", are wanted";
  // Nothing below overflows.
  if (std::max({tile.rows, tile.columns, tile.terms}) > maxSize)
    return "has sizes of more than " + std::to_string(maxSize);
  int64_t threads = tile.getSubgroups() * profile.getSubgroupSize();
  if (threads > profile.getMaxWorkgroupSize())
    return "takes " + std::to_string(threads) +
           " threads, but the device profile '" + profile.str() + "' has " +
           std::to_string(profile.getMaxWorkgroupSize());

  auto setTogether = [&](int64_t together) {
    int64_t unit = std::lcm(lanes, together);
    schedule.termsTogether = together;
    schedule.stepsOfUnit = unit / together;
    schedule.vectorsOfUnit = unit / lanes;
    schedule.steps = tile.terms / unit * schedule.stepsOfUnit;
  };
  setTogether(std::min(contraction.getTermsOfStep(), maxSize));
  if (schedule.steps == 0)
    setTogether(1);
  // The longer way to lay an operand out.
  auto getVectors = [&](int64_t positions) {
    return std::max(positions * getPitch(tile.terms, lanes),
                    tile.terms * getPitch(positions, lanes));
  };
  int64_t stage = getVectors(tile.rows) + getVectors(tile.columns);
  int64_t limit = profile.getMaxWorkgroupMemory() / DeviceProfile::vectorBytes;
  schedule.stages = 2 * stage <= limit ? tile.stages : 1;
  auto getSums = [&](int64_t rows) {
    return tile.rows / tile.subgroupRows * rows * getPitch(tile.columns, words);
  };
  // As many as need no more memory than the stages do.
  schedule.rowsTogether = tile.subgroupRows;
  while (schedule.rowsTogether > shape->rows &&
         (tile.subgroupRows % schedule.rowsTogether ||
          getSums(schedule.rowsTogether) > schedule.stages * stage))
    schedule.rowsTogether -= shape->rows;
  schedule.bytes =
      std::max(schedule.stages * stage, getSums(schedule.rowsTogether)) *
      DeviceProfile::vectorBytes;
  if (schedule.bytes > profile.getMaxWorkgroupMemory())
    return "takes " + std::to_string(schedule.bytes) +
           " bytes of workgroup memory, but the device profile '" +
           profile.str() + "' has " +
           std::to_string(profile.getMaxWorkgroupMemory());
  return "";
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
/// An operand in workgroup memory.
struct Staged : OperandTile {
  /// Whether a line has the terms of a position, and not the positions of a
  /// term: what lies side by side in memory.
  bool isAlongTerms = false;
  /// Lines, the vectors of each, and where in a stage they begin.
  int64_t lines = 0, pitch = 0, offset = 0;

  int64_t getSize() const { return lines * pitch; }
};

class MatrixBuilder : ContractionBuilder {
public:
  MatrixBuilder(linalg::GenericOp op, const Contraction &contraction,
                const MatrixTile &tile, const MatrixSchedule &schedule,
                int64_t subgroupSize)
      : ContractionBuilder(op, contraction), tile(tile), schedule(schedule),
        threads(tile.getSubgroups() * subgroupSize),
        factorType(getType(op.getContext(), schedule.shape.factors)),
        sumType(getType(op.getContext(), schedule.shape.sums)) {}

  void build();

private:
  int64_t getNumItems(const Staged &staged) const;
  Value packFactors(TileBuilder &builder, const ContractionOperand &operand,
                    ArrayRef<std::pair<int64_t, int64_t>> places,
                    ArrayRef<Value> counts);
  SmallVector<Value> loadItem(const Staged &staged, LinearForm item,
                              LinearForm firstStep, int64_t firstTerm);
  SmallVector<Value> loadStage(LinearForm block, int64_t phase);
  void storeStage(ArrayRef<Value> vectors, LinearForm stage);
  void forEachItem(int64_t count, llvm::function_ref<void(LinearForm)> build);
  void clearMemory();
  Value loadMatrix(const Staged &staged, LinearForm stage, LinearForm position,
                   int64_t term);
  void multiply(LinearForm stage, MutableArrayRef<Value> sums);
  SmallVector<Value> buildSums();
  void storeSums(ArrayRef<Value> sums);

  gpu::MMAMatrixType getMatrixType(int64_t rows, int64_t columns, Type element,
                                   StringRef operand) {
    return gpu::MMAMatrixType::get({rows, columns}, element, operand);
  }

  const MatrixTile &tile;
  const MatrixSchedule &schedule;
  const int64_t threads;
  const Type factorType, sumType;

  Staged rows, columns;
  /// All of workgroup memory, in vectors.
  Value memory;
  int64_t stageSize = 0;
  /// The place of the subgroup's sums among those of the workgroup.
  LinearForm subgroupRow, subgroupColumn;
};
} // namespace

/// Returns how many items the threads load of an operand. An item is a unit of
/// terms of one position, or a vector of positions for each of the terms that
/// lie together.
int64_t MatrixBuilder::getNumItems(const Staged &staged) const {
  return staged.isAlongTerms
             ? staged.positions * (schedule.steps / schedule.stepsOfUnit)
             : schedule.steps * (staged.positions / schedule.lanes);
}

/// Returns the vector of the factors that `builder` has built at `places`, each
/// of which is an element and a term. A factor is 0 where `counts` of its
/// element is there and does not hold.
Value MatrixBuilder::packFactors(TileBuilder &builder,
                                 const ContractionOperand &operand,
                                 ArrayRef<std::pair<int64_t, int64_t>> places,
                                 ArrayRef<Value> counts) {
  SharedValues &shared = builder.getShared();
  Value zero = shared.getConstant(b.getZeroAttr(factorType));
  // Neighbours that share their conditions move as a whole.
  llvm::DenseMap<std::pair<Value, Value>, Value> both;
  auto conjoin = [&](Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    Value &known = both[{lhs, rhs}];
    if (!known)
      known = arith::AndIOp::create(b, lhs, rhs);
    return known;
  };
  SmallVector<Scalar> elements;
  for (auto [lane, term] : places) {
    Value factor = operand.factors[term];
    Value narrow = getNarrow(factor);
    Scalar element = builder.getScalar(lane, narrow);
    if (narrow == factor) {
      element = Value(
          arith::TruncFOp::create(b, factorType, shared.materialize(element)));
    }
    Value condition = counts[lane];
    if (Value own = contraction.conditions[term])
      condition = conjoin(condition, builder.getBuilt(lane, own));
    if (condition) {
      auto *load = std::get_if<Load>(&element);
      if (load && !load->value &&
          (!load->guard || matchPattern(load->otherwise, m_AnyZeroFloat()))) {
        load->guard = conjoin(condition, load->guard);
        load->otherwise = zero;
      } else {
        element =
            shared.buildSelect(condition, shared.materialize(element), zero);
      }
    }
    elements.push_back(element);
  }
  return VectorPacker(shared, Packing(factorType, DeviceProfile::vectorBytes))
      .pack(elements);
}

/// Loads the factors of an item of the iterations from `firstStep` on, of the
/// terms that lie together from `firstTerm` on.
SmallVector<Value> MatrixBuilder::loadItem(const Staged &staged,
                                           LinearForm item,
                                           LinearForm firstStep,
                                           int64_t firstTerm) {
  const ContractionOperand &operand = *staged.operand;
  int64_t lanes = schedule.lanes, together = schedule.termsTogether;
  // An item has the factors of so many iterations. If there are always all of
  // them or none, they share the condition under which they count.
  int64_t stepsOfItem = staged.isAlongTerms ? schedule.stepsOfUnit : 1;
  LinearForm position, step;
  if (staged.isAlongTerms) {
    LinearForm line, unit;
    std::tie(line, unit) = forms->divide(b, item, schedule.steps / stepsOfItem);
    position = forms->min(
        b, forms->add(b, forms->mul(b, staged.tile, staged.positions), line),
        operand.size - 1);
    step = forms->add(b, firstStep, forms->mul(b, unit, stepsOfItem));
  } else {
    int64_t vectors = staged.positions / lanes;
    std::tie(step, position) = forms->divide(b, item, vectors);
    position = forms->add(b, forms->mul(b, staged.tile, vectors), position);
    step = forms->add(b, firstStep, step);
  }

  llvm::SmallPtrSet<Operation *, 32> needed;
  for (int64_t term = firstTerm; term < firstTerm + together; ++term)
    addSlice(operand.slice, getNarrow(operand.factors[term]), needed);
  auto slice = llvm::filter_to_vector(operand.slice, [&](Operation *nested) {
    return needed.contains(nested);
  });

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
  // The builder has an element for each iteration of the item, where lines have
  // the terms of a position, and else for each position.
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
  builder.buildSlice(slice, coordinates);
  // A condition is the same for all positions.
  builder.buildSlice(contraction.conditionSlice,
                     SmallVector<Forms>(elements, batch));
  SmallVector<Value> vectors;
  int64_t count = staged.isAlongTerms ? schedule.vectorsOfUnit : together;
  for (int64_t vector = 0; vector < count; ++vector) {
    SmallVector<std::pair<int64_t, int64_t>> places;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t term = vector * lanes + lane;
      places.push_back(
          staged.isAlongTerms
              ? std::pair(term / together, firstTerm + term % together)
              : std::pair(lane, firstTerm + vector));
    }
    vectors.push_back(packFactors(builder, operand, places, counts));
  }
  return vectors;
}

/// Loads the thread's share of stage `phase` of the iterations of `block`.
SmallVector<Value> MatrixBuilder::loadStage(LinearForm block, int64_t phase) {
  LinearForm firstStep = forms->mul(b, block, schedule.steps);
  SmallVector<Value> vectors;
  for (const Staged *staged : {&rows, &columns}) {
    int64_t numItems = getNumItems(*staged);
    for (int64_t first = 0; first < numItems; first += threads)
      llvm::append_range(
          vectors,
          loadItem(*staged,
                   forms->min(b, forms->add(b, forms->getThread(), first),
                              numItems - 1),
                   firstStep, phase * schedule.termsTogether));
  }
  return vectors;
}

/// Stores what loadStage has loaded as stage `stage` of workgroup memory.
void MatrixBuilder::storeStage(ArrayRef<Value> vectors, LinearForm stage) {
  for (const Staged *staged : {&rows, &columns}) {
    int64_t numItems = getNumItems(*staged);
    for (int64_t first = 0; first < numItems; first += threads) {
      OpBuilder::InsertionGuard guard(b);
      IndexForms saved = *forms;
      LinearForm item = forms->add(b, forms->getThread(), first);
      // The last round may have threads without anything to store.
      bool isPart = first + threads > numItems;
      if (isPart) {
        Value hasItem = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                              forms->materialize(b, item),
                                              constant(numItems));
        b.setInsertionPointToStart(scf::IfOp::create(b, hasItem).thenBlock());
        // What range analysis cannot learn from the condition.
        item = forms->min(b, item, numItems - 1);
      }
      // The vectors of an item are neighbours in a line, or neighbouring lines
      // have one each.
      bool isAlong = staged->isAlongTerms;
      auto [line, inLine] =
          forms->divide(b, item,
                        isAlong ? schedule.steps / schedule.stepsOfUnit
                                : staged->positions / schedule.lanes);
      int64_t count = isAlong ? schedule.vectorsOfUnit : schedule.termsTogether;
      int64_t lines = isAlong ? 1 : count, vector = isAlong ? count : 1;
      LinearForm place =
          forms->add(b, forms->mul(b, stage, stageSize),
                     forms->add(b, forms->mul(b, line, lines * staged->pitch),
                                forms->add(b, forms->mul(b, inLine, vector),
                                           staged->offset)));
      for (int64_t i = 0; i < count; ++i) {
        memref::StoreOp::create(
            b, vectors.front(), memory,
            forms->materialize(
                b, forms->add(b, place, isAlong ? i : i * staged->pitch)));
        vectors = vectors.drop_front();
      }
      if (isPart)
        *forms = std::move(saved);
    }
  }
}

/// Has the threads share out the numbers below `count`, each of which `build`
/// gets: thread t takes t, t + threads, and so on.
void MatrixBuilder::forEachItem(int64_t count,
                                llvm::function_ref<void(LinearForm)> build) {
  int64_t rounds = llvm::divideCeilSigned(count, threads);
  auto loop = scf::ForOp::create(b, constant(0), constant(rounds), constant(1));
  OpBuilder::InsertionGuard guard(b);
  IndexForms saved = *forms;
  b.setInsertionPointToStart(loop.getBody());
  LinearForm item = forms->add(
      b, forms->getThread(),
      forms->mul(b, forms->getOpaque(loop.getInductionVar(), {0, rounds - 1}),
                 threads));
  if (count % threads) {
    Value hasItem =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              forms->materialize(b, item), constant(count));
    b.setInsertionPointToStart(scf::IfOp::create(b, hasItem).thenBlock());
    // Range analysis cannot learn this from the condition.
    item = forms->min(b, item, count - 1);
  }
  build(item);
  *forms = std::move(saved);
  moveLoopInvariantCode(loop);
}

/// Makes all of workgroup memory 0. This is done where stages have terms that
/// nothing is stored for.
void MatrixBuilder::clearMemory() {
  Value zero = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get(words, b.getI32Type())));
  forEachItem(schedule.stages * stageSize, [&](LinearForm place) {
    memref::StoreOp::create(b, zero, memory, forms->materialize(b, place));
  });
}

/// Loads the matrix of an operand at `position` and `term`.
Value MatrixBuilder::loadMatrix(const Staged &staged, LinearForm stage,
                                LinearForm position, int64_t term) {
  bool isRows = &staged == &rows;
  LinearForm line = position, inLine = term;
  if (!staged.isAlongTerms)
    std::swap(line, inLine);
  LinearForm place = forms->add(
      b, forms->mul(b, stage, stageSize),
      forms->add(b, forms->mul(b, line, staged.pitch),
                 forms->add(b, forms->divide(b, inLine, schedule.lanes).first,
                            staged.offset)));
  const MatrixShape &shape = schedule.shape;
  gpu::MMAMatrixType matrix =
      isRows ? getMatrixType(shape.rows, shape.terms, factorType, "AOp")
             : getMatrixType(shape.terms, shape.columns, factorType, "BOp");
  // Lines are columns of a matrix where they have terms of columns, or rows of
  // terms.
  bool isTransposed = staged.isAlongTerms != isRows;
  return gpu::SubgroupMmaLoadMatrixOp::create(
      b, matrix, memory, ValueRange(forms->materialize(b, place)),
      b.getIndexAttr(staged.pitch),
      isTransposed ? b.getUnitAttr() : UnitAttr());
}

/// Adds the products of a stage to `sums`.
void MatrixBuilder::multiply(LinearForm stage, MutableArrayRef<Value> sums) {
  const MatrixShape &shape = schedule.shape;
  int64_t numRows = tile.subgroupRows / shape.rows,
          numColumns = tile.subgroupColumns / shape.columns;
  for (int64_t term = 0; term < tile.terms; term += shape.terms) {
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
      for (int64_t j = 0; j < numColumns; ++j) {
        Value &sum = sums[i * numColumns + j];
        sum = gpu::SubgroupMmaComputeOp::create(b, sum.getType(), ofRows,
                                                ofColumns[j], sum, UnitAttr(),
                                                UnitAttr());
      }
    }
  }
}

/// The sums of the subgroup: matrices in row-major order.
SmallVector<Value> MatrixBuilder::buildSums() {
  const MatrixShape &shape = schedule.shape;
  gpu::MMAMatrixType matrix =
      getMatrixType(shape.rows, shape.columns, sumType, "COp");
  Value zero = gpu::SubgroupMmaConstantMatrixOp::create(
      b, matrix, arith::ConstantOp::create(b, b.getZeroAttr(sumType)));
  int64_t numMatrices =
      tile.subgroupRows / shape.rows * (tile.subgroupColumns / shape.columns);
  int64_t blocks = llvm::divideCeilSigned(contraction.steps, schedule.steps);
  int64_t phases = contraction.getTermsOfStep() / schedule.termsTogether;

  if (schedule.getUsedTerms() < tile.terms) {
    clearMemory();
    gpu::BarrierOp::create(b);
  }
  SmallVector<Value> next = loadStage(0, 0), carried(numMatrices, zero);
  if (tile.isCarried) {
    llvm::append_range(carried, next);
  } else {
    storeStage(next, 0);
    gpu::BarrierOp::create(b);
  }
  auto loop = scf::ForOp::create(b, constant(0), constant(blocks), constant(1),
                                 carried);
  OpBuilder::InsertionGuard guard(b);
  IndexForms saved = *forms;
  b.setInsertionPointToStart(loop.getBody());
  LinearForm block = forms->getOpaque(loop.getInductionVar(), {0, blocks - 1});
  SmallVector<Value> sums(loop.getRegionIterArgs().take_front(numMatrices));
  next.assign(loop.getRegionIterArgs().begin() + numMatrices,
              loop.getRegionIterArgs().end());
  // The code has a remainder even where ranges tell that there are no more
  // blocks than stages, since who reads the code alone does not know how large
  // a loop's variable becomes.
  auto getStage = [&](int64_t number) -> LinearForm {
    if (schedule.stages == 1)
      return 0;
    LinearForm all = forms->add(b, forms->mul(b, block, phases), number);
    return forms->getOpaque(arith::RemUIOp::create(b,
                                                   forms->materialize(b, all),
                                                   constant(schedule.stages)),
                            {0, schedule.stages - 1});
  };
  for (int64_t phase = 0; phase < phases; ++phase) {
    bool isLast = phase + 1 == phases;
    bool hasNext = !isLast || blocks > 1;
    if (tile.isCarried) {
      storeStage(next, getStage(phase));
      gpu::BarrierOp::create(b);
    }
    // The last stage loads itself once more, for nothing.
    if (hasNext)
      next = loadStage(
          isLast ? forms->min(b, forms->add(b, block, 1), blocks - 1) : block,
          isLast ? 0 : phase + 1);
    multiply(getStage(phase), sums);
    // Nothing takes the place of what others still load.
    if (schedule.stages == 1 && hasNext)
      gpu::BarrierOp::create(b);
    if (tile.isCarried)
      continue;
    if (hasNext)
      storeStage(next, getStage(phase + 1));
    gpu::BarrierOp::create(b);
  }
  if (tile.isCarried)
    llvm::append_range(sums, next);
  scf::YieldOp::create(b, sums);
  *forms = std::move(saved);
  moveLoopInvariantCode(loop);
  if (tile.isCarried) {
    // The sums take the place of the last stage.
    b.setInsertionPointAfter(loop);
    gpu::BarrierOp::create(b);
  }
  return SmallVector<Value>(loop.getResults().take_front(numMatrices));
}

/// Stores the elements of the sums. Some rows of each subgroup's matrices after
/// the others go through workgroup memory.
void MatrixBuilder::storeSums(ArrayRef<Value> sums) {
  const MatrixShape &shape = schedule.shape;
  int64_t numColumns = tile.subgroupColumns / shape.columns;
  int64_t pitch = getPitch(tile.columns, words);
  constexpr int64_t lanes = 2 * words;
  int64_t rowsTogether = schedule.rowsTogether;
  int64_t lines = tile.rows / tile.subgroupRows * rowsTogether;
  int64_t numItems = lines * (tile.columns / lanes);
  for (int64_t part = 0; part < tile.subgroupRows; part += rowsTogether) {
    if (part > 0)
      gpu::BarrierOp::create(b);
    for (int64_t i = 0; i < rowsTogether; i += shape.rows) {
      for (int64_t j = 0; j < numColumns; ++j) {
        LinearForm line =
            forms->add(b, forms->mul(b, subgroupRow, rowsTogether), i);
        LinearForm column =
            forms->add(b, forms->mul(b, subgroupColumn, tile.subgroupColumns),
                       j * shape.columns);
        LinearForm place = forms->add(b, forms->mul(b, line, pitch),
                                      forms->divide(b, column, words).first);
        gpu::SubgroupMmaStoreMatrixOp::create(
            b, sums[(part + i) / shape.rows * numColumns + j], memory,
            ValueRange(forms->materialize(b, place)), b.getIndexAttr(pitch),
            UnitAttr());
      }
    }
    gpu::BarrierOp::create(b);

    forEachItem(numItems, [&](LinearForm item) {
      auto [line, vector] = forms->divide(b, item, tile.columns / lanes);
      auto [ofSubgroup, inPart] = forms->divide(b, line, rowsTogether);
      SmallVector<Value> elements;
      for (int64_t i = 0; i < lanes / words; ++i) {
        LinearForm place =
            forms->add(b, forms->mul(b, line, pitch),
                       forms->add(b, forms->mul(b, vector, lanes / words), i));
        Value loaded =
            memref::LoadOp::create(b, memory, forms->materialize(b, place));
        if (!sumType.isInteger())
          loaded = vector::BitCastOp::create(b, VectorType::get(words, sumType),
                                             loaded);
        for (int64_t lane = 0; lane < words; ++lane)
          elements.push_back(vector::ExtractOp::create(b, loaded, lane));
      }
      LinearForm row =
          forms->add(b, forms->mul(b, rows.tile, tile.rows),
                     forms->add(b, forms->mul(b, ofSubgroup, tile.subgroupRows),
                                forms->add(b, inPart, part)));
      TileBuilder builder(b, op, *forms, *views);
      storeElements(
          builder, rows, row, columns,
          forms->add(b, forms->mul(b, columns.tile, tile.columns / lanes),
                     vector),
          elements);
    });
  }
}

void MatrixBuilder::build() {
  int64_t rowTiles = llvm::divideCeilSigned(contraction.rows.size, tile.rows);
  int64_t panel = std::min(tile.panel, rowTiles);
  while (rowTiles % panel)
    --panel;
  buildLaunch(tile.rows, tile.columns, threads, rows, columns, panel);
  for (Staged *staged : {&rows, &columns}) {
    staged->isAlongTerms = isAlongSteps(*staged->operand);
    int64_t inLine = staged->isAlongTerms ? tile.terms : staged->positions;
    staged->lines = staged->isAlongTerms ? staged->positions : tile.terms;
    staged->pitch = getPitch(inLine, schedule.lanes);
    staged->offset = stageSize;
    stageSize += staged->getSize();
  }
  memory = allocateInWorkgroup(b, schedule.bytes / DeviceProfile::vectorBytes,
                               VectorType::get(words, b.getI32Type()));
  int64_t subgroups = tile.getSubgroups();
  // Which threads are a subgroup is not said, only how many subgroups there
  // are.
  Value number = gpu::SubgroupIdOp::create(b, b.getIndexType(), IntegerAttr());
  number = arith::MinUIOp::create(b, number, constant(subgroups - 1));
  std::tie(subgroupRow, subgroupColumn) =
      forms->divide(b, forms->getOpaque(number, {0, subgroups - 1}),
                    tile.columns / tile.subgroupColumns);
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
