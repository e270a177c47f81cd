"""The whole process against the test vCenter: what breaks is got over, and what is lost is said exactly."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.program import run
from sessions.store import SessionReader, check_session
from tests.recorder.conftest import Record
from tests.recorder.running import PATIENCE_S, environment
from tests.recorder.vcenters import differences, has_begun, realtime, record_vcenter, rounds, stored
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.query_faults import QUERY_FAULTS
from tests.vcenter.running import PASSWORD, TestVCenter

__all__ = ["start_vcenter", "vcenter"]

StartVCenter = Callable[..., TestVCenter]

FAULTS: list[tuple[str, dict[str, object]]] = [
    *QUERY_FAULTS,
    ("hang", {"method": "QueryPerf", "seconds": 3, "count": 1}),
    ("disconnect", {"method": "WaitForUpdatesEx", "count": 2}),
    ("late", {"entity": "vm-00001", "for": 2, "seconds": 2}),
    ("vm_moved", {"vm": "vm-00001", "host": "esx0002.lab"}),
    ("host_maintenance", {"host": "esx0001.lab", "on": True}),
    ("vm_moved", {"vm": "vm-00001", "host": "esx0001.lab"}),
    ("host_maintenance", {"host": "esx0001.lab", "on": False}),
]


def info(session: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["info", str(session), "--json"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.mark.slow
def test_every_fault_is_got_over(
    record: Record, session_path: Path, vcenter: TestVCenter, capsys: pytest.CaptureFixture[str]
) -> None:
    began = round(vcenter.now() * 1000)
    recorder = record_vcenter(record, session_path, vcenter)
    rounds(recorder, 2)
    threads = psutil.Process(recorder.process.pid).num_threads()
    for kind, options in FAULTS:
        vcenter.fault(kind, **options)
        rounds(recorder, 1)
    vcenter.restart()
    last = realtime(rounds(recorder, 8))[0]["last_ms"] - 6000
    assert psutil.Process(recorder.process.pid).num_threads() <= threads + 1
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    assert recorder.stderr() == ""
    assert check_session(session_path, thorough=True) == []
    assert differences(session_path, vcenter, began - 40_000, last) == []
    (source,) = realtime(info(session_path, capsys))
    assert source["gaps"] == []
    assert source["samples"] == sum(len(samples) for samples in stored(session_path).values())


@pytest.mark.slow
def test_what_is_lost_is_a_gap_to_the_sample(
    record: Record, session_path: Path, vcenter: TestVCenter, capsys: pytest.CaptureFixture[str]
) -> None:
    recorder = record_vcenter(record, session_path, vcenter)
    now = realtime(rounds(recorder, 1))[0]["last_ms"] // 1000
    vcenter.fault("missing", entity="vm-00002", **{"from": now + 2, "to": now + 5})
    rounds(recorder, 8)
    recorder.say(do="pause")
    recorder.wait_for(lambda event: bool(event.get("paused")))
    recorder.say(do="resume")
    rounds(recorder, 3)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    (source,) = realtime(info(session_path, capsys))
    with SessionReader.open(session_path) as reader:
        names = {entity.ref.key: entity.name for entity in reader.entities().values()}
        gaps = [gap for gap in reader.gaps() if gap.entity is not None]
        others = [gap for gap in reader.gaps() if gap.entity is None and "paused" not in gap.reason]
    assert [(names[gap.entity.key], gap.start, gap.end, gap.ticks) for gap in gaps if gap.entity] == [
        ("vm-00002", (now + 3) * 1000, (now + 5) * 1000, 3)
    ]
    lost = sum(1 for key in stored(session_path) if key[:2] == ("vm", "vm-00002")) * 3
    lost += sum(gap.ticks or 0 for gap in others) * len(stored(session_path))  # of all, on a busy machine
    assert source["expected"] - source["received"] == lost


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on(record: Record, session_path: Path, vcenter: TestVCenter) -> None:
    kill_and_resume(record, session_path, vcenter, kills=3)


def kill_and_resume(record: Record, session: Path, server: TestVCenter, kills: int) -> None:
    """The session has every sample that the server had, whatever happened to the recorder meanwhile."""
    chance = random.Random(7)
    began = round(server.now() * 1000)
    for _ in range(kills):
        recorder = record_vcenter(record, session, server)
        recorder.wait_for(lambda event: event["event"] == "status")
        time.sleep(chance.uniform(0, 3))  # the moment is what the test is about
        recorder.process.kill()
        recorder.process.wait()
        if session.exists():
            assert check_session(session, thorough=True) == []
    recorder = record_vcenter(record, session, server)
    last = realtime(rounds(recorder, 4))[0]["last_ms"] - 2000
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    assert check_session(session, thorough=True) == []
    assert differences(session, server, began - 20_000, last) == []
    with SessionReader.open(session) as reader:
        names = [source.spec.name for source in reader.sources()]
        assert len(names) == len(set(names)) <= 2
        keys = [(one.source, one.entity, one.counter, one.spec.instance) for one in reader.series()]
        assert len(keys) == len(set(keys))


@pytest.mark.slow
def test_two_sources_at_once(record: Record, session_path: Path, start_vcenter: StartVCenter) -> None:
    """One of them restarts, then goes away for good: the other does not care."""
    first = start_vcenter(hosts=1, vms=2, interval=1, history=20, rollup=10, rollup_days=0)
    second = start_vcenter(hosts=1, vms=2, interval=1, history=20, rollup=10, rollup_days=0)
    recorder = record_vcenter(record, session_path, first, second.address, "--thumbprint", second.thumbprint)
    recorder.write(PASSWORD + "\n")
    began = recorder.wait_for(lambda event: has_begun(event) and len(realtime(event)) == 2)
    start = min(source["last_ms"] for source in realtime(began))
    second.restart()
    rounds(recorder, 4)
    second.stop()
    recorder.wait_for(lambda event: event["event"] == "warning" and event["state"] == "reconnecting")
    seen = recorder.events[-1]
    for _ in range(4):
        seen = recorder.wait_for(lambda event: event["event"] == "status")
    states = {source["name"]: source["state"] for source in realtime(seen)}
    assert sorted(states.values()) == ["reconnecting", "recording"]
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    with SessionReader.open(session_path) as reader:
        live = [source for source in reader.sources() if not source.spec.name.endswith(" rollups")]
        assert [source.state for source in live] == ["complete", "complete"]
        assert all(source.end is not None and source.end >= start for source in live)


def test_a_window_is_asked(record: Record, session_path: Path, vcenter: TestVCenter) -> None:
    """For the password and for the certificate; the answer to the latter is remembered."""
    words = (vcenter.address, "--attached", "--keep-free", "0")
    for run_number in range(2):
        recorder = record(session_path, *words)
        if run_number == 0:
            asked = recorder.wait_for(lambda event: event["event"] == "certificate")
            assert asked["sha256"] == vcenter.thumbprint
            recorder.say(do="trust", source=asked["source"], sha256=asked["sha256"])
        asked = recorder.wait_for(lambda event: event["event"] == "password")
        assert asked["source"] == vcenter.address
        recorder.say(do="password", source=asked["source"], password=PASSWORD)
        recorder.wait_for(has_begun)
        recorder.say(do="stop")
        assert recorder.end()["code"] == 0
        assert sum(event["event"] == "certificate" for event in recorder.events) == (run_number == 0)


FAILURES = {
    "wrong password": 27,
    "untrusted": 24,
    "changed certificate": 25,
    "refused": 22,
    "unknown host": 21,
    "a password in the address": 2,
}


@pytest.mark.parametrize(
    ("what", "existing"), [*((what, False) for what in FAILURES), ("wrong password", True), ("refused", True)]
)
def test_what_can_not_begin(
    record: Record, session_path: Path, vcenter: TestVCenter, what: str, existing: bool
) -> None:
    before = None
    if existing:
        first = record_vcenter(record, session_path, vcenter)
        rounds(first, 1)
        first.say(do="stop")
        assert first.end()["code"] == 0
        before = stored(session_path)
    address, pin, password = vcenter.address, vcenter.thumbprint, PASSWORD
    if what == "wrong password":
        password = "not " + PASSWORD
    elif what == "changed certificate":
        pin = ":".join(["AB"] * 32)
    elif what == "refused":
        vcenter.stop()
    elif what == "unknown host":
        address = "vcenter://a@no-such-host.invalid"
    elif what == "a password in the address":
        address = f"vcenter://a:{PASSWORD}@{vcenter.place.host}"
    pins = () if what == "untrusted" else ("--thumbprint", pin)
    recorder = record(session_path, address, *pins, "--password-stdin", "--keep-free", "0")
    recorder.write(password + "\n")
    assert recorder.process.wait(PATIENCE_S) == FAILURES[what]
    said = recorder.stderr()
    assert said.count("\n") == 1, said
    assert PASSWORD not in said
    if before is None:
        assert list(session_path.parent.glob("*.hscope*")) == []
    else:
        assert check_session(session_path, thorough=True) == []
        assert stored(session_path) == before


def test_no_trace_of_the_password(record: Record, session_path: Path, vcenter: TestVCenter) -> None:
    """Not in the session, the process list, the environment, the log, the crash reports or what it says."""
    home = session_path.parent / "home"
    recorder = record_vcenter(record, session_path, vcenter)
    rounds(recorder, 2)
    recorder.say(do="password", source="vcenter://nobody@asked", password=PASSWORD)
    recorder.write(f'{{"do": "password", "password": "{PASSWORD}", "source": 7}}\n')
    recorder.say(do="mark", text="harmless")
    vcenter.fault("expire")
    rounds(recorder, 3)
    process = psutil.Process(recorder.process.pid)
    shown = [*process.cmdline(), *(f"{name}={value}" for name, value in process.environ().items())]
    shown += [str(thread) for thread in process.threads()]
    recorder.say(do="stop")
    recorder.end()
    shown += [json.dumps(recorder.events, ensure_ascii=False), recorder.stderr()]
    assert not [text for text in shown if PASSWORD in text]
    files = [path for path in session_path.parent.rglob("*") if path.is_file()]
    assert session_path in files
    assert any(path.name == "record.log" and path.stat().st_size for path in files)
    needles = [PASSWORD.encode(coding) for coding in ("utf-8", "utf-16-le")]
    for path in files:
        data = path.read_bytes()
        assert not [needle for needle in needles if needle in data], path
    assert home.is_dir()


def test_no_trace_in_a_crash_report(tmp_path: Path) -> None:
    """A bug whose exceptions quote the password, in a thread, in a chain and at the top."""
    program = """
