//===- BufferizeLoops.cpp - Loops over steps on ranges of buffers ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

namespace dml {
#define GEN_PASS_DEF_BUFFERIZELOOPS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

static MemRefType getBufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

namespace {
/// A number that is `base + factor * i` in iteration i of a loop.
struct LinearIndex {
  int64_t base, factor;
};

/// Consecutive bytes that move through a buffer: in iteration i of a loop, the
/// first byte is `offset` + `stride` * i.
struct MovingBytes {
  int64_t offset, stride;
};

/// Replaces a loop that carries tensors by a loop that carries nothing and
/// whose iterations read and write ranges of buffers.
class LoopBufferizer {
public:
  explicit LoopBufferizer(scf::ForOp loop) : loop(loop), builder(loop) {}

  LogicalResult run();

private:
  /// A tensor that the loop carries.
  struct Carried {
    /// The buffer that holds the tensor. If each iteration computes the tensor
    /// anew (a state), the buffer has two halves: an iteration reads one half
    /// and writes the other.
    Value buffer;
    /// For a state, the number of bytes from the first half of the buffer to
    /// the second. 0 for any other tensor, into which the loop inserts slices.
    int64_t half = 0;
  };

  LogicalResult carry(unsigned number);
  void carryState(unsigned number);
  LogicalResult buildSlice(tensor::ExtractSliceOp slice);
  LogicalResult buildInsertion(tensor::InsertSliceOp insert);
  LogicalResult buildBody();
  Value getResult(unsigned number);
  FailureOr<MovingBytes> findBytes(OffsetSizeAndStrideOpInterface slice,
                                   RankedTensorType whole);
  std::optional<LinearIndex> getLinear(OpFoldResult index);
  Value buildRange(MemRefType type, Value buffer, MovingBytes bytes,
                   int64_t period = 0);
  Value buildTensor(Type type, Value buffer, bool writable);
  InFlightDiagnostic fail(Operation *op) const {
    return emitError(op->getLoc(), "a loop over steps ");
  }

