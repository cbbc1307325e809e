#!/usr/bin/env python3
# Compares the passes of the compiler, as dml-opt prints them on standard input, with the
# first column of the table of passes in docs/Architecture.md. Clean-up between the passes
# is left out on both sides.
# Usage: check_pass_order.py PAGE
#
# SPDX-License-Identifier: Apache-2.0
import re
import sys

CLEANUP = {"canonicalize", "cse", "dml-merge-equal-ops", "symbol-dce"}


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        section = page.read().split("## The order of passes")[1].split("\n## ")[0]
    listed = [name for row in re.findall(r"^\| (`.*?) \|", section, re.M)
              for name in re.findall(r"`([^`]+)`", row)]
    printed = re.sub(r"\{[^{}]*\}", "", sys.stdin.read().split("\n", 1)[1])
    # A name before a parenthesis is the operation that the passes in it run on.
    ran = [name for name, nest in re.findall(r"([a-z][\w.-]*)\s*(\()?", printed)
           if not nest and name not in CLEANUP]
    for place, (page_name, pass_name) in enumerate(zip(listed, ran), 1):
        if page_name != pass_name:
            sys.exit(f"pass {place} is {pass_name}, but the page lists {page_name}")
    if len(listed) != len(ran):
        sys.exit(f"the compiler has {len(ran)} passes, but the page lists {len(listed)}")
    print(f"{len(ran)} passes in the page's order")


if __name__ == "__main__":
    main()
