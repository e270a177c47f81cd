"""Plans of tests as files: run one, or save the one that is set up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.gui.desk import Desk
from app.gui.session_files import free_path, os_error_text
from resources.failures import HyperscopeError
from resources.fio_jobs import load_fio_jobs
from resources.user_folders import files_folder
from widgets.dialog_opening import open_dialog
from widgets.theme import Theme
from wizards.flows.overwriting import overwriting_of
from wizards.flows.plan import Plan
from wizards.flows.plan_file import read_plan
from wizards.flows.plan_rules import require_runnable
from wizards.pages.overwrite_dialog import OverwriteDialog

_FILTER = "Plans (*.toml)"


class PlanFiles(QObject):
    """Asks for the files. Disks that were given must be typed before a plan that overwrites them runs."""

    def __init__(self, desk: Desk, view: QWidget) -> None:
        super().__init__(view)
        self._desk, self._view = desk, view

    def ask_run(self) -> None:
        """Ask which plan to run, and run it."""
        dialog = QFileDialog(self._view, "Run a plan", str(files_folder()), _FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.run(Path(name)))
        open_dialog(dialog)

    def ask_save(self, test: str) -> None:
        """Ask where to save the plan that is set up."""
        proposed = free_path(files_folder() / f"{test}.toml")
        dialog = QFileDialog(self._view, "Save the plan", str(proposed), _FILTER)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("toml")
        dialog.fileSelected.connect(lambda name: self._save(Path(name)))
        open_dialog(dialog)

    def run(self, path: Path) -> None:
        """Run the plan in a file; ask first for the disks that it overwrites."""
        known, jobs = self._desk.tests.known, load_fio_jobs()
        try:
            plan = read_plan(path)
            title = known.require(plan.test).title
            require_runnable(plan, known, jobs)
        except HyperscopeError as error:
            self._desk.notify(str(error), "critical")
            return
        self.confirm_and_run(path, plan, title)

    def confirm_and_run(self, path: Path, plan: Plan, title: str) -> None:
        """Ask for what must be typed, then run."""
        now = self._desk.tests.setup.now
        checked = now.checked_at if now is not None and now.plan == plan else None
        run = partial(self._desk.run_test, path, title, plan.environment)
        ask_to_overwrite(self._desk.theme, plan, checked, self._view, run)

    def _save(self, path: Path) -> None:
        try:
            self._desk.tests.setup.save(path)
        except OSError as error:
            self._desk.notify(f"The plan was not saved: {os_error_text(error)}", "critical")
        else:
            self._desk.notify(f"The plan was saved. Run it with: hyperscope test run {path.name}", "ok")


def ask_to_overwrite(
    theme: Theme,
    plan: Plan,
    checked: datetime | None,
    parent: QWidget,
    then: Callable[[tuple[str, ...]], None],
) -> None:
    """Have the disks that a plan overwrites typed; then call ``then`` with what was typed. In the lab, and
    where nothing is overwritten, it is called at once. ``checked`` is when guests were asked for them.
    """
    writing = [name for name, job in load_fio_jobs().jobs.items() if job.writes != "nothing"]
    what = overwriting_of(plan, writing)
    if all(one.startswith("lab:") for one in plan.environment) or not what.disks:
        then(())
        return
    dialog = OverwriteDialog(theme, what, checked, parent)
    dialog.accepted.connect(lambda: then(tuple(one.key for one in what.given)))
    dialog.finished.connect(lambda _result: dialog.deleteLater())
    dialog.open()
