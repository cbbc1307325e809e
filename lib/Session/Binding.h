//===- Binding.h - The tensors of a run and the model's ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_BINDING_H
#define DML_LIB_SESSION_BINDING_H

#include "Support.h"
#include "dml/Import/Signature.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace dml::session {

/// A pair of an input and an output, by their numbers, that are bound to the
/// same range of a buffer.
struct SharedBuffer {
  uint32_t input, output;
};

/// The inputs of a run.
struct InputBinding {
  /// The inputs of the program, in the order of the model's inputs. Inputs
  /// without elements, and those that decide a branch, are none of them.
  std::vector<const DmlSessionTensor *> inputs;
  /// The tensor of each of the model's inputs, or null for an input without
  /// elements that is missing.
  std::vector<const DmlSessionTensor *> all;
  /// The sizes of the model's open dimensions, by their names, and the values
  /// of the inputs that decide a branch.
  std::map<std::string, int64_t> dimensions;
  /// The outputs that take the place of inputs.
  std::vector<SharedBuffer> shared;
  /// The sizes of all inputs, the values in `dimensions`, and the pairs in
  /// `shared`, such as "2x3;scalar=1;1=0".
  /// Runs with equal keys use the same program.
  std::string key;
};

/// Finds the model's inputs among the tensors of a run. The error names the
/// input, what is found and what is wanted. Where `isRun`, each has memory, and
/// where `isPacked`, as many bytes as its type and sizes say. An input that the
/// model declares with a size of 0 may be missing.
Expected<InputBinding> bindInputs(const Signature &signature,
                                  llvm::ArrayRef<DmlSessionTensor> tensors,
                                  bool isRun, bool isPacked);

/// Finds the model's outputs among the tensors of a run. Returns the tensor of
/// each output, or null if it is not given.
Expected<std::vector<DmlSessionTensor *>>
bindOutputs(const Signature &signature,
            llvm::MutableArrayRef<DmlSessionTensor> tensors);

/// Finds the outputs that are bound to exactly the range of an input, and adds
/// them to `binding`. The model is not an executable, whose pairs are fixed.
void bindShared(InputBinding &binding,
                llvm::ArrayRef<DmlSessionTensor *> outputs);

/// Returns sizes for messages, such as "2x3" or "scalar".
std::string describeSizes(llvm::ArrayRef<int64_t> sizes);
/// Returns the type of a tensor for messages, such as "4x?xf32".
std::string describeTensor(const SignatureTensor &tensor);

} // namespace dml::session

#endif // DML_LIB_SESSION_BINDING_H
