//===- MapKernel.cpp - Kernels that compute by coordinates ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/MapKernel.h"
#include "Analysis/ElementMap.h"
#include "Analysis/NewRows.h"
#include "Emit/Launch.h"
#include "Emit/TileBuilder.h"
#include "Emit/VectorPacker.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfile.h"
#include "dml/Target/MapCosts.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::string dml::findMapProblem(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics())
    return "wants buffers to be distributed to workgroups";
  if (!mapsElements(op))
    return "wants no inputs and one output under an identity map, with "
           "parallel iterators, to be distributed to workgroups";
  if (readsOutput(op) && TileBuilder::hasLoops(op))
    return "wants no loops in a body that reads the output, to be distributed "
           "to workgroups";
  auto type = dyn_cast<MemRefType>(op.getOutputs().front().getType());
  if (type && type.hasStaticShape() && type.getLayout().isIdentity())
    return "";
  std::string problem;
  llvm::raw_string_ostream(problem)
      << "wants a packed output of static shape, but it is '"
      << op.getOutputs().front().getType() << "'";
  return problem;
}

MapTile dml::getPlainTile(linalg::GenericOp op) {
  MapTile tile;
  if (TileBuilder::hasLoops(op)) {
    tile.vectorBytes = getMaxVectorBytes(op);
    tile.mode = LoopBlock{getUnitBlock(op, tile.vectorBytes)};
  } else {
    tile.vectorBytes = getVectorBytes(op);
  }
  return tile;
}

/// The largest number of elements that a thread computes. The thread's code is
/// unrolled over its elements, and drivers take long to compile longer code.
static constexpr int64_t maxThreadElements = 256;

static std::string findTurnsProblem(linalg::GenericOp op, const MapTile &tile);

namespace {
/// Checks the mode of a map kernel's tile for an operation without loops. The
/// mode states how the vectors of the output are distributed to threads. The
/// operator for each mode returns the reason why the operation cannot have the
/// mode, or an empty text if it can.
struct ModeProblem {
  linalg::GenericOp op;
  int64_t vectorBytes;
  RowShape rows;

  std::string operator()(const SingleVectors &single);
  std::string operator()(const ConsecutiveVectors &own);
  std::string operator()(const VectorsOfRows &own);
  std::string operator()(const InsideVectors &inside);
  std::string operator()(const LoopBlock &) {
    return "has a block, which is for a body with loops";
  }
  std::string operator()(const CrosswiseTile &) {
    return "is crosswise, which is for a kernel of its own";
  }
};
} // namespace

std::string ModeProblem::operator()(const SingleVectors &single) {
  if (single.steps > 1 && readsOutput(op))
    return "has several steps, which are for a body that does not read the "
           "output";
  if (single.inBothRows && !mayLookInBothRows(op, rows))
    return "has in_both_rows, which wants elements that are only moved, and "
           "rows of several vectors that are not whole";
  if (single.isSplit && !rows.canBeSplit())
    return "has split, which wants several rows that are not whole vectors, "
           "with a vector inside of each";
  return "";
}

std::string ModeProblem::operator()(const ConsecutiveVectors &own) {
  if (own.vectors == 1)
    return "";
  if (readsOutput(op))
    return "has several vectors, which are for a body that does not read the "
           "output";
  int64_t bytes = own.vectors * vectorBytes * DeviceProfile::workgroupSize;
  if (rows.getNumVectors() % own.vectors ||
      bytes > DeviceProfile::workgroupMemory)
    return llvm::formatv(
        "has {0} vectors, but wants a divisor of the output's {1}, with at "
        "most {2} bytes of workgroup memory",
        own.vectors, rows.getNumVectors(), DeviceProfile::workgroupMemory);
  std::optional<Placement> placement = getPlacement(op.getOutputs().front());
  if (placement && !placement->strips.empty())
    return "has several vectors, but the output is a part of a buffer";
  return "";
}

std::string ModeProblem::operator()(const VectorsOfRows &own) {
  if (own.rows == 1 || (rows.hasSeveralRows() && rows.hasWholeVectors() &&
                        rows.perPlane % own.rows == 0))
    return "";
  return llvm::formatv("has {0} rows, but wants a divisor of the {1} rows of "
                       "a plane, and rows of whole vectors",
                       own.rows, rows.perPlane);
}

std::string ModeProblem::operator()(const InsideVectors &inside) {
  int64_t ofRow = rows.hasWholeVectors() ? rows.getInsideVectors() : 0;
  if (rows.hasSeveralRows() && inside.first + inside.count <= ofRow &&
      inside.count != ofRow)
    return "";
  return llvm::formatv("has {0} vectors inside from {1} on, but wants fewer "
                       "than the {2} of a row of whole vectors",
                       inside.count, inside.first, ofRow);
}

/// Returns the reason why a thread cannot compute the block `block` of the
/// output of `op`, whose body has loops, in vectors of `count` elements.
/// Returns an empty text if it can.
static std::string findBlockProblem(linalg::GenericOp op,
                                    ArrayRef<int64_t> block, int64_t count) {
  MemRefType type = getOutputType(op);
  auto outer = static_cast<int64_t>(block.size());
  if (outer > std::max<int64_t>(type.getRank() - 1, 0) ||
      (outer > 0 &&
       llvm::product_of(type.getShape().drop_front(outer)) % count))
    return llvm::formatv("has a block of {0} dimensions, but what they leave "
                         "of the output is no row of whole vectors",
                         outer);
  for (auto [dim, factor] : llvm::enumerate(block))
    if (type.getDimSize(dim) % factor)
      return llvm::formatv("has {0} elements of dimension {1}, but wants a "
                           "divisor of {2}",
                           factor, dim, type.getDimSize(dim));
  return "";
}

/// Returns the reason why a thread cannot compute as many vectors of `count`
/// elements as `tile` requests, or an empty text if it can.
static std::string findSizeProblem(const MapTile &tile, int64_t count) {
  SmallVector<int64_t> factors;
  if (const LoopBlock *block = tile.getBlock())
    factors = block->factors;
  factors.append({tile.getVectors(), tile.getRows(), tile.getSteps()});
  int64_t vectors = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(vectors, factor, vectors) ||
        vectors > maxThreadElements / count)
      return llvm::formatv("has more than {0} elements", maxThreadElements);
  size_t numParts = tile.hasParts() ? 2 : 1;
  if (!tile.interior.empty() && tile.interior.size() != numParts)
    return llvm::formatv("has {0} numbers in interior, but wants {1}",
                         tile.interior.size(), numParts);
  return "";
}

