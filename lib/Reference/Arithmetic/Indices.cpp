//===- Indices.cpp - Indices that are data --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/Indices.h"
#include "Arithmetic/Interval.h"
#include "Arithmetic/Places.h"
#include <cstring>

using namespace mlir;

namespace dml::reference {

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

__int128 IndexReader::read(ArrayRef<int64_t> at, int64_t size) {
  if (isBegun)
    return choices[position++].current;
  Integer index = Integer::load(indices, getPlace(indices.value, at));
  // All indices that are out of range on the same side are equivalent.
  auto limit = [&](__int128 number) {
    return std::clamp<__int128>(number, -static_cast<__int128>(size) - 1, size);
  };
  choices.push_back({limit(index.low), limit(index.high), index.value});
  return index.value;
}

std::optional<int64_t> IndexReader::get(ArrayRef<int64_t> at, int64_t size) {
  __int128 index = read(at, size);
  if (index < 0)
    index += size;
  if (index < 0 || index >= size)
    return std::nullopt;
  return static_cast<int64_t>(index);
}

int64_t IndexReader::getClamped(ArrayRef<int64_t> at, int64_t size) {
  __int128 index = read(at, size);
  if (index < 0)
    index += size;
  return static_cast<int64_t>(std::clamp<__int128>(index, 0, size - 1));
}

bool IndexReader::isOpen() const {
  return llvm::any_of(choices, [](const Choice &choice) {
    return choice.first != choice.last;
  });
}

bool IndexReader::begin() {
  constexpr __int128 maxCombinations = 4096;
  __int128 combinations = 1;
  for (Choice &choice : choices) {
    combinations *= choice.last - choice.first + 1;
    if (combinations > maxCombinations)
      return false;
    choice.current = choice.first;
  }
  position = 0;
  isBegun = true;
  return true;
}

bool IndexReader::next() {
  position = 0;
  for (Choice &choice : choices) {
    if (choice.current++ < choice.last)
      return true;
    choice.current = choice.first;
  }
  return false;
}

} // namespace dml::reference
