// Which convolutions have channels last, and how: those that cost matrix kernels more than
// a pass over memory does, with the padding around an input that has to be copied anyway.
//
// SPDX-License-Identifier: Apache-2.0
//
// DEFINE: %{dml-opt} = dml-opt %s
// RUN: %{dml-opt} --dml-attach-device=profile=full,+cooperativeMatrix --dml-choose-layouts | FileCheck %s
// RUN: %{dml-opt} --dml-attach-device=profile=full --dml-choose-layouts | FileCheck %s --check-prefix=NONE
// RUN: %{dml-opt} --dml-attach-device=profile=full,+cooperativeMatrix --dml-choose-layouts=convolution-layout=none | FileCheck %s --check-prefix=NONE
// RUN: %{dml-opt} --dml-attach-device=profile=full,cooperativeMatrix=16x16x32xi8xi32 --dml-choose-layouts | FileCheck %s --check-prefix=BYTES
// RUN: %{dml-opt} --dml-choose-layouts=convolution-layout=channels_last | FileCheck %s --check-prefix=ALL
// RUN: %{dml-opt} --dml-choose-layouts=convolution-layout=channels_last_covered | FileCheck %s --check-prefix=COVERED
// RUN: %{dml-opt} --dml-attach-device=profile=full,+cooperativeMatrix --dml-choose-layouts=shared-weights=true | FileCheck %s --check-prefix=SHARED
// RUN: not %{dml-opt} --dml-choose-layouts=convolution-layout=channels_first 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: convolution-layout is 'channels_first', but wants to be 'auto', 'none', 'channels_last', 'channels_last_covered' or 'ordered_filter'

// NONE-NOT: dml.layout

// An input of the function is copied; what an operator computes is not.

// CHECK-LABEL: func @windows
// CHECK:       dml.convolution %{{.*}}dml.layout = "channels_last_covered"
// CHECK:       dml.convolution %{{.*}}dml.layout = "channels_last",
// BYTES-LABEL: func @windows
// BYTES-NOT:   dml.layout
// BYTES-LABEL: func @whole_rows
// ALL-LABEL:   func @windows
// ALL:         dml.convolution %{{.*}}dml.layout = "channels_last",
// ALL:         dml.convolution %{{.*}}dml.layout = "channels_last",
// COVERED-LABEL: func @windows
// COVERED:     dml.convolution %{{.*}}dml.layout = "channels_last_covered"
// COVERED:     dml.convolution %{{.*}}dml.layout = "channels_last_covered"
func.func @windows(%x: tensor<32x256x14x14xf16>, %filter: tensor<256x256x3x3xf16>) -> tensor<32x256x14x14xf16> {
  %0 = dml.convolution %x, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<32x256x14x14xf16>, tensor<256x256x3x3xf16>) -> tensor<32x256x14x14xf16>
  %1 = dml.convolution %0, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<32x256x14x14xf16>, tensor<256x256x3x3xf16>) -> tensor<32x256x14x14xf16>
  return %1 : tensor<32x256x14x14xf16>
}

// Rows of 56 positions are whole vectors, whose factors cost less in the plain order: that
// is worth another order where nothing has to be copied, and not where the input has to be.

// CHECK-LABEL: func @whole_rows
// CHECK-NOT:   dml.layout
// CHECK:       dml.convolution %{{.*}}dml.layout = "channels_last",
// CHECK-NOT:   dml.layout
// CHECK-LABEL: func @few
func.func @whole_rows(%x: tensor<32x64x56x56xf16>, %filter: tensor<64x64x3x3xf16>) -> tensor<32x64x56x56xf16> {
  %0 = dml.convolution %x, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<32x64x56x56xf16>, tensor<64x64x3x3xf16>) -> tensor<32x64x56x56xf16>
  %1 = dml.convolution %0, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<32x64x56x56xf16>, tensor<64x64x3x3xf16>) -> tensor<32x64x56x56xf16>
  return %1 : tensor<32x64x56x56xf16>
}

// Few terms do not pay the copy, windows of one position read vectors anyway, and 12
// channels are no whole vectors.

// CHECK-NOT:   dml.layout
func.func @few(%x: tensor<1x32x14x14xf16>, %filter: tensor<32x32x3x3xf16>,
               %large: tensor<32x256x56x56xf16>, %one: tensor<64x256x1x1xf16>,
               %odd: tensor<32x12x56x56xf16>, %of_odd: tensor<64x12x3x3xf16>)
    -> (tensor<1x32x14x14xf16>, tensor<32x64x56x56xf16>, tensor<32x64x56x56xf16>) {
  %0 = dml.convolution %x, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x32x14x14xf16>, tensor<32x32x3x3xf16>) -> tensor<1x32x14x14xf16>
  %1 = dml.convolution %large, %one {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<32x256x56x56xf16>, tensor<64x256x1x1xf16>) -> tensor<32x64x56x56xf16>
  %2 = dml.convolution %odd, %of_odd {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<32x12x56x56xf16>, tensor<64x12x3x3xf16>) -> tensor<32x64x56x56xf16>
  return %0, %1, %2 : tensor<1x32x14x14xf16>, tensor<32x64x56x56xf16>, tensor<32x64x56x56xf16>
}

