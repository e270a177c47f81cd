"""Makes a report of a session: what command and window do alike. Reads charts: use a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from diagnosis.comparison import Choice, Side, compare
from diagnosis.comparison.windows import Windows, windows_of_one
from resources.catalogue import load_catalogue
from resources.comparison_rules import load_comparison_rules
from resources.failures import AccessDeniedError, AlreadyExistsError, NotFoundError
from resources.files import is_device_or_pipe, write_failures
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from resources.problem_cards import Problems
from resources.report_words import load_report_words
from resources.stopping import StopSignal
from resources.study_numbers import load_studies
from resources.views import load_chart_templates, load_headlines, load_limits
from sessions.anonymous import write_anonymised
from sessions.anonymous.session_copy import Anonymised
from sessions.clock import Clock
from sessions.findings import Finding
from sessions.scratch_folder import scratch_folder
from sessions.store import SessionReader, begins_like_session
from sessions.times import TimeRange
from sessions.troubleshooting import TroubleshootingRun, current_runs_of
from sessions.verdicts import Verdict
from viewmodels.entity_limits import entity_limits
from viewmodels.possible_samples import without_impossible_samples
from viewmodels.report.composing import report_of
from viewmodels.report.document import Report, Section
from viewmodels.report.material import Compared, Knowledge, Material, PutChart
from viewmodels.snapshot import Snapshot
from viewmodels.work import Work
from wizards.flows.result_in_report import guided_tests
from wizards.flows.run_reading import RunKnowledge
from wizards.flows.troubleshooting.judging import knowledge_of
from wizards.flows.troubleshooting.run_in_report import fixes_of, guided_runs


class ReportWork(Work, StopSignal, Protocol):
    """The work of a report: it can be stopped, and its progress shown."""


@dataclass(frozen=True, slots=True)
class AskedComparison:
    """Two windows to compare, what they are called, and the times that are left out of both.

    ``sessions`` are the files of both sides, None for the session that the report is of. ``names`` say which
    window it is that has no samples.
    """

    a: TimeRange
    b: TimeRange
    titles: tuple[str, str] = ("before", "after")
    left_out: tuple[TimeRange, ...] = ()
    sessions: tuple[Path | None, Path | None] = (None, None)
    names: tuple[str, str] = ("The window before", "The window after")


@dataclass(frozen=True)
class Asked:
    """What a report is to be about. ``guided`` are runs that are not kept in the session yet.

    ``findings`` and ``verdict`` are what was judged; ``window`` None is the whole session.
    """

    findings: Sequence[Finding]
    verdict: Verdict
    clock: Clock
    problems: Problems
    window: TimeRange | None = None
    title: str = ""
    comparisons: Sequence[AskedComparison] = ()
    guided: Sequence[TroubleshootingRun] = ()
    charts: Sequence[PutChart] = ()
    put_findings: Sequence[Finding] = field(default=())
    notes: Sequence[str] = ()


def composed(reader: SessionReader, snapshot: Snapshot, asked: Asked, work: ReportWork) -> Report:
    """Return the report with all sections that there can be.

    Raises CancelledError when the work is stopped, UsageError and NotFoundError for windows that can't be
    compared.
    """
    with ExitStack() as held:  # rows of a comparison are read while its section is written
        return report_of(_material(reader, snapshot, asked, work, held))


def _material(
    reader: SessionReader, snapshot: Snapshot, asked: Asked, work: ReportWork, held: ExitStack
) -> Material:
    clock = asked.clock
    guided = current_runs_of([*reader.troubleshooting(), *asked.guided])
    return Material(
        reader=reader,
        snapshot=snapshot,
        findings=asked.findings,
        verdict=asked.verdict,
        window=asked.window or snapshot.span,
        clock=clock,
        knowledge=_knowledge(snapshot, asked.problems),
        made=clock.stamp(datetime.now(UTC).timestamp() * 1000),
        title=asked.title,
        notes=asked.notes,
        comparisons=[_compared(reader, one, asked.problems, work, held) for one in asked.comparisons],
        tests=_tests(reader, clock),
        guided=guided_runs(guided, reader, snapshot, knowledge_of(asked.problems), clock, work),
        fixes=fixes_of(guided),
        charts=asked.charts,
        put_findings=asked.put_findings,
        work=work,
    )


@contextmanager
def anonymous_copy(
    session: SessionReader,
    guided: Sequence[TroubleshootingRun] = (),
    progress: Callable[[float], None] | None = None,
    cancel: StopSignal | None = None,
    others: Sequence[SessionReader] = (),
) -> Iterator[tuple[Path, Anonymised]]:
    """Yield a copy of the session without its names, and what replaces them in other texts; it is removed
    afterwards. The names are those of an anonymised export.

    ``others`` are sessions that it is compared with; ``copy_of_other`` tells where their copies are.
    """
    with scratch_folder() as folder:
        copy = folder / "anonymised.hscope"
        copies = [(one, copy_of_other(copy, number)) for number, one in enumerate(others)]
        yield (
            copy,
            write_anonymised(session, copy, progress=progress, cancel=cancel, guided=guided, others=copies),
        )


def copy_of_other(copy: Path, number: int) -> Path:
    """Return the copy of another session (from 0) beside the anonymous ``copy``."""
    return copy.with_name(f"session-{number + 1}.hscope")


def require_target(out: Path, session: Path) -> None:
    """Raise where a report must not be written: over a session, or into a folder that is not there."""
    with write_failures(out):
        has_folder, is_folder = out.parent.is_dir(), out.is_dir()
        if is_device_or_pipe(out):
            raise AccessDeniedError(
                f"{out} is a device, a pipe or a socket, not a file.",
                meaning="The report would take its place, or wait for ever; nothing was written.",
                advice="Name a file that is new, or that may be replaced.",
            )
    if not has_folder:
        raise NotFoundError(f"There is no folder {out.parent}.", advice="Make it, or name another file.")
    if is_folder:
        raise AlreadyExistsError(f"{out} is a folder.", advice="Name a file in it.")
    if begins_like_session(out) or _is_same(out, session):
        raise AlreadyExistsError(
            f"{out} is a session.", meaning="The report would replace it.", advice="Name another file."
        )


def _is_same(out: Path, session: Path) -> bool:
    try:
        return out.samefile(session)
    except (OSError, ValueError):  # one is not there, or can't be looked at: opening it says why
        return False


def _knowledge(snapshot: Snapshot, problems: Problems) -> Knowledge:
    catalogue = load_catalogue()
    return Knowledge(
        problems=problems,
        catalogue=catalogue,
        limits=entity_limits(snapshot, load_limits(problems), problems.storage),
        templates=load_chart_templates(catalogue),
        headlines=load_headlines(catalogue),
        words=load_report_words(),
    )


def _compared(
    reader: SessionReader, asked: AskedComparison, problems: Problems, work: ReportWork, held: ExitStack
) -> Compared:
    catalogue = load_catalogue()
    readers = [
        reader if path is None else held.enter_context(SessionReader.open(path)) for path in asked.sessions
    ]
    windows = _windows(readers[0], asked)
    a, b = (
        Side(one, window, asked.left_out)
        for one, window in zip(without_impossible_samples(readers), (windows.a, windows.b), strict=True)
    )
    for name, side in zip(asked.names, (a, b), strict=True):
        if not any(side.ticks(one.id) for one in side.session.sources()):
            raise NotFoundError(f"{name} has no samples.", meaning="There is nothing to compare.")
    knowledge = (catalogue, problems, load_comparison_rules(catalogue))
    return Compared(compare(a, b, Choice(), knowledge, cancel=work), windows, asked.titles)


def _windows(reader: SessionReader, asked: AskedComparison) -> Windows:
    if asked.sessions[0] != asked.sessions[1]:
        return Windows(asked.a, asked.b, "", "start")
    span = reader.span()
    if span is None:
        raise NotFoundError("The session has no samples.", meaning="There is nothing to compare.")
    return windows_of_one(span, asked.a, asked.b)


def _tests(reader: SessionReader, clock: Clock) -> list[Section]:
    """Return what guided tests of the session came to; what they need is loaded only if there are any."""
    if not reader.test_runs():
        return []
    known = RunKnowledge(
        load_guided_tests(), load_fio_jobs(), load_studies(), lambda at: clock.time(round(at))
    )
    return guided_tests(reader, known, clock)
