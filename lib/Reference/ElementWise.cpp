//===- ElementWise.cpp - Element-wise operators ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"

namespace dml::reference {

static const ElementWiseRow rows[] = {
    row("element_wise_abs", [](auto &x) { return out(abs(x[0])); }),
    row("element_wise_add", [](auto &x) { return out(x[0] + x[1]); }),
    floatRow("element_wise_add1", [](auto &x) { return out(x[0] + x[1]); }),
    floatRow("element_wise_ceil", [](auto &x) { return out(ceil(x[0])); }),
    row("element_wise_divide", [](auto &x) { return out(x[0] / x[1]); }),
    floatRow("element_wise_exp", [](auto &x) { return out(exp(x[0])); }),
    floatRow("element_wise_floor", [](auto &x) { return out(floor(x[0])); }),
    floatRow("element_wise_log", [](auto &x) { return out(log(x[0])); }),
    integerRow("element_wise_logical_and",
               [](auto &x) {
                 return out(x, !x[0].equals(x[0](0)) && !x[1].equals(x[0](0)));
               }),
    row("element_wise_logical_equals",
        [](auto &x) { return out(x, x[0].equals(x[1])); }),
    row("element_wise_logical_greater_than",
        [](auto &x) { return out(x, x[0] > x[1]); }),
    row("element_wise_logical_greater_than_or_equal",
        [](auto &x) { return out(x, x[0] >= x[1]); }),
    row("element_wise_logical_less_than",
        [](auto &x) { return out(x, x[0] < x[1]); }),
    row("element_wise_logical_less_than_or_equal",
        [](auto &x) { return out(x, x[0] <= x[1]); }),
    integerRow("element_wise_logical_not",
               [](auto &x) { return out(x, x[0].equals(x[0](0))); }),
    integerRow("element_wise_logical_or",
               [](auto &x) {
                 return out(x, !x[0].equals(x[0](0)) || !x[1].equals(x[0](0)));
               }),
    integerRow("element_wise_logical_xor",
               [](auto &x) {
                 Truth a = x[0].equals(x[0](0)), b = x[1].equals(x[0](0));
                 return out(x, a == b ? Truth::False : Truth::True);
               }),
    row("element_wise_max", [](auto &x) { return out(max(x[0], x[1])); }),
    row("element_wise_min", [](auto &x) { return out(min(x[0], x[1])); }),
    row("element_wise_multiply", [](auto &x) { return out(x[0] * x[1]); }),
    row("element_wise_negate", [](auto &x) { return out(-x[0]); }),
    floatRow("element_wise_recip", [](auto &x) { return out(x[0](1) / x[0]); }),
    row("element_wise_sign",
        [](auto &x) {
          auto zero = x[0](0);
          return out(select(x[0] < zero, x[0](-1),
                            select(x[0] > zero, x[0](1), zero)));
        }),
    floatRow("element_wise_sqrt", [](auto &x) { return out(sqrt(x[0])); }),
    row("element_wise_subtract", [](auto &x) { return out(x[0] - x[1]); }),
};

llvm::ArrayRef<ElementWiseRow> getElementWiseRows() { return rows; }

void addElementWiseEvaluators(Evaluators &evaluators) {
  addElementWise(evaluators, rows);
}

} // namespace dml::reference
