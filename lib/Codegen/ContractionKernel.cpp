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

#include "Contraction.h"
#include "Launch.h"
#include "TileBuilder.h"
#include "VectorPacker.h"
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
struct Staged {
  const ContractionOperand *operand;
  /// Positions that a workgroup has of it.
  int64_t positions;
  /// Which of the tiles that its positions are cut into the workgroup has.
  LinearForm tile;
  /// Vectors of neighbouring positions, one row of them for each term.
  Value memory;
  /// Whether neighbouring threads load factors of neighbouring iterations, and
  /// not of neighbouring positions: what lies side by side in memory.
  bool isAlongSteps = false;

  int64_t getVectors() const { return positions / side; }
  int64_t getPitch() const { return getStagedVectors(positions); }
};

class KernelBuilder {
public:
  KernelBuilder(linalg::GenericOp op, const Contraction &contraction,
                const ContractionTile &tile)
      : b(op.getLoc(), op), op(op), contraction(contraction), tile(tile),
        block(*ThreadBlock::get(tile)),
        type(cast<MemRefType>(op.getOutputs().front().getType())),
        placement(getPlacement(op.getOutputs().front()).value_or(Placement())) {
  }

  void build();

private:
  using Forms = SmallVector<LinearForm>;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value buildStage(int64_t positions);
  void setDims(ArrayRef<int64_t> dims, LinearForm position, Forms &coordinates);
  LinearForm getPosition(const ContractionOperand &operand, LinearForm vector,
                         int64_t lane);
  void buildFactors(TileBuilder &builder, const ContractionOperand &operand,
                    ArrayRef<Operation *> slice, LinearForm vector,
                    LinearForm step);
  bool isAlongSteps(const ContractionOperand &operand);
  void stage(const Staged &staged, LinearForm thread, LinearForm firstStep);
  int64_t getNumItems(const Staged &staged) const;
  SmallVector<Value> addProducts(Value firstTerm, int64_t count,
                                 ValueRange sums);
  SmallVector<Value> buildSums();
  void storeElements(ValueRange sums);
  int64_t getStoredTogether() const;
  LinearForm getOwnVector(LinearForm thread, int64_t threads, int64_t number);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  const Contraction &contraction;
  const ContractionTile &tile;
  const ThreadBlock block;
  const MemRefType type;
  /// Where the output is in the buffer that it may be a part of.
  const Placement placement;

  gpu::LaunchOp launch;
  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// The place of the thread's blocks among those of the workgroup.
  LinearForm threadRow, threadColumn;
  /// The coordinates of the batch; those of other dimensions are 0.
  Forms batch;
  /// Whether the workgroup is one that is wanted, or null where all are.
  Value isWanted;
  Staged rows, columns;
};
} // namespace

Value KernelBuilder::buildStage(int64_t positions) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return memref::AllocOp::create(
      b, MemRefType::get({tile.terms * getStagedVectors(positions)},
                         VectorType::get(side, b.getF32Type()), AffineMap(),
                         space));
}

/// Sets the coordinates of `dims` for `position`, the number of a place in all
/// of them.
void KernelBuilder::setDims(ArrayRef<int64_t> dims, LinearForm position,
                            Forms &coordinates) {
  int64_t inner = 1;
  for (int64_t dim : dims)
    inner *= type.getDimSize(dim);
  for (int64_t dim : dims) {
    inner /= type.getDimSize(dim);
    std::tie(coordinates[dim], position) = forms->divide(b, position, inner);
  }
}

/// Position `lane` of vector `vector` of an operand, the last position beyond
/// it. A vector of positions that there are stays one of neighbours.
LinearForm KernelBuilder::getPosition(const ContractionOperand &operand,
                                      LinearForm vector, int64_t lane) {
  if (operand.size % side == 0) {
    vector = forms->min(b, vector, operand.size / side - 1);
    return forms->add(b, forms->mul(b, vector, side), lane);
  }
  return forms->min(b, forms->add(b, forms->mul(b, vector, side), lane),
                    operand.size - 1);
}

