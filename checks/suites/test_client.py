"""Tests of a client with pytest, which `checks/packages.py` runs in an empty environment."""

import subprocess
import sys
from datetime import date, datetime, timedelta, timezone

import pytest
import requests
from client import week
from ghi_sandbox import Sandbox, SandboxError, failing


@pytest.fixture(scope="session")
def ghi_sandbox_flags():
    return {"at": "2026-11-15T12:00:00Z"}


def test_the_clock_is_stopped(ghi_sandbox):
    assert week(ghi_sandbox.url)["2026-11-15"] == 56018.28


def test_one_server_is_used_for_the_session(ghi_sandbox, ghi_sandbox_session):
    assert ghi_sandbox is ghi_sandbox_session


def test_another_time_is_another_server(ghi_sandbox):
    before, after = ghi_sandbox.at("2026-12-31T23:59:59Z"), ghi_sandbox.at("2027-01-01T00:00:00Z")
    assert max(week(before.url)) == "2026-12-31"
    assert max(week(after.url)) == "2027-01-01"
    assert ghi_sandbox.at("2026-12-31T23:59:59Z") is before
    assert len({ghi_sandbox.url, before.url, after.url}) == 3


@pytest.mark.ghi(fail=["code=503, times=2", "/v1/ghi/history: break=gap"])
def test_requests_fail_without_a_header(ghi_sandbox):
    url = f"{ghi_sandbox.url}/v1/ghi/snapshot"
    assert [requests.get(url, timeout=5).status_code for _ in range(3)] == [503, 503, 200]
    assert len(week(ghi_sandbox.url)) == 6


@pytest.mark.ghi(chaos=50)
@pytest.mark.parametrize("number", range(3))
def test_the_client_survives_failures(ghi_sandbox, number):
    assert len(week(ghi_sandbox.url)) == 7


@pytest.mark.ghi(strict_parameters=True, at="2026-02-28")
def test_flags_of_a_mark_are_used(ghi_sandbox):
    assert max(week(ghi_sandbox.url)) == "2026-02-28"
    assert requests.get(f"{ghi_sandbox.url}/v1/ghi/snapshot?region=us", timeout=5).status_code == 400


def test_the_client_recovers(ghi_sandbox):
    url = f"{ghi_sandbox.url}/v1/ghi/snapshot"
    for _ in range(2):
        headers = ghi_sandbox.failing("code=503", times=2)
        assert [requests.get(url, headers=headers, timeout=5).status_code for _ in range(3)] == [503, 503, 200]
    assert requests.get(url, headers=failing("code=429, retry-after=date"), timeout=5).status_code == 429


def test_a_misspelled_failure_is_an_error(ghi_sandbox):
    answer = requests.get(f"{ghi_sandbox.url}/v1/ghi/snapshot", headers=failing("cod=503", times=2), timeout=5)
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_preference")


def test_times_may_be_dates(ghi_sandbox):
    evening = datetime(2026, 11, 14, 23, 30, tzinfo=timezone(timedelta(hours=-1)))
    for at in (evening, datetime(2026, 11, 15, 0, 30), date(2026, 11, 15)):
        assert max(week(ghi_sandbox.at(at).url)) == "2026-11-15"
    assert ghi_sandbox.at(evening) is ghi_sandbox.at("2026-11-15T00:30:00Z")
    with Sandbox(at=evening, chaos=0.0, snapshot_form="reduced") as sandbox:
        assert "regions" not in requests.get(f"{sandbox.url}/v1/ghi/snapshot", timeout=5).json()


def test_a_server_without_pytest(monkeypatch):
    monkeypatch.setenv("GHI_AT", "variables of the environment are ignored")
    with Sandbox(at="2026-11-15", access_log=True) as sandbox:
        assert len(week(sandbox.url)) == 7
    assert "/v1/ghi/history" in sandbox.log
    with pytest.raises(requests.ConnectionError):
        requests.get(sandbox.url, timeout=5)
    sandbox.stop()


def test_a_failed_start_has_the_message_of_the_server():
    with pytest.raises(SandboxError, match="--at.*must be a UTC time such as"):
        Sandbox(at="yesterday")
    with pytest.raises(SandboxError, match="--chaos.*whole number"):
        Sandbox(chaos=20.5)


def test_unknown_options_are_an_error_that_names_the_options():
    with pytest.raises(TypeError, match="unknown option choas; the options are binary, at, speed, fail, chaos, "):
        Sandbox(choas=20)


def test_the_command_is_installed():
    command = [f"{sys.prefix}/bin/ghi", "show", "snapshot", "--at", "2026-11-15", "--format", "json"]
    assert b"56018.28" in subprocess.run(command, check=True, capture_output=True).stdout
