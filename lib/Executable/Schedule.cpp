//===- Schedule.cpp - A function as a list of steps -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "HazardTracker.h"
#include "MemoryPlan.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/IR/ConstantData.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace dml;
using executable::BufferKind;
using executable::BufferRange;

uint64_t dml::getBufferSize(uint64_t bytes) {
  return llvm::alignTo(bytes, DeviceProfile::vectorBytes);
}

uint64_t dml::getBufferSize(MemRefType type) {
  return getBufferSize(static_cast<uint64_t>(type.getNumElements()) *
                       type.getElementTypeBitWidth() / 8);
}

/// Whether a buffer has a static size and elements of whole bytes.
static bool isStorable(MemRefType type) {
  return type.hasStaticShape() && type.getLayout().isIdentity() &&
         type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() % 8 == 0;
}

FailureOr<uint64_t> ConstantPool::add(memref::GlobalOp global) {
  Attribute value = global.getInitialValueAttr();
  if (!value || !isStorable(global.getType()))
    return emitError(global.getLoc(), "constant '")
           << global.getSymName()
           << "' wants a dense value to be written to an executable";
  std::optional<ConstantData> elements = getConstantData(value);
  if (!elements)
    return emitError(global.getLoc(), "constant '")
           << global.getSymName() << "' of type " << global.getType()
           << " wants a dense value, or a resource that the module has and "
              "that "
              "is as large as the type, to be written to an executable";
  auto [position, isNew] = offsets.try_emplace(value, 0);
  if (!isNew)
    return position->second;
  // The limit is checked first, because a splat of any size is only a few bytes
  // in the module: it must not be expanded in vain.
  uint64_t taken = getBufferSize(global.getType());
  auto failLimit = [&](uint64_t before) {
    return emitError(global.getLoc(), "a constant has ")
           << taken << " bytes, and those before it " << before
           << ", but the constants of an executable have at most "
           << maxConstantBytes << " (dml-compile --external-weights leaves "
           << "those of a model to a file)";
  };
  if (taken > maxConstantBytes)
    return failLimit(size);
  ArrayRef<char> bytes = elements->bytes;
  if (elements->isSplat) {
    std::vector<char> &all = repeated.emplace_back();
    all.reserve(taken);
    for (int64_t i = 0; i < global.getType().getNumElements(); ++i)
      all.insert(all.end(), bytes.begin(), bytes.end());
    bytes = all;
  }
  uint64_t hash = llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  auto [begin, end] = byHash.equal_range(hash);
  for (const auto &[_, other] : llvm::make_range(begin, end))
    if (pieces[other].bytes == bytes) {
      if (elements->isSplat)
        repeated.pop_back();
      return position->second = pieces[other].offset;
    }
  uint64_t offset = getOffsetInBlock(
      llvm::alignTo(size, DeviceProfile::rangeAlignment), taken, block);
  if (offset > maxConstantBytes - taken)
    return failLimit(offset);
  byHash.emplace(hash, pieces.size());
  pieces.push_back({offset, bytes});
  size = offset + taken;
  return position->second = offset;
}

namespace {
class Scheduler {
public:
  Scheduler(func::FuncOp function, const SymbolTable &symbols,
            const KernelTable &kernels, ConstantPool &constants,
            ArrayRef<BufferRange> argumentRanges, uint64_t maxArenaBuffer)
      : function(function), symbols(symbols), kernels(kernels),
        constants(constants), argumentRanges(argumentRanges),
        maxArenaBuffer(maxArenaBuffer) {}

  FailureOr<Schedule> run();

private:
  /// A buffer while temporaries have no offsets yet: a range, or the position
  /// of an allocation.
  struct Buffer {
    BufferRange range;
    std::optional<unsigned> allocation;
  };
  /// A buffer, and the bytes of it that a view covers.
  struct View {
    Buffer buffer;
    Strip extent;
  };
  /// The bytes of a bound buffer that a step reads or writes.
  struct Use {
    size_t binding;
    Strip extent;
    bool reads, writes;
  };
  /// A step while temporaries have no offsets yet.
  struct Draft {
    Step step;
    SmallVector<Buffer> buffers;
    SmallVector<Use> uses;
  };

  LogicalResult visit(Operation &op);
  LogicalResult visitLaunch(gpu::LaunchFuncOp op);
  LogicalResult visitCopy(memref::CopyOp op);
  FailureOr<View> lookup(Value value);
  static FailureOr<Buffer> getRange(Operation *op, const View &view);

  func::FuncOp function;
  const SymbolTable &symbols;
  const KernelTable &kernels;
  ConstantPool &constants;
  ArrayRef<BufferRange> argumentRanges;
  uint64_t maxArenaBuffer;

