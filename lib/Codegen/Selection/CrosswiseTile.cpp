//===- CrosswiseTile.cpp - When kernels read down columns -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/ElementMap.h"
#include "Emit/Launch.h"
#include "Emit/TileBuilder.h"
#include "Emit/VectorPacker.h"
#include "Kernels/CrosswiseKernel.h"
#include "Kernels/RowShape.h"
#include "Selection/MapTiles.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Target/MapCosts.h"

using namespace mlir;
using namespace dml;

namespace {
/// The dimension of the output along which a body reads neighbouring elements
/// of its input, and the length of such a run of neighbours in elements. For a
/// transpose that makes a 32x64 output from a 64x32 input, dimension 0 of the
/// output has runs of 32 elements. A run is longer than its dimension if an
/// outer dimension continues it.
struct DimOfLoads {
  int64_t dim, extent;
};
} // namespace

namespace {
/// Determines how far apart in memory a body loads elements for neighbouring
/// elements of the output. The probe builds the code for one element of the
/// output, looks at the positions of its loads, and discards the code.
class LoadProbe {
public:
  /// Creates a probe for `op` on a device whose memory transfers whole sectors
  /// of `sectorBits` bits.
  LoadProbe(linalg::GenericOp op, int64_t sectorBits)
      : op(op), sectorBits(sectorBits),
        type(cast<MemRefType>(op.getOutputs().front().getType())),
        b(op.getLoc(), op) {
    b.setInsertionPointToEnd(&discarded);
    GroupedLaunch grouped = createLaunch(b, op, 1);
    views.emplace(grouped.launch);
    forms.emplace(grouped.launch.getThreadIds().x,
                  DeviceProfile::workgroupSize);
    for (int64_t size : type.getShape())
      coordinates.push_back(forms->getOpaque(
          arith::ConstantIndexOp::create(b, size), {0, size - 1}));
    builder.emplace(b, op, *forms, *views);
    builder->buildElement(coordinates);
  }

  std::optional<DimOfLoads> findDim();

private:
  std::optional<int64_t> getStrideInMiddle(memref::LoadOp load, int64_t dim);
  int64_t getStride(memref::LoadOp load, int64_t dim);
  bool isLarge(memref::LoadOp load) const;
  std::optional<DimOfLoads> findDim(memref::LoadOp load);

  linalg::GenericOp op;
  int64_t sectorBits;
  MemRefType type;
  Block discarded;
  ImplicitLocOpBuilder b;
  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// Unknown coordinates, which stand for any element of the output. `builder`
  /// builds the code that computes this element.
  SmallVector<LinearForm> coordinates;
  std::optional<TileBuilder> builder;
};
} // namespace

/// Returns the stride of `load` along dimension `dim` of the output: how far
/// the element that `load` reads moves in its buffer from one element of the
/// output to the next. The function builds the load for two neighbouring
/// elements in the middle of the output and subtracts the two positions. The
/// coordinates of these two elements are constants far from padding, so that
/// clamped indices have known values.
std::optional<int64_t> LoadProbe::getStrideInMiddle(memref::LoadOp load,
                                                    int64_t dim) {
  std::optional<LinearForm> before;
  for (int64_t step : {0, 1}) {
    SmallVector<LinearForm> middle;
    for (int64_t size : type.getShape())
      middle.push_back(size / 2);
    if (type.getDimSize(dim) == 1)
      return std::nullopt;
    middle[dim].constant += step - 1;
    TileBuilder probe(b, op, *forms, *views);
    probe.buildElement(middle);
    Scalar scalar = probe.getScalar(0, load.getResult());
    const auto *element = std::get_if<Load>(&scalar);
    if (!element || !element->position.isConstant())
      return std::nullopt;
    if (before)
      return element->position.constant - before->constant;
    before = element->position;
  }
  return std::nullopt;
}

/// Returns the number of elements by which the position of `load` increases if
/// the coordinate of dimension `dim` increases by 1. Returns 0 if this number
/// is unknown.
int64_t LoadProbe::getStride(memref::LoadOp load, int64_t dim) {
  Scalar scalar = builder->getScalar(0, load.getResult());
  for (LinearForm::Term term : std::get<Load>(scalar).position.terms)
    if (!coordinates[dim].isConstant() &&
        term.first == coordinates[dim].terms.front().first)
      return term.second;
  return getStrideInMiddle(load, dim).value_or(0);
}

/// Whether the buffer of `load` is so large, in relation to the output, that
/// the order of the loads affects the time of the kernel. A small buffer, such
/// as a bias, stays in the cache.
bool LoadProbe::isLarge(memref::LoadOp load) const {
  return getNumBytes(load.getMemRefType()) *
             cost::crosswise::smallBufferShare >=
         getNumBytes(type);
}

