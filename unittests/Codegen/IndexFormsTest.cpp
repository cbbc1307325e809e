//===- IndexFormsTest.cpp - Index arithmetic as linear forms --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Builds random expressions from linear forms, and compares the results of the
// operations that the forms become with the results of plain arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Emit/IndexForms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace mlir;
using namespace dml;

namespace {

using Numbers = std::vector<int64_t>;

/// One operation of an expression. Its operands are the numbers of the steps
/// whose results it reads. A division has two results.
struct Step {
  enum Kind { Add, Sub, Mul, Min, Max, Divide } kind;
  size_t lhs, rhs;
  int64_t constant;
};

/// The operations that forms become, and what they compute.
class Kernel {
public:
  Kernel()
      : module((context.loadDialect<arith::ArithDialect>(),
                ModuleOp::create(UnknownLoc::get(&context)))),
        b(module->getLoc(), OpBuilder::atBlockEnd(module->getBody())) {}

  Value addArgument() {
    return module->getBody()->addArgument(b.getIndexType(), b.getLoc());
  }

  /// The number of operations OpTy.
  template <typename OpTy> int64_t count() {
    return llvm::range_size(module->getOps<OpTy>());
  }

  /// What all values are for some arguments.
  llvm::DenseMap<Value, int64_t> interpret(ArrayRef<int64_t> arguments) {
    llvm::DenseMap<Value, int64_t> values;
    for (auto [argument, number] :
         llvm::zip_equal(module->getBody()->getArguments(), arguments))
      values[argument] = number;
    for (Operation &op : *module->getBody())
      values[op.getResult(0)] = compute(op, values);
    return values;
  }

private:
  static int64_t compute(Operation &op,
                         const llvm::DenseMap<Value, int64_t> &values) {
    APInt constant;
    if (matchPattern(&op, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    SmallVector<int64_t> x;
    SmallVector<uint64_t> u;
    for (Value operand : op.getOperands()) {
      x.push_back(values.at(operand));
      u.push_back(static_cast<uint64_t>(x.back()));
    }
    return llvm::TypeSwitch<Operation *, int64_t>(&op)
        .Case([&](arith::AddIOp) { return u[0] + u[1]; })
        .Case([&](arith::SubIOp) { return u[0] - u[1]; })
        .Case([&](arith::MulIOp) { return u[0] * u[1]; })
        .Case([&](arith::DivUIOp) { return u[0] / u[1]; })
        .Case([&](arith::RemUIOp) { return u[0] % u[1]; })
        .Case([&](arith::MinSIOp) { return std::min(x[0], x[1]); })
        .Case([&](arith::MaxSIOp) { return std::max(x[0], x[1]); })
        .Case([&](arith::MinUIOp) { return std::min(u[0], u[1]); })
        .Case([&](arith::MaxUIOp) { return std::max(u[0], u[1]); })
        .Case([&](arith::AndIOp) { return x[0] & x[1]; })
        .Case([&](arith::SelectOp) { return x[0] ? x[1] : x[2]; })
        .Case([&](arith::CmpIOp compare) {
          return arith::applyCmpPredicate(compare.getPredicate(),
                                          APInt(64, u[0]), APInt(64, u[1]));
        })
        .Default([](Operation *op) -> int64_t {
          ADD_FAILURE() << "unexpected " << op->getName().getStringRef().str();
          return 0;
        });
  }

  MLIRContext context;

public:
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
};

/// A random expression of a thread's number and of two other values: `near`,
/// whose range is known, and `far`, whose range is not known.
class RandomExpression : public Kernel {
public:
  explicit RandomExpression(unsigned seed) : random(seed) {
    threads = pick(1, pick(0, 3) ? 4000 : 40);
    thread = addArgument();
    near = addArgument();
    far = addArgument();
    constexpr int64_t most = 40;
    for (int64_t i = 0, e = std::min(threads, most); i < e; ++i)
      arguments.push_back({e == 1 ? 0 : i * (threads - 1) / (e - 1),
                           pick(nearRange.min, nearRange.max),
                           pick(-1000, 1000)});
  }

  int64_t pick(int64_t min, int64_t max) {
    return std::uniform_int_distribution<int64_t>(min, max)(random);
  }

  /// What `step` makes of numbers.
  static std::pair<int64_t, int64_t> apply(const Step &step, int64_t lhs,
                                           int64_t rhs) {
    switch (step.kind) {
    case Step::Add:
      return {lhs + rhs, 0};
    case Step::Sub:
      return {lhs - rhs, 0};
    case Step::Mul: {
      int64_t product;
      bool overflow = llvm::MulOverflow(lhs, step.constant, product);
      return {overflow ? std::numeric_limits<int64_t>::max() : product, 0};
    }
    case Step::Min:
      return {std::min(lhs, rhs), 0};
    case Step::Max:
      return {std::max(lhs, rhs), 0};
    case Step::Divide:
      return {lhs / step.constant, lhs % step.constant};
    }
    llvm_unreachable("unknown step");
  }

  std::pair<LinearForm, LinearForm> apply(IndexForms &forms, const Step &step,
                                          const LinearForm &lhs,
                                          const LinearForm &rhs) {
    switch (step.kind) {
    case Step::Add:
      return {forms.add(b, lhs, rhs), 0};
    case Step::Sub:
      return {forms.sub(b, lhs, rhs), 0};
    case Step::Mul:
      return {forms.mul(b, lhs, step.constant), 0};
    case Step::Min:
      return {forms.min(b, lhs, rhs), 0};
    case Step::Max:
      return {forms.max(b, lhs, rhs), 0};
    case Step::Divide:
      return forms.divide(b, lhs, step.constant);
    }
    llvm_unreachable("unknown step");
  }

  void check();

private:
  std::mt19937 random;
  int64_t threads;
  Value thread, near, far;
  static constexpr IndexRange nearRange = {-7, 90};
  std::vector<Numbers> arguments;
};

} // namespace

void RandomExpression::check() {
  IndexForms forms(thread, threads);
  int64_t constant = pick(0, 100);
  std::vector<LinearForm> results = {forms.getThread(),
                                     forms.getOpaque(near, nearRange),
                                     forms.getOpaque(far), constant};
  // What the results are for each of `arguments`.
  std::vector<Numbers> expected(results.size());
  for (const Numbers &some : arguments) {
    for (size_t i = 0; i < some.size(); ++i)
      expected[i].push_back(some[i]);
    expected.back().push_back(constant);
  }

  std::vector<Step> steps;
  while (steps.size() < 24) {
    auto last = static_cast<int64_t>(results.size()) - 1;
    Step step = {static_cast<Step::Kind>(pick(Step::Add, Step::Divide)),
                 static_cast<size_t>(pick(0, last)),
                 static_cast<size_t>(pick(0, last)), 0};
    step.constant = step.kind == Step::Divide
                        ? pick(1, pick(0, 1) ? 9 : 300)
                        : pick(-6, pick(0, 9) ? 40 : int64_t(1) << 31);
    if (step.kind == Step::Divide && forms.getRange(results[step.lhs]).min < 0)
      continue;
    Numbers first, second;
    for (auto [lhs, rhs] :
         llvm::zip_equal(expected[step.lhs], expected[step.rhs])) {
      auto [a, b] = apply(step, lhs, rhs);
      first.push_back(a);
      second.push_back(b);
    }
    constexpr int64_t large = int64_t(1) << 58;
    if (llvm::any_of(first, [](int64_t n) { return std::abs(n) > large; }))
      continue;
    steps.push_back(step);
    auto [a, b] = apply(forms, step, results[step.lhs], results[step.rhs]);
    results.push_back(a);
    expected.push_back(first);
    if (step.kind == Step::Divide) {
      results.push_back(b);
      expected.push_back(second);
    }
  }

  auto check = [&](IndexForms &forms, ArrayRef<LinearForm> results,
                   Value inside) {
    SmallVector<Value> values;
    for (const LinearForm &result : results) {
      values.push_back(forms.materialize(b, result));
      EXPECT_EQ(forms.materialize(b, result), values.back());
    }
    int64_t numInside = 0;
    for (auto [i, some] : llvm::enumerate(arguments)) {
      llvm::DenseMap<Value, int64_t> numbers = interpret(some);
      if (inside && !numbers.at(inside))
        continue;
      ++numInside;
      for (auto [result, value, wanted] :
           llvm::zip_equal(results, values, expected)) {
        EXPECT_EQ(numbers.at(value), wanted[i]) << "of thread " << some[0];
        IndexRange range = forms.getRange(result);
        EXPECT_LE(range.min, wanted[i]);
        EXPECT_GE(range.max, wanted[i]);
        std::optional<bool> known = forms.isNonNegative(result);
        EXPECT_EQ(known.value_or(wanted[i] >= 0), wanted[i] >= 0);
      }
    }
    return numInside;
  };
  // Before `check` compares more.
  IndexForms::Box box, undecided = forms.getInterior(/*maxDivergence=*/1);
  IndexForms entry = forms.getUnbuilt();
  EXPECT_EQ(check(forms, results, Value()),
            static_cast<int64_t>(arguments.size()));

  while (!undecided.empty()) {
    for (auto [atom, range] : undecided)
      box[atom] = range;
    Value inside = entry.buildIsInside(b, box);
    IndexForms narrowed = entry.getNarrowed(b, box);
    std::vector<LinearForm> again = {narrowed.getThread(),
                                     narrowed.getOpaque(near, nearRange),
                                     narrowed.getOpaque(far), constant};
    for (const Step &step : steps) {
      auto [a, b] = apply(narrowed, step, again[step.lhs], again[step.rhs]);
      again.push_back(a);
      if (step.kind == Step::Divide)
        again.push_back(b);
    }
    undecided = narrowed.getInterior(/*maxDivergence=*/1);
    check(narrowed, again, inside);
  }
}

TEST(IndexForms, ComputeTheSame) {
  std::vector<unsigned> seeds(500);
  std::iota(seeds.begin(), seeds.end(), 0);
  // Parts of values of unknown range that are too large for a form.
  seeds.insert(seeds.end(), {3894, 15265});
  for (unsigned seed : seeds) {
    SCOPED_TRACE(seed);
    RandomExpression(seed).check();
  }
}

// Neighbours in a row of whole vectors differ by constants, so that one
// division suffices for all of them.
TEST(IndexForms, DivideVectorsOnce) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 60);
  LinearForm first = forms.mul(b, forms.getThread(), 4);
  auto [row, column] = forms.divide(b, first, 12);
  for (int64_t lane = 0; lane < 4; ++lane) {
    auto [quotient, remainder] = forms.divide(b, forms.add(b, first, lane), 12);
    EXPECT_EQ(quotient, row);
    EXPECT_EQ(remainder, forms.add(b, column, lane));
    forms.materialize(b, quotient);
    forms.materialize(b, remainder);
  }
  EXPECT_EQ(kernel.count<arith::DivUIOp>(), 1);
  EXPECT_EQ(kernel.count<arith::RemUIOp>(), 1);
  EXPECT_EQ(kernel.count<arith::SelectOp>(), 0);
}

