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

/// A linear form: a constant plus a sum of atoms, each times a coefficient. An
/// atom is a number that IndexForms has no linear form for, such as the
/// thread's index or a quotient.
struct LinearForm {
  using Term = std::pair<unsigned, int64_t>;

  /// The terms of the form: each is the index of an atom with the atom's
  /// coefficient, which is not 0. The terms are ordered by these indices.
  llvm::SmallVector<Term, 4> terms;
  int64_t constant = 0;

  LinearForm() = default;
  LinearForm(int64_t constant) : constant(constant) {}

  bool isConstant() const { return terms.empty(); }
  /// Returns the greatest common divisor of the coefficients, or 0 if there are
  /// no atoms.
  int64_t getCommonDivisor() const;
  bool operator==(const LinearForm &other) const {
    return constant == other.constant && terms == other.terms;
  }
  bool operator<(const LinearForm &other) const {
    return std::tie(terms, constant) < std::tie(other.terms, other.constant);
  }
};

/// The numbers from `min` to `max`, both included.
struct IndexRange {
  int64_t min, max;

  bool contains(IndexRange other) const {
    return min <= other.min && other.max <= max;
  }
  IndexRange getUnion(IndexRange other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }
};

/// Builds the index arithmetic of one thread from linear forms, and creates
/// operations only for the forms whose values are needed.
///
/// The coordinates of the elements that a thread computes differ by constants.
/// The addresses that are computed from these coordinates are linear forms of
/// the same atoms, and often differ by constants as well, even after divisions
/// by constants (see the example). Ranges of atoms decide comparisons, and
/// equal values are built only once. (Affine expressions of MLIR do not
/// distribute products over sums, and have no ranges.)
///
/// Atoms are the thread's index, quotients and remainders of forms, and values
/// of which only a range is known. All numbers are signed. A form exists only
/// for numbers of at most 2^62 in magnitude.
///
/// An example: the output has 3 rows of 8 floats, each thread stores 4, and the
/// element at (row, column) is input[2 - row][column]. Thread t, below 6, has
/// the elements at 4 t + i for i from 0 to 3.
///
///   row    = (4 t + i) / 8 = q          where q = t / 2 is an atom,
///   column = (4 t + i) % 8 = 4 r + i    where r = t % 2 is an atom, too.
///
/// All four elements have the same quotient, since 4 divides both 4 t and 8,
/// and i becomes a part of the remainder. The input is read at
///
///   8 (2 - q) + 4 r + i = 16 - 8 q + 4 r + i.
///
/// The four addresses differ by i alone, and the sum of the other terms is a
/// multiple of 4: one load of vector number 4 - 2 q + r returns all four
/// elements.
///
/// The sum of a quotient and its remainder, each with its factor, is the
/// dividend again: 8 q + 4 r is 4 t, since 2 q + r is t. Without the flip of
/// the rows, the addresses are 4 t + i, and the kernel has no division.
///
/// With rows of 5 floats, the elements 4 t + i of a thread may lie in different
/// rows. The code then divides 4 t by 5 once for all elements. If the remainder
/// plus i is at least 5, the element's row is one higher, and its column is
/// that sum minus 5.
///
/// Ranges decide comparisons. q is from 0 to 2, so that max(q - 1, 0) needs an
/// operation. For the threads whose q is 1 or 2, however, the maximum is q - 1.
/// Such threads are the interior. A box describes the interior by ranges of
/// atoms, here by the range 1 to 2 of q. A kernel may have a separate path of
/// cheaper code for the interior.
class IndexForms {
public:
  using Value = mlir::Value;

  /// Creates the forms of a kernel's thread. `thread` is the thread's index,
  /// from 0 to `count` - 1.
  IndexForms(Value thread, int64_t count);
  IndexForms(IndexForms &&) = default;

  /// A condition on atoms: the value of each atom in the map lies in the range
  /// that the map gives for it.
  using Box = std::map<unsigned, IndexRange>;

  /// While a scope exists, the forms remember which values they build. When the
  /// scope ends, they forget these values. A kernel opens a scope for the body
  /// of a loop or of a condition, since the code behind the body cannot use
  /// values that were built in the body. If the body and the code behind it
  /// both use 4 t, the product is built twice.
  class Scope {
  public:
    explicit Scope(IndexForms &forms);
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope();

