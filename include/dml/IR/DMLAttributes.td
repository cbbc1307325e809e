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

/// A description of a kind of attribute, with an example. The generated
/// verifiers print the description behind "attribute 'x' failed to satisfy
/// constraint: ". The pages in docs/ omit the part before the kind.
class DML_Kind<string kind> {
  string summary = "found {{$_self}}, wanted " # kind;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

def DML_I64Attr : TypedSignlessIntegerAttrBase<I64, "uint64_t",
    DML_Kind<"a whole number, such as 2">.summary>;
def DML_F32Attr : FloatAttrBase<F32,
    DML_Kind<"an f32 number, such as 0.5 : f32">.summary>;
def DML_BoolAttr
    : Attr<BoolAttr.predicate, DML_Kind<"true or false">.summary> {
  let storageType = BoolAttr.storageType;
  let returnType = BoolAttr.returnType;
  let valueType = BoolAttr.valueType;
  let constBuilderCall = BoolAttr.constBuilderCall;
}
def DML_I64ArrayAttr
    : DenseArrayAttrBase<"DenseI64ArrayAttr", "int64_t", "i64"> {
  let summary = DML_Kind<"whole numbers, such as array<i64: 1, 2>">.summary;
}
def DML_F32ArrayAttr
    : DenseArrayAttrBase<"DenseF32ArrayAttr", "float", "f32"> {
  let summary = DML_Kind<"f32 numbers, such as array<f32: 0.5, 2.0>">.summary;
}

/// A DML_SCALAR_UNION with its DML_TENSOR_DATA_TYPE: a number with the element
/// type of one of the operator's tensors (verifyScalar).
def DML_ScalarAttr
    : Attr<CPred<"::llvm::isa<::mlir::IntegerAttr, ::mlir::FloatAttr>($_self)">,
           DML_Kind<"a number with its type, such as 2 : i32 or 0.5 : f16">
               .summary> {
  let storageType = "::mlir::TypedAttr";
  let returnType = "::mlir::TypedAttr";
  let convertFromStorage = "$_self";
}

//===----------------------------------------------------------------------===//
// The dialect's own
//===----------------------------------------------------------------------===//

/// A DirectML enum in the notation `#dml.<mnemonic><case>`.
class DML_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<DML_Dialect, info, attrMnemonic> {
  let summary = DML_Kind<"a " # info.summary # ", #dml." # attrMnemonic #
      "<...> with one of " #
      !interleave(!foreach(case, info.enumerants, case.str), ", ")>.summary;
  // An unknown name produces a readable error, in contrast to the generated
  // parser.
  let assemblyFormat = ?;
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser,
                                       ::mlir::Type) {
      }] # info.cppType # [{ value{};
      if (parser.parseLess() ||
          parseEnum(parser, "}] # info.summary # [{",
                    }] # info.maxEnumValFnName # [{(),
                    }] # info.underlyingToSymbolFnName # [{, value) ||
          parser.parseGreater())
        return {};
      return get(parser.getContext(), value);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      printer << '<' << stringifyEnum(getValue()) << '>';
    }
  }];
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
  let assemblyFormat =
      "`<` `feature_level` `=` custom<LevelName>($feature_level) `>`";

  // The information about the levels is generated as a table here, since the
  // code that mlir-tblgen generates for an enum has no place for it.
  let extraClassDeclaration = [{
    /// Returns all feature levels, from the oldest to the newest.
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
  let summary = DML_Kind<"a scale and a bias for elements (DML_SCALE_BIAS), "
      "#dml.scale_bias<scale = 2.0 : f32, bias = -1.0 : f32>">.summary;
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
/// An activation operator that another operator may apply to its result.
/// `attributes` are the attributes of the activation operator. `fl` is the
/// level at which it was introduced or can first be fused.
class DML_ActivationCase<string name, int val, list<string> attributes = [],
                         DML_FeatureLevelCase fl = FL_1_0>
    : I32EnumAttrCase<name, val> {
  DML_FeatureLevelCase level = fl;
  string syntax = "#dml.activation<" # name # !if(!empty(attributes), "", ", {" #
      !interleave(!foreach(a, attributes, a # " = 1.0 : f32"), ", ") # "}") # ">";
}
def DML_ActivationLinear : DML_ActivationCase<"linear", 0, ["alpha", "beta"]>;
def DML_ActivationSigmoid : DML_ActivationCase<"sigmoid", 1>;
def DML_ActivationHardSigmoid
    : DML_ActivationCase<"hard_sigmoid", 2, ["alpha", "beta"]>;
def DML_ActivationTanh : DML_ActivationCase<"tanh", 3>;
def DML_ActivationScaledTanh
    : DML_ActivationCase<"scaled_tanh", 4, ["alpha", "beta"]>;
def DML_ActivationRelu : DML_ActivationCase<"relu", 5>;
def DML_ActivationLeakyRelu : DML_ActivationCase<"leaky_relu", 6, ["alpha"]>;
def DML_ActivationThresholdedRelu
    : DML_ActivationCase<"thresholded_relu", 7, ["alpha"]>;
def DML_ActivationElu : DML_ActivationCase<"elu", 8, ["alpha"]>;
def DML_ActivationCelu : DML_ActivationCase<"celu", 9, ["alpha"], FL_3_0>;
def DML_ActivationScaledElu
    : DML_ActivationCase<"scaled_elu", 10, ["alpha", "gamma"]>;
def DML_ActivationSoftplus : DML_ActivationCase<"softplus", 11, ["steepness"]>;
def DML_ActivationParametricSoftplus
    : DML_ActivationCase<"parametric_softplus", 12, ["alpha", "beta"]>;
def DML_ActivationSoftsign : DML_ActivationCase<"softsign", 13>;
def DML_ActivationIdentity : DML_ActivationCase<"identity", 14>;
def DML_ActivationShrink
    : DML_ActivationCase<"shrink", 15, ["bias", "threshold"], FL_2_0>;
def DML_ActivationGelu : DML_ActivationCase<"gelu", 16, [], FL_5_1>;
def DML_ActivationClip : DML_ActivationCase<"clip", 17, ["min", "max"], FL_6_0>;
def DML_ActivationSoftmax : DML_ActivationCase<"softmax", 18, [], FL_6_1>;
def DML_ActivationSoftmax1 : DML_ActivationCase<"softmax1", 19, [], FL_6_1> {
  let syntax = "#dml.activation<softmax1, {axes = array<i64: 0>}>";
}

/// The activation functions that can be fused, including ELEMENT_WISE_CLIP.
def DML_ActivationFunction
    : I32EnumAttr<"ActivationFunction", "DirectML activation to fuse", [
        DML_ActivationLinear,
        DML_ActivationSigmoid,
        DML_ActivationHardSigmoid,
        DML_ActivationTanh,
        DML_ActivationScaledTanh,
        DML_ActivationRelu,
        DML_ActivationLeakyRelu,
        DML_ActivationThresholdedRelu,
        DML_ActivationElu,
        DML_ActivationCelu,
        DML_ActivationScaledElu,
        DML_ActivationSoftplus,
        DML_ActivationParametricSoftplus,
        DML_ActivationSoftsign,
        DML_ActivationIdentity,
        DML_ActivationShrink,
        DML_ActivationGelu,
        DML_ActivationClip,
        DML_ActivationSoftmax,
        DML_ActivationSoftmax1,
      ]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}

def DML_ActivationAttr : DML_Attr<"Activation", "activation"> {
  let summary = DML_Kind<"an operator to apply to a result, such as "
      "#dml.activation<relu>">.summary;
  let description = [{
    Stands for DirectML's `FusedActivation`: the name of an activation function,
    or `clip` for ELEMENT_WISE_CLIP, with that operator's attributes:
    `#dml.activation<relu>`, `#dml.activation<leaky_relu, {alpha = 0.5 : f32}>`,
    `#dml.activation<softmax1, {axes = array<i64: 1>}>`. What an operator computes is
    not rounded to its element type before an activation of each element is applied;
    before a softmax, which `dml.gemm` alone fuses, it is.
  }];
  let parameters = (ins EnumParameter<DML_ActivationFunction>:$value,
      DefaultValuedParameter<"::mlir::DictionaryAttr",
                             "::mlir::DictionaryAttr::get($_ctxt)">:$parameters);
  let assemblyFormat = "`<` custom<ActivationName>($value) (`,` $parameters^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the name of the fused operator without the dialect:
    /// "activation_relu".
    ::std::string getOperatorName() const;
    /// Returns the case of the attribute `attribute` in the support table
    /// `support`, or nothing if the operator does not fuse this activation.
    ::std::optional<uint32_t>
    getFusedCase(const ::dml::OperatorSupport &support,
                 ::llvm::StringRef attribute = "fused_activation") const;
  }];
}

def DML_RoundingModeHalvesToNearestEven
    : I32EnumAttrCase<"halves_to_nearest_even", 0>;
def DML_RoundingModeTowardZero : I32EnumAttrCase<"toward_zero", 1>;
def DML_RoundingModeTowardInfinity : I32EnumAttrCase<"toward_infinity", 2>;

/// DML_ROUNDING_MODE, with DirectML's values.
def DML_RoundingMode : I32EnumAttr<"RoundingMode", "DirectML rounding mode",
    [DML_RoundingModeHalvesToNearestEven, DML_RoundingModeTowardZero,
     DML_RoundingModeTowardInfinity]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_RoundingModeAttr : DML_EnumAttr<DML_RoundingMode, "rounding_mode">;

def DML_IsInfinityModeEither : I32EnumAttrCase<"either", 0>;
def DML_IsInfinityModePositive : I32EnumAttrCase<"positive", 1>;
def DML_IsInfinityModeNegative : I32EnumAttrCase<"negative", 2>;

/// DML_IS_INFINITY_MODE, with DirectML's values.
def DML_IsInfinityMode
    : I32EnumAttr<"IsInfinityMode", "DirectML infinity mode",
                  [DML_IsInfinityModeEither, DML_IsInfinityModePositive,
                   DML_IsInfinityModeNegative]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_IsInfinityModeAttr
    : DML_EnumAttr<DML_IsInfinityMode, "is_infinity_mode">;

/// An optional operand that older levels require. `syntax` is empty, since an
/// operand has no attribute syntax.
class DML_OptionalOperandSupport<string operandName, int withoutIt,
                                 DML_FeatureLevelCase optionalFrom>
    : DML_CasesSupport {
  let casesCpp = [
      DML_CaseCpp<operandName, "present", 0, "", FL_1_0, "">.cpp,
      DML_CaseCpp<operandName, "absent", 1, "", optionalFrom, "">.cpp];
  let valueCpp = "if (attribute == \"" # operandName # "\")\n" #
      "  return getOperation()->getNumOperands() == " # withoutIt # ";\n";
}

/// A Softplus with a steepness below 1, which was introduced later than other
/// steepnesses.
def DML_SoftplusHistory {
  string source = "Releases.md, DirectML 1.15.0, https://github.com/microsoft/"
                  "DirectML/blob/master/Releases.md";
}

/// The steepness of a Softplus.
class DML_SteepnessSupport : DML_CasesSupport {
  let casesCpp = [
      DML_CaseCpp<"steepness", "at_least_1", 0, "1.0 : f32", FL_1_0, "">.cpp,
      DML_CaseCpp<"steepness", "below_1", 1, "0.5 : f32", FL_6_4,
                  DML_SoftplusHistory.source>.cpp];
  let valueCpp = [{
    if (attribute == "steepness") {
      if (auto value = getProperties().steepness)
        return value.getValueAsDouble() < 1;
    }
  }];
}

/// `syntax`, or, if `count` is not 0, an array with `count` copies of it.
class DML_RepeatedSyntax<string one, int count> {
  string syntax = !if(!eq(count, 0), one,
      "[" # !interleave(!listsplat(one, count), ", ") # "]");
}

/// An attribute `fused_activation`. Only some operators fuse ELEMENT_WISE_CLIP
/// and softmaxes; the verifiers of the other operators must call
/// detail::verifyFusedActivation. Any other `attribute` is an array of `count`
/// activations.
class DML_FusedActivationSupport<bit alsoClip = 0, bit alsoSoftmax = 0,
                                 string attribute = "fused_activation",
                                 int count = 0> : DML_CasesSupport {
  let casesCpp = !foreach(c, [
        DML_ActivationLinear,
        DML_ActivationSigmoid,
        DML_ActivationHardSigmoid,
        DML_ActivationTanh,
        DML_ActivationScaledTanh,
        DML_ActivationRelu,
        DML_ActivationLeakyRelu,
        DML_ActivationThresholdedRelu,
        DML_ActivationElu,
        DML_ActivationCelu,
        DML_ActivationScaledElu,
        DML_ActivationSoftplus,
        DML_ActivationParametricSoftplus,
        DML_ActivationSoftsign,
        DML_ActivationIdentity,
        DML_ActivationShrink,
        DML_ActivationGelu] # !if(alsoClip, [DML_ActivationClip],
                                  []<DML_ActivationCase>) #
          !if(alsoSoftmax, [DML_ActivationSoftmax, DML_ActivationSoftmax1],
              []<DML_ActivationCase>),
      DML_CaseCpp<attribute, c.str, c.value,
                  DML_RepeatedSyntax<c.syntax, count>.syntax, c.level, "">.cpp) # [
      DML_CaseCpp<attribute, "softplus_below_1", 100, DML_RepeatedSyntax<
                      "#dml.activation<softplus, {steepness = 0.5 : f32}>",
                      count>.syntax, FL_6_4,
                  DML_SoftplusHistory.source>.cpp];
  let valueCpp = "if (attribute == \"fused_activation\")\n" #
      "  if (auto value = getProperties().fused_activation)\n" #
      "    return value.getFusedCase(getOperatorSupport());\n";
}

