//===- Operators.h - How each operator is drawn -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_PROGRAMS_OPERATORS_H
#define DML_LIB_TESTING_PROGRAMS_OPERATORS_H

#include "Testing/Programs/Generator.h"
#include "Testing/Programs/Random.h"
#include "dml/Reference/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"

namespace dml::fuzz {

/// A program that is being drawn.
class Draft {
public:
  Draft(mlir::MLIRContext *context, uint64_t seed)
      : random(seed), builder(mlir::UnknownLoc::get(context), context),
        module(mlir::ModuleOp::create(builder.getLoc())) {
    builder.setInsertionPointToEnd(module->getBody());
    function = mlir::func::FuncOp::create(builder, "main",
                                          builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    // Mostly small tensors: they find most defects, and run fast.
    maxElements = random.oneIn(32) ? 100000 : random.oneIn(4) ? 3000 : 150;
  }

  mlir::Value addArgument(mlir::Type type) {
    return function.front().addArgument(type, builder.getLoc());
  }

  /// Draws a size of at most `max`. Many sizes are no multiple of a vector or a
  /// workgroup.
  int64_t drawSize(int64_t max) {
    static constexpr int64_t sizes[] = {
        1,   1,   1,   2,   2,   3,    3,    4,    5,    7,    8,     9,    11,
        13,  15,  16,  17,  31,  32,   33,   63,   64,   65,   127,   128,  129,
        255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 4099, 16385, 65537};
    llvm::ArrayRef<int64_t> all(sizes);
    return random.pick(
        all.take_front(llvm::upper_bound(all, max) - all.begin()));
  }

  /// Returns the size that dimension `dim` may grow to.
  int64_t getRoom(llvm::ArrayRef<int64_t> shape, unsigned dim) const {
    int64_t elements = *reference::getNumElements(shape);
    return std::max(maxElements / (elements / shape[dim]), shape[dim]);
  }

  llvm::SmallVector<unsigned> drawOrder(unsigned rank) {
    llvm::SmallVector<unsigned> order = llvm::to_vector(llvm::seq(rank));
    for (unsigned i = rank; i-- > 1;)
      std::swap(order[i], order[random.between(0, i)]);
    return order;
  }

  /// Draws a type. Half of the types have rows of whole vectors and often an
  /// even number of rows, because threads compute such rows in another way.
  mlir::RankedTensorType drawType(DataType dataType, unsigned rank) {
    llvm::SmallVector<int64_t> shape(rank, 1);
    bool isAligned = random.oneIn(2);
    if (isAligned) {
      shape[rank - 1] = 128 / reference::getBitWidth(dataType);
      for (unsigned dim = std::max(2u, rank) - 2; dim + 1 < rank; ++dim)
        shape[dim] = random.pick(llvm::ArrayRef<int64_t>({1, 2, 4}));
    }
    for (unsigned dim : drawOrder(rank))
      if (!isAligned || random.oneIn(2))
        shape[dim] *= drawSize(getRoom(shape, dim) / shape[dim]);
    return mlir::RankedTensorType::get(
        shape, getElementType(dataType, builder.getContext()));
  }

  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::ValueRange results) {
    mlir::func::ReturnOp::create(builder, results);
    function.setType(builder.getFunctionType(
        function.front().getArgumentTypes(), mlir::TypeRange(results)));
    return std::move(module);
  }

