"""The sources pane: how each source of the session is doing, while it is recorded and after."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.gap_walk import GapWalk
from app.gui.navigation import choose_source
from widgets.sources import SourcesView


class SourcesPanel(QObject):
    """Shows the desk's sources; what its menus ask for goes to the scope, the timeline and the recording."""

    def __init__(self, desk: Desk) -> None:
        self.view = SourcesView(desk.theme)
        super().__init__(self.view)
        self._sources = desk.sources
        desk.sources.changed.connect(self._renew)
        self.view.chosen.connect(lambda source: choose_source(desk, source))
        self.view.gaps_wanted.connect(GapWalk(desk, self).go)
        self.view.removed.connect(desk.sources.removed)
        self.view.added.connect(desk.sources.added)
        self.view.certificate_wanted.connect(desk.sources.certificate_wanted)
        self.view.login_wanted.connect(desk.sources.login_wanted)
        self.view.copied.connect(lambda text: desk.notify(text, "ok"))
        self.view.save_wanted.connect(desk.save_file)
        self._renew()

    def _renew(self) -> None:
        self.view.show_sources(self._sources.facts, can_add=self._sources.can_add)


def make(desk: Desk) -> QWidget:
    """Return the view of the sources panel; the view owns the panel."""
    return SourcesPanel(desk).view
