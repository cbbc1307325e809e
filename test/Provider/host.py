"""The program that loads ONNX Runtime and the provider (host.c), driven from Python."""
#
# SPDX-License-Identifier: Apache-2.0
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
from onnx import helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROVIDER = "DmlVulkan"
# The exit code by which CTest tells a test that was left out.
SKIPPED = 77

# What a session became: the number of nodes in each part of the provider, the number of
# nodes that others have, if ONNX Runtime tells, and the microseconds that it took.
Opened = collections.namedtuple("Opened", "parts others time")


if hasattr(helper, "np_dtype_to_tensor_dtype"):
    to_onnx_type, to_dtype = helper.np_dtype_to_tensor_dtype, helper.tensor_dtype_to_np_dtype
else:  # onnx before 1.13
    from onnx import mapping
    to_onnx_type = mapping.NP_TYPE_TO_TENSOR_TYPE.__getitem__
    to_dtype = mapping.TENSOR_TYPE_TO_NP_TYPE.__getitem__


class Failure(Exception):
    """What ONNX Runtime or the provider says of a call that fails."""


class Crashed(Exception):
    """The program has ended by itself."""


def find_onnxruntime():
    """The library of ONNX Runtime: $DML_ONNXRUNTIME, or what scripts/fetch-onnxruntime
    has fetched. Ends the test where there is none: it is left out, or fails in CI."""
    file = os.environ.get("DML_ONNXRUNTIME", ROOT / "build/onnxruntime/libonnxruntime.so.1")
    if pathlib.Path(file).exists():
        return str(pathlib.Path(file).resolve())
    print(f"skipped: there is no ONNX Runtime at {file}; scripts/fetch-onnxruntime fetches it")
    sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)


