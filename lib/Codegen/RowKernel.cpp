//===- RowKernel.cpp - Rows that a workgroup holds ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The threads of a row load its elements once, if they can hold them all, and
// combine what they have of each: first a thread its own, in the order of the
// row, then the threads theirs, through workgroup memory. After that each knows
// the result, and goes on with its elements: to the next combination of them,
// or to what is stored. A longer row is read again for each.
//
//===----------------------------------------------------------------------===//

#include "BodySlice.h"
#include "Launch.h"
#include "MapKernel.h"
#include "RowReduction.h"
#include "VectorPacker.h"
#include "dml/Codegen/CostModel.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

static constexpr int64_t numThreads = DeviceProfile::workgroupSize;

static MemRefType getOutputType(linalg::GenericOp op) {
  return cast<MemRefType>(op.getOutputs().front().getType());
}

/// Binds what loops count for element `element` of row `row`, and returns the
/// coordinates that the output has there.
static SmallVector<LinearForm> bindPlace(ImplicitLocOpBuilder &b,
                                         IndexForms &forms,
                                         TileBuilder &builder, MemRefType type,
                                         RowReduction &reduction, size_t lane,
                                         LinearForm row, LinearForm element) {
  SmallVector<LinearForm> coordinates(type.getRank());
  for (auto [i, dim] : llvm::reverse(llvm::enumerate(reduction.setDims))) {
    // The first dimension takes what is left.
    if (i == 0)
      coordinates[dim] = row;
    else
      std::tie(row, coordinates[dim]) =
          forms.divide(b, row, type.getDimSize(dim));
  }
  for (size_t i = reduction.sizes.size(); i-- > 0;) {
    LinearForm induction = element;
    if (i > 0)
      std::tie(element, induction) =
          forms.divide(b, element, reduction.sizes[i]);
    for (RowLoops &nest : reduction.nests)
      builder.bind(lane, nest.loops[i].getInductionVar(), induction);
    if (!reduction.elementDims.empty())
      coordinates[reduction.elementDims[i]] = induction;
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

/// The first load of a row whose place depends on coordinates alone, and what
/// computes it; none if there is no such load.
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

/// Whether `lanes` elements of a row, or of as many rows, are neighbours where
/// they are loaded first and where they are stored.
static bool areNeighbours(linalg::GenericOp op, RowReduction &reduction,
                          bool isAlongRow, int64_t lanes) {
  // What is built here is built for its forms alone.
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
  LinearForm element = getFirst(reduction.rowSize, isAlongRow ? lanes : 1);
  LinearForm row = getFirst(reduction.numRows, isAlongRow ? 1 : lanes);
  MemRefType type = getOutputType(op);
  SmallVector<SmallVector<LinearForm>> coordinates;
  for (int64_t lane = 0; lane < lanes; ++lane)
    coordinates.push_back(
        bindPlace(b, forms, builder, type, reduction, lane,
                  forms.add(b, row, isAlongRow ? 0 : lane),
                  forms.add(b, element, isAlongRow ? lane : 0)));
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
  if (isAlongRow && reduction.elementDims.empty())
    return true;
  places.clear();
  for (ArrayRef<LinearForm> at : coordinates)
    places.push_back(builder.linearize(type, at));
  return areInVector(places);
}

/// Workgroup memory that threads share what they carry in, two of each kind.
static int64_t getSharedBytes(RowReduction &reduction, int64_t lanes) {
  llvm::SmallSetVector<std::pair<Type, size_t>, 4> kinds;
  for (RowLoops &nest : reduction.nests)
    for (auto [i, type] : llvm::enumerate(nest.getResults().getTypes()))
      kinds.insert({type, i});
  int64_t bytes = 0;
  for (auto [type, i] : kinds)
    bytes += type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
  return 2 * lanes * numThreads * bytes;
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
  if (!reduction.elementDims.empty())
    layout.isAlongRow = reduction.setDims.empty() ||
                        reduction.elementDims.back() > reduction.setDims.back();
  else
    layout.isAlongRow =
        reduction.numRows == 1 ||
        areNeighbours(op, reduction, /*isAlongRow=*/true, /*lanes=*/2) ||
        !areNeighbours(op, reduction, /*isAlongRow=*/false, /*lanes=*/2);
  bool storesVectors = !layout.isAlongRow || !reduction.elementDims.empty();
  if (storesVectors)
    widest = std::max(widest, stored);
  int64_t count = layout.isAlongRow ? reduction.rowSize : reduction.numRows;
  for (int64_t lanes = DeviceProfile::vectorBytes / widest; lanes > 1;
       lanes /= 2) {
    bool canStore =
        lanes * stored >= 4 && lanes * stored <= getMaxVectorBytes(op);
    if (count % lanes || (storesVectors && !canStore) ||
        (!layout.isAlongRow &&
         getSharedBytes(reduction, lanes) > DeviceProfile::workgroupMemory) ||
        !areNeighbours(op, reduction, layout.isAlongRow, lanes))
      continue;
    layout.lanes = lanes;
    break;
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Vectors that a thread has at a time at most.
static int64_t getMaxVectors(const RowLayout &layout) {
  return std::max<int64_t>(cost::maxHeld / layout.lanes, 1);
}

RowTile dml::chooseRowTile(const RowReduction &reduction,
                           const RowLayout &layout) {
  int64_t items = layout.getItems(reduction),
          slots = layout.getSlots(reduction);
  int64_t most = std::clamp<int64_t>(cost::maxWrittenOutOps /
                                         (layout.lanes * reduction.countOps()),
                                     1, getMaxVectors(layout));
  int64_t wanted = std::min(cost::vectorsOfRow, most);
  // Threads side by side read so many bytes side by side.
  auto together = static_cast<int64_t>(llvm::bit_ceil(
      static_cast<uint64_t>(std::min(cost::threadsSideBySide, items))));
  RowTile tile = {1, 1};
  int64_t mostThreads = numThreads;
  if (layout.isAlongRow)
    tile.threads = together;
  else
    mostThreads = std::max<int64_t>(
        numThreads / static_cast<int64_t>(llvm::bit_ceil(static_cast<uint64_t>(
                         std::min(cost::threadsSideBySide, slots)))),
        1);
  while (tile.threads < mostThreads && tile.threads < items &&
         (llvm::divideCeilSigned(items, tile.threads) > wanted ||
          slots * tile.threads < DeviceProfile::enoughThreads))
    tile.threads *= 2;
  tile.vectors = llvm::divideCeilSigned(items, tile.threads);
  if (tile.vectors > most)
    tile.vectors = wanted;
  return tile;
}

std::string dml::findRowTileProblem(const RowLayout &layout,
                                    const RowTile &tile) {
  if (!llvm::isPowerOf2_64(tile.threads) || tile.threads > numThreads)
    return llvm::formatv(
        "has {0} threads, but wants a power of two of at most {1}",
        tile.threads, numThreads);
  if (tile.vectors > getMaxVectors(layout))
    return llvm::formatv(
        "has {0} vectors of {1} elements, but wants at most {2}", tile.vectors,
        layout.lanes, getMaxVectors(layout));
  return "";
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {
class KernelBuilder {
public:
  KernelBuilder(linalg::GenericOp op, RowReduction &reduction,
                const RowTile &tile)
      : b(op.getLoc(), op), op(op), reduction(reduction), tile(tile),
        layout(RowLayout::get(op, reduction)), type(getOutputType(op)),
        placement(getPlacement(op.getOutputs().front()).value_or(Placement())),
        numItems(layout.getItems(reduction)),
        numSlots(layout.getSlots(reduction)),
        slotsOfGroup(numThreads / tile.threads) {}

  void build();

private:
  using Forms = SmallVector<LinearForm>;
  /// What is carried for a row.
  using State = SmallVector<Value>;
  /// What is built for an item: it exists where the value is true, or always
  /// where that is null. Takes what is carried, and returns it for the next.
  using ItemFn = llvm::function_ref<SmallVector<Value>(
      TileBuilder &builder, LinearForm item, Value exists, ValueRange carried)>;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  SmallVector<Forms> bindItem(TileBuilder &builder, LinearForm item);
  SmallVector<Value> forEachItem(ValueRange init, ItemFn build);
  State combine(RowLoops &nest, State lhs, State rhs);
  State combineAll(RowLoops &nest, ArrayRef<State> states);
  void share(RowLoops &nest, SmallVector<State> &states);
  void buildResults(RowLoops &nest);
  void store(TileBuilder &builder, ArrayRef<Forms> coordinates,
             int64_t together, Value condition);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  RowReduction &reduction;
  const RowTile &tile;
  const RowLayout layout;
  const MemRefType type;
  /// Where the output is in the buffer that it may be a part of.
  const Placement placement;
  /// What a row has, rows or vectors of them, and how many of these a workgroup
  /// has.
  const int64_t numItems, numSlots, slotsOfGroup;

  gpu::LaunchOp launch;
  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// What is built for all items at once.
  std::optional<TileBuilder> whole;
  /// The thread's place among those of its row, and the row's among those of
  /// the workgroup and among all.
  LinearForm threadOfRow, slotOfGroup, slot;
  /// Whether the row is one, or null where all are.
  Value isWanted;
  /// What the loops have come to, in each lane.
  SmallVector<std::pair<Value, SmallVector<Value>>> results;
  /// Workgroup memory by its use.
  std::map<std::tuple<const void *, int64_t, size_t>, Value> memories;
  /// Combinations so far.
  int64_t numShared = 0;
};
} // namespace

/// Binds what is known of the item's elements, and returns their coordinates.
SmallVector<KernelBuilder::Forms> KernelBuilder::bindItem(TileBuilder &builder,
                                                          LinearForm item) {
  SmallVector<Forms> coordinates;
  bool isAlongRow = layout.isAlongRow;
  LinearForm element = forms->mul(b, item, isAlongRow ? layout.lanes : 1);
  LinearForm row = forms->mul(b, slot, isAlongRow ? 1 : layout.lanes);
  for (int64_t lane = 0; lane < layout.lanes; ++lane) {
    coordinates.push_back(
        bindPlace(b, *forms, builder, type, reduction, lane,
                  forms->add(b, row, isAlongRow ? 0 : lane),
                  forms->add(b, element, isAlongRow ? lane : 0)));
    for (auto &[result, values] : results)
      builder.bind(lane, result, values[lane]);
  }
  return coordinates;
}

/// Builds the thread's items: those that it has at a time side by side, in a
/// loop if that takes several rounds, and what is left of the row after it.
SmallVector<Value> KernelBuilder::forEachItem(ValueRange init, ItemFn build) {
  SmallVector<Value> carried(init);
  int64_t ofRound = tile.threads * tile.vectors;
  int64_t rounds = numItems / ofRound;
  // A row that the threads hold is one round.
  if (numItems <= ofRound)
    rounds = 0;
  auto getItem = [&](LinearForm first, int64_t number) {
    return forms->add(b, forms->add(b, first, threadOfRow),
                      number * tile.threads);
  };
  if (rounds > 0) {
    auto loop = scf::ForOp::create(b, constant(0), constant(rounds),
                                   constant(1), carried);
    IndexForms saved = *forms;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      TileBuilder builder(b, op, *forms, *views);
      LinearForm first = forms->mul(
          b, forms->getOpaque(loop.getInductionVar(), {0, rounds - 1}),
          ofRound);
      SmallVector<Value> next(loop.getRegionIterArgs());
      for (int64_t i = 0; i < tile.vectors; ++i)
        next = build(builder, getItem(first, i), /*exists=*/Value(), next);
      // A loop that carries nothing has its end from the beginning.
      if (!next.empty())
        scf::YieldOp::create(b, next);
    }
    *forms = std::move(saved);
    moveLoopInvariantCode(loop);
    carried = SmallVector<Value>(loop.getResults());
  }
  for (int64_t first = rounds * ofRound; first < numItems;
       first += tile.threads) {
    LinearForm item = getItem(first, 0);
    Value exists;
    if (first + tile.threads > numItems) {
      exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                     forms->materialize(b, item),
                                     constant(numItems));
      item = forms->min(b, item, numItems - 1);
    }
    carried = build(*whole, item, exists, carried);
  }
  return carried;
}

/// What two states come to.
KernelBuilder::State KernelBuilder::combine(RowLoops &nest, State lhs,
                                            State rhs) {
  for (auto [carried, element, left, right] :
       llvm::zip_equal(nest.getCarried(), nest.elements, lhs, rhs)) {
    whole->bind(0, carried, left);
    whole->bind(0, element, right);
  }
  whole->buildSlice(nest.combiner,
                    SmallVector<Forms>(1, Forms(type.getRank())));
  return llvm::map_to_vector<6>(nest.getCombined(), [&](Value value) {
    return whole->getBuilt(0, value);
  });
}

/// What `states`, a power of two of them, come to: pairs of neighbours first.
KernelBuilder::State KernelBuilder::combineAll(RowLoops &nest,
                                               ArrayRef<State> states) {
  if (states.size() == 1)
    return states.front();
  size_t half = states.size() / 2;
  State lhs = combineAll(nest, states.take_front(half));
  return combine(nest, lhs, combineAll(nest, states.drop_front(half)));
}

/// Combines the states of the threads of a row: each gets what they come to.
/// More than a few threads do so in two steps.
void KernelBuilder::share(RowLoops &nest, SmallVector<State> &states) {
  if (tile.threads == 1)
    return;
  constexpr int64_t maxAtOnce = 32, ofStep = 16;
  auto getPlace = [&](LinearForm thread, int64_t lane) {
    // Neighbouring threads have neighbouring places.
    LinearForm place =
        layout.isAlongRow
            ? forms->add(b, forms->mul(b, slotOfGroup, tile.threads), thread)
            : forms->add(b, forms->mul(b, thread, slotsOfGroup), slotOfGroup);
    return forms->materialize(b, forms->add(b, place, lane * numThreads));
  };
  auto lanes = static_cast<int64_t>(states.size());
  // Memory that is in use no more before it is used again: two steps take a
  // memory each, and one step takes two in turn.
  auto exchange = [&](int64_t use, Value condition, LinearForm thread,
                      LinearForm first, int64_t count) {
    SmallVector<Value> used;
    for (auto [i, value] : llvm::enumerate(states.front())) {
      Value &memory = memories[{value.getType().getAsOpaquePointer(), use, i}];
      if (!memory) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&launch.getBody().front());
        memory = allocateInWorkgroup(b, lanes * numThreads, value.getType());
      }
      used.push_back(memory);
    }
    {
      SmallVector<Value> places;
      for (int64_t lane = 0; lane < lanes; ++lane)
        places.push_back(getPlace(thread, lane));
      OpBuilder::InsertionGuard guard(b);
      if (condition)
        b.setInsertionPointToStart(scf::IfOp::create(b, condition).thenBlock());
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (auto [value, memory] : llvm::zip_equal(states[lane], used))
          memref::StoreOp::create(b, value, memory, places[lane]);
    }
    gpu::BarrierOp::create(b);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      SmallVector<State> others;
      for (int64_t i = 0; i < count; ++i) {
        State other;
        Value place = getPlace(forms->add(b, first, i), lane);
        for (Value memory : used)
          other.push_back(memref::LoadOp::create(b, memory, place));
        others.push_back(other);
      }
      states[lane] = combineAll(nest, others);
    }
  };
  if (tile.threads <= maxAtOnce) {
    exchange(numShared++ % 2, Value(), threadOfRow, 0, tile.threads);
    return;
  }
  auto [step, place] = forms->divide(b, threadOfRow, ofStep);
  exchange(0, Value(), threadOfRow, forms->mul(b, step, ofStep), ofStep);
  Value isFirst = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, forms->materialize(b, place), constant(0));
  exchange(1, isFirst, step, 0, tile.threads / ofStep);
}

