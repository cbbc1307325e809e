//===- JudgeNodes.cpp - Many small ONNX models through the interpreter ----===//
//
// SPDX-License-Identifier: Apache-2.0
//
//   dml-judge-nodes [--device] CASES RESULTS
//
// Reads a container of cases, each of which is an ONNX model and its inputs.
// Imports and interprets each case, and, with --device, runs it on the first
// Vulkan device as well. Writes a container of the results, which the caller
// compares with the expected ones. test/ONNX/judge/container.py describes both
// containers.
//
// Child processes execute the cases, so that a crash ends only one case.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Import/ONNX.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "support/Device.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace dml;
using dml::reference::Tensor;
namespace json = llvm::json;

namespace {
/// A record of a container: a JSON object, and the bytes that it describes.
struct Record {
  StringRef header, bytes;
};

/// What becomes of a case.
struct Outcome {
  json::Object header;
  std::string bytes;
};
} // namespace

static Outcome makeOutcome(StringRef kind, const Twine &message) {
  Outcome outcome;
  outcome.header["outcome"] = kind;
  outcome.header["message"] = json::fixUTF8(message.str());
  return outcome;
}

//===----------------------------------------------------------------------===//
// Containers
//===----------------------------------------------------------------------===//

/// Divides a container into its records. Returns false if the container is
/// truncated.
static bool readContainer(StringRef content, std::vector<Record> &records) {
  constexpr size_t sizeOfLength = sizeof(uint32_t);
  auto takeLength = [&] {
    uint32_t length = llvm::support::endian::read32le(content.data());
    content = content.drop_front(sizeOfLength);
    return length;
  };
  while (!content.empty()) {
    if (content.size() < 2 * sizeOfLength)
      return false;
    size_t header = takeLength(), bytes = takeLength();
    if (content.size() < header + bytes)
      return false;
    records.push_back({content.take_front(header),
                       content.drop_front(header).take_front(bytes)});
    content = content.drop_front(header + bytes);
  }
  return true;
}

/// Appends a record to the file `output`, by one write.
static bool writeRecord(int output, Outcome outcome) {
  std::string header;
  llvm::raw_string_ostream(header) << json::Value(std::move(outcome.header));
  std::string record(2 * sizeof(uint32_t), '\0');
  llvm::support::endian::write32le(record.data(), header.size());
  llvm::support::endian::write32le(record.data() + sizeof(uint32_t),
                                   outcome.bytes.size());
  record += header;
  record += outcome.bytes;
  return write(output, record.data(), record.size()) ==
         static_cast<ssize_t>(record.size());
}

/// Takes a tensor that `info` describes from the front of `bytes`.
static FailureOr<Tensor> takeTensor(const json::Object &info,
                                    StringRef &bytes) {
  std::optional<DataType> type =
      symbolizeDataType(info.getString("type").value_or(""));
  const json::Array *dims = info.getArray("dims");
  if (!type || !dims)
    return failure();
  SmallVector<int64_t> shape;
  for (const json::Value &size : *dims)
    shape.push_back(size.getAsInteger().value_or(0));
  FailureOr<Tensor> tensor = Tensor::create(*type, shape);
  if (failed(tensor) || tensor->getNumBytes() > bytes.size())
    return failure();
  memcpy(tensor->getData(), bytes.data(), tensor->getNumBytes());
  bytes = bytes.drop_front(tensor->getNumBytes());
  return tensor;
}

static void putTensor(std::string &bytes, const Tensor &tensor) {
  bytes.append(tensor.getData(), tensor.getNumBytes());
}

//===----------------------------------------------------------------------===//
// One case
//===----------------------------------------------------------------------===//

