//===- DistributeToWorkgroups.cpp - linalg to GPU launches ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "ElementMap.h"
#include "TileBuilder.h"
#include "dml/Codegen/DeviceProfile.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

namespace dml {
#define GEN_PASS_DEF_DISTRIBUTETOWORKGROUPS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// A thread stores 16 bytes, or less where it reads more of a row than that:
/// the threads of a group then read what lies side by side.
static int64_t getStoredBytes(linalg::GenericOp op) {
  auto getBytes = [](Value buffer) -> int64_t {
    return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  };
  int64_t stored = getBytes(op.getOutputs().front()), widest = stored;
  // By how much indices differ between neighbours in a row, about.
  llvm::SmallDenseMap<Value, int64_t> strides;
  for (Operation &nested : *op.getBody()) {
    if (auto load = dyn_cast<memref::LoadOp>(nested)) {
      int64_t stride =
          load.getIndices().empty() ? 1 : strides[load.getIndices().back()];
      widest = std::max(widest, getBytes(load.getMemRef()) *
                                    std::max<int64_t>(stride, 1));
      continue;
    }
    int64_t stride = 0;
    for (Value operand : nested.getOperands())
      stride = std::max(stride, strides[operand]);
    APInt constant;
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      stride = index.getDim() + 1 == op.getNumLoops();
    else if (isa<arith::MulIOp, arith::DivUIOp>(nested) &&
             matchPattern(nested.getOperand(1), m_ConstantInt(&constant))) {
      // A divisor may be 0 where nothing asks for the quotient.
      auto factor = constant.getLimitedValue(DeviceProfile::vectorBytes);
      stride = isa<arith::MulIOp>(nested)
                   ? stride * factor
                   : stride / std::max<uint64_t>(factor, 1);
    }
    for (Value result : nested.getResults())
      strides[result] = std::min<int64_t>(stride, DeviceProfile::vectorBytes);
  }
  uint64_t bytes = DeviceProfile::vectorBytes * stored / widest;
  return std::max(
      {static_cast<int64_t>(llvm::bit_floor(bytes)), int64_t{4}, stored});
}

/// The most elements of a thread that has groups of vectors. More elements
/// share more of what they compute, and take more registers.
static constexpr int64_t maxElements = 64;
/// The most bytes that a thread stores in several rows. On an H100, 8 rows of
/// 16 bytes took longer for linear resampling of three dimensions than 4,
/// though they saved a fifth of the operations; 8 rows of 4 bytes do not.
static constexpr int64_t maxRowBytes = 64;
/// The bytes of a cache: what was read so many bytes ago may have left it.
static constexpr int64_t cachedBytes = 4 << 20;

namespace {
/// What a thread stores: `vectors` consecutive vectors of each of `rows`
/// consecutive rows.
struct Tile {
  int64_t vectors = 1, rows = 1;
  /// Vectors of a row, if there are several, or those that lie inside of each
  /// row wherever it begins.
  int64_t rowVectors = 1;
  /// Threads may be for the vectors inside of rows only, or for the others.
  enum Part { Whole, Inside, Across } part = Whole;
  /// Whether each element is looked up in the row where its vector begins and
  /// in the next.
  bool inBothRows = false;
};

/// What a thread stores that computes elements in loops: a block of
/// `factors[d]` elements in each of the outer dimensions and of one vector in
/// the others, which are one row.
struct LoopTile {
  /// The bytes of a vector.
  int64_t bytes;
  SmallVector<int64_t> factors;

  int64_t getNumVectors() const { return llvm::product_of(factors); }
};

/// The operations that the threads of a launch run: those of the general path,
/// how many of these are loads, and the operations on average if some threads
/// take another path.
struct Cost {
  double general = 0, loads = 0, average = 0;
};

/// The launch of one linalg.generic.
class Launch {
public:
  Launch(linalg::GenericOp op)
      : op(op), type(cast<MemRefType>(op.getOutputs().front().getType())),
        packing(type.getElementType(), getStoredBytes(op)),
        placement(getPlacement(op.getOutputs().front()).value_or(Placement())) {
    packing.bytes = std::min(packing.bytes, getMaxBytes());
  }

  /// Fails, with a diagnostic, if the generic is of another form.
  LogicalResult verify();
  /// Threads of two kinds are for kernels of `minOpsPerByte`, more rows than
  /// elements are read often for those of half as many.
  void build(double minOpsPerByte);

private:
  int64_t getMaxBytes() const;
  int64_t getPeriod(int64_t dim);
  void findPeriod();
  Value orderByPeriod(ImplicitLocOpBuilder &b, Value group);
  Tile getPlainTile();
  std::optional<Tile> getTaller(Tile plain);
  void buildJoined();
  int64_t getJoinedRowSize() const;
  void buildJoinedTile(ImplicitLocOpBuilder &b, IndexForms &forms,
                       TileBuilder &builder, Value output);
  std::optional<Tile> getGroupedTile();
  bool mayLookInBothRows();
  SmallVector<Tile> getParts();
  int64_t getTraffic();
  int64_t getThreads() const;
  Cost buildLaunch(Block &block, ArrayRef<Tile> parts, double maxGeneral);
  void buildStaging(ImplicitLocOpBuilder &b, Value local);
  void storeStaged(ImplicitLocOpBuilder &b, BufferViews &views, Value group,
                   Value local, bool mayExceed);
  Cost buildPart(ImplicitLocOpBuilder &b, BufferViews &views, Value thread,
                 int64_t count, double maxGeneral, Operation *end);
  void buildTile(ImplicitLocOpBuilder &b, IndexForms &forms, BufferViews &views,
                 double maxOperations);
  std::optional<double> buildInterior(ImplicitLocOpBuilder &b,
                                      IndexForms &forms, BufferViews &views,
                                      Value thread, Operation *end,
                                      double maxDivergence, double &divergence);
  LinearForm getPosition(ImplicitLocOpBuilder &b, IndexForms &forms,
                         int64_t row, int64_t number);
  SmallVector<LinearForm> getCoordinates(ImplicitLocOpBuilder &b,
                                         IndexForms &forms,
                                         LinearForm position);
  std::optional<Scalar> buildInBothRows(ImplicitLocOpBuilder &b,
                                        IndexForms &forms, TileBuilder &builder,
                                        SmallVector<LinearForm> here,
                                        SmallVector<LinearForm> next,
                                        LinearForm column, int64_t lane);

