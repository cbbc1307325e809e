//===- RowKernel.cpp - Rows that a workgroup holds ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A row kernel computes reductions over rows, such as sums, and elements that
// depend on the reductions, such as those of a softmax. If the registers of a
// row's threads can hold the whole row, each element is loaded only once. Each
// thread first combines its own elements, in the order of the row. The threads
// then combine their results, by shuffles within a subgroup and through
// workgroup memory between subgroups, so that each thread has the result for
// the row. Using the same elements, the threads then compute the next
// reduction, or the elements of the output. A row that does not fit into
// registers is loaded again for each reduction.
//
// Scans, such as a cumulative sum, are computed last. Each element of a scan
// depends only on elements before it. The kernel therefore needs only one pass
// over the row, of any length. In each round of this pass, the threads compute
// and store some elements of the scan, and carry the total of the elements so
// far to the next round.
//
//===----------------------------------------------------------------------===//

#include "Kernels/RowKernel.h"
#include "Analysis/ElementMap.h"
#include "Emit/Launch.h"
#include "Emit/LoadsAhead.h"
#include "Emit/Loops.h"
#include "Emit/VectorPacker.h"
#include "dml/Target/RowCosts.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Returns the distance between the numbers of two threads that have
/// neighbouring elements of one row. If neighbours in memory belong to one row
/// (isAlongRow), the distance is 1. If they belong to different rows, the
/// distance is larger, so that threads with consecutive numbers load
/// neighbouring bytes. With distance 8, threads 0, 8 and 16 have neighbouring
/// elements of one row, and threads 0 to 7 have elements of different rows.
static int64_t getApart(const RowTile &tile, const RowLayout &layout) {
  return layout.isAlongRow ? 1 : DeviceProfile::workgroupSize / tile.threads;
}

/// Returns how many threads of one row belong to one subgroup and combine their
/// states by shuffles, or 1 if the kernel does not use shuffles. A kernel
/// shuffles only 32-bit values, which all devices with shuffles support.
static int64_t getThreadsInSubgroup(RowReduction &reduction,
                                    const RowTile &tile,
                                    const RowLayout &layout,
                                    const DeviceProfile &profile) {
  int64_t size = profile.getSubgroupSize();
  if (!profile.has(DeviceFeature::SubgroupShuffle) || size == 0 ||
      DeviceProfile::workgroupSize % size)
    return 1;
  for (RowLoops &nest : reduction.nests)
    for (Type type : nest.getResults().getTypes())
      if (!type.isF32() && !type.isInteger(32))
        return 1;
  return std::clamp<int64_t>(size / getApart(tile, layout), 1, tile.threads);
}

namespace {
/// The workgroup memory through which threads exchange values.
///
/// In an exchange, threads store values, wait at a barrier, and load values
/// that other threads have stored. Another barrier must separate these loads
/// from the next stores to the same memory, since a slow thread may still load
/// while a fast thread stores. Exchanges therefore alternate between two
/// memories. Exchange 2 uses the memory of exchange 0 again: every thread that
/// has passed the barrier of exchange 1 has finished the loads of exchange 0.
class ExchangeMemory {
public:
  ExchangeMemory(ImplicitLocOpBuilder &b, gpu::LaunchOp launch)
      : b(b), launch(launch) {}

  /// Returns the workgroup memory for the next exchange: for each of `types`,
  /// an array of `size` values.
  SmallVector<Value> takeNext(TypeRange types, int64_t size) {
    Use use = numExchanges++ % 2 ? Use::OddExchange : Use::EvenExchange;
    SmallVector<Value> taken;
    for (auto [number, type] : llvm::enumerate(types))
      taken.push_back(get(use, number, size, type));
    return taken;
  }

  /// Returns the memory for a scan in which the threads exchange values through
  /// this memory alone, in one round: stores, a barrier, loads. If threads may
  /// still load the values of the preceding scan from this memory, builds a
  /// barrier first.
  Value takeForScan(int64_t size, Type type) {
    if (isScanRead)
      gpu::BarrierOp::create(b);
    isScanRead = true;
    return getOfThreads(size, type);
  }
  /// Declares that the next scan is in a loop, whose iterations use the same
  /// memory. A barrier must then separate the scan from that of the preceding
  /// iteration, whose values other threads may still load.
  void beginLoopOfScans() { isScanRead = true; }

  /// Return the two memories for a scan that exchanges values twice: first
  /// through the memory of getOfThreads(), and then through the memory of
  /// getOfSteps(). Each exchange has a barrier between its stores and its
  /// loads. Such scans need no other barriers. Before a thread stores in the
  /// first memory again, it passes the barrier of the second exchange. All
  /// other threads reach this barrier only after their loads from the first
  /// memory.
  Value getOfThreads(int64_t size, Type type) {
    return get(Use::OfThreads, 0, size, type);
  }
  Value getOfSteps(int64_t size, Type type) {
    return get(Use::OfSteps, 0, size, type);
  }
  /// Returns the memory for the totals of vectors (scanVectors()).
  Value getOfVectors(int64_t size, Type type) {
    return get(Use::OfVectors, 0, size, type);
  }

private:
  enum class Use { EvenExchange, OddExchange, OfThreads, OfSteps, OfVectors };

  /// Returns the memory for `size` values of `type` that serves the purpose
  /// `use`. A reduction with several carried values, such as a maximum and its
  /// index, has memory for each of them, which `number` identifies.
  Value get(Use use, size_t number, int64_t size, Type type) {
    Value &memory = memories[{type.getAsOpaquePointer(), use, number}];
    if (!memory) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&launch.getBody().front());
      memory = allocateInWorkgroup(b, size, type);
    }
    return memory;
  }

  ImplicitLocOpBuilder &b;
  gpu::LaunchOp launch;
  std::map<std::tuple<const void *, Use, size_t>, Value> memories;
  int64_t numExchanges = 0;
  bool isScanRead = false;
};

