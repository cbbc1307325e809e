//===- RegionOps.td - DirectML's pooling of regions --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_REGIONOPS_TD
#define DML_IR_REGIONOPS_TD

include "dml/IR/DMLOpBase.td"

/// The functions that combine the samples of an output into one number.
def DML_RegionReductionSupport
    : DML_EnumSubset<"reduction_function", DML_ReduceFunctionAttr,
                     [DML_ReduceFunctionAverage, DML_ReduceFunctionMax]>;

def DML_RoiPoolingOp
    : DML_Op<"roi_pooling", "ROI_POOLING", [InferTypeOpAdaptor]> {
  let summary = "The largest elements of the bins that regions are divided into";
  let description = [{
    Divides each region of an image into bins, and takes the largest element of each.

    **Semantics.** Row `r` of `roi` is `[b, x1, y1, x2, y2]`: a region of image
    `input[b]` whose corners belong to it. Corners are multiplied by `spatial_scale`
    and rounded to whole numbers; then the region is `y2 - y1 + 1` rows high and
    `x2 - x1 + 1` columns wide. Of `n` bins that divide `h` rows, bin `i` reaches from
    row `y1 + floor(i * h / n)` to before row `y1 + ceil((i + 1) * h / n)`; so do
    columns. Bins are cut off at the image's edges. `output[r, c, i, j]` is the largest
    element of channel `c` in bin `(i, j)`, or 0 where nothing of the bin is left.

    **Inputs**

    | label | name            | field          | type |
    |-------|-----------------|----------------|------|
    | (I1)  | `input`         | `InputTensor`  | tensor `{N, C, H, W}`, f32 or f16 |
    | (I2)  | `roi`           | `ROITensor`    | tensor `{1, 1, R, 5}` of `input`'s type |
    | (I3)  | `spatial_scale` | `SpatialScale` | f32 |
    | (I4)  | `pooled_size`   | `PooledSize`   | how many bins: rows and columns, in this order |

    **Constraints**
    * (C1) `size(pooled_size) = 2`, `pooled_size[i] > 0`.
    * (C2) `input` has rank 4.
    * (C3) `roi` has the sizes `{1, 1, R, 5}`.
    * (C4) `roi` has `input`'s element type.
    * (C5) `output` has `input`'s element type and the sizes
      `{R, C, pooled_size[0], pooled_size[1]}`.

    **Readings**
    * Rounding: halves go away from zero, as C's `round` does, which ONNX Runtime's
      `MaxRoiPool` uses. Products are f32.
    * The end of a bin is exclusive, as its rounding up says.
    * A region whose second corner lies before its first has one row or column, as in
      ONNX's operator; the page excludes such regions.
    * NaN loses against numbers; a bin of NaNs alone has NaN.
    * Any data are safe: `b` is rounded towards zero and moved to the nearest image that
      there is. A NaN stands for 0 in `b` and in corners, which are moved to the nearest
      number from -2^22 to 2^22.

    **Example**
    ```mlir
    // %input: [[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]     %roi: [[[[0, 0, 0, 1, 2]]]]
    %output = dml.roi_pooling %input, %roi {spatial_scale = 1.0 : f32,
        pooled_size = array<i64: 1, 2>}
        : (tensor<1x1x3x3xf32>, tensor<1x1x1x5xf32>) -> tensor<1x1x1x2xf32>
    // %output: [[[[7, 8]]]]
    ```

    **Source:** DML_ROI_POOLING_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$roi, DML_F32Attr:$spatial_scale,
                       DML_I64ArrayAttr:$pooled_size);
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "roi", "output"]];
  let support = [DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>];
  let arrays = [DML_FixedArray<"pooled_size", 2, 1>];
}

