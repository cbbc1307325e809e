//===- DMLDialect.cpp - The dml dialect -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OpUtils.h"
#include "dml/IR/InPlace.h"
#include "dml/IR/KernelAttr.h"
#include "dml/IR/Layout.h"
#include "dml/IR/LayoutAttr.h"
#include "dml/IR/Origin.h"
#include "dml/IR/Ownership.h"
#include "dml/IR/Suggestions.h"
#include "executable_names.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>

using namespace mlir;
using namespace dml;

#include "dml/IR/DMLDialect.cpp.inc"

/// Parses the name of an enum case. Errors refer to the enum as `kind`. `max`
/// is the largest value of the enum.
template <typename Enum>
static ParseResult parseEnum(AsmParser &parser, StringRef kind, uint32_t max,
                             std::optional<Enum> (*symbolize)(uint32_t),
                             Enum &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string name;
  bool isName = succeeded(parser.parseOptionalKeywordOrString(&name));
  if (isName)
    if (std::optional<Enum> found = symbolizeEnum<Enum>(name)) {
      value = *found;
      return success();
    }
  SmallVector<StringRef> names;
  for (uint32_t i = 0; i <= max; ++i)
    if (std::optional<Enum> other = symbolize(i))
      names.push_back(stringifyEnum(*other));
  InFlightDiagnostic error = parser.emitError(loc);
  if (!isName)
    return error << "wanted a " << kind << ": " << llvm::join(names, ", ");
  error << "there is no " << kind << " '" << name << "'"
        << suggestNearest(name, names);
  return error << " (there are " << llvm::join(names, ", ") << ")";
}

static ParseResult parseLevelName(AsmParser &parser, FeatureLevel &level) {
  return parseEnum(parser, "DirectML feature level",
                   getMaxEnumValForFeatureLevel(), symbolizeFeatureLevel,
                   level);
}
static void printLevelName(AsmPrinter &printer, FeatureLevel level) {
  printer << stringifyEnum(level);
}

static ParseResult parseActivationName(AsmParser &parser,
                                       ActivationFunction &function) {
  return parseEnum(parser, "DirectML activation to fuse",
                   getMaxEnumValForActivationFunction(),
                   symbolizeActivationFunction, function);
}
static void printActivationName(AsmPrinter &printer,
                                ActivationFunction function) {
  printer << stringifyEnum(function);
}

#define GET_ATTRDEF_CLASSES
#include "dml/IR/DMLAttributes.cpp.inc"

