//===- RegionOps.cpp - DirectML's pooling of regions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Positions are computed from data, and known within bounds. If the bounds
// leave open which elements an implementation reads, or how many samples it
// takes, the bounds of the result include the results for all choices.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/RegionOps.h"
#include "Arithmetic/Places.h"
#include "Arithmetic/Sums.h"
#include "Operators/Evaluators.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

using namespace mlir;

namespace dml::reference {

/// Returns a number that is either `first`, the choice of the reference, or
/// `other`.
static Interval mayBe(Interval first, Interval other) {
  return select(Truth::unknown(true), first, other);
}

/// Returns the integers within the bounds of `x`, beginning with that of the
/// reference. Returns none if there are too many to try.
static SmallVector<int64_t> getChoices(Interval x) {
  constexpr double maxChoices = 8;
  if (x.isNaN || x.mayBeNaN || !(x.high - x.low < maxChoices))
    return {};
  auto value = static_cast<int64_t>(x.value);
  SmallVector<int64_t> choices = {value};
  for (auto i = static_cast<int64_t>(x.low); i <= static_cast<int64_t>(x.high);
       ++i)
    if (i != value)
      choices.push_back(i);
  return choices;
}

static Interval clamp(Interval x, double low, double high) {
  return min(max(x, Interval(low)), Interval(high));
}

/// Returns element `place` of region `region`. Each region has `count`
/// elements.
static Interval loadCorner(const Estimate &roi, int64_t region, int64_t place,
                           int64_t count) {
  return Interval::load(roi, region * count + place);
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

namespace {
struct Sampling {
  bool isMax, isLinear;
  double scaleX, scaleY;
  double inputOffset = 0.5, outputOffset = -0.5, outside;
  int64_t minSamples, maxSamples;
  bool alignsCorners = false;

  /// `outside` is the value of samples that are out of bounds.
  template <typename OpTy>
  Sampling(OpTy op, double outside)
      : isMax(op.getReductionFunction() == ReduceFunction::max),
        isLinear(op.getInterpolationMode() == InterpolationMode::linear),
        scaleX(op.getSpatialScaleX().convertToDouble()),
        scaleY(op.getSpatialScaleY().convertToDouble()), outside(outside),
        minSamples(op.getMinimumSamplesPerOutput()),
        maxSamples(op.getMaximumSamplesPerOutput()) {
    if constexpr (!std::is_same_v<OpTy, RoiAlignOp>) {
      inputOffset = op.getInputPixelOffset().convertToDouble();
      outputOffset = op.getOutputPixelOffset().convertToDouble();
      alignsCorners = op.getAlignRegionsToCorners();
    }
  }
};

/// The position of a sample on one axis, as far as it is certain.
struct Place {
  Truth isInside = Truth::False;
  /// Whether the sample is inside for the reference.
  bool isValueInside = false;
  /// The positions that determine the possible results, beginning with the
  /// position of the reference. For nearest-neighbour sampling, these are
  /// integers. The list is empty if the positions are unknown.
  SmallVector<double> positions;
  /// The relative distance of the sample along the region, from 0 to 1.
  Interval along = Interval(0);
};

/// The extent of a region on one axis.
struct Axis {
  const Sampling &sampling;
  Interval start, extent;
  int64_t size, outputs;

  /// Returns the possible numbers of samples for an output, or an empty list if
  /// they are unknown.
  SmallVector<int64_t> getCounts() const {
    int64_t most = std::min<int64_t>(2 * size, 1 << 24);
    Interval length = min(abs(extent), Interval(static_cast<double>(most)));
    SmallVector<int64_t> counts;
    SmallVector<int64_t> lengths = getChoices(ceil(length));
    // All lengths may lead to the same number of samples.
    int64_t least = 1, limit = llvm::divideCeilSigned(most, outputs);
    if (lengths.empty() && clampCount(least) == clampCount(limit))
      return {clampCount(least)};
    for (int64_t length : lengths) {
      int64_t count = clampCount(llvm::divideCeilSigned(length, outputs));
      if (!llvm::is_contained(counts, count))
        counts.push_back(count);
    }
    return counts;
  }

  Place getPlace(int64_t count, int64_t output, int64_t sample) const {
    int64_t steps = count * outputs - (sampling.alignsCorners ? 1 : 0);
    Interval position(0), along(0.5);
    if (steps == 0) {
      position = start + extent * Interval(0.5);
    } else {
      Interval offset = Interval(static_cast<double>(output * count + sample)) -
                        Interval(sampling.outputOffset);
      Interval numSteps(static_cast<double>(steps));
      position = offset * (extent / numSteps) + start;
      along = offset / numSteps;
    }
    position = position - Interval(sampling.inputOffset);
    auto limit = static_cast<double>(size);
    Place place;
    place.along = along;
    place.isInside = position >= Interval(-1) && position <= Interval(limit);
    place.isValueInside = position.value >= -1 && position.value <= limit;
    if (place.isInside == Truth::False)
      return place;
    Interval clamped = clamp(position, 0, limit - 1);
    if (!sampling.isLinear) {
      for (int64_t choice : getChoices(ceil(clamped - Interval(0.5))))
        place.positions.push_back(static_cast<double>(choice));
      return place;
    }
    if (getChoices(floor(clamped)).empty())
      return place;
    // Interpolation is piecewise linear, with bends at the elements. The
    // results are therefore extreme at the bounds or at elements in between.
    place.positions = {clamped.value};
    if (clamped.low != clamped.high) {
      place.positions.append({clamped.low, clamped.high});
      for (double at = std::ceil(clamped.low); at <= clamped.high; ++at)
        place.positions.push_back(at);
    }
    return place;
  }

private:
  int64_t clampCount(int64_t count) const {
    count = std::max(count, sampling.minSamples);
    return std::max<int64_t>(std::min(count, sampling.maxSamples), 1);
  }
};
} // namespace

static Interval mix(Interval low, Interval high, double weight) {
  return weight == 0 ? low : low + Interval(weight) * (high - low);
}

namespace {
/// A channel of an image.
struct Plane {
  const Estimate &input;
  int64_t begin, height, width;

  Interval read(int64_t y, int64_t x) const {
    y = std::min(y, height - 1);
    x = std::min(x, width - 1);
    return Interval::load(input, begin + y * width + x);
  }

  Interval interpolate(double y, double x) const {
    auto row = static_cast<int64_t>(std::floor(y)),
         column = static_cast<int64_t>(std::floor(x));
    auto ofRow = [&](int64_t y) {
      double weight = x - static_cast<double>(column);
      return mix(read(y, column), read(y, column + 1), weight);
    };
    return mix(ofRow(row), ofRow(row + 1), y - static_cast<double>(row));
  }

  Interval sample(const Place &row, const Place &column, double outside) const {
    Truth isInside = row.isInside && column.isInside;
    if (isInside == Truth::False)
      return Interval(outside);
    bool isValueInside = row.isValueInside && column.isValueInside;
    if (row.positions.empty() || column.positions.empty())
      return Interval::anything(outside);
    std::optional<Interval> result;
    for (double y : row.positions)
      for (double x : column.positions) {
        Interval value = interpolate(y, x);
        result = result ? mayBe(*result, value) : value;
      }
    // Results for positions in between are rounded separately.
    if (row.positions.size() * column.positions.size() > 1 &&
        !result->mayBeNaN && !result->isNaN)
      result = Interval::around(result->value, result->low, result->high, 2);
    if (isInside.isUnknown())
      return isValueInside ? mayBe(*result, Interval(outside))
                           : mayBe(Interval(outside), *result);
    return *result;
  }
};
} // namespace

/// Returns the value of an output with `rows` times `columns` samples.
static Interval reduceSamples(const Sampling &sampling, const Plane &plane,
                              const Axis &y, const Axis &x, int64_t i,
                              int64_t j, int64_t rows, int64_t columns) {
  Sum sum;
  Interval most = Interval::nan();
  SmallVector<Place> ofColumns;
  for (int64_t column = 0; column < columns; ++column)
    ofColumns.push_back(x.getPlace(columns, j, column));
  for (int64_t row = 0; row < rows; ++row) {
    Place place = y.getPlace(rows, i, row);
    for (const Place &column : ofColumns) {
      Interval sample = plane.sample(place, column, sampling.outside);
      sum.add(sample);
      most = max(most, sample);
    }
  }
  if (sampling.isMax)
    return most;
  return sum.get() / Interval(static_cast<double>(rows * columns));
}

template <typename OpTy>
static LogicalResult evaluateAlign(OpTy op, ArrayRef<Estimate> operands,
                                   Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  const Estimate &input = operands[0], &roi = operands[1];
  if (!operands[2].isExact())
    return op.emitOpError("takes batch_indices for coordinates, but they are "
                          "known within bounds only");
  Sampling sampling(op, op.getOutOfBoundsInputValue().convertToDouble());
  ArrayRef<int64_t> image = input.value.getShape(),
                    shape = output->value.getShape();
  int64_t next = 0;
  for (int64_t r = 0; r < shape[0]; ++r) {
    auto getAxis = [&](int64_t corner, double scale, unsigned dim) {
      Interval start = loadCorner(roi, r, corner, 4) * Interval(scale);
      Interval end = loadCorner(roi, r, corner + 2, 4) * Interval(scale);
      return Axis{sampling, start, end - start, image[dim], shape[dim]};
    };
    Axis y = getAxis(1, sampling.scaleY, 2), x = getAxis(0, sampling.scaleX, 3);
    SmallVector<int64_t> rows = y.getCounts(), columns = x.getCounts();
    auto batch = static_cast<int64_t>(
        std::min<__int128>(operands[2].value.getInteger(r), image[0] - 1));
    for (int64_t c = 0; c < shape[1]; ++c) {
      Plane plane{input, (batch * image[1] + c) * image[2] * image[3], image[2],
                  image[3]};
      for (int64_t i = 0; i < shape[2]; ++i)
        for (int64_t j = 0; j < shape[3]; ++j) {
          std::optional<Interval> result;
          for (int64_t row : rows)
            for (int64_t column : columns) {
              Interval value =
                  reduceSamples(sampling, plane, y, x, i, j, row, column);
              result = result ? mayBe(*result, value) : value;
            }
          if (!result)
            result = Interval::anything(sampling.outside);
          result->store(*output, next++);
        }
    }
  }
  outputs.push_back(std::move(*output));
  return success();
}

//===----------------------------------------------------------------------===//
// Bins
//===----------------------------------------------------------------------===//

namespace {
/// The elements of a bin on one axis.
struct Bin {
  int64_t begin, end;

  /// Returns bin `i` of `count` bins between rounded corners, in an image of
  /// `size` elements.
  static Bin get(int64_t first, int64_t last, int64_t i, int64_t count,
                 int64_t size) {
    int64_t length = std::max<int64_t>(last - first + 1, 1);
    auto place = [&](int64_t offset) {
      return std::clamp<int64_t>(first + offset, 0, size);
    };
    return {place(i * length / count),
            place(llvm::divideCeilSigned((i + 1) * length, count))};
  }
};
} // namespace

/// Returns the integers that a corner may be.
static SmallVector<int64_t> getCorners(Interval corner, double scale) {
  auto withoutNaN = [](Interval x) { return x.isNaN ? Interval(0) : x; };
  constexpr double limit = 1 << 22;
  Interval scaled = withoutNaN(withoutNaN(corner) * Interval(scale));
  if (scaled.mayBeNaN)
    return {};
  return getChoices(roundAway(clamp(scaled, -limit, limit)));
}

static LogicalResult evaluatePooling(RoiPoolingOp op,
                                     ArrayRef<Estimate> operands,
                                     Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  const Estimate &input = operands[0], &roi = operands[1];
  if (!roi.isExact())
    return op.emitOpError("takes roi for coordinates, but it is known within "
                          "bounds only");
  ArrayRef<int64_t> image = input.value.getShape(),
                    shape = output->value.getShape();
  double scale = op.getSpatialScale().convertToDouble();
  int64_t next = 0;
  for (int64_t r = 0; r < shape[0]; ++r) {
    double number = roi.value.getNumber(5 * r);
    int64_t batch = std::isnan(number)
                        ? 0
                        : static_cast<int64_t>(std::clamp(
                              number, 0.0, static_cast<double>(image[0] - 1)));
    SmallVector<int64_t> corners[4];
    for (int64_t i = 0; i < 4; ++i)
      corners[i] = getCorners(loadCorner(roi, r, i + 1, 5), scale);
    auto [x1, y1, x2, y2] = corners;
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t i = 0; i < shape[2]; ++i)
        for (int64_t j = 0; j < shape[3]; ++j) {
          std::optional<Interval> result;
          auto add = [&](Bin rows, Bin columns) {
            bool isEmpty =
                rows.begin >= rows.end || columns.begin >= columns.end;
            Interval most = isEmpty ? Interval(0) : Interval::nan();
            for (int64_t y = rows.begin; y < rows.end; ++y)
              for (int64_t x = columns.begin; x < columns.end; ++x)
                most = max(
                    most,
                    Interval::load(input, getNumber({batch, c, y, x}, image)));
            result = result ? mayBe(*result, most) : most;
          };
          for (int64_t top : y1)
            for (int64_t bottom : y2)
              for (int64_t left : x1)
                for (int64_t right : x2)
                  add(Bin::get(top, bottom, i, shape[2], image[2]),
                      Bin::get(left, right, j, shape[3], image[3]));
          if (!result)
            result = Interval::anything(0);
          result->store(*output, next++);
        }
  }
  outputs.push_back(std::move(*output));
  return success();
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Returns `value`, or 0 if the sample is out of bounds.
static Interval ifInside(Truth isInside, bool isValueInside, Interval value) {
  if (isInside == Truth::True)
    return value;
  if (isInside == Truth::False)
    return Interval(0);
  return isValueInside ? mayBe(value, Interval(0)) : mayBe(Interval(0), value);
}

static bool isZero(Interval x) {
  return !x.mayBeNaN && !x.isNaN && x.low == 0 && x.high == 0;
}

namespace {
/// The weights of elements on one axis, by the elements' coordinates.
using Weights = std::map<int64_t, Interval>;

/// A sample that may be the largest sample of its output.
struct Candidate {
  Place row, column;
  Interval value;
  bool isOwn = false;

  Truth isInside() const { return row.isInside && column.isInside; }
  bool isValueInside() const {
    return row.isValueInside && column.isValueInside;
  }
};

/// The inputs of the gradients of roi_align_grad.
struct Gradients {
  Sampling sampling;
  const Estimate *input;
  const Estimate &gradient, &roi, &batchIndices;
  ArrayRef<int64_t> shape, image;

  int64_t getImage(int64_t region) const {
    return static_cast<int64_t>(std::min<__int128>(
        batchIndices.value.getInteger(region), image[0] - 1));
  }
  std::pair<Axis, Axis> getAxes(int64_t region) const {
    auto getAxis = [&](int64_t corner, double scale, unsigned dim) {
      Interval start = loadCorner(roi, region, corner, 4) * Interval(scale);
      Interval end = loadCorner(roi, region, corner + 2, 4) * Interval(scale);
      return Axis{sampling, start, end - start, image[dim], shape[dim]};
    };
    return {getAxis(1, sampling.scaleY, 2), getAxis(0, sampling.scaleX, 3)};
  }
  Interval getGradient(int64_t r, int64_t c, int64_t i, int64_t j) const {
    return Interval::load(gradient, getNumber({r, c, i, j}, shape));
  }
  Plane getPlane(int64_t region, int64_t channel) const {
    return {*input,
            (getImage(region) * image[1] + channel) * image[2] * image[3],
            image[2], image[3]};
  }

  /// Returns the weights with which a sample contributes to elements, provided
  /// that it is inside.
  static Weights getWeights(const Place &place) {
    Weights weights;
    for (auto [number, position] : llvm::enumerate(place.positions)) {
      double whole = std::floor(position), fraction = position - whole;
      auto low = static_cast<int64_t>(whole);
      Weights here = {{low, Interval(1) - Interval(fraction)}};
      if (fraction != 0)
        here.insert({low + 1, Interval(fraction)});
      if (number == 0) {
        weights = here;
        continue;
      }
      for (auto &[element, weight] : weights)
        if (!here.count(element))
          weight = mayBe(weight, Interval(0));
      for (auto &[element, weight] : here) {
        auto [found, isNew] =
            weights.insert({element, mayBe(Interval(0), weight)});
        if (!isNew)
          found->second = mayBe(found->second, weight);
      }
    }
    return weights;
  }

  /// Returns the weight of each element in the average of an output, or nothing
  /// if the weights are unknown.
  std::optional<Weights> getAverageWeights(const Axis &axis,
                                           int64_t output) const {
    std::optional<Weights> result;
    for (int64_t count : axis.getCounts()) {
      std::map<int64_t, Sum> sums;
      for (int64_t sample = 0; sample < count; ++sample) {
        Place place = axis.getPlace(count, output, sample);
        if (place.isInside == Truth::False)
          continue;
        if (place.positions.empty())
          return std::nullopt;
        for (auto [element, weight] : getWeights(place))
          sums[element].add(
              ifInside(place.isInside, place.isValueInside, weight));
      }
      Weights weights;
      for (auto &[element, sum] : sums)
        weights.insert(
            {element, sum.get() / Interval(static_cast<double>(count))});
      if (!result) {
        result = weights;
        continue;
      }
      for (auto &[element, weight] : *result)
        weight = mayBe(weight, weights.count(element) ? weights.at(element)
                                                      : Interval(0));
      for (auto &[element, weight] : weights)
        result->insert({element, mayBe(Interval(0), weight)});
    }
    return result;
  }

  /// Returns the samples of an output that may be the largest, or nothing if
  /// they are unknown.
  std::optional<std::vector<Candidate>> getLargest(const Plane &plane,
                                                   const Axis &y, const Axis &x,
                                                   int64_t i, int64_t j) const {
    SmallVector<int64_t> rows = y.getCounts(), columns = x.getCounts();
    if (rows.empty() || columns.empty())
      return std::nullopt;
    std::vector<Candidate> all;
    bool isFirst = true;
    for (int64_t rowCount : rows)
      for (int64_t columnCount : columns) {
        std::optional<size_t> own;
        for (int64_t row = 0; row < rowCount; ++row)
          for (int64_t column = 0; column < columnCount; ++column) {
            Candidate sample{y.getPlace(rowCount, i, row),
                             x.getPlace(columnCount, j, column), Interval(0)};
            if (sample.isInside() == Truth::False)
              continue;
            if (sample.row.positions.empty() || sample.column.positions.empty())
              return std::nullopt;
            Place inside = sample.row, insideToo = sample.column;
            inside.isInside = insideToo.isInside = Truth::True;
            sample.value = plane.sample(inside, insideToo, 0);
            all.push_back(sample);
            if (!isFirst || !sample.isValueInside())
              continue;
            double value = sample.value.value,
                   best = own ? all[*own].value.value : 0;
            if (!own || value > best ||
                (std::isnan(best) && !std::isnan(value)))
              own = all.size() - 1;
          }
        if (own)
          all[*own].isOwn = true;
        isFirst = false;
      }
    // A sample that is certainly smaller than another one is excluded.
    double least = -std::numeric_limits<double>::infinity();
    bool hasNumber = false;
    for (const Candidate &sample : all)
      if (rows.size() * columns.size() == 1 &&
          sample.isInside() == Truth::True && !sample.value.mayBeNaN &&
          !sample.value.isNaN) {
        least = std::max(least, sample.value.low);
        hasNumber = true;
      }
    std::vector<Candidate> possible;
    for (const Candidate &sample : all)
      if (!hasNumber || sample.isOwn ||
          (!sample.value.isNaN && sample.value.high >= least))
        possible.push_back(sample);
    // Among samples that are certainly equal, the first one wins.
    bool areEqual =
        hasNumber && llvm::all_of(possible, [&](const Candidate &c) {
          return c.isInside() == Truth::True && !c.value.mayBeNaN &&
                 c.value.low == least && c.value.high == least;
        });
    if (areEqual)
      possible.erase(possible.begin() + 1, possible.end());
    return possible;
  }

  /// Adds the gradients that samples propagate to the elements of an image.
  void addToElements(std::vector<Sum> &sums) const {
    auto addAnything = [&](int64_t r, int64_t c) {
      for (int64_t at = 0; at < image[2] * image[3]; ++at)
        sums[(getImage(r) * image[1] + c) * image[2] * image[3] + at].add(
            Interval::anything(0));
    };
    auto add = [&](int64_t r, int64_t c, const Weights &rows,
                   const Weights &columns, Interval gradient,
                   llvm::function_ref<Interval(Interval)> change) {
      for (auto &[y, ofRow] : rows)
        for (auto &[x, ofColumn] : columns) {
          if (isZero(ofRow) || isZero(ofColumn))
            continue;
          sums[getNumber({getImage(r), c, y, x}, image)].add(
              change(ofRow * (ofColumn * gradient)));
        }
    };
    for (int64_t r = 0; r < shape[0]; ++r) {
      auto [y, x] = getAxes(r);
      for (int64_t i = 0; i < shape[2]; ++i)
        for (int64_t j = 0; j < shape[3]; ++j) {
          if (!sampling.isMax) {
            std::optional<Weights> rows = getAverageWeights(y, i),
                                   columns = getAverageWeights(x, j);
            for (int64_t c = 0; c < shape[1]; ++c)
              if (rows && columns)
                add(r, c, *rows, *columns, getGradient(r, c, i, j),
                    [](Interval x) { return x; });
              else
                addAnything(r, c);
            continue;
          }
          for (int64_t c = 0; c < shape[1]; ++c) {
            auto largest = getLargest(getPlane(r, c), y, x, i, j);
            if (!largest) {
              addAnything(r, c);
              continue;
            }
            bool isSure = largest->size() == 1 &&
                          largest->front().isInside() == Truth::True;
            for (const Candidate &sample : *largest)
              add(r, c, getWeights(sample.row), getWeights(sample.column),
                  getGradient(r, c, i, j), [&](Interval x) {
                    return isSure         ? x
                           : sample.isOwn ? mayBe(x, Interval(0))
                                          : mayBe(Interval(0), x);
                  });
          }
        }
    }
  }

  /// Returns the difference of the elements on either side of a sample along
  /// one axis, at the position `y`, `x`.
  static Interval getDifference(const Plane &plane, double y, double x,
                                bool byRow) {
    double along = byRow ? y : x, across = byRow ? x : y;
    auto low = static_cast<int64_t>(std::floor(along)),
         line = static_cast<int64_t>(std::floor(across));
    if (static_cast<double>(low) == along)
      return Interval(0);
    auto ofLine = [&](int64_t line) {
      return byRow ? plane.read(low + 1, line) - plane.read(low, line)
                   : plane.read(line, low + 1) - plane.read(line, low);
    };
    return mix(ofLine(line), ofLine(line + 1),
               across - static_cast<double>(line));
  }

  /// Returns the derivative of a sample with respect to corner `corner` of the
  /// region.
  static Interval getSlope(const Plane &plane, const Place &row,
                           const Place &column, int64_t corner) {
    bool byRow = corner % 2 == 1;
    std::optional<Interval> slope;
    for (double y : row.positions)
      for (double x : column.positions) {
        Interval here = getDifference(plane, y, x, byRow);
        slope = slope ? mayBe(*slope, here) : here;
      }
    if (row.positions.size() * column.positions.size() > 1 &&
        !slope->mayBeNaN && !slope->isNaN)
      slope = Interval::around(slope->value, slope->low, slope->high, 2);
    Interval along = byRow ? row.along : column.along;
    return *slope * (corner >= 2 ? along : Interval(1) - along);
  }

  /// Returns the derivative of an output with respect to corner `corner` of the
  /// region.
  Interval getOutputSlope(const Plane &plane, const Axis &y, const Axis &x,
                          int64_t i, int64_t j, int64_t corner) const {
    if (sampling.isMax) {
      auto largest = getLargest(plane, y, x, i, j);
      if (!largest)
        return Interval::anything(0);
      Interval result(0);
      for (auto [number, sample] : llvm::enumerate(*largest)) {
        Interval slope =
            ifInside(sample.isInside(), sample.isValueInside(),
                     getSlope(plane, sample.row, sample.column, corner));
        result = number == 0    ? slope
                 : sample.isOwn ? mayBe(slope, result)
                                : mayBe(result, slope);
      }
      // All candidates may be out of bounds if the bounds do not exclude it.
      return result;
    }
    std::optional<Interval> result;
    for (int64_t rows : y.getCounts())
      for (int64_t columns : x.getCounts()) {
        Sum sum;
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t column = 0; column < columns; ++column) {
            Place atRow = y.getPlace(rows, i, row),
                  atColumn = x.getPlace(columns, j, column);
            Truth isInside = atRow.isInside && atColumn.isInside;
            if (isInside == Truth::False)
              continue;
            if (atRow.positions.empty() || atColumn.positions.empty())
              return Interval::anything(0);
            sum.add(ifInside(isInside,
                             atRow.isValueInside && atColumn.isValueInside,
                             getSlope(plane, atRow, atColumn, corner)));
          }
        Interval slope =
            sum.get() / Interval(static_cast<double>(rows * columns));
        result = result ? mayBe(*result, slope) : slope;
      }
    return result ? *result : Interval::anything(0);
  }

  void addToRegions(std::vector<Sum> &sums) const {
    if (!sampling.isLinear)
      return;
    for (int64_t r = 0; r < shape[0]; ++r) {
      auto [y, x] = getAxes(r);
      for (int64_t c = 0; c < shape[1]; ++c)
        for (int64_t i = 0; i < shape[2]; ++i)
          for (int64_t j = 0; j < shape[3]; ++j)
            for (int64_t corner = 0; corner < 4; ++corner) {
              Interval slope =
                  getOutputSlope(getPlane(r, c), y, x, i, j, corner);
              if (isZero(slope))
                continue;
              Interval part = slope * getGradient(r, c, i, j);
              // A slope of 0 contributes nothing, even for an infinite
              // gradient.
              if (slope.low <= 0 && slope.high >= 0)
                part = mayBe(part, Interval(0));
              sums[4 * r + corner].add(part);
            }
    }
  }
};
} // namespace

static LogicalResult evaluateAlignGrad(RoiAlignGradOp op,
                                       ArrayRef<Estimate> operands,
                                       Evaluators::Estimates &outputs) {
  NamedOperands in(op, operands);
  for (const Estimate *tensor :
       {in.getInput(), in.getRoi(), in.getBatchIndices()})
    if (tensor && !tensor->isExact())
      return op.emitOpError("looks for maxima or coordinates in a tensor that "
                            "is known within bounds only");
  Value like = op.getInput() ? op.getInput() : op.getOutputGradient();
  Gradients gradients{Sampling(op, 0),
                      in.getInput(),
                      *in.getInputGradient(),
                      *in.getRoi(),
                      *in.getBatchIndices(),
                      in.getInputGradient()->value.getShape(),
                      cast<RankedTensorType>(like.getType()).getShape()};
  for (Value result : op->getResults()) {
    FailureOr<Estimate> output = createBounds(op, result.getType());
    if (failed(output))
      return failure();
    std::vector<Sum> sums(output->value.getNumElements());
    bool isOfRegions = result != op.getOutputGradient();
    if (isOfRegions)
      gradients.addToRegions(sums);
    else
      gradients.addToElements(sums);
    for (auto [index, sum] : llvm::enumerate(sums)) {
      Interval number = sum.get();
      if (isOfRegions)
        number = number * Interval(index % 2 == 1 ? gradients.sampling.scaleY
                                                  : gradients.sampling.scaleX);
      number.store(*output, static_cast<int64_t>(index));
    }
    outputs.push_back(std::move(*output));
  }
  return success();
}

void addRegionEvaluators(Evaluators &evaluators) {
  evaluators.add<RoiPoolingOp>(evaluatePooling);
  evaluators.add<RoiAlignOp>(evaluateAlign<RoiAlignOp>);
  evaluators.add<RoiAlign1Op>(evaluateAlign<RoiAlign1Op>);
  evaluators.add<RoiAlignGradOp>(evaluateAlignGrad);
}

} // namespace dml::reference
