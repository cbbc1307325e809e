//===- Report.h - What was measured, for people and programs --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_REPORT_H
#define DML_TOOLS_DMLBENCH_REPORT_H

#include "Measure.h"

namespace dml::tools {

/// Bytes moved, and the nanoseconds it took on the device.
struct Rate {
  uint64_t bytes = 0;
  Statistics time;

  /// The rate in 10^9 bytes a second; 0 where no time passed.
  double gbps() const {
    return time.median > 0 ? static_cast<double>(bytes) / time.median : 0;
  }
};

struct Case {
  std::string name;
  std::string file;
  std::string function;
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  uint32_t dispatches = 0;
  uint32_t copies = 0;
  uint64_t temporaryBytes = 0;
  uint64_t boundBytes = 0;
  /// The number of additions, multiplications and the like in a run, or 0 if it
  /// is not known.
  double operations = 0;
  /// The largest rate of these operations on the device without waits for
  /// memory, in 10^9 a second: of products and sums of f32, or of the matrices
  /// that the case multiplies. 0 if the rate was not measured.
  double products = 0;

  /// The reason why the case did not run, or "".
  std::string skipped;
  size_t sets = 0;
  Rate rate;
  /// The rate of a copy of as many bytes, or of as many as the device allows.
  Rate copy;
  bool hasLatency = false;
  Statistics latency;
  Statistics emptyLatency;
  /// --check: "" where all is written.
  std::string unwritten;

  /// 10^9 operations a second; 0 where no time passed or nobody counted.
  double gflops() const {
    return rate.time.median > 0 ? operations / rate.time.median : 0;
  }

  double ratio() const {
    return copy.gbps() > 0 ? rate.gbps() / copy.gbps() : 0;
  }
};

struct Report {
  DmlDeviceInfo device{};
  Rate copyBefore;
  Rate copyAfter;
  Statistics emptyLatency;
  /// The rate of fused products and sums of f32 on the device, in 10^9
  /// operations a second, or 0 if it was not measured.
  double products = 0;
  /// The rates of the cooperative matrices that cases multiply, in 10^9
  /// operations a second, by their shapes, such as "16x16x16xf16xf32". 0 if a
  /// rate could not be measured.
  std::vector<std::pair<std::string, double>> matrixProducts;
  std::vector<Case> cases;
};

std::string printHeader(const Report &report, size_t nameWidth);
std::string printCase(const Report &report, const Case &result,
                      size_t nameWidth);
std::string printFooter(const Report &report);
std::string printJson(const Report &report);

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_REPORT_H