std::string dml::findTileProblem(linalg::GenericOp op, const MapTile &tile) {
  int64_t elementBytes = getOutputType(op).getElementTypeBitWidth() / 8;
  int64_t maxBytes = getMaxVectorBytes(op);
  if (tile.vectorBytes != elementBytes &&
      (tile.vectorBytes < std::max<int64_t>(elementBytes, 4) ||
       tile.vectorBytes > maxBytes || !llvm::isPowerOf2_64(tile.vectorBytes)))
    return llvm::formatv(
        "has vector_bytes {0}, but wants {1}, or a power of two from {2} to "
        "{3}",
        tile.vectorBytes, elementBytes, std::max<int64_t>(elementBytes, 4),
        maxBytes);
  int64_t count = tile.vectorBytes / elementBytes;
  std::string problem = findSizeProblem(tile, count);
  if (!problem.empty())
    return problem;
  if (TileBuilder::hasLoops(op)) {
    if (!tile.getBlock())
      return "has no block, which a body with loops wants";
    if (tile.turns)
      return "has turns, which are for a body without loops";
    return findBlockProblem(op, tile.getBlock()->factors, count);
  }
  problem = std::visit(
      ModeProblem{op, tile.vectorBytes, RowShape::get(op, count)}, tile.mode);
  return problem.empty() ? findTurnsProblem(op, tile) : problem;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
/// The part of the output that a group of threads computes: all vectors, only
/// the vectors that lie inside of rows, or only the vectors that may cross the
/// end of a row.
enum class Part { Whole, Inside, Across };

/// A linalg.generic with the tile of its threads, and values derived from both.
struct MapKernel {
  MapKernel(linalg::GenericOp op, const MapTile &tile)
      : op(op), output(op.getOutputs().front()), tile(tile),
        type(getOutputType(op)),
        packing(type.getElementType(), tile.vectorBytes),
        rows(tile.getBlock() ? RowShape()
                             : RowShape::get(op, packing.getCount())) {
    const auto *single = std::get_if<SingleVectors>(&tile.mode);
    if (single && single->steps == 1 && !single->inBothRows &&
        !single->isSplit && !tile.turns && tile.interior.empty())
      newRows = NewRows::find(op, packing.getCount());
  }

  /// For a tile with a block (LoopBlock), returns the number of elements in a
  /// row of the output. The block has several elements along each of the outer
  /// dimensions. The remaining, inner dimensions together form a row, of which
  /// the block has one vector. For a block of 2 by 2 in an output of 8 x 8 x 6
  /// x 4 elements, the function returns 6 * 4 = 24.
  int64_t getBlockRowSize() const {
    return llvm::product_of(
        type.getShape().drop_front(tile.getBlock()->factors.size()));
  }
  /// Returns the number of vectors that a workgroup computes in all steps of
  /// its threads: with 2 steps, 128 threads compute 256 vectors.
  int64_t getStepVectors() const {
    return DeviceProfile::workgroupSize * tile.getSteps();
  }
  /// Returns how many vectors of each row the threads of Part::Inside compute.
  /// If rows consist of whole vectors, these vectors are those that need no
  /// clamping according to the tile's InsideVectors, such as 6 of 8. Otherwise,
  /// they are all vectors that lie inside of a row, and Part::Across has the
  /// vectors that cross the end of a row (SingleVectors::isSplit).
  int64_t getInsideVectors() const {
    return tile.getInside() ? tile.getInside()->count : rows.getInsideVectors();
  }
  bool looksInBothRows(Part part) const {
    return tile.looksInBothRows() && part != Part::Inside;
  }
  int64_t getNumThreads(Part part) const;
  LinearForm getVector(ImplicitLocOpBuilder &b, IndexForms &forms,
                       int64_t step) const;
  LinearForm getPosition(ImplicitLocOpBuilder &b, IndexForms &forms, Part part,
                         LinearForm vector, int64_t row, int64_t number) const;
  SmallVector<LinearForm> getCoordinates(ImplicitLocOpBuilder &b,
                                         IndexForms &forms,
                                         LinearForm position) const;
  std::optional<InsideVectors> findInside(ImplicitLocOpBuilder &b,
                                          IndexForms &forms, Part part) const;

  linalg::GenericOp op;
  Value output;
  MapTile tile;
  MemRefType type;
  Packing packing;
  RowShape rows;
  /// The rows that the body may replace, if it keeps all other rows of the
  /// output, as in the update of a cache. The kernel then has threads for these
  /// rows alone.
  std::optional<NewRows> newRows;
};
} // namespace

int64_t MapKernel::getNumThreads(Part part) const {
  if (newRows)
    return newRows->getNumElements(type) / packing.getCount();
  if (tile.getBlock())
    return type.getNumElements() / getBlockRowSize() /
           llvm::product_of(tile.getBlock()->factors) *
           llvm::divideCeil(getBlockRowSize(), packing.getCount());
  int64_t vectors = rows.getNumVectors();
  if (part != Part::Whole) {
    int64_t inside = rows.getNumRows() * getInsideVectors();
    vectors = part == Part::Inside ? inside : vectors - inside;
  }
  if (tile.getSteps() > 1)
    return llvm::divideCeil(vectors, getStepVectors()) *
           DeviceProfile::workgroupSize;
  return vectors / (tile.getVectors() * tile.getRows());
}

int64_t dml::getNumThreads(linalg::GenericOp op, const MapTile &tile) {
  return MapKernel(op, tile).getNumThreads(Part::Whole);
}

bool dml::launchesNewRows(linalg::GenericOp op, const MapTile &tile) {
  return MapKernel(op, tile).newRows.has_value();
}

/// Returns the index of the first vector that a thread computes in step `step`.
LinearForm MapKernel::getVector(ImplicitLocOpBuilder &b, IndexForms &forms,
                                int64_t step) const {
  if (tile.getSteps() == 1)
    return forms.mul(b, forms.getThread(), tile.getVectors());
  auto [group, local] =
      forms.divide(b, forms.getThread(), DeviceProfile::workgroupSize);
  LinearForm vector =
      forms.add(b, forms.mul(b, group, getStepVectors()), local);
  return forms.add(b, vector, step * DeviceProfile::workgroupSize);
}

