"""Has headless Chromium draw the page of a graph of 1,000 nodes at three widths, light and dark,
and tries the tools of the drawing: zoom, pan, search, folding. No line of the console may be an
error.

    check_viewer.py BROWSER DML-EXPLAIN FOLDER

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import subprocess
import sys

from check_browser import SCHEMES, read_picture

NODES = 1000

# What is tried, within the page. Each entry of `right` has to be true.
PROGRAM = """
window.addEventListener("load", () => {
  const right = {};
  const drawing = window.drawings[0], frame = drawing.frame;
  const isShown = (element) => element.style.display !== "none";
  const shown = () => drawing.nodes.filter((node) => isShown(node.element)).length;
  right.all = drawing.nodes.length === %(nodes)d + 2;
  // A large graph is folded first, and fits into its frame.
  right.folded = shown() < %(nodes)d / 4 && drawing.blocks.length > 50;
  const box = () => drawing.view.getBoundingClientRect(), edge = frame.getBoundingClientRect();
  right.fits = box().width <= edge.width + 2 && box().height <= edge.height + 2;
  right.noStrip = drawing.width < 20 * drawing.height && drawing.height < 20 * drawing.width;
  // Nothing is wider than the window.
  right.narrow = document.documentElement.scrollWidth <= window.innerWidth + 1;
  const before = drawing.scale;
  drawing.svg.dispatchEvent(new WheelEvent("wheel", {deltaY: -400, clientX: edge.left + 50,
                                                     clientY: edge.top + 50, cancelable: true}));
  right.zooms = drawing.scale > 2 * before;
  const x = drawing.x;
  const at = (kind, x) => drawing.svg.dispatchEvent(new PointerEvent(kind, {
    clientX: edge.left + x, clientY: edge.top + 60, buttons: 1}));
  at("pointerdown", 60);
  at("pointermove", 160);
  window.dispatchEvent(new PointerEvent("pointerup"));
  right.pans = Math.abs(drawing.x - x - 100) < 1;
  // A search unfolds the block of what it finds, and brings that into the middle.
  drawing.field.value = "node_777";
  drawing.field.dispatchEvent(new Event("input"));
  right.finds = drawing.found.textContent === "1 of 1";
  const hit = document.querySelector("g.hit"), place = hit.getBoundingClientRect();
  right.brings = isShown(hit) && place.left >= edge.left && place.right <= edge.right + 264 &&
                 place.top >= edge.top && place.bottom <= edge.bottom + 200;
  drawing.field.value = "no such node";
  drawing.field.dispatchEvent(new Event("input"));
  right.findsNone = drawing.found.textContent === "none" && !document.querySelector("g.hit");
  const block = drawing.blocks.find((each) => drawing.isFolded(each)), count = shown();
  at("pointerdown", 60);
  window.dispatchEvent(new PointerEvent("pointerup"));
  block.element.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  right.unfolds = shown() === count + block.nodes.length;
  drawing.foldAll(false);
  right.unfoldsAll = shown() === drawing.nodes.length;
  drawing.foldAll(true);
  right.foldsAll = shown() < %(nodes)d / 4;
  // No two boxes lie on each other.
  drawing.foldAll(false);
  const boxes = drawing.getBoxes(), taken = new Set();
  right.apart = boxes.every((box) => {
    const place = box.element.getAttribute("transform");
    const isFree = !taken.has(place);
    taken.add(place);
    return isFree;
  });
  // No name is cut.
  right.whole = !Array.from(document.querySelectorAll("g.node text"))
    .some((text) => text.textContent.endsWith("\\u2026"));
  // Texts stay within their boxes.
  right.within = drawing.nodes.slice(0, 40).every((node) =>
    Array.from(node.element.querySelectorAll("text")).every((text) =>
      text.getBBox().x + text.getBBox().width <= node.width));
  drawing.foldAll(true);
  const times = document.querySelector("h2");
  right.timesFirst = times.textContent === "Time by operator";
  document.body.dataset.wrong = Object.keys(right).filter((key) => !right[key]).join(" ") || "none";
});
"""


def write_module(path):
    """Residual blocks of five operators."""
    lines = ["func.func @main(%x0: tensor<1x4x8x8xf32> {dml.name = \"image\"}) -> tensor<1x4x8x8xf32> {"]
    last, kept = "%x0", "%x0"
    for index in range(NODES):
        kind, operands = "activation_relu", last
        if index % 5 == 4:
            kind, operands = "element_wise_add", f"{last}, {kept}"
        types = ", ".join(["tensor<1x4x8x8xf32>"] * (operands.count(",") + 1))
        name = f"backbone/stage{index // 200}/block{index // 5}/a_name_that_is_too_long_for_one_line/node_{index}"
        result = f"%x{index + 1}"
        lines.append(f"  {result} = dml.{kind} {operands} : ({types}) -> tensor<1x4x8x8xf32> loc(\"{name}\")")
        last = result
        if index % 5 == 4:
            kept = result
    lines += [f"  return {last} : tensor<1x4x8x8xf32>", "}"]
    path.write_text("\n".join(lines) + "\n")


def browse(browser, page, width, scheme, *arguments):
    result = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--enable-logging=stderr", f"--window-size={width},900",
         f"--blink-settings=preferredColorScheme={SCHEMES[scheme][0]}", *arguments, page.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240)
    said = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    if result.returncode or said:
        sys.exit(f"{browser} at {width}, {scheme}: exit code {result.returncode}: {said or result.stderr}")
    return result.stdout


def main():
    browser, tool, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    module, plain, page = folder / "big.mlir", folder / "big.html", folder / "tried.html"
    write_module(module)
    trace = folder / "run.json"
    trace.write_text('{"traceEvents": [{"dur": 1.5, "args": {"function": "main", "operators": "dml.relu"}}]}')
    subprocess.run([tool, module, f"--report={plain}", f"--times={trace}"], check=True,
                   stdout=subprocess.DEVNULL, timeout=240)
    text = plain.read_text(encoding="utf-8")
    page.write_text(text.replace("</body>", f"<script>{PROGRAM % {'nodes': NODES}}</script></body>"),
                    encoding="utf-8")
    # A scheme changes colours alone, and a width changes places alone, so that the program and
    # the picture have one scheme each at a width.
    for width, scheme, other in ((500, "light", "dark"), (1100, "dark", "light"), (1900, "light", "dark")):
        document = browse(browser, page, width, scheme, "--virtual-time-budget=20000", "--dump-dom")
        wrong = re.search(r'data-wrong="([^"]*)"', document)
        if not wrong or wrong[1] != "none":
            sys.exit(f"at {width}, {scheme}, these are wrong: {wrong[1] if wrong else 'the script did not end'}")
        picture = folder / f"big-{width}-{other}.png"
        browse(browser, plain, width, other, f"--screenshot={picture}")
        found, rows = read_picture(picture)
        background = SCHEMES[other][1]
        if found != background or rows < 50:
            sys.exit(f"at {width}, {other}: the background is {found}, wanted is {background}; "
                     f"{rows} rows of pixels differ")
    print("the tools of the drawing work at three widths, light and dark")


if __name__ == "__main__":
    main()
