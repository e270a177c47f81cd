"""Loads which vCenter events and tasks are recorded, and as which kind (resources/vcenter/events.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

EVENTS_FILE = RESOURCES / "vcenter" / "events.toml"


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``clip``: the length in characters to which an event's text is cut."""

    clip: int


class Pairing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When an event and a change seen in the inventory count as the same: at most ``within_s`` seconds apart.

    A change waits ``wait_s`` seconds for its event before it gets a text of its own.
    """

    within_s: float
    wait_s: float


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How events and tasks are read from the server.

    ``poll_s``: seconds between two polls; ``running_s``: the same for tasks that still run; ``page``: events
    in one reply; ``look_back_s``: seconds that are read again for late events; ``window_s``: seconds of
    history read at once; ``max_count``: most events that are read of the past; ``days``: how far back at
    most.
    """

    poll_s: float
    page: Annotated[int, msgspec.Meta(gt=0, le=1000)]
    look_back_s: float
    running_s: float
    window_s: Annotated[float, msgspec.Meta(gt=0)]
    max_count: Annotated[int, msgspec.Meta(gt=0)]
    days: Annotated[float, msgspec.Meta(ge=0)]


class TaskTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts for tasks, with ``{task}``, ``{name}``, ``{fault}`` filled in.

    A task that runs for more than ``long_s`` seconds gets a text when it has ``started``. ``failed`` is a
    regular expression for the API's types of events that report a failure.
    """

    long_s: float
    failed: str
    started: str
    success: str
    error: str


class EventRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Event types that are recorded as one kind; ``changed_fact`` is the fact whose change they report."""

    kind: str
    types: tuple[str, ...]
    changed_fact: str = ""


class TaskRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Task ids that are recorded as one kind; ``changed_fact`` is the fact whose change they report."""

    kind: str
    ids: tuple[str, ...]
    changed_fact: str = ""


class BackupRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern of a user's or a snapshot's name by which a snapshot counts as made by backup software."""

    field: Literal["user", "snapshot"]
    pattern: str
    source: str


class NoticedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Kind and text for a change of the inventory without an event; ``{name}``, ``{before}``, ``{after}`` are
    filled in.
    """

    kind: str
    text: str


class EventFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file events.toml as it is written."""

    text: Text
    pairing: Pairing
    reading: Reading
    tasks: TaskTexts
    event: tuple[EventRow, ...]
    task: tuple[TaskRow, ...]
    backup: tuple[BackupRow, ...]
    noticed: dict[str, NoticedRow]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an event type means: the kind it is recorded as, and the fact whose change it reports (or
    empty).
    """

    kind: str
    changed_fact: str


@dataclass(frozen=True, slots=True)
class EventKnowledge:
    """The checked content of events.toml.

    ``events``: meaning by event type; ``tasks``: meaning by task id; ``noticed``: text by changed fact.
    """

    text: Text
    pairing: Pairing
    reading: Reading
    events: Mapping[str, Meaning]
    tasks: Mapping[str, Meaning]
    task_texts: TaskTexts
    failures: re.Pattern[str]
    backups: tuple[tuple[str, re.Pattern[str]], ...]
    noticed: Mapping[str, NoticedRow]

    def is_backup(self, *, user: str = "", snapshot: str = "") -> bool:
        """True if a snapshot of this name, or by this user, was made by backup software."""
        given = {"user": user, "snapshot": snapshot}
        return any(given[field] and pattern.fullmatch(given[field]) for field, pattern in self.backups)


def load_events(path: Path = EVENTS_FILE) -> EventKnowledge:
    """Load and check events.toml. Raises KnowledgeError."""
    file = checked(read_toml(path), EventFile, path)
    events: dict[str, Meaning] = {}
    tasks: dict[str, Meaning] = {}
    for event in file.event:
        _add(events, event.types, Meaning(event.kind, event.changed_fact), path)
    for task in file.task:
        _add(tasks, task.ids, Meaning(task.kind, task.changed_fact), path)
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
        task_texts=file.tasks,
        failures=_compiled(file.tasks.failed, path),
        backups=tuple(_pattern(row, path) for row in file.backup),
        noticed=file.noticed,
    )


def _check_text(name: str, text: str, path: Path, words: tuple[str, ...]) -> None:
    try:
        text.format(**dict.fromkeys(words, ""))
    except (KeyError, ValueError, IndexError) as error:
        raise knowledge_error(path, name, f"text can't be filled in: {error!r}") from error


def _add(known: dict[str, Meaning], names: tuple[str, ...], meaning: Meaning, path: Path) -> None:
    for name in names:
        if name in known:
            raise knowledge_error(path, name, "is there twice")
        known[name] = meaning


def _pattern(row: BackupRow, path: Path) -> tuple[str, re.Pattern[str]]:
    if not row.source:
        raise knowledge_error(path, row.pattern, "source must not be empty")
    return row.field, _compiled(row.pattern, path)


def _compiled(pattern: str, path: Path) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise knowledge_error(path, pattern, f"is no regular expression: {error}") from error
