"""Records a host by its own esxtop over ssh, until asked to stop: connects, streams, comes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from collectors.esxtop.over_ssh import refusals
from collectors.esxtop.over_ssh.questions import (
    NoAnswer,
    RemoteHost,
    ask,
    ask_clock,
    ask_objects,
    ask_running,
    esxtop_command,
)
from collectors.esxtop.over_ssh.recorded_host import RecordedHost
from collectors.esxtop.over_ssh.stream import EsxtopOutput, OtherLine, Row
from collectors.feed import PAUSED, Controls, Feed
from connections.address import Address
from connections.failures import ClosedError
from connections.known_hosts import KnownHosts
from connections.ssh.connection import SshConnection, TimeOuts
from connections.ssh.login import SshLogin
from connections.ssh.process import RemoteProcess
from connections.untrusted import Ask
from resources.catalogue import load_catalogue
from resources.esxtop_streaming import Streaming, load_esxtop_streaming
from resources.failures import LoginError, SourceError, UsageError
from resources.foreign_text import shown

_READ_S = 0.5
_PAUSE_S = 0.2
_ENDING_S = 2.0
_MOST_SAID = 200


@dataclass(frozen=True, slots=True)
class SshPace:
    """``interval_s``: seconds between samples, None for the usual."""

    interval_s: float | None = None


class EsxtopSshCollector:
    """A ``feed.Collector`` for ``ssh://user@host``: one host, one ``esxtop -b -a`` on it.

    Whichever way it ends, no esxtop of ours is left on the host: it ends with the connection, and where a
    network is cut without a word, a watcher on the host ends it soon after. Where a key lets us in, no
    password is tried after that: while the key is refused, in lockdown mode, it is waited for.
    """

    def __init__(
        self,
        address: Address,
        login: SshLogin,
        pace: SshPace = SshPace(),
        *,
        pin: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
        time_outs: TimeOuts | None = None,
        streaming: Streaming | None = None,
    ) -> None:
        self._address, self._login, self._is_by_key = address, login, False
        self._pin, self._known, self._ask, self._time_outs = pin, known, ask, time_outs or TimeOuts()
        self._limits = streaming or load_esxtop_streaming()
        self._interval_s = _interval(pace, self._limits)

    @property
    def name(self) -> str:
        """The connection's name in messages: ``ssh://root@esx01``."""
        return str(self._address)

    def run(self, feed: Feed, controls: Controls) -> None:
        """Record until asked to stop. Raises HyperscopeError for failures that need a person."""
        limits = self._limits
        host = RecordedHost(feed, self._address.host, self._interval_s, limits, load_catalogue())
        wait_s = limits.first_wait_s
        while not controls.is_set():
            if controls.paused:
                host.miss(PAUSED, state="paused")
                controls.wait(_PAUSE_S)
                continue
            before = host.rows
            try:
                self._record_once(host, controls)
            except ClosedError:
                if not controls.is_set():
                    raise
            except SourceError as error:
                is_refused = isinstance(error, LoginError) and self._is_by_key
                if not host.rows or not (is_refused or refusals.is_transient(error)):
                    host.miss(error.happened, str(error), "failed")
                    raise
                wait_s = limits.first_wait_s if host.rows > before else min(limits.longest_wait_s, wait_s * 2)
                _wait_to_return(host, error, limits.refused_wait_s if is_refused else wait_s, controls)
        host.end()

    def _record_once(self, recorded: RecordedHost, controls: Controls) -> None:
        """Connect and stream until asked to stop or to pause. Raises SourceError for what breaks it."""
        with self._connected(controls) as connection:
            with _closed_on_stop(connection, controls):
                host = ask(connection, self._limits.answer_s)
            refusal = refusals.unusable(host, self._address)
            if refusal is not None or isinstance(host, NoAnswer):
                assert refusal is not None
                raise refusal
            command = esxtop_command(self._interval_s)
            now: RemoteHost | None = host
            while now is not None:
                recorded.connected(now)
                with connection.start(command, self._limits.silence_s) as process:
                    now = self._stream(connection, process, now, recorded, controls)

    @contextmanager
    def _connected(self, controls: Controls) -> Iterator[SshConnection]:
        used: list[bool] = []

        def password() -> str:
            used.append(True)
            return "" if given is None else given()

        given = self._login.password
        login = self._login if given is None else replace(self._login, password=password)
        connection = SshConnection(
            self._address,
            replace(login, password=None) if self._is_by_key else login,
            pin=self._pin,
            known=self._known,
            ask=self._ask,
            time_outs=self._time_outs,
        )
        try:
            with _closed_on_stop(connection, controls):
                connection.open()
        except SourceError as error:
            translated = refusals.connecting_failed(error, self._address)
            if translated is error:
                raise
            raise translated from error
        self._is_by_key = not used
        try:
            yield connection
        finally:
            connection.close()

    def _stream(
        self,
        connection: SshConnection,
        process: RemoteProcess,
        host: RemoteHost,
        recorded: RecordedHost,
        controls: Controls,
    ) -> RemoteHost | None:
        """Take what esxtop writes until asked to stop or to pause: None; or until VMs come that it can't
        show: the host as it is now. Raises SourceError.
        """
        limits, others = self._limits, ""
        patience_s = limits.patience(self._interval_s)
        output = EsxtopOutput(load_catalogue(), limits.greeting_bytes, limits.headers)
        before, heard = recorded.rows, time.monotonic()
        sign, look = _Every(limits.sign_s), _Every(limits.vms_s)
        while not controls.is_set() and not controls.paused:
            chunk = process.read(_READ_S)
            if sign.is_due():
                process.give_sign()
            if chunk == b"":
                code = process.exit_code(_ENDING_S)
                said = _last_line(process.stderr) or others
                raise refusals.ended(code, said, host, self._address, had_rows=recorded.rows > before)
            for written in output.read(chunk or b""):
                if isinstance(written, OtherLine) and output.header is None:
                    others = written.text
                if isinstance(written, Row):
                    heard = time.monotonic()  # what is no row is no sign that esxtop works
                recorded.take(written, lambda: ask_clock(connection, limits.answer_s))
            recorded.hear(_last_line(process.stderr))
            if chunk is None:
                recorded.report("recording")
            if time.monotonic() - heard > patience_s:
                raise refusals.nothing_written(self._address, patience_s, others)
            is_looked_at = recorded.rows > before and look.is_due()
            if is_looked_at and (now := _with_new_vms(connection, host, controls)) is not None:
                return now
        return None


