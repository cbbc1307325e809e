//===- Launch.h - Grids of workgroups ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_LAUNCH_H
#define DML_LIB_CODEGEN_EMIT_LAUNCH_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dml {

/// A launch with a one-dimensional grid of workgroups.
struct GroupedLaunch {
  mlir::gpu::LaunchOp launch;
  /// The index of the workgroup, and the number of workgroups in the grid.
  /// Devices limit the count in each dimension of a grid, so that many
  /// workgroups are spread over two or three dimensions. The grid may then have
  /// a few workgroups more: 65,537 workgroups become 2 times 32,769.
  mlir::Value group;
  int64_t count;
  /// The terminator of the launch. The builder inserts in front of the
  /// terminator.
  mlir::Operation *end;
};

/// Replaces `op` by a launch of at least `groups` workgroups of `threads`
/// threads each. A launch in two or three dimensions may have more workgroups
/// than `groups`. The caller must build a condition so that these workgroups
/// store nothing.
GroupedLaunch createLaunch(mlir::ImplicitLocOpBuilder &b,
                           mlir::linalg::GenericOp op, int64_t groups,
                           int64_t threads = DeviceProfile::workgroupSize);

/// Builds outer * size + inner.
mlir::Value linearize(mlir::ImplicitLocOpBuilder &b, mlir::Value outer,
                      int64_t size, mlir::Value inner);

/// Builds the quotient and the remainder of `value` by `size`, the inverse of
/// linearize().
std::pair<mlir::Value, mlir::Value>
delinearize(mlir::ImplicitLocOpBuilder &b, mlir::Value value, int64_t size);

/// Builds the conjunction of two conditions. A null condition always holds, and
/// the result of two null conditions is null.
mlir::Value both(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                 mlir::Value rhs);

/// Builds the lesser of `number` and `count` - 1. Code inside of a guard
/// `number` < `count` needs this minimum as well, since integer range analysis
/// does not learn the bound from the guard.
mlir::Value limit(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                  int64_t count);

/// buildSubgroupId() builds the index of the thread's subgroup, which is below
/// `count`. buildLaneId() builds the thread's index in a subgroup of `size`
/// threads. Range analysis of the kernel cannot derive these ranges, since
/// Vulkan does not specify which threads form a subgroup. The built code
/// therefore limits both numbers explicitly.
mlir::Value buildSubgroupId(mlir::ImplicitLocOpBuilder &b, int64_t count);
mlir::Value buildLaneId(mlir::ImplicitLocOpBuilder &b, int64_t size);

/// Moves operations out of `guard`, to the place in front of it, if they have
/// no side effects and their operands are defined outside of the guard.
/// Loop-invariant code motion can then move them further.
void hoistFromGuard(mlir::scf::IfOp guard);

/// Allocates workgroup memory of `size` elements of type `element`.
mlir::Value allocateInWorkgroup(mlir::ImplicitLocOpBuilder &b, int64_t size,
                                mlir::Type element);

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_LAUNCH_H
