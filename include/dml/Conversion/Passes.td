//===- Passes.td - Conversions out of the dml dialect ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CONVERSION_PASSES_TD
#define DML_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertDMLToLinalg : Pass<"convert-dml-to-linalg", "mlir::ModuleOp"> {
  let summary = "Convert dml operators to linalg";
  let description = [{
    Converts every dml operator to one or two `linalg.generic` operations over the
    output's shape, whose bodies compute an element from the tensors that they
    read with `tensor.extract`. Index arithmetic is on `index`, with unsigned
    division. So do `tensor.bitcast`, `tensor.concat` and `tensor.extract_slice`,
    which legalization to an older feature level puts between the operators.

    A concatenation's inputs become slices of its result (`tensor.insert_slice`).

    linalg and arith want signless integers: tensors of `uin` become tensors of
    `in`. Where that changes an argument or a result of a function, the attribute
    `dml.type` keeps the original type.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::tensor::TensorDialect"
  ];
}

def ApplyLayouts : Pass<"dml-apply-layouts", "mlir::ModuleOp"> {
  let summary = "Give arguments and results the layouts of the caller's tensors";
  let description = [{
    Arguments and results that have `dml.strides` become what their buffers hold: one
    row of all elements from the first to the last, gaps included. Reads of an argument
    then compute a place in that row of the coordinates, a sum of products; a result's
    row is a `linalg.generic` that takes a place apart again, by one division a
    dimension, and has zeros in the gaps. Neither costs a pass over memory where
    producers are fused, but for arguments that are not read element by element.

    It runs when no dml operators are left. The attribute `dml.type` keeps the original
    type.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

#endif // DML_CONVERSION_PASSES_TD
