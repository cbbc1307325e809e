//===- Evaluator.h - Nodes whose inputs are known ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Exporters write the arithmetic of sizes, masks and tables as nodes. If the
// inputs of such a node are constants, its results are computed when the model
// is read. The evaluator of an operator computes the elements that ONNX
// specifies. Where ONNX leaves a choice, the evaluator computes the same
// elements as ONNX Runtime's CPU provider: integers of all types are exact and
// wrap around, floats are rounded to their own type after each operation, and
// NaN remains NaN.
//
// If an evaluator cannot compute a node, or would take too long, it returns
// nothing. The operator's import function then processes the node.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_FOLDING_EVALUATOR_H
#define DML_LIB_IMPORT_ONNX_FOLDING_EVALUATOR_H

#include "Reader/NodeReader.h"
#include <limits>

namespace dml::onnx {

/// The results of a node, with one constant for each output, or nothing.
using Evaluation = std::optional<llvm::SmallVector<Constant>>;
using Evaluate = Evaluation (*)(NodeReader &);

/// Returns the results of a node with a single output.
inline Evaluation one(Constant constant) {
  llvm::SmallVector<Constant> results;
  results.push_back(std::move(constant));
  return results;
}
using Evaluators = llvm::StringMap<Evaluate>;

/// Each function adds one family of operators.
void addDetectionEvaluators(Evaluators &evaluators);
void addElementWiseEvaluators(Evaluators &evaluators);
void addMovementEvaluators(Evaluators &evaluators);
void addReductionEvaluators(Evaluators &evaluators);
void addViewEvaluators(Evaluators &evaluators);

/// The largest number of steps for the evaluation of one node. The limit bounds
/// the time for reading a model by its size.
inline constexpr int64_t maxEvaluationSteps = int64_t(1) << 20;

/// Whether there are `minimum` to `maximum` inputs, of which the first
/// `minimum` are present.
bool hasInputs(const NodeReader &node, unsigned minimum, unsigned maximum);
/// Returns input `index`, which must be a constant.
const Constant &getConstant(const NodeReader &node, unsigned index);
/// Returns the elements of input `index` if they are 32-bit or 64-bit integers.
std::optional<Shape> getIntegers(const NodeReader &node, unsigned index);
/// Returns `axis` counted from the front of `rank` dimensions, or nothing if it
/// is out of range.
std::optional<int64_t> findAxis(int64_t axis, int64_t rank);
/// Returns the number of elements of a Range, whose inputs are constants with a
/// single number each and with a common type. Returns nothing if no tensor can
/// have this size.
std::optional<int64_t> countRange(NodeReader &node);
/// Whether a tensor of `shape` has few enough elements for evaluation.
bool isFoldable(llvm::ArrayRef<int64_t> shape);

/// Calls `function` with the coordinates of each element, in row-major order.
void forEach(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> function);
/// Returns the row-major number of an element in a tensor of `shape`. If the
/// tensor is broadcast to more dimensions, `coordinates` are those of the
/// result.
int64_t getIndex(llvm::ArrayRef<int64_t> shape,
                 llvm::ArrayRef<int64_t> coordinates);
/// Broadcasts a tensor of shape `from` to the shape `to`. Returns, for each
/// place of the result, the number of the element of the tensor.
llvm::SmallVector<int64_t> broadcastIndices(llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<int64_t> to);
/// Returns a tensor of `shape` with the elements of `constant` at `indices`.
Constant pickIndices(const Constant &constant, Shape shape,
                     llvm::ArrayRef<int64_t> indices);

/// A tensor as rows of `size` elements along one dimension. There are `outer`
/// times `inner` rows, and neighbouring elements of a row are `inner` elements
/// apart.
struct Rows {
  int64_t outer = 1, size = 1, inner = 1;
  Rows(llvm::ArrayRef<int64_t> shape, int64_t axis);
  int64_t getIndex(int64_t row, int64_t position) const {
    return (row / inner * size + position) * inner + row % inner;
  }
  int64_t count() const { return outer * inner; }
};

/// Returns a constant with elements of `constant`. `pick` maps coordinates of
/// the result to coordinates of `constant`.
Constant pickElements(const Constant &constant, Shape shape,
                      llvm::function_ref<Shape(llvm::ArrayRef<int64_t>)> pick);

/// Evaluates a node whose inputs are all known and small. Returns nothing if
/// the node has no evaluator, or if its evaluator returns nothing.
Evaluation foldNode(NodeReader &node);

//===----------------------------------------------------------------------===//
// Elements by their C++ type
//===----------------------------------------------------------------------===//

/// Calls `function` with a 0 of the C++ type in which elements of `type` are
/// computed: float for halves. Returns nothing for 4-bit elements.
template <typename Function>
auto computeWith(DataType type, Function function)
    -> decltype(function(float())) {
  if (isFourBits(type))
    return std::nullopt;
  if (type == DataType::FLOAT16)
    return function(float());
  return dispatchType(type, function);
}

/// Returns the elements of `constant`, whose C++ type is T. A splat has only
/// one.
template <typename T>
std::vector<T> getDistinctElements(const Constant &constant) {
  int64_t count = constant.isSplat() ? 1 : constant.getNumElements();
  std::vector<T> elements(count);
  Constant plain = constant.unpack();
  const char *data = plain.getData();
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

/// Returns all elements of `constant`, whose C++ type is T.
template <typename T> std::vector<T> getElements(const Constant &constant) {
  std::vector<T> elements = getDistinctElements<T>(constant);
  if (constant.isSplat())
    elements.resize(constant.getNumElements(), elements.front());
  return elements;
}

/// Creates a constant with `elements`. Halves are rounded only once.
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

/// The type for integer arithmetic with wrap-around, as on devices: an unsigned
/// type with at least 32 bits.
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

/// Return the greater and the lesser of two numbers. The result is NaN if one
/// of them is NaN.
template <typename T> T getGreater(T a, T b) {
  return isNaN(a) || !(a < b || isNaN(b)) ? a : b;
}
template <typename T> T getLesser(T a, T b) {
  return isNaN(a) || !(b < a || isNaN(b)) ? a : b;
}

/// Truncates a float to an integer. Cases that ONNX does not specify follow
/// ONNX Runtime on x86-64: the conversion goes through a 32-bit integer for
/// types with fewer than 32 bits, and through a 64-bit integer for unsigned
/// 32-bit integers, of which the low bits are taken. A number outside of the
/// range of this intermediate type, or NaN, becomes its least integer.
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
