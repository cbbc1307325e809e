//===- Nesting.cpp - How deep a module's text is nested -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// MLIR's parser, its printer and its attributes recurse, and a text of some
// thousand brackets overflows the stack. One look at the text, before the
// parser, bounds everything that the recursion follows: brackets of all kinds
// together; aliases, whose types and attributes contain those of the aliases
// before; and expressions of affine maps, which nest without brackets.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/Nesting.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace dml;

/// Characters of an expression without a bracket, a comma, a colon, an equals
/// sign or a quotation mark. An affine map of `d0 + d0 + ...` has a level for
/// each sign.
constexpr unsigned kMostOfExpression = 8192;

namespace {
class NestingCheck {
public:
  explicit NestingCheck(llvm::StringRef text) : text(text) {}

  llvm::Error run() {
    while (at < text.size())
      if (!step())
        return describe();
    return llvm::Error::success();
  }

private:
  /// Reads one token. Returns false if the text is nested too deeply there.
  bool step();
  bool readName();
  void skipString();
  bool open(unsigned &kind) {
    ++kind;
    expression = 0;
    return reach(depth());
  }
  void close(unsigned &kind) {
    kind -= kind > 0;
    expression = 0;
  }

  unsigned depth() const { return round + square + curly + angle; }

  /// Notes that the text is nested `levels` deep.
  bool reach(unsigned levels) {
    if (alias)
      alias->second = std::max(alias->second, levels);
    if (levels <= kMostNested)
      return true;
    found = "brackets, with those of aliases, are nested " +
            std::to_string(levels) + " deep, but wanted are at most " +
            std::to_string(kMostNested);
    return false;
  }

  /// Ends the value of an alias at the end of a line, unless the value goes on
  /// in the next: behind an arrow or a colon, or before one.
  void endLine() {
    char next = '\0';
    if (size_t place = text.find_first_not_of(" \t\r\n", at);
        place != llvm::StringRef::npos)
      next = text[place];
    if (alias && depth() == 0 && !llvm::StringRef("=:>,").contains(last) &&
        next != '-' && next != ':')
      alias = nullptr;
  }

  llvm::Error describe() const {
    size_t line = text.take_front(at).count('\n') + 1;
    return llvm::createStringError("line " + llvm::Twine(line) + ": " + found);
  }

  llvm::StringRef text;
  size_t at = 0;
  unsigned round = 0, square = 0, curly = 0, angle = 0, expression = 0;
  /// The last character that is neither space nor in a comment.
  char last = '\0';
  /// How deep the value of each alias is nested.
  llvm::StringMap<unsigned> aliases;
  /// The alias whose value is being read.
  llvm::StringMapEntry<unsigned> *alias = nullptr;
  std::string found;
};
} // namespace

void NestingCheck::skipString() {
  while (at < text.size() && text[at] != '"' && text[at] != '\n')
    at += text[at] == '\\' ? 2 : 1;
  at = std::min(at + 1, text.size());
  last = '"';
  expression = 0;
}

/// Reads the name of an alias behind '!' or '#', and whether the name is being
/// defined.
bool NestingCheck::readName() {
  size_t begin = at;
  while (at < text.size() && (llvm::isAlnum(text[at]) ||
                              llvm::StringRef("_$.-").contains(text[at])))
    ++at;
  llvm::StringRef name = text.substr(begin - 1, at - begin + 1);
  size_t next = text.find_first_not_of(" \t\r\n", at);
  last = 'a';
  if (depth() == 0 && next != llvm::StringRef::npos && text[next] == '=') {
    alias = &*aliases.try_emplace(name, 0).first;
    alias->second = 0;
    at = next + 1;
    last = '=';
    expression = 0;
    return true;
  }
  auto known = aliases.find(name);
  return known == aliases.end() || reach(depth() + known->second + 1);
}

bool NestingCheck::step() {
  char c = text[at++];
  switch (c) {
  case '\n':
    endLine();
    return true;
  case ' ':
  case '\t':
  case '\r':
    return true;
  case '"':
    skipString();
    return true;
  case '/':
    if (at < text.size() && text[at] == '/')
      at = std::min(text.find('\n', at), text.size());
    return true;
  case '!':
  case '#':
    return readName();
  }
  char before = std::exchange(last, c);
  switch (c) {
  case '(':
    return open(round);
  case ')':
    close(round);
    return true;
  case '[':
    return open(square);
  case ']':
    close(square);
    return true;
  case '{':
    return open(curly);
  case '}':
    close(curly);
    return true;
  case '<':
    return open(angle);
  case '>':
    // The arrow of a type, and the comparison of a set, close nothing.
    if (before != '-' && (at == text.size() || text[at] != '='))
      close(angle);
    return true;
  case ',':
  case ':':
  case '=':
  case '%':
    expression = 0;
    return true;
  default:
    if (++expression <= kMostOfExpression)
      return true;
    found = "an expression without brackets and commas has more than the " +
            std::to_string(kMostOfExpression) + " characters that it may have";
    return false;
  }
}

llvm::Error dml::checkNesting(llvm::StringRef text) {
  return NestingCheck(text).run();
}
