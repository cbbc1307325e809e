//===- Contraction.cpp - Sums of products ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Sets.h"
#include "Sums.h"
#include "dml/IR/ContractionOps.h"

using namespace mlir;

namespace dml::reference {

static std::vector<Interval> loadAll(const Estimate &tensor) {
  std::vector<Interval> elements;
  int64_t count = tensor.value.getNumElements();
  elements.reserve(count);
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(Interval::load(tensor, i));
  return elements;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// The position of `coordinates` in a packed tensor of sizes `shape`.
static int64_t linearize(ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> coordinates) {
  int64_t position = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates))
    position = position * size + coordinate;
  return position;
}

/// Both directions go over pairs of a position in the space where the filter
/// moves and one of the filter. Forward these are elements of the output, which
/// look for one of the input; backward elements of the input, which look for
/// one of the output.
static LogicalResult evaluate(ConvolutionOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  const std::vector<Interval> input = loadAll(operands[0]),
                              filter = loadAll(operands[1]);
  ArrayRef<int64_t> inputShape = operands[0].value.getShape(),
                    filterShape = operands[1].value.getShape(),
                    outputShape = output->value.getShape();
  bool isForward = op.getDirection() == ConvolutionDirection::forward;
  bool isFlipped = op.getMode() == ConvolutionMode::convolution;
  int64_t groups = op.getGroupCount();
  unsigned numSpatial = inputShape.size() - 2;

  std::vector<Sum> sums(output->value.getNumElements());
  // Filters stand for the side that the filter moves over: the output's
  // channels forward, the input's backward. Their channels are those of the
  // other side in the same group.
  ArrayRef<int64_t> moving = isForward ? outputShape : inputShape,
                    other = isForward ? inputShape : outputShape;
  int64_t filters = filterShape[0], perFilter = filterShape[1];
  SmallVector<int64_t> here(moving.size()), there(other.size()),
      inFilter(filterShape.size());
  forEachCoordinate(moving, [&](ArrayRef<int64_t> position) {
    here.assign(position.begin(), position.end());
    int64_t group = here[1] / (filters / groups);
    inFilter[0] = here[1];
    there[0] = here[0];
    int64_t hereIndex = linearize(moving, here);
    forEachCoordinate(filterShape.drop_front(2), [&](ArrayRef<int64_t> k) {
      for (unsigned i = 0; i < numSpatial; ++i) {
        int64_t found = here[i + 2] * op.getStrides()[i] +
                        k[i] * op.getDilations()[i] - op.getStartPadding()[i];
        if (found < 0 || found >= other[i + 2])
          return;
        there[i + 2] = found;
        inFilter[i + 2] = isFlipped ? filterShape[i + 2] - 1 - k[i] : k[i];
      }
      for (int64_t c = 0; c < perFilter; ++c) {
        there[1] = group * perFilter + c;
        inFilter[1] = c;
        int64_t thereIndex = linearize(other, there);
        sums[isForward ? hereIndex : thereIndex].add(
            input[isForward ? thereIndex : hereIndex] *
            filter[linearize(filterShape, inFilter)]);
      }
    });
  });

  const Estimate *bias = getOptional(op, operands, 2);
  int64_t index = 0;
  forEachCoordinate(outputShape, [&](ArrayRef<int64_t> position) {
    Sum &sum = sums[index];
    if (bias)
      sum.add(Interval::load(*bias, position[1]));
    sum.get().store(*output, index++);
  });
  outputs.push_back(std::move(*output));
  return success();
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static LogicalResult evaluate(GemmOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  const std::vector<Interval> a = loadAll(operands[0]),
                              b = loadAll(operands[1]);
  bool transA = op.getTransA() == MatrixTransform::transpose;
  bool transB = op.getTransB() == MatrixTransform::transpose;
  ArrayRef<int64_t> shape = operands[0].value.getShape().take_back(2);
  int64_t rows = output->value.getShape().drop_back().back(),
          columns = output->value.getShape().back(),
          terms = transA ? shape[0] : shape[1];
  const Estimate *c = getOptional(op, operands, 2);
  Interval alpha(op.getAlpha().convertToDouble()),
      beta(op.getBeta().convertToDouble());
  for (int64_t index = 0, e = output->value.getNumElements(); index < e;
       ++index) {
    int64_t n = index % columns, m = index / columns % rows,
            matrix = index / columns / rows;
    Sum sum;
    for (int64_t k = 0; k < terms; ++k)
      sum.add(
          a[matrix * rows * terms + (transA ? k * rows + m : m * terms + k)] *
          b[matrix * terms * columns +
            (transB ? n * terms + k : k * columns + n)]);
    Interval result = sum.get();
    // What is multiplied by 1 keeps its bits, whichever way a device rounds.
    if (alpha.value != 1)
      result = result * alpha;
    if (c) {
      Interval addend = Interval::load(*c, index);
      result = result + (beta.value == 1 ? addend : addend * beta);
    }
    result.store(*output, index);
  }
  outputs.push_back(std::move(*output));
  return success();
}

void addContractionEvaluators(Evaluators &evaluators) {
  evaluators.add<ConvolutionOp>(evaluate);
  evaluators.add<GemmOp>(evaluate);
}

} // namespace dml::reference
