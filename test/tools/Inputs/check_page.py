"""Parses a page or a drawing of report.test as XML and wants each node's name in it,
as text and not as markup."""
import sys
import xml.etree.ElementTree as ElementTree

NAMES = [
    "@first<b>",
    "in<put> & \"co\"",
    "out'put",
    "<script>alert('x')</script>&\ufffd\"]]>",
    "repeat",
    "@second",
    "a name that is much longer than any box of a drawing is wide \u00e9",
    "flat",
    "row",
]

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
root = ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))
if root.tag not in ("{http://www.w3.org/1999/xhtml}html", "{http://www.w3.org/2000/svg}svg"):
    sys.exit(f"the root is {root.tag}")
elements = list(root.iter())
words = [element.text or "" for element in elements]
for name in NAMES:
    if not any(name in word for word in words):
        sys.exit(f"no element has the text {name!r}")
# The one script is the page's own.
scripts = [element for element in elements if element.tag.endswith("script")]
if len(scripts) != root.tag.endswith("html") or any("alert" in script.text for script in scripts):
    sys.exit(f"there are {len(scripts)} scripts")
# Nothing is fetched from elsewhere.
if any(key.endswith(("src", "href")) for element in elements for key in element.attrib):
    sys.exit("the page refers to something beside it")
boxes = sum(element.tag.endswith("rect") for element in elements)
if boxes != 9:
    sys.exit(f"there are {boxes} boxes, wanted are 9")
