//===- IndexForms.cpp - Index arithmetic as linear forms ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/IndexForms.h"
#include "dml/Target/DeviceProfile.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

using Int128 = __int128;

int64_t LinearForm::getCommonDivisor() const {
  int64_t common = 0;
  for (Term term : terms)
    common = std::gcd(common, term.second);
  return common;
}

IndexForms::IndexForms(Value thread, int64_t count) {
  atoms.push_back(
      {Atom::Thread, {0, count - 1}, /*ofThread=*/true, {}, 0, thread});
}

IndexForms::Scope::Scope(IndexForms &forms)
    : forms(forms), numAtoms(forms.atoms.size()),
      numChanges(forms.changes.size()), numDivided(forms.divided.size()),
      numOpaque(forms.opaque.size()), numWithin(forms.within.size()),
      numUndecided(forms.undecided.size()), numValues(forms.values.size()),
      numExtremes(forms.extremes.size()), numCarried(forms.carried.size()),
      assumed(forms.assumed) {}

IndexForms::Scope::~Scope() {
  auto shrink = [](auto &log, size_t size) {
    while (log.size() > size)
      log.pop_back();
  };
  for (; forms.changes.size() > numChanges; forms.changes.pop_back()) {
    auto &[number, before] = forms.changes.back();
    forms.atoms[number] = std::move(before);
  }
  shrink(forms.atoms, numAtoms);
  shrink(forms.divided, numDivided);
  shrink(forms.opaque, numOpaque);
  shrink(forms.within, numWithin);
  shrink(forms.undecided, numUndecided);
  shrink(forms.values, numValues);
  shrink(forms.extremes, numExtremes);
  shrink(forms.carried, numCarried);
  forms.assumed = std::move(assumed);
}

IndexForms IndexForms::getUnbuilt() const {
  IndexForms result(atoms.front().value, atoms.front().range.max + 1);
  result.atoms = atoms;
  result.divided = divided;
  for (Atom &atom : MutableArrayRef(result.atoms).drop_front())
    atom.value = Value();
  return result;
}

IndexForms IndexForms::getNarrowed(Builder &b, const Box &box) {
  IndexForms result = *this;
  result.values.clear();
  result.extremes.clear();
  result.carried.clear();
  result.undecided.clear();
  result.numShared = atoms.size();
  for (auto [atom, range] : box) {
    // In the branch for which the narrowed forms are made, the value lies in
    // `range`, so that the maximum and the minimum do not change the value.
    // They state the range for integer range analysis, which does not learn the
    // range from the condition of a branch.
    Value value = materializeAtom(b, atom);
    value = arith::MaxSIOp::create(b, value, result.getConstant(b, range.min));
    value = arith::MinSIOp::create(b, value, result.getConstant(b, range.max));
    result.atoms[atom].value = value;
    result.atoms[atom].range = range;
  }
  return result;
}

LinearForm IndexForms::getThread() const { return getAtom(0); }

LinearForm IndexForms::getOpaque(Value value, IndexRange range) {
  auto [position, isNew] = opaque.try_emplace(value, atoms.size());
  if (isNew)
    atoms.push_back({Atom::Opaque, range, /*ofThread=*/false, {}, 0, value});
  return getAtom(position->second);
}

LinearForm IndexForms::getVarying(Value value, IndexRange range) {
  LinearForm form = getOpaque(value, range);
  if (!form.isConstant())
    change(form.terms.front().first).varies = true;
  return form;
}

LinearForm IndexForms::getWithin(const LinearForm &form, IndexRange range) {
  if (form.constant || form.terms.size() != 1 ||
      form.terms.front().second != 1 || range.contains(getRange(form, {})))
    return form;
  unsigned atom = form.terms.front().first;
  if (atoms[atom].kind != Atom::Opaque)
    return form;
  IndexRange known = atoms[atom].range;
  range = {std::max(range.min, known.min), std::min(range.max, known.max)};
  if (range.min > range.max)
    return form; // The code never runs.
  auto [position, isNew] =
      within.try_emplace({atom, range.min, range.max}, atoms.size());
  if (isNew) {
    atoms.push_back(atoms[atom]);
    atoms.back().range = range;
  }
  return getAtom(position->second);
}

