//===- Fields.td - The attributes of the operators, as a table ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// MLIR knows the names of an operator's attributes at run time, but not what they
// hold. Readers of other formats need both: this turns the descriptions of all
// operators, which are included before, into tables. What those descriptions do not
// say of DirectML's structures stands here: the values of DML_OPERATOR_TYPE, the
// members that count the elements of arrays, and three orders of members.
//
//===----------------------------------------------------------------------===//

include "llvm/TableGen/SearchableTable.td"

/// The kind of value in an attribute, according to the class that stores it.
class DML_FieldKind<Attr a> {
  string cpp = !cond(
      !isa<EnumAttr>(a) : "FieldKind::Enum",
      !eq(a.storageType, " ::mlir::BoolAttr ") : "FieldKind::Bool",
      !eq(a.storageType, "::mlir::FloatAttr") : "FieldKind::Float",
      !eq(a.storageType, "::mlir::IntegerAttr") : "FieldKind::Integer",
      !eq(a.storageType, "::mlir::DenseI64ArrayAttr") : "FieldKind::Integers",
      !eq(a.storageType, "::mlir::DenseF32ArrayAttr") : "FieldKind::Floats",
      !eq(a.storageType, "::mlir::TypedAttr") : "FieldKind::Scalar",
      !eq(a.storageType, "::dml::ScaleBiasAttr") : "FieldKind::ScaleBias",
      !eq(a.storageType, "::dml::ActivationAttr") : "FieldKind::Activation",
      !eq(a.storageType, " ::mlir::ArrayAttr ") : "FieldKind::Activations");
}

