//===- Launch.cpp - Grids of workgroups -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/Launch.h"
#include "dml/IR/DML.h"
#include "dml/IR/KernelAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

Value dml::linearize(ImplicitLocOpBuilder &b, Value outer, int64_t size,
                     Value inner) {
  Value by = arith::ConstantIndexOp::create(b, size);
  return b.createOrFold<arith::AddIOp>(b.createOrFold<arith::MulIOp>(outer, by),
                                       inner);
}

std::pair<Value, Value> dml::delinearize(ImplicitLocOpBuilder &b, Value value,
                                         int64_t size) {
  Value by = arith::ConstantIndexOp::create(b, size);
  return {arith::DivUIOp::create(b, value, by),
          arith::RemUIOp::create(b, value, by)};
}

Value dml::limit(ImplicitLocOpBuilder &b, Value number, int64_t count) {
  return arith::MinUIOp::create(b, number,
                                arith::ConstantIndexOp::create(b, count - 1));
}

Value dml::buildSubgroupId(ImplicitLocOpBuilder &b, int64_t count) {
  return limit(b, gpu::SubgroupIdOp::create(b, b.getIndexType(), IntegerAttr()),
               count);
}

Value dml::buildLaneId(ImplicitLocOpBuilder &b, int64_t size) {
  return limit(b, gpu::LaneIdOp::create(b, b.getIndexType(), IntegerAttr()),
               size);
}

Value dml::both(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (lhs && rhs)
    return arith::AndIOp::create(b, lhs, rhs);
  return lhs ? lhs : rhs;
}

void dml::hoistFromGuard(scf::IfOp guard) {
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

Value dml::allocateInWorkgroup(ImplicitLocOpBuilder &b, int64_t size,
                               Type element) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return memref::AllocOp::create(
      b, MemRefType::get({size}, element, AffineMap(), space));
}

GroupedLaunch dml::createLaunch(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                                int64_t groups, int64_t threads) {
  int64_t grid[3] = {groups, 1, 1};
  for (int dim = 0; dim < 2; ++dim) {
    grid[dim + 1] =
        llvm::divideCeil(grid[dim], DeviceProfile::maxWorkgroupCount);
    grid[dim] = llvm::divideCeil(grid[dim], grid[dim + 1]);
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value one = constant(1), x = constant(grid[0]), y = constant(grid[1]),
        z = constant(grid[2]);
  auto launch = gpu::LaunchOp::create(b, x, y, z, constant(threads), one, one);
  if (auto label = op->getAttrOfType<StringAttr>(labelAttrName))
    launch.setFunctionAttr(SymbolRefAttr::get(label));

  b.setInsertionPointToStart(&launch.getBody().front());
  gpu::KernelDim3 group = launch.getBlockIds();
  Value linear = group.x;
  if (grid[2] > 1)
    linear =
        linearize(b, linearize(b, group.z, grid[1], group.y), grid[0], group.x);
  else if (grid[1] > 1)
    linear = linearize(b, group.y, grid[0], group.x);
  if (op->hasAttr(reversedAttrName))
    linear = arith::SubIOp::create(
        b, arith::ConstantIndexOp::create(b, grid[0] * grid[1] * grid[2] - 1),
        linear);
  Operation *end = gpu::TerminatorOp::create(b);
  b.setInsertionPoint(end);
  return {launch, linear, grid[0] * grid[1] * grid[2], end};
}
