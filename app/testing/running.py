"""A test run as a recording: the plan's engine beside the one writer, stopped and restored like any
recording."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec.structs import replace as with_fields

from app.consoles import notices
from app.memory import collect_garbage_often, trim_allocator
from app.recording.terminal import PageReporter, QuietReporter
from app.standard_streams import silence_stderr
from app.terminal import cancellable
from app.testing.asking import ParentLines
from app.testing.environments import EnvironmentOptions, open_environment
from connections.secrets import can_prompt
from recorder.attachment import Attachment
from recorder.board import SourceStatus
from recorder.commands import Commands
from recorder.conducting import Conductor, log_source
from recorder.disk_space import require_space
from recorder.hooks import install_hooks
from recorder.limits import RecorderLimits, StoppingLimits, load_recorder_limits
from recorder.log import RecorderLog
from recorder.protocol import EndOfTest
from recorder.questions import Questions
from recorder.recording import Outcome, Recording
from recorder.reporting import JsonReporter, Reporter
from recorder.stdin_lines import PasswordLines, StdinLines
from recorder.writing import SpaceRules
from resources.crash_reports import crash_folder
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from resources.study_numbers import load_studies
from sessions.journal import JournalEntry
from wizards.flows.engine import RunOptions, TestCollector
from wizards.flows.measured import NOTHING_MEASURED, Measured
from wizards.flows.plan import Plan
from wizards.flows.run_details import details_text
from wizards.flows.run_end import run_end
from wizards.flows.verdict import Verdict
from wizards.flows.verdicts.judging import judge
from wizards.flows.verdicts.validity import steady_limits

_RESTORE_S = 3600.0
"""How long putting everything back may take before the session is closed under it."""
_LAB_POLL_S = 5.0


@dataclass(frozen=True, slots=True)
class TestWords:
    """What was said on the command line of a run, beside the plan.

    ``environment`` says how it is opened; who is asked then is the run's own matter. ``as_json`` and
    ``is_attached`` are those of ``record``. ``parent`` has the lines of stdin, if something was asked before.
    """

    __test__ = False  # pytest: this is none of its tests

    environment: EnvironmentOptions
    as_json: bool = False
    is_attached: bool = False
    take_locks: bool = False
    parent: ParentLines | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier process of the same run left: its id, its rounds, its changes."""

    run: str
    measured: Measured = NOTHING_MEASURED
    entries: tuple[JournalEntry, ...] = ()


def new_run_id() -> str:
    """Return an id for a run: the time of its start, and what no other run of that second has.

    Locks, made disks and the folders in guests go by it, whoever starts a run wherever.
    """
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"


def run_test(
    plan: Plan, text: str, session: Path, words: TestWords, earlier: Earlier | None = None
) -> tuple[TestCollector, Outcome]:
    """Run a plan into a session until it ends or is stopped; return what was run, and the recording's
    outcome."""
    limits = _limits()
    trim_allocator()
    collect_garbage_often(limits.memory.objects)
    rules = SpaceRules(round(limits.disk.keep_free_mb * (1 << 20)), 0, 0)
    require_space(session, rules.keep_free)
    install_hooks(log := RecorderLog(crash_folder(), limits.log))
    with cancellable() as wake:
        attachment = Attachment(wake.set, is_attached=words.is_attached)
        is_json = words.as_json and words.is_attached
        reporter = _reporter(attachment, is_json=is_json)
        passwords = words.environment.passwords
        has_commands = words.is_attached
        lines = _commands_of(plan, passwords) if has_commands and words.parent is None else None
        questions = None
        if words.is_attached and isinstance(reporter, JsonReporter):
            questions = Questions(reporter.lines.send, wake.is_set)
        record = replace(
            words.environment.record,
            next_password=passwords.beginning_at(0) if passwords is not None else None,
            questions=questions,
            ask_here=reporter.ask if can_prompt() and not has_commands and passwords is None else None,
        )
        asking = _Asking(reporter, is_attached=words.is_attached)
        collector = _collector(plan, text, words, replace(words.environment, record=record), earlier, asking)

        def changed(source: SourceStatus) -> None:
            log_source(log, source)
            reporter.changed(source)

        recording = Recording(
            [collector], session, limits, rules, title=_title(plan),
            on_change=changed,
            on_over=wake.set, on_rotation=reporter.rotated,
        )  # fmt: skip
        asking.recording = recording
        if has_commands:
            commands = Commands(recording, reporter, log, questions, attachment, silence_stderr)
            if lines is not None:
                lines.hand_over(commands.execute, attachment.lost)
            elif words.parent is not None:
                words.parent.execute, words.parent.lost = commands.execute, attachment.lost
        outcome = Conductor(
            recording, reporter, log, wake, limits.status.every_s,
            complete=lambda ended: replace(ended, test=_end_of(collector)),
        ).run([collector.name])  # fmt: skip
    return collector, outcome


