# SPDX-License-Identifier: Apache-2.0
"""A model on a device."""

from __future__ import annotations

import ctypes
import logging
import os
import threading
import weakref
from ctypes import byref, c_void_p
from numbers import Real
from typing import (TYPE_CHECKING, Any, Callable, List, Mapping, NamedTuple, Optional, Sequence,
                    Tuple, Union)

from . import _devices, _library, _types
from ._devices import Device, Handle
from ._errors import Cancelled, DeviceLost, InvalidArgument, Unsupported
from ._library import (DmlNamedBytes, DmlNamedSize, DmlNamedValue, DmlSessionCreateInfo,
                       DmlSessionInfo, DmlSessionTensor, DmlSessionTensorInfo)
from ._model import Model
from ._tensor import Tensor

if TYPE_CHECKING:
    import numpy as np

_FORMATS = {None: 0, "onnx": 1, "directml": 2, "dxdispatch": 3, "mlir": 4, "executable": 5}
_logger = logging.getLogger("dml")

Progress = Callable[[str, float], Optional[bool]]


class TensorInfo:
    """An input or an output, as the model declares it.

    >>> image = session.inputs[0]
    >>> print(image.name, image.shape, image.dtype, image.type)
    image ['batch', 3, 224, 224] float32 tensor(float)
    """

    __slots__ = ("name", "shape", "_element")

    def __init__(self, name: str, shape: Optional[List[Union[int, str]]],
                 element: _types.ElementType) -> None:
        #: The name, as in the model.
        self.name: str = name
        #: A number for each size that the model states, and a name for each that it leaves
        #: open; None for an output whose number of dimensions the model does not say.
        self.shape: Optional[List[Union[int, str]]] = shape
        self._element = element

    @property
    def type(self) -> str:
        """The type as onnxruntime writes it, ``"tensor(float)"``; "" where the model does
        not say it. Truth values are ``"tensor(uint8)"``.

        >>> session.inputs[0].type
        'tensor(float)'
        """
        return self._element.name

    @property
    def dtype(self) -> "Optional[np.dtype[Any]]":
        """NumPy's type of the array, or None where the model does not say it. Elements of
        4 bits have a byte each in arrays.

        >>> np.zeros((1, 3, 224, 224), session.inputs[0].dtype)
        """
        np = _types.import_numpy()
        return np.dtype(self._element.dtype) if self._element.dtype else None

    def __repr__(self) -> str:
        shape = "?" if self.shape is None else "x".join(
            str(size) or "?" for size in self.shape) or "scalar"
        return f"<dml.TensorInfo {self.name}: {shape} of {self.type or '?'}>"


class SessionInfo(NamedTuple):
    """What a session has done so far, and keeps."""

    #: What programs are compiled for, as the option --device-profile of dml-compile is.
    device_profile: str
    #: Programs in memory, one for each set of sizes, and their bytes.
    programs: int
    program_bytes: int
    #: Programs that were compiled, and those that were read from the cache.
    compiled: int
    cached: int
    #: Bytes of weights on the device, which sessions on one model share.
    weight_bytes: int


class StepTime(NamedTuple):
    """A kernel or a copy of a run."""

    #: The entry point of the kernel, or "copy".
    kernel: str
    #: The operators that the step computes, or "".
    operators: str
    #: Seconds since the beginning of the first step.
    begin: float
    end: float
    #: Whether the step waits for all steps before it.
    barrier: bool


class RunTimes(NamedTuple):
    """The times of one run."""

    #: Seconds from the submission of the work until the host found it done.
    seconds: float
    #: The steps in the order in which the device executed them.
    steps: List[StepTime]


