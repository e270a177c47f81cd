"""One logged-in ssh connection to a host or a guest, over which commands are run."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass

from paramiko import Channel, ChannelException, IncompatiblePeer, SSHException, Transport

from connections.address import Address
from connections.failures import ClosedError, unconnected
from connections.fingerprints import key_fingerprint_of
from connections.known_hosts import KnownHosts
from connections.lifetime import ServerConnection
from connections.ssh.conversation import Conversation
from connections.ssh.faults import VENDOR, broken, no_common_way, not_ssh, silent, translated
from connections.ssh.host_key import HostKeyTrust
from connections.ssh.keepalive import KeepAlive
from connections.ssh.login import SshLogin, log_in
from connections.ssh.process import RemoteProcess, ended_by_silence, ended_by_stdin
from connections.untrusted import Ask
from resources.failures import SourceError, TimedOutError

_ENDING_S = 5.0
_TRAFFIC_S = 30


@dataclass(frozen=True, slots=True)
class TimeOuts:
    """The time-outs of an ssh connection in seconds: TCP connect, banner and key exchange, login.

    Every ``keepalive_s`` the machine is asked whether it is alive; ``answer_s`` bounds the wait for that
    answer, and for a command to start. With None it is asked nothing, and no thread does so: whoever uses
    the connection notices its silence.
    """

    connect_s: float = 10.0
    handshake_s: float = 15.0
    login_s: float = 30.0
    keepalive_s: float | None = 15.0
    answer_s: float = 15.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command: ``exit_code`` is None if a signal ended it; ``stderr`` is the
    end of its stderr.
    """

    exit_code: int | None
    stdout: bytes
    stderr: str