class RowKernel {
public:
  RowKernel(linalg::GenericOp op, RowReduction &reduction, const RowTile &tile,
            const DeviceProfile &profile)
      : b(op.getLoc(), op), op(op), reduction(reduction), tile(tile),
        layout(RowLayout::get(op, reduction)), type(getOutputType(op)),
        numItems(layout.getItems(reduction)),
        numSlots(layout.getSlots(reduction)),
        slotsOfGroup(numThreads / tile.threads),
        enoughThreads(profile.getSpeed().getEnoughThreads()),
        subgroupSize(profile.getSubgroupSize()),
        inSubgroup(getThreadsInSubgroup(reduction, tile, layout, profile)) {}

  void build();

private:
  using Forms = SmallVector<LinearForm>;
  static constexpr int64_t numThreads = DeviceProfile::workgroupSize;
  /// The values that a reduction carries from element to element of a row: one
  /// value for a sum, and two for the largest element with its index.
  using State = SmallVector<Value>;
  /// A function that builds the code for an item. The item exists if the
  /// condition `exists` is true or null. The function receives the carried
  /// values, and returns the carried values for the next item.
  using ItemFn = llvm::function_ref<SmallVector<Value>(
      TileBuilder &builder, LinearForm item, Value exists, ValueRange carried)>;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  SmallVector<Forms> bindItem(TileBuilder &builder, LinearForm item);
  /// Returns the number of items that all threads of a row process together in
  /// a round.
  int64_t getItemsOfRound() const { return tile.threads * tile.vectors; }
  /// Returns the number of rounds in the loop over a row. Returns 0 if the
  /// threads hold all items of a row at once and there is no loop.
  int64_t getNumRounds() const {
    return numItems <= getItemsOfRound() ? 0 : numItems / getItemsOfRound();
  }
  SmallVector<Value>
  buildRounds(ValueRange init,
              llvm::function_ref<SmallVector<Value>(
                  TileBuilder &builder, LinearForm round, ValueRange carried)>
                  build);
  SmallVector<Value> forEachItem(ValueRange init, ItemFn build);
  State combine(RowLoops &nest, State lhs, State rhs);
  State combineAll(RowLoops &nest, ArrayRef<State> states);
  Value getPlace(LinearForm thread, int64_t threads, int64_t lane);
  /// Builds the condition that `form` is equal to `number`.
  Value isEqual(const LinearForm &form, int64_t number) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                 forms->materialize(b, form), constant(number));
  }
  Value getThread();
  Value wordConstant(int64_t value) {
    return arith::ConstantIntOp::create(b, value, /*width=*/32);
  }
  Value shuffle(Value value, Value offset, gpu::ShuffleMode mode);
  LinearForm getLane(const LinearForm &place);
  Value shuffleFrom(Value value, const LinearForm &place);
  void combineInSubgroup(RowLoops &nest, State &state);
  void exchange(RowLoops &nest, SmallVector<State> &states, Value isWriter,
                const LinearForm &own, const LinearForm &first, int64_t count);
  void store(ArrayRef<Value> memories, const LinearForm &own, int64_t threads,
             Value isWriter, ArrayRef<State> states);
  void share(RowLoops &nest, SmallVector<State> &states);
  void buildResults(RowLoops &nest);

  /// The results of a scan for one of its values. `before` is the combination
  /// of all values before this one, and `total` is the combination of all
  /// values of the scan. Null stands for the combination of no values.
  struct Prefix {
    Value before, total;
  };
  /// Combines two values of a scan, each of which may be null.
  Value combineTwo(RowLoops &nest, Value lhs, Value rhs) {
    if (!lhs || !rhs)
      return lhs ? lhs : rhs;
    return combine(nest, State{lhs}, State{rhs}).front();
  }
  Prefix scanInSubgroup(RowLoops &nest, Value own, Value identity);
  SmallVector<Prefix> loadScanned(RowLoops &nest, Value memory, size_t lanes,
                                  Value identity, const LinearForm &first,
                                  int64_t threads, int64_t count,
                                  const LinearForm &own);
  SmallVector<Prefix> scanInMemory(RowLoops &nest, ArrayRef<Value> own,
                                   Value identity, LinearForm thread,
                                   int64_t threads, Value isWriter);
  SmallVector<Prefix> scanThreads(RowLoops &nest, ArrayRef<Value> own,
                                  Value identity);
  SmallVector<Prefix> scanVectors(RowLoops &nest, ArrayRef<Value> own,
                                  Value identity);
  int64_t getScannedLane(int64_t lane) const;
  SmallVector<Value> buildScanned(TileBuilder &builder, LinearForm first,
                                  int64_t vectors);
  SmallVector<Value> buildScan(TileBuilder &builder, RowLoops &nest,
                               ArrayRef<Value> elements, ArrayRef<Value> before,
                               SmallVector<SmallVector<Value>> &values);
  SmallVector<Value> buildRound(TileBuilder &builder, LinearForm first,
                                int64_t vectors, ArrayRef<Value> elements,
                                ArrayRef<Value> carried);
  void buildScans();
  LinearForm getScanned(LinearForm first, int64_t vectors, int64_t i,
                        Value &exists);
  void loadAhead();
  void store(TileBuilder &builder, ArrayRef<Forms> coordinates,
             Value condition);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  RowReduction &reduction;
  const RowTile &tile;
  const RowLayout layout;
  const MemRefType type;
  /// The number of items in a row, the number of slots of the output, and the
  /// number of slots that a workgroup computes. A slot is a row, or a group of
  /// rows whose elements a thread holds together.
  const int64_t numItems, numSlots, slotsOfGroup;
  /// The number of threads that fill the device.
  const int64_t enoughThreads;
  /// The number of threads in a subgroup, and the number of threads of a
  /// subgroup that belong to one row (1 if the kernel does not use shuffles).
  const int64_t subgroupSize, inSubgroup;

  gpu::LaunchOp launch;
  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// The builder for the code outside of loops over a row.
  std::optional<TileBuilder> whole;
  /// The index of the thread among the threads of its slot, the index of the
  /// slot within the workgroup, and the index of the slot within the output.
  LinearForm threadOfRow, slotOfGroup, slot;
  /// The index of the thread among the threads of its row in the same subgroup,
  /// and the index of the subgroup among the subgroups of the row. For example,
  /// with 128 threads for a row and subgroups of 32 threads, thread 70 is
  /// number 6 of subgroup 2.
  LinearForm placeInSubgroup, subgroupOfRow;
  /// The condition that the thread's slot lies inside of the output. The last
  /// workgroup may have slots beyond the output. Null if the condition holds
  /// for all threads.
  Value isWanted;
  /// For each result of a reduction that has been built, its values in all
  /// lanes.
  SmallVector<std::pair<Value, SmallVector<Value>>> results;
  std::optional<ExchangeMemory> memory;
};
} // namespace

