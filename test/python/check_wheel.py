#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel, checks its record, installs it with pip into an empty virtual
environment without a network, and runs an example there.

    check_wheel.py SOURCE CMAKE BUILD FOLDER

NumPy is the system's, which the environment sees; dml is the wheel's alone. Another
environment has no NumPy, where models are explained.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path


def expect(condition, message):
    if not condition:
        sys.exit(message)


def run(*command, **options):
    """What `command` prints; ends the test where it fails."""
    result = subprocess.run([str(word) for word in command], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    expect(result.returncode == 0, f"{' '.join(map(str, command))}\nfailed "
                                   f"({result.returncode}):\n{result.stdout}")
    return result.stdout


def check_record(path):
    """Each file has the digest and the size that RECORD says."""
    name, version = path.name.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        lines = wheel.read(f"{info}/RECORD").decode().splitlines()
        record = {line.split(",")[0]: line.split(",")[1:] for line in lines}
        expect(sorted(record) == sorted(names),
               f"RECORD has {sorted(record)}, but the wheel has {sorted(names)}")
        for name, (digest, size) in record.items():
            if name == f"{info}/RECORD":
                continue
            data = wheel.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
            expect((digest, size) == (f"sha256={found.rstrip('=')}", str(len(data))),
                   f"RECORD is wrong about {name}")
        metadata = wheel.read(f"{info}/METADATA").decode()
    expect(f"\nVersion: {version}\n" in metadata, metadata)
    expect('\nRequires-Dist: numpy; extra == "numpy"\n' in metadata, metadata)
    for file in ("LICENSE", "NOTICE"):
        expect(f"{info}/{file}" in names, f"the wheel has no {file}")
    expect("dml/py.typed" in names, "the wheel has no py.typed")
    (library,) = (name for name in names if name.startswith("dml/libdml.so."))
    with zipfile.ZipFile(path) as wheel:
        places = re.findall(rb"\0([^\0]*(?:\$ORIGIN|/lib:)[^\0]*)\0", wheel.read(library))
    for place in places:
        expect(b"" not in place.split(b":"),
               f"{library} looks for libraries in {place}, where a place is empty")


def main():
    source, cmake, build, folder = (Path(each) for each in sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(cmake, "--build", build, "--target", "dml_wheel")
    (wheel,) = (build / "wheel").glob("*.whl")
    check_record(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")

    environment = folder / "environment"
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", environment)
    python = environment / "bin/python"
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("PYTHON", "DML_LIBRARY"))}
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index",
        "--disable-pip-version-check", wheel, env=clean, cwd=folder)
    where = run(python, "-c", "import dml; print(dml.__file__)", env=clean, cwd=folder).strip()
    expect(Path(where).is_relative_to(environment), f"the package is {where}")
    version = run(python, "-m", "dml", "--version", env=clean, cwd=folder)
    expect(f"({environment}" in version, f"the library is another than the wheel's: {version}")

    empty = folder / "empty"
    run(sys.executable, "-m", "venv", "--without-pip", empty)
    run(sys.executable, "-m", "pip", "--python", empty / "bin/python", "install", "--no-index",
        "--disable-pip-version-check", wheel, env=clean, cwd=folder)
    verdict = run(empty / "bin/python", "-m", "dml", "explain",
                  source / "examples/feature_levels.mlir", env=clean, cwd=folder)
    expect("dml." in verdict, verdict)
    error = run(empty / "bin/python", "-c", "import dml\ntry:\n dml.Tensor.from_numpy([1.0])\n"
                "except dml.Unsupported as error:\n print(error)", env=clean, cwd=folder)
    expect("pip install 'dml[numpy]'" in error, error)

    run(sys.executable, source / "examples/digits/make_digits.py", folder / "digits")
    for name in ("zero", "three", "seven"):
        printed = run(python, source / "examples/python/classify.py", "digits.onnx",
                      "digits.txt", f"{name}.pgm", env=clean, cwd=folder / "digits")
        print(printed)
        expect(printed.splitlines()[0].endswith(f" {name}"), f"{name}.pgm is {printed}")


main()