class _Binding:
    """The arguments of a run as the library takes them.

    To make those of a decoder's 132 tensors takes 0.75 ms, where its step takes 2 to 3 ms on a
    fast GPU. A session therefore keeps the bindings of its last two runs, and uses one again for a
    run with the same tensors. Two are kept since some callers alternate between two sets of
    tensors. Between runs, a binding keeps no tensor of the caller alive."""

    __slots__ = ("inputs", "outputs", "names", "results", "keep", "prepared", "layouts", "given",
                 "arrays", "tensors", "targets", "decoded")

    def __init__(self, inputs: Any, outputs: Any, names: List[bytes], results: List[Any],
                 keep: List[Any], prepared: Optional[bytes]) -> None:
        self.inputs, self.outputs, self.names = inputs, outputs, names
        #: The tensors and arrays that outputs are written into, or None for each.
        self.results = results
        #: What has the elements of inputs.
        self.keep = keep
        #: The types and sizes of the outputs: those that were known before the run, if they were
        #: asked for, and those after the last run.
        self.prepared = prepared
        self.layouts: Optional[bytes] = None

    def note(self, feeds: Mapping[str, Any], into: Mapping[str, Any]) -> None:
        """Notes what the run was called with."""
        self.given = len(feeds)
        #: The place, the name, and the type and sizes of each input in host memory.
        self.arrays = [(index, name, _read_layouts(self.inputs[index]))
                       for index, (name, value) in enumerate(feeds.items())
                       if not isinstance(value, Tensor)]
        self.tensors = [(name, weakref.ref(value)) for name, value in feeds.items()
                        if isinstance(value, Tensor)]
        self.targets = [(name, weakref.ref(target)) for name, target in into.items()]
        self.decoded = [_library.decode(name) for name in self.names]

    def rest(self, layouts: bytes) -> None:
        """Lets go of what the caller owns."""
        self.layouts = layouts
        self.results, self.keep = [], []

    def fits(self, names: List[bytes], feeds: Mapping[str, Any], into: Mapping[str, Any]) -> bool:
        """Whether a run has the same tensors, and arrays in the places of arrays."""
        return (names == self.names and self.given == len(feeds)
                and len(self.targets) == len(into)
                and _has_tensors(feeds, self.tensors) and _has_tensors(into, self.targets)
                and all(name in feeds and not isinstance(feeds[name], Tensor)
                        for _, name, _ in self.arrays))


def _has_tensors(values: Mapping[str, Any],
                 tensors: "List[Tuple[str, weakref.ref[Tensor]]]") -> bool:
    for name, reference in tensors:
        tensor = reference()
        if tensor is None or values.get(name) is not tensor:
            return False
    return True


def _read_layouts(tensors: Any) -> bytes:
    """The types and sizes of one tensor or an array of them, as bytes to compare."""
    size = ctypes.sizeof(DmlSessionTensor)
    begin = DmlSessionTensor.dataType.offset
    end = DmlSessionTensor.sizes.offset + DmlSessionTensor.sizes.size
    memory = ctypes.string_at(ctypes.addressof(tensors), ctypes.sizeof(tensors))
    return b"".join(memory[place + begin:place + end] for place in range(0, len(memory), size))


def _read_times(times: _library.DmlRunTimes) -> RunTimes:
    steps = []
    for step, time in zip(times.steps[:times.stepCount], times.times[:times.stepCount]):
        steps.append(StepTime(_library.decode(step.kernel) or "copy",
                              _library.decode(step.label), time.begin / 1e9, time.end / 1e9,
                              step.barrier))
    return RunTimes((times.finishTime - times.submitTime) / 1e9, steps)


class _HostMemory:
    """Memory that the library allocated for an output. Arrays that see it keep it alive."""

    __slots__ = ("_tensor", "_free", "__array_interface__")

    def __init__(self, tensor: DmlSessionTensor) -> None:
        # A copy: the array of tensors that the library filled is not kept.
        self._tensor = DmlSessionTensor(data=tensor.data)
        # Modules may be gone when an array outlives them at the process's end.
        self._free = _library.get().dmlFreeTensor

    def see(self, dtype: "np.dtype[Any]", shape: Tuple[int, ...]
            ) -> "np.ndarray[Any, Any]":
        np = _types.import_numpy()
        self.__array_interface__ = {"shape": shape, "typestr": dtype.str,
                                    "data": (self._tensor.data, False), "version": 3}
        return np.asarray(self)

    def __del__(self) -> None:
        self._free(self._tensor)


class Callbacks:
    """The functions of the caller that the library calls. A function that raises an
    exception cancels the call, which then raises the exception."""

    def __init__(self, progress: Optional[Progress],
                 run_times: Optional[Callable[[RunTimes], Any]] = None) -> None:
        for name, function in (("progress", progress), ("run_times", run_times)):
            if function is not None and not callable(function):
                raise InvalidArgument(f"{name} is of the type {type(function).__name__}, but "
                                      "wanted is a function")
        self._progress = progress
        self._run_times = run_times
        self._raised = threading.local()
        self.message = _library.MessageCallback(self._on_message)
        self.progress = (_library.ProgressCallback(self._on_progress) if progress is not None
                         else _library.ProgressCallback(0))
        self.run_times = (_library.RunTimesCallback(self._on_run_times) if run_times is not None
                          else _library.RunTimesCallback(0))

    def _on_run_times(self, _data: int, times: Any) -> None:
        assert self._run_times is not None
        try:
            self._run_times(_read_times(times.contents))
        except BaseException as error:
            self._raised.error = error

    def _on_message(self, _data: int, severity: int, message: bytes) -> None:
        _logger.log(logging.ERROR if severity else logging.WARNING, "%s",
                    message.decode(errors="replace"))

    def _on_progress(self, _data: int, name: bytes, fraction: float) -> bool:
        assert self._progress is not None
        try:
            return self._progress(_library.decode(name), fraction) is not False
        except BaseException as error:
            self._raised.error = error
            return False

    def take(self) -> Optional[BaseException]:
        """What a function of the caller raised in this thread."""
        error = getattr(self._raised, "error", None)
        self._raised.error = None
        return error


