//===- Passes.td - Conversions out of the dml dialect ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CONVERSION_PASSES_TD
#define DML_CONVERSION_PASSES_TD

include "dml/Target/Options.td"
include "mlir/Pass/PassBase.td"

def ChooseLayouts : Pass<"dml-choose-layouts", "mlir::ModuleOp"> {
  let summary = "Choose the order in which convolutions have what they read";
  let description = [{
    Writes the attribute `dml.layout` on each convolution whose lowering is to put what
    it reads into another order first. A matrix kernel then loads 8 neighbouring
    factors of f16 as a vector, at an address that takes few operations, where it
    computes an address and a condition for each factor of a plane:

    * `"channels_last"`: the channels of a position lie side by side, and those of the
      filter in the order in which terms follow each other: blocks of 32 channels, each
      of which has all taps. A tap in the padding is zeros that are chosen.
    * `"channels_last_covered"`: the input has, besides, the positions that windows
      cover, and no others. Zeros (or the zero point) stand where the padding is, and
      an input that windows of one position read with a stride of 2 has a quarter of
      its positions.
    * `"ordered_filter"`: the input stays as it is, and the filter has the order of terms
      that it has with channels last.

    The first is chosen where another operator computes the input, whose kernel can
    store it in that order, and the second where the input has to be copied anyway.
    Either is chosen where the profile has cooperative matrices of the type and where
    channels are whole vectors; the second also wants windows of more than one position,
    and matrix kernels that save more time than the copy takes. Windows of one position
    with a stride of 1 read their input as it is if an image consists of whole vectors
    of positions. Convolutions that go backward or have groups read their input as it
    is. An attribute that is there already is kept.

    With `shared-weights`, other convolutions have `"ordered_filter"` if channels last
    would be chosen for them at some number and size of images, and if the filter
    depends on weights alone. The order of a filter then does not depend on the sizes of
    inputs: programs for 1 and for 16 images read the same filter, the former with an
    input as it is, the latter with channels last.

    ```mlir
    dml.convolution %x, %filter {dml.layout = "channels_last", ...}
    // is lowered to
    %0 = linalg.generic outs(...) attrs = {dml.layout = "channels_last"} {
      %element = tensor.extract %x[%n, %c, %y, %x]
      ...
    } -> tensor<32x56x56x64xf16>
    %1 = linalg.generic outs(...) attrs = {dml.layout = "channels_last"} {
      %element = tensor.extract %filter[...]
      ...
    } -> tensor<64x2x9x32xf16>
    // and a linalg.generic that adds up products of %0 and %1
    ```

    Variants for several device profiles have the layouts that the first profile
    wants, since they share what is computed of constants.
  }];
  let options = [ConvolutionLayoutOption, SharedWeightsOption];
}

def ConvertDMLToLinalg : Pass<"convert-dml-to-linalg", "mlir::ModuleOp"> {
  let summary = "Convert dml operators to linalg";
  let description = [{
    Converts every dml operator to one or two `linalg.generic` operations over the
    output's shape, whose bodies compute an element from the tensors that they
    read with `tensor.extract`. Index arithmetic is on `index`, with unsigned
    division. So do `tensor.bitcast`, `tensor.concat` and `tensor.extract_slice`,
    which legalization to an older feature level puts between the operators.

    A concatenation's inputs become slices of its result (`tensor.insert_slice`).

    `dml.multihead_attention1` with a cache of fixed capacity is lowered in a form of its
    own. Its lengths of the past are a constant or the minimum of a tensor and a
    constant, so that no new key stands behind the capacity of the past, and
    `dml.slice1` takes the capacity of its present results. The present results then
    have the type of the past and replace the slices. Each of them is a `linalg.generic`
    with the attribute `dml.update`, which is the past but for the new positions, and
    attention reads them.

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

def AlignLoops : Pass<"dml-align-loops", "mlir::func::FuncOp"> {
  let summary = "Let the rows of loops begin where every device can bind them";
  let description = [{
    An executable's loop binds a range of a buffer for each row that an iteration reads
    or writes, and every device can bind ranges at multiples of 256 bytes alone. Where
    the rows of a tensor are no such multiples, the pass lets the loop take them from a
    padded copy: rows of 10 elements of f32, which have 40 bytes, become rows of 64
    elements. Rows that the loop inserts are likewise taken out of the padding behind
    the loop. Rows of whole multiples are read and written in place.

    A tensor that an iteration hands on without computing it, such as one of two states
    that change places, is copied by the iteration.

    ```mlir
    %sums = scf.for %i = %zero to %count step %one iter_args(%all = %empty) -> (tensor<8x10xf32>) {
      %row = tensor.extract_slice %rows[%i, 0] [1, 10] [1, 1] : tensor<8x10xf32> to tensor<1x10xf32>
    // becomes
    %padded = tensor.insert_slice %rows into %more[0, 0] [8, 10] [1, 1] : ... into tensor<8x64xf32>
    %sums = scf.for %i = %zero to %count step %one iter_args(%all = %other) -> (tensor<8x64xf32>) {
      %row = tensor.extract_slice %padded[%i, 0] [1, 10] [1, 1] : tensor<8x64xf32> to tensor<1x10xf32>
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect"
  ];
}

#endif // DML_CONVERSION_PASSES_TD
