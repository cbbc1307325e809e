//===- Generator.cpp - Drawing programs -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Testing/Programs/Generator.h"
#include "Testing/Programs/Operators.h"
#include "dml/IR/ElementWiseOps.h"
#include "dml/IR/Layout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

using namespace mlir;

namespace dml::fuzz {

const Operators &getOperators() {
  static const Operators operators = [] {
    Operators operators;
#define DML_FAMILY(name) add##name##Operators(operators);
#include "dml/IR/Families.def"
    return operators;
  }();
  return operators;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static const OperatorSupport &getSupport(MLIRContext *context, StringRef name) {
  return RegisteredOperationName::lookup(name, context)
      ->getInterface<FeatureLevelOpInterface>()
      ->getOperatorSupport();
}

std::vector<StringRef> getMissingOperators(MLIRContext *context) {
  std::vector<StringRef> missing;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasInterface<FeatureLevelOpInterface>() &&
        !getOperators().find(name.getStringRef()))
      missing.push_back(name.getStringRef());
  return missing;
}

/// Calls `callback` for every choice of data types that `row` allows. All
/// tensors of one group have the same type.
static void
forEachTypes(const OperatorSupport &support, const LevelSupport &row,
             SmallVector<DataType> &types,
             llvm::function_ref<void(ArrayRef<DataType>)> callback) {
  size_t index = types.size();
  if (index == support.tensors.size())
    return callback(types);
  unsigned group = support.tensors[index].typeGroup;
  std::optional<DataType> fixed;
  for (size_t i = 0; i < index && group; ++i)
    if (support.tensors[i].typeGroup == group)
      fixed = types[i];
  for (DataType type : getDataTypes()) {
    if ((fixed && type != *fixed) || !row.tensors[index].supportsDataType(type))
      continue;
    types.push_back(type);
    forEachTypes(support, row, types, callback);
    types.pop_back();
  }
}

static std::vector<Cell> listCells(MLIRContext *context, FeatureLevel level) {
  std::vector<Cell> cells;
  for (const auto &entry : getOperators().getAll()) {
    const auto &name = entry.first;
    const auto &op = entry.second;
    const OperatorSupport &support = getSupport(context, name);
    for (uint32_t mode = 0; mode < op.numModes; ++mode) {
      if (llvm::any_of(support.enumCases, [&](const EnumCaseSupport &later) {
            return later.attribute == op.modeAttribute && later.value == mode &&
                   later.level > level;
          }))
        continue;
      const LevelSupport *row =
          support.getRow(level, !support.selector.empty() &&
                                        support.selector == op.modeAttribute
                                    ? std::optional(mode)
                                    : std::nullopt);
      if (!row)
        continue;
      // The rank of the first tensor determines the ranks that are related to
      // it.
      const TensorSupport &tensor = row->tensors.front();
      SmallVector<DataType> types;
      forEachTypes(support, *row, types, [&](ArrayRef<DataType> types) {
        for (unsigned rank = tensor.minRank; rank <= tensor.maxRank; ++rank) {
          Cell cell{name, op.stringifyMode(mode), types.front(), rank,
                    SmallVector<DataType, 4>(types)};
          if (!op.accepts || op.accepts(cell))
            cells.push_back(std::move(cell));
        }
      });
    }
  }
  return cells;
}

ArrayRef<Cell> getCells(MLIRContext *context, FeatureLevel level) {
  static std::mutex mutex;
  static std::map<FeatureLevel, std::vector<Cell>> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = known.try_emplace(level);
  if (isNew)
    entry->second = listCells(context, level);
  return entry->second;
}

static Operation *drawOperator(Draft &draft, const Cell &cell, Value input) {
  const Operator &op = *getOperators().find(cell.op);
  uint32_t mode = 0;
  while (op.stringifyMode(mode) != cell.mode)
    ++mode;
  return op.draw(draft, cell, mode, input);
}

OwningOpRef<ModuleOp> drawProgram(MLIRContext *context, const Cell &cell,
                                  uint64_t seed) {
  Draft draft(context, seed);
  Value input = draft.addArgument(draft.drawType(cell.type, cell.rank));
  return draft.finish(drawOperator(draft, cell, input)->getResults());
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// The limit on the elements of a constant, because programs spell constants
/// out.
static constexpr int64_t maxWeightElements = 4096;

/// Draws a constant. Its type must be signless, as arith requires.
static Value drawConstant(Draft &draft, RankedTensorType type) {
  SmallVector<Attribute> elements;
  bool isSplat = draft.random.oneIn(3);
  for (int64_t i = 0, e = isSplat ? 1 : type.getNumElements(); i < e; ++i) {
    // The value fits into 4 bits, so all types can hold it.
    int64_t value = draft.random.between(-8, 7);
    // Floats are never 1 or -1: lavapipe confuses some selects between 1 or -1
    // and a zero (docs/Reference.md).
    if (isa<FloatType>(type.getElementType()))
      elements.push_back(FloatAttr::get(type.getElementType(),
                                        static_cast<double>(value) + 0.5));
    else
      elements.push_back(IntegerAttr::get(type.getElementType(), value));
  }
  return arith::ConstantOp::create(draft.builder,
                                   DenseElementsAttr::get(type, elements));
}

/// Replaces the arguments that only `op` computes with by constants, and adds
/// one or two copies of `op` with other constants. This tests how a compiler
/// combines products of one tensor with several weights. Returns nothing if
/// `op` has no such arguments.
static SmallVector<Operation *> drawTwins(Draft &draft, Operation *op,
                                          Value input) {
  const Operator &known = *getOperators().find(op->getName().getStringRef());
  SmallVector<unsigned> weights;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    Purpose purpose = known.getPurpose(operand);
    if (isa<BlockArgument>(operand.get()) && operand.get() != input &&
        operand.get().hasOneUse() && type &&
        isa<FloatType>(type.getElementType()) &&
        type.getNumElements() <= maxWeightElements &&
        (purpose == Purpose::Compute || purpose == Purpose::Add))
      weights.push_back(operand.getOperandNumber());
  }
  if (weights.empty())
    return {};
  SmallVector<Operation *> twins = {op};
  for (int64_t i = draft.random.between(1, 2); i > 0; --i)
    twins.push_back(draft.builder.clone(*op));
  for (Operation *twin : twins) {
    OpBuilder::InsertionGuard guard(draft.builder);
    draft.builder.setInsertionPoint(twin);
    for (unsigned number : weights)
      twin->setOperand(
          number, drawConstant(draft, cast<RankedTensorType>(
                                          twin->getOperand(number).getType())));
  }
  return twins;
}

/// Returns the sum of the first results of `twins`. Half of the time, a
/// constant is added to each result first.
static Value drawSumOfTwins(Draft &draft, ArrayRef<Operation *> twins) {
  auto type = cast<RankedTensorType>(twins.front()->getResult(0).getType());
  bool isBiased =
      type.getNumElements() <= maxWeightElements && draft.random.oneIn(2);
  Value sum;
  for (Operation *twin : twins) {
    Value value = twin->getResult(0);
    if (isBiased)
      value = ElementWiseAddOp::create(draft.builder, type, value,
                                       drawConstant(draft, type));
    sum =
        sum ? ElementWiseAddOp::create(draft.builder, type, sum, value) : value;
  }
  return sum;
}

/// Picks one of the operators in `cells`, all with equal probability, and then
/// one of its cells.
static const Cell &pickCell(Random &random, ArrayRef<const Cell *> cells) {
  llvm::SmallSetVector<StringRef, 8> names;
  for (const Cell *cell : cells)
    names.insert(cell->op);
  StringRef name = random.pick(names.getArrayRef());
  SmallVector<const Cell *> ofOperator;
  llvm::copy_if(cells, std::back_inserter(ofOperator),
                [&](const Cell *cell) { return cell->op == name; });
  return *random.pick(ArrayRef(ofOperator));
}

/// Returns the `cells` for which `isWanted` holds, in order.
static SmallVector<const Cell *>
filterCells(ArrayRef<Cell> cells,
            llvm::function_ref<bool(const Cell &)> isWanted) {
  SmallVector<const Cell *> result;
  for (const Cell &cell : cells)
    if (isWanted(cell))
      result.push_back(&cell);
  return result;
}

/// Draws a view or an operation of the tensor dialect. Returns nothing if the
/// drawn operation does not suit `input`. A bitcast is drawn only if `isMoved`:
/// if the exact bits of `input` are known.
static Value drawTensorOp(Draft &draft, Value input, bool isMoved) {
  Random &random = draft.random;
  OpBuilder &builder = draft.builder;
  Location loc = draft.builder.getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  unsigned rank = shape.size();
  auto dim = static_cast<unsigned>(random.between(0, rank - 1));
  switch (random.between(0, 6)) {
  case 0: { // Two dimensions as one.
    if (dim + 1 == rank)
      return {};
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i < rank; ++i)
      if (i == dim + 1)
        groups.back().push_back(i);
      else
        groups.push_back({i});
    return tensor::CollapseShapeOp::create(builder, loc, input, groups);
  }
  case 1: { // One dimension as two.
    constexpr unsigned maxRank = 8;
    int64_t factor = random.between(1, 4);
    if (rank == maxRank || shape[dim] % factor != 0)
      return {};
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0, next = 0; i < rank; ++i) {
      groups.push_back({next++});
      if (i == dim)
        groups.back().push_back(next++);
    }
    shape[dim] /= factor;
    shape.insert(shape.begin() + dim + random.between(0, 1), factor);
    return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), input,
                                         groups);
  }
  case 2: { // A part.
    SmallVector<OpFoldResult> offsets, sizes, strides;
    for (int64_t size : shape) {
      bool isWhole = random.oneIn(2);
      int64_t stride = isWhole ? 1 : std::min(random.between(1, 3), size);
      int64_t offset = isWhole ? 0 : random.between(0, size - 1);
      int64_t count =
          isWhole ? size : random.between(1, (size - 1 - offset) / stride + 1);
      offsets.push_back(builder.getIndexAttr(offset));
      sizes.push_back(builder.getIndexAttr(count));
      strides.push_back(builder.getIndexAttr(stride));
    }
    return tensor::ExtractSliceOp::create(builder, loc, input, offsets, sizes,
                                          strides);
  }
  case 3: { // Several, one after the other.
    SmallVector<Value> inputs = {input};
    int64_t count = random.between(2, 3);
    if (count * type.getNumElements() > draft.maxElements)
      return {};
    while (static_cast<int64_t>(inputs.size()) < count)
      inputs.push_back(type.getElementType().isUnsignedInteger() ||
                               random.oneIn(2)
                           ? input
                           : drawConstant(draft, type));
    return tensor::ConcatOp::create(builder, loc, dim, inputs);
  }
  case 4:
  case 5:
    return drawView(draft, input);
  default: { // Bits as another type's: as integers, whatever they were.
    unsigned width = type.getElementTypeBitWidth();
    Type to = IntegerType::get(builder.getContext(), width,
                               random.oneIn(2) ? IntegerType::Unsigned
                                               : IntegerType::Signless);
    if (to == type.getElementType() || !isMoved)
      return {};
    return tensor::BitcastOp::create(builder, loc, type.clone(to), input);
  }
  }
}