/// Returns the position in the output of one of the vectors that a thread of
/// `part` computes. `vector` is the index of the thread's first vector, counted
/// among the vectors of the part. A thread may have vectors of several rows, or
/// several consecutive vectors. The wanted vector lies `row` rows below the
/// first one, and `number` vectors behind it.
LinearForm MapKernel::getPosition(ImplicitLocOpBuilder &b, IndexForms &forms,
                                  Part part, LinearForm vector, int64_t row,
                                  int64_t number) const {
  int64_t count = packing.getCount(), inside = getInsideVectors();
  if (part == Part::Across && tile.getInside()) {
    // Part::Across computes the vectors of a row that are not among the inside
    // vectors of the tile: first those in front of the inside vectors, then
    // those behind. If vectors 2 to 7 of 10 are inside, Part::Across has the
    // vectors 0, 1, 8 and 9 of each row, with the numbers 0 to 3.
    int64_t first = tile.getInside()->first;
    auto [place, column] =
        forms.divide(b, vector, rows.getInsideVectors() - inside);
    if (first == 0) {
      column = forms.add(b, column, inside);
    } else if (forms.getRange(column).max >= first) {
      LinearForm behind = forms.add(b, column, inside);
      Value isBefore = arith::CmpIOp::create(
          b, arith::CmpIPredicate::ult, forms.materialize(b, column),
          arith::ConstantIndexOp::create(b, first));
      column = forms.getOpaque(
          arith::SelectOp::create(b, isBefore, forms.materialize(b, column),
                                  forms.materialize(b, behind)),
          {0, rows.getInsideVectors() - 1});
    }
    return forms.add(b, forms.mul(b, place, rows.size),
                     forms.mul(b, column, count));
  }
  if (part == Part::Across) {
    // Part::Across computes the vectors that Part::Inside does not compute.
    // With rows of 9 elements and vectors of 4, four rows consist of the
    // vectors 0 to
    // 8. Part::Inside has one vector of each row: 0, 3, 5 and 7. Part::Across
    //    has the vectors 1, 2, 4, 6 and 8, and numbers them from 0 to 4.
    //
    // Of each row, Part::Across has `others` = 9 - 4 = 5 elements on average.
    // Its vector number v follows 4 v other elements of the part, and therefore
    // begins in row 4 v / 5. Part::Inside has one vector in this row and in
    // each row before, and all of them precede vector number v. Number 3, for
    // example, begins in row 2, and 3 vectors of Part::Inside precede it, so
    // that it is vector 3 + 3 = 6.
    int64_t others = rows.size - inside * count;
    LinearForm before =
        forms.divide(b, forms.mul(b, vector, count), others).first;
    vector =
        forms.add(b, vector, forms.mul(b, forms.add(b, before, 1), inside));
  } else if (part == Part::Inside || tile.getRows() > 1) {
    auto [place, column] = forms.divide(b, vector, inside);
    place = forms.add(b, forms.mul(b, place, tile.getRows()), row);
    LinearForm first = forms.mul(b, place, rows.size);
    // `ahead` becomes the distance from the beginning of the row to the next
    // whole vector.
    LinearForm ahead = forms.mul(b, place, llvm::mod(-rows.size, count));
    first = forms.add(b, first, forms.divide(b, ahead, count).second);
    if (tile.getInside())
      column = forms.add(b, column, tile.getInside()->first);
    return forms.add(b, first,
                     forms.mul(b, forms.add(b, column, number), count));
  }
  return forms.mul(b, forms.add(b, vector, number), count);
}

/// Returns the coordinates of the element at `position` of the output.
SmallVector<LinearForm> MapKernel::getCoordinates(ImplicitLocOpBuilder &b,
                                                  IndexForms &forms,
                                                  LinearForm position) const {
  SmallVector<LinearForm> coordinates(type.getRank());
  const auto *outermost =
      llvm::find_if(type.getShape(), [](int64_t size) { return size > 1; });
  if (outermost == type.getShape().end())
    return coordinates;
  int64_t first = outermost - type.getShape().begin();
  for (int64_t dim = type.getRank() - 1; dim >= first; --dim) {
    int64_t size = type.getDimSize(dim), stride = 1;
    if (dim == rows.dim && rows.size < size) {
      std::tie(position, coordinates[dim]) =
          forms.divide(b, position, rows.size);
      stride = rows.size;
    }
    LinearForm digit;
    // Lanes beyond the last element of the output compute an earlier element
    // again.
    if (dim == first)
      digit = forms.min(b, position, size / stride - 1);
    else
      std::tie(position, digit) = forms.divide(b, position, size / stride);
    coordinates[dim] =
        forms.add(b, coordinates[dim], forms.mul(b, digit, stride));
  }
  return coordinates;
}

/// Returns the vectors of each row, among the vectors of `part`, whose indices
/// need no clamping. Separate threads can then compute these vectors with
/// cheaper code. If indices need clamping at all, they need it near the ends of
/// rows, so that the vector in the middle of a row needs none. The function
/// looks at each comparison that the ranges in `forms` do not decide. It
/// returns the vectors for which all of these comparisons have the same outcome
/// as for the vector in the middle.
std::optional<InsideVectors> MapKernel::findInside(ImplicitLocOpBuilder &b,
                                                   IndexForms &forms,
                                                   Part part) const {
  if (tile.getBlock() || part == Part::Across ||
      tile.getVectors() * tile.getRows() > 1 || tile.getSteps() > 1 ||
      !rows.hasSeveralRows() || !rows.hasWholeVectors())
    return std::nullopt;
  LinearForm column =
      forms.divide(b, forms.getThread(), getInsideVectors()).second;
  if (column.terms.size() != 1)
    return std::nullopt;
  IndexForms::Box box = forms.getInterior(/*maxDivergence=*/1);
  auto found = box.find(column.terms.front().first);
  if (found == box.end() || found->second.min > found->second.max)
    return std::nullopt;
  int64_t first = tile.getInside() ? tile.getInside()->first : 0;
  return InsideVectors{first + found->second.min,
                       found->second.max - found->second.min + 1};
}

//===----------------------------------------------------------------------===//
// Costs of code
//===----------------------------------------------------------------------===//

/// Estimates the number of iterations of `loop`.
static double countIterations(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count ? count->roundToDouble() : 1;
}

/// Estimates the number of machine operations to which `block` is compiled.
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
    count += divides ? cost::opsPerDivision : cost::getWeight(&op);
  }
  return count;
}

