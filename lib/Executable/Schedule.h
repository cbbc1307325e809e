//===- Schedule.h - A function as a list of steps ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_EXECUTABLE_SCHEDULE_H
#define DML_LIB_EXECUTABLE_SCHEDULE_H

#include "Kernels.h"
#include "dml/Target/DeviceProfile.h"
#include "executable_generated.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <deque>
#include <unordered_map>

namespace dml {

/// Returns the size in bytes of a buffer for `bytes` bytes or for a tensor: a
/// multiple of the size of a vector.
uint64_t getBufferSize(uint64_t bytes);
uint64_t getBufferSize(mlir::MemRefType type);

/// The bytes of an executable's constants. Equal constants are stored once.
class ConstantPool {
public:
  /// No constant of at most `block` bytes crosses a multiple of `block`.
  explicit ConstantPool(uint64_t block)
      : block(llvm::alignDown(block, DeviceProfile::rangeAlignment)) {}

  /// Adds the data of `global` unless equal data is there. Returns its offset.
  llvm::FailureOr<uint64_t> add(mlir::memref::GlobalOp global);

  /// The offset of a constant, and its bytes, which stay in the module.
  struct Piece {
    uint64_t offset;
    llvm::ArrayRef<char> bytes;
  };
  /// The constants in the order of their offsets. Bytes between them are 0.
  llvm::ArrayRef<Piece> getPieces() const { return pieces; }
  /// The number of bytes of all constants and of the gaps between them.
  uint64_t getSize() const { return size; }

private:
  uint64_t block;
  uint64_t size = 0;
  std::vector<Piece> pieces;
  /// The expanded bytes of splats, of which the module has one element only.
  std::deque<std::vector<char>> repeated;
  llvm::DenseMap<mlir::Attribute, uint64_t> offsets;
  /// The positions in the list of pieces by a hash of the bytes. A module for
  /// other devices may have equal bytes with another type.
  std::unordered_multimap<uint64_t, size_t> byHash;
};

/// One step of a function. A copy has no kernel, and two bindings: source and
/// destination.
struct Step {
  std::string label;
  std::optional<unsigned> kernel;
  std::array<uint32_t, 3> workgroupCount = {1, 1, 1};
  llvm::SmallVector<executable::BufferRange> bindings;
  /// How bindings move with the iterations of a loop.
  std::vector<executable::Advance> advances;
  bool barrier = false;
};

/// The steps of a function, and its arena of temporaries.
struct Schedule {
  std::vector<Step> steps;
  std::vector<executable::Loop> loops;
  uint64_t temporarySize = 0;
};

/// Reads the schedule of `function` from its body. `symbols` are the symbols of
/// the function's module, and `argumentRanges` the buffers of its arguments.
/// The arena can be cut into buffers of `maxArenaBuffer` bytes.
llvm::FailureOr<Schedule>
buildSchedule(mlir::func::FuncOp function, const mlir::SymbolTable &symbols,
              const KernelTable &kernels, ConstantPool &constants,
              llvm::ArrayRef<executable::BufferRange> argumentRanges,
              uint64_t maxArenaBuffer);

} // namespace dml

#endif // DML_LIB_EXECUTABLE_SCHEDULE_H
