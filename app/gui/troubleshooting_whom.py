"""Whom Troubleshoot looks into: it follows the inventory while it is seen, and offers whom others show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from app.gui.navigation import troubleshoot
from sessions.model import EntityRef
from sessions.scope import Scope
from wizards.flows.troubleshooting.offers import entity_of_symptom
from wizards.pages.troubleshoot_page import TroubleshootPage


class WhomToLookInto(QObject):
    """Follows the scope of the window."""

    def __init__(self, desk: Desk, view: TroubleshootPage) -> None:
        super().__init__(view)
        self._desk, self._view, self._model = desk, view, desk.troubleshooting
        self._is_leaving = False
        self._own_scope: Scope | None = None
        self._offered: EntityRef | None = None
        desk.scope.changed.connect(self._follow)
        view.bar.instead_wanted.connect(self._take_offered)

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """Have the page itself choose what other pages show: that is nobody else."""
        self._is_leaving = True
        try:
            yield
            self._own_scope = self._desk.scope.scope
        finally:
            self._is_leaving = False

    def begin(self) -> None:
        """Look into whom the other pages show, where the session has no worst problem to begin with."""
        chosen, whole = self._desk.scope.scope.entities, self._desk.session.whole
        is_judged = self._desk.findings.diagnosis is not None
        if self._model.question is None and is_judged and whole is not None and len(chosen) == 1:
            of = entity_of_symptom(whole, next(iter(chosen)))
            if of is not None:
                troubleshoot(self._desk, of, front=False)

    def offer(self) -> None:
        """Offer whom the other pages have shown since, if that is somebody else than is looked into here."""
        question, whole, scope = self._model.question, self._desk.session.whole, self._desk.scope.scope
        self._offered = None
        if question is not None and whole is not None and len(scope.entities) == 1:
            of = entity_of_symptom(whole, next(iter(scope.entities)))
            if of != question.entity and scope != self._own_scope:
                self._offered = of
        self._view.bar.offer(whole.name(self._offered) if whole and self._offered else "")

    def _take_offered(self) -> None:
        if self._offered is not None:
            troubleshoot(self._desk, self._offered, front=False)

    def _follow(self, scope: Scope) -> None:
        """The inventory chooses who is looked into while the page is seen."""
        if self._is_leaving or not self._view.isVisible() or len(scope.entities) != 1:
            return
        ref = next(iter(scope.entities))
        question = self._model.question
        if question is None or question.entity != ref:
            troubleshoot(self._desk, ref, front=False)
