//===- IndexedMovement.cpp - Movement of elements by indices --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators/IndexedMovement.h"
#include "Operators/ElementWiseRows.h"
#include <cstring>

using namespace mlir;

namespace dml::reference {

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

/// Stores an update whose target is uncertain: each possible target keeps its
/// bounds and also includes the update.
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
