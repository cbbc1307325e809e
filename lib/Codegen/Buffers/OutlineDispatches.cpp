//===- OutlineDispatches.cpp - Equal work is one function -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/StructuralHash.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "dml/IR/KernelAttr.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dml {
#define GEN_PASS_DEF_OUTLINEDISPATCHES
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// A linalg.generic, together with the values from outside that its body uses.
class Dispatch {
public:
  explicit Dispatch(linalg::GenericOp op);

  llvm::hash_code hash() const;
  /// Whether `function` is equal to the function that outline() would create
  /// for this dispatch.
  bool isOutlinedAs(func::FuncOp function) const;
  /// Builds a new function with a copy of the generic.
  func::FuncOp outline(StringRef name);

  ValueRange getInputs() const { return inputs.getArrayRef(); }

private:
  void take(Value value);

  linalg::GenericOp op;
  /// The constants and the views of buffers that the generic uses, which
  /// outline() copies into the function. Each view comes after the buffer or
  /// view from which it is taken.
  llvm::SetVector<Operation *> taken;
  /// The values that the generic uses and that outline() does not copy into the
  /// function, in the order of their first uses. The function receives these
  /// values as its arguments.
  llvm::SetVector<Value> inputs;
};
} // namespace

Dispatch::Dispatch(linalg::GenericOp op) : op(op) {
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op.getRegion().isAncestor(operand.getParentRegion()))
        take(operand);
  });
}

void Dispatch::take(Value value) {
  Operation *definition = value.getDefiningOp();
  if (!definition || !(definition->hasTrait<OpTrait::ConstantLike>() ||
                       isBufferView(definition))) {
    inputs.insert(value);
    return;
  }
  if (taken.contains(definition))
    return;
  for (Value operand : definition->getOperands())
    take(operand);
  taken.insert(definition);
}

llvm::hash_code Dispatch::hash() const {
  ValueNumbers numbers;
  llvm::hash_code hash = llvm::hash_value(inputs.size());
  for (Value input : inputs) {
    numbers.try_emplace(input, numbers.size());
    hash = llvm::hash_combine(hash, input.getType());
  }
  for (Operation *view : taken)
    hash = llvm::hash_combine(hash, hashWithRegions(view, numbers));
  return llvm::hash_combine(hash, hashWithRegions(op, numbers));
}

bool Dispatch::isOutlinedAs(func::FuncOp function) const {
  // The map `same` leads from values of `function` to the equal values of the
  // dispatch. Arguments are equal by their positions. Results are added to the
  // map when the operations that compute them have been found equal.
  if (!llvm::equal(function.getArgumentTypes(), getInputs().getTypes()))
    return false;
  llvm::DenseMap<Value, Value> same;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    same[argument] = input;
  auto isSame = [&](Value lhs, Value rhs) {
    return success(same.lookup(lhs) == rhs);
  };
  auto markSame = [&](Value lhs, Value rhs) { same[lhs] = rhs; };
  auto isEqual = [&](Operation &lhs, Operation *rhs) {
    return OperationEquivalence::isEquivalentTo(
        &lhs, rhs, isSame, markSame, OperationEquivalence::IgnoreLocations);
  };
  auto ops = function.getBody().front().without_terminator();
  auto position = ops.begin();
  for (Operation *view : taken)
    if (position == ops.end() || !isEqual(*position++, view))
      return false;
  return position != ops.end() && isEqual(*position, op);
}

func::FuncOp Dispatch::outline(StringRef name) {
  OpBuilder builder(op.getContext());
  auto function = func::FuncOp::create(
      builder, op.getLoc(), name,
      builder.getFunctionType(getInputs().getTypes(), TypeRange()));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  mapping.map(getInputs(), body->getArguments());
  for (Operation *view : taken)
    builder.clone(*view, mapping);
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op.getLoc());
  return function;
}

//===----------------------------------------------------------------------===//
// Ranges of buffers
//===----------------------------------------------------------------------===//

/// Returns the buffer from which the range `buffer` is taken, or `buffer`
/// itself if it is not a range.
static Value getWhole(Value buffer) {
  if (auto range = buffer.getDefiningOp<BufferRangeOp>())
    return range.getSource();
  return buffer;
}

