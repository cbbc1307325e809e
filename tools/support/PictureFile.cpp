//===- PictureFile.cpp - Files of pictures --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// libpng and libjpeg decode. A PPM file is a header in front of pixels.
//
//===----------------------------------------------------------------------===//

#include "support/ByteSource.h"
#include "support/Picture.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string_view>

#if DML_HAS_PNG
#include <png.h>
#endif
#if DML_HAS_JPEG
// libjpeg's header uses FILE without a declaration.
#include <cstdio>
#include <jpeglib.h>
#endif

using namespace dml::tools;

namespace {

constexpr uint64_t kMaxFile = uint64_t(256) << 20;
constexpr uint64_t kMaxPixels = uint64_t(1) << 26;

using Bytes = std::vector<uint8_t>;

bool checkSize(uint64_t width, uint64_t height, std::string &error) {
  if (width > 0 && height > 0 && width <= kMaxPixels / height)
    return true;
  error = "it has " + std::to_string(width) + " x " + std::to_string(height) +
          " pixels, but wanted are 1 to " + std::to_string(kMaxPixels);
  return false;
}

//===----------------------------------------------------------------------===//
// PNG
//===----------------------------------------------------------------------===//

#if DML_HAS_PNG
bool decodePng(const Bytes &bytes, Picture &picture, std::string &error) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) {
    error = std::string("it is a damaged PNG: ") + image.message;
    return false;
  }
  if (!checkSize(image.width, image.height, error)) {
    png_image_free(&image);
    return false;
  }
  // Transparency is dropped: a pixel keeps its color.
  bool isGray = picture.channels == 1;
  image.format = isGray ? PNG_FORMAT_GA : PNG_FORMAT_RGBA;
  Bytes pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) {
    error = std::string("it is a damaged PNG: ") + image.message;
    return false;
  }
  picture.width = image.width;
  picture.height = image.height;
  size_t area = size_t(image.width) * image.height;
  picture.pixels.resize(area * picture.channels);
  for (size_t i = 0; i < area; ++i)
    std::copy_n(&pixels[i * (picture.channels + 1)], picture.channels,
                &picture.pixels[i * picture.channels]);
  return true;
}
#else
bool decodePng(const Bytes &, Picture &, std::string &error) {
  error = "it is a PNG, but this program was built without libpng";
  return false;
}
#endif

//===----------------------------------------------------------------------===//
// JPEG
//===----------------------------------------------------------------------===//

