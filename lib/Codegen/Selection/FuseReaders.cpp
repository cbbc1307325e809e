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
// If several kernels read the sums, each of them computes the sums that its
// elements need. In a step of an LSTM, for example, one kernel reads the sums
// of the gates and writes the state of the cell, and a second kernel reads the
// sums and that state and writes the output. The pass first copies the body
// that computes the state into the second kernel, which then waits for the sums
// alone. It then moves the sums into both kernels, which start at the same time
// and wait for nothing but the step before.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Contraction.h"
#include "Analysis/ElementMap.h"
#include "Graph/BodyFusion.h"
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
#include "mlir/Interfaces/DataLayoutInterfaces.h"
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

static bool hasLoops(linalg::GenericOp op) {
  return !op.getBody()->getOps<scf::ForOp>().empty();
}

static bool isFree(linalg::GenericOp op) {
  return op.hasPureBufferSemantics() && isElementMap(op) &&
         !op->hasAttr(kernelAttrName) && !op->hasAttr(updateAttrName) &&
         !op->hasAttr(layoutAttrName);
}

//===----------------------------------------------------------------------===//
// Conditions of fusion
//===----------------------------------------------------------------------===//

/// Returns the generics that read the buffer which `producer` computes, in the
/// order of the block. Returns nothing if the buffer has any other use. The
/// generics must stand behind `producer` in its block, and must compute each
/// element from its coordinates (isElementMap()) without loops.
static SmallVector<linalg::GenericOp> findReaders(linalg::GenericOp producer) {
  llvm::SmallSetVector<linalg::GenericOp, 4> readers;
  for (Operation *user : getOutput(producer).getUsers()) {
    if (user == producer)
      continue;
    auto reader = dyn_cast<linalg::GenericOp>(user->getParentOp());
    if (!isa<memref::LoadOp>(user) || !reader ||
        reader->getBlock() != producer->getBlock() ||
        !producer->isBeforeInBlock(reader) || !isFree(reader) ||
        hasLoops(reader))
      return {};
    readers.insert(reader);
  }
  SmallVector<linalg::GenericOp> sorted = readers.takeVector();
  llvm::sort(sorted, [](linalg::GenericOp first, linalg::GenericOp second) {
    return first->isBeforeInBlock(second);
  });
  return sorted;
}

/// Whether the buffer that `op` computes is allocated in the function. No other
/// function then reads the buffer.
static bool writesTemporary(linalg::GenericOp op) {
  return getOutput(op).getDefiningOp<memref::AllocOp>();
}

/// Whether the buffers `first` and `second`, neither of which is a view, may
/// share memory. Two different buffers share memory only if both are arguments
/// of the function that are marked as updated in place (inPlaceAttrName).
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
/// `reader`. The function requires that neither `reader` nor an operation
/// between the two writes to a buffer that `producer` reads.
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
/// such as another product. The fused kernel would wait for this buffer before
/// it computes the producer's sums. Without fusion, the sums are computed in
/// the meantime.
static bool savesWait(linalg::GenericOp producer, linalg::GenericOp reader) {
  // `waits` has, for each buffer, the length of the longest chain of kernels
  // that must run one after the other to compute the buffer.
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
      // Any other operation with effects, such as a loop, counts as a kernel
      // that reads and writes each buffer that the operation uses.
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
  /// Replaces the reader by the copy. The producer stays.
  void apply();

private:
  bool collectPlaces();
  Value moveIndex(Value index);
  void cloneBlock(Block &block);
  void cloneOp(Operation &op);
  void cloneLoop(scf::ForOp loop);

  linalg::GenericOp producer, reader, fused;
  IRRewriter rewriter;
  /// `places` has the coordinates of each sum that an element of the reader
  /// needs, and `loads` has the reader's loads of this sum.
  SmallVector<SmallVector<Value>> places;
  SmallVector<SmallVector<memref::LoadOp>> loads;
  /// The sums, and therefore the indices of their loads, are computed at the
  /// beginning of the fused body. The map leads from an index in the reader's
  /// body to the copy of this index at the beginning.
  llvm::DenseMap<Value, Value> moved;
  /// For each sum, a map from the values of the producer's body to their
  /// clones.
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
/// in three cases: there are more than `maxSums` sums, all elements together
/// need more sums than the producer computes, or an index of a sum cannot be
/// computed at the beginning of the body.
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
  // The fused kernel must not compute more sums than the producer, so that no
  // sum is computed twice.
  auto getCount = [](linalg::GenericOp op) {
    return cast<MemRefType>(getOutput(op).getType()).getNumElements();
  };
  auto count = static_cast<int64_t>(places.size());
  return places.size() <= maxSums &&
         count * getCount(reader) <= getCount(producer);
}

