#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes decoder.onnx, a small decoder with random weights, into a folder.

The model takes a token and its position, and returns the next token. The keys and values of
earlier tokens are its state: each layer has a cache of CAPACITY positions (256 where none is
named) as the inputs past.N.key and past.N.value, writes the position of the token into it, and
returns it as present.N.key and present.N.value.
"""
import argparse
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(f"error: {sys.executable} has no NumPy, but python3-numpy is wanted: run the script "
             "with Debian's /usr/bin/python3, or install it")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "digits"))
from onnx_file import make_model, make_node  # noqa: E402

MOST_POSITIONS = 1 << 16
LAYERS, WIDTH, KEY_HEADS, GROUP, HEAD, HIDDEN, TOKENS = 2, 64, 2, 2, 16, 128, 96


def make_weights(capacity):
    """The weights by their names. Four query heads share two heads of keys and values."""
    random = np.random.default_rng(7)

    def draw(*shape):
        return random.standard_normal(shape).astype(np.float32) / np.float32(shape[0] ** 0.5)

    weights = {"embedding": draw(TOKENS, WIDTH) * 8, "places": draw(capacity, WIDTH) * 8}
    for layer in range(LAYERS):
        for name, shape in (("query", (WIDTH, KEY_HEADS * GROUP * HEAD)),
                            ("key", (WIDTH, KEY_HEADS * HEAD)),
                            ("value", (WIDTH, KEY_HEADS * HEAD)),
                            ("out", (KEY_HEADS * GROUP * HEAD, WIDTH)),
                            ("up", (WIDTH, HIDDEN)), ("down", (HIDDEN, WIDTH))):
            weights[f"{layer}.{name}"] = draw(*shape)
    weights["logits"] = draw(WIDTH, TOKENS)
    return weights


def generate(weights, token, count):
    """The tokens that follow `token`, reckoned without a cache: all positions anew for each."""
    tokens = [token]

    def norm(x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)

    for _ in range(count):
        length = len(tokens)
        x = weights["embedding"][tokens] + weights["places"][:length]
        for layer in range(LAYERS):
            n = norm(x)
            query, key, value = (n @ weights[f"{layer}.{name}"]
                                 for name in ("query", "key", "value"))
            mixed = []
            for head in range(KEY_HEADS * GROUP):
                of_key = slice(head // GROUP * HEAD, (head // GROUP + 1) * HEAD)
                scores = query[:, head * HEAD:(head + 1) * HEAD] @ key[:, of_key].T / 4
                scores[np.triu_indices(length, 1)] = -np.inf
                scores = np.exp(scores - scores.max(-1, keepdims=True))
                mixed.append(scores / scores.sum(-1, keepdims=True) @ value[:, of_key])
            x = x + np.concatenate(mixed, -1) @ weights[f"{layer}.out"]
            up = norm(x) @ weights[f"{layer}.up"]
            x = x + up / (1 + np.exp(-up)) @ weights[f"{layer}.down"]
        tokens.append(int((norm(x[-1]) @ weights["logits"]).argmax()))
    return tokens[1:]


class Graph:
    """Nodes, with names for what they compute."""

    def __init__(self, weights):
        self.nodes, self.weights = [], dict(weights)

    def add(self, operator, *inputs, output=None, **attributes):
        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, name, value):
        self.weights[name] = np.asarray(value)
        return name

    def norm(self, x):
        mean = self.add("ReduceMean", self.add("Mul", x, x), axes=[1])
        return self.add("Div", x, self.add("Sqrt", self.add("Add", mean, "epsilon")))


def add_layer(graph, layer, x, at, visible):
    """Attention over the cache, and two products with an activation between them."""
    add = graph.add
    normed = graph.norm(x)
    query = add("Reshape", add("MatMul", normed, f"{layer}.query"), "query shape")
    caches = []
    for name in ("key", "value"):
        new = add("Reshape", add("MatMul", normed, f"{layer}.{name}"), "row shape")
        caches.append(add("ScatterElements", f"past.{layer}.{name}", at, new, axis=2,
                          output=f"present.{layer}.{name}"))
    keys = add("Transpose", caches[0], perm=[0, 1, 3, 2])
    scores = add("Mul", add("MatMul", query, keys), "scale")
    scores = add("Softmax", add("Where", visible, scores, "hidden"), axis=3)
    mixed = add("Reshape", add("MatMul", scores, caches[1]), "flat shape")
    x = add("Add", x, add("MatMul", mixed, f"{layer}.out"))
    up = add("MatMul", graph.norm(x), f"{layer}.up")
    up = add("Mul", up, add("Sigmoid", up))
    return add("Add", x, add("MatMul", up, f"{layer}.down"))


def make_decoder(capacity):
    """The bytes of the model."""
    graph = Graph(make_weights(capacity))
    for name, value in (("epsilon", np.float32(1e-5)), ("scale", np.float32(0.25)),
                        ("hidden", np.float32(-1e9)),
                        ("query shape", [1, KEY_HEADS, GROUP, HEAD]),
                        ("row shape", [1, KEY_HEADS, 1, HEAD]), ("flat shape", [1, -1]),
                        ("all places", np.arange(capacity, dtype=np.int64))):
        graph.constant(name, value)
    add = graph.add
    x = add("Add", add("Gather", "embedding", "token"), add("Gather", "places", "position"))
    at = add("Expand", "position", "row shape")
    visible = add("LessOrEqual", "all places", "position")
    for layer in range(LAYERS):
        x = add_layer(graph, layer, x, at, visible)
    logits = add("MatMul", graph.norm(x), "logits")
    add("ArgMax", logits, axis=1, keepdims=0, output="next")
    cache = ("float32", [1, KEY_HEADS, capacity, HEAD])
    states = [f"{layer}.{name}" for layer in range(LAYERS) for name in ("key", "value")]
    return make_model(
        graph.nodes,
        [("token", "int64", [1]), ("position", "int64", [1]),
         *((f"past.{state}", *cache) for state in states)],
        [("next", "int64", [1]), *((f"present.{state}", *cache) for state in states)],
        graph.weights)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("capacity", metavar="CAPACITY", nargs="?", default="256",
                        help=f"positions of each cache, 1 to {MOST_POSITIONS} (256)")
    arguments = parser.parse_args()
    text = arguments.capacity
    if not text.isdecimal() or not 1 <= int(text) <= MOST_POSITIONS:
        sys.exit(f"error: CAPACITY is '{text}', but wanted is 1 to {MOST_POSITIONS}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "decoder.onnx").write_bytes(make_decoder(int(text)))


if __name__ == "__main__":
    main()
