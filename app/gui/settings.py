"""The table of the user's settings with their defaults, and the file that stores them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from app.gui.json_files import change_json, read_json
from resources.user_folders import settings_folder
from sessions.clock import is_zone

Value = str | int | bool


@dataclass(frozen=True, slots=True)
class SettingSpec:
    """A setting. ``choices`` are its allowed (value, label) pairs; ``minimum`` and ``maximum`` bound a
    number. ``is_zone``: the value is a time zone (``local``, ``utc``, ``host`` or an IANA name).
    ``is_folder``: a text is the path of a folder.
    """

    key: str
    title: str
    help: str
    default: Value
    group: str
    choices: tuple[tuple[str, str], ...] = ()
    minimum: int = 0
    maximum: int = 0
    unit: str = ""
    is_zone: bool = False
    is_folder: bool = True


SETTINGS: tuple[SettingSpec, ...] = (
    SettingSpec(
        "look.theme", "Theme", "Dark or light, or as the system has it.", "system", "Look",
        (("system", "As the system has it"), ("dark", "Dark"), ("light", "Light")),
    ),
    SettingSpec(
        "look.menu_bar", "Menu bar", "Without it, a button in the top bar opens the menu; F10 and Alt, too.",
        True, "Look",
    ),
    SettingSpec(
        "look.times", "Times", "The zone of every time that is shown, typed or copied. Sessions keep UTC.",
        "local", "Look", is_zone=True,
    ),
    SettingSpec(
        "look.statistics", "Statistics in charts", "Last, min, mean, max and p95 of each curve, as a table.",
        False, "Look",
    ),
    SettingSpec(
        "look.motion", "Reduced motion", "No animations, whatever the system says.", False, "Look",
    ),
    SettingSpec(
        "record.folder", "Where recordings go", "Empty: Hyperscope in your documents.", "", "Recording",
    ),
    SettingSpec(
        "record.preset", "What to record from vCenter", "More counters cost the vCenter more.",
        "troubleshooting", "Recording",
        (
            ("troubleshooting", "What known problems need"),
            ("storage", "Storage in depth"),
            ("everything", "Everything"),
        ),
    ),
    SettingSpec(
        "record.backfill", "Back-fill the last hour", "vCenter keeps an hour of 20 s samples.", True,
        "Recording",
    ),
    SettingSpec(
        "live.window", "Live window", "How much time a new recording shows.", 15, "Recording",
        minimum=1, maximum=240, unit="min",
    ),
    SettingSpec(
        "report.author", "Your name in reports", "Stands below the title; proposed for every new report.", "",
        "Report", is_folder=False,
    ),
    SettingSpec(
        "lab.speed", "Speed of the lab", "Lab seconds in a second.", 60, "Lab",
        minimum=1, maximum=600, unit="×",
    ),
    SettingSpec(
        "lab.fields", "Counters of the lab", "Fewer make smaller sessions, and suit a slow machine.",
        "all", "Lab",
        (
            ("all", "All that esxtop has"),
            ("default", "Those that esxtop -b writes"),
            ("diagnosis", "Those that problems need"),
        ),
    ),
)  # fmt: skip


STORAGE_LIMITS, STORAGE_CLASSES = "storage.limits", "storage.classes"
STORAGE_PAGES = (
    (
        STORAGE_LIMITS, "Storage limits",
        "thresholds latency HDD hybrid SSD NVMe vSAN: sets of your own, with versions",
    ),
    (
        STORAGE_CLASSES, "Storage classes",
        "which devices and datastores are HDD, hybrid, SSD, NVMe or vSAN, by their names",
    ),
)  # fmt: skip
"""The pages of the preferences about storage: key, title, and other words by which they are looked for."""


class Settings(QObject):
    """The current settings; ``changed`` carries the key, also when another window changed the setting.

    Values from the file are checked: one that a setting can't have leaves the setting as it is.
    """

    changed = Signal(str)

    def __init__(self, folder: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder or settings_folder()
        self._specs = {spec.key: spec for spec in SETTINGS}
        self._values = self._stored()
        with suppress(OSError):  # a folder that can't be made holds no settings of another window either
            self.folder.mkdir(parents=True, exist_ok=True)
        self._watcher = QFileSystemWatcher([str(self.folder)], self)  # the file itself is replaced each time
        self._watcher.directoryChanged.connect(self._take_stored)

    def shutdown(self) -> None:
        """Watch the folder no more: on Windows a folder that is watched can't be deleted."""
        self._watcher.removePaths(self._watcher.directories())

    def text(self, key: str) -> str:
        """Return a setting that is a text or a choice."""
        return str(self._value(key))

    def number(self, key: str) -> int:
        """Return a setting that is a number."""
        return int(self._value(key))

    def flag(self, key: str) -> bool:
        """Return a setting that is yes or no."""
        return bool(self._value(key))

    def set(self, key: str, value: Value) -> None:
        """Change a setting; ValueError for a value that it can't have."""
        if not _fits(self._specs[key], value):
            raise ValueError(f"{key} can't be {value!r}")
        if value != self._value(key):
            self._values[key] = value
            change_json(self.folder / "settings.json", lambda stored: {**stored, key: value})
            self.changed.emit(key)

    def _stored(self) -> dict[str, Value]:
        stored = read_json(self.folder / "settings.json")
        return {
            spec.key: stored[spec.key]
            for spec in SETTINGS
            if spec.key in stored and _fits(spec, stored[spec.key])
        }

    def _take_stored(self) -> None:
        """Take the settings that another window stored."""
        for key, value in self._stored().items():
            if value != self._value(key):
                self._values[key] = value
                self.changed.emit(key)

    def _value(self, key: str) -> Value:
        return self._values.get(key, self._specs[key].default)


def _fits(spec: SettingSpec, value: object) -> bool:
    if type(value) is not type(spec.default):
        return False
    if spec.is_zone:
        return is_zone(str(value))
    if spec.choices:
        return value in [choice for choice, _ in spec.choices]
    return not isinstance(value, int) or isinstance(value, bool) or spec.minimum <= value <= spec.maximum