  linalg::GenericOp op;
  MemRefType type;
  Packing packing;
  /// Where the output is, if it is a part of another buffer.
  Placement placement;
  /// The tile of a body with loops, which the elements of a thread share.
  std::optional<LoopTile> joined;

  /// Vectors of the output, elements of its innermost dimension of several, or
  /// of that dimension's period, which that is, and how many of them there are
  /// in the one before.
  int64_t numVectors = 0, rowSize = 1, rowDim = 0, numRows = 1;
  /// Whether a second path may pay for threads that nothing needs clamping for.
  bool mayHaveInterior = true;
  /// What is being built.
  Tile tile;
  /// Vectors of a workgroup, and the place of the thread's first, where a
  /// thread has several: the workgroup then stores them side by side.
  Value staging, firstStaged;
};
} // namespace

LogicalResult Launch::verify() {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("wants buffers to be distributed to workgroups");
  if (!isElementMap(op))
    return op.emitOpError(
        "wants no inputs and one output under an identity map that is not "
        "read, "
        "with parallel iterators, to be distributed to workgroups");
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op.emitOpError("wants a packed output of static shape, but it is ")
           << type;
  return success();
}

/// The most bytes that a thread stores at once: no vector reaches beyond a part
/// of another buffer. What is no whole word is stored element by element.
int64_t Launch::getMaxBytes() const {
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  if (placement.strips.empty())
    return DeviceProfile::vectorBytes;
  int64_t bytes =
      std::min(DeviceProfile::vectorBytes, placement.getAlignment());
  return bytes < 4 ? elementBytes : bytes;
}

/// Where a row's coordinates repeat, its parts can be rows: if whole rows are
/// no whole vectors, fewer elements then have a coordinate of their own.
void Launch::findPeriod() {
  // A tensor of rank 0 has no dimension to ask for.
  if (rowSize == 1 || rowSize % packing.getCount() == 0)
    return;
  int64_t period = getPeriod(rowDim);
  if (period == 1 || period == rowSize)
    return;
  numRows = rowSize / period;
  rowSize = period;
}

/// After how many coordinates of `dim` the same elements are read again.
int64_t Launch::getPeriod(int64_t dim) {
  int64_t size = type.getDimSize(dim), period = 1;
  for (auto index : op.getBody()->getOps<linalg::IndexOp>()) {
    if (static_cast<int64_t>(index.getDim()) != dim)
      continue;
    for (Operation *user : index->getUsers()) {
      APInt divisor;
      if (!isa<arith::RemUIOp>(user) || user->getOperand(0) != index ||
          !matchPattern(user->getOperand(1), m_ConstantInt(&divisor)) ||
          divisor.isZero() || divisor.ugt(size))
        return size;
      period = std::lcm(period, divisor.getSExtValue());
    }
  }
  return size % period ? size : period;
}

static Value linearize(ImplicitLocOpBuilder &b, Value outer, int64_t size,
                       Value inner) {
  Value by = arith::ConstantIndexOp::create(b, size);
  return b.createOrFold<arith::AddIOp>(b.createOrFold<arith::MulIOp>(outer, by),
                                       inner);
}

/// The outer and the inner number that linearize() has made `value` of.
static std::pair<Value, Value> delinearize(ImplicitLocOpBuilder &b, Value value,
                                           int64_t size) {
  Value by = arith::ConstantIndexOp::create(b, size);
  return {arith::DivUIOp::create(b, value, by),
          arith::RemUIOp::create(b, value, by)};
}

/// Elements that are read again where an outer dimension repeats may have left
/// the caches by then: workgroups that read the same take turns. Those beyond
/// the last stay there.
Value Launch::orderByPeriod(ImplicitLocOpBuilder &b, Value group) {
  int64_t groupSize = DeviceProfile::workgroupSize * packing.getCount() *
                      tile.vectors * tile.rows;
  for (int64_t dim = rowDim - 1; dim >= 0; --dim) {
    int64_t size = type.getDimSize(dim), period = getPeriod(dim);
    int64_t elements = period;
    for (int64_t inner : type.getShape().drop_front(dim + 1))
      elements *= inner;
    if (period == size || elements % groupSize ||
        elements / rowSize % tile.rows ||
        elements * packing.bits / 8 < cachedBytes)
      continue;
    int64_t copies = size / period, groups = elements / groupSize;
    auto [rest, copy] = delinearize(b, group, copies);
    auto [outer, place] = delinearize(b, rest, groups);
    return linearize(b, linearize(b, outer, copies, copy), groups, place);
  }
  return group;
}

/// Elements that read many others share them with their neighbours: a thread
/// computes several rows of them where rows hold whole vectors and where
/// threads enough remain to fill a device.
Tile Launch::getPlainTile() {
  Tile tile;
  if (rowSize == type.getNumElements() || rowSize % packing.getCount())
    return tile;
  // How often an element of the inputs is read.
  llvm::SmallSetVector<Value, 4> sources;
  int64_t loads = 0, read = 0;
  for (auto load : op.getBody()->getOps<memref::LoadOp>()) {
    ++loads;
    if (sources.insert(load.getMemRef()))
      read += load.getMemRefType().getNumElements();
  }
  double reads = static_cast<double>(loads * type.getNumElements()) /
                 static_cast<double>(std::max<int64_t>(read, 1));
  tile.rowVectors = rowSize / packing.getCount();
  return loads > 1 && reads > 2 ? getTaller(tile).value_or(tile) : tile;
}

/// `tile` with twice the rows, if that leaves enough threads. Rows of a thread
/// lie in one plane.
std::optional<Tile> Launch::getTaller(Tile tile) {
  tile.rows *= 2;
  if (tile.rows * packing.bytes > maxRowBytes || numRows % tile.rows ||
      numVectors / tile.rows < DeviceProfile::enoughThreads)
    return std::nullopt;
  return tile;
}

/// The bytes that the generic reads and writes, each once.
int64_t Launch::getTraffic() {
  auto getBytes = [](MemRefType type) {
    return type.getNumElements() * type.getElementTypeBitWidth() / 8;
  };
  int64_t bytes = getBytes(type);
  llvm::SmallPtrSet<Value, 4> sources;
  for (auto load : op.getBody()->getOps<memref::LoadOp>())
    if (sources.insert(load.getMemRef()).second)
      bytes += getBytes(load.getMemRefType());
  return bytes;
}

/// Where a small odd number divides coordinates, those of a vector's elements
/// share little; those of as many consecutive vectors differ by constants.
std::optional<Tile> Launch::getGroupedTile() {
  Tile tile;
  auto divideBy = [&](uint64_t divisor) {
    if (divisor == 0)
      return;
    uint64_t odd = divisor >> llvm::countr_zero(divisor);
    if (odd > maxElements)
      return;
    int64_t vectors = std::lcm(tile.vectors, static_cast<int64_t>(odd));
    if (vectors * packing.getCount() <= maxElements &&
        vectors * packing.bytes * DeviceProfile::workgroupSize <=
            DeviceProfile::workgroupMemory)
      tile.vectors = vectors;
  };
  int64_t inner = 1;
  for (int64_t size : llvm::reverse(type.getShape())) {
    inner *= size;
    if (inner > maxElements)
      break;
    divideBy(size);
  }
  for (Operation &nested : *op.getBody()) {
    APInt divisor;
    if (isa<arith::DivUIOp, arith::RemUIOp>(nested) &&
        nested.getOperand(1).getType().isIndex() &&
        matchPattern(nested.getOperand(1), m_ConstantInt(&divisor)))
      divideBy(divisor.getZExtValue());
  }
  if (tile.vectors == 1 || !placement.strips.empty() ||
      numVectors % tile.vectors ||
      numVectors / tile.vectors < DeviceProfile::enoughThreads)
    return std::nullopt;
  return tile;
}

/// Where rows are no whole vectors, the elements that a vector has in one row
/// and in the next have all coordinates but one in common. That is for elements
/// that are only moved: a body is built for both rows.
bool Launch::mayLookInBothRows() {
  return rowSize % packing.getCount() && rowSize >= packing.getCount() &&
         rowSize != type.getNumElements() && TileBuilder::isMove(op);
}

/// Where rows are no whole vectors, the elements of a vector that lies inside
/// of a row still have coordinates that differ by constants. Threads of their
/// own compute the vectors that may reach from one row into the next.
SmallVector<Tile> Launch::getParts() {
  int64_t count = packing.getCount();
  // The most elements that lie before a row's first whole vector.
  int64_t most = count - std::gcd(rowSize, count);
  Tile inside;
  inside.rowVectors = (rowSize - most) / count;
  if (most == 0 || inside.rowVectors < 1 || rowSize == type.getNumElements())
    return {};
  Tile across = inside;
  inside.part = Tile::Inside;
  across.part = Tile::Across;
  across.inBothRows = mayLookInBothRows();
  return {inside, across};
}

/// The elements of the dimensions that are one row.
int64_t Launch::getJoinedRowSize() const {
  return llvm::product_of(type.getShape().drop_front(joined->factors.size()));
}

int64_t Launch::getThreads() const {
  if (joined)
    return type.getNumElements() / getJoinedRowSize() /
           joined->getNumVectors() *
           llvm::divideCeil(getJoinedRowSize(), packing.getCount());
  if (tile.part == Tile::Whole)
    return numVectors / (tile.vectors * tile.rows);
  int64_t inside = type.getNumElements() / rowSize * tile.rowVectors;
  return tile.part == Tile::Inside ? inside : numVectors - inside;
}

/// The position in the output of vector `number` of the thread's row `row`.
LinearForm Launch::getPosition(ImplicitLocOpBuilder &b, IndexForms &forms,
                               int64_t row, int64_t number) {
  int64_t count = packing.getCount();
  LinearForm vector = forms.mul(b, forms.getThread(), tile.vectors);
  if (tile.part == Tile::Across) {
    // The first n rows have n * others / count, rounded up, each row's after
    // those inside of it.
    int64_t others = rowSize - tile.rowVectors * count;
    LinearForm rows =
        forms.divide(b, forms.mul(b, vector, count), others).first;
    vector = forms.add(b, vector,
                       forms.mul(b, forms.add(b, rows, 1), tile.rowVectors));
  } else if (tile.part == Tile::Inside || tile.rows > 1) {
    auto [rows, column] = forms.divide(b, vector, tile.rowVectors);
    rows = forms.add(b, forms.mul(b, rows, tile.rows), row);
    LinearForm first = forms.mul(b, rows, rowSize);
    // From a row's start to the next multiple of a vector.
    LinearForm ahead = forms.mul(b, rows, llvm::mod(-rowSize, count));
    first = forms.add(b, first, forms.divide(b, ahead, count).second);
    return forms.add(b, first,
                     forms.mul(b, forms.add(b, column, number), count));
  }
  return forms.mul(b, forms.add(b, vector, number), count);
}

/// The coordinates of the element at `position` of the output.
SmallVector<LinearForm> Launch::getCoordinates(ImplicitLocOpBuilder &b,
                                               IndexForms &forms,
                                               LinearForm position) {
  SmallVector<LinearForm> coordinates(type.getRank());
  const auto *outermost =
      llvm::find_if(type.getShape(), [](int64_t size) { return size > 1; });
  if (outermost == type.getShape().end())
    return coordinates;
  int64_t first = outermost - type.getShape().begin();
  for (int64_t dim = type.getRank() - 1; dim >= first; --dim) {
    int64_t size = type.getDimSize(dim), stride = 1;
    if (dim == rowDim && rowSize < size) {
      std::tie(position, coordinates[dim]) = forms.divide(b, position, rowSize);
      stride = rowSize;
    }
    LinearForm digit;
    // Lanes after the last element compute another element once more.
    if (dim == first)
      digit = forms.min(b, position, size / stride - 1);
    else
      std::tie(position, digit) = forms.divide(b, position, size / stride);
    coordinates[dim] =
        forms.add(b, coordinates[dim], forms.mul(b, digit, stride));
  }
  return coordinates;
}

/// Element `lane` of a vector whose first has the coordinates `here` and is at
/// `column` of its row, looked up in that row and in the one that begins at
/// `next`. Nothing if it cannot be chosen so.
std::optional<Scalar> Launch::buildInBothRows(ImplicitLocOpBuilder &b,
                                              IndexForms &forms,
                                              TileBuilder &builder,
                                              SmallVector<LinearForm> here,
                                              SmallVector<LinearForm> next,
                                              LinearForm column, int64_t lane) {
  here[rowDim] = forms.add(b, here[rowDim], lane);
  LinearForm beyond = forms.add(b, column, lane - rowSize);
  std::optional<bool> isNext = forms.isNonNegative(beyond);
  if (isNext == false)
    return builder.buildElement(here);
  next[rowDim] = forms.add(b, next[rowDim], beyond);
  if (isNext == true)
    return builder.buildElement(next);
  return builder.chooseMoved(beyond, next, here);
}

/// How often the body of `loop` runs, about.
static double countIterations(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count ? count->roundToDouble() : 1;
}

/// How many operations of a device those of `block` become, about.
static double countOperations(Block *block) {
  double count = 0;
  for (Operation &op : *block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      count += countIterations(loop) * countOperations(loop.getBody());
      continue;
    }
    APInt divisor;
    bool divides = isa<arith::DivUIOp, arith::RemUIOp>(op) &&
                   matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) &&
                   !divisor.isPowerOf2();
    // Divisions by constants are multiplications, shifts and additions.
    count += divides ? 4 : 1;
  }
  return count;
}

