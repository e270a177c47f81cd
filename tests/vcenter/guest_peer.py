"""How plain pyVmomi works in a VM's guest: programs, files, and their transfer by the host's web server."""

from __future__ import annotations

import hashlib
import http.client
import ssl
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from pyVmomi import vim

from tests.vcenter.peers import Peer
from tests.vcenter.running import GUEST_PASSWORD, GUEST_USER

Guest = vim.vm.guest
Auth = Guest.NamePasswordAuthentication
Posix = Guest.FileManager.PosixFileAttributes


class GuestPeer:
    """A VM's guest, with a folder of its own for a test: ``folder``."""

    def __init__(self, peer: Peer, vm: Any, user: str = GUEST_USER, password: str = GUEST_PASSWORD) -> None:
        self.vm = vm
        self.auth = Auth(username=user, password=password, interactiveSession=False)
        manager = peer.content.guestOperationsManager
        self.programs: Any = manager.processManager
        self.files: Any = manager.fileManager
        self.accounts: Any = manager.authManager

    def folder(self) -> str:
        """A new folder in the guest's place for such."""
        return str(self.files.CreateTemporaryDirectoryInGuest(self.vm, self.auth, "test-", "", None))

    def start(
        self,
        arguments: str,
        program: str = "/bin/sh",
        folder: str | None = None,
        variables: Sequence[str] = (),
    ) -> int:
        """Start a program; its pid."""
        spec = Guest.ProcessManager.ProgramSpec(
            programPath=program,
            arguments=arguments,
            workingDirectory=folder,
            envVariables=list(variables),
        )
        return int(self.programs.StartProgramInGuest(self.vm, self.auth, spec))

    def processes(self, *pids: int) -> list[Any]:
        """The guest's processes: all, or these."""
        return list(self.programs.ListProcessesInGuest(self.vm, self.auth, list(pids)))

    def end(self, pid: int, within: float = 10.0) -> Any:
        """The process when it has ended."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            [process] = self.processes(pid)
            if process.endTime is not None:
                return process
            time.sleep(0.02)  # there is no event for the end of a process
        raise AssertionError(f"process {pid} did not end")

    def run(self, arguments: str, **options: Any) -> int:
        """Run a program to its end; its exit code."""
        code = self.end(self.start(arguments, **options)).exitCode
        assert code is not None
        return int(code)

    def put(self, path: str, data: bytes, mode: int = 0, overwrite: bool = False) -> int:
        """Send a file; the HTTP status."""
        url = self.files.InitiateFileTransferToGuest(
            self.vm, self.auth, path, Posix(permissions=mode or None), len(data), overwrite
        )
        return self.exchange("PUT", url, data)[0]

    def get(self, path: str) -> bytes:
        """Fetch a file."""
        found = self.files.InitiateFileTransferFromGuest(self.vm, self.auth, path)
        status, data = self.exchange("GET", found.url)
        assert status == http.client.OK
        assert len(data) == found.size
        return data

    def names(self, path: str) -> list[str]:
        """What is in a folder."""
        found = self.files.ListFilesInGuest(self.vm, self.auth, path, None, None, None)
        return sorted(one.path for one in found.files if one.path not in (".", ".."))

    def exchange(self, verb: str, url: str, data: bytes | None = None, host: Any = None) -> tuple[int, bytes]:
        """Talk to a host (the VM's, if none is given); refuses a certificate that is not the host's."""
        place = urlsplit(url)
        connection = http.client.HTTPSConnection(place.netloc, context=_trusting(), timeout=10)
        try:
            connection.connect()
            known = (host or self.vm.runtime.host).summary.config.sslThumbprint
            if _sha1(connection) != known:
                raise ssl.SSLCertVerificationError(f"{place.hostname} is not the host that vCenter knows")
            connection.request(verb, f"{place.path}?{place.query}", data)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()


def _sha1(connection: http.client.HTTPSConnection) -> str:
    secured: Any = connection.sock
    digest = hashlib.sha1(secured.getpeercert(binary_form=True), usedforsecurity=False).digest()
    return ":".join(f"{byte:02X}" for byte in digest)


def _trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
