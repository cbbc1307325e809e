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

/// An output that is bound to the buffer range of an input, by their numbers.
struct SharedBuffer {
  uint32_t input, output;
};

/// The inputs of a run, in the order of the model's.
struct InputBinding {
  std::vector<const DmlSessionTensor *> inputs;
  /// The sizes of the model's open dimensions, by their names.
  std::map<std::string, int64_t> dimensions;
  /// The outputs in the buffers of inputs.
  std::vector<SharedBuffer> shared;
  /// The sizes of all inputs and the outputs in their buffers, "2x3;1;1=0":
  /// what tells programs apart.
  std::string key;
};

/// Finds the model's inputs among the tensors of a run. The error names the
/// input, what is found and what is wanted. Where `isRun`, each has memory, and
/// where `isPacked`, as many bytes as its type and sizes say.
Expected<InputBinding> bindInputs(const Signature &signature,
                                  llvm::ArrayRef<DmlSessionTensor> tensors,
                                  bool isRun, bool isPacked);

/// Finds the model's outputs among the tensors of a run. Returns the tensor of
/// each output, or null if it is not given.
Expected<std::vector<DmlSessionTensor *>>
bindOutputs(const Signature &signature,
            llvm::MutableArrayRef<DmlSessionTensor> tensors);

/// Finds the outputs that are bound to the very range of an input, and adds
/// them to `binding`. An executable says itself which are.
void bindShared(InputBinding &binding,
                llvm::ArrayRef<DmlSessionTensor *> outputs);

/// "4x?xf32", as messages have it.
std::string describeTensor(const SignatureTensor &tensor);

} // namespace dml::session

#endif // DML_LIB_SESSION_BINDING_H
