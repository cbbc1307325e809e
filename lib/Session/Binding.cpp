//===- Binding.cpp - The tensors of a run and the model's -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Binding.h"
#include "Boundary.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace dml;
using namespace dml::session;

template <typename... Ts> static Status wrong(const Ts &...parts) {
  return makeError(DML_ERROR_INVALID_ARGUMENT, parts...);
}

static std::string quote(llvm::StringRef name) {
  return "'" + runtime::escape(name) + "'";
}

std::string dml::session::describeSizes(llvm::ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

std::string dml::session::describeTensor(const SignatureTensor &tensor) {
  std::string text;
  for (const SignatureDimension &dimension : tensor.dimensions)
    text +=
        (text.empty() ? "" : "x") +
        (dimension.size >= 0
             ? std::to_string(dimension.size)
             : runtime::escape(dimension.name.empty() ? "?" : dimension.name));
  return text.empty() ? "scalar" : text;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Returns the tensor of `wanted` whose name is most like `name`, or null if
/// none is similar.
static const SignatureTensor *
findNearest(llvm::StringRef name, llvm::ArrayRef<SignatureTensor> wanted) {
  const SignatureTensor *nearest = nullptr;
  // Two exchanged letters are a distance of 2. A name with a distance of its
  // whole length is not similar.
  size_t least =
      std::min<size_t>(name.size(), std::max<size_t>(2, name.size() / 3) + 1);
  for (const SignatureTensor &tensor : wanted) {
    unsigned distance = name.edit_distance(tensor.name);
    if (distance < least) {
      least = distance;
      nearest = &tensor;
    }
  }
  return nearest;
}

static std::string listNames(llvm::ArrayRef<SignatureTensor> tensors) {
  // A message names no more than fit on a few lines.
  constexpr size_t most = 16;
  std::string text;
  for (const SignatureTensor &tensor : tensors.take_front(most))
    text += (text.empty() ? "" : ", ") + quote(tensor.name);
  if (tensors.size() > most)
    text += " and " + std::to_string(tensors.size() - most) + " others";
  return text.empty() ? "none" : text;
}

/// The place of a tensor that is missing.
static constexpr size_t nowhere = SIZE_MAX;

/// Returns the index among the model's tensors `wanted` of the tensor at
/// `place` in the arguments of a run: the tensor with its name, or, if it has
/// no name, the tensor at the same place.
static Expected<size_t> findTensor(const char *kind,
                                   llvm::ArrayRef<SignatureTensor> wanted,
                                   const DmlSessionTensor &tensor,
                                   size_t place) {
  DML_CHECK_CHAIN(DmlSessionTensor, &tensor);
  if (!tensor.name)
    return place;
  for (auto [index, other] : llvm::enumerate(wanted))
    if (other.name == tensor.name)
      return index;
  if (const SignatureTensor *nearest = findNearest(tensor.name, wanted))
    return wrong("there is no ", kind, " ", quote(tensor.name),
                 "; did you mean ", quote(nearest->name), "?");
  return wrong("there is no ", kind, " ", quote(tensor.name),
               "; the model has ", listNames(wanted));
}

/// Returns, for each of the model's tensors `wanted`, the place of its tensor
/// in `tensors`, or `nowhere` if it is missing.
static Expected<std::vector<size_t>>
matchTensors(const char *kind, llvm::ArrayRef<SignatureTensor> wanted,
             llvm::ArrayRef<DmlSessionTensor> tensors) {
  std::vector<size_t> places(wanted.size(), nowhere);
  for (size_t place = 0; place < tensors.size(); ++place) {
    Expected<size_t> index = findTensor(kind, wanted, tensors[place], place);
    if (!index)
      return index.status();
    if (*index >= wanted.size())
      return wrong("there are ", tensors.size(), " ", kind,
                   "s, but the model has ", wanted.size());
    if (places[*index] != nowhere)
      return wrong(kind, " ", quote(wanted[*index].name), " is given twice");
    places[*index] = place;
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// A size that an input has given to a name.
struct NamedSize {
  int64_t size;
  const SignatureTensor *input;
};
} // namespace

/// Compares the type and the number of dimensions.
static Status checkType(const SignatureTensor &wanted,
                        const DmlSessionTensor &tensor) {
  auto type = static_cast<DmlDataType>(*wanted.type);
  if (tensor.dataType != type)
    return wrong("input ", quote(wanted.name), " has the type ",
                 dmlGetDataTypeName(tensor.dataType), ", but wanted is ",
                 dmlGetDataTypeName(type));
  if (tensor.rank != wanted.dimensions.size())
    return wrong("input ", quote(wanted.name), " has ", tensor.rank,
                 " dimensions, but wanted are ", wanted.dimensions.size(), ", ",
                 describeTensor(wanted));
  return Status();
}

/// Compares the sizes with the model's and with those of other inputs.
static Status checkSizes(const SignatureTensor &wanted,
                         const DmlSessionTensor &tensor,
                         std::map<std::string, NamedSize> &sizes) {
  uint64_t count = 1;
  for (auto [i, dimension] : llvm::enumerate(wanted.dimensions)) {
    int64_t size = tensor.sizes[i];
    if (dimension.size >= 0 && size != dimension.size)
      return wrong("input ", quote(wanted.name), " has the size ", size,
                   " in dimension ", i, ", but wanted is ", dimension.size,
                   dimension.name.empty()
                       ? std::string()
                       : ", which was stated for " + quote(dimension.name),
                   " (", describeTensor(wanted), ")");
    if (size < 0 || size > UINT32_MAX ||
        (count *= static_cast<uint64_t>(size)) > UINT32_MAX)
      return wrong("input ", quote(wanted.name), " has the shape ",
                   describeSizes({tensor.sizes, tensor.rank}),
                   ", but wanted are sizes of 0 or more, and at most 2^32 - 1 "
                   "elements");
    if (dimension.size >= 0)
      continue;
    auto [known, isNew] =
        sizes.try_emplace(dimension.name, NamedSize{size, &wanted});
    if (!isNew && known->second.size != size)
      return wrong("input ", quote(wanted.name), " has the size ", size,
                   " in dimension ", i, ", but wanted is ", known->second.size,
                   ", which input ", quote(known->second.input->name),
                   " has as ", quote(dimension.name));
  }
  return Status();
}

/// Bytes of a packed tensor. The number of elements is one of 32 bits.
static uint64_t countBytes(const DmlSessionTensor &tensor) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i)
    count *= static_cast<uint64_t>(tensor.sizes[i]);
  return (count * dmlGetDataTypeBits(tensor.dataType) + 7) / 8;
}

static bool isEmpty(const DmlSessionTensor &tensor) {
  return llvm::is_contained(llvm::ArrayRef(tensor.sizes, tensor.rank), 0);
}

/// Fails if a byte of truth values on the host is neither 0 nor 1: kernels
/// compute with the bytes, so that a 2, cast to float, would be 2.0.
static Status checkTruthValues(const SignatureTensor &wanted,
                               const DmlSessionTensor &tensor) {
  llvm::ArrayRef<uint8_t> bytes(static_cast<const uint8_t *>(tensor.data),
                                tensor.byteSize);
  // The loop has no branch, so that it is computed in vectors.
  uint8_t all = 0;
  for (uint8_t byte : bytes)
    all |= byte;
  if (all <= 1)
    return Status();
  const uint8_t *found =
      llvm::find_if(bytes, [](uint8_t byte) { return byte > 1; });
  return wrong("input ", quote(wanted.name), " has the byte ", int(*found),
               " as element ", found - bytes.begin(),
               ", but wanted are the truth values 0 and 1");
}

static Status checkMemory(const SignatureTensor &wanted,
                          const DmlSessionTensor &tensor, bool isPacked) {
  if (!tensor.data && !tensor.buffer.buffer && !isEmpty(tensor))
    return wrong("input ", quote(wanted.name),
                 " has no memory: both data and buffer are NULL, but wanted is "
                 "one of them");
  if (tensor.data && tensor.buffer.buffer)
    return wrong("input ", quote(wanted.name),
                 " has both data and a buffer, but wanted is one of them");
  if (tensor.data && isPacked && tensor.byteSize != countBytes(tensor))
    return wrong("input ", quote(wanted.name), " has ", tensor.byteSize,
                 " bytes, but wanted are ", countBytes(tensor), " for ",
                 describeSizes({tensor.sizes, tensor.rank}), " of ",
                 dmlGetDataTypeName(tensor.dataType));
  // Of the value that decides a branch, all but 0 is true (getValue).
  if (tensor.data && wanted.isBool && !wanted.decidesBranch)
    return checkTruthValues(wanted, tensor);
  return Status();
}

/// Returns the only element of a tensor of an integer type.
static int64_t getValue(const DmlSessionTensor &tensor) {
  if (tensor.dataType == DML_DATA_TYPE_UINT8)
    return *static_cast<const uint8_t *>(tensor.data) != 0;
  int32_t narrow = 0;
  int64_t wide = 0;
  if (tensor.dataType == DML_DATA_TYPE_INT32)
    std::memcpy(&narrow, tensor.data, sizeof(narrow));
  else
    std::memcpy(&wide, tensor.data, sizeof(wide));
  return wide + narrow;
}

/// Adds the value of the input `wanted`, which decides a branch.
static Status bindCondition(const SignatureTensor &wanted,
                            const DmlSessionTensor &tensor, bool isPacked,
                            InputBinding &binding) {
  if (!tensor.data)
    return wrong("input ", quote(wanted.name), " has ",
                 tensor.buffer.buffer ? "a buffer" : "no memory",
                 ", but wanted is data on the host: the value decides which "
                 "branch of an If is computed");
  DML_TRY(checkMemory(wanted, tensor, isPacked));
  int64_t value = getValue(tensor);
  binding.dimensions[wanted.name] = value;
  binding.key += "=" + std::to_string(value);
  return Status();
}

/// Whether the model declares an input without elements.
static bool isDeclaredEmpty(const SignatureTensor &tensor) {
  return llvm::any_of(
      tensor.dimensions,
      [](const SignatureDimension &dimension) { return dimension.size == 0; });
}

Expected<InputBinding>
dml::session::bindInputs(const Signature &signature,
                         llvm::ArrayRef<DmlSessionTensor> tensors, bool isRun,
                         bool isPacked) {
  Expected<std::vector<size_t>> places =
      matchTensors("input", signature.inputs, tensors);
  if (!places)
    return places.status();
  InputBinding binding;
  std::map<std::string, NamedSize> sizes;
  for (auto [wanted, place] : llvm::zip_equal(signature.inputs, *places)) {
    binding.all.push_back(place == nowhere ? nullptr : &tensors[place]);
    if (place == nowhere && isDeclaredEmpty(wanted))
      continue;
    if (place == nowhere)
      return wrong("input ", quote(wanted.name),
                   " is missing; the model has the inputs ",
                   listNames(signature.inputs));
    const DmlSessionTensor *tensor = &tensors[place];
    DML_TRY(checkType(wanted, *tensor));
    DML_TRY(checkSizes(wanted, *tensor, sizes));
    binding.key += describeSizes({tensor->sizes, tensor->rank});
    if (wanted.decidesBranch)
      DML_TRY(bindCondition(wanted, *tensor, isPacked, binding));
    else if (isRun)
      DML_TRY(checkMemory(wanted, *tensor, isPacked));
    if (!wanted.decidesBranch && !isEmpty(*tensor))
      binding.inputs.push_back(tensor);
    binding.key += ";";
  }
  for (const auto &[name, size] : sizes)
    binding.dimensions[name] = size.size;
  return binding;
}

void dml::session::bindShared(InputBinding &binding,
                              llvm::ArrayRef<DmlSessionTensor *> outputs) {
  auto isSame = [](const DmlBufferRange &a, const DmlBufferRange &b) {
    return a.buffer == b.buffer && a.offset == b.offset && a.size == b.size;
  };
  for (auto [output, tensor] : llvm::enumerate(outputs)) {
    if (!tensor || tensor->data || !tensor->buffer.buffer)
      continue;
    for (auto [input, other] : llvm::enumerate(binding.inputs)) {
      if (other->data || !isSame(other->buffer, tensor->buffer))
        continue;
      binding.shared.push_back(
          {static_cast<uint32_t>(input), static_cast<uint32_t>(output)});
      binding.key += std::to_string(output) + "=" + std::to_string(input) + ";";
      break;
    }
  }
}

Expected<std::vector<DmlSessionTensor *>>
dml::session::bindOutputs(const Signature &signature,
                          llvm::MutableArrayRef<DmlSessionTensor> tensors) {
  Expected<std::vector<size_t>> places =
      matchTensors("output", signature.outputs, tensors);
  if (!places)
    return places.status();
  std::vector<DmlSessionTensor *> outputs;
  for (auto [wanted, place] : llvm::zip_equal(signature.outputs, *places)) {
    outputs.push_back(place == nowhere ? nullptr : &tensors[place]);
    if (outputs.back() && outputs.back()->data && outputs.back()->buffer.buffer)
      return wrong("output ", quote(wanted.name),
                   " has both data and a buffer, but wanted is one of them at "
                   "most");
  }
  return outputs;
}