def DML_RoiAlignOp : DML_Op<"roi_align", "ROI_ALIGN"> {
  let summary = "Samples regions, with pixel centres that meet";
  let description = [{
    Does what `roi_align1` does with the offsets 0.5 and -0.5, which make pixel centres
    meet, and without aligned corners.

    **Semantics.** That of `roi_align1` with `input_pixel_offset = 0.5`,
    `output_pixel_offset = -0.5` and `align_regions_to_corners = false`.

    Canonicalization makes a `dml.roi_align1` of it where the feature level has
    that.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input` | `InputTensor` | tensor `{N, C, H, W}`, f32 or f16 |
    | (I2) | `roi` | `ROITensor` | tensor `{R, 4}`, with leading 1s, of `input`'s type |
    | (I3) | `batch_indices` | `BatchIndicesTensor` | tensor `{R}`, with leading 1s, ui32 or ui64 |
    | (I4) | `reduction_function` | `ReductionFunction` | `#dml.reduce_function`, `average` or `max` |
    | (I5) | `interpolation_mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I6) | `spatial_scale_x` | `SpatialScaleX` | f32 |
    | (I7) | `spatial_scale_y` | `SpatialScaleY` | f32 |
    | (I8) | `out_of_bounds_input_value` | `OutOfBoundsInputValue` | f32 |
    | (I9) | `minimum_samples_per_output` | `MinimumSamplesPerOutput` | integer |
    | (I10) | `maximum_samples_per_output` | `MaximumSamplesPerOutput` | integer |

    **Constraints**
    * (C1) `reduction_function` is `average` or `max`.
    * (C2) `input` and `output` have rank 4.
    * (C3) `roi` has the sizes `{R, 4}`, `batch_indices` the sizes `{R}`, both with any
      number of leading 1s.
    * (C4) `output` has the sizes `{R, C, any, any}`.
    * (C5) `roi` and `output` have `input`'s element type.
    * (C6) `0 <= minimum_samples_per_output <= maximum_samples_per_output < 2^32`.

    **Example**
    ```mlir
    // %input: [[[[1, 2], [3, 4]]]]     %roi: [[0, 0, 2, 2]]     %batch_indices: [0]
    %output = dml.roi_align %input, %roi, %batch_indices {
        reduction_function = #dml.reduce_function<average>,
        interpolation_mode = #dml.interpolation_mode<linear>,
        spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32,
        out_of_bounds_input_value = 0.0 : f32,
        minimum_samples_per_output = 1 : i64, maximum_samples_per_output = 1 : i64}
        : (tensor<1x1x2x2xf32>, tensor<1x4xf32>, tensor<1xui32>)
        -> tensor<1x1x1x2xf32>
    // %output: [[[[2, 3]]]]
    ```

    **Source:** DML_ROI_ALIGN_OPERATOR_DESC.
  }];

  let hasCanonicalizer = 1;
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$roi, DML_Tensor:$batch_indices,
                       DML_ReduceFunctionAttr:$reduction_function,
                       DML_InterpolationModeAttr:$interpolation_mode,
                       DML_F32Attr:$spatial_scale_x, DML_F32Attr:$spatial_scale_y,
                       DML_F32Attr:$out_of_bounds_input_value,
                       DML_I64Attr:$minimum_samples_per_output,
                       DML_I64Attr:$maximum_samples_per_output);
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "roi", "output"]];
  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"roi", 2, 4, DML_Float32And16>,
      DML_TensorSupport<"batch_indices", 1, 4, DML_UnsignedIndices>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"roi", 2, 4, DML_Float32And16>,
      DML_TensorSupport<"batch_indices", 1, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
  ];
  let enumSupport = [
    DML_RegionReductionSupport,
    DML_EnumSupport<"interpolation_mode", DML_InterpolationModeAttr>,
  ];
  let arrays = [
    DML_FixedArray<"minimum_samples_per_output", 1>,
    DML_FixedArray<"maximum_samples_per_output", 1>,
  ];
  let hasVerifier = 1;
}

def DML_RoiAlign1Op
    : DML_Op<"roi_align1", "ROI_ALIGN1",
             [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Samples regions between the elements of an image";
  let description = [{
    Divides each region of an image into outputs, samples the image in each at several
    places, between its elements too, and takes the samples' average or maximum.

    **Semantics.** Row `r` of `roi` is a region `[x1, y1, x2, y2]` of image
    `input[batch_indices[r]]`. What follows holds for columns, with `x`, and for rows,
    with `y`. With `start = x1 * spatial_scale_x`, `size = x2 * spatial_scale_x - start`
    and `m` the size of `output`:

    * An output has `n` samples along the axis: `ceil(|size| / m)`, but not fewer than
      `minimum_samples_per_output` and not more than `maximum_samples_per_output`.
    * `step = size / (m * n)`; with `align_regions_to_corners`, `size / (m * n - 1)`, so
      that the first and the last sample lie on the region's corners.
    * Sample `s` from `o * n` to `o * n + n - 1` belongs to output `o` and lies at
      `p = (s - output_pixel_offset) * step + start - input_pixel_offset`.

    A sample for which `-1 <= p <= k` does not hold on both axes, with `k` the size of
    the image, is `out_of_bounds_input_value`. Others have `p` clamped to `[0, k - 1]`:
    `nearest_neighbor` takes the element at `ceil(p - 0.5)`, `linear` interpolates
    between the four around it. An output is the average or the maximum of its samples
    on both axes.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input` | `InputTensor` | tensor `{N, C, H, W}`, f32 or f16 |
    | (I2) | `roi` | `ROITensor` | tensor `{R, 4}`, with leading 1s, of `input`'s type |
    | (I3) | `batch_indices` | `BatchIndicesTensor` | tensor `{R}`, with leading 1s, ui32 or ui64 |
    | (I4) | `reduction_function` | `ReductionFunction` | `#dml.reduce_function`, `average` or `max` |
    | (I5) | `interpolation_mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I6) | `spatial_scale_x` | `SpatialScaleX` | f32 |
    | (I7) | `spatial_scale_y` | `SpatialScaleY` | f32 |
    | (I8) | `input_pixel_offset` | `InputPixelOffset` | f32 |
    | (I9) | `output_pixel_offset` | `OutputPixelOffset` | f32 |
    | (I10) | `out_of_bounds_input_value` | `OutOfBoundsInputValue` | f32 |
    | (I11) | `minimum_samples_per_output` | `MinimumSamplesPerOutput` | integer |
    | (I12) | `maximum_samples_per_output` | `MaximumSamplesPerOutput` | integer |
    | (I13) | `align_regions_to_corners` | `AlignRegionsToCorners` | whether the outermost samples lie on the region's corners |

    **Constraints**
    * (C1) `reduction_function` is `average` or `max`.
    * (C2) `input` and `output` have rank 4.
    * (C3) `roi` has the sizes `{R, 4}`, `batch_indices` the sizes `{R}`, both with any
      number of leading 1s.
    * (C4) `output` has the sizes `{R, C, any, any}`.
    * (C5) `roi` and `output` have `input`'s element type.
    * (C6) `0 <= minimum_samples_per_output <= maximum_samples_per_output < 2^32`.

    **Readings**
    * The page prints loops over samples with an inclusive end, which would average two
      where there is one: the end is exclusive. It computes the step of rows from the
      region's width, taken for a slip.
    * The page does not say how the number of samples is rounded; up, as in ONNX's
      operator. It is at least 1. Of a region's size, no more than twice that of the
      image counts for it: other samples would lie outside.
    * From -1 to 0 and from `k - 1` to `k` a position is clamped, as ONNX Runtime's
      tests of DirectML have it; its ends belong to that.
    * `nearest_neighbor` takes the lower of two equally near elements, which the page of
      `roi_align_grad` has in its example; `resample` does otherwise.
    * With `align_regions_to_corners`, one sample in all lies in the region's middle. The
      page has no formula for that attribute.
    * Inverted regions have a negative size and are mirrored.
    * Positions are computed in f32, in the order of the formulas. A sample whose
      position is not a number, as those of infinite regions are, is out of bounds.
      Interpolation is `a + w * (b - a)` along `x`, then along `y`, and a neighbour of
      weight 0 takes no part. Averages are sums in an order that is not said, divided by
      their number; f16 is rounded once. NaN loses against numbers in a maximum.
    * An index that is out of range is moved to the last image.

    **Example**
    ```mlir
    // %input: [[[[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]]]]
    // %roi: [[0, 0, 3, 3]]     %batch_indices: [0]
    %output = dml.roi_align1 %input, %roi, %batch_indices {
        reduction_function = #dml.reduce_function<average>,
        interpolation_mode = #dml.interpolation_mode<linear>,
        spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32,
        input_pixel_offset = 0.0 : f32, output_pixel_offset = 0.0 : f32,
        out_of_bounds_input_value = 0.0 : f32,
        minimum_samples_per_output = 1 : i64, maximum_samples_per_output = 1 : i64,
        align_regions_to_corners = true}
        : (tensor<1x1x4x4xf32>, tensor<1x4xf32>, tensor<1xui32>)
        -> tensor<1x1x2x2xf32>
    // %output: [[[[0, 3], [30, 33]]]]
    ```

    **Source:** DML_ROI_ALIGN1_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$roi, DML_Tensor:$batch_indices,
                       DML_ReduceFunctionAttr:$reduction_function,
                       DML_InterpolationModeAttr:$interpolation_mode,
                       DML_F32Attr:$spatial_scale_x, DML_F32Attr:$spatial_scale_y,
                       DML_F32Attr:$input_pixel_offset, DML_F32Attr:$output_pixel_offset,
                       DML_F32Attr:$out_of_bounds_input_value,
                       DML_I64Attr:$minimum_samples_per_output,
                       DML_I64Attr:$maximum_samples_per_output,
                       DML_BoolAttr:$align_regions_to_corners);
  let results = (outs DML_Tensor:$output);

  let sameElementTypes = [["input", "roi", "output"]];
  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"roi", 2, 4, DML_Float32And16>,
      DML_TensorSupport<"batch_indices", 1, 4, DML_UnsignedIndices>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
    DML_Support<FL_4_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"roi", 2, 4, DML_Float32And16>,
      DML_TensorSupport<"batch_indices", 1, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
  ];
  let enumSupport = [
    DML_RegionReductionSupport,
    DML_EnumSupport<"interpolation_mode", DML_InterpolationModeAttr>,
  ];
  let arrays = [
    DML_FixedArray<"minimum_samples_per_output", 1>,
    DML_FixedArray<"maximum_samples_per_output", 1>,
  ];
  let hasVerifier = 1;
}

def DML_RoiAlignGradOp
    : DML_Op<"roi_align_grad", "ROI_ALIGN_GRAD", [AttrSizedResultSegments]> {
  let summary = "The gradients of roi_align1 with respect to images and regions";
  let description = [{
    Computes what `roi_align1`'s images and regions have for gradients, or one of both,
    from those of its outputs.

    **Semantics.** `input_gradient` has the sizes of `roi_align1`'s output; samples,
    their positions and the weights of the elements that they read are those of
    `roi_align1`.

    * `output_gradient` has the sizes of `roi_align1`'s input. Each sample adds its
      gradient times the weight to each element that it read.
    * `output_roi_gradient` has the sizes of `roi`. Each sample at `p`, with
      `t = (s - output_pixel_offset) / (m * n)` on the axis, adds `g * (1 - t)` times the
      spatial scale to the first corner and `g * t` times it to the second one, where
      `g` is the sample's gradient times the difference of the elements at `ceil(p)` and
      `floor(p)`, interpolated along the other axis; summed over all channels.
      `nearest_neighbor` has no such gradient: it is 0.

    With `average`, a sample's gradient is that of its output divided by the number of
    samples. With `max`, the largest sample has the gradient of its output, the others
    have none. Samples out of bounds add nothing.

    **Inputs**

    | label | name | field | type |
    |-------|------|-------|------|
    | (I1) | `input` | `InputTensor` | optional tensor `{N, C, H, W}`, f32 or f16 |
    | (I2) | `input_gradient` | `InputGradientTensor` | tensor `{R, C, any, any}` |
    | (I3) | `roi` | `ROITensor` | tensor `{R, 4}`, with leading 1s |
    | (I4) | `batch_indices` | `BatchIndicesTensor` | tensor `{R}`, with leading 1s, ui32 |
    | (I5) | `reduction_function` | `ReductionFunction` | `#dml.reduce_function`, `average` or `max` |
    | (I6) | `interpolation_mode` | `InterpolationMode` | `#dml.interpolation_mode` |
    | (I7) | `spatial_scale_x` | `SpatialScaleX` | f32 |
    | (I8) | `spatial_scale_y` | `SpatialScaleY` | f32 |
    | (I9) | `input_pixel_offset` | `InputPixelOffset` | f32 |
    | (I10) | `output_pixel_offset` | `OutputPixelOffset` | f32 |
    | (I11) | `minimum_samples_per_output` | `MinimumSamplesPerOutput` | integer |
    | (I12) | `maximum_samples_per_output` | `MaximumSamplesPerOutput` | integer |
    | (I13) | `align_regions_to_corners` | `AlignRegionsToCorners` | whether the outermost samples lie on the region's corners |

    **Constraints**
    * (C1) `reduction_function` is `average` or `max`.
    * (C2) `input`, `input_gradient` and `output_gradient` have rank 4.
    * (C3) `roi` has the sizes `{R, 4}`, `batch_indices` the sizes `{R}`, both with any
      number of leading 1s.
    * (C4) `input_gradient` has the sizes `{R, C, any, any}`.
    * (C5) All tensors but `batch_indices` have one element type.
    * (C6) `0 <= minimum_samples_per_output <= maximum_samples_per_output < 2^32`.
    * (C7) There is an `output_gradient` or an `output_roi_gradient`.
    * (C8) `input` is there where `output_roi_gradient` is, or `reduction_function` is
      `max`.
    * (C9) `output_gradient` has the sizes of `input`, `output_roi_gradient` those of
      `roi`.

    **Readings**
    * The page prints the gradient of regions for one sample an output, without spatial
      scale, pixel offset and division by the number of outputs. The derivative is taken,
      which has them; the printed terms are its multiples.
    * Where `p` is a whole number, or was clamped to one, `ceil` and `floor` are one
      element: the difference is 0, as on the page.
    * With `align_regions_to_corners`, `m * n` is `m * n - 1` as for positions, and `t`
      is 1/2 for a single sample.
    * Of equal samples the first in row-major order is the largest. NaN loses against
      numbers. Samples out of bounds take no part, since this operator has no
      `out_of_bounds_input_value`.
    * Sums are f32 whatever the element type, in an order that is not said; elements of
      weight 0 take no part. What `roi_align1` reads for its data holds here, too.

    **Example**
    ```mlir
    // %input_gradient: [[[[8, 4]]]]     %roi: [[0, 0, 2, 2]]     %batch_indices: [0]
    %output_gradient = dml.roi_align_grad %input_gradient, %roi, %batch_indices {
        reduction_function = #dml.reduce_function<average>,
        interpolation_mode = #dml.interpolation_mode<linear>,
        spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32,
        input_pixel_offset = 0.5 : f32, output_pixel_offset = -0.5 : f32,
        minimum_samples_per_output = 1 : i64, maximum_samples_per_output = 1 : i64,
        align_regions_to_corners = false, resultSegmentSizes = array<i32: 1, 0>}
        : (tensor<1x1x1x2xf32>, tensor<1x4xf32>, tensor<1xui32>)
        -> tensor<1x1x2x2xf32>
    // %output_gradient: [[[[4, 2], [4, 2]]]]
    ```

    **Source:** DML_ROI_ALIGN_GRAD_OPERATOR_DESC.
  }];

  let arguments = (ins Optional<DML_Tensor>:$input, DML_Tensor:$input_gradient,
                       DML_Tensor:$roi, DML_Tensor:$batch_indices,
                       DML_ReduceFunctionAttr:$reduction_function,
                       DML_InterpolationModeAttr:$interpolation_mode,
                       DML_F32Attr:$spatial_scale_x, DML_F32Attr:$spatial_scale_y,
                       DML_F32Attr:$input_pixel_offset, DML_F32Attr:$output_pixel_offset,
                       DML_I64Attr:$minimum_samples_per_output,
                       DML_I64Attr:$maximum_samples_per_output,
                       DML_BoolAttr:$align_regions_to_corners);
  let results = (outs Optional<DML_Tensor>:$output_gradient,
                      Optional<DML_Tensor>:$output_roi_gradient);
  let assemblyFormat = [{
    (`input` `(` $input^ `)`)? $input_gradient `,` $roi `,` $batch_indices
    attr-dict `:` functional-type(operands, results)
  }];

  let sameElementTypes = [["input", "input_gradient", "roi", "output_gradient",
                           "output_roi_gradient"]];
  let sameShapes = [["input", "output_gradient"], ["roi", "output_roi_gradient"]];
  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"input_gradient", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"roi", 2, 4, DML_Float32And16>,
      DML_TensorSupport<"batch_indices", 1, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output_gradient", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_roi_gradient", 2, 4, DML_Float32And16>,
    ]>,
  ];
  let enumSupport = [
    DML_RegionReductionSupport,
    DML_EnumSupport<"interpolation_mode", DML_InterpolationModeAttr>,
  ];
  let arrays = [
    DML_FixedArray<"minimum_samples_per_output", 1>,
    DML_FixedArray<"maximum_samples_per_output", 1>,
  ];
  let hasVerifier = 1;
}

#endif // DML_IR_REGIONOPS_TD
