"""Real servers that are no vCenter: nginx and sshd, where they are installed; and one that never answers."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.vcenter.running import free_port
from tests.vsphere.front import Certificate

_PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin:/bin"


@contextmanager
def sshd(folder: Path) -> Iterator[int]:
    """An sshd on a port of its own; skips where there is none."""
    program = _program("sshd")
    key, port, config = folder / "key", free_port(), folder / "sshd_config"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    config.write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {key}\nPidFile none\nUsePAM no\n"
        f"AllowUsers {getpass.getuser()}\n",
        encoding="utf-8",
    )
    Path("/run/sshd").mkdir(exist_ok=True) if getpass.getuser() == "root" else None
    with _started([program, "-D", "-e", "-f", str(config)], port):
        yield port


@contextmanager
def nginx(folder: Path, certificate: Certificate | None) -> Iterator[int]:
    """An nginx that has a page for every address, with TLS if there is a certificate; skips without one."""
    program = _program("nginx")
    port = free_port()
    (folder / "index.html").write_text("<html>Welcome</html>", encoding="utf-8")
    secured = ""
    if certificate is not None:
        secured = f"ssl_certificate {certificate.certificate}; ssl_certificate_key {certificate.key};"
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; server {{ listen 127.0.0.1:{port}{' ssl' if secured else ''}; {secured}\n"
        f"location / {{ root {folder}; try_files $uri /index.html; }} }} }}\n",
        encoding="utf-8",
    )
    with _started([program, "-c", str(config), "-p", str(folder)], port):
        yield port


@contextmanager
def silence() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listener:
        yield int(listener.getsockname()[1])


def _program(name: str) -> str:
    program = shutil.which(name, path=_PLACES) or shutil.which(name)
    if program is None:
        pytest.skip(f"no {name} here")
    return program


@contextmanager
def _started(command: list[str], port: int) -> Iterator[None]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process)
            yield
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)  # there is no event to wait for: the server is somebody else's
    pytest.fail(f"it ended with {process.returncode}")
