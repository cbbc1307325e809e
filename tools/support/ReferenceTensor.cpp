//===- ReferenceTensor.cpp - Tensors of the reference
//--------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/ReferenceTensor.h"
#include "dml/IR/DML.h"

using namespace mlir;
using dml::reference::Tensor;

namespace dml::tools {

FailureOr<Tensor> toReference(const HostTensor &host) {
  SmallVector<int64_t> shape(host.sizes.begin(), host.sizes.end());
  // Both enums have DirectML's values.
  std::optional<DataType> dataType = symbolizeDataType(host.dataType);
  if (!dataType)
    return failure();
  FailureOr<Tensor> tensor = Tensor::create(*dataType, shape);
  if (failed(tensor) || tensor->getNumPackedBytes() != host.data.size())
    return failure();
  tensor->unpack(
      {reinterpret_cast<const char *>(host.data.data()), host.data.size()});
  return tensor;
}

HostTensor toHost(const Tensor &tensor) {
  HostTensor host;
  host.dataType = static_cast<DmlDataType>(tensor.getDataType());
  host.sizes.assign(tensor.getShape().begin(), tensor.getShape().end());
  std::vector<char> bytes = tensor.pack();
  host.data.assign(bytes.begin(), bytes.end());
  return host;
}

std::optional<SmallVector<Tensor>>
readReferenceInputs(const std::vector<std::string> &options,
                    const FunctionSignature &function,
                    const PictureOptions &pictures, std::string &error) {
  auto hosts = readInputs(options, function, pictures, error);
  if (!hosts)
    return std::nullopt;
  SmallVector<Tensor> inputs;
  for (const HostTensor &host : *hosts) {
    FailureOr<Tensor> input = toReference(host);
    if (failed(input)) {
      error = "there is no memory for an input";
      return std::nullopt;
    }
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

} // namespace dml::tools