  scf::ForOp loop, result;
  OpBuilder builder;
  int64_t count = 0;
  SmallVector<Carried> carried;
  /// The buffers of the tensors that are defined outside of the loop and that
  /// the loop reads.
  llvm::DenseMap<Value, Value> buffers;
  /// Maps values of the old loop to values of the new loop.
  IRMapping mapping;
};
} // namespace

std::optional<LinearIndex> LoopBufferizer::getLinear(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return LinearIndex{*constant, 0};
  auto value = cast<Value>(index);
  if (value == loop.getInductionVar())
    return LinearIndex{0, 1};
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto lhs = getLinear(op->getOperand(0)), rhs = getLinear(op->getOperand(1));
  LinearIndex combined{0, 0};
  if (!lhs || !rhs)
    return std::nullopt;
  auto overflows = [&](auto operation) {
    return operation(lhs->base, rhs->base, combined.base) ||
           operation(lhs->factor, rhs->factor, combined.factor);
  };
  bool isTooLarge = false;
  if (isa<arith::AddIOp>(op)) {
    isTooLarge = overflows(llvm::AddOverflow<int64_t>);
  } else if (isa<arith::SubIOp>(op)) {
    isTooLarge = overflows(llvm::SubOverflow<int64_t>);
  } else {
    if (lhs->factor != 0)
      std::swap(lhs, rhs);
    isTooLarge = lhs->factor != 0 ||
                 llvm::MulOverflow(lhs->base, rhs->base, combined.base) ||
                 llvm::MulOverflow(lhs->base, rhs->factor, combined.factor);
  }
  return isTooLarge ? std::nullopt : std::optional(combined);
}

/// Returns the bytes of `slice`, which is a slice of the tensor `whole`. Fails
/// unless the bytes are consecutive and begin, in each iteration of the loop,
/// at a multiple of DeviceProfile::rangeAlignment. At such a byte, every device
/// can bind a range of a buffer.
FailureOr<MovingBytes>
LoopBufferizer::findBytes(OffsetSizeAndStrideOpInterface slice,
                          RankedTensorType whole) {
  int64_t bits = whole.getElementTypeBitWidth(), elements = 1;
  LinearIndex offset{0, 0};
  bool isWhole = true, isKnown = whole.hasStaticShape() && bits % 8 == 0;
  for (int64_t dim = whole.getRank(); isKnown && dim-- > 0;) {
    std::optional<int64_t> size =
        getConstantIntValue(slice.getMixedSizes()[dim]);
    auto index = getLinear(slice.getMixedOffsets()[dim]);
    // If the slice takes only a part of dimension d, it must have the size 1 in
    // all dimensions in front of d. Otherwise the bytes of the slice would not
    // be consecutive.
    isKnown = size && index && (isWhole || *size == 1) &&
              getConstantIntValue(slice.getMixedStrides()[dim]) == 1;
    if (!isKnown)
      break;
    isWhole &= *size == whole.getDimSize(dim);
    offset.base += index->base * elements;
    offset.factor += index->factor * elements;
    elements *= whole.getDimSize(dim);
  }
  MovingBytes bytes{offset.base * bits / 8, offset.factor * bits / 8};
  if (!isKnown || bytes.offset % DeviceProfile::rangeAlignment ||
      bytes.stride % DeviceProfile::rangeAlignment)
    return fail(slice) << "wants slices of consecutive elements that begin at "
                          "multiples of "
                       << DeviceProfile::rangeAlignment << " bytes of " << whole
                       << ", by arithmetic on the iteration";
  return bytes;
}

Value LoopBufferizer::buildRange(MemRefType type, Value buffer,
                                 MovingBytes bytes, int64_t period) {
  bool moves = bytes.stride != 0;
  return BufferRangeOp::create(
      builder, loop.getLoc(), type, buffer,
      moves ? result.getInductionVar() : Value(), bytes.offset, bytes.stride,
      moves && period ? builder.getI64IntegerAttr(period) : IntegerAttr());
}

Value LoopBufferizer::buildTensor(Type type, Value buffer, bool writable) {
  return bufferization::ToTensorOp::create(builder, loop.getLoc(), type, buffer,
                                           /*restrict=*/true, writable);
}

/// Returns the initial value of a state. Several states may share an initial
/// value that is computed without inputs, such as zeros. Each state then gets a
/// generic of its own that computes the value, and dml-place-parts lets the
/// generic write into the state's buffer. With one shared value, all states but
/// one would need a copy, which waits for the kernel that computes the value.
static Value getOwnInit(OpBuilder &builder, Value init) {
  auto generic = init.getDefiningOp<linalg::GenericOp>();
  if (!generic || init.hasOneUse() || generic.getNumDpsInputs() != 0 ||
      !llvm::hasSingleElement(*generic.getBody()) ||
      !generic.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
    return init;
  IRMapping mapping;
  builder.clone(*generic.getDpsInits()[0].getDefiningOp(), mapping);
  return builder.clone(*generic, mapping)->getResult(0);
}

/// Allocates a buffer of two halves for a tensor that each iteration of the
/// loop computes anew. An iteration reads the tensor from one half and writes
/// the new tensor to the other half.
void LoopBufferizer::carryState(unsigned number) {
  auto type = getBufferType(loop.getRegionIterArgs()[number].getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  Carried &state = carried[number];
  state.half = llvm::alignTo(getNumBytes(type), DeviceProfile::rangeAlignment);
  auto both =
      MemRefType::get({2 * state.half / elementBytes}, type.getElementType());
  Location loc = loop.getLoc();
  state.buffer = memref::AllocOp::create(builder, loc, both);
  Value first = memref::SubViewOp::create(
      builder, loc, state.buffer, {builder.getIndexAttr(0)},
      {builder.getIndexAttr(type.getNumElements())}, {builder.getIndexAttr(1)});
  first = BufferViewOp::create(builder, loc, type, first, /*whole=*/false);
  Value init = bufferization::ToBufferOp::create(
      builder, loc, type, getOwnInit(builder, loop.getInitArgs()[number]),
      /*read_only=*/true);
  memref::CopyOp::create(builder, loc, init, first);
}

LogicalResult LoopBufferizer::carry(unsigned number) {
  BlockArgument argument = loop.getRegionIterArgs()[number];
  auto tensorType = dyn_cast<RankedTensorType>(argument.getType());
  if (!tensorType || !tensorType.hasStaticShape() ||
      !tensorType.getElementType().isIntOrFloat() ||
      tensorType.getElementTypeBitWidth() % 8)
    return fail(loop) << "wants to carry tensors of static shape, but carries "
                      << argument.getType();
  Value yielded = loop.getYieldedValues()[number];
  auto insert = yielded.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || insert.getDest() != argument) {
    if (!yielded.getDefiningOp<func::CallOp>())
      return fail(loop) << "wants each tensor that it carries to be computed, "
                           "or to have a slice inserted";
    carryState(number);
    return success();
  }
  for (Operation *user : argument.getUsers())
    if (user != insert && !isa<tensor::ExtractSliceOp>(user))
      return fail(user) << "wants a tensor into which it inserts slices to be "
                           "read by slices";
  // If an earlier loop has inserted slices into the same tensor, this loop
  // inserts into the buffer of the earlier loop.
  Value init = loop.getInitArgs()[number];
  auto before = init.getDefiningOp<bufferization::ToTensorOp>();
  if (before && before.getWritable() && before->hasOneUse() &&
      before.getBuffer().getDefiningOp<memref::AllocOp>() &&
      before.getBuffer().getType() == getBufferType(tensorType)) {
    carried[number].buffer = before.getBuffer();
    return success();
  }
  Value buffer = memref::AllocOp::create(builder, loop.getLoc(),
                                         getBufferType(tensorType));
  carried[number].buffer = buffer;
  if (!init.getDefiningOp<tensor::EmptyOp>()) {
    Value from = bufferization::ToBufferOp::create(
        builder, loop.getLoc(), cast<MemRefType>(buffer.getType()), init,
        /*read_only=*/true);
    memref::CopyOp::create(builder, loop.getLoc(), from, buffer);
  }
  return success();
}

/// Builds the range of a buffer that `slice` reads, and a tensor that has the
/// range as its buffer.
LogicalResult LoopBufferizer::buildSlice(tensor::ExtractSliceOp slice) {
  FailureOr<MovingBytes> bytes = findBytes(slice, slice.getSourceType());
  if (failed(bytes))
    return failure();
  Value source = slice.getSource(), buffer;
  if (auto argument = dyn_cast<BlockArgument>(source);
      argument && argument.getOwner() == loop.getBody()) {
    const Carried &from = carried[argument.getArgNumber() - 1];
    if (from.half != 0)
      return fail(slice) << "wants to read all of a tensor that it computes "
                            "anew in each iteration, and no slice";
    buffer = from.buffer;
  } else {
    Value &known = buffers[source];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(result);
      known = bufferization::ToBufferOp::create(
          builder, loop.getLoc(), getBufferType(source.getType()), source,
          /*read_only=*/true);
    }
    buffer = known;
  }
  Value range = buildRange(getBufferType(slice.getType()), buffer, *bytes);
  mapping.map(slice.getResult(),
              buildTensor(slice.getType(), range, /*writable=*/false));
  return success();
}

LogicalResult LoopBufferizer::buildInsertion(tensor::InsertSliceOp insert) {
  FailureOr<MovingBytes> bytes = findBytes(insert, insert.getType());
  if (failed(bytes))
    return failure();
  auto argument = cast<BlockArgument>(insert.getDest());
  // The insertion becomes a copy to the buffer of the tensor that the loop
  // carries. A slice of a carried tensor must not be the source. An earlier
  // copy of the same iteration might have overwritten such a slice.
  auto slice = insert.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  if (slice && isa<BlockArgument>(slice.getSource()))
    return fail(insert) << "wants to insert what it computes, and no slice of "
                           "a tensor that it carries";
  Value inserted = mapping.lookupOrDefault(insert.getSource());
  // A reshape of the value does not change its bytes.
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      inserted.getDefiningOp()))
    inserted = inserted.getDefiningOp()->getOperand(0);
  MemRefType type = getBufferType(inserted.getType());
  Value from = bufferization::ToBufferOp::create(builder, loop.getLoc(), type,
                                                 inserted, /*read_only=*/true);
  Value to =
      buildRange(type, carried[argument.getArgNumber() - 1].buffer, *bytes);
  memref::CopyOp::create(builder, loop.getLoc(), from, to);
  return success();
}

