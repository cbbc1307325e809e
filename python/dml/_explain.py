# SPDX-License-Identifier: Apache-2.0
"""Which feature level a model needs; rewriting and compiling a model without a device."""

from __future__ import annotations

import os
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Sequence, Union

from . import _library
from ._devices import Handle
from ._errors import Cancelled
from ._library import (DmlBytes, DmlCompileInfo, DmlExplainInfo, DmlProblemInfo,
                       DmlVerdictInfo)
from ._model import Model
from ._session import Callbacks, Progress, set_dimensions, set_model, set_options

ModelSource = Union[str, "os.PathLike[str]", bytes, Model]

_KINDS = ("operator", "foreign", "unread", "not taken", "not modelled")


@dataclass(frozen=True)
class Problem:
    """A reason for which a model does not fit a feature level, or may not.

    >>> for problem in dml.explain("model.onnx", level="2_0").problems:
    ...     print(problem)
    node 'find': dml.gather: input has rank 2, but feature level 2_0 supports rank 4 ...
    """

    #: "operator" (the level does not support it), "foreign" (no operation of DirectML's),
    #: "unread" (nodes that DirectML's operators do not express), "not taken" (a node that ONNX
    #: Runtime's DirectML provider leaves to the CPU) or "not modelled" (an optimization of ONNX
    #: Runtime that could change the operators).
    kind: str
    #: The operator, such as "dml.gather", or the kind of nodes, or the optimization.
    name: str
    #: The function in which the operator stands, and its node in an ONNX model.
    function: str
    node: str
    #: The place in a text, counted from 1; None elsewhere.
    line: Optional[int]
    column: Optional[int]
    #: The oldest feature level that supports the operator, where that is known.
    level: Optional[str]
    #: Why the operator does not fit.
    reason: str
    #: The operators that ``dml.legalize`` puts in its place, or why there are none.
    rewrite: Optional[str]
    why_no_rewrite: Optional[str]

    def __str__(self) -> str:
        place = (f"line {self.line}: " if self.line else
                 f"node '{self.node}': " if self.node else "")
        return f"{place}{self.name}" + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True, repr=False)
class Verdict:
    """Which feature level a model needs, and what does not fit the one that was asked for.

    >>> verdict = dml.explain("model.onnx", level="5_0")
    >>> verdict
    <dml.Verdict: needs 3_1, runs at 5_0; 12 operators, 0 problems>
    >>> print(verdict)  # what fits, the level, what decides it, and the operators

    A verdict is true where the model runs.
    """

    #: The oldest feature level that has everything in the model; None where nobody knows.
    level: Optional[str]
    #: The first release of DirectML and the first Windows that have ``level``. No Windows has
    #: the newest levels.
    directml: Optional[str]
    windows: Optional[str]
    #: The level that was asked for.
    asked: Optional[str]
    #: Whether the model runs at the level that was asked for, or else at the one that the
    #: model states or needs; None where nobody knows.
    runs: Optional[bool]
    #: Whether ``dml.legalize`` can rewrite the model for the level that was asked for.
    can_legalize: bool
    #: The number of DirectML's operators in the model.
    operators: int
    problems: List[Problem]
    _text: str = field(compare=False)
    _json: str = field(compare=False)

    def json(self) -> str:
        """The whole verdict as JSON, as ``dml-explain --json`` prints it.

        >>> json.loads(verdict.json())["ops"][0]["op"]
        'dml.convolution'
        """
        return self._json

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __bool__(self) -> bool:
        return self.runs is True

    def __repr__(self) -> str:
        runs = {True: "runs", False: "does not run", None: "may not run"}[self.runs]
        where = f" at {self.asked}" if self.asked else ""
        count = len(self.problems)
        return (f"<dml.Verdict: needs {self.level or 'an unknown level'}, {runs}{where}; "
                f"{self.operators} operator{'' if self.operators == 1 else 's'}, "
                f"{count} problem{'' if count == 1 else 's'}>")


def explain(model: ModelSource, level: Optional[str] = None, *,
            dims: Optional[Mapping[str, int]] = None, ort_optimizations: bool = False,
            format: Optional[str] = None) -> Verdict:
    """Says which feature level of DirectML a model needs, and why. No device is needed.

    model              a path, the bytes of a model, or a dml.Model
    level              the level that the model is to fit, "5_0"; what does not fit and how it
                       can be rewritten is among the verdict's problems
    dims               sizes of the dimensions that the model leaves open: {"batch": 1}
    ort_optimizations  fuses the operators as ONNX Runtime does for its DirectML provider
    format             "onnx", "directml", "dxdispatch" or "mlir", where neither name nor
                       content tells it

    >>> if not dml.explain("model.onnx", level="5_0"):
    ...     open("old.mlirbc", "wb").write(dml.legalize("model.onnx", "5_0"))
    """
    info = DmlExplainInfo()
    keep = _set_explained(info, model, level, dims, ort_optimizations, format)
    handle = c_void_p()
    _library.call(_library.get().dmlExplainModel, byref(info), byref(handle))
    del keep
    return _read(Handle(handle.value, "dmlDestroyVerdict"))


