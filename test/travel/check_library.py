#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the shared library that the preset travel builds.

    check_library.py size LIBRARY BYTES
    check_library.py needs LIBRARY READELF
    check_library.py exports LIBRARY READELF
    check_library.py empty-root LIBRARY PROGRAM SOURCE FOLDER
    check_library.py other-llvm PROGRAM SOURCE OTHER...
    check_library.py folding FOLDED UNFOLDED SOURCE FOLDER
    check_library.py installed LIBRARY CMAKE BUILD SOURCE FOLDER

PROGRAM is dml-session, which runs a model with LIBRARY, and SOURCE the folder of the
project.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

# The library may need these, which belong to every glibc.
LIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
        "ld-linux-x86-64.so.2"}
# The library runs with this glibc, Ubuntu 22.04's, and with newer ones (Debian 12 has
# 2.36).
OLDEST_GLIBC = (2, 35)
SYSTEM_PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
MANIFESTS = Path("/usr/share/vulkan/icd.d")


def expect(condition, message):
    if not condition:
        sys.exit(message)


def run(*command, **options):
    """What `command` prints; ends the test where it fails."""
    result = subprocess.run([str(word) for word in command], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            **options)
    expect(result.returncode == 0,
           f"{' '.join(map(str, command))}\nfailed ({result.returncode}):\n"
           f"{result.stdout}")
    return result.stdout


def read_parts(link_map):
    """The bytes that each archive takes in the library, from lld's link map, whose
    lines are: address, load address, size, alignment, and the section of the library;
    or eight columns further to the right the section of a file."""
    parts, section = Counter(), ""
    line_form = re.compile(r" *[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) +\d+ ( *)(\S.*)")
    for line in link_map.read_text(errors="replace").splitlines():
        fields = line_form.fullmatch(line)
        if not fields:
            continue
        size, indent, name = int(fields[1], 16), len(fields[2]), fields[3]
        if indent == 0:
            section = name
        elif indent == 8 and section not in (".bss", ".tbss"):
            archive = re.match(r"(?:.*/)?([^/]+)\.a\(", name)
            parts[archive[1] if archive else
                  "tables of the linker" if name.startswith("<internal>") else
                  "objects"] += size
    return parts


def check_size(library, bound):
    size, bound = Path(library).stat().st_size, int(bound)
    print(f"{library} has {size} bytes, and may have {bound}; its largest parts:")
    for part, part_size in read_parts(Path(library + ".link-map")).most_common(25):
        print(f"{part_size:10} {part}")
    expect(size <= bound, f"{library} has {size} bytes, but wanted are {bound} at most")
    expect(size > bound * 0.8, f"{library} has {size} bytes, less than 0.8 of the bound "
                               f"{bound}: the bound has become too large")


def check_needs(library, readelf):
    needed = set(re.findall(r"NEEDED.*\[(.+)\]", run(readelf, "-dW", library)))
    print(f"{library} needs {', '.join(sorted(needed))}")
    expect("libc.so.6" in needed, f"{library} does not need libc")
    expect(needed <= LIBC, f"{library} needs {needed - LIBC}, too")

    symbols = run(readelf, "-W", "--dyn-syms", library)
    versions = {tuple(map(int, version.split("."))): symbol
                for symbol, version in
                re.findall(r"(\w+)@@?GLIBC_([0-9.]+)", symbols)}
    newest = max(versions)
    print(f"the newest symbol is {versions[newest]} of glibc {newest}")
    expect(newest <= OLDEST_GLIBC,
           f"{versions[newest]} is of glibc {newest}, but wanted is one of "
           f"{OLDEST_GLIBC} or older")


def check_exports(library, readelf):
    exported = set()
    for line in run(readelf, "-W", "--dyn-syms", library).splitlines():
        # Number, value, size, type, binding, visibility, section, name.
        fields = line.split()
        if len(fields) >= 8 and fields[0][:-1].isdigit() and fields[6] != "UND":
            exported.add(fields[7].split("@")[0])
    print(f"{library} shows {len(exported)} symbols")
    expect("dmlRunSession" in exported, f"{library} does not show its functions")
    strange = {name for name in exported if not name.startswith("dml")}
    expect(not strange, f"{library} shows {', '.join(sorted(strange))}")


def find_needed(*files):
    """The paths of all libraries that `files` need."""
    return sorted({path for file in files
                   for path in re.findall(r"(/\S+) \(0x", run("ldd", file))})


def find_driver():
    """The paths of Vulkan's loader, of lavapipe, and of lavapipe's manifest."""
    manifest = next(MANIFESTS.glob("lvp_icd*.json"), None)
    expect(manifest, f"{MANIFESTS} has no manifest of lavapipe")
    driver = json.loads(manifest.read_text())["ICD"]["library_path"]
    loader = re.search(r"libvulkan\.so\.1 .*=> (\S+)",
                       run(shutil.which("ldconfig", path=SYSTEM_PATH), "-p"))
    expect(loader, "this system has no loader of Vulkan")
    return loader[1], driver, str(manifest)


def copy_to_root(root, *paths):
    for path in paths:
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(path).resolve(), target)


def write_input(path, count):
    """0, 1, 2, ... in float: the first input of the model to be run."""
    path.write_bytes(struct.pack(f"<{count}f", *range(count)))


