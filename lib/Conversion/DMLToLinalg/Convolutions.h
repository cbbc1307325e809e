//===- Convolutions.h - Convolutions with channels last ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A window of 3x3 over 64 channels reads 9 runs of 64 neighbouring elements if
// the channels of a position are neighbours in memory (channels last). If the
// positions of a channel are neighbours instead, it reads 576 elements that are
// far apart. The lowering may therefore first copy the input to the
// channels-last layout, and the filter to the corresponding order of terms.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_CONVOLUTIONS_H
#define DML_LIB_CONVERSION_DMLTOLINALG_CONVOLUTIONS_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace dml {

/// The types and attributes of a convolution of any of the operators.
struct ConvolutionShape {
  mlir::RankedTensorType input, filter, output;
  llvm::ArrayRef<int64_t> strides, dilations, startPadding;
  bool isForward, isFlipped;
  int64_t groups;

  /// Returns the shape of `op`, or nothing if `op` is not a convolution.
  static std::optional<ConvolutionShape> get(mlir::Operation *op);

  int64_t getNumDims() const { return input.getRank() - 2; }
  int64_t getChannels() const { return input.getDimSize(1); }
  /// Returns the number of positions in the filter.
  int64_t getTaps() const;
};

/// The way in which a convolution reads its operands in the channels-last
/// layout.
struct ChannelsLast {
  /// Whether the input has its channels last. If not, only the filter has the
  /// order of terms that belongs to channels last.
  bool movesInput;
  /// The number of channels whose terms follow each other for each tap, and the
  /// number of these that one iteration adds, which form a vector if possible.
  int64_t block, together;
  /// Whether the input contains exactly the positions that windows cover.
  bool isCovered;

  /// Returns the layout that the attribute of `op` requests, or nothing if
  /// there is none.
  static std::optional<ChannelsLast> get(mlir::Operation *op,
                                         const ConvolutionShape &shape);

  /// A spatial dimension of the input in this layout. Position `p` of the
  /// layout contains position `p * step - start` of the input, and neighbouring
  /// windows are `stride` positions of the layout apart.
  struct Dim {
    int64_t size, step, start, stride;
  };
  Dim getDim(const ConvolutionShape &shape, int64_t dim) const;

  /// Builds, as a part of `op`, the converted input `input` in this layout, or
  /// returns `input` if the input stays as it is. Positions of the layout that
  /// lie outside of the input contain the number in `zero`, or 0 if `zero` is
  /// null.
  mlir::Value moveInput(mlir::OpBuilder &builder, mlir::Operation *op,
                        const ConvolutionShape &shape, mlir::Value input,
                        mlir::Value zero) const;
  /// Builds `filter` in the order of the terms: each channel of the output has
  /// blocks of the input's channels, and each block contains all taps.
  mlir::Value orderFilter(mlir::OpBuilder &builder, mlir::Operation *op,
                          const ConvolutionShape &shape,
                          mlir::Value filter) const;
};

/// Whether the lowering of `op` can read its input in the channels-last layout:
/// `op` must be a convolution in the forward direction with a single group.
bool canHaveChannelsLast(mlir::Operation *op);

/// Returns the name of the layout with which kernels on devices of `profile`
/// compute `op` fastest, or an empty name if `op` should read its operands as
/// they are. `op` must support the channels-last layout. If `sharesWeights` is
/// true, the order of a filter that depends on weights alone is the same for
/// all numbers and sizes of images.
llvm::StringRef chooseLayout(mlir::Operation *op, const DeviceProfile &profile,
                             bool sharesWeights);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_CONVOLUTIONS_H
