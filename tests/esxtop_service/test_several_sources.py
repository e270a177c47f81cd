"""``hyperscope record`` of a vCenter and of its hosts' esxtop services at once, by the whole process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from sessions.store import SessionReader, check_session
from tests.esxtop_service.joined_site import write_moving_site, write_site
from tests.recorder.conftest import record
from tests.recorder.running import ROOT, Event, Recorder, environment
from tests.recorder.stored_gaps import gaps_are_exact
from tests.vcenter.running import PASSWORD, TestVCenter

__all__ = ["record"]

pytestmark = pytest.mark.slow
NOBODY = "esxi://root@127.0.0.1:9"


def has_all(event: Event) -> bool:
    """Whether the vCenter and both hosts have samples."""
    if event["event"] != "status":
        return False
    kinds = [one["kind"] for one in event["sources"] if one["received"]]
    return kinds.count("esxtop") == 2 and "vcenter" in kinds


def command(home: Path, *words: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "app", *words], cwd=ROOT, env=environment(home), capture_output=True,
        text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return run.stdout


def test_one_password_many_sources_and_one_that_fails(
    start_vcenter: Callable[..., TestVCenter], record: Callable[..., Recorder], tmp_path: Path
) -> None:
    document, replies, lab = write_site(tmp_path)
    server = start_vcenter(document, esxtop=replies, esxtop_interval=2)
    first, second = lab.hosts[:2]
    esxtop = server.address.replace("vcenter://", "esxtop://")
    session = tmp_path / "S.hscope"
    recorder = record(
        session, server.address, f"{esxtop}/{first}", f"{esxtop}/{second}", NOBODY, "--interval", "2s",
        "--thumbprint", server.thumbprint, "--password-stdin", "--attached", "--keep-free", "0",
    )  # fmt: skip
    recorder.write(f"{PASSWORD}\nfor nobody\n")
    status = recorder.wait_for(has_all)
    failed = [one for one in status["collectors"] if one["code"]]
    assert [one["name"] for one in failed] == [NOBODY]
    assert failed[0]["message"]
    recorder.say(do="stop")
    ended = recorder.end()
    assert (ended["code"], ended["without_samples"]) == (0, [NOBODY])
    with SessionReader.open(session) as reader:
        sources = {(one.spec.kind, one.spec.name) for one in reader.sources()}
        assert sources >= {("esxtop", first), ("esxtop", second)}
        kinds = {one.id: one.spec.kind for one in reader.sources()}
        vms: dict[str, set[str]] = {}
        for one in reader.series(["cpu.ready"]):
            if one.entity.kind == "vm":
                vms.setdefault(one.entity.key, set()).add(kinds[one.source])
        joined = [key for key, told in vms.items() if told == {"vcenter", "esxtop"}]
        assert len(joined) > 10
        assert not [key for key, told in vms.items() if told == {"esxtop"}]
    assert "a guess" not in command(tmp_path, "info", str(session))


def last_of(event: Event) -> dict[str, int]:
    """The time of each host's last sample in a status."""
    return {one["name"]: one["last_ms"] or 0 for one in event["sources"] if one["kind"] == "esxtop"}


def go_on(recorder: Recorder, samples: int = 2) -> Event:
    """Wait until each host has so many samples more, in a recording at two seconds."""
    before = last_of(recorder.wait_for(has_all))

    def has_more(event: Event) -> bool:
        now = last_of(event) if event["event"] == "status" else {}
        return bool(now) and all(now[name] >= last + samples * 2000 for name, last in before.items())

    return recorder.wait_for(has_more)


def test_whatever_happens_the_gaps_are_exact_and_nothing_comes_twice(
    start_vcenter: Callable[..., TestVCenter], record: Callable[..., Recorder], tmp_path: Path
) -> None:
    document, replies, lab, vm = write_moving_site(tmp_path, at=20, ticks=150)
    server = start_vcenter(document, esxtop=replies, esxtop_interval=2)
    first, second = lab.hosts[:2]
    name = next(one.name for one in lab.cluster.vms if one.host == 0)
    esxtop = server.address.replace("vcenter://", "esxtop://")
    session = tmp_path / "S.hscope"
    recorder = record(
        session, server.address, f"{esxtop}/{first}", f"{esxtop}/{second}", "--interval", "2s",
        "--thumbprint", server.thumbprint, "--password-stdin", "--attached", "--keep-free", "0",
    )  # fmt: skip
    recorder.write(f"{PASSWORD}\n")
    go_on(recorder)
    process = psutil.Process(recorder.process.pid)
    happenings: list[tuple[str, dict[str, object]]] = [
        ("half", {"method": "ExecuteSimpleCommand", "bytes": 20_000, "count": 1}),
        ("html", {"method": "ExecuteSimpleCommand", "count": 1}),
        ("esxtop", {"host": first, "value": "silent"}),
        ("esxtop", {"host": first, "value": ""}),
        ("expire", {}),
        ("host_maintenance", {"host": second, "on": True}),
        ("vm_moved", {"vm": name, "host": second}),
        ("host_clock", {"host": second, "seconds": 120}),
        ("disconnect", {"count": 2}),
    ]
    threads, memory = process.num_threads(), 0
    for number, (kind, options) in enumerate(happenings):
        server.fault(kind, **options)
        if options.get("value") == "silent":
            recorder.wait_for(lambda event: event["event"] == "status" and event["gaps"] > 0)
        else:
            go_on(recorder)
        memory = process.memory_info().rss if number == 4 else memory
    server.restart()
    status = go_on(recorder)
    assert process.num_threads() <= threads + 2
    assert process.memory_info().rss < memory + 40 * (1 << 20)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    assert recorder.stderr() == ""
    assert check_session(session, thorough=True) == []
    assert status["sources"]
    with SessionReader.open(session) as reader:
        hosts = [one for one in reader.sources() if one.spec.kind == "esxtop"]
        for source in hosts:
            gaps_are_exact(reader, source)
        told = {one.source for one in reader.series(["cpu.ready"]) if one.entity == vm}
        assert told >= {source.id for source in hosts}, "it is one VM on both hosts"
        assert not [ref for ref in reader.entities() if ref.kind == "vm" and "/vm/" in ref.key]
        clocks = [one.text for one in reader.events() if one.kind == "clock"]
        assert clocks.count(f"The clock of {second} was set forward by 2 min") == 1