/// How many loads a thread runs that runs `block`.
static double countLoads(Block *block) {
  double count = 0;
  for (Operation &op : *block) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      count += countIterations(loop) * countLoads(loop.getBody());
    else
      count += isa<memref::LoadOp>(op);
  }
  return count;
}

/// Builds what a thread of the joined tile computes and stores.
void Launch::buildJoinedTile(ImplicitLocOpBuilder &b, IndexForms &forms,
                             TileBuilder &builder, Value output) {
  int64_t count = packing.getCount(), rank = type.getRank();
  auto numOuter = static_cast<int64_t>(joined->factors.size());
  int64_t rowVectors = llvm::divideCeil(getJoinedRowSize(), count);
  LinearForm rows, column = forms.getThread();
  if (numOuter > 0)
    std::tie(rows, column) = forms.divide(b, column, rowVectors);
  // The first coordinates of the block.
  SmallVector<LinearForm> first(numOuter);
  for (int64_t dim = numOuter; dim-- > 0;) {
    int64_t factor = joined->factors[dim];
    LinearForm digit = rows;
    if (dim > 0)
      std::tie(rows, digit) =
          forms.divide(b, rows, type.getDimSize(dim) / factor);
    first[dim] = forms.mul(b, digit, factor);
  }

  SmallVector<LinearForm> places;
  SmallVector<SmallVector<LinearForm>> coordinates;
  for (int64_t i = 0, e = joined->getNumVectors(); i < e; ++i) {
    SmallVector<LinearForm> outer = first;
    LinearForm place = 0;
    int64_t rest = i;
    for (int64_t dim = numOuter; dim-- > 0;) {
      int64_t factor = joined->factors[dim];
      outer[dim] = forms.add(b, outer[dim], rest % factor);
      rest /= factor;
    }
    for (int64_t dim = 0; dim < numOuter; ++dim)
      place =
          forms.add(b, forms.mul(b, place, type.getDimSize(dim)), outer[dim]);
    places.push_back(forms.add(b, forms.mul(b, place, rowVectors), column));
    for (int64_t lane = 0; lane < count; ++lane) {
      LinearForm position = forms.add(b, forms.mul(b, column, count), lane);
      if (numOuter == 0) {
        coordinates.push_back(getCoordinates(b, forms, position));
        continue;
      }
      SmallVector<LinearForm> element(rank);
      llvm::copy(outer, element.begin());
      for (int64_t dim = rank; dim-- > numOuter + 1;)
        std::tie(position, element[dim]) =
            forms.divide(b, position, type.getDimSize(dim));
      element[numOuter] = position;
      coordinates.push_back(std::move(element));
    }
  }
  SmallVector<Scalar> elements = builder.buildElements(coordinates);
  for (auto [i, place] : llvm::enumerate(places))
    memref::StoreOp::create(
        b, builder.pack(packing, ArrayRef(elements).slice(i * count, count)),
        output,
        forms.materialize(b,
                          getPlace(forms, b, placement, place, packing.bytes)));
}

