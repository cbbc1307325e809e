// The pass dml-attach-device states a device profile as an attribute of the module, in
// place of any other profile, and two specifications of one profile become the same
// attribute.
// RUN: split-file %s %t
// RUN: dml-opt %t/plain.mlir --dml-attach-device=profile=full,+shaderInt8,subgroupSize=64,cooperativeMatrix=16x8x16xf16xf32 -o %t/attached.mlir
// RUN: FileCheck %s --input-file=%t/attached.mlir
// CHECK: module attributes {dml_device.profile = #dml_device.profile<"full,cooperativeMatrix=16x8x16xf16xf32,subgroupSize=64">}
// RUN: dml-opt %t/attached.mlir | diff - %t/attached.mlir
// RUN: dml-opt %t/attached.mlir --emit-bytecode | dml-opt | diff - %t/attached.mlir
// RUN: dml-opt %t/attached.mlir --dml-attach-device=profile=minimal | FileCheck %s --check-prefix=REPLACED
// REPLACED: module attributes {dml_device.profile = #dml_device.profile<"minimal">}

// A compilation takes the profile of the module, unless the command line has another,
// and the attribute leaves no trace in the executable. (An executable names the file and
// the lines of its source, so that all modules come from the standard input and have one
// line before the function.)
// RUN: dml-opt %t/plain.mlir -o %t/module.mlir
// RUN: dml-opt %t/plain.mlir --dml-attach-device=profile=full,-shaderInt8 -o %t/without.mlir
// RUN: dml-compile - -o %t/attribute.dmlx < %t/without.mlir
// RUN: dml-compile - --device-profile=full,-shaderInt8 -o %t/option.dmlx < %t/module.mlir
// RUN: cmp %t/attribute.dmlx %t/option.dmlx
// RUN: dml-compile - --device-profile=full -o %t/overridden.dmlx < %t/without.mlir
// RUN: dml-compile - -o %t/full.dmlx < %t/module.mlir
// RUN: cmp %t/overridden.dmlx %t/full.dmlx
// RUN: not cmp %t/attribute.dmlx %t/full.dmlx
// RUN: dml-compile %t/plain.mlir --device-profile=full,-shaderInt8 --emit=gpu | FileCheck %s --check-prefix=STAGE
// STAGE: module attributes {dml_device.profile = #dml_device.profile<"full,-shaderInt8">

// RUN: not dml-opt %t/plain.mlir --dml-attach-device=profile=tiny 2>&1 | FileCheck %s --check-prefix=TINY --implicit-check-not=note
// TINY: plain.mlir:{{.*}} error: device profile 'tiny' is unknown; the profiles are 'full' and 'minimal'
// RUN: %exits 2 dml-opt %t/plain.mlir --dml-to-gpu=device-profile=ful 2>&1 | FileCheck %s --check-prefix=FUL --implicit-check-not={{.}}
// FUL: dml-opt: error: option device-profile of --dml-to-gpu: device profile 'ful' is unknown; the profiles are 'full' and 'minimal'
// RUN: dml-opt %t/invalid.mlir --split-input-file --verify-diagnostics

//--- plain.mlir
func.func @tile(%a: tensor<1x1x2x3xi8>) -> tensor<1x1x4x3xi8> {
  %0 = dml.tile %a {repeats = array<i64: 1, 1, 2, 1>} : (tensor<1x1x2x3xi8>) -> tensor<1x1x4x3xi8>
  return %0 : tensor<1x1x4x3xi8>
}

//--- invalid.mlir
// expected-error @+1 {{device profile limit 'maxStorageBuffers=1' wants a whole number from 2 to 4294967295}}
module attributes {dml_device.profile = #dml_device.profile<"full,maxStorageBuffers=1">} {
}

// -----

// expected-error @+1 {{'dml_device.profile' is "full", but wanted is a profile, such as #dml_device.profile<"full">}}
module attributes {dml_device.profile = "full"} {
}

// -----

// expected-error @+1 {{'dml_device.features' is unknown; the attribute of the dialect is 'dml_device.profile'}}
module attributes {dml_device.features = 1 : i64} {
}

// -----

// expected-error @+1 {{'dml_device.profile' is an attribute of modules, but stands on 'func.func'}}
func.func private @f() attributes {dml_device.profile = #dml_device.profile<"full">}

// SPDX-License-Identifier: Apache-2.0