// Where a vector crosses rows, what a lane adds to the remainder may carry.
TEST(IndexForms, CarryInsteadOfDividing) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 60);
  LinearForm first = forms.mul(b, forms.getThread(), 4);
  for (int64_t lane = 0; lane < 4; ++lane) {
    auto [quotient, remainder] = forms.divide(b, forms.add(b, first, lane), 7);
    forms.materialize(b, quotient);
    forms.materialize(b, remainder);
    EXPECT_EQ(forms.getRange(remainder).min, 0);
    EXPECT_EQ(forms.getRange(remainder).max, 6);
  }
  EXPECT_EQ(kernel.count<arith::DivUIOp>(), 1);
  EXPECT_EQ(kernel.count<arith::RemUIOp>(), 1);
  EXPECT_EQ(kernel.count<arith::CmpIOp>(), 3);
}

// What a division took apart becomes one again, scaled or not.
TEST(IndexForms, JoinQuotientAndRemainder) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 1000);
  LinearForm thread = forms.getThread();
  auto [quotient, remainder] = forms.divide(b, thread, 7);
  EXPECT_EQ(forms.add(b, forms.mul(b, quotient, 7), remainder), thread);
  EXPECT_EQ(
      forms.add(b, forms.mul(b, quotient, 21), forms.mul(b, remainder, 3)),
      forms.mul(b, thread, 3));
  EXPECT_FALSE(forms.add(b, forms.mul(b, quotient, 8), remainder) == thread);
  EXPECT_EQ(llvm::range_size(*kernel.module->getBody()), 0);
}

