//===- DistributeToWorkgroups.cpp - linalg to GPU launches ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/DeviceProfile.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

namespace dml {
#define GEN_PASS_DEF_DISTRIBUTETOWORKGROUPS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// How the elements of a type fill a 16-byte vector. SPIR-V's vectors have at
/// most four components: narrow elements travel in 32-bit words.
struct Packing {
  explicit Packing(Type elementType)
      : element(elementType), bits(elementType.getIntOrFloatBitWidth()) {}

  /// Elements in a vector.
  int64_t getCount() const { return DeviceProfile::vectorBytes * 8 / bits; }

  VectorType getVectorType() const {
    if (bits >= 32)
      return VectorType::get(getCount(), element);
    return VectorType::get(DeviceProfile::vectorBytes / 4, getWordType());
  }

  /// The vector of `elements`.
  Value pack(ImplicitLocOpBuilder &b, ArrayRef<Value> elements) const {
    if (bits >= 32)
      return vector::FromElementsOp::create(b, getVectorType(), elements);
    int64_t perWord = 32 / bits;
    SmallVector<Value> words;
    for (; !elements.empty(); elements = elements.drop_front(perWord)) {
      Value part = vector::FromElementsOp::create(
          b, VectorType::get(perWord, element), elements.take_front(perWord));
      Value word =
          vector::BitCastOp::create(b, VectorType::get(1, getWordType()), part);
      words.push_back(vector::ExtractOp::create(b, word, 0));
    }
    return vector::FromElementsOp::create(b, getVectorType(), words);
  }

private:
  Type getWordType() const {
    return IntegerType::get(element.getContext(), 32);
  }

  Type element;
  int64_t bits;
};

/// The launch of one linalg.generic.
class Launch {
public:
  Launch(linalg::GenericOp op)
      : op(op), type(cast<MemRefType>(op.getOutputs().front().getType())),
        packing(type.getElementType()),
        threads(llvm::divideCeil(type.getNumElements(), packing.getCount())) {}

  /// Fails, with a diagnostic, if the generic is of another form.
  LogicalResult verify();
  void build();

private:
  SmallVector<Value> delinearize(ImplicitLocOpBuilder &b, Value position,
                                 ArrayRef<int64_t> sizes);
  SmallVector<SmallVector<Value>> buildCoordinates(ImplicitLocOpBuilder &b,
                                                   Value thread);
  Value buildElement(ImplicitLocOpBuilder &b, ArrayRef<Value> indices);

  linalg::GenericOp op;
  MemRefType type;
  Packing packing;
  int64_t threads;
};
} // namespace

LogicalResult Launch::verify() {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("wants buffers to be distributed to workgroups");
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      op.getNumDpsInits() != 1 || op.getNumDpsInputs() != 0 ||
      !op.getIndexingMapsArray().front().isIdentity() ||
      !op.getRegionOutputArgs().front().use_empty())
    return op.emitOpError(
        "wants no inputs and one output under an identity map that is not "
        "read, "
        "with parallel iterators, to be distributed to workgroups");
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op.emitOpError("wants a packed output of static shape, but it is ")
           << type;
  return success();
}

/// The coordinates of a row-major `position` in `sizes`. Divisions are unsigned
/// and by constants.
SmallVector<Value> Launch::delinearize(ImplicitLocOpBuilder &b, Value position,
                                       ArrayRef<int64_t> sizes) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> coordinates(sizes.size(), zero);
  // The first dimension that has more than one element takes what is left.
  const auto *outermost = llvm::find_if(sizes, [](int64_t s) { return s > 1; });
  if (outermost == sizes.end())
    return coordinates;
  int64_t first = outermost - sizes.begin();
  for (int64_t dim = sizes.size() - 1; dim > first; --dim) {
    if (sizes[dim] == 1)
      continue;
    Value size = arith::ConstantIndexOp::create(b, sizes[dim]);
    coordinates[dim] = b.createOrFold<arith::RemUIOp>(position, size);
    position = b.createOrFold<arith::DivUIOp>(position, size);
  }
  coordinates[first] = position;
  return coordinates;
}

/// The coordinates of each element that `thread` computes.
SmallVector<SmallVector<Value>>
Launch::buildCoordinates(ImplicitLocOpBuilder &b, Value thread) {
  SmallVector<int64_t> sizes(type.getShape());
  int64_t count = packing.getCount();
  Value factor = arith::ConstantIndexOp::create(b, count);
  auto addLane = [&](Value base, int64_t lane) {
    Value offset = arith::ConstantIndexOp::create(b, lane);
    return b.createOrFold<arith::AddIOp>(base, offset);
  };

  SmallVector<SmallVector<Value>> lanes;
  int64_t inner = sizes.size() - 1;
  while (inner > 0 && sizes[inner] == 1)
    --inner;
  if (!sizes.empty() && sizes[inner] % count == 0) {
    // Rows hold whole vectors: all lanes share a row.
    sizes[inner] /= count;
    SmallVector<Value> coordinates = delinearize(b, thread, sizes);
    Value start = b.createOrFold<arith::MulIOp>(coordinates[inner], factor);
    for (int64_t lane = 0; lane < count; ++lane) {
      coordinates[inner] = addLane(start, lane);
      lanes.push_back(coordinates);
    }
    return lanes;
  }

  Value start = b.createOrFold<arith::MulIOp>(thread, factor);
  bool hasTail = type.getNumElements() % count != 0;
  Value last = arith::ConstantIndexOp::create(b, type.getNumElements() - 1);
  for (int64_t lane = 0; lane < count; ++lane) {
    Value position = addLane(start, lane);
    // Lanes after the last element compute it once more.
    if (hasTail && lane > 0)
      position = b.createOrFold<arith::MinUIOp>(position, last);
    lanes.push_back(delinearize(b, position, sizes));
  }
  return lanes;
}

/// Clones the body of the generic for the element at `indices`.
Value Launch::buildElement(ImplicitLocOpBuilder &b, ArrayRef<Value> indices) {
  IRMapping mapping;
  Block *body = op.getBody();
  for (Operation &nested : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), indices[index.getDim()]);
      continue;
    }
    Operation *clone = b.clone(nested, mapping);
    clone->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(indices[index.getDim()]);
      index.erase();
    });
  }
  return mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
}

void Launch::build() {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t vectors = threads;
  // The kernel sees the output as whole vectors.
  auto vectorsType = MemRefType::get({vectors}, packing.getVectorType());
  Value output = UnrealizedConversionCastOp::create(b, vectorsType,
                                                    op.getOutputs().front())
                     .getResult(0);

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
  }
  SmallVector<Value> elements;
  for (ArrayRef<Value> indices : buildCoordinates(b, thread))
    elements.push_back(buildElement(b, indices));
  memref::StoreOp::create(b, packing.pack(b, elements), output, thread);
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
