//===- Generator.cpp - Drawing programs -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::fuzz {

//===----------------------------------------------------------------------===//
// Drafts
//===----------------------------------------------------------------------===//

namespace {
/// A program in the making.
class Draft {
public:
  Draft(MLIRContext *context, uint64_t seed)
      : random(seed), builder(UnknownLoc::get(context), context),
        module(ModuleOp::create(builder.getLoc())) {
    builder.setInsertionPointToEnd(module->getBody());
    function =
        func::FuncOp::create(builder, "main", builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
    // Small tensors mostly: they find most, and are soon run.
    maxElements = random.oneIn(32) ? 100000 : random.oneIn(4) ? 3000 : 150;
  }

  Value addArgument(Type type) {
    return function.front().addArgument(type, builder.getLoc());
  }

  /// A size up to `max`, awkward for vectors and workgroups.
  int64_t drawSize(int64_t max) {
    static constexpr int64_t sizes[] = {
        1,   1,   1,   2,   2,   3,    3,    4,    5,    7,    8,     9,    11,
        13,  15,  16,  17,  31,  32,   33,   63,   64,   65,   127,   128,  129,
        255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 4099, 16385, 65537};
    ArrayRef<int64_t> all(sizes);
    return random.pick(
        all.take_front(llvm::upper_bound(all, max) - all.begin()));
  }

  /// How much dimension `dim` may grow to.
  int64_t getRoom(ArrayRef<int64_t> shape, unsigned dim) const {
    int64_t elements = *reference::getNumElements(shape);
    return std::max(maxElements / (elements / shape[dim]), shape[dim]);
  }

  SmallVector<unsigned> drawOrder(unsigned rank) {
    SmallVector<unsigned> order = llvm::to_vector(llvm::seq(rank));
    for (unsigned i = rank; i-- > 1;)
      std::swap(order[i], order[random.between(0, i)]);
    return order;
  }

  /// Many types have rows of whole vectors, and an even number of rows: threads
  /// compute them in another way than others.
  RankedTensorType drawType(DataType dataType, unsigned rank) {
    SmallVector<int64_t> shape(rank, 1);
    bool isAligned = random.oneIn(2);
    if (isAligned) {
      shape[rank - 1] = 16 / reference::getByteWidth(dataType);
      for (unsigned dim = std::max(2u, rank) - 2; dim + 1 < rank; ++dim)
        shape[dim] = random.pick(ArrayRef<int64_t>({1, 2, 4}));
    }
    for (unsigned dim : drawOrder(rank))
      if (!isAligned || random.oneIn(2))
        shape[dim] *= drawSize(getRoom(shape, dim) / shape[dim]);
    return RankedTensorType::get(
        shape, getElementType(dataType, builder.getContext()));
  }

  OwningOpRef<ModuleOp> finish(ValueRange results) {
    func::ReturnOp::create(builder, results);
    function.setType(builder.getFunctionType(
        function.front().getArgumentTypes(), TypeRange(results)));
    return std::move(module);
  }

  Random random;
  ImplicitLocOpBuilder builder;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  int64_t maxElements;
  /// Results may become operands.
  bool isGraph = false;
};
} // namespace

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static Value drawPadding(Draft &draft, Value input, uint32_t mode) {
  Random &random = draft.random;
  SmallVector<int64_t> shape(getShape(input)), start(shape.size(), 0),
      end(shape.size(), 0);
  for (unsigned dim : draft.drawOrder(shape.size())) {
    if (random.oneIn(4))
      continue;
    int64_t room = draft.getRoom(shape, dim) - shape[dim];
    // Within one fold, or over several.
    if (!random.oneIn(4))
      room = std::min(room, 2 * shape[dim] + 2);
    start[dim] = random.between(0, room);
    end[dim] = random.between(0, room - start[dim]);
    // Sizes that vectors and threads of several rows divide.
    if (random.oneIn(2))
      end[dim] += -(shape[dim] + start[dim] + end[dim]) & 3;
    shape[dim] += start[dim] + end[dim];
  }
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float values[] = {
      0.0f, -0.0f, 1.25f, 9.0f, 10.6f, -10.6f, -2.0f, 127.5f, 300.0f, -300.0f,
      // Constants that no other operator should compute with.
      7e4f, -7e4f, 3e9f, -3e9f, 1e19f, -1e19f, 1e30f, -1e30f, 65520.0f,
      0x1p-24f, 0x1p-140f, infinity, -infinity,
      std::numeric_limits<float>::quiet_NaN()};
  constexpr size_t numTame = 10;
  ArrayRef<float> all(values);
  llvm::APFloat value(
      random.pick(draft.isGraph ? all.take_front(numTame) : all));
  return PaddingOp::create(draft.builder, input, static_cast<PaddingMode>(mode),
                           value, start, end);
}

static Value drawTile(Draft &draft, Value input, uint32_t mode) {
  SmallVector<int64_t> shape(getShape(input)), repeats(shape.size(), 1);
  for (unsigned dim : draft.drawOrder(shape.size())) {
    if (draft.random.oneIn(3))
      continue;
    repeats[dim] = draft.drawSize(draft.getRoom(shape, dim) / shape[dim]);
    shape[dim] *= repeats[dim];
  }
  return TileOp::create(draft.builder, input, repeats);
}

static Value drawMaxPoolingGrad(Draft &draft, Value input, uint32_t mode) {
  Random &random = draft.random;
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> gradientShape(inputType.getShape());
  SmallVector<int64_t> strides, windowSize, startPadding, endPadding, dilations;
  int64_t window = 1;
  // The same in all dimensions, as models have it, or anything.
  bool isUsual = random.oneIn(2);
  int64_t usualWindow = random.between(2, 3),
          usualStride = random.between(1, 3),
          usualPadding = random.between(0, usualWindow - 1),
          usualDilation = random.oneIn(3) ? 2 : 1;
  for (int64_t &size : MutableArrayRef(gradientShape).drop_front(2)) {
    strides.push_back(random.between(1, 3));
    // Windows of many elements are no likelier to find anything; and llvmpipe
    // ends the loops of an invocation, which computes several, after 65,535
    // iterations.
    constexpr int64_t maxWindow = 4000;
    windowSize.push_back(
        random.oneIn(8) && window < 100
            ? random.between(1, std::min(size + 2, maxWindow / window))
            : random.between(1, 4));
    window *= windowSize.back();
    bool padded = random.oneIn(2);
    int64_t most = random.oneIn(6) ? 6 : windowSize.back() - 1;
    startPadding.push_back(padded ? random.between(0, most) : 0);
    endPadding.push_back(padded ? random.between(0, most) : 0);
    dilations.push_back(random.oneIn(3) ? random.between(1, 3) : 1);
    if (isUsual) {
      strides.back() = usualStride;
      windowSize.back() = usualWindow;
      startPadding.back() = endPadding.back() = usualPadding;
      dilations.back() = usualDilation;
    }
    int64_t extent = 1 + (windowSize.back() - 1) * dilations.back();
    int64_t steps = std::max<int64_t>(
        size + startPadding.back() + endPadding.back() - extent, 0);
    int64_t roundUp = random.oneIn(2) ? strides.back() - 1 : 0;
    size = (steps + roundUp) / strides.back() + 1;
  }
  Value gradient = draft.addArgument(inputType.clone(gradientShape));
  return MaxPoolingGradOp::create(draft.builder, input, gradient, strides,
                                  windowSize, startPadding, endPadding,
                                  dilations);
}

static Value drawResample(Draft &draft, Value input, uint32_t mode) {
  Random &random = draft.random;
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(inputType.getShape());
  SmallVector<float> scales(shape.size(), 1.0f);
  static constexpr float someScales[] = {
      2.0f,    3.0f,      0.5f,     0.1f,    0.3f,        0.7f,
      1.1f,    1.5f,      2.5f,     0.25f,   0.6f,        1.0f / 3.0f,
      0.1875f, 3.14159f,  17.0f,    1e-3f,   100.0f,      1e-30f,
      1e30f,   0x1p-149f, 0x1p-25f, 0x1p33f, 0.99999994f, 1.0000001f};
  static constexpr float usualScales[] = {2.0f, 2.0f, 2.0f,  3.0f,       4.0f,
                                          1.5f, 0.5f, 0.25f, 2.0f / 3.0f};
  bool isUsual = random.oneIn(2);
  for (unsigned dim : draft.drawOrder(shape.size())) {
    if (random.oneIn(2))
      continue;
    int64_t size = shape[dim], room = draft.getRoom(shape, dim);
    if (isUsual) {
      float scale = random.pick(ArrayRef(usualScales));
      auto scaled = std::floor(scale * static_cast<double>(size));
      if (scaled >= 1 && scaled <= static_cast<double>(room)) {
        scales[dim] = scale;
        shape[dim] = static_cast<int64_t>(scaled);
      }
      continue;
    }
    if (!random.oneIn(8))
      room = std::min(room, 4 * size + 3);
    shape[dim] = draft.drawSize(room);
    // The ratio of the sizes, or any scale with a size that fits it or not.
    if (random.oneIn(2)) {
      scales[dim] = static_cast<float>(shape[dim]) / static_cast<float>(size);
      continue;
    }
    scales[dim] = random.oneIn(4)
                      ? std::ldexp(static_cast<float>(random.between(1, 999)),
                                   static_cast<int>(random.between(-9, -7)))
                      : random.pick(ArrayRef(someScales));
    double scaled = std::floor(scales[dim] * static_cast<double>(size));
    if (random.oneIn(2) && scaled >= 1 && scaled <= room)
      shape[dim] = static_cast<int64_t>(scaled);
  }
  return ResampleOp::create(draft.builder, inputType.clone(shape), input,
                            static_cast<InterpolationMode>(mode), scales);
}

namespace {
/// How an operator is drawn.
struct Operator {
  llvm::StringLiteral name;
  /// The enum attribute whose cases are drawn apart; "" for none.
  llvm::StringLiteral modeAttribute;
  uint32_t numModes;
  StringRef (*stringifyMode)(uint32_t mode);
  Value (*draw)(Draft &draft, Value input, uint32_t mode);
};
} // namespace

static StringRef stringifyNoMode(uint32_t) { return ""; }

/// Where an operator enters the generator.
static constexpr Operator operators[] = {
    {PaddingOp::getOperationName(), "mode", getMaxEnumValForPaddingMode() + 1,
     [](uint32_t mode) {
       return stringifyPaddingMode(static_cast<PaddingMode>(mode));
     },
     drawPadding},
    {TileOp::getOperationName(), "", 1, stringifyNoMode, drawTile},
    {MaxPoolingGradOp::getOperationName(), "", 1, stringifyNoMode,
     drawMaxPoolingGrad},
    {ResampleOp::getOperationName(), "mode",
     getMaxEnumValForInterpolationMode() + 1,
     [](uint32_t mode) {
       return stringifyInterpolationMode(static_cast<InterpolationMode>(mode));
     },
     drawResample},
};

static const Operator &getOperator(StringRef name) {
  return *llvm::find_if(operators,
                        [&](const Operator &op) { return op.name == name; });
}

static const OperatorSupport &getSupport(MLIRContext *context,
                                         const Operator &op) {
  return RegisteredOperationName::lookup(op.name, context)
      ->getInterface<FeatureLevelOpInterface>()
      ->getOperatorSupport();
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

std::vector<StringRef> getMissingOperators(MLIRContext *context) {
  std::vector<StringRef> missing;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasInterface<FeatureLevelOpInterface>() &&
        llvm::none_of(operators, [&](const Operator &op) {
          return op.name == name.getStringRef();
        }))
      missing.push_back(name.getStringRef());
  return missing;
}

std::vector<Cell> getCells(MLIRContext *context, FeatureLevel level) {
  std::vector<Cell> cells;
  for (const Operator &op : operators) {
    const OperatorSupport &support = getSupport(context, op);
    const LevelSupport *row = support.getRow(level);
    if (!row)
      continue;
    // The first tensor determines the others' ranks and types.
    const TensorSupport &tensor = row->tensors.front();
    for (uint32_t mode = 0; mode < op.numModes; ++mode) {
      if (llvm::any_of(support.enumCases, [&](const EnumCaseSupport &later) {
            return later.attribute == op.modeAttribute && later.value == mode &&
                   later.level > level;
          }))
        continue;
      for (DataType type : getDataTypes())
        for (unsigned rank = tensor.minRank; rank <= tensor.maxRank; ++rank)
          if (tensor.dataTypes & dataTypeBit(type))
            cells.push_back({op.name, op.stringifyMode(mode), type, rank});
    }
  }
  return cells;
}

static uint32_t getMode(const Operator &op, StringRef name) {
  uint32_t mode = 0;
  while (op.stringifyMode(mode) != name)
    ++mode;
  return mode;
}

static Value drawOperator(Draft &draft, const Cell &cell, Value input) {
  const Operator &op = getOperator(cell.op);
  return op.draw(draft, input, getMode(op, cell.mode));
}

OwningOpRef<ModuleOp> drawProgram(MLIRContext *context, const Cell &cell,
                                  uint64_t seed) {
  Draft draft(context, seed);
  Value input = draft.addArgument(draft.drawType(cell.type, cell.rank));
  return draft.finish(drawOperator(draft, cell, input));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// A constant of the operators' element types; arith knows no unsigned ones.
static Value drawConstant(Draft &draft, RankedTensorType type) {
  SmallVector<Attribute> elements;
  bool isSplat = draft.random.oneIn(3);
  for (int64_t i = 0, e = isSplat ? 1 : type.getNumElements(); i < e; ++i) {
    int64_t value = draft.random.between(-9, 9);
    // Not 1 or -1, which lavapipe does not always tell from other choices
    // between them and a zero (docs/Reference.md).
    if (isa<FloatType>(type.getElementType()))
      elements.push_back(FloatAttr::get(type.getElementType(),
                                        static_cast<double>(value) + 0.5));
    else
      elements.push_back(IntegerAttr::get(type.getElementType(), value));
  }
  return arith::ConstantOp::create(draft.builder,
                                   DenseElementsAttr::get(type, elements));
}

/// One of the operators in `cells`, each as likely as the others, and then one
/// of its cells.
static Cell pickCell(Random &random, ArrayRef<Cell> cells) {
  llvm::SmallSetVector<StringRef, 8> names;
  for (const Cell &cell : cells)
    names.insert(cell.op);
  StringRef name = random.pick(names.getArrayRef());
  SmallVector<Cell> ofOperator = llvm::to_vector(llvm::make_filter_range(
      cells, [&](const Cell &cell) { return cell.op == name; }));
  return random.pick(ArrayRef(ofOperator));
}

/// An operation of the tensor dialect, or nothing where none suits `input`.
/// Bits become those of another type only where they are known to be `moved`
/// ones.
static Value drawTensorOp(Draft &draft, Value input, bool isMoved) {
  Random &random = draft.random;
  OpBuilder &builder = draft.builder;
  Location loc = draft.builder.getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  unsigned rank = shape.size();
  auto dim = static_cast<unsigned>(random.between(0, rank - 1));
  switch (random.between(0, 4)) {
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

OwningOpRef<ModuleOp> drawProgram(MLIRContext *context, uint64_t seed) {
  Draft draft(context, seed);
  Random &random = draft.random;
  FeatureLevel level = newestFeatureLevel;
  if (random.oneIn(4)) {
    level = random.pick(getFeatureLevels()).level;
    draft.module.get()->setAttr(targetAttrName,
                                TargetAttr::get(context, level));
  }
  const std::vector<Cell> cells = getCells(context, level);
  Cell first = pickCell(random, cells);

  // Values that may be operands. Those that linear interpolation touched are
  // known within bounds only, so maxima cannot be looked for in them; and the
  // bits of what was computed are not all known.
  SmallVector<Value> values;
  llvm::SmallPtrSet<void *, 8> inexact, computed;
  RankedTensorType type = draft.drawType(first.type, first.rank);
  bool isConstant = random.oneIn(12) && type.getNumElements() <= 4096 &&
                    !type.getElementType().isUnsignedInteger();
  values.push_back(isConstant ? drawConstant(draft, type)
                              : draft.addArgument(type));
  int64_t numOperators = random.oneIn(2) ? 1 : random.between(2, 4);
  draft.isGraph = numOperators > 1;
  auto add = [&](Value input, Value output, bool isInexact, bool isComputed) {
    if (isInexact || inexact.contains(input.getAsOpaquePointer()))
      inexact.insert(output.getAsOpaquePointer());
    if (isComputed || computed.contains(input.getAsOpaquePointer()))
      computed.insert(output.getAsOpaquePointer());
    values.push_back(output);
  };
  for (int64_t i = 0; i < numOperators; ++i) {
    if (random.oneIn(4)) {
      Value input = values.back();
      bool isMoved = !computed.contains(input.getAsOpaquePointer());
      if (Value output = drawTensorOp(draft, input, isMoved))
        add(input, output, false, false);
    }
    // Mostly a chain.
    Value input =
        random.oneIn(4) ? random.pick(ArrayRef(values)) : values.back();
    auto inputType = cast<RankedTensorType>(input.getType());
    bool isInexact = inexact.contains(input.getAsOpaquePointer());
    SmallVector<Cell> fitting =
        llvm::to_vector(llvm::make_filter_range(cells, [&](const Cell &cell) {
          return cell.type == getDataType(inputType.getElementType()) &&
                 cell.rank == inputType.getRank() &&
                 !(isInexact &&
                   cell.op == MaxPoolingGradOp::getOperationName());
        }));
    if (fitting.empty())
      continue;
    Cell cell = pickCell(random, fitting);
    bool isLinear =
        cell.mode == stringifyInterpolationMode(InterpolationMode::linear);
    add(input, drawOperator(draft, cell, input), isLinear,
        isLinear || cell.op == MaxPoolingGradOp::getOperationName());
  }

  // Return what nobody uses, and sometimes more.
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
  return draft.finish(results);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// What a program does with an input's elements.
enum class Purpose {
  Move,
  /// Look for the largest.
  Order,
  Add,
  Interpolate,
};
} // namespace

static Purpose getPurpose(Value input) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(input);
  llvm::SmallSetVector<Purpose, 4> purposes;
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<MaxPoolingGradOp>(user))
        purposes.insert(use.getOperandNumber() == 0 ? Purpose::Order
                                                    : Purpose::Add);
      else if (auto resample = dyn_cast<ResampleOp>(user);
               resample && resample.getMode() == InterpolationMode::linear)
        purposes.insert(Purpose::Interpolate);
      for (Value result : user->getResults())
        values.insert(result);
    }
  // Small integers serve all purposes.
  return purposes.empty()       ? Purpose::Move
         : purposes.size() == 1 ? purposes[0]
                                : Purpose::Add;
}

static bool isFloat(DataType type) {
  return type == DataType::FLOAT16 || type == DataType::FLOAT32 ||
         type == DataType::FLOAT64;
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
    // An input's elements do not depend on the other inputs.
    Random random(seed * 1000003 + argument.getArgNumber());
    fill(*input, getPurpose(argument), random);
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

} // namespace dml::fuzz