/// Builds what one thread computes and stores, or a part of it that has more
/// than `maxOperations`.
void Launch::buildTile(ImplicitLocOpBuilder &b, IndexForms &forms,
                       BufferViews &views, double maxOperations) {
  TileBuilder builder(b, op, forms, views);
  Value output =
      views.getVectors(b, views.getRoot(b, op.getOutputs().front()), packing);
  if (joined)
    return buildJoinedTile(b, forms, builder, output);
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t number = 0; number < tile.vectors; ++number) {
      LinearForm position = getPosition(b, forms, row, number);
      SmallVector<Scalar> elements;
      SmallVector<LinearForm> here, next;
      LinearForm column;
      if (tile.inBothRows) {
        LinearForm numberOfRow;
        std::tie(numberOfRow, column) = forms.divide(b, position, rowSize);
        LinearForm nextRow = forms.add(b, numberOfRow, 1);
        here = getCoordinates(b, forms, position);
        next = getCoordinates(b, forms, forms.mul(b, nextRow, rowSize));
      }
      for (int64_t lane = 0; lane < packing.getCount(); ++lane) {
        std::optional<Scalar> element;
        if (!here.empty())
          element =
              buildInBothRows(b, forms, builder, here, next, column, lane);
        if (!element)
          element = builder.buildElement(
              getCoordinates(b, forms, forms.add(b, position, lane)));
        elements.push_back(*element);
      }
      if (countOperations(b.getBlock()) > maxOperations)
        return;
      Value place =
          staging
              ? b.createOrFold<arith::AddIOp>(
                    firstStaged,
                    arith::ConstantIndexOp::create(b, number).getResult())
              : forms.materialize(
                    b, getPlace(
                           forms, b, placement,
                           forms.divide(b, position, packing.getCount()).first,
                           packing.bytes));
      memref::StoreOp::create(b, builder.pack(packing, elements),
                              staging ? staging : output, place);
    }
  }
}