/// Binds induction variables of loops and results of reductions for the
/// elements of `item`, and returns the coordinates of these elements.
SmallVector<RowKernel::Forms> RowKernel::bindItem(TileBuilder &builder,
                                                  LinearForm item) {
  SmallVector<Forms> coordinates;
  LinearForm element = forms->mul(b, item, layout.getElements());
  LinearForm row = forms->mul(b, slot, layout.rows);
  for (int64_t lane = 0; lane < layout.lanes; ++lane) {
    coordinates.push_back(
        bindPlace(b, *forms, builder, type, reduction, lane,
                  forms->add(b, row, lane % layout.rows),
                  forms->add(b, element, lane / layout.rows)));
    for (auto &[result, values] : results)
      builder.bind(lane, result, values[lane]);
  }
  return coordinates;
}

/// Builds the loop over the rounds of a row, if there are several. `build`
/// receives the index of a round and the carried values, and returns the
/// carried values for the next round. Returns the values after the last round.
SmallVector<Value> RowKernel::buildRounds(
    ValueRange init,
    llvm::function_ref<SmallVector<Value>(TileBuilder &, LinearForm,
                                          ValueRange)>
        build) {
  int64_t rounds = getNumRounds();
  if (rounds == 0)
    return init;
  return buildLoop(b, *forms, {0, rounds}, Counter::InOrder, init,
                   [&](LinearForm round, ValueRange carried) {
                     TileBuilder builder(b, op, *forms, *views);
                     return build(builder, round, carried);
                   });
}

