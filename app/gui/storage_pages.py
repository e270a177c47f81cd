"""The preferences' pages about storage: the sets that judge it, and the classes chosen for names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.gui.session_files import free_path
from app.gui.threshold_store import ThresholdStore
from resources.failures import HyperscopeError
from resources.files import replace_file, write_failures
from resources.foreign_text import shown
from resources.threshold_sets import ChosenClass, OwnThresholds, read_thresholds, thresholds_text
from resources.user_folders import files_folder
from viewmodels.snapshot import Snapshot
from viewmodels.storage_class_rows import class_rows
from viewmodels.threshold_sets import (
    SetRow,
    duplicated,
    joined,
    number_rows,
    own_set,
    removed,
    saved,
    set_rows,
    used,
    version_rows,
    with_chosen,
)
from widgets.dialog_opening import open_dialog
from widgets.thresholds import ChosenClassesView, Draft, ThresholdSetsView

_FILTER = "Threshold sets (*.toml)"


class StorageSetsPage(QObject):
    """Joins the view of the sets to the store: what is saved judges at once."""

    def __init__(self, store: ThresholdStore) -> None:
        self.view = ThresholdSetsView()
        super().__init__(self.view)
        self._store = store
        self._rows: list[SetRow] = []
        self._shown: tuple[str, str] | None = None
        self._at = next(iter(store.drafts), ("", ""))
        self.view.left.connect(self._keep_draft)
        self.view.chosen.connect(self._choose)
        self.view.duplicate_wanted.connect(partial(_try, self.view, self._duplicate))
        self.view.use_wanted.connect(partial(_try, self.view, self._use))
        self.view.remove_wanted.connect(partial(_try, self.view, self._remove))
        self.view.save_wanted.connect(lambda draft: _try(self.view, partial(self._save, draft)))
        self.view.undo_wanted.connect(partial(_try, self.view, store.undo))
        self.view.redo_wanted.connect(partial(_try, self.view, store.redo))
        self.view.import_wanted.connect(self._ask_import)
        self.view.export_wanted.connect(self._ask_export)
        store.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        """Show the sets as they are stored, and keep the one that was chosen."""
        self._rows = set_rows(self._store.limits)
        keys = [_key(row) for row in self._rows]
        self._choose(keys.index(self._at) if self._at in keys else 0)
        self.view.show_steps(self._store.undo_text, self._store.redo_text)

    def _keep_draft(self) -> None:
        """Keep what was typed into the set that is shown and is not saved, until it is shown again."""
        if self._shown is not None:
            self._store.drafts.pop(self._shown, None)
            if self.view.is_edited and self._shown in [_key(row) for row in self._rows]:
                self._store.drafts[self._shown] = self.view.draft()

    def _choose(self, at: int) -> None:
        self._keep_draft()
        row, limits = self._rows[at], self._store.limits
        self._shown = self._at = _key(row)
        drafts = self._store.drafts
        rows = [
            replace(one, state=f"{one.state}, edited") if _key(one) in drafts else one for one in self._rows
        ]
        self.view.show_sets(rows, at)
        own = own_set(limits.own, row.name) if row.name else None
        known = limits.classes.get(row.storage_class)
        numbers = number_rows(limits.classes, row.storage_class, own.numbers if own else {})
        self.view.show_set(row, known.meaning if known else "", own.note if own else "", numbers)
        self.view.show_versions(version_rows(limits, row.name) if row.name else [])
        if self._at in drafts:
            self.view.show_draft(drafts[self._at])
        self.view.show_trouble(limits.trouble)

    def _change(self, own: OwnThresholds, what: str, at: tuple[str, str]) -> None:
        """Store other sets, and show this one of them; what was shown stays if they can't be stored."""
        before, self._at = self._at, at
        try:
            self._store.change(own, what)
        except HyperscopeError:
            self._at = before
            raise

    def _duplicate(self) -> None:
        storage_class, of = self._at
        own, name = duplicated(self._store.limits, storage_class, of, date.today())
        self._change(own, f"duplicate {of or storage_class}", (storage_class, name))
        self.view.name.setFocus()
        self.view.name.selectAll()

    def _use(self) -> None:
        own = used(self._store.limits.own, *self._at)
        self._change(own, f"judge with {self._at[1] or 'the shipped set'}", self._at)

    def _remove(self) -> None:
        storage_class, name = self._at
        self._change(removed(self._store.limits.own, name), f"delete {name}", (storage_class, ""))

    def _save(self, draft: Draft) -> None:
        storage_class, old = self._at
        name = draft.name.strip()
        own = saved(
            self._store.limits, old, name=name, note=draft.note, numbers=dict(draft.numbers),
            today=date.today(),
        )  # fmt: skip
        self._store.drafts.pop(self._at, None)
        shown, self._shown = self._shown, None  # what stands in the fields is no draft any more
        try:
            self._change(own, f"save {name}", (storage_class, name))
        finally:
            self._shown = self._shown or shown

    def _ask_import(self) -> None:
        dialog = QFileDialog(self.view, "Import threshold sets", str(files_folder()), _FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: _try(self.view, partial(self._import, Path(path))))
        open_dialog(dialog)

    def _import(self, path: Path) -> None:
        limits = self._store.limits
        own, names = joined(limits, read_thresholds(path, limits.classes))
        at = next(((one.storage_class, one.name) for one in own.sets if one.name in names[:1]), self._at)
        chosen = len(own.chosen) - len(limits.own.chosen)
        self._change(own, f"import {path.name}", at)
        what = _counted(len(names), chosen)
        self.view.show_note(
            f"From {shown(path.name)}: {what} added."
            if names or chosen
            else f"{shown(path.name)} has nothing that is not here already."
        )

    def _ask_export(self) -> None:
        proposed = free_path(files_folder() / "thresholds.toml")
        dialog = QFileDialog(self.view, "Export threshold sets", str(proposed), _FILTER)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("toml")
        dialog.fileSelected.connect(lambda path: _try(self.view, partial(self._export, Path(path))))
        open_dialog(dialog)

    def _export(self, path: Path) -> None:
        limits = self._store.limits
        with write_failures(path):
            replace_file(path, thresholds_text(limits.own, limits.classes))
        what = _counted(len(limits.own.sets), len(limits.own.chosen))
        self.view.show_note(f"{what[0].upper()}{what[1:]} exported to {shown(str(path))}.")


