//===- json.hpp - A reader of JSON ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the JSON of a configuration: objects, arrays, texts, numbers, truth
// values and null. A text is in UTF-8, and \u escapes become UTF-8. Of two
// members with one name the last one counts.
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLES_GENERATE_JSON_HPP
#define EXAMPLES_GENERATE_JSON_HPP

#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

/// A value of JSON.
struct Json {
  enum Kind { Null, Bool, Number, Text, Array, Object };
  Kind kind = Null;
  bool truth = false;
  double number = 0;
  std::string text;
  std::vector<Json> elements;
  std::map<std::string, Json> members;
};

class JsonReader {
public:
  /// Returns the value that `text` is, or throws std::runtime_error.
  static Json read(const std::string &text) {
    JsonReader reader(text);
    Json value = reader.readValue(0);
    reader.skipSpace();
    if (reader.place != text.size())
      reader.fail("the end of the file");
    return value;
  }

private:
  explicit JsonReader(const std::string &text) : text(text) {}

  [[noreturn]] void fail(const char *wanted) const {
    throw std::runtime_error("at byte " + std::to_string(place) +
                             ", wanted is " + wanted);
  }
  char peek() const { return place < text.size() ? text[place] : '\0'; }
  void skipSpace() {
    while (place < text.size() && std::strchr(" \t\r\n", text[place]))
      ++place;
  }
  /// Skips spaces and then `token`, if it stands there.
  bool take(const char *token) {
    skipSpace();
    size_t length = std::strlen(token);
    if (text.compare(place, length, token) != 0)
      return false;
    place += length;
    return true;
  }

  Json readValue(int depth) {
    if (depth > 100)
      fail("a value with fewer levels of arrays and objects");
    Json value;
    if (take("{")) {
      value.kind = Json::Object;
      readMembers(value, depth);
    } else if (take("[")) {
      value.kind = Json::Array;
      readElements(value, depth);
    } else if (take("\"")) {
      value.kind = Json::Text;
      value.text = readText();
    } else if (take("true") || take("false")) {
      value.kind = Json::Bool;
      value.truth = text[place - 2] == 'u';
    } else if (!take("null")) {
      value.kind = Json::Number;
      value.number = readNumber();
    }
    return value;
  }

  void readMembers(Json &object, int depth) {
    if (take("}"))
      return;
    do {
      if (!take("\""))
        fail("the name of a member");
      std::string name = readText();
      if (!take(":"))
        fail("a colon");
      object.members[name] = readValue(depth + 1);
    } while (take(","));
    if (!take("}"))
      fail("a comma or the end of an object");
  }

  void readElements(Json &array, int depth) {
    if (take("]"))
      return;
    do {
      array.elements.push_back(readValue(depth + 1));
    } while (take(","));
    if (!take("]"))
      fail("a comma or the end of an array");
  }

  double readNumber() {
    const char *start = text.c_str() + place;
    char *end = nullptr;
    // strtod also takes "inf", "nan" and hexadecimal numbers.
    bool isNumber = std::strchr("-0123456789", *start) && *start;
    double number = isNumber ? std::strtod(start, &end) : 0;
    if (!end || end == start)
      fail("a value");
    place += static_cast<size_t>(end - start);
    return number;
  }

  /// Reads a text behind its first quotation mark.
  std::string readText() {
    std::string result;
    while (peek() != '"') {
      if (place >= text.size())
        fail("the end of a text");
      char next = text[place++];
      if (next == '\\')
        readEscape(result);
      else
        result += next;
    }
    ++place;
    return result;
  }

  void readEscape(std::string &result) {
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char letter = peek();
    ++place;
    if (const char *found = letter ? std::strchr(letters, letter) : nullptr) {
      result += meanings[found - letters];
    } else if (letter == 'u') {
      unsigned code = readCode();
      // A code from U+10000 on is two codes of 10 bits.
      if (code >= 0xd800 && code < 0xdc00 &&
          text.compare(place, 2, "\\u") == 0) {
        place += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + (readCode() - 0xdc00);
      }
      appendCode(result, code);
    } else {
      fail("an escape of a text");
    }
  }

  unsigned readCode() {
    std::string digits = text.substr(place, 4);
    if (digits.size() != 4 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      fail("four hexadecimal digits");
    place += 4;
    return static_cast<unsigned>(std::strtoul(digits.c_str(), nullptr, 16));
  }

  static void appendCode(std::string &result, unsigned code) {
    if (code < 0x80) {
      result += static_cast<char>(code);
      return;
    }
    int shift = code < 0x800 ? 6 : code < 0x10000 ? 12 : 18;
    unsigned first = shift == 6 ? 0xc0 : shift == 12 ? 0xe0 : 0xf0;
    result += static_cast<char>(first | (code >> shift));
    while (shift) {
      shift -= 6;
      result += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
    }
  }

  const std::string &text;
  size_t place = 0;
};

#endif // EXAMPLES_GENERATE_JSON_HPP
