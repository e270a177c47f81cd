"""Records a host by its own esxtop over ssh, until asked to stop: connects, streams, comes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from collectors.esxtop.over_ssh import refusals
from collectors.esxtop.over_ssh.questions import NoAnswer, RemoteHost, ask, ask_clock, esxtop_command
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
from resources.failures import SourceError, UsageError
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
    network is cut without a word, a watcher on the host ends it soon after.
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
        self._address, self._login = address, login
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
                if not host.rows or not refusals.is_transient(error):
                    raise
                wait_s = limits.first_wait_s if host.rows > before else min(limits.longest_wait_s, wait_s * 2)
                _wait_to_return(host, error, wait_s, controls)
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
            recorded.connected(host)
            command = esxtop_command(self._interval_s)
            with connection.start(command, self._limits.silence_s) as process:
                self._stream(connection, process, host, recorded, controls)

    @contextmanager
    def _connected(self, controls: Controls) -> Iterator[SshConnection]:
        connection = SshConnection(
            self._address,
            self._login,
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
    ) -> None:
        limits, others = self._limits, ""
        patience_s = limits.patience(self._interval_s)
        output = EsxtopOutput(load_catalogue(), limits.greeting_bytes, limits.headers)
        before = recorded.rows
        heard = signed = time.monotonic()
        while not controls.is_set() and not controls.paused:
            chunk = process.read(_READ_S)
            if time.monotonic() - signed >= limits.sign_s:
                process.give_sign()
                signed = time.monotonic()
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
