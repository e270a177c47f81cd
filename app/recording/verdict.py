"""Judges a recording that ended without a window, and stores the findings and the verdict in its session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.terminal import cancellable
from recorder.recording import Outcome
from resources.failures import DamagedError, HyperscopeError, NotASessionError
from sessions.store import SessionReader, SessionWriter
from sessions.times import iso
from sessions.verdict_wording import verdict_sentence, verdict_title
from sessions.verdicts import Verdict


class RecordingVerdict:
    """The verdict on a recording; ``line`` is empty until there is one."""

    def __init__(self, knowledge: tuple[Path, ...], *, is_wanted: bool) -> None:
        self._knowledge, self._is_wanted = knowledge, is_wanted
        self.line = ""

    def judge(self, outcome: Outcome) -> Outcome:
        """Judge the closed session, store what was found in it, and return the outcome with its new size.

        A recording that failed is not judged. Ctrl-C stops the judging; the session is complete without it.
        """
        session = outcome.session
        if not self._is_wanted or session is None or outcome.error is not None:
            return outcome
        try:
            self.line = verdict_line(judge_session(session, self._knowledge))
        except (DamagedError, NotASessionError) as error:
            return replace(outcome, error=error)
        return replace(outcome, bytes=session.stat().st_size)


def judge_session(session: Path, knowledge: tuple[Path, ...]) -> Verdict:
    """Diagnose the whole session and store what was found.

    A session that can't be judged or written now gets no stored verdict; the returned one says why. Raises
    DamagedError or NotASessionError for one that can't be read.
    """
    # Only here: while it records, the recorder needs nothing of diagnosis.
    from app.own_thresholds import with_own_thresholds  # noqa: PLC0415
    from diagnosis import diagnose_session  # noqa: PLC0415
    from resources.catalogue import load_catalogue  # noqa: PLC0415
    from resources.problem_cards import load_problems  # noqa: PLC0415

    try:
        catalogue = load_catalogue(knowledge)
        problems = with_own_thresholds(load_problems(knowledge))
        with cancellable() as cancel, SessionReader.open(session) as reader:
            outcome = diagnose_session(reader, problems, catalogue, cancel=cancel)
        with SessionWriter.open(session) as writer:
            writer.put_findings(outcome.findings, outcome.verdict)
    except (DamagedError, NotASessionError):
        raise
    except HyperscopeError as error:
        return Verdict("not judged yet", reason=str(error).rstrip("."))
    return outcome.verdict


def verdict_line(verdict: Verdict) -> str:
    """Return the verdict as one line for the end of a recording."""
    sentence = verdict_sentence(verdict, iso)
    return f"{verdict_title(verdict)}. {sentence}" if verdict.is_judged else sentence
