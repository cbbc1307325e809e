//===- Mutator.cpp - Spoiling programs ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Programs are spoiled in an MLIR context without dialects, which accepts any
// attribute and any type on any operation. Programs are parsed there in their
// generic form, and operations are identified by name.
//
//===----------------------------------------------------------------------===//

#include "Testing/Mutation/Mutator.h"
#include "Testing/Differential/Differential.h"
#include "dml/IR/DML.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::fuzz {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static constexpr int64_t numbers[] = {
    0, 1, 2, 3, 4, 5, 7, 8, -1, -2, 31, 64, 255, 4096, 65535, 65536, 64, 100,
    1000, 46341, 99999, 2147483647, 2147483648, 4294967295,
    // Larger numbers than DirectML's 32-bit sizes can hold; their products
    // overflow 64 bits.
    4294967296, int64_t(1) << 40, int64_t(1) << 62, -4294967296,
    std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};

static constexpr float floats[] = {0.0f,
                                   -0.0f,
                                   1.0f,
                                   -1.0f,
                                   0.5f,
                                   2.0f,
                                   1e-45f,
                                   1e-38f,
                                   3e38f,
                                   -3e38f,
                                   1e10f,
                                   0.1f,
                                   0x1p31f,
                                   0x1p32f,
                                   0x1p63f,
                                   0x1p-31f,
                                   0x1p-64f,
                                   0.33333334f,
                                   std::numeric_limits<float>::infinity(),
                                   -std::numeric_limits<float>::infinity(),
                                   std::numeric_limits<float>::quiet_NaN()};

static constexpr const char *elementTypes[] = {"f16",
                                               "f32",
                                               "f64",
                                               "i8",
                                               "i16",
                                               "i32",
                                               "i64",
                                               "i4",
                                               "ui4",
                                               "ui8",
                                               "ui16",
                                               "ui32",
                                               "ui64",
                                               "si8",
                                               "si32",
                                               "si64",
                                               "i1",
                                               "i2",
                                               "i3",
                                               "i7",
                                               "i24",
                                               "i128",
                                               "ui1",
                                               "ui128",
                                               "i65536",
                                               "bf16",
                                               "tf32",
                                               "f80",
                                               "f128",
                                               "f8E5M2",
                                               "f4E2M1FN",
                                               "index",
                                               "none",
                                               "complex<f32>",
                                               "vector<4xf32>",
                                               "tensor<2xf32>",
                                               "memref<2xf32>",
                                               "!dml.none"};

static constexpr const char *otherTypes[] = {
    "f32",
    "i64",
    "index",
    "none",
    "tensor<*xf32>",
    "tensor<*xi8>",
    "tensor<f32>",
    "tensor<?xf32>",
    "tensor<?x?x?x?xf32>",
    "tensor<1x1x4x4xf32, \"encoding\">",
    "tensor<1x1x4x4xf32, 1 : i8>",
    "memref<1x1x4x4xf32>",
    "vector<1x1x4x4xf32>",
    "tuple<tensor<4xf32>>",
    "() -> ()",
    "complex<f32>",
    "tensor<4xf32>",
    "tensor<0xf32>",
    "!dml.none",
    "tensor<1x1x4x4x4x4x4x4x4xf32>"};

static constexpr const char *attributes[] = {
    "unit",
    "true",
    "0 : i64",
    "-1 : i32",
    "1.0 : f32",
    "1.0 : f64",
    "0x7fc00001 : f32",
    "0xff800000 : f32",
    "\"\"",
    "\"a\\0Ab\"",
    "\"constant\"",
    "\"input0\"",
    "[]",
    "{}",
    "f32",
    "@main",
    "tensor<1x1x4x4xf32>",
    "[1, 2, 3]",
    "array<i64>",
    "array<i64: 1, 1, 1, 1>",
    "array<i32: 1, 1, 1, 1>",
    "array<f32>",
    "array<f32: 1.0, 1.0, 1.0, 1.0>",
    "array<f64: 1.0, 1.0, 1.0, 1.0>",
    "array<i64: 1>",
    "dense<1> : tensor<4xi64>",
    "dense<> : tensor<0xi64>",
    "dense<1.0> : tensor<1x1x4x4xf32>",
    "#dml.padding_mode<constant>",
    "#dml.padding_mode<edge>",
    "#dml.padding_mode<reflection>",
    "#dml.padding_mode<symmetric>",
    "#dml.padding_mode<wrap>",
    "#dml.padding_mode<none>",
    "#dml.interpolation_mode<linear>",
    "#dml.interpolation_mode<nearest_neighbor>",
    "#dml.target<1_0>",
    "#dml.target<2_1>",
    "#dml.target<3_1>",
    "#dml.target<6_4>",
    "#dml.target<9_9>",
    "#dml.none",
    "sparse<[[0]], [1]> : tensor<2xi64>",
    "dense_resource<none> : tensor<2xi64>"};

