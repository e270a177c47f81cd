"""``troubleshoot``: from a symptom through the guide's checks to what to do, and did the fix work?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from app.commands.options import AsJson, SessionPath, Thresholds, Times, clock_of
from app.commands.troubleshoot_text import RunPage
from app.consoles import results
from app.own_thresholds import with_own_thresholds
from app.terminal import cancellable, print_error, print_json
from resources.failures import AccessDeniedError, BusyError, DiskFullError, HyperscopeError, UsageError
from resources.foreign_text import shown
from resources.guided_flow import load_flow
from resources.problem_cards import load_problems
from sessions.clock import UTC_ZONE, Clock
from sessions.store import SessionReader
from sessions.times import TimeRange, now_ms
from sessions.troubleshooting import Note, TroubleshootingRun, Verification
from viewmodels.snapshot import read_snapshot
from wizards.flows.troubleshooting.documents import run_json, runs_json, verification_json
from wizards.flows.troubleshooting.judging import knowledge_of, look_into, symptom_of
from wizards.flows.troubleshooting.keeping import keep, keep_changed, noted, run_numbered, verified
from wizards.flows.troubleshooting.surroundings import entity_called
from wizards.flows.troubleshooting.verifying import Session, Told, verify

_EXAMPLE = "2026-11-21T14:09..2026-11-21T14:39"


def troubleshoot(
    session: SessionPath,
    entity: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What is slow: a VM, host, datastore or device; kind:name narrows."
        ),
    ] = "",
    since: Annotated[str, typer.Option(metavar="TIME", help="When it began (--times).")] = "",
    until: Annotated[str, typer.Option(metavar="TIME", help="Up to when it lasted; else to the end.")] = "",
    symptom: Annotated[
        str,
        typer.Option(
            metavar="WHAT", help="What was noticed: slow, stutters, times_out, dropped, after_change."
        ),
    ] = "slow",
    normal: Annotated[
        str, typer.Option(metavar="T..T", help="When all was well, from..to; else the time before it began.")
    ] = "",
    runs: Annotated[bool, typer.Option("--runs", help="List the runs that the session holds.")] = False,
    run: Annotated[int, typer.Option(metavar="N", min=0, help="Show an earlier run again.")] = 0,
    note: Annotated[
        str, typer.Option(metavar="TEXT", help="Write a note to the run: this one, or that of --run.")
    ] = "",
    verify_run: Annotated[
        int,
        typer.Option("--verify", metavar="N", min=0, help="Run the checks of run N again: did the fix work?"),
    ] = 0,
    after: Annotated[
        str, typer.Option(metavar="T..T", help="The time after the change; else what was recorded since it.")
    ] = "",
    other: Annotated[
        Path | None, typer.Option("--with", metavar="B.hscope", help="The time after is in another session.")
    ] = None,
    changed: Annotated[
        str, typer.Option(metavar="TEXT", help="What you changed, where no source saw it.")
    ] = "",
    changed_at: Annotated[
        str, typer.Option(metavar="TIME", help="When you changed it; else at the end of the run's time.")
    ] = "",
    thresholds: Thresholds = "",
    store: Annotated[bool, typer.Option("--keep/--no-keep", help="Keep the run in the session.")] = True,
    times: Times = UTC_ZONE,
    as_json: AsJson = False,
) -> None:
    """Check a slow VM, host or datastore as VMware's guide does; what to do; and did the fix work?

    All checks run, on what was named and all that it depends on. A run is kept in the session: --runs lists
    them, --run N shows one again, --verify N runs its checks on a later time or another session.
    """
    _require_one_wish(entity, runs=runs, run=run, verify_run=verify_run)
    _require_verify(
        verify_run,
        {"--after": after, "--with": str(other or ""), "--changed": changed, "--changed-at": changed_at},
    )
    asking = _Asking(session, times, thresholds, as_json=as_json, keeps=store)
    if runs:
        asking.list_runs()
    elif verify_run:
        asking.verify(verify_run, after, other, (changed, changed_at))
    elif run:
        asking.show(run, note)
    else:
        asking.look(entity, (since, until), symptom, normal, note)


def _require_one_wish(entity: str, *, runs: bool, run: int, verify_run: int) -> None:
    wishes = [bool(entity), runs, bool(run), bool(verify_run)]
    if sum(wishes) != 1:
        raise UsageError(
            "Nothing says what to look into." if not any(wishes) else "That asks for several things at once.",
            advice="Give one of --entity NAME, --runs, --run N and --verify N.",
        )


def _require_verify(verify_run: int, options: dict[str, str]) -> None:
    given = [name for name, value in options.items() if value]
    if given and not verify_run:
        raise UsageError(f"{given[0]} is for --verify.", advice="Give the run with --verify N.")


class _Asking:
    """One call of the command on one session."""

    def __init__(self, path: Path, times: str, thresholds: str, *, as_json: bool, keeps: bool) -> None:
        self._path, self._times, self._as_json, self._keeps = path, times, as_json, keeps
        problems = with_own_thresholds(load_problems(), thresholds, print_error)
        self._knowledge = knowledge_of(problems)
        self._why_not: HyperscopeError | None = None

    @contextmanager
    def _opened(self, path: Path) -> Iterator[tuple[SessionReader, Session, Clock]]:
        with SessionReader.open(path) as reader:
            clock = clock_of(reader, self._times)
            yield reader, Session(reader, read_snapshot(reader, path), path.name), clock

    def look(self, entity: str, ends: tuple[str, str], noticed: str, normal: str, note: str) -> None:
        """Run the checks, print them, keep the run."""
        flow = load_flow()
        if flow.noticed(noticed) is None:
            known = ", ".join(one.id for one in flow.symptoms)
            raise UsageError(f"{shown(noticed)!r} is no symptom.", advice=f"Choose one of {known}.")
        with self._opened(self._path) as (reader, here, clock), cancellable() as cancel:
            since, until = (clock.parse(text) if text else None for text in ends)
            symptom = symptom_of(
                here.snapshot,
                entity_called(here.snapshot, entity, flow),
                since=since,
                until=until,
                noticed=noticed,
                normal=window_named(normal, clock, "--normal") if normal else None,
            )
            found = look_into(reader, here.snapshot, symptom, self._knowledge, cancel).run
        if note:
            found = noted(found, Note(now_ms(), note))
        kept = self._kept(lambda: keep(self._path, found)) if self._keeps else None
        self._print(kept or found, clock, is_kept=kept is not None)
        if note and self._why_not is not None:  # the checks can be run again, what somebody wrote can't
            raise self._why_not

    def list_runs(self) -> None:
        """Print the runs that the session holds."""
        with self._opened(self._path) as (reader, _, clock):
            found = reader.troubleshooting()
        if self._as_json:
            print_json(runs_json(found))
        else:
            RunPage(results(), clock).runs(found)

    def show(self, number: int, note: str) -> None:
        """Print an earlier run, with one more note if there is one."""
        with self._opened(self._path) as (reader, _, clock):
            found = run_numbered(reader.troubleshooting(), number)
        if note:
            written = Note(now_ms(), note)
            found = keep_changed(self._path, number, lambda one: noted(one, written))
        self._print(found, clock, is_kept=True)

    def verify(self, number: int, after: str, other: Path | None, changed: tuple[str, str]) -> None:
        """Run the checks again in the later window, print what became of them, keep it."""
        with self._opened(self._path) as (reader, here, clock), cancellable() as cancel:
            run = run_numbered(reader.troubleshooting(), number)
            what, at = changed
            told = Told(what, clock.parse(at) if at else None) if what or at else None
            window = window_named(after, clock, "--after") if after else None
            if other is None:
                found = verify(here, run, window, told=told, knowledge=self._knowledge, cancel=cancel)
            else:
                with self._opened(other) as (_, there, _clock):
                    found = verify(
                        here, run, window, other=there, told=told, knowledge=self._knowledge, cancel=cancel
                    )
        if self._keeps:
            self._kept(lambda: keep_changed(self._path, number, lambda one: verified(one, found)))
        self._print_verification(run, found, clock)

    def _kept(self, store: Callable[[], TroubleshootingRun]) -> TroubleshootingRun | None:
        """Store a run; if the session can't be written, print why and go on."""
        try:
            return store()
        except (AccessDeniedError, BusyError, DiskFullError) as error:
            self._why_not = error
            print_error(f"The run is not kept in the session: {error}")
            return None

    def _print(self, run: TroubleshootingRun, clock: Clock, *, is_kept: bool) -> None:
        if self._as_json:
            print_json({**run_json(run), "run": run.number if is_kept else None})
        else:
            RunPage(results(), clock).run(run, is_kept=is_kept)

    def _print_verification(self, run: TroubleshootingRun, found: Verification, clock: Clock) -> None:
        if self._as_json:
            symptom = run.symptom
            print_json(
                {
                    "entity": {"kind": symptom.entity.kind, "name": symptom.name},
                    "run": run.number,
                    **verification_json(found),
                }
            )
        else:
            RunPage(results(), clock).verification(run, found)


def window_named(text: str, clock: Clock, option: str) -> TimeRange:
    """Return the window that an option gives as from..to. Raises UsageError for any other text."""
    start, dots, end = text.partition("..")
    if not dots or not start or not end:
        raise UsageError(f"{option} {text!r} is no window.", advice=f"Write it as from..to: {_EXAMPLE}.")
    first, last = clock.parse(start), clock.parse(end)
    if last < first:
        raise UsageError(f"{option} {text!r} ends before it begins.")
    return TimeRange(first, last)
