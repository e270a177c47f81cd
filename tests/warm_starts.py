"""Programs that a test starts begin loaded: a process of their own as ever, forked from one that has loaded
what they need (``tests.warm_python``), which takes a quarter of the time of a new Python, half of one that
judges.

It is the same program in a process with an id, streams, signals, environment and end of its own. What is not:
its memory, its command line as the system shows it, and the time that loading takes. Tests of these, and of
how the program starts, are marked ``cold``. So start processes that are asked for in any way that is not
known here, and all of them where there is no Linux.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MODULES = ("app", "tests.app.dying", "tests.workloads.changing_child")
"""What begins loaded: modules that are started with ``python -m``."""
LENGTH_BYTES = 4
"""An order begins with its length."""

_ROOT = Path(__file__).resolve().parents[1]
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_OF_EACH = ("XDG_", "HYPERSCOPE_", "PYTEST_", "SSH_")
_OF_EACH_ONE = frozenset(
    (
        *("HOME", "TMPDIR", "COLUMNS", "NO_COLOR", "QT_QPA_PLATFORM", "PYTHON_KEYRING_BACKEND"),
        *("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONUTF8"),
    )
)
"""Variables that a process may have otherwise: they are read when they are needed, not while loading."""
_NOT_GIVEN: tuple[Any, ...] = (None, (), -1, False)


class WarmPython:
    """The process that has loaded the program; it is started when it is first needed."""

    def __init__(self) -> None:
        self.is_wanted = True
        self._lock = threading.Lock()
        self._link: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._base: Mapping[str, str] = {}
        self._pid = 0

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Return True if a process with such an environment can begin here."""
        base = self._base if self._is_here() else _fixed(os.environ)
        return self.is_wanted and _fixed(environment) == base

    def begin(self, order: Mapping[str, Any], descriptors: Sequence[int]) -> int:
        """Start a process; return its id. It is a child of this process."""
        with self._lock:
            link = self._link if self._is_here() else None
            link = link or self._start()
            content = json.dumps(order).encode()
            numbers = array.array("i", descriptors)
            with _taking_orphans():
                passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers.tobytes())]
                link.sendmsg([len(content).to_bytes(LENGTH_BYTES, "big")], passed)
                link.sendall(content)
                return int(link.recv(32, socket.MSG_WAITALL))

    def end(self) -> None:
        """End the process."""
        if self._is_here() and self._link is not None and self._process is not None:
            self._link.close()
            self._link = None
            self._process.wait()

    def _is_here(self) -> bool:
        """Return True if it runs, and is this process's, not that of one which it was forked from."""
        is_ours = self._process is not None and self._pid == os.getpid()
        return is_ours and self._process is not None and self._process.poll() is None

    def _start(self) -> socket.socket:
        if self._link is not None:
            self._link.close()
        ours, its = socket.socketpair()
        self._base, self._pid = _fixed(os.environ), os.getpid()
        command = [sys.executable, "-m", "tests.warm_python", str(its.fileno())]
        nowhere = subprocess.DEVNULL
        self._process = cold(command, cwd=_ROOT, pass_fds=(its.fileno(),), stdin=nowhere, stdout=nowhere)
        its.close()
        self._link = ours
        return ours


def _fixed(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name not in _OF_EACH_ONE and not name.startswith(_OF_EACH)
    }


@contextmanager
def _taking_orphans() -> Iterator[None]:
    """Make this process the parent of processes in it whose own one has ended."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        libc.prctl(_SUBREAPER, 0, 0, 0, 0)


WARM = WarmPython()
cold = subprocess.Popen
"""Starts every process as Python does."""


class Begun(subprocess.Popen[Any]):
    """``subprocess.Popen``, but for the program itself, which begins loaded."""

    def _execute_child(
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: bool, pass_fds: Any, cwd: Any, env: Any,
        startupinfo: Any, creationflags: Any, shell: bool, p2cread: int, p2cwrite: int, c2pread: int,
        c2pwrite: int, errread: int, errwrite: int, restore_signals: bool, gid: Any, gids: Any, uid: Any,
        umask: int, start_new_session: bool, process_group: int,
    ) -> None:  # fmt: skip
        """Start the process: as its names in ``subprocess`` are, so are they here."""
        unusual = (executable, preexec_fn, pass_fds, startupinfo, shell, gid, gids, uid)
        words = None if isinstance(args, str | bytes | os.PathLike) else [os.fspath(one) for one in args]
        environment = dict(os.environ if env is None else env)
        begins = None if words is None else _words_of_program(words)
        folder = os.fspath(cwd or Path.cwd())
        is_usual = close_fds and restore_signals and all(one in _NOT_GIVEN for one in unusual)
        if begins is None or not is_usual or not Path(folder).is_dir() or not WARM.fits(environment):
            super()._execute_child(  # type: ignore[misc]
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags,
                shell, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids,
                uid, umask, start_new_session, process_group,
            )  # fmt: skip
            return
        module, arguments, is_isolated = begins
        order = {
            "module": module, "arguments": arguments, "is_isolated": is_isolated, "folder": folder,
            "environment": environment, "new_session": start_new_session, "group": process_group,
            "umask": umask if umask >= 0 else _umask(),
        }  # fmt: skip
        given = (p2cread, c2pwrite, errwrite)
        try:
            self.pid = WARM.begin(order, [one if one != -1 else number for number, one in enumerate(given)])
            self._child_created = True
        finally:
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]


def _words_of_program(words: Sequence[str]) -> tuple[str, list[str], bool] | None:
    """Return the module, its arguments, and whether the folder is no place of modules; None for others."""
    is_isolated = list(words[1:2]) == ["-P"]
    python, option, module, *arguments = [*words[:1], *words[1 + is_isolated :], "", ""]
    if python == sys.executable and option == "-m" and module in MODULES:
        return module, arguments[:-2], is_isolated
    return None


def _umask() -> int:
    with contextlib.suppress(OSError, StopIteration, ValueError):
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return int(next(line for line in status.splitlines() if line.startswith("Umask:")).split()[1], 8)
    return 0o022


def install() -> None:
    """Let programs that tests start begin loaded, where this is a Linux."""
    if sys.platform == "linux":
        subprocess.Popen = Begun  # type: ignore[misc]
