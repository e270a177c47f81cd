"""Changes of an environment: written down before they are made, read back after, and undone.

Making a change: read the setting → write the intent to the journal and wait until it is on disk → read again
→ set it → read it back → write the outcome. Undoing looks first: still what the test set → put back what was
before; already what it was → nothing; something else → somebody changed it, so it is left and that is said.
Both can be repeated after a crash at any point.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol

from resources.failures import BusyError, HyperscopeError, NotFoundError, SourceError, TimedOutError
from resources.foreign_text import shown
from sessions.journal import ChangedObject, ChangeState, JournalEntry, Setting, current_journal
from workloads.environment import Settings
from workloads.together import on_all, raised

_MAX_VALUE = 80
_MOVING = "host"
"""A test of DRS lets it move VMs: where one is then is no change of somebody else's, and is put back.

So is a VM that the test itself left where it was.
"""


class JournalBook(Protocol):
    """Where the journal is kept: a session that is being written."""

    def record(self, entries: Sequence[JournalEntry]) -> None:
        """Write these entries, all of them or none; return when they are on disk."""


class ChangeFailedError(SourceError):
    """A setting could not be changed, or is not what it was set to."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A setting and the value that it should have; ``only_if_unset``: never in the place of another value."""

    object: ChangedObject
    setting: str
    value: Setting
    only_if_unset: bool = False

    @property
    def key(self) -> tuple[ChangedObject, str]:
        """What is changed, whatever the value."""
        return (self.object, self.setting)


class _Notes:
    """The changes of one run as they are written down; ``entries`` are those of an earlier process of it."""

    def __init__(
        self,
        run: str,
        book: JournalBook,
        now_ms: Callable[[], int],
        undo_kind: str,
        entries: Iterable[JournalEntry],
    ) -> None:
        self._run, self._book = run, book
        self._now_ms, self._undo_kind = now_ms, undo_kind
        self._entries = {entry.id: entry for entry in current_journal(entries)}

    @property
    def entries(self) -> list[JournalEntry]:
        """All changes in the order in which they were intended, each in its present state."""
        return list(self._entries.values())

    def present(self, entry: JournalEntry) -> JournalEntry:
        """Return a change in its present state."""
        return self._entries[entry.id]

    def open_change(self, key: tuple[ChangedObject, str]) -> JournalEntry | None:
        """Return the change of a setting that may be in effect, None if there is none."""
        open_ones = [one for one in self.entries if one.is_open and (one.object, one.setting) == key]
        return open_ones[-1] if open_ones else None

    def new(self, wanted: Wanted, before: Setting, state: ChangeState, more: int = 0) -> JournalEntry:
        """Return a new change; ``more`` of them were made before it that are not in the journal yet."""
        now = self._now_ms()
        name = f"{self._run}/{len(self._entries) + more + 1:04}"
        return JournalEntry(
            name,
            self._run,
            wanted.object,
            wanted.setting,
            before,
            wanted.value,
            self._undo_kind,
            state,
            now,
            now,
        )

    def moved(self, entry: JournalEntry, state: ChangeState, why: str = "", **new: Any) -> JournalEntry:
        """Return a change in another state, which it reaches now."""
        at = max(self._now_ms(), entry.at)
        return replace(entry, state=state, why=why, at=at, **new)

    def note(self, entry: JournalEntry) -> JournalEntry:
        """Write one change down and return it."""
        self.record([entry])
        return entry

    def record(self, entries: Sequence[JournalEntry]) -> None:
        """Write changes down, all of them or none; they are on disk when this returns."""
        self._book.record(entries)
        self._entries.update({entry.id: entry for entry in entries})