/// Draws the strides of a caller's tensor of the given sizes: the dimensions in
/// any order, with gaps between rows. Half of the time, an argument gets
/// arbitrary small strides, and its elements may overlap.
static Attribute drawStrides(Draft &draft, ArrayRef<int64_t> sizes,
                             bool isResult) {
  Random &random = draft.random;
  SmallVector<int64_t> strides(sizes.size());
  bool isNested = isResult || random.oneIn(2), isOrdered = random.oneIn(2);
  SmallVector<unsigned> order = draft.drawOrder(sizes.size());
  if (isOrdered)
    llvm::sort(order, std::greater<>());
  int64_t extent = 1;
  for (unsigned dim : order) {
    strides[dim] = isNested
                       ? extent + (random.oneIn(3) ? random.between(0, 5) : 0)
                       : random.between(0, 9);
    extent += (sizes[dim] - 1) * strides[dim];
  }
  return draft.builder.getDenseI64ArrayAttr(strides);
}

/// Sets dml.strides on some arguments and results of the function.
static void drawLayouts(Draft &draft, func::FuncOp function) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (draft.random.oneIn(8))
      function.setArgAttr(i, stridesAttrName,
                          drawStrides(draft, cast<ShapedType>(type).getShape(),
                                      /*isResult=*/false));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (draft.random.oneIn(8))
      function.setResultAttr(i, stridesAttrName,
                             drawStrides(draft,
                                         cast<ShapedType>(type).getShape(),
                                         /*isResult=*/true));
}