LinearForm IndexForms::getAtom(unsigned atom) const {
  IndexRange range = atoms[atom].range;
  if (range.min == range.max)
    return range.min;
  LinearForm form;
  form.terms.push_back({atom, 1});
  return form;
}

std::optional<IndexRange> IndexForms::tryGetRange(const LinearForm &form,
                                                  const Box &box) const {
  Int128 min = form.constant, max = form.constant;
  for (auto [atom, coefficient] : form.terms) {
    auto narrowed = box.find(atom);
    IndexRange range =
        narrowed == box.end() ? atoms[atom].range : narrowed->second;
    Int128 low = static_cast<Int128>(coefficient) * range.min;
    Int128 high = static_cast<Int128>(coefficient) * range.max;
    min += std::min(low, high);
    max += std::max(low, high);
  }
  if (min < -maxMagnitude || max > maxMagnitude)
    return std::nullopt;
  IndexRange range = {static_cast<int64_t>(min), static_cast<int64_t>(max)};
  // n * (F / n) is F minus a remainder below n. The range of x - 2 * (x / 2),
  // for example, is 0 to 1, although the ranges of x and of x / 2 alone would
  // give a wider range. Quotients whose dividend F may be negative are skipped:
  // kernels divide max(F, 0) instead, so that the remainder may be negative.
  for (LinearForm::Term term : form.terms) {
    const Atom &quotient = atoms[term.first];
    if (quotient.kind != Atom::Quotient ||
        term.second % quotient.divisor != 0 ||
        getRange(quotient.dividend, {}).min < 0)
      continue;
    int64_t factor = term.second / quotient.divisor;
    LinearForm rest = form;
    llvm::erase(rest.terms, term);
    std::optional<LinearForm> joined = tryJoin(rest, quotient.dividend, factor);
    // tryGetRange() calls itself for shorter forms only, so that the recursion
    // terminates.
    if (!joined || joined->terms.size() + 1 >= form.terms.size() ||
        !tryGetRange(*joined))
      continue;
    IndexRange known = getRange(*joined, box);
    int64_t remainder = -factor * (quotient.divisor - 1);
    // The two ranges may be disjoint in code that never runs.
    IndexRange common = {
        std::max(range.min, known.min + std::min<int64_t>(remainder, 0)),
        std::min(range.max, known.max + std::max<int64_t>(remainder, 0))};
    if (common.min <= common.max)
      range = common;
  }
  return range;
}

IndexRange IndexForms::getRange(const LinearForm &form, const Box &box) const {
  return tryGetRange(form, box).value_or(
      IndexRange{-maxMagnitude, maxMagnitude});
}

