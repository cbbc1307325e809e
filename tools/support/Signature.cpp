//===- Signature.cpp - The functions of an executable ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Signature.h"

using namespace dml::tools;

Signature dml::tools::readSignature(DmlExecutable executable, uint32_t index) {
  Signature signature;
  signature.index = index;
  DML_CHECK(dmlGetFunctionInfo, executable, index, &signature.info);
  signature.inputs.resize(signature.info.inputCount);
  for (uint32_t i = 0; i < signature.info.inputCount; ++i)
    DML_CHECK(dmlGetInputInfo, executable, index, i, &signature.inputs[i]);
  signature.outputs.resize(signature.info.outputCount);
  for (uint32_t i = 0; i < signature.info.outputCount; ++i)
    DML_CHECK(dmlGetOutputInfo, executable, index, i, &signature.outputs[i]);
  return signature;
}