/// Raises the target level of `module` to the oldest level that satisfies the
/// operators' rules. The types, ranks and enum cases were drawn for the target
/// level, but rules were not checked: for example, a normalization with a bias
/// and without a scale needs 5_2.
static void raiseTarget(ModuleOp module) {
  if (!module->hasAttr(targetAttrName))
    return;
  FeatureLevel level = getTargetFeatureLevel(module);
  module.walk([&](FeatureLevelOpInterface op) {
    for (const Requirement &requirement : op.getRequirements())
      if (requirement.kind == Requirement::Kind::Rule)
        level = std::max(level,
                         *op.getOperatorSupport().getMinimumLevel(requirement));
  });
  module->setAttr(targetAttrName, TargetAttr::get(module.getContext(), level));
}

OwningOpRef<ModuleOp> drawProgram(MLIRContext *context, uint64_t seed,
                                  ArrayRef<std::string> only) {
  Draft draft(context, seed);
  Random &random = draft.random;
  FeatureLevel level = newestFeatureLevel;
  if (random.oneIn(4)) {
    level = random.pick(getFeatureLevels()).level;
    draft.module.get()->setAttr(targetAttrName,
                                TargetAttr::get(context, level));
  }
  ArrayRef<Cell> cells = getCells(context, level);
  auto isWanted = [&](const Cell &cell) {
    return only.empty() || llvm::is_contained(only, cell.op);
  };
  // An older level may lack all of the wanted operators.
  SmallVector<const Cell *> wanted = filterCells(cells, isWanted);
  if (wanted.empty()) {
    draft.module.get()->removeAttr(targetAttrName);
    cells = getCells(context, newestFeatureLevel);
    wanted = filterCells(cells, isWanted);
  }
  const Cell &first = pickCell(random, wanted);

  // The values that may be operands. Values in `computed` may be known within
  // bounds only: operators that search maxima cannot use them, and not all of
  // their bits are known.
  SmallVector<Value> values;
  llvm::SmallPtrSet<void *, 8> computed;
  RankedTensorType type = draft.drawType(first.type, first.rank);
  bool isConstant = random.oneIn(12) &&
                    type.getNumElements() <= maxWeightElements &&
                    !type.getElementType().isUnsignedInteger();
  values.push_back(isConstant ? drawConstant(draft, type)
                              : draft.addArgument(type));
  int64_t numOperators = random.oneIn(2) ? 1 : random.between(2, 4);
  draft.isGraph = numOperators > 1;
  // The decision has its own generator, so that all other draws stay as they
  // are.
  bool hasTwins = Random(~seed).oneIn(4);
  auto add = [&](ValueRange inputs, Value output, bool isComputed) {
    for (Value input : inputs)
      isComputed |= computed.contains(input.getAsOpaquePointer());
    if (isComputed)
      computed.insert(output.getAsOpaquePointer());
    values.push_back(output);
  };
  for (int64_t i = 0; i < numOperators; ++i) {
    if (random.oneIn(4)) {
      Value input = values.back();
      bool isMoved = !computed.contains(input.getAsOpaquePointer());
      if (Value output = drawTensorOp(draft, input, isMoved))
        add(input, output, /*isComputed=*/false);
    }
    // The operators mostly form a chain.
    Value input =
        random.oneIn(4) ? random.pick(ArrayRef(values)) : values.back();
    auto inputType = cast<RankedTensorType>(input.getType());
    bool isComputed = computed.contains(input.getAsOpaquePointer());
    std::optional<DataType> dataType = getDataType(inputType.getElementType());
    SmallVector<const Cell *> fitting =
        filterCells(cells, [&](const Cell &cell) {
          return cell.type == dataType && cell.rank == inputType.getRank() &&
                 !(isComputed && getOperators().find(cell.op)->needsExact);
        });
    if (fitting.empty())
      continue;
    // The first operator is the one that the first value was drawn for;
    // otherwise not all operators would be equally likely.
    bool isFirst = i == 0 && input == values.front();
    const Cell &cell = isFirst ? first : pickCell(random, fitting);
    Operation *op = drawOperator(draft, cell, input);
    bool computes = getOperators().find(cell.op)->computes(cell.mode);
    SmallVector<Operation *> twins;
    if (hasTwins)
      twins = drawTwins(draft, op, input);
    for (Value output : op->getResults())
      add(op->getOperands(), output, computes);
    if (twins.empty())
      continue;
    for (Operation *twin : ArrayRef(twins).drop_front())
      for (Value output : twin->getResults())
        add(twin->getOperands(), output, computes);
    auto outputType = cast<RankedTensorType>(op->getResult(0).getType());
    bool canAdd = llvm::any_of(cells, [&](const Cell &sum) {
      return sum.op == ElementWiseAddOp::getOperationName() &&
             sum.type == getDataType(outputType.getElementType()) &&
             sum.rank == outputType.getRank();
    });
    if (canAdd)
      add(values.back(), drawSumOfTwins(draft, twins), /*isComputed=*/true);
  }

  // Returns the values without uses, and sometimes others.
  SmallVector<Value> results;
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    bool isComputed = op && op->getNumOperands() > 0;
    if ((value.use_empty() || random.oneIn(6)) &&
        (isComputed || random.oneIn(3)))
      results.push_back(value);
  }
  if (results.empty() || random.oneIn(40))
    results.push_back(values.back());
  OwningOpRef<ModuleOp> module = draft.finish(results);
  raiseTarget(*module);
  drawLayouts(draft, draft.function);
  return module;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static Purpose getPurpose(Value input) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(input);
  llvm::SmallSetVector<Purpose, 4> purposes;
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (const Operator *op =
              getOperators().find(user->getName().getStringRef())) {
        Purpose purpose = op->getPurpose(use);
        if (purpose != Purpose::Move)
          purposes.insert(purpose);
      }
      for (Value result : user->getResults())
        values.insert(result);
    }
  // Small integers suit several purposes at once.
  return purposes.empty()       ? Purpose::Move
         : purposes.size() == 1 ? purposes[0]
                                : Purpose::Add;
}