void IndexForms::assume(const LinearForm &nonNegative) {
  if (nonNegative.terms.size() != 1)
    return;
  auto [atom, coefficient] = nonNegative.terms.front();
  IndexRange &range =
      assumed.try_emplace(atom, atoms[atom].range).first->second;
  if (coefficient > 0)
    range.min = std::max(
        range.min, llvm::divideCeilSigned(-nonNegative.constant, coefficient));
  else
    range.max = std::min(
        range.max, llvm::divideFloorSigned(-nonNegative.constant, coefficient));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Replaces n * (F / n) + F % n by F. Such sums occur where a body splits a
/// coordinate into two and computes the coordinate again.
void IndexForms::joinDivided(LinearForm &form) const {
  for (auto [atom, coefficient] : form.terms) {
    const Atom &remainder = atoms[atom];
    if (remainder.kind != Atom::Remainder || !remainder.partner)
      continue;
    LinearForm::Term partner(*remainder.partner, 0);
    if (llvm::MulOverflow(coefficient, remainder.divisor, partner.second) ||
        !llvm::is_contained(form.terms, partner))
      continue;
    LinearForm rest = form;
    llvm::erase_if(rest.terms, [&, atom = atom](LinearForm::Term term) {
      return term.first == atom || term == partner;
    });
    if (auto joined = tryAdd(rest, remainder.dividend, coefficient))
      form = *joined;
    return;
  }
}

/// Returns lhs + factor * rhs, or nothing if a coefficient or the constant
/// exceeds 64 bits. The values of a form must be at most 2^62 in magnitude
/// (maxMagnitude). The caller must verify this for the result with
/// tryGetRange().
std::optional<LinearForm> IndexForms::tryJoin(const LinearForm &lhs,
                                              const LinearForm &rhs,
                                              int64_t factor) const {
  bool overflow = false;
  auto multiplyAdd = [&](int64_t a, int64_t b) {
    int64_t product, sum;
    overflow |= llvm::MulOverflow(b, factor, product);
    overflow |= llvm::AddOverflow(a, product, sum);
    return sum;
  };
  LinearForm sum = multiplyAdd(lhs.constant, rhs.constant);
  const auto *l = lhs.terms.begin(), *r = rhs.terms.begin();
  while (l != lhs.terms.end() || r != rhs.terms.end()) {
    bool takeLeft =
        r == rhs.terms.end() || (l != lhs.terms.end() && l->first <= r->first);
    bool takeRight =
        l == lhs.terms.end() || (r != rhs.terms.end() && r->first <= l->first);
    LinearForm::Term term(
        takeLeft ? l->first : r->first,
        multiplyAdd(takeLeft ? l->second : 0, takeRight ? r->second : 0));
    l += takeLeft;
    r += takeRight;
    if (term.second)
      sum.terms.push_back(term);
  }
  if (overflow)
    return std::nullopt;
  joinDivided(sum);
  return sum;
}

/// Returns lhs + factor * rhs. Returns nothing if the sum, for the ranges of
/// its variables, may exceed 2^62 in magnitude, which is the limit for the
/// values of a form (maxMagnitude).
std::optional<LinearForm> IndexForms::tryAdd(const LinearForm &lhs,
                                             const LinearForm &rhs,
                                             int64_t factor) const {
  std::optional<LinearForm> sum = tryJoin(lhs, rhs, factor);
  if (sum && !tryGetRange(*sum))
    return std::nullopt;
  return sum;
}

/// Builds `Op` of the values of two forms. The left value is built in a
/// statement of its own: C++ compilers evaluate arguments in different orders,
/// and the code of a kernel must not depend on this order.
template <typename Op>
Value IndexForms::build(Builder &b, const LinearForm &lhs,
                        const LinearForm &rhs) {
  Value left = materialize(b, lhs);
  return Op::create(b, left, materialize(b, rhs));
}

LinearForm IndexForms::add(Builder &b, const LinearForm &lhs,
                           const LinearForm &rhs) {
  if (auto sum = tryAdd(lhs, rhs, 1))
    return *sum;
  return getOpaque(build<arith::AddIOp>(b, lhs, rhs));
}

LinearForm IndexForms::sub(Builder &b, const LinearForm &lhs,
                           const LinearForm &rhs) {
  if (auto difference = tryAdd(lhs, rhs, -1))
    return *difference;
  return getOpaque(build<arith::SubIOp>(b, lhs, rhs));
}

LinearForm IndexForms::mul(Builder &b, const LinearForm &lhs,
                           const LinearForm &rhs) {
  std::optional<LinearForm> product;
  if (rhs.isConstant())
    product = tryAdd(LinearForm(), lhs, rhs.constant);
  else if (lhs.isConstant())
    product = tryAdd(LinearForm(), rhs, lhs.constant);
  if (product)
    return *product;
  return getOpaque(build<arith::MulIOp>(b, lhs, rhs));
}

std::optional<bool> IndexForms::isNonNegative(const LinearForm &form) {
  IndexRange range = getRange(form);
  if (range.min >= 0)
    return true;
  if (range.max < 0)
    return false;
  if (form.terms.size() == 1) {
    unsigned atom = form.terms.front().first;
    if (atoms[atom].ofThread && atom < numShared)
      undecided.push_back(form);
  }
  return std::nullopt;
}

LinearForm IndexForms::min(Builder &b, const LinearForm &lhs,
                           const LinearForm &rhs) {
  if (auto known = isNonNegative(sub(b, rhs, lhs)))
    return *known ? lhs : rhs;
  IndexRange l = getRange(lhs, {}), r = getRange(rhs, {});
  return getExtreme<arith::MinSIOp>(
      b, lhs, rhs, {std::min(l.min, r.min), std::min(l.max, r.max)});
}

LinearForm IndexForms::max(Builder &b, const LinearForm &lhs,
                           const LinearForm &rhs) {
  if (auto known = isNonNegative(sub(b, lhs, rhs)))
    return *known ? lhs : rhs;
  IndexRange l = getRange(lhs, {}), r = getRange(rhs, {});
  return getExtreme<arith::MaxSIOp>(
      b, lhs, rhs, {std::max(l.min, r.min), std::max(l.max, r.max)});
}

/// Returns the minimum or the maximum (`Op`) of two forms, if the ranges of the
/// forms do not decide which one is less. The result is an atom. Its operation
/// is built only once for the same two forms.
template <typename Op>
LinearForm IndexForms::getExtreme(Builder &b, const LinearForm &lhs,
                                  const LinearForm &rhs, IndexRange range) {
  constexpr bool isMax = std::is_same_v<Op, arith::MaxSIOp>;
  Value &value = extremes[{isMax, lhs, rhs}];
  if (!value)
    value = build<Op>(b, lhs, rhs);
  return getOpaque(value, range);
}

/// Returns the quotient or the remainder of `dividend` by `divisor` as an atom.
LinearForm IndexForms::getDivided(Atom::Kind kind, const LinearForm &dividend,
                                  int64_t divisor) {
  if (getRange(dividend).max < divisor)
    return kind == Atom::Quotient ? LinearForm(0) : dividend;
  auto [position, isNew] =
      divided.try_emplace({kind, dividend, divisor}, atoms.size());
  if (isNew) {
    // An assumption (assume()) may be false at some uses of the quotient or
    // remainder, but the range must hold at all of its uses. The range is
    // therefore computed without assumptions. A negative dividend is replaced
    // by 0 before the division.
    IndexRange range = getRange(dividend, {});
    range.min = std::max<int64_t>(range.min, 0);
    int64_t step = std::gcd(divisor, dividend.getCommonDivisor());
    bool ofThread = llvm::all_of(dividend.terms, [&](LinearForm::Term term) {
      return atoms[term.first].ofThread;
    });
    if (kind == Atom::Quotient)
      range = {range.min / divisor, range.max / divisor};
    else
      range = {llvm::mod(dividend.constant, step),
               divisor - step + llvm::mod(dividend.constant, step)};
    atoms.push_back({kind, range, ofThread, dividend, divisor, Value()});
    atoms.back().varies =
        llvm::any_of(dividend.terms, [&](LinearForm::Term term) {
          return atoms[term.first].varies;
        });
    auto partner =
        divided.find({kind == Atom::Quotient ? Atom::Remainder : Atom::Quotient,
                      dividend, divisor});
    if (partner != divided.end()) {
      atoms.back().partner = partner->second;
      change(partner->second).partner = position->second;
    }
  }
  return getAtom(position->second);
}

/// Divides `sum` by `divisor`. `sum` is the sum of two numbers below `divisor`,
/// and `beyond` is `sum` - `divisor`. Returns the quotient, which is 0 or 1,
/// and the remainder.
std::pair<LinearForm, LinearForm>
IndexForms::buildCarry(Builder &b, const LinearForm &sum,
                       const LinearForm &beyond, int64_t divisor) {
  Value uncarried = materialize(b, sum);
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                          uncarried, getConstant(b, divisor));
  Value one = getConstant(b, 1), zero = getConstant(b, 0);
  LinearForm carry =
      getOpaque(arith::SelectOp::create(b, condition, one, zero), {0, 1});
  // The remainder is `sum` if `beyond` is negative, and otherwise `beyond`. If
  // both are read as unsigned numbers, the remainder is the lesser of the two,
  // since a negative number is then large. An unsigned minimum also tells range
  // analysis that the remainder is not negative.
  LinearForm rest =
      getOpaque(arith::MinUIOp::create(b, uncarried, materialize(b, beyond)),
                {0, divisor - 1});
  return {carry, rest};
}

