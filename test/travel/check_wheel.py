#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the wheel of the preset travel in an empty virtual environment and uses it there.

    check_wheel.py BYTES CMAKE BUILD SOURCE FOLDER

The environment stands in a root that has Debian's packages of Python and NumPy and what
these need, and no LLVM: nothing but the wheel has a compiler. A driver, which may bring an
LLVM of its own, is added for what runs on a device. There is no network.
"""
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages"))

from check_library import copy_to_root, expect, find_driver, find_needed, run, SYSTEM_PATH
from check_packages import fill_root, find_closure, read_installed

EXPLAIN = """\
import dml
verdict = dml.explain("/feature_levels.mlir", level="3_0")
module = dml.legalize("/feature_levels.mlir", "3_0")
print(verdict.level, verdict.runs, bool(dml.explain(module, level="3_0")),
      dml.compile(module)[4:8].decode())
"""


def add(root, *paths):
    """Copies the files that the root lacks. A link there may lead out of the root."""
    copy_to_root(root, *(path for path in paths if not os.path.lexists(root / path.lstrip("/"))))


def make_root(root):
    """A root with Python and NumPy."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    fill_root(root, find_closure([["python3"], ["python3-numpy"]], read_installed()))
    # The loader finds these through links that packages make when they are installed.
    numpy = run("/usr/bin/python3", "-c", "import numpy; print(numpy.__path__[0])").strip()
    add(root, *find_needed(*Path(numpy).rglob("*.so")))
    compilers = [path.name for path in root.rglob("lib*")
                 if path.name.startswith(("libLLVM", "libMLIR"))]
    expect(not compilers, f"the root has {', '.join(compilers)}")


def install(root, wheel):
    """Makes the environment and installs the wheel there, without a network."""
    environment = root / "environment"
    run("/usr/bin/python3", "-m", "venv", "--system-site-packages", "--without-pip",
        environment)
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("PYTHON", "DML_LIBRARY"))}
    run("/usr/bin/python3", "-m", "pip", "--python", environment / "bin/python", "install",
        "--no-index", "--disable-pip-version-check", wheel, env=clean, cwd=root)


def main():
    bound, cmake, build, source, root = sys.argv[1:]
    build, source, root = Path(build), Path(source), Path(root)
    run(cmake, "--build", build, "--target", "dml_wheel")
    (wheel,) = (build / "wheel").glob("*.whl")
    size, bound = wheel.stat().st_size, int(bound)
    print(f"{wheel.name} has {size} bytes, and may have {bound}")
    expect("+thin" not in wheel.name, f"{wheel.name} needs this system's MLIR")
    expect(bound * 0.8 < size <= bound,
           f"{wheel.name} has {size} bytes, but wanted are {bound} at most and 0.8 of these at "
           "least")
    make_root(root)
    install(root, wheel)
    shutil.copy(source / "examples/feature_levels.mlir", root)
    shutil.copy(source / "examples/python/classify.py", root)
    run("/usr/bin/python3", "-B", source / "examples/digits/make_digits.py", root / "digits")

    prefix = ([] if os.geteuid() == 0 else [shutil.which("unshare"), "--map-root-user"])
    loader, driver, manifest = find_driver()
    environment = {"PATH": "/usr/bin", "VK_DRIVER_FILES": manifest,
                   "VK_ICD_FILENAMES": manifest}

    def inside(*arguments):
        """What the environment's Python prints in the root."""
        return run(*prefix, shutil.which("chroot", path=SYSTEM_PATH), root,
                   "/environment/bin/python", "-B", *arguments, env=environment)

    where = inside("-m", "dml", "--version")
    expect("(/environment/lib/" in where, f"the library is another than the wheel's: {where}")
    printed = inside("-c", EXPLAIN)
    expect(printed == "3_1 False True DMLX\n", f"the verdict is {printed}")
    printed = inside("-m", "dml", "explain", "/digits/digits.onnx", "--dim", "batch=1")
    expect("needs feature level " in printed, printed)

    add(root, loader, driver, manifest, *find_needed(loader, driver))
    for name in ("zero", "three", "seven"):
        printed = inside("/classify.py", "/digits/digits.onnx", "/digits/digits.txt",
                         f"/digits/{name}.pgm")
        print(printed)
        expect(printed.splitlines()[0].endswith(f" {name}"), f"{name}.pgm is {printed}")
    printed = inside("-m", "dml", "/digits/digits.onnx", "--dim", "batch=4", "--time")
    expect("a later run: " in printed, printed)


main()