def check_empty_root(library, program, source, root):
    """Runs a model in a root that has glibc and a driver, and nothing else: without
    the driver, the library is loaded and says that there is none."""
    root = Path(root)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    prefix = ([] if os.geteuid() == 0 else
              [shutil.which("unshare"), "--map-root-user"])
    model = Path(source, "examples/padding.mlir")
    shutil.copy(model, root)
    write_input(root / "input", 16)
    shutil.copy(program, root / "program")
    # Under the name that the program asks for.
    name = re.search(r"(libdml\.so\S*) =>", run("ldd", program))[1]
    shutil.copy(library, root / name)
    libraries = find_needed(library)
    expect({Path(path).name for path in libraries} <= LIBC,
           f"{library} needs {libraries}")
    copy_to_root(root, *libraries)
    loader, driver, manifest = find_driver()
    environment = {"LD_LIBRARY_PATH": "/", "VK_DRIVER_FILES": manifest,
                   "VK_ICD_FILENAMES": manifest}
    command = [*prefix, shutil.which("chroot", path=SYSTEM_PATH), root, "/program",
               "/padding.mlir", "/input"]

    refused = subprocess.run(command, text=True, stderr=subprocess.PIPE,
                             env=environment)
    print(refused.stderr)
    expect(refused.returncode == 1 and "Vulkan" in refused.stderr,
           f"without a driver, the program ends with {refused.returncode}")

    copy_to_root(root, loader, driver, manifest, *find_needed(loader, driver))
    inside = run(*command, env=environment)
    print(inside)
    expect("= 15\n" in inside, "the largest element is not 15")
    outside = run(program, model, root / "input",
                  env={**os.environ, "VK_DRIVER_FILES": manifest,
                       "VK_ICD_FILENAMES": manifest})
    expect(inside == outside, f"outside, the program prints\n{outside}")


def check_other_llvm(program, source, *others):
    """Runs a model on lavapipe, which has an LLVM; in a process that has loaded that
    LLVM before and shows its symbols to all libraries; and in one with copies of the
    LLVM and MLIR that the library has in it."""
    _, driver, manifest = find_driver()
    mesa = [path for path in find_needed(driver) if "libLLVM" in path]
    expect(mesa, f"{driver} needs no LLVM")
    with tempfile.NamedTemporaryFile() as file:
        write_input(Path(file.name), 16)
        for libraries in ([], mesa, others):
            printed = run(program, Path(source, "examples/padding.mlir"), file.name,
                          env={**os.environ, "LD_PRELOAD": ":".join(libraries),
                               "VK_DRIVER_FILES": manifest,
                               "VK_ICD_FILENAMES": manifest})
            print(f"after {', '.join(libraries) or 'no other'}:\n{printed}")
            expect("= 15\n" in printed, "the largest element is not 15")


def check_folding(folded, unfolded, source, folder):
    """Compiles the modules of the examples and tests with a compiler whose identical
    functions are folded into one, and with one without, and compares the bytes."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    models = [path for part in ("examples", "test")
              for path in sorted(Path(source, part).rglob("*.mlir"))]
    compiled = 0
    for model in models:
        results = []
        for program in (folded, unfolded):
            output = Path(folder, "out.dmlx")
            # Threads that find errors at the same time report any of them, so that
            # refusals are compared by their codes.
            code = subprocess.run([program, model, output], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode
            results.append(code or output.read_bytes())
        expect(results[0] == results[1],
               f"{model}: the compiler with folded functions and the one without differ")
        compiled += isinstance(results[0], bytes)
    print(f"{compiled} of {len(models)} modules were compiled to the same bytes, and the "
          "others were refused by both")
    expect(compiled > 50, "wanted are more than 50 modules that are compiled")


def check_installed(library, cmake, build, source, folder):
    """Installs the component `session`, and builds an example against it, where CMake finds no
    MLIR."""
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    prefix = folder / "prefix"
    run(cmake, "--install", build, "--component", "session", "--prefix", prefix)
    installed = list(prefix.rglob("libdml.so.*.*.*"))
    expect(len(installed) == 1 and
           installed[0].stat().st_size == Path(library).stat().st_size,
           f"{prefix} has the libraries {installed}")
    others = {prefix / "share/doc/dml/LICENSE", prefix / "share/doc/dml/NOTICE",
              prefix / "lib/pkgconfig/dml.pc"}
    strange = [str(path) for path in prefix.rglob("*")
               if path.is_file() and not path.name.startswith(("libdml.so", "dml-")) and
               path.parent != prefix / "include/dml" and path not in others]
    expect(not strange, f"{prefix} has {', '.join(strange)}, too")

    def configure(project, name):
        return subprocess.run([cmake, "-G", "Ninja", "-S", project, "-B", folder / name,
                               f"-DCMAKE_PREFIX_PATH={prefix}",
                               "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    for name in ("session", "classify"):
        found = configure(Path(source, "examples", name), name)
        expect(found.returncode == 0, found.stdout)
        run(cmake, "--build", folder / name)
    write_input(folder / "input", 16)
    printed = run(folder / "session/dml-session", Path(source, "examples/padding.mlir"),
                  folder / "input")
    expect("= 15\n" in printed, f"the largest element is not 15:\n{printed}")
    # Programs of the compiler are refused with the reason.
    project = folder / "compiler"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        "find_package(dml REQUIRED CONFIG COMPONENTS compiler)\n")
    refused = configure(project, "refused")
    # CMake breaks lines.
    expect(refused.returncode != 0 and "which has the component session alone" in
           " ".join(refused.stdout.split()), refused.stdout)


CHECKS = {"size": check_size, "needs": check_needs, "exports": check_exports,
          "empty-root": check_empty_root, "other-llvm": check_other_llvm,
          "folding": check_folding, "installed": check_installed}

if __name__ == "__main__":
    CHECKS[sys.argv[1]](*sys.argv[2:])
