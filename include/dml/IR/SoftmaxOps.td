//===- SoftmaxOps.td - Softmax and its relatives -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_SOFTMAXOPS_TD
#define DML_IR_SOFTMAXOPS_TD

include "dml/IR/DMLOpBase.td"

/// An operator on sets of elements. The coordinates of the elements in a set
/// differ only along some axes.
class DML_SoftmaxBase<string mnemonic, string operatorName, string summaryText,
                      string formula, string sets, string setConstraints,
                      string readings, string bounds, string example,
                      string versions = "", list<Trait> traits = []>
    : DML_Op<mnemonic, operatorName, traits> {
  let summary = summaryText;
  let description = summaryText # ".\n\n**Semantics.** " # sets #
      " With the largest element `m` of an element's set, every element of "
      "`output` is\n\n" # formula # "\n\nf16 is computed with in f32, and "
      "rounded once." # versions # "\n\n**Constraints**\n"
      "* (C1) `output` has the element type and the sizes of `input`.\n" #
      setConstraints # "\n**Readings**\n" # readings # bounds #
      "\n**Example**\n```mlir\n" # example # "```\n\n**Source:** DML_" #
      operatorName # "_OPERATOR_DESC.\n";
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
}

/// An operator whose sets lie along any axes.
class DML_SoftmaxOp<string mnemonic, string operatorName, string summaryText,
                    string formula, string readings, string bounds,
                    string example>
    : DML_SoftmaxBase<mnemonic, operatorName, summaryText, formula,
          "A set has the elements that differ in their coordinates along `axes` "
          "alone.",
          "* (C2) `axes` lists dimensions of `input`, each at most once.\n",
          "* Several axes are taken together; their order is irrelevant. Without "
          "`axes` every element is a set of its own.\n" # readings,
          bounds, example, "",
          [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let arguments = (ins DML_Tensor:$input, DML_I64ArrayAttr:$axes);
  let support = [DML_SameSupport<FL_5_1, 1, 8, DML_Float32And16>];
  let arrays = [DML_AxesArray<"axes">];
}

/// An operator whose sets are the rows of a matrix.
class DML_MatrixSoftmaxOp<string mnemonic, string operatorName,
                          string summaryText, string formula, string readings,
                          string bounds, string example>
    : DML_SoftmaxBase<mnemonic, operatorName, summaryText, formula,
          "A set is a row: the elements that differ in their last coordinate "
          "alone.",
          "* (C2) `input` is a matrix: without its leading sizes of 1 it has at "
          "most two dimensions.\n",
          readings, bounds, example,
          "\n\nCanonicalization makes a `dml." # mnemonic # "1` of it where the "
          "feature level has that."> {
  let arguments = (ins DML_Tensor:$input);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

/// The text about error bounds in the descriptions of operators that compute
/// sums of exponentials.
def DML_SoftmaxBounds {
  string text = "\n**Bounds.** The sum has the bound of `dml.reduce`'s, the "
      "operations around it have Vulkan's.\n";
}

def DML_ActivationSoftmax1Op
    : DML_SoftmaxOp<"activation_softmax1", "ACTIVATION_SOFTMAX1",
          "Turns elements into shares",
          "`e^(x - m) / (sum of e^(y - m) over the set)`.",
          "* The largest element is taken away, so that large ones do not "
          "overflow.\n* A set with a NaN, with positive infinity, or of "
          "negative infinities alone, gives NaN, as the formula does.\n",
          DML_SoftmaxBounds.text,
          "// %input: [[0, 1], [1, 1]]\n%output = dml.activation_softmax1 "
          "%input {axes = array<i64: 1>}\n    : (tensor<2x2xf32>) -> "
          "tensor<2x2xf32>\n// %output: [[0.26894143, 0.7310586], [0.5, "
          "0.5]]\n">;

def DML_ActivationSoftmaxOp
    : DML_MatrixSoftmaxOp<"activation_softmax", "ACTIVATION_SOFTMAX",
          "Turns elements into shares",
          "`e^(x - m) / (sum of e^(y - m) over the set)`.",
          "* The largest element is taken away, so that large ones do not "
          "overflow.\n* A set with a NaN, with positive infinity, or of "
          "negative infinities alone, gives NaN, as the formula does.\n",
          DML_SoftmaxBounds.text,
          "// %input: [[0, 1], [1, 1]]\n%output = dml.activation_softmax "
          "%input\n    : (tensor<2x2xf32>) -> tensor<2x2xf32>\n// %output: "
          "[[0.26894143, 0.7310586], [0.5, 0.5]]\n">;

def DML_ActivationLogSoftmax1Op
    : DML_SoftmaxOp<"activation_log_softmax1", "ACTIVATION_LOG_SOFTMAX1",
          "Computes the logarithms of softmax",
          "`x - m - log(sum of e^(y - m) over the set)`.",
          "* The largest element is taken away, so that small shares have "
          "logarithms.\n* A set with a NaN, with positive infinity, or of "
          "negative infinities alone, gives NaN, as the formula does.\n",
          DML_SoftmaxBounds.text,
          "// %input: [[0, 1], [1, 1]]\n%output = "
          "dml.activation_log_softmax1 %input {axes = array<i64: 1>}\n    : "
          "(tensor<2x2xf32>) -> tensor<2x2xf32>\n// %output: [[-1.3132616, "
          "-0.3132617], [-0.6931472, -0.6931472]]\n">;

def DML_ActivationLogSoftmaxOp
    : DML_MatrixSoftmaxOp<"activation_log_softmax", "ACTIVATION_LOG_SOFTMAX",
          "Computes the logarithms of softmax",
          "`x - m - log(sum of e^(y - m) over the set)`.",
          "* The largest element is taken away, so that small shares have "
          "logarithms.\n* A set with a NaN, with positive infinity, or of "
          "negative infinities alone, gives NaN, as the formula does.\n",
          DML_SoftmaxBounds.text,
          "// %input: [[0, 1], [1, 1]]\n%output = "
          "dml.activation_log_softmax %input\n    : (tensor<2x2xf32>) -> "
          "tensor<2x2xf32>\n// %output: [[-1.3132616, -0.3132617], "
          "[-0.6931472, -0.6931472]]\n">;

def DML_ActivationHardmax1Op
    : DML_SoftmaxOp<"activation_hardmax1", "ACTIVATION_HARDMAX1",
          "Marks the largest elements",
          "1 if it is the first of its set that equals `m`, and 0 "
          "elsewhere.",
          "* First in row-major order. Zeros of either sign are equal. NaNs "
          "are ignored beside numbers; of NaNs alone the first is marked.\n",
          "",
          "// %input: [[0, 1], [1, 1]]\n%output = dml.activation_hardmax1 "
          "%input {axes = array<i64: 1>}\n    : (tensor<2x2xf32>) -> "
          "tensor<2x2xf32>\n// %output: [[0, 1], [1, 0]]\n">;

def DML_ActivationHardmaxOp
    : DML_MatrixSoftmaxOp<"activation_hardmax", "ACTIVATION_HARDMAX",
          "Marks the largest elements",
          "1 if it is the first of its set that equals `m`, and 0 "
          "elsewhere.",
          "* First in row-major order. Zeros of either sign are equal. NaNs "
          "are ignored beside numbers; of NaNs alone the first is marked.\n",
          "",
          "// %input: [[0, 1], [1, 1]]\n%output = dml.activation_hardmax "
          "%input\n    : (tensor<2x2xf32>) -> tensor<2x2xf32>\n// %output: "
          "[[0, 1], [1, 0]]\n">;

#endif // DML_IR_SOFTMAXOPS_TD
