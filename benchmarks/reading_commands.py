"""Runs every command that reads a session, as an admin would, and checks how each of them ends.

Used by the fuzzers. A command must end with a documented exit code; it must print no terminal escape
sequences, only JSON that parses, and one line on stderr when it fails; an export that fails must leave no
file, and no command may leave files beside the session. The simulated reader of the output stops after some
megabytes, and Ctrl-C comes after a while, as with any command that prints a lot.
"""

from __future__ import annotations

import errno
import faulthandler
import io
import json
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from app.commands import compare, correlate, diagnose
from app.program import run
from resources import failures
from resources.catalogue import load_catalogue
from resources.comparison_rules import load_comparison_rules
from resources.correlation_roles import load_correlation
from resources.problem_cards import load_problems

MAX_OUTPUT = 4_000_000
CTRL_C_AFTER_S = 10.0
HANGS_AFTER_S = 90.0
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
PIPE_CLOSED = 1  # what a command exits with when whoever reads its output has enough

SESSION = "SESSION"
"""Stands for the path of the session among the arguments of a command."""

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("info",),
    ("info", "--json"),
    ("info", "--check"),
    ("query",),
    ("query", "--csv"),
    ("query", "--json"),
    ("query", "--entity", "vm:*", "--from", "2023-11-14T22:14", "--to", "2023-11-14T22:20"),
    ("diagnose", "--no-keep"),
    ("diagnose", "--json"),
    ("export", "--csv"),
    ("export", "--parquet"),
    ("compare",),
    ("compare", "--json"),
    ("compare", "--csv", "--entity", "vm:*", "--parts"),
    ("compare", SESSION, "--json"),
    ("correlate", "--from", "2023-11-14T22:14", "--to", "2023-11-14T22:20"),
    ("correlate", "--entity", "vm 3", "--counter", "cpu.ready", "--json"),
    ("correlate", "--finding", "1", "--json"),
    ("report",),
    ("report", "--json", "--anonymise"),
    ("export", "--anonymise"),
    ("troubleshoot", "--runs", "--json"),
    ("troubleshoot", "--run", "1"),
    ("troubleshoot", "--verify", "1", "--no-keep"),
    ("troubleshoot", "--entity", "vm:vm 3", "--no-keep"),
    ("troubleshoot", "--entity", "esx01", "--json"),
)
WRITING = ("export", "report")
"""Commands that write what -o names: all of it, or nothing."""


def documented_exits() -> frozenset[int]:
    """Return the exit codes that ``resources.failures`` documents."""
    kinds = [one for one in vars(failures).values() if isinstance(one, type)]
    return frozenset({0} | {one.exit_code for one in kinds if issubclass(one, failures.HyperscopeError)}) - {
        1
    }


class UndocumentedError(AssertionError):
    """A command ended or behaved in a way that the documentation excludes."""


class Output(io.StringIO):
    """A standard output whose reader closes the pipe after some megabytes."""

    def write(self, text: str) -> int:
        """Accept text; raise BrokenPipeError once the limit is reached, as a closed pipe does."""
        if self.tell() + len(text) > MAX_OUTPUT:
            raise BrokenPipeError(errno.EPIPE, "enough")
        text.encode()  # what no encoding has would end a command
        return super().write(text)


@contextmanager
def cards_read_once() -> Iterator[None]:
    """Load the counter catalogue and the problem cards only once for all sessions of this process."""
    catalogue, problems, roles = load_catalogue(), load_problems(), load_correlation([])
    rules = load_comparison_rules(catalogue)
    with (
        patch.object(compare, "load_catalogue", lambda: catalogue),
        patch.object(compare, "load_problems", lambda: problems),
        patch.object(compare, "load_comparison_rules", lambda _catalogue: rules),
        patch.object(correlate, "load_correlation", lambda _knowledge: roles),
        patch.object(diagnose, "load_catalogue", lambda _knowledge: catalogue),
        patch.object(diagnose, "load_problems", lambda _knowledge: problems),
    ):
        yield


@contextmanager
def interrupted_when_slow() -> Iterator[None]:
    """Raise KeyboardInterrupt in a command that takes too long.

    A command that continues even then ends the process with a traceback.
    """
    faulthandler.dump_traceback_later(HANGS_AFTER_S, exit=True, file=sys.__stderr__ or sys.stderr)
    if sys.platform == "win32":
        yield
    else:
        before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, CTRL_C_AFTER_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
    faulthandler.cancel_dump_traceback_later()


def run_all(session: Path, outcomes: Counter[str]) -> None:
    """Run every reading command on a session and count how each of them ended in ``outcomes``.

    Raises UndocumentedError, or whatever exception escaped from a command.
    """
    folder = session.parent
    for arguments in COMMANDS:
        out = folder / "exported"
        writes = arguments[0] in WRITING
        more = ["-o", str(out)] if writes else []
        before = {path.name for path in folder.iterdir()}
        rest = [str(session) if one == SESSION else one for one in arguments[1:]]
        code = run_one([arguments[0], str(session), *rest, *more])
        outcomes[f"{arguments[0]} {code}"] += 1
        if out.exists() != (writes and code == 0):
            raise UndocumentedError(
                f"{arguments} ended with {code} and its output {'is' if out.exists() else 'is not'} there"
            )
        if out.is_file():
            out.unlink()
        shutil.rmtree(out, ignore_errors=True)
        left = {path.name for path in folder.iterdir()} - before
        if any(name.startswith((".hyperscope-", ".exported")) for name in left):
            raise UndocumentedError(f"{arguments} left {left}")


def run_one(arguments: list[str]) -> int:
    """Run one command with these arguments in this process, check its output, and return its exit code."""
    out, err = Output(), Output()
    with redirect_stdout(out), redirect_stderr(err), interrupted_when_slow():
        try:
            code = run(arguments)
        except SystemExit as leaving:
            code = int(str(leaving.code))
    text, complaint = out.getvalue(), err.getvalue()
    if code != PIPE_CLOSED and code not in documented_exits():
        raise UndocumentedError(f"{arguments} ended with {code}")
    if code not in (0, PIPE_CLOSED) and (complaint.count("\n") != 1 or not complaint.strip()):
        raise UndocumentedError(f"{arguments} ended with {code} and said {complaint[:200]!r}")
    if CONTROL.search(complaint) or ("--csv" not in arguments and CONTROL.search(text)):
        raise UndocumentedError(f"{arguments} printed control characters")
    if "--json" in arguments and code == 0:
        json.loads(text)
    return code
