//===- Passes.td - Passes within the dml dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TRANSFORMS_PASSES_TD
#define DML_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class DML_FeatureLevelOption<string description>
    : Option<"featureLevel", "feature-level", "std::string", "", description>;

def AttachTarget : Pass<"dml-attach-target", "::mlir::ModuleOp"> {
  let summary = "States what a module is compiled for";
  let description = [{
    Sets the module's `dml.target`. A target that a function states itself stays,
    and overrides the module's there.
  }];
  let options = [DML_FeatureLevelOption<
      "The feature level to state: 5_0 or fl_5_0">];
}

def AttachDevice : Pass<"dml-attach-device", "::mlir::ModuleOp"> {
  let summary = "States the devices that a module is compiled for";
  let description = [{
    Sets the module's attribute `dml_device.profile`, in place of any other. The
    passes of code generation read the attribute; a module without the attribute is
    compiled for the profile `full`. A profile that is not valid is an error at the
    module.
  }];
  let options = [Option<"profile", "profile", "std::string", [{"full"}],
      "The device profile to state: 'full' or 'minimal', then any number of "
      "',+feature', ',-feature' or ',name=number', such as "
      "'full,-shaderFloat64,opsPerByte=8'">];
  let dependentDialects = ["::dml::DMLDeviceDialect"];
}

def ValidateFeatureLevel : Pass<"dml-validate-feature-level",
                                "::mlir::ModuleOp"> {
  let summary = "Reports everything that a feature level does not support";
  let description = [{
    The verifier stops at the first operator that its target's level does not
    support. This pass goes through all of them and reports every operator, rank,
    data type and mode that is missing, then fails.

    With `feature-level` it asks about that level, whatever the targets say.
  }];
  let options = [DML_FeatureLevelOption<
      "The level to ask about; where absent, the level of each operator's target">];
}

def DeduceFeatureLevel : Pass<"dml-deduce-feature-level", "::mlir::ModuleOp"> {
  let summary = "Attaches the oldest feature level that supports each function";
  let description = [{
    Finds the oldest level that supports every operator of a function, and of the
    module, and states it as their `dml.target`, in place of any other. A remark
    at each operator that raised the level says why.
  }];
}

def LegalizeFeatureLevel : Pass<"dml-legalize-feature-level",
                                "::mlir::ModuleOp"> {
  let summary = "Rewrites operators for an older feature level";
  let description = [{
    Expresses what the level `feature-level` does not support by what it does, and
    states that level as the module's target. Values are kept bit for bit:

    * `wrap` and `symmetric` padding become a slice of a tiling (of the tensor,
      or of the tensor and its mirror image, which a `reflection` gives);
    * where an operator only moves elements, those of a type that the level lacks
      are moved as the bits of a type of the same width;
    * a tensor of too low a rank gets dimensions of size 1; of one of too high a
      rank, neighbouring dimensions that the operator leaves alone are merged, and
      an operator that only moves elements is first applied one dimension after
      the other. Operators that treat some dimensions in a way of their own keep
      their rank, as `gemm`, whose last two are a matrix: the error says which
      rank the level wants it to be written with.

    The rewrites emit `tensor.expand_shape`, `tensor.collapse_shape`,
    `tensor.bitcast`, `tensor.concat` and `tensor.extract_slice` besides dml
    operators. What cannot be done is an error that names it.

    Functions whose own target is older keep it; a newer one is dropped.
  }];
  let options = [DML_FeatureLevelOption<
      "The feature level to reach: 5_0 or fl_5_0">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // DML_TRANSFORMS_PASSES_TD