import sys, threading
from app.crash import report_crash
from resources.crash_reports import crash_folder
from recorder.hooks import install_hooks
from recorder.limits import load_recorder_limits
from recorder.log import RecorderLog
import logging
install_hooks(RecorderLog(crash_folder(), load_recorder_limits().log))
secret = sys.stdin.readline().strip()
logging.getLogger("connections.vsphere.login").warning("the password is %s", secret)
logging.getLogger(secret).error("x")
def login(password):
    try:
        raise KeyError(password)
    except KeyError as error:
        raise RuntimeError(f"login failed with {password}") from error
thread = threading.Thread(target=login, args=(secret,), name=secret)
thread.start()
thread.join()
try:
    login(secret)
except RuntimeError as error:
    report_crash(error)
"""
    script = tmp_path / "crashing.py"
    script.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        env=environment(tmp_path),
        input=PASSWORD + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    assert "RuntimeError" in done.stderr
    assert PASSWORD not in done.stdout + done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path != script]
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert len(texts) >= 2
    assert not [text for text in texts if PASSWORD in text]
    assert any("raise KeyError(password)" in text for text in texts)
    assert any("at=connections.vsphere.login:" in text for text in texts)


@pytest.mark.slow
@pytest.mark.thorough
def test_it_is_flat_over_many_pauses_and_faults(
    record: Record, session_path: Path, vcenter: TestVCenter
) -> None:
    recorder = record_vcenter(record, session_path, vcenter, "--no-backfill")
    rounds(recorder, 3)
    process = psutil.Process(recorder.process.pid)
    threads, files = process.num_threads(), process.num_fds() if hasattr(process, "num_fds") else 0
    for number in range(6):
        vcenter.fault("expire")
        vcenter.fault("disconnect", count=2)
        recorder.say(do="pause" if number % 2 else "resume")
        recorder.wait_for(lambda event: event["event"] == "status")
    recorder.say(do="resume")
    rounds(recorder, 3)
    assert process.num_threads() <= threads + 1
    if files:
        assert process.num_fds() <= files + 4
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
