"""Containers of cases and of what became of them.

A container is a sequence of records. A record is the length of a header, the number of
bytes behind it, both as little-endian numbers of four bytes, the header, which is JSON,
and the bytes. The header of a case says how many of the bytes are an ONNX model, and the
names, types and sizes of the tensors whose elements follow in their order: inputs, and
then the outputs that are wanted. An element of 4 bits takes a byte."""
#
# SPDX-License-Identifier: Apache-2.0
import json
import struct

import numpy as np

# The names that DirectML's types have in MLIR, and NumPy's.
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64,
         "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
         "i4": np.int8, "ui4": np.uint8, "bool": np.uint8}
NAMES = {np.dtype(type): name for name, type in TYPES.items()
         if name not in ("i4", "ui4", "bool")} | {np.dtype(bool): "bool"}


def write_record(file, header, payload):
    text = json.dumps(header, separators=(",", ":")).encode()
    file.write(struct.pack("<II", len(text), len(payload)) + text + payload)


def read_records(content):
    """The headers and bytes of all whole records."""
    at = 0
    while at + 8 <= len(content):
        header, size = struct.unpack_from("<II", content, at)
        if at + 8 + header + size > len(content):
            return
        at += 8
        yield json.loads(content[at:at + header]), content[at + header:at + header + size]
        at += header + size


def describe(name, array):
    return {"name": name, "type": NAMES[array.dtype], "dims": list(array.shape)}


def take_array(info, payload, at):
    """The tensor that `info` describes, and where the bytes behind it begin."""
    dtype = np.dtype(TYPES[info["type"]])
    count = int(np.prod(info["dims"], dtype=np.int64))
    array = np.frombuffer(payload, dtype, count, at).reshape(info["dims"])
    at += count * dtype.itemsize
    return (array.view(bool) if info["type"] == "bool" else array), at


class Case:
    """A model, its inputs, and the outputs that are wanted, once they are known.
    `about` has what else a header says."""

    def __init__(self, name, model, inputs, outputs=None, **about):
        self.name, self.model, self.about = name, model, about
        self.inputs, self.outputs = inputs, outputs or {}
        # What ONNX Runtime is asked in place of the model.
        self.question = None

    def write(self, file, is_question=False, model=None):
        """Appends the case to a file, with another model than its own if one is given;
        as a question, booleans are the numbers that they are in DirectML, and no outputs
        are told."""
        model = model or self.model
        def convert(arrays):
            return {name: array.view(np.uint8) if is_question and array.dtype == bool
                    else array for name, array in arrays.items()}

        inputs = convert(self.inputs)
        outputs = {} if is_question else self.outputs
        header = {"name": self.name, "model": len(model),
                  "inputs": [describe(*item) for item in inputs.items()],
                  "outputs": [describe(*item) for item in outputs.items()], **self.about}
        payload = b"".join([model] + [np.ascontiguousarray(array).tobytes()
                                           for array in (*inputs.values(),
                                                         *outputs.values())])
        write_record(file, header, payload)

    @staticmethod
    def read(header, payload):
        at, arrays = header["model"], {}
        for kind in ("inputs", "outputs"):
            arrays[kind] = {}
            for info in header[kind]:
                arrays[kind][info["name"]], at = take_array(info, payload, at)
        about = {key: value for key, value in header.items()
                 if key not in ("name", "model", "inputs", "outputs")}
        return Case(header["name"], payload[:header["model"]], arrays["inputs"],
                    arrays["outputs"], **about)


def read_cases(content):
    return [Case.read(*record) for record in read_records(content)]
