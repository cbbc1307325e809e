//===- AlignLoops.cpp - Rows of loops that devices can bind ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "dml/Conversion/Passes.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

namespace dml {
#define GEN_PASS_DEF_ALIGNLOOPS
#include "dml/Conversion/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// A tensor as rows, which its first dimension counts.
struct Rows {
  /// The number of rows, the number of elements of a row, and the same number
  /// with padding, so that each row begins where every device can bind it.
  int64_t count, size, padded;

  /// Whether a row without padding consists of 32-bit words, as devices have
  /// them that lack the type of the elements.
  bool isOfWords(Type elementType) const {
    return size * elementType.getIntOrFloatBitWidth() % 32 == 0;
  }
};

/// Changes a loop over steps so that an executable can express it.
class LoopAligner {
public:
  explicit LoopAligner(scf::ForOp loop) : loop(loop), builder(loop) {}

  void run() {
    for (unsigned number = 0; number < loop.getNumResults(); ++number)
      shareRows(number);
    for (unsigned number = 0; number < loop.getNumResults(); ++number)
      alignCarried(number);
    alignSources();
    copyMovedTensors();
  }

private:
  struct Shared;
  std::optional<Shared> findShared(unsigned number);
  void shareRows(unsigned number);
  void readShared(const Shared &shared);
  void alignCarried(unsigned number);
  void alignSources();
  void copyMovedTensors();
  bool isComputed(Value value);
  Value copy(Value value);
  Value getIndex(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loop.getLoc(), value);
  }
  Value pad(Value tensor, Rows rows);
  Value extend(Value tensor, int64_t size);
  Value reshape(Value tensor, ArrayRef<int64_t> shape);
  void readPadded(tensor::ExtractSliceOp slice, Value padded, Rows rows);
  void writePadded(tensor::InsertSliceOp insert, Rows rows);

  SmallVector<OpFoldResult> getAttrs(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  }

  scf::ForOp loop;
  OpBuilder builder;
};
} // namespace

/// Returns the rows of a tensor that has to be padded, and nothing where each
/// row begins at a multiple of the alignment.
static std::optional<Rows> findRows(RankedTensorType type) {
  if (!type.hasStaticShape() || type.getRank() == 0 ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t size = llvm::product_of(type.getShape().drop_front());
  constexpr auto alignment =
      static_cast<int64_t>(DeviceProfile::rangeAlignment);
  if (alignment % bytes != 0 || size * bytes % alignment == 0)
    return std::nullopt;
  return Rows{type.getDimSize(0), size,
              static_cast<int64_t>(llvm::alignTo(size, alignment / bytes))};
}

/// Whether a slice of `whole` is one row.
static bool isRow(OffsetSizeAndStrideOpInterface slice,
                  RankedTensorType whole) {
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    int64_t wanted = dim == 0 ? 1 : whole.getDimSize(dim);
    if (getConstantIntValue(slice.getMixedSizes()[dim]) != wanted ||
        getConstantIntValue(slice.getMixedStrides()[dim]) != 1 ||
        (dim != 0 && getConstantIntValue(slice.getMixedOffsets()[dim]) != 0))
      return false;
  }
  return true;
}

/// Returns the elements of `tensor` with another shape.
Value LoopAligner::reshape(Value tensor, ArrayRef<int64_t> shape) {
  Location loc = loop.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getShape() == shape)
    return tensor;
  // Shapes without dimensions are reached by no groups, all others by one.
  auto getGroups = [](int64_t rank, bool isScalar) {
    SmallVector<ReassociationIndices> groups;
    if (!isScalar)
      groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  bool toScalar = shape.empty(), fromScalar = type.getRank() == 0;
  if (type.getRank() > 1 || toScalar) {
    SmallVector<int64_t> flat(toScalar ? 0 : 1, type.getNumElements());
    tensor =
        tensor::CollapseShapeOp::create(builder, loc, type.clone(flat), tensor,
                                        getGroups(type.getRank(), toScalar));
  }
  if (shape.size() > 1 || fromScalar)
    tensor = tensor::ExpandShapeOp::create(
        builder, loc, type.clone(shape), tensor,
        getGroups(static_cast<int64_t>(shape.size()), fromScalar));
  return tensor;
}

