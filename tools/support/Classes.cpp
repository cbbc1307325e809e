//===- Classes.cpp - The most likely classes of a result ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Classes.h"

#include "support/Compare.h"
#include "support/Escape.h"
#include "support/TensorLiteral.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace dml::tools;

uint64_t dml::tools::countClasses(const std::vector<uint32_t> &sizes) {
  for (size_t i = sizes.size(); i-- > 0;)
    if (sizes[i] > 1)
      return sizes[i];
  return 1;
}

void dml::tools::printClasses(const HostTensor &tensor, uint32_t count,
                              const std::vector<std::string> &labels,
                              std::string &text) {
  uint64_t classes = countClasses(tensor.sizes);
  uint64_t elements = countElements(tensor.dataType, tensor.sizes).value_or(0);
  uint64_t shown = std::min<uint64_t>(count, classes);
  text += ", the " + std::to_string(shown) + " largest of " +
          std::to_string(classes) + (elements > classes ? " in each row" : "") +
          "\n";
  std::vector<double> values(classes);
  std::vector<uint64_t> order(classes);
  for (uint64_t first = 0; first + classes <= elements; first += classes) {
    if (first > 0)
      text += "\n";
    for (uint64_t i = 0; i < classes; ++i) {
      double value = getNumber(tensor, first + i);
      values[i] = std::isnan(value) ? -HUGE_VAL : value;
    }
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
      return values[a] > values[b] || (values[a] == values[b] && a < b);
    });
    for (uint64_t i = 0; i < shown; ++i) {
      std::string index = std::to_string(order[i]);
      text += std::string(8 - std::min<size_t>(index.size(), 8), ' ') + index +
              "  " + printElement(tensor, first + order[i]);
      if (labels.size() == classes)
        text += "  " + escapeControls(labels[order[i]]);
      text += "\n";
    }
  }
}