class _Every:
    """Says when so many seconds have passed since it last said so."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._last = seconds, time.monotonic()

    def is_due(self) -> bool:
        """Return True once in each of its times."""
        if time.monotonic() - self._last < self._seconds:
            return False
        self._last = time.monotonic()
        return True


def _with_new_vms(connection: SshConnection, host: RemoteHost, controls: Controls) -> RemoteHost | None:
    """The host as it is now, if VMs run on it that did not when its esxtop was started; else None."""
    if host.running is None:
        return None
    with _closed_on_stop(connection, controls):
        running = ask_running(connection)
        if running is None or running <= host.running:
            return None
        return replace(host, running=running, objects=ask_objects(connection), clock=None)


@contextmanager
def _closed_on_stop(connection: SshConnection, controls: Controls) -> Iterator[None]:
    """While something waits for the host, a request to stop closes the connection under it."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_PAUSE_S):
            if controls.is_set():
                connection.close()
                return

    watcher = threading.Thread(target=watch, name="esxtop-ssh-stop", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _wait_to_return(host: RecordedHost, error: SourceError, wait_s: float, controls: Controls) -> None:
    """Wait before the next try, or until asked to stop or to pause, while the gap grows."""
    end = time.monotonic() + wait_s
    while (left := end - time.monotonic()) > 0 and not controls.paused:
        host.miss(error.happened, str(error))
        if controls.wait(min(1.0, left)):
            return


def _last_line(stderr: str) -> str:
    """The last line of stderr that says something, as text that is safe to show."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    return shown(lines[-1].strip(), _MOST_SAID) if lines else ""


def _interval(pace: SshPace, limits: Streaming) -> int:
    if pace.interval_s is None:
        return limits.usual_s
    if pace.interval_s < limits.least_s:
        raise UsageError(
            f"--interval: esxtop takes a sample every {limits.least_s} s at most.",
            meaning="It refuses less, and each sample costs the host some.",
        )
    if pace.interval_s != int(pace.interval_s):
        raise UsageError(
            "--interval: esxtop counts in whole seconds.",
            advice=f"Take {int(pace.interval_s)} or {int(pace.interval_s) + 1} s.",
        )
    return int(pace.interval_s)