class Session:
    """A model, ready to run on a device.

    >>> session = dml.Session("model.onnx")
    >>> session.inputs
    [<dml.TensorInfo image: batchx3x224x224 of tensor(float)>]
    >>> (scores,) = session.run(None, {"image": image})

    The program for tensors of new sizes is compiled when they are first met, and kept. A
    session may be used from many threads at once.
    """

    def __init__(self, model: "Union[str, os.PathLike[str], bytes, Model]", *,
                 device: Union[Device, str, int, None] = None,
                 dims: Optional[Mapping[str, int]] = None,
                 options: Optional[Mapping[str, Any]] = None,
                 cache_dir: "Union[str, os.PathLike[str], None]" = None,
                 progress: Optional[Progress] = None,
                 format: Optional[str] = None,
                 function: Optional[str] = None,
                 weights: Optional[Mapping[str, Any]] = None,
                 weights_path: "Union[str, os.PathLike[str], None]" = None,
                 program_budget: int = 0,
                 cache_budget: int = 0,
                 wait_limit: Optional[float] = None,
                 identifier: Optional[str] = None,
                 run_times: Optional[Callable[[RunTimes], Any]] = None,
                 trace: "Union[str, os.PathLike[str], None]" = None,
                 tune: bool = False,
                 tuning: "Union[str, os.PathLike[str], None]" = None) -> None:
        """Opens a model; nothing is compiled yet.

        model           a path, the bytes of a model, or a dml.Model
        device          one of dml.devices(), its number, its UUID or a part of its name; the
                        first GPU, else the first device, without
        dims            sizes that all runs have: {"batch": 1}
        options         options of dml-compile: {"ort-optimizations": "all"}
        cache_dir       a folder that keeps programs for later processes
        progress        a function that is called with the step's name and the fraction that is
                        done while a program is made, and with "running" before each iteration
                        of a loop that is data; the run is cancelled if it returns False
        format          "onnx", "directml", "dxdispatch", "mlir" or "executable", where neither
                        name nor content tells it
        function        the function to run, where the model has several
        weights         arrays, by name, that the model lacks
        weights_path    the file that dml-compile --external-weights wrote
        program_budget  bytes that programs may keep in memory; 1 GiB if it is 0
        cache_budget    bytes that cache_dir may have; 4 GiB if it is 0
        wait_limit      seconds that a run may take on the device; no limit without
        identifier      tells the model from others in cache_dir, instead of a digest
        run_times       a function that is called with the dml.RunTimes of each run: how long
                        each kernel took on the device
        trace           a file that receives the steps of all runs, for chrome://tracing and
                        Perfetto; it is complete when the session is closed
        tune            before a program is compiled, run several kernels for each of its
                        dispatches on the device, and use the fastest; cache_dir keeps them
        tuning          a table of such kernels, which dml-tune or Session.tuning has written

        >>> dml.Session("bert.onnx", dims={"batch": 1}, cache_dir="/tmp/programs")
        """
        self._handle: Optional[Handle] = None
        library = _library.get()
        self._device = _devices.find(device)
        self._opened = _devices.open(self._device)
        info = DmlSessionCreateInfo()
        # What must live as long as the session does.
        keep: List[Any] = [set_model(info, model, format)]
        keep.append(_set_weights(info, _library.want_mapping("weights", weights, "arrays")))
        set_dimensions(info, dims)
        options = dict(_library.want_mapping("options", options, "values"))
        if tune:
            options["tune"] = True
        if tuning is not None:
            options["tuning"] = os.fsdecode(
                _library.encode_path("table of kernels", tuning))
        set_options(info, options)
        if function is not None:
            info.function = _library.encode("function", function)
        if weights_path is not None:
            info.weightsPath = _library.encode_path("path of weights", weights_path)
        if cache_dir is not None:
            info.cacheDirectory = _library.encode_path("cache folder", cache_dir)
        if identifier is not None:
            info.identifier = _library.encode("identifier", identifier)
        if trace is not None:
            info.tracePath = _library.encode_path("trace", trace)
        info.programBudget = _library.to_int("program_budget", program_budget, 0)
        info.cacheBudget = _library.to_int("cache_budget", cache_budget, 0)
        if wait_limit is not None:
            info.waitLimit = _to_nanoseconds(wait_limit)
        info.device = self._opened.value
        self._callbacks = Callbacks(progress, run_times)
        info.messageCallback = self._callbacks.message
        info.progressCallback = self._callbacks.progress
        info.runTimesCallback = self._callbacks.run_times
        handle = c_void_p()
        self._call(library.dmlCreateSession, byref(info), byref(handle))
        # Runs hold the handle, and the handle what the session needs.
        self._handle = Handle(handle.value, "dmlDestroySession",
                              (keep, self._callbacks, self._opened), on_device=True)
        state = self._describe(self._handle)
        self._inputs = [_describe(library.dmlGetSessionInput, self._handle, index)
                        for index in range(state.inputCount)]
        self._outputs = [_describe(library.dmlGetSessionOutput, self._handle, index)
                         for index in range(state.outputCount)]
        self._by_name = {each.name: each for each in self._inputs}
        self._bindings: List[_Binding] = []

    # Calls.

    def _call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls the library. What a function of the caller has raised meanwhile is raised;
        a device that is lost is opened anew by the next session."""
        try:
            _library.call(function, *arguments)
        except Cancelled:
            raised = self._callbacks.take()
            if raised is None:
                raise
            raise raised from None
        except DeviceLost:
            _devices.forget(self._device, self._opened)
            raise
        raised = self._callbacks.take()
        if raised is not None:
            raise raised

    def _use(self) -> Handle:
        """The handle. Whoever has it keeps it from being destroyed."""
        handle = self._handle
        if handle is None:
            raise InvalidArgument("the session is closed")
        return handle

    def _describe(self, handle: Handle) -> DmlSessionInfo:
        info = DmlSessionInfo()
        _library.call(_library.get().dmlGetSessionInfo, handle.value, byref(info))
        return info

    # What the model takes and returns.

    @property
    def inputs(self) -> List[TensorInfo]:
        """The inputs of the model.

        >>> [each.name for each in session.inputs]
        ['image']
        """
        return list(self._inputs)

    @property
    def outputs(self) -> List[TensorInfo]:
        """The outputs of the model.

        >>> session.outputs[0].shape
        ['batch', 1000]
        """
        return list(self._outputs)

    def get_inputs(self) -> List[TensorInfo]:
        """The inputs, under the name that onnxruntime has for them.

        >>> session.get_inputs()[0].name
        'image'
        """
        return self.inputs

    def get_outputs(self) -> List[TensorInfo]:
        """The outputs, under the name that onnxruntime has for them.

        >>> session.get_outputs()[0].name
        'scores'
        """
        return self.outputs

    @property
    def device(self) -> Device:
        """The device that the model runs on.

        >>> session.device.name
        'NVIDIA H200'
        """
        return self._device

    @property
    def info(self) -> SessionInfo:
        """What the session has compiled and keeps.

        >>> session.info.compiled
        1
        """
        # The profile's text lives as long as the handle.
        handle = self._use()
        info = self._describe(handle)
        return SessionInfo(_library.decode(info.deviceProfile), info.programCount,
                           info.programBytes, info.compiledCount, info.cachedCount,
                           info.weightBytes)

    @property
    def tuning(self) -> str:
        """The table of kernels, as JSON: those that a session with ``tune=True`` has
        measured, with their times, or those that the session uses.

        >>> session = dml.Session("model.onnx", tune=True)
        >>> session.prepare({"image": (1, 3, 224, 224)})
        >>> pathlib.Path("model.tuning").write_text(session.tuning)
        """
        handle = self._use()
        table = _library.DmlBytes()
        _library.call(_library.get().dmlGetSessionTuning, handle.value, byref(table))
        return _library.take_bytes(table).decode()

    # Running.

    def run(self, output_names: Optional[Sequence[str]], feeds: Mapping[str, Any], *,
            device_outputs: bool = False,
            into: "Optional[Mapping[str, Union[np.ndarray[Any, Any], Tensor]]]" = None
            ) -> List[Any]:
        """Runs the model and returns its outputs, in the order of `output_names` or, where
        that is None, of the model.

        Each input is an array of the input's type, a ``dml.Tensor``, or another library's
        tensor with ``__dlpack__`` in host memory. A number or a list becomes an array of
        the type, and an array of truth values one of bytes.

        device_outputs  outputs are ``dml.Tensor`` objects, which stay on the device
        into            arrays or tensors that outputs are written into, by name; the tensor
                        of an input where the state of a decoder is to stay in place

        >>> (scores,) = session.run(None, {"image": image})
        >>> boxes, = session.run(["boxes"], {"image": image}, device_outputs=True)
        """
        handle = self._use()
        # Copies: another thread may change what the caller has given while the run goes on.
        feeds = dict(_library.want_mapping("inputs", feeds, "arrays"))
        into = dict(_library.want_mapping("outputs to write into", into, "arrays"))
        names = self._choose(output_names)
        binding = None if device_outputs else self._reuse(handle, names, feeds, into)
        if binding is None:
            binding = self._bind(handle, names, feeds, device_outputs, into)
        outputs, results = binding.outputs, binding.results
        self._call(_library.get().dmlRunSession, handle.value, binding.inputs, len(feeds), outputs,
                   len(results))
        layouts = _read_layouts(outputs)
        if layouts != binding.layouts:
            self._check_late(outputs, binding.names, results)
        # All memory of the library has an owner before any of it is looked at.
        owners = {index: _HostMemory(outputs[index]) for index, result in enumerate(results)
                  if result is None}
        for index, owner in owners.items():
            results[index] = _wrap(outputs[index], owner)
        if device_outputs:
            for index in owners:
                results[index] = self._to_device(outputs[index], results[index])
            return results
        if all(isinstance(target, Tensor) for target in into.values()):
            if binding.layouts is None:
                binding.note(feeds, into)
            binding.rest(layouts)
            # Threads may run at the same time: each of these changes of the list is atomic.
            self._bindings.insert(0, binding)
            del self._bindings[2:]
        return results

    def prepare(self, shapes: Mapping[str, Any]) -> List[TensorInfo]:
        """Compiles the program for inputs of these shapes, so that the first run need not,
        and tells the outputs that a run gives. An array may stand in place of its shape. Of an
        input that decides a branch of the model it is the value that counts. An output whose
        sizes only a run tells is as the model declares it.

        >>> session.prepare({"image": (8, 3, 224, 224)})
        [<dml.TensorInfo scores: 8x1000 of tensor(float)>]
        """
        handle = self._use()
        shapes = _library.want_mapping("shapes", shapes, "shapes")
        inputs = (DmlSessionTensor * max(len(shapes), 1))()
        keep: List[Any] = []
        for tensor, (name, shape) in zip(inputs, shapes.items()):
            tensor.name = _library.encode("name of an input", name)
            known = self._by_name.get(name)
            if isinstance(shape, int) or hasattr(shape, "__array__"):
                keep.append(_set_array(tensor, name, shape, known))
                continue
            tensor.dataType = known._element.code if known else 0
            _set_shape(tensor, name, _library.to_sizes(f"input '{name}'", shape))
        outputs = (DmlSessionTensor * max(len(self._outputs), 1))()
        self._call(_library.get().dmlPrepareSession, handle.value, inputs, len(shapes), outputs,
                   len(self._outputs))
        return [declared if _is_open(output) else
                TensorInfo(_library.decode(output.name), list(output.sizes[:output.rank]),
                           _types.BY_CODE[output.dataType])
                for declared, output in zip(self._outputs, outputs)]

    def _choose(self, names: Optional[Sequence[str]]) -> List[bytes]:
        """The names of the outputs that a run returns."""
        if names is None:
            return [_library.encode("name of an output", each.name) for each in self._outputs]
        return [_library.encode("name of an output", name) for name in
                _library.to_list("the names of outputs", names, "names, or None")]

    def _convert(self, feeds: Mapping[str, Any]) -> Tuple[Any, List[Any]]:
        """The inputs of a run, and what has their elements."""
        inputs = (DmlSessionTensor * max(len(feeds), 1))()
        keep: List[Any] = []
        for tensor, (name, value) in zip(inputs, feeds.items()):
            tensor.name = _library.encode("name of an input", name)
            known = self._by_name.get(name)
            if isinstance(value, Tensor):
                self._check_device(f"input '{name}'", value)
                tensor.dataType = value._element.code
                tensor.buffer = value._range
                _set_shape(tensor, name, value.shape)
                keep.append(value)
            else:
                keep.append(_set_array(tensor, name, value, known))
        return inputs, keep

    def _check_device(self, what: str, tensor: Tensor) -> None:
        if tensor._opened is not self._opened:
            raise InvalidArgument(
                f"{what} is on the device {tensor.device.index}, {tensor.device.name}, opened "
                f"for other sessions, but wanted is the session's, {self._device.index}, "
                f"{self._device.name}")

    def _reuse(self, handle: Handle, names: List[bytes], feeds: Mapping[str, Any],
               into: Mapping[str, Any]) -> "Optional[_Binding]":
        """The binding of an earlier run, if it fits this run."""
        for binding in list(self._bindings):
            if not binding.fits(names, feeds, into):
                continue
            try:
                self._bindings.remove(binding)
            except ValueError:
                # Another thread has taken it.
                continue
            for index, name, layout in binding.arrays:
                tensor = binding.inputs[index]
                binding.keep.append(_set_array(tensor, name, feeds[name], self._by_name.get(name)))
                if _read_layouts(tensor) != layout:
                    return None
            binding.results = [into.get(name) for name in binding.decoded]
            for output, name, target in zip(binding.outputs, names, binding.results):
                output.name = name
                if target is None:
                    output.data, output.byteSize = None, 0
            if binding.arrays and into:
                # The sizes of outputs may depend on the elements of an array, such as a shape.
                # Those that do not fit their targets are refused before anything is written.
                self._prepare(handle, binding.inputs, len(feeds), binding.outputs, len(names))
                if _read_layouts(binding.outputs) != binding.prepared:
                    return None
            return binding
        return None

    def _bind(self, handle: Handle, names: List[bytes], feeds: Mapping[str, Any],
              on_device: bool, into: Mapping[str, Any]) -> "_Binding":
        """The arguments of a run. Outputs get the caller's memory, or tensors on the device."""
        inputs, keep = self._convert(feeds)
        outputs = (DmlSessionTensor * max(len(names), 1))()
        for output, name in zip(outputs, names):
            output.name = name
        results: List[Any] = [None] * len(names)
        prepared = None
        if into or on_device:
            prepared = self._bind_outputs(handle, inputs, len(feeds), outputs, names, results,
                                          on_device, into)
        return _Binding(inputs, outputs, names, results, keep, prepared)

    def _prepare(self, handle: Handle, inputs: Any, count: int, outputs: Any,
                 output_count: int) -> None:
        self._call(_library.get().dmlPrepareSession, handle.value, inputs, count, outputs,
                   output_count)

    def _bind_outputs(self, handle: Handle, inputs: Any, count: int, outputs: Any,
                      names: List[bytes], results: List[Any], on_device: bool,
                      into: Mapping[str, Any]) -> bytes:
        """Gives outputs the caller's memory, or tensors on the device; returns the types and
        sizes of the outputs that are known before the run."""
        chosen = [_library.decode(name) for name in names]
        for name in into:
            if name not in chosen:
                raise InvalidArgument(f"there is no output '{name}' to write into; the run has "
                                      f"{', '.join(chosen)}")
        for name, output in zip(chosen, outputs):
            target = into.get(name)
            if isinstance(target, Tensor):
                # An output in the buffer of an input is a program of its own.
                self._check_device(f"output '{name}'", target)
                output.buffer = target._range
        self._prepare(handle, inputs, count, outputs, len(names))
        prepared = _read_layouts(outputs)
        for index, (name, output) in enumerate(zip(chosen, outputs)):
            target = into.get(name)
            if target is None and not on_device:
                continue
            if _is_open(output):
                # The shape is checked after the run. Without a target, the run gives an array.
                results[index] = target
                if target is not None and not isinstance(target, Tensor):
                    np = _types.import_numpy()
                    _check_target(name, target, _types.find(np.asarray(target).dtype),
                                  np.shape(target))
                    output.data, output.byteSize = target.ctypes.data, target.nbytes
                continue
            element = _types.BY_CODE[output.dataType]
            shape = tuple(output.sizes[:output.rank])
            _check_packed(name, output, element, shape)
            if target is None:
                target = Tensor._make(shape, element, self._device, self._opened)
            _check_target(name, target, element, shape)
            if isinstance(target, Tensor):
                output.buffer = target._range
            else:
                output.data = target.ctypes.data
            results[index] = target
        return prepared

    def _to_device(self, output: Any, array: Any) -> Any:
        """The array of an output whose sizes only the run has told, on the device."""
        tensor = Tensor._make(tuple(array.shape), _types.BY_CODE[output.dataType], self._device,
                              self._opened)
        if array.size:
            tensor.copy_from(array)
        return tensor

    def _check_late(self, outputs: Any, names: List[bytes], results: List[Any]) -> None:
        """Fails where an output has another shape than what it was written into."""
        for name, output, target in zip(names, outputs, results):
            if target is not None:
                _check_target(_library.decode(name), target, _types.BY_CODE[output.dataType],
                              tuple(output.sizes[:output.rank]))

    # Life.

    def close(self) -> None:
        """Gives up the session. Runs of other threads that have begun still end.

        >>> session.close()
        """
        self._handle = None

    def __enter__(self) -> "Session":
        """
        >>> with dml.Session("model.onnx") as session:
        ...     session.run(None, {"image": image})
        """
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<dml.Session, closed>"
        return (f"<dml.Session of {len(self._inputs)} inputs and {len(self._outputs)} outputs "
                f"on {self._device.name}>")