/// Repeats the last element of the innermost dimension up to `size` elements.
Value LoopAligner::extend(Value tensor, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t last = shape.back() - 1;
  shape.back() = size;
  return buildTensor(builder, loop, type.clone(shape),
                     [&](ElementBuilder &b, ValueRange indices) -> Value {
                       SmallVector<Value> from(indices);
                       from.back() = b.minui(from.back(), b.index(last));
                       return tensor::ExtractOp::create(b, tensor, from);
                     });
}

/// Returns the rows of `tensor` with padding between them, whose elements are
/// undefined.
Value LoopAligner::pad(Value tensor, Rows rows) {
  auto type = cast<RankedTensorType>(tensor.getType());
  bool isEmpty = tensor.getDefiningOp<tensor::EmptyOp>();
  if (!isEmpty && !rows.isOfWords(type.getElementType()))
    return extend(reshape(tensor, {rows.count, rows.size}), rows.padded);
  Value empty = tensor::EmptyOp::create(
      builder, loop.getLoc(), ArrayRef<int64_t>{rows.count, rows.padded},
      type.getElementType());
  if (isEmpty)
    return empty;
  return tensor::InsertSliceOp::create(
      builder, loop.getLoc(), reshape(tensor, {rows.count, rows.size}), empty,
      getAttrs({0, 0}), getAttrs({rows.count, rows.size}), getAttrs({1, 1}));
}

/// Returns the value of which `value` is a reshape.
static Value getReshaped(Value value) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

//===----------------------------------------------------------------------===//
// States that are rows
//===----------------------------------------------------------------------===//

/// A state whose value after each iteration is also a row of a tensor that the
/// loop collects.
struct LoopAligner::Shared {
  unsigned state, collected;
  tensor::InsertSliceOp insert;
  bool isReversed;
  /// The rows that the loop collects, without the row before the first
  /// iteration.
  Rows rows;
};

std::optional<LoopAligner::Shared> LoopAligner::findShared(unsigned number) {
  BlockArgument argument = loop.getRegionIterArgs()[number];
  auto insert =
      loop.getYieldedValues()[number].getDefiningOp<tensor::InsertSliceOp>();
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  std::optional<int64_t> count = getConstantIntValue(loop.getUpperBound());
  if (!insert || insert.getDest() != argument || !argument.hasOneUse() ||
      !insert->hasOneUse() || !isRow(insert, type) ||
      !loop.getInitArgs()[number].getDefiningOp<tensor::EmptyOp>() ||
      getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1 || count != type.getDimSize(0))
    return std::nullopt;
  // The rows follow each other, forward or backward.
  auto place = dyn_cast<Value>(insert.getMixedOffsets()[0]);
  auto fromEnd = place ? place.getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  bool isReversed = fromEnd && fromEnd.getRhs() == loop.getInductionVar() &&
                    getConstantIntValue(fromEnd.getLhs()) == *count - 1;
  Value row = getReshaped(insert.getSource());
  if ((!isReversed && place != loop.getInductionVar()) || !isComputed(row))
    return std::nullopt;
  for (auto [state, yielded] : llvm::enumerate(loop.getYieldedValues()))
    if (state != number && getReshaped(yielded) == row) {
      int64_t size = llvm::product_of(type.getShape().drop_front());
      std::optional<Rows> padded = findRows(type);
      return Shared{static_cast<unsigned>(state), number, insert, isReversed,
                    Rows{*count, size, padded ? padded->padded : size}};
    }
  return std::nullopt;
}

