//===- Expression.h - From an operation to operators ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Operators are built on tensors of at least four dimensions: leading
// dimensions of size 1 are added where an operation has fewer, since older
// feature levels have operators of four dimensions only.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_TOSA_EXPRESSION_H
#define DML_LIB_IMPORT_TOSA_EXPRESSION_H

#include "Support/Builder.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include <functional>

namespace dml::tosareader {

using Shape = llvm::SmallVector<int64_t>;

/// The shape `shape` with leading dimensions of size 1, four dimensions in all
/// at least.
Shape toPhysical(llvm::ArrayRef<int64_t> shape);
/// Returns the product of the sizes.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// One operation of TOSA, and the operators that are built for it. The
/// functions that build one return a placeholder if DirectML has no such
/// operator, and the operation is refused then.
class Expression {
public:
  Expression(mlir::Operation *op, mlir::ConversionPatternRewriter &rewriter,
             bool ignoresNaNs);

  /// Emits the error that DirectML cannot express the operation, unless there
  /// was one before. Returns null.
  mlir::Value refuse(const llvm::Twine &why);
  bool isRefused() const { return wasRefused; }

  mlir::Operation *getOp() const { return op; }
  /// Whether clamps, maxima and minima need not have TOSA's results for NaNs.
  bool ignoresNaNs() const { return areNaNsIgnored; }

  //===--------------------------------------------------------------------===//
  // Types and constants of the operation
  //===--------------------------------------------------------------------===//

  /// Return the shape and the data type of a result, or of a value. Truths have
  /// the data type UINT8.
  llvm::ArrayRef<int64_t> getResultShape() const;
  DataType getResultDataType() const;
  static llvm::ArrayRef<int64_t> getShape(mlir::Value value);
  static DataType getDataTypeOf(mlir::Value value);
  static bool isFloat(DataType type);
  static bool isFloat(mlir::Value value) {
    return isFloat(getDataTypeOf(value));
  }

  /// Returns the elements of operand `index`, a constant of integers or a
  /// shape. Otherwise, refuses the operation and returns nothing.
  std::optional<llvm::SmallVector<int64_t>> getIntegers(unsigned index,
                                                        llvm::StringRef what);
  /// Returns the value of operand number `index`, such as a zero point. The
  /// operand must be a constant of one element, and a float must be whole.
  std::optional<int64_t> getInteger(unsigned index, llvm::StringRef what);
  /// Returns the attribute of operand `index`, which is constant and whose
  /// elements are all equal.
  mlir::TypedAttr getSplat(unsigned index, llvm::StringRef what);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  mlir::RankedTensorType getTensorType(llvm::ArrayRef<int64_t> shape,
                                       DataType type) const;