/// Returns the dimension of the output along which `load` reads neighbouring
/// elements, or nothing if there is no such dimension. Returns nothing as well
/// if `load` reads elements less than a sector apart along the innermost
/// dimension, since the loads of a plain map kernel then share sectors.
std::optional<DimOfLoads> LoadProbe::findDim(memref::LoadOp load) {
  Scalar scalar = builder->getScalar(0, load.getResult());
  if (!std::holds_alternative<Load>(scalar))
    return std::nullopt;
  int64_t columnDim = CrosswiseShape::getColumnDim(type);
  if (std::abs(getStride(load, columnDim)) *
          load.getMemRefType().getElementTypeBitWidth() <
      sectorBits)
    return std::nullopt;
  std::optional<int64_t> found;
  for (int64_t dim = 0; dim < columnDim; ++dim)
    if (int64_t stride = getStride(load, dim); stride == 1 || stride == 2)
      found = dim;
  if (!found)
    return std::nullopt;
  // An outer dimension continues the run of neighbours if its next coordinate
  // reads elements that follow the run in memory. The stride of the outer
  // dimension may be up to twice the length of the run, since padding may lie
  // in between.
  int64_t extent = type.getDimSize(*found);
  for (int64_t dim = *found - 1; dim >= 0; --dim) {
    int64_t stride = getStride(load, dim);
    if (stride <= 0 || stride > 2 * extent)
      break;
    extent *= type.getDimSize(dim);
  }
  return DimOfLoads{*found, extent};
}

/// Returns the dimension along which all loads of large buffers read
/// neighbouring elements. If the coordinate increases by 1, the position of a
/// load must increase by 1 or by 2. (A load that reads every other element
/// still uses half of the bytes that memory transfers.) Returns nothing if the
/// loads have no such dimension in common.
std::optional<DimOfLoads> LoadProbe::findDim() {
  std::optional<DimOfLoads> found;
  for (auto load : op.getBody()->getOps<memref::LoadOp>()) {
    if (!isLarge(load))
      continue;
    std::optional<DimOfLoads> own = findDim(load);
    if (!own || (found && found->dim != own->dim))
      return std::nullopt;
    found = {own->dim,
             found ? std::min(found->extent, own->extent) : own->extent};
  }
  return found;
}

std::optional<MapTile> dml::getCrosswiseTile(linalg::GenericOp op,
                                             const DeviceSpeed &device) {
  auto type = cast<MemRefType>(op.getOutputs().front().getType());
  int64_t bits = type.getElementTypeBitWidth();
  if (TileBuilder::hasLoops(op) || readsOutput(op) || type.getRank() < 2 ||
      bits < 8 || bits > 32)
    return std::nullopt;
  auto sectorBits = static_cast<int64_t>(8 * device.sectorBytes);
  std::optional<DimOfLoads> loads = LoadProbe(op, sectorBits).findDim();
  if (!loads)
    return std::nullopt;
  const CrosswiseShape shape(op, loads->dim);
  // If rows or columns are shorter than a sector, a transposition in workgroup
  // memory does not save transfers of sectors.
  if (loads->extent * bits < sectorBits || shape.numColumns * bits < sectorBits)
    return std::nullopt;
  MapTile tile;
  tile.vectorBytes = getMaxVectorBytes(op);
  while (tile.vectorBytes > 4 && shape.numColumns * bits / 8 % tile.vectorBytes)
    tile.vectorBytes /= 2;
  // Large tiles have more loads in flight than small tiles, and store longer
  // pieces of rows.
  const Packing down(type.getElementType(), DeviceProfile::vectorBytes);
  CrosswiseTile crosswise = {loads->dim, 64, 64};
  if (bits == 32)
    crosswise.columns = 32;
  if (bits == 8)
    crosswise.rows = 128;
  while (crosswise.rows / 2 >= shape.numRows &&
         crosswise.rows > down.getCount())
    crosswise.rows /= 2;
  while (crosswise.columns / 2 >= shape.numColumns &&
         crosswise.columns > down.getCount())
    crosswise.columns /= 2;
  tile.mode = crosswise;
  return findCrosswiseProblem(op, tile).empty() ? std::optional(tile)
                                                : std::nullopt;
}

MapTile dml::getOccupyingCrosswiseTile(linalg::GenericOp op, MapTile tile,
                                       const DeviceSpeed &device) {
  auto &crosswise = std::get<CrosswiseTile>(tile.mode);
  const CrosswiseShape shape(op, crosswise.dim);
  const Packing down(shape.type.getElementType(), DeviceProfile::vectorBytes);
  auto countThreads = [&] {
    return DeviceProfile::workgroupSize * shape.numBatches *
           llvm::divideCeilSigned(shape.numRows, crosswise.rows) *
           llvm::divideCeilSigned(shape.numColumns, crosswise.columns);
  };
  while (countThreads() < device.getEnoughThreads() &&
         crosswise.rows * crosswise.columns / down.getCount() >
             DeviceProfile::workgroupSize)
    (crosswise.rows < crosswise.columns ? crosswise.columns : crosswise.rows) /=
        2;
  return tile;
}