// Quotients of numbers that lie near to each other are the same or differ by 1.
TEST(IndexForms, FindNeighbours) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 1000);
  LinearForm thread = forms.getThread();
  LinearForm quarter = forms.divide(b, thread, 4).first;
  LinearForm next = forms.divide(b, forms.add(b, thread, 3), 4).first;
  // Quotients by another divisor or of another number are no neighbours.
  forms.divide(b, forms.add(b, thread, 1), 2);
  forms.divide(b, forms.mul(b, thread, 3), 4);

  LinearForm place = forms.add(b, forms.mul(b, thread, 5), next);
  auto neighbours = forms.getNeighbours(place);
  ASSERT_EQ(neighbours.size(), 1u);
  EXPECT_EQ(neighbours[0].form, forms.add(b, forms.mul(b, thread, 5), quarter));
  EXPECT_EQ(neighbours[0].offset, 1);
  EXPECT_EQ(neighbours[0].quotient, next);
  EXPECT_EQ(neighbours[0].other, quarter);
  neighbours = forms.getNeighbours(quarter);
  ASSERT_EQ(neighbours.size(), 1u);
  EXPECT_EQ(neighbours[0].form, next);
  EXPECT_EQ(neighbours[0].offset, -1);
  // Twice a quotient has no neighbour: it would differ by 2.
  EXPECT_TRUE(forms.getNeighbours(forms.mul(b, quarter, 2)).empty());
}