/// Builds the code for all items of the thread: a loop over the rounds, with
/// `tile.vectors` items in each round, and then the remaining items of the row.
SmallVector<Value> RowKernel::forEachItem(ValueRange init, ItemFn build) {
  auto getItem = [&](LinearForm first, int64_t number) {
    return forms->add(b, forms->add(b, first, threadOfRow),
                      number * tile.threads);
  };
  SmallVector<Value> carried = buildRounds(
      init, [&](TileBuilder &builder, LinearForm round, ValueRange before) {
        LinearForm first = forms->mul(b, round, getItemsOfRound());
        SmallVector<Value> next(before);
        for (int64_t i = 0; i < tile.vectors; ++i)
          next = build(builder, getItem(first, i), /*exists=*/Value(), next);
        return next;
      });
  for (int64_t first = getNumRounds() * getItemsOfRound(); first < numItems;
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

/// Combines two states: the values that two threads, or two lanes, have reduced
/// their elements to.
RowKernel::State RowKernel::combine(RowLoops &nest, State lhs, State rhs) {
  // The nest's operations combine a carried value with an element of the row.
  // Here, they are built with `lhs` in the place of the carried value and `rhs`
  // in the place of the element. The element may be a constant, such as the 1
  // that a count adds for each element. The kernel's own builder, if told to
  // replace this constant by `rhs`, would also use `rhs` wherever else the body
  // contains the constant. The combination therefore has a builder of its own.
  TileBuilder builder(b, op, *forms, *views);
  for (auto [carried, element, left, right] :
       llvm::zip_equal(nest.getCarried(), nest.elements, lhs, rhs)) {
    builder.bind(0, carried, left);
    builder.bind(0, element, right);
  }
  builder.buildSlice(nest.combiner,
                     SmallVector<Forms>(1, Forms(type.getRank())));
  return llvm::map_to_vector<6>(nest.getCombined(), [&](Value value) {
    return builder.getBuilt(0, value);
  });
}

/// Combines `states`, whose number is a power of two, pairwise like a binary
/// tree.
RowKernel::State RowKernel::combineAll(RowLoops &nest, ArrayRef<State> states) {
  if (states.size() == 1)
    return states.front();
  size_t half = states.size() / 2;
  State lhs = combineAll(nest, states.take_front(half));
  return combine(nest, lhs, combineAll(nest, states.drop_front(half)));
}

/// Builds the index in workgroup memory of a thread's value in lane `lane`.
/// `thread` is the thread's index among the `threads` threads of its row. If
/// neighbours in memory belong to one row (isAlongRow), neighbouring threads of
/// a row have neighbouring indices.
Value RowKernel::getPlace(LinearForm thread, int64_t threads, int64_t lane) {
  LinearForm place =
      layout.isAlongRow
          ? forms->add(b, forms->mul(b, slotOfGroup, threads), thread)
          : forms->add(b, forms->mul(b, thread, slotsOfGroup), slotOfGroup);
  return forms->materialize(
      b, forms->add(b, place, lane * slotsOfGroup * threads));
}

/// Builds the index of the thread within its workgroup. In a kernel with
/// shuffles, the threads of a subgroup have consecutive numbers.
Value RowKernel::getThread() {
  if (inSubgroup == 1)
    return launch.getThreadIds().x;
  Value subgroup = buildSubgroupId(b, numThreads / subgroupSize);
  return linearize(b, subgroup, subgroupSize, buildLaneId(b, subgroupSize));
}

/// Builds a shuffle: the value that `value` has in another thread of the
/// subgroup. `mode` and `offset` identify this thread, as in gpu.shuffle.
Value RowKernel::shuffle(Value value, Value offset, gpu::ShuffleMode mode) {
  return gpu::ShuffleOp::create(b, value, offset, wordConstant(subgroupSize),
                                mode)
      .getShuffleResult();
}

/// Returns the index of a thread within its subgroup. `place` is the index of
/// this thread among the threads of its row in the subgroup. If threads 8 apart
/// have the same row (getApart()), the places 0, 1 and 2 of one row may be the
/// threads 3, 11 and 19.
LinearForm RowKernel::getLane(const LinearForm &place) {
  int64_t apart = getApart(tile, layout);
  LinearForm own = forms->divide(b, forms->getThread(), subgroupSize).second;
  LinearForm first = forms->sub(b, own, forms->mul(b, placeInSubgroup, apart));
  return forms->add(b, first, forms->mul(b, place, apart));
}

/// Builds a shuffle: the value that `value` has in the thread that has the
/// number `place` among the threads of the row in this subgroup.
Value RowKernel::shuffleFrom(Value value, const LinearForm &place) {
  Value lane = forms->materialize(b, getLane(place));
  return shuffle(value, arith::IndexCastUIOp::create(b, b.getI32Type(), lane),
                 gpu::ShuffleMode::IDX);
}

/// Combines the states of the threads of a row that belong to one subgroup.
/// Only the first of these threads has a valid result, in which the states are
/// combined in the order of the row.
void RowKernel::combineInSubgroup(RowLoops &nest, State &state) {
  int64_t apart = getApart(tile, layout);
  for (int64_t distance = 1; distance < inSubgroup; distance *= 2) {
    Value mask = wordConstant(distance * apart);
    State other = llvm::map_to_vector<6>(state, [&](Value value) {
      return shuffle(value, mask, gpu::ShuffleMode::XOR);
    });
    state = combine(nest, state, other);
  }
}

/// Exchanges states between the threads of a row. Each thread stores its
/// states, one for each lane, under the number `own`. After a barrier, the
/// thread replaces its state in each lane by the combination of the `count`
/// states with the numbers from `first` on. Threads whose states have been
/// combined before, such as those of a subgroup, share one number. Of these
/// threads, only the one for which `isWriter` is true stores. `isWriter` is
/// null if no threads share numbers.
void RowKernel::exchange(RowLoops &nest, SmallVector<State> &states,
                         Value isWriter, const LinearForm &own,
                         const LinearForm &first, int64_t count) {
  auto lanes = static_cast<int64_t>(states.size());
  int64_t threads = tile.threads / inSubgroup;
  SmallVector<Value> used = memory->takeNext(
      ValueRange(states.front()).getTypes(), lanes * slotsOfGroup * threads);
  store(used, own, threads, isWriter, states);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<State> others;
    for (int64_t i = 0; i < count; ++i) {
      Value place = getPlace(forms->add(b, first, i), threads, lane);
      others.push_back(llvm::map_to_vector<6>(used, [&](Value memory) -> Value {
        return memref::LoadOp::create(b, memory, place);
      }));
    }
    states[lane] = combineAll(nest, others);
  }
}

/// Stores the states of the thread's lanes in `memories`, if `isWriter` is true
/// or null, and waits for the other threads. Each thread of a row, or each
/// group of threads, has one of `threads` numbers, and `own` is the number of
/// this thread.
void RowKernel::store(ArrayRef<Value> memories, const LinearForm &own,
                      int64_t threads, Value isWriter, ArrayRef<State> states) {
  SmallVector<Value> places;
  for (size_t lane = 0; lane < states.size(); ++lane)
    places.push_back(getPlace(own, threads, static_cast<int64_t>(lane)));
  {
    OpBuilder::InsertionGuard guard(b);
    if (isWriter)
      b.setInsertionPointToStart(scf::IfOp::create(b, isWriter).thenBlock());
    for (auto [state, place] : llvm::zip_equal(states, places))
      for (auto [value, memory] : llvm::zip_equal(state, memories))
        memref::StoreOp::create(b, value, memory, place);
  }
  gpu::BarrierOp::create(b);
}

/// Combines the states of all threads of a row, and gives the result to each
/// thread. The threads of a subgroup first combine their states by shuffles.
/// The subgroups of the row, or all of its threads if there are no shuffles,
/// then exchange their states through workgroup memory: up to 32 states in one
/// step, and more in two. For example, 128 threads without shuffles first
/// combine the states of 8 groups of 16 threads, and then the results of the 8
/// groups.
void RowKernel::share(RowLoops &nest, SmallVector<State> &states) {
  if (tile.threads == 1)
    return;
  using cost::rows::maxAtOnce, cost::rows::ofStep;
  int64_t threads = tile.threads / inSubgroup;
  Value isWriter;
  if (inSubgroup > 1) {
    for (State &state : states)
      combineInSubgroup(nest, state);
    if (threads == 1) {
      for (State &state : states)
        for (Value &value : state)
          value = shuffleFrom(value, 0);
      return;
    }
    isWriter = isEqual(placeInSubgroup, 0);
  }
  if (threads <= maxAtOnce)
    return exchange(nest, states, isWriter, subgroupOfRow, 0, threads);
  auto [step, place] = forms->divide(b, subgroupOfRow, ofStep);
  exchange(nest, states, isWriter, subgroupOfRow, forms->mul(b, step, ofStep),
           ofStep);
  exchange(nest, states, both(b, isWriter, isEqual(place, 0)), step, 0,
           threads / ofStep);
}

/// Builds the reduction `nest`, and records its results.
void RowKernel::buildResults(RowLoops &nest) {
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
  for (int64_t row = 0; row < layout.rows; ++row) {
    SmallVector<State> ofRow;
    for (int64_t lane = row; lane < layout.lanes; lane += layout.rows)
      ofRow.emplace_back(ArrayRef(carried).slice(lane * numValues, numValues));
    states.push_back(combineAll(nest, ofRow));
  }
  share(nest, states);
  for (auto [i, result] : llvm::enumerate(nest.getResults())) {
    SmallVector<Value> values;
    for (int64_t lane = 0; lane < layout.lanes; ++lane)
      values.push_back(states[lane % layout.rows][i]);
    results.push_back({result, values});
  }
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Scans the values of the threads of a row that belong to one subgroup. In the
/// result, `before` combines the values of the threads before this thread, and
/// `total` combines these values and the thread's own value `own`. Only the
/// last thread thus has the total of all.
RowKernel::Prefix RowKernel::scanInSubgroup(RowLoops &nest, Value own,
                                            Value identity) {
  Value total = own;
  auto getEarlier = [&](int64_t distance, Value first) {
    // A thread combines its value with that of the thread whose number in the
    // row is lower by `distance`. If the subgroup has no such thread, the
    // thread reads the value of the first thread, and does not use it.
    LinearForm place =
        forms->max(b, forms->sub(b, placeInSubgroup, distance), 0);
    Value earlier = shuffleFrom(total, place);
    Value isThere = arith::CmpIOp::create(
        b, arith::CmpIPredicate::uge, forms->materialize(b, placeInSubgroup),
        constant(distance));
    Value combined = first ? earlier : combineTwo(nest, earlier, total);
    return arith::SelectOp::create(b, isThere, combined, first ? first : total)
        .getResult();
  };
  for (int64_t distance = 1; distance < inSubgroup; distance *= 2)
    total = getEarlier(distance, Value());
  return {getEarlier(1, identity), total};
}

/// Scans values that the threads of a row have stored in `memory`. Each of
/// `lanes` lanes has `threads` values of a row there. For each lane, the
/// function loads `count` values, from number `first` on. It returns the
/// combination of the first `own` of these values (`before`) and the
/// combination of all of them (`total`).
SmallVector<RowKernel::Prefix>
RowKernel::loadScanned(RowLoops &nest, Value memory, size_t lanes,
                       Value identity, const LinearForm &first, int64_t threads,
                       int64_t count, const LinearForm &own) {
  SmallVector<Value> isOwn(1);
  for (int64_t i = 1; i < count; ++i)
    isOwn.push_back(isEqual(own, i));
  SmallVector<Prefix> prefixes;
  for (size_t lane = 0; lane < lanes; ++lane) {
    Prefix prefix = {identity, Value()};
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0)
        prefix.before =
            arith::SelectOp::create(b, isOwn[i], prefix.total, prefix.before);
      Value value =
          memref::LoadOp::create(b, memory,
                                 getPlace(forms->add(b, first, i), threads,
                                          static_cast<int64_t>(lane)));
      prefix.total = combineTwo(nest, prefix.total, value);
    }
    prefixes.push_back(prefix);
  }
  return prefixes;
}

