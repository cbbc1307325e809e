//===- FunctionText.cpp - Functions of executables as text ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/FunctionText.h"

#include "support/HostTensor.h"

using namespace dml::tools;

std::string dml::tools::printStrides(const DmlTensorInfo &info) {
  std::string text;
  for (uint32_t dim = 0; dim < info.rank; ++dim)
    text += (dim == 0 ? "" : ", ") + std::to_string(info.strides[dim]);
  return text;
}

static std::string printTensor(const DmlTensorInfo &info) {
  std::string text =
      std::string("%") + info.name + ": " +
      describeType(info.dataType, {info.sizes, info.sizes + info.rank});
  return isPacked(info) ? text : text + " strides " + printStrides(info);
}

std::string dml::tools::printFunction(DmlExecutable executable,
                                      uint32_t function) {
  DmlFunctionInfo info{};
  dmlGetFunctionInfo(executable, function, &info, nullptr);
  std::string text = std::string(info.name) + "(";
  for (uint32_t i = 0; i < info.inputCount; ++i) {
    DmlTensorInfo tensor{};
    dmlGetInputInfo(executable, function, i, &tensor, nullptr);
    text += (i == 0 ? "" : ", ") + printTensor(tensor);
  }
  text += ") -> (";
  for (uint32_t i = 0; i < info.outputCount; ++i) {
    DmlTensorInfo tensor{};
    dmlGetOutputInfo(executable, function, i, &tensor, nullptr);
    text += (i == 0 ? "" : ", ") + printTensor(tensor);
  }
  return text + ")";
}