bool isFloat(DataType type) {
  return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
         type == DataType::FLOAT64;
}

static bool isLong(DataType type) {
  return type == DataType::INT64 || type == DataType::UINT64;
}

/// Draws a 64-bit number of random bit length, or a number near the boundary of
/// a word or of the type.
static int64_t drawLong(Random &random) {
  static constexpr int64_t ends[] = {0, int64_t(1) << 32, INT64_MIN};
  if (random.oneIn(3))
    return static_cast<int64_t>(
        static_cast<uint64_t>(random.pick(ArrayRef(ends))) +
        static_cast<uint64_t>(random.between(-2, 2)));
  int64_t number = static_cast<int64_t>(random.next() >> random.between(1, 63));
  return random.oneIn(2) ? number : -number;
}

static void fill(reference::Tensor &tensor, Purpose purpose, Random &random) {
  int64_t numElements = tensor.getNumElements();
  switch (purpose) {
  case Purpose::Move:
    if (random.oneIn(2)) { // Recognizable where something goes wrong.
      for (int64_t i = 0; i < numElements; ++i)
        tensor.setNumber(i, static_cast<double>(i % 2000 + 1));
      return;
    }
    for (size_t i = 0; i < tensor.getNumBytes(); ++i)
      tensor.getData()[i] = static_cast<char>(random.next());
    return;
  case Purpose::Order: {
    bool hasSpecial = random.oneIn(6), isDense = random.oneIn(4);
    static constexpr double specials[] = {
        std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), -0.0};
    for (int64_t i = 0; i < numElements; ++i)
      tensor.setNumber(
          i, hasSpecial && random.oneIn(6) ? random.pick(ArrayRef(specials))
             : isDense ? static_cast<double>(random.between(-2000, 2000))
                       : static_cast<double>(random.between(-2, 2)));
    return;
  }
  case Purpose::Add:
    for (int64_t i = 0; i < numElements; ++i)
      tensor.setNumber(i, static_cast<double>(random.between(-8, 8)));
    return;
  case Purpose::Index: {
    int64_t spread = random.pick(ArrayRef<int64_t>({1, 3, 8, 40}));
    bool isWild = random.oneIn(8);
    for (int64_t i = 0; i < numElements; ++i)
      tensor.setInteger(
          i, isWild && random.oneIn(3)
                 ? static_cast<int64_t>(random.next())
                 : random.between(random.oneIn(4) ? -spread : 0, spread));
    return;
  }
  case Purpose::Scale:
    for (int64_t i = 0; i < numElements; ++i)
      tensor.setNumber(
          i, isFloat(tensor.getDataType())
                 ? std::ldexp(static_cast<double>(random.between(1, 255)),
                              -static_cast<int>(random.between(4, 10)))
                 : static_cast<double>(random.between(0, 9)));
    return;
  case Purpose::Compute: {
    // Most numbers are near 1, where functions are not linear. Some have any
    // magnitude, and some tensors hold special values.
    bool isFloating = isFloat(tensor.getDataType());
    if (!isFloating && random.oneIn(3)) {
      for (size_t i = 0; i < tensor.getNumBytes(); ++i)
        tensor.getData()[i] = static_cast<char>(random.next());
      // Nearly all uniformly random 64-bit words have the same bit length, and
      // hardly any is 0 or the lowest number. Therefore half of the numbers are
      // drawn with a random bit length.
      for (int64_t i = 0; isLong(tensor.getDataType()) && i < numElements; ++i)
        if (random.oneIn(2))
          tensor.setInteger(i, drawLong(random));
      return;
    }
    bool hasSpecial = isFloating && random.oneIn(5);
    int64_t spread = random.oneIn(4) ? 20 : 4;
    static constexpr double specials[] = {
        std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(),
        -0.0,
        0.0,
        1.0,
        -1.0,
        0x1p-14,
        0x1p-126,
        65504.0,
        0x1.fffffep127};
    for (int64_t i = 0; i < numElements; ++i) {
      if (hasSpecial && random.oneIn(8)) {
        tensor.setNumber(i, random.pick(ArrayRef(specials)));
        continue;
      }
      auto whole = static_cast<double>(random.between(-128, 127));
      tensor.setNumber(
          i,
          isFloating && !random.oneIn(4)
              ? std::ldexp(
                    whole + 0x1p-53 * static_cast<double>(random.next() >> 11),
                    static_cast<int>(random.between(-5 - spread, spread - 5)))
              : whole);
    }
    return;
  }
  case Purpose::Interpolate: {
    bool isWhole = !isFloat(tensor.getDataType()) || random.oneIn(3);
    bool hasSpecial = isFloat(tensor.getDataType()) && random.oneIn(4);
    static constexpr double specials[] = {
        std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(),
        -0.0,
        0.0,
        0x1p-14,
        -0x1.ffcp-15,
        0x1p-24,
        0x1p-126,
        -0x1p-149};
    for (int64_t i = 0; i < numElements; ++i) {
      if (hasSpecial && random.oneIn(6)) {
        tensor.setNumber(i, random.pick(ArrayRef(specials)));
        continue;
      }
      auto whole = static_cast<double>(random.between(-128, 255));
      tensor.setNumber(
          i, isWhole ? whole
                     : std::ldexp(whole + 0x1p-53 * static_cast<double>(
                                                        random.next() >> 11),
                                  static_cast<int>(random.between(-6, 4))));
    }
    return;
  }
  }
}