/// Lets each iteration read a state from the row that the iteration before has
/// written, so that nothing is copied between iterations. The rows begin, or
/// end if they are in reverse, with the state before the first iteration. They
/// follow each other in one dimension: 3 iterations with rows of 40 elements of
/// f32 have 4 rows in 256 elements.
void LoopAligner::shareRows(unsigned number) {
  std::optional<Shared> shared = findShared(number);
  if (!shared)
    return;
  const Rows &rows = shared->rows;
  builder.setInsertionPoint(loop);
  OpOperand &init = loop.getInitArgsMutable()[number];
  auto type = cast<RankedTensorType>(init.get().getType());
  Value empty = tensor::EmptyOp::create(
      builder, loop.getLoc(), ArrayRef<int64_t>{(rows.count + 1) * rows.padded},
      type.getElementType());
  Value first = reshape(loop.getInitArgs()[shared->state], {rows.size});
  int64_t size = rows.size;
  if (!rows.isOfWords(type.getElementType()))
    first = extend(first, size = rows.padded);
  init.set(tensor::InsertSliceOp::create(
      builder, loop.getLoc(), first, empty,
      getAttrs({shared->isReversed ? rows.count * rows.padded : 0}),
      getAttrs({size}), getAttrs({1})));
  loop.getRegionIterArgs()[number].setType(empty.getType());
  loop->getResult(number).setType(empty.getType());
  readShared(*shared);

  // Behind the loop, the rows and the last state are taken out.
  builder.setInsertionPointAfter(loop);
  Value result = loop->getResult(number);
  llvm::SmallPtrSet<Operation *, 2> taken;
  auto take = [&](int64_t count, int64_t first, ArrayRef<int64_t> shape) {
    Value tensor =
        buildTensor(builder, loop, type.clone({count, rows.size}),
                    [&](ElementBuilder &b, ValueRange indices) -> Value {
                      Value row = b.mul(b.add(indices[0], first), rows.padded);
                      auto extract = tensor::ExtractOp::create(
                          b, result, b.add(row, indices[1]));
                      taken.insert(extract);
                      return extract;
                    });
    return reshape(tensor, shape);
  };
  Value all = take(rows.count, shared->isReversed ? 0 : 1, type.getShape());
  OpResult state = loop->getResult(shared->state);
  if (!state.use_empty())
    state.replaceAllUsesWith(
        take(1, shared->isReversed ? 0 : rows.count,
             cast<RankedTensorType>(state.getType()).getShape()));
  result.replaceUsesWithIf(
      all, [&](OpOperand &use) { return !taken.contains(use.getOwner()); });
}