/// Clones `op`, an operation of the producer's body, once for each of the sums
/// from which the reader computes an element. If a clone would have the same
/// operands as the clone for the first sum, the sum uses the first clone. The
/// load of the row's factor, for example, is the same for all sums.
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

/// Builds one loop that carries the values of all sums, instead of one loop for
/// each sum.
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
  cloneBlock(*producer.getBody());
  Value yielded = producer.getBody()->getTerminator()->getOperand(0);
  for (auto [mapping, ofPlace] : llvm::zip_equal(values, loads))
    for (memref::LoadOp load : ofPlace)
      rewriter.replaceOp(load, mapping.lookupOrDefault(yielded));
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, fused);
  joinLabels(producer, fused);
  return fused;
}

void FusedReader::apply() {
  rewriter.eraseOp(reader);
  fused = {};
}

/// Erases `op` and the buffer that it computes, which no other operation reads.
static void eraseWithBuffer(linalg::GenericOp op) {
  Operation *buffer = getOutput(op).getDefiningOp();
  op->erase();
  buffer->erase();
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// Returns how many subgroups each multiprocessor runs, one after the other, to
/// compute all elements of `op` with one thread for each element.
static double countTurns(linalg::GenericOp op, const DeviceProfile &profile) {
  return std::ceil(static_cast<double>(countElements(op)) /
                   (profile.getSpeed().multiprocessors *
                    static_cast<double>(profile.getThreadsTogether())));
}

/// Returns the cycles by which a kernel becomes longer if it executes the body
/// of `op` in the end, for the elements that it has computed. A subgroup
/// computes few elements there, so that no other work hides the latency of the
/// body's operations.
static double getTimeOfElements(linalg::GenericOp op,
                                const DeviceProfile &profile) {
  double work = 0;
  op.getBody()->walk(
      [&](Operation *nested) { work += cost::getWeight(nested); });
  return countTurns(op, profile) * work * cost::fusion::cyclesOfLastOp;
}

/// Returns the cycles in which memory transfers the elements that the body of
/// `op`, which has no loops, loads for all elements of the output.
static double getTimeOfLoads(linalg::GenericOp op, const DeviceSpeed &device) {
  DataLayout layout = DataLayout::closest(op);
  double bytes = 0;
  op.getBody()->walk([&](memref::LoadOp load) {
    bytes += static_cast<double>(layout.getTypeSize(load.getType()));
  });
  return static_cast<double>(countElements(op)) * bytes *
         device.getCyclesPerByte();
}

/// Whether each of `readers` can compute the elements of `producer` itself, and
/// then waits for one kernel less.
static bool canFuse(linalg::GenericOp producer,
                    ArrayRef<linalg::GenericOp> readers) {
  return !readers.empty() &&
         llvm::all_of(readers, [&](linalg::GenericOp reader) {
           return canMove(producer, reader) && savesWait(producer, reader);
         });
}

/// Copies the body of `producer`, which has no loops, into all of its readers.
/// Each reader must then wait for one kernel less, and the copied body must
/// take less time than a launch. On a GPU, subgroups that would otherwise be
/// idle execute the copies. A device whose subgroups have more than one element
/// per thread to compute, such as a CPU, has no idle subgroups, and no body is
/// copied. Returns whether the body was copied and `producer` can be erased,
/// since no other operation reads its result.
static bool tryRepeat(linalg::GenericOp producer,
                      const DeviceProfile &profile) {
  SmallVector<linalg::GenericOp> readers = findReaders(producer);
  const DeviceSpeed &device = profile.getSpeed();
  double repeated =
      getTimeOfElements(producer, profile) + getTimeOfLoads(producer, device);
  if (countTurns(producer, profile) > 1 || repeated >= device.launchCycles ||
      !canFuse(producer, readers))
    return false;
  SmallVector<std::unique_ptr<FusedReader>> fusions;
  for (linalg::GenericOp reader : readers) {
    fusions.push_back(std::make_unique<FusedReader>(producer, reader));
    if (!fusions.back()->build())
      return false;
  }
  for (auto &fusion : fusions)
    fusion->apply();
  return writesTemporary(producer);
}

/// Moves `producer`, which computes sums, into its readers, if the readers are
/// estimated to be faster afterwards. Returns whether the sums were moved.
static bool tryFuse(linalg::GenericOp producer, const DeviceProfile &profile) {
  std::optional<Contraction> apart = Contraction::match(producer);
  if (!apart || !writesTemporary(producer))
    return false;
  SmallVector<linalg::GenericOp> readers = findReaders(producer);
  if (!canFuse(producer, readers))
    return false;
  const DeviceSpeed &device = profile.getSpeed();
  double before =
      estimateCycles({producer, profile, &*apart}) + device.launchCycles;
  // The readers that have been fused with the sums do not wait for each other.
  // They start at the same time, and the time to start a kernel counts once.
  double after = -device.kernelCycles * static_cast<double>(readers.size() - 1);
  SmallVector<std::unique_ptr<FusedReader>> fusions;
  for (linalg::GenericOp reader : readers) {
    after += getTimeOfElements(reader, profile);
    if (after >= before)
      return false;
    fusions.push_back(std::make_unique<FusedReader>(producer, reader));
    linalg::GenericOp fused = fusions.back()->build();
    if (!fused)
      return false;
    std::optional<Contraction> together = Contraction::match(fused);
    if (!together)
      return false;
    after += estimateCycles({fused, profile, &*together});
  }
  if (after >= before)
    return false;
  for (auto &fusion : fusions)
    fusion->apply();
  return true;
}

namespace {
struct FuseReaders : dml::impl::FuseReadersBase<FuseReaders> {
  using FuseReadersBase::FuseReadersBase;

  void runOnOperation() override {
    // The estimates hold only for kernels that are chosen by their time. The
    // pass does nothing if the options request kernels.
    if (contractionTile != "auto" || matrixTile != "auto")
      return;
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    // Generics without loops are fused first. Their readers may then wait for
    // the sums alone.
    for (bool areSums : {false, true})
      for (Block &block : getOperation().getBody())
        fuseIn(block, areSums, profile);
  }

  /// Fuses the generics of `block` into their readers: those that compute sums
  /// if `areSums` is true, and those without loops otherwise.
  static void fuseIn(Block &block, bool areSums, const DeviceProfile &profile) {
    for (Operation *op = &block.front(), *next = nullptr; op; op = next) {
      auto generic = dyn_cast<linalg::GenericOp>(op);
      bool isMeant = generic && isFree(generic) && areSums == hasLoops(generic);
      bool isDone = isMeant && (areSums ? tryFuse(generic, profile)
                                        : tryRepeat(generic, profile));
      // Fusion replaces the readers behind the generic, so that the next
      // operation is looked up afterwards.
      next = op->getNextNode();
      if (isDone)
        eraseWithBuffer(generic);
    }
  }
};
} // namespace
