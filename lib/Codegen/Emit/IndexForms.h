//===- IndexForms.h - Index arithmetic as linear forms ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_INDEXFORMS_H
#define DML_LIB_CODEGEN_EMIT_INDEXFORMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <optional>
#include <vector>

namespace dml {

/// A sum of multiples of atoms (numbered by an IndexForms) and a constant.
struct LinearForm {
  using Term = std::pair<unsigned, int64_t>;

  /// Atoms in increasing order with their coefficients, none of which is 0.
  llvm::SmallVector<Term, 4> terms;
  int64_t constant = 0;

  LinearForm() = default;
  LinearForm(int64_t constant) : constant(constant) {}

  bool isConstant() const { return terms.empty(); }
  /// The greatest common divisor of the coefficients, 0 if there are none.
  int64_t getCommonDivisor() const;
  bool operator==(const LinearForm &other) const {
    return constant == other.constant && terms == other.terms;
  }
  bool operator<(const LinearForm &other) const {
    return std::tie(terms, constant) < std::tie(other.terms, other.constant);
  }
};

/// The numbers from `min` to `max`.
struct IndexRange {
  int64_t min, max;

  bool contains(IndexRange other) const {
    return min <= other.min && other.max <= max;
  }
  IndexRange getUnion(IndexRange other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }
};

/// The index arithmetic of one thread, kept symbolic until a value is wanted.
///
/// The elements that a thread computes have coordinates that differ by
/// constants. As linear forms over the same atoms, the addresses computed from
/// the coordinates differ by constants too, even behind divisions and
/// remainders by constants; ranges decide comparisons; and equal values are
/// built once. (Affine expressions of MLIR do not distribute products over
/// sums, nor do they know ranges.)
///
/// Atoms are the thread's number, quotients and remainders of forms, and values
/// about which no more than a range is known. Numbers are signed, and below
/// 2^62 in magnitude wherever a form stands for them.
///
/// An example: the output has 3 rows of 8 floats, each thread stores 4, and the
/// element at (row, column) is input[2 - row][column]. Thread t, below 6, has
/// the elements at 4 t + i for i from 0 to 3.
///
///   row    = (4 t + i) / 8 = q          where q = t / 2 is an atom,
///   column = (4 t + i) % 8 = 4 r + i    where r = t % 2 is one, too:
///
/// 4 divides 4 t and 8, so that the four lanes have one quotient, and i stays
/// in the remainder. The input is read at
///
///   8 (2 - q) + 4 r + i = 16 - 8 q + 4 r + i.
///
/// The four addresses differ by i alone, and the sum of the other terms is a
/// multiple of 4: the four elements are vector number 4 - 2 q + r, and take one
/// load.
///
/// A quotient and a remainder that are added up again become their dividend:
/// 8 q + 4 r is 4 t, since 2 q + r is t. Without the flip of the rows, the
/// addresses are 4 t + i, and the kernel has no division.
///
/// With rows of 5 floats, 4 t + i for different i may lie in different rows.
/// 4 t is divided by 5 for all of them, and (4 t) % 5 + i is compared with 5:
/// where it is as large, 1 carries to the row and 5 less remain.
///
/// Ranges decide comparisons: max(q - 1, 0) stays a maximum, since q is from 0
/// to 2. For the threads whose q is 1 or 2 it is q - 1; these are the interior,
/// a box of ranges of atoms, for which a kernel may have a path of its own.
class IndexForms {
public:
  using Value = mlir::Value;

  /// Forms of the number `thread`, which is below `count`.
  IndexForms(Value thread, int64_t count);
  IndexForms(IndexForms &&) = default;

  /// Ranges that some atoms are in.
  using Box = std::map<unsigned, IndexRange>;

  /// The forms forget at the end of a scope which values were built within the
  /// scope. A kernel opens a scope for the body of a loop or of a condition,
  /// since the code behind the body cannot use the values of the body: where
  /// both the body and the code behind it want 4 t, the product is built twice.
  class Scope {
  public:
    explicit Scope(IndexForms &forms);
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope();

  private:
    IndexForms &forms;
    /// The sizes that the logs of the forms had where the scope began.
    const size_t numAtoms, numChanges, numDivided, numOpaque, numWithin,
        numUndecided, numValues, numExtremes, numCarried;
    Box assumed;
  };

  /// Returns forms over the same atoms that have built no value but the
  /// thread's number.
  IndexForms getUnbuilt() const;
  /// Returns forms over the same atoms for code that runs only for threads in
  /// `box`. The code may use the values that these forms have built.
  IndexForms getNarrowed(mlir::ImplicitLocOpBuilder &b, const Box &box);

  LinearForm getThread() const;
  /// Returns the form of `value`, which lies in `range`.
  LinearForm getOpaque(Value value,
                       IndexRange range = {-maxMagnitude, maxMagnitude});

  /// Returns the form of a value that varies within a loop, such as the loop's
  /// counter. A sum adds such values last, so that the sum of the other terms
  /// moves out of the loop.
  LinearForm getVarying(Value value, IndexRange range);

  /// Returns `form` with the knowledge that it lies in `range` wherever the
  /// result counts. A load's coordinate, for example, lies inside of the
  /// buffer, however little is known of a gather's index. Without the range,
  /// products of the coordinate might be too large for a form.
  LinearForm getWithin(const LinearForm &form, IndexRange range);

  /// Returns the numbers that `form` may be under the assumptions so far.
  IndexRange getRange(const LinearForm &form) const {
    return getRange(form, assumed);
  }
  /// The numbers that `form` may be where atoms are in `box`.
  IndexRange getRange(const LinearForm &form, const Box &box) const;

