//===- FuseProducers.cpp - Fewer passes over memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/BodySlice.h"
#include "Analysis/Concatenation.h"
#include "Analysis/Contraction.h"
#include "Analysis/ElementMap.h"
#include "Analysis/RowReduction.h"
#include "Analysis/SharedLayouts.h"
#include "Graph/BodyFusion.h"
#include "Graph/Rounding.h"
#include "dml/Codegen/Passes.h"
#include "dml/Conversion/JoinedElement.h"
#include "dml/IR/DML.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/KernelAttr.h"
#include "dml/IR/LayoutAttr.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Target/FusionCosts.h"
#include "dml/Target/MatrixCosts.h"
#include "dml/Target/SumCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

namespace dml {
#define GEN_PASS_DEF_FUSEPRODUCERS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// The costs of fusion
//===----------------------------------------------------------------------===//

static bool isCounted(Operation *op) {
  return !op->hasTrait<OpTrait::ConstantLike>() &&
         !op->hasTrait<OpTrait::IsTerminator>() && !isa<linalg::IndexOp>(op);
}

/// Counts the operations in the body of `op`. An operation in a loop counts
/// once.
static int64_t countOps(linalg::GenericOp op) {
  int64_t count = 0;
  op.getBody()->walk([&](Operation *nested) { count += isCounted(nested); });
  return count;
}

/// Returns the number of times that `op` runs for one element of the generic
/// whose body contains `op`. Returns nothing if a loop around `op` has an
/// unknown number of iterations.
static std::optional<double> getTripCount(Operation *op) {
  double count = 1;
  while (!isa<linalg::GenericOp>(op = op->getParentOp())) {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop)
      continue;
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!trips)
      return std::nullopt;
    count *= trips->roundToDouble();
  }
  return count;
}