/// If `buffer` consists of consecutive bytes of its root, returns the root and
/// the offset of the first byte. Returns nothing if the placement of `buffer`
/// is unknown, or if an element does not consist of whole bytes. Returns
/// nothing as well for a view whose kernels must bind the whole root
/// (BufferViewOp::getWhole()).
static std::optional<std::pair<Value, int64_t>> getRange(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<Placement> placement = getPlacement(buffer);
  if (!placement || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  for (Value view = buffer; isBufferView(view.getDefiningOp());
       view = view.getDefiningOp()->getOperand(0))
    if (auto bytes = view.getDefiningOp<BufferViewOp>();
        bytes && bytes.getWhole())
      return std::nullopt;
  if (llvm::any_of(placement->strips,
                   [](const Strip &strip) { return strip.count != 1; }))
    return std::nullopt;
  return std::pair(placement->root, placement->getExtent(buffer).offset);
}

static BufferRangeOp createRange(linalg::GenericOp op, Value root,
                                 int64_t offset, MemRefType type) {
  OpBuilder builder(op);
  return BufferRangeOp::create(builder, op.getLoc(), type, root, offset);
}

/// Whether a kernel can bind the range of `root` that has the type `type` and
/// begins at byte `offset`. A range as large as `root` would be the whole
/// buffer, which is bound without a range.
static bool isBindable(Value root, int64_t offset, MemRefType type) {
  auto whole = cast<MemRefType>(root.getType());
  return whole.hasStaticShape() && whole.getLayout().isIdentity() &&
         offset % DeviceProfile::rangeAlignment == 0 &&
         getNumBytes(type) < getNumBytes(whole);
}

/// Lets `op` bind ranges instead of whole buffers, so that kernels that differ
/// only in the offsets of ranges become one function. If all loads of `op` from
/// a buffer have the same constant leading coordinates, such as row 5, `op`
/// binds only row 5. If `op` writes a part of a buffer, `op` binds only this
/// part. For example, step `t` of a recurrent network reads row `t` of a
/// product and writes row `t` of the sequence, and one function then serves all
/// steps. A buffer that `op` uses through several views is still bound once, as
/// a whole.
static void bindRanges(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 0 || op.getNumDpsInits() != 1)
    return;
  llvm::MapVector<Value, SmallVector<memref::LoadOp, 2>> loads;
  Value output = op.getDpsInits().front();
  // For each buffer, the views through which `op` uses the buffer.
  llvm::DenseMap<Value, llvm::SmallDenseSet<Value, 2>> uses;
  auto addUse = [&](Value buffer) {
    Value root = buffer;
    while (isBufferView(root.getDefiningOp()))
      root = root.getDefiningOp()->getOperand(0);
    uses[root].insert(buffer);
  };
  addUse(output);
  bool isUnderstood = true;
  op.getBody()->walk([&](Operation *nested) {
    auto load = dyn_cast<memref::LoadOp>(nested);
    if (load &&
        !op.getRegion().isAncestor(load.getMemRef().getParentRegion())) {
      loads[load.getMemRef()].push_back(load);
      addUse(load.getMemRef());
    } else if (llvm::any_of(nested->getOperandTypes(),
                            [](Type type) { return isa<MemRefType>(type); })) {
      isUnderstood = false;
    }
  });
  if (!isUnderstood)
    return;
  for (auto &[buffer, bufferLoads] : loads) {
    auto range = getRange(buffer);
    if (!range || uses[range->first].size() != 1 || buffer == output)
      continue;
    auto [root, offset] = *range;
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> shape(type.getShape());
    int64_t bytes = getNumBytes(type);
    size_t constants = 0;
    for (; constants < shape.size(); ++constants) {
      auto getIndex = [&](memref::LoadOp load) {
        return getConstantIntValue(load.getIndices()[constants]);
      };
      std::optional<int64_t> first = getIndex(bufferLoads.front());
      if (!first || *first < 0 || *first >= shape[constants] ||
          llvm::any_of(bufferLoads, [&](memref::LoadOp load) {
            return getIndex(load) != first;
          }))
        break;
      bytes /= shape[constants];
      offset += *first * bytes;
      shape[constants] = 1;
    }
    auto part = MemRefType::get(shape, type.getElementType());
    if (!isBindable(root, offset, part))
      continue;
    Value bound = createRange(op, root, offset, part);
    OpBuilder builder(op);
    Value zero = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
    for (memref::LoadOp load : bufferLoads) {
      load.getMemrefMutable().assign(bound);
      for (size_t dim = 0; dim < constants; ++dim)
        load.getIndicesMutable()[dim].assign(zero);
    }
  }
  // A kernel stores whole vectors. The range is bound only if it consists of
  // whole vectors, so that no store exceeds it.
  auto range = getRange(output);
  auto type = cast<MemRefType>(output.getType());
  if (range && uses[range->first].size() == 1 && !loads.contains(output) &&
      isBindable(range->first, range->second, type) &&
      getNumBytes(type) % DeviceProfile::vectorBytes == 0)
    op.getDpsInitsMutable()[0].assign(
        createRange(op, range->first, range->second, type));
}

