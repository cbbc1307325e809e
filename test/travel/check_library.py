#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the shared library that the preset travel builds.

    check_library.py size LIBRARY BYTES
    check_library.py needs LIBRARY READELF
    check_library.py exports LIBRARY READELF
    check_library.py empty-root LIBRARY HOST EXAMPLES FOLDER
    check_library.py folding LIBRARY UNFOLDED HOST SOURCE FOLDER
    check_library.py other-llvm LIBRARY HOST GEMM OTHER...

HOST is the program dml-travel-host, GEMM the module that it runs.
"""
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

# The library may need these, which belong to every glibc.
LIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
        "ld-linux-x86-64.so.2"}
# The library runs with this glibc, Ubuntu 22.04's, and with newer ones (Debian 12 has
# 2.36).
OLDEST_GLIBC = (2, 35)


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
    size, bound = library.stat().st_size, int(bound)
    print(f"{library.name} has {size} bytes, and may have {bound}; its largest parts:")
    parts = read_parts(library.with_name(f"{library.name}.link-map"))
    for part, part_size in parts.most_common(25):
        print(f"{part_size:10} {part}")
    expect(size <= bound, f"{library.name} has {size} bytes, but wanted are {bound} "
                          "at most")
    expect(size > bound * 0.8, f"{library.name} has {size} bytes, less than 0.8 of the "
                               f"bound {bound}: the bound has become too large")


def check_needs(library, readelf):
    needed = set(re.findall(r"NEEDED.*\[(.+)\]", run(readelf, "-dW", library)))
    print(f"{library.name} needs {', '.join(sorted(needed))}")
    expect("libc.so.6" in needed, "the library does not need libc")
    expect(needed <= LIBC, f"{library.name} needs {needed - LIBC}, too")

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
    print(f"{library.name} shows {len(exported)} symbols")
    expect("dmlCreateInstance" in exported, "the library does not show its functions")
    strange = {name for name in exported if not name.startswith("dml")}
    expect(not strange, f"{library.name} shows {', '.join(sorted(strange))}")


def fill_root(root, *files):
    """Puts `files` at the top of an empty root, and where these systems have them the
    libraries of glibc that they need, and nothing else."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for file in files:
        shutil.copy(file, root / file.name)
        for path in re.findall(r"(/\S+) \(0x", run("ldd", file)):
            expect(Path(path).name in LIBC, f"{file.name} needs {path}")
            target = root / path.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(path).resolve(), target)


def check_empty_root(library, host, examples, root):
    """Compiles the examples in a root that has glibc alone, and compares their bytes
    with those of the same outside."""
    host, root = Path(host).resolve(), Path(root).resolve()
    fill_root(root, library, host)
    prefix = ([] if os.geteuid() == 0 else
              [shutil.which("unshare"), "--map-root-user"])
    chroot = shutil.which("chroot", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    models = sorted(Path(examples).glob("*.mlir"))
    expect(models, f"{examples} has no modules")
    for model in models:
        shutil.copy(model, root / model.name)
        run(*prefix, chroot, root, f"/{host.name}", f"/{library.name}", "compile",
            model.name, "inside.dmlx", env={})
        run(host, library, "compile", model.name, "outside.dmlx", cwd=root)
        inside, outside = ((root / name).read_bytes()
                           for name in ("inside.dmlx", "outside.dmlx"))
        print(f"{model.name}: {len(inside)} bytes")
        expect(inside == outside, f"{model.name}: the executables of the empty root "
                                  "and of the system differ")


def check_folding(library, unfolded, host, source, folder):
    """Compiles the modules of the examples and tests with the library and with one
    whose identical functions are not folded into one, and compares the bytes."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    models = [path for part in ("examples", "test")
              for path in sorted(Path(source, part).rglob("*.mlir"))]
    compiled = 0
    for model in models:
        results = []
        for name in (library, unfolded):
            output = Path(folder, "out.dmlx")
            # Threads that find errors at the same time report any of them, so that
            # refusals are compared by their codes.
            code = subprocess.run([host, name, "compile", model, output],
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode
            results.append(code or output.read_bytes())
        expect(results[0] == results[1],
               f"{model}: the library with folded functions and the one without differ")
        compiled += isinstance(results[0], bytes)
    print(f"{compiled} of {len(models)} modules were compiled to the same bytes, and the "
          "others were refused by both")
    expect(compiled > 50, "wanted are more than 50 modules that are compiled")


def check_other_llvm(library, host, gemm, *others):
    """Compiles and runs in a process with lavapipe, which brings an LLVM; in one that
    has loaded that LLVM before and shows its symbols to all libraries; and in one with
    copies of the LLVM and MLIR that the library has in it."""
    def load(*libraries):
        present = run(host, library, "run", gemm, "llvmpipe", *libraries).splitlines()
        print(f"other libraries of the process: {', '.join(present)}")
        return present

    mesa = load()
    expect(mesa, "lavapipe has brought no LLVM")
    load(*mesa)
    expect(len(load(*others)) > len(others), "lavapipe has brought no LLVM")


CHECKS = {"size": check_size, "needs": check_needs, "exports": check_exports,
          "empty-root": check_empty_root, "folding": check_folding,
          "other-llvm": check_other_llvm}

CHECKS[sys.argv[1]](Path(sys.argv[2]).resolve(), *sys.argv[3:])
