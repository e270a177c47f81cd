"""Undoes what a session's journal says is still changed, on any machine that has the file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from app.recording.origins import RecordOptions
from app.testing.environments import EnvironmentOptions, exactly, open_environment
from resources.failures import BusyError, HyperscopeError, SourceError, UsageError
from resources.foreign_text import shown
from resources.guided_tests import load_guided_tests
from sessions.journal import ChangedObject, JournalEntry, Setting, TestRun
from sessions.store import SessionReader, SessionWriter
from sessions.times import now_ms
from wizards.flows.locks import LOCK, lock_of
from wizards.flows.plan import Plan
from wizards.flows.plan_file import parse_plan
from wizards.flows.provenance import objection
from wizards.flows.run_reading import newest_sample
from workloads.environment import Environment, Settings
from workloads.journal import Changes

_TRIES, _WAIT_S = 5, 3.0


class _Book:
    """The journal of a session that nobody else writes."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer

    def record(self, entries: Sequence[JournalEntry]) -> None:
        """Write entries; they are on disk when this returns."""
        self._writer.add_journal(entries)


class _BySource:
    """The settings of several environments: each object is asked for at its own source."""

    def __init__(self, by_source: dict[str, Settings | HyperscopeError]) -> None:
        self._by_source = by_source

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the present value."""
        return self._of(changed).read(changed, setting)

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Set it."""
        self._of(changed).write(changed, setting, value)

    def _of(self, changed: ChangedObject) -> Settings:
        found = self._by_source.get(changed.source)
        if isinstance(found, HyperscopeError):
            raise SourceError(found.happened, meaning=found.meaning, advice=found.advice) from found
        if found is None:
            raise SourceError(f"{shown(changed.source)} was not opened.")
        return found


class _UnlessHeld:
    """The settings of one run's objects: one that another run holds now is not written to.

    A VM is powered off only if it carries this run's lock: that is the one proof that a test powered it on.
    """

    def __init__(self, settings: Settings, run: str) -> None:
        self._settings, self._run = settings, run

    def read(self, changed: ChangedObject, setting: str) -> Setting:
        """Return the present value."""
        return self._settings.read(changed, setting)

    def write(self, changed: ChangedObject, setting: str, value: Setting) -> None:
        """Set it. Raises BusyError if a test of somebody else needs it as it is."""
        if setting != LOCK and changed.kind != "guest":
            lock = lock_of(self._settings, changed)
            if lock is None and (setting, value) == ("power", False):
                raise UsageError(
                    f"{shown(changed.name)} is not powered off: nothing on it says that run "
                    f"{shown(self._run)} powered it on.",
                    advice="See who uses it, and power it off by hand.",
                )
            if lock is not None and lock.run != self._run:
                raise BusyError(
                    lock.sentence(changed.name, now_ms()),
                    advice="Restore again when that run has ended.",
                )
        self._settings.write(changed, setting, value)


def restore_session(session: Path, options: EnvironmentOptions) -> list[JournalEntry]:
    """Undo every open change of a session, newest first; return all of its changes.

    What can't be a change of its run is left: anybody can have written the file. Raises what opening the
    session raises (BusyError while a run writes it).
    """
    with SessionWriter.open(session) as writer:
        with SessionReader.open(session) as reader:
            entries, runs = reader.journal(), reader.test_runs()
            ends = {run.id: _last_heard(run, entries, reader) for run in runs if run.end is None}
        plans = {run.id: run.plan for run in runs}
        entries = _without_forged(entries, writer)
        still_open = [one for one in entries if one.is_open]
        with _environments(still_open, plans, options, entries) as settings:
            by_run: dict[str, list[JournalEntry]] = {}
            for one in reversed(still_open):
                by_run.setdefault(one.run, []).append(one)
            for run, own in by_run.items():
                held = _UnlessHeld(settings, run)
                _undo(Changes(run, held, _Book(writer), now_ms, own[0].undo, reversed(own)))
        writer.add_test_runs(
            [
                replace(run, end=ends[run.id], why=run.why or "It was interrupted, and restored.")
                for run in runs
                if run.id in ends
            ]
        )
    with SessionReader.open(session) as reader:
        return reader.journal()


def _last_heard(run: TestRun, entries: Sequence[JournalEntry], reader: SessionReader) -> int:
    """Return when an interrupted run ended: at its newest sample, phase or change, however late it is
    restored, and whatever the clock of its environment is.
    """
    phases = [at for one in run.phases for at in (one.start, one.end) if at is not None]
    changes = [one.at for one in entries if one.run == run.id]
    return max([run.start, newest_sample(reader, run.id), *phases, *changes])


def _without_forged(entries: Sequence[JournalEntry], writer: SessionWriter) -> list[JournalEntry]:
    """Write down as left what no run of the session can have changed; return all entries."""
    known = load_guided_tests()
    looked_at = [(one, objection(one, known) if one.is_open else "") for one in entries]
    kept = [
        replace(one, state="left", why=f"{why} It is left as it is.", at=max(now_ms(), one.at))
        if why
        else one
        for one, why in looked_at
    ]
    writer.add_journal([one for one, (_, why) in zip(kept, looked_at, strict=True) if why])
    return kept


def _undo(changes: Changes) -> None:
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_WAIT_S)
        if not any(one.is_open for one in changes.undo_all()):
            return


@contextmanager
def _environments(
    still_open: Sequence[JournalEntry],
    plans: dict[str, str],
    options: EnvironmentOptions,
    entries: Sequence[JournalEntry],
) -> Iterator[Settings]:
    """Open what the changes were made in; one that can't be opened fails its own changes only."""
    found: dict[str, Settings | HyperscopeError] = {}
    with ExitStack() as opened:
        for number, source in enumerate(dict.fromkeys(one.object.source for one in still_open)):
            plan = _plan_of(source, still_open, plans)
            chosen = replace(
                options,
                workers=exactly([one.name for one in plan.workers]) if plan is not None else (),
                record=_record_of(source, number, plan, options),
                guest_user=options.guest_user or (plan.guest_user if plan is not None else ""),
                journal=tuple(entries),
            )
            try:
                environment: Environment = open_environment([source], chosen)
            except HyperscopeError as error:
                found[source] = error
                continue
            opened.callback(environment.close)
            found[source] = environment.settings
        yield _BySource(found)


def _record_of(source: str, number: int, plan: Plan | None, options: EnvironmentOptions) -> RecordOptions:
    """Return how to log in to a source: thumbprints and passwords stand in the order of the plan's addresses.

    ``number`` is the source's own place, for one that the plan does not name.
    """
    record, lines = options.record, options.passwords
    addresses = [_plain(one) for one in plan.environment] if plan is not None else []
    if source in addresses:
        number = addresses.index(source)
        record = replace(record, thumbprints=record.thumbprints[number : number + 1])
    return record if lines is None else replace(record, next_password=lines.beginning_at(number))


def _plain(address: str) -> str:
    """Return a guest's address as the journal names it, without the usual port; others as they are."""
    from connections.ssh.address import parse_address  # noqa: PLC0415 - only where guests are restored

    if not address.startswith("ssh:"):
        return address
    try:
        return str(parse_address(address))
    except HyperscopeError:
        return address


def _plan_of(source: str, still_open: Sequence[JournalEntry], plans: dict[str, str]) -> Plan | None:
    runs = [one.run for one in still_open if one.object.source == source]
    text = plans.get(runs[0], "") if runs else ""
    try:
        return parse_plan(text) if text else None
    except HyperscopeError:
        return None  # the session's plan is hostile text, too
