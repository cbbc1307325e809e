//===- RowLayout.cpp - How rows lie in buffers and threads ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/RowLayout.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "Kernels/RowShape.h"
#include "dml/Target/DeviceProfile.h"
#include "dml/Target/RowCosts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

SmallVector<LinearForm> dml::bindPlace(ImplicitLocOpBuilder &b,
                                       IndexForms &forms, TileBuilder &builder,
                                       MemRefType type, RowReduction &reduction,
                                       size_t lane, LinearForm row,
                                       LinearForm element) {
  SmallVector<LinearForm> coordinates(type.getRank());
  for (auto [i, dim] : llvm::reverse(llvm::enumerate(reduction.setDims))) {
    LinearForm &coordinate = coordinates[dim];
    bool isOfParts =
        reduction.partSize > 0 && dim == reduction.elementDims.front();
    int64_t size = type.getDimSize(dim);
    if (isOfParts)
      size = llvm::divideCeilSigned(size, reduction.partSize);
    // The first dimension receives the quotient that the others have left.
    if (i == 0)
      coordinate = row;
    else
      std::tie(row, coordinate) = forms.divide(b, row, size);
    if (!isOfParts)
      continue;
    for (Value number : reduction.partNumbers)
      builder.bind(lane, number, coordinate);
    coordinate = forms.mul(b, coordinate, reduction.partSize);
  }
  for (size_t i = reduction.sizes.size(); i-- > 0;) {
    LinearForm induction = element;
    if (i > 0)
      std::tie(element, induction) =
          forms.divide(b, element, reduction.sizes[i]);
    for (RowLoops &nest : reduction.nests)
      builder.bind(lane, nest.loops[i].getInductionVar(), induction);
    if (!reduction.elementDims.empty()) {
      LinearForm &coordinate = coordinates[reduction.elementDims[i]];
      coordinate = forms.add(b, coordinate, induction);
    }
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

/// Finds the load in `nest` from which the layout of rows is chosen, such that
/// threads load neighbouring elements. This is the first load whose address
/// depends only on induction variables and on coordinates of the output, and
/// not on another load. Returns the load and the operations that compute its
/// address, or nothing if there is no such load.
static SmallVector<Operation *> getFirstLoad(linalg::GenericOp op,
                                             RowLoops &nest) {
  auto given = llvm::map_to_vector(nest.loops, [](scf::ForOp loop) {
    return Value(loop.getInductionVar());
  });
  for (Operation *load : nest.slice) {
    if (!isa<memref::LoadOp>(load))
      continue;
    BodySlice slice(op, given);
    if (failed(slice.add(load->getResult(0))))
      continue;
    SmallVector<Operation *> operations = slice.getOperations();
    if (llvm::count_if(operations, BodySlice::isLoad) == 1)
      return operations;
  }
  return {};
}

/// Whether the elements that a thread processes would be neighbours if the
/// thread had `lanes` lanes: one element in each lane, and equally many
/// elements from each of `rows` rows. The elements must form a vector in the
/// buffer from which they are loaded (getFirstLoad()). If `isStored` is set,
/// the thread stores several elements at once, and they must also form a vector
/// in the output.
static bool areNeighbours(linalg::GenericOp op, RowReduction &reduction,
                          int64_t rows, int64_t lanes, bool isStored) {
  // Operations are built to find the positions of the elements, which are
  // linear forms. The operations themselves are discarded.
  Block block;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  b.setInsertionPointToEnd(&block);
  auto getValue = [&]() -> Value {
    return block.addArgument(b.getIndexType(), op.getLoc());
  };
  IndexForms forms(getValue(), 1);
  BufferViews views(op);
  TileBuilder builder(b, op, forms, views);
  auto getFirst = [&](int64_t count, int64_t step) {
    return forms.mul(b, forms.getOpaque(getValue(), {0, count / step - 1}),
                     step);
  };
  LinearForm element = getFirst(reduction.rowSize, lanes / rows);
  LinearForm row = getFirst(reduction.numRows, rows);
  MemRefType type = getOutputType(op);
  SmallVector<SmallVector<LinearForm>> coordinates;
  for (int64_t lane = 0; lane < lanes; ++lane)
    coordinates.push_back(bindPlace(b, forms, builder, type, reduction, lane,
                                    forms.add(b, row, lane % rows),
                                    forms.add(b, element, lane / rows)));
  auto areInVector = [&](ArrayRef<LinearForm> places) {
    std::optional<std::pair<LinearForm, int64_t>> vector =
        divideExactly(places.front(), lanes);
    if (!vector || vector->second != 0)
      return false;
    for (auto [lane, place] : llvm::enumerate(places))
      if (!(place == forms.add(b, places.front(), static_cast<int64_t>(lane))))
        return false;
    return true;
  };
  SmallVector<LinearForm> places;
  SmallVector<Operation *> slice = getFirstLoad(op, reduction.nests.front());
  if (!slice.empty()) {
    builder.buildSlice(slice, coordinates);
    for (int64_t lane = 0; lane < lanes; ++lane)
      places.push_back(
          std::get<Load>(builder.getScalar(lane, slice.back()->getResult(0)))
              .position);
    if (!areInVector(places))
      return false;
  }
  if (!isStored)
    return true;
  places.clear();
  for (ArrayRef<LinearForm> at : coordinates)
    places.push_back(builder.linearize(type, at));
  return areInVector(places);
}

/// Returns the size in bytes of a value in workgroup memory.
static int64_t getSharedBytes(Type type) {
  return type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
}

/// Returns the bytes of workgroup memory in which threads exchange the results
/// of reductions over `rows` rows. Reductions whose results have the same type
/// share memory. Consecutive exchanges use two memories alternately. A thread
/// can then store for an exchange while others still load from the exchange
/// before.
static int64_t getSharedBytes(const RowReduction &reduction, int64_t rows) {
  llvm::SmallSetVector<std::pair<Type, size_t>, 4> kinds;
  for (const RowLoops &nest : reduction.nests)
    for (auto [i, type] : llvm::enumerate(nest.getResults().getTypes()))
      kinds.insert({type, i});
  int64_t bytes = 0;
  for (auto [type, i] : kinds)
    bytes += getSharedBytes(type);
  return 2 * rows * DeviceProfile::workgroupSize * bytes;
}

RowLayout RowLayout::get(linalg::GenericOp op, RowReduction &reduction) {
  auto getBytes = [](Value buffer) -> int64_t {
    return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  };
  int64_t stored = getBytes(op.getOutputs().front()), widest = 1;
  for (RowLoops &nest : reduction.nests)
    for (Operation *nested : nest.slice)
      if (auto load = dyn_cast<memref::LoadOp>(nested))
        widest = std::max(widest, getBytes(load.getMemRef()));

  RowLayout layout;
  bool storesElements = !reduction.elementDims.empty();
  bool isRowInMemory = false;
  if (storesElements) {
    isRowInMemory = layout.isAlongRow =
        reduction.setDims.empty() ||
        reduction.elementDims.back() >= reduction.setDims.back();
  } else {
    isRowInMemory = reduction.numRows == 1 ||
                    areNeighbours(op, reduction, /*rows=*/1, /*lanes=*/2,
                                  /*isStored=*/false);
    layout.isAlongRow =
        isRowInMemory || !areNeighbours(op, reduction, /*rows=*/2, /*lanes=*/2,
                                        /*isStored=*/true);
  }
  // Several rows may follow each other along a dimension, and the end of the
  // dimension may cut the last row short. In a dimension of 10 with rows of 4
  // elements, the third row has 2. The number of elements that a thread takes
  // at a time must divide the size of the dimension (`dimSize`), so that a
  // thread's elements do not cross its end.
  int64_t dimSize =
      reduction.partSize > 0
          ? getOutputType(op).getDimSize(reduction.elementDims.front())
          : 0;
  auto canStore = [&](int64_t lanes) {
    return lanes * stored >= 4 && lanes * stored <= getMaxVectorBytes(op);
  };

  // If a few rows are interleaved in memory, such as three columns of a table,
  // the elements of one row are several elements apart. A thread then takes
  // elements of all of these rows, which together fill whole vectors.
  int64_t ofVector = DeviceProfile::vectorBytes /
                     (storesElements ? std::max(widest, stored) : widest);
  for (int64_t rows = 2; !isRowInMemory && rows <= cost::rows::maxRowsTogether;
       ++rows) {
    // All interleaved rows must be taken together. The second element of the
    // first row then follows the first element of the last row. areNeighbours()
    // can only check this with two elements of each row. With one element of
    // each, three of six interleaved rows would be neighbours as well.
    int64_t elements = std::max<int64_t>(std::lcm(rows, ofVector) / rows, 2);
    int64_t lanes = rows * elements;
    if (reduction.numRows % rows || reduction.rowSize % elements ||
        dimSize % elements || lanes > cost::rows::maxHeld ||
        (storesElements && !canStore(ofVector)) ||
        getSharedBytes(reduction, rows) > DeviceProfile::workgroupMemory ||
        !areNeighbours(op, reduction, rows, lanes, storesElements))
      continue;
    return {/*isAlongRow=*/true, lanes, rows,
            /*together=*/storesElements ? ofVector : 1};
  }

  bool storesVectors = !layout.isAlongRow || storesElements;
  if (storesVectors)
    widest = std::max(widest, stored);
  for (int64_t lanes = DeviceProfile::vectorBytes / widest; lanes > 1;
       lanes /= 2) {
    int64_t rows = layout.isAlongRow ? 1 : lanes, elements = lanes / rows;
    if (reduction.numRows % rows || reduction.rowSize % elements ||
        dimSize % elements || (storesVectors && !canStore(lanes)) ||
        getSharedBytes(reduction, rows) > DeviceProfile::workgroupMemory ||
        !areNeighbours(op, reduction, rows, lanes, storesVectors))
      continue;
    layout.lanes = lanes;
    layout.rows = rows;
    layout.together = storesVectors ? lanes : 1;
    break;
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t dml::getPadded(int64_t count) {
  return count + count / cost::rows::banks;
}

int64_t dml::getMaxVectors(const RowReduction &reduction,
                           const RowLayout &layout) {
  int64_t most = std::max<int64_t>(cost::rows::maxHeld / layout.lanes, 1);
  if (!layout.isAlongRow || !reduction.hasScan())
    return most;
  // Besides the memory through which threads exchange values, workgroup memory
  // holds the totals of all vectors of a scan.
  int64_t bytes = 0;
  for (const RowLoops &nest : reduction.nests)
    if (nest.scan)
      bytes += getSharedBytes(nest.getResults().front().getType());
  int64_t left =
      DeviceProfile::workgroupMemory - getSharedBytes(reduction, layout.rows);
  while (most > 1 &&
         getPadded(most * DeviceProfile::workgroupSize) * bytes > left)
    --most;
  return most;
}

std::string dml::findRowTileProblem(const RowReduction &reduction,
                                    const RowLayout &layout,
                                    const RowTile &tile) {
  if (!llvm::isPowerOf2_64(tile.threads) ||
      tile.threads > DeviceProfile::workgroupSize)
    return llvm::formatv(
        "has {0} threads, but wants a power of two of at most {1}",
        tile.threads, DeviceProfile::workgroupSize);
  int64_t most = getMaxVectors(reduction, layout);
  if (tile.vectors > most)
    return llvm::formatv(
        "has {0} vectors of {1} elements, but wants at most {2}", tile.vectors,
        layout.lanes, most);
  return "";
}
