//===- classify.cpp - Say what a picture shows ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What classify.c does, in C++17: dml-classify-cpp MODEL NAMES PICTURE
//
//===----------------------------------------------------------------------===//

#include <dml/session.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <numeric>

/// Reads a number of a picture's header, before which comments may stand.
/// Returns 0 if there is none.
static size_t readNumber(std::istream &file) {
  while (std::ws(file).peek() == '#')
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  size_t number = 0;
  file >> number;
  return number;
}

static dml::Input readPicture(const std::string &path, const std::string &name,
                              std::vector<float> &elements) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("'" + path + "' cannot be opened");
  std::string magic;
  file >> magic;
  size_t width = readNumber(file), height = readNumber(file),
         most = readNumber(file);
  file.get();
  if (!file || (magic != "P5" && magic != "P6") || width < 1 || height < 1 ||
      width > 4096 || height > 4096 || most < 1 || most > 255)
    throw std::runtime_error("'" + path +
                             "' is no PGM or PPM file of 8 bits to a channel "
                             "and at most 4096 by 4096 pixels");
  size_t channels = magic == "P5" ? 1 : 3, plane = width * height;
  std::vector<char> bytes(channels * plane);
  if (!file.read(bytes.data(), bytes.size()))
    throw std::runtime_error("'" + path + "' ends before its last pixel");
  elements.resize(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i)
    elements[i % channels * plane + i / channels] =
        static_cast<unsigned char>(bytes[i]) / float(most);
  return {
      name, {1, int64_t(channels), int64_t(height), int64_t(width)}, elements};
}

/// Reads the names of `count` classes.
static std::vector<std::string> readNames(const std::string &path,
                                          size_t count) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("'" + path + "' cannot be opened");
  std::vector<std::string> names;
  for (std::string name; std::getline(file, name);)
    names.push_back(name);
  if (names.size() < count)
    throw std::runtime_error("'" + path +
                             "' has fewer names than the model has classes");
  return names;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: dml-classify-cpp MODEL NAMES PICTURE\n");
    return 2;
  }
  try {
    dml::Session session(argv[1]);
    std::vector<float> elements;
    dml::Input picture =
        readPicture(argv[3], session.inputs().at(0).name, elements);
    std::vector<float> scores = session.run({picture}).at(0).copy<float>();
    std::vector<std::string> names = readNames(argv[2], scores.size());
    std::vector<size_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    auto end = order.begin() + std::min<size_t>(5, order.size());
    std::partial_sort(order.begin(), end, order.end(), [&](size_t a, size_t b) {
      return scores[a] > scores[b];
    });
    for (auto place = order.begin(); place != end; ++place)
      std::printf("%.4f %s\n", scores[*place], names[*place].c_str());
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
