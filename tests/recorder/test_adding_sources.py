"""Sources are added to a running recording, and taken out of it, while the others go on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from collectors.feed import Controls, Feed, Layout
from recorder.limits import load_recorder_limits
from recorder.recording import Recording
from recorder.writing import SpaceRules
from resources.failures import LoginError, NotFoundError, UsageError
from sessions.store import SessionReader, check_session
from tests.esxtop_service.conftest import replies
from tests.esxtop_service.service_files import HOSTS
from tests.recorder.conftest import Record
from tests.recorder.running import Event
from tests.recorder.scripted import RULES, SERIES, Scripted, Work, ticks, ticks_then, until_stopped
from tests.recorder.vcenters import has_begun, record_vcenter
from tests.vcenter.conftest import start_vcenter
from tests.vcenter.running import USER, TestVCenter

__all__ = ["replies", "start_vcenter"]


@contextmanager
def running(path: Path, *collectors: Scripted, rules: SpaceRules = RULES) -> Iterator[Recording]:
    recording = Recording(collectors, path, load_recorder_limits(), rules)
    recording.start()
    try:
        yield recording
    finally:
        recording.stop()
        recording.finish()


def then_until_stopped(count: int, first: int, done: threading.Event) -> Work:
    def work(feed: Feed, controls: Controls, source: int, layout: Layout) -> None:
        ticks(count, first)(feed, controls, source, layout)
        done.set()
        controls.wait()

    return work


def until(done: Callable[[], bool]) -> None:
    pause = threading.Event()
    while not done():
        pause.wait(0.01)


def is_over(recording: Recording, name: str) -> bool:
    return next(one for one in recording.status().collectors if one.name == name).is_over


def test_one_comes_and_goes_and_comes_again(session_path: Path) -> None:
    """Each time with its own samples, in one source of the session."""
    first, second = threading.Event(), threading.Event()
    recording = Recording([Scripted("vc01", until_stopped)], session_path, load_recorder_limits(), RULES)
    recording.start()
    recording.add(Scripted("esx01", then_until_stopped(4, 0, first)))
    assert first.wait(300)
    recording.remove("esx01")
    until(lambda: is_over(recording, "esx01"))
    recording.add(Scripted("esx01", then_until_stopped(6, 4, second)))
    assert second.wait(300)
    names = [source.name for source in recording.status().sources]
    recording.stop()
    outcome = recording.finish()
    assert names == ["vc01", "esx01"]
    assert (outcome.code, outcome.samples) == (0, 13 * SERIES)
    assert (outcome.expected, outcome.received) == (13 * SERIES, 13 * SERIES)
    assert check_session(session_path, thorough=True) == []
    with SessionReader.open(session_path) as reader:
        found = {one.spec.name: (one.samples, one.spec.counted) for one in reader.sources()}
    assert found == {
        "vc01": (3 * SERIES, (3 * SERIES, 3 * SERIES)),
        "esx01": (10 * SERIES, (10 * SERIES, 10 * SERIES)),
    }


def test_what_came_again_goes_on_in_the_next_part(session_path: Path) -> None:
    first, second, third = (threading.Event() for _ in range(3))
    small = SpaceRules(keep_free=0, rotate_after_s=0, rotate_after_bytes=90_000)
    with running(session_path, Scripted("vc01", until_stopped), rules=small) as recording:
        recording.add(Scripted("esx01", then_until_stopped(4, 0, first)))
        assert first.wait(300)
        recording.remove("esx01")
        until(lambda: is_over(recording, "esx01"))
        recording.add(Scripted("esx01", then_until_stopped(4, 4, second)))
        assert second.wait(300)
        recording.add(Scripted("esx02", then_until_stopped(2000, 0, third)))
        assert third.wait(300)
        until(lambda: recording.session != session_path)
    parts = sorted(session_path.parent.glob("*.hscope"))
    assert len(parts) > 1
    for part in parts:
        assert check_session(part, thorough=True) == []
    with SessionReader.open(parts[-1]) as reader:
        assert [one.spec.name for one in reader.sources()] == ["vc01", "esx01", "esx02"]


def test_what_fails_is_its_own_failure_and_may_be_tried_again(session_path: Path) -> None:
    came = threading.Event()
    with running(session_path, Scripted("vc01", until_stopped)) as recording:
        recording.add(Scripted("esx01", ticks_then(LoginError("Wrong password."))))
        until(lambda: is_over(recording, "esx01"))
        until(lambda: bool(recording.status().sources[1].health.message))  # told right after its end
        status = recording.status()
        assert [one.error is not None for one in status.collectors] == [False, True]
        assert status.sources[1].health.message == "Wrong password."
        recording.add(Scripted("esx01", then_until_stopped(4, 3, came)))
        assert came.wait(300)
        assert [one.error for one in recording.status().collectors] == [None, None]


def test_what_can_not_be_is_refused(session_path: Path) -> None:
    with running(session_path, Scripted("vc01", until_stopped)) as recording:
        with pytest.raises(UsageError, match="vc01 is recorded already"):
            recording.add(Scripted("vc01", until_stopped))
        with pytest.raises(NotFoundError, match="esx09 is not recorded"):
            recording.remove("esx09")
        with pytest.raises(UsageError, match="only source"):
            recording.remove("vc01")
        recording.stop()
        with pytest.raises(UsageError, match="ending"):
            recording.add(Scripted("esx01", until_stopped))


def watched(server: TestVCenter, host: str) -> str:
    return f"{server.address.replace('vcenter://', 'esxtop://')}/{host}"


def has_esxtop(event: Event) -> bool:
    return event["event"] == "status" and any(
        one["kind"] == "esxtop" and one["received"] > 0 and one["state"] == "recording"
        for one in event["sources"]
    )


def collector_over(address: str, code: int) -> Callable[[Event], bool]:
    def is_it(event: Event) -> bool:
        return event["event"] == "status" and any(
            one["name"] == address and one["is_over"] and one["code"] == code for one in event["collectors"]
        )

    return is_it


@pytest.mark.slow
def test_a_host_of_a_vcenter_is_watched_with_esxtop(
    record: Record, session_path: Path, start_vcenter: Callable[..., TestVCenter], replies: Path
) -> None:
    """Through the login that the vCenter's recording has: nobody is asked again for a password."""
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, esxtop=replies, esxtop_interval=2
    )
    host = watched(server, HOSTS[0])
    recorder = record_vcenter(record, session_path, server)
    recorder.wait_for(has_begun)
    recorder.say(do="add source", source=host, interval_s=2.0)
    recorder.wait_for(has_esxtop)
    recorder.say(do="remove source", source=host)
    recorder.wait_for(collector_over(host, 0))
    assert server.stats()["requests"][f"FreeStats:{HOSTS[0]}"] == 1
    recorder.say(do="add source", source=host, interval_s=2.0)
    recorder.wait_for(has_esxtop)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    assert not [event for event in recorder.events if event["event"] == "password"]
    with SessionReader.open(session_path) as reader:
        sources = {one.spec.name: one for one in reader.sources()}
        assert sources[HOSTS[0]].spec.kind == "esxtop"
        hosts = {ref.key for ref in reader.entities() if ref.kind == "host"}
        assert hosts == set(HOSTS)  # the esxtop of a host is of the host that the vCenter names
    assert check_session(session_path, thorough=True) == []


@pytest.mark.slow
def test_an_account_without_the_privilege_is_told_and_the_rest_goes_on(
    record: Record, session_path: Path, start_vcenter: Callable[..., TestVCenter], replies: Path
) -> None:
    server = start_vcenter(
        hosts=2, vms=2, interval=1, history=30, rollup=10, rollup_days=0, esxtop=replies, esxtop_interval=2,
        deny=f"{USER}=Global.ServiceManagers",
    )  # fmt: skip
    host = watched(server, HOSTS[0])
    recorder = record_vcenter(record, session_path, server)
    recorder.wait_for(has_begun)
    recorder.say(do="add source", source=host)
    status = recorder.wait_for(
        lambda event: event["event"] == "status" and any(one["is_over"] for one in event["collectors"])
    )
    [refused] = [one for one in status["collectors"] if one["is_over"]]
    assert refused["name"] == host
    assert "may not use the esxtop service" in refused["message"]
    assert "ssh://root@" in refused["message"]
    recorder.say(do="add source", source="esxtop://")
    warned = recorder.wait_for(lambda event: event["event"] == "warning")
    assert "esxtop://" in warned["message"]
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