/// Scans the values `own`, one for each lane, through workgroup memory. The
/// threads of a row store their values under the numbers 0 to `threads` - 1,
/// and this thread stores under the number `thread`. If several threads have
/// the same number, `isWriter` is true for the one that stores. Otherwise
/// `isWriter` is null. With more than 16 numbers, the threads exchange values
/// twice.
SmallVector<RowKernel::Prefix>
RowKernel::scanInMemory(RowLoops &nest, ArrayRef<Value> own, Value identity,
                        LinearForm thread, int64_t threads, Value isWriter) {
  using cost::rows::ofStep;
  size_t lanes = own.size();
  int64_t numRows = static_cast<int64_t>(lanes) * slotsOfGroup;
  Type type = own.front().getType();
  auto getStates = [](ArrayRef<Value> values) {
    return llvm::map_to_vector(values,
                               [](Value value) { return State{value}; });
  };
  if (threads <= ofStep) {
    Value ofThreads = memory->takeForScan(numRows * threads, type);
    store(ofThreads, thread, threads, isWriter, getStates(own));
    return loadScanned(nest, ofThreads, lanes, identity, 0, threads, threads,
                       thread);
  }
  Value ofThreads = memory->getOfThreads(numRows * threads, type);
  store(ofThreads, thread, threads, isWriter, getStates(own));
  auto [step, place] = forms->divide(b, thread, ofStep);
  SmallVector<Prefix> inSteps =
      loadScanned(nest, ofThreads, lanes, identity, forms->mul(b, step, ofStep),
                  threads, ofStep, place);
  int64_t steps = threads / ofStep;
  Value ofSteps = memory->getOfSteps(numRows * steps, type);
  store(ofSteps, step, steps, both(b, isWriter, isEqual(place, 0)),
        llvm::map_to_vector(
            inSteps, [](const Prefix &prefix) { return State{prefix.total}; }));
  SmallVector<Prefix> prefixes =
      loadScanned(nest, ofSteps, lanes, identity, 0, steps, steps, step);
  for (auto [prefix, inStep] : llvm::zip_equal(prefixes, inSteps))
    prefix.before = combineTwo(nest, prefix.before, inStep.before);
  return prefixes;
}

/// Scans the values of the threads of a row in each lane: first within each
/// subgroup, and then over the totals of the subgroups.
SmallVector<RowKernel::Prefix>
RowKernel::scanThreads(RowLoops &nest, ArrayRef<Value> own, Value identity) {
  if (tile.threads == 1)
    return llvm::map_to_vector(own, [](Value value) {
      return Prefix{Value(), value};
    });
  if (inSubgroup == 1)
    return scanInMemory(nest, own, identity, threadOfRow, tile.threads,
                        /*isWriter=*/Value());
  auto inside = llvm::map_to_vector(
      own, [&](Value value) { return scanInSubgroup(nest, value, identity); });
  int64_t threads = tile.threads / inSubgroup;
  if (threads == 1) {
    for (Prefix &prefix : inside)
      prefix.total = shuffleFrom(prefix.total, inSubgroup - 1);
    return inside;
  }
  SmallVector<Prefix> prefixes = scanInMemory(
      nest,
      llvm::map_to_vector(inside,
                          [](const Prefix &prefix) { return prefix.total; }),
      identity, subgroupOfRow, threads,
      /*isWriter=*/isEqual(placeInSubgroup, inSubgroup - 1));
  for (auto [prefix, own] : llvm::zip_equal(prefixes, inside))
    prefix.before = combineTwo(nest, prefix.before, own.before);
  return prefixes;
}

