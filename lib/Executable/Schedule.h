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

/// Bytes of a buffer that holds so many bytes, or a tensor: whole vectors.
uint64_t getBufferSize(uint64_t bytes);
uint64_t getBufferSize(mlir::MemRefType type);

/// The bytes of the constants of an executable, equal ones once.
class ConstantPool {
public:
  /// No constant reaches over a multiple of `block`, if it has no more bytes.
  explicit ConstantPool(uint64_t block)
      : block(llvm::alignDown(block, DeviceProfile::rangeAlignment)) {}

  /// The offset at which the data of `global` stands.
  llvm::FailureOr<uint64_t> add(mlir::memref::GlobalOp global);

  /// A constant's place, and its bytes, which stay where the module has them.
  struct Piece {
    uint64_t offset;
    llvm::ArrayRef<char> bytes;
  };
  /// In the order of their offsets. What lies between them is 0.
  llvm::ArrayRef<Piece> getPieces() const { return pieces; }
  /// The bytes of all of them, and of what lies between.
  uint64_t getSize() const { return size; }

private:
  uint64_t block;
  uint64_t size = 0;
  std::vector<Piece> pieces;
  /// The bytes of constants that the module has one element of.
  std::deque<std::vector<char>> repeated;
  llvm::DenseMap<mlir::Attribute, uint64_t> offsets;
  /// The pieces by a hash of their bytes: a variant for other devices may have
  /// the same bytes as another type.
  std::unordered_multimap<uint64_t, size_t> byHash;
};

/// One step of a function; a copy has no kernel and the bindings source,
/// destination.
struct Step {
  std::string label;
  std::optional<unsigned> kernel;
  std::array<uint32_t, 3> workgroupCount = {1, 1, 1};
  llvm::SmallVector<executable::BufferRange> bindings;
  bool barrier = false;
};

/// A function's steps and its temporary arena.
struct Schedule {
  std::vector<Step> steps;
  uint64_t temporarySize = 0;
};

/// Reads the schedule of `function` off its body. `symbols` are those of its
/// module, `argumentRanges` the buffers of its arguments. The arena can be cut
/// into buffers of `maxArenaBuffer` bytes.
llvm::FailureOr<Schedule>
buildSchedule(mlir::func::FuncOp function, const mlir::SymbolTable &symbols,
              const KernelTable &kernels, ConstantPool &constants,
              llvm::ArrayRef<executable::BufferRange> argumentRanges,
              uint64_t maxArenaBuffer);

} // namespace dml

#endif // DML_LIB_EXECUTABLE_SCHEDULE_H