  /// For each kernel, whether it reads and whether it writes each of its
  /// arguments.
  DenseMap<Operation *, SmallVector<std::pair<bool, bool>>> readsWrites;
  DenseMap<Value, Buffer> buffers;
  std::vector<Allocation> allocations;
  std::vector<Draft> drafts;
};
} // namespace

/// Finds the buffer that `value` is a view of, and the bytes that the view
/// covers.
FailureOr<Scheduler::View> Scheduler::lookup(Value value) {
  std::optional<Placement> placement = getPlacement(value);
  auto found = placement ? buffers.find(placement->root) : buffers.end();
  if (found == buffers.end())
    return emitError(value.getLoc(), "this buffer cannot be written to an "
                                     "executable: it is no argument, "
                                     "allocation or constant");
  const BufferRange &range = found->second.range;
  // Without strips, the view covers the whole buffer up to the end of its last
  // vector, as stores and copies do.
  auto size = static_cast<int64_t>(range.size());
  return View{found->second, placement->strips.empty()
                                 ? Strip{0, size, size, 1}
                                 : placement->getExtent(value)};
}

/// Returns the range of bytes that `view` covers. Reports an error at `op` if
/// the bytes are not consecutive.
FailureOr<Scheduler::Buffer> Scheduler::getRange(Operation *op,
                                                 const View &view) {
  if (view.extent.count != 1)
    return op->emitOpError("wants consecutive bytes to be written to an "
                           "executable");
  Buffer buffer = view.buffer;
  buffer.range =
      BufferRange(buffer.range.kind(), buffer.range.index(),
                  buffer.range.offset() + view.extent.offset, view.extent.run);
  return buffer;
}

namespace {
/// Finds out whether a kernel reads and whether it writes one of its arguments,
/// directly or through views. Unknown operations count as both.
class ArgumentAccess {
public:
  explicit ArgumentAccess(BlockArgument argument) {
    views.insert(argument);
    // The loop adds further views to the list while iterating.
    for (size_t i = 0; i < views.size(); ++i)
      for (Operation *user : views[i].getUsers())
        if (!add(user, views[i]))
          reads = writes = true;
  }

  bool reads = false, writes = false;

private:
  /// Records how `user` accesses `buffer`. Returns false if `user` is unknown.
  bool add(Operation *user, Value buffer) {
    if (isa<ViewLikeOpInterface, BufferViewOp, BufferRangeOp>(user)) {
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          views.insert(result);
      return true;
    }
    if (isa<memref::DimOp, memref::RankOp>(user))
      return true;
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects || user->getNumRegions() ||
        llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      return false;
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffects(all);
    bool isKnown = false;
    for (const MemoryEffects::EffectInstance &effect : all) {
      // An effect on no value in particular may be an effect on any value.
      if (effect.getValue() && effect.getValue() != buffer)
        continue;
      isKnown = true;
      bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
      reads |= isRead;
      writes |= !isRead;
    }
    return isKnown;
  }

  llvm::SmallSetVector<Value, 4> views;
};
} // namespace

LogicalResult Scheduler::visitLaunch(gpu::LaunchFuncOp op) {
  std::optional<unsigned> kernel =
      kernels.lookup(op.getKernelModuleName().getValue());
  auto module =
      symbols.lookup<gpu::GPUModuleOp>(op.getKernelModuleName().getValue());
  auto entry = module ? module.lookupSymbol<gpu::GPUFuncOp>(op.getKernelName())
                      : gpu::GPUFuncOp();
  if (!kernel || !entry)
    return op.emitOpError("names the kernel ")
           << op.getKernel() << ", but no SPIR-V module was made of it";

  Draft draft;
  draft.step.kernel = *kernel;
  draft.step.label = op.getKernelName().getValue().str();
  gpu::KernelDim3 grid = op.getGridSizeOperandValues();
  Value counts[] = {grid.x, grid.y, grid.z};
  for (auto [count, value] :
       llvm::zip_equal(draft.step.workgroupCount, counts)) {
    std::optional<int64_t> constant = getConstantIntValue(value);
    if (!constant || *constant < 1 || *constant > UINT32_MAX)
      return op.emitOpError("wants constant workgroup counts");
    count = static_cast<uint32_t>(*constant);
  }
  auto [uses, isNew] = readsWrites.try_emplace(entry);
  if (isNew)
    for (BlockArgument argument : entry.getArguments()) {
      ArgumentAccess access(argument);
      uses->second.emplace_back(access.reads, access.writes);
    }
  for (auto [index, operand] : llvm::enumerate(op.getKernelOperands())) {
    FailureOr<View> view = lookup(operand);
    if (failed(view))
      return failure();
    // All views of one buffer share one binding.
    auto abi = entry.getArgAttrOfType<spirv::InterfaceVarABIAttr>(
        index, spirv::getInterfaceVarABIAttrName());
    size_t binding = abi ? abi.getBinding() : draft.buffers.size();
    if (binding >= draft.buffers.size()) {
      binding = draft.buffers.size();
      draft.buffers.push_back(view->buffer);
    }
    auto [reads, writes] = uses->second[index];
    draft.uses.push_back({binding, view->extent, reads, writes});
  }
  drafts.push_back(std::move(draft));
  return success();
}

