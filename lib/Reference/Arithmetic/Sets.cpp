//===- Sets.cpp - The sets that an operator reduces -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/Sets.h"
#include "Arithmetic/Interval.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::reference {

/// Returns the positions, in a tensor of shape `shape`, of the elements whose
/// coordinates are 0 in all dimensions for which `isKept` is false.
static std::vector<int64_t>
getPlaces(ArrayRef<int64_t> shape, llvm::function_ref<bool(int64_t)> isKept) {
  SmallVector<int64_t> sizes(shape);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!isKept(dim))
      size = 1;
  std::vector<int64_t> places;
  forEachCoordinate(sizes, [&](ArrayRef<int64_t> coordinates) {
    int64_t place = 0;
    for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates))
      place = place * size + coordinate;
    places.push_back(place);
  });
  return places;
}

Sets::Sets(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes)
    : firsts(getPlaces(
          shape, [&](int64_t dim) { return !llvm::is_contained(axes, dim); })),
      offsets(getPlaces(
          shape, [&](int64_t dim) { return llvm::is_contained(axes, dim); })) {}

void Sets::forEach(
    llvm::function_ref<void(int64_t, ArrayRef<int64_t>)> callback) const {
  std::vector<int64_t> places(offsets.size());
  for (auto [set, first] : llvm::enumerate(firsts)) {
    for (auto [place, offset] : llvm::zip_equal(places, offsets))
      place = first + offset;
    callback(set, places);
  }
}

bool hasIntegers(const Estimate &tensor) {
  DataType type = tensor.value.getDataType();
  return type != DataType::FLOAT16 && type != DataType::FLOAT32 &&
         type != DataType::FLOAT64;
}

int64_t findWinner(const Tensor &tensor, ArrayRef<int64_t> places, bool isMax,
                   bool lastWins) {
  bool isFloat = !hasIntegers(Estimate(tensor));
  int64_t winner = 0;
  for (size_t i = 1; i < places.size(); ++i) {
    bool wins, equals;
    auto compare = [&](auto found, auto old) {
      wins = isMax ? found > old : found < old;
      equals = found == old;
    };
    if (isFloat) {
      double found = tensor.getNumber(places[i]);
      double old = tensor.getNumber(places[winner]);
      compare(found, old);
      wins |= std::isnan(old) && !std::isnan(found);
      equals |= std::isnan(old) && std::isnan(found);
    } else {
      compare(tensor.getInteger(places[i]), tensor.getInteger(places[winner]));
    }
    if (wins || (equals && lastWins))
      winner = static_cast<int64_t>(i);
  }
  return winner;
}

Standing Standing::get(const Estimate &tensor, int64_t place, bool isMax) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  Standing standing;
  if (hasIntegers(tensor)) {
    standing = {static_cast<long double>(tensor.lower.getInteger(place)),
                static_cast<long double>(tensor.upper.getInteger(place))};
  } else {
    standing = {tensor.lower.getNumber(place), tensor.upper.getNumber(place)};
    if (std::isnan(standing.low))
      return {-infinity, -infinity};
    if (std::isnan(standing.high))
      return {-infinity, infinity};
    // A device may treat a denormal as 0 in a comparison.
    if (standing.low > 0 && standing.low < smallestNormal)
      standing.low = 0;
    if (standing.high < 0 && standing.high > -smallestNormal)
      standing.high = 0;
  }
  return isMax ? standing : Standing{-standing.high, -standing.low};
}

SmallVector<int64_t> findCandidates(const Estimate &tensor,
                                    ArrayRef<int64_t> places, bool isMax,
                                    int64_t winner) {
  if (tensor.isExact())
    return {winner};
  SmallVector<Standing> standings;
  for (int64_t place : places)
    standings.push_back(Standing::get(tensor, place, isMax));
  long double least = standings.front().low;
  for (const Standing &standing : standings)
    least = std::max(least, standing.low);
  SmallVector<int64_t> candidates;
  for (auto [i, standing] : llvm::enumerate(standings))
    if (standing.high >= least || static_cast<int64_t>(i) == winner)
      candidates.push_back(static_cast<int64_t>(i));
  return candidates;
}

} // namespace dml::reference
