"""Which of a vCenter's events are recorded, and as what: resources/vcenter/events.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml, wrong

EVENTS_FILE = RESOURCES / "vcenter" / "events.toml"


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long an event's text may be, in characters."""

    clip: int


class Pairing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When an event and a change seen in the inventory are the same thing; seconds."""

    within_s: float
    wait_s: float


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How events and tasks are read: seconds between polls, of look-back and of a piece of history; how many
    a page and at most; how many days back at most.
    """

    poll_s: float
    page: Annotated[int, msgspec.Meta(gt=0, le=1000)]
    look_back_s: float
    running_s: float
    window_s: Annotated[float, msgspec.Meta(gt=0)]
    most: Annotated[int, msgspec.Meta(gt=0)]
    days: Annotated[float, msgspec.Meta(ge=0)]


class TaskWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to say of tasks: ``{task}``, ``{name}``, ``{fault}`` filled in; when one is long."""

    long_s: float
    failed: str
    started: str
    success: str
    error: str


class EventRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Event types that are of one kind; ``tells`` is the fact whose change they report."""

    kind: str
    types: tuple[str, ...]
    tells: str = ""


class TaskRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Task ids that are of one kind."""

    kind: str
    ids: tuple[str, ...]
    tells: str = ""


class BackupRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern by which a snapshot is recognised as made by backup software."""

    field: Literal["user", "snapshot"]
    pattern: str
    source: str


class NoticedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to say of a change that no event reported; ``{name}``, ``{before}``, ``{after}`` are filled in."""

    kind: str
    text: str


class EventFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as it is written."""

    text: Text
    pairing: Pairing
    reading: Reading
    tasks: TaskWords
    event: tuple[EventRow, ...]
    task: tuple[TaskRow, ...]
    backup: tuple[BackupRow, ...]
    noticed: dict[str, NoticedRow]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an event is: its kind, and the fact whose change it reports (or empty)."""

    kind: str
    tells: str


@dataclass(frozen=True, slots=True)
class EventKnowledge:
    """``events``: event type → meaning; ``tasks``: task id → meaning; ``noticed``: change → what to say."""

    text: Text
    pairing: Pairing
    reading: Reading
    events: Mapping[str, Meaning]
    tasks: Mapping[str, Meaning]
    words: TaskWords
    failures: re.Pattern[str]
    backups: tuple[tuple[str, re.Pattern[str]], ...]
    noticed: Mapping[str, NoticedRow]

    def is_backup(self, *, user: str = "", snapshot: str = "") -> bool:
        """Whether a snapshot by this user or of this name is a backup's."""
        given = {"user": user, "snapshot": snapshot}
        return any(given[field] and pattern.fullmatch(given[field]) for field, pattern in self.backups)


def load_events(path: Path = EVENTS_FILE) -> EventKnowledge:
    """The file, checked. Raises KnowledgeError."""
    file = checked(read_toml(path), EventFile, path)
    events: dict[str, Meaning] = {}
    tasks: dict[str, Meaning] = {}
    for event in file.event:
        _add(events, event.types, Meaning(event.kind, event.tells), path)
    for task in file.task:
        _add(tasks, task.ids, Meaning(task.kind, task.tells), path)
    for name, row in file.noticed.items():
        _check_text(f"noticed.{name}", row.text, path, ("name", "before", "after"))
    for name in ("started", "success", "error"):
        _check_text(f"tasks.{name}", getattr(file.tasks, name), path, ("task", "name", "fault"))
    return EventKnowledge(
        text=file.text,
        pairing=file.pairing,
        reading=file.reading,
        events=events,
        tasks=tasks,
        words=file.tasks,
        failures=_compiled(file.tasks.failed, path),
        backups=tuple(_pattern(row, path) for row in file.backup),
        noticed=file.noticed,
    )


def _check_text(name: str, text: str, path: Path, words: tuple[str, ...]) -> None:
    try:
        text.format(**dict.fromkeys(words, ""))
    except (KeyError, ValueError, IndexError) as error:
        raise wrong(path, name, f"text can't be filled in: {error!r}") from error


def _add(known: dict[str, Meaning], names: tuple[str, ...], meaning: Meaning, path: Path) -> None:
    for name in names:
        if name in known:
            raise wrong(path, name, "is there twice")
        known[name] = meaning


def _pattern(row: BackupRow, path: Path) -> tuple[str, re.Pattern[str]]:
    if not row.source:
        raise wrong(path, row.pattern, "source must not be empty")
    return row.field, _compiled(row.pattern, path)


def _compiled(pattern: str, path: Path) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise wrong(path, pattern, f"is no regular expression: {error}") from error
