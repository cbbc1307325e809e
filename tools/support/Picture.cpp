//===- Picture.cpp - Pictures as inputs -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Picture.h"

#include "support/CommandLine.h"
#include "support/Half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace dml::tools;

using Layout = PictureOptions::Layout;
using Resize = PictureOptions::Resize;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Parses "0.5" or "1/255".
static bool parseQuotient(std::string_view text, double &number) {
  size_t slash = text.find('/');
  double divisor = 1;
  if (slash != std::string_view::npos &&
      (!parseNumber(text.substr(slash + 1), divisor) || divisor == 0))
    return false;
  if (!parseNumber(text.substr(0, slash), number))
    return false;
  number /= divisor;
  return std::isfinite(number);
}

/// Parses one number for all channels, or three.
static bool parseChannels(std::string_view text,
                          std::array<double, 3> &numbers) {
  std::vector<double> parsed;
  for (bool isOver = false; !isOver;) {
    size_t comma = text.find(',');
    if (!parseQuotient(text.substr(0, comma), parsed.emplace_back()))
      return false;
    isOver = comma == std::string_view::npos;
    text.remove_prefix(isOver ? text.size() : comma + 1);
  }
  if (parsed.size() == 1)
    parsed.resize(3, parsed[0]);
  if (parsed.size() != 3)
    return false;
  std::copy(parsed.begin(), parsed.end(), numbers.begin());
  return true;
}

bool dml::tools::setPictureOption(const std::string &name,
                                  const std::string &value,
                                  PictureOptions &options) {
  if (name == "layout") {
    options.layout = value == "NCHW"   ? Layout::NCHW
                     : value == "NHWC" ? Layout::NHWC
                                       : Layout::Unknown;
    return options.layout != Layout::Unknown;
  }
  if (name == "resize") {
    options.resize = value == "stretch" ? Resize::Stretch
                     : value == "crop"  ? Resize::Crop
                     : value == "pad"   ? Resize::Pad
                                        : Resize::None;
    return options.resize != Resize::None;
  }
  if (name == "channels") {
    options.isBGR = value == "BGR";
    return options.isBGR || value == "RGB";
  }
  return parseChannels(value, name == "mean" ? options.mean : options.scale);
}

const char *dml::tools::describePictureValues(const std::string &name) {
  if (name == "layout")
    return "one of NCHW, NHWC";
  if (name == "resize")
    return "one of stretch, crop, pad";
  if (name == "channels")
    return "one of RGB, BGR";
  return "a number such as 0.5 or 1/255, or one for each of three channels";
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {

/// The weights of the pixels of a line from which one new pixel is computed.
struct Weights {
  size_t first = 0;
  std::vector<double> weights;
};

} // namespace

/// Returns the weights for `count` pixels that the part of a line from `begin`
/// to `end` becomes. The filter is a triangle, as wide as a new pixel where
/// there are fewer of them. So 4 pixels become 2 by the weights 3/8, 3/8, 1/8
/// for the left and 1/8, 3/8, 3/8 for the right, with the rest to 1 divided
/// among them in proportion.
static std::vector<Weights> getWeights(double begin, double end, size_t length,
                                       uint32_t count) {
  std::vector<Weights> result(count);
  double step = (end - begin) / count, width = std::max(step, 1.0);
  for (uint32_t i = 0; i < count; ++i) {
    double center = begin + (i + 0.5) * step;
    double lowest = std::max(std::floor(center - width), 0.0);
    double highest =
        std::min(std::ceil(center + width), static_cast<double>(length));
    Weights &each = result[i];
    each.first = static_cast<size_t>(lowest);
    double sum = 0;
    for (double pixel = lowest; pixel < highest; ++pixel) {
      double weight = std::max(0.0, 1 - std::abs(pixel + 0.5 - center) / width);
      each.weights.push_back(weight);
      sum += weight;
    }
    for (double &weight : each.weights)
      weight /= sum;
  }
  return result;
}

namespace {

/// A picture of numbers, of `channels` to a pixel.
struct Numbers {
  uint32_t width = 0, height = 0, channels = 0;
  std::vector<float> values;
};

} // namespace

/// Adds row `y` of `picture`, whose pixels become those that `columns`
/// describe, times `factor` to `sums`.
static void addRow(const Picture &picture, size_t y, double factor,
                   const std::vector<Weights> &columns,
                   std::vector<double> &sums) {
  uint32_t channels = picture.channels;
  size_t next = 0;
  for (const Weights &column : columns)
    for (uint32_t c = 0; c < channels; ++c) {
      const uint8_t *from =
          &picture.pixels[(y * picture.width + column.first) * channels + c];
      double sum = 0;
      for (size_t i = 0; i < column.weights.size(); ++i)
        sum += column.weights[i] * from[i * channels];
      sums[next++] += factor * sum;
    }
}

/// Returns the rectangle of `picture` from `left`, `top` to `right`, `bottom`
/// with `width` x `height` pixels.
static Numbers resample(const Picture &picture, double left, double top,
                        double right, double bottom, uint32_t width,
                        uint32_t height) {
  uint32_t channels = picture.channels;
  std::vector<Weights> columns = getWeights(left, right, picture.width, width);
  std::vector<Weights> rows = getWeights(top, bottom, picture.height, height);
  Numbers result{width, height, channels, {}};
  size_t rowSize = size_t(width) * channels;
  result.values.resize(height * rowSize);
  std::vector<double> sums(rowSize);
  for (uint32_t y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), 0);
    for (size_t i = 0; i < rows[y].weights.size(); ++i)
      addRow(picture, rows[y].first + i, rows[y].weights[i], columns, sums);
    std::transform(sums.begin(), sums.end(), &result.values[y * rowSize],
                   [](double sum) { return static_cast<float>(sum); });
  }
  return result;
}

