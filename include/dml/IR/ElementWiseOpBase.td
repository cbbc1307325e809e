//===- ElementWiseOpBase.td - Element-wise classes ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// An element-wise operator is three rows that know nothing of each other: its
// definition with one of these classes, a row in lib/Conversion/DMLToLinalg that
// lowers it, and a row in lib/Reference that evaluates it.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_ELEMENTWISEOPBASE_TD
#define DML_IR_ELEMENTWISEOPBASE_TD

include "dml/IR/DMLOpBase.td"

/// An operator that computes each element from the operands' elements at the
/// same position. `formula` states the formula, and `readings` the
/// interpretation of what DirectML's pages leave open.
class DML_ElementWiseOp<string mnemonic, string operatorName,
                        string summaryText, string formula, string readings,
                        string constraints, string where = "",
                        list<Trait> traits = [], string result = "output">
    : DML_Op<mnemonic, operatorName, traits> {
  let summary = summaryText;
  let independentDimensions = 1;
  let description = summaryText # ", element by element.\n\n" #
      "**Semantics.** Every element of `" # result # "` is `" # formula # "`" #
      where #
      ".\n\n**Constraints**\n" # constraints #
      !if(!empty(readings), "", "\n**Readings**\n* " # readings # "\n") #
      "\n**Source:** DML_" # operatorName # "_OPERATOR_DESC.\n";
}

/// A function of one element.
class DML_UnaryOp<string mnemonic, string operatorName, string summaryText,
                  string formula, string readings = "">
    : DML_ElementWiseOp<mnemonic, operatorName, summaryText, formula, readings,
          "* (C1) `output` has the element type and the sizes of `input`.\n"> {
  let arguments = (ins DML_Tensor:$input);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
}

/// A function of one element with DirectML's ScaleBias: `x` is `input * scale +
/// bias`.
class DML_ScaledUnaryOp<string mnemonic, string operatorName,
                        string summaryText, string formula,
                        string readings = "">
    : DML_ElementWiseOp<mnemonic, operatorName, summaryText, formula, readings,
          "* (C1) `output` has the element type and the sizes of `input`.\n"
          "* (C2) `scale_bias` stands with f32 and f16 only.\n",
          ", where `x` is the element of `input`, or `input * scale + bias` if "
          "there is a `scale_bias`"> {
  let arguments = (ins DML_Tensor:$input,
                       OptionalAttr<DML_ScaleBiasAttr>:$scale_bias);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "output"]];
  let sameShapes = [["input", "output"]];
  let hasVerifier = 1;
}

/// A function of two elements of one type.
class DML_BinaryOp<string mnemonic, string operatorName, string summaryText,
                   string formula, string readings = "">
    : DML_ElementWiseOp<mnemonic, operatorName, summaryText, formula, readings,
          "* (C1) `a`, `b` and `output` have the same element type and sizes.\n"> {
  let arguments = (ins DML_Tensor:$a, DML_Tensor:$b);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["a", "b", "output"]];
  let sameShapes = [["a", "b", "output"]];
}

/// A comparison, whose result has a separate element type.
class DML_ComparisonOp<string mnemonic, string operatorName,
                       string summaryText, string formula,
                       string readings = "">
    : DML_ElementWiseOp<mnemonic, operatorName, summaryText, formula, readings,
          "* (C1) `a`, `b` and `output` have the same sizes.\n"
          "* (C2) `a` and `b` have the same element type.\n"> {
  let arguments = (ins DML_Tensor:$a, DML_Tensor:$b);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["a", "b"]];
  let sameShapes = [["a", "b", "output"]];
}

/// A function of one element whose result may have another element type.
class DML_RetypingOp<string mnemonic, string operatorName, string summaryText,
                     string formula, string readings = "">
    : DML_ElementWiseOp<mnemonic, operatorName, summaryText, formula, readings,
          "* (C1) `output` has the sizes of `input`.\n"> {
  let arguments = (ins DML_Tensor:$input);
  let results = (outs DML_Tensor:$output);
  let sameShapes = [["input", "output"]];
}

/// The gradient of a function of one element. `x` is the element of `input`,
/// and `g` the element of `input_gradient`.
class DML_GradientOp<string mnemonic, string operatorName, string summaryText,
                     string formula, string readings = "">
    : DML_ElementWiseOp<mnemonic, operatorName, summaryText, formula, readings,
          "* (C1) `input`, `input_gradient` and `output_gradient` have the same "
          "element type and sizes.\n",
          ", where `x` is the element of `input` and `g` that of "
          "`input_gradient`", [], "output_gradient"> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$input_gradient);
  let results = (outs DML_Tensor:$output_gradient);
  let sameElementTypes = [["input", "input_gradient", "output_gradient"]];
  let sameShapes = [["input", "input_gradient", "output_gradient"]];
}

#endif // DML_IR_ELEMENTWISEOPBASE_TD