static constexpr const char *attributeNames[] = {"dml.target",
                                                 "dml.name",
                                                 "dml.executable",
                                                 "dml.label",
                                                 "dml.type",
                                                 "dml.none",
                                                 "bufferize.result",
                                                 "bufferization.writable",
                                                 "sym_visibility",
                                                 "no_inline",
                                                 "llvm.linkage",
                                                 "gpu.container_module",
                                                 "spirv.entry_point_abi",
                                                 "none"};

namespace {
class Spoiler {
public:
  Spoiler(ModuleOp module, Random &random)
      : module(module), random(random), context(module.getContext()) {
    module->walk([&](Operation *op) {
      operations.push_back(op);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values, block.getArguments());
      llvm::append_range(values, op->getResults());
    });
  }

  void run() {
    switch (random.between(0, 9)) {
    case 0:
      return changeOperands();
    case 1:
      return changeOperations();
    case 2:
      return changeType(/*everywhere=*/false);
    case 3:
    case 4:
      return changeType(/*everywhere=*/true);
    default:
      return changeAttribute();
    }
  }

private:
  template <typename T, size_t n> T pick(const T (&values)[n]) {
    return random.pick(ArrayRef(values));
  }
  /// Picks an operation, seldom one without results.
  Operation *pickOperation() {
    Operation *op = random.pick(ArrayRef(operations));
    while (op->getNumResults() == 0 && !random.oneIn(8))
      op = random.pick(ArrayRef(operations));
    return op;
  }

  Type pickType(ArrayRef<const char *> texts) {
    return parseType(random.pick(texts), context);
  }

  int64_t drawNumber(int64_t number) {
    // Draws any number, or a neighbor of `number`, with wraparound.
    if (random.oneIn(2))
      return pick(numbers);
    return static_cast<int64_t>(static_cast<uint64_t>(number) +
                                (random.oneIn(2) ? 1 : -1));
  }

  /// Replaces, adds or removes a value, or removes all.
  template <typename T, typename Draw>
  void edit(SmallVectorImpl<T> &values, Draw draw) {
    if (values.empty() || random.oneIn(6)) {
      values.insert(values.begin() + random.between(0, values.size()),
                    draw(T()));
    } else if (random.oneIn(6)) {
      values.erase(values.begin() + random.between(0, values.size() - 1));
    } else if (random.oneIn(12)) {
      values.clear();
    } else {
      T &value = values[random.between(0, values.size() - 1)];
      value = draw(value);
    }
  }

  /// Returns a type similar to `type`, or sometimes an unrelated type.
  Type drawType(Type type) {
    auto tensor = dyn_cast_or_null<RankedTensorType>(type);
    if (!tensor || random.oneIn(8))
      return pickType(otherTypes);
    SmallVector<int64_t> shape(tensor.getShape());
    Type element = tensor.getElementType();
    if (random.oneIn(2))
      element = pickType(elementTypes);
    else
      edit(shape, [&](int64_t size) {
        return random.oneIn(6) ? ShapedType::kDynamic : drawNumber(size);
      });
    auto drawn = RankedTensorType::getChecked(
        [&] { return emitError(UnknownLoc::get(context)); }, shape, element,
        tensor.getEncoding());
    return drawn ? drawn : tensor;
  }

