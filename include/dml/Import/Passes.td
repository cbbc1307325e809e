//===- Passes.td - Passes into the dml dialect -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_PASSES_TD
#define DML_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTosaToDML : Pass<"convert-tosa-to-dml", "::mlir::ModuleOp"> {
  let summary = "Express TOSA operations by operators of DirectML";
  let description = [{
    Replaces each operation of MLIR's dialect TOSA by dml operators that compute the
    same. An operation that DirectML cannot express is an error, which names the
    operation and says why; the pass reports all of them, and then fails.
    [TOSA](TOSA.md) lists the operations, and how exact each is.

    TOSA's tensors have their channels last, and DirectML's convolutions and poolings
    want them behind the batch. A `dml.view` reads a tensor in the other order: it
    stands for the strides of a tensor description, for which DirectML needs no
    operator, so that the feature level does not rise.

    ```mlir
    %0 = tosa.avg_pool2d %x, %zero, %zero {kernel = array<i64: 2, 2>,
        stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, acc_type = f32}
        : (tensor<1x8x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x3xf32>
    // becomes
    %1 = dml.view %x {strides = array<i64: 192, 1, 24, 3>}
        : (tensor<1x8x8x3xf32>) -> tensor<1x3x8x8xf32>
    %2 = dml.average_pooling %1 {strides = array<i64: 2, 2>,
        window_size = array<i64: 2, 2>, ...}
        : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
    %3 = dml.view %2 {strides = array<i64: 48, 4, 1, 16>}
        : (tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32>
    ```

    Tensors of `i1` become tensors of `ui8`, as DirectML has truths, those of
    functions' arguments and results included. Tensors of fewer than four dimensions
    get leading dimensions of size 1, as older feature levels want them. Sizes must be
    known: `tosa-infer-shapes` finds them where those of the arguments are stated.
  }];
  let options = [
    Option<"ignoreNaNs", "ignore-nans", "bool", "false",
        "Take no heed of what becomes of NaNs: clamps, maxima and minima of floats are "
        "one operator each, of which the number counts beside a NaN, and need no newer "
        "feature level">
  ];
  let dependentDialects = [
    "::dml::DMLDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // DML_IMPORT_PASSES_TD