/// Scans the totals `own` of the thread's vectors in a row. Consecutive threads
/// have neighbouring vectors, so that a thread's own vectors are not
/// neighbours: with 32 threads, thread 3 has the vectors 3, 35, 67 and so on.
/// The threads therefore exchange the totals through workgroup memory. Each
/// thread loads the totals of neighbouring vectors, combines them, and stores
/// the results for the threads that have these vectors. With 32 threads of 3
/// vectors each, thread 3 loads the totals of the vectors 9 to 11.
SmallVector<RowKernel::Prefix>
RowKernel::scanVectors(RowLoops &nest, ArrayRef<Value> own, Value identity) {
  auto vectors = static_cast<int64_t>(own.size());
  if (vectors == 1)
    return scanThreads(nest, own, identity);
  SmallVector<Prefix> prefixes;
  if (tile.threads == 1) {
    Value total;
    for (Value value : own) {
      prefixes.push_back({total, Value()});
      total = combineTwo(nest, total, value);
    }
    prefixes.back().total = total;
    return prefixes;
  }
  Value totals = memory->getOfVectors(getPadded(tile.vectors * numThreads),
                                      own.front().getType());
  auto getVector = [&](LinearForm number) {
    LinearForm place = forms->add(
        b, forms->mul(b, slotOfGroup, tile.threads * tile.vectors), number);
    LinearForm pad = forms->divide(b, place, cost::rows::banks).first;
    return forms->materialize(b, forms->add(b, place, pad));
  };
  auto getOwn = [&](int64_t i) {
    return getVector(forms->add(b, threadOfRow, i * tile.threads));
  };
  auto getTaken = [&](int64_t i) {
    return getVector(forms->add(b, forms->mul(b, threadOfRow, vectors), i));
  };
  for (int64_t i = 0; i < vectors; ++i)
    memref::StoreOp::create(b, own[i], totals, getOwn(i));
  gpu::BarrierOp::create(b);
  // `before[i]` is the combination of the loaded totals before total i.
  SmallVector<Value> before(1);
  for (int64_t i = 0; i < vectors; ++i)
    before.push_back(combineTwo(
        nest, before.back(), memref::LoadOp::create(b, totals, getTaken(i))));
  Prefix taken = scanThreads(nest, before.pop_back_val(), identity).front();
  for (int64_t i = 0; i < vectors; ++i)
    memref::StoreOp::create(b, combineTwo(nest, taken.before, before[i]),
                            totals, getTaken(i));
  gpu::BarrierOp::create(b);
  for (int64_t i = 0; i < vectors; ++i)
    prefixes.push_back({memref::LoadOp::create(b, totals, getOwn(i)), Value()});
  prefixes.back().total = taken.total;
  return prefixes;
}

/// Returns the number, within the row, of the thread's `i`-th item in a round.
/// The round begins with item `first` of the scan, and each thread has
/// `vectors` items in it. The items of the scan are those of the row, in
/// reverse order if the scan is backward. `exists` becomes the condition that
/// the row has the item, or null if the row has all items of the round.
LinearForm RowKernel::getScanned(LinearForm first, int64_t vectors, int64_t i,
                                 Value &exists) {
  // Consecutive threads access neighbouring bytes, so that accesses coalesce.
  // If neighbours in memory belong to one row (isAlongRow), consecutive threads
  // of the row have neighbouring items. Otherwise, neighbours in memory belong
  // to different rows. Consecutive threads then have different rows as well,
  // and each thread can have consecutive items of its row.
  LinearForm number =
      forms->add(b, first,
                 layout.isAlongRow
                     ? forms->add(b, threadOfRow, i * tile.threads)
                     : forms->add(b, forms->mul(b, threadOfRow, vectors), i));
  exists = Value();
  if (forms->getRange(number).max >= numItems)
    exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                   forms->materialize(b, number),
                                   constant(numItems));
  number = forms->min(b, number, numItems - 1);
  return reduction.isBackward() ? forms->sub(b, numItems - 1, number) : number;
}

/// Returns the lane that comes at place `lane` in the order of the scan.
int64_t RowKernel::getScannedLane(int64_t lane) const {
  int64_t rows = layout.rows;
  return layout.isAlongRow && reduction.isBackward()
             ? (layout.getElements() - 1 - lane / rows) * rows + lane % rows
             : lane;
}

/// Builds the elements that all scans of the kernel combine in one round. The
/// round begins with item `first` of a row, and each thread has `vectors`
/// items. The result is a flat list: all elements of the first scan, then those
/// of the second scan, and so on. Within a scan, the list is ordered by items,
/// and within an item by lanes in the order of the scan.
SmallVector<Value> RowKernel::buildScanned(TileBuilder &builder,
                                           LinearForm first, int64_t vectors) {
  SmallVector<Value> scanned;
  for (RowLoops &nest : reduction.nests) {
    if (!nest.scan)
      continue;
    for (int64_t i = 0; i < vectors; ++i) {
      Value exists;
      SmallVector<Forms> coordinates =
          bindItem(builder, getScanned(first, vectors, i, exists));
      builder.buildSlice(nest.start, coordinates);
      builder.buildSlice(nest.slice, coordinates);
      for (int64_t lane = 0; lane < layout.lanes; ++lane) {
        Value element = builder.getBuilt(getScannedLane(lane), nest.scanned);
        if (exists)
          element = arith::SelectOp::create(
              b, exists, element, builder.getBuilt(0, nest.getInit().front()));
        scanned.push_back(element);
      }
    }
  }
  return scanned;
}

