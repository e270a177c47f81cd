"""The certificates that somebody trusted: one line for each host and port in the user's data folder."""

from __future__ import annotations

import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import platformdirs

from connections.vsphere.trust import parse_thumbprint
from resources.failures import AccessDeniedError, UsageError

_HEADING = (
    "# Certificates that Hyperscope trusts: host:port, then the SHA-256 thumbprint. Delete a line to forget."
)


def known_hosts_path() -> Path:
    """Where the program keeps them."""
    return platformdirs.user_data_path("hyperscope", appauthor=False) / "known_hosts"


class KnownHosts:
    """A file of trusted thumbprints, read anew at each question, so that several recorders can share it.

    A line that is not understood trusts nothing and stays as it is. Writing replaces the file as a whole.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = known_hosts_path() if path is None else path
        self._lock = threading.Lock()

    def remembered(self, host: str, port: int) -> str | None:
        """The thumbprint that was trusted for host and port, or None. Raises AccessDeniedError."""
        place = _place(host, port)
        found = [thumbprint for known, thumbprint in map(_entry, self._lines()) if known == place]
        return found[-1] if found else None

    def remember(self, host: str, port: int, sha256: str) -> None:
        """Keep ``sha256`` in place of what was trusted before. Raises AccessDeniedError."""
        place = _place(host, port)
        with self._lock:
            kept = [line for line in self._lines() if _entry(line)[0] != place]
            self._write([*(kept or [_HEADING]), f"{place} {sha256}"])

    def forget(self, host: str, port: int) -> None:
        """Trust it no longer. Raises AccessDeniedError."""
        place = _place(host, port)
        with self._lock:
            lines = self._lines()
            kept = [line for line in lines if _entry(line)[0] != place]
            if kept != lines:
                self._write(kept)

    def _lines(self) -> list[str]:
        try:
            return self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._denied("be read", error) from error

    def _write(self, lines: list[str]) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".known_hosts-", dir=self._path.parent)
            try:
                with open(handle, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - a descriptor
                    file.write("".join(line + "\n" for line in lines))
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._path)
            except BaseException:
                with suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            raise self._denied("be written", error) from error

    def _denied(self, how: str, error: OSError) -> AccessDeniedError:
        return AccessDeniedError(
            f"{self._path} can't {how}: {error.strerror or error}.",
            meaning="It holds the certificates that were trusted; without it nothing is trusted by memory.",
            advice="Repair its permissions, or give --thumbprint.",
        )


def _place(host: str, port: int) -> str:
    name = host.lower()
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


def _entry(line: str) -> tuple[str, str] | tuple[None, None]:
    place, _, thumbprint = line.strip().partition(" ")
    if not place or place.startswith("#"):
        return None, None
    try:
        return place, parse_thumbprint(thumbprint)
    except UsageError:
        return None, None
