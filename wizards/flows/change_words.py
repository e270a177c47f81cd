"""What a change of the journal is called: settings by their titles, what a test makes for itself in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from resources.foreign_text import shown
from resources.units import format_count
from sessions.journal import JournalEntry, Setting
from wizards.flows.sheets import setting_text

_OURS: Mapping[str, tuple[str, str, str]] = {
    "attribute": ("Lock of this run", "held", "removed"),
    "disk": ("Test disk", "attached", "removed"),
    "process": ("fio in the guest", "running", "ended"),
    "folder": ("Folder in the guest", "made", "removed"),
}
"""What a test makes for itself, by the first word of its setting: title, while it is there, and after."""


def change_title(entry: JournalEntry, settings: Mapping[str, tuple[str, str]]) -> str:
    """Return what is changed: ``Disk shares``, ``Lock of this run``. ``settings`` are titles and units."""
    word = entry.setting.partition(":")[0]
    return _OURS[word][0] if word in _OURS else shown(settings.get(word, (entry.setting, ""))[0], 60)


def value_words(entry: JournalEntry, value: Setting, settings: Mapping[str, tuple[str, str]]) -> str:
    """Return a value of the changed setting in words: ``2,000``, ``on``, ``attached``."""
    word = entry.setting.partition(":")[0]
    if word in _OURS:
        return _OURS[word][2] if value in (None, "") else _OURS[word][1]
    return setting_text(value, settings.get(word, ("", ""))[1])


def alike(
    changes: Iterable[JournalEntry], settings: Mapping[str, tuple[str, str]], within_ms: int
) -> list[Sequence[JournalEntry]]:
    """Return changes in their order, those together that say the same of several objects at one time."""
    groups: dict[tuple[object, ...], list[JournalEntry]] = {}
    for one in changes:
        values = [value_words(one, each, settings) for each in (one.before, one.after)]
        key = (change_title(one, settings), one.state, *values, one.at // within_ms)
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def objects_text(group: Sequence[JournalEntry]) -> str:
    """Return the object of alike changes, or how many they are."""
    return shown(group[0].object.name, 60) if len(group) == 1 else f"{format_count(len(group))} objects"


def is_made_by_the_run(entry: JournalEntry) -> bool:
    """Return True for what a run makes for itself: there is no earlier value to go back to."""
    return entry.setting.partition(":")[0] in _OURS and entry.before in (None, "")