/// Builds the scan `nest` of `elements`, which belong to one round. `values`
/// receives a list for each item of the thread: the results in the item's
/// lanes. `before` contains, for each row, the combination of all elements of
/// earlier rounds. Returns, for each row, the combination that also includes
/// the elements of this round.
SmallVector<Value>
RowKernel::buildScan(TileBuilder &builder, RowLoops &nest,
                     ArrayRef<Value> elements, ArrayRef<Value> before,
                     SmallVector<SmallVector<Value>> &values) {
  int64_t lanes = layout.lanes;
  int64_t vectors = static_cast<int64_t>(elements.size()) / lanes;
  builder.buildSlice(nest.start, bindItem(builder, 0));
  Value identity = builder.getBuilt(0, nest.getInit().front());
  // `sums` has, for each element of the thread, the combination of this element
  // with the preceding elements of the row that the same thread has. If
  // isAlongRow is set, only the preceding elements of the same item count: the
  // items between two items of the thread belong to other threads. Otherwise
  // the thread's items follow each other in the row, and the elements of its
  // earlier items count too.
  SmallVector<SmallVector<Value>> sums(vectors, SmallVector<Value>(lanes));
  auto getPrevious = [&](int64_t i, int64_t lane) {
    if (layout.isAlongRow)
      return lane >= layout.rows ? sums[i][lane - layout.rows] : Value();
    return i > 0 ? sums[i - 1][lane] : Value();
  };
  for (int64_t i = 0; i < vectors; ++i)
    for (int64_t lane = 0; lane < lanes; ++lane)
      sums[i][lane] =
          combineTwo(nest, getPrevious(i, lane), elements[i * lanes + lane]);
  // `prefixes` has, for each row, the combination of the elements that precede
  // an item of the thread. If isAlongRow is set, each of the thread's items has
  // such a combination, since elements of other threads lie between the items.
  // Otherwise the thread's items follow each other, and only the first item
  // needs one.
  SmallVector<SmallVector<Prefix>> prefixes;
  if (!layout.isAlongRow)
    for (Prefix prefix : scanThreads(nest, sums.back(), identity))
      prefixes.push_back({prefix});
  else
    for (int64_t row = 0; row < layout.rows; ++row)
      prefixes.push_back(scanVectors(
          nest,
          llvm::map_to_vector(sums,
                              [&](ArrayRef<Value> item) {
                                return item[lanes - layout.rows + row];
                              }),
          identity));
  SmallVector<Value> behind;
  for (auto [start, ofRow] : llvm::zip_equal(before, prefixes)) {
    for (Prefix &prefix : ofRow)
      prefix.before = combineTwo(nest, start, prefix.before);
    behind.push_back(combineTwo(nest, start, ofRow.back().total));
  }
  values.assign(vectors, SmallVector<Value>(lanes));
  for (int64_t i = 0; i < vectors; ++i) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value sum = combineTwo(
          nest, prefixes[lane % layout.rows][layout.isAlongRow ? i : 0].before,
          nest.scan->isExclusive ? getPrevious(i, lane) : sums[i][lane]);
      values[i][getScannedLane(lane)] = sum ? sum : identity;
    }
  }
  return behind;
}

/// Builds all scans of `elements` in one round, and stores elements of the
/// output. The round begins with item `first`, and each thread has `vectors`
/// items in it. `carried` contains, for all scans, the combinations of the
/// elements of earlier rounds. Returns the combinations that also include the
/// elements of this round.
SmallVector<Value> RowKernel::buildRound(TileBuilder &builder, LinearForm first,
                                         int64_t vectors,
                                         ArrayRef<Value> elements,
                                         ArrayRef<Value> carried) {
  SmallVector<Value> next;
  SmallVector<std::pair<Value, SmallVector<SmallVector<Value>>>> scanned;
  for (RowLoops &nest : reduction.nests) {
    if (!nest.scan)
      continue;
    size_t size = layout.rows, count = vectors * layout.lanes;
    auto &[result, values] = scanned.emplace_back();
    result = nest.getResults().front();
    llvm::append_range(next,
                       buildScan(builder, nest, elements.take_front(count),
                                 carried.take_front(size), values));
    carried = carried.drop_front(size);
    elements = elements.drop_front(count);
  }
  for (int64_t i = 0; i < vectors; ++i) {
    Value exists;
    SmallVector<Forms> coordinates =
        bindItem(builder, getScanned(first, vectors, i, exists));
    for (auto &[result, values] : scanned)
      for (int64_t lane = 0; lane < layout.lanes; ++lane)
        builder.bind(lane, result, values[i][lane]);
    exists = both(b, isWanted, exists);
    // If several rows follow each other along a dimension, the last of them may
    // have fewer elements than the others.
    int64_t dim = reduction.elementDims.front(), size = type.getDimSize(dim);
    if (reduction.partSize > 0 && size % reduction.partSize)
      exists = both(
          b, exists,
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                forms->materialize(b, coordinates.front()[dim]),
                                constant(size)));
    store(builder, coordinates, exists);
  }
  return next;
}

