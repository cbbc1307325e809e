//===- Schedule.cpp - A function as a list of steps -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "Format.h"
#include "HazardTracker.h"
#include "MemoryPlan.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/IR/ConstantData.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
    /// How the range moves with the iterations of the loop that is visited.
    int64_t stride = 0;
    uint32_t period = 0;
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
  LogicalResult visitLoop(scf::ForOp op);
  LogicalResult visitRange(BufferRangeOp op);
  LogicalResult visitLaunch(gpu::LaunchFuncOp op);
  LogicalResult visitCopy(memref::CopyOp op);
  FailureOr<View> lookup(Value value);
  static FailureOr<Buffer> getRange(Operation *op, const View &view);
  void findLifetimes();
  BufferRange place(const Buffer &buffer) const;
  SmallVector<LoopAccess> getAccesses(const Draft &draft) const;
  void addSteps(size_t first, size_t end, ArrayRef<bool> barriers,
                Schedule &schedule);

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
  /// For each allocation, the number of loops that had begun before.
  std::vector<size_t> loopsBefore;
  std::vector<Draft> drafts;
  std::vector<executable::Loop> loops;
  /// The loop that is visited.
  scf::ForOp loop;
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

LogicalResult Scheduler::visitRange(BufferRangeOp op) {
  FailureOr<View> view = lookup(op.getSource());
  if (failed(view))
    return failure();
  FailureOr<Buffer> buffer = getRange(op, *view);
  if (failed(buffer))
    return failure();
  const BufferRange &whole = buffer->range;
  uint64_t begin = op.getOffset();
  auto stride = static_cast<int64_t>(op.getStride());
  auto period = static_cast<uint32_t>(op.getPeriod().value_or(0));
  uint64_t count = loop ? loops.back().count() : 1;
  if (Value iteration = op.getIteration()) {
    // A loop of one iteration may have become its body.
    std::optional<int64_t> constant = getConstantIntValue(iteration);
    if (constant) {
      begin += static_cast<uint64_t>(stride) *
               static_cast<uint64_t>(period ? *constant % period : *constant);
      stride = 0;
      period = 0;
    } else if (!loop || iteration != loop.getInductionVar() ||
               buffer->stride != 0) {
      return op.emitOpError("wants the iteration of the loop around it, and a "
                            "source that does not advance");
    }
  }
  uint64_t size = getBufferSize(op.getResult().getType());
  uint64_t last = (period ? std::min<uint64_t>(period, count) : count) - 1;
  // Both factors have at most 63 and 20 bits.
  APInt end = APInt(128, begin) +
              APInt(128, stride, /*isSigned=*/true) * APInt(128, last);
  if (end.isNegative() || end.ugt(whole.size()) ||
      std::max(end.getZExtValue(), begin) > whole.size() - size)
    return op.emitOpError("advances ")
           << last << " times by " << stride << " bytes from byte " << begin
           << " on, out of the " << whole.size() << " bytes of its source";
  if (stride != 0) {
    buffer->stride = stride;
    buffer->period = period;
  }
  buffer->range =
      BufferRange(whole.kind(), whole.index(), whole.offset() + begin, size);
  buffers[op] = *buffer;
  return success();
}

LogicalResult Scheduler::visitLoop(scf::ForOp op) {
  std::optional<int64_t> lower = getConstantIntValue(op.getLowerBound()),
                         upper = getConstantIntValue(op.getUpperBound()),
                         step = getConstantIntValue(op.getStep());
  if (loop || op.getNumResults() != 0 || lower != 0 || step != 1 || !upper)
    return emitError(op.getLoc(), "a loop over steps wants to go from 0 to a "
                                  "constant by 1, to carry no values and to "
                                  "be in no other loop");
  if (*upper < 1)
    return success();
  size_t first = drafts.size();
  auto limit = static_cast<int64_t>(executable::kMaxLoopSteps);
  loop = op;
  loops.emplace_back(first, 0, std::min(*upper, limit));
  for (Operation &nested : *op.getBody())
    if (failed(visit(nested)))
      return failure();
  loop = nullptr;
  uint64_t count = drafts.size() - first, inLoops = 0;
  if (count == 0) {
    loops.pop_back();
    return success();
  }
  loops.back() = executable::Loop(first, count, std::min(*upper, limit));
  for (const executable::Loop &each : loops)
    inLoops += uint64_t{each.step_count()} * each.count();
  if (*upper > limit || inLoops > executable::kMaxLoopSteps)
    return emitError(op.getLoc(), "a loop has ")
           << *upper << " iterations of " << count
           << " steps, but the loops of an executable run at most " << limit
           << " steps in all iterations";
  return success();
}