# Conversions.


def _to_nanoseconds(seconds: Any) -> int:
    if not isinstance(seconds, Real) or not 0 <= float(seconds) < 2**63 / 1e9:
        raise InvalidArgument(f"wait_limit is {seconds!r}, but wanted are seconds, from 0 to "
                              f"{2**63 // 10**9}")
    # 0 nanoseconds are no limit.
    return max(1, round(float(seconds) * 1e9))


def _to_option(name: str, value: Any) -> bytes:
    """The value of an option as text: True is "true"."""
    if isinstance(value, bool):
        value = "true" if value else "false"
    return _library.encode(f"value of the option '{name}'", str(value))


def set_model(info: Any, model: Any, format: Optional[str]) -> Any:
    """Sets the model of a call; returns what must live as long as the library reads it."""
    if not isinstance(format, (str, type(None))) or format not in _FORMATS:
        raise InvalidArgument(f"the format is {format!r}, but wanted is one of "
                              f"{', '.join(repr(each) for each in _FORMATS if each)}")
    info.format = _FORMATS[format]
    if isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
        info.bytes = ctypes.cast(ctypes.c_char_p(data), c_void_p)
        info.byteSize = len(data)
        return data
    if isinstance(model, Model):
        info.model = model._handle.value
        return model._handle
    if not isinstance(model, (str, os.PathLike)):
        raise InvalidArgument(f"the model is of the type {type(model).__name__}, but wanted is "
                              "a path, bytes or a dml.Model")
    info.path = _library.encode_path("path", model)
    return None


