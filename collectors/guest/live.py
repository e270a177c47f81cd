"""Records a guest over ssh by one loop in its shell, until asked to stop."""

from __future__ import annotations

import shlex
import time
from contextlib import closing
from random import random as _chance

from collectors.feed import PAUSED, Controls, Feed
from collectors.guest.frames import FrameReader
from collectors.guest.options import GuestOptions, guest_interval
from collectors.guest.watching import GuestWatching, Watched
from collectors.guest.windows import follow_windows, is_windows
from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.ssh.connection import SshConnection, TimeOuts
from connections.ssh.login import SshLogin
from connections.ssh.process import RemoteProcess
from connections.untrusted import Ask
from resources.failures import (
    ChangedCertificateError,
    LoginError,
    NotSSHError,
    PrivilegeError,
    SourceError,
    TimedOutError,
    UntrustedError,
)
from resources.foreign_text import shown
from resources.guest_counters import load_guest_counters, load_windows_counters
from resources.guest_scripts import guest_script

_STEP_S = 0.2
_FIRST_BACKOFF_S, _MAX_BACKOFF_S = 1.0, 30.0
_TIME_OUTS = TimeOuts()
_LASTING = (ChangedCertificateError, ClosedError, LoginError, PrivilegeError, UntrustedError)
"""Failures that need a person; after any other the guest may be there again."""


class GuestCollector:
    """A ``feed.Collector`` for ``guest://user@machine``: one connection, and one loop of a shell in it.

    All else as in ``SshConnection``.
    """

    def __init__(
        self,
        address: Address,
        login: SshLogin,
        options: GuestOptions,
        *,
        pin: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
        time_outs: TimeOuts = _TIME_OUTS,
    ) -> None:
        self._address, self._login = address, login
        self._pin, self._known, self._ask, self._time_outs = pin, known, ask, time_outs
        self._counters = load_guest_counters()
        self._interval_s = guest_interval(options, self._counters.limits)
        self._is_windows: bool | None = None

    @property
    def name(self) -> str:
        """The connection's name in messages: ``guest://root@app01.lab``."""
        return str(self._address)

    def run(self, feed: Feed, controls: Controls) -> None:
        """Record until asked to stop. Raises HyperscopeError for failures that need a person."""
        connection = self._connected()  # a guest that is not there at first is a mistake in its address
        watched = Watched(self._address.place, self._address.host)
        watching = GuestWatching(feed, watched, self._counters, self._interval_s)
        failures = 0
        while True:
            before_ms = watching.last_ms
            try:
                with closing(connection):
                    while not controls.is_set():
                        self._follow(connection, watching, controls)
                        self._rest(watching, controls)
            except SourceError as error:
                if isinstance(error, _LASTING) or not watching.has_begun:
                    raise
                failures = failures + 1 if watching.last_ms == before_ms else 1
                self._lost(error, watching)
            fresh = self._connected_again(watching, controls, failures)
            if fresh is None:
                break
            connection = fresh
        watching.end()

    def _connected(self) -> SshConnection:
        connection = SshConnection(
            self._address,
            self._login,
            pin=self._pin,
            known=self._known,
            ask=self._ask,
            time_outs=self._time_outs,
        )
        connection.open()
        return connection

    def _connected_again(
        self, watching: GuestWatching, controls: Controls, failures: int
    ) -> SshConnection | None:
        """Connect with growing pauses until the guest is there; None if asked to stop."""
        while not controls.is_set():
            pause = min(_MAX_BACKOFF_S, _FIRST_BACKOFF_S * 2 ** min(failures - 1, 6))
            if controls.wait(pause * (0.5 + _chance() / 2)):  # noqa: S311 - many must not return at once
                return None
            try:
                return self._connected()
            except SourceError as error:
                if isinstance(error, _LASTING):
                    raise
                failures += 1
                self._lost(error, watching)
        return None

    def _lost(self, error: SourceError, watching: GuestWatching) -> None:
        watching.miss(error.happened)
        watching.report("reconnecting", error.happened)

    def _follow(self, connection: SshConnection, watching: GuestWatching, controls: Controls) -> None:
        """Take what the loop prints, until asked to stop or to pause. Raises SourceError."""
        limits = self._counters.limits
        silent_s = limits.silent_s + limits.silent_intervals * self._interval_s
        if self._is_windows is None:
            self._is_windows = is_windows(connection)
        if self._is_windows:
            follow_windows(
                connection, watching, controls, load_windows_counters(), self._interval_s, silent_s
            )
            return
        reader = FrameReader(self._address.place, limits.frame_bytes)
        watching.forget()
        with connection.start(_command(self._interval_s), limits.deaf_s) as process:
            heard = signed = time.monotonic()
            while not controls.is_set() and not controls.paused:
                chunk = process.read(_STEP_S)
                if time.monotonic() - signed > limits.deaf_s / 4:
                    process.give_sign()
                    signed = time.monotonic()
                if chunk == b"":
                    raise self._ended(process)
                if chunk:
                    heard = time.monotonic()
                    for frame in reader.feed(chunk):
                        watching.take(frame)
                elif time.monotonic() - heard > silent_s:
                    raise TimedOutError(
                        f"{self._address.place} has said nothing for {silent_s:g} s.",
                        meaning="The guest hangs, or is not run by its host.",
                        advice="Look at its console.",
                    )

    def _rest(self, watching: GuestWatching, controls: Controls) -> None:
        """While paused no loop runs in the guest."""
        while controls.paused and not controls.is_set():
            watching.miss(PAUSED)
            watching.report("paused")
            controls.wait(self._interval_s)

    def _ended(self, process: RemoteProcess) -> SourceError:
        code = process.exit_code(_STEP_S)
        said = shown(process.stderr.strip(), 200)
        return NotSSHError(
            f"The shell of {self._address.place} ended the loop that reads its counters"
            f"{'' if code is None else f' (exit code {code})'}.",
            meaning=f"It says: {said}" if said else "It is no Linux guest, or its user has no shell there.",
            advice="Try 'sh -c \"cat /proc/uptime\"' there over ssh.",
        )


def _command(interval_s: int) -> str:
    """The command line of the loop: a script that never changes, and a number."""
    return f"exec sh -c {shlex.quote(guest_script('watch.sh'))} sh {interval_s:d}"