  Attribute drawAttribute(Attribute attribute) {
    if (random.oneIn(4))
      return parseAttribute(pick(attributes), context);
    if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute)) {
      SmallVector<int64_t> values(array.asArrayRef());
      edit(values, [&](int64_t value) { return drawNumber(value); });
      return DenseI64ArrayAttr::get(context, values);
    }
    if (auto array = dyn_cast<DenseF32ArrayAttr>(attribute)) {
      SmallVector<float> values(array.asArrayRef());
      edit(values, [&](float) { return pick(floats); });
      return DenseF32ArrayAttr::get(context, values);
    }
    if (auto number = dyn_cast<FloatAttr>(attribute))
      return FloatAttr::get(number.getType(), APFloat(pick(floats)));
    if (auto elements = dyn_cast<DenseElementsAttr>(attribute)) {
      auto type = dyn_cast<RankedTensorType>(drawType(elements.getType()));
      if (type && type.hasStaticShape() && elements.isSplat() &&
          type.getElementType() == elements.getElementType())
        return elements.resizeSplat(type);
    }
    if (auto type = dyn_cast<TypeAttr>(attribute)) {
      auto function = dyn_cast<FunctionType>(type.getValue());
      if (!function)
        return TypeAttr::get(drawType(type.getValue()));
      SmallVector<Type> inputs(function.getInputs()),
          results(function.getResults());
      edit(random.oneIn(2) ? inputs : results,
           [&](Type type) { return drawType(type); });
      return TypeAttr::get(FunctionType::get(context, inputs, results));
    }
    // For instance enums: the list of attributes has their other cases.
    return parseAttribute(pick(attributes), context);
  }

  void changeAttribute() {
    Operation *op = pickOperation();
    // Mostly inherent attributes, seldom discardable ones.
    auto properties =
        dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
    bool isInherent = properties && !random.oneIn(8);
    DictionaryAttr dictionary =
        isInherent ? properties : op->getDiscardableAttrDictionary();
    NamedAttrList list(dictionary);
    if (list.empty() || random.oneIn(12)) {
      StringRef name = pick(attributeNames);
      list.set(name, parseAttribute(pick(attributes), context));
    } else {
      NamedAttribute attribute =
          list.getAttrs()[random.between(0, list.getAttrs().size() - 1)];
      if (random.oneIn(12))
        list.erase(attribute.getName());
      else if (Attribute drawn = drawAttribute(attribute.getValue()))
        list.set(attribute.getName(), drawn);
    }
    dictionary = list.getDictionary(context);
    if (isInherent)
      (void)op->setPropertiesFromAttribute(
          dictionary, [&] { return emitError(UnknownLoc::get(context)); });
    else
      op->setDiscardableAttrs(dictionary);
  }

  void changeType(bool everywhere) {
    if (values.empty())
      return;
    Value value = random.pick(ArrayRef(values));
    Type found = value.getType(), wanted = drawType(found);
    if (!everywhere)
      return value.setType(wanted);
    // If only the element type differs, all tensors of the old element type get
    // the new one, so that the operands of an operator still have one type.
    AttrTypeReplacer replacer;
    auto foundTensor = dyn_cast<RankedTensorType>(found);
    auto wantedTensor = dyn_cast<RankedTensorType>(wanted);
    bool isElement = foundTensor && wantedTensor &&
                     foundTensor.getShape() == wantedTensor.getShape();
    replacer.addReplacement([&](Type type) -> std::optional<Type> {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (isElement && tensor &&
          tensor.getElementType() == foundTensor.getElementType())
        return tensor.clone(wantedTensor.getElementType());
      return type == found ? std::optional<Type>(wanted) : std::nullopt;
    });
    // Attributes that hold numbers are skipped, because their type cannot be
    // replaced without their data.
    replacer.addReplacement(
        [](Attribute attribute)
            -> std::optional<std::pair<Attribute, WalkResult>> {
          if (isa<DenseArrayAttr, ElementsAttr, FloatAttr, IntegerAttr>(
                  attribute))
            return std::make_pair(attribute, WalkResult::skip());
          return std::nullopt;
        });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (Operation *op : operations)
      if (Attribute properties = op->getPropertiesAsAttribute())
        (void)op->setPropertiesFromAttribute(replacer.replace(properties), [&] {
          return emitError(UnknownLoc::get(context));
        });
  }

  void changeOperands() {
    Operation *op = pickOperation();
    if (values.empty() || op->getNumRegions())
      return;
    Value value = random.pick(ArrayRef(values));
    unsigned count = op->getNumOperands();
    if (count == 0 || random.oneIn(4))
      op->insertOperands(random.between(0, count), value);
    else if (random.oneIn(4))
      op->eraseOperand(random.between(0, count - 1));
    else
      op->setOperand(random.between(0, count - 1), value);
  }

  void changeOperations() {
    Operation *op = pickOperation();
    if (!op->getBlock())
      return;
    if (random.oneIn(2))
      op->getBlock()->push_back(op->clone());
    else if (op->use_empty())
      return erase(op);
    else
      op->moveBefore(op->getBlock(), op->getBlock()->begin());
  }

  void erase(Operation *op) {
    op->walk([&](Operation *nested) { llvm::erase(operations, nested); });
    values.clear(); // Some may be gone.
    op->erase();
  }

  ModuleOp module;
  Random &random;
  MLIRContext *context;
  std::vector<Operation *> operations;
  std::vector<Value> values;
};
} // namespace

