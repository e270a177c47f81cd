"""A titled list of lines on the overview page; its row widgets are reused when lines change."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout

from resources.foreign_text import breakable, shown, tooltip_text
from viewmodels.overview import OverviewLine
from viewmodels.text_table import TextTable
from viewmodels.verdict_words import VerdictWords, sentence_of
from widgets.context_menu import NO_MORE, ContextMenu, Entries, MenuEntry, table_entries
from widgets.copying import copy_text
from widgets.dragging import Draggable
from widgets.elided_label import ElidedLabel
from widgets.eliding import NameElider
from widgets.one_tab_stop import OneTabStop
from widgets.theme import SYMBOLS, Theme

_LONGEST = 400


class Row(QPushButton):
    """A line as a flat button, so that mouse, keyboard and screen readers can use it."""

    def __init__(self, theme: Theme, names: NameElider, *, wrapped: bool) -> None:
        """``names`` shortens the names of lines that are not ``wrapped``."""
        super().__init__()
        self._theme = theme
        self.line = OverviewLine("", "")
        Draggable(self, lambda _at: ((self.line.series,) if self.line.series else (), shown(self.line.name)))
        self.setProperty("role", "row")
        self.setProperty("list", True)  # its height comes from the style sheet, which would overrule another
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._symbol = QLabel()
        plain = Qt.TextFormat.PlainText
        self._name = QLabel(textFormat=plain, wordWrap=True) if wrapped else ElidedLabel(names=names)
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._value = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._value.setProperty("role", "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 3, 6, 3)
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop if wrapped else Qt.AlignmentFlag(0)  # beside the first of its lines
        for widget, stretch, place in (
            (self._symbol, 0, top), (self._name, 1, Qt.AlignmentFlag(0)), (self._value, 0, top),
        ):  # fmt: skip
            widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            row.addWidget(widget, stretch, place)

    def show_line(self, line: OverviewLine) -> None:
        """Show this line."""
        self.line = line
        name, value = shown(line.name, _LONGEST), shown(line.value)
        self._symbol.setText(SYMBOLS[line.state])
        self._symbol.setVisible(line.state != "none")
        self._symbol.setStyleSheet(f"color: {self._theme.tokens.health(line.state)}")
        self._name.setText(breakable(name) if self._name.wordWrap() else name)
        self._value.setText(value)
        self._value.setVisible(bool(value))
        self.setAccessibleName(f"{name} {value}".rstrip())
        if not self._name.wordWrap():
            self.setToolTip(tooltip_text(name))


class Section(QFrame):
    """The list with its title.

    Signals: ``picked`` with the number of the row that was pressed; ``copied`` with a message and
    ``save_wanted`` with a FileOffer, from its context menu.
    """

    picked = Signal(int)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme, title: str = "", *, wrapped: bool = False) -> None:
        super().__init__()
        self._theme, self._wrapped = theme, wrapped
        self._names = NameElider()
        self.rows: list[Row] = []
        self.setProperty("role", "chart")
        self._title = QLabel(title)
        self._title.setProperty("role", "pane-title")
        self._title.setContentsMargins(6, 0, 0, 4)
        self._note = QLabel(wordWrap=True)
        self._note.setProperty("role", "muted")
        self._note.setContentsMargins(6, 2, 6, 2)
        self._words: VerdictWords | None = None
        self._further = ""
        self._verdict = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self._verdict.setProperty("role", "muted")
        self._verdict.setContentsMargins(6, 2, 6, 2)
        self._verdict.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(0)
        self._column.addWidget(self._title)
        self._column.addWidget(self._note)
        self._column.addWidget(self._verdict)
        self._column.addStretch(1)
        self.more = NO_MORE
        self._menu = ContextMenu(self, self._entries, self._menu_place)
        self._stop = OneTabStop(self, lambda: self.rows, arrows=True)
        theme.changed.connect(self._dress)

    def set_title(self, title: str) -> None:
        """Set the title."""
        self._title.setText(title)

    def show_lines(self, lines: Sequence[OverviewLine], note: str) -> None:
        """Show these lines, or ``note`` if there are none; a row that stays keeps the focus."""
        self._names.set_names(shown(line.name, _LONGEST) for line in lines)
        while len(self.rows) > len(lines):
            gone = self.rows.pop()
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self.rows) < len(lines):
            self._add()
        for row, line in zip(self.rows, lines, strict=True):
            if row.line != line:
                row.show_line(line)
        self._note.setText(note)
        self._note.setVisible(bool(note) and not lines)
        self._stop.renew()

    @property
    def verdict_text(self) -> str:
        """What is said of what was judged; empty if nothing is."""
        return self._verdict.text() if self._words is not None else ""

    def show_verdict(self, words: VerdictWords | None, further: str = "") -> None:
        """Show below the lines what was ``further`` found, and what was judged and up to when; without lines
        also the result, with its symbol.
        """
        self._words, self._further = words, further
        self._verdict.setVisible(words is not None)
        if words is None:
            return
        is_alone = not self.rows
        title = words.title if is_alone and not words.reach.startswith(words.title) else ""
        parts = [sentence_of(part) for part in (title, words.reach, words.covered) if part]
        parts += words.left_out if is_alone else ()
        colour = self._theme.tokens.health(words.health)
        symbol = f'<span style="color:{colour}">{SYMBOLS[words.health]}</span>&nbsp; ' if is_alone else ""
        said = [further, " ".join(parts)] if further and not is_alone else [" ".join(parts)]
        self._verdict.setText(
            symbol + "<br>".join(html.escape(shown(text, _LONGEST), quote=False) for text in said)
        )
        self._verdict.setToolTip(tooltip_text("\n".join(words.sentences)))

    def _entries(self, at: QPoint | None) -> Entries:
        """Return the entries for the row at a point, or for the one with the focus."""
        row = next((one for one in self.rows if at is not None and one.geometry().contains(at)), None)
        row = row or (next((one for one in self.rows if one.hasFocus()), None) if at is None else None)
        of_row: list[MenuEntry | None] = []
        if row is not None:
            text = " ".join(part for part in (row.line.name, row.line.value) if part)
            of_row = [
                MenuEntry("Show it", row.click, "Return"),
                *self.more([row.line.ref] if row.line.ref is not None else ()),
                MenuEntry(
                    "Copy the line",
                    lambda: self.copied.emit(copy_text(shown(text, _LONGEST), "The line was")),
                ),
                None,
            ]
        some = bool(self.rows)
        return [*of_row, *table_entries(self._table, self.copied.emit, self.save_wanted.emit,
                                        copy_text="Copy the list", enabled=some)]  # fmt: skip

    def _menu_place(self) -> QPoint:
        row = next((one for one in self.rows if one.hasFocus()), None)
        return row.geometry().center() if row is not None else self.rect().center()

    def _table(self) -> TextTable:
        title = self._title.text().capitalize()
        lines = (row.line for row in self.rows)
        cells = ((one.name, one.value, "" if one.state == "none" else str(one.state)) for one in lines)
        return TextTable(title, ("name", "value", "state"), tuple(cells))

    def _add(self) -> None:
        row = Row(self._theme, self._names, wrapped=self._wrapped)
        row.clicked.connect(lambda: self.picked.emit(self.rows.index(row)))
        self._column.insertWidget(len(self.rows) + 1, row)
        self.rows.append(row)
        if self.isVisible():
            row.show()  # now, not some events later: an empty list would flicker

    def _dress(self) -> None:
        for row in self.rows:
            row.show_line(row.line)
        self.show_verdict(self._words, self._further)
