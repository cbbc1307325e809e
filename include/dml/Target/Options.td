//===- Options.td - The table of the compiler's options ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The one table of the compiler's options. From a record follow the option of the
// pipelines (CodegenOptions and CompilerOptions in dml/Pipelines/Pipelines.h), of the
// passes that list the record among their own options, and of the C API
// (dmlCompilerOptionsSet). The options of dml-compile and dml-fuzz follow from the
// records of DML_TuningOption.
//
// The pass that reads an option names its record:
//
//   let options = [RowTileOption];
//
// The pipelines hand the option over to each pass whose options have its name. For
// C++, the build makes dml/Target/Options.def of the table, with a line for each record.
//
// The table stands in the lowest room, since passes of all rooms have options of it.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_OPTIONS_TD
#define DML_TARGET_OPTIONS_TD

include "mlir/Pass/PassBase.td"

/// An option: the member of C++ structures, the name on command lines, the
/// type, the default value in C++, and the placeholder for its value on command
/// lines.
class DML_Option<string member, string name, string type, string default,
                 string placeholder, string text>
    : Option<member, name, type, default, text> {
  string valueName = placeholder;
  // Whether the option belongs to code generation, which begins with linalg on
  // tensors. Other options belong to the preceding steps.
  bit isOfCodegen = 0;
  // Whether the option chooses between kernels. The tools have such an option
  // under the same name.
  bit isTuning = 0;
}

class DML_TuningOption<string member, string name, string type, string default,
                       string placeholder, string text>
    : DML_Option<member, name, type, default, placeholder, text> {
  let isTuning = 1;
}

let isOfCodegen = 1 in {

def DeviceProfileOption : DML_Option<
  "deviceProfile", "device-profile", "std::string", [{""}], "profile",
  "Devices to generate code for: 'full' or 'minimal', then any number of ',+feature', "
  "',-feature' or ',name=number' (default: what dml_device.profile says in the module, "
  "else full)">;

def FuseOption : DML_TuningOption<
  "fuse", "fuse", "bool", "true", "",
  "Compute tensors where they are read, if that saves time (the default); with "
  "--fuse=false, each operator has kernels of its own">;

def ContractionTileOption : DML_TuningOption<
  "contractionTile", "contraction-tile", "std::string", [{"auto"}], "tile",
  "Rows and columns of sums that a workgroup computes in kernels for matrix products "
  "and convolutions: 'auto' (the default) chooses them for each kernel, 'none' makes no "
  "such kernels, and a tile such as '64x64' is taken wherever it can be">;

def RowTileOption : DML_TuningOption<
  "rowTile", "row-tile", "std::string", [{"auto"}], "tile",
  "Threads of a row and the vectors that each has at a time in kernels for reductions "
  "of rows: 'auto' (the default) chooses them for each kernel, 'none' makes no such "
  "kernels, and a tile such as '32x4' is taken wherever it can be">;

def AttentionTileOption : DML_TuningOption<
  "attentionTile", "attention-tile", "std::string", [{"auto"}], "tile",
  "Queries of a workgroup and keys of a block in kernels for attention that write no "
  "scores: 'auto' (the default) chooses them for each kernel, 'none' makes no such "
  "kernels, and a tile such as '64x32', or a 'dml.kernel' with a matrix_attention_tile, "
  "a resident_attention_tile or a split_attention_tile, is taken wherever it can be">;

def MatrixTileOption : DML_TuningOption<
  "matrixTile", "matrix-tile", "std::string", [{"auto"}], "tile",
  "Rows, columns and terms of a workgroup and rows and columns of its subgroups in "
  "kernels with cooperative matrices: 'auto' (the default) chooses them for each kernel, "
  "'none' makes no such kernels, and a tile such as '128x128x32x64x64' is taken wherever "
  "it can be">;

def SumPartsOption : DML_TuningOption<
  "sumParts", "sum-parts", "std::string", [{"auto"}], "parts",
  "Parts that sums of products have, each of which other workgroups add up: 'auto' (the "
  "default) chooses them where sums are few, 'none' leaves all sums whole, and a number "
  "such as '4' is taken wherever it can be">;

def TuningTableOption : DML_Option<
  "tuning", "tuning", "std::string", [{""}], "table",
  "The text of a table of kernels that were measured on a device, which dml-tune writes; "
  "a kernel of the table is taken for the dispatch that it was measured for, in the place "
  "of the one that the models of time choose">;

} // isOfCodegen

def ConvolutionLayoutOption : DML_TuningOption<
  "convolutionLayout", "convolution-layout", "std::string", [{"auto"}], "layout",
  "Order of the elements that convolutions read: 'auto' (the default) chooses it for "
  "each convolution, 'none' leaves all as they are, and 'channels_last', "
  "'channels_last_covered' or 'ordered_filter' is taken wherever it can be">;

def SharedWeightsOption : DML_TuningOption<
  "sharedWeights", "shared-weights", "bool", "false", "",
  "Choose the order of weights in memory without regard to the sizes of inputs, so that "
  "programs for several sizes can share the weights (sessions do)">;

def ExternalWeightsOption : DML_Option<
  "externalWeights", "external-weights", "bool", "false", "",
  "Leave the bytes of large constants out of the executable: the program that runs it "
  "binds them">;

def FeatureLevelOption : DML_Option<
  "featureLevel", "feature-level", "std::string", [{""}], "level",
  "Feature level that the operators must keep to, such as 5_0 (default: what dml.target "
  "says in the module, else the newest)">;

def LegalizeOption : DML_Option<
  "legalize", "legalize", "bool", "false", "",
  "Rewrite operators that the feature level does not support by ones that it does, where "
  "values can be kept">;

#endif // DML_TARGET_OPTIONS_TD