/// Whether the body of `op` reduces rows, in loops with the attribute
/// dml.any_order.
static bool combinesRows(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](scf::ForOp loop) {
        return loop->hasAttr(anyOrderAttrName) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool hasLoops(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Returns the number of elements that the body of `op` loads for one element
/// of the output, or nothing if a loop has an unknown number of iterations.
static std::optional<double> countLoads(linalg::GenericOp op) {
  double loads = 0;
  WalkResult result = op.getBody()->walk([&](tensor::ExtractOp extract) {
    std::optional<double> trips = getTripCount(extract);
    loads += trips.value_or(0);
    return trips ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return loads;
}

int64_t dml::countElements(linalg::GenericOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  return ShapedType::isDynamicShape(sizes) ? std::numeric_limits<int64_t>::max()
                                           : llvm::product_of(sizes);
}

/// Whether the loops of `op` load so many elements that a kernel of its own for
/// `op` is worth the launch.
static bool hasLongLoops(linalg::GenericOp op, const DeviceSpeed &device) {
  std::optional<double> loads = countLoads(op);
  return !loads || *loads > cost::fusion::getMaxLoadsBesideLoops(device);
}

/// Returns the cost of the body of `op` for one element of the output: the
/// number of operations that the body executes, where a function such as exp
/// counts as 10 operations. Returns nothing if a loop has an unknown number of
/// iterations.
static std::optional<double> countWork(linalg::GenericOp op) {
  double work = 0;
  WalkResult result = op.getBody()->walk([&](Operation *nested) {
    if (!isCounted(nested))
      return WalkResult::advance();
    std::optional<double> trips = getTripCount(nested);
    work += trips.value_or(0) * cost::getWeight(nested);
    return trips ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return work;
}

/// Returns the tensors that the body of `op` reads.
static llvm::SmallPtrSet<Value, 4> getSources(linalg::GenericOp op) {
  llvm::SmallPtrSet<Value, 4> sources;
  op.getBody()->walk(
      [&](tensor::ExtractOp extract) { sources.insert(extract.getTensor()); });
  return sources;
}

/// Whether `tensor` is a constant or a reshaped constant.
static bool isConstant(Value tensor) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return matchPattern(tensor, m_Constant());
}

/// Returns the number of buffers that hold `sources`. All constants share one
/// buffer.
static int64_t countBuffers(const llvm::SmallPtrSet<Value, 4> &sources) {
  int64_t constants = llvm::count_if(sources, isConstant);
  return static_cast<int64_t>(sources.size()) -
         std::max<int64_t>(constants - 1, 0);
}

static double getBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return static_cast<double>(type.getNumElements()) *
         type.getElementTypeBitWidth() / 8;
}

//===----------------------------------------------------------------------===//
// Quantized factors
//===----------------------------------------------------------------------===//

/// Whether the body of `op` dequantizes: it multiplies an integer of few bits
/// by a scale. Contraction kernels unpack dequantized factors several at a time
/// (QuantizedFactors).
static bool isDequantization(linalg::GenericOp op) {
  auto conversions = op.getBody()->getOps<arith::SIToFPOp>();
  return llvm::hasSingleElement(conversions) &&
         getIntegerMagnitude((*conversions.begin()).getIn()) &&
         llvm::all_of((*conversions.begin())->getUsers(),
                      llvm::IsaPred<arith::MulFOp>);
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

/// Builds a generic that concatenates `inputs` along `axis`. The generic is
/// placed in front of `last`, the last insertion of their concatenation.
static linalg::GenericOp buildJoin(tensor::InsertSliceOp last,
                                   ArrayRef<Value> inputs, int64_t axis) {
  ImplicitLocOpBuilder b(last.getLoc(), last);
  RankedTensorType type = last.getType();
  Value empty =
      tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, type, /*inputs=*/ValueRange(), empty,
      ArrayRef<AffineMap>(b.getMultiDimIdentityMap(type.getRank())), iterators,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        ImplicitLocOpBuilder inner(loc, nested);
        SmallVector<Value> indices;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          indices.push_back(linalg::IndexOp::create(inner, dim));
        linalg::YieldOp::create(
            inner, buildJoinedElement(inner, inputs, axis, indices));
      });
  generic->setAttr(labelAttrName, b.getStringAttr(joinLabel));
  return generic;
}

//===----------------------------------------------------------------------===//
// Producers and their readers
//===----------------------------------------------------------------------===//

namespace {
/// A tensor.extract from the producer's result, or from a reshape of the
/// result.
struct Read {
  tensor::ExtractOp extract;
  /// The reshapes that lead from the producer's result to the tensor that
  /// `extract` reads.
  SmallVector<Operation *> reshapes;
};

/// Decides which reductions of rows are fused into their readers.
struct RowPolicy {
  /// Whether the compiler generates row kernels (`isOn`), and whether it
  /// generates them even where a map kernel is estimated to be faster
  /// (`isForced`).
  bool isOn = true, isForced = false;
  /// The profile of the devices for which code is generated.
  DeviceProfile profile = DeviceProfile::getFull();

  /// Whether the compiler would generate a row kernel for `op`.
  bool allows(linalg::GenericOp op) const;
};

class Fusion {
public:
  Fusion(linalg::GenericOp producer, const RowPolicy &rows)
      : producer(producer), rows(rows),
        type(dyn_cast_if_present<RankedTensorType>(
            producer->getNumResults() == 1 ? producer.getResult(0).getType()
                                           : Type())) {}

  /// isPossible() returns whether the producer can be fused into all readers of
  /// its result, and must be called first. isProfitable() returns whether the
  /// fused kernels are estimated to be faster. With `savesLaunches`, the
  /// estimate also counts the launch that the fusion of a producer of few
  /// elements saves.
  bool isPossible();
  bool isProfitable(bool savesLaunches = false);
  /// Whether the producer has no loops, and its only reader also reads a
  /// computed tensor that the producer reads. An example is x * sigmoid(x): the
  /// product reads the sigmoid, and both read x. Such producers are fused
  /// first. The fusion leaves x with one reader instead of two, so that the
  /// kernel that computes x may be fused as well.
  bool readsWhatReaderReads();
  void apply(IRRewriter &rewriter, DominanceInfo &dominance);

private:
  bool hasHalves();
  bool meetsWidening();
  bool unpacksOnce(linalg::GenericOp consumer, ArrayRef<Read> consumerReads);
  bool fitsEpilogue();
  bool fits(linalg::GenericOp consumer, ArrayRef<Read> consumerReads,
            int64_t size);
  bool keepsRows();
  void inlineInto(IRRewriter &rewriter, DominanceInfo &dominance,
                  linalg::GenericOp consumer, ArrayRef<Read> consumerReads,
                  bool isLast);
  bool collectReads(Value tensor, ArrayRef<Operation *> path);

  linalg::GenericOp producer;
  const RowPolicy &rows;
  RankedTensorType type;
  llvm::MapVector<linalg::GenericOp, SmallVector<Read>> reads;
  /// The reshapes between the producer's result and all reads, from the last to
  /// the first.
  SmallVector<Operation *> reshapes;
};
} // namespace

bool Fusion::collectReads(Value tensor, ArrayRef<Operation *> path) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
      auto consumer = extract->getParentOfType<linalg::GenericOp>();
      if (!consumer || consumer->getBlock() != producer->getBlock())
        return false;
      reads[consumer].push_back({extract, llvm::to_vector(path)});
      return true;
    }
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
      return false;
    SmallVector<Operation *> longer(path);
    longer.push_back(user);
    bool collected = collectReads(user->getResult(0), longer);
    reshapes.push_back(user);
    return collected;
  });
}

