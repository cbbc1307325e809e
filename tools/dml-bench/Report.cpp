//===- Report.cpp - What was measured, for people and programs ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "support/Json.h"

#include <cstdarg>
#include <cstdio>

using namespace dml::tools;

namespace {

__attribute__((format(printf, 1, 2))) std::string print(const char *format,
                                                        ...) {
  // No line of numbers is longer; names go in whole, by themselves.
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  return line;
}

std::string pad(std::string text, size_t width) {
  if (text.size() < width)
    text.append(width - text.size(), ' ');
  return text;
}

double mega(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// Prints about four digits, and no exponent.
std::string fourDigits(double value) {
  return print(value < 1 ? "%.4f" : value < 100 ? "%.2f" : "%.1f", value);
}

double divide(double a, double b) { return b > 0 ? a / b : 0; }

std::string printRate(const Rate &rate) {
  return fourDigits(mega(rate.bytes)) + " MB in " +
         fourDigits(rate.time.median / 1e6) +
         " ms: " + fourDigits(rate.gbps()) + " GB/s";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

std::string number(double value) { return print("%.9g", value); }

/// The members of an object, or the elements of an array.
class List {
public:
  explicit List(const char *brackets) : brackets(brackets) {}
  void add(const std::string &value) {
    text += (text.empty() ? "" : ", ") + value;
  }
  void add(const char *key, const std::string &value) {
    add(quoteJson(key) + ": " + value);
  }
  void add(const char *key, uint64_t value) { add(key, std::to_string(value)); }
  std::string str() const { return brackets[0] + text + brackets[1]; }

private:
  const char *brackets;
  std::string text;
};

std::string printStrings(const std::vector<std::string> &strings) {
  List list("[]");
  for (const std::string &each : strings)
    list.add(quoteJson(each));
  return list.str();
}

std::string printStatistics(const Statistics &statistics, double scale) {
  List json("{}");
  json.add("median", number(statistics.median / scale));
  json.add("shortest", number(statistics.shortest / scale));
  json.add("longest", number(statistics.longest / scale));
  json.add("count", statistics.count);
  return json.str();
}

void addRate(List &json, const Rate &rate) {
  json.add("bytes", rate.bytes);
  json.add("milliseconds", printStatistics(rate.time, 1e6));
  json.add("gbps", number(rate.gbps()));
}

std::string printRateAsJson(const Rate &rate) {
  List json("{}");
  addRate(json, rate);
  return json.str();
}

std::string printCaseAsJson(const Report &report, const Case &result) {
  List json("{}");
  json.add("name", quoteJson(result.name));
  json.add("file", quoteJson(result.file));
  json.add("function", quoteJson(result.function));
  json.add("type", quoteJson(result.type));
  json.add("inputs", printStrings(result.inputs));
  json.add("outputs", printStrings(result.outputs));
  json.add("dispatches", result.dispatches);
  json.add("copies", result.copies);
  json.add("temporary_bytes", result.temporaryBytes);
  json.add("bound_bytes", result.boundBytes);
  if (!result.skipped.empty()) {
    json.add("skipped", quoteJson(result.skipped));
    return json.str();
  }
  json.add("sets", result.sets);
  addRate(json, result.rate);
  json.add("copy", printRateAsJson(result.copy));
  json.add("ratio", number(result.ratio()));
  json.add("ratio_to_peak",
           number(divide(result.rate.gbps(), report.copyBefore.gbps())));
  if (result.operations > 0) {
    json.add("operations", number(result.operations));
    json.add("gflops", number(result.gflops()));
    if (result.products > 0)
      json.add("ratio_to_products", number(result.gflops() / result.products));
  }
  if (result.hasLatency) {
    json.add("latency_microseconds", printStatistics(result.latency, 1e3));
    json.add("empty_latency_microseconds",
             printStatistics(result.emptyLatency, 1e3));
    json.add("latency_ratio",
             number(divide(result.latency.median, result.emptyLatency.median)));
  }
  return json.str();
}

} // namespace

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::string dml::tools::printHeader(const Report &report, size_t nameWidth) {
  return std::string("device: ") + report.device.name + ", " +
         report.device.driverName + " " + report.device.driverInfo +
         "\ncopy: " + printRate(report.copyBefore) +
         print("\nempty dispatch: %.1f us from submission to the end\n",
               report.emptyLatency.median / 1e3) +
         (report.products > 0
              ? "products of f32: " + fourDigits(report.products) + " GFLOP/s\n"
              : "") +
         "\n" + pad("name", nameWidth) +
         "  type         ms         MB      bound     GB/s  ratio   peak   disp"
         "  GFLOP/s  products  latency us  x empty\n";
}

std::string dml::tools::printCase(const Report &report, const Case &result,
                                  size_t nameWidth) {
  std::string text = pad(result.name, nameWidth) + "  " + pad(result.type, 4);
  if (!result.skipped.empty())
    return text + "  left out: " + result.skipped + "\n";
  std::string dispatches = std::to_string(result.dispatches);
  if (result.copies)
    dispatches += "+" + std::to_string(result.copies) + "c";
  text += print(" %10s %10s %10s %8s %6.3f %6.3f %6s",
                fourDigits(result.rate.time.median / 1e6).c_str(),
                fourDigits(mega(result.rate.bytes)).c_str(),
                fourDigits(mega(result.boundBytes)).c_str(),
                fourDigits(result.rate.gbps()).c_str(), result.ratio(),
                divide(result.rate.gbps(), report.copyBefore.gbps()),
                dispatches.c_str());
  bool counted = result.operations > 0;
  if (counted || result.hasLatency)
    text +=
        print(" %8s %9s", counted ? fourDigits(result.gflops()).c_str() : "",
              counted && result.products > 0
                  ? print("%.3f", result.gflops() / result.products).c_str()
                  : "");
  if (result.hasLatency)
    text += print("  %10.1f %8.2f", result.latency.median / 1e3,
                  divide(result.latency.median, result.emptyLatency.median));
  text += "\n";
  if (!result.unwritten.empty())
    text += "  " + result.unwritten + "\n";
  return text;
}

std::string dml::tools::printFooter(const Report &report) {
  std::string text = "\ncopy at the end: " + printRate(report.copyAfter) + "\n";
  for (const auto &[shape, products] : report.matrixProducts)
    if (products > 0)
      text += "products of matrices " + shape + ": " + fourDigits(products) +
              " GFLOP/s\n";
  return text;
}

std::string dml::tools::printJson(const Report &report) {
  List device("{}");
  device.add("name", quoteJson(report.device.name));
  device.add("driver", quoteJson(report.device.driverName));
  device.add("driver_info", quoteJson(report.device.driverInfo));
  std::string cases;
  for (const Case &result : report.cases)
    cases += (cases.empty() ? "\n    " : ",\n    ") +
             printCaseAsJson(report, result);
  std::string matrices;
  for (const auto &[shape, products] : report.matrixProducts)
    matrices += (matrices.empty() ? "" : ", ") + quoteJson(shape) + ": " +
                number(products);
  return "{\n  \"version\": " + quoteJson(dmlGetVersion()) +
         ",\n  \"device\": " + device.str() +
         ",\n  \"copy\": " + printRateAsJson(report.copyBefore) +
         ",\n  \"copy_after\": " + printRateAsJson(report.copyAfter) +
         ",\n  \"empty_latency_microseconds\": " +
         printStatistics(report.emptyLatency, 1e3) +
         (report.products > 0
              ? ",\n  \"products_gflops\": " + number(report.products)
              : "") +
         (matrices.empty()
              ? ""
              : ",\n  \"matrix_products_gflops\": {" + matrices + "}") +
         ",\n  \"cases\": [" + cases + "\n  ]\n}\n";
}
