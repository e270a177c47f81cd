"""Real sshds with throw-away keys, one an address; and a server of paramiko's that takes a password.

No sshd takes a password without an account of this machine that has one, so the server that does is not sshd.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paramiko
import pytest

from connections.address import Address
from connections.known_hosts import KnownHosts
from connections.ssh.connection import SshConnection, TimeOuts
from connections.ssh.login import SshLogin
from connections.untrusted import UntrustedServer

_PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin:/bin"
USER = getpass.getuser()
SECRET = "Tr0ub4dor&3"
HASTY = TimeOuts(connect_s=5, handshake_s=1.5, login_s=5, keepalive_s=0.5, answer_s=1.5)


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    """A key pair of ``ssh-keygen``; returns the private one's path."""
    words = ["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", str(path)]
    subprocess.run(words, check=True)
    return path


def keygen_fingerprint(key: Path) -> str:
    """``SHA256:…`` as ssh-keygen says it."""
    said = subprocess.run(["ssh-keygen", "-lf", str(key)], check=True, capture_output=True, text=True)
    return said.stdout.split()[1]


class Sshd:
    """An sshd that lets the user of this process in with ``user_key``. Skips where there is none."""

    def __init__(self, folder: Path) -> None:
        self._program = shutil.which("sshd", path=_PLACES) or shutil.which("sshd")
        if self._program is None:
            pytest.skip("no sshd here")
        self.folder = folder
        self.host, self.port = _free_place()
        self.user_key = make_key(folder / "user_key")
        self.host_keys = [make_key(folder / "host_key")]
        self.options: list[str] = []
        self.words_before: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> Address:
        return Address("ssh", USER, self.host, self.port, usual_port=22)

    @property
    def log(self) -> str:
        """What it said about those who came."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        config = self.folder / "sshd_config"
        # The shell of a command reads this machine's ~/.bashrc, which may wait for the locks of other shells.
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        # sshd takes the first SetEnv only.
        settings = [one.removeprefix("SetEnv ") for one in self.options if one.startswith("SetEnv ")]
        set_env = " ".join(["SetEnv", f"HOME={home}", *settings])
        options = [one for one in self.options if not one.startswith("SetEnv ")]
        lines = [
            f"Port {self.port}", f"ListenAddress {self.host}", "PidFile none", "UsePAM no", "StrictModes no",
            f"AuthorizedKeysFile {self.user_key}.pub", f"AllowUsers {USER}", "PermitRootLogin yes",
            "PasswordAuthentication yes", "LogLevel VERBOSE", set_env,
            *(f"HostKey {key}" for key in self.host_keys), *options,
        ]  # fmt: skip
        config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if USER == "root":
            Path("/run/sshd").mkdir(exist_ok=True)
        assert self._program is not None
        words = [*self.words_before, self._program, "-D", "-f", str(config), "-E", str(self.folder / "log")]
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        while self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex((self.host, self.port)) == 0:
                    return
            time.sleep(0.02)  # there is no event to wait for: the server is somebody else's
        pytest.fail(f"it ended with {self._process.returncode}: {self.log}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None
            self._wait_until_refused()

    def _wait_until_refused(self) -> None:
        """A child of its may hold the port for a moment longer."""
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex((self.host, self.port)):
                    return
            time.sleep(0.02)


def _free_place() -> tuple[str, int]:
    """An address and a port; 127.0.0.2 and up where there are such, so that test workers share no ports."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    for host in (f"127.0.0.{2 + int(worker)}", "127.0.0.1"):
        with socket.socket() as probe, contextlib.suppress(OSError):  # a Mac has only the latter
            probe.bind((host, 0))
            return host, int(probe.getsockname()[1])
    raise AssertionError("no address of this machine is free")


@contextmanager
def sshd(folder: Path) -> Iterator[Sshd]:
    """A running one."""
    server = Sshd(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class _TakesPassword(paramiko.ServerInterface):  # type: ignore[misc]
    def __init__(self, password: str, kinds: str) -> None:
        self._password, self._kinds = password, kinds

    def get_allowed_auths(self, username: str) -> str:
        return self._kinds

    def check_auth_password(self, username: str, password: str) -> int:
        return self._judge("password" in self._kinds and password == self._password)

    def check_auth_interactive(self, username: str, submethods: str) -> Any:
        return paramiko.InteractiveQuery("", "", ("Password: ", False))

    def check_auth_interactive_response(self, responses: list[str]) -> int:
        return self._judge(responses == [self._password])

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return int(paramiko.OPEN_SUCCEEDED)

    @staticmethod
    def _judge(is_right: bool) -> int:
        return int(paramiko.AUTH_SUCCESSFUL if is_right else paramiko.AUTH_FAILED)


@contextmanager
def password_server(folder: Path, password: str, kinds: str) -> Iterator[Address]:
    """A server of paramiko's that lets in who has the password; ``kinds`` are the ways that it takes."""
    key = paramiko.PKey.from_path(make_key(folder / "password_host_key"))
    transports: list[paramiko.Transport] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connected, _ = listener.accept()
                except OSError:
                    return
                transport = paramiko.Transport(connected)
                transport.add_server_key(key)
                transports.append(transport)
                transport.start_server(event=threading.Event(), server=_TakesPassword(password, kinds))

        thread = threading.Thread(target=serve, name="password-server")
        thread.start()
        try:
            yield Address("ssh", "anna", "127.0.0.1", listener.getsockname()[1], usual_port=22)
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for transport in transports:
                transport.close()
                transport.join()


@contextmanager
def says(first_words: bytes, *, and_hangs_up: bool = False) -> Iterator[int]:
    """A port whose server says ``first_words`` to whoever comes, and then nothing, or hangs up."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connected, _ = listener.accept()
                except OSError:
                    return
                connected.sendall(first_words)
                if and_hangs_up:
                    connected.close()
                else:
                    taken.append(connected)

        thread = threading.Thread(target=serve, name="says")
        thread.start()
        try:
            yield int(listener.getsockname()[1])
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connected in taken:
                connected.close()


def yes(_: UntrustedServer) -> bool:
    return True


def never(stranger: UntrustedServer) -> bool:
    pytest.fail(f"asked about {stranger}")


def by_key(server: Sshd) -> SshLogin:
    return SshLogin(key_file=server.user_key)


def connection(server: Sshd, known: KnownHosts, **options: Any) -> SshConnection:
    return SshConnection(server.address, by_key(server), known=known, ask=yes, **options)