/// Returns the inputs of `function`, found by their names among the inputs of a
/// case.
static FailureOr<SmallVector<Tensor>> takeInputs(func::FuncOp function,
                                                 const json::Array &infos,
                                                 StringRef bytes,
                                                 std::string &reason) {
  llvm::StringMap<Tensor> named;
  for (const json::Value &value : infos) {
    const json::Object *info = value.getAsObject();
    FailureOr<Tensor> tensor =
        info ? takeTensor(*info, bytes) : FailureOr<Tensor>();
    if (failed(tensor)) {
      reason = "the case has an input that cannot be read";
      return failure();
    }
    named.try_emplace(info->getString("name").value_or(""), *tensor);
  }
  SmallVector<Tensor> inputs;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto name = function.getArgAttrOfType<StringAttr>(index, nameAttrName);
    auto found = named.find(name ? name.getValue() : "");
    if (found == named.end()) {
      reason = "the function has an input that the case does not have";
      return failure();
    }
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
    const Tensor &tensor = found->second;
    // Scalars have the shape 1.
    if (getDataType(type.getElementType()) != tensor.getDataType() ||
        type.getNumElements() != tensor.getNumElements()) {
      reason = "the function's input has another type or size than the case's";
      return failure();
    }
    inputs.push_back(tensor.view(tensor.getDataType(), type.getShape()));
  }
  return inputs;
}

/// Adds the results, and their bounds where these are not exact.
static void describeResults(func::FuncOp function,
                            ArrayRef<reference::Estimate> estimates,
                            Outcome &outcome) {
  json::Array outputs;
  for (auto [index, estimate] : llvm::enumerate(estimates)) {
    auto name = function.getResultAttrOfType<StringAttr>(index, nameAttrName);
    outputs.push_back(
        json::Object{{"name", name ? name.getValue() : ""},
                     {"type", stringifyDataType(estimate.value.getDataType())},
                     {"dims", json::Array(estimate.value.getShape())},
                     {"exact", estimate.isExact()}});
    putTensor(outcome.bytes, estimate.value);
    if (estimate.isExact())
      continue;
    putTensor(outcome.bytes, estimate.lower);
    putTensor(outcome.bytes, estimate.upper);
  }
  outcome.header["outputs"] = std::move(outputs);
}

/// Runs the module on the device, and appends its results to the interpreter's.
static void runOnDevice(ModuleOp module, ArrayRef<Tensor> inputs,
                        fuzz::Device &device, const std::string &said,
                        Outcome &outcome) {
  fuzz::Outcome failure{fuzz::Outcome::Failed, ""};
  auto results = device.execute(module, inputs, failure);
  bool isRefused = failure.kind == fuzz::Outcome::Refused;
  outcome.header["device"] = succeeded(results) ? "computed"
                             : isRefused        ? "refused"
                                                : "failed";
  outcome.header["message"] = json::fixUTF8(said + failure.message);
  if (succeeded(results))
    for (const Tensor &result : *results)
      putTensor(outcome.bytes, result);
}

static Outcome runCase(const Record &record, MLIRContext *context,
                       fuzz::Device *device) {
  auto header = json::parse(record.header);
  if (!header) {
    llvm::consumeError(header.takeError());
    return makeOutcome("invalid", "the case's header is not JSON");
  }
  const json::Object *info = header->getAsObject();
  const json::Array *inputInfos = info ? info->getArray("inputs") : nullptr;
  std::optional<int64_t> size = info ? info->getInteger("model") : std::nullopt;
  if (!inputInfos || !size || *size < 0 ||
      static_cast<uint64_t>(*size) > record.bytes.size())
    return makeOutcome("invalid", "the case's header lacks model or inputs");

  std::string said;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    return success();
  });
  // The folder is where the model's external data would be.
  auto module = onnx::importModel(
      llvm::MemoryBuffer::getMemBufferCopy(record.bytes.take_front(*size),
                                           "/nonexistent/model.onnx"),
      context);
  if (!module)
    return makeOutcome("refused", llvm::toString(module.takeError()));
  auto function = (*module)->lookupSymbol<func::FuncOp>("main");
  if (!function)
    return makeOutcome("invalid", "the module has no function main");
  auto inputs =
      takeInputs(function, *inputInfos, record.bytes.drop_front(*size), said);
  if (failed(inputs))
    return makeOutcome("invalid", said);
  auto estimates = reference::interpret(function, *inputs);
  if (failed(estimates))
    return makeOutcome("uninterpreted", said);
  Outcome outcome = makeOutcome("computed", said);
  describeResults(function, *estimates, outcome);
  if (device)
    runOnDevice(**module, *inputs, *device, said, outcome);
  return outcome;
}

