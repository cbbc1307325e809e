"""Has headless Chromium draw the page of report.test, light and dark: the browser finds
all boxes and says nothing of errors, the background has the colour that the scheme
wants, and there is something drawn on it."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

BOXES = 9
# A preferred colour scheme by Blink's number, and the page's background in it.
SCHEMES = {"dark": (0, (0x17, 0x17, 0x1a)), "light": (1, (0xff, 0xff, 0xff))}


def run(browser, *arguments):
    result = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--enable-logging=stderr", "--window-size=900,700", *arguments],
        capture_output=True, text=True, timeout=120)
    if result.returncode:
        sys.exit(f"{browser} exits with {result.returncode}: {result.stderr}")
    said = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    if said:
        sys.exit("\n".join(said))
    return result.stdout


def read_picture(path):
    """The first pixel, and the number of rows that differ as they are stored."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, _, depth, colours = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colours]
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    rows = zlib.decompress(packed)
    stride = 1 + width * channels * depth // 8
    # Nothing stands before the first pixel, which every filter leaves as it is.
    return tuple(rows[1:4]), len({rows[i:i + stride] for i in range(0, len(rows), stride)})


def main():
    browser, page = sys.argv[1], pathlib.Path(sys.argv[2]).resolve().as_uri()
    document = run(browser, "--dump-dom", page)
    boxes = re.findall(r'<g class="node" data-in="[\d ]*" data-name=', document)
    if len(boxes) != BOXES or document.count("</svg>") < 2:
        sys.exit(f"wanted are {BOXES} boxes and two drawings, found is: {document}")
    with tempfile.TemporaryDirectory() as folder:
        for scheme, (number, wanted) in SCHEMES.items():
            picture = pathlib.Path(folder) / f"{scheme}.png"
            run(browser, f"--blink-settings=preferredColorScheme={number}",
                f"--screenshot={picture}", page)
            background, rows = read_picture(picture)
            if background != wanted:
                sys.exit(f"{scheme}: the background is {background}, wanted is {wanted}")
            if rows < 50:
                sys.exit(f"{scheme}: {rows} rows of pixels differ, wanted are 50 or more")
    print("the page is drawn, light and dark")


if __name__ == "__main__":
    main()