def _end_of(collector: TestCollector) -> EndOfTest | None:
    """Return how the run ended, for the window that shows it; None if it did not begin."""
    run, known = collector.result, load_guided_tests()
    if run is None:
        return None
    title = known.tests[run.test].title if run.test in known.tests else run.test
    settings = {name: (one.title, one.unit) for name, one in known.settings.items()}
    end = run_end(run, title, collector.changes, settings)
    return EndOfTest(end.text, end.state, end.open)


def _commands_of(plan: Plan, passwords: PasswordLines | None) -> StdinLines:
    """Return the lines of stdin that are commands: those behind the passwords, a line for each login."""
    if passwords is None:
        return StdinLines()
    passwords.read(len(plan.environment) + bool(plan.guest_user))
    return passwords.others


def _title(plan: Plan) -> str:
    """Return what the session is called: the title of its test."""
    test = load_guided_tests().tests.get(plan.test)
    return test.title if test is not None else f"test {plan.test}"


class _Asking:
    """Asks to have something done by hand: at the terminal, or by holding the run until it is resumed."""

    def __init__(self, reporter: Reporter, *, is_attached: bool) -> None:
        self._reporter, self._is_attached = reporter, is_attached
        self.recording: Recording | None = None

    def __call__(self, question: str) -> bool:
        """Return True if it was done."""
        if not self._is_attached:
            return can_prompt() and sys.stdin.isatty() and self._reporter.ask(f"{question} Done? [y/N] ")
        recording = self.recording
        if recording is None:
            return False
        recording.pause()
        self._reporter.warn(f"{question} Then resume.")
        while recording.status().paused and not recording.is_over:
            time.sleep(_LOOK_S)
        return not recording.is_over


_LOOK_S = 0.2


def _reporter(attachment: Attachment, *, is_json: bool) -> Reporter:
    if is_json:
        return JsonReporter(attachment.lost)
    return PageReporter() if notices().is_terminal else QuietReporter()


def _collector(
    plan: Plan,
    text: str,
    words: TestWords,
    environment: EnvironmentOptions,
    earlier: Earlier | None,
    ask: Callable[[str], bool],
) -> TestCollector:
    studies = load_studies()
    is_lab = plan.environment[0].startswith("lab:")
    before = earlier or Earlier(new_run_id())

    def judged(of: Plan, measured: Measured) -> Verdict:
        return judge(of.test, measured, studies)

    options = RunOptions(
        run=before.run,
        open=lambda: open_environment(plan.environment, environment),
        known=load_guided_tests(),
        jobs=load_fio_jobs(),
        judge=judged,
        steady=steady_limits(studies.judging),
        take_locks=words.take_locks,
        ask=(lambda _question: True) if is_lab else ask,
        poll_s=_LAB_POLL_S if is_lab else 1.0,
        measured=before.measured,
        entries=before.entries,
        details=details_text,
    )
    return TestCollector(plan, text, options)


def _limits() -> RecorderLimits:
    return with_fields(load_recorder_limits(), stopping=StoppingLimits(_RESTORE_S))
