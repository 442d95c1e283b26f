"""What the files of a release share: the packages in the binary, their licences, and archives with reproducible bytes."""

import gzip
import io
import json
import os
import subprocess
import tarfile
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET_DIR = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# A build dependency whose script, the API reference, is embedded in the binary.
EMBEDDED = "scalar_api_reference"
# The oldest time that a zip file can hold, seconds since 1970.
ZIP_EPOCH = 315_619_200


def output(*command, **more):
    return subprocess.run(list(map(str, command)), cwd=ROOT, check=True, stdout=subprocess.PIPE, **more).stdout


def built(target):
    """Builds the binary that is shipped; instant if it is up to date."""
    output("cargo", "static")
    return TARGET_DIR / target / "release/ghi"


def packages(target):
    """Returns every package linked into the binary, ours first."""
    metadata = json.loads(output("cargo", "metadata", "--locked", "--format-version", "1"))
    found = {package["id"]: package for package in metadata["packages"]}
    tree = ["--locked", "--package", "ghi-cli", "--edges", "normal", "--target", target, "--prefix", "none"]
    lines = output("cargo", "tree", *tree, "--format", "{p}", text=True).splitlines()
    linked = {tuple(line.split()[:2]) for line in lines}
    linked |= {(each["name"], f"v{each['version']}") for each in found.values() if each["name"] == EMBEDDED}
    chosen = [each for each in found.values() if (each["name"], f"v{each['version']}") in linked]
    missing = linked - {(each["name"], f"v{each['version']}") for each in chosen}
    assert not missing, f"no metadata for {missing}"
    return sorted(chosen, key=lambda package: (package["source"] is not None, package["name"], package["version"]))


def third_party_notices(parts):
    """Returns the licence texts of all third-party packages."""
    text = ["ghi contains the following packages, each with its licence.\n"]
    for package in parts:
        if not package["source"]:
            continue
        folder = Path(package["manifest_path"]).parent
        names = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")
        files = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name.upper().startswith(names)]
        text.append(f"{'=' * 100}\n{package['name']} {package['version']}: {package['license'] or 'see below'}\n")
        text += [path.read_text(errors="replace") for path in files]
    return "\n".join(text)


def write_tar(path, files, made):
    """Writes a tar file whose bytes depend only on its contents and the given time."""
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, (data, mode) in sorted(files.items()):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode, entry.mtime = len(data), mode, int(made.timestamp())
                tar.addfile(entry, io.BytesIO(data))


def commit_time():
    """Returns the time of the files in archives and packages: that of the commit."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds and (ROOT / ".git").exists():
        seconds = output("git", "log", "-1", "--format=%ct", text=True)
    return datetime.fromtimestamp(max(int(seconds or 0), ZIP_EPOCH), timezone.utc)
