# SPDX-License-Identifier: Apache-2.0
"""Writes modules that are nested deeply: nested.py FOLDER"""
import sys
from pathlib import Path

DEPTH = 100000


def write(name, text):
    Path(sys.argv[1], name + ".mlir").write_text(text)


def main():
    Path(sys.argv[1]).mkdir(exist_ok=True)

    def module(attribute):
        return "module attributes {test.a = " + attribute + "} {}\n"

    def aliases(mark, first, form):
        lines = [f"{mark}a0 = {first}"]
        lines += [f"{mark}a{i + 1} = " + form.format(f"{mark}a{i}") for i in range(DEPTH)]
        return "\n".join(lines) + "\n"

    write("regions", '"test.a"() ({\n' * DEPTH + "}) : () -> ()\n" * DEPTH)
    write("tuples", "func.func private @f(" + "tuple<" * DEPTH + "i1" + ">" * DEPTH + ")\n")
    write("arrays", module("[" * DEPTH + "]" * DEPTH))
    write("locations", "module {} loc(" + 'callsite("a" at ' * DEPTH + '"b"' + ")" * DEPTH + ")\n")
    write("aliases", aliases("!", "i1", "tuple<{}>") + f"func.func private @f(!a{DEPTH})\n")
    # The value of an alias goes on in the next line, behind an arrow and before one.
    write("functions", aliases("!", "() -> i1", "()\n ->\n {}"))
    write("attributes", aliases("#", "1", "{{a = {}}}"))
    write("minus", module("affine_map<(d0) -> (" + "-" * DEPTH + "d0)>"))
    write("plus", module("affine_map<(d0) -> (" + "d0 + " * DEPTH + "d0)>"))
    # What MLIR's own tools parse, and write as bytecode.
    for depth in (1000, 100):
        write(f"modules-{depth}", "builtin.module {\n" * depth + "}\n" * depth)
        write(f"arrays-{depth}", module("[" * depth + "]" * depth))
        write(f"tuples-{depth}", "func.func private @f(" + "tuple<" * depth + "i1" + ">" * depth + ")\n")
        write(f"locations-{depth}", "module {} loc(" + 'callsite("a" at ' * depth + '"b"' + ")" * depth + ")\n")
    # 60 brackets, a chain of aliases of which none contains another, arrows, a text and a
    # comment of brackets.
    write("fits",
          "// " + "(" * 1000 + "\n" +
          "".join(f"#a{i} = affine_map<(d0) -> (d0 + {i})>\n" for i in range(1000)) +
          "".join(f"func.func private @f{i}(() -> i1) -> (i1)\n" for i in range(1000)) +
          "module attributes {test.a = " + "[" * 60 + '"' + "[<{(" * 1000 + '"' + "]" * 60 +
          ", test.b = [" + ", ".join(f"#a{i}" for i in range(1000)) + "]} {}\n")


if __name__ == "__main__":
    main()
