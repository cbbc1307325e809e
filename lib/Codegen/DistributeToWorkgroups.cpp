//===- DistributeToWorkgroups.cpp - linalg to GPU launches ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementMap.h"
#include "TileBuilder.h"
#include "dml/Codegen/DeviceProfile.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace dml {
#define GEN_PASS_DEF_DISTRIBUTETOWORKGROUPS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// A thread stores 16 bytes, or as many elements as 16 bytes hold of the widest
/// that it reads: the threads of a group then read what lies side by side.
static int64_t getStoredBytes(linalg::GenericOp op) {
  auto getBytes = [](Value buffer) -> int64_t {
    return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  };
  int64_t stored = getBytes(op.getOutputs().front()), widest = stored;
  for (auto load : op.getBody()->getOps<memref::LoadOp>())
    widest = std::max(widest, getBytes(load.getMemRef()));
  return std::max<int64_t>(DeviceProfile::vectorBytes * stored / widest, 4);
}

namespace {
/// The launch of one linalg.generic.
class Launch {
public:
  Launch(linalg::GenericOp op)
      : op(op), type(cast<MemRefType>(op.getOutputs().front().getType())),
        packing(type.getElementType(), getStoredBytes(op)) {}

  /// Fails, with a diagnostic, if the generic is of another form.
  LogicalResult verify();
  void build();

private:
  void chooseTile();
  void buildTile(ImplicitLocOpBuilder &b, IndexForms &forms,
                 BufferViews &views);
  bool buildInterior(ImplicitLocOpBuilder &b, IndexForms &forms,
                     BufferViews &views, Value thread, Operation *end,
                     double maxDivergence);
  SmallVector<LinearForm> getCoordinates(ImplicitLocOpBuilder &b,
                                         IndexForms &forms, int64_t row,
                                         int64_t lane);

  linalg::GenericOp op;
  MemRefType type;
  Packing packing;

  /// The dimension that a thread computes `rows` consecutive elements of, with
  /// a vector of the innermost dimension for each.
  unsigned rowDim = 0;
  int64_t rows = 1;
  int64_t threads = 0;
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

/// Elements that read many others share them with their neighbours: a thread
/// computes several rows of them where rows hold whole vectors and where
/// threads enough remain to fill a device.
void Launch::chooseTile() {
  int64_t vectors = llvm::divideCeil(type.getNumElements(), packing.getCount());
  threads = vectors;
  SmallVector<unsigned> dims;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size > 1)
      dims.push_back(dim);
  if (dims.size() < 2 || type.getDimSize(dims.back()) % packing.getCount())
    return;
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
  constexpr int64_t minThreads = 1 << 16, maxElements = 64;
  rowDim = dims[dims.size() - 2];
  int64_t wanted = loads <= 1 || reads <= 2 ? 1
                   : reads <= 8             ? 2
                   : reads <= 32            ? 4
                                            : 8;
  while (rows < wanted && 2 * rows * packing.getCount() <= maxElements &&
         type.getDimSize(rowDim) % (2 * rows) == 0 &&
         vectors / (2 * rows) >= minThreads)
    rows *= 2;
  threads = vectors / rows;
}

/// The coordinates of element `lane` of the vector that the thread computes in
/// its row `row`.
SmallVector<LinearForm> Launch::getCoordinates(ImplicitLocOpBuilder &b,
                                               IndexForms &forms, int64_t row,
                                               int64_t lane) {
  SmallVector<LinearForm> coordinates(type.getRank());
  LinearForm position =
      forms.add(b, forms.mul(b, forms.getThread(), packing.getCount()), lane);
  const auto *outermost =
      llvm::find_if(type.getShape(), [](int64_t size) { return size > 1; });
  if (outermost == type.getShape().end())
    return coordinates;
  int64_t first = outermost - type.getShape().begin();
  for (int64_t dim = type.getRank() - 1; dim >= first; --dim) {
    int64_t step = dim == rowDim ? rows : 1;
    LinearForm &coordinate = coordinates[dim];
    if (dim > first)
      std::tie(position, coordinate) =
          forms.divide(b, position, type.getDimSize(dim) / step);
    else
      coordinate = position;
    if (step > 1)
      coordinate = forms.add(b, forms.mul(b, coordinate, step), row);
  }
  // Lanes after the last element compute another element once more.
  coordinates[first] =
      forms.min(b, coordinates[first], type.getDimSize(first) - 1);
  return coordinates;
}

/// Builds what one thread computes and stores.
void Launch::buildTile(ImplicitLocOpBuilder &b, IndexForms &forms,
                       BufferViews &views) {
  TileBuilder tile(b, op, forms, views);
  Value output = views.getVectors(b, op.getOutputs().front(), packing);
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<Scalar> elements;
    for (int64_t lane = 0; lane < packing.getCount(); ++lane)
      elements.push_back(
          tile.buildElement(getCoordinates(b, forms, row, lane)));
    LinearForm vector = forms.getThread();
    if (rows > 1)
      vector =
          forms
              .divide(b, tile.linearize(type, getCoordinates(b, forms, row, 0)),
                      packing.getCount())
              .first;
    memref::StoreOp::create(b, tile.pack(packing, elements), output,
                            forms.materialize(b, vector));
  }
}