/// An interior that parts no more of the groups is taken more readily: what
/// decides between the paths then counts with the general one.
static constexpr double lowDivergence = 0.25;

/// What was built between `thread` and `end` is for any thread. Builds a second
/// path for those that nothing needs clamping for, if that pays, and returns
/// how many operations a thread then runs, on average. Sets `divergence` to the
/// least `maxDivergence` that has the same outcome.
std::optional<double>
Launch::buildInterior(ImplicitLocOpBuilder &b, IndexForms &forms,
                      BufferViews &views, Value thread, Operation *end,
                      double maxDivergence, double &divergence) {
  divergence = 0;
  IndexForms::Box undecided = forms.getInterior(maxDivergence);
  if (undecided.empty())
    return std::nullopt;
  // Where nothing clamps them, narrow elements that are moved are loaded in
  // words: reflected padding of f16 went from 0.95 to 0.97 of a copy's rate on
  // an H100, and that of f32, with as few operations saved, from 1.00 to 0.99.
  double worthwhile =
      packing.bits < 32 && TileBuilder::isMove(op) ? 0.85 : 0.62;
  b.setInsertionPointAfterValue(thread);
  Value any = arith::ConstantIntOp::create(b, b.getI1Type(), true);
  auto choice = scf::IfOp::create(b, any, /*withElseRegion=*/true);
  Block *block = end->getBlock();
  Block *interior = choice.thenBlock(), *general = choice.elseBlock();
  general->getOperations().splice(general->begin(), block->getOperations(),
                                  std::next(Block::iterator(choice)),
                                  Block::iterator(end));

  Block::iterator condition(any.getDefiningOp());
  auto countCondition = [&] {
    return static_cast<double>(
        std::distance(condition, Block::iterator(choice)));
  };

  IndexForms entry = forms.getUnbuilt();
  IndexForms::Box box;
  double outside = 0;
  do {
    for (auto [atom, range] : undecided)
      box[atom] = range;
    // What is outside of an interior is outside of smaller ones, too.
    outside = forms.getDivergence(box);
    if (outside > worthwhile)
      break;
    b.setInsertionPoint(choice);
    choice.getConditionMutable().assign(entry.buildIsInside(b, box));
    interior->clear();
    b.setInsertionPointToEnd(interior);
    IndexForms narrowed = entry.getNarrowed(b, box);
    // No more than what may pay: comparisons that are undecided show early.
    buildTile(b, narrowed, views,
              (worthwhile - outside) *
                  (countOperations(general) + countCondition()));
    scf::YieldOp::create(b);
    // What is still undecided makes for a smaller interior.
    undecided = narrowed.getInterior(maxDivergence);
  } while (!undecided.empty());

  for (const auto &bounds : box)
    divergence = std::max(divergence, forms.getDivergence({bounds}));
  double operations = countOperations(general);
  if (divergence <= lowDivergence)
    operations += countCondition();
  // Groups of threads with some outside run both.
  double cost = countOperations(interior) + outside * operations;
  if (cost <= worthwhile * operations)
    return cost;
  general->getTerminator()->erase();
  block->getOperations().splice(Block::iterator(end), general->getOperations());
  // The choice goes, with what its condition took.
  Block discarded;
  discarded.getOperations().splice(discarded.end(), block->getOperations(),
                                   condition,
                                   std::next(Block::iterator(choice)));
  return std::nullopt;
}

