//===- LimitBuffers.cpp - No more buffers than a device binds -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/ConstantData.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace dml {
#define GEN_PASS_DEF_LIMITBUFFERS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

static int64_t getBufferBytes(Value buffer) {
  return getNumBytes(cast<MemRefType>(buffer.getType()));
}

/// Returns the buffer that a kernel binds to read `buffer`: the root of
/// `buffer` if `buffer` is a view, and otherwise `buffer` itself.
static Value getRoot(Value buffer) {
  while (isBufferView(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

/// Builds the view of `shared` that corresponds to `buffer`, which is a view of
/// `root` or `root` itself. `shared` has the same elements as `root`.
static Value getSharedView(OpBuilder &builder, Value buffer, Value root,
                           Value shared) {
  if (buffer == root)
    return shared;
  Operation *view = buffer.getDefiningOp();
  IRMapping mapping;
  mapping.map(view->getOperand(0),
              getSharedView(builder, view->getOperand(0), root, shared));
  return builder.clone(*view, mapping)->getResult(0);
}

/// Combines the buffers `roots`, which `op` reads, in one new buffer, so that
/// the kernel binds one buffer instead of several. Each of the buffers gets a
/// range of the new buffer. A buffer that the function allocates is replaced by
/// its range in all operations. Any other buffer, such as an argument, stays,
/// and is copied to its range in front of `op`. Ranges begin at multiples of
/// 256 bytes (DeviceProfile::rangeAlignment), so that copies and other kernels
/// can bind each range by itself.
static void share(linalg::GenericOp op, ArrayRef<Value> roots) {
  int64_t total = 0;
  SmallVector<int64_t> offsets;
  for (Value root : roots) {
    offsets.push_back(total);
    total += llvm::alignTo(getBufferBytes(root), DeviceProfile::rangeAlignment);
  }
  auto b = ImplicitLocOpBuilder::atBlockBegin(op.getLoc(), op->getBlock());
  Value shared =
      memref::AllocOp::create(b, MemRefType::get({total}, b.getI8Type()));
  for (auto [root, offset] : llvm::zip_equal(roots, offsets)) {
    auto type = cast<MemRefType>(root.getType());
    b.setInsertionPointAfterValue(shared);
    Value start = arith::ConstantIndexOp::create(b, offset);
    Value range = memref::ViewOp::create(b, type, shared, start, ValueRange());
    if (auto alloc = root.getDefiningOp<memref::AllocOp>()) {
      alloc.replaceAllUsesWith(range);
      alloc.erase();
      continue;
    }
    b.setInsertionPoint(op);
    memref::CopyOp::create(b, root, range);
    op.getBody()->walk([&, root = root](memref::LoadOp load) {
      if (getRoot(load.getMemRef()) == root)
        load.getMemrefMutable().assign(
            getSharedView(b, load.getMemRef(), root, range));
    });
  }
}

/// The largest number of bytes in a constant that combines smaller constants.
static constexpr int64_t maxPackedBytes =
    DeviceProfile::promisedMaxStorageBufferRange;

/// If `root` is a constant with a known value, returns its global. Returns
/// nothing otherwise.
static memref::GlobalOp getConstant(Value root, const SymbolTable &symbols) {
  auto get = root.getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? symbols.lookup<memref::GlobalOp>(get.getName())
                    : memref::GlobalOp();
  return global && getConstantData(global.getInitialValueAttr())
             ? global
             : memref::GlobalOp();
}

/// Combines the constants `roots` into one new constant, and replaces each of
/// them by a range of the new constant throughout the function. Each range
/// begins at a multiple of 256 bytes, so that a kernel can bind the range by
/// itself.
static void pack(linalg::GenericOp op, ArrayRef<Value> roots,
                 SymbolTable &symbols) {
  std::vector<char> bytes;
  SmallVector<int64_t> offsets;
  for (Value root : roots) {
    memref::GlobalOp global = getConstant(root, symbols);
    ConstantData data = *getConstantData(global.getInitialValueAttr());
    offsets.push_back(static_cast<int64_t>(bytes.size()));
    size_t count = data.isSplat ? global.getType().getNumElements() : 1;
    for (size_t i = 0; i < count; ++i)
      bytes.insert(bytes.end(), data.bytes.begin(), data.bytes.end());
    bytes.resize(llvm::alignTo(bytes.size(), DeviceProfile::rangeAlignment));
  }
  auto b = ImplicitLocOpBuilder::atBlockBegin(op.getLoc(), op->getBlock());
  auto size = static_cast<int64_t>(bytes.size());
  auto type = MemRefType::get({size}, b.getI8Type());
  auto value = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({size}, b.getI8Type()), bytes);
  auto packed = memref::GlobalOp::create(
      b, "packed", b.getStringAttr("private"), type, value, /*constant=*/true,
      /*alignment=*/IntegerAttr());
  packed->remove();
  // The symbol table gives the constant a unique name.
  symbols.insert(packed, op->getParentOfType<func::FuncOp>()->getIterator());
  Value shared = memref::GetGlobalOp::create(b, type, packed.getSymName());
  for (auto [root, offset] : llvm::zip_equal(roots, offsets)) {
    // The insertion point is set again for each constant, since the operation
    // at the previous insertion point may have been erased.
    b.setInsertionPointAfterValue(shared);
    Value start = arith::ConstantIndexOp::create(b, offset);
    Value range = memref::ViewOp::create(b, cast<MemRefType>(root.getType()),
                                         shared, start, ValueRange());
    auto get = root.getDefiningOp<memref::GetGlobalOp>();
    get.replaceAllUsesWith(range);
    get.erase();
  }
}

/// Returns the roots of the buffers that `op` binds, with the output's root
/// first.
static SmallVector<Value> getBoundRoots(linalg::GenericOp op) {
  llvm::SetVector<Value> roots;
  roots.insert(getRoot(op.getDpsInits().front()));
  op.getBody()->walk(
      [&](memref::LoadOp load) { roots.insert(getRoot(load.getMemRef())); });
  return roots.takeVector();
}

/// If `op` binds more buffers than the devices of `profile` allow, combines
/// some of the buffers that `op` reads into shared buffers.
static void limitBuffers(linalg::GenericOp op, const DeviceProfile &profile,
                         SymbolTable &symbols) {
  int64_t most = profile.getMaxStorageBuffers();
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() != 0)
    return;
  SmallVector<Value> roots = getBoundRoots(op);
  auto count = static_cast<int64_t>(roots.size());
  if (count <= most)
    return;
  // Constants are combined at compile time, so that no step has to copy them.
  // The smallest constants are combined first, to keep the combined constant
  // small.
  auto constants = llvm::to_vector(llvm::make_filter_range(
      roots, [&](Value root) { return getConstant(root, symbols); }));
  llvm::stable_sort(constants, [](Value lhs, Value rhs) {
    return getBufferBytes(lhs) < getBufferBytes(rhs);
  });
  int64_t wanted = 0, bytes = 0;
  for (Value constant : constants) {
    bytes +=
        llvm::alignTo(getBufferBytes(constant), DeviceProfile::rangeAlignment);
    if (bytes > std::min(maxPackedBytes, profile.getMaxStorageBufferRange()) ||
        wanted > count - most)
      break;
    ++wanted;
  }
  constants.truncate(wanted);
  if (constants.size() > 1) {
    pack(op, constants, symbols);
    roots = getBoundRoots(op);
    count = static_cast<int64_t>(roots.size());
    if (count <= most)
      return;
  }
  // The kernel binds one new buffer in place of the combined buffers. The
  // buffers with the fewest bytes to copy are combined. Allocations come first,
  // since they become ranges of the new buffer and need no copy.
  auto read = llvm::to_vector(llvm::drop_begin(roots));
  llvm::stable_sort(read, [](Value lhs, Value rhs) {
    auto getCopied = [](Value root) {
      return root.getDefiningOp<memref::AllocOp>() ? 0 : getBufferBytes(root);
    };
    return getCopied(lhs) < getCopied(rhs);
  });
  share(op, ArrayRef(read).take_front(count - most + 1));
}

namespace {
struct LimitBuffers : dml::impl::LimitBuffersBase<LimitBuffers> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    SymbolTable symbols(getOperation());
    for (linalg::GenericOp op : generics)
      limitBuffers(op, profile, symbols);
  }
};
} // namespace
