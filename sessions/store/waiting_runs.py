"""Guided runs that wait beside a session until whoever writes it takes them in.

A session has one writer. While a recorder is that, somebody else's run or note goes into a small file
beside the session, ``S.hscope-runs``, which is replaced as a whole and on disk before the call returns.
Readers see it as if it were in the session. The writer takes it in about once a second, when it closes, and
when the next one opens a session whose writer was killed: the file goes only after its runs are stored.
"""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from resources.failures import BusyError, DamagedError
from resources.files import replace_file
from sessions.store import documents
from sessions.store.codec import MAX_TEXT_BYTES, BlobError
from sessions.store.database import translated
from sessions.store.lock import WriterLock, real_path, remove_stale_lock
from sessions.troubleshooting import TroubleshootingRun, current_runs_of


def runs_waiting(session: Path) -> list[TroubleshootingRun]:
    """Return the runs that wait beside a session. Raises DamagedError for a file that holds none."""
    path = _file_beside(session)
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_TEXT_BYTES:
            raise _damaged(path, "it is too large, or no file")
        return documents.unpacked(path.read_bytes(), TroubleshootingRun)
    except FileNotFoundError:  # none wait, or the writer has just taken them in
        return []
    except BlobError as error:
        raise _damaged(path, str(error)) from error
    except OSError as error:
        raise _damaged(path, error.strerror or str(error)) from error


def has_waiting(session: Path) -> bool:
    """Return True if something waits beside the session."""
    return _file_beside(real_path(session)).exists()


def forget_waiting(session: Path) -> None:
    """Delete what waits beside a session that is gone: it is of no other that gets its name."""
    with translated(session):
        _file_beside(session).unlink(missing_ok=True)


def remove_stale_waiting_lock(session: Path) -> None:
    """Delete the lock of a process that was killed while it added a run; BusyError if one adds now."""
    remove_stale_lock(_file_beside(session))


class WaitingRuns:
    """The runs that wait beside a session; who has this context open is the only one to change them.

    Entering it raises BusyError while somebody else has it open, AccessDeniedError, DiskFullError.
    """

    def __init__(self, session: Path) -> None:
        self._session = real_path(session)
        self._path = _file_beside(self._session)

    def __enter__(self) -> WaitingRuns:
        self._lock = WriterLock(self._path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def runs(self) -> list[TroubleshootingRun]:
        """Return what waits. Raises DamagedError."""
        return runs_waiting(self._session)

    def put(self, run: TroubleshootingRun) -> None:
        """Let a run wait; one with the same number is replaced. It is on disk when this returns."""
        runs = current_runs_of([*self.runs(), run])
        try:
            body = documents.packed(runs)
        except ValueError as error:
            raise BusyError(
                f"{self._session.name} is being written, and too much waits beside it already.",
                meaning="Whoever writes it does not take it in.",
                advice="Try again when the recording has ended.",
            ) from error
        with translated(self._path):
            replace_file(self._path, body, durable=True)

    def clear(self) -> None:
        """Nothing waits any more: it was stored."""
        with suppress(OSError):  # what is stored twice is there once: a run replaces itself
            self._path.unlink(missing_ok=True)


def _file_beside(session: Path) -> Path:
    return session.with_name(session.name + "-runs")


def _damaged(path: Path, why: str) -> DamagedError:
    return DamagedError(
        f"{path.name}, where guided runs wait beside the session, can't be read: {why}.",
        meaning="The session itself is not affected.",
        advice="Move that file away.",
    )