/// Makes the elements equal that `strides` place at the same address. All get
/// the value of the last one.
static void shareElements(reference::Tensor &tensor,
                          ArrayRef<int64_t> strides) {
  size_t width = reference::getByteWidth(tensor.getDataType());
  auto getPlace = [&](ArrayRef<int64_t> coordinate) {
    int64_t place = 0;
    for (auto [index, stride] : llvm::zip_equal(coordinate, strides))
      place += index * stride;
    return place;
  };
  llvm::DenseMap<int64_t, char *> owners;
  char *element = tensor.getData();
  reference::forEachCoordinate(tensor.getShape(), [&](ArrayRef<int64_t> c) {
    owners[getPlace(c)] = element;
    element += width;
  });
  element = tensor.getData();
  reference::forEachCoordinate(tensor.getShape(), [&](ArrayRef<int64_t> c) {
    std::memmove(element, owners[getPlace(c)], width);
    element += width;
  });
}

FailureOr<SmallVector<reference::Tensor>> drawInputs(func::FuncOp function,
                                                     uint64_t seed) {
  SmallVector<reference::Tensor> inputs;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    std::optional<DataType> dataType;
    if (type && type.hasStaticShape())
      dataType = getDataType(type.getElementType());
    FailureOr<reference::Tensor> input = failure();
    if (dataType)
      input = reference::Tensor::create(*dataType, type.getShape());
    if (failed(input))
      return function.emitOpError("has input ")
             << argument.getArgNumber() << " of type " << argument.getType()
             << ", which cannot be drawn";
    // The elements of an input do not depend on the other inputs.
    Random random(seed * 1000003 + argument.getArgNumber());
    fill(*input, getPurpose(argument), random);
    // Random bytes can have set bits that a 4-bit element lacks. Reading and
    // writing each element clears them.
    if (reference::getBitWidth(*dataType) == 4)
      for (int64_t i = 0; i < input->getNumElements(); ++i)
        input->setInteger(i, input->getInteger(i));
    if (auto strides = getArgumentStrides(function, argument.getArgNumber()))
      shareElements(*input, *strides);
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

} // namespace dml::fuzz
