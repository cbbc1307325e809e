#!/usr/bin/env python3
# Checks that each relative link of the pages leads to a file of the source tree.
# Usage: check_links.py ROOT
#
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
pages = [page for page in sorted(root.rglob("*.md"))
         if not {"build", ".git", "node_modules"} & set(page.relative_to(root).parts)]
links = errors = 0
for page in pages:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        links += 1
        if not (page.parent / target).exists():
            errors += 1
            print(f"{page.relative_to(root)}: the link {target} leads to no file")
print(f"{len(pages)} pages, {links} links, {errors} errors")
