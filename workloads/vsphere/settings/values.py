"""What every setting needs: the connection, its tasks, and values of the right kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from connections.vsphere.session import VSphere
from resources.failures import UsageError
from resources.foreign_text import shown
from resources.units import format_count
from resources.vcenter_acting import Acting
from sessions.journal import ChangedObject, Setting
from workloads.vsphere.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Server:
    """The vCenter whose settings are changed."""

    vsphere: VSphere
    tasks: Tasks
    known: Acting


Read = Callable[[Server, ChangedObject, str], Setting]
"""Reads a setting of an object; the last argument is what follows the colon in the setting's name."""

Write = Callable[[Server, ChangedObject, str, Setting], None]


@dataclass(frozen=True, slots=True)
class SettingKind:
    """How one setting is read and written; ``kinds`` are the objects that have it, none for any.

    ``named``: its name goes on after a colon, as in ``disk.shares:scsi0:1``.
    """

    read: Read
    write: Write
    kinds: tuple[str, ...]
    named: bool = False


def as_flag(setting: str, value: Setting) -> bool:
    """Return a value that must be true or false. Raises UsageError."""
    if not isinstance(value, bool):
        raise _wrong(setting, value, "true or false")
    return value


def as_whole(setting: str, value: Setting, limits: tuple[int, int], unit: str = "") -> int:
    """Return a value that must be a whole number within limits. Raises UsageError."""
    low, high = limits
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or value != int(value) or not low <= value <= high:  # type: ignore[arg-type]
        raise _wrong(setting, value, f"a whole number from {format_count(low)} to {format_count(high)}{unit}")
    return int(value)


def as_text(setting: str, value: Setting) -> str:
    """Return a value that must be text. Raises UsageError."""
    if not isinstance(value, str):
        raise _wrong(setting, value, "text")
    return value


def one_of(setting: str, value: Setting, allowed: tuple[str, ...]) -> str:
    """Return a value that must be one of some words. Raises UsageError."""
    if value not in allowed:
        raise _wrong(setting, value, f"one of {', '.join(allowed)}")
    return str(value)


def _wrong(setting: str, value: Setting, needed: str) -> UsageError:
    return UsageError(f"{shown(setting)} can't be {shown(str(value), 60)}.", advice=f"It takes {needed}.")