LogicalResult Scheduler::visitCopy(memref::CopyOp op) {
  Draft draft;
  draft.step.label = "copy";
  for (bool isTarget : {false, true}) {
    FailureOr<View> view = lookup(isTarget ? op.getTarget() : op.getSource());
    if (failed(view))
      return failure();
    FailureOr<Buffer> range = getRange(op, *view);
    if (failed(range))
      return failure();
    draft.buffers.push_back(*range);
    auto size = static_cast<int64_t>(range->range.size());
    draft.uses.push_back(
        {isTarget, Strip{0, size, size, 1}, !isTarget, isTarget});
  }
  drafts.push_back(std::move(draft));
  return success();
}

LogicalResult Scheduler::visit(Operation &op) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return visitLaunch(launch);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return visitCopy(copy);
  if (auto part = dyn_cast<BufferRangeOp>(op)) {
    FailureOr<View> view = lookup(part.getSource());
    if (failed(view))
      return failure();
    FailureOr<Buffer> range = getRange(part, *view);
    if (failed(range))
      return failure();
    const BufferRange &whole = range->range;
    range->range = BufferRange(whole.kind(), whole.index(),
                               whole.offset() + part.getOffset(),
                               getBufferSize(part.getResult().getType()));
    buffers[part] = *range;
    return success();
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (!isStorable(alloc.getType()))
      return op.emitOpError("wants a packed buffer of static shape to be "
                            "written to an executable");
    buffers[alloc] = {BufferRange(BufferKind::Temporary, 0, 0,
                                  getBufferSize(alloc.getType())),
                      allocations.size()};
    allocations.push_back({getBufferSize(alloc.getType()), /*first=*/UINT_MAX,
                           /*last=*/0});
    return success();
  }
  if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
    auto global = symbols.lookup<memref::GlobalOp>(get.getName());
    FailureOr<uint64_t> offset = constants.add(global);
    if (failed(offset))
      return failure();
    buffers[get] = {BufferRange(BufferKind::Constant, 0, *offset,
                                getBufferSize(global.getType())),
                    std::nullopt};
    return success();
  }
  if (isPure(&op) || isa<func::ReturnOp, memref::DeallocOp>(op))
    return success();
  // The error is reported at the location, because an error at the op would
  // print all its regions.
  return emitError(op.getLoc(), "'")
         << op.getName() << "' op cannot be written to an executable";
}

FailureOr<Schedule> Scheduler::run() {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc(), "function '")
           << function.getName()
           << "' has control flow, which an executable cannot express";
  for (auto [argument, range] :
       llvm::zip_equal(function.getArguments(), argumentRanges))
    buffers[argument] = {range, std::nullopt};
  for (Operation &op : function.getBody().front())
    if (failed(visit(op)))
      return failure();

  for (auto [index, draft] : llvm::enumerate(drafts))
    for (const Buffer &buffer : draft.buffers)
      if (buffer.allocation) {
        Allocation &allocation = allocations[*buffer.allocation];
        allocation.first = std::min<unsigned>(allocation.first, index);
        allocation.last = std::max<unsigned>(allocation.last, index);
      }

  // An allocation that no step uses takes no room in the arena.
  for (Allocation &allocation : allocations)
    if (allocation.first > allocation.last)
      allocation.size = 0;
  Schedule schedule;
  schedule.temporarySize =
      planMemory(allocations, DeviceProfile::rangeAlignment, maxArenaBuffer);
  HazardTracker hazards;
  for (Draft &draft : drafts) {
    for (const Buffer &buffer : draft.buffers) {
      BufferRange range = buffer.range;
      if (buffer.allocation)
        range =
            BufferRange(range.kind(), range.index(),
                        range.offset() + allocations[*buffer.allocation].offset,
                        range.size());
      draft.step.bindings.push_back(range);
    }
    SmallVector<Access> accesses;
    for (const Use &use : draft.uses)
      accesses.push_back({draft.step.bindings[use.binding], use.extent,
                          use.reads, use.writes});
    draft.step.barrier = hazards.add(accesses);
    schedule.steps.push_back(std::move(draft.step));
  }
  return schedule;
}

FailureOr<Schedule> dml::buildSchedule(func::FuncOp function,
                                       const SymbolTable &symbols,
                                       const KernelTable &kernels,
                                       ConstantPool &constants,
                                       ArrayRef<BufferRange> argumentRanges,
                                       uint64_t maxArenaBuffer) {
  return Scheduler(function, symbols, kernels, constants, argumentRanges,
                   maxArenaBuffer)
      .run();
}