/// Replaces the state in the body by the row of the iteration before.
void LoopAligner::readShared(const Shared &shared) {
  Location loc = loop.getLoc();
  Value last = getIndex(shared.rows.count - 1), one = getIndex(1),
        distance = getIndex(shared.rows.padded);
  builder.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar();
  if (shared.isReversed)
    place = arith::SubIOp::create(builder, loc, last, place);
  Value next = arith::AddIOp::create(builder, loc, place, one);
  auto getOffset = [&](Value row) -> SmallVector<OpFoldResult> {
    return {arith::MulIOp::create(builder, loc, row, distance).getResult()};
  };
  auto sizes = getAttrs({shared.rows.size}), strides = getAttrs({1});
  BlockArgument state = loop.getRegionIterArgs()[shared.state];
  Value read = tensor::ExtractSliceOp::create(
      builder, loc, loop.getRegionIterArgs()[shared.collected],
      getOffset(shared.isReversed ? next : place), sizes, strides);
  state.replaceAllUsesWith(
      reshape(read, cast<RankedTensorType>(state.getType()).getShape()));
  loop.getBody()->getTerminator()->setOperand(shared.state, state);
  tensor::InsertSliceOp insert = shared.insert;
  builder.setInsertionPoint(insert);
  Value row = reshape(insert.getSource(), {shared.rows.size});
  insert.replaceAllUsesWith(
      tensor::InsertSliceOp::create(builder, loc, row, insert.getDest(),
                                    getOffset(shared.isReversed ? place : next),
                                    sizes, strides)
          .getResult());
  insert.erase();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

void LoopAligner::readPadded(tensor::ExtractSliceOp slice, Value padded,
                             Rows rows) {
  builder.setInsertionPoint(slice);
  Value row = tensor::ExtractSliceOp::create(
      builder, loop.getLoc(), padded,
      {slice.getMixedOffsets()[0], builder.getIndexAttr(0)},
      getAttrs({1, rows.size}), getAttrs({1, 1}));
  slice.replaceAllUsesWith(reshape(row, slice.getType().getShape()));
  slice.erase();
}

void LoopAligner::writePadded(tensor::InsertSliceOp insert, Rows rows) {
  builder.setInsertionPoint(insert);
  Value row = reshape(insert.getSource(), {1, rows.size});
  Value written = tensor::InsertSliceOp::create(
      builder, loop.getLoc(), row, insert.getDest(),
      {insert.getMixedOffsets()[0], builder.getIndexAttr(0)},
      getAttrs({1, rows.size}), getAttrs({1, 1}));
  insert.replaceAllUsesWith(written);
  insert.erase();
}

/// Pads a tensor into which the loop inserts rows, and takes the rows out of
/// the padding behind the loop.
void LoopAligner::alignCarried(unsigned number) {
  BlockArgument argument = loop.getRegionIterArgs()[number];
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  auto insert =
      loop.getYieldedValues()[number].getDefiningOp<tensor::InsertSliceOp>();
  std::optional<Rows> rows = type ? findRows(type) : std::nullopt;
  if (!rows || !insert || insert.getDest() != argument ||
      !insert->hasOneUse() || !isRow(insert, type))
    return;
  SmallVector<tensor::ExtractSliceOp> slices;
  for (Operation *user : argument.getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (slice && isRow(slice, type))
      slices.push_back(slice);
    else if (user != insert)
      return;
  }
  builder.setInsertionPoint(loop);
  OpOperand &init = loop.getInitArgsMutable()[number];
  init.set(pad(init.get(), *rows));
  argument.setType(init.get().getType());
  OpResult result = loop->getResult(number);
  result.setType(init.get().getType());
  for (tensor::ExtractSliceOp slice : slices)
    readPadded(slice, argument, *rows);
  writePadded(insert, *rows);

  builder.setInsertionPointAfter(loop);
  Operation *taken = nullptr;
  Value inner =
      buildTensor(builder, loop, type.clone({rows->count, rows->size}),
                  [&](ElementBuilder &b, ValueRange indices) -> Value {
                    auto extract =
                        tensor::ExtractOp::create(b, result, indices);
                    taken = extract;
                    return extract;
                  });
  Value whole = reshape(inner, type.getShape());
  result.replaceUsesWithIf(
      whole, [&](OpOperand &use) { return use.getOwner() != taken; });
}

/// Pads the tensors from outside of the loop of which it reads rows.
void LoopAligner::alignSources() {
  llvm::DenseMap<Value, Value> known;
  for (auto slice : llvm::make_early_inc_range(
           loop.getBody()->getOps<tensor::ExtractSliceOp>())) {
    Value source = slice.getSource();
    std::optional<Rows> rows = findRows(slice.getSourceType());
    if (!rows || !loop.isDefinedOutsideOfLoop(source) ||
        !isRow(slice, slice.getSourceType()))
      continue;
    Value &padded = known[source];
    if (!padded) {
      builder.setInsertionPoint(loop);
      padded = pad(source, *rows);
    }
    readPadded(slice, padded, *rows);
  }
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether the body of the loop computes `value` or its elements with another
/// shape.
bool LoopAligner::isComputed(Value value) {
  Operation *op = getReshaped(value).getDefiningOp();
  return op && op->getBlock() == loop.getBody() &&
         !isa<tensor::ExtractSliceOp>(op) &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

Value LoopAligner::copy(Value value) {
  return buildTensor(builder, loop, cast<RankedTensorType>(value.getType()),
                     [&](ElementBuilder &b, ValueRange indices) -> Value {
                       return tensor::ExtractOp::create(b, value, indices);
                     });
}

/// Lets the body compute the tensors that an iteration hands on as they are,
/// such as two states that change places.
void LoopAligner::copyMovedTensors() {
  Operation *yield = loop.getBody()->getTerminator();
  for (auto [yielded, argument] :
       llvm::zip_equal(yield->getOpOperands(), loop.getRegionIterArgs())) {
    // Canonicalization removes a tensor that no iteration changes.
    if (!isa<RankedTensorType>(yielded.get().getType()) ||
        yielded.get() == argument)
      continue;
    auto insert = yielded.get().getDefiningOp<tensor::InsertSliceOp>();
    bool inserts =
        insert && insert->getBlock() == loop.getBody() &&
        llvm::is_contained(loop.getRegionIterArgs(), insert.getDest());
    OpOperand &moved = inserts ? insert.getSourceMutable() : yielded;
    if (isComputed(moved.get()))
      continue;
    builder.setInsertionPoint(moved.getOwner());
    moved.set(copy(moved.get()));
  }
}

namespace {
struct AlignLoops : dml::impl::AlignLoopsBase<AlignLoops> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (scf::ForOp loop : llvm::to_vector(block.getOps<scf::ForOp>()))
        LoopAligner(loop).run();
  }
};
} // namespace
