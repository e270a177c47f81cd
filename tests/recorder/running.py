"""The real recorder in a process of its own: started, spoken to, listened to, and ended in every way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sessions.model import FloatArray, SampleSource

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120.0

Event = dict[str, Any]


def environment(home: Path) -> dict[str, str]:
    """Our environment, with the user's folders below ``home``."""
    folders = {name: str(home / name.lower()) for name in ("XDG_STATE_HOME", "XDG_DATA_HOME")}
    keyring = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    return {**os.environ, **folders, **keyring, "HOME": str(home), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


class Recorder:
    """``hyperscope record … --json``: its events as they come. A context manager that leaves no process."""

    def __init__(self, session: Path, *words: str, home: Path, stdin: int = subprocess.PIPE) -> None:
        self.session = session
        self.events: list[Event] = []
        self.command = [sys.executable, "-m", "app", "record", *words, "-o", str(session), "--json"]
        self.process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            env=environment(home),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._changed = threading.Condition()
        self._over = False
        self._written: int | None = None
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def wait_for(self, wanted: Callable[[Event], bool], *, ever: bool = False) -> Event:
        """The first event that is wanted, from now on, of all if ``ever``; after ``write``, since then.

        An answer may come before anybody waits for it.
        """
        with self._changed:
            seen = 0 if ever else len(self.events) if self._written is None else self._written
            self._written = None
            found: list[Event] = []

            def is_there() -> bool:
                found.extend(event for event in self.events[seen:] if wanted(event))
                return bool(found) or self._over

            assert self._changed.wait_for(is_there, PATIENCE_S), f"waited in vain; last: {self.events[-1:]}"
            assert found, f"it ended before that: {self.events[-2:]}"
            return found[0]

    def wait_for_ticks(self, ticks: int) -> Event:
        """A status in which every source has given so many samples more per series than now."""
        start = self.wait_for(has_samples)
        before = start["samples"]
        wanted = before + ticks * sum(source["series"] for source in start["sources"]) * 0.9
        return self.wait_for(lambda event: event["event"] == "status" and event["samples"] >= wanted)

    def say(self, **command: object) -> None:
        """A command on its stdin."""
        self.write(json.dumps(command) + "\n")

    def write(self, text: str) -> None:
        """Anything on its stdin."""
        assert self.process.stdin is not None
        with self._changed:
            self._written = len(self.events)
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def close_stdin(self) -> None:
        """The end of its stdin."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def signal(self, number: signal.Signals) -> None:
        """A signal."""
        self.process.send_signal(number)

    def end(self) -> Event:
        """Wait for its end; its last event."""
        self._reader.join(PATIENCE_S)
        assert not self._reader.is_alive(), f"it does not end; last: {self.events[-1:]}"
        code = self.process.wait(PATIENCE_S)
        assert self.events, self.stderr()
        last = self.events[-1]
        assert last["event"] == "ended", (last, self.stderr())
        assert last["code"] == code
        return last

    def stderr(self) -> str:
        """What it said on stderr, after its end."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self.events.append(json.loads(line))
                self._changed.notify_all()
        with self._changed:
            self._over = True
            self._changed.notify_all()


def has_samples(event: Event) -> bool:
    """Whether it is a status in which every source has given something."""
    return (
        event["event"] == "status"
        and bool(event["sources"])
        and event["samples"] > 0
        and all(source["last_ms"] for source in event["sources"])
    )


def samples_of(session: SampleSource) -> dict[tuple[str, ...], tuple[bytes, bytes]]:
    """Times and values of every series by source, entity, counter and instance; to compare whole sessions."""
    names = {source.id: source.spec.name for source in session.sources()}
    found: dict[tuple[str, ...], tuple[bytes, bytes]] = {}
    by_id = {one.id: one for one in session.series()}
    for frame in session.read(np.array(list(by_id))):
        for column, number in enumerate(frame.ids.tolist()):
            one = by_id[number]
            values: FloatArray = frame.values[:, column]
            there = np.flatnonzero(~np.isnan(values))
            key = (names[one.source], one.entity.kind, one.entity.key, one.counter, one.spec.instance)
            found[key] = (frame.times[there].tobytes(), values[there].tobytes())
    return found