def _counted(sets: int, chosen: int) -> str:
    """Return ``2 sets and 1 chosen class``; ``no set`` of nothing at all."""
    named = [f"1 {one}" if n == 1 else f"{n} {many}" for n, one, many in
             ((sets, "set", "sets"), (chosen, "chosen class", "chosen classes")) if n]  # fmt: skip
    return " and ".join(named) or "no set"


def _try(view: ThresholdSetsView | ChosenClassesView, act: Callable[[], object]) -> None:
    """Do something with the store; what can't be done is said on the page."""
    try:
        act()
    except HyperscopeError as error:
        view.show_trouble(str(error))


def _key(row: SetRow) -> tuple[str, str]:
    return row.storage_class, row.name


class StorageClassesPage(QObject):
    """Joins the view of the chosen classes to the store; ``snapshot`` gives the open session, if there is
    one, whose devices it lists with the classes that they have.
    """

    def __init__(self, store: ThresholdStore, snapshot: Callable[[], Snapshot | None]) -> None:
        classes = [(one.id, one.title) for one in store.limits.classes.classes]
        self.view = ChosenClassesView(classes)
        super().__init__(self.view)
        self._store, self._snapshot = store, snapshot
        self.view.changed.connect(lambda chosen: _try(self.view, partial(self._change, chosen)))
        self.view.undo_wanted.connect(partial(_try, self.view, store.undo))
        self.view.redo_wanted.connect(partial(_try, self.view, store.redo))
        store.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.view.show_chosen(self._store.limits.own.chosen)
        session = self._snapshot()
        rows, note = class_rows(session, self._store.limits) if session is not None else ((), "")
        self.view.show_devices([(one.name, one.of, one.storage_class, one.because) for one in rows], note)
        self.view.show_trouble(self._store.limits.trouble)
        self.view.show_steps(self._store.undo_text, self._store.redo_text)

    def _change(self, chosen: list[ChosenClass]) -> None:
        self._store.change(with_chosen(self._store.limits, chosen), "choose classes")