// A number less a multiple of its quotient is a remainder, and known as one.
TEST(IndexForms, KnowRangesOfRemainders) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 1000);
  LinearForm thread = forms.getThread();
  auto expectRange = [&](const LinearForm &dividend, const LinearForm &whole,
                         int64_t factor, int64_t min, int64_t max) {
    LinearForm quotient = forms.divide(b, dividend, 8).first;
    IndexRange range =
        forms.getRange(forms.sub(b, whole, forms.mul(b, quotient, factor)));
    EXPECT_EQ(range.min, min);
    EXPECT_EQ(range.max, max);
  };
  expectRange(thread, thread, 8, 0, 7);
  expectRange(forms.add(b, thread, 3), thread, 8, -3, 4);
  LinearForm other = forms.getOpaque(kernel.addArgument(), {-20, 20});
  expectRange(other, forms.add(b, forms.mul(b, other, -2), thread), -16, -14,
              999);
  // Another multiple is none.
  expectRange(thread, thread, 7, -868, 999);
}

// A dividend that is not the thread's number is built as its maximum with 0, so
// that range analysis finds it not negative, unless it is so large that indices
// need 64 bits in any case.
TEST(IndexForms, NoMaximumOfWideDividends) {
  for (int64_t size : {int64_t(1) << 31, (int64_t(1) << 31) + 1}) {
    Kernel kernel;
    auto &b = kernel.b;
    IndexForms forms(kernel.addArgument(), 1);
    LinearForm dividend = forms.getOpaque(kernel.addArgument(), {0, size - 1});
    forms.materialize(b, forms.divide(b, dividend, 7).first);
    EXPECT_EQ(kernel.count<arith::DivUIOp>(), 1);
    EXPECT_EQ(kernel.count<arith::MaxSIOp>(), size == int64_t(1) << 31 ? 1 : 0);
  }
}