/// Builds what the current tile's threads compute, of `count` that come, before
/// `end`. If they run more than `maxGeneral`, it stays in pieces.
Cost Launch::buildPart(ImplicitLocOpBuilder &b, BufferViews &views,
                       Value thread, int64_t count, double maxGeneral,
                       Operation *end) {
  int64_t threads = getThreads();
  b.setInsertionPoint(end);
  if (count != threads) {
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                              arith::ConstantIndexOp::create(b, threads));
    auto guard = scf::IfOp::create(b, inside);
    b.setInsertionPointToStart(guard.thenBlock());
    // What range analysis cannot learn from the condition.
    thread = arith::MinUIOp::create(
        b, thread, arith::ConstantIndexOp::create(b, threads - 1));
    end = guard.thenBlock()->getTerminator();
  }
  IndexForms forms(thread, threads);
  auto numThreads = static_cast<double>(threads);
  buildTile(b, forms, views, maxGeneral / numThreads);
  Cost cost;
  cost.general = countOperations(end->getBlock()) * numThreads;
  cost.average = cost.general;
  cost.loads = countLoads(end->getBlock()) * numThreads;
  if (cost.general > maxGeneral)
    return cost;
  // Where the larger interior does not pay, one without the dimensions that
  // run across groups of threads may.
  double divergence = 1;
  for (double maxDivergence : {0.6, lowDivergence}) {
    if (!mayHaveInterior || divergence <= maxDivergence)
      break;
    if (auto interior = buildInterior(b, forms, views, thread, end,
                                      maxDivergence, divergence)) {
      cost.average = *interior * numThreads;
      break;
    }
  }
  return cost;
}

/// Makes room for the vectors of a workgroup, whose thread `local` this is.
void Launch::buildStaging(ImplicitLocOpBuilder &b, Value local) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  staging = memref::AllocOp::create(
      b, MemRefType::get({tile.vectors * DeviceProfile::workgroupSize},
                         packing.getVectorType(), AffineMap(), space));
  firstStaged = arith::MulIOp::create(
      b, local, arith::ConstantIndexOp::create(b, tile.vectors));
}

/// Stores the vectors of a workgroup, in their order: those of neighbouring
/// threads lie side by side.
void Launch::storeStaged(ImplicitLocOpBuilder &b, BufferViews &views,
                         Value group, Value local, bool mayExceed) {
  Value output = views.getVectors(b, op.getOutputs().front(), packing);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  gpu::BarrierOp::create(b);
  Value first = arith::MulIOp::create(
      b, group, constant(tile.vectors * DeviceProfile::workgroupSize));
  for (int64_t i = 0; i < tile.vectors; ++i) {
    Value place = b.createOrFold<arith::AddIOp>(
        local, constant(i * DeviceProfile::workgroupSize));
    Value position = arith::AddIOp::create(b, first, place);
    OpBuilder::InsertionGuard restore(b);
    if (mayExceed) {
      Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                           position, constant(numVectors));
      b.setInsertionPointToStart(scf::IfOp::create(b, inside).thenBlock());
    }
    memref::StoreOp::create(b, memref::LoadOp::create(b, staging, place),
                            output, position);
  }
}