  private:
    IndexForms &forms;
    /// The sizes of the tables of linear forms, of their variables (atoms) and
    /// of built values at the beginning of the scope. The end of the scope
    /// removes later entries, and takes back later changes of atoms.
    const size_t numAtoms, numChanges, numDivided, numOpaque, numWithin,
        numUndecided, numValues, numExtremes, numCarried;
    Box assumed;
  };

  /// Returns forms for a second path of the code, for threads whose indices
  /// need no clamping. The forms of both paths have the same atoms. The second
  /// path builds the values of the atoms again, since it cannot use a value
  /// that was built in the first. Only the value of the thread's index, which
  /// is built before both paths, is kept.
  IndexForms getUnbuilt() const;
  /// Returns forms for code that runs only where the value of each atom in
  /// `box` lies in the range that `box` gives for it. The code may use the
  /// values that these forms have built.
  IndexForms getNarrowed(mlir::ImplicitLocOpBuilder &b, const Box &box);

  LinearForm getThread() const;
  /// Returns the form of `value`, which lies in `range`, as an atom.
  LinearForm getOpaque(Value value,
                       IndexRange range = {-maxMagnitude, maxMagnitude});

  /// Returns the form of a value that varies within a loop, such as the
  /// induction variable. Sums add varying values last, so that the
  /// loop-invariant rest of a sum moves out of the loop.
  LinearForm getVarying(Value value, IndexRange range);

  /// Returns `form` with the knowledge that its number lies in `range` wherever
  /// the result is used. For example, the coordinate of a load always lies
  /// inside of the buffer, although nothing is known about the index of a
  /// gather that computes the coordinate. Without the range, products of the
  /// coordinate might exceed the numbers that a form can have.
  LinearForm getWithin(const LinearForm &form, IndexRange range);

  /// Returns the range of `form` under the present assumptions.
  IndexRange getRange(const LinearForm &form) const {
    return getRange(form, assumed);
  }
  /// Returns the range of `form`, where each atom in `box` has its range from
  /// `box` and all other atoms have their own ranges. Assumptions are ignored.
  IndexRange getRange(const LinearForm &form, const Box &box) const;

  /// Assumes from now on that `nonNegative` is at least 0. The assumption
  /// narrows the ranges that getRange(form) returns. For example, the code for
  /// an element that is selected if n >= 0 is built under the assumption that n
  /// is at least 0. A value that is built once for several uses must not rely
  /// on an assumption, which may be false at the other uses. The range of such
  /// a value is getRange(form, {}), which ignores assumptions.
  void assume(const LinearForm &nonNegative);
  /// Takes back all assumptions.
  void assumeNothing() { assumed.clear(); }

