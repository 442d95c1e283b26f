"""The pytest fixture `ghi_sandbox`: a server for tests."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from datetime import datetime, timezone

import pytest

from ghi_sandbox import Options, Sandbox

# Where the log of the test begins within the log of the server, and when the test began.
_LOG_START = pytest.StashKey[tuple[int, str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "ghi(**options): use a new server with these options, such as chaos=20"
    )


@pytest.fixture(scope="session")
def ghi_sandbox_flags() -> Options:
    """The options of all servers; redefine it in `conftest.py`."""
    return {}


@pytest.fixture(scope="session")
def ghi_sandbox_session(ghi_sandbox_flags: Options) -> Iterator[Sandbox]:
    """The server of the session, for fixtures with a wider scope than one test."""
    options: Options = {"access_log": True, **ghi_sandbox_flags}
    with Sandbox(**options) as sandbox:
        yield sandbox


@pytest.fixture
def ghi_sandbox(request: pytest.FixtureRequest, ghi_sandbox_flags: Options) -> Iterator[Sandbox]:
    """The server of the session, or a new one if the test is marked with `ghi`."""
    marker = request.node.get_closest_marker("ghi")
    if not marker:
        sandbox = request.getfixturevalue("ghi_sandbox_session")
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        request.node.stash[_LOG_START] = (len(sandbox.log), now)
        yield sandbox
        return
    if marker.args:
        names = ", ".join(Options.__annotations__)
        pytest.fail(f"the mark ghi needs names: ghi(NAME={marker.args[0]!r}); the options are {names}", pytrace=False)
    options: Options = {"access_log": True, **ghi_sandbox_flags, **marker.kwargs}
    with Sandbox(**options) as sandbox:
        yield sandbox


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the server's log to the report of a failed test."""
    report = yield
    fixtures = getattr(item, "funcargs", {})
    sandbox = fixtures.get("ghi_sandbox") or fixtures.get("ghi_sandbox_session")
    if report.failed and sandbox:
        # The server writes its log in the background.
        time.sleep(0.1)
        start, began = item.stash.get(_LOG_START, (0, ""))
        lines = sandbox.log[start:].splitlines(keepends=True)
        # Requests of the test before may have been written late. Each line begins with its time.
        log = "".join(line for line in lines if line >= began)
        report.sections.append(("ghi log", log))
    return report