  /// Return views of `value`. reshape() refuses the operation if the number of
  /// elements differs.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value view(mlir::Value value, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> strides);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> order);
  /// Returns `value` with leading dimensions of size 1.
  mlir::Value widenRank(mlir::Value value);
  /// Returns `value`, aligned at the last dimension and repeated along
  /// dimensions of size 1, with the shape `shape`.
  mlir::Value spread(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Returns the same bits in another type of equal width.
  mlir::Value bitcast(mlir::Value value, DataType type);
  /// Returns the same bits in the unsigned type of equal width.
  mlir::Value toUnsigned(mlir::Value value);

  /// Return a tensor of equal elements.
  mlir::Value splat(DataType type, int64_t number,
                    llvm::ArrayRef<int64_t> shape);
  mlir::Value splatFloat(DataType type, const llvm::APFloat &number,
                         llvm::ArrayRef<int64_t> shape);
  /// Returns a constant of integers, which are all elements, or one to which
  /// all are equal.
  mlir::Value constant(DataType type, llvm::ArrayRef<int64_t> numbers,
                       llvm::ArrayRef<int64_t> shape);
  /// Returns the constant `elements`, whose truths become numbers.
  mlir::Value constant(mlir::ElementsAttr elements);

  //===--------------------------------------------------------------------===//
  // Operators
  //===--------------------------------------------------------------------===//

  /// Builds dml.`mnemonic` with a result of the given shape and type.
  mlir::Value build(llvm::StringRef mnemonic,
                    llvm::ArrayRef<reader::Operand> operands,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes,
                    llvm::ArrayRef<int64_t> shape, DataType type);
  /// Builds an element-wise operator of one tensor, "input".
  mlir::Value apply(llvm::StringRef mnemonic, mlir::Value input,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                    std::optional<DataType> type = std::nullopt);
  /// Builds an element-wise operator of two tensors, "a" and "b".
  mlir::Value combine(llvm::StringRef mnemonic, mlir::Value a, mlir::Value b,
                      std::optional<DataType> type = std::nullopt);
  /// Returns `value`, converted to `type` by CAST if it has another type.
  mlir::Value castTo(mlir::Value value, DataType type);
  /// Returns elements of `a` where `condition` holds, and of `b` elsewhere.
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value isNaN(mlir::Value value);
  /// Limits elements to [low, high], numbers of the element type.
  mlir::Value clip(mlir::Value value, int64_t low, int64_t high);

  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value);
  mlir::NamedAttribute ints(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute number(llvm::StringRef name, float value);

  mlir::ConversionPatternRewriter &rewriter;

private:
  mlir::Operation *op;
  mlir::Location loc;
  bool areNaNsIgnored;
  bool wasRefused = false;
};

/// Returns the values of `values`, of which each is exactly an f32, or nothing
/// if one is not.
std::optional<float> asFloat(int64_t value);

/// How operations become operators: for each operation a function that returns
/// the result, or null if it has refused the operation. `operands` have the
/// converted types.
class Rules {
public:
  using Function = std::function<mlir::Value(Expression &expression,
                                             mlir::ValueRange operands)>;

  template <typename OpTy> void add(Function function) {
    all.emplace_back(OpTy::getOperationName(), std::move(function));
  }
  /// Adds a function that uses the operation's own accessors.
  template <typename OpTy>
  void add(mlir::Value (*function)(Expression &expression, OpTy op,
                                   mlir::ValueRange operands)) {
    add<OpTy>([function](Expression &expression, mlir::ValueRange operands) {
      return function(expression, mlir::cast<OpTy>(expression.getOp()),
                      operands);
    });
  }

  std::vector<std::pair<llvm::StringRef, Function>> all;
};

// Each of these adds the rules of one file.
void addElementWiseRules(Rules &rules);
void addIntegerRules(Rules &rules);
void addMovementRules(Rules &rules);
void addReductionRules(Rules &rules);
void addResizingRules(Rules &rules);
void addWindowRules(Rules &rules);

/// A factor for each element, `multiplier * 2^-shift`. The arrays have one
/// number for each element of `shape`, which is spread over the tensor.
struct Scaling {
  llvm::SmallVector<int64_t> multipliers, shifts;
  Shape shape;
};

/// Returns `value`, integers of 64 bits, times `scaling`, rounded to the
/// nearest integer with halves upwards, as i32. With `roundsTwice`, TOSA's
/// DOUBLE_ROUND applies. Shifts are from 1 to 62, and products of `value` and
/// multipliers have 62 bits at most.
mlir::Value scaleIntegers(Expression &expression, mlir::Value value,
                          const Scaling &scaling, bool roundsTwice);

/// Adds the zero point `zeroPoint` to `value`, integers of 32 bits, and returns
/// the sum, limited to the numbers of `type`, as `type`.
mlir::Value finishQuantized(Expression &expression, mlir::Value value,
                            int64_t zeroPoint, DataType type);

/// Copies the slices of `value` along `axis` that `places` names.
mlir::Value takeAlong(Expression &expression, mlir::Value value, int64_t axis,
                      llvm::ArrayRef<int64_t> places);

} // namespace dml::tosareader

#endif // DML_LIB_IMPORT_TOSA_EXPRESSION_H