def set_dimensions(info: Any, dims: Optional[Mapping[str, int]]) -> None:
    """Sets the sizes of dimensions; the structure keeps what it refers to."""
    sizes = _library.want_mapping("dims", dims, "sizes")
    dimensions = [DmlNamedSize(_library.encode("name of a size", name),
                               _library.to_int(name, size)) for name, size in sizes.items()]
    info.dimensions = (DmlNamedSize * len(dimensions))(*dimensions)
    info.dimensionCount = len(dimensions)


def set_options(info: Any, options: Optional[Mapping[str, Any]]) -> None:
    """Sets options of dml-compile; the structure keeps what it refers to."""
    values = [DmlNamedValue(_library.encode("name of an option", name),
                            _to_option(name, value))
              for name, value in _library.want_mapping("options", options, "values").items()]
    info.options = (DmlNamedValue * len(values))(*values)
    info.optionCount = len(values)


def _set_weights(info: DmlSessionCreateInfo, weights: Mapping[str, Any]) -> Any:
    if not weights:
        return None
    np = _types.import_numpy()
    arrays = []
    for name, value in weights.items():
        array = _types.to_array(f"weight '{name}'", value)
        try:
            _types.find(array.dtype)
        except InvalidArgument as error:
            raise InvalidArgument(f"weight '{name}': {error}") from None
        arrays.append(np.ascontiguousarray(array, array.dtype.newbyteorder("=")))
    named = (DmlNamedBytes * len(arrays))()
    for entry, name, array in zip(named, weights, arrays):
        entry.name = _library.encode("name of a weight", name)
        entry.data = array.ctypes.data
        entry.size = array.nbytes
    info.weights = named
    info.weightCount = len(arrays)
    return arrays, named