/// Estimates the number of loads that a thread executes in `block`.
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

//===----------------------------------------------------------------------===//
// The code of a thread
//===----------------------------------------------------------------------===//

namespace {
/// Workgroup memory that collects the vectors of a workgroup before they are
/// stored in the output. `first` is the index in this memory of the thread's
/// first vector. Both are null if threads store their vectors directly in the
/// output.
struct StagedVectors {
  Value memory, first;
};

/// Builds the code for the threads of one part of a kernel.
class PartBuilder {
public:
  PartBuilder(const MapKernel &kernel, Part part, ImplicitLocOpBuilder &b,
              BufferViews &views, const StagedVectors &staging = {})
      : kernel(kernel), part(part), b(b), views(views), staging(staging) {}

  KernelCost build(Value thread, int64_t count, ArrayRef<int64_t> interiors,
                   double maxGeneral, Operation *end);

private:
  /// The gain of a second, cheaper path of the code, for the threads whose
  /// indices need no clamping (the interior). The general path, which any
  /// thread may take, remains for the other threads.
  struct Interior {
    /// The average number of operations that a thread executes if the kernel
    /// has both paths, the general one and the cheaper one for threads whose
    /// indices need no clamping. Nothing if the cheaper path saves too little
    /// and was removed.
    std::optional<double> average;
    /// The condition of the cheaper path, for threads whose indices need no
    /// clamping, requires that each of several numbers (atoms) lies in a range.
    /// The divergence of a range is the share of subgroups with threads outside
    /// of the range. This member is the largest divergence of all ranges. The
    /// kernel is tried with several limits on divergence. If the largest
    /// divergence is 0.2, a limit of 0.25 gives the same ranges as a limit of
    /// 0.6, and need not be tried.
    double divergence = 0;
  };

  std::optional<Scalar> buildInBothRows(IndexForms &forms, TileBuilder &builder,
                                        SmallVector<LinearForm> here,
                                        SmallVector<LinearForm> next,
                                        LinearForm column, int64_t lane);
  SmallVector<Scalar> buildVector(IndexForms &forms, TileBuilder &builder,
                                  LinearForm position);
  LinearForm getNewPosition(IndexForms &forms, TileBuilder &builder);
  SmallVector<Value> loadOutput(const OutputVectors &output, Value place);
  void buildOverOutput(IndexForms &forms, TileBuilder &builder,
                       const OutputVectors &output, LinearForm position);
  void buildBlock(IndexForms &forms, TileBuilder &builder,
                  const OutputVectors &output);
  void buildTile(IndexForms &forms, double maxOperations);
  Interior buildInterior(IndexForms &forms, Value thread, Operation *end,
                         double maxDivergence);

  const MapKernel &kernel;
  const Part part;
  ImplicitLocOpBuilder &b;
  BufferViews &views;
  const StagedVectors staging;
};
} // namespace

/// Builds element `lane` of a vector that may continue in the next row. `here`
/// has the coordinates of the vector's first element, which is element `column`
/// of its row. `next` has the coordinates of the beginning of the next row. If
/// ranges do not decide in which row element `lane` lies, the code selects
/// between the positions in both rows and loads once. Returns nothing if the
/// element in one of both rows is a constant, which has no position.
std::optional<Scalar> PartBuilder::buildInBothRows(
    IndexForms &forms, TileBuilder &builder, SmallVector<LinearForm> here,
    SmallVector<LinearForm> next, LinearForm column, int64_t lane) {
  const RowShape &rows = kernel.rows;
  here[rows.dim] = forms.add(b, here[rows.dim], lane);
  LinearForm beyond = forms.add(b, column, lane - rows.size);
  std::optional<bool> isNext = forms.isNonNegative(beyond);
  if (isNext == false)
    return builder.buildElement(here);
  next[rows.dim] = forms.add(b, next[rows.dim], beyond);
  if (isNext == true)
    return builder.buildElement(next);
  return builder.chooseMoved(beyond, next, here);
}

/// Builds the elements of the vector that begins at `position`.
SmallVector<Scalar> PartBuilder::buildVector(IndexForms &forms,
                                             TileBuilder &builder,
                                             LinearForm position) {
  SmallVector<LinearForm> here, next;
  LinearForm column;
  if (kernel.looksInBothRows(part)) {
    LinearForm row;
    std::tie(row, column) = forms.divide(b, position, kernel.rows.size);
    LinearForm nextRow = forms.add(b, row, 1);
    here = kernel.getCoordinates(b, forms, position);
    next = kernel.getCoordinates(b, forms,
                                 forms.mul(b, nextRow, kernel.rows.size));
  }
  SmallVector<Scalar> elements;
  for (int64_t lane = 0; lane < kernel.packing.getCount(); ++lane) {
    std::optional<Scalar> element;
    if (!here.empty())
      element = buildInBothRows(forms, builder, here, next, column, lane);
    if (!element)
      element = builder.buildElement(
          kernel.getCoordinates(b, forms, forms.add(b, position, lane)));
    elements.push_back(*element);
  }
  return elements;
}

/// Returns the position of the thread's vector within the rows that the body
/// may replace. If the thread's row would lie beyond the end of the output, the
/// thread computes the last row instead, which another thread computes as well.
/// Both threads store equal elements, since an element depends on its
/// coordinates alone.
LinearForm PartBuilder::getNewPosition(IndexForms &forms,
                                       TileBuilder &builder) {
  const NewRows &rows = *kernel.newRows;
  int64_t count = kernel.packing.getCount(), inner = rows.getInner(kernel.type),
          size = kernel.type.getDimSize(rows.dim);
  auto [row, column] = forms.divide(b, forms.getThread(), inner / count);
  LinearForm outer = row, number = 0;
  if (rows.count > 1)
    std::tie(outer, number) = forms.divide(b, row, rows.count);
  builder.buildSlice(
      rows.slice,
      kernel.getCoordinates(b, forms, forms.mul(b, outer, size * inner)));
  Value first =
      arith::MinUIOp::create(b, builder.getBuilt(0, rows.first),
                             arith::ConstantIndexOp::create(b, size - 1));
  LinearForm place = forms.min(
      b, forms.add(b, forms.getOpaque(first, {0, size - 1}), number), size - 1);
  return forms.add(
      b, forms.mul(b, forms.add(b, forms.mul(b, outer, size), place), inner),
      forms.mul(b, column, count));
}