/// The array attribute `activation_descs` of an operator with `count`
/// activations, or twice as many. The operator's verifier must call
/// detail::verifyFusedActivation for each. The newest activation determines the
/// level.
class DML_ActivationDescsSupport<int count>
    : DML_FusedActivationSupport<0, 0, "activation_descs", count> {
  let valueCpp = [{
    if (attribute == "activation_descs") {
      if (auto value = getProperties().activation_descs)
        return ::dml::detail::getNewestFusedCase(value, getOperatorSupport(),
                                                 attribute);
    }
  }];
}
def DML_ActivationArrayAttr
    : TypedArrayAttrBase<DML_ActivationAttr,
          DML_Kind<"operators, such as [#dml.activation<tanh>]">.summary>;

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

def DML_RecurrentNetworkDirectionForward : I32EnumAttrCase<"forward", 0>;
def DML_RecurrentNetworkDirectionBackward : I32EnumAttrCase<"backward", 1>;
def DML_RecurrentNetworkDirectionBidirectional
    : I32EnumAttrCase<"bidirectional", 2>;

/// DML_RECURRENT_NETWORK_DIRECTION, with DirectML's values.
def DML_RecurrentNetworkDirection
    : I32EnumAttr<"RecurrentNetworkDirection",
                  "DirectML recurrent network direction",
                  [DML_RecurrentNetworkDirectionForward,
                   DML_RecurrentNetworkDirectionBackward,
                   DML_RecurrentNetworkDirectionBidirectional]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_RecurrentNetworkDirectionAttr
    : DML_EnumAttr<DML_RecurrentNetworkDirection,
                   "recurrent_network_direction">;