/// Builds what `slice` computes at iteration `step` for each position of
/// `vector` of `operand`.
void KernelBuilder::buildFactors(TileBuilder &builder,
                                 const ContractionOperand &operand,
                                 ArrayRef<Operation *> slice, LinearForm vector,
                                 LinearForm step) {
  SmallVector<Forms> coordinates;
  for (int64_t lane = 0; lane < side; ++lane) {
    coordinates.push_back(batch);
    setDims(operand.dims, getPosition(operand, vector, lane),
            coordinates.back());
  }
  for (size_t i = contraction.loops.size(); i-- > 0;) {
    scf::ForOp loop = contraction.loops[i];
    LinearForm induction = step;
    if (i > 0)
      std::tie(step, induction) = forms->divide(b, step, contraction.trips[i]);
    for (int64_t lane = 0; lane < side; ++lane)
      builder.bind(lane, loop.getInductionVar(), induction);
  }
  builder.buildSlice(slice, coordinates);
}

/// By how much `form` grows with `atom`.
static std::optional<int64_t> getCoefficient(const LinearForm &form,
                                             const LinearForm &atom) {
  for (LinearForm::Term term : form.terms)
    if (!atom.isConstant() && term.first == atom.terms.front().first)
      return std::abs(term.second);
  return std::nullopt;
}

/// Whether the factors of neighbouring iterations lie closer in their buffer
/// than those of neighbouring positions, as the first load tells.
bool KernelBuilder::isAlongSteps(const ContractionOperand &operand) {
  const auto *load = llvm::find_if(operand.slice, [](Operation *nested) {
    return isa<memref::LoadOp>(nested);
  });
  if (load == operand.slice.end())
    return false;
  Block discarded;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&discarded);
  IndexForms saved = *forms;
  // Any values will do that are no other forms'.
  LinearForm vector =
      forms->getOpaque(launch.getThreadIds().y,
                       {0, llvm::divideCeilSigned(operand.size, side) - 1});
  LinearForm step =
      forms->getOpaque(launch.getThreadIds().z, {0, contraction.steps - 1});
  TileBuilder builder(b, op, *forms, *views);
  buildFactors(builder, operand, operand.slice, vector, step);
  Scalar element = builder.getScalar(0, (*load)->getResult(0));
  LinearForm position = std::get<Load>(element).position;
  std::optional<int64_t> alongSteps = getCoefficient(position, step),
                         alongVectors = getCoefficient(position, vector);
  *forms = std::move(saved);
  return alongSteps && alongVectors &&
         *alongSteps * side < *alongVectors * contraction.getTermsOfStep();
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

/// How many elements are stored together: as many as a vector of columns has,
/// if these are always neighbours in the output and no part of another buffer
/// begins or ends among them, or one.
int64_t KernelBuilder::getStoredTogether() const {
  int64_t run = 1, dim = type.getRank();
  while (dim > 0 && (type.getDimSize(dim - 1) == 1 ||
                     llvm::is_contained(contraction.columns.dims, dim - 1)))
    run *= type.getDimSize(--dim);
  int64_t bytes = side * type.getElementTypeBitWidth() / 8;
  bool isAligned =
      placement.strips.empty() || placement.getAlignment() % bytes == 0;
  return run % side || !isAligned ? 1 : side;
}

