#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the interface of a library with the one that is kept in a file: the functions
that the shared library exports and the headers declare, the constants of the headers, and
the size of each structure with the offsets of its members, for processors with pointers of
64 bits. For the runtime that is interface.txt; the libraries of sessions and of the compiler
have a file of their own in unittests.

    runtime/unittests/check-interface.py --compiler=CC --nm=NM --library=FILE
        --header=NAME [--header=NAME] --include=FOLDER [--include=FOLDER] --kept=FILE [--write]

A header is named as programs include it, and is looked for in the first folder.

--write keeps the interface as it is now: the next release then has another one.
"""
import argparse
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def list_functions(nm, library, headers):
    """The functions that a program can link. A library may export those of other headers
    too, which are kept with the library that they come from."""
    lines = subprocess.run([nm, "--dynamic", "--defined-only", "--format=posix", library],
                           check=True, text=True, stdout=subprocess.PIPE).stdout
    names = [line.split()[0].split("@")[0] for line in lines.splitlines()]
    declared = set(re.findall(r"\b(dml[A-Z]\w*)\(", strip(headers)))
    missing = sorted(declared.difference(names))
    if missing:
        sys.exit(f"{library} does not export {', '.join(missing)}")
    return sorted(f"function {name}" for name in names if name in declared)


def strip(header):
    """A header without comments."""
    return re.sub(r"/\*.*?\*/", "", header, flags=re.S)


def list_structures(header):
    """The structures with their members, as the header has them."""
    text = strip(header)
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S):
        members = []
        for declaration in body.split(";"):
            # A pointer to a function, else the last word before any brackets.
            found = (re.search(r"\(\*(\w+)\)", declaration) or
                     re.search(r"(\w+)\s*(\[\w+\]\s*)*$", declaration.strip()))
            if found:
                members.append(found[1])
        yield name, members


def list_constants(header):
    """The names of all enumerators."""
    text = strip(header)
    for body in re.findall(r"enum[^{};]*\{([^}]*)\}", text):
        yield from re.findall(r"\b(DML_\w+)\s*=", body)


def list_layouts(options, constants, structures):
    """Lines of the forms "constant DML_ERROR_IO 8" and
    "structure DmlStepTime, 16 bytes: begin 0 end 8"."""
    lines = [f"#include <{name}>" for name in options.header]
    lines += ["#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    lines += [f'  printf("constant {name} %lld\\n", (long long){name});' for name in constants]
    for name, members in structures:
        lines.append(f'  printf("structure {name}, %zu bytes:", sizeof({name}));')
        for member in members:
            lines.append(f'  printf(" {member} %zu", offsetof({name}, {member}));')
        lines.append('  printf("\\n");')
    lines.append("  return 0;\n}")
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "layout.c"), Path(folder, "layout")
        source.write_text("\n".join(lines))
        subprocess.run([options.compiler, source, "-o", program,
                        *(f"-I{path}" for path in options.include)], check=True)
        printed = subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE)
    return printed.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser()
    for name in ("compiler", "nm", "library", "kept"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--header", action="append", required=True)
    parser.add_argument("--include", action="append", required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    header = "".join(Path(options.include[0], name).read_text() for name in options.header)
    found = (list_functions(options.nm, options.library, header) +
             list_layouts(options, list_constants(header), list_structures(header)))
    kept = Path(options.kept)
    if options.write:
        kept.write_text("".join(line + "\n" for line in found))
        return
    differences = [line for line in difflib.ndiff(kept.read_text().splitlines(), found)
                   if line[0] in "+-"]
    if differences:
        sys.exit("\n".join(differences) + f"\nThe interface is not the one in {kept.name}. "
                 "What programs are compiled against changes with a minor version only: "
                 "see docs/Promises.md")


if __name__ == "__main__":
    main()