namespace {
/// Decides for each kernel whether it traverses its buffers from the beginning
/// or from the end. The kernel should begin with the bytes that an earlier
/// kernel read or wrote last, since the cache still holds them. The largest
/// buffer that the kernel reads decides. For example, two kernels read the same
/// 134 MB, and the cache has 50 MB. If the second kernel begins at the end, it
/// finds the bytes that the cache has kept. If it begins at the beginning, it
/// finds nothing, since each byte is evicted before it is read again.
class WorkgroupOrder {
public:
  /// Marks `op`, which uses `buffers`, if its kernel should begin at the end of
  /// the largest buffer.
  void order(linalg::GenericOp op, ValueRange buffers);

private:
  /// Whether the last kernel that used a large buffer traversed the buffer from
  /// the end to the beginning. A large buffer is one of which a cache holds
  /// only a part. After such a kernel, the cache still holds the beginning of
  /// the buffer, where the next kernel should begin. After other kernels, the
  /// cache holds the end.
  llvm::DenseMap<Value, bool> isReversed;
};
} // namespace

void WorkgroupOrder::order(linalg::GenericOp op, ValueRange buffers) {
  std::optional<Placement> output = getPlacement(op.getOutputs().front());
  if (output)
    output->root = getWhole(output->root);
  SmallVector<Value> large;
  int64_t most = 0;
  bool isNowReversed = false;
  double leastBytes =
      cost::cachesOfLargeBuffer * getDeviceProfile(op).getSpeed().cacheBytes;
  for (Value bound : buffers) {
    Value buffer = getWhole(bound);
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || !type.hasStaticShape() ||
        static_cast<double>(getNumBytes(type)) < leastBytes)
      continue;
    large.push_back(buffer);
    auto before = isReversed.find(buffer);
    if (before == isReversed.end() || (output && output->root == buffer) ||
        getNumBytes(type) <= most)
      continue;
    most = getNumBytes(type);
    isNowReversed = !before->second;
  }
  for (Value buffer : large)
    isReversed[buffer] = isNowReversed;
  if (isNowReversed)
    op->setAttr(reversedAttrName, UnitAttr::get(op.getContext()));
}

/// If `op` has no label, gives it a label with the name of `function`, since
/// kernels are named after their labels.
static void setLabel(linalg::GenericOp op, func::FuncOp function) {
  if (!op->hasAttr(labelAttrName))
    op->setAttr(labelAttrName, StringAttr::get(op.getContext(),
                                               function.getName() + "_kernel"));
}

namespace {
struct OutlineDispatches : dml::impl::OutlineDispatchesBase<OutlineDispatches> {
  using OutlineDispatchesBase::OutlineDispatchesBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<size_t, SmallVector<func::FuncOp, 1>> outlined;
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      // The new functions stand behind `function`, in the order of their first
      // calls.
      Block::iterator end = std::next(function->getIterator());
      SmallVector<linalg::GenericOp> generics;
      function.walk([&](linalg::GenericOp op) {
        if (op.hasPureBufferSemantics() &&
            !op->getParentOfType<linalg::GenericOp>())
          generics.push_back(op);
      });
      WorkgroupOrder workgroups;
      for (linalg::GenericOp op : generics) {
        setLabel(op, function);
        bindRanges(op);
        Dispatch dispatch(op);
        workgroups.order(op, dispatch.getInputs());
        SmallVector<func::FuncOp, 1> &candidates = outlined[dispatch.hash()];
        auto *found = llvm::find_if(candidates, [&](func::FuncOp candidate) {
          return dispatch.isOutlinedAs(candidate);
        });
        func::FuncOp callee;
        if (found != candidates.end()) {
          callee = *found;
        } else {
          callee = dispatch.outline("dispatch");
          symbols.insert(callee, end);
          candidates.push_back(callee);
        }
        OpBuilder builder(op);
        func::CallOp::create(builder, op.getLoc(), callee,
                             dispatch.getInputs());
        op.erase();
      }
    }
  }
};
} // namespace
