"""What the buttons of the symptom's sentence offer: who, what was noticed, since when, and earlier runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.gui.desk import Desk
from app.gui.looking_into import Asked
from app.gui.window_dialog import WindowDialog
from resources.foreign_text import shown
from resources.guided_flow import load_flow
from sessions.times import TimeRange
from sessions.troubleshooting import TroubleshootingRun
from viewmodels.entity_words import kind_label
from widgets.context_menu import MenuEntry
from widgets.dialog_opening import open_dialog
from wizards.pages.troubleshoot_bar import Part
from wizards.pages.troubleshoot_page import TroubleshootPage

_SESSIONS = "Sessions (*.hscope)"
_MOST_MARKS, _MOST_RUNS = 8, 20
_NAME = 48


class TroubleshootingChoosing(QObject):
    """Opens the menus of the page; the page owns it."""

    def __init__(self, desk: Desk, view: TroubleshootPage) -> None:
        super().__init__(view)
        self._desk, self._model, self._view = desk, desk.troubleshooting, view
        view.bar.menu_wanted.connect(self._open)

    def _open(self, name: str) -> None:
        offered: dict[str, tuple[Part, Callable[[], list[MenuEntry | None]]]] = {
            "entity": ("entity", self._entities),
            "noticed": ("noticed", self._noticed),
            "since": ("since", self._since),
            "until": ("until", self._until),
            "normal": ("normal", self._normal),
            "runs": ("runs", self._runs),
        }
        part, entries = offered[name]
        self._view.bar.popup(part, entries())

    def _entities(self) -> list[MenuEntry | None]:
        """The worst five, and where to find all others."""
        question, icons = self._model.question, self._desk.theme.icons
        found: list[MenuEntry | None] = []
        for one in self._model.offers():
            text = f"{shown(one.name, _NAME)}   {kind_label(one.entity.kind)}".replace("&", "&&")
            is_it = question is not None and question.entity == one.entity
            act = lambda ref=one.entity: self._model.ask_entity(ref)  # noqa: E731
            found.append(MenuEntry(text, act, checked=is_it, icon=icons.get(one.entity.kind)))
        if found:
            found.append(None)
        found.append(
            MenuEntry(
                "Another one: choose it in the inventory, or Ctrl+K", lambda: None, enabled=False,
                why="A click on a VM, a host or a datastore there looks into it.",
            )
        )  # fmt: skip
        return found

    def _noticed(self) -> list[MenuEntry | None]:
        question = self._model.question
        return [
            MenuEntry(
                one.title,
                lambda name=one.id: self._ask(noticed=name),  # type: ignore[misc]
                checked=question is not None and question.noticed == one.id,
            )
            for one in load_flow().symptoms
        ]

    def _since(self) -> list[MenuEntry | None]:
        clock, whole = self._desk.times.clock, self._desk.session.whole
        if whole is None or whole.span is None or self._model.question is None:
            return []
        begun = [one for one in self._model.offers() if one.entity == self._model.question.entity]
        entries: list[MenuEntry | None] = []
        for one in begun:
            at = one.window.start
            entries.append(MenuEntry(f"Its worst problem began   {clock.time(at)}", self._since_at(at)))
        shown_window = self._desk.scope.scope.window_in(whole.span)
        if shown_window is not None and shown_window != whole.span:
            text = f"The shown time   {clock.window(shown_window, zone=False)}"
            entries.append(MenuEntry(text, lambda: self._window(shown_window)))
        if self._desk.moment.at is not None:
            at = self._desk.moment.at
            entries.append(MenuEntry(f"The pinned moment   {clock.time(at)}", self._since_at(at)))
        for mark in whole.marks[-_MOST_MARKS:]:
            text = f"Mark “{shown(mark.text, 40)}”   {clock.time(mark.at)}".replace("&", "&&")
            entries.append(MenuEntry(text, self._since_at(mark.at)))
        entries.append(
            MenuEntry(f"The whole session   {clock.time(whole.span.start)}", self._since_at(whole.span.start))
        )
        return [*entries, None, MenuEntry("Other times…", self._ask_times)]

    def _until(self) -> list[MenuEntry | None]:
        clock, whole = self._desk.times.clock, self._desk.session.whole
        question = self._model.question
        if whole is None or whole.span is None or question is None:
            return []
        entries: list[MenuEntry | None] = [
            MenuEntry("Now" if whole.recording else "The end of the session", lambda: self._ask(until=None))
        ]
        since = question.since if question.since is not None else whole.span.start
        for mark in whole.marks[-_MOST_MARKS:]:
            if mark.at > since:
                text = f"Mark “{shown(mark.text, 40)}”   {clock.time(mark.at)}".replace("&", "&&")
                entries.append(MenuEntry(text, lambda at=mark.at: self._ask(until=at)))  # type: ignore[misc]
        return [*entries, None, MenuEntry("Other times…", self._ask_times)]

    def _normal(self) -> list[MenuEntry | None]:
        return [
            MenuEntry("The time before", lambda: self._ask(normal=None)),
            MenuEntry("Other times…", self._ask_normal),
        ]

    def _runs(self) -> list[MenuEntry | None]:
        runs = sorted(self._model.keeping.runs, key=lambda one: -one.number)[:_MOST_RUNS]
        return [
            MenuEntry(
                self._run_text(one),
                lambda one=one: self._model.recall(one),  # type: ignore[misc]
                checked=one.number == self._model.keeping.number,
            )
            for one in runs
        ]

    def _run_text(self, run: TroubleshootingRun) -> str:
        last = run.verifications[-1] if run.verifications else None
        worst = run.worst
        parts = [
            f"{run.number}",
            shown(run.symptom.name, 40),
            shown(worst.title, 40) if worst is not None else "nothing found",
            (last.outcome or last.state) if last is not None else "",
            self._desk.times.clock.moment(run.at),
        ]
        return "   ".join(one for one in parts if one).replace("&", "&&")

    # --- asking

    def _since_at(self, at: int) -> Callable[[], None]:
        return lambda: self._ask(since=at)

    def _window(self, window: TimeRange) -> None:
        self._ask(since=window.start, until=window.end)

    def _ask(self, **changes: object) -> None:
        question = self._model.question
        if question is not None:
            changed: Asked = replace(question, **changes)  # type: ignore[arg-type]
            self._model.ask(changed, front=False)

    def _ask_times(self) -> None:
        run = self._model.run
        if run is not None:
            self._open_dialog("When is it noticed?", run.symptom.window, "Check", self._window)

    def _ask_normal(self) -> None:
        run = self._model.run
        if run is not None:
            window = run.symptom.normal or run.symptom.window
            self._open_dialog("When was all well?", window, "Check", lambda chosen: self._ask(normal=chosen))

    def ask_later_times(self) -> None:
        """Ask which time is after the change."""
        run, whole = self._model.run, self._desk.session.whole
        if run is None or whole is None or whole.span is None:
            return
        found = self._model.fix.found
        window = found.after if found is not None and found.after is not None else None
        if window is None:
            end = max(whole.span.end, run.symptom.window.end)
            window = TimeRange(min(run.symptom.window.end, end - 1), end)
        self._open_dialog("When is it after the change?", window, "Verify", self._model.fix.judge)

    def ask_other_session(self) -> None:
        """Ask which session was recorded after the change."""
        own = self._desk.session.path
        folder = str(own.parent) if own is not None else ""
        dialog = QFileDialog(self._view.window(), "The session after the change", folder, _SESSIONS)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self._model.fix.judge(other=Path(path)))
        open_dialog(dialog)

    def _open_dialog(
        self, title: str, window: TimeRange, button: str, act: Callable[[TimeRange], object]
    ) -> None:
        dialog = WindowDialog(title, window, self._desk.times.clock, self._view.window(), button=button)
        dialog.chosen.connect(act)
        dialog.open()
