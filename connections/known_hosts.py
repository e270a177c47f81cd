"""The servers that the user has trusted: one line for each in the user's data folder, with its
thumbprint or fingerprint.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from connections.file_lock import locked
from connections.fingerprints import CERTIFICATE, Proof
from resources.failures import AccessDeniedError, UsageError
from resources.files import replace_file
from resources.user_folders import data_folder

_HEADING = (
    "# Servers that Hyperscope trusts: host:port and the SHA-256 thumbprint of its certificate, or "
    "ssh://host:port and the SHA-256 fingerprint of its key. Delete a line to forget."
)


def known_hosts_path() -> Path:
    """Return the path of the user's file of known hosts."""
    return data_folder() / "known_hosts"


class KnownHosts:
    """The servers in the file of known hosts that identify themselves by ``proof``.

    The file is read at each call and changed under a lock, so that several processes can share it. A line
    that can't be parsed trusts nothing and is kept. Each write replaces the whole file.
    """

    def __init__(self, path: Path | None = None, proof: Proof = CERTIFICATE) -> None:
        self._path = known_hosts_path() if path is None else path
        self._proof = proof

    def for_proof(self, proof: Proof) -> KnownHosts:
        """Return the servers of the same file that identify themselves by ``proof``."""
        return KnownHosts(self._path, proof)

    def remembered(self, host: str, port: int) -> str | None:
        """Return the trusted digest of host and port, or None. Raises AccessDeniedError, BusyError."""
        place = self._place(host, port)
        found = [shown for known, shown in map(self._entry, self._consistent_lines()) if known == place]
        return found[-1] if found else None

    def remember(self, host: str, port: int, shown: str) -> None:
        """Trust the digest ``shown`` for host and port, replacing an earlier one.

        Raises AccessDeniedError, BusyError.
        """
        place = self._place(host, port)
        self._change(
            lambda lines: [
                *([line for line in lines if self._entry(line)[0] != place] or [_HEADING]),
                f"{place} {shown}",
            ]
        )

    def forget(self, host: str, port: int) -> None:
        """Remove host and port from the trusted servers. Raises AccessDeniedError, BusyError."""
        place = self._place(host, port)
        self._change(lambda lines: [line for line in lines if self._entry(line)[0] != place])

    def _place(self, host: str, port: int) -> str:
        name = host.lower()
        return f"{self._proof.prefix}[{name}]:{port}" if ":" in name else f"{self._proof.prefix}{name}:{port}"

    def _entry(self, line: str) -> tuple[str, str] | tuple[None, None]:
        place, _, shown = line.strip().partition(" ")
        if not place or place.startswith("#"):
            return None, None
        try:
            return place, self._proof.parse(shown)
        except UsageError:
            return None, None

    def _change(self, change: Callable[[list[str]], list[str]]) -> None:
        """Write what ``change`` makes of the lines, which nobody else changes meanwhile."""
        with self._explained("be written"):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked():
                before = self._lines()
                after = change(before)
                if after != before:
                    self._write(after)

    def _consistent_lines(self) -> list[str]:
        """The lines; under the lock where a file that somebody reads can't be replaced."""
        with self._explained("be read"):
            if sys.platform == "win32" and self._path.exists():
                with self._locked():
                    return self._lines()
            return self._lines()

    def _locked(self) -> AbstractContextManager[None]:
        return locked(self._path.with_name(f".{self._path.name}.lock"))

    def _lines(self) -> list[str]:
        try:
            return self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []

    def _write(self, lines: list[str]) -> None:
        replace_file(self._path, "".join(line + "\n" for line in lines), durable=True)

    @contextmanager
    def _explained(self, how: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise AccessDeniedError(
                f"{self._path} can't {how}: {error.strerror or error}.",
                meaning="It lists the servers that were trusted; without it each of them is unknown.",
                advice="Repair its permissions, or give --thumbprint.",
            ) from error
