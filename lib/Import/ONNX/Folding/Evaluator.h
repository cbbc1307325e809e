//===- Evaluator.h - Nodes whose inputs are known ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Exporters write the arithmetic of sizes, of masks and of tables as nodes.
// What these compute of constants is known when the model is read. An evaluator
// of an operator gives the elements that ONNX asks for, and those of ONNX
// Runtime's CPU provider where ONNX leaves a choice: integers of every type are
// exact and wrap around, a float is rounded to its own type after each
// operation, and NaN stays NaN.
//
// An evaluator that cannot compute a node, or would take too long for it, gives
// nothing. The operator's import function then sees the node.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_FOLDING_EVALUATOR_H
#define DML_LIB_IMPORT_ONNX_FOLDING_EVALUATOR_H

#include "Reader/NodeReader.h"
#include <limits>

namespace dml::onnx {

/// What a node computes, one constant for each output, or nothing.
using Evaluation = std::optional<llvm::SmallVector<Constant>>;
using Evaluate = Evaluation (*)(NodeReader &);

/// The result of a node that has one output.
inline Evaluation one(Constant constant) {
  llvm::SmallVector<Constant> results;
  results.push_back(std::move(constant));
  return results;
}
using Evaluators = llvm::StringMap<Evaluate>;

/// Each adds one family of operators.
void addElementWiseEvaluators(Evaluators &evaluators);
void addMovementEvaluators(Evaluators &evaluators);
void addReductionEvaluators(Evaluators &evaluators);

/// Steps that computing one node takes at most, so that reading a model takes
/// time that its size bounds.
inline constexpr int64_t maxEvaluationSteps = int64_t(1) << 20;

/// Whether there are `minimum` to `maximum` inputs, the first `minimum` of
/// which are not left out.
bool hasInputs(const NodeReader &node, unsigned minimum, unsigned maximum);
/// Input `index`, which is a constant.
const Constant &getConstant(const NodeReader &node, unsigned index);
/// The elements of input `index`, if they are integers of 32 or 64 bits.
std::optional<Shape> getIntegers(const NodeReader &node, unsigned index);
/// `axis` counted from the front, of `rank` dimensions, if it is one of them.
std::optional<int64_t> findAxis(int64_t axis, int64_t rank);
/// The number of elements of a Range, whose inputs are constants of one number
/// each and of one type; nothing where no tensor has as many.
std::optional<int64_t> countRange(NodeReader &node);
/// Whether a tensor of `shape` has few enough elements to be computed.
bool isFoldable(llvm::ArrayRef<int64_t> shape);

/// Calls `function` with the coordinates of every element, in order.
void forEach(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> function);
/// The number of an element of a tensor of `shape`, counted in order. Of a
/// tensor that is broadcast to more dimensions, `coordinates` are those of the
/// result.
int64_t getIndex(llvm::ArrayRef<int64_t> shape,
                 llvm::ArrayRef<int64_t> coordinates);
/// The number of the element of a tensor of the shape `from` that stands at
/// each place of the shape `to`, which it is broadcast to.
llvm::SmallVector<int64_t> broadcastIndices(llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<int64_t> to);
/// A tensor of `shape` of the elements of `constant` that stand at `indices`.
Constant pickIndices(const Constant &constant, Shape shape,
                     llvm::ArrayRef<int64_t> indices);

/// A tensor as rows of `size` elements along one dimension: there are `outer`
/// times `inner` of them, and the elements of one are `inner` apart.
struct Rows {
  int64_t outer = 1, size = 1, inner = 1;
  Rows(llvm::ArrayRef<int64_t> shape, int64_t axis);
  int64_t getIndex(int64_t row, int64_t position) const {
    return (row / inner * size + position) * inner + row % inner;
  }
  int64_t count() const { return outer * inner; }
};

/// A constant of elements of `constant`: `pick` maps coordinates of the result
/// to some of the constant.
Constant pickElements(const Constant &constant, Shape shape,
                      llvm::function_ref<Shape(llvm::ArrayRef<int64_t>)> pick);

/// Computes a node whose inputs all are known and have few elements. Gives
/// nothing where the node has no evaluator, or its evaluator gives nothing.
Evaluation foldNode(NodeReader &node);

//===----------------------------------------------------------------------===//
// Elements by their C++ type
//===----------------------------------------------------------------------===//

/// Calls `function` with a 0 of the C++ type that elements of `type` are
/// computed with: float for halves. Gives nothing for elements of four bits.
template <typename Function>
auto computeWith(DataType type, Function function)
    -> decltype(function(float())) {
  if (isFourBits(type))
    return std::nullopt;
  if (type == DataType::FLOAT16)
    return function(float());
  return dispatchType(type, function);
}

/// The elements of `constant`, whose C++ type T is. A splat has one.
template <typename T>
std::vector<T> getDistinctElements(const Constant &constant) {
  int64_t count = constant.isSplat() ? 1 : constant.getNumElements();
  std::vector<T> elements(count);
  const char *data = constant.getData();
  if constexpr (std::is_same_v<T, float>) {
    if (constant.getType() == DataType::FLOAT16) {
      for (int64_t index = 0; index < count; ++index) {
        uint16_t bits;
        std::memcpy(&bits, data + index * sizeof(bits), sizeof(bits));
        elements[index] = static_cast<float>(fromHalf(bits));
      }
      return elements;
    }
  }
  if (count != 0)
    std::memcpy(elements.data(), data, count * sizeof(T));
  return elements;
}

/// All elements of `constant`, whose C++ type T is.
template <typename T> std::vector<T> getElements(const Constant &constant) {
  std::vector<T> elements = getDistinctElements<T>(constant);
  if (constant.isSplat())
    elements.resize(constant.getNumElements(), elements.front());
  return elements;
}

/// A constant of `elements`; halves are rounded once.
template <typename T>
Constant makeConstant(DataType type, Shape shape,
                      const std::vector<T> &elements) {
  unsigned width = getByteWidth(type);
  auto bytes = std::make_shared<std::vector<char>>(elements.size() * width);
  if (type == DataType::FLOAT16) {
    for (auto [index, element] : llvm::enumerate(elements)) {
      uint16_t bits = toHalf(static_cast<double>(element));
      std::memcpy(bytes->data() + index * sizeof(bits), &bits, sizeof(bits));
    }
  } else if (!elements.empty()) {
    assert(width == sizeof(T));
    std::memcpy(bytes->data(), elements.data(), bytes->size());
  }
  return Constant(type, std::move(shape), *bytes, bytes);
}

/// Integers wrap around, as they do on devices. Unsigned ones of 32 bits or
/// more do so by themselves.
template <typename T>
using Wrapping =
    std::conditional_t<std::is_floating_point_v<T>, T,
                       std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;
template <typename T> T addWrapping(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) +
                        static_cast<Wrapping<T>>(b));
}
template <typename T> T subtractWrapping(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) -
                        static_cast<Wrapping<T>>(b));
}
template <typename T> T multiplyWrapping(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) *
                        static_cast<Wrapping<T>>(b));
}