/// What was built between `thread` and `end` is for any thread. Builds a second
/// path for those that nothing needs clamping for, if that pays.
bool Launch::buildInterior(ImplicitLocOpBuilder &b, IndexForms &forms,
                           BufferViews &views, Value thread, Operation *end,
                           double maxDivergence) {
  IndexForms::Box undecided = forms.getInterior(maxDivergence);
  if (undecided.empty())
    return false;
  b.setInsertionPointAfterValue(thread);
  Value any = arith::ConstantIntOp::create(b, b.getI1Type(), true);
  auto choice = scf::IfOp::create(b, any, /*withElseRegion=*/true);
  Block *block = end->getBlock();
  Block *interior = choice.thenBlock(), *general = choice.elseBlock();
  general->getOperations().splice(general->begin(), block->getOperations(),
                                  std::next(Block::iterator(choice)),
                                  Block::iterator(end));

  IndexForms entry = forms.getUnbuilt();
  IndexForms::Box box;
  do {
    for (auto [atom, range] : undecided)
      box[atom] = range;
    b.setInsertionPoint(choice);
    choice.getConditionMutable().assign(entry.buildIsInside(b, box));
    interior->clear();
    b.setInsertionPointToEnd(interior);
    IndexForms narrowed = entry.getNarrowed(b, box);
    buildTile(b, narrowed, views);
    scf::YieldOp::create(b);
    // What is still undecided makes for a smaller interior.
    undecided = narrowed.getInterior(maxDivergence);
  } while (!undecided.empty());

  // Groups of threads with some outside run both.
  auto count = [](Block *block) {
    return static_cast<double>(block->getOperations().size());
  };
  constexpr double worthwhile = 0.62;
  if (count(interior) + forms.getDivergence(box) * count(general) <=
      worthwhile * count(general))
    return true;
  general->getTerminator()->erase();
  block->getOperations().splice(Block::iterator(choice),
                                general->getOperations());
  choice.erase();
  return false;
}

void Launch::build() {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  chooseTile();

  int64_t groups = llvm::divideCeil(threads, DeviceProfile::workgroupSize);
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
  auto linearize = [&](Value outer, int64_t size, Value inner) -> Value {
    Value scaled = b.createOrFold<arith::MulIOp>(outer, constant(size));
    return b.createOrFold<arith::AddIOp>(scaled, inner);
  };
  Value linear = group.x;
  if (grid[2] > 1)
    linear = linearize(linearize(group.z, grid[1], group.y), grid[0], group.x);
  else if (grid[1] > 1)
    linear = linearize(group.y, grid[0], group.x);
  Value thread =
      linearize(linear, DeviceProfile::workgroupSize, launch.getThreadIds().x);

  bool exact =
      grid[0] * grid[1] * grid[2] * DeviceProfile::workgroupSize == threads;
  Operation *end = gpu::TerminatorOp::create(b);
  b.setInsertionPoint(end);
  if (!exact) {
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                         constant(threads));
    auto guard = scf::IfOp::create(b, inside);
    b.setInsertionPointToStart(guard.thenBlock());
    // What range analysis cannot learn from the condition.
    thread = arith::MinUIOp::create(b, thread, constant(threads - 1));
    end = guard.thenBlock()->getTerminator();
  }

  BufferViews views(launch);
  IndexForms forms(thread, threads);
  buildTile(b, forms, views);
  // Where the larger interior does not pay, one without the dimensions that
  // run across groups of threads may.
  if (!buildInterior(b, forms, views, thread, end, /*maxDivergence=*/0.6))
    buildInterior(b, forms, views, thread, end, /*maxDivergence=*/0.25);
  op.erase();
}

namespace {
struct DistributeToWorkgroups
    : dml::impl::DistributeToWorkgroupsBase<DistributeToWorkgroups> {
  void runOnOperation() override {
    SmallVector<Launch> launches;
    WalkResult result = getOperation().walk([&](linalg::GenericOp op) {
      Launch launch(op);
      launches.push_back(launch);
      return WalkResult(launch.verify());
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Launch &launch : launches)
      launch.build();
  }
};
} // namespace
