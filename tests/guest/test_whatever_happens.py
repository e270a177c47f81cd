"""Whatever happens to a guest, or on the way to it, the whole recorder goes on: by a real sshd."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest

from sessions.model import Source
from sessions.store import SessionReader, check_session
from tests.connections.ssh_servers import Sshd, keygen_fingerprint
from tests.esxtop_ssh.cut_network import network
from tests.guest.conftest import address_of
from tests.recorder.conftest import record
from tests.recorder.running import Event, Recorder
from tests.recorder.stored_gaps import times_and_gaps

__all__ = ["record"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the guest is this machine, and must be a Linux"),
]

_DATE = """\
ahead=$(cat '{folder}/clock')
echo $(($(/bin/date +%s%N) + ahead * 1000000000))
"""
_GREP = r"""
[ "$2" = '^intr ' ] || exec /bin/grep "$@"
case $(cat '{folder}/how') in
noise)
    head -c 20000 /dev/urandom
    printf '\n\033]0;owned\007$(reboot)\n/proc/stat:cpu 1 2\n'
    printf 'hyperscope-guest end\nhyperscope-guest sample\n\n'
    exec /bin/grep "$@";;
numbers) /bin/grep "$@" | sed 's/ [0-9]\{{3,\}}/ -9e999/g; s/ [0-9] / nan /g';;
huge) /bin/grep "$@" | sed '/uptime/!s/ [0-9]\{{3,\}}/ 99999999999999999999999999&/g';;
flood) yes '/proc/stat:cpu0 1 2 3 4 5 6 7 8 9 10' | head -c 6000000;;
half) /bin/grep "$@" | head -c 900; kill -9 $PPID;;
silence) sleep 1000;;
*) exec /bin/grep "$@";;
esac
"""


class OddGuest:
    """A guest over sshd: this machine, with a clock and counts that can be made odd."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        programs = folder / "bin"
        for one in (folder / "sshd", programs):
            one.mkdir(parents=True)
        self.server = Sshd(folder / "sshd")
        for name, script in (("date", _DATE), ("grep", _GREP)):
            (programs / name).write_text(f"#!/bin/sh\n{script.format(folder=folder)}", encoding="utf-8")
            (programs / name).chmod(0o755)
        self.server.options.append(f"SetEnv PATH={programs}:/usr/bin:/bin")
        self.clock(0)
        self.counts("as ever")
        self.server.start()

    def clock(self, ahead_s: int) -> None:
        """Set its clock: so far ahead of ours."""
        (self._folder / "clock").write_text(str(ahead_s), encoding="utf-8")

    def counts(self, how: str) -> None:
        """What its kernel seems to print from now on."""
        (self._folder / "how").write_text(how, encoding="utf-8")

    def sessions(self) -> list[psutil.Process]:
        """What its sshd has started for those who are logged in."""
        found: list[psutil.Process] = psutil.Process(self.server.pid).children(recursive=True)
        return found

    def restart(self, down: Callable[[], object]) -> None:
        """Its sshd ends with all that it serves, and starts when ``down`` returns."""
        serving = self.sessions()
        self.server.stop()
        kill(serving)
        down()
        self.server.start()


def kill(processes: list[psutil.Process]) -> None:
    for one in processes:
        with suppress(psutil.NoSuchProcess):
            one.kill()


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[OddGuest]:
    found = OddGuest(tmp_path / "guest")
    yield found
    kill(found.sessions())
    found.server.stop()


def status(recorder: Recorder, holds: Callable[[Event], bool]) -> Event:
    """Wait for a status in which the guest's source is so."""
    return recorder.wait_for(
        lambda event: event["event"] == "status" and bool(event["sources"]) and holds(event["sources"][0])
    )


def go_on(recorder: Recorder, samples: int = 3) -> None:
    last = status(recorder, lambda source: bool(source["last_ms"]))["sources"][0]["last_ms"]
    status(recorder, lambda source: source["last_ms"] >= last + samples * 1000 and not source["message"])


def is_lost(source: Event) -> bool:
    return bool(source["state"] == "reconnecting")


def test_the_gaps_are_exact_and_nothing_comes_twice(
    guest: OddGuest, record: Callable[..., Recorder], tmp_path: Path
) -> None:
    session = tmp_path / "S.hscope"
    with network(guest.server.host, guest.server.port) as between:
        address = str(address_of(guest.server)).replace(guest.server.host, "127.0.0.1")
        address = address.replace(str(guest.server.port), str(between.port))
        recorder = record(
            session, address, "--interval", "1s", "--key", str(guest.server.user_key), "--thumbprint",
            keygen_fingerprint(guest.server.host_keys[0]), "--attached", "--keep-free", "0",
        )  # fmt: skip
        go_on(recorder)
        process = psutil.Process(recorder.process.pid)
        threads = process.num_threads()
        for ahead_s in (600, -3600, 0):
            guest.clock(ahead_s)
            go_on(recorder, 4)
        for how in ("noise", "numbers", "huge"):
            guest.counts(how)
            for _ in range(5):
                recorder.wait_for(lambda event: event["event"] == "status")
            guest.counts("as ever")
            go_on(recorder)
        memory = process.memory_info().rss
        for how in ("flood", "half", "silence"):
            guest.counts(how)
            status(recorder, is_lost)
            guest.counts("as ever")
            go_on(recorder)
        guest.restart(lambda: status(recorder, lambda one: is_lost(one) and one["behind_s"] >= 4))
        go_on(recorder)
        unheard = guest.sessions()
        between.cut()
        status(recorder, is_lost)
        between.mend()
        go_on(recorder)
        kill(unheard)
        assert process.num_threads() <= threads + 1
        assert process.memory_info().rss < memory + 20 * (1 << 20)
        recorder.say(do="stop")
        assert recorder.end()["code"] == 0
    assert recorder.stderr() == ""
    told = [str(one) for event in recorder.events for one in event.get("sources", [event])]
    assert all(text.isprintable() for text in told), [text for text in told if not text.isprintable()]
    assert check_session(session, thorough=True) == []
    with SessionReader.open(session) as reader:
        (source,) = reader.sources()
        gaps_are_exact(reader, source)
        clocks = [one.text.partition(" was set ")[2] for one in reader.events() if " was set " in one.text]
        series = {one.id: one for one in reader.series()}
        ranges = {
            (series[number].counter, series[number].spec.instance): frame.values[:, column]
            for frame in reader.read(np.array(list(series)))
            for column, number in enumerate(frame.ids.tolist())
        }
    assert clocks == ["on by 10 min.", "back by 1 h 10 min.", "on by 1 h."]
    for (counter, _), values in ranges.items():
        there = values[~np.isnan(values)]
        assert np.isfinite(there).all(), counter
        assert (there >= 0).all(), counter
        if counter.startswith("guest.cpu_"):
            assert (there <= 100).all(), counter


def gaps_are_exact(reader: SessionReader, source: Source) -> None:
    """No sample is in a gap or twice; between two that are apart is one gap, from the first to the second."""
    times, gaps = times_and_gaps(reader, source)
    for before, after in itertools.pairwise(times):
        inside = [gap for gap in gaps if before < gap.start <= gap.end < after]
        if after - before > 1500:
            assert [(gap.start, gap.end) for gap in inside] == [(before + 1000, after - 1000)]
    assert all(gap.ticks == round((gap.end - gap.start) / 1000) + 1 for gap in gaps)
    assert source.spec.counted is not None
    expected, received = source.spec.counted
    assert expected - received > 0