  /// Assumes from here on that `nonNegative` is not negative, which narrows the
  /// ranges that getRange() returns. A value that is built once may also be
  /// used by code for which the assumption does not hold. Its code must not
  /// depend on the assumption, and callers that build such a value pass an
  /// empty box to getRange(), which then ignores all assumptions.
  void assume(const LinearForm &nonNegative);
  /// Takes back all assumptions.
  void assumeNothing() { assumed.clear(); }

  using Builder = mlir::ImplicitLocOpBuilder;
  LinearForm add(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm sub(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm mul(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm min(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm max(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  /// Quotient and remainder of `form`, which is not negative, by `divisor`.
  std::pair<LinearForm, LinearForm> divide(Builder &b, const LinearForm &form,
                                           int64_t divisor);
  /// Whether `form` is at least 0, if its range tells.
  std::optional<bool> isNonNegative(const LinearForm &form);

  /// The value of `form`, built at most once.
  Value materialize(Builder &b, const LinearForm &form);

  /// A form beside another one: the other is `form` or `form` + `offset`, and
  /// `offset` is 1 or -1.
  struct Neighbour {
    LinearForm form;
    int64_t offset;
    /// Two quotients: where they are equal, so are the two forms.
    LinearForm quotient, other;
  };
  /// The neighbours of `form` by the quotients that are known so far. For
  /// example, q = t / 2 is a neighbour of r = (t + 1) / 2 with the offset 1,
  /// since r is q or q + 1.
  std::vector<Neighbour> getNeighbours(const LinearForm &form) const;

  /// Returns the interior: the threads for which all comparisons that ranges
  /// have not decided so far have the same outcome as for a thread in the
  /// middle. The box has ranges of atoms that depend on the thread's number
  /// alone. A subgroup with threads inside and outside of the box runs both
  /// paths, so that the box leaves out atoms whose ranges divide more than
  /// `maxDivergence` of the subgroups.
  Box getInterior(double maxDivergence) const;
  /// Returns the share of subgroups that have a thread outside of `box`, as a
  /// sample of subgroups shows.
  double getDivergence(const Box &box) const;
  /// Builds whether the thread lies in `box`.
  Value buildIsInside(Builder &b, const Box &box);

private:
  /// Forms are copied by getNarrowed alone.
  IndexForms(const IndexForms &) = default;

  static constexpr int64_t maxMagnitude = int64_t(1) << 62;

  /// A map whose last entries can be taken back, the last one first.
  template <typename Key, typename T>
  using LoggedMap = llvm::MapVector<Key, T, std::map<Key, unsigned>>;

  struct Atom {
    enum Kind { Thread, Quotient, Remainder, Opaque } kind;
    IndexRange range;
    /// Whether the atom depends on the thread's number alone.
    bool ofThread;
    /// The operand of an atom that is a quotient or a remainder.
    LinearForm dividend;
    int64_t divisor = 0;
    /// The value of the atom, null until it is built.
    Value value;
    /// A remainder's quotient, a quotient's remainder.
    std::optional<unsigned> partner = std::nullopt;
    /// Whether the atom depends on a value that getVarying has taken, and so
    /// changes from one iteration of a loop to the next.
    bool varies = false;
  };

  /// Returns atom `number` to be changed. The end of a scope undoes the change.
  Atom &change(unsigned number) {
    changes.emplace_back(number, atoms[number]);
    return atoms[number];
  }
  LinearForm getAtom(unsigned atom) const;
  LinearForm getDivided(Atom::Kind kind, const LinearForm &dividend,
                        int64_t divisor);
  std::optional<LinearForm>
  tryJoin(const LinearForm &lhs, const LinearForm &rhs, int64_t factor) const;
  std::optional<LinearForm> tryAdd(const LinearForm &lhs, const LinearForm &rhs,
                                   int64_t factor) const;
  std::optional<IndexRange> tryGetRange(const LinearForm &form,
                                        const Box &box = {}) const;
  void joinDivided(LinearForm &form) const;
  template <typename Op>
  Value build(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  template <typename Op>
  LinearForm getExtreme(Builder &b, const LinearForm &lhs,
                        const LinearForm &rhs, IndexRange range);
  std::pair<LinearForm, LinearForm> buildCarry(Builder &b,
                                               const LinearForm &sum,
                                               const LinearForm &beyond,
                                               int64_t divisor);
  int64_t evaluate(const LinearForm &form, int64_t thread) const;
  Value materializeAtom(Builder &b, unsigned atom);
  Value materializeTerms(Builder &b, llvm::ArrayRef<LinearForm::Term> terms);
  Value getConstant(Builder &b, int64_t value);

  std::vector<Atom> atoms;
  /// The atoms that were changed, as they were before, in the order of the
  /// changes.
  std::vector<std::pair<unsigned, Atom>> changes;
  /// The ranges of atoms under the assumptions so far.
  Box assumed;
  /// Of narrowed forms, the number of atoms that they share with the forms
  /// which they were made of.
  unsigned numShared = std::numeric_limits<unsigned>::max();
  LoggedMap<std::tuple<int, LinearForm, int64_t>, unsigned> divided;
  llvm::MapVector<Value, unsigned> opaque;
  /// The atoms that getWithin has made, by the atom that each stands for and
  /// the range that it is in.
  LoggedMap<std::tuple<unsigned, int64_t, int64_t>, unsigned> within;
  /// Forms of one atom that were compared with 0, undecided.
  std::vector<LinearForm> undecided;
  LoggedMap<LinearForm, Value> values;
  /// Minima and maxima.
  LoggedMap<std::tuple<bool, LinearForm, LinearForm>, Value> extremes;
  /// Carries and remainders, by the sum that they are of.
  LoggedMap<std::pair<LinearForm, int64_t>, std::pair<LinearForm, LinearForm>>
      carried;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_INDEXFORMS_H
