//===- ElementWiseOps.cpp - Element-wise operators to linalg --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWise.h"

using namespace mlir;
using namespace dml;

using X = const Elements &;

/// Comparisons give an unsigned 1 or 0: 32 bits hold every result type.
static Number toTruth(Condition condition) {
  ElementBuilder &b = *condition.b;
  return {&b, b.createOrFold<arith::ExtUIOp>(b.getI32Type(), condition.value),
          /*isUnsigned=*/true};
}

static Condition isTrue(Number x) { return !x.equals(x(0)); }

static constexpr ElementWiseRow rows[] = {
    {"element_wise_abs", [](X x) { return abs(x[0]); }},
    {"element_wise_add", [](X x) { return x[0] + x[1]; }},
    {"element_wise_add1", [](X x) { return x[0] + x[1]; }},
    {"element_wise_ceil", [](X x) { return ceil(x[0]); }},
    {"element_wise_divide", [](X x) { return x[0] / x[1]; }},
    {"element_wise_exp", [](X x) { return exp(x[0]); }},
    {"element_wise_floor", [](X x) { return floor(x[0]); }},
    {"element_wise_log", [](X x) { return log(x[0]); }},
    {"element_wise_logical_and",
     [](X x) { return toTruth(isTrue(x[0]) && isTrue(x[1])); }},
    {"element_wise_logical_equals",
     [](X x) { return toTruth(x[0].equals(x[1])); }},
    {"element_wise_logical_greater_than",
     [](X x) { return toTruth(x[0] > x[1]); }},
    {"element_wise_logical_greater_than_or_equal",
     [](X x) { return toTruth(x[0] >= x[1]); }},
    {"element_wise_logical_less_than",
     [](X x) { return toTruth(x[0] < x[1]); }},
    {"element_wise_logical_less_than_or_equal",
     [](X x) { return toTruth(x[0] <= x[1]); }},
    {"element_wise_logical_not", [](X x) { return toTruth(!isTrue(x[0])); }},
    {"element_wise_logical_or",
     [](X x) { return toTruth(isTrue(x[0]) || isTrue(x[1])); }},
    {"element_wise_logical_xor",
     [](X x) {
       Number a = toTruth(isTrue(x[0])), b = toTruth(isTrue(x[1]));
       return toTruth(!a.equals(b));
     }},
    {"element_wise_max", [](X x) { return max(x[0], x[1]); }},
    {"element_wise_min", [](X x) { return min(x[0], x[1]); }},
    {"element_wise_multiply", [](X x) { return x[0] * x[1]; }},
    {"element_wise_negate", [](X x) { return -x[0]; }},
    {"element_wise_recip", [](X x) { return x[0](1) / x[0]; }},
    {"element_wise_sign",
     [](X x) {
       Number zero = x[0](0);
       return select(x[0] < zero, x[0](-1), select(x[0] > zero, x[0](1), zero));
     }},
    {"element_wise_sqrt", [](X x) { return sqrt(x[0]); }},
    {"element_wise_subtract", [](X x) { return x[0] - x[1]; }},
};

ArrayRef<ElementWiseRow> dml::getElementWiseRows() { return rows; }

void dml::populateElementWisePatterns(const TypeConverter &typeConverter,
                                      RewritePatternSet &patterns) {
  populateElementWise(typeConverter, patterns, rows);
}
