"""The context menu of the findings: show the evidence, copy a finding, save all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from sessions.findings import Finding
from widgets.context_menu import COPY, NO_MORE, SAVE, ContextMenu, Entries, MenuEntry
from widgets.findings.card import FindingCard

_INSET = 28


class FindingsMenu(QObject):
    """Opens the menu of the card under the mouse, or of the one with the focus.

    Signals: ``wanted`` with a finding whose evidence is to be shown; ``text_wanted`` and ``json_wanted``
    with the finding to copy; ``all_wanted`` to save all findings; ``test_wanted`` with the id of a test and
    the finding; ``explain_wanted`` with the problem to explain; ``moved_wanted`` with a finding of
    which is asked what moved with it; ``before_wanted`` with one whose time is to be compared with before;
    ``troubleshoot_wanted`` with one to look into, ``verify_wanted`` with one whose fix is to be verified,
    ``report_wanted`` with one that is to be put into the report.
    ``tests`` returns ids and titles of the tests that a finding offers, ``more`` further entries about its
    entity.
    """

    wanted = Signal(object)
    text_wanted = Signal(object)
    json_wanted = Signal(object)
    all_wanted = Signal()
    test_wanted = Signal(str, object)
    explain_wanted = Signal(str)
    moved_wanted = Signal(object)
    before_wanted = Signal(object)
    troubleshoot_wanted = Signal(object)
    verify_wanted = Signal(object)
    report_wanted = Signal(object)

    def __init__(self, view: QWidget, body: QWidget, cards: Callable[[], Sequence[FindingCard]]) -> None:
        """``cards`` are those in ``body``, which scrolls in the view."""
        super().__init__(view)
        self._view, self._body, self._cards = view, body, cards
        self.more = NO_MORE
        self.tests: Callable[[Finding], Sequence[tuple[str, str]]] = lambda _finding: ()
        self._menu = ContextMenu(view, self._entries, self._current_place)

    def _finding_at(self, point: QPoint | None) -> Finding | None:
        """Return the finding at a point of the view; None: that of the current card."""
        if point is None:
            card = self._current()
        else:
            inside = self._body.mapFrom(self._view, point)
            card = next((one for one in self._cards() if one.geometry().contains(inside)), None)
        return card.finding if card is not None else None

    def _current(self) -> FindingCard | None:
        """Return the card with the focus, else the open one."""
        focus = self._view.window().focusWidget()
        cards = self._cards()
        focused = (
            card for card in cards if focus is not None and (focus is card or card.isAncestorOf(focus))
        )
        return next(focused, None) or next((card for card in cards if card.is_open), None)

    def _current_place(self) -> QPoint:
        card = self._current()
        return self._view.rect().center() if card is None else card.mapTo(self._view, QPoint(_INSET, _INSET))

    @property
    def finding(self) -> Finding | None:
        """The finding with the keys, else the open one; None if there is none."""
        card = self._current()
        return card.finding if card is not None else None

    def _entries(self, at: QPoint | None) -> Entries:
        finding = self._finding_at(at)
        save = MenuEntry("Save all findings…", self.all_wanted.emit, SAVE)
        if finding is None:
            return [save]
        offered = [
            MenuEntry(f"Test this: {title}…", partial(self.test_wanted.emit, test, finding))
            for test, title in self.tests(finding)
        ]
        return [
            MenuEntry("Show its evidence in the charts", lambda: self.wanted.emit(finding), "Ctrl+Return"),
            MenuEntry("Troubleshoot", partial(self.troubleshoot_wanted.emit, finding)),
            MenuEntry("Verify a fix…", partial(self.verify_wanted.emit, finding)),
            MenuEntry("What is this problem?", partial(self.explain_wanted.emit, finding.problem)),
            MenuEntry("What moved with it", partial(self.moved_wanted.emit, finding)),
            MenuEntry("Compare its time with before", partial(self.before_wanted.emit, finding)),
            MenuEntry("Put into the report", partial(self.report_wanted.emit, finding), "Ctrl+Shift+A"),
            *offered,
            *self.more([finding.entity]),
            None,
            MenuEntry("Copy as text", lambda: self.text_wanted.emit(finding), COPY),
            MenuEntry("Copy as JSON", lambda: self.json_wanted.emit(finding)),
            None,
            save,
        ]
