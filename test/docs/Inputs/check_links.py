#!/usr/bin/env python3
# Checks that each relative link of the pages leads to a file of the source tree, and that
# the page has the heading that the link names, as in page.md#a-heading.
# Usage: check_links.py ROOT
#
# SPDX-License-Identifier: Apache-2.0
import functools
import pathlib
import re
import sys


def read_page(page):
    """The text of the page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@functools.lru_cache(maxsize=None)
def find_anchors(page):
    """The anchors of the page's headings, as GitHub makes them: "## `x` of y" has the anchor
    x-of-y, and a second heading of this text x-of-y-1."""
    anchors = set()
    for heading in re.findall(r"^#+ +(.*?)[ #]*$", read_page(page), flags=re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        number, anchor = 0, slug
        while anchor in anchors:
            number += 1
            anchor = f"{slug}-{number}"
        anchors.add(anchor)
    return anchors


def find_problem(page, target, anchor):
    """What is wrong with a link of the page, or None."""
    file = page.parent / target if target else page
    if not file.exists():
        return f"the link {target} leads to no file"
    if anchor and file.suffix == ".md" and anchor not in find_anchors(file.resolve()):
        return f"the link {target}#{anchor} leads to no heading"
    return None


def main():
    root = pathlib.Path(sys.argv[1])
    pages = [page for page in sorted(root.rglob("*.md"))
             if not {"build", ".git", "node_modules"} & set(page.relative_to(root).parts)]
    links = errors = 0
    for page in pages:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)[^)]*\)", read_page(page)):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            problem = find_problem(page, target, anchor)
            if problem:
                errors += 1
                print(f"{page.relative_to(root)}: {problem}")
    print(f"{len(pages)} pages, {links} links, {errors} errors")


main()
