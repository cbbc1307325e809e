#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the folder of a decoder with drawn weights, as the model builder of
onnxruntime-genai writes it: genai_config.json, model.onnx and model.onnx.data.

    make_folder.py FOLDER --sizes=phi-3-mini --precision=int4

The weights are drawn by a seed and mean nothing, but each product has the sizes, the type and
the place in the graph that the products of the real decoder have. A weight is written in pieces
from one block of 4,194,301 drawn numbers, so that a folder of 5 GB takes 1 GB of memory at most
and about as long as the disk.
"""
import argparse
import functools
import json
import sys
import zlib
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(f"error: {sys.executable} has no NumPy, but python3-numpy is wanted: run the script "
             "with Debian's /usr/bin/python3, or install it")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "digits"))
from onnx_file import make_external_tensor, make_model, make_node  # noqa: E402

# The families differ in these points. `norm` is the kind of normalization, `parallel` a layer
# whose attention and MLP read the same numbers, `biases` the products that add one, `head_norms`
# whether each head of queries and keys is normalized.
FAMILIES = {
    "llama": {"type": "llama"},
    "phi3": {"type": "phi3"},
    "phi": {"type": "phi", "norm": "LayerNormalization", "parallel": True,
            "biases": ("q_proj", "k_proj", "v_proj", "o_proj", "fc1", "fc2", "lm_head")},
    "qwen2": {"type": "qwen2", "biases": ("q_proj", "k_proj", "v_proj")},
    "qwen3": {"type": "qwen3", "head_norms": True},
}

# `turned` is the part of a head that is rotated, `window` the number of keys that a query sees, and
# `original` the length from which on a text is rotated by other tables (in the layout dml alone).
SIZES = {
    "tiny": {"family": "llama", "layers": 2, "hidden": 96, "inner": 160, "heads": 4,
             "key_heads": 2, "head": 16, "vocabulary": 48, "context": 64},
    "llama-3-8b": {"family": "llama", "layers": 32, "hidden": 4096, "inner": 14336, "heads": 32,
                   "key_heads": 8, "head": 128, "vocabulary": 128256, "context": 8192,
                   "theta": 5e5},
    "llama-3.2-1b": {"family": "llama", "layers": 16, "hidden": 2048, "inner": 8192, "heads": 32,
                     "key_heads": 8, "head": 64, "vocabulary": 128256, "context": 8192,
                     "theta": 5e5},
    "phi-3-mini": {"family": "phi3", "layers": 32, "hidden": 3072, "inner": 8192, "heads": 32,
                   "key_heads": 32, "head": 96, "vocabulary": 32064, "context": 4096,
                   "window": 2047},
    "phi-4-mini": {"family": "phi3", "layers": 32, "hidden": 3072, "inner": 8192, "heads": 24,
                   "key_heads": 8, "head": 128, "vocabulary": 200064, "context": 131072,
                   "turned": 0.75, "original": 4096},
    "phi-2": {"family": "phi", "layers": 32, "hidden": 2560, "inner": 10240, "heads": 32,
              "key_heads": 32, "head": 80, "vocabulary": 51200, "context": 2048,
              "turned": 0.4},
    "qwen2.5-7b": {"family": "qwen2", "layers": 28, "hidden": 3584, "inner": 18944, "heads": 28,
                   "key_heads": 4, "head": 128, "vocabulary": 152064, "context": 32768,
                   "theta": 1e6, "epsilon": 1e-6},
    "qwen3-8b": {"family": "qwen3", "layers": 36, "hidden": 4096, "inner": 12288, "heads": 32,
                 "key_heads": 8, "head": 128, "vocabulary": 151936, "context": 40960,
                 "theta": 1e6, "epsilon": 1e-6},
}

# A prime, so that the rows of no weight repeat: row r begins at number r * columns of the block.
PERIOD = 4194301
BLOCK = 32
CONFIG = "genai_config.json"


@functools.lru_cache(maxsize=None)
def draw_bits(seed):
    """PERIOD random words of 64 bits: the same ones with every version of NumPy."""
    words = np.arange(PERIOD, dtype=np.uint64) + np.uint64(seed * PERIOD)
    for shift, factor in ((30, 0xbf58476d1ce4e5b9), (27, 0x94d049bb133111eb)):
        words = (words ^ words >> np.uint64(shift)) * np.uint64(factor)
    return words ^ words >> np.uint64(31)


@functools.lru_cache(maxsize=16)
def draw_block(seed, dtype, low, high):
    """The bytes of PERIOD numbers from `low` to `high`."""
    bits = draw_bits(seed)
    if dtype == "uint8":
        wide = int(high) - int(low) + 1
        nibbles = [(bits >> np.uint64(shift)) % np.uint64(wide) + np.uint64(low)
                   for shift in (20, 40)]
        return (nibbles[0] | nibbles[1] << np.uint64(4)).astype(np.uint8).tobytes()
    unit = (bits >> np.uint64(40)).astype(np.float32) / np.float32(2**24)
    return (unit * np.float32(high - low) + np.float32(low)).astype(dtype).tobytes()


class WeightFile:
    """The weights of a model, and the file that gets their bytes."""

    def __init__(self, folder, seed):
        self.file = open(folder / "model.onnx.data", "wb")
        self.name, self.seed, self.size, self.tensors = "model.onnx.data", seed, 0, []

    def _begin(self, name, dtype, shape):
        start = -(-self.size // 4096) * 4096
        self.file.write(bytes(start - self.size))
        length = int(np.prod(shape)) * np.dtype(dtype).itemsize
        self.tensors.append(make_external_tensor(name, dtype, shape, self.name, start, length))
        self.size = start + length
        return length

    def add(self, name, array):
        self._begin(name, array.dtype.name, array.shape)
        self.file.write(array.tobytes())
        return name

    def draw(self, name, dtype, shape, low, high):
        """Adds a weight of numbers from `low` to `high`, which begin at a place of the block that
        the name tells. Elements of uint8 are two numbers each."""
        left = self._begin(name, dtype, shape)
        block = memoryview(draw_block(self.seed, dtype, low, high))
        place = zlib.crc32(name.encode()) % PERIOD * np.dtype(dtype).itemsize
        while left:
            piece = block[place:place + left]
            self.file.write(piece)
            left -= len(piece)
            place = 0
        return name


class Decoder:
    """The graph of a decoder, and its weights."""

    def __init__(self, folder, sizes, precision, layout, zero_points, seed):
        self.sizes = {"family": "llama", "theta": 1e4, "epsilon": 1e-5, "window": -1,
                      "turned": 1.0, "original": None, **sizes}
        self.family = {"norm": "SimplifiedLayerNormalization", "parallel": False,
                       "biases": (), "head_norms": False, **FAMILIES[self.sizes["family"]]}
        self.is_quantized = precision.startswith("int4")
        self.dtype = "float32" if precision.endswith("f32") else "float16"
        # "dml" is the layout for DirectML: a product each for queries, keys and values, and
        # rotations as nodes. "cuda" is one product, and rotations within attention.
        self.is_fused = layout == "cuda"
        self.zero_points = zero_points
        if self.is_fused and self.sizes["original"]:
            raise ValueError("the layout cuda has no tables for long texts")
        self.weights = WeightFile(folder, seed)
        self.nodes, self.constants, self.positions = [], set(), "position_ids"

    # Nodes.

    def node(self, operator, name, inputs, outputs=None, domain="", **attributes):
        outputs = outputs or [f"{name}/output_0"]
        self.nodes.append(make_node(operator, inputs, outputs, domain=domain, name=name,
                                    **attributes))
        return outputs[0]

    def constant(self, value):
        name = f"/model/constants/INT64/{value}"
        if name not in self.constants:
            self.constants.add(name)
            self.nodes.append(make_node("Constant", [], [name], value=np.array(value, np.int64),
                                        name=name.replace("constants", "constant_nodes")))
        return name

    def draw(self, name, shape, low, high):
        return self.weights.draw(name, self.dtype, shape, low, high)

    def product(self, name, x, rows, columns, output=None):
        """A row of `rows` numbers becomes one of `columns`, and a bias is added to it."""
        projection = name.split("/")[-2]
        fused = ("q_proj", "k_proj", "v_proj") if projection == "qkv_proj" else (projection,)
        is_biased = any(each in self.family["biases"] for each in fused)
        to = None if is_biased or not output else [output]
        # Numbers whose variance is 1 / rows, so that the products keep the variance of x.
        spread = (3 / rows)**0.5
        weight = name[1:].replace("/", ".") + ".weight"
        if not self.is_quantized:
            y = self.node("MatMul", name, [x, self.draw(weight, (rows, columns), -spread, spread)],
                          to)
        else:
            y = self.quantized_product(name, x, rows, columns, weight, to)
        if not is_biased:
            return y
        bias = self.draw(weight.replace("MatMul.weight", "Add.bias"), (columns,), -0.2, 0.2)
        return self.node("Add", name.replace("MatMul", "Add"), [y, bias],
                         [output] if output else None)

    def quantized_product(self, name, x, rows, columns, weight, outputs):
        blocks = -(-rows // BLOCK)
        # A number from 0 to 15 less 8 has the deviation 4.6.
        scale = 1 / (4.6 * rows**0.5)
        inputs = [x, self.weights.draw(f"{weight}_Q4", "uint8", (columns, blocks, BLOCK // 2),
                                       0, 15),
                  self.draw(f"{weight}_scales", (columns * blocks,), scale * 0.5, scale * 1.5)]
        if self.zero_points:
            inputs.append(self.weights.draw(f"{weight}_zero_points", "uint8",
                                            (columns * -(-blocks // 2),), 6, 9))
        return self.node("MatMulNBits", f"{name}_Q4", inputs, outputs, "com.microsoft", K=rows,
                         N=columns, bits=4, block_size=BLOCK, accuracy_level=0)

    # Parts of a layer.

    def norm(self, place, x, skip=None, is_last=False):
        """Normalizes x + skip. Returns the result and the sum."""
        hidden, kind = self.sizes["hidden"], self.family["norm"]
        name = f"/model/layers.{place}_layernorm"
        weight = f"model.layers.{place}_layernorm"
        parameters = [self.draw(f"{weight}.weight", (hidden,), 0.75, 1.25)]
        if kind == "LayerNormalization":
            parameters.append(self.draw(f"{weight}.bias", (hidden,), -0.2, 0.2))
        if skip is None:
            y = self.node(kind, f"{name}/LayerNorm", [x, *parameters], [f"{name}/output_0"],
                          axis=-1, epsilon=self.sizes["epsilon"], stash_type=1)
            return y, x
        outputs = [f"{name}/output_0"] + ([] if is_last else ["", "", f"{name}/output_3"])
        y = self.node(f"Skip{kind}", f"{name}/SkipLayerNorm", [x, skip, *parameters], outputs,
                      "com.microsoft", epsilon=self.sizes["epsilon"])
        return y, outputs[-1]

    def head_norm(self, base, x, count):
        """Normalizes each of `count` heads."""
        head, name = self.sizes["head"], f"{base}_norm"
        weight = self.draw(f"{name[1:].replace('/', '.')}.layernorm.weight", (head,), 0.75, 1.25)
        y = self.node("Reshape", f"{name}/Reshape_1", [x, self.constant([0, -1, head])])
        y = self.node("SimplifiedLayerNormalization", f"{name}/SimplifiedLayerNormalization",
                      [y, weight], axis=-1, epsilon=self.sizes["epsilon"], stash_type=1)
        return self.node("Reshape", f"{name}/Reshape_2",
                         [y, self.constant([0, -1, count * head])])

    def project(self, base, x):
        """The queries, keys and values of x; the first alone has all three if they stay packed."""
        s = self.sizes
        widths = {"q": s["heads"] * s["head"], "k": s["key_heads"] * s["head"],
                  "v": s["key_heads"] * s["head"]}
        if not self.is_fused:
            return [self.product(f"{base}/{part}_proj/MatMul", x, s["hidden"], width)
                    for part, width in widths.items()]
        packed = self.product(f"{base}/qkv_proj/MatMul", x, s["hidden"], sum(widths.values()))
        if not self.family["head_norms"]:
            return [packed, "", ""]
        name = f"{base}/qkv_proj/Split"
        outputs = [f"{name}/output_{number}" for number in range(3)]
        self.node("Split", name, [packed, self.constant(list(widths.values()))], outputs, axis=-1)
        return outputs

    def attention(self, layer, x):
        s, base = self.sizes, f"/model/layers.{layer}/attn"
        heads = {"q": s["heads"], "k": s["key_heads"]}
        parts = self.project(base, x)
        tables = ["cos_cache", "sin_cache"]
        for place, (part, count) in enumerate(heads.items()):
            if self.family["head_norms"]:
                parts[place] = self.head_norm(f"{base}/{part}", parts[place], count)
            if not self.is_fused:
                turned = int(s["head"] * s["turned"])
                isPart = turned != s["head"]
                parts[place] = self.node(
                    "RotaryEmbedding", f"{base}/{part}_rotary/RotaryEmbedding",
                    [parts[place], self.positions, *tables], domain="com.microsoft",
                    interleaved=0, num_heads=count if isPart else 0,
                    rotary_embedding_dim=turned if isPart else 0)
        mask = "/model/attn_mask_reformat/attn_mask_subgraph"
        outputs = [f"{base}/GroupQueryAttention/output_0", f"present.{layer}.key",
                   f"present.{layer}.value"]
        mixed = self.node(
            "GroupQueryAttention", f"{base}/GroupQueryAttention",
            [*parts, f"past_key_values.{layer}.key", f"past_key_values.{layer}.value",
             f"{mask}/Sub/Cast/output_0", f"{mask}/Gather/Cast/output_0",
             *(tables if self.is_fused else ["", ""]), "", "", ""], outputs, "com.microsoft",
            num_heads=s["heads"], kv_num_heads=s["key_heads"], scale=s["head"]**-0.5,
            local_window_size=s["window"], softcap=0.0, do_rotary=int(self.is_fused),
            rotary_interleaved=0)
        return self.product(f"{base}/o_proj/MatMul", mixed, s["heads"] * s["head"], s["hidden"])

    def mlp(self, layer, x):
        base, hidden, inner = f"/model/layers.{layer}/mlp", *(
            self.sizes[name] for name in ("hidden", "inner"))
        if self.family["type"] == "phi":
            y = self.product(f"{base}/fc1/MatMul", x, hidden, inner)
            y = self.node("Gelu", f"{base}/act_fn/FastGelu", [y], approximate="tanh")
            return self.product(f"{base}/fc2/MatMul", y, inner, hidden)
        gate = self.product(f"{base}/gate_proj/MatMul", x, hidden, inner)
        up = self.product(f"{base}/up_proj/MatMul", x, hidden, inner)
        y = self.node("Sigmoid", f"{base}/act_fn/Sigmoid", [gate])
        y = self.node("Mul", f"{base}/act_fn/Mul", [gate, y])
        y = self.node("Mul", f"{base}/Mul", [y, up])
        return self.product(f"{base}/down_proj/MatMul", y, inner, hidden)

    def layer(self, number, x, skip):
        """Returns the sum that the next layer normalizes, in two parts."""
        y, x = self.norm(f"{number}.input", x, skip)
        mixed = self.attention(number, y)
        if self.family["parallel"]:
            return x, self.node("Add", f"/model/layers.{number}/residual_add/Add",
                                [mixed, self.mlp(number, y)])
        y, x = self.norm(f"{number}.post_attention", x, mixed)
        return x, self.mlp(number, y)

    # The whole.

    def reformat_mask(self):
        """The number of positions in use, less one, and the number of all positions."""
        base = "/model/attn_mask_reformat/attn_mask_subgraph"
        y = self.node("ReduceSum", f"{base}/ReduceSum", ["attention_mask", self.constant([1])],
                      keepdims=0)
        y = self.node("Sub", f"{base}/Sub", [y, self.constant([1])])
        self.node("Cast", f"{base}/Sub/Cast", [y], to=6)
        y = self.node("Shape", f"{base}/Shape", ["attention_mask"])
        y = self.node("Gather", f"{base}/Gather", [y, self.constant(1)], axis=0)
        self.node("Cast", f"{base}/Gather/Cast", [y], to=6)

    def add_tables(self):
        """The tables of rotations. Those of long texts stand behind those of short ones."""
        s = self.sizes
        turned = int(s["head"] * s["turned"])
        speeds = s["theta"]**(-np.arange(0, turned, 2) / turned)
        tables = [(s["context"], speeds, 1)]
        if s["original"]:
            scale = (1 + np.log(s["context"] / s["original"]) / np.log(s["original"]))**0.5
            tables = [(s["original"], speeds, scale),
                      (s["context"], speeds / np.linspace(1, 40, len(speeds)), scale)]
        for name, function in (("cos_cache", np.cos), ("sin_cache", np.sin)):
            self.weights.add(name, np.concatenate(
                [function(np.outer(np.arange(length), speeds)) * scale
                 for length, speeds, scale in tables]).astype(self.dtype))

    def reformat_positions(self):
        """The rows of the tables: those of long texts, if a position is `original` at least."""
        base, original = "/model/pos_ids_reformat", self.constant(self.sizes["original"])
        y = self.node("ReduceMax", f"{base}/ReduceMax", ["position_ids"], keepdims=0)
        y = self.node("GreaterOrEqual", f"{base}/GreaterOrEqual", [y, original])
        y = self.node("Cast", f"{base}/Cast", [y], to=7)
        y = self.node("Mul", f"{base}/Mul", [y, original])
        self.positions = self.node("Add", f"{base}/Add_1", [y, "position_ids"])

    def build(self):
        """The bytes of model.onnx."""
        s = self.sizes
        self.reformat_mask()
        self.add_tables()
        if s["original"] and not self.is_fused:
            self.reformat_positions()
        self.draw("model.embed_tokens.weight", (s["vocabulary"], s["hidden"]), -3**0.5, 3**0.5)
        x, skip = self.node("Gather", "/model/embed_tokens/Gather",
                            ["model.embed_tokens.weight", "input_ids"]), None
        for number in range(s["layers"]):
            x, skip = self.layer(number, x, skip)
        y, _ = self.norm(f"{s['layers']}.final_norm", x, skip, is_last=True)
        self.product("/lm_head/MatMul", y, s["hidden"], s["vocabulary"], output="logits")
        self.weights.file.close()
        names = [f"{layer}.{part}" for layer in range(s["layers"]) for part in ("key", "value")]
        row = ["batch_size", "sequence_length"]
        inputs = [("input_ids", "int64", row),
                  ("attention_mask", "int64", ["batch_size", "total_sequence_length"]),
                  *([] if self.is_fused else [("position_ids", "int64", row)]),
                  *((f"past_key_values.{name}", self.dtype,
                     ["batch_size", s["key_heads"], "past_sequence_length", s["head"]])
                    for name in names)]
        outputs = [("logits", self.dtype, [*row, s["vocabulary"]]),
                   *((f"present.{name}", self.dtype,
                      ["batch_size", s["key_heads"], "total_sequence_length", s["head"]])
                     for name in names)]
        return make_model(self.nodes, inputs, outputs, opset=21, domains={"com.microsoft": 1},
                          tensors=self.weights.tensors)

    def config(self, share_buffer, eos):
        s = self.sizes
        inputs = {"input_ids": "input_ids", "attention_mask": "attention_mask",
                  **({} if self.is_fused else {"position_ids": "position_ids"}),
                  "past_key_names": "past_key_values.%d.key",
                  "past_value_names": "past_key_values.%d.value"}
        return {
            "model": {
                "bos_token_id": 1, "context_length": s["context"],
                "decoder": {
                    "session_options": {
                        "log_id": "onnxruntime-genai",
                        "provider_options": [{"cuda" if self.is_fused else "dml": {}}]},
                    "filename": "model.onnx", "head_size": s["head"], "hidden_size": s["hidden"],
                    "inputs": inputs,
                    "outputs": {"logits": "logits", "present_key_names": "present.%d.key",
                                "present_value_names": "present.%d.value"},
                    "num_attention_heads": s["heads"], "num_hidden_layers": s["layers"],
                    "num_key_value_heads": s["key_heads"]},
                "eos_token_id": eos, "pad_token_id": eos[0] if eos else 0,
                "type": self.family["type"], "vocab_size": s["vocabulary"]},
            "search": {
                "diversity_penalty": 0.0, "do_sample": False, "early_stopping": True,
                "length_penalty": 1.0, "max_length": s["context"], "min_length": 0,
                "no_repeat_ngram_size": 0, "num_beams": 1, "num_return_sequences": 1,
                "past_present_share_buffer": share_buffer, "repetition_penalty": 1.0,
                "temperature": 1.0, "top_k": 50, "top_p": 1.0}}


def make_folder(folder, sizes, precision="int4", layout="dml", zero_points=False, seed=1,
                share_buffer=True, eos=()):
    """Writes a folder. `sizes` is a name of SIZES, or what a value of it is."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    decoder = Decoder(folder, SIZES[sizes] if isinstance(sizes, str) else sizes, precision, layout,
                      zero_points, seed)
    (folder / "model.onnx").write_bytes(decoder.build())
    config = decoder.config(share_buffer, list(eos))
    (folder / CONFIG).write_text(json.dumps(config, indent=4) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--sizes", choices=SIZES, default="tiny")
    parser.add_argument("--family", choices=FAMILIES, help="the family of these sizes' decoder")
    parser.add_argument("--layers", type=int, help="how many layers, instead of all")
    parser.add_argument("--context", type=int, help="the longest sequence")
    parser.add_argument("--precision", choices=["f32", "f16", "int4", "int4-f32"], default="int4",
                        help="int4 has activations in f16, and int4-f32 in f32")
    parser.add_argument("--zero-points", action="store_true",
                        help="each block of 32 four-bit weights has a zero point")
    parser.add_argument("--layout", choices=["dml", "cuda"], default="dml",
                        help="the execution provider whose graph it is: for cuda, queries, keys "
                        "and values are one product, and attention has the rotations")
    parser.add_argument("--growing", action="store_true", help="caches share no buffer")
    parser.add_argument("--eos", type=int, nargs="*", default=[2], help="tokens that end a text")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sizes = dict(SIZES[arguments.sizes])
    for name in ("family", "layers", "context"):
        if getattr(arguments, name) is not None:
            sizes[name] = getattr(arguments, name)
    make_folder(arguments.folder, sizes, arguments.precision, arguments.layout,
                arguments.zero_points, arguments.seed, not arguments.growing, arguments.eos)


if __name__ == "__main__":
    main()
