#!/usr/bin/env python3
"""Builds the Python and npm packages from one binary, without compiling it again:

    ghi_sandbox-VERSION-py3-none-PLATFORM.whl    pip install
    ghi-sandbox-VERSION.tgz                      npm install, together with
    ghi-sandbox-PLATFORM-VERSION.tgz             the binary for this platform

    python3 packages/build.py --out DIR [--ghi BINARY]

The default binary is the release build (`cargo static`). Versions come from Cargo.toml. It needs Rust, to list the
licences of what the binary contains, and Python 3.11. Two runs with the same binary produce the same bytes.
"""

import argparse
import base64
import hashlib
import json
import struct
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from packing import ROOT, built, commit_time, output, packages, third_party_notices, write_tar

LICENCES = ("LICENSE-MIT", "LICENSE-APACHE")
# Processors as ELF and Mach-O number them, with their names in Python and in Node.
ELF_MACHINES = {62: ("x86_64", "x64"), 183: ("aarch64", "arm64")}
MACHO_MACHINES = {0x1000007: ("x86_64", "x64"), 0x100000C: ("arm64", "arm64")}
# The type of an ELF segment that names a dynamic linker. A static binary has none.
PT_INTERP = 3


def platform(binary):
    """Returns the platform of a binary, as a wheel and as npm name it: tags, operating system, processor."""
    magic, machine = struct.unpack_from("<II", binary)
    if magic == 0xFEEDFACF:
        python, node = MACHO_MACHINES[machine]
        return f"macosx_11_0_{python}", "darwin", node
    assert binary[:4] == b"\x7fELF", "the binary is neither ELF nor Mach-O"
    python, node = ELF_MACHINES[struct.unpack_from("<H", binary, 18)[0]]
    offset, size, count = *struct.unpack_from("<Q", binary, 32), *struct.unpack_from("<HH", binary, 54)
    segments = [struct.unpack_from("<I", binary, offset + index * size)[0] for index in range(count)]
    if PT_INTERP in segments:
        print("warning: the binary is not static, so the packages work only on systems like this one", file=sys.stderr)
        return f"linux_{python}", "linux", node
    return f"manylinux_2_17_{python}.manylinux2014_{python}.musllinux_1_1_{python}", "linux", node


def metadata(project, version, readme):
    """Returns the METADATA file of a wheel (Core Metadata 2.4)."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in (*LICENCES, "THIRD-PARTY")),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + readme


def wheel(out, version, ghi, platform_names, licences, made):
    """Writes the wheel, as maturin does with `bindings = "bin"`."""
    source = ROOT / "packages/python"
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    tags, _, _ = platform_names
    name = f"ghi_sandbox-{version}"
    files = {f"{name}.data/scripts/ghi": (ghi, 0o755)}
    module = source / "src"
    for path in sorted(module.rglob("*")):
        if path.suffix in (".py", ".typed"):
            files[str(path.relative_to(module))] = path.read_bytes(), 0o644
    info = {f"licenses/{licence}": text for licence, text in licences.items()}
    info["METADATA"] = metadata(project, version, (source / "README.md").read_text())
    info["WHEEL"] = "Wheel-Version: 1.0\nGenerator: packages/build.py\nRoot-Is-Purelib: false\n" + "".join(
        f"Tag: py3-none-{tag}\n" for tag in tags.split(".")
    )
    info["entry_points.txt"] = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    files |= {f"{name}.dist-info/{file}": (text.encode(), 0o644) for file, text in info.items()}
    record = "".join(f"{file},sha256={digest(data)},{len(data)}\n" for file, (data, _) in files.items())
    record += f"{name}.dist-info/RECORD,,\n"
    files[f"{name}.dist-info/RECORD"] = record.encode(), 0o644
    path = out / f"{name}-py3-none-{tags}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for file, (data, mode) in files.items():
            entry = zipfile.ZipInfo(file, made.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            packed.writestr(entry, data)
    return [path]


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def tarballs(out, version, ghi, platform_names, licences, made):
    """Writes the npm package, and the package of the binary, which is its optional dependency."""
    source = ROOT / "packages/npm"
    manifest = json.loads((source / "package.json").read_text())
    _, system, processor = platform_names
    name = f"{manifest['name']}-{system}-{processor}"
    binary = {
        "name": name,
        "version": version,
        "description": f"The binary of {manifest['name']} for {system} on {processor}.",
        "license": manifest["license"],
        "os": [system],
        "cpu": [processor],
        "preferUnplugged": True,
    }
    files = {file: (text.encode(), 0o644) for file, text in licences.items()} | {"bin/ghi": (ghi, 0o755)}
    # Binaries for other platforms come from machines of that kind; npm installs the matching one.
    platforms = sorted({*manifest["optionalDependencies"], name})
    manifest |= {"version": version, "optionalDependencies": dict.fromkeys(platforms, version)}
    own = {file: (text.encode(), 0o644) for file, text in licences.items() if file in LICENCES}
    for file in ("README.md", *manifest["files"]):
        for path in [source / file] if (source / file).is_file() else sorted((source / file).iterdir()):
            mode = 0o755 if path.parent.name == "bin" else 0o644
            own[str(path.relative_to(source))] = path.read_bytes(), mode
    paths = []
    for package, content in ((manifest, own), (binary, files)):
        content["package.json"] = (json.dumps(package, indent=2) + "\n").encode(), 0o644
        paths.append(out / f"{package['name']}-{version}.tgz")
        write_tar(paths[-1], {f"package/{file}": entry for file, entry in content.items()}, made)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the folder for the packages")
    parser.add_argument("--ghi", type=Path, help="pack this binary instead of building one")
    given = parser.parse_args()
    target = output("rustc", "--print", "host-tuple", text=True).strip()
    ghi = (given.ghi or built(target)).resolve()
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    reported = output(ghi, "--version", text=True).split()[1]
    assert reported == version, f"{ghi} is version {reported}, but Cargo.toml has {version}"
    licences = {name: (ROOT / name).read_text() for name in LICENCES}
    licences["THIRD-PARTY"] = third_party_notices(packages(target))
    given.out.mkdir(parents=True, exist_ok=True)
    binary = ghi.read_bytes()
    release = given.out, version, binary, platform(binary), licences, commit_time()
    for path in wheel(*release) + tarballs(*release):
        print(f"{path.stat().st_size:>12,} bytes  {path}")


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, KeyError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"packages/build.py: {error}")
