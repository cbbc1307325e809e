//===- Picture.h - Pictures as inputs ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_PICTURE_H
#define DML_TOOLS_SUPPORT_PICTURE_H

#include "support/HostTensor.h"

#include <array>

namespace dml::tools {

/// Pixels in rows from the top, each of `channels` bytes.
struct Picture {
  uint32_t width = 0, height = 0;
  /// 1 for gray values, 3 for red, green and blue.
  uint32_t channels = 3;
  std::vector<uint8_t> pixels;
};

/// How a picture becomes a tensor.
struct PictureOptions {
  enum class Layout { Unknown, NCHW, NHWC };
  enum class Resize { None, Stretch, Crop, Pad };
  /// The order of the dimensions, if the shape of the tensor does not tell.
  Layout layout = Layout::Unknown;
  /// What is done with a picture of another size than the tensor's. Stretch
  /// changes both sides, Crop keeps the middle of the picture, and Pad adds
  /// borders of the mean.
  Resize resize = Resize::None;
  /// Whether blue comes first.
  bool isBGR = false;
  /// An element is (value - mean) * scale of a value from 0 to 255, for each
  /// channel.
  std::array<double, 3> mean = {0, 0, 0}, scale = {1, 1, 1};
};

/// Sets a member of `options` to the value of the option of its name: "layout"
/// (NCHW or NHWC), "channels" (RGB or BGR), "resize" (stretch, crop or pad),
/// "mean" and "scale" (a number, or one for each channel, as a decimal or a
/// quotient: 1/255). Returns false if the value is none of these.
bool setPictureOption(const std::string &name, const std::string &value,
                      PictureOptions &options);
/// Returns the values that the option `name` may have, for messages.
const char *describePictureValues(const std::string &name);
/// The names of these options.
inline constexpr const char *kPictureOptions[] = {"layout", "mean", "scale",
                                                  "resize", "channels"};

/// Whether the suffix of a file's name, such as ".png", is one of pictures.
bool isPictureSuffix(const std::string &suffix);

/// Reads a PNG, JPEG or PPM file. The content tells which. Returns nothing,
/// with `error` set, if this fails. A file states its size first: one of more
/// than 2^26 pixels is refused before it is decoded.
std::optional<Picture> readPicture(const std::string &path, uint32_t channels,
                                   std::string &error);

/// Makes a tensor of this data type and these sizes of a picture file. Returns
/// nothing, with `error` set, if this fails.
std::optional<HostTensor> readPictureTensor(const std::string &path,
                                            DmlDataType dataType,
                                            const std::vector<uint32_t> &sizes,
                                            const PictureOptions &options,
                                            std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_PICTURE_H