std::pair<LinearForm, LinearForm>
IndexForms::divide(Builder &b, const LinearForm &form, int64_t divisor) {
  // The part of each coefficient that is a multiple of the divisor is divided
  // at compile time: (10 t + 7) / 4 is 2 t + 1 + (2 t + 3) / 4. Only the rest,
  // 2 t + 3, is divided by an operation.
  LinearForm quotient, rest;
  for (auto [atom, coefficient] : form.terms) {
    int64_t whole = coefficient % divisor == 0 || coefficient > 0
                        ? coefficient / divisor
                        : 0;
    if (whole)
      quotient.terms.push_back({atom, whole});
    if (int64_t remaining = coefficient - whole * divisor)
      rest.terms.push_back({atom, remaining});
  }
  rest.constant = llvm::mod(form.constant, divisor);
  quotient.constant = (form.constant - rest.constant) / divisor;
  // The values of a linear form must not exceed 2^62 in magnitude. Without its
  // constant, a form may exceed this limit. For a and b up to 3 * 2^60, a + b -
  // 2^61 is at most 2^62, but the rest that is divided by 4, a + b, may reach 6
  // * 2^60. In such a case, the whole form is divided.
  if (!tryGetRange(rest)) {
    rest = form;
    quotient = LinearForm();
  }
  IndexRange range = getRange(rest);
  int64_t shift = llvm::divideFloorSigned(range.min, divisor);
  LinearForm shifted = rest;
  shifted.constant -= shift * divisor;
  // The rest is shifted by a multiple of the divisor, so that its least value
  // is from 0 to `divisor` - 1. If x is from 0 to 3, for example, -x / 4
  // becomes (4 - x) / 4 - 1. The rest is not shifted if its values would become
  // too large, or if its range is unknown.
  if (shift && tryGetRange(shifted)) {
    rest = shifted;
    quotient.constant += shift;
    range = {range.min - shift * divisor, range.max - shift * divisor};
  }
  if (range.max < divisor)
    return {quotient, rest};

  // The common divisor of the coefficients and of the divisor is cancelled: the
  // quotient of 8 t + 3 by 12 equals the quotient of 2 t by 3.
  int64_t common = std::gcd(divisor, rest.getCommonDivisor());
  int64_t low = llvm::mod(rest.constant, common);
  for (LinearForm::Term &term : rest.terms)
    term.second /= common;
  rest.constant = (rest.constant - low) / common;
  divisor /= common;

  // The terms that depend on the thread's index alone are divided once for all
  // elements of the thread. The other terms and the constant, which differ
  // between elements, are added to the remainder of this division. The sum may
  // exceed the divisor, and then carries 1 to the quotient.
  LinearForm ofThread, added = rest.constant;
  for (LinearForm::Term term : rest.terms)
    (atoms[term.first].ofThread ? ofThread : added).terms.push_back(term);
  bool carries = !llvm::isPowerOf2_64(divisor) && !ofThread.isConstant() &&
                 !(added == LinearForm(0)) && getRange(ofThread).min >= 0 &&
                 IndexRange{0, divisor - 1}.contains(getRange(added));
  const LinearForm &dividend = carries ? ofThread : rest;
  quotient = add(b, quotient, getDivided(Atom::Quotient, dividend, divisor));
  LinearForm remainder = getDivided(Atom::Remainder, dividend, divisor);
  if (carries) {
    remainder = add(b, remainder, added);
    LinearForm beyond = sub(b, remainder, divisor);
    std::optional<bool> carry = isNonNegative(beyond);
    if (!carry) {
      auto [position, isNew] = carried.try_emplace({remainder, divisor});
      if (isNew)
        position->second = buildCarry(b, remainder, beyond, divisor);
      quotient = add(b, quotient, position->second.first);
      remainder = position->second.second;
    } else if (*carry) {
      quotient = add(b, quotient, 1);
      remainder = beyond;
    }
  }
  return {quotient, add(b, mul(b, remainder, common), low)};
}