def legalize(model: ModelSource, level: str, *, dims: Optional[Mapping[str, int]] = None,
             ort_optimizations: bool = False, format: Optional[str] = None,
             text: bool = False) -> bytes:
    """Rewrites a model for a feature level, bit for bit. No device is needed.

    The result is a module of MLIR, which ``dml.Session`` opens: bytecode, or text where `text`
    is true. The other arguments are those of ``dml.explain``. Operators that cannot be
    rewritten are a ``dml.Unsupported`` that names them.

    >>> session = dml.Session(dml.legalize("model.onnx", "5_0"))
    """
    info = DmlExplainInfo()
    keep = _set_explained(info, model, level, dims, ort_optimizations, format)
    module = DmlBytes()
    _library.call(_library.get().dmlLegalizeModel, byref(info), int(text), byref(module))
    del keep
    return _library.take_bytes(module)


def compile(model: ModelSource, *, device_profiles: Sequence[str] = (),
            dims: Optional[Mapping[str, int]] = None,
            options: Optional[Mapping[str, Any]] = None,
            progress: Optional[Progress] = None, format: Optional[str] = None) -> bytes:
    """Compiles a model ahead of time. No device is needed.

    The result is an executable, the bytes of a .dmlx file, which ``dml.Session`` opens on a
    device that one of the profiles fits.

    device_profiles  what to compile for, as dml-compile --device-profile takes it; a device
                     runs the first variant that it can. Without any: the profile that the
                     model states, else "full". A session on such a device has its profile as
                     ``session.info.device_profile``
    dims             sizes of the dimensions that the model leaves open: {"batch": 1}
    options          options of dml-compile: {"ort-optimizations": "all"}
    progress         a function that is called with the step's name and the fraction that is
                     done; compiling is cancelled if it returns False
    format           as for ``dml.explain``

    >>> open("model.dmlx", "wb").write(dml.compile("model.onnx", dims={"batch": 1}))
    """
    info = DmlCompileInfo()
    keep: List[Any] = [set_model(info, model, format)]
    set_dimensions(info, dims)
    set_options(info, options)
    profiles = [_library.encode("device profile", each) for each in
                _library.to_list("device_profiles", device_profiles, "profiles")]
    info.deviceProfiles = (c_char_p * len(profiles))(*profiles)
    info.deviceProfileCount = len(profiles)
    callbacks = Callbacks(progress)
    info.messageCallback = callbacks.message
    info.progressCallback = callbacks.progress
    executable = DmlBytes()
    try:
        _library.call(_library.get().dmlCompileModel, byref(info), byref(executable))
    except Cancelled:
        raised = callbacks.take()
        if raised is None:
            raise
        raise raised from None
    del keep
    return _library.take_bytes(executable)


def _set_explained(info: DmlExplainInfo, model: ModelSource, level: Optional[str],
                   dims: Optional[Mapping[str, int]], ort_optimizations: bool,
                   format: Optional[str]) -> Any:
    """Fills `info`; returns what must live until the call is over."""
    keep = set_model(info, model, format)
    set_dimensions(info, dims)
    if level is not None:
        info.level = _library.encode("level", level)
    info.ortOptimizations = bool(ort_optimizations)
    return keep


def _read(handle: Handle) -> Verdict:
    """Copies a verdict of the library."""
    library = _library.get()
    info = DmlVerdictInfo()
    _library.call(library.dmlGetVerdictInfo, handle.value, byref(info))
    problems = []
    for index in range(info.problemCount):
        problem = DmlProblemInfo()
        _library.call(library.dmlGetVerdictProblem, handle.value, index, byref(problem))
        problems.append(Problem(
            _KINDS[problem.kind], _library.decode(problem.name),
            _library.decode(problem.function), _library.decode(problem.node),
            problem.line or None, problem.column or None, _decode(problem.level),
            _library.decode(problem.reason), _decode(problem.rewrite),
            _decode(problem.whyNoRewrite)))
    return Verdict(_decode(info.level), _decode(info.directML), _decode(info.windows),
                   _decode(info.askedLevel), (False, True, None)[info.fit], info.canLegalize,
                   info.operatorCount, problems,
                   _library.decode(library.dmlGetVerdictText(handle.value)),
                   _library.decode(library.dmlGetVerdictJson(handle.value)))


def _decode(text: Optional[bytes]) -> Optional[str]:
    """A string of C, where "" is none."""
    return _library.decode(text) or None