void KernelBuilder::storeElements(ValueRange sums) {
  int64_t together = getStoredTogether();
  Packing packing(type.getElementType(),
                  together * type.getElementTypeBitWidth() / 8);
  Value output = views->getVectors(b, op.getOutputs().front(), packing);
  scf::ForOp outermost = contraction.loops.front();
  Value total = outermost.getResult(0);
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  TileBuilder builder(b, op, *forms, *views);
  auto getInside = [&](const Staged &staged, LinearForm position) -> Value {
    if (staged.operand->size % staged.positions == 0)
      return Value();
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                 forms->materialize(b, position),
                                 constant(staged.operand->size));
  };
  auto both = [&](Value lhs, Value rhs) -> Value {
    return lhs && rhs ? arith::AndIOp::create(b, lhs, rhs).getResult()
           : lhs      ? lhs
                      : rhs;
  };
  auto getVector = [&](const Staged &staged, LinearForm thread, int64_t threads,
                       int64_t number) {
    return forms->add(b, forms->mul(b, staged.tile, staged.getVectors()),
                      getOwnVector(thread, threads, number));
  };
  for (int64_t row = 0; row < block.rows; ++row) {
    LinearForm rowVector =
        getVector(rows, threadRow, block.threadRows, row / side);
    Forms ofRow = batch;
    setDims(contraction.rows.dims,
            getPosition(contraction.rows, rowVector, row % side), ofRow);
    Value rowInside = both(
        isWanted, getInside(rows, forms->add(b, forms->mul(b, rowVector, side),
                                             row % side)));
    for (int64_t i = 0; i < block.columns / side; ++i) {
      LinearForm vector =
          getVector(columns, threadColumn, block.threadColumns, i);
      Value vectorOfSums = sums[row * (block.columns / side) + i];
      SmallVector<Forms> coordinates;
      for (int64_t lane = 0; lane < side; ++lane) {
        coordinates.push_back(ofRow);
        setDims(contraction.columns.dims,
                getPosition(contraction.columns, vector, lane),
                coordinates.back());
        Value sum = vector::ExtractOp::create(b, vectorOfSums, lane);
        builder.bind(lane, total, sum);
      }
      builder.buildSlice(contraction.epilogue, coordinates);
      for (int64_t lane = 0; lane < side; lane += together) {
        SmallVector<Scalar> elements;
        for (int64_t element = lane; element < lane + together; ++element)
          elements.push_back(builder.getScalar(element, yielded));
        Value value = VectorPacker(builder.getShared(), packing).pack(elements);
        LinearForm position = builder.linearize(type, coordinates[lane]);
        Value place = forms->materialize(
            b, getPlace(*forms, b, placement,
                        forms->divide(b, position, together).first,
                        packing.bytes));
        Value inside =
            both(rowInside,
                 getInside(columns,
                           forms->add(b, forms->mul(b, vector, side), lane)));
        OpBuilder::InsertionGuard guard(b);
        if (inside)
          b.setInsertionPointToStart(scf::IfOp::create(b, inside).thenBlock());
        memref::StoreOp::create(b, value, output, place);
      }
    }
  }
}

void KernelBuilder::build() {
  int64_t rowTiles = llvm::divideCeilSigned(contraction.rows.size, tile.rows);
  int64_t columnTiles =
      llvm::divideCeilSigned(contraction.columns.size, tile.columns);
  int64_t groups = rowTiles * columnTiles * contraction.batches;
  GroupedLaunch grouped = createLaunch(b, op, groups);
  launch = grouped.launch;
  views.emplace(launch);
  forms.emplace(launch.getThreadIds().x, numThreads);
  LinearForm group = forms->getOpaque(grouped.group, {0, grouped.count - 1});
  if (grouped.count > groups) {
    // All threads meet at barriers; only what they store is left out.
    isWanted = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                     grouped.group, constant(groups));
    group = forms->min(b, group, groups - 1);
  }
  rows = {&contraction.rows, tile.rows, {}, buildStage(tile.rows)};
  columns = {&contraction.columns, tile.columns, {}, buildStage(tile.columns)};
  std::tie(group, columns.tile) = forms->divide(b, group, columnTiles);
  LinearForm numberOfBatch;
  std::tie(numberOfBatch, rows.tile) = forms->divide(b, group, rowTiles);
  batch.resize(type.getRank());
  setDims(contraction.batchDims, numberOfBatch, batch);
  std::tie(threadRow, threadColumn) =
      forms->divide(b, forms->getThread(), block.threadColumns);
  rows.isAlongSteps = isAlongSteps(contraction.rows);
  columns.isAlongSteps = isAlongSteps(contraction.columns);
  storeElements(buildSums());
  op.erase();
}

void dml::buildContractionKernel(linalg::GenericOp op,
                                 const Contraction &contraction,
                                 const ContractionTile &tile) {
  KernelBuilder(op, contraction, tile).build();
}