/// Loads the vector at index `place` of the output, and returns its elements.
/// Only the thread that stores this vector loads it. The thread loads no other
/// vector of the output, since other threads store there at the same time.
SmallVector<Value> PartBuilder::loadOutput(const OutputVectors &output,
                                           Value place) {
  const Packing &packing = kernel.packing;
  Value vector = memref::LoadOp::create(b, output.getBuffer(), place);
  SmallVector<Value> elements;
  for (int64_t i = 0, e = packing.getCount() / packing.getPerWord(); i < e;
       ++i) {
    Value component = vector;
    if (isa<VectorType>(vector.getType()))
      component = vector::ExtractOp::create(b, vector, i);
    if (!packing.hasWords()) {
      elements.push_back(component);
      continue;
    }
    Value part = vector::BroadcastOp::create(
        b, VectorType::get(1, packing.getWordType()), component);
    part = vector::BitCastOp::create(b, packing.getPartType(), part);
    for (int64_t lane = 0; lane < packing.getPerWord(); ++lane)
      elements.push_back(vector::ExtractOp::create(b, part, lane));
  }
  return elements;
}

namespace {
/// A body that selects, by a condition, between a new element and the output's
/// old element.
struct Replacement {
  explicit Replacement(linalg::GenericOp op);

  /// The select operation, or null if the body is of another form.
  arith::SelectOp select;
  Value replacing;
  /// Whether the new element is stored where the condition is false.
  bool isInverted = false;
};
} // namespace

Replacement::Replacement(linalg::GenericOp op) {
  Value old = op.getRegionOutputArgs().front();
  auto yielded = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<arith::SelectOp>();
  if (!yielded || !yielded->hasOneUse() ||
      !yielded.getCondition().getType().isInteger(1) ||
      (yielded.getTrueValue() != old && yielded.getFalseValue() != old))
    return;
  select = yielded;
  isInverted = yielded.getTrueValue() == old;
  replacing = isInverted ? yielded.getFalseValue() : yielded.getTrueValue();
}

/// Builds the vector at `position` of a body that reads the output's old
/// elements, and stores the vector. If the body selects between new and old
/// elements, a vector that consists of old elements only is not stored.
void PartBuilder::buildOverOutput(IndexForms &forms, TileBuilder &builder,
                                  const OutputVectors &output,
                                  LinearForm position) {
  const Packing &packing = kernel.packing;
  SharedValues &shared = builder.getShared();
  Value place = output.getPlace(
      forms, b, forms.divide(b, position, packing.getCount()).first);
  linalg::GenericOp op = kernel.op;
  Value argument = op.getRegionOutputArgs().front();
  SmallVector<Value> old = loadOutput(output, place);
  Replacement replacement(op);
  Operation *yield = op.getBody()->getTerminator();
  SmallVector<Operation *> slice;
  for (Operation &nested : op.getBody()->without_terminator())
    if (&nested != replacement.select)
      slice.push_back(&nested);
  SmallVector<Scalar> elements;
  SmallVector<Value> conditions;
  for (auto [lane, element] : llvm::enumerate(old)) {
    builder.bind(0, argument, element);
    builder.buildSlice(
        slice,
        kernel.getCoordinates(
            b, forms, forms.add(b, position, static_cast<int64_t>(lane))));
    if (!replacement.select) {
      elements.push_back(builder.getScalar(0, yield->getOperand(0)));
      continue;
    }
    Value condition = builder.getBuilt(0, replacement.select.getCondition());
    if (replacement.isInverted)
      condition = shared.buildSelect(condition,
                                     shared.getConstant(b.getBoolAttr(false)),
                                     shared.getConstant(b.getBoolAttr(true)));
    conditions.push_back(condition);
    elements.push_back(builder.getScalar(0, replacement.replacing));
  }
  VectorPacker packer(shared, packing);
  if (!replacement.select) {
    memref::StoreOp::create(b, packer.pack(elements), output.getBuffer(),
                            place);
    return;
  }
  Value any = conditions.front();
  for (Value condition : ArrayRef(conditions).drop_front())
    if (condition != any)
      any = b.createOrFold<arith::OrIOp>(any, condition);
  // Values that are built inside of the guard cannot be used behind it.
  OpBuilder::InsertionGuard restore(b);
  IndexForms::Scope scope(forms);
  SharedValues::Built before = shared.getBuilt();
  b.setInsertionPointToStart(scf::IfOp::create(b, any).thenBlock());
  if (!llvm::all_equal(conditions)) {
    SmallVector<Value> kept = loadOutput(output, place);
    for (auto [element, condition, other] :
         llvm::zip_equal(elements, conditions, kept))
      element = b.createOrFold<arith::SelectOp>(
          condition, shared.materialize(element), other);
  }
  memref::StoreOp::create(b, packer.pack(elements), output.getBuffer(), place);
  shared.restore(std::move(before));
}