// What goes backward or has groups reads its input as it is, whatever is wanted.

// CHECK-LABEL: func @others
// ALL-LABEL:   func @others
// ALL-NOT:     dml.layout
// ALL-LABEL:   func @bytes
func.func @others(%x: tensor<32x64x56x56xf16>, %filter: tensor<64x1x3x3xf16>, %back: tensor<64x64x3x3xf16>)
    -> (tensor<32x64x56x56xf16>, tensor<32x64x56x56xf16>) {
  %0 = dml.convolution %x, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, group_count = 64 : i64,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<32x64x56x56xf16>, tensor<64x1x3x3xf16>) -> tensor<32x64x56x56xf16>
  %1 = dml.convolution %x, %back {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<backward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<32x64x56x56xf16>, tensor<64x64x3x3xf16>) -> tensor<32x64x56x56xf16>
  return %0, %1 : tensor<32x64x56x56xf16>, tensor<32x64x56x56xf16>
}

// CHECK-LABEL: func @bytes
// CHECK-NOT:   dml.layout
// BYTES-LABEL: func @bytes
// BYTES:       dml.layout = "channels_last_covered"
func.func @bytes(%x: tensor<32x256x14x14xui8>, %zero: tensor<1x1x1x1xui8>, %filter: tensor<256x256x3x3xi8>)
    -> tensor<32x256x14x14xi32> {
  %0 = dml.convolution_integer %x input_zero_point(%zero), %filter {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>}
      : (tensor<32x256x14x14xui8>, tensor<1x1x1x1xui8>, tensor<256x256x3x3xi8>) -> tensor<32x256x14x14xi32>
  return %0 : tensor<32x256x14x14xi32>
}

// Programs that share weights have the filters of few and of many images in one order, if
// the filters depend on weights alone: the channels last of 256 images, and an ordered filter
// for 1 image, whose input stays as it is. A filter that the caller binds, and one of 12
// channels, stay as they are.

// SHARED-LABEL: func @few
// SHARED-NOT:   dml.layout
// CHECK-LABEL:  func @images
// SHARED-LABEL: func @images
// SHARED:       %[[FEW:.*]] = dml.convolution %{{.*}}dml.layout = "ordered_filter"
// SHARED:       dml.convolution %{{.*}}dml.layout = "channels_last_covered"
// SHARED-NOT:   dml.layout
// SHARED:       return
func.func @images(%one: tensor<1x32x14x14xf16>, %many: tensor<256x32x14x14xf16>, %odd: tensor<1x12x14x14xf16>,
                  %w: tensor<32x32x3x3xf16> {dml.name = "w", dml.owned_by_dml},
                  %v: tensor<32x12x3x3xf16> {dml.name = "v", dml.owned_by_dml})
    -> (tensor<1x32x14x14xf16>, tensor<256x32x14x14xf16>, tensor<1x32x14x14xf16>) {
  %filter = dml.element_wise_multiply %w, %w
      : (tensor<32x32x3x3xf16>, tensor<32x32x3x3xf16>) -> tensor<32x32x3x3xf16>
  %0 = dml.convolution %one, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x32x14x14xf16>, tensor<32x32x3x3xf16>) -> tensor<1x32x14x14xf16>
  %1 = dml.convolution %many, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<256x32x14x14xf16>, tensor<32x32x3x3xf16>) -> tensor<256x32x14x14xf16>
  %2 = dml.convolution %odd, %v {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x12x14x14xf16>, tensor<32x12x3x3xf16>) -> tensor<1x32x14x14xf16>
  return %0, %1, %2 : tensor<1x32x14x14xf16>, tensor<256x32x14x14xf16>, tensor<1x32x14x14xf16>
}

// Few workgroups do not hide the latencies of 36 stages of 32 terms.

// CHECK-LABEL: func @stages
// CHECK:         dml.convolution %{{.*}}dml.layout = "channels_last_covered"
func.func @stages(%x: tensor<1x128x28x28xf16>, %filter: tensor<128x128x3x3xf16>) -> tensor<1x128x28x28xf16> {
  %0 = dml.convolution %x, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x128x28x28xf16>, tensor<128x128x3x3xf16>) -> tensor<1x128x28x28xf16>
  return %0 : tensor<1x128x28x28xf16>
}