GroupedLaunch dml::createLaunch(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                                int64_t groups) {
  int64_t grid[3] = {groups, 1, 1};
  for (int dim = 0; dim < 2; ++dim) {
    grid[dim + 1] =
        llvm::divideCeil(grid[dim], DeviceProfile::maxWorkgroupCount);
    grid[dim] = llvm::divideCeil(grid[dim], grid[dim + 1]);
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value one = constant(1);
  auto launch = gpu::LaunchOp::create(
      b, constant(grid[0]), constant(grid[1]), constant(grid[2]),
      constant(DeviceProfile::workgroupSize), one, one);
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
  Operation *end = gpu::TerminatorOp::create(b);
  b.setInsertionPoint(end);
  return {launch, linear, grid[0] * grid[1] * grid[2], end};
}

/// Builds a launch of `parts`, one or two. If its threads run more than
/// `maxGeneral`, it stays in pieces.
Cost Launch::buildLaunch(Block &block, ArrayRef<Tile> parts,
                         double maxGeneral) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  b.setInsertionPointToEnd(&block);
  // Workgroups of each part. Those of two parts take turns, so that what they
  // share is still in a cache: after so many rows both are whole workgroups.
  SmallVector<int64_t> counts;
  for (const Tile &part : parts) {
    tile = part;
    counts.push_back(
        llvm::divideCeil(getThreads(), DeviceProfile::workgroupSize));
  }
  int64_t turns = 1;
  if (parts.size() == 2) {
    turns = llvm::divideCeil(type.getNumElements() / rowSize,
                             DeviceProfile::workgroupSize * packing.getCount());
    if (turns > 1) {
      counts[0] = parts.front().rowVectors * packing.getCount();
      counts[1] = rowSize - counts[0];
    }
  }
  int64_t groups =
      turns * std::accumulate(counts.begin(), counts.end(), int64_t{0});
  auto [launch, linear, allGroups, end] = createLaunch(b, op, groups);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value local = launch.getThreadIds().x;
  auto getThread = [&](Value group) {
    return linearize(b, group, DeviceProfile::workgroupSize, local);
  };

  BufferViews views(launch);
  if (parts.size() == 1) {
    tile = parts.front();
    b.setInsertionPoint(end);
    if (!joined)
      linear = orderByPeriod(b, linear);
    if (tile.vectors > 1)
      buildStaging(b, local);
    int64_t count = allGroups * DeviceProfile::workgroupSize;
    Cost cost = buildPart(b, views, getThread(linear), count, maxGeneral, end);
    if (tile.vectors > 1) {
      b.setInsertionPoint(end);
      storeStaged(b, views, linear, local, count != getThreads());
      staging = Value();
    }
    return cost;
  }
  b.setInsertionPoint(end);
  int64_t each = counts[0] + counts[1];
  Value turn = constant(0), place = linear;
  if (turns > 1)
    std::tie(turn, place) = delinearize(b, linear, each);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, place,
                                        constant(counts[0]));
  auto choice = scf::IfOp::create(b, isFirst, /*withElseRegion=*/true);
  Cost cost;
  for (int64_t i : {0, 1}) {
    Block *path = i ? choice.elseBlock() : choice.thenBlock();
    b.setInsertionPointToStart(path);
    // What range analysis cannot learn from the condition.
    Value own =
        i ? arith::SubIOp::create(
                b, arith::MaxUIOp::create(b, place, constant(counts[0])),
                constant(counts[0]))
                .getResult()
          : arith::MinUIOp::create(b, place, constant(counts[0] - 1))
                .getResult();
    tile = parts[i];
    int64_t most = llvm::divideCeil(allGroups, each) * counts[i];
    Cost ofPart =
        buildPart(b, views, getThread(linearize(b, turn, counts[i], own)),
                  most * DeviceProfile::workgroupSize,
                  maxGeneral - cost.general, path->getTerminator());
    cost.general += ofPart.general;
    cost.loads += ofPart.loads;
    cost.average += ofPart.average;
  }
  return cost;
}

/// Sums that a thread may carry through a loop: with what it loads for them,
/// these fit the registers that every device has for a thread (128).
static constexpr int64_t maxCarried = 32;
/// Independent operations of a thread that do as much as threads to fill a
/// device.
static constexpr int64_t maxIndependent = 4;

/// Builds a body with loops: which elements a thread has decides how often what
/// they load is used. One element of a matrix product takes two loads for each
/// product; 4 rows of 4 elements, one eighth of that. Begins with one vector,
/// and doubles the tile in the dimension that gains most until none gains.
void Launch::buildJoined() {
  // The path without clamping is no other for each tile.
  mayHaveInterior = false;
  struct Candidate {
    LoopTile tile;
    double time = HUGE_VAL;
  } best;
  auto choose = [&](const LoopTile &loopTile) {
    joined = loopTile;
    packing = Packing(type.getElementType(), loopTile.bytes);
  };
  // The time that a tile takes, in operations of a filled device.
  auto consider = [&](const LoopTile &loopTile) -> Candidate {
    choose(loopTile);
    Block block;
    Cost cost = buildLaunch(block, Tile(), HUGE_VAL);
    double time = cost.general + (operationsPerLoad - 1) * cost.loads;
    int64_t independent =
        std::min(loopTile.getNumVectors() * packing.getCount(), maxIndependent);
    return {
        loopTile,
        time *
            std::max(1.0, static_cast<double>(DeviceProfile::enoughThreads) /
                              static_cast<double>(getThreads() * independent))};
  };
  // Vectors of each size in rows of as few dimensions as hold whole ones, or
  // in one row of all.
  int64_t rank = type.getRank();
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  for (int64_t bytes = getMaxBytes(); bytes >= elementBytes; bytes /= 2) {
    if (bytes < 4 && bytes != elementBytes)
      continue;
    int64_t count = bytes / elementBytes, inner = 1, numOuter = rank;
    while (numOuter > 0 && (numOuter == rank || inner % count != 0))
      inner *= type.getDimSize(--numOuter);
    Candidate vector = consider({bytes, SmallVector<int64_t>(numOuter, 1)});
    while (true) {
      Candidate next;
      for (int64_t dim = 0; dim < numOuter; ++dim) {
        LoopTile larger = vector.tile;
        larger.factors[dim] *= 2;
        if (type.getDimSize(dim) % larger.factors[dim] ||
            larger.getNumVectors() * count > maxCarried)
          continue;
        Candidate candidate = consider(larger);
        if (candidate.time < next.time)
          next = candidate;
      }
      // More elements need more registers, so that a gain has to show.
      if (next.time > 0.95 * vector.time)
        break;
      vector = next;
    }
    if (vector.time < 0.95 * best.time)
      best = vector;
  }
  // A second path for threads that nothing needs clamping for.
  mayHaveInterior = true;
  choose(best.tile);
  Block block;
  buildLaunch(block, Tile(), HUGE_VAL);
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations());
  op.erase();
}

