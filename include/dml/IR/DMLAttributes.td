//===- DMLAttributes.td - Attributes -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_DMLATTRIBUTES_TD
#define DML_IR_DMLATTRIBUTES_TD

include "dml/IR/FeatureLevels.td"

class DML_Attr<string name, string attrMnemonic> : AttrDef<DML_Dialect, name> {
  let mnemonic = attrMnemonic;
}

/// A DirectML enum, written `#dml.<mnemonic><case>`.
class DML_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<DML_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def DML_TargetAttr : DML_Attr<"Target", "target"> {
  let summary = "What a module or function is compiled for";
  let description = [{
    Stands as the discardable attribute `dml.target` on a module or function and
    holds for the operators in it, unless a nested operation has its own.

    ```mlir
    module attributes {dml.target = #dml.target<feature_level = fl_5_0>} { ... }
    ```
  }];
  let parameters = (ins EnumParameter<DML_FeatureLevel>:$feature_level);
  let assemblyFormat = "`<` struct(params) `>`";

  // The facts about the levels become a table here, for want of a place in the
  // code that mlir-tblgen generates for an enum.
  let extraClassDeclaration = [{
    /// All feature levels, oldest first.
    static ::llvm::ArrayRef<::dml::FeatureLevelInfo> getFeatureLevels();
  }];
  let extraClassDefinition = [{
    ::llvm::ArrayRef<::dml::FeatureLevelInfo> $cppClass::getFeatureLevels() {
      static constexpr ::dml::FeatureLevelInfo levels[] = {
  }] # !interleave(!foreach(l, DML_FeatureLevelCases, l.cpp), ", ") # [{
      };
      return levels;
    }
  }];
}