class Changes:
    """The changes of one run. ``undo_kind`` says which code undoes them: ``vsphere``, ``guest``, ``lab``.

    ``entries`` are the changes of an earlier process of this run, none for a new one.
    """

    def __init__(
        self,
        run: str,
        settings: Settings,
        book: JournalBook,
        now_ms: Callable[[], int],
        undo_kind: str,
        entries: Iterable[JournalEntry] = (),
    ) -> None:
        self._settings = settings
        self._notes = _Notes(run, book, now_ms, undo_kind, entries)

    @property
    def entries(self) -> list[JournalEntry]:
        """All changes in the order in which they were intended, each in its present state."""
        return self._notes.entries

    def make(self, wanted: Wanted) -> JournalEntry:
        """Give a setting a value and return the change.

        A setting that this run has changed before gets one change from its first value to the new one. Raises
        ChangeFailedError and what the settings raise; whatever may have been changed then is in the journal.
        Raises BusyError if a setting that must be unset is set.
        """
        earlier = self._notes.open_change(wanted.key)
        is_moving = wanted.setting == _MOVING
        if earlier is not None and _same(earlier.before, wanted.value):
            return self._returned(earlier) if is_moving else self.undo(earlier)
        before = self._unset_if_it_must(wanted)
        if _same(before, wanted.value):
            is_first = is_moving and earlier is None
            return (
                self._notes.note(self._notes.new(wanted, before, "applied"))
                if is_first
                else self._unneeded(wanted, before)
            )
        change = self._notes.note(self._notes.new(wanted, before, "intended"))
        applied = self._made(change)
        if earlier is None:
            return self._notes.note(applied)
        joined = replace(applied, before=earlier.before)
        done = self._notes.moved(
            earlier, "not needed", "The same setting was changed again; that change puts it back."
        )
        self._notes.record([joined, done])
        return joined

    def make_all(self, wanted: Sequence[Wanted]) -> list[JournalEntry]:
        """Make several changes as ``make`` does; those at different sources (guests over ssh) at once.

        Raises the first error; what was or may have been changed is in the journal then, too.
        """
        if len({one.object.source for one in wanted}) < max(2, len(wanted)):
            return [self.make(one) for one in wanted]
        seen = raised(on_all(wanted, self._unset_if_it_must))
        intended: list[JournalEntry] = []
        for one, before in zip(wanted, seen, strict=True):
            intended.append(self._notes.new(one, before, "intended", len(intended)))
        self._notes.record(intended)
        made = raised(on_all(intended, self._made))
        self._notes.record(made)
        return made

    def _unset_if_it_must(self, wanted: Wanted) -> Setting:
        before = self._settings.read(wanted.object, wanted.setting)
        if wanted.only_if_unset and before not in (None, ""):
            raise BusyError(
                f"{shown(wanted.object.name)} already has {shown(wanted.setting)}.",
                meaning=f"It is {_said(before)}.",
            )
        return before

    def _made(self, change: JournalEntry) -> JournalEntry:
        self._apply(change)
        return self._notes.moved(change, "applied", after=self._read_back(change))

    def intend(self, wanted: Wanted) -> JournalEntry:
        """Write down something that is about to be made by other means than a setting (a folder in a guest).

        Setting it to what it was before must remove it.
        """
        present = self._notes.open_change(wanted.key)
        if present is not None:
            return present
        return self._notes.note(self._notes.new(wanted, None, "intended"))

    def confirm(self, entry: JournalEntry) -> JournalEntry:
        """Write down that what was intended is there now."""
        present = self._notes.present(entry)
        return (
            self._notes.note(self._notes.moved(present, "applied"))
            if present.state == "intended"
            else present
        )

    def drop(self, entry: JournalEntry, why: str) -> JournalEntry:
        """Write down that what was intended never came to be."""
        present = self._notes.present(entry)
        return (
            self._notes.note(self._notes.moved(present, "not needed", why))
            if present.state == "intended"
            else present
        )

    def hold(self, wanted: Iterable[Wanted], kept: Collection[str] = ()) -> None:
        """Make these the settings that are changed: put back the others, newest first, and change what
        differs. Changes with the ids ``kept`` stay.

        Raises what ``make`` raises, and ChangeFailedError if a setting could not be put back.
        """
        needed = {one.key: one for one in wanted}
        for entry in reversed(self.entries):
            if entry.is_open and (entry.object, entry.setting) not in needed and entry.id not in kept:
                _require_undone(self.undo(entry))
        for one in needed.values():
            present = self._notes.open_change(one.key)
            is_moving = one.setting == _MOVING
            if (
                is_moving
                or present is None
                or present.state != "applied"
                or not _same(present.after, one.value)
            ):
                self.make(one)

    def undo(self, entry: JournalEntry) -> JournalEntry:
        """Undo a change if that is still ours to do; return it in the state that it reached.

        Nothing is raised for a server that does not answer: the change is then ``failed``, and stays to be
        undone.
        """
        return self._notes.note(self._reached(entry)) if entry.is_open else entry

    def undo_all(self) -> list[JournalEntry]:
        """Undo everything that is still open, newest first; return all changes.

        Several sources (guests over ssh) are seen to at once: one that hangs holds up no other, and is asked
        once.
        """
        by_source: dict[str, list[JournalEntry]] = {}
        for entry in reversed(self.entries):
            if entry.is_open:
                by_source.setdefault(entry.object.source, []).append(entry)
        if len(by_source) < 2:
            for entry in chain.from_iterable(by_source.values()):
                self.undo(entry)
            return self.entries
        found = on_all(list(by_source.values()), self._reached_of_one)
        self._notes.record([entry for own in found if isinstance(own, list) for entry in own])
        return self.entries

    def _reached(self, entry: JournalEntry) -> JournalEntry:
        """Undo an open change; return it in the state that it reached, which is not written down yet."""
        try:
            return self._answered(entry)
        except TimedOutError as error:
            return self._notes.moved(entry, "failed", str(error))

    def _reached_of_one(self, own: Sequence[JournalEntry]) -> list[JournalEntry]:
        """Undo a source's changes; after the first that it does not answer to, the others fail alike: each
        question to a guest that hangs takes a minute.
        """
        found: list[JournalEntry] = []
        for at, entry in enumerate(own):
            try:
                found.append(self._answered(entry))
            except TimedOutError as error:
                return [*found, *(self._notes.moved(one, "failed", str(error)) for one in own[at:])]
        return found

    def _answered(self, entry: JournalEntry) -> JournalEntry:
        """Undo an open change; return it in the state that it reached. Raises TimedOutError."""
        try:
            return self._undone(entry)
        except NotFoundError:
            why = f"{shown(entry.object.name)} is not there any more."
            return self._notes.moved(entry, "not needed", why)
        except TimedOutError:
            raise
        except HyperscopeError as error:
            return self._notes.moved(entry, "failed", str(error))

    def _returned(self, entry: JournalEntry) -> JournalEntry:
        """Move an object back to where it was. The change stays open: it may be moved again."""
        if not _same(self._settings.read(entry.object, entry.setting), entry.before):
            self._settings.write(entry.object, entry.setting, entry.before)
            self._read_back(replace(entry, after=entry.before))
        return self._notes.note(self._notes.moved(entry, "applied", after=entry.before))

    def _unneeded(self, wanted: Wanted, before: Setting) -> JournalEntry:
        """Write down once that a setting has its value already."""
        same = [one for one in self.entries if (one.object, one.setting) == wanted.key]
        if same and same[-1].state == "not needed" and _same(same[-1].after, wanted.value):
            return same[-1]
        return self._notes.note(self._notes.new(wanted, before, "not needed"))

    def _apply(self, change: JournalEntry) -> None:
        """Set the value, unless somebody else was faster."""
        now = self._settings.read(change.object, change.setting)
        if not _same(now, change.before):
            why = f"It became {_said(now)} while it was about to be changed; nothing was set."
            self._notes.note(self._notes.moved(change, "left", why))
            raise ChangeFailedError(
                f"{_what(change)}: {why}", advice="See who else works on it, and try again."
            )
        try:
            self._settings.write(change.object, change.setting, change.after)
        except HyperscopeError as error:
            self._notes.note(self._notes.moved(change, "failed", str(error)))
            raise

    def _read_back(self, change: JournalEntry) -> Setting:
        try:
            found = self._settings.read(change.object, change.setting)
        except HyperscopeError as error:
            self._notes.note(self._notes.moved(change, "failed", str(error)))
            raise
        if _same(found, change.after):
            return found
        why = f"It was set to {_said(change.after)} and reads {_said(found)}."
        self._notes.note(self._notes.moved(change, "failed", why))
        raise ChangeFailedError(f"{_what(change)}: {why}", advice="See the server's tasks and events.")

    def _undone(self, entry: JournalEntry) -> JournalEntry:
        now = self._settings.read(entry.object, entry.setting)
        if _same(now, entry.before):
            is_unneeded = entry.state == "intended" or _same(entry.before, entry.after)
            state: ChangeState = "not needed" if is_unneeded else "undone"
            return self._notes.moved(entry, state, "" if state == "not needed" else "It was so already.")
        if not _same(now, entry.after) and entry.setting != _MOVING:
            why = (
                f"It is {_said(now)} now, neither {_said(entry.before)} as before the test nor "
                f"{_said(entry.after)} as the test set it: somebody else changed it."
            )
            return self._notes.moved(entry, "left", why)
        self._settings.write(entry.object, entry.setting, entry.before)
        found = self._settings.read(entry.object, entry.setting)
        if _same(found, entry.before):
            return self._notes.moved(entry, "undone")
        return self._notes.moved(
            entry, "failed", f"It was put back to {_said(entry.before)} and reads {_said(found)}."
        )


