"""The pane beside the Report page: title, for whom, contents, names, who prepared it, and the files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from resources.foreign_text import shown, tooltip_text
from widgets.elided_label import ElidedLabel
from widgets.keys import KeyHandlers
from widgets.pane import Pane
from widgets.theme import Theme
from wizards.pages.report_contents import ContentsList
from wizards.pages.report_keys import PAGE_KEYS

_TYPED_MS = 400
_AUDIENCES = (
    ("manager", "Manager", "For a manager: what happened, what was done, did it help"),
    (
        "support",
        "Support",
        "For a support case: all findings, settings, gaps and checks, without the first page",
    ),
    ("both", "Both", "For both: everything, the page for a manager first"),
)
_LOOKS = (
    ("auto", "System", "The HTML file is light or dark as the system of whoever reads it"),
    ("light", "Light", "The HTML file is light"),
    ("dark", "Dark", "The HTML file is dark"),
)
_ABOUT_AUTHOR = "Stands below the title; it is proposed for your next reports, too"
_ABOUT_RECIPIENT = "Stands below the title, behind who prepared it"
_PAPERS = (("a4", "A4", "PDF on A4, 210 × 297 mm"), ("letter", "Letter", "PDF on Letter, 8.5 × 11 inches"))


class ReportRail(Pane):
    """Signals: ``chosen`` with the name of a choice and its value; ``ticked``, ``ordered`` and ``wanted`` as
    the contents have them; ``begun_anew``; ``saved`` with "html", "pdf" or "paper"; ``again``; ``opened`` and
    ``revealed`` for the file that was saved last.
    """

    chosen = Signal(str, object)
    begun_anew = Signal()
    saved = Signal(str)
    again = Signal()
    opened = Signal()
    revealed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("What stands in the report")
        self.title = QLineEdit(maxLength=120)
        self.title.setAccessibleName("Title of the report")
        self.author = QLineEdit(maxLength=80, placeholderText="Prepared by…")
        self.author.setAccessibleName("Who prepared the report")
        self.recipient = QLineEdit(maxLength=80, placeholderText="For…")
        self.recipient.setAccessibleName("For whom the report was prepared")
        self.remarks = QPlainTextEdit(placeholderText="Remarks for page 1…", tabChangesFocus=True)
        self.remarks.setAccessibleName("Remarks for page 1")
        self.remarks.setFixedHeight(64)
        # The style sheet has a lower least height, to which a low window would squeeze it.
        self.remarks.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.contents = ContentsList(theme)
        self.anonymise = QCheckBox("Anonymise names")
        self.anonymise.setToolTip("vm-3, host-1, user-2 … for every name, address and path")
        self.example = ElidedLabel()
        self.example.setProperty("role", "muted")
        self.audience = _Choice("For whom the report is", _AUDIENCES)
        self.look = _Choice("Look of the HTML file", _LOOKS)
        self.paper = _Choice("Paper of the PDF", _PAPERS)
        self._new = QPushButton("New")
        self._new.setProperty("role", "ghost")
        self._new.setToolTip("Forget what was chosen and put in")
        self._new.clicked.connect(self.begun_anew)
        self.html, self.pdf = QPushButton("Save HTML…"), QPushButton("PDF…")
        self.html.setProperty("role", "primary")
        self.html.clicked.connect(lambda: self.saved.emit("html"))
        self.pdf.clicked.connect(lambda: self.saved.emit("pdf"))
        self.pdf.setAccessibleName("Save PDF")
        self.paper_button = QPushButton()  # its icon, so that the rail is as wide as the inventory is
        self.paper_button.setAccessibleName("Print…")
        self.paper_button.clicked.connect(lambda: self.saved.emit("paper"))
        self.about = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.about.setProperty("role", "muted")
        self.file = ElidedLabel()
        self.open, self.reveal = QPushButton("Open"), QPushButton("Show in folder")
        self.open.setToolTip("Open the saved file in the browser or the reader of this computer")
        self.open.clicked.connect(self.opened)
        self.reveal.clicked.connect(self.revealed)
        self._typed = QTimer(self, singleShot=True, interval=_TYPED_MS)
        self._typed.timeout.connect(self._tell_texts)
        self._keys = KeyHandlers(
            PAGE_KEYS,
            {
                "html": lambda _key: self.saved.emit("html"),
                "pdf": lambda _key: self.saved.emit("pdf"),
                "paper": lambda _key: self.saved.emit("paper"),
                "again": lambda _key: self.again.emit(),
            },
        )
        self._join()
        self._arrange()
        self.show_saved("")
        theme.changed.connect(self._dress)
        self._dress()

    def _join(self) -> None:
        for line in (self.title, self.author, self.recipient):
            line.textEdited.connect(lambda _text: self._typed.start())
            line.editingFinished.connect(self._tell_texts)
        self.remarks.textChanged.connect(self._typed.start)
        self.anonymise.toggled.connect(lambda on: self.chosen.emit("anonymise", on))
        for name, choice in (("audience", self.audience), ("look", self.look), ("paper", self.paper)):
            choice.chosen.connect(lambda value, name=name: self.chosen.emit(name, value))

    def _arrange(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 4, 0, 8)
        column.setSpacing(6)
        _add(column, _row(self.title, self._new))
        _add(column, self.audience)
        column.addWidget(_line())
        hint = QLabel("drag to order")
        hint.setProperty("role", "faint")
        _add(column, _row(_caps("CONTENTS"), hint))
        rows = _row(self.contents)
        rows.setContentsMargins(5, 0, 0, 0)
        column.addLayout(rows)
        column.addWidget(_line())
        _add(column, _row(self.anonymise, self.example, stretched=1))
        _add(column, _row(self.author, self.recipient, stretched=-1))
        _add(column, self.remarks)
        _add(column, self._fields())
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(area, 1)
        whole.addWidget(_line())
        whole.addLayout(self._foot())
        for before, after in pairwise((self.open, self.reveal, self.html, self.pdf, self.paper_button)):
            self.setTabOrder(before, after)

    def _fields(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        fields: tuple[tuple[str, QWidget], ...] = (
            ("Look", self.look),
            ("Paper", self.paper),
        )
        for row, (text, field) in enumerate(fields):
            label = QLabel(text)
            label.setProperty("role", "muted")
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        return grid

    def _foot(self) -> QVBoxLayout:
        """Return what saves; its buttons are at the bottom, and stay there when what is said grows."""
        foot = QVBoxLayout()
        foot.setContentsMargins(12, 10, 12, 10)
        foot.setSpacing(6)
        self._saved = QWidget()
        saved = QVBoxLayout(self._saved)
        saved.setContentsMargins(0, 0, 0, 0)
        saved.addWidget(self.file)
        acts = _row(self.open, self.reveal, stretched=2)
        acts.addStretch(1)
        saved.addLayout(acts)
        foot.addWidget(self._saved)
        foot.addWidget(self.about)
        foot.addLayout(_row(self.html, self.pdf, self.paper_button))
        return foot

    def show_choices(self, values: dict[str, str | bool], proposed: str) -> None:
        """Show what was chosen; ``proposed`` is the title where nobody typed one."""
        self.title.setPlaceholderText(shown(proposed, 120) or "Title")
        self.title.setToolTip(tooltip_text(proposed))
        for field, name in self._lines():
            if field.text() != values[name] and not self._typed.isActive():
                field.setText(str(values[name]))
        if self.remarks.toPlainText() != values["remarks"] and not self._typed.isActive():
            self.remarks.blockSignals(True)
            self.remarks.setPlainText(str(values["remarks"]))
            self.remarks.blockSignals(False)
        for choice, name in ((self.audience, "audience"), (self.look, "look"), (self.paper, "paper")):
            choice.show_value(str(values[name]))
        self.anonymise.blockSignals(True)
        self.anonymise.setChecked(bool(values["anonymise"]))
        self.anonymise.blockSignals(False)
        names_out = bool(values["anonymise"])
        for field, about in ((self.author, _ABOUT_AUTHOR), (self.recipient, _ABOUT_RECIPIENT)):
            field.setEnabled(not names_out)
            field.setToolTip("A report without names names nobody" if names_out else about)

    def show_contents(self, rows: Sequence[tuple[str, str, str, bool]]) -> None:
        """Show the sections that there are."""
        self.contents.show_rows(rows)

    def show_example(self, text: str) -> None:
        """Show a name and what stands for it."""
        self.example.show_text(text)

    def show_about(self, text: str, *, html: str = "", pdf: str = "") -> None:
        """Say what the files will be; ``html`` and ``pdf`` say why one can't be saved now."""
        self.about.setText(text)
        buttons = (
            (self.html, html, "Save it as a file (Ctrl+Return)"),
            (self.pdf, pdf, "Save it as a file (Ctrl+Shift+Return)"),
            (self.paper_button, pdf, "Print it: the pages as they are shown (Ctrl+P)"),
        )
        for button, reason, what in buttons:
            button.setEnabled(not reason)
            button.setToolTip(reason or what)

    def show_saved(self, name: str) -> None:
        """Say which file was saved last, with what can be done with it; none for an empty name."""
        self._saved.setVisible(bool(name))
        self.file.show_text(f"Saved: {name}" if name else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handle the keys of the page."""
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def _tell_texts(self) -> None:
        self._typed.stop()
        texts = {name: field.text() for field, name in self._lines()}
        for name, text in {**texts, "remarks": self.remarks.toPlainText()}.items():
            self.chosen.emit(name, text)

    def _lines(self) -> tuple[tuple[QLineEdit, str], ...]:
        """The fields of one line, with the names of the choices."""
        return (self.title, "title"), (self.author, "author"), (self.recipient, "recipient")

    def _dress(self) -> None:
        icons, tokens = self._theme.icons, self._theme.tokens
        self.html.setIcon(icons.get("save", tokens.on_accent))
        self.paper_button.setIcon(icons.get("print"))
        self.reveal.setIcon(icons.get("folder"))


class _Choice(QWidget):
    """One of a few words, side by side; ``chosen`` with its value."""

    chosen = Signal(str)

    def __init__(self, name: str, words: Sequence[tuple[str, str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.group = QButtonGroup(self)
        self.buttons: dict[str, QPushButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for value, word, about in words:
            button = QPushButton(word)
            button.setCheckable(True)
            button.setProperty("role", "toggle")
            button.setToolTip(about)
            button.setAccessibleName(f"{name}: {word}")
            button.clicked.connect(lambda _on=False, value=value: self.chosen.emit(value))
            self.group.addButton(button)
            self.buttons[value] = button
            row.addWidget(button)
        row.addStretch(1)

    def show_value(self, value: str) -> None:
        """Show which word is chosen."""
        self.buttons[value].setChecked(True)


def _add(column: QVBoxLayout, part: QWidget | QHBoxLayout | QGridLayout) -> None:
    """Add a part with the margins of the pane."""
    row = QHBoxLayout()
    row.setContentsMargins(12, 0, 12, 0)
    if isinstance(part, QWidget):
        row.addWidget(part, 1)
    else:
        row.addLayout(part, 1)
    column.addLayout(row)


def _row(*parts: QWidget, stretched: int = 0) -> QHBoxLayout:
    """Return widgets side by side; the one at ``stretched`` takes the room that is left."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for at, part in enumerate(parts):
        row.addWidget(part, int(at == stretched))
    return row


def _caps(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "pane-title")
    return label


def _line() -> QFrame:
    line = QFrame()
    line.setFrameShape(QFrame.Shape.HLine)
    line.setProperty("role", "line")
    return line
