#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws digits, trains a small network to tell them apart, and writes a folder with

    digits.onnx    the network: a picture 28 by 28 in, ten probabilities out
    digits.txt     the ten names, a line each
    zero.pgm ...   a picture of each digit, which was not among those trained with

The network has a convolution with 8 filters of 5 by 5, the largest of each 2 by 2, and a
matrix. Training takes about 2 seconds; the same pictures are drawn in every run.
"""
import argparse
import os
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(f"error: {sys.executable} has no NumPy, but python3-numpy is wanted: run the script "
             "with Debian's /usr/bin/python3, or install it")

from onnx_file import make_model, make_node

NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
# Seven rows of five pixels for each digit, a row of each in a line.
GLYPHS = """
 ###    #    ###   ###     #  #####   ##  #####  ###   ###
#   #  ##   #   # #   #   ##  #      #        # #   # #   #
#   #   #       #     #  # #  ####  #        #  #   # #   #
#   #   #      #    ##  #  #      # ####    #    ###   ####
#   #   #     #       # #####     # #   #   #   #   #     #
#   #   #    #    #   #    #  #   # #   #   #   #   #    #
 ###   ###  #####  ###     #   ###   ###    #    ###   ##
"""


def read_glyphs():
    lines = [line.ljust(60) for line in GLYPHS.splitlines()[1:]]
    pixels = np.array([[char == "#" for char in line[:60]] for line in lines], np.float32)
    return np.stack([pixels[:, 6 * digit:6 * digit + 5] for digit in range(10)])


def draw(random, digits):
    """Pictures of `digits`, each of another size, place, slope and contrast."""
    # A frame of zeros, so that what lies beyond a glyph is dark.
    glyphs = np.pad(read_glyphs(), ((0, 0), (1, 1), (1, 1)))
    count = len(digits)
    def pick(low, high):
        return random.uniform(low, high, (count, 1, 1))
    y, x = np.mgrid[0:28, 0:28] - 13.5
    angle, slant = pick(-0.15, 0.15), pick(-0.2, 0.2)
    y, x = y - pick(-2, 2), x - pick(-2, 2)
    row = (y * np.cos(angle) - x * np.sin(angle)) / pick(2.4, 3.2) + 4
    column = (x * np.cos(angle) + y * np.sin(angle) + slant * y) / pick(2.4, 3.4) + 3
    row, column = np.clip(row, 0, 7.99), np.clip(column, 0, 5.99)
    i, j = row.astype(int), column.astype(int)
    a, b, n = row - i, column - j, digits[:, None, None]
    picture = ((1 - a) * (1 - b) * glyphs[n, i, j] + (1 - a) * b * glyphs[n, i, j + 1] +
               a * (1 - b) * glyphs[n, i + 1, j] + a * b * glyphs[n, i + 1, j + 1])
    picture = picture * pick(0.7, 1) + random.normal(0, 0.05, picture.shape)
    return np.clip(picture, 0, 1).astype(np.float32)


def forward(weights, pictures):
    """The network's scores, and what the gradient needs of the way to them."""
    windows = np.lib.stride_tricks.sliding_window_view(pictures, (5, 5), axis=(1, 2))
    windows = windows.reshape(-1, 25)
    filtered = windows @ weights["filters"].T + weights["filter_bias"]
    # Count, rows, 2, columns, 2, filters: the two sizes of 2 are those of the pooling.
    blocks = filtered.reshape(-1, 12, 2, 12, 2, 8)
    pooled = blocks.max((2, 4), keepdims=True)
    features = np.maximum(pooled, 0).transpose(0, 5, 1, 3, 2, 4).reshape(-1, 1152)
    return features @ weights["matrix"] + weights["bias"], (windows, blocks, pooled, features)


def find_gradient(weights, pictures, digits):
    scores, (windows, blocks, pooled, features) = forward(weights, pictures)
    odds = np.exp(scores - scores.max(1, keepdims=True))
    error = odds / odds.sum(1, keepdims=True)
    error[np.arange(len(digits)), digits] -= 1
    error /= len(digits)
    back = (error @ weights["matrix"].T).reshape(-1, 8, 12, 12).transpose(0, 2, 3, 1)
    back = back[:, :, None, :, None, :] * ((blocks == pooled) & (pooled > 0))
    back = back.reshape(-1, 8)
    return {"filters": back.T @ windows, "filter_bias": back.sum(0),
            "matrix": features.T @ error, "bias": error.sum(0)}


def train(random):
    weights = {"filters": random.normal(0, 0.2, (8, 25)), "filter_bias": np.zeros(8),
               "matrix": random.normal(0, 0.03, (1152, 10)), "bias": np.zeros(10)}
    weights = {name: value.astype(np.float32) for name, value in weights.items()}
    momentum = {name: np.zeros_like(value) for name, value in weights.items()}
    for step in range(120):
        digits = random.integers(0, 10, 64)
        gradient = find_gradient(weights, draw(random, digits), digits)
        for name, value in weights.items():
            momentum[name] = 0.9 * momentum[name] - 0.05 * gradient[name]
            value += momentum[name].astype(np.float32)
    return weights


def make_onnx(weights):
    nodes = [
        make_node("Conv", ["picture", "filters", "filter_bias"], ["filtered"]),
        make_node("Relu", ["filtered"], ["positive"]),
        make_node("MaxPool", ["positive"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]),
        make_node("Flatten", ["pooled"], ["features"]),
        make_node("Gemm", ["features", "matrix", "bias"], ["scores"]),
        make_node("Softmax", ["scores"], ["probabilities"], axis=1)]
    return make_model(nodes, [("picture", "float32", ["batch", 1, 28, 28])],
                      [("probabilities", "float32", ["batch", 10])],
                      {**weights, "filters": weights["filters"].reshape(8, 1, 5, 5)})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER")
    folder = parser.parse_args().folder
    random = np.random.default_rng(1)
    weights = train(random)
    digits = np.arange(1000) % 10
    found = forward(weights, draw(random, digits))[0].argmax(1)
    share = (found == digits).mean()
    print(f"{share:.1%} of 1000 new pictures are told")
    if share < 0.98:
        sys.exit("error: wanted are 98%")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "digits.onnx"), "wb") as file:
        file.write(make_onnx(weights))
    with open(os.path.join(folder, "digits.txt"), "w") as file:
        file.write("".join(f"{name}\n" for name in NAMES))
    for name, picture in zip(NAMES, draw(random, np.arange(10))):
        with open(os.path.join(folder, f"{name}.pgm"), "wb") as file:
            file.write(b"P5 28 28 255\n" + (picture * 255).astype(np.uint8).tobytes())


main()