LogicalResult LoopBufferizer::buildBody() {
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    const Carried &state = carried[number];
    if (state.half == 0)
      continue;
    Value range = buildRange(getBufferType(argument.getType()), state.buffer,
                             {0, state.half}, /*period=*/2);
    mapping.map(argument,
                buildTensor(argument.getType(), range, /*writable=*/false));
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (failed(buildSlice(slice)))
        return failure();
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (!isa<BlockArgument>(insert.getDest()))
        return fail(insert) << "wants to insert slices into tensors that it "
                               "carries";
      if (failed(buildInsertion(insert)))
        return failure();
    } else {
      builder.clone(op, mapping);
    }
  }
  for (auto [number, yielded] : llvm::enumerate(loop.getYieldedValues())) {
    const Carried &state = carried[number];
    if (state.half == 0)
      continue;
    MemRefType type = getBufferType(yielded.getType());
    Value from = bufferization::ToBufferOp::create(builder, loop.getLoc(), type,
                                                   mapping.lookup(yielded),
                                                   /*read_only=*/true);
    Value to = buildRange(type, state.buffer, {state.half, -state.half},
                          /*period=*/2);
    memref::CopyOp::create(builder, loop.getLoc(), from, to);
  }
  return success();
}

/// Returns the value after the last iteration of the carried tensor with the
/// number `number`.
Value LoopBufferizer::getResult(unsigned number) {
  const Carried &last = carried[number];
  Type type = loop.getResultTypes()[number];
  Value buffer = last.buffer;
  if (last.half != 0)
    buffer = BufferRangeOp::create(builder, loop.getLoc(), getBufferType(type),
                                   buffer, count % 2 * last.half);
  return buildTensor(type, buffer, /*writable=*/last.half == 0);
}

