//===- SelectMapTiles.cpp - The tile of each map kernel -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/MapKernel.h"
#include "Selection/MapTiles.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dml {
#define GEN_PASS_DEF_SELECTMAPTILES
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
struct SelectMapTiles : dml::impl::SelectMapTilesBase<SelectMapTiles> {
  using SelectMapTilesBase::SelectMapTilesBase;

  void runOnOperation() override {
    const DeviceProfile &device = getDeviceProfile(getOperation());
    getOperation().walk([&](linalg::GenericOp op) {
      // A kernel that has been chosen before stays, unless it is a map kernel
      // without a tile.
      if (Attribute attribute = op->getAttr(kernelAttrName)) {
        std::optional<KernelTile> tile = getKernelTile(attribute);
        const auto *map = tile ? std::get_if<MapTile>(&*tile) : nullptr;
        if (!map || !map->isOpen())
          return;
      }
      if (!findMapProblem(op).empty())
        return;
      MapTile tile = chooseMapTile(op, device.getSpeed());
      op->setAttr(kernelAttrName, tile.getAttr(&getContext()));
    });
  }
};
} // namespace