def _describe(function: Callable[..., int], handle: Handle, index: int) -> TensorInfo:
    info = DmlSessionTensorInfo()
    _library.call(function, handle.value, index, byref(info))
    shape: Optional[List[Union[int, str]]] = None
    if info.rank != _library.UNKNOWN_RANK:
        shape = [info.sizes[i] if info.sizes[i] >= 0 else
                 _library.decode(info.dimensionNames[i]) for i in range(info.rank)]
    return TensorInfo(_library.decode(info.name), shape,
                      _types.BY_CODE.get(info.dataType, _types.UNKNOWN))


def _is_open(output: DmlSessionTensor) -> bool:
    """Whether only a run tells the sizes of an output."""
    return (output.rank == _library.UNKNOWN_RANK
            or any(size < 0 for size in output.sizes[:output.rank])
            or output.dataType not in _types.BY_CODE)


def _set_shape(tensor: DmlSessionTensor, name: str, shape: Sequence[int]) -> None:
    if len(shape) > _library.MAX_RANK:
        raise InvalidArgument(f"input '{name}' has {len(shape)} dimensions, but wanted are "
                              f"{_library.MAX_RANK} at most")
    tensor.rank = len(shape)
    tensor.sizes[:len(shape)] = shape


def _set_array(tensor: DmlSessionTensor, name: str, value: Any,
               known: Optional[TensorInfo]) -> Any:
    """Sets the elements of an input; returns the array that has them."""
    np = _types.import_numpy()
    element = known._element if known else _types.UNKNOWN
    array = _to_array(name, value, element)
    kind = f"input '{name}'"
    try:
        found = _types.find(array.dtype)
    except InvalidArgument as error:
        raise InvalidArgument(f"{kind}: {error}") from None
    _set_shape(tensor, name, array.shape)
    if not array.flags.c_contiguous or not array.dtype.isnative:
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
    if element.bits == 4 and found.dtype == element.dtype:
        found, array = element, _types.pack4(kind, array, element)
    tensor.dataType = found.code
    tensor.data = array.ctypes.data
    tensor.byteSize = array.nbytes
    return array


