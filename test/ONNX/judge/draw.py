"""What a random case is drawn with: types, sizes, elements, and the graph that is made."""
#
# SPDX-License-Identifier: Apache-2.0
import math
import random

import numpy as np
import onnx
from container import NAMES, TYPES, Case
from onnx import TensorProto, defs, helper

PROTO = {"f16": TensorProto.FLOAT16, "f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE,
         "i8": TensorProto.INT8, "i16": TensorProto.INT16, "i32": TensorProto.INT32,
         "i64": TensorProto.INT64, "ui8": TensorProto.UINT8, "ui16": TensorProto.UINT16,
         "ui32": TensorProto.UINT32, "ui64": TensorProto.UINT64, "bool": TensorProto.BOOL}
WORDS = {"float16": "f16", "float": "f32", "double": "f64", "int8": "i8", "int16": "i16",
         "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16",
         "uint32": "ui32", "uint64": "ui64", "bool": "bool"}
FLOATS = ["f32", "f16", "f64"]
INTEGERS = ["i32", "i64", "i8", "i16", "ui8", "ui16", "ui32", "ui64"]
NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + ["bool"]
# How often a type is drawn beside the others. DirectML computes nothing in f64.
WEIGHTS = {"f32": 8, "f16": 3, "f64": 0.3, "i64": 3, "i32": 3, "bool": 2}
# The operator sets that ONNX Runtime 1.30 reads end with this one.
NEWEST = 26
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5]


def to_dtype(type):
    return np.dtype(bool) if type == "bool" else np.dtype(TYPES[type])


def get_allowed(name, version, input=0):
    """The types that input `input` of an operator may have, of those that a case can
    have, as the newest definition has it that this Python package knows."""
    schema = defs.get_schema(name, min(version, defs.onnx_opset_version()))
    formal = schema.inputs[min(input, len(schema.inputs) - 1)]
    words = {text[7:-1] for text in formal.types if text.startswith("tensor(")}
    return [type for word, type in WORDS.items() if word in words]