#if DML_HAS_JPEG
/// What libjpeg's callbacks reach.
struct JpegState {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf end{};
  char message[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void endJpeg(j_common_ptr info, const char *message) {
  auto *state = static_cast<JpegState *>(info->client_data);
  if (message)
    std::strncpy(state->message, message, sizeof(state->message) - 1);
  else
    info->err->format_message(info, state->message);
  std::longjmp(state->end, 1);
}

/// Decodes into `picture`. No object with a destructor lives in this function,
/// which libjpeg may leave by a jump.
bool decodeJpeg(const Bytes &bytes, Picture &picture, JpegState &state,
                std::string &error) {
  jpeg_decompress_struct &info = state.info;
  info.err = jpeg_std_error(&state.errors);
  info.client_data = &state;
  state.errors.error_exit = [](j_common_ptr common) {
    endJpeg(common, nullptr);
  };
  // A warning is about missing or wrong data, which libjpeg makes up.
  state.errors.emit_message = [](j_common_ptr common, int level) {
    if (level < 0)
      endJpeg(common, nullptr);
  };
  // A file of a few bytes may ask for thousands of passes over its pixels.
  state.progress.progress_monitor = [](j_common_ptr common) {
    constexpr int kMaxScans = 100;
    if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number >
        kMaxScans)
      endJpeg(common, "it has more than 100 scans");
  };
  if (setjmp(state.end))
    return false;
  jpeg_create_decompress(&info);
  info.progress = &state.progress;
  jpeg_mem_src(&info, bytes.data(), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&info, TRUE);
  if (!checkSize(info.image_width, info.image_height, error))
    return false;
  info.out_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&info);
  picture.width = info.output_width;
  picture.height = info.output_height;
  size_t rowSize = size_t(picture.width) * picture.channels;
  picture.pixels.resize(rowSize * picture.height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = &picture.pixels[info.output_scanline * rowSize];
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

bool decodeJpeg(const Bytes &bytes, Picture &picture, std::string &error) {
  JpegState state;
  bool isDecoded = decodeJpeg(bytes, picture, state, error);
  if (!isDecoded && error.empty())
    error = std::string("it is a damaged JPEG, or one of a kind that is not "
                        "read: ") +
            state.message;
  jpeg_destroy_decompress(&state.info);
  return isDecoded;
}
#else
bool decodeJpeg(const Bytes &, Picture &, std::string &error) {
  error = "it is a JPEG, but this program was built without libjpeg";
  return false;
}
#endif

//===----------------------------------------------------------------------===//
// PPM
//===----------------------------------------------------------------------===//

/// Reads a number of a PPM's header, after spaces and comments.
bool readNumber(std::string_view &text, uint64_t &number) {
  auto isSpace = [](char c) { return std::strchr(" \t\n\v\f\r", c) && c; };
  while (!text.empty() && (isSpace(text[0]) || text[0] == '#')) {
    size_t end = text[0] == '#' ? text.find('\n') : 0;
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
  }
  number = 0;
  size_t digits = 0;
  for (; digits < text.size() && digits < 9 && text[digits] >= '0' &&
         text[digits] <= '9';
       ++digits)
    number = number * 10 + static_cast<uint64_t>(text[digits] - '0');
  text.remove_prefix(digits);
  return digits > 0;
}

/// Decodes P5 (gray) and P6 (color).
bool decodePpm(const Bytes &bytes, Picture &picture, std::string &error) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  size_t channels = text[1] == '5' ? 1 : 3;
  text.remove_prefix(2);
  uint64_t width = 0, height = 0, largest = 0;
  if (!readNumber(text, width) || !readNumber(text, height) ||
      !readNumber(text, largest) || largest < 1 || largest > 255) {
    error = "it is a damaged PPM: wanted are a width, a height and a largest "
            "value from 1 to 255 behind P5 or P6";
    return false;
  }
  if (!checkSize(width, height, error))
    return false;
  size_t wanted = width * height * channels;
  if (text.size() != wanted + 1) {
    error = "it is a damaged PPM: " + std::to_string(wanted + 1) +
            " bytes are to follow its header, but there are " +
            std::to_string(text.size());
    return false;
  }
  text.remove_prefix(1);
  picture.width = static_cast<uint32_t>(width);
  picture.height = static_cast<uint32_t>(height);
  picture.pixels.resize(width * height * picture.channels);
  auto value = [&](size_t at) {
    auto byte = std::min<uint64_t>(static_cast<uint8_t>(text[at]), largest);
    return static_cast<uint32_t>((byte * 255 + largest / 2) / largest);
  };
  for (size_t pixel = 0; pixel < width * height; ++pixel)
    for (size_t c = 0; c < picture.channels; ++c) {
      size_t at = pixel * channels;
      uint32_t element = value(at + (channels == 3 ? c : 0));
      // The luma of ITU-R BT.601, as libjpeg and libpng have it.
      if (picture.channels < channels)
        element = (299 * value(at) + 587 * value(at + 1) + 114 * value(at + 2) +
                   500) /
                  1000;
      picture.pixels[pixel * picture.channels + c] =
          static_cast<uint8_t>(element);
    }
  return true;
}

} // namespace

bool dml::tools::isPictureSuffix(const std::string &suffix) {
  static const char *const known[] = {".png", ".jpg", ".jpeg",
                                      ".ppm", ".pgm", ".pnm"};
  return std::any_of(std::begin(known), std::end(known),
                     [&](const char *each) { return suffix == each; });
}

std::optional<Picture> dml::tools::readPicture(const std::string &path,
                                               uint32_t channels,
                                               std::string &error) {
  std::optional<Bytes> bytes = readBytes(path, kMaxFile, error);
  if (!bytes)
    return std::nullopt;
  auto begins = [&](std::string_view start) {
    return bytes->size() >= start.size() &&
           std::memcmp(bytes->data(), start.data(), start.size()) == 0;
  };
  Picture picture;
  picture.channels = channels;
  bool isDecoded = false;
  error.clear();
  if (begins("\x89PNG"))
    isDecoded = decodePng(*bytes, picture, error);
  else if (begins("\xFF\xD8\xFF"))
    isDecoded = decodeJpeg(*bytes, picture, error);
  else if (begins("P5") || begins("P6"))
    isDecoded = decodePpm(*bytes, picture, error);
  else
    error = "it is no PNG, JPEG or binary PPM";
  if (isDecoded)
    return picture;
  error = "cannot read '" + path + "': " + error;
  return std::nullopt;
}