def _to_array(name: str, value: Any, element: _types.ElementType
              ) -> "np.ndarray[Any, Any]":
    """An array of what the caller gave. What has no type becomes one of `element`, if that
    takes all the numbers."""
    np = _types.import_numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise InvalidArgument(f"input '{name}' lends NumPy no memory: {error}") from None
    if hasattr(value, "__array__"):
        return _types.to_array(f"input '{name}'", value)
    array = _types.to_array(f"input '{name}'", value)
    wanted = element.dtype
    if not wanted:
        return array
    if array.dtype.kind in "fiu" and wanted.startswith("float"):
        with np.errstate(over="ignore"):
            result = array.astype(wanted)
        _types.want_finite(f"input '{name}'", array, result)
        return result
    if array.dtype.kind == "b":
        return array.astype(wanted)
    if array.dtype.kind in "iu":
        if array.size:
            limits = np.iinfo(wanted)
            if int(array.min()) < limits.min or int(array.max()) > limits.max:
                raise InvalidArgument(
                    f"input '{name}' has numbers from {array.min()} to {array.max()}, but wanted "
                    f"are {limits.min} to {limits.max}, those of {wanted}")
        return array.astype(wanted)
    raise InvalidArgument(f"input '{name}' has elements of the type {array.dtype}, but wanted "
                          f"are numbers that {wanted} takes")