LogicalResult LoopBufferizer::run() {
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1 || !upper || *upper < 1)
    return fail(loop) << "wants to go from 0 to a constant by 1";
  count = *upper;
  carried.resize(loop.getNumResults());
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (failed(carry(i)))
      return failure();
  result = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                              loop.getUpperBound(), loop.getStep());
  mapping.map(loop.getInductionVar(), result.getInductionVar());
  builder.setInsertionPoint(result.getBody()->getTerminator());
  if (failed(buildBody()))
    return failure();
  builder.setInsertionPointAfter(result);
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    if (!loop.getResult(i).use_empty())
      loop.getResult(i).replaceAllUsesWith(getResult(i));
  auto inits = llvm::to_vector(loop.getInitArgs());
  loop.erase();
  for (Value init : inits)
    if (auto before = init.getDefiningOp<bufferization::ToTensorOp>();
        before && before->use_empty())
      before.erase();
  return success();
}

namespace {
struct BufferizeLoops : dml::impl::BufferizeLoopsBase<BufferizeLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    for (Block &block : getOperation().getBody())
      llvm::append_range(loops, block.getOps<scf::ForOp>());
    for (scf::ForOp loop : loops)
      if (failed(LoopBufferizer(loop).run()))
        return signalPassFailure();
  }
};
} // namespace
