"""The admin's threshold sets in the settings folder: read, changed with undo, and watched for other
windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from app.gui.session_files import free_path
from app.own_thresholds import FILE, trouble_sentence
from connections.file_lock import locked
from resources.failures import BusyError, HyperscopeError, NotFoundError
from resources.files import replace_file, replaceable_file, write_failures
from resources.storage_classes import StorageClasses
from resources.threshold_sets import OwnThresholds, StorageLimits, read_thresholds, thresholds_text
from widgets.thresholds import Draft

_KEPT_ASIDE = ".unreadable"
_MOST_STEPS = 100
_PATIENCE_S = 1.0
"""How long to wait for another window that stores sets: it needs a few ms, unless it is stopped."""


class ThresholdStore(QObject):
    """What storage is judged by. ``changed`` is emitted after every change, also by another window.

    A file that can't be used is not written over: the first change puts it aside, beside earlier ones.
    """

    changed = Signal()

    def __init__(self, folder: Path, classes: StorageClasses, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = folder / FILE
        self._classes = classes
        self._undo: list[tuple[str, OwnThresholds]] = []
        self._redo: list[tuple[str, OwnThresholds]] = []
        self.drafts: dict[tuple[str, str], Draft] = {}
        """What was typed into a set (its class and name) and is not saved."""
        self.limits = self._read()
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        self._watcher = QFileSystemWatcher([str(folder)], self)  # the file itself is replaced each time
        self._watcher.directoryChanged.connect(self._take_stored)

    def shutdown(self) -> None:
        """Watch the folder no more: on Windows a folder that is watched can't be deleted."""
        self._watcher.removePaths(self._watcher.directories())

    @property
    def file(self) -> Path | None:
        """The file with the admin's sets; None where there is none."""
        return self._path if self._path.exists() else None

    @property
    def undo_text(self) -> str:
        """What undoing would take back; empty if there is nothing."""
        return self._undo[-1][0] if self._undo else ""

    @property
    def redo_text(self) -> str:
        """What would be done again; empty if there is nothing."""
        return self._redo[-1][0] if self._redo else ""

    def change(self, own: OwnThresholds, what: str) -> None:
        """Store other sets; ``what`` names the step. Raises AccessDeniedError, DiskFullError, and BusyError
        if another window has just stored others, which are taken; then nothing is stored.
        """
        before = self.limits.own
        if own == before and not self.limits.trouble:
            return
        self._write(own)
        self._undo = [*self._undo, (what, before)][-_MOST_STEPS:]
        self._redo.clear()
        self.changed.emit()

    def undo(self) -> None:
        """Take the last step back. Raises what ``change`` does."""
        self._step(self._undo, self._redo)

    def redo(self) -> None:
        """Take the step again that was undone last. Raises what ``change`` does."""
        self._step(self._redo, self._undo)

    def _step(self, steps: list[tuple[str, OwnThresholds]], back: list[tuple[str, OwnThresholds]]) -> None:
        if not steps:
            return
        what, own = steps[-1]
        before = self.limits.own
        self._write(own)
        steps.pop()
        back.append((what, before))
        self.changed.emit()

    def _write(self, own: OwnThresholds) -> None:
        with write_failures(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._alone():
                self._require_unchanged()
                self._replace(thresholds_text(own, self._classes))
        self.limits = StorageLimits(self._classes, own)

    def _replace(self, text: str) -> None:
        with ExitStack() as on_failure:
            if self.limits.trouble and self._path.exists():
                file = replaceable_file(self._path)
                aside = file.replace(free_path(file.with_name(file.name + _KEPT_ASIDE)))
                on_failure.callback(aside.replace, file)
            replace_file(self._path, text)
            on_failure.pop_all()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other window stores sets meanwhile; one that is stopped while it does is not waited for."""
        with ExitStack() as held:
            with suppress(OSError, BusyError):
                held.enter_context(locked(self._path.with_name(f".{FILE}.lock"), _PATIENCE_S))
            yield

    def _require_unchanged(self) -> None:
        """Raise BusyError if what is stored is not what is shown here: it would be lost."""
        if not self._take_stored():
            return
        raise BusyError(
            "Another window or an editor has just changed the threshold sets.",
            meaning="They are shown now; yours was not stored.",
            advice="Look at them, then do it again.",
        )

    def _read(self) -> StorageLimits:
        try:
            return StorageLimits(self._classes, read_thresholds(self._path, self._classes))
        except NotFoundError:
            return StorageLimits(self._classes)
        except HyperscopeError as error:
            return StorageLimits(self._classes, OwnThresholds(), trouble_sentence(error))

    def _take_stored(self) -> bool:
        """Take what another window, or an editor, stored; its steps can't be undone here. Return True if
        there was something.
        """
        found = self._read()
        if found == self.limits:
            return False
        self.limits = found
        self._undo.clear()
        self._redo.clear()
        self.changed.emit()
        return True
