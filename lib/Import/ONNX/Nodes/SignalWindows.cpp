//===- SignalWindows.cpp - Windows of signals -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Imports a window function, which is evaluated if its size is known.
static LogicalResult importWindow(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  FailureOr<double> size = node.getNumber(0, "the size");
  if (failed(size))
    return failure();
  int64_t number = node.getInt("output_datatype", 1);
  std::optional<DataType> type = toDataType(static_cast<int32_t>(number));
  if (!type || isFourBits(*type))
    return node.reject("its output_datatype is " +
                       describeONNXType(static_cast<int32_t>(number)) +
                       ", but wanted is a type of numbers that DirectML has");
  return node.reject("its size is " + llvm::formatv("{0}", *size).str() +
                     ", but wanted is an integer from 0 to " +
                     Twine(Constant::maxFoldable));
}

void dml::onnx::addSignalWindowNodes(Registry &registry) {
  for (StringRef name : {"HannWindow", "HammingWindow", "BlackmanWindow"})
    registry.add(name, "computed by the importer", importWindow);
}