template <typename T> bool isNaN(T value) { return value != value; }

/// The greater of two numbers, and the lesser one; NaN where one is NaN.
template <typename T> T getGreater(T a, T b) {
  return isNaN(a) || !(a < b || isNaN(b)) ? a : b;
}
template <typename T> T getLesser(T a, T b) {
  return isNaN(a) || !(b < a || isNaN(b)) ? a : b;
}

/// A float as an integer: its fraction is cut off. What ONNX leaves open is as
/// in ONNX Runtime on x86-64: integers of fewer than 32 bits are the low bits
/// of one of 32, unsigned ones of 32 bits those of one of 64, and a number that
/// is out of the range of these, or NaN, becomes the least one.
template <typename T> T truncateTo(double value) {
  using Through =
      std::conditional_t<std::is_same_v<T, uint32_t> || sizeof(T) == 8, int64_t,
                         int32_t>;
  constexpr double limit = sizeof(Through) == 8 ? 0x1p63 : 0x1p31;
  if constexpr (std::is_same_v<T, uint64_t>)
    if (value >= limit)
      return value < 2 * limit ? static_cast<uint64_t>(value) : 0;
  double whole = std::trunc(value);
  if (!(whole >= -limit && whole < limit))
    return static_cast<T>(std::numeric_limits<Through>::min());
  return static_cast<T>(static_cast<Through>(whole));
}

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_FOLDING_EVALUATOR_H