namespace {
/// Operators have no side effects, so that they can be inlined wherever their
/// function is called.
struct DMLInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void DMLDialect::initialize() {
  addInterfaces<DMLInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dml/IR/DMLAttributes.cpp.inc"
      >();
#define DML_FAMILY(name) register##name##Ops();
#include "dml/IR/Families.def"
}

LogicalResult
ScaleBiasAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      FloatAttr scale, FloatAttr bias) {
  for (auto [name, value] : {std::pair("scale", scale), {"bias", bias}})
    if (!value.getType().isF32())
      return emitError() << name << " has type " << value.getType()
                         << ", but wants f32";
  return success();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// The attributes that verifyOperationAttribute() knows.
static constexpr StringLiteral operationAttrNames[] = {
    targetAttrName,    executableAttrName, labelAttrName,
    kernelAttrName,    layoutAttrName,     initializationAttrName,
    notTakenAttrName,  fusedAttrName,      optimizedAttrName,
    unreadAttrName,    onHostAttrName,     anyOrderAttrName,
    roundableAttrName, reversedAttrName,   updateAttrName};

/// The attributes of arguments and results, which verifyTensorAttribute()
/// knows.
static constexpr StringLiteral tensorAttrNames[] = {
    typeAttrName,    stridesAttrName,    totalSizeAttrName, ownedAttrName,
    inPlaceAttrName, persistentAttrName, nameAttrName};

/// Returns a text for an error about the attribute `name`, which the dialect
/// does not have in a place where it has `known`, on what `where` says.
static std::string describeUnknown(StringRef name,
                                   ArrayRef<StringLiteral> known,
                                   const Twine &where = "") {
  std::string text = ("unknown attribute '" + name + "'" + where).str();
  // The name of the dialect, which is right, does not count.
  size_t prefix = DMLDialect::getDialectNamespace().size() + 1;
  SmallVector<StringRef> names = llvm::map_to_vector(
      known, [&](StringRef each) { return each.drop_front(prefix); });
  StringRef nearest = findNearest(name.drop_front(prefix), names);
  return nearest.empty()
             ? text
             : text + "; did you mean '" + name.take_front(prefix).str() +
                   nearest.str() + "'?";
}

/// Checks the operators in `holder` against its target. Operators under a
/// nested target are skipped, since they are checked against that target.
static LogicalResult verifyTarget(Operation *holder, TargetAttr target) {
  WalkResult result = holder->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != holder && op->hasAttr(targetAttrName))
      return WalkResult::skip();
    if (auto dmlOp = dyn_cast<FeatureLevelOpInterface>(op))
      if (failed(dmlOp.verifyFeatureLevel(target.getFeatureLevel())))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult DMLDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == targetAttrName) {
    if (!isa<TargetAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << targetAttrName << "' is " << attribute.getValue()
             << ", but wants a #dml.target";
    if (!isa<ModuleOp, FunctionOpInterface>(op))
      return emitError(op->getLoc(), "attribute '")
             << targetAttrName
             << "' stands on a module or a function, but found it on '"
             << op->getName() << "'";
    return verifyTarget(op, cast<TargetAttr>(attribute.getValue()));
  }
  if (attribute.getName() == executableAttrName) {
    if (!isa<ModuleOp>(op) || !isa<DenseIntElementsAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << executableAttrName
             << "' wants to be bytes, as a dense tensor, on a module";
    return success();
  }
  if (attribute.getName() == labelAttrName) {
    auto label = dyn_cast<StringAttr>(attribute.getValue());
    if (!label || !isName(label.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << labelAttrName << "' is " << attribute.getValue()
             << ", but wants a non-empty UTF-8 string without control "
                "characters";
    return success();
  }
  if (attribute.getName() == kernelAttrName) {
    if (getKernelTile(attribute.getValue()))
      return success();
    SmallVector<StringRef> names = getTileNames();
    StringRef last = names.pop_back_val();
    return emitError(op->getLoc(), "attribute '")
           << kernelAttrName << "' is " << attribute.getValue()
           << ", but wants \"map\" or one of " << llvm::join(names, ", ")
           << " and " << last
           << " with its entries, which docs/CodegenPasses.md has";
  }
  if (attribute.getName() == layoutAttrName) {
    auto layout = dyn_cast<StringAttr>(attribute.getValue());
    if (!layout || !llvm::is_contained(layoutNames, layout.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << layoutAttrName << "' is " << attribute.getValue()
             << ", but wants \"" << channelsLast << "\", \""
             << channelsLastCovered << "\" or \"" << orderedFilter << "\"";
    return success();
  }
  if (attribute.getName() == initializationAttrName) {
    if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << initializationAttrName
             << "' wants to be a unit attribute on a function";
    return success();
  }
  if (attribute.getName() == notTakenAttrName ||
      attribute.getName() == fusedAttrName) {
    auto text = dyn_cast<StringAttr>(attribute.getValue());
    if (!text || !isName(text.getValue()) || op->getDialect() != this)
      return emitError(op->getLoc(), "attribute '")
             << attribute.getName().getValue() << "' is "
             << attribute.getValue()
             << ", but wants a non-empty UTF-8 string without control "
                "characters on "
                "an operator";
    return success();
  }
  if (attribute.getName() == optimizedAttrName) {
    if (!isa<ModuleOp>(op) || !isa<DictionaryAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << optimizedAttrName << "' wants to be a dictionary on a module";
    return success();
  }
  if (attribute.getName() == unreadAttrName ||
      attribute.getName() == onHostAttrName) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!isa<ModuleOp>(op) || !list || list.empty() ||
        !llvm::all_of(list, llvm::IsaPred<StringAttr>))
      return emitError(op->getLoc(), "attribute '")
             << attribute.getName().getValue()
             << "' wants to be a list of strings on a module";
    return success();
  }
  if (attribute.getName() == anyOrderAttrName) {
    if (!isa<UnitAttr>(attribute.getValue()) || !isa<LoopLikeOpInterface>(op))
      return emitError(op->getLoc(), "attribute '")
             << anyOrderAttrName << "' wants to be a unit, on a loop";
    return success();
  }
  if (attribute.getName() == roundableAttrName) {
    if (!isa<UnitAttr>(attribute.getValue()) || op->getNumResults() != 1 ||
        !op->getResult(0).getType().isF32())
      return emitError(op->getLoc(), "attribute '")
             << roundableAttrName
             << "' wants to be a unit, on an operation that computes an f32";
    return success();
  }
  if (attribute.getName() == reversedAttrName ||
      attribute.getName() == updateAttrName) {
    if (!isa<UnitAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << attribute.getName().getValue()
             << "' wants to be a unit attribute";
    return success();
  }
  return emitError(op->getLoc())
         << describeUnknown(attribute.getName(), operationAttrNames);
}

namespace {
/// An argument or a result of a function.
struct Parameter {
  bool isResult;
  unsigned index;

  bool operator<(const Parameter &other) const {
    return std::tie(isResult, index) < std::tie(other.isResult, other.index);
  }
};
} // namespace

static std::string describe(Parameter parameter) {
  return (parameter.isResult ? "result " : "argument ") +
         std::to_string(parameter.index);
}

/// Returns the attribute `name` of an argument or result, or null if there is
/// none.
static Attribute getAttr(FunctionOpInterface function, Parameter parameter,
                         StringRef name) {
  return parameter.isResult ? function.getResultAttr(parameter.index, name)
                            : function.getArgAttr(parameter.index, name);
}

/// Whether no argument or result before `parameter` has a name. The search goes
/// backward from `parameter`, since in functions with many tensors the
/// preceding one usually has a name.
static bool isFirstNamed(FunctionOpInterface function, Parameter parameter) {
  auto hasName = [&](bool isResult, unsigned end) {
    return llvm::any_of(
        llvm::reverse(llvm::seq<unsigned>(0, end)), [&](unsigned index) {
          return !!getAttr(function, {isResult, index}, nameAttrName);
        });
  };
  if (!parameter.isResult)
    return !hasName(false, parameter.index);
  return !hasName(true, parameter.index) &&
         !hasName(false, function.getNumArguments());
}

/// Checks that the names of all arguments and results differ.
static LogicalResult verifyNamesDiffer(FunctionOpInterface function) {
  llvm::SmallDenseMap<StringAttr, Parameter> named;
  auto verify = [&](Parameter parameter) -> LogicalResult {
    auto name = dyn_cast_or_null<StringAttr>(
        getAttr(function, parameter, nameAttrName));
    if (!name)
      return success();
    auto [namesake, isNew] = named.try_emplace(name, parameter);
    if (isNew)
      return success();
    return emitError(function->getLoc(), "attribute '")
           << nameAttrName << "' on " << describe(parameter) << " is " << name
           << ", which is the name of " << describe(namesake->second)
           << " already";
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (failed(verify({/*isResult=*/false, i})))
      return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (failed(verify({/*isResult=*/true, i})))
      return failure();
  return success();
}

/// Returns the type of the tensor that the caller binds, or nothing if it has
/// no known static shape.
static RankedTensorType getTensorType(Operation *op, Parameter parameter) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return {};
  auto [isResult, index] = parameter;
  ArrayRef<Type> types =
      isResult ? function.getResultTypes() : function.getArgumentTypes();
  // The list of attributes may be longer than the list of the function's types,
  // which is verified later.
  if (index >= types.size())
    return {};
  Type type = types[index];
  if (auto original = dyn_cast_or_null<TypeAttr>(
          isResult ? function.getResultAttr(index, typeAttrName)
                   : function.getArgAttr(index, typeAttrName)))
    type = original.getValue();
  // Bufferization replaces tensors by memrefs.
  auto tensor = dyn_cast<ShapedType>(type);
  if (!isa<RankedTensorType, MemRefType>(type) || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat() ||
      llvm::any_of(tensor.getShape(),
                   [](int64_t size) { return size < 1 || size > UINT32_MAX; }))
    return {};
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

/// Verifies the attribute `dml.strides` of a tensor with the type `type`.
static LogicalResult
verifyStrides(llvm::function_ref<InFlightDiagnostic()> emitError,
              Attribute attribute, RankedTensorType type, bool isResult) {
  auto strides = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!strides)
    return emitError() << "is " << attribute
                       << ", but wants one stride a dimension, as array<i64: "
                          "4, 1>";
  if (static_cast<int64_t>(strides.size()) != type.getRank())
    return emitError() << "has " << strides.size()
                       << (strides.size() == 1 ? " value" : " values")
                       << ", but the tensor has rank " << type.getRank();
  for (auto [dim, stride] : llvm::enumerate(strides.asArrayRef()))
    if (stride < 0 || stride > UINT32_MAX)
      return emitError() << "has the stride " << stride << " in dimension "
                         << dim << ", but wants 0 to " << UINT32_MAX;
  if (getExtent(type.getShape(), strides) > UINT32_MAX)
    return emitError() << "reaches over more than " << UINT32_MAX
                       << " elements, DirectML's limit";
  if (isResult && !getNestedDimensions(type.getShape(), strides))
    return emitError()
           << "is " << attribute << " for " << type
           << ", but a result wants each stride to reach beyond all elements "
              "of the dimensions with smaller strides";
  return success();
}

/// Verifies the attribute `dml.total_size` of a tensor with the type `type`.
/// `strides` is the value of `dml.strides`, or null.
static LogicalResult
verifyTotalSize(llvm::function_ref<InFlightDiagnostic()> emitError,
                Attribute attribute, RankedTensorType type, Attribute strides) {
  auto size = dyn_cast<IntegerAttr>(attribute);
  if (!size || !size.getType().isSignlessInteger(64))
    return emitError() << "is " << attribute << ", but wants bytes as an i64";
  if (size.getInt() < 0 || size.getInt() % 4 != 0)
    return emitError() << "is " << size.getInt()
                       << ", but wants a positive multiple of 4";
  auto array = dyn_cast_or_null<DenseI64ArrayAttr>(strides);
  uint64_t elements = 1;
  if (array && static_cast<int64_t>(array.size()) == type.getRank())
    elements = getExtent(type.getShape(), array);
  else
    for (int64_t dim : type.getShape())
      elements = llvm::SaturatingMultiply(elements, static_cast<uint64_t>(dim));
  // A valid tensor has at most 2^32 elements.
  uint64_t bits = llvm::SaturatingMultiply<uint64_t>(
      elements, type.getElementTypeBitWidth());
  uint64_t wanted = llvm::alignTo(llvm::divideCeil(bits, 8), 4);
  if (static_cast<uint64_t>(size.getInt()) < wanted)
    return emitError() << "is " << size.getInt()
                       << ", but the tensor has at least " << wanted
                       << " bytes";
  return success();
}

/// Verifies that one other argument or result of `function` has the same number
/// in its attribute `dml.in_place` as `parameter`, and the same type. Of the
/// two, one at most is a result.
static LogicalResult verifyInPlace(Operation *op, Parameter parameter,
                                   Attribute attribute) {
  auto emitError = [&] {
    return mlir::emitError(op->getLoc(), "attribute '")
           << inPlaceAttrName << "' on " << describe(parameter) << " is "
           << attribute << ", but wants ";
  };
  auto number = dyn_cast<IntegerAttr>(attribute);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || !number || !number.getType().isSignlessInteger(64) ||
      number.getInt() < 0)
    return emitError() << "the number of a pair, as an i64";
  SmallVector<Parameter> others;
  auto add = [&](bool isResult, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      if (getAttr(function, {isResult, i}, inPlaceAttrName) == attribute &&
          (isResult != parameter.isResult || i != parameter.index))
        others.push_back({isResult, i});
  };
  add(/*isResult=*/false, function.getNumArguments());
  add(/*isResult=*/true, function.getNumResults());
  if (others.size() != 1 || (others.front().isResult && parameter.isResult))
    return emitError() << "one argument and one result with this number";
  if (getTensorType(op, parameter) != getTensorType(op, others.front()) ||
      !getTensorType(op, parameter))
    return emitError() << "one static shape and one element type for "
                       << describe(parameter) << " and "
                       << describe(others.front());
  if (getAttr(function, parameter, stridesAttrName) !=
      getAttr(function, others.front(), stridesAttrName))
    return emitError() << "one attribute '" << stridesAttrName << "' for "
                       << describe(parameter) << " and "
                       << describe(others.front());
  return success();
}

/// Verifies an attribute of an argument or result of `op`. Errors are reported
/// at the location of `op`, since an error at `op` would print a whole
/// function.
static LogicalResult verifyTensorAttribute(Operation *op, Parameter parameter,
                                           NamedAttribute attribute) {
  if (attribute.getName() == typeAttrName) {
    auto type = dyn_cast<TypeAttr>(attribute.getValue());
    if (!type || !isa<RankedTensorType>(type.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << typeAttrName << "' on " << describe(parameter) << " is "
             << attribute.getValue() << ", but wants a ranked tensor type";
    return success();
  }
  if (attribute.getName() == stridesAttrName ||
      attribute.getName() == totalSizeAttrName) {
    auto emitError = [&] {
      return mlir::emitError(op->getLoc(), "attribute '")
             << attribute.getName().getValue() << "' on " << describe(parameter)
             << " ";
    };
    RankedTensorType type = getTensorType(op, parameter);
    if (!type)
      return emitError() << "wants a function's tensor of static shape";
    if (attribute.getName() == stridesAttrName)
      return verifyStrides(emitError, attribute.getValue(), type,
                           parameter.isResult);
    auto function = cast<FunctionOpInterface>(op);
    return verifyTotalSize(
        emitError, attribute.getValue(), type,
        parameter.isResult
            ? function.getResultAttr(parameter.index, stridesAttrName)
            : function.getArgAttr(parameter.index, stridesAttrName));
  }
  if (attribute.getName() == ownedAttrName) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    bool isNamed = function && !parameter.isResult &&
                   function.getArgAttr(parameter.index, nameAttrName);
    if (!isNamed || !isa<UnitAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << ownedAttrName << "' on " << describe(parameter)
             << " wants to be a unit attribute on an argument that has the "
                "attribute '"
             << nameAttrName << "'";
    return success();
  }
  if (attribute.getName() == inPlaceAttrName)
    return verifyInPlace(op, parameter, attribute.getValue());
  if (attribute.getName() == persistentAttrName) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (parameter.isResult || !number || number.getValue().isNegative())
      return emitError(op->getLoc(), "attribute '")
             << persistentAttrName << "' on " << describe(parameter) << " is "
             << attribute.getValue()
             << ", but wants the number of a result of the initialization, on "
                "an argument";
    return success();
  }
  if (attribute.getName() != nameAttrName)
    return emitError(op->getLoc())
           << describeUnknown(attribute.getName(), tensorAttrNames,
                              " on " + describe(parameter));
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || !isName(name.getValue()))
    return emitError(op->getLoc(), "attribute '")
           << nameAttrName << "' on " << describe(parameter) << " is "
           << attribute.getValue()
           << ", but wants a non-empty UTF-8 string without control characters";
  // The first tensor with a name verifies the names of all tensors together.
  // Comparing each name with the preceding ones would take quadratic time.
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && isFirstNamed(function, parameter))
    return verifyNamesDiffer(function);
  return success();
}

/// Returns `dictionaries`, with the attribute `name` added to those for which
/// `getAttr` returns an attribute. Returns nothing if `getAttr` returns no
/// attribute at all.
static std::optional<SmallVector<DictionaryAttr>>
addAttrs(MLIRContext *context, ArrayRef<DictionaryAttr> dictionaries,
         StringRef name, llvm::function_ref<Attribute(unsigned)> getAttr) {
  SmallVector<DictionaryAttr> changed(dictionaries);
  bool isChanged = false;
  for (auto [index, dictionary] : llvm::enumerate(changed)) {
    Attribute attribute = getAttr(static_cast<unsigned>(index));
    if (!attribute)
      continue;
    NamedAttrList list(dictionary);
    list.set(name, attribute);
    dictionary = list.getDictionary(context);
    isChanged = true;
  }
  return isChanged ? std::optional(changed) : std::nullopt;
}

void dml::setTensorAttrs(
    FunctionOpInterface function, StringRef name,
    llvm::function_ref<Attribute(unsigned)> getArgumentAttr,
    llvm::function_ref<Attribute(unsigned)> getResultAttr) {
  SmallVector<DictionaryAttr> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(function.getArgAttrDict(i));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    results.push_back(function.getResultAttrDict(i));
  MLIRContext *context = function.getContext();
  if (auto changed = addAttrs(context, arguments, name, getArgumentAttr))
    function.setAllArgAttrs(*changed);
  if (auto changed = addAttrs(context, results, name, getResultAttr))
    function.setAllResultAttrs(*changed);
}

void dml::keepTensorTypes(FunctionOpInterface function,
                          llvm::function_ref<bool(Type)> isChanged) {
  auto keep = [&](Attribute known, Type type) -> Attribute {
    return isChanged(type) && !known ? TypeAttr::get(type) : Attribute();
  };
  setTensorAttrs(
      function, typeAttrName,
      [&](unsigned i) {
        return keep(function.getArgAttr(i, typeAttrName),
                    function.getArgumentTypes()[i]);
      },
      [&](unsigned i) {
        return keep(function.getResultAttr(i, typeAttrName),
                    function.getResultTypes()[i]);
      });
}

LogicalResult DMLDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  return verifyTensorAttribute(op, {/*isResult=*/false, argIndex}, attribute);
}

LogicalResult
DMLDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                        unsigned resultIndex,
                                        NamedAttribute attribute) {
  return verifyTensorAttribute(op, {/*isResult=*/true, resultIndex}, attribute);
}

bool dml::isName(StringRef text) {
  if (text.empty())
    return false;
  while (!text.empty()) {
    executable::Character character = executable::readCharacter(text);
    if (character.size == 0 || executable::isControl(character.value))
      return false;
    text = text.drop_front(character.size);
  }
  return true;
}

FeatureLevel dml::getTargetFeatureLevel(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttrName))
      return target.getFeatureLevel();
  return newestFeatureLevel;
}
