//===- Report.cpp - What tuning gains -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "support/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace dml;
using namespace dml::tools;

/// Returns how many times as long the model's kernel takes.
static double getRegret(const TunedKernel &kernel) {
  return kernel.microseconds > 0
             ? kernel.modelMicroseconds / kernel.microseconds
             : 1;
}

TuningTotals TuningTotals::get(const TuningTable &table) {
  TuningTotals totals;
  double logarithms = 0;
  for (const TunedKernel &kernel : table.getKernels()) {
    totals.modelMicroseconds += kernel.uses * kernel.modelMicroseconds;
    totals.microseconds += kernel.uses * kernel.microseconds;
    logarithms += std::log(getRegret(kernel));
    totals.changed += kernel.kernel != kernel.model;
  }
  if (!table.getKernels().empty())
    totals.meanRegret =
        std::exp(logarithms / static_cast<double>(table.getKernels().size()));
  return totals;
}

/// Returns the dispatches, those first whose kernels lose the most time in the
/// network.
static std::vector<const TunedKernel *> getOrdered(const TuningTable &table) {
  std::vector<const TunedKernel *> ordered;
  for (const TunedKernel &kernel : table.getKernels())
    ordered.push_back(&kernel);
  auto getKey = [](const TunedKernel *kernel) {
    double gain = kernel->modelMicroseconds - kernel->microseconds;
    return std::tuple(-kernel->uses * gain,
                      -kernel->uses * kernel->modelMicroseconds,
                      llvm::StringRef(kernel->dispatch));
  };
  llvm::sort(ordered, [&](const TunedKernel *a, const TunedKernel *b) {
    return getKey(a) < getKey(b);
  });
  return ordered;
}

void dml::tools::printReport(const TuningTable &table, llvm::raw_ostream &os) {
  os << "     uses   model us   tuned us  times  operators\n";
  for (const TunedKernel *kernel : getOrdered(table)) {
    os << llvm::formatv("{0,9} {1,10:f2} {2,10:f2} {3,6:f2}  {4}\n",
                        kernel->uses, kernel->modelMicroseconds,
                        kernel->microseconds, getRegret(*kernel),
                        escapeControls(kernel->operators));
    if (kernel->kernel == kernel->model)
      continue;
    os << "          model " << escapeControls(kernel->model) << "\n"
       << "          tuned " << escapeControls(kernel->kernel) << "\n";
  }
  TuningTotals totals = TuningTotals::get(table);
  os << llvm::formatv(
      "{0} dispatches, of which {1} have another kernel than the model's\n"
      "all uses: {2:f1} us with the model's kernels, {3:f1} us tuned\n"
      "geometric mean of the model's times, each divided by the tuned one: "
      "{4:f3}\n",
      table.getKernels().size(), totals.changed, totals.modelMicroseconds,
      totals.microseconds, totals.meanRegret);
}

void dml::tools::printJsonReport(const TuningTable &table,
                                 llvm::raw_ostream &os) {
  llvm::json::OStream out(os, /*IndentSize=*/2);
  TuningTotals totals = TuningTotals::get(table);
  auto add = [&](llvm::StringRef name, double value) {
    out.attributeBegin(name);
    out.rawValue(llvm::formatv("{0:f3}", value).str());
    out.attributeEnd();
  };
  auto addText = [&](llvm::StringRef name, llvm::StringRef text) {
    out.attribute(name, llvm::json::fixUTF8(text));
  };
  out.object([&] {
    addText("profile", table.profile);
    addText("device", table.device);
    addText("driver", table.driver);
    out.attributeArray("dispatches", [&] {
      for (const TunedKernel *kernel : getOrdered(table))
        out.object([&] {
          addText("dispatch", kernel->dispatch);
          addText("operators", kernel->operators);
          out.attribute("uses", kernel->uses);
          out.attribute("candidates", kernel->candidates);
          addText("model", kernel->model);
          add("modelMicroseconds", kernel->modelMicroseconds);
          addText("kernel", kernel->kernel);
          add("microseconds", kernel->microseconds);
          add("regret", getRegret(*kernel));
        });
    });
    out.attribute("changed", static_cast<int64_t>(totals.changed));
    add("modelMicroseconds", totals.modelMicroseconds);
    add("microseconds", totals.microseconds);
    add("meanRegret", totals.meanRegret);
  });
  os << "\n";
}
