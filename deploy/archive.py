#!/usr/bin/env python3
"""Builds the files of a release for this machine's target, in target/dist:

    ghi-VERSION-TARGET.tar.gz    the static binary, manual pages, shell completions, licences
    ghi-VERSION-TARGET.cdx.json  its software bill of materials (SBOM), in CycloneDX format
    SHA256SUMS                   checksums of both: `sha256sum --check SHA256SUMS`

    python3 -m venv target/venv
    target/venv/bin/pip install -r checks/requirements.txt
    target/venv/bin/python deploy/archive.py [--ghi BINARY]

Two runs of the same commit on the same machine produce the same bytes.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import uuid
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

sys.path.append(str(Path(__file__).resolve().parent.parent / "packages"))
from packing import ROOT, TARGET_DIR, built, commit_time, output, packages, third_party_notices, write_tar  # noqa: E402

# Where shells look for completions, relative to the installation prefix.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/ghi",
    "zsh": "share/zsh/site-functions/_ghi",
    "fish": "share/fish/vendor_completions.d/ghi.fish",
}


def bill(parts, made):
    licences = LicenseFactory()

    def component(package, kind):
        licence = package["license"]
        return Component(
            type=kind,
            name=package["name"],
            version=package["version"],
            description=package["description"],
            licenses=[licences.make_from_string(licence.replace("/", " OR "))] if licence else [],
            purl=PackageURL("cargo", None, package["name"], package["version"]),
            bom_ref=f"{package['name']}@{package['version']}",
        )

    [whole] = [package for package in parts if package["name"] == "ghi-cli"]
    others = [component(package, ComponentType.LIBRARY) for package in parts if package is not whole]
    bom = Bom(components=others)
    bom.metadata.component = component(whole, ComponentType.APPLICATION)
    bom.metadata.timestamp = made
    bom.register_dependency(bom.metadata.component, others)
    # The same bill of materials has the same serial number.
    names = "\n".join(sorted(str(each.purl) for each in others))
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, names)
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert wrong is None, wrong
    return text


def manual(ghi, *names):
    """Yields the manual page of a command and of its subcommands."""
    page = output(ghi, "man", *names, text=True)
    yield names, page
    prefix = "-".join(["ghi", *names, ""]).replace("-", r"\-")
    for line in page.splitlines():
        if line.startswith(prefix) and line.endswith("(1)"):
            yield from manual(ghi, *names, line.removeprefix(prefix).removesuffix("(1)"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ghi", type=Path, help="package this binary instead of building one")
    given = parser.parse_args()
    target = output("rustc", "--print", "host-tuple", text=True).strip()
    ghi = (given.ghi or built(target)).resolve()
    version = output(ghi, "--version", text=True).split()[1]
    made = commit_time()
    parts = packages(target)

    name = f"ghi-{version}-{target}"
    files = {"bin/ghi": (ghi.read_bytes(), 0o755)}
    for shell, place in COMPLETIONS.items():
        files[place] = output(ghi, "completions", shell), 0o644
    for names, page in manual(ghi):
        files[f"share/man/man1/{'-'.join(['ghi', *names])}.1"] = page.encode(), 0o644
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"share/doc/ghi/{licence}"] = (ROOT / licence).read_bytes(), 0o644
    files["share/doc/ghi/THIRD-PARTY"] = third_party_notices(parts).encode(), 0o644

    dist = TARGET_DIR / "dist"
    dist.mkdir(parents=True, exist_ok=True)
    write_tar(dist / f"{name}.tar.gz", {f"{name}/{path}": file for path, file in files.items()}, made)
    (dist / f"{name}.cdx.json").write_text(bill(parts, made))
    made_files = [dist / f"{name}.tar.gz", dist / f"{name}.cdx.json"]
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made_files]
    (dist / "SHA256SUMS").write_text("".join(sums))
    for path in made_files:
        print(f"{path.stat().st_size:>12,} bytes  {path}")


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
