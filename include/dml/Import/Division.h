//===- Division.h - ONNX graphs as several functions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Some graphs are no single function of dml operators: a condition or a size is
// computed by the graph itself, or a Loop repeats a graph. Such a graph is
// divided while it runs. A section is a list of nodes that are still to be
// computed. A cut looks at the tensors that are there, and takes of a section
//
// * the nodes that the host computes at once, such as the arithmetic of sizes;
// * all nodes that can become a function of dml operators now;
// * what has to happen before the rest of the section can be cut: tensors whose
//   elements the host needs, and loops whose inputs are there.
//
// An example: of NonMaxSuppression between two convolutions, the first cut has
// the first convolution as its function, and reads the boxes. The second cut
// has NonMaxSuppression on the host and the second convolution.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_DIVISION_H
#define DML_IMPORT_DIVISION_H

#include "dml/IR/DML.h"
#include "dml/Import/ONNX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dml::onnx {

/// The error of nodes that have no equivalent in dml, of a model that can be
/// divided.
class UnexpressedNodes : public llvm::ErrorInfo<UnexpressedNodes> {
public:
  static char ID;
  explicit UnexpressedNodes(std::string message)
      : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::not_supported);
  }

private:
  std::string message;
};

/// A tensor that is there when a section is cut.
struct PresentTensor {
  DataType type = DataType::FLOAT32;
  /// Whether the elements are truth values, bytes of 0 or 1.
  bool isBool = false;
  llvm::SmallVector<int64_t> shape;
  /// Whether the host has the elements.
  bool isOnHost = false;
  /// Whether all runs with the same program have the same elements.
  bool isConstant = false;
  /// The elements in row-major order, if the host has them, and their owner.
  llvm::ArrayRef<char> elements;
  std::shared_ptr<const void> owner;

  int64_t getNumElements() const;
  uint64_t getNumBytes() const;
};

/// Returns the tensor `name`, or null if it is not there.
using FindTensor = llvm::function_ref<const PresentTensor *(llvm::StringRef)>;

class Section;
using SectionPointer = std::shared_ptr<const Section>;

/// A node that the host computes.
class HostNode {
public:
  virtual ~HostNode() = default;
  /// Computes the outputs. Outputs that nothing reads are left out.
  virtual llvm::Expected<std::vector<std::pair<std::string, PresentTensor>>>
  compute(FindTensor find) const = 0;
};

/// A tensor that a cut makes.
struct MadeTensor {
  std::string name;
  DataType type;
  bool isBool;
  llvm::SmallVector<int64_t> shape;
};

/// A Loop or a Scan whose inputs are there.
struct LoopNode {
  /// The name and the operator, for messages.
  std::string name, type;
  /// The tensors with the number of iterations and with the condition, or "".
  std::string tripCount, condition;
  /// The number of iterations of a Scan.
  std::optional<int64_t> numSteps;

  /// A tensor that an iteration hands to the next one.
  struct Carried {
    /// The tensor before the loop, the body's input and output, and the tensor
    /// behind the loop, which is "" if nothing reads it.
    std::string initial, input, output, result;
  };
  std::vector<Carried> carried;
  /// A tensor that each iteration makes, and the tensor of all of them.
  struct Collected {
    std::string output, result;
    /// The dimension of `result` that counts iterations, which may count from
    /// the end, and whether the last iteration is first.
    int64_t axis = 0;
    bool isReversed = false;
    /// The type and the shape that the body declares, with 0 for sizes that it
    /// leaves open. They are those of a loop without iterations.
    std::optional<DataType> type;
    bool isBool;
    llvm::SmallVector<int64_t> shape;
  };
  std::vector<Collected> collected;

  /// The nodes of an iteration, and the names of its inputs: the number of the
  /// iteration, the same number counted from the last iteration, and the
  /// condition before the iteration. Names that the body lacks are "".
  SectionPointer body;
  std::string iteration, reversedIteration, conditionInput;
  /// The condition behind the iteration, or "".
  std::string conditionOutput;
};

/// What a cut takes of a section, apart from the function.
struct Cut {
  /// The nodes that the host computes, in their order, with the results that
  /// the function was built for. If one of them has another shape, the cut does
  /// not fit.
  struct Computed {
    std::shared_ptr<const HostNode> node;
    std::vector<MadeTensor> results;
  };
  std::vector<Computed> computed;
  /// The tensors on the host with whose elements the function was built, and
  /// the elements. If one of them has other elements, the cut does not fit.
  std::vector<std::pair<std::string, PresentTensor>> fixed;
  /// The tensors that the function takes and returns. There is no function if
  /// it returns none.
  std::vector<std::string> inputs;
  std::vector<MadeTensor> outputs;
  /// The tensors with elements that the cut knows.
  std::vector<std::pair<std::string, PresentTensor>> constants;
  /// Tensors with the elements of another one, which follows, and of its type.
  std::vector<std::pair<MadeTensor, std::string>> views;
  /// The tensors whose elements the host has to read now.
  std::vector<std::string> reads;
  /// The loops to run now.
  std::vector<LoopNode> loops;
  /// The nodes that are left, or null.
  SectionPointer rest;
  /// A text that tells this cut from others of the same section.
  std::string key;
};

/// A model that is divided. May be used from many threads at once.
class Division {
public:
  virtual ~Division() = default;

  /// All nodes of the model.
  virtual const SectionPointer &getMain() const = 0;
  /// The inputs whose values ImportOptions::dimensions state.
  virtual llvm::ArrayRef<std::pair<std::string, PresentTensor>>
  getStated() const = 0;

  struct Result {
    std::shared_ptr<const Cut> cut;
    /// The function `main`, or null.
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };
  /// Cuts `section`. An error lists nodes that are not supported.
  virtual llvm::Expected<Result> cut(const SectionPointer &section,
                                     FindTensor find,
                                     mlir::MLIRContext *context,
                                     const ImportOptions &options) const = 0;
};

/// Returns the names of the tensors that a section reads and does not compute,
/// in a fixed order, and a text that tells the section from all others of the
/// model.
llvm::ArrayRef<std::string> getReadNames(const Section &section);
llvm::StringRef getKey(const Section &section);

/// Divides a model that was read from `file`, or built node by node under the
/// name `name`. `owner` keeps what the model refers to.
llvm::Expected<std::unique_ptr<Division>>
divideModel(std::shared_ptr<llvm::MemoryBuffer> file,
            const ImportOptions &options, bool isOptimized);
llvm::Expected<std::unique_ptr<Division>>
divideBuiltModel(const ModelProto &model, llvm::StringRef name,
                 std::shared_ptr<const void> owner,
                 const ImportOptions &options, bool isOptimized);

} // namespace dml::onnx

#endif // DML_IMPORT_DIVISION_H
