//===- LoadsAhead.cpp - Loads that begin before threads wait --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/LoadsAhead.h"
#include "dml/Target/CostModel.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

namespace {
using Slice = SetVector<Operation *>;

/// Moves loads, with the operations that compute their addresses, in front of
/// an operation.
class LoadMover {
public:
  LoadMover(Operation *place, int64_t registers)
      : place(place), left(registers) {}

  void run(Operation *first);

private:
  LogicalResult addSlice(Value value, Slice &slice) const;
  void moveToPlace(Operation *op) {
    if (op == place)
      place = place->getNextNode();
    else
      op->moveBefore(place);
  }
  void moveLoad(memref::LoadOp load);

  /// The operation in front of which operations are moved.
  Operation *place;
  /// The number of registers that are left for further loads.
  int64_t left;
};
} // namespace

/// Adds to `slice` the operations that compute `value` and stand in the block
/// of `place`, but not in front of it. Each operation is added behind those
/// that compute its operands. Fails if one of the operations depends on memory.
LogicalResult LoadMover::addSlice(Value value, Slice &slice) const {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() ||
      op->isBeforeInBlock(place) || slice.contains(op))
    return success();
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(addSlice(operand, slice)))
      return failure();
  slice.insert(op);
  return success();
}

/// Moves `load`, and the operations that compute its address, if the load reads
/// a buffer and its registers are left.
void LoadMover::moveLoad(memref::LoadOp load) {
  int64_t bits = DataLayout::closest(load).getTypeSizeInBits(load.getType()),
          registers = llvm::divideCeilSigned(bits, 32);
  if (load.getMemRefType().getMemorySpace() || registers > left)
    return;
  Slice address;
  for (Value operand : load->getOperands())
    if (failed(addSlice(operand, address)))
      return;
  left -= registers;
  for (Operation *each : address)
    moveToPlace(each);
  moveToPlace(load);
}

void LoadMover::run(Operation *first) {
  // Operations move while the loop runs, so that they are collected before.
  SmallVector<memref::LoadOp> loads;
  for (Operation *op = first; op; op = op->getNextNode())
    if (auto load = dyn_cast<memref::LoadOp>(op))
      loads.push_back(load);
  for (memref::LoadOp load : loads)
    moveLoad(load);
}

void dml::moveLoadsAhead(Operation *first, Operation *place) {
  LoadMover(place, cost::maxRegistersAhead).run(first);
}

void dml::loadIterationAhead(scf::ForOp loop) {
  Block *body = loop.getBody();
  ImplicitLocOpBuilder b(loop.getLoc(), &body->front());
  Operation *barrier = gpu::BarrierOp::create(b);
  LoadMover(barrier, std::numeric_limits<int64_t>::max()).run(&body->front());
  scf::PipeliningOption options;
  options.getScheduleFn =
      [&](scf::ForOp loop,
          std::vector<std::pair<Operation *, unsigned>> &schedule) {
        for (Operation &op : loop.getBody()->without_terminator())
          schedule.emplace_back(&op, op.isBeforeInBlock(barrier) ? 0 : 1);
      };
  IRRewriter rewriter(loop);
  [[maybe_unused]] FailureOr<scf::ForOp> pipelined =
      scf::pipelineForLoop(rewriter, loop, options);
  assert(succeeded(pipelined) && "a loop of at least 2 iterations is wanted");
}
