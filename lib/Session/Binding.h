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

/// The inputs of a run, in the order of the model's.
struct InputBinding {
  std::vector<const DmlSessionTensor *> inputs;
  /// The sizes of the model's open dimensions, by their names.
  std::map<std::string, int64_t> dimensions;
  /// The sizes of all inputs, "2x3;1": what tells programs apart.
  std::string key;
};

/// Finds the model's inputs among the tensors of a run. The error names the
/// input, what is found and what is wanted. Where `isRun`, each has memory, and
/// where `isPacked`, as many bytes as its type and sizes say.
Expected<InputBinding> bindInputs(const Signature &signature,
                                  llvm::ArrayRef<DmlSessionTensor> tensors,
                                  bool isRun, bool isPacked);

/// Finds the model's outputs among the tensors of a run: for each output the
/// tensor, or null.
Expected<std::vector<DmlSessionTensor *>>
bindOutputs(const Signature &signature,
            llvm::MutableArrayRef<DmlSessionTensor> tensors);

/// "4x?xf32", as messages have it.
std::string describeTensor(const SignatureTensor &tensor);

} // namespace dml::session

#endif // DML_LIB_SESSION_BINDING_H
