#!/usr/bin/env python3
"""Builds the Python and npm packages, and uses them as an integrator would.

    python3 checks/packages.py [--ghi BINARY] [--kills 5] [--compile]

Each package is installed into an empty environment, with no Rust on the PATH. Then the examples of README.md run there,
and the tests of a client in `checks/suites`: with pytest, node:test, Vitest and Jest. No server may be left afterwards, nor
after a test process has been killed (`--kills`, with SIGKILL). With --compile, it also installs the Python
package from its source, which compiles the server: several minutes.

Needs Node 20, and downloads the test frameworks from PyPI and npm.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server import ROOT, arguments

# Flags with values that suit every test suite, and flags that only print.
SET_BY_PACKAGES = {"listen", "print-url", "exit-with-stdin", "drain", "help", "version"}
SUITES = ROOT / "checks/suites"
# How long a server may take to notice that the process that started it has ended, seconds, on a busy machine.
END_SECONDS = 10
# The most that starting and stopping a server may take, seconds: the best of ten.
START_AND_STOP_SECONDS = 0.5


def environment():
    """Returns the variables of an integrator: without Rust."""
    path = os.pathsep.join(
        folder for folder in os.environ["PATH"].split(os.pathsep) if not shutil.which("cargo", path=folder)
    )
    assert not shutil.which("cargo", path=path) and shutil.which("node", path=path), path
    return {**os.environ, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command, folder, fails=False):
    """Runs a command and returns its output."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert bool(done.returncode) == fails, f"{' '.join(map(str, command))}: code {done.returncode}\n{done.stdout}"
    return done.stdout


