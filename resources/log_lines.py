"""Loads which lines of ESXi's logs become events, and as which kind (resources/logs/lines.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

LINES_FILE = RESOURCES / "logs" / "lines.toml"
Positive = Annotated[int, msgspec.Meta(gt=0)]
Of = Literal["device", "path", "adapter", "nic", "volume", "datastore", "vm"]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of ``[limits]``, which explains each of them."""

    line_bytes: Positive
    fold_s: Positive
    open_h: Positive
    max_events: Positive
    max_seen: Positive
    unpacked_ratio: Positive
    unpacked_mb: Positive
    archive_mb: Positive
    max_members: Positive
    around_h: Positive
    step_s: tuple[Positive, ...]
    max_steps: Positive


class Files(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What logs and vm-support archives are called: regular expressions for whole names."""

    names: str
    source: str
    bundle: str
    bundle_source: str


class VmWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a vmware.log names its VM, its folder and its host: patterns with the group ``name``."""

    name: str
    folder: str
    host: str
    source: str


class LineRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One form of line: its pattern, and the text of its event, where ``{name}`` is a group of the pattern.

    ``{name:us}`` is a number of microseconds as a duration, ``{name:command}`` a SCSI command in words,
    ``{scsi}`` the SCSI codes in words. ``lasted``: the group with the microseconds that it took until then.
    """

    id: str
    kind: str
    literal: str
    pattern: str
    text: str
    example: str
    source: str
    of: tuple[Of, ...] = ()
    same: tuple[str, ...] = ()
    worst: str = ""
    lasted: str = ""
    means: str = ""
    opens: str = ""
    closes: str = ""
    cards: tuple[str, ...] = ()


class ToldRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events that vobd writes by these ids; without ``text`` the line's own sentence is the event's."""

    ids: tuple[str, ...]
    kind: str
    source: str
    text: str = ""
    means: str = ""
    opens: str = ""
    closes: str = ""
    cards: tuple[str, ...] = ()
    example: str = ""


class LinesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file lines.toml as it is written."""

    limits: Limits
    files: Files
    vm: VmWords
    line: tuple[LineRow, ...]
    told: tuple[ToldRow, ...]


@dataclass(frozen=True, slots=True)
class LineForm:
    """A form of line with its pattern compiled, for bytes.

    ``means`` is the same for two forms that report one thing, such as a line of the vmkernel and of vobd.
    """

    kind: str
    means: str
    pattern: re.Pattern[bytes]
    text: str
    of: tuple[Of, ...]
    same: tuple[str, ...]
    worst: str
    lasted: str
    opens: str
    closes: str


@dataclass(frozen=True, slots=True)
class LogKnowledge:
    """The checked content of lines.toml: forms by the literal text that each of their lines has, and events
    of vobd by id.
    """

    limits: Limits
    forms: Mapping[bytes, tuple[LineForm, ...]]
    told: Mapping[str, ToldRow]
    names: re.Pattern[str]
    bundle: re.Pattern[str]
    rows: tuple[LineRow, ...]
    vm_name: re.Pattern[bytes]
    vm_folder: re.Pattern[bytes]
    vm_host: re.Pattern[bytes]


def load_log_lines(path: Path = LINES_FILE) -> LogKnowledge:
    """Load and check lines.toml. Raises KnowledgeError."""
    file = checked(read_toml(path), LinesFile, path)
    forms: dict[bytes, list[LineForm]] = {}
    for row in file.line:
        form = LineForm(
            row.kind,
            row.means or row.id,
            _pattern(row, path),
            row.text,
            row.of,
            row.same,
            row.worst,
            row.lasted,
            row.opens,
            row.closes,
        )
        forms.setdefault(row.literal.encode(), []).append(form)
    told: dict[str, ToldRow] = {}
    for event in file.told:
        for name in event.ids:
            if name in told:
                raise knowledge_error(path, name, "is there twice")
            told[name] = event
    return LogKnowledge(
        file.limits,
        {literal: tuple(some) for literal, some in forms.items()},
        told,
        _compiled(file.files.names, path),
        _compiled(file.files.bundle, path),
        file.line,
        *(_named(pattern, path) for pattern in (file.vm.name, file.vm.folder, file.vm.host)),
    )


def _pattern(row: LineRow, path: Path) -> re.Pattern[bytes]:
    try:
        pattern = re.compile(row.pattern.encode())
    except re.error as error:
        raise knowledge_error(path, row.id, f"is no regular expression: {error}") from error
    used = {*row.same, *filter(None, (row.worst, row.lasted))}
    if missing := used - pattern.groupindex.keys():
        raise knowledge_error(path, row.id, f"has no group {min(missing)!r}")
    return pattern


def _compiled(pattern: str, path: Path) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise knowledge_error(path, pattern, f"is no regular expression: {error}") from error


def _named(pattern: str, path: Path) -> re.Pattern[bytes]:
    """A pattern for bytes with the group ``name``."""
    if "name" not in _compiled(pattern, path).groupindex:
        raise knowledge_error(path, pattern, "has no group 'name'")
    return re.compile(pattern.encode())
