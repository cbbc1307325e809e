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

/// A program in the making.
class Draft {
public:
  Draft(mlir::MLIRContext *context, uint64_t seed)
      : random(seed), builder(mlir::UnknownLoc::get(context), context),
        module(mlir::ModuleOp::create(builder.getLoc())) {
    builder.setInsertionPointToEnd(module->getBody());
    function = mlir::func::FuncOp::create(builder, "main",
                                          builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    // Small tensors mostly: they find most, and are soon run.
    maxElements = random.oneIn(32) ? 100000 : random.oneIn(4) ? 3000 : 150;
  }

  mlir::Value addArgument(mlir::Type type) {
    return function.front().addArgument(type, builder.getLoc());
  }

  /// A size up to `max`, awkward for vectors and workgroups.
  int64_t drawSize(int64_t max) {
    static constexpr int64_t sizes[] = {
        1,   1,   1,   2,   2,   3,    3,    4,    5,    7,    8,     9,    11,
        13,  15,  16,  17,  31,  32,   33,   63,   64,   65,   127,   128,  129,
        255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 4099, 16385, 65537};
    llvm::ArrayRef<int64_t> all(sizes);
    return random.pick(
        all.take_front(llvm::upper_bound(all, max) - all.begin()));
  }

  /// How much dimension `dim` may grow to.
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

  /// Many types have rows of whole vectors, and an even number of rows: threads
  /// compute them in another way than others.
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
  /// Results may become operands.
  bool isGraph = false;
};

/// The sizes of a tensor.
inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// A number of the element type `type`; not -1.0, since Mesa's drivers take a
/// choice between that and 0.0 for one between -1.0 and -0.0.
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

/// Whether `value` may get another type: an argument that nothing uses yet.
inline bool mayRetype(mlir::Value value) {
  return mlir::isa<mlir::BlockArgument>(value) && value.use_empty();
}

/// The name that the support table has for an operand's tensor.
inline llvm::StringRef getTensorName(mlir::OpOperand &operand) {
  auto op = mlir::cast<FeatureLevelOpInterface>(operand.getOwner());
  for (const FeatureLevelOpInterface::Tensor &tensor : op.getTensors())
    if (!tensor.info->isResult && tensor.number == operand.getOperandNumber())
      return tensor.info->name;
  return {};
}

bool isFloat(DataType type);

/// What a program does with an operand's elements, which decides how inputs are
/// drawn.
enum class Purpose {
  /// Moves them: any bits do.
  Move,
  /// Looks for the largest: there are many equal ones.
  Order,
  /// Adds them up: small integers, so that sums are exact.
  Add,
  /// Interpolates: no numbers whose differences overflow.
  Interpolate,
  /// Computes with them: numbers of all magnitudes, and special ones.
  Compute,
  /// Takes them for coordinates: small integers, of which some are negative or
  /// too large.
  Index,
  /// Takes them for small numbers between 0 and 1 or so, scales for instance.
  Scale,
};

/// How an operator is drawn.
struct Operator {
  /// The enum attribute whose cases are drawn apart; "" for none.
  llvm::StringRef modeAttribute = "";
  uint32_t numModes = 1;
  llvm::StringRef (*stringifyMode)(uint32_t mode) = [](uint32_t) {
    return llvm::StringRef();
  };
  /// Builds the operation of `cell`, whose operand `slot` is `input`.
  mlir::Operation *(*draw)(Draft &draft, const Cell &cell, uint32_t mode,
                           mlir::Value input) = nullptr;
  /// Whether the tables' types are a cell that the verifier accepts; all are by
  /// default.
  bool (*accepts)(const Cell &cell) = nullptr;
  /// What the operation does with an operand.
  Purpose (*getPurpose)(mlir::OpOperand &operand) = [](mlir::OpOperand &) {
    return Purpose::Move;
  };
  /// Whether its results are no copies of elements.
  bool (*computes)(llvm::StringRef mode) = [](llvm::StringRef) { return true; };
  /// Whether it is undefined for operands that are known within bounds only,
  /// because it looks for maxima or takes them for coordinates.
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

  /// The operator `name`, or null.
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

/// All operators.
const Operators &getOperators();

/// A view of some of the elements of `input`, some of them several times.
mlir::Value drawView(Draft &draft, mlir::Value input);

/// Each adds one family of operators.
#define DML_FAMILY(name) void add##name##Operators(Operators &operators);
#include "dml/IR/Families.def"

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_PROGRAMS_OPERATORS_H