def DML_MultiheadAttentionMaskTypeNone : I32EnumAttrCase<"none", 0>;
def DML_MultiheadAttentionMaskTypeKeySequenceLength
    : I32EnumAttrCase<"key_sequence_length", 1>;
def DML_MultiheadAttentionMaskTypeKeySequenceEndStart
    : I32EnumAttrCase<"key_sequence_end_start", 2>;
def DML_MultiheadAttentionMaskTypeKeyQuerySequenceLengthStartEnd
    : I32EnumAttrCase<"key_query_sequence_length_start_end", 3>;
def DML_MultiheadAttentionMaskTypeBoolean : I32EnumAttrCase<"boolean", 4>;

/// DML_MULTIHEAD_ATTENTION_MASK_TYPE, with DirectML's values.
def DML_MultiheadAttentionMaskType
    : I32EnumAttr<"MultiheadAttentionMaskType",
                  "DirectML multihead attention mask type",
                  [DML_MultiheadAttentionMaskTypeNone,
                   DML_MultiheadAttentionMaskTypeKeySequenceLength,
                   DML_MultiheadAttentionMaskTypeKeySequenceEndStart,
                   DML_MultiheadAttentionMaskTypeKeyQuerySequenceLengthStartEnd,
                   DML_MultiheadAttentionMaskTypeBoolean]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_MultiheadAttentionMaskTypeAttr
    : DML_EnumAttr<DML_MultiheadAttentionMaskType,
                   "multihead_attention_mask_type">;