  Random random;
  mlir::ImplicitLocOpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  int64_t maxElements;
  /// Whether the results of an operator may become operands of others.
  bool isGraph = false;
};

/// Returns the sizes of a tensor.
inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Draws a number of the element type `type`, but never -1.0: Mesa's drivers
/// take a select between -1.0 and 0.0 for one between -1.0 and -0.0.
inline mlir::TypedAttr drawScalar(Draft &draft, mlir::Type type) {
  Random &random = draft.random;
  if (mlir::isa<mlir::FloatType>(type)) {
    double quarters = static_cast<double>(random.between(-64, 64));
    return mlir::FloatAttr::get(type, quarters == -4 ? -2 : quarters / 4);
  }
  bool isSmall = random.oneIn(2);
  uint64_t bits =
      isSmall ? static_cast<uint64_t>(random.between(-9, 9)) : random.next();
  return mlir::IntegerAttr::get(
      type, llvm::APInt(type.getIntOrFloatBitWidth(), bits,
                        /*isSigned=*/false, /*implicitTrunc=*/true));
}

/// Whether `value` may get another type: whether it is an argument without
/// uses.
inline bool mayRetype(mlir::Value value) {
  return mlir::isa<mlir::BlockArgument>(value) && value.use_empty();
}

/// Returns the name of an operand's tensor in the support table.
inline llvm::StringRef getTensorName(mlir::OpOperand &operand) {
  auto op = mlir::cast<FeatureLevelOpInterface>(operand.getOwner());
  for (const FeatureLevelOpInterface::Tensor &tensor : op.getTensors())
    if (!tensor.info->isResult && tensor.number == operand.getOperandNumber())
      return tensor.info->name;
  return {};
}

bool isFloat(DataType type);

/// How a program uses the elements of an operand, which decides how inputs are
/// drawn.
enum class Purpose {
  /// The elements are moved: any bits are drawn.
  Move,
  /// The largest element is searched: many equal elements are drawn.
  Order,
  /// The elements are summed: small integers are drawn, whose sums are exact.
  Add,
  /// The elements are interpolated: no numbers are drawn whose differences
  /// overflow.
  Interpolate,
  /// The elements are computed with: numbers of all magnitudes are drawn, and
  /// special values.
  Compute,
  /// The elements are coordinates: small integers are drawn, of which some are
  /// negative or too large.
  Index,
  /// The elements are scales or the like: numbers between about 0 and 1 are
  /// drawn.
  Scale,
};

/// How an operator is drawn.
struct Operator {
  /// The enum attribute whose cases are drawn separately, or "".
  llvm::StringRef modeAttribute = "";
  uint32_t numModes = 1;
  llvm::StringRef (*stringifyMode)(uint32_t mode) = [](uint32_t) {
    return llvm::StringRef();
  };
  /// Builds the operation of `cell` with `input` as its first operand.
  mlir::Operation *(*draw)(Draft &draft, const Cell &cell, uint32_t mode,
                           mlir::Value input) = nullptr;
  /// Whether the verifier accepts the types of `cell`. If null, it accepts all
  /// cells.
  bool (*accepts)(const Cell &cell) = nullptr;
  /// Returns how the operation uses an operand.
  Purpose (*getPurpose)(mlir::OpOperand &operand) = [](mlir::OpOperand &) {
    return Purpose::Move;
  };
  /// Whether the operator computes its results instead of copying elements.
  bool (*computes)(llvm::StringRef mode) = [](llvm::StringRef) { return true; };
  /// Whether operands must be known exactly, because the operator searches
  /// maxima or uses them as coordinates.
  bool needsExact = false;
  /// Makes the operation consistent again after the shrinker has changed
  /// operands and attributes.
  void (*refit)(mlir::Operation *op) = nullptr;
};

class Operators {
public:
  template <typename OpTy> void add(const Operator &op) {
    add(OpTy::getOperationName(), op);
  }
  void add(llvm::StringRef name, const Operator &op) { byName[name] = op; }

  /// Returns the operator `name`, or null.
  const Operator *find(llvm::StringRef name) const {
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : &found->second;
  }
  const llvm::MapVector<llvm::StringRef, Operator> &getAll() const {
    return byName;
  }

private:
  llvm::MapVector<llvm::StringRef, Operator> byName;
};

/// Returns all operators.
const Operators &getOperators();

/// Draws a view of some elements of `input`, of which some may repeat.
mlir::Value drawView(Draft &draft, mlir::Value input);

/// Each function adds one family of operators.
#define DML_FAMILY(name) void add##name##Operators(Operators &operators);
#include "dml/IR/Families.def"

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_PROGRAMS_OPERATORS_H