LogicalResult Scheduler::visit(Operation &op) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return visitLaunch(launch);
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return visitCopy(copy);
  if (auto part = dyn_cast<BufferRangeOp>(op))
    return visitRange(part);
  if (auto forLoop = dyn_cast<scf::ForOp>(op))
    return visitLoop(forLoop);
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    if (!isStorable(alloc.getType()))
      return op.emitOpError("wants a packed buffer of static shape to be "
                            "written to an executable");
    buffers[alloc] = {BufferRange(BufferKind::Temporary, 0, 0,
                                  getBufferSize(alloc.getType())),
                      allocations.size()};
    allocations.push_back({getBufferSize(alloc.getType()), /*first=*/UINT_MAX,
                           /*last=*/0});
    loopsBefore.push_back(loops.size());
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
  if (isPure(&op) || isa<func::ReturnOp, memref::DeallocOp, scf::YieldOp>(op))
    return success();
  // Calls of functions with bodies have been inlined.
  if (auto call = dyn_cast<func::CallOp>(op))
    if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
        callee && callee.isDeclaration())
      return emitError(op.getLoc(), "function '")
             << call.getCallee()
             << "' has no body, so that its call cannot be inlined";
  // The error is reported at the location, because an error at the op would
  // print all its regions.
  return emitError(op.getLoc(), "'")
         << op.getName() << "' op cannot be written to an executable";
}

/// Finds the first and the last step that uses each allocation. An allocation
/// from outside of a loop keeps what it holds through all iterations.
void Scheduler::findLifetimes() {
  size_t next = 0;
  for (auto [index, draft] : llvm::enumerate(drafts)) {
    while (next < loops.size() &&
           loops[next].first_step() + loops[next].step_count() <= index)
      ++next;
    const executable::Loop *around =
        next < loops.size() && loops[next].first_step() <= index ? &loops[next]
                                                                 : nullptr;
    for (const Buffer &buffer : draft.buffers) {
      if (!buffer.allocation)
        continue;
      Allocation &allocation = allocations[*buffer.allocation];
      unsigned first = index, last = index;
      if (around && loopsBefore[*buffer.allocation] <= next) {
        first = around->first_step();
        last = first + around->step_count() - 1;
      }
      allocation.first = std::min(allocation.first, first);
      allocation.last = std::max(allocation.last, last);
    }
  }
  // An allocation that no step uses takes no room in the arena.
  for (Allocation &allocation : allocations)
    if (allocation.first > allocation.last)
      allocation.size = 0;
}

/// Returns the range of a buffer after the allocations have their offsets.
BufferRange Scheduler::place(const Buffer &buffer) const {
  BufferRange range = buffer.range;
  if (!buffer.allocation)
    return range;
  return BufferRange(range.kind(), range.index(),
                     range.offset() + allocations[*buffer.allocation].offset,
                     range.size());
}

SmallVector<LoopAccess> Scheduler::getAccesses(const Draft &draft) const {
  SmallVector<LoopAccess> accesses;
  for (const Use &use : draft.uses) {
    const Buffer &buffer = draft.buffers[use.binding];
    accesses.push_back({{place(buffer), use.extent, use.reads, use.writes},
                        buffer.stride,
                        buffer.period});
  }
  return accesses;
}

/// Moves drafts to the schedule, with their barriers.
void Scheduler::addSteps(size_t first, size_t end, ArrayRef<bool> barriers,
                         Schedule &schedule) {
  for (size_t i = first; i < end; ++i) {
    Draft &draft = drafts[i];
    for (auto [index, buffer] : llvm::enumerate(draft.buffers)) {
      draft.step.bindings.push_back(place(buffer));
      if (buffer.stride != 0)
        draft.step.advances.emplace_back(index, buffer.period, buffer.stride);
    }
    draft.step.barrier = barriers[i - first];
    schedule.steps.push_back(std::move(draft.step));
  }
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

  findLifetimes();
  Schedule schedule;
  schedule.temporarySize =
      planMemory(allocations, DeviceProfile::rangeAlignment, maxArenaBuffer);
  HazardTracker hazards;
  size_t next = 0;
  auto addUpTo = [&](size_t end) {
    for (; next < end; ++next) {
      SmallVector<Access> accesses;
      for (const LoopAccess &access : getAccesses(drafts[next]))
        accesses.push_back(access.first);
      addSteps(next, next + 1, hazards.add(accesses), schedule);
    }
  };
  for (const executable::Loop &each : loops) {
    addUpTo(each.first_step());
    size_t end = next + each.step_count();
    auto steps = llvm::map_to_vector(
        ArrayRef(drafts).slice(next, end - next),
        [&](const Draft &draft) { return getAccesses(draft); });
    std::vector<bool> needed = hazards.addLoop(steps, each.count());
    addSteps(next, end, SmallVector<bool>(needed.begin(), needed.end()),
             schedule);
    next = end;
  }
  addUpTo(drafts.size());
  schedule.loops = std::move(loops);
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