bool Fusion::isPossible() {
  // Three kinds of producers are not fused: a producer whose kernel has been
  // chosen already, a copy into a chosen layout, and an updated cache. The
  // readers of the copy and of the cache load elements from memory.
  return type && type.hasStaticShape() && !producer->hasAttr(kernelAttrName) &&
         !producer->hasAttr(layoutAttrName) &&
         !producer->hasAttr(updateAttrName) &&
         type.getElementType().isIntOrFloat() && isElementMap(producer) &&
         collectReads(producer.getResult(0), {}) && !reads.empty();
}

/// Whether the devices of the profile store f16 and have arithmetic in f16. For
/// other devices, words replace the numbers in f16, and there is no arithmetic
/// on such words.
bool Fusion::hasHalves() {
  return rows.profile.includes(DeviceProfile::getRequired(
      Float16Type::get(producer.getContext()), /*isStored=*/true));
}

bool Fusion::meetsWidening() {
  return llvm::any_of(reads, [&](const auto &read) {
    return dml::meetsWidening(producer, read.first);
  });
}

/// Whether the body of `op` only reads an element of a tensor, and each index
/// of the read is a coordinate of the output, a coordinate plus a constant, or
/// a constant. The output is then a range of the tensor, perhaps transposed or
/// repeated.
static bool isRange(linalg::GenericOp op) {
  auto extract = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getParentOp() != op)
    return false;
  return llvm::all_of(extract.getIndices(), [](Value index) {
    if (auto add = index.getDefiningOp<arith::AddIOp>())
      if (matchPattern(add.getRhs(), m_Constant()))
        index = add.getLhs();
    return index.getDefiningOp<linalg::IndexOp>() ||
           matchPattern(index, m_Constant());
  });
}

/// Whether the body of `op` only reads an element of a tensor, and neighbours
/// in this tensor are also neighbours in a row or a column of the output. A
/// transposed matrix is an example: neighbours in a row of the tensor are
/// neighbours in a column of the output.
static bool movesNeighbours(linalg::GenericOp op) {
  auto extract = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getBlock() != op.getBody())
    return false;
  // The last index of the read must be the coordinate of the output's row or
  // column, or the sum of this coordinate and a number that does not depend on
  // it, such as `row + 3`. If the row or column increases by 1, the read then
  // leads to the next element of the tensor.
  Value last = extract.getIndices().back();
  SmallVector<Value> others(extract.getIndices().drop_back());
  if (auto add = last.getDefiningOp<arith::AddIOp>()) {
    bool isFirst = add.getLhs().getDefiningOp<linalg::IndexOp>() != nullptr;
    last = isFirst ? add.getLhs() : add.getRhs();
    others.push_back(isFirst ? add.getRhs() : add.getLhs());
  }
  auto index = last.getDefiningOp<linalg::IndexOp>();
  if (!index || index.getDim() + 2 < op.getNumLoops())
    return false;
  BodySlice slice(op, {});
  return llvm::all_of(
             others,
             [&](Value other) { return succeeded(slice.add(other)); }) &&
         !slice.getDims()[index.getDim()];
}

/// Whether two reads in one body read the same element.
static bool isSameElement(Read lhs, Read rhs) {
  auto isSameIndex = [](Value index, Value other) {
    auto ofDim = index.getDefiningOp<linalg::IndexOp>(),
         otherDim = other.getDefiningOp<linalg::IndexOp>();
    return index == other ||
           (ofDim && otherDim && ofDim.getDim() == otherDim.getDim());
  };
  return lhs.extract->getBlock() == rhs.extract->getBlock() &&
         lhs.reshapes == rhs.reshapes &&
         llvm::all_of(llvm::zip_equal(lhs.extract.getIndices(),
                                      rhs.extract.getIndices()),
                      [&](const auto &pair) {
                        return isSameIndex(std::get<0>(pair),
                                           std::get<1>(pair));
                      });
}

/// Returns `reads` without repetitions: of several reads of one element, only
/// the first.
static SmallVector<Read> getDistinct(ArrayRef<Read> reads) {
  SmallVector<Read> distinct;
  for (const Read &read : reads)
    if (llvm::none_of(distinct, [&](const Read &other) {
          return isSameElement(read, other);
        }))
      distinct.push_back(read);
  return distinct;
}

/// Whether the body of `consumer` stays within the limits on operations and
/// buffers if each element in `consumerReads` is computed by `size` operations
/// instead of being read.
bool Fusion::fits(linalg::GenericOp consumer, ArrayRef<Read> consumerReads,
                  int64_t size) {
  size_t copies = getDistinct(consumerReads).size();
  int64_t added = static_cast<int64_t>(copies) * size;
  if (countOps(consumer) + added > cost::fusion::maxBodyOps ||
      (copies > 1 && added > cost::fusion::maxAddedOps))
    return false;
  // A consumer that already exceeds the limit on buffers may be fused if the
  // fusion does not add a buffer.
  llvm::SmallPtrSet<Value, 4> merged = getSources(consumer);
  int64_t before = countBuffers(merged);
  for (Read read : consumerReads)
    merged.erase(read.extract.getTensor());
  merged.insert_range(getSources(producer));
  int64_t after = countBuffers(merged);
  return after <= before || after + consumer.getNumDpsInits() <=
                                rows.profile.getMaxStorageBuffers();
}