/// Builds the code of a thread for a body with loops. The elements of the
/// thread's block share these loops.
void PartBuilder::buildBlock(IndexForms &forms, TileBuilder &builder,
                             const OutputVectors &output) {
  MemRefType type = kernel.type;
  const Packing &packing = kernel.packing;
  ArrayRef<int64_t> block = kernel.tile.getBlock()->factors;
  int64_t count = packing.getCount(), rank = type.getRank();
  auto numOuter = static_cast<int64_t>(block.size());
  int64_t rowVectors = llvm::divideCeil(kernel.getBlockRowSize(), count);
  LinearForm rows, column = forms.getThread();
  if (numOuter > 0)
    std::tie(rows, column) = forms.divide(b, column, rowVectors);
  // The coordinates of the first element of the block.
  SmallVector<LinearForm> first(numOuter);
  for (int64_t dim = numOuter; dim-- > 0;) {
    int64_t factor = block[dim];
    LinearForm digit = rows;
    if (dim > 0)
      std::tie(rows, digit) =
          forms.divide(b, rows, type.getDimSize(dim) / factor);
    first[dim] = forms.mul(b, digit, factor);
  }

  SmallVector<LinearForm> places;
  SmallVector<SmallVector<LinearForm>> coordinates;
  for (int64_t i = 0, e = llvm::product_of(block); i < e; ++i) {
    SmallVector<LinearForm> outer = first;
    LinearForm place = 0;
    int64_t rest = i;
    for (int64_t dim = numOuter; dim-- > 0;) {
      int64_t factor = block[dim];
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
        coordinates.push_back(kernel.getCoordinates(b, forms, position));
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
  VectorPacker packer(builder.getShared(), packing);
  for (auto [i, place] : llvm::enumerate(places))
    memref::StoreOp::create(
        b, packer.pack(ArrayRef(elements).slice(i * count, count)),
        output.getBuffer(), output.getPlace(forms, b, place));
}

/// Builds the code of a thread. Building stops as soon as the code has more
/// than `maxOperations` operations.
void PartBuilder::buildTile(IndexForms &forms, double maxOperations) {
  const MapTile &tile = kernel.tile;
  const Packing &packing = kernel.packing;
  TileBuilder builder(b, kernel.op, forms, views);
  OutputVectors output(b, views, kernel.output, packing);
  if (tile.getBlock())
    return buildBlock(forms, builder, output);
  // Drivers do not move a load in front of a store, since both might access the
  // same memory. If elements only move, or if a thread has several steps, all
  // vectors are therefore loaded before the first one is stored, so that the
  // loads are in flight together. In other kernels, each vector is stored as
  // soon as it is computed, since vectors that wait for their stores occupy
  // registers. With all stores at the end, resample_linear_x2_f16 and
  // maxpoolgrad_k3s2_f32 took 1.03 and 1.6 times as long on an H200.
  bool storesLast = tile.getSteps() > 1 || TileBuilder::isMove(kernel.op);
  struct Computed {
    Value value, place;
    /// The index of the vector, counted from the beginning of the output.
    LinearForm vector;
  };
  SmallVector<Computed> vectors;
  auto storeVectors = [&] {
    for (const Computed &computed : vectors) {
      OpBuilder::InsertionGuard restore(b);
      // The last workgroup may have steps whose vectors lie beyond the output.
      // In these steps, the threads compute earlier vectors again, but do not
      // store them.
      LinearForm left =
          forms.sub(b, kernel.rows.getNumVectors() - 1, computed.vector);
      if (tile.getSteps() > 1 && forms.getRange(left).min < 0) {
        Value inside = arith::CmpIOp::create(
            b, arith::CmpIPredicate::ult, forms.materialize(b, computed.vector),
            forms.materialize(b, kernel.rows.getNumVectors()));
        b.setInsertionPointToStart(scf::IfOp::create(b, inside).thenBlock());
      }
      memref::StoreOp::create(
          b, computed.value,
          staging.memory ? staging.memory : output.getBuffer(), computed.place);
    }
    vectors.clear();
  };
  for (int64_t step = 0; step < tile.getSteps(); ++step) {
    LinearForm first = kernel.getVector(b, forms, step);
    for (int64_t row = 0; row < tile.getRows(); ++row) {
      for (int64_t number = 0; number < tile.getVectors(); ++number) {
        LinearForm position =
            kernel.newRows
                ? getNewPosition(forms, builder)
                : kernel.getPosition(b, forms, part, first, row, number);
        if (readsOutput(kernel.op)) {
          buildOverOutput(forms, builder, output, position);
          if (countOperations(b.getBlock()) > maxOperations)
            return;
          continue;
        }
        SmallVector<Scalar> elements = buildVector(forms, builder, position);
        if (countOperations(b.getBlock()) > maxOperations)
          return;
        Computed computed;
        if (staging.memory) {
          computed.place = b.createOrFold<arith::AddIOp>(
              staging.first,
              arith::ConstantIndexOp::create(b, number).getResult());
        } else {
          computed.vector = forms.divide(b, position, packing.getCount()).first;
          computed.place = output.getPlace(forms, b, computed.vector);
        }
        computed.value =
            VectorPacker(builder.getShared(), packing).pack(elements);
        vectors.push_back(computed);
        if (!storesLast)
          storeVectors();
      }
    }
  }
  storeVectors();
}

static double toShare(int64_t percent) {
  return static_cast<double>(percent) / 100;
}

/// Builds a second path for threads whose indices need no clamping (the
/// interior). The condition of this path is that each of several atoms lies in
/// a range. The general path, which any thread may take, is the code between
/// `thread` and `end`. A subgroup with threads outside of a range executes both
/// paths. A range is therefore used only if at most the share `maxDivergence`
/// of subgroups has threads outside of it. The second path is removed if it
/// saves too little.
PartBuilder::Interior PartBuilder::buildInterior(IndexForms &forms,
                                                 Value thread, Operation *end,
                                                 double maxDivergence) {
  Interior result;
  IndexForms::Box undecided = forms.getInterior(maxDivergence);
  if (undecided.empty())
    return result;
  double worthwhile = kernel.packing.bits < 32 && TileBuilder::isMove(kernel.op)
                          ? cost::map::share::interiorOfWords
                          : cost::map::share::interior;
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
    // Each iteration of this loop narrows the ranges further. If too many
    // subgroups already have threads outside of the ranges, a path for the
    // threads inside cannot be worthwhile.
    outside = forms.getDivergence(box);
    if (outside > worthwhile)
      break;
    b.setInsertionPoint(choice);
    choice.getConditionMutable().assign(entry.buildIsInside(b, box));
    interior->clear();
    b.setInsertionPointToEnd(interior);
    IndexForms narrowed = entry.getNarrowed(b, box);
    // Building stops as soon as the path has too many operations to be
    // worthwhile. The path still clamps an index if the ranges of the threads
    // do not decide the comparison of the clamp. The next iteration of the loop
    // therefore narrows the ranges to the threads that need no clamp, and
    // builds the path anew for these threads.
    buildTile(narrowed, (worthwhile - outside) *
                            (countOperations(general) + countCondition()));
    scf::YieldOp::create(b);
    undecided = narrowed.getInterior(maxDivergence);
  } while (!undecided.empty());

  for (const auto &bounds : box)
    result.divergence =
        std::max(result.divergence, forms.getDivergence({bounds}));
  double operations = countOperations(general);
  if (result.divergence <= toShare(cost::map::lowDivergence))
    operations += countCondition();
  // Subgroups with threads outside of the interior execute both paths.
  double average = countOperations(interior) + outside * operations;
  if (average <= worthwhile * operations) {
    result.average = average;
    return result;
  }
  general->getTerminator()->erase();
  block->getOperations().splice(Block::iterator(end), general->getOperations());
  // The branch that selects a path is removed together with the operations of
  // its condition.
  Block discarded;
  discarded.getOperations().splice(discarded.end(), block->getOperations(),
                                   condition,
                                   std::next(Block::iterator(choice)));
  return result;
}

/// Builds the code that the threads of the part execute, in front of the
/// operation `end`, and returns its cost. The launch has `count` threads, of
/// which the part may use fewer.
///
/// Beside the general path, which any thread may take, a cheaper path is tried
/// for threads whose indices need no clamping. Its condition requires that
/// certain numbers (atoms) lie in ranges. Subgroups with threads outside of a
/// range execute both paths, so that each range may exclude at most a given
/// share of subgroups. `interiors` are limits on this share, in percent, which
/// are tried in turn until a path saves enough.
///
/// If the threads would execute more than `maxGeneral` operations of the
/// general path in total, building stops. The caller builds tiles to find their
/// costs, and discards the incomplete code of such a tile, which is too slow.
KernelCost PartBuilder::build(Value thread, int64_t count,
                              ArrayRef<int64_t> interiors, double maxGeneral,
                              Operation *end) {
  int64_t threads = kernel.getNumThreads(part);
  b.setInsertionPoint(end);
  if (count != threads) {
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                              arith::ConstantIndexOp::create(b, threads));
    auto guard = scf::IfOp::create(b, inside);
    b.setInsertionPointToStart(guard.thenBlock());
    thread = limit(b, thread, threads);
    end = guard.thenBlock()->getTerminator();
  }
  IndexForms forms(thread, threads);
  auto numThreads = static_cast<double>(threads);
  buildTile(forms, maxGeneral / numThreads);
  KernelCost cost;
  cost.interior = {0};
  cost.general = countOperations(end->getBlock()) * numThreads;
  cost.average = cost.general;
  cost.loads = countLoads(end->getBlock()) * numThreads;
  if (cost.general > maxGeneral)
    return cost;
  cost.inside = kernel.findInside(b, forms, part);
  // The cheaper path is for threads whose indices need no clamping. Its
  // condition requires that several numbers (atoms) lie in ranges. If the path
  // saves too little, a smaller limit on the divergence of ranges is tried,
  // which leaves fewer ranges in the condition. The path then clamps more
  // indices, but fewer subgroups execute both paths.
  double divergence = 1;
  for (int64_t percent : interiors) {
    if (divergence <= toShare(percent))
      break;
    Interior interior = buildInterior(forms, thread, end, toShare(percent));
    divergence = interior.divergence;
    if (interior.average) {
      cost.average = *interior.average * numThreads;
      cost.interior = {percent};
      break;
    }
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// If the output repeats the same elements along dimension `dim`, as a
/// broadcast or a tiling does, returns the number of workgroups that compute
/// the elements once, and the number of repetitions. Returns nothing if a
/// repetition does not consist of whole workgroups.
static std::optional<std::pair<int64_t, int64_t>>
getRepetition(const MapKernel &kernel, int64_t dim) {
  const RowShape &rows = kernel.rows;
  if (kernel.tile.getBlock() || kernel.tile.hasParts() || dim >= rows.dim)
    return std::nullopt;
  int64_t groupSize = DeviceProfile::workgroupSize * rows.vectorSize *
                      kernel.tile.getVectors() * kernel.tile.getRows() *
                      kernel.tile.getSteps();
  int64_t size = kernel.type.getDimSize(dim),
          period = getPeriod(kernel.op, dim);
  int64_t elements = period;
  for (int64_t inner : kernel.type.getShape().drop_front(dim + 1))
    elements *= inner;
  if (period == size || elements % groupSize ||
      elements / rows.size % kernel.tile.getRows())
    return std::nullopt;
  return std::make_pair(elements / groupSize, size / period);
}

static std::string findTurnsProblem(linalg::GenericOp op, const MapTile &tile) {
  if (!tile.turns || getRepetition(MapKernel(op, tile), *tile.turns))
    return "";
  return llvm::formatv("has turns along dimension {0}, but wants an outer one "
                       "whose elements repeat after whole workgroups",
                       *tile.turns);
}

std::optional<int64_t> dml::getTurns(linalg::GenericOp op, const MapTile &tile,
                                     double bytes) {
  MapKernel kernel(op, tile);
  for (int64_t dim = kernel.rows.dim - 1; dim >= 0; --dim) {
    auto repetition = getRepetition(kernel, dim);
    if (!repetition)
      continue;
    int64_t ofGroup = DeviceProfile::workgroupSize * tile.vectorBytes *
                      tile.getVectors() * tile.getRows() * tile.getSteps();
    if (static_cast<double>(repetition->first * ofGroup) >= bytes)
      return dim;
  }
  return std::nullopt;
}

/// Returns the index of the tile that workgroup `group` computes. If elements
/// repeat along an outer dimension, the caches may have lost a loaded element
/// before the next copy needs it. Workgroups that load the same elements
/// therefore follow each other. With 3 copies of 2 tiles each, the order of the
/// tiles is 0, 2, 4, 1, 3, 5. A workgroup without a tile gets a number behind
/// those of all tiles.
static Value orderByTurns(const MapKernel &kernel, ImplicitLocOpBuilder &b,
                          Value group) {
  if (!kernel.tile.turns)
    return group;
  auto [groups, copies] = *getRepetition(kernel, *kernel.tile.turns);
  auto [rest, copy] = delinearize(b, group, copies);
  auto [outer, place] = delinearize(b, rest, groups);
  return linearize(b, linearize(b, outer, copies, copy), groups, place);
}

/// Allocates workgroup memory for the vectors of a workgroup. `local` is the
/// index of the thread within the workgroup.
static StagedVectors buildStaging(const MapKernel &kernel,
                                  ImplicitLocOpBuilder &b, Value local) {
  StagedVectors staging;
  staging.memory = allocateInWorkgroup(
      b, kernel.tile.getVectors() * DeviceProfile::workgroupSize,
      kernel.packing.getVectorType());
  staging.first = arith::MulIOp::create(
      b, local, arith::ConstantIndexOp::create(b, kernel.tile.getVectors()));
  return staging;
}

/// Copies the vectors of a workgroup from workgroup memory to the output, so
/// that consecutive threads store neighbouring vectors.
static void storeStaged(const MapKernel &kernel, ImplicitLocOpBuilder &b,
                        BufferViews &views, const StagedVectors &staging,
                        Value group, Value local, bool mayExceed) {
  Value output = views.getVectors(b, kernel.output, kernel.packing);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  gpu::BarrierOp::create(b);
  Value first = arith::MulIOp::create(
      b, group,
      constant(kernel.tile.getVectors() * DeviceProfile::workgroupSize));
  for (int64_t i = 0; i < kernel.tile.getVectors(); ++i) {
    Value place = b.createOrFold<arith::AddIOp>(
        local, constant(i * DeviceProfile::workgroupSize));
    Value position = arith::AddIOp::create(b, first, place);
    OpBuilder::InsertionGuard restore(b);
    if (mayExceed) {
      Value inside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, position,
                                constant(kernel.rows.getNumVectors()));
      b.setInsertionPointToStart(scf::IfOp::create(b, inside).thenBlock());
    }
    memref::StoreOp::create(b, memref::LoadOp::create(b, staging.memory, place),
                            output, position);
  }
}

/// Builds the launch of `kernel` at the insertion point of `b`, and returns its
/// cost. Each part of the kernel has a general path, which any thread may take,
/// and may have a cheaper path for threads whose indices need no clamping.
/// `getInteriors` returns the limits to try for a part: limits on the share of
/// subgroups that execute both paths (PartBuilder::build). If the threads would
/// execute more than `maxGeneral` operations of the general path in total,
/// building stops, and the caller must discard the incomplete code.
static KernelCost
buildLaunch(const MapKernel &kernel, ImplicitLocOpBuilder &b,
            llvm::function_ref<ArrayRef<int64_t>(size_t part)> getInteriors,
            double maxGeneral) {
  const MapTile &tile = kernel.tile;
  const RowShape &rows = kernel.rows;
  static constexpr Part whole[] = {Part::Whole};
  static constexpr Part split[] = {Part::Inside, Part::Across};
  ArrayRef<Part> parts = tile.hasParts() ? ArrayRef(split) : ArrayRef(whole);
  // `counts` are the numbers of workgroups of each part. With two parts, the
  // grid alternates between `counts[0]` workgroups of Part::Inside and
  // `counts[1]` workgroups of Part::Across. Both compute the same rows, so that
  // an element that both parts load is still in a cache when it is loaded
  // again. The numbers are chosen such that both parts have whole workgroups:
  // 128 rows of 10 vectors, 6 of them inside, take 6 and 4 workgroups of 128
  // threads.
  SmallVector<int64_t> counts;
  for (Part part : parts)
    counts.push_back(llvm::divideCeil(kernel.getNumThreads(part),
                                      DeviceProfile::workgroupSize));
  int64_t turns = 1;
  if (tile.hasParts()) {
    // If rows consist of whole vectors, each row has the same number of vectors
    // of a part.
    int64_t vectorsOfTurn = tile.getInside() ? 1 : rows.vectorSize;
    turns = llvm::divideCeil(rows.getNumRows(),
                             kernel.getStepVectors() * vectorsOfTurn);
    if (turns > 1) {
      counts[0] = kernel.getInsideVectors() * vectorsOfTurn;
      counts[1] = rows.size * vectorsOfTurn / rows.vectorSize - counts[0];
    }
  }
  int64_t groups =
      turns * std::accumulate(counts.begin(), counts.end(), int64_t{0});
  auto [launch, linear, allGroups, end] = createLaunch(b, kernel.op, groups);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value local = launch.getThreadIds().x;
  auto getThread = [&](Value group) {
    return linearize(b, group, DeviceProfile::workgroupSize, local);
  };

  BufferViews views(launch);
  b.setInsertionPoint(end);
  if (!tile.hasParts()) {
    linear = orderByTurns(kernel, b, linear);
    StagedVectors staging;
    if (tile.getVectors() > 1)
      staging = buildStaging(kernel, b, local);
    int64_t count = allGroups * DeviceProfile::workgroupSize;
    PartBuilder part(kernel, Part::Whole, b, views, staging);
    KernelCost cost =
        part.build(getThread(linear), count, getInteriors(0), maxGeneral, end);
    if (tile.getVectors() > 1) {
      b.setInsertionPoint(end);
      storeStaged(kernel, b, views, staging, linear, local,
                  count != kernel.getNumThreads(Part::Whole));
    }
    return cost;
  }
  int64_t each = counts[0] + counts[1];
  Value turn = constant(0), place = linear;
  if (turns > 1)
    std::tie(turn, place) = delinearize(b, linear, each);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, place,
                                        constant(counts[0]));
  auto choice = scf::IfOp::create(b, isFirst, /*withElseRegion=*/true);
  KernelCost cost;
  for (int64_t i : {0, 1}) {
    Block *path = i ? choice.elseBlock() : choice.thenBlock();
    b.setInsertionPointToStart(path);
    // The index of the workgroup in its part is limited explicitly, since
    // integer range analysis does not learn the limit from the branch to the
    // part.
    Value own =
        i ? arith::SubIOp::create(
                b, arith::MaxUIOp::create(b, place, constant(counts[0])),
                constant(counts[0]))
                .getResult()
          : limit(b, place, counts[0]);
    int64_t most = llvm::divideCeil(allGroups, each) * counts[i];
    PartBuilder part(kernel, parts[i], b, views);
    KernelCost ofPart =
        part.build(getThread(linearize(b, turn, counts[i], own)),
                   most * DeviceProfile::workgroupSize, getInteriors(i),
                   maxGeneral - cost.general, path->getTerminator());
    cost.general += ofPart.general;
    cost.loads += ofPart.loads;
    cost.average += ofPart.average;
    llvm::append_range(cost.interior, ofPart.interior);
    if (ofPart.inside)
      cost.inside = ofPart.inside;
  }
  return cost;
}

KernelCost dml::tryMapKernel(Block &block, linalg::GenericOp op,
                             const MapTile &tile, ArrayRef<int64_t> interiors,
                             double maxGeneral) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  b.setInsertionPointToEnd(&block);
  return buildLaunch(
      MapKernel(op, tile), b, [&](size_t) { return interiors; }, maxGeneral);
}

void dml::buildMapKernel(linalg::GenericOp op, const MapTile &tile) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  buildLaunch(
      MapKernel(op, tile), b,
      [&](size_t part) {
        bool isInside = part < tile.interior.size() && tile.interior[part];
        return ArrayRef(tile.interior).slice(isInside ? part : 0, isInside);
      },
      HUGE_VAL);
  op.erase();
}
