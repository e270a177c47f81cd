"""What a change of the journal is called: settings by their titles, what a test makes for itself in words."""

from __future__ import annotations

from collections.abc import Mapping

from resources.foreign_text import shown
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
