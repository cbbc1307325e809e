//===- Registers.cpp - Registers of a kernel's threads --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/Registers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Returns the number of registers of 4 bytes that `value` takes while it is
/// needed. Constants are parts of instructions, and conditions are masks of a
/// subgroup.
static int64_t countRegisters(Value value) {
  if (matchPattern(value, m_Constant()))
    return 0;
  Type type = value.getType();
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    count = vector.getNumElements();
    type = vector.getElementType();
  }
  if (type.isIndex())
    return count;
  if (!type.isIntOrFloat() || type.isInteger(1))
    return 0;
  return llvm::divideCeilSigned(count * type.getIntOrFloatBitWidth(), 32);
}

/// If `value` is an index of workgroup memory, and the sum of another value and
/// a constant, returns the other value, and null otherwise. The constant is
/// part of the instructions that load and store at the index.
static Value getBase(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum || !value.getType().isIndex() ||
      !matchPattern(sum.getRhs(), m_Constant()))
    return nullptr;
  for (Operation *user : value.getUsers()) {
    Value memory;
    if (auto load = dyn_cast<memref::LoadOp>(user))
      memory = load.getMemRef();
    else if (auto store = dyn_cast<memref::StoreOp>(user))
      memory = store.getMemRef();
    if (!memory || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                       cast<MemRefType>(memory.getType())))
      return nullptr;
  }
  return sum.getLhs();
}

namespace {
/// The places of operations in their order. An operation with nested operations
/// has a place before them, where it begins, and one after them, where it ends.
class Places {
public:
  explicit Places(Block &block) { add(block); }

  int64_t getBegin(Operation *op) const { return places.lookup(op).first; }
  int64_t getEnd(Operation *op) const { return places.lookup(op).second; }
  int64_t getCount() const { return count; }

  /// Returns the place up to which `user` needs `value`.
  int64_t getUse(Operation *user, Value value) const;

private:
  void add(Block &block);

  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> places;
  int64_t count = 0;
};
} // namespace

void Places::add(Block &block) {
  for (Operation &op : block) {
    int64_t begin = count++;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        add(nested);
    places[&op] = {begin, op.getNumRegions() > 0 ? count++ : begin};
  }
}

int64_t Places::getUse(Operation *user, Value value) const {
  // A loop takes its initial values where it begins.
  int64_t place =
      isa<LoopLikeOpInterface>(user) ? getBegin(user) : getEnd(user);
  // A loop that the value is defined outside of uses the value in each of its
  // iterations.
  Region *region = value.getParentRegion();
  Operation *outside = region ? region->getParentOp() : nullptr;
  for (Operation *parent = user->getParentOp(); parent && parent != outside;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      place = getEnd(parent);
  return place;
}

int64_t dml::countRegistersInOrder(Block &block) {
  const Places places(block);
  // The last place where each value is needed.
  llvm::DenseMap<Value, int64_t> lasts;
  auto need = [&](Value value, int64_t place) {
    int64_t &last = lasts.try_emplace(value, -1).first->second;
    last = std::max(last, place);
  };
  block.walk([&](Operation *op) {
    for (Value value : op->getOperands()) {
      Value base = getBase(value);
      need(base ? base : value, places.getUse(op, base ? base : value));
    }
  });
  SmallVector<int64_t> changes(places.getCount(), 0);
  auto add = [&](Value value, int64_t defined) {
    auto last = lasts.find(value);
    if (last == lasts.end() || getBase(value))
      return;
    int64_t registers = countRegisters(value);
    changes[defined] += registers;
    changes[last->second] -= registers;
  };
  block.walk([&](Operation *op) {
    for (Value value : op->getResults())
      add(value, places.getEnd(op));
    // The values that a loop carries from iteration to iteration.
    if (isa<LoopLikeOpInterface>(op))
      for (Region &region : op->getRegions())
        for (Value value : region.getArguments())
          add(value, places.getBegin(op));
  });
  int64_t live = 0, most = 0;
  for (int64_t change : changes)
    most = std::max(most, live += change);
  return most;
}