def DML_QuantizationTypeNone : I32EnumAttrCase<"none", 0>;
def DML_QuantizationTypeScale : I32EnumAttrCase<"scale", 1>;
def DML_QuantizationTypeScaleZeroPoint : I32EnumAttrCase<"scale_zero_point", 2>;

/// DML_QUANTIZATION_TYPE, with DirectML's values.
def DML_QuantizationType
    : I32EnumAttr<"QuantizationType", "DirectML quantization type",
                  [DML_QuantizationTypeNone, DML_QuantizationTypeScale,
                   DML_QuantizationTypeScaleZeroPoint]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_QuantizationTypeAttr
    : DML_EnumAttr<DML_QuantizationType, "quantization_type">;

def DML_RandomGeneratorTypePhilox4x32_10
    : I32EnumAttrCase<"philox_4x32_10", 0>;

/// DML_RANDOM_GENERATOR_TYPE, with DirectML's values.
def DML_RandomGeneratorType
    : I32EnumAttr<"RandomGeneratorType", "DirectML random generator type",
                  [DML_RandomGeneratorTypePhilox4x32_10]> {
  let cppNamespace = "::dml";
  let genSpecializedAttr = 0;
}
def DML_RandomGeneratorTypeAttr
    : DML_EnumAttr<DML_RandomGeneratorType, "random_generator_type">;

#endif // DML_IR_DMLATTRIBUTES_TD
