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

/// A launch of workgroups of one dimension.
struct GroupedLaunch {
  mlir::gpu::LaunchOp launch;
  /// The workgroup's number, and how many workgroups the grid has: as many as
  /// are wanted, or a few more.
  mlir::Value group;
  int64_t count;
  /// The terminator of the launch, in front of which the builder stands.
  mlir::Operation *end;
};

/// Creates a launch of at least `groups` workgroups of `threads` threads that
/// replaces `op`.
GroupedLaunch createLaunch(mlir::ImplicitLocOpBuilder &b,
                           mlir::linalg::GenericOp op, int64_t groups,
                           int64_t threads = DeviceProfile::workgroupSize);

/// Builds outer * size + inner.
mlir::Value linearize(mlir::ImplicitLocOpBuilder &b, mlir::Value outer,
                      int64_t size, mlir::Value inner);

/// Builds the outer and the inner number of which linearize() makes `value`.
std::pair<mlir::Value, mlir::Value>
delinearize(mlir::ImplicitLocOpBuilder &b, mlir::Value value, int64_t size);

/// Builds whether both conditions hold. A null condition always holds, and the
/// result of two null conditions is null.
mlir::Value both(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                 mlir::Value rhs);

/// Builds `number`, or the last number below `count` where `number` is larger.
/// Code that runs only where a number lies below `count` limits the number as
/// well, since range analysis does not learn the bound from a guard's
/// condition.
mlir::Value limit(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                  int64_t count);

/// Builds the number of the thread's subgroup, of which the workgroup has
/// `count`, and the thread's number in a subgroup of `size`. Vulkan does not
/// say which threads are a subgroup. A reader of the kernel alone, such as
/// range analysis, does not know how large the numbers become, so that both
/// numbers are limited.
mlir::Value buildSubgroupId(mlir::ImplicitLocOpBuilder &b, int64_t count);
mlir::Value buildLaneId(mlir::ImplicitLocOpBuilder &b, int64_t size);

/// Moves operations that do not depend on others inside of `guard`, and that
/// have no side effects, in front of the guard. Loop-invariant code motion
/// moves them on from there.
void hoistFromGuard(mlir::scf::IfOp guard);

/// Allocates workgroup memory of `size` elements of type `element`.
mlir::Value allocateInWorkgroup(mlir::ImplicitLocOpBuilder &b, int64_t size,
                                mlir::Type element);

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_LAUNCH_H