/// Puts `numbers` into the middle of a picture of `width` x `height` pixels
/// whose border has the value `mean` of each channel.
static Numbers pad(const Numbers &numbers, uint32_t width, uint32_t height,
                   const std::array<double, 3> &mean) {
  uint32_t channels = numbers.channels;
  Numbers result{width, height, channels, {}};
  result.values.resize(size_t(width) * height * channels);
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = static_cast<float>(mean[i % channels]);
  size_t left = (width - numbers.width) / 2,
         top = (height - numbers.height) / 2;
  for (size_t y = 0; y < numbers.height; ++y)
    std::copy_n(&numbers.values[y * numbers.width * channels],
                size_t(numbers.width) * channels,
                &result.values[((top + y) * width + left) * channels]);
  return result;
}

/// The picture with `width` x `height` pixels.
static Numbers fit(const Picture &picture, uint32_t width, uint32_t height,
                   const PictureOptions &options,
                   const std::array<double, 3> &mean) {
  double w = picture.width, h = picture.height;
  switch (options.resize) {
  case Resize::None:
  case Resize::Stretch:
    return resample(picture, 0, 0, w, h, width, height);
  case Resize::Crop: {
    // The largest rectangle of the tensor's shape in the middle.
    double factor = std::min(w / width, h / height);
    double x = (w - width * factor) / 2, y = (h - height * factor) / 2;
    return resample(picture, x, y, w - x, h - y, width, height);
  }
  case Resize::Pad: {
    double factor = std::min(width / w, height / h);
    auto side = [&](double length, uint32_t most) {
      return std::clamp<uint32_t>(
          static_cast<uint32_t>(std::lround(length * factor)), 1, most);
    };
    return pad(resample(picture, 0, 0, w, h, side(w, width), side(h, height)),
               width, height, mean);
  }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {

/// Where the dimensions of a picture stand in a tensor.
struct Place {
  uint32_t height = 0, width = 0, channels = 1;
  bool isChannelLast = false;
};

} // namespace

/// Finds the dimensions of a picture in `sizes`: 1xCxHxW, 1xHxWxC, CxHxW, HxWxC
/// or HxW, where C is 1 or 3.
static bool findPlace(const std::vector<uint32_t> &sizes, Layout layout,
                      Place &place, std::string &error) {
  size_t rank = sizes.size();
  const std::string wanted =
      ", but wanted for a picture are [1x]CxHxW or [1x]HxWxC with 1 or 3 "
      "channels C";
  if (rank < 2 || rank > 4 || (rank == 4 && sizes[0] != 1)) {
    error = "the input has " + std::to_string(rank) + " dimensions" +
            (rank == 4 ? " and a batch of " + std::to_string(sizes[0]) : "") +
            wanted;
    return false;
  }
  if (rank == 2) {
    place = {sizes[0], sizes[1], 1, false};
    return true;
  }
  const uint32_t *shape = &sizes[rank - 3];
  auto isChannels = [](uint32_t size) { return size == 1 || size == 3; };
  if (layout == Layout::Unknown) {
    if (isChannels(shape[0]) && isChannels(shape[2])) {
      error = "the sizes do not tell where the channels are: state --layout";
      return false;
    }
    layout = isChannels(shape[2]) ? Layout::NHWC : Layout::NCHW;
  }
  place.isChannelLast = layout == Layout::NHWC;
  place.channels = shape[place.isChannelLast ? 2 : 0];
  place.height = shape[place.isChannelLast ? 0 : 1];
  place.width = shape[place.isChannelLast ? 1 : 2];
  if (!isChannels(place.channels)) {
    error = "the input has " + std::to_string(place.channels) + " channels" +
            wanted;
    return false;
  }
  return true;
}

/// Stores `value` as element `index`.
static void setElement(HostTensor &tensor, size_t index, double value) {
  switch (tensor.dataType) {
  case DML_DATA_TYPE_FLOAT32: {
    auto single = static_cast<float>(value);
    std::memcpy(&tensor.data[4 * index], &single, 4);
    return;
  }
  case DML_DATA_TYPE_FLOAT16: {
    uint16_t half = toHalf(value);
    std::memcpy(&tensor.data[2 * index], &half, 2);
    return;
  }
  default:
    tensor.data[index] =
        static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
  }
}

std::optional<HostTensor>
dml::tools::readPictureTensor(const std::string &path, DmlDataType dataType,
                              const std::vector<uint32_t> &sizes,
                              const PictureOptions &options,
                              std::string &error) {
  if (dataType != DML_DATA_TYPE_FLOAT32 && dataType != DML_DATA_TYPE_FLOAT16 &&
      dataType != DML_DATA_TYPE_UINT8) {
    error = "the input has elements of " +
            std::string(dmlGetDataTypeName(dataType)) +
            ", but a picture becomes f32, f16 or ui8";
    return std::nullopt;
  }
  Place place;
  if (!findPlace(sizes, options.layout, place, error))
    return std::nullopt;
  std::optional<Picture> picture = readPicture(path, place.channels, error);
  if (!picture)
    return std::nullopt;
  bool isFitting =
      picture->width == place.width && picture->height == place.height;
  if (!isFitting && options.resize == Resize::None) {
    error = "the picture has " + std::to_string(picture->width) + " x " +
            std::to_string(picture->height) + " pixels, but the input " +
            std::to_string(place.width) + " x " + std::to_string(place.height) +
            ": state --resize=stretch, crop or pad";
    return std::nullopt;
  }
  // The mean and the scale are stated in the order of the tensor's channels.
  std::array<double, 3> mean = options.mean;
  if (options.isBGR)
    std::swap(mean[0], mean[2]);
  Numbers numbers = fit(*picture, place.width, place.height, options, mean);
  HostTensor tensor{dataType, sizes, {}};
  size_t area = size_t(place.width) * place.height;
  tensor.data.resize(area * place.channels * dmlGetDataTypeSize(dataType));
  for (size_t pixel = 0; pixel < area; ++pixel)
    for (uint32_t c = 0; c < place.channels; ++c) {
      uint32_t from = options.isBGR ? place.channels - 1 - c : c;
      double value = numbers.values[pixel * place.channels + from];
      size_t index =
          place.isChannelLast ? pixel * place.channels + c : c * area + pixel;
      setElement(tensor, index, (value - options.mean[c]) * options.scale[c]);
    }
  return tensor;
}