// Ranges decide comparisons, and equal forms become one value. Behind a scope,
// forms build values of the scope's code again, and reuse values that were
// built in front of the scope.
TEST(IndexForms, ForgetValuesOfScope) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 100);
  Value argument = kernel.addArgument();
  LinearForm fourfold = forms.mul(b, forms.getThread(), 4);
  Value before = forms.materialize(b, fourfold), inside;
  auto build = [&] {
    forms.min(b, forms.getOpaque(argument, {0, 9}), forms.getThread());
    LinearForm third = forms.divide(b, forms.getThread(), 3).first;
    return forms.materialize(b, forms.mul(b, third, 8));
  };
  {
    IndexForms::Scope scope(forms);
    inside = build();
    EXPECT_EQ(build(), inside);
    EXPECT_EQ(forms.materialize(b, fourfold), before);
    forms.assume(forms.sub(b, forms.getThread(), 50));
  }
  EXPECT_EQ(forms.getRange(forms.getThread()).min, 0);
  EXPECT_NE(build(), inside);
  EXPECT_EQ(forms.materialize(b, fourfold), before);
  EXPECT_EQ(kernel.count<arith::MinSIOp>(), 2);
  EXPECT_EQ(kernel.count<arith::DivUIOp>(), 2);
  EXPECT_EQ(kernel.count<arith::MulIOp>(), 3);
}

TEST(IndexForms, DecideAndShare) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 100);
  LinearForm thread = forms.getThread();
  EXPECT_EQ(forms.min(b, thread, 99), thread);
  EXPECT_EQ(forms.max(b, forms.sub(b, thread, 100), 0), LinearForm(0));
  EXPECT_EQ(llvm::range_size(*kernel.module->getBody()), 0);
  EXPECT_FALSE(forms.isNonNegative(forms.sub(b, thread, 1)).has_value());
  LinearForm sum = forms.add(b, forms.mul(b, thread, 3), 2);
  Value value = forms.materialize(b, sum);
  EXPECT_EQ(
      forms.materialize(b, forms.sub(b, forms.add(b, sum, thread), thread)),
      value);
}

// The threads of a subgroup run in lockstep. The interior therefore omits a
// condition that splits every subgroup, and contains a condition that splits
// few of them.
TEST(IndexForms, InteriorKeepsGroupsTogether) {
  Kernel kernel;
  auto &b = kernel.b;
  IndexForms forms(kernel.addArgument(), 1 << 16);
  auto [row, column] = forms.divide(b, forms.getThread(), 64);
  forms.max(b, forms.sub(b, column, 1), 0);
  EXPECT_TRUE(forms.getInterior(/*maxDivergence=*/0.25).empty());
  forms.max(b, forms.sub(b, row, 1), 0);
  forms.min(b, row, 1000);
  IndexForms::Box interior = forms.getInterior(/*maxDivergence=*/0.25);
  ASSERT_EQ(interior.size(), 1u);
  EXPECT_EQ(interior.begin()->second.min, 1);
  EXPECT_EQ(interior.begin()->second.max, 1000);
  double divergence = forms.getDivergence(interior);
  EXPECT_GT(divergence, 0);
  EXPECT_LT(divergence, 0.1);
}

// A value without a known range is divided without a shift to positive numbers,
// which would overflow. If its range is known, its multiples are divided
// exactly.
TEST(IndexForms, UnknownValuesDivide) {
  Kernel kernel;
  auto &b = kernel.b;
  Value index = kernel.addArgument();
  IndexForms forms(kernel.addArgument(), 64);
  LinearForm unknown = forms.getOpaque(index);
  LinearForm place = forms.add(b, forms.mul(b, unknown, 2), 1);
  auto [row, column] = forms.divide(b, place, 2);
  Value sum = forms.materialize(b, forms.add(b, forms.mul(b, row, 4), column));
  EXPECT_EQ(kernel.interpret({5, 0}).lookup(sum), 21);

  LinearForm within = forms.getWithin(unknown, {0, 12});
  EXPECT_EQ(forms.getRange(within).max, 12);
  EXPECT_FALSE(within == unknown);
  EXPECT_EQ(forms.getWithin(unknown, {0, 12}), within);
  EXPECT_EQ(forms.getWithin(within, {-1, 20}), within);
  auto [quotient, rest] =
      forms.divide(b, forms.add(b, forms.mul(b, within, 2), 1), 2);
  EXPECT_EQ(quotient, within);
  EXPECT_EQ(rest, LinearForm(1));
  // The value itself stays unknown: code that compares it with 0 does so.
  EXPECT_FALSE(forms.isNonNegative(unknown).has_value());
}
