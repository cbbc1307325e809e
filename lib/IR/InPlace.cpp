//===- InPlace.cpp - Outputs in the buffers of inputs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/InPlace.h"
#include "dml/IR/DML.h"

using namespace mlir;
using namespace dml;

/// Returns the name of an argument or a result, as the executable has it.
static std::string getTensorName(FunctionOpInterface function, bool isResult,
                                 unsigned index) {
  auto name =
      isResult ? function.getResultAttrOfType<StringAttr>(index, nameAttrName)
               : function.getArgAttrOfType<StringAttr>(index, nameAttrName);
  return name ? name.getValue().str()
              : (isResult ? "output" : "input") + std::to_string(index);
}

bool dml::haveOneLayout(FunctionOpInterface function, InPlacePair pair) {
  return function.getArgAttr(pair.argument, stridesAttrName) ==
         function.getResultAttr(pair.result, stridesAttrName);
}

LogicalResult dml::setInPlace(FunctionOpInterface function,
                              ArrayRef<InPlacePair> pairs) {
  Builder builder(function.getContext());
  llvm::SmallDenseMap<unsigned, unsigned> arguments, results;
  for (auto [number, pair] : llvm::enumerate(pairs)) {
    auto [argument, result] = pair;
    std::string input = getTensorName(function, false, argument),
                output = getTensorName(function, true, result);
    auto fail = [&] {
      return emitError(function->getLoc(), "output '")
             << output << "' cannot be in the place of input '" << input
             << "': ";
    };
    Type inputType = function.getArgumentTypes()[argument],
         outputType = function.getResultTypes()[result];
    if (inputType != outputType)
      return fail() << "the output is " << outputType << ", and the input "
                    << inputType;
    if (!haveOneLayout(function, pair))
      return fail() << "the attribute '" << stridesAttrName
                    << "' is not the same for both";
    if (!arguments.try_emplace(argument, result).second)
      return fail() << "another output is in the place of the input";
    if (!results.try_emplace(result, argument).second)
      return fail() << "the output is in the place of another input";
    IntegerAttr value = builder.getI64IntegerAttr(number);
    function.setArgAttr(argument, inPlaceAttrName, value);
    function.setResultAttr(result, inPlaceAttrName, value);
  }
  return success();
}

FailureOr<InPlacePair> dml::parseInPlace(FunctionOpInterface function,
                                         StringRef text) {
  auto [output, input] = text.split('=');
  auto find = [&](bool isResult, StringRef name) -> FailureOr<unsigned> {
    unsigned count =
        isResult ? function.getNumResults() : function.getNumArguments();
    for (unsigned i = 0; i < count; ++i)
      if (getTensorName(function, isResult, i) == name)
        return i;
    return emitError(function->getLoc(), "there is no ")
           << (isResult ? "output" : "input") << " '" << name << "' for '"
           << text << "'; wanted is the name of an output, '=', and the name "
           << "of an input";
  };
  FailureOr<unsigned> result = find(/*isResult=*/true, output);
  if (failed(result))
    return failure();
  FailureOr<unsigned> argument = find(/*isResult=*/false, input);
  if (failed(argument))
    return failure();
  return InPlacePair{*argument, *result};
}
