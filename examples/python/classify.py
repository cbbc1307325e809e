# SPDX-License-Identifier: Apache-2.0
"""Says what a picture shows: prints the five likeliest classes, with their scores."""
import argparse
import re
import sys

# Before the packages are looked for, so that --help works without them.
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("model", help="the network, as ONNX or in another format that dml reads")
parser.add_argument("names", help="a text file with the name of a class in each line")
parser.add_argument("picture", help="a PGM or PPM file, as large as the network wants it")

options = parser.parse_args()

try:
    import dml
    import numpy as np
except ImportError as error:
    sys.exit(f"error: {sys.executable} has no {error.name}, but dml and NumPy are wanted: "
             "docs/Python.md says how to install them")


def read_picture(path):
    """The picture as an array: 1, channels, rows and columns, of the numbers 0 to 1."""
    with open(path, "rb") as file:
        data = file.read()
    # Comments may stand before each number.
    gap = rb"(?:\s|#[^\n]*\n)+"
    header = re.match(rb"P([56])" + 3 * (gap + rb"(\d{1,5})") + rb"\s", data)
    if not header:
        sys.exit(f"error: '{path}' is no PGM or PPM file: wanted is P5 or P6 at its beginning")
    kind, width, height, most = map(int, header.groups())
    count = width * height * (1 if kind == 5 else 3)
    if count == 0 or not 1 <= most <= 255:
        sys.exit(f"error: '{path}' has no pixels of 8 bits to a channel")
    if len(data) - header.end() < count:
        sys.exit(f"error: '{path}' ends before its last pixel")
    pixels = np.frombuffer(data, np.uint8, count, header.end()).reshape(height, width, -1)
    return pixels.transpose(2, 0, 1)[None] / np.float32(most)


def main():
    session = dml.Session(options.model)
    picture = read_picture(options.picture)
    (scores, *_) = session.run(None, {session.inputs[0].name: picture})
    scores = scores.ravel()
    with open(options.names) as file:
        names = file.read().splitlines()
    if len(names) < len(scores):
        sys.exit(f"error: '{options.names}' has fewer names than the model has classes")
    for place in scores.argsort()[::-1][:5]:
        print(f"{scores[place]:.4f} {names[place]}")


if __name__ == "__main__":
    try:
        main()
    except (dml.Error, OSError, UnicodeDecodeError) as error:
        sys.exit(f"error: {error}")
