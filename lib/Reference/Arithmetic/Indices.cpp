//===- Indices.cpp - Indices that are data --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/Indices.h"
#include "Arithmetic/Places.h"
#include "Operators/ElementWiseRows.h"
#include <cstring>

using namespace mlir;

namespace dml::reference {

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

__int128 IndexReader::read(ArrayRef<int64_t> at, int64_t size) {
  if (isBegun)
    return choices[position++].current;
  Integer index = Integer::load(indices, getPlace(indices.value, at));
  // All that are out of range on one side are alike.
  auto limit = [&](__int128 number) {
    return std::clamp<__int128>(number, -static_cast<__int128>(size) - 1, size);
  };
  choices.push_back({limit(index.low), limit(index.high), index.value});
  return index.value;
}

std::optional<int64_t> IndexReader::get(ArrayRef<int64_t> at, int64_t size) {
  __int128 index = read(at, size);
  if (index < 0)
    index += size;
  if (index < 0 || index >= size)
    return std::nullopt;
  return static_cast<int64_t>(index);
}

int64_t IndexReader::getClamped(ArrayRef<int64_t> at, int64_t size) {
  __int128 index = read(at, size);
  if (index < 0)
    index += size;
  return static_cast<int64_t>(std::clamp<__int128>(index, 0, size - 1));
}

bool IndexReader::isOpen() const {
  return llvm::any_of(choices, [](const Choice &choice) {
    return choice.first != choice.last;
  });
}

bool IndexReader::begin() {
  constexpr __int128 maxCombinations = 4096;
  __int128 combinations = 1;
  for (Choice &choice : choices) {
    combinations *= choice.last - choice.first + 1;
    if (combinations > maxCombinations)
      return false;
    choice.current = choice.first;
  }
  position = 0;
  isBegun = true;
  return true;
}

bool IndexReader::next() {
  position = 0;
  for (Choice &choice : choices) {
    if (choice.current++ < choice.last)
      return true;
    choice.current = choice.first;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

static constexpr Tensor Estimate::*parts[] = {
    &Estimate::value, &Estimate::lower, &Estimate::upper};

/// Copies the value and the bounds of an element.
static void copyParts(const Estimate &input, int64_t from, Estimate &output,
                      int64_t to) {
  unsigned width = getByteWidth(input.value.getDataType());
  for (Tensor Estimate::*part : parts)
    std::memcpy((output.*part).getData() + to * width,
                (input.*part).getData() + from * width, width);
}

LogicalResult gatherEach(Operation *op, ArrayRef<Estimate> operands,
                         unsigned inputNumber, unsigned indicesNumber,
                         Evaluators::Estimates &outputs,
                         SourceFunction getSource) {
  const Estimate &input = operands[inputNumber],
                 &indices = operands[indicesNumber];
  if (indices.isExact())
    return Evaluators::evaluateEach(
        op, operands, outputs,
        [&](ArrayRef<Tensor> in, MutableArrayRef<Tensor> out,
            Evaluators::Bound) {
          unsigned width = getByteWidth(out[0].getDataType());
          char *element = out[0].getData();
          forEachCoordinate(out[0].getShape(), [&](ArrayRef<int64_t> to) {
            IndexReader reader(indices);
            int64_t from = getSource(in[inputNumber], to, reader);
            std::memcpy(element, in[inputNumber].getData() + from * width,
                        width);
            element += width;
          });
          return success();
        });
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  int64_t place = 0;
  forEachCoordinate(output->value.getShape(), [&](ArrayRef<int64_t> to) {
    IndexReader reader(indices);
    auto find = [&] { return getSource(input.value, to, reader); };
    copyParts(input, find(), *output, place);
    if (reader.isOpen() && !reader.begin())
      storeUnknown(*output, place);
    else if (reader.isOpen())
      do
        includeElement(*output, place, input, find());
      while (reader.next());
    ++place;
  });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

/// What an update that may go to several places leaves in each: what was there
/// or the update.
static void scatterOpen(Estimate &output, const Estimate &updates, int64_t from,
                        std::optional<int64_t> target, IndexReader &reader,
                        llvm::function_ref<std::optional<int64_t>()> find) {
  unsigned width = getByteWidth(output.value.getDataType());
  if (target)
    std::memcpy(output.value.getData() + *target * width,
                updates.value.getData() + from * width, width);
  if (!reader.begin()) {
    for (int64_t i = 0; i < output.value.getNumElements(); ++i)
      storeUnknown(output, i);
    return;
  }
  do
    if (std::optional<int64_t> to = find())
      includeElement(output, *to, updates, from);
  while (reader.next());
}

LogicalResult scatterEach(Operation *op, ArrayRef<Estimate> operands,
                          Evaluators::Estimates &outputs,
                          TargetFunction getTarget) {
  const Estimate &input = operands[0], &indices = operands[1],
                 &updates = operands[2];
  if (indices.isExact())
    return Evaluators::evaluateEach(
        op, operands, outputs,
        [&](ArrayRef<Tensor> in, MutableArrayRef<Tensor> out,
            Evaluators::Bound) {
          std::memcpy(out[0].getData(), in[0].getData(), in[0].getNumBytes());
          unsigned width = getByteWidth(out[0].getDataType());
          const char *element = in[2].getData();
          forEachCoordinate(in[2].getShape(), [&](ArrayRef<int64_t> from) {
            IndexReader reader(indices);
            if (std::optional<int64_t> to = getTarget(out[0], from, reader))
              std::memcpy(out[0].getData() + *to * width, element, width);
            element += width;
          });
          return success();
        });
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  for (Tensor Estimate::*part : parts)
    std::memcpy(((*output).*part).getData(), (input.*part).getData(),
                input.value.getNumBytes());
  int64_t number = 0;
  forEachCoordinate(updates.value.getShape(), [&](ArrayRef<int64_t> from) {
    IndexReader reader(indices);
    auto find = [&] { return getTarget(output->value, from, reader); };
    std::optional<int64_t> target = find();
    if (reader.isOpen())
      scatterOpen(*output, updates, number, target, reader, find);
    else if (target)
      copyParts(updates, number, *output, *target);
    ++number;
  });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

} // namespace dml::reference