class Draw:
    """A random case under construction."""

    # Whether tensors are small and their numbers have few digits, for cases that are
    # kept.
    is_terse = False

    def __init__(self, seed, name, domain, version, opset):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(self.random.getrandbits(63))
        self.name, self.domain = name, domain
        self.version, self.opset = version, opset
        self.nodes, self.inputs, self.initializers, self.outputs = [], {}, {}, []
        self.fed, self.kinds = [], {}
        # How many of the inputs are constants.
        self.constants = self.random.choices([0.0, 0.4, 1.0], [5, 3, 2])[0]
        self.has_special = self.chance(0.35)
        # What a difference may be: as a part of what is wanted, of the largest number
        # among what is wanted, and at least.
        self.tolerance = (2e-5, 2e-6, 0)
        self.domains = set()
        # The nodes that ONNX Runtime is asked about in place of these, where it lacks a
        # kernel, and the operator set that they are of.
        self.twin = None

    # Choices.

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def integer(self, low, high):
        """One of the integers from `low` to `high`."""
        return self.random.randint(low, high)

    def stand_in(self, opset, *nodes):
        """Nodes of the operator set `opset` that mean the same: each is an operator,
        its inputs, its outputs and its attributes. Those of the case's own node have its
        names."""
        self.twin = ([helper.make_node(name, inputs, outputs, **attributes)
                      for name, inputs, outputs, attributes in nodes], opset)

    def maybe(self, value, probability=0.6):
        """The value of an attribute that may be left out."""
        return value if self.chance(probability) else None

    def type(self, types=None, input=0):
        types = types or get_allowed(self.name, self.version, input)
        return self.random.choices(types, [WEIGHTS.get(type, 1) for type in types])[0]

    def size(self, low=1, high=7):
        return self.integer(low, high)

    def shape(self, low=0, high=6, most=256, zero=True):
        """Sizes, of `low` to `high` dimensions, that have `most` elements at most."""
        most = min(most, 24) if self.is_terse else most
        rank = min(self.integer(low, high), self.integer(low, high)) \
            if self.chance(0.4) else self.integer(low, high)
        while True:
            largest = 7 if rank < 4 else 4 if rank < 6 else 3
            shape = [self.size(1, largest) for _ in range(rank)]
            if zero and shape and self.chance(0.01):
                shape[self.integer(0, rank - 1)] = 0
            if math.prod(shape) <= most:
                return shape

    def broadcast(self, shape):
        """Sizes that broadcast to `shape`."""
        cut = self.integer(0, len(shape)) if self.chance(0.4) else 0
        return [1 if self.chance(0.25) else size for size in shape[cut:]]

    def axis(self, rank):
        """An axis, counted from either end."""
        return self.integer(-rank, rank - 1) if rank else 0

    def axes(self, rank, low=0):
        axes = self.random.sample(range(rank), self.integer(min(low, rank), rank))
        return [axis - rank if self.chance(0.3) else axis for axis in axes]

    # Elements.

    def values(self, type, shape, kind="any"):
        """Elements: of "any" kind, "moderate" ones, which sums can take, "positive"
        ones, "small" ones, or those of the "unit" from -1 to 1."""
        shape = tuple(shape)
        if type == "bool":
            return self.numbers.random(shape) < 0.5
        if type in INTEGERS:
            return self.draw_integers(type, shape, kind)
        style = self.integer(0, 3) if kind == "any" else 0
        if kind == "unit":
            array = self.numbers.uniform(-1, 1, shape)
        elif style == 1:
            array = self.numbers.integers(-9, 10, shape) / 2
        elif style == 2:
            array = self.numbers.normal(0, 1, shape) * 10.0 ** self.numbers.integers(
                -4, 5, shape)
        else:
            array = self.numbers.normal(0, 2, shape)
        if self.is_terse and style != 2:
            array = np.round(array * 32) / 32
        if kind == "positive":
            array = np.abs(array) + 0.125
        array = np.asarray(array, to_dtype(type))
        if kind == "any" and self.has_special:
            where = self.numbers.random(shape) < 0.3
            array = np.where(where, self.numbers.choice(SPECIAL, shape), array)
        return np.asarray(array, to_dtype(type))

    def draw_integers(self, type, shape, kind):
        info = np.iinfo(to_dtype(type))
        low, high = {"positive": (1, 9), "small": (-2, 2)}.get(kind, (-9, 9))
        array = self.numbers.integers(max(info.min, low), high + 1, shape).astype(
            info.dtype)
        if kind != "any" or self.chance(0.5):
            return array
        if self.chance(0.5):
            wide = self.numbers.integers(info.min, info.max, shape, info.dtype,
                                         endpoint=True)
        else:
            extreme = [info.min, info.max, info.max // 2, 0, 1, info.max - 1]
            extreme += [2**53 + 1, 2**32, 2**31] if info.bits == 64 else []
            extreme += [2**63, 2**63 + 5] if type == "ui64" else []
            wide = np.array([self.random.choice(extreme) for _ in range(array.size)],
                            info.dtype).reshape(shape)
        return np.where(self.numbers.random(shape) < 0.4, wide, array).astype(info.dtype)

    # The graph.

    def feed(self, array, constant=None):
        """The name of an input of the graph, or of a constant."""
        array = np.asarray(array)
        name = f"x{len(self.fed)}"
        self.fed.append(name)
        if self.chance(self.constants if constant is None else constant):
            self.initializers[name] = array
        else:
            self.inputs[name] = array
        return name

    def tensor(self, type, shape, kind="any", constant=None):
        """The name of a tensor: one that is there already, where it fits, now and then."""
        same = [name for name, (of, array) in self.kinds.items() if of == kind and
                array.shape == tuple(shape) and array.dtype == to_dtype(type)]
        if same and self.chance(0.1):
            return self.random.choice(same)
        array = self.values(type, shape, kind)
        name = self.feed(array, constant)
        self.kinds[name] = (kind, array)
        return name

    def ints(self, values, type="i64", constant=0.97):
        """The name of integers that say what a node does: constants, for the most
        part."""
        return self.feed(np.array(values, to_dtype(type)), constant)

    def node(self, inputs, outputs=1, name=None, domain=None, is_output=True, **attributes):
        """Adds a node; the names of its outputs. `outputs` may list which there are."""
        domain = self.domain if domain is None else domain
        self.domains.add(domain)
        inputs = ["" if input is None else input for input in inputs]
        while inputs and not inputs[-1] and self.chance(0.8):
            inputs.pop()
        flags = [True] * outputs if isinstance(outputs, int) else list(outputs)
        count = sum(map(len, (node.output for node in self.nodes)))
        names = [f"y{count + index}" if flag else "" for index, flag in enumerate(flags)]
        while names and not names[-1]:
            names.pop()
        self.nodes.append(helper.make_node(
            name or self.name, inputs, names, domain=domain,
            **{key: value for key, value in attributes.items() if value is not None}))
        # make_node reads an empty list as an attribute without a type.
        for attribute in self.nodes[-1].attribute:
            if not attribute.type:
                attribute.type = onnx.AttributeProto.INTS
        if is_output:
            self.outputs += [name for name in names if name]
        return names

    def finish(self, label):
        """The case: its outputs have no types yet, which who answers tells."""
        def describe(name, array):
            return helper.make_tensor_value_info(name, PROTO[NAMES[array.dtype]],
                                                 array.shape)

        def make(nodes, opset):
            graph = helper.make_graph(
                nodes, "judge", [describe(*item) for item in self.inputs.items()],
                [onnx.ValueInfoProto(name=name) for name in self.outputs],
                [make_tensor(*item) for item in self.initializers.items()])
            sets = [helper.make_opsetid("", opset)]
            sets += [helper.make_opsetid(domain, 1)
                     for domain in sorted(self.domains - {""})]
            return helper.make_model(graph, opset_imports=sets, ir_version=get_ir(
                opset)).SerializeToString()

        case = Case(label, make(self.nodes, self.opset), self.inputs,
                    tolerance=self.tolerance)
        if self.twin:
            case.question = make(*self.twin)
        return case


def get_ir(opset):
    """A version of the format that the operator set may stand in."""
    return 8 if opset < 19 else 9 if opset < 21 else 10


def make_tensor(name, array):
    return TensorProto(name=name, data_type=PROTO[NAMES[array.dtype]], dims=array.shape,
                       raw_data=np.ascontiguousarray(array).tobytes())


def state_outputs(case, infos, draw):
    """The model with the types that its outputs were found to have, and with the
    sizes, with none, or with some of them."""
    model = onnx.ModelProto.FromString(case.model)
    for output, info in zip(model.graph.output, infos):
        tensor = output.type.tensor_type
        tensor.elem_type = PROTO[info["type"]]
        style = draw.random()
        if style < 0.3:
            continue
        tensor.shape.SetInParent()
        for size in info["dims"]:
            dim = tensor.shape.dim.add()
            if style < 0.8 or draw.random() < 0.5:
                dim.dim_value = size
    case.model = model.SerializeToString()
