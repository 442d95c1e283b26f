#!/usr/bin/env python3
"""Builds the image of deploy/Dockerfile without a daemon, runs it as an unprivileged user on a read-only file
system, and runs `ghi check` against it.

    python3 checks/image.py [--ghi BINARY] [--compile]

Needs buildah, and permission to mount and to change the root directory. No image is downloaded. The image contains the
same binary as in the other checks. With --compile, the Dockerfile compiles its own, which takes three minutes; instead of
an image with Rust, it uses an empty one with the machine's own Rust.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server import ROOT, arguments

IMAGE = "localhost/ghi"
# Base images: the machine's Rust, or a binary.
MACHINE, GIVEN = "localhost/machine", "localhost/given"
SIZE_MAX = 14_000_000
# System folders that a compiler needs.
SYSTEM = ["/bin", "/etc", "/lib", "/lib64", "/usr"]
BUILDAH = ["buildah", "--storage-driver", "vfs"]


def output(*command, **more):
    """Returns the output of a command, or exits with its error."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command[:4]))} ... exits with {done.returncode}")
    return done.stdout.strip()


def buildah(*command, **more):
    return output(*BUILDAH, *command, **more)


def builder():
    """Creates an empty image with access to the machine's Rust."""
    container = buildah("from", "scratch")
    toolchain = output("rustup", "show", "active-toolchain", cwd=ROOT).split()[0]
    rust = Path(output("rustc", "--print", "sysroot", cwd=ROOT)) / "bin"
    variables = {
        "PATH": f"{rust}:/usr/bin:/bin",
        "RUSTUP_TOOLCHAIN": toolchain,
        "CARGO_HOME": cargo_home(),
        "CARGO_NET_OFFLINE": "true",
    }
    for name, value in variables.items():
        buildah("config", "--env", f"{name}={value}", container)
    image = buildah("commit", "--quiet", "--rm", container, MACHINE)
    return image, rust.parent


def cargo_home():
    return Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))


def build(*flags):
    began = time.monotonic()
    command = ["build", "--quiet", "--isolation", "chroot", "--format", "docker", *flags]
    buildah(*command, "--file", ROOT / "deploy/Dockerfile", "--tag", IMAGE, ROOT)
    print(f"built in {time.monotonic() - began:.0f} s")


def pack(ghi):
    """Builds the image with this binary."""
    container = buildah("from", "scratch")
    buildah("copy", container, ghi, "/ghi")
    buildah("commit", "--quiet", "--rm", container, GIVEN)
    build("--build-arg", f"BINARY={GIVEN}")


def compile():
    """Builds the image as users do."""
    output("cargo", "fetch", "--quiet", "--locked", cwd=ROOT)
    image, sysroot = builder()
    with tempfile.TemporaryDirectory() as temporary:
        # Symbolic links of the system point to the same places inside.
        lent = [f"{path}:{path}:ro" for path in SYSTEM if Path(path).exists()]
        lent += [f"{cargo_home()}:{cargo_home()}", f"{sysroot}:{sysroot}:ro", f"{temporary}:/tmp"]
        build(*(flag for volume in lent for flag in ("--volume", volume)), "--build-arg", f"RUST={image}")


def configuration(version):
    """Checks the labels and the configuration of the image."""
    found = json.loads(buildah("inspect", "--type", "image", IMAGE))["Docker"]["config"]
    labels = {name.removeprefix("org.opencontainers.image."): text for name, text in found["Labels"].items()}
    assert labels["version"] == version, f"the label says {labels['version']}, the binary {version}"
    assert labels["licenses"] == "MIT OR Apache-2.0" and labels["title"] == "ghi", labels
    assert found["User"] == "65532:65532" and "8000/tcp" in found["ExposedPorts"], found
    assert found["Healthcheck"]["Test"] == ["CMD", "/ghi", "health"], found
    return found


class Container:
    """The image, run according to its configuration, on a read-only file system."""

    def __init__(self, mount, found, *flags):
        # A container runtime mounts its own root; here it is a mount that only this process sees.
        enter = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec chroot --userspec="$1" "$0" "${@:2}"'
        self.prefix = ["unshare", "--mount", "bash", "-c", enter, mount, found["User"]]
        self.env = dict(variable.split("=", 1) for variable in found["Env"])
        self.entry = found["Entrypoint"]
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*self.prefix, *self.entry, *(flags or found["Cmd"])], env=self.env, stderr=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def run(self, *command):
        """Runs another command in the image, as an orchestrator does for the health check."""
        return subprocess.run([*self.prefix, *command], env=self.env, capture_output=True, text=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def until_answered(port, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.001)
    sys.exit(f"nothing listens on port {port}")


def judged(ghi, mount, found):
    port = free_port()
    found["Env"] = [line for line in found["Env"] if not line.startswith("GHI_LISTEN=")]
    found["Env"].append(f"GHI_LISTEN=0.0.0.0:{port}")
    with Container(mount, found) as container:
        until_answered(port)
        started = time.monotonic() - container.began
        health = container.run(*found["Healthcheck"]["Test"][1:])
        assert (health.returncode, health.stdout) == (0, "ready\n"), health
        status = Path(f"/proc/{container.process.pid}/status").read_text()
        assert re.search(r"Uid:\s+65532\s", status), status
        assert re.search(r"CapEff:\s+0+$", status, re.M), status
        verdict = output(ghi, "check", f"http://127.0.0.1:{port}", "--strict").splitlines()[-1]
        memory = int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{container.process.pid}/status").read_text())[1]) / 1024
        container.process.send_signal(signal.SIGINT)
        assert container.process.wait(60) == 0, "it does not stop correctly"
        health = container.run(*found["Healthcheck"]["Test"][1:])
        assert health.returncode == 1 and "is not ready" in health.stderr, health
    print(f"started in {started * 1000:.0f} ms, at most {memory:.1f} MB of memory; {verdict}")


def main():
    for tool in ("buildah", "unshare", "chroot"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    given = arguments(__doc__, compile=False)
    ghi = given.ghi
    version = output(ghi, "--version").split()[1]
    compile() if given.compile else pack(ghi)
    found = configuration(version)
    container = buildah("from", IMAGE)
    try:
        mount = buildah("mount", container)
        files = {path.relative_to(mount): path.stat().st_size for path in Path(mount).rglob("*") if path.is_file()}
        own = {str(path): size for path, size in files.items() if path.parts[0] not in ("dev", "etc", "proc", "run", "sys")}
        assert set(own) == {"ghi", "licenses/LICENSE-MIT", "licenses/LICENSE-APACHE"}, own
        kind = output("file", "--brief", Path(mount) / "ghi")
        assert "static" in kind, kind
        size = sum(own.values())
        assert size < SIZE_MAX, f"{size:,} bytes is too large"
        print(f"{size:,} bytes, the binary {own['ghi']:,}")
        judged(ghi, mount, found)
    finally:
        buildah("rm", container)
        buildah("rmi", "--force", IMAGE, MACHINE if given.compile else GIVEN)


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