class SshConnection(ServerConnection):
    """A logged-in ssh connection to a host or a guest; thread-safe once it is open.

    Call ``open`` before use and ``close`` after, or use ``with``. ``pin`` is the fingerprint that the host
    key must have; without a pin ``known`` and ``ask`` decide.
    """

    def __init__(
        self,
        address: Address,
        login: SshLogin,
        *,
        pin: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
        time_outs: TimeOuts = TimeOuts(),
    ) -> None:
        super().__init__(address)
        self._login, self._time_outs = login, time_outs
        self._trust = HostKeyTrust(address, pin=pin, known=known, ask=ask)
        self._socket: socket.socket | None = None
        self._transport: Transport | None = None
        self._keepalive: KeepAlive | None = None
        self._closed = threading.Event()
        self._silence: SourceError | None = None

    def open(self) -> None:
        """Connect, check the host key, log in.

        Raises SourceError, UsageError; after a failure it stays closed.
        """
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            try:
                self._open()
            except SourceError as error:
                if self._closed.is_set():
                    raise ClosedError from error
                raise
            undo.pop_all()

    def _open(self) -> None:
        transport = self._handshake(self._connect_socket())
        key = transport.get_remote_server_key()
        self._trust.check(key_fingerprint_of(key.get_name(), key.asbytes()))
        log_in(transport, self.address, self._login)
        every_s = self._time_outs.keepalive_s
        if every_s is None:
            transport.set_keepalive(_TRAFFIC_S)  # for firewalls that forget connections without traffic
        else:
            self._keepalive = KeepAlive(transport, every_s, self._time_outs.answer_s, self._close_silent)

    def _connect_socket(self) -> socket.socket:
        where = (self.address.host, self.address.port)
        try:
            connected = socket.create_connection(where, self._time_outs.connect_s)
        except (OSError, UnicodeError) as error:
            raise unconnected(error, self.address, "its ssh service") from error
        self._socket = connected
        if self._closed.is_set():
            raise ClosedError
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return connected

    def _handshake(self, connected: socket.socket) -> Transport:
        transport = self._transport = Transport(connected)
        time_outs = self._time_outs
        transport.banner_timeout = transport.handshake_timeout = time_outs.handshake_s
        transport.auth_timeout = time_outs.login_s
        transport.channel_timeout = time_outs.answer_s
        options = transport.get_security_options()
        options.key_types = self._trust.ordered(options.key_types)
        began = time.monotonic()
        try:
            transport.start_client(timeout=time_outs.handshake_s)
        except IncompatiblePeer as error:
            raise no_common_way(self.address, error) from error
        except VENDOR as error:
            raise self._handshake_error(transport, error, time.monotonic() - began) from error
        if not transport.initial_kex_done:  # start_client's own time-out raises nothing
            raise silent("begin", self.address)
        return transport

    def _handshake_error(self, transport: Transport, error: BaseException, waited_s: float) -> SourceError:
        if waited_s >= self._time_outs.handshake_s:
            return silent("begin", self.address)
        if isinstance(error, SSHException) and not transport.remote_version and _said_something(error):
            return not_ssh(self.address)
        return broken("begin", self.address, error)

    @property
    def is_open(self) -> bool:
        """True from ``open`` on until the connection is closed or lost."""
        transport = self._transport
        return transport is not None and transport.is_authenticated() and not self._closed.is_set()

    def start(self, command: str, silence_s: int | None = None) -> RemoteProcess:
        """Start ``command`` in a POSIX shell with an empty stdin. Raises SourceError.

        The command is ended when the returned process is closed and when the connection ends. With
        ``silence_s`` it is also ended after so many seconds without a ``give_sign``: even a network that is
        cut without a word does not leave it running.
        """
        watched = ended_by_stdin(command) if silence_s is None else ended_by_silence(command, silence_s)
        return RemoteProcess(self._started(watched), command, self._lost)

    def converse(self, command: str, name: str) -> Conversation:
        """Start ``command`` as it is, with a stdin that the caller writes. Raises SourceError.

        ``name`` names it in messages. Only the end of its stdin ends it, so it must read that.
        """
        return Conversation(self._started(command), name, self.address, self._lost)

    def _started(self, command: str) -> Channel:
        what = "start a command"
        transport = self._require_transport(what)
        try:
            with translated(what, self.address):
                channel = transport.open_session(timeout=self._time_outs.answer_s)
                channel.exec_command(command)
        except SourceError as error:
            if isinstance(error.__cause__, ChannelException):
                raise SourceError(
                    f"{self.address.place} refuses to run another command over this connection.",
                    meaning="Its sshd allows only so many at once (MaxSessions), or none at all.",
                ) from error
            raise self._lost(what) or error from error
        return channel

    def run(self, command: str, within_s: float, max_bytes: int = 1 << 24) -> CommandResult:
        """Run ``command`` to its end and return its output.

        Raises TimedOutError after ``within_s`` seconds, SourceError for more than ``max_bytes`` of output.
        """
        deadline = time.monotonic() + within_s
        output = bytearray()
        with self.start(command) as process:
            while (chunk := process.read(deadline - time.monotonic())) != b"":
                output += chunk or b""
                if len(output) > max_bytes:
                    raise SourceError(f"The output of {command} is larger than {max_bytes} bytes.")
                if chunk is None or time.monotonic() >= deadline:
                    raise TimedOutError(f"{command} did not end within {within_s:g} s.")
            code = process.exit_code(max(0.0, deadline - time.monotonic()))
        return CommandResult(code, bytes(output), process.stderr)

    def close(self) -> None:
        """Close the connection and end every command that runs over it. Never raises; may be repeated."""
        self._closed.set()
        self._cut()
        if self._keepalive is not None:
            self._keepalive.end()

    def _cut(self) -> None:
        transport, connected = self._transport, self._socket
        if transport is not None:
            with contextlib.suppress(*VENDOR):
                transport.close()
        if connected is not None:
            connected.close()
        if transport is not None and transport.is_alive() and transport is not threading.current_thread():
            transport.join(_ENDING_S)

    def _close_silent(self) -> None:
        self._silence = silent("say whether it is there", self.address)
        self._cut()

    def _require_transport(self, what: str) -> Transport:
        failure = self._lost(what)
        if failure is not None:
            raise failure
        transport = self._transport
        if transport is None or not transport.is_authenticated():
            raise ClosedError("The connection is not open.")
        return transport

    def _lost(self, what: str, soon_s: float = 0.0) -> SourceError | None:
        """Why nothing comes any more; None while the connection stands, and does so ``soon_s`` later."""
        transport = self._transport
        if transport is not None and soon_s:
            transport.join(soon_s)
        if self._closed.is_set():
            return ClosedError()
        if transport is None or transport.is_active():
            return None
        return self._silence or broken(what, self.address, transport.get_exception() or EOFError())


def _said_something(error: SSHException) -> bool:
    """True if paramiko complains about what came, and not that nothing came."""
    is_unread = str(error).startswith("Error reading SSH protocol banner")
    return not is_unread or isinstance(error.__context__, UnicodeError)