void Launch::build(double minOpsPerByte) {
  if (TileBuilder::hasLoops(op))
    return buildJoined();
  Block blocks[6], *best = blocks;
  numVectors = llvm::divideCeil(type.getNumElements(), packing.getCount());
  for (int64_t dim = type.getRank() - 1; dim >= 0 && numRows == 1; --dim) {
    int64_t size = type.getDimSize(dim);
    if (rowSize > 1)
      numRows = size;
    else
      std::tie(rowSize, rowDim) = std::tie(size, dim);
  }
  findPeriod();
  Tile plain = getPlainTile();
  const Cost ofPlain = buildLaunch(blocks[0], plain, HUGE_VAL);
  Cost cost = ofPlain;
  // It takes long to find out, and does not depend on the tile much.
  mayHaveInterior = ofPlain.average < ofPlain.general;
  // Takes what has no more than a share of the best so far. What has more
  // without an interior is not built to its end.
  auto consider = [&](Block &block, ArrayRef<Tile> parts, double operations,
                      double loads = HUGE_VAL) {
    double maxGeneral = operations * ofPlain.general;
    Cost other = buildLaunch(block, parts, maxGeneral);
    if (other.general > maxGeneral ||
        other.average > operations * cost.average ||
        other.loads > loads * cost.loads)
      return false;
    best = &block;
    cost = other;
    return true;
  };
  if (mayLookInBothRows()) {
    Tile inBothRows;
    inBothRows.inBothRows = true;
    consider(blocks[1], inBothRows, 0.875);
  }
  // More rows share more, and take registers and room for code: on an H100 the
  // winners of 3 x 3 windows at stride 1 gain where 8 rows save a seventh,
  // those at stride 2, which read elements less often, lose where 4 save a
  // tenth. Where memory is what a kernel waits for, a second row has to be the
  // same as the first: nearest x2 of f32, where it saves 0.6, gains a
  // hundredth, and tile, where it saves 0.3, loses one.
  double opsPerByte = cost.average / static_cast<double>(getTraffic());
  bool waits = opsPerByte >= minOpsPerByte / 2;
  if (waits ? plain.rows > 1 : plain.rows == 1 && plain.rowVectors > 1) {
    std::optional<Tile> taller = getTaller(plain);
    for (Block &block : MutableArrayRef(blocks).slice(2, 2)) {
      if (!taller || !consider(block, *taller, waits ? 0.875 : 0.45))
        break;
      taller = getTaller(*taller);
    }
  }
  if (std::optional<Tile> grouped = getGroupedTile())
    consider(blocks[4], *grouped, 0.75);
  // Of two parts, threads store less side by side. On an H100 that pays where a
  // kernel waits for its operations: scale 2 of odd rows of f16, with 17 for a
  // byte that is read or written, went from 0.48 to 0.81 of a copy's rate, but
  // padding of rank 8 of f32, with 13, from 0.88 to 0.68. It pays as well where
  // words are loaded and not their parts: tile of 8 bits went from 0.81 to
  // 0.87, but padding, which loads no fewer, from 0.94 to 0.83.
  if (SmallVector<Tile> parts = getParts(); !parts.empty())
    consider(blocks[5], parts, 0.75,
             opsPerByte >= minOpsPerByte ? HUGE_VAL : 0.7);
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         best->getOperations());
  op.erase();
}

namespace {
struct DistributeToWorkgroups
    : dml::impl::DistributeToWorkgroupsBase<DistributeToWorkgroups> {
  using DistributeToWorkgroupsBase::DistributeToWorkgroupsBase;

  void runOnOperation() override {
    std::vector<Launch> launches;
    struct Chosen {
      linalg::GenericOp op;
      Contraction contraction;
      ContractionTile tile;
    };
    std::vector<Chosen> contractions;
    WalkResult result = getOperation().walk([&](linalg::GenericOp op) {
      std::optional<ContractionTile> tile;
      if (Attribute attribute = op->getAttr(kernelAttrName))
        if (std::optional<KernelChoice> choice = KernelChoice::get(attribute))
          tile = choice->tile;
      if (tile) {
        std::optional<Contraction> contraction = Contraction::match(op);
        std::string problem = contraction ? findTileProblem(*contraction, *tile)
                                          : "stands on no contraction";
        if (!problem.empty()) {
          op.emitOpError("has a contraction_tile that ") << problem;
          return WalkResult::interrupt();
        }
        contractions.push_back({op, *contraction, *tile});
        return WalkResult::advance();
      }
      Launch launch(op);
      launches.push_back(launch);
      return WalkResult(launch.verify());
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Launch &launch : launches)
      launch.build(minOpsPerByte);
    for (const Chosen &chosen : contractions)
      buildContractionKernel(chosen.op, chosen.contraction, chosen.tile);
  }
};
} // namespace
