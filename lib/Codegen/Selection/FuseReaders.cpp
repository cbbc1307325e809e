//===- FuseReaders.cpp - Elements computed where their sums end -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A gated layer of a language model computes x * sigmoid(x) * y, where x and y
// are products of one row with two matrices. One kernel computes both products,
// since the matrices are stacked. A second kernel computes the elements x *
// sigmoid(x) * y, and takes little more than the time of its launch. This pass
// moves the body of the second kernel to the end of the first kernel, whose
// threads then compute both sums of an element.
//
// The pass dml-fuse-producers, which works on tensors, fuses such kernels where
// an element needs one sum and little work. This pass works on buffers, where
// models estimate the times of kernels for sums, and fuses where the estimated
// time decreases.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Contraction.h"
#include "Analysis/ElementMap.h"
#include "Graph/BodyFusion.h"
#include "Graph/Rounding.h"
#include "Selection/KernelKinds.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/LayoutAttr.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Target/FusionCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace dml {
#define GEN_PASS_DEF_FUSEREADERS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// The largest number of sums that an element of a fused kernel may need. An
/// LSTM cell needs four sums, one for each gate.
static constexpr size_t maxSums = 4;

static Value getOutput(linalg::GenericOp op) { return op.getOutputs().front(); }

/// Returns the buffer of which `buffer` is a view, or `buffer` itself.
static Value getRoot(Value buffer) {
  while (isBufferView(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

static bool isFree(linalg::GenericOp op) {
  return op.hasPureBufferSemantics() && isElementMap(op) &&
         !op->hasAttr(kernelAttrName) && !op->hasAttr(updateAttrName) &&
         !op->hasAttr(layoutAttrName);
}

//===----------------------------------------------------------------------===//
// Conditions of fusion
//===----------------------------------------------------------------------===//

/// Returns the only generic that reads the buffer of `producer`'s sums, if this
/// generic has no loops and follows `producer` in the same block. Returns null
/// otherwise.
static linalg::GenericOp findReader(linalg::GenericOp producer) {
  Value buffer = getOutput(producer);
  linalg::GenericOp reader;
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return reader;
  for (Operation *user : buffer.getUsers()) {
    if (user == producer)
      continue;
    auto parent = dyn_cast<linalg::GenericOp>(user->getParentOp());
    if (!isa<memref::LoadOp>(user) || !parent || (reader && reader != parent))
      return {};
    reader = parent;
  }
  bool isNext = reader && reader->getBlock() == producer->getBlock() &&
                producer->isBeforeInBlock(reader) && isFree(reader) &&
                reader.getBody()->getOps<scf::ForOp>().empty();
  return isNext ? reader : linalg::GenericOp();
}

/// Whether the buffers `first` and `second`, neither of which is a view, may
/// share memory. Different buffers share memory only if they are arguments of
/// the function that are marked as updated in place (inPlaceAttrName).
static bool mayAlias(Value first, Value second) {
  auto isInPlace = [](Value buffer) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    auto function =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    return function &&
           function.getArgAttr(argument.getArgNumber(), inPlaceAttrName);
  };
  return first == second || (isInPlace(first) && isInPlace(second));
}

/// Returns the roots of the buffers that the body of `op` reads.
static llvm::SmallSetVector<Value, 8> getSources(linalg::GenericOp op) {
  llvm::SmallSetVector<Value, 8> sources;
  op.getBody()->walk(
      [&](memref::LoadOp load) { sources.insert(getRoot(load.getMemRef())); });
  return sources;
}

/// Whether `producer` would read the same values if it stood in the place of
/// `reader`: neither `reader` nor an operation between the two writes to a
/// buffer that `producer` reads.
static bool canMove(linalg::GenericOp producer, linalg::GenericOp reader) {
  llvm::SmallSetVector<Value, 8> sources = getSources(producer);
  for (Operation *op = producer->getNextNode();; op = op->getNextNode()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      Value written = getRoot(getOutput(generic));
      if (llvm::any_of(sources,
                       [&](Value source) { return mayAlias(source, written); }))
        return false;
    } else if (!isa<memref::AllocOp>(op) && !isMemoryEffectFree(op)) {
      return false;
    }
    if (op == reader)
      return true;
  }
}

/// Whether the fused kernel can start as early as `producer` can. The reader
/// may also read a buffer that is ready only after a longer chain of kernels,
/// such as another product. The fused kernel would wait for this buffer, and
/// compute the producer's sums only afterwards, whereas a kernel of their own
/// computes them meanwhile.
static bool savesWait(linalg::GenericOp producer, linalg::GenericOp reader) {
  // For each buffer, the number of kernels in the longest chain of kernels that
  // run one after the other to compute the buffer.
  llvm::DenseMap<Value, int64_t> waits;
  int64_t before = 0;
  for (Operation &op : *producer->getBlock()) {
    int64_t most = 0;
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      for (Value source : getSources(generic))
        if (source != getOutput(producer))
          most = std::max(most, waits.lookup(source));
      if (&op == reader)
        return most <= before;
      if (&op == producer)
        before = most;
      Value written = getRoot(getOutput(generic));
      waits[written] = std::max(waits.lookup(written), most + 1);
    } else if (!isMemoryEffectFree(&op)) {
      // A loop may read and write each buffer that its body uses.
      llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
      getUsedValuesDefinedAbove(op.getRegions(), used);
      for (Value each : used)
        most = std::max(most, waits.lookup(getRoot(each)));
      for (Value each : used)
        waits[getRoot(each)] = most + 1;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The fused body
//===----------------------------------------------------------------------===//

namespace {
/// Builds a copy of the reader that computes the producer's sums instead of
/// loading them. If an element of the reader needs several sums, one nest of
/// loops computes all of them.
class FusedReader {
public:
  FusedReader(linalg::GenericOp producer, linalg::GenericOp reader)
      : producer(producer), reader(reader), rewriter(reader) {}
  ~FusedReader() {
    if (fused)
      rewriter.eraseOp(fused);
  }

  /// Builds the copy in front of the reader. Returns null if the index of a sum
  /// depends on loaded numbers, if an element needs more than `maxSums` sums,
  /// or if the copy would compute more sums than the producer does.
  linalg::GenericOp build();
  /// Replaces the producer and the reader by the copy, and returns the copy.
  linalg::GenericOp apply();

private:
  bool collectPlaces();
  Value moveIndex(Value index);
  void cloneBlock(Block &block);
  void cloneOp(Operation &op);
  void cloneLoop(scf::ForOp loop);

  linalg::GenericOp producer, reader, fused;
  IRRewriter rewriter;
  /// The coordinates of the sums that an element of the reader needs, and the
  /// loads of each of these sums.
  SmallVector<SmallVector<Value>> places;
  SmallVector<SmallVector<memref::LoadOp>> loads;
  /// For each index of a load, the equal value that is computed at the
  /// beginning of the body.
  llvm::DenseMap<Value, Value> moved;
  /// For each sum, the clones of the values of the producer's body.
  SmallVector<IRMapping> values;
};
} // namespace

/// Copies the operations that compute `index` to the beginning of the body and
/// returns the copy's result. Returns null if `index` depends on anything but
/// coordinates.
Value FusedReader::moveIndex(Value index) {
  if (!fused.getRegion().isAncestor(index.getParentRegion()))
    return index;
  if (Value known = moved.lookup(index))
    return known;
  Operation *op = index.getDefiningOp();
  if (!op || op->getNumRegions() || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return Value();
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value before = moveIndex(operand);
    if (!before)
      return Value();
    mapping.map(operand, before);
  }
  return moved[index] = rewriter.clone(*op, mapping)->getResult(0);
}

/// Collects the different sums that an element of the copy loads. Returns false
/// if there are more than `maxSums`, if all elements together need more sums
/// than the producer computes, or if an index of a sum cannot be computed at
/// the beginning of the body.
bool FusedReader::collectPlaces() {
  SmallVector<memref::LoadOp> all;
  fused.getBody()->walk([&](memref::LoadOp load) {
    if (load.getMemRef() == getOutput(producer))
      all.push_back(load);
  });
  rewriter.setInsertionPointToStart(fused.getBody());
  for (memref::LoadOp load : all) {
    SmallVector<Value> place;
    for (Value index : load.getIndices()) {
      place.push_back(moveIndex(index));
      if (!place.back())
        return false;
    }
    auto *known = llvm::find(places, place);
    size_t number = known - places.begin();
    if (known == places.end()) {
      places.push_back(place);
      loads.emplace_back();
    }
    loads[number].push_back(load);
  }
  // No sum is computed twice.
  auto getCount = [](linalg::GenericOp op) {
    return cast<MemRefType>(getOutput(op).getType()).getNumElements();
  };
  auto count = static_cast<int64_t>(places.size());
  return places.size() <= maxSums &&
         count * getCount(reader) <= getCount(producer);
}

/// Clones `op`, an operation of the producer's body, for each sum. If all
/// operands of a clone would be those of the first sum's clone, the sum shares
/// that clone.
void FusedReader::cloneOp(Operation &op) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    for (auto [mapping, place] : llvm::zip_equal(values, places))
      mapping.map(index.getResult(), place[index.getDim()]);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return cloneLoop(loop);
  IRMapping &first = values.front();
  rewriter.clone(op, first);
  for (IRMapping &mapping : MutableArrayRef(values).drop_front()) {
    bool isSame = llvm::all_of(op.getOperands(), [&](Value operand) {
      return mapping.lookupOrDefault(operand) == first.lookupOrDefault(operand);
    });
    if (!isSame) {
      rewriter.clone(op, mapping);
      continue;
    }
    for (Value result : op.getResults())
      mapping.map(result, first.lookup(result));
  }
}

void FusedReader::cloneBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    cloneOp(op);
}

/// Builds one loop that carries the values of all sums, in the place of one
/// loop for each sum.
void FusedReader::cloneLoop(scf::ForOp loop) {
  SmallVector<Value> init;
  for (IRMapping &mapping : values)
    for (Value each : loop.getInitArgs())
      init.push_back(mapping.lookupOrDefault(each));
  IRMapping &first = values.front();
  auto joined = scf::ForOp::create(rewriter, loop.getLoc(),
                                   first.lookupOrDefault(loop.getLowerBound()),
                                   first.lookupOrDefault(loop.getUpperBound()),
                                   first.lookupOrDefault(loop.getStep()), init);
  joined->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  size_t count = loop.getNumResults();
  for (auto [number, mapping] : llvm::enumerate(values)) {
    mapping.map(loop.getInductionVar(), joined.getInductionVar());
    mapping.map(loop.getRegionIterArgs(),
                joined.getRegionIterArgs().slice(number * count, count));
    mapping.map(loop.getResults(),
                joined.getResults().slice(number * count, count));
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(joined.getBody());
  cloneBlock(*loop.getBody());
  SmallVector<Value> yielded;
  for (IRMapping &mapping : values)
    for (Value each : loop.getYieldedValues())
      yielded.push_back(mapping.lookupOrDefault(each));
  scf::YieldOp::create(rewriter, loop.getLoc(), yielded);
}

linalg::GenericOp FusedReader::build() {
  fused = cast<linalg::GenericOp>(rewriter.clone(*reader));
  if (!collectPlaces())
    return {};
  values.resize(places.size());
  rewriter.setInsertionPoint(fused);
  auto copy = cast<linalg::GenericOp>(rewriter.clone(*producer));
  if (needsRounding(producer, reader))
    roundExplicitly(copy);
  Operation *behindIndices = nullptr;
  for (Operation &op : *fused.getBody()) {
    if (llvm::none_of(moved, [&](auto pair) {
          return pair.second.getDefiningOp() == &op;
        }))
      break;
    behindIndices = &op;
  }
  if (behindIndices)
    rewriter.setInsertionPointAfter(behindIndices);
  else
    rewriter.setInsertionPointToStart(fused.getBody());
  cloneBlock(*copy.getBody());
  Value yielded = copy.getBody()->getTerminator()->getOperand(0);
  for (auto [mapping, ofPlace] : llvm::zip_equal(values, loads))
    for (memref::LoadOp load : ofPlace)
      rewriter.replaceOp(load, mapping.lookupOrDefault(yielded));
  rewriter.eraseOp(copy);
  dropWidening(rewriter, fused);
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, fused);
  joinLabels(producer, fused);
  return fused;
}

linalg::GenericOp FusedReader::apply() {
  Operation *buffer = getOutput(producer).getDefiningOp();
  rewriter.eraseOp(reader);
  rewriter.eraseOp(producer);
  rewriter.eraseOp(buffer);
  return std::exchange(fused, {});
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// Returns the cycles that the body of `reader` adds at the end of a kernel of
/// sums. A subgroup computes few elements there, so that no other work fills
/// the time in which an operation waits for the result of the one before.
static double getTimeOfElements(linalg::GenericOp reader,
                                const DeviceProfile &profile) {
  double work = 0;
  reader.getBody()->walk([&](Operation *op) { work += cost::getWeight(op); });
  double elements = static_cast<double>(
      cast<MemRefType>(getOutput(reader).getType()).getNumElements());
  double turns =
      std::ceil(elements / (profile.getSpeed().multiprocessors *
                            static_cast<double>(profile.getThreadsTogether())));
  return turns * work * cost::fusion::cyclesOfLastOp;
}

/// Fuses `producer`, which computes sums, into its only reader, if one kernel
/// is estimated to be faster than two. Returns the fused generic, or null.
static linalg::GenericOp tryFuse(linalg::GenericOp producer,
                                 const DeviceProfile &profile) {
  if (!isFree(producer))
    return {};
  linalg::GenericOp reader = findReader(producer);
  if (!reader || !canMove(producer, reader) || !savesWait(producer, reader))
    return {};
  std::optional<Contraction> apart = Contraction::match(producer);
  double ofElements = getTimeOfElements(reader, profile);
  double launch = profile.getSpeed().launchCycles;
  if (!apart || ofElements >= launch)
    return {};
  FusedReader fusion(producer, reader);
  linalg::GenericOp fused = fusion.build();
  if (!fused)
    return {};
  std::optional<Contraction> together = Contraction::match(fused);
  if (!together)
    return {};
  double before = estimateCycles({producer, profile, &*apart}) + launch,
         after = estimateCycles({fused, profile, &*together}) + ofElements;
  return after < before ? fusion.apply() : linalg::GenericOp();
}

namespace {
struct FuseReaders : dml::impl::FuseReadersBase<FuseReaders> {
  using FuseReadersBase::FuseReadersBase;

  void runOnOperation() override {
    // The estimates hold for the kernels that are chosen by their time, and not
    // for kernels that the options request.
    if (contractionTile != "auto" || matrixTile != "auto")
      return;
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (linalg::GenericOp op : generics) {
      if (erased.contains(op))
        continue;
      linalg::GenericOp reader = findReader(op);
      if (tryFuse(op, profile))
        erased.insert(reader);
    }
  }
};
} // namespace
