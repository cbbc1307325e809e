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

def DML_AxisDirectionIncreasing : I32EnumAttrCase<"increasing", 0>;
def DML_AxisDirectionDecreasing : I32EnumAttrCase<"decreasing", 1>;

/// DML_AXIS_DIRECTION, with DirectML's values.
def DML_AxisDirection : I32EnumAttr<"AxisDirection", "DirectML axis direction",
    [DML_AxisDirectionIncreasing, DML_AxisDirectionDecreasing]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_AxisDirectionAttr : DML_EnumAttr<DML_AxisDirection, "axis_direction">;

def DML_DepthSpaceOrderDepthColumnRow
    : I32EnumAttrCase<"depth_column_row", 0>;
def DML_DepthSpaceOrderColumnRowDepth
    : I32EnumAttrCase<"column_row_depth", 1>;

/// DML_DEPTH_SPACE_ORDER, with DirectML's values.
def DML_DepthSpaceOrder
    : I32EnumAttr<"DepthSpaceOrder", "DirectML depth space order",
                  [DML_DepthSpaceOrderDepthColumnRow,
                   DML_DepthSpaceOrderColumnRowDepth]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_DepthSpaceOrderAttr
    : DML_EnumAttr<DML_DepthSpaceOrder, "depth_space_order">;

/// A DML_SCALAR_UNION with its DML_TENSOR_DATA_TYPE: a number of the element
/// type that a tensor of the operator has (verifyScalar).
def DML_ScalarAttr
    : Attr<CPred<"::llvm::isa<::mlir::IntegerAttr, ::mlir::FloatAttr>($_self)">,
           "integer or floating-point attribute"> {
  let storageType = "::mlir::TypedAttr";
  let returnType = "::mlir::TypedAttr";
  let convertFromStorage = "$_self";
}

#endif // DML_IR_DMLATTRIBUTES_TD
