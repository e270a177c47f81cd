"""Offers beside the steps of a check what the lab that is recorded can do of them, and says what it did."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.gui.desk import Desk
from recorder.protocol import Acted
from sessions.times import parse_time
from sessions.troubleshooting import CheckResult
from wizards.pages.troubleshoot_steps import StepsView


class LabOffers(QObject):
    """Joins the lab with the steps; they own it."""

    def __init__(self, desk: Desk, steps: StepsView) -> None:
        super().__init__(steps)
        self._desk, self._steps = desk, steps
        self._lab = desk.troubleshooting.lab
        steps.lab_wanted.connect(self._act)
        self._lab.changed.connect(self._offer)
        self._lab.acted.connect(self._show)
        self._lab.refused.connect(steps.lab_refused)
        self._offer()

    def _offer(self) -> None:
        self._steps.offer_lab(is_there=self._lab.is_there)

    def _act(self, check: CheckResult, what: str) -> None:
        if check.entity is not None:
            self._lab.act(what, check.entity.kind, check.name)

    def _show(self, act: Acted) -> None:
        at = self._desk.times.clock.time(parse_time(act.at))
        self._steps.show_lab_done(act.what, f"done in the lab at {at}: {act.text}")
