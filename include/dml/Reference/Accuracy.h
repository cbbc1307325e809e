//===- Accuracy.h - How far arithmetic may be off ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_REFERENCE_ACCURACY_H
#define DML_REFERENCE_ACCURACY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dml::reference {

/// The operations of dml/Reference/Accuracy.def.
enum class Arithmetic : unsigned {
#define DML_ACCURACY(NAME, WHAT, BOUND, ULPS, ULPS_PER_UNIT, ABSOLUTE) NAME,
#include "dml/Reference/Accuracy.def"
};

/// How far an operation may be off. dml/Reference/Accuracy.def describes the
/// members.
struct Accuracy {
  llvm::StringLiteral what, bound;
  double ulps, ulpsPerUnit, absolute;
};

inline constexpr Accuracy accuracies[] = {
#define DML_ACCURACY(NAME, WHAT, BOUND, ULPS, ULPS_PER_UNIT, ABSOLUTE)         \
  {WHAT, BOUND, ULPS, ULPS_PER_UNIT, ABSOLUTE},
#include "dml/Reference/Accuracy.def"
};

constexpr const Accuracy &getAccuracy(Arithmetic operation) {
  return accuracies[static_cast<unsigned>(operation)];
}

/// Returns the bound in words, with its numbers: "2^-21", "3 + 2 |x| ULP".
std::string describeBound(const Accuracy &accuracy);

/// What the interpreter computes with on a thread, while an object of this type
/// exists there.
class ArithmeticLog {
public:
  ArithmeticLog();
  ~ArithmeticLog();
  ArithmeticLog(const ArithmeticLog &) = delete;

  bool has(Arithmetic operation) const;
  /// Whether floats were added up in f32, which includes those that are added
  /// up in a certain order.
  bool addsFloats() const;
  /// Returns the numbers of bits of the integers that were added up, in
  /// ascending order.
  llvm::SmallVector<unsigned> getAddedWidths() const;

  /// Remember what was computed on this thread.
  static void note(Arithmetic operation) {
    seen |= uint64_t(1) << static_cast<unsigned>(operation);
  }
  static void noteOrderedSum() { seen |= orderedSum; }
  /// Remembers a sum of integers of `width` bits, 8 to 64.
  static void noteIntegerSum(unsigned width) { seen |= firstWidth * width; }

private:
  static constexpr uint64_t orderedSum = uint64_t(1) << 48;
  /// The width 8 is bit 53, and 64 is bit 56.
  static constexpr uint64_t firstWidth = uint64_t(1) << 50;
  static_assert(std::size(accuracies) <= 48, "the operations have 48 bits");
  static thread_local uint64_t seen;
};

/// Remembers `operation` and returns how far it may be off.
inline const Accuracy &use(Arithmetic operation) {
  ArithmeticLog::note(operation);
  return getAccuracy(operation);
}

} // namespace dml::reference

#endif // DML_REFERENCE_ACCURACY_H