std::vector<IndexForms::Neighbour>
IndexForms::getNeighbours(const LinearForm &form) const {
  std::vector<Neighbour> result;
  for (auto [position, coefficient] : form.terms) {
    const Atom &quotient = atoms[position];
    if (quotient.kind != Atom::Quotient || coefficient != 1 ||
        getRange(quotient.dividend, {}).min < 0)
      continue;
    for (auto [number, other] : llvm::enumerate(atoms)) {
      if (other.kind != Atom::Quotient || other.divisor != quotient.divisor ||
          other.dividend.terms != quotient.dividend.terms ||
          getRange(other.dividend, {}).min < 0)
        continue;
      int64_t distance = quotient.dividend.constant - other.dividend.constant;
      if (distance == 0 || std::abs(distance) >= quotient.divisor)
        continue;
      LinearForm mine = getAtom(position), theirs = getAtom(number);
      std::optional<LinearForm> rest = tryAdd(form, mine, -1);
      std::optional<LinearForm> sum;
      if (rest)
        sum = tryAdd(*rest, theirs, 1);
      if (sum)
        result.push_back({*sum, distance > 0 ? 1 : -1, mine, theirs});
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value IndexForms::getConstant(Builder &b, int64_t value) {
  Value &constant = values[value];
  if (!constant)
    constant = arith::ConstantIndexOp::create(b, value);
  return constant;
}

/// Whether the kernel divides max(dividend, 0) instead of a dividend of range
/// `range`. A dividend is never negative where its quotient is used, so that
/// the maximum does not change results. The maximum is for MLIR's range
/// analysis of the kernel's code: unless the analysis finds that the dividend
/// is not negative, all indices of the kernel become 64 bits wide. The analysis
/// finds this for a dividend that depends on the thread's index alone
/// (`isOfThread`). It may fail for other dividends, such as a sum with a carry,
/// and needs the maximum. A dividend that is not negative by its own range, but
/// may have more than 32 bits, makes the indices 64 bits wide in any case. A
/// maximum would then be useless, and would also lead to wrong results, since
/// arith-int-range-narrowing miscompiles it. (Test:
/// IndexForms.NoMaximumOfWideDividends.)
static bool wantsMaximum(IndexRange range, bool isOfThread) {
  return range.min < 0 || (!isOfThread && range.max <= INT32_MAX);
}

Value IndexForms::materializeAtom(Builder &b, unsigned atom) {
  if (!atoms[atom].value) {
    Value dividend = materialize(b, atoms[atom].dividend);
    if (wantsMaximum(getRange(atoms[atom].dividend, {}), atoms[atom].ofThread))
      dividend = arith::MaxSIOp::create(b, dividend, getConstant(b, 0));
    Value divisor = getConstant(b, atoms[atom].divisor);
    change(atom).value =
        atoms[atom].kind == Atom::Quotient
            ? arith::DivUIOp::create(b, dividend, divisor).getResult()
            : arith::RemUIOp::create(b, dividend, divisor).getResult();
  }
  return atoms[atom].value;
}

Value IndexForms::materializeTerms(Builder &b,
                                   ArrayRef<LinearForm::Term> terms) {
  LinearForm form;
  form.terms.append(terms.begin(), terms.end());
  auto found = values.find(form);
  if (found != values.end())
    return found->second;

  auto [atom, coefficient] = terms.back();
  Value value;
  if (terms.size() > 1) {
    Value prefix = materializeTerms(b, terms.drop_back());
    LinearForm term;
    term.terms.push_back({atom, std::abs(coefficient)});
    Value scaled = materializeTerms(b, term.terms);
    value = coefficient > 0
                ? arith::AddIOp::create(b, prefix, scaled).getResult()
                : arith::SubIOp::create(b, prefix, scaled).getResult();
  } else {
    value = materializeAtom(b, atom);
    if (coefficient != 1)
      value = arith::MulIOp::create(b, value, getConstant(b, coefficient));
  }
  values[form] = value;
  return value;
}

Value IndexForms::materialize(Builder &b, const LinearForm &form) {
  if (form.isConstant())
    return getConstant(b, form.constant);
  auto found = values.find(form);
  if (found != values.end())
    return found->second;
  Value value;
  if (form.terms.size() == 1 && form.terms.front().second == -1 &&
      form.constant) {
    value = arith::SubIOp::create(b, getConstant(b, form.constant),
                                  materializeAtom(b, form.terms.front().first));
  } else {
    SmallVector<LinearForm::Term, 4> terms;
    for (bool varies : {false, true})
      llvm::copy_if(form.terms, std::back_inserter(terms),
                    [&](const LinearForm::Term &term) {
                      return atoms[term.first].varies == varies;
                    });
    value = materializeTerms(b, terms);
    if (form.constant)
      value = arith::AddIOp::create(b, value, getConstant(b, form.constant));
  }
  values[form] = value;
  return value;
}

//===----------------------------------------------------------------------===//
// The interior
//===----------------------------------------------------------------------===//

IndexForms::Box IndexForms::getInterior(double maxDivergence) const {
  Box box;
  for (const LinearForm &form : undecided) {
    auto [atom, coefficient] = form.terms.front();
    IndexRange whole = atoms[atom].range;
    int64_t middle = whole.min + (whole.max - whole.min) / 2;
    bool wanted = coefficient * middle + form.constant >= 0;
    // `form` has a single atom. The atom's range is narrowed to the values for
    // which the comparison `form` >= 0 has the same outcome as for the middle
    // value. Most comparisons are clamps, whose outcome differs only near a
    // border of the tensor. With 2 r - 5 and r from 0 to 9, the middle value 4
    // makes the comparison true, and so do all values from 3 on: `bound` is 3,
    // and the range of r becomes 3 to 9. With 5 - 2 r, the comparison is false
    // for these values, and the range is the same. With 2 r - 15 or 15 - 2 r,
    // the values up to `bound`, which is 7, have the outcome of the middle
    // value.
    int64_t bound = (coefficient > 0) == wanted
                        ? llvm::divideCeilSigned(
                              -form.constant - (wanted ? 0 : 1), coefficient)
                        : llvm::divideFloorSigned(
                              -form.constant - (wanted ? 0 : 1), coefficient);
    IndexRange &range = box.try_emplace(atom, whole).first->second;
    if ((coefficient > 0) == wanted)
      range.min = std::max(range.min, bound);
    else
      range.max = std::min(range.max, bound);
  }
  for (auto position = box.begin(); position != box.end();)
    position = getDivergence(Box{*position}) > maxDivergence
                   ? box.erase(position)
                   : std::next(position);
  return box;
}

int64_t IndexForms::evaluate(const LinearForm &form, int64_t thread) const {
  int64_t sum = form.constant;
  for (auto [number, coefficient] : form.terms) {
    const Atom &atom = atoms[number];
    int64_t value = thread;
    if (atom.kind != Atom::Thread) {
      int64_t dividend = evaluate(atom.dividend, thread);
      value = atom.kind == Atom::Quotient ? dividend / atom.divisor
                                          : dividend % atom.divisor;
    }
    sum += coefficient * value;
  }
  return sum;
}

double IndexForms::getDivergence(const Box &box) const {
  constexpr int64_t groupSize = DeviceProfile::assumedSubgroupSize,
                    maxSamples = 61;
  int64_t threads = atoms.front().range.max + 1;
  int64_t groups = llvm::divideCeil(threads, groupSize);
  int64_t samples = std::min(groups, maxSamples), diverging = 0;
  for (int64_t sample = 0; sample < samples; ++sample) {
    // A sample of the subgroups is taken at varying distances, so that it shows
    // all phases of a pattern that repeats, for example, every 8 subgroups.
    int64_t first = sample * groups / samples * groupSize;
    int64_t last = std::min(first + groupSize, threads);
    diverging += llvm::any_of(llvm::seq(first, last), [&](int64_t thread) {
      return llvm::any_of(box, [&](const auto &entry) {
        LinearForm atom;
        atom.terms.push_back({entry.first, 1});
        int64_t value = evaluate(atom, thread);
        return value < entry.second.min || value > entry.second.max;
      });
    });
  }
  return static_cast<double>(diverging) / static_cast<double>(samples);
}

Value IndexForms::buildIsInside(Builder &b, const Box &box) {
  Value inside;
  for (auto [atom, range] : box) {
    // One unsigned comparison of value - min tests both bounds: if the value is
    // below `min`, the difference is negative, which is a large unsigned
    // number.
    Value value = materializeAtom(b, atom);
    Value offset =
        b.createOrFold<arith::SubIOp>(value, getConstant(b, range.min));
    Value valid =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, offset,
                              getConstant(b, range.max - range.min + 1));
    inside =
        inside ? arith::AndIOp::create(b, inside, valid).getResult() : valid;
  }
  return inside;
}