def servers(folder):
    """Returns the running processes whose program is inside a folder."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            program = os.readlink(process / "exe")
        except OSError:
            continue
        if process.name.isdigit() and Path(program).is_relative_to(folder) and Path(program).name == "ghi":
            found.append(int(process.name))
    return found


def assert_none_left(folder, after):
    """Waits until no server is left. Returns how long that took, in seconds."""
    started = time.monotonic()
    while left := servers(folder):
        assert time.monotonic() - started < END_SECONDS, f"servers are left after {after}: {left}"
        time.sleep(0.005)
    return time.monotonic() - started


def shown_install(tool):
    """Returns the installation command that README.md shows for a tool."""
    found = re.search(rf"^    ({tool} install .*)$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert found, f"README.md does not show `{tool} install`"
    return found[1]


def install_python(folder, source):
    """Installs the wheel into a new environment and runs the example. Returns its folder of programs."""
    run(sys.executable, "-m", "venv", folder / "env", folder=folder)
    programs = folder / "env/bin"
    (folder / "target").mkdir()
    (folder / "target/packages").symlink_to(source)
    shutil.copy(ROOT / "examples/test_snapshot.py", folder)
    began = time.monotonic()
    run("bash", "-ec", f"{programs}/{shown_install('pip')}", folder=folder)
    run(programs / "pytest", "-q", "test_snapshot.py", folder=folder)
    print(f"Python: {time.monotonic() - began:.1f} s from pip install to the first passed test")
    return programs


def check_python(folder, programs):
    shutil.copytree(SUITES, folder, dirs_exist_ok=True)
    run(programs / "pip", "install", "--quiet", "-r", "requirements.txt", folder=folder)
    print("pytest:", run(programs / "pytest", "-q", "test_client.py", folder=folder).splitlines()[-1])
    report = run(programs / "pytest", "-q", "test_failing.py", folder=folder, fails=True)
    log = report.split("- ghi log -")[1]
    assert all(path in log for path in ("/v1/ghi/regions", "/v1/ghi/forecast")), report
    assert "/v1/ghi/network" not in log, report
    assert "ghi(NAME='2026-11-15'); the options are binary, at, speed, fail" in report, report
    assert_none_left(folder, "pytest")
    program = (
        "import time; from ghi_sandbox import Sandbox\n"
        "for _ in range(10): began = time.monotonic(); Sandbox().stop(); print(time.monotonic() - began)"
    )
    seconds = min(map(float, run(programs / "python", "-c", program, folder=folder).split()))
    assert seconds < START_AND_STOP_SECONDS, f"starting and stopping takes {seconds:.3f} s"
    print(f"a server starts and stops in {seconds * 1000:.0f} ms")


def install_node(folder, source):
    """Installs both tarballs into a new project and runs the example."""
    (folder / "target").mkdir()
    (folder / "target/packages").symlink_to(source)
    shutil.copy(ROOT / "examples/snapshot.test.mjs", folder)
    began = time.monotonic()
    run("bash", "-ec", shown_install("npm"), folder=folder)
    run("node", "--test", "snapshot.test.mjs", folder=folder)
    print(f"npm: {time.monotonic() - began:.1f} s from npm install to the first passed test")
    assert run("npx", "--no-install", "ghi", "--version", folder=folder).splitlines()[-1].startswith("ghi "), "npx ghi"
    run("bash", "-ec", "rm -r node_modules package*.json", folder=folder)


def check_node(folder, source):
    shutil.copytree(SUITES, folder, dirs_exist_ok=True)
    tarballs = sorted(source.glob("*.tgz"))
    # Without a lock file, so that each run uses the newest indirect dependencies, as an integrator gets them.
    run("npm", "install", "--no-save", "--no-fund", "--no-audit", "--ignore-scripts", *tarballs, folder=folder)
    for suite in ("types", "node", "vitest", "jest"):
        run("npm", "run", suite, folder=folder)
        assert_none_left(folder, suite)
    print("node:test, Vitest, Jest and the types: passed")


def check_kills(folder, command, count):
    """Kills a test process: every other time as soon as it has started a server, otherwise at a random time of its run.

    Every server that it has started must end.
    """
    began = time.monotonic()
    run(*command, folder=folder)
    whole_run = time.monotonic() - began
    slowest, hits = 0.0, 0
    for number in range(count):
        process = subprocess.Popen(
            list(map(str, command)), cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if number % 2:
            time.sleep(random.uniform(0, whole_run))
        else:
            while not servers(folder) and process.poll() is None:
                time.sleep(0.001)
        hits += bool(servers(folder))
        process.kill()
        process.wait()
        slowest = max(slowest, assert_none_left(folder, f"kill -9, run {number + 1}"))
    name = Path(command[0]).name
    assert hits, f"{name}: was never killed while its server ran"
    print(f"{name}: killed {count} times, {hits} times with a running server; none is left after {slowest * 1000:.0f} ms")


def check_compiled(folder):
    """Installs the Python package from its source."""
    run(sys.executable, "-m", "venv", folder / "env", folder=folder)
    began = time.monotonic()
    install = [folder / "env/bin/pip", "install", "--quiet", ROOT / "packages/python", "-r", SUITES / "requirements.txt"]
    subprocess.run(list(map(str, install)), check=True)
    shutil.copy(ROOT / "examples/test_snapshot.py", folder)
    run(folder / "env/bin/pytest", "-q", "test_snapshot.py", folder=folder)
    assert_none_left(folder, "pytest")
    print(f"pip install ./packages/python works, in {time.monotonic() - began:.0f} s")


def check_options(ghi):
    """Compares the options of both packages with the flags of the server."""
    shown = subprocess.run([ghi, "serve", "--help"], check=True, capture_output=True, text=True).stdout
    flags = set(re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)", shown, re.MULTILINE)) - SET_BY_PACKAGES
    python = (ROOT / "packages/python/src/ghi_sandbox/__init__.py").read_text().split("TypedDict, total=False")[1]
    types = (ROOT / "packages/npm/index.d.ts").read_text().split("interface SandboxOptions")[1].split("\n}")[0]
    script = (ROOT / "packages/npm/index.js").read_text().split("const OPTIONS")[1].split("]")[0]
    kebab = lambda name: re.sub("[A-Z_]", lambda found: "-" + found[0].lower().strip("_"), name)  # noqa: E731
    offered = {
        "Python": re.findall(r"^    (\w+): ", python.split("\n# ")[0], re.MULTILINE),
        "index.d.ts": re.findall(r"^  (\w+)\?:", types, re.MULTILINE),
        "index.js": re.findall(r'"(\w+)"', script),
    }
    for name, options in offered.items():
        found = {kebab(option) for option in options} - {"binary"}
        assert found == flags, f"{name}: the options and `ghi serve --help` differ in {sorted(found ^ flags)}"


def main():
    given = arguments(__doc__, kills=5, compile=False)
    check_options(given.ghi)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        source = folder / "packages"
        build = [sys.executable, ROOT / "packages/build.py", "--out", source, "--ghi", given.ghi]
        subprocess.run(list(map(str, build)), check=True)
        for name in ("python", "node", "compiled"):
            (folder / name).mkdir()
        programs = install_python(folder / "python", source)
        check_python(folder / "python", programs)
        install_node(folder / "node", source)
        check_node(folder / "node", source)
        check_kills(folder / "python", [programs / "pytest", "-q", "test_client.py"], given.kills)
        check_kills(folder / "node", ["node", "client.node.test.mjs"], given.kills)
        if given.compile:
            check_compiled(folder / "compiled")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(str(error))