/// The member of DirectML's structure with the number of elements of an array, or an
/// empty text for what is no array. Arrays of one structure are equally long.
class DML_CountOf<string op, string attribute, string kind> {
  string member = !cond(
      !and(!ne(kind, "FieldKind::Integers"), !ne(kind, "FieldKind::Floats"),
           !ne(kind, "FieldKind::Activations")) : "",
      !eq(attribute, "activation_descs") : "ActivationDescCount",
      !eq(attribute, "axes") : "AxisCount",
      !eq(attribute, "bias") : "ChannelCount",
      !eq(attribute, "repeats") : "RepeatsCount",
      !eq(op # "." # attribute, "resample.scales") : "ScaleCount",
      // Each is one structure of two numbers.
      !eq(op # "." # attribute, "roi_pooling.pooled_size") : "",
      !eq(op # "." # attribute, "upsample_2d.scale_size") : "",
      true : "DimensionCount");
}

class DML_Field<string op, int index, string attribute, Attr a> {
  string Op = op;
  // The position among the operator's arguments.
  bits<8> Index = index;
  string Attribute = attribute;
  string Kind = DML_FieldKind<a>.cpp;
  // The mnemonic of the enum, or an empty text for other attributes.
  string Enum = !if(!isa<EnumAttr>(a), !cast<EnumAttr>(a).mnemonic, "");
  string Count = DML_CountOf<op, attribute, Kind>.member;
  bit IsOptional = a.isOptional;
}

class DML_FieldCase<string enum, string enumCase, int value> {
  string Enum = enum;
  string Case = enumCase;
  bits<32> Value = value;
}

foreach op = !instances<DML_Op>() in
  foreach i = !range(!size(op.arguments)) in
    if !isa<Attr>(!getdagarg<Constraint>(op.arguments, i)) then
      def : DML_Field<op.opName, i, !getdagname(op.arguments, i),
                      !getdagarg<Attr>(op.arguments, i)>;

foreach e = !instances<EnumAttr>() in
  foreach c = e.enum.enumerants in
    def : DML_FieldCase<e.mnemonic, c.str, c.value>;

def DMLFields : GenericTable {
  let FilterClass = "DML_Field";
  let CppTypeName = "FieldRow";
  // Rows have the order of these columns.
  let Fields = ["Op", "Index", "Attribute", "Kind", "Enum", "Count", "IsOptional"];
  string TypeOf_Kind = "code";
}

def DMLFieldCases : GenericTable {
  let FilterClass = "DML_FieldCase";
  let CppTypeName = "FieldCaseRow";
  let Fields = ["Enum", "Case", "Value"];
}

//===----------------------------------------------------------------------===//
// Structures in memory
//===----------------------------------------------------------------------===//

/// The position of a member in a structure whose members are not the tensors that the
/// operator reads, the tensors that it writes, and its attributes, in this order.
class DML_Member<string op, int index, string name> {
  string Op = op;
  bits<8> Index = index;
  string Name = name;
}
class DML_Structure<string op, list<string> names> {
  string Op = op;
  list<string> Names = names;
}
def : DML_Structure<"quantize", ["input", "quantization_type", "quantizations", "output"]>;
def : DML_Structure<"dequantize", ["input", "quantization_type", "quantizations", "output"]>;
def : DML_Structure<"reduce", ["function", "input", "output", "axes"]>;
foreach s = !instances<DML_Structure>() in
  foreach i = !range(!size(s.Names)) in
    def : DML_Member<s.Op, i, s.Names[i]>;

def DMLMembers : GenericTable {
  let FilterClass = "DML_Member";
  let CppTypeName = "MemberRow";
  let Fields = ["Op", "Index", "Name"];
}

/// The operators in the order of DML_OPERATOR_TYPE, whose first enumerator,
/// DML_OPERATOR_INVALID, is 0.
defvar operators = [
    "element_wise_identity", "element_wise_abs", "element_wise_acos",
    "element_wise_add", "element_wise_asin", "element_wise_atan",
    "element_wise_ceil", "element_wise_clip", "element_wise_cos",
    "element_wise_divide", "element_wise_exp", "element_wise_floor",
    "element_wise_log", "element_wise_logical_and",
    "element_wise_logical_equals", "element_wise_logical_greater_than",
    "element_wise_logical_less_than", "element_wise_logical_not",
    "element_wise_logical_or", "element_wise_logical_xor", "element_wise_max",
    "element_wise_mean", "element_wise_min", "element_wise_multiply",
    "element_wise_pow", "element_wise_constant_pow", "element_wise_recip",
    "element_wise_sin", "element_wise_sqrt", "element_wise_subtract",
    "element_wise_tan", "element_wise_threshold",
    "element_wise_quantize_linear", "element_wise_dequantize_linear",
    "activation_elu", "activation_hardmax", "activation_hard_sigmoid",
    "activation_identity", "activation_leaky_relu", "activation_linear",
    "activation_log_softmax", "activation_parameterized_relu",
    "activation_parametric_softplus", "activation_relu",
    "activation_scaled_elu", "activation_scaled_tanh", "activation_sigmoid",
    "activation_softmax", "activation_softplus", "activation_softsign",
    "activation_tanh", "activation_thresholded_relu", "convolution", "gemm",
    "reduce", "average_pooling", "lp_pooling", "max_pooling", "roi_pooling",
    "slice", "cast", "split", "join", "padding", "value_scale_2d",
    "upsample_2d", "gather", "space_to_depth", "depth_to_space", "tile",
    "top_k", "batch_normalization", "mean_variance_normalization",
    "local_response_normalization", "lp_normalization", "rnn", "lstm", "gru",
    "element_wise_sign", "element_wise_is_nan", "element_wise_erf",
    "element_wise_sinh", "element_wise_cosh", "element_wise_tanh",
    "element_wise_asinh", "element_wise_acosh", "element_wise_atanh",
    "element_wise_if", "element_wise_add1", "activation_shrink", "max_pooling1",
    "max_unpooling", "diagonal_matrix", "scatter_elements", "one_hot",
    "resample", "element_wise_bit_shift_left", "element_wise_bit_shift_right",
    "element_wise_round", "element_wise_is_infinity",
    "element_wise_modulus_truncate", "element_wise_modulus_floor",
    "fill_value_constant", "fill_value_sequence", "cumulative_summation",
    "reverse_subsequences", "gather_elements", "gather_nd", "scatter_nd",
    "max_pooling2", "slice1", "top_k1", "depth_to_space1", "space_to_depth1",
    "mean_variance_normalization1", "resample1", "matrix_multiply_integer",
    "quantized_linear_matrix_multiply", "convolution_integer",
    "quantized_linear_convolution", "element_wise_bit_and",
    "element_wise_bit_or", "element_wise_bit_xor", "element_wise_bit_not",
    "element_wise_bit_count", "element_wise_logical_greater_than_or_equal",
    "element_wise_logical_less_than_or_equal", "activation_celu",
    "activation_relu_grad", "average_pooling_grad", "max_pooling_grad",
    "random_generator", "nonzero_coordinates", "resample_grad", "slice_grad",
    "adam_optimizer", "argmin", "argmax", "roi_align", "gather_nd1",
    "element_wise_atan_yx", "element_wise_clip_grad",
    "element_wise_difference_square", "local_response_normalization_grad",
    "cumulative_product", "batch_normalization_grad",
    "element_wise_quantized_linear_add", "dynamic_quantize_linear",
    "roi_align1", "roi_align_grad", "batch_normalization_training",
    "batch_normalization_training_grad", "element_wise_clip1",
    "element_wise_clip_grad1", "padding1", "element_wise_negate",
    "activation_gelu", "activation_softmax1", "activation_log_softmax1",
    "activation_hardmax1", "resample2", "resample_grad1", "diagonal_matrix1",
    "multihead_attention", "lp_pooling1", "average_pooling1",
    "activation_swish", "activation_hard_swish",
    "quantized_linear_average_pooling", "matrix_multiply_integer_to_float",
    "mean_variance_normalization2", "multihead_attention1", "quantize",
    "dequantize", "resample3", "fold", "unfold"];

class DML_OperatorType<int value, string op> {
  bits<16> Value = value;
  string Op = op;
}
foreach i = !range(!size(operators)) in
  def : DML_OperatorType<!add(i, 1), operators[i]>;

def DMLOperatorTypes : GenericTable {
  let FilterClass = "DML_OperatorType";
  let CppTypeName = "OperatorTypeRow";
  let Fields = ["Value", "Op"];
}
