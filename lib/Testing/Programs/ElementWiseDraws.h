//===- ElementWiseDraws.h - Drawing element-wise operators ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_PROGRAMS_ELEMENTWISEDRAWS_H
#define DML_LIB_TESTING_PROGRAMS_ELEMENTWISEDRAWS_H

#include "Testing/Programs/Operators.h"

namespace dml::fuzz {

/// Adds the operators of a generated GET_OP_LIST. All tensors of each operator
/// must have one shape. Operands are drawn from the support tables, float
/// attributes at random.
template <typename... OpTys> void addElementWise(Operators &operators);

void addElementWise(Operators &operators, llvm::StringRef name);

/// Draws an activation that the operator fuses at the program's feature level.
/// `attribute` is the attribute that holds the activation or an array of them.
ActivationAttr drawActivation(Draft &draft, const OperatorSupport &support,
                              llvm::StringRef attribute = "fused_activation");

/// Draws a `fused_activation` for OpTy, or sometimes none.
template <typename OpTy> ActivationAttr drawFusedActivation(Draft &draft) {
  return draft.random.oneIn(3)
             ? drawActivation(draft, OpTy::getOperatorSupport())
             : ActivationAttr();
}

template <typename... OpTys> void addElementWise(Operators &operators) {
  (addElementWise(operators, OpTys::getOperationName()), ...);
}

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_PROGRAMS_ELEMENTWISEDRAWS_H