/// Builds all scans, in a loop if a row takes several rounds, and stores the
/// elements of the output.
void RowKernel::buildScans() {
  int64_t ofRound = getItemsOfRound(), rounds = getNumRounds();
  SmallVector<Value> carried;
  SmallVector<Forms> coordinates = bindItem(*whole, 0);
  for (RowLoops &nest : reduction.nests) {
    if (!nest.scan)
      continue;
    whole->buildSlice(nest.start, coordinates);
    for (int64_t lane = 0; lane < layout.rows; ++lane)
      carried.push_back(
          rounds > 0 ? whole->getBuilt(lane, nest.getInit().front()) : Value());
  }
  if (rounds > 0) {
    memory->beginLoopOfScans();
    // Software pipelining: each round loads the elements of the next round, if
    // the registers of a thread can hold the elements of both rounds. The loads
    // are then in flight while threads wait for each other.
    bool isAhead = tile.vectors * layout.lanes <= cost::rows::elementsOfThread;
    size_t numCarried = carried.size();
    if (isAhead)
      llvm::append_range(carried, buildScanned(*whole, 0, tile.vectors));
    carried = buildRounds(carried, [&](TileBuilder &builder, LinearForm round,
                                       ValueRange before) {
      LinearForm first = forms->mul(b, round, ofRound), loaded = first;
      if (isAhead)
        loaded = forms->mul(
            b, forms->min(b, forms->add(b, round, 1), rounds - 1), ofRound);
      SmallVector<Value> arguments(before),
          elements = buildScanned(builder, loaded, tile.vectors),
          next = buildRound(builder, first, tile.vectors,
                            isAhead ? ArrayRef(arguments).drop_front(numCarried)
                                    : ArrayRef(elements),
                            ArrayRef(arguments).take_front(numCarried));
      if (isAhead)
        llvm::append_range(next, elements);
      return next;
    });
    carried.truncate(numCarried);
  }
  if (int64_t left = numItems - rounds * ofRound) {
    int64_t first = rounds * ofRound,
            vectors = llvm::divideCeilSigned(left, tile.threads);
    buildRound(*whole, first, vectors, buildScanned(*whole, first, vectors),
               carried);
  }
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Computes and stores the elements at `coordinates`, one for each lane, if
/// `condition` is true or null.
void RowKernel::store(TileBuilder &builder, ArrayRef<Forms> coordinates,
                      Value condition) {
  builder.buildSlice(reduction.epilogue, llvm::to_vector(coordinates));
  int64_t together = layout.together;
  Packing packing(type.getElementType(),
                  together * type.getElementTypeBitWidth() / 8);
  OutputVectors output(b, *views, op.getOutputs().front(), packing);
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  SmallVector<std::pair<Value, Value>> vectors;
  for (auto first = 0U; first < coordinates.size(); first += together) {
    SmallVector<Scalar> elements;
    for (int64_t lane = 0; lane < together; ++lane)
      elements.push_back(builder.getScalar(first + lane, yielded));
    Value vector = VectorPacker(builder.getShared(), packing).pack(elements);
    LinearForm position = builder.linearize(type, coordinates[first]);
    vectors.push_back(
        {vector, output.getPlace(*forms, b,
                                 forms->divide(b, position, together).first)});
  }
  OpBuilder::InsertionGuard guard(b);
  if (condition)
    b.setInsertionPointToStart(scf::IfOp::create(b, condition).thenBlock());
  for (auto [vector, place] : vectors)
    memref::StoreOp::create(b, vector, output.getBuffer(), place);
}

/// Moves the loads of operands other than the row, such as a scale and a bias,
/// to a place before the first exchange between threads. Memory serves the
/// moved loads while the threads wait for the row's own loads. If there are
/// more threads than fill the device, this does not pay: other workgroups use
/// the time of the wait, and the moved loads only hold registers.
void RowKernel::loadAhead() {
  Block *block = b.getInsertionBlock();
  auto first = llvm::find_if(*block, [](Operation &each) {
    return isa<gpu::ShuffleOp, gpu::BarrierOp>(each);
  });
  if (first != block->end())
    moveLoadsAhead(&*first, &*first);
}

void RowKernel::build() {
  int64_t groups = llvm::divideCeilSigned(numSlots, slotsOfGroup);
  GroupedLaunch grouped = createLaunch(b, op, groups);
  launch = grouped.launch;
  views.emplace(launch);
  memory.emplace(b, launch);
  forms.emplace(getThread(), numThreads);
  whole.emplace(b, op, *forms, *views);
  LinearForm group = forms->getOpaque(grouped.group, {0, grouped.count - 1});
  if (layout.isAlongRow)
    std::tie(slotOfGroup, threadOfRow) =
        forms->divide(b, forms->getThread(), tile.threads);
  else
    std::tie(threadOfRow, slotOfGroup) =
        forms->divide(b, forms->getThread(), slotsOfGroup);
  std::tie(subgroupOfRow, placeInSubgroup) =
      forms->divide(b, threadOfRow, inSubgroup);
  slot = forms->add(b, forms->mul(b, group, slotsOfGroup), slotOfGroup);
  if (grouped.count * slotsOfGroup > numSlots) {
    // A thread whose slot lies beyond the output runs as well, since all
    // threads of a workgroup must reach the barriers. It does not store
    // anything.
    isWanted =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                              forms->materialize(b, slot), constant(numSlots));
    slot = forms->min(b, slot, numSlots - 1);
  }
  for (RowLoops &nest : reduction.nests)
    if (!nest.scan)
      buildResults(nest);
  if (reduction.hasScan()) {
    buildScans();
  } else if (!reduction.elementDims.empty()) {
    forEachItem({}, [&](TileBuilder &builder, LinearForm item, Value exists,
                        ValueRange) {
      store(builder, bindItem(builder, item), both(b, isWanted, exists));
      return SmallVector<Value>();
    });
    if (getNumRounds() == 0 && groups * numThreads <= enoughThreads)
      loadAhead();
  } else {
    Value isFirst;
    if (tile.threads > 1)
      isFirst = isEqual(threadOfRow, 0);
    for (int64_t result = 0; result < reduction.numResults; ++result) {
      SmallVector<Forms> coordinates = bindItem(*whole, 0);
      coordinates.truncate(layout.rows);
      if (reduction.resultDim)
        for (Forms &ofLane : coordinates)
          ofLane[*reduction.resultDim] = result;
      store(*whole, coordinates, both(b, isWanted, isFirst));
    }
  }
  op.erase();
}

void dml::buildRowKernel(linalg::GenericOp op, RowReduction &reduction,
                         const RowTile &tile, const DeviceProfile &profile) {
  RowKernel(op, reduction, tile, profile).build();
}
