#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the man pages of tools are whole.

    check_man_pages.py PAGES TOOLS

Each program in the folder TOOLS is to have a page in the folder PAGES with what its
--help prints: its options and its words. groff, where there is one, is to render it
without a warning.
"""
import pathlib
import re
import shutil
import subprocess
import sys


def check(page, tool):
    """What is wrong with the page, as a list of sentences."""
    text = page.read_text()
    help_text = subprocess.run([tool, "--help"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
    errors = [f"no section {section}"
              for section in ("NAME", "SYNOPSIS", "DESCRIPTION")
              if f"\n.SH {section}\n" not in text]
    # Nothing is lost: every word of the help stands there.
    plain = re.sub(r"^\.\w\w? ?", "", text, flags=re.M)
    plain = plain.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    written = set(plain.split())
    for word in re.sub(r"^exit codes.*", "", help_text, flags=re.M).split():
        if word in ("OVERVIEW:", "USAGE:", "usage:", "OPTIONS:", "-"):
            continue
        if (word not in written and word.rstrip(":") not in written and
                word.upper().rstrip(":") not in written):
            errors.append(f"'{word}' of --help is missing")
    for option in re.findall(r"^ +(-[-\w]+)", help_text, re.M):
        if not re.search(rf"^\.B {re.escape(option)}\b",
                         text.replace("\\-", "-"), re.M):
            errors.append(f"option {option} has no entry")
    groff = shutil.which("groff")
    if groff:
        rendered = subprocess.run([groff, "-man", "-Tutf8", "-ww", page],
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
        if rendered.returncode or rendered.stderr:
            errors.append(f"groff: {rendered.stderr}")
    return errors


def main():
    pages, tools = map(pathlib.Path, sys.argv[1:])
    # The fuzzer of the reader and the judge are tests.
    programs = sorted(path for path in tools.glob("dml-*")
                      if path.name not in ("dml-fuzz-reader", "dml-judge-nodes"))
    failed = not programs
    for program in programs:
        page = pages / f"{program.name}.1"
        errors = check(page, program) if page.is_file() else ["there is no page"]
        for error in errors[:5]:
            print(f"{program.name}: {error}")
        failed |= bool(errors)
    sys.exit(failed)


main()