/// Builds what the loops of `nest` come to.
void KernelBuilder::buildResults(RowLoops &nest) {
  size_t numValues = nest.elements.size();
  SmallVector<Forms> coordinates = bindItem(*whole, 0);
  whole->buildSlice(nest.start, coordinates);
  SmallVector<Value> init;
  for (int64_t lane = 0; lane < layout.lanes; ++lane)
    for (Value value : nest.getInit())
      init.push_back(whole->getBuilt(lane, value));
  SmallVector<Value> carried =
      forEachItem(init, [&](TileBuilder &builder, LinearForm item, Value exists,
                            ValueRange carried) {
        SmallVector<Forms> coordinates = bindItem(builder, item);
        builder.buildSlice(nest.slice, coordinates);
        for (int64_t lane = 0; lane < layout.lanes; ++lane)
          for (auto [argument, value] :
               llvm::zip_equal(nest.getCarried(),
                               carried.slice(lane * numValues, numValues)))
            builder.bind(lane, argument, value);
        builder.buildSlice(nest.combiner, coordinates);
        SmallVector<Value> next;
        for (int64_t lane = 0; lane < layout.lanes; ++lane)
          for (Value combined : nest.getCombined())
            next.push_back(builder.getBuilt(lane, combined));
        if (exists)
          for (auto [value, before] : llvm::zip_equal(next, carried))
            value = arith::SelectOp::create(b, exists, value, before);
        return next;
      });
  SmallVector<State> states;
  for (int64_t lane = 0; lane < layout.lanes; ++lane)
    states.emplace_back(ArrayRef(carried).slice(lane * numValues, numValues));
  if (layout.isAlongRow)
    states = {combineAll(nest, states)};
  share(nest, states);
  for (auto [i, result] : llvm::enumerate(nest.getResults())) {
    SmallVector<Value> values;
    for (int64_t lane = 0; lane < layout.lanes; ++lane)
      values.push_back(states[layout.isAlongRow ? 0 : lane][i]);
    results.push_back({result, values});
  }
}