class Host:
    """A running program. A session and its inputs at a time."""

    def __init__(self, program, provider, log=False):
        environment = dict(os.environ, **({"HOST_LOG": "1"} if log else {}))
        suppressions = f"suppressions={pathlib.Path(__file__).parent / 'leaks.supp'}"
        environment["LSAN_OPTIONS"] = ":".join(
            filter(None, [environment.get("LSAN_OPTIONS"), suppressions]))
        self.folder = tempfile.TemporaryDirectory()
        self.log = open(f"{self.folder.name}/log", "w+")
        # ONNX Runtime looks for plugins of relative paths beside itself.
        self.process = subprocess.Popen(
            [program, find_onnxruntime(), os.path.abspath(provider)], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        code = self.process.wait(timeout=120)
        self.process.stdout.close()
        self.log.close()
        self.folder.cleanup()
        if code != 0 and sys.exc_info()[0] is None:
            raise Crashed(f"the program ends with {code}")

    def read_log(self):
        """The provider's lines of the log, without their beginnings."""
        self.log.flush()
        with open(self.log.name) as file:
            return [line.split("dml: ", 1)[1].rstrip() for line in file if " dml: " in line]

    def send(self, *words):
        try:
            self.process.stdin.write("\t".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Crashed(f"the program has ended with {self.process.wait()}") from None

    def receive(self, last):
        """The lines up to one that begins with `last`."""
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Crashed(f"the program has ended with {self.process.wait()}")
            if line.startswith("error "):
                raise Failure(line[6:].strip())
            words = line.rstrip("\n").split("\t")
            if words[0].split(" ")[0] == last:
                return lines, words[0].split(" ")[-1]
            lines.append(words)

    def set(self, options=None, entries=None):
        """Options of the provider, and entries of the configuration, instead of all
        before."""
        self.send("clear")
        for key, value in (options or {}).items():
            self.send("option", key, value)
        for key, value in (entries or {}).items():
            self.send("config", key, value)

    def open(self, model, kind="dml"):
        file = f"{self.folder.name}/model.onnx"
        if hasattr(model, "SerializeToString"):
            pathlib.Path(file).write_bytes(model.SerializeToString())
        else:
            file = model
        self.send("open", kind, file)
        lines, time = self.receive("opened")
        if ["unknown"] in lines:  # ONNX Runtime before 1.24 does not tell the parts.
            return Opened(None, None, int(time))
        parts = [int(words[2]) for words in lines if words[1] == PROVIDER]
        return Opened(parts, sum(int(words[2]) for words in lines) - sum(parts), int(time))

    def give(self, inputs):
        self.send("inputs")
        for index, (name, array) in enumerate(inputs.items()):
            array = numpy.asarray(array)
            file = f"{self.folder.name}/input{index}"
            array.tofile(file)
            sizes = "x".join(map(str, array.shape)) or "-"
            self.send("input", name, to_onnx_type(array.dtype), sizes, file)

    def bind(self, inputs, count):
        """Runs `count` times in device memory, each time with the first output as the first
        input of the next run."""
        self.give(inputs)
        self.send("bind", count, f"{self.folder.name}/output")
        return self.read_outputs()[0]

    def run(self, inputs=None):
        """The outputs by their names, and the microseconds of the run."""
        if inputs is not None:
            self.give(inputs)
        self.send("run", f"{self.folder.name}/output")
        return self.read_outputs()

    def read_outputs(self):
        lines, time = self.receive("ran")
        outputs = {}
        for index, (_, name, kind, sizes) in enumerate(lines):
            shape = [] if sizes == "-" else list(map(int, sizes.split("x")))
            array = numpy.fromfile(f"{self.folder.name}/output{index}",
                                   to_dtype(int(kind)))
            outputs[name] = array.reshape(shape)
        return outputs, int(time)

    def time(self, count, place="host"):
        """The median of `count` runs, in microseconds, with inputs and outputs in the memory
        of the `place`, "host" or "device"."""
        self.send("time", place, count)
        return float(self.receive("time")[1])

    def time_own(self, model, count, place="host"):
        """The median of `count` runs with the same inputs in a session of libdml alone, in
        microseconds."""
        self.send("own", place, count, model)
        return float(self.receive("time")[1])

    def list_devices(self):
        """A line of words for each device of ONNX Runtime."""
        self.send("devices")
        return [words[1:] for words in self.receive("listed")[0]]

    def run_external(self, count):
        """The first and the last element of the output of a run in memory of another Vulkan
        device whose input is 0, 1, 2 ...; or why there is no such memory."""
        self.send("external", count)
        line = self.process.stdout.readline().rstrip("\n")
        if line.startswith("semaphore"):
            if line != "semaphore\t2":
                raise Failure(f"wanted is the value 2, but found is {line}")
            line = self.process.stdout.readline().rstrip("\n")
        if not line:
            raise Crashed(f"the program has ended with {self.process.wait()}")
        if line.startswith("error "):
            raise Failure(line[6:])
        return tuple(map(float, line.split("\t")[1:])) if line.startswith("first") else line

    def open_twin(self):
        """A second session of the model that is open."""
        self.send("twin", f"{self.folder.name}/model.onnx")
        self.receive("twin")

    def run_threads(self, threads, count):
        self.send("threads", threads, count)
        self.receive("threads")


def find_difference(found, wanted, rtol=1e-3, atol=1e-5):
    """What is wrong with outputs, if something is."""
    for name, array in wanted.items():
        other = found[name]
        if other.dtype != array.dtype or other.shape != array.shape:
            return (f"{name} is {other.shape} of {other.dtype}, but wanted is {array.shape} of"
                    f" {array.dtype}")
        right = numpy.isclose(other, array, rtol=rtol, atol=atol, equal_nan=True)
        if not right.all():
            first = tuple(numpy.argwhere(~right)[0])
            return (f"{name} is {other[first]} at {list(map(int, first))}, but wanted is"
                    f" {array[first]}; {(~right).sum()} of {right.size} elements are wrong")
    return None