def _check_packed(name: str, output: DmlSessionTensor, element: _types.ElementType,
                  shape: Tuple[int, ...]) -> None:
    wanted = _types.count_bytes(element, shape)
    if output.byteSize != wanted:
        raise Unsupported(f"output '{name}' has {output.byteSize} bytes, but wanted are {wanted} "
                          "packed ones: arrays have no strides of the model's")


def _check_target(name: str, target: Any, element: _types.ElementType,
                  shape: Tuple[int, ...]) -> None:
    """Fails where an output cannot be written into `target`."""
    wanted = f"wanted are {shape} and {element.dtype}"
    if isinstance(target, Tensor):
        if target.shape != shape or target._element.code != element.code:
            raise InvalidArgument(f"the tensor for output '{name}' has the shape {target.shape} "
                                  f"and the type {target._element.name}, but wanted are {shape} "
                                  f"and {element.name}")
        return
    np = _types.import_numpy()
    if not isinstance(target, np.ndarray):
        raise InvalidArgument(f"output '{name}' is to be written into an object of the type "
                              f"{type(target).__name__}, but wanted is an array or a dml.Tensor")
    if element.bits == 4:
        raise Unsupported(f"output '{name}' has elements of 4 bits, which are written into a "
                          "dml.Tensor but into no array")
    dtype = "uint8" if target.dtype == np.bool_ else target.dtype.name
    if target.shape != shape or dtype != element.dtype:
        raise InvalidArgument(f"the array for output '{name}' has the shape {target.shape} and "
                              f"the type {target.dtype}, but {wanted}")
    if not (target.flags.c_contiguous and target.flags.writeable and target.dtype.isnative):
        raise InvalidArgument(f"the array for output '{name}' is read-only, has gaps or has the "
                              "other order of bytes, but wanted is one that can be written as "
                              "a whole")


def _wrap(output: DmlSessionTensor, memory: _HostMemory) -> "np.ndarray[Any, Any]":
    """The array of an output whose memory the library allocated."""
    np = _types.import_numpy()
    element = _types.BY_CODE[output.dataType]
    shape = tuple(output.sizes[:output.rank])
    _check_packed(_library.decode(output.name), output, element, shape)
    if element.bits == 4:
        packed = memory.see(np.dtype("uint8"), (output.byteSize,))
        return _types.unpack4(packed, shape, element)
    return memory.see(np.dtype(element.dtype), shape)