def DML_ScaleBiasAttr : DML_Attr<"ScaleBias", "scale_bias"> {
  let summary = "DML_SCALE_BIAS: elements times a scale plus a bias";
  let description = [{
    Stands for `x * scale + bias` in place of an element `x`, before the operator
    looks at it: `#dml.scale_bias<scale = 2.0 : f32, bias = -1.0 : f32>`.
  }];
  let parameters = (ins "::mlir::FloatAttr":$scale, "::mlir::FloatAttr":$bias);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def DML_PaddingModeConstant : I32EnumAttrCase<"constant", 0>;
def DML_PaddingModeEdge : I32EnumAttrCase<"edge", 1>;
def DML_PaddingModeReflection : I32EnumAttrCase<"reflection", 2>;
def DML_PaddingModeSymmetric : I32EnumAttrCase<"symmetric", 3>;
def DML_PaddingModeWrap : I32EnumAttrCase<"wrap", 4>;

/// DML_PADDING_MODE, with DirectML's values.
def DML_PaddingMode : I32EnumAttr<"PaddingMode", "DirectML padding mode",
    [DML_PaddingModeConstant, DML_PaddingModeEdge, DML_PaddingModeReflection,
     DML_PaddingModeSymmetric, DML_PaddingModeWrap]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_PaddingModeAttr : DML_EnumAttr<DML_PaddingMode, "padding_mode">;

def DML_InterpolationModeNearestNeighbor
    : I32EnumAttrCase<"nearest_neighbor", 0>;
def DML_InterpolationModeLinear : I32EnumAttrCase<"linear", 1>;

/// DML_INTERPOLATION_MODE, with DirectML's values.
def DML_InterpolationMode
    : I32EnumAttr<"InterpolationMode", "DirectML interpolation mode",
                  [DML_InterpolationModeNearestNeighbor,
                   DML_InterpolationModeLinear]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_InterpolationModeAttr
    : DML_EnumAttr<DML_InterpolationMode, "interpolation_mode">;

def DML_ConvolutionModeConvolution : I32EnumAttrCase<"convolution", 0>;
def DML_ConvolutionModeCrossCorrelation
    : I32EnumAttrCase<"cross_correlation", 1>;

/// DML_CONVOLUTION_MODE, with DirectML's values.
def DML_ConvolutionMode
    : I32EnumAttr<"ConvolutionMode", "DirectML convolution mode",
                  [DML_ConvolutionModeConvolution,
                   DML_ConvolutionModeCrossCorrelation]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_ConvolutionModeAttr
    : DML_EnumAttr<DML_ConvolutionMode, "convolution_mode">;

def DML_ConvolutionDirectionForward : I32EnumAttrCase<"forward", 0>;
def DML_ConvolutionDirectionBackward : I32EnumAttrCase<"backward", 1>;

/// DML_CONVOLUTION_DIRECTION, with DirectML's values.
def DML_ConvolutionDirection
    : I32EnumAttr<"ConvolutionDirection", "DirectML convolution direction",
                  [DML_ConvolutionDirectionForward,
                   DML_ConvolutionDirectionBackward]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_ConvolutionDirectionAttr
    : DML_EnumAttr<DML_ConvolutionDirection, "convolution_direction">;

def DML_MatrixTransformNone : I32EnumAttrCase<"none", 0>;
def DML_MatrixTransformTranspose : I32EnumAttrCase<"transpose", 1>;

/// DML_MATRIX_TRANSFORM, with DirectML's values.
def DML_MatrixTransform
    : I32EnumAttr<"MatrixTransform", "DirectML matrix transform",
                  [DML_MatrixTransformNone, DML_MatrixTransformTranspose]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_MatrixTransformAttr
    : DML_EnumAttr<DML_MatrixTransform, "matrix_transform">;
def DML_ReduceFunctionArgMax : I32EnumAttrCase<"argmax", 0>;
def DML_ReduceFunctionArgMin : I32EnumAttrCase<"argmin", 1>;
def DML_ReduceFunctionAverage : I32EnumAttrCase<"average", 2>;
def DML_ReduceFunctionL1 : I32EnumAttrCase<"l1", 3>;
def DML_ReduceFunctionL2 : I32EnumAttrCase<"l2", 4>;
def DML_ReduceFunctionLogSum : I32EnumAttrCase<"log_sum", 5>;
def DML_ReduceFunctionLogSumExp : I32EnumAttrCase<"log_sum_exp", 6>;
def DML_ReduceFunctionMax : I32EnumAttrCase<"max", 7>;
def DML_ReduceFunctionMin : I32EnumAttrCase<"min", 8>;
def DML_ReduceFunctionMultiply : I32EnumAttrCase<"multiply", 9>;
def DML_ReduceFunctionSum : I32EnumAttrCase<"sum", 10>;
def DML_ReduceFunctionSumSquare : I32EnumAttrCase<"sum_square", 11>;

/// DML_REDUCE_FUNCTION, with DirectML's values.
def DML_ReduceFunction : I32EnumAttr<"ReduceFunction", "DirectML reduce function",
    [DML_ReduceFunctionArgMax, DML_ReduceFunctionArgMin, DML_ReduceFunctionAverage,
     DML_ReduceFunctionL1, DML_ReduceFunctionL2, DML_ReduceFunctionLogSum,
     DML_ReduceFunctionLogSumExp, DML_ReduceFunctionMax, DML_ReduceFunctionMin,
     DML_ReduceFunctionMultiply, DML_ReduceFunctionSum, DML_ReduceFunctionSumSquare]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_ReduceFunctionAttr
    : DML_EnumAttr<DML_ReduceFunction, "reduce_function">;

def DML_AxisDirectionIncreasing : I32EnumAttrCase<"increasing", 0>;
def DML_AxisDirectionDecreasing : I32EnumAttrCase<"decreasing", 1>;

/// DML_AXIS_DIRECTION, with DirectML's values.
def DML_AxisDirection : I32EnumAttr<"AxisDirection", "DirectML axis direction",
    [DML_AxisDirectionIncreasing, DML_AxisDirectionDecreasing]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_AxisDirectionAttr : DML_EnumAttr<DML_AxisDirection, "axis_direction">;

#endif // DML_IR_DMLATTRIBUTES_TD