/// Stores the first `together` elements of those at `coordinates`.
void KernelBuilder::store(TileBuilder &builder, ArrayRef<Forms> coordinates,
                          int64_t together, Value condition) {
  builder.buildSlice(reduction.epilogue, llvm::to_vector(coordinates));
  Packing packing(type.getElementType(),
                  together * type.getElementTypeBitWidth() / 8);
  Value output =
      views->getVectors(b, views->getRoot(b, op.getOutputs().front()), packing);
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  SmallVector<Scalar> elements;
  for (int64_t lane = 0; lane < together; ++lane)
    elements.push_back(builder.getScalar(lane, yielded));
  Value vector = VectorPacker(builder.getShared(), packing).pack(elements);
  LinearForm position = builder.linearize(type, coordinates.front());
  Value place = forms->materialize(
      b, ::getPlace(*forms, b, placement,
                    forms->divide(b, position, together).first, packing.bytes));
  OpBuilder::InsertionGuard guard(b);
  if (condition)
    b.setInsertionPointToStart(scf::IfOp::create(b, condition).thenBlock());
  memref::StoreOp::create(b, vector, output, place);
}

void KernelBuilder::build() {
  int64_t groups = llvm::divideCeilSigned(numSlots, slotsOfGroup);
  GroupedLaunch grouped = createLaunch(b, op, groups);
  launch = grouped.launch;
  views.emplace(launch);
  forms.emplace(launch.getThreadIds().x, numThreads);
  whole.emplace(b, op, *forms, *views);
  LinearForm group = forms->getOpaque(grouped.group, {0, grouped.count - 1});
  if (layout.isAlongRow)
    std::tie(slotOfGroup, threadOfRow) =
        forms->divide(b, forms->getThread(), tile.threads);
  else
    std::tie(threadOfRow, slotOfGroup) =
        forms->divide(b, forms->getThread(), slotsOfGroup);
  slot = forms->add(b, forms->mul(b, group, slotsOfGroup), slotOfGroup);
  if (grouped.count * slotsOfGroup > numSlots) {
    // All threads meet at barriers; only what they store is left out.
    isWanted =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              forms->materialize(b, slot), constant(numSlots));
    slot = forms->min(b, slot, numSlots - 1);
  }
  for (RowLoops &nest : reduction.nests)
    buildResults(nest);
  if (!reduction.elementDims.empty()) {
    forEachItem({}, [&](TileBuilder &builder, LinearForm item, Value exists,
                        ValueRange) {
      store(builder, bindItem(builder, item), layout.lanes,
            both(b, isWanted, exists));
      return SmallVector<Value>();
    });
  } else {
    Value isFirst;
    if (tile.threads > 1)
      isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                      forms->materialize(b, threadOfRow),
                                      constant(0));
    store(*whole, bindItem(*whole, 0), layout.isAlongRow ? 1 : layout.lanes,
          both(b, isWanted, isFirst));
  }
  op.erase();
}

void dml::buildRowKernel(linalg::GenericOp op, RowReduction &reduction,
                         const RowTile &tile) {
  KernelBuilder(op, reduction, tile).build();
}
