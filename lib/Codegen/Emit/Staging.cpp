//===- Staging.cpp - Operands in workgroup memory -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/Staging.h"
#include "Emit/Launch.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dml;

/// The number of vectors of 16 bytes that workgroup memory stores at the same
/// time, if the vectors lie in different banks: 8 vectors fill 32 banks of 4
/// bytes.
static constexpr int64_t vectorsAtOnce = 8;

/// Returns the line that is the `number`-th to be stored, where each line has
/// `vectors` vectors. The order avoids bank conflicts between the lines that
/// are stored at the same time. With lines of 4 vectors that begin 5 vectors
/// apart, line 0 consists of vectors 0 to 3 and line 1 of vectors 5 to 8.
/// Vectors 0 and 8 have the same banks, so that lines 0 and 1 conflict. Line 4
/// consists of vectors 20 to 23, which have the banks of vectors 4 to 7 and do
/// not conflict with line 0. Lines are therefore stored in the order 0, 4, 1,
/// 5, 2, 6, 3, 7.
static LinearForm getStoredLine(IndexForms &forms, ImplicitLocOpBuilder &b,
                                LinearForm number, int64_t vectors) {
  if (vectors >= vectorsAtOnce || vectorsAtOnce % vectors)
    return number;
  int64_t linesAtOnce = vectorsAtOnce / vectors;
  auto [block, inBlock] = forms.divide(b, number, vectorsAtOnce);
  auto [turn, ofTurn] = forms.divide(b, inBlock, linesAtOnce);
  return forms.add(b, forms.mul(b, block, vectorsAtOnce),
                   forms.add(b, forms.mul(b, ofTurn, vectors), turn));
}

StagedItem Staging::getItem(const StagedArea &area, const LinearForm &number) {
  if (area.isAcrossLines) {
    auto [inLine, line] = forms.divide(b, number, area.lines);
    return {line, inLine};
  }
  auto [line, inLine] = forms.divide(b, number, area.itemsOfLine);
  if (area.isSpread)
    line = getStoredLine(forms, b, line, area.itemsOfLine);
  return {line, inLine};
}

LinearForm Staging::getPlace(const StagedArea &area, const LinearForm &buffer,
                             const StagedItem &item) {
  LinearForm place = forms.add(b, forms.mul(b, buffer, area.ofBuffer),
                               forms.mul(b, item.line, area.ofLine));
  return forms.add(
      b, place,
      forms.add(b, forms.mul(b, item.inLine, area.ofItem), area.first));
}

/// Returns vector `number` of an item. `elements` are either the vectors
/// themselves or the elements from which vectors of `type` are built.
static Value getVector(ImplicitLocOpBuilder &b, ArrayRef<Value> elements,
                       Type type, int64_t number) {
  if (elements.front().getType() == type)
    return elements[number];
  int64_t lanes = cast<VectorType>(type).getNumElements();
  return vector::FromElementsOp::create(b, type,
                                        elements.slice(number * lanes, lanes));
}

void Staging::stage(const StagedArea &area, const LinearForm &thread,
                    const LinearForm &buffer, LastRound lastRound,
                    ItemFn load) {
  SharedItems items = getItems(area, thread);
  Type type = cast<MemRefType>(area.memory.getType()).getElementType();
  items.forEachRound([&](int64_t first) {
    LinearForm number = items.getItem(b, forms, first);
    Value hasItem;
    std::optional<GuardedBlock> guard;
    if (items.isPartial(first)) {
      hasItem = buildIsBelow(b, forms, number, items.count);
      if (lastRound == LastRound::Skips)
        guard.emplace(b, forms, hasItem);
      number = items.limit(b, forms, number);
    }
    StagedItem item = getItem(area, number);
    SmallVector<Value> elements = load(item);
    LinearForm place = getPlace(area, buffer, item);
    SmallVector<Value> vectors, places;
    for (int64_t i = 0; area.storesLast && i < area.vectorsOfItem; ++i)
      vectors.push_back(getVector(b, elements, type, i));
    for (int64_t i = 0; area.storesLast && i < area.vectorsOfItem; ++i)
      places.push_back(buildPlace(area, place, i));
    OpBuilder::InsertionGuard storing(b);
    if (hasItem && lastRound == LastRound::LoadsLast)
      b.setInsertionPointToStart(scf::IfOp::create(b, hasItem).thenBlock());
    for (int64_t i = 0; i < area.vectorsOfItem; ++i) {
      Value vector =
          area.storesLast ? vectors[i] : getVector(b, elements, type, i);
      Value at = area.storesLast ? places[i] : buildPlace(area, place, i);
      memref::StoreOp::create(b, vector, area.memory, at);
    }
    if (guard)
      hoistFromGuard(guard->getIf());
  });
}

SmallVector<Value> Staging::load(const StagedArea &area, ItemFn load) {
  SharedItems items = getItems(area, forms.getThread());
  SmallVector<Value> vectors;
  items.forEachRound([&](int64_t first) {
    LinearForm number = items.getItem(b, forms, first);
    llvm::append_range(vectors,
                       load(getItem(area, items.limit(b, forms, number))));
  });
  return vectors;
}

ValueRange Staging::store(const StagedArea &area, const LinearForm &buffer,
                          ValueRange vectors) {
  forEachItem(
      b, forms, getItems(area, forms.getThread()), [&](LinearForm number) {
        LinearForm place = getPlace(area, buffer, getItem(area, number));
        for (int64_t i = 0; i < area.vectorsOfItem; ++i)
          memref::StoreOp::create(b, vectors[i], area.memory,
                                  buildPlace(area, place, i));
        vectors = vectors.drop_front(area.vectorsOfItem);
      });
  return vectors;
}
