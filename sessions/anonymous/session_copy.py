"""Writes a session anew without its names, addresses and paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resources.anonymity_rules import load_anonymity_rules
from resources.failures import AlreadyExistsError, CancelledError
from resources.files import write_failures
from resources.stopping import StopSignal
from sessions.anonymous.anonymiser import Anonymiser
from sessions.anonymous.unfinished import remove_leftovers, told_of, unfinished_name
from sessions.store import SessionReader
from sessions.troubleshooting import TroubleshootingRun

TITLE = "Anonymised session"


@dataclass(frozen=True, slots=True)
class Anonymised:
    """What came of it. ``replaced`` is how many names of which sort, ``notes`` how many people had typed;
    ``text`` replaces the same names in any other text, ``record`` in a record that the session does not hold.
    """

    replaced: dict[str, int]
    notes: int
    bytes: int
    text: Callable[[str], str]
    record: Callable[[Any], Any]


class _Texts(Anonymiser):
    """The anonymiser, which also names the session."""

    def meta(self, key: str, text: str) -> str:
        """Return a text about the whole session: a title may say whose it is."""
        if key == "title":
            return TITLE if text else ""
        return self.text(text)


def write_anonymised(
    session: SessionReader,
    out: Path,
    *,
    progress: Callable[[float], None] | None = None,
    cancel: StopSignal | None = None,
    guided: Sequence[TroubleshootingRun] = (),
    others: Sequence[tuple[SessionReader, Path]] = (),
) -> Anonymised:
    """Write the session ``out``, which must not exist; all of it or, if that fails or is stopped, nothing.

    ``guided`` are runs that are not kept in the session yet; what they name is replaced, too. ``others`` are
    sessions that are compared with it, each with the file to write: a name is the same word in all of them.

    Raises AlreadyExistsError, NotFoundError, AccessDeniedError, DiskFullError, CancelledError.
    """

    def step(part: float) -> None:
        if cancel is not None and cancel.is_set():
            raise CancelledError("Anonymising was stopped; nothing was written.")
        if progress is not None:
            progress(part)

    _require_free(out)
    beside = unfinished_name(out)
    remove_leftovers(out.parent)
    with ExitStack() as states, told_of(out, beside):
        sessions = [session, *(reader for reader, _ in others)]
        for one in sessions:
            states.enter_context(one.one_state())
        texts = _Texts(
            [entity for one in sessions for entity in one.entities().values()],
            [source.spec for one in sessions for source in one.sources()],
            [fact for one in sessions for fact in one.facts()],
            [event for one in sessions for event in one.events()],
            [entry for one in sessions for entry in one.journal()],
            [run for one in sessions for run in one.test_runs()],
            load_anonymity_rules(),
            [*(run for one in sessions for run in one.troubleshooting()), *guided],
        )
        session.copy_rewritten(beside, texts, step)
        for reader, path in others:
            reader.copy_rewritten(path, texts, lambda _part: step(1.0))
        notes = len(session.marks()) + sum(len(run.notes) for run in session.troubleshooting())
    try:
        _require_free(out)  # a minute later: renaming would replace what appeared meanwhile
        with write_failures(out):
            beside.rename(out)
    finally:
        beside.unlink(missing_ok=True)
    return Anonymised(texts.pseudonyms.counts, notes, out.stat().st_size, texts.text, texts.record)


def _require_free(out: Path) -> None:
    with write_failures(out):
        if out.exists() or out.is_symlink():
            raise AlreadyExistsError(
                f"{out} exists already.", advice="Choose another name; nothing is overwritten."
            )