  using Builder = mlir::ImplicitLocOpBuilder;
  LinearForm add(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm sub(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm mul(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm min(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  LinearForm max(Builder &b, const LinearForm &lhs, const LinearForm &rhs);
  /// Returns the quotient and the remainder of `form`, whose values are at
  /// least 0, by `divisor`.
  std::pair<LinearForm, LinearForm> divide(Builder &b, const LinearForm &form,
                                           int64_t divisor);
  /// Returns whether `form` is at least 0, or nothing if the range of `form`
  /// does not decide.
  std::optional<bool> isNonNegative(const LinearForm &form);

  /// Returns the value of `form`, which is built at most once.
  Value materialize(Builder &b, const LinearForm &form);

  /// Two elements that can replace a load. The load reads the element at p, a
  /// linear form that always equals either `form` or `form` + `offset`, where
  /// `offset` is 1 or -1. A selection between the elements at `form` and at
  /// `form` + `offset` therefore replaces the load. The selection saves the
  /// load if a thread loads both elements anyway.
  struct Neighbour {
    LinearForm form;
    int64_t offset;
    /// The two quotients whose comparison selects the element. The load's
    /// position p contains `quotient`, and `form` contains `other` in the same
    /// place. p equals `form` if the two quotients are equal, and `form` +
    /// `offset` otherwise. If p is (t + 1) / 2 and `form` is t / 2, the
    /// quotients are p and `form` themselves.
    LinearForm quotient, other;
  };
  /// Returns the forms whose values differ from the value of `form` by at most
  /// 1. The quotients that have been built so far are compared. For example, q
  /// = t / 2 is a neighbour of r = (t + 1) / 2 with the offset 1, since r is
  /// either q or q + 1.
  std::vector<Neighbour> getNeighbours(const LinearForm &form) const;

  /// Returns ranges of atoms that describe the interior: the threads whose
  /// indices need no clamping. Comparisons that the known ranges do not decide
  /// are mostly clamps, whose outcome differs only near the borders of a
  /// tensor. The interior therefore consists of the threads for which each such
  /// comparison has the same outcome as for the middle of its atom's range.
  /// Only atoms that are functions of the thread's index get a range. A
  /// subgroup with threads both inside and outside of the interior executes the
  /// code for both. An atom therefore gets no range if its range alone would
  /// put a thread of too many subgroups outside of the interior, more than the
  /// share `maxDivergence`. The comparisons of such an atom stay in the code
  /// for the interior.
  Box getInterior(double maxDivergence) const;
  /// Estimates, from a sample of subgroups, the share of subgroups that have a
  /// thread outside of `box`: one of the variables (atoms) in `box` lies
  /// outside of its range there.
  double getDivergence(const Box &box) const;
  /// Builds the condition that the thread's atoms lie in the ranges of `box`.
  Value buildIsInside(Builder &b, const Box &box);

private:
  /// The copy constructor is private, since only getNarrowed() copies forms.
  IndexForms(const IndexForms &) = default;

  static constexpr int64_t maxMagnitude = int64_t(1) << 62;

  /// A map that can remove its latest entries at the end of a scope.
  template <typename Key, typename T>
  using LoggedMap = llvm::MapVector<Key, T, std::map<Key, unsigned>>;

  struct Atom {
    enum Kind { Thread, Quotient, Remainder, Opaque } kind;
    IndexRange range;
    /// Whether the atom is a function of the thread's index alone.
    bool ofThread;
    /// The dividend, if the atom is a quotient or a remainder.
    LinearForm dividend;
    int64_t divisor = 0;
    /// The value of the atom, null until it is built.
    Value value;
    /// The index of the atom that is the other result of the same division: the
    /// remainder if this atom is the quotient, and the quotient if it is the
    /// remainder.
    std::optional<unsigned> partner = std::nullopt;
    /// Whether the atom depends on a value that was given to getVarying(). The
    /// atom's value then changes between iterations of a loop.
    bool varies = false;
  };

  /// Returns atom `number` so that the caller can modify it. The end of the
  /// present scope undoes the modification.
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
  /// The earlier states of changed atoms, in the order of the changes.
  std::vector<std::pair<unsigned, Atom>> changes;
  /// The ranges of atoms under the assumptions so far.
  Box assumed;
  /// In forms that getNarrowed() made for the code inside of a branch: the
  /// number of atoms that these forms inherit from the forms of the code around
  /// the branch. The inherited atoms have the indices below `numShared`. Only
  /// inherited atoms can be narrowed further, since the condition that narrows
  /// an atom is built in the code around the branch.
  unsigned numShared = std::numeric_limits<unsigned>::max();
  LoggedMap<std::tuple<int, LinearForm, int64_t>, unsigned> divided;
  llvm::MapVector<Value, unsigned> opaque;
  /// The atoms for numbers that are known to lie in a narrower range where they
  /// are used (getWithin()). A key is the number's original atom with the
  /// narrower range.
  LoggedMap<std::tuple<unsigned, int64_t, int64_t>, unsigned> within;
  /// Forms that the kernel compares with 0, since their ranges do not decide
  /// whether they are negative. Each of these forms has a single atom.
  std::vector<LinearForm> undecided;
  LoggedMap<LinearForm, Value> values;
  /// The minima and maxima that have been built.
  LoggedMap<std::tuple<bool, LinearForm, LinearForm>, Value> extremes;
  /// The carries and remainders that buildCarry() has built. A key is the sum
  /// that was divided, with the divisor.
  LoggedMap<std::pair<LinearForm, int64_t>, std::pair<LinearForm, LinearForm>>
      carried;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_INDEXFORMS_H