static std::string printGeneric(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm());
  return text;
}

/// Whether `retype` may be called: inference needs static tensor types, and
/// attributes and operands in the numbers that the operator defines.
static bool isInferable(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || !function.getFunctionTypeAttr() || function.isExternal() ||
      function.front().empty() || !isa<func::ReturnOp>(function.front().back()))
    return false;
  auto isTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  WalkResult result = function.walk([&](FeatureLevelOpInterface op) {
    bool isWhole =
        op.getTensors().size() == op->getNumOperands() + op->getNumResults() &&
        llvm::all_of(llvm::enumerate(op.getOperatorSupport().tensors),
                     [&](auto entry) {
                       auto [first, count] = op.getTensorRange(entry.index());
                       const TensorInfo &info = entry.value();
                       unsigned end = info.isResult ? op->getNumResults()
                                                    : op->getNumOperands();
                       return first <= end && count <= end - first &&
                              (info.count != TensorInfo::Count::One ||
                               count == 1);
                     }) &&
        llvm::all_of(op->getOperandTypes(), isTensor) &&
        llvm::all_of(op->getName().getAttributeNames(), [&](StringAttr name) {
          return static_cast<bool>(op->getAttr(name));
        });
    return isWhole ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

std::string spoil(ModuleOp module, Random &random) {
  DialectRegistry registry;
  MLIRContext lawless(registry, MLIRContext::Threading::DISABLED);
  lawless.allowUnregisteredDialects();
  // Types that cannot be parsed are not drawn, so errors of parsing are
  // silenced.
  ScopedDiagnosticHandler silence(&lawless,
                                  [](Diagnostic &) { return success(); });
  auto copy = parseSourceString<ModuleOp>(printGeneric(module), &lawless);
  assert(copy && "a printed program can be parsed");
  for (int64_t i = random.oneIn(2) ? 1 : random.between(2, 4); i-- > 0;)
    Spoiler(*copy, random).run();
  std::string text = printGeneric(*copy);

  // Most programs now have results of the wrong type, which the verifier
  // rejects first. Half of the programs get inferred types if possible, to test
  // the code behind the verifier.
  if (random.oneIn(2))
    return text;
  ScopedDiagnosticHandler silenceToo(module.getContext(),
                                     [](Diagnostic &) { return success(); });
  auto draft = parseSourceString<ModuleOp>(
      text, ParserConfig(module.getContext(), /*verifyAfterParse=*/false));
  if (draft && isInferable(*draft) && succeeded(retype(*draft)))
    return printGeneric(*draft);
  return text;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static constexpr const char *words[] = {"-1",
                                        "0",
                                        "1",
                                        "2",
                                        "4294967295",
                                        "4294967296",
                                        "9223372036854775807",
                                        "99999999999999999999",
                                        "0xFFFFFFFFFFFFFFFFFF",
                                        "1.0e400",
                                        "0x7FC00000",
                                        "?",
                                        "*",
                                        "x",
                                        "tensor",
                                        "<",
                                        ">",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "->",
                                        ":",
                                        ",",
                                        "=",
                                        "\"",
                                        "//",
                                        "%0",
                                        "%input",
                                        "%arg0",
                                        "^bb0",
                                        "@main",
                                        "#dml.",
                                        "!dml.",
                                        "#",
                                        "!",
                                        "#a = ",
                                        "loc",
                                        "loc(\"a\":1:2)",
                                        "unknown",
                                        "dense<",
                                        "dense<\"0x00\">",
                                        "array<i64: ",
                                        "array<i1: true>",
                                        "i1",
                                        "i64",
                                        "f32",
                                        "index",
                                        "complex<f32>",
                                        "tuple<>",
                                        "none",
                                        "affine_map<(d0) -> (d0)>",
                                        "strided<[1]>",
                                        "tensor<*xf32>",
                                        "dml.padding",
                                        "dml.tile",
                                        "dml.resample",
                                        "dml.max_pooling_grad",
                                        "arith.constant",
                                        "func.func",
                                        "private",
                                        "func.call",
                                        "return",
                                        "module",
                                        "attributes",
                                        "true",
                                        "\n",
                                        " "};

std::string spoilText(StringRef text, Random &random) {
  // Splits the text into words, and into single characters for all else.
  std::vector<StringRef> tokens;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  while (!text.empty()) {
    size_t size = std::max<size_t>(text.take_while(isWord).size(), 1);
    tokens.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  auto drawPlace = [&] { return random.between(0, tokens.size() - 1); };
  for (int64_t i = random.oneIn(2) ? 1 : random.between(2, 6);
       i-- > 0 && !tokens.empty();) {
    auto place = tokens.begin() + drawPlace();
    // Mostly one word, sometimes several lines of text.
    int64_t count = std::min<int64_t>(
        random.oneIn(6) ? random.between(1, 60) : 1, tokens.end() - place);
    switch (random.between(0, 5)) {
    case 0:
      tokens.erase(place, place + count);
      break;
    case 1: {
      std::vector<StringRef> repeated(place, place + count);
      tokens.insert(tokens.begin() + drawPlace(), repeated.begin(),
                    repeated.end());
      break;
    }
    case 2:
      std::swap(*place, tokens[drawPlace()]);
      break;
    case 3:
      *place = tokens[drawPlace()];
      break;
    default:
      *place = random.pick(ArrayRef(words));
    }
  }
  return llvm::join(tokens, "");
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

std::string spoilBytes(StringRef bytes, Random &random) {
  std::string spoiled = bytes.str();
  for (int64_t i = random.oneIn(2) ? 1 : random.between(2, 8);
       i-- > 0 && !spoiled.empty();) {
    size_t size = spoiled.size(), at = random.between(0, size - 1);
    // Numbers are mostly aligned to their width, as in most formats.
    size_t width = size_t(1) << random.between(0, 3);
    size_t aligned = at / width * width;
    switch (random.between(0, 7)) {
    case 0:
      spoiled[at] ^= static_cast<char>(1 << random.between(0, 7));
      break;
    case 1:
      spoiled[at] = static_cast<char>(random.next());
      break;
    case 2:
      if (random.oneIn(4))
        spoiled.resize(at);
      else
        spoiled.erase(at, random.between(1, 16));
      break;
    case 3:
      spoiled.insert(random.between(0, size - 1), spoiled.substr(at, width));
      break;
    case 4: // Another number of the same bytes.
      if (aligned + width <= size) {
        size_t other = random.between(0, size - 1) / width * width;
        spoiled.replace(aligned, width, spoiled.substr(other, width));
      }
      break;
    default:
      if (aligned + width <= size) {
        uint64_t number = 0;
        std::copy_n(&spoiled[aligned], width,
                    reinterpret_cast<char *>(&number));
        static constexpr uint64_t extremes[] = {0,
                                                1,
                                                2,
                                                0x7f,
                                                0x80,
                                                0xff,
                                                0x7fff,
                                                0xffff,
                                                0x7fffffff,
                                                0x80000000,
                                                0xffffffff,
                                                0x7fffffffffffffff,
                                                0x8000000000000000,
                                                ~uint64_t(0)};
        number = random.oneIn(2) ? random.pick(ArrayRef(extremes))
                                 : number + random.between(-4, 4);
        std::copy_n(reinterpret_cast<const char *>(&number), width,
                    &spoiled[aligned]);
      }
    }
  }
  return spoiled;
}

} // namespace dml::fuzz
