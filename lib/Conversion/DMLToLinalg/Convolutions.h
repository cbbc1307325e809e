//===- Convolutions.h - Convolutions with channels last ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A window of 3x3 over 64 channels reads 9 runs of 64 neighbours where the
// channels of a position lie side by side, and 576 elements far apart where
// those of a plane do. So the input of a convolution may be put into that
// order first, and its filter into the order in which the terms follow.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_DMLTOLINALG_CONVOLUTIONS_H
#define DML_LIB_CONVERSION_DMLTOLINALG_CONVOLUTIONS_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace dml {

/// The types and attributes of a convolution, whichever operator it is.
struct ConvolutionShape {
  mlir::RankedTensorType input, filter, output;
  llvm::ArrayRef<int64_t> strides, dilations, startPadding;
  bool isForward, isFlipped;
  int64_t groups;

  /// Nothing if `op` is no convolution.
  static std::optional<ConvolutionShape> get(mlir::Operation *op);

  int64_t getNumDims() const { return input.getRank() - 2; }
  int64_t getChannels() const { return input.getDimSize(1); }
  /// Positions of the filter.
  int64_t getTaps() const;
};

/// How a convolution reads its operands where channels are last.
struct ChannelsLast {
  /// Channels whose terms follow each other for each tap, and of these the ones
  /// that an iteration adds: a vector, if there are so many.
  int64_t block, together;
  /// Whether the input has the positions that windows cover, and no others.
  bool isCovered;

  /// The layout that the attribute of `op` asks for, or nothing.
  static std::optional<ChannelsLast> get(mlir::Operation *op,
                                         const ConvolutionShape &shape);

  /// A spatial dimension of the input in this layout. Its position `p` has what
  /// the input has at `p * step - start`, and windows begin `stride` positions
  /// apart.
  struct Dim {
    int64_t size, step, start, stride;
  };
  Dim getDim(const ConvolutionShape &shape, int64_t dim) const;

  /// Builds, as a part of `op`, the tensor of `input`, what the input was
  /// converted to, in this layout. Where the layout has positions outside of
  /// the input, these are the number that `zero` has, or 0 if it is null.
  mlir::Value moveInput(mlir::OpBuilder &builder, mlir::Operation *op,
                        const ConvolutionShape &shape, mlir::Value input,
                        mlir::Value zero) const;
  /// ... and the tensor of `filter` in the order of the terms: for each channel
  /// of the output blocks of the input's channels, each of which has all taps.
  mlir::Value orderFilter(mlir::OpBuilder &builder, mlir::Operation *op,
                          const ConvolutionShape &shape,
                          mlir::Value filter) const;
};

/// Whether the lowering of `op` can have channels last in what it reads: `op`
/// is a convolution of the forward direction, in one group.
bool canHaveChannelsLast(mlir::Operation *op);

/// The layout with which kernels of devices of `profile` take the least time
/// for `op`, which can have channels last: a name, or nothing where `op` reads
/// its operands as they are.
llvm::StringRef chooseLayout(mlir::Operation *op, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CONVERSION_DMLTOLINALG_CONVOLUTIONS_H