//===----------------------------------------------------------------------===//
// All cases
//===----------------------------------------------------------------------===//

/// Processes some of the records from `next` on, in a child process, and does
/// not return. Both processes share `next`, which is the number of the first
/// record that is not done.
[[noreturn]] static void runBatch(ArrayRef<Record> records, int output,
                                  bool usesDevice, volatile size_t &next) {
  // A context keeps the attributes of all that was built in it.
  constexpr size_t casesOfContext = 250;
  // The sanitized build, which is not optimized, interprets a convolution of
  // ONNX's tests for almost four minutes.
  constexpr unsigned secondsOfCase = 300;
  DialectRegistry registry;
  onnx::registerDialects(registry);
  registry
      .insert<DMLDialect, arith::ArithDialect, func::FuncDialect,
              linalg::LinalgDialect, scf::SCFDialect, tensor::TensorDialect>();
  std::unique_ptr<fuzz::Device> device;
  if (usesDevice) {
    registerCompilerDialects(registry);
    auto created = fuzz::Device::create({});
    if (!created) {
      llvm::errs() << llvm::toString(created.takeError()) << "\n";
      _exit(1);
    }
    device = std::move(*created);
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  size_t end = std::min(records.size(), next + casesOfContext);
  while (next < end) {
    alarm(secondsOfCase);
    if (!writeRecord(output, runCase(records[next], &context, device.get())))
      _exit(1);
    next = next + 1;
  }
  _exit(0);
}

/// What a child that crashed wrote to the file `errors`: its last kilobyte at
/// most.
static std::string readErrors(int errors) {
  constexpr off_t most = 1024;
  off_t size = lseek(errors, 0, SEEK_END);
  std::string text(std::min(size, most), '\0');
  ssize_t count =
      pread(errors, text.data(), text.size(), size - off_t(text.size()));
  text.resize(std::max<ssize_t>(count, 0));
  return text;
}

/// Runs all records; false where children fail that did not crash.
static bool runAll(ArrayRef<Record> records, int output, bool usesDevice) {
  void *shared = mmap(nullptr, sizeof(size_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  FILE *errors = tmpfile();
  if (shared == MAP_FAILED || !errors)
    return false;
  auto &next = *new (shared) volatile size_t(0);
  while (next < records.size()) {
    if (ftruncate(fileno(errors), 0) != 0)
      return false;
    pid_t child = fork();
    if (child < 0)
      return false;
    if (child == 0) {
      dup2(fileno(errors), STDERR_FILENO);
      lseek(STDERR_FILENO, 0, SEEK_SET);
      runBatch(records, output, usesDevice, next);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
      if (errno != EINTR)
        return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    if (!WIFSIGNALED(status))
      return false;
    if (!writeRecord(output,
                     makeOutcome("crash", Twine("signal ") +
                                              Twine(WTERMSIG(status)) + ": " +
                                              readErrors(fileno(errors)))))
      return false;
    next = next + 1;
  }
  return true;
}

int main(int argc, char **argv) {
  bool usesDevice = argc > 1 && StringRef(argv[1]) == "--device";
  if (argc != (usesDevice ? 4 : 3)) {
    llvm::errs() << "usage: dml-judge-nodes [--device] CASES RESULTS\n";
    return 2;
  }
  const char *cases = argv[argc - 2], *results = argv[argc - 1];
  auto fail = [&](const Twine &message) {
    llvm::errs() << "dml-judge-nodes: error: " << message << "\n";
    return 2;
  };
  auto file = llvm::MemoryBuffer::getFile(cases);
  if (!file)
    return fail(Twine("cannot read '") + cases +
                "': " + file.getError().message());
  std::vector<Record> records;
  if (!readContainer((*file)->getBuffer(), records))
    return fail(Twine("'") + cases + "' is cut off");
  int output =
      open(results, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (output < 0)
    return fail(Twine("cannot write '") + results + "'");
  return runAll(records, output, usesDevice) ? 0 : fail("cannot run the cases");
}
