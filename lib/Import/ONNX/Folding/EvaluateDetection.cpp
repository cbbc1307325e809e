//===- EvaluateDetection.cpp - NonMaxSuppression --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// A box by its corners.
struct Box {
  float top, left, bottom, right;

  float getArea() const { return (right - left) * (bottom - top); }
};

/// The parameters of a NonMaxSuppression.
struct Suppression {
  int64_t maxBoxes = 0;
  float maxOverlap = 0;
  std::optional<float> minScore;
};
} // namespace

/// Reads a box of four numbers: two opposite corners as (y, x), or, if
/// `isCentered`, the center as (x, y), the width and the height.
static Box readBox(const float *numbers, bool isCentered) {
  if (!isCentered)
    return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
            std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
  float width = numbers[2] / 2, height = numbers[3] / 2;
  return {numbers[1] - height, numbers[0] - width, numbers[1] + height,
          numbers[0] + width};
}

/// Whether the area that two boxes share is more than `limit` of the area that
/// they cover together.
static bool overlaps(const Box &a, const Box &b, float limit) {
  float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0) || !(height > 0))
    return false;
  float shared = width * height;
  float areaA = a.getArea(), areaB = b.getArea();
  float together = areaA + areaB - shared;
  if (shared <= 0 || areaA <= 0 || areaB <= 0 || together <= 0)
    return false;
  return shared / together > limit;
}

/// Returns the indices of the boxes that are kept, best first. Decreases
/// `steps` by the number of comparisons, and returns nothing if `steps` becomes
/// negative.
static std::optional<std::vector<int64_t>>
keepBoxes(ArrayRef<Box> boxes, ArrayRef<float> scores,
          const Suppression &suppression, int64_t &steps) {
  std::vector<int64_t> candidates, kept;
  for (auto [index, score] : llvm::enumerate(scores))
    if (!suppression.minScore || score > *suppression.minScore)
      candidates.push_back(static_cast<int64_t>(index));
  // A NaN sorts behind all numbers, and boxes with equal scores keep their
  // order.
  llvm::sort(candidates, [&](int64_t a, int64_t b) {
    if (scores[a] > scores[b] || isNaN(scores[a]) != isNaN(scores[b]))
      return !isNaN(scores[a]);
    return !(scores[a] < scores[b]) && a < b;
  });
  for (int64_t candidate : candidates) {
    if (static_cast<int64_t>(kept.size()) >= suppression.maxBoxes)
      break;
    steps -= static_cast<int64_t>(kept.size()) + 1;
    if (steps < 0)
      return std::nullopt;
    bool isFree = llvm::none_of(kept, [&](int64_t other) {
      return overlaps(boxes[candidate], boxes[other], suppression.maxOverlap);
    });
    if (isFree)
      kept.push_back(candidate);
  }
  return kept;
}

/// Returns the only number of input `index` as T, or `otherwise` if the input
/// is missing. Fails if the input is of another type or is no single number.
template <typename T>
static bool readNumber(const NodeReader &node, unsigned index, DataType type,
                       T &number) {
  if (!node.hasInput(index))
    return true;
  const Constant &constant = getConstant(node, index);
  if (constant.getType() != type || constant.getNumElements() != 1)
    return false;
  number = getElements<T>(constant).front();
  return true;
}

static std::optional<Suppression> readSuppression(const NodeReader &node) {
  Suppression suppression;
  float minScore = 0;
  if (!readNumber(node, 2, DataType::INT64, suppression.maxBoxes) ||
      !readNumber(node, 3, DataType::FLOAT32, suppression.maxOverlap) ||
      !readNumber(node, 4, DataType::FLOAT32, minScore))
    return std::nullopt;
  if (node.hasInput(4))
    suppression.minScore = minScore;
  return suppression;
}

/// Evaluates NonMaxSuppression: of the boxes of a class that overlap, those
/// with the best scores.
static Evaluation evaluateNonMaxSuppression(NodeReader &node) {
  if (!hasInputs(node, 2, 5))
    return std::nullopt;
  bool isCentered = node.getInt("center_point_box", 0) != 0;
  const Constant &boxes = getConstant(node, 0), &scores = getConstant(node, 1);
  std::optional<Suppression> suppression = readSuppression(node);
  ArrayRef<int64_t> boxShape = boxes.getShape(), scoreShape = scores.getShape();
  if (!suppression || boxes.getType() != DataType::FLOAT32 ||
      scores.getType() != DataType::FLOAT32 || boxShape.size() != 3 ||
      scoreShape.size() != 3 || boxShape[2] != 4 ||
      scoreShape[0] != boxShape[0] || scoreShape[2] != boxShape[1])
    return std::nullopt;
  std::vector<float> numbers = getElements<float>(boxes),
                     all = getElements<float>(scores);
  int64_t count = boxShape[1], steps = node.getMaxSteps();
  std::vector<int64_t> selected;
  for (int64_t batch = 0; batch < boxShape[0]; ++batch) {
    std::vector<Box> corners;
    for (int64_t box = 0; box < count; ++box)
      corners.push_back(
          readBox(&numbers[(batch * count + box) * 4], isCentered));
    for (int64_t kind = 0; kind < scoreShape[1]; ++kind) {
      auto kept = keepBoxes(
          corners,
          ArrayRef(all).slice((batch * scoreShape[1] + kind) * count, count),
          *suppression, steps);
      if (!kept)
        return std::nullopt;
      for (int64_t box : *kept)
        selected.insert(selected.end(), {batch, kind, box});
    }
  }
  auto rows = static_cast<int64_t>(selected.size() / 3);
  return one(makeConstant(DataType::INT64, {rows, 3}, selected));
}

void dml::onnx::addDetectionEvaluators(Evaluators &evaluators) {
  evaluators["NonMaxSuppression"] = evaluateNonMaxSuppression;
}