def _require_undone(entry: JournalEntry) -> None:
    if entry.is_open:
        raise ChangeFailedError(f"{_what(entry)} could not be put back: {entry.why}")


def changes_json(entries: Iterable[JournalEntry]) -> list[dict[str, object]]:
    """Return the changes as ``restore --json`` prints them."""
    return [
        {
            "what": one.setting,
            "object": one.object.name,
            "before": one.before,
            "after": one.after,
            "state": one.state,
            "why": one.why,
        }
        for one in entries
    ]


def _same(one: Setting, other: Setting) -> bool:
    """Return True if two values of a setting are the same.

    Of what is given as JSON text, what the test set must be in what the server says: a disk that was made has
    a UUID afterwards.
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if one == other or {one, other} == {None, ""}:
        return True
    first, second = _object(one), _object(other)
    if first is None or second is None:
        return False
    shared = first.keys() & second.keys()
    return shared in (first.keys(), second.keys()) and all(first[key] == second[key] for key in shared)


def _object(value: Setting) -> Mapping[str, object] | None:
    if not (isinstance(value, str) and value.startswith("{")):
        return None
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) and parsed else None


def _said(value: Setting) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else shown(str(value), _MAX_VALUE)


def _what(change: JournalEntry) -> str:
    return f"{change.setting} of {shown(change.object.name)}"