/// Whether the loops of `op` add up products.
static bool addsProducts(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](scf::ForOp loop) {
        return llvm::any_of(loop.getYieldedValues(),
                            [](Value value) {
                              return value.getDefiningOp<math::FmaOp>();
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the only reader of the producer can become the epilogue of the
/// producer's long sums. The reader must compute little. The reader must read
/// only one sum per element, since reads of different sums would repeat the
/// loops. The reader must also have no more elements than there are sums. A
/// concatenation, for example, may have more: some of its elements are computed
/// from sums and others are not, and no kernel for sums computes the others.
/// (Readers with loops pass this test, but isProfitable() rejects them later.)
bool Fusion::fitsEpilogue() {
  if (reads.size() > 1)
    return false;
  auto &[consumer, consumerReads] = reads.front();
  if (getDistinct(consumerReads).size() > 1 ||
      (addsProducts(producer) &&
       countElements(consumer) > type.getNumElements()))
    return false;
  std::optional<double> work = countWork(consumer);
  return hasLoops(consumer) || !work || *work <= cost::fusion::maxOpsOfEpilogue;
}

/// Whether a matrix kernel computes the products of `consumer`, whose columns'
/// factors are the elements of the producer, in tiles with all rows. Each
/// workgroup then unpacks the factors that it stages, and no other workgroup
/// needs them. 64 rows times 4096 x 14336 numbers of 4 bits take 63 us on an
/// H200, and 121 us if a kernel of its own writes the unpacked numbers.
bool Fusion::unpacksOnce(linalg::GenericOp consumer,
                         ArrayRef<Read> consumerReads) {
  const DeviceProfile &profile = rows.profile;
  if (!addsProducts(consumer) || !type.getElementType().isF16() ||
      llvm::none_of(profile.getMatrixShapes(), [](const MatrixShape &shape) {
        return shape.factors == "f16";
      }))
    return false;
  auto innermost = static_cast<unsigned>(
      getInnermostDim(cast<RankedTensorType>(consumer.getResult(0).getType())));
  double terms = 0;
  for (Read read : getDistinct(consumerReads)) {
    std::optional<double> trips = getTripCount(read.extract);
    SmallVector<Value> counters;
    for (Operation *loop = read.extract->getParentOp(); loop != consumer;
         loop = loop->getParentOp())
      if (auto counted = dyn_cast<scf::ForOp>(loop))
        counters.push_back(counted.getInductionVar());
    BodySlice slice(consumer, counters);
    if (!trips ||
        llvm::any_of(read.extract.getIndices(),
                     [&](Value index) { return failed(slice.add(index)); }) ||
        !slice.getDims().test(innermost))
      return false;
    terms += *trips;
  }
  // A thread unpacks 16 bytes of numbers at a time.
  constexpr double bitsOfNumber = 4,
                   packed = 8 * DeviceProfile::vectorBytes / bitsOfNumber;
  return std::fmod(terms, packed) == 0 &&
         static_cast<double>(countElements(consumer)) * terms <=
             static_cast<double>(cost::layout::tileRows) *
                 static_cast<double>(type.getNumElements());
}

bool Fusion::isProfitable(bool savesLaunches) {
  const DeviceSpeed &device = rows.profile.getSpeed();
  if (combinesRows(producer))
    return keepsRows();
  if (hasLoops(producer) && hasLongLoops(producer, device) && !fitsEpilogue())
    return false;
  std::optional<double> work = countWork(producer);
  if (!work)
    return false;
  if (isRange(producer))
    return true;
  // A producer that only moves elements, such as a transpose that has been
  // fused with a reshape, adds index arithmetic to its readers. Index
  // arithmetic costs little in contraction kernels, which load each factor once
  // for many sums. Such a producer is therefore fused into contractions.
  if (movesNeighbours(producer) && llvm::all_of(reads, [&](const auto &read) {
        return hasLoops(read.first) && !combinesRows(read.first) &&
               hasLongLoops(read.first, device);
      }))
    return true;
  int64_t size = countOps(producer);
  bool isPacked =
      isDequantization(producer) && (hasHalves() || !meetsWidening());
  if (isPacked)
    *work = std::min(*work, cost::sums::opsOfQuantizedFactor);
  llvm::SmallPtrSet<Value, 4> sources = getSources(producer);
  auto elements = static_cast<double>(type.getNumElements());

  // `computed` is the total number of times that elements of the producer are
  // computed after fusion. `perElement` is the largest number of elements of
  // the producer that are computed for one element of a consumer.
  double computed = 0, perElement = 0;
  for (auto &[consumer, consumerReads] : reads) {
    SmallVector<int64_t> sizes = consumer.getStaticLoopRanges();
    if (ShapedType::isDynamicShape(sizes))
      return false;
    // A fused producer computes its element again for each read. `count`
    // estimates the cost for one element of the consumer's output, as a number
    // of elements of the producer. A read in a loop of n iterations counts at
    // least n times. There is one exception: if a row kernel stores the
    // elements of a row, as a softmax does, a read in its loop counts once. The
    // kernel reads the n elements of a row once, for n elements of the output.
    bool isOfRows = combinesRows(consumer);
    if (isOfRows && hasLoops(producer))
      return false;
    // A body with two sums of products is not a contraction, so that its
    // threads would not share factors. A convolution and the convolution of the
    // shortcut around it, for example, must not be fused into one body.
    if (hasLoops(producer) && hasLoops(consumer) &&
        (hasLongLoops(producer, device) || hasLongLoops(consumer, device)))
      return false;
    std::optional<RowReduction> row;
    if (isOfRows && rows.isOn)
      row = RowReduction::match(consumer);
    double count = 0;
    // Reads of the same element share one computation.
    for (const Read &read : getDistinct(consumerReads)) {
      std::optional<double> trips = getTripCount(read.extract);
      if (!trips)
        return false;
      if (row && *trips > 1)
        count += row->elementDims.empty() ? *trips : 1;
      else
        count += *trips > 1 ? *trips * cost::fusion::loopFactor : 1;
    }
    // A consumer that updates a cache in place computes only the new elements,
    // each of them once. A matrix kernel whose tile has all rows unpacks each
    // factor of its columns once.
    if ((consumer->hasAttr(updateAttrName) && !hasLoops(producer)) ||
        (isPacked && unpacksOnce(consumer, consumerReads))) {
      computed += elements;
      if (!fits(consumer, consumerReads, size))
        return false;
      continue;
    }
    perElement = std::max(perElement, count);
    // Fusion must not move expensive work from many threads to few. For
    // example, a producer of partial sums occupies the device, whereas the
    // consumer that adds them up may have too few threads.
    int64_t consumed = llvm::product_of(sizes);
    if (consumed < std::min(type.getNumElements(), device.getEnoughThreads()) &&
        count > 1 && *work > cost::fusion::getFreeOps(device))
      return false;
    for (int64_t size : sizes)
      count *= static_cast<double>(size);
    computed += count;

    if (!fits(consumer, consumerReads, size))
      return false;
  }

  // The cycles that fusion costs, since readers compute elements of the
  // producer more than once.
  double recomputed = (computed - elements) * *work / device.getOpsPerCycle();
  // A producer that fits one workgroup takes little more than the time of its
  // launch. Fusion saves this time. In a chain of such producers, however, each
  // fused producer would compute all producers before it again. A recurrent
  // network has such a chain: each state is selected from three tensors, one of
  // which is the state before. A producer that reads more than two tensors is
  // therefore not fused to save its launch.
  constexpr size_t mostSources = 2;
  if (savesLaunches && !hasLoops(producer) && sources.size() <= mostSources &&
      type.getNumElements() <= DeviceProfile::workgroupSize &&
      recomputed <= device.launchCycles)
    return true;
  // Fusion saves one write of the result, and one read by each consumer. In
  // return, each consumer reads the sources of the producer. Without fusion,
  // only the producer reads them.
  auto consumers = static_cast<double>(reads.size());
  double saved = getBytes(producer.getResult(0)) * (1 + consumers);
  for (Value source : sources)
    saved -= getBytes(source) * (consumers - 1);
  if (saved <= 0)
    return false;
  // Fusion is worthwhile if the operations that are computed again take few
  // cycles, compared with the cycles of the saved traffic.
  return perElement * *work <= cost::fusion::getFreeOps(device) ||
         recomputed <=
             cost::fusion::recomputedTimes * saved * device.getCyclesPerByte();
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

namespace {
/// Computes the ranges of index values in the body of a generic. (Upstream's
/// integer range analysis does not support linalg.index.)
class IndexRanges {
public:
  explicit IndexRanges(linalg::GenericOp op)
      : sizes(op.getStaticLoopRanges()) {}

  ConstantIntRanges get(Value value) {
    auto found = ranges.find(value);
    if (found != ranges.end())
      return found->second;
    return ranges.try_emplace(value, infer(value)).first->second;
  }

private:
  ConstantIntRanges infer(Value value) {
    unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
    if (auto index = value.getDefiningOp<linalg::IndexOp>())
      return ConstantIntRanges::fromUnsigned(
          APInt(width, 0), APInt(width, sizes[index.getDim()] - 1));
    ConstantIntRanges result = ConstantIntRanges::maxRange(width);
    auto op = value.getDefiningOp<InferIntRangeInterface>();
    if (!op || !llvm::all_of(op->getOperandTypes(),
                             [](Type type) { return type.isIntOrIndex(); }))
      return result;
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    op.inferResultRanges(operands,
                         [&](Value inferred, const ConstantIntRanges &range) {
                           if (inferred == value)
                             result = range;
                         });
    return result;
  }

  SmallVector<int64_t> sizes;
  llvm::DenseMap<Value, ConstantIntRanges> ranges;
};
} // namespace

/// Builds the coordinates in the operand of `reshape` of the element that has
/// the coordinates `indices` in the result of `reshape`.
static SmallVector<Value> reverseReshape(ImplicitLocOpBuilder &b,
                                         Operation *reshape,
                                         ValueRange indices) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
  auto groups =
      collapse ? collapse.getReassociationIndices()
               : cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices();
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(collapse ? reshape->getOperand(0).getType()
                                      : reshape->getResult(0).getType())
          .getShape();
  SmallVector<Value> coordinates;
  if (!collapse) {
    for (ArrayRef<int64_t> group : groups) {
      Value linear = constant(0);
      for (int64_t dim : group) {
        linear = b.createOrFold<arith::MulIOp>(linear, constant(sizes[dim]));
        linear = b.createOrFold<arith::AddIOp>(linear, indices[dim]);
      }
      coordinates.push_back(linear);
    }
    return coordinates;
  }
  coordinates.assign(sizes.size(), constant(0));
  for (auto [index, group] : llvm::zip_equal(indices, groups)) {
    // The first dimension with more than one element is the last quotient and
    // needs no remainder.
    ArrayRef<int64_t> dims(group);
    dims = dims.drop_until([&](int64_t dim) { return sizes[dim] > 1; });
    if (dims.empty())
      continue;
    Value rest = index;
    for (int64_t dim : llvm::reverse(dims.drop_front())) {
      Value size = constant(sizes[dim]);
      coordinates[dim] = b.createOrFold<arith::RemUIOp>(rest, size);
      rest = b.createOrFold<arith::DivUIOp>(rest, size);
    }
    coordinates[dims.front()] = rest;
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// Replaces `read` by the body of `generic`, which computes the tensor that
/// `read` reads directly or through reshapes.
static void inlineBody(IRRewriter &rewriter, linalg::GenericOp generic,
                       const Read &read, IndexRanges &ranges) {
  tensor::ExtractOp extract = read.extract;
  ImplicitLocOpBuilder b(extract.getLoc(), extract);
  SmallVector<Value> indices;
  for (auto [index, size] : llvm::zip_equal(
           extract.getIndices(), extract.getTensor().getType().getShape())) {
    // A read is never out of bounds: each index is less than the size of its
    // dimension. The divisions that the producer's body makes of its
    // coordinates, and the proof that indices fit into 32 bits, rely on this
    // bound. Where the index arithmetic does not imply the bound, a minimum of
    // the index and the size - 1 states it.
    bool shown = ranges.get(index).umax().ult(size);
    indices.push_back(
        shown ? index
              : b.createOrFold<arith::MinUIOp>(
                    index, arith::ConstantIndexOp::create(b, size - 1)));
  }
  for (Operation *reshape : llvm::reverse(read.reshapes))
    indices = reverseReshape(b, reshape, indices);

  Block *body = generic.getBody();
  body->walk([&](linalg::IndexOp index) {
    rewriter.replaceOp(index, indices[index.getDim()]);
  });
  Operation *yield = body->getTerminator();
  Value element = yield->getOperand(0);
  rewriter.eraseOp(yield);
  extract->getBlock()->getOperations().splice(extract->getIterator(),
                                              body->getOperations());
  rewriter.replaceOp(extract, element);
}

void dml::joinLabels(linalg::GenericOp producer, linalg::GenericOp consumer) {
  llvm::SetVector<StringRef> names;
  for (linalg::GenericOp op : {producer, consumer})
    if (auto label = op->getAttrOfType<StringAttr>(labelAttrName))
      for (StringRef name : llvm::split(label.getValue(), '+'))
        names.insert(name);
  if (!names.empty())
    consumer->setAttr(labelAttrName, StringAttr::get(consumer.getContext(),
                                                     llvm::join(names, "+")));
  consumer->setLoc(FusedLoc::get(consumer.getContext(),
                                 {consumer.getLoc(), producer.getLoc()}));
}

void dml::hoistFromLoops(linalg::GenericOp op) {
  op.getBody()->walk([](LoopLikeOpInterface loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(),
        [&](Value value, Region *) {
          return loop.isDefinedOutsideOfLoop(value);
        },
        [](Operation *nested, Region *) {
          return isMemoryEffectFree(nested) &&
                 !nested->hasTrait<OpTrait::IsTerminator>();
        },
        [&](Operation *nested, Region *) { loop.moveOutOfLoop(nested); });
  });
}

/// Replaces the reads of `consumer` by the body of the producer. The last read
/// of the last consumer (`isLast`) uses the producer's body itself, and all
/// other reads use copies.
void Fusion::inlineInto(IRRewriter &rewriter, DominanceInfo &dominance,
                        linalg::GenericOp consumer,
                        ArrayRef<Read> consumerReads, bool isLast) {
  IndexRanges ranges(consumer);
  size_t left = consumerReads.size();
  for (const Read &read : consumerReads) {
    linalg::GenericOp body = producer;
    if (--left > 0 || !isLast) {
      rewriter.setInsertionPoint(producer);
      body = cast<linalg::GenericOp>(rewriter.clone(*producer));
    }
    inlineBody(rewriter, body, read, ranges);
    if (body != producer)
      body->erase();
  }
  bool isOfRows = combinesRows(producer) || combinesRows(consumer);
  if (isOfRows)
    hoistFromLoops(consumer);
  if (isOfRows || consumerReads.size() > 1)
    eliminateCommonSubExpressions(rewriter, dominance, consumer);
}

bool RowPolicy::allows(linalg::GenericOp op) const {
  std::optional<RowReduction> reduction = RowReduction::match(op);
  if (!isOn || !reduction || (!isForced && !reduction->isWorthwhile()))
    return false;
  // A thread of a row kernel computes a vector of elements, with a copy of the
  // body for each element. A body whose copies would be too long does not
  // become a row kernel.
  int64_t bits = cast<RankedTensorType>(op.getResult(0).getType())
                     .getElementTypeBitWidth();
  if (!isForced &&
      !reduction->canWriteOut(DeviceProfile::vectorBytes * 8 / bits))
    return false;
  // A tensor whose element type the device lacks becomes a tensor of 32-bit
  // words later (dml-emulate-types). A row of words has another length than the
  // row of elements that `reduction` describes, so that a row kernel is not
  // allowed.
  auto isThere = [&](Value tensor) {
    return profile.includes(DeviceProfile::getRequired(
        cast<RankedTensorType>(tensor.getType()).getElementType(),
        /*isStored=*/true));
  };
  return isThere(op.getResult(0)) && llvm::all_of(getSources(op), isThere);
}

/// Whether `fused`, into which the reduction `own` has been fused, waits longer
/// than the launch that fusion saves. Each nest of loops that fusion adds waits
/// for its first loads and for the exchange of its results. For example, a
/// convolution reads the averages of 16 channels of 56x56 elements. A fused
/// kernel has one workgroup, which computes the averages in 16 nests, one after
/// the other, and takes 12 us on an H200. Two kernels take 4 us each.
static bool waitsForNests(const RowReduction &own, const RowReduction &fused,
                          const DeviceSpeed &device) {
  double added = static_cast<double>(fused.nests.size()) -
                 static_cast<double>(own.nests.size());
  return added * (device.memoryCycles + device.barrierCycles) >
         device.launchCycles;
}

/// Whether the producer, a reduction of rows, may be fused into its readers.
/// Each reader must become a row kernel. To find out, the function fuses a copy
/// of the reader and matches the result. In addition, fusion must not let the
/// rows be read more often. After fusion, each reader reduces the rows itself,
/// and the producer no longer reads them. A reader causes no additional read if
/// it has read the rows before and can hold a row in registers. At most one
/// reader may cause an additional read, in place of the producer's read.
bool Fusion::keepsRows() {
  int64_t size = countOps(producer), timesRead = 0;
  llvm::SmallPtrSet<Value, 4> sources = getSources(producer);
  if (!rows.isOn)
    return false;
  std::optional<RowReduction> own = RowReduction::match(producer);
  for (auto &[consumer, consumerReads] : reads) {
    if (!fits(consumer, consumerReads, size))
      return false;
    IRRewriter rewriter(consumer);
    DominanceInfo dominance;
    IRMapping mapping;
    auto copy = cast<linalg::GenericOp>(rewriter.clone(*consumer, mapping));
    SmallVector<Read> copiedReads;
    for (Read read : consumerReads)
      copiedReads.push_back({mapping.lookup(read.extract.getResult())
                                 .getDefiningOp<tensor::ExtractOp>(),
                             read.reshapes});
    inlineInto(rewriter, dominance, copy, copiedReads, /*isLast=*/false);
    std::optional<RowReduction> row;
    if (rows.allows(copy))
      row = RowReduction::match(copy);
    rewriter.eraseOp(copy);
    if (!row || (own && !rows.isForced &&
                 waitsForNests(*own, *row, rows.profile.getSpeed())))
      return false;
    bool isRead = llvm::any_of(getSources(consumer), [&](Value source) {
      return sources.contains(source);
    });
    timesRead += !(isRead && row->fitsWorkgroup());
  }
  return timesRead <= 1;
}

bool Fusion::readsWhatReaderReads() {
  if (reads.size() != 1 || hasLoops(producer))
    return false;
  llvm::SmallPtrSet<Value, 4> sources = getSources(producer);
  return llvm::any_of(getSources(reads.front().first), [&](Value source) {
    return source.getDefiningOp<linalg::GenericOp>() &&
           sources.contains(source);
  });
}

void Fusion::apply(IRRewriter &rewriter, DominanceInfo &dominance) {
  // Arithmetic in f16 has the same bits and needs no rounding by itself.
  if (hasHalves() && meetsWidening()) {
    computeInHalves(producer);
    for (auto &[consumer, consumerReads] : reads)
      computeInHalves(consumer);
  }
  size_t left = reads.size();
  for (auto &[consumer, consumerReads] : reads) {
    joinLabels(producer, consumer);
    inlineInto(rewriter, dominance, consumer, consumerReads, --left == 0);
  }
  for (Operation *reshape : reshapes)
    rewriter.eraseOp(reshape);
  producer->erase();
}

/// Whether a reader of `join`, a concatenation, reduces rows to fewer elements.
/// After fusion, a thread of this reader would branch before each load, to
/// choose between the inputs of the concatenation, and would wait for each
/// load. An example is the mean of 64 positions of 2,048 channels, which come
/// from four tensors. It takes 80 us on an H100, and 4 us where they are in one
/// tensor.
static bool isReduced(linalg::GenericOp join) {
  return llvm::any_of(join->getUsers(), [&](Operation *user) {
    auto reader = user->getParentOfType<linalg::GenericOp>();
    return reader && combinesRows(reader) &&
           countElements(reader) < countElements(join);
  });
}

/// Replaces a concatenation of a few tensors by a generic, if the generic can
/// be fused into its readers. In other concatenations, the producers of the
/// inputs write directly into the result, by a later pass.
static void joinWhereRead(IRRewriter &rewriter, func::FuncOp function,
                          const RowPolicy &rows) {
  SmallVector<tensor::InsertSliceOp> inserts = getConcatenations(function);
  for (tensor::InsertSliceOp insert : llvm::reverse(inserts)) {
    int64_t axis;
    SmallVector<Value> inputs = getJoined(insert, axis);
    if (inputs.empty() || static_cast<int64_t>(inputs.size()) > maxJoinedInputs)
      continue;
    linalg::GenericOp generic = buildJoin(insert, inputs, axis);
    rewriter.replaceAllUsesWith(insert.getResult(), generic.getResult(0));
    Fusion fusion(generic, rows);
    if (isReduced(generic) || !fusion.isPossible() || !fusion.isProfitable()) {
      rewriter.replaceAllUsesWith(generic.getResult(0), insert.getResult());
      rewriter.eraseOp(generic);
      continue;
    }
    eraseUnused(rewriter, insert);
  }
}

namespace {
struct FuseProducers : dml::impl::FuseProducersBase<FuseProducers> {
  using FuseProducersBase::FuseProducersBase;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    RowPolicy rows;
    rows.isOn = rowTile != "none";
    rows.isForced = rows.isOn && rowTile != "auto";
    rows.profile = profile;
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    shareLayouts(rewriter, getOperation());
    joinWhereRead(rewriter, getOperation(), rows);
    SmallVector<linalg::GenericOp> producers;
    getOperation().walk([&](linalg::GenericOp op) { producers.push_back(op); });
    // Producers like the sigmoid in x * sigmoid(x) are fused first
    // (readsWhatReaderReads()). Once the generic of the product contains the
    // sigmoid, x has only one reader, and a later call of fuse() can fuse the
    // producer of x.
    auto fuse = [&](bool withWhatReadersRead, bool savesLaunches = false) {
      llvm::erase_if(producers, [&](linalg::GenericOp producer) {
        Fusion fusion(producer, rows);
        if (!fusion.isPossible() ||
            (withWhatReadersRead && !fusion.readsWhatReaderReads()) ||
            !fusion.isProfitable(savesLaunches))
          return false;
        fusion.apply(rewriter, dominance);
        return true;
      });
    };
    fuse(/*withWhatReadersRead=*/true);
    // Producers are visited in the order of the function, so that the body of a
    // producer already contains the bodies of its own producers.
    fuse(/*withWhatReadersRead=*/false);
    // The preceding call of fuse() may have fused several readers of a producer
    // into one generic, such as the product and the erf in x * (1 + erf(x /
    // sqrt(2))). The producer of x then has one reader, and is fused in this
    // call. Producers of few elements are fused only now, to save their
    // launches: fused earlier, they would make their readers too expensive to
    // be fused themselves.
    fuse(/*withWhatReadersRead=*/false, /*savesLaunches=*/true);
  }
};
} // namespace
