"""The status bar: an entry for each source, running jobs, what was judged, the session's name and size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from resources.foreign_text import shown, tooltip_text
from viewmodels.text_table import TextTable
from viewmodels.verdict_words import VerdictWords
from widgets.context_menu import ContextMenu, Entries, MenuEntry, table_entries
from widgets.link_label import LinkLabel
from widgets.theme import SYMBOLS, Health, Theme

_HEIGHT = 24
"""With the 5 px that QStatusBar puts around it, the height of the bar in the style sheet."""
_GAP = 14
_MARGIN, _SPACING = 12, 16
_SEPARATOR = " · "
_MENU_SOURCES = 20
_BETWEEN = "&nbsp;" * 4


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source in the status bar: health, text, details for the tooltip, and source id (0: none); ``gaps``
    says how many it has, and can be clicked. ``link`` is the panel that a click opens, for what is no source.
    """

    state: Health
    text: str
    details: str = ""
    source: int = 0
    gaps: str = ""
    link: str = ""


class StatusBar(QWidget):
    """Shows sources on the left, running jobs in the middle, the session on the right.

    Signals: ``source_clicked`` with a source id, ``gap_clicked`` with that of the source, ``panel_clicked``
    with the panel of an entry that is no source; ``jobs_clicked``;
    ``messages_clicked``; ``verdict_clicked``; ``copied`` with a message, ``save_wanted`` with a FileOffer.
    ``zone`` is a button that tells the zone of the window's times, and has a menu.
    """

    jobs_clicked = Signal()
    messages_clicked = Signal()
    gap_clicked = Signal(object)
    panel_clicked = Signal(str)
    verdict_clicked = Signal()
    source_clicked = Signal(object)
    copied = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._entries: Sequence[SourceEntry] = ()
        self._chosen: frozenset[int] = frozenset()
        self.setProperty("role", "status")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(_HEIGHT)
        self._sources = LinkLabel("sources")
        self._sources.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._sources.setAccessibleName("Sources")
        self._sources.linkActivated.connect(self._follow)
        ContextMenu(self._sources, lambda _at: self._menu_entries())
        self.jobs = QToolButton()
        self.jobs.setObjectName("jobs")
        self.jobs.setProperty("role", "ghost")
        self.jobs.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.jobs.clicked.connect(self.jobs_clicked)
        self.jobs.hide()
        self.messages = _ghost_button("messages")
        self.messages.clicked.connect(self.messages_clicked)
        self.zone = _ghost_button("zone")
        self.zone.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.show_messages(0)
        self.verdict = LinkLabel("verdict")
        self.verdict.linkActivated.connect(lambda _link: self.verdict_clicked.emit())
        self.verdict.hide()
        self._words: VerdictWords | None = None
        self._session = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._session.setProperty("role", "muted")
        self.show_session("")
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        row.setSpacing(_SPACING)
        row.addWidget(self._sources, 1)
        row.addWidget(self.jobs)
        row.addWidget(self.verdict)
        row.addWidget(self._session)
        row.addWidget(self.zone)
        row.addWidget(self.messages)
        theme.changed.connect(self._show)

    @property
    def entries(self) -> Sequence[SourceEntry]:
        """The sources that are shown, as far as they fit, and what else stands beside them."""
        return list(self._entries)

    def show_sources(self, entries: Sequence[SourceEntry]) -> None:
        """Show these entries, as many as fit; their order decides which."""
        if list(entries) != list(self._entries):
            self._entries = list(entries)
            self._show()

    def _menu_entries(self) -> Entries:
        every: list[MenuEntry | None] = [
            MenuEntry(
                f"Show only {shown(entry.text.split(_SEPARATOR)[0], 40)}",
                partial(self.source_clicked.emit, entry.source),
            )
            for entry in self._entries
            if entry.source and len(self._entries) > 1 and self._chosen != {entry.source}
        ]
        if self._chosen:
            every.append(MenuEntry("Show all sources", partial(self.source_clicked.emit, 0)))
        every.append(MenuEntry("How each source is doing", partial(self.panel_clicked.emit, "sources")))
        table = table_entries(self._table, self.copied.emit, self.save_wanted.emit,
                              copy_text="Copy the sources", enabled=bool(self._entries))  # fmt: skip
        return [*every[-_MENU_SOURCES:], None, *table]

    def _table(self) -> TextTable:
        rows = (
            (*_split(entry.text), "" if entry.state == "none" else entry.state, entry.details)
            for entry in self._entries
        )
        return TextTable("Sources", ("source", "now", "state", "details"), tuple(rows))

    def show_chosen(self, sources: frozenset[int]) -> None:
        """Highlight the sources that the views show (empty: all)."""
        if sources != self._chosen:
            self._chosen = sources
            self._show()

    def show_session(self, text: str) -> None:
        """Show the session's name and size; without a text, a hint at the command palette."""
        self._session.setText(text or _hint())
        self._show()

    def show_verdict(self, words: VerdictWords | None) -> None:
        """Show what was judged, and up to when; None shows nothing."""
        if words == self._words:
            return
        self._words = words
        self.verdict.setVisible(words is not None)
        if words is not None:
            self.verdict.setToolTip(tooltip_text("\n".join(words.sentences)))
            self.verdict.setAccessibleName(" ".join(words.sentences))
        self._show()

    def show_jobs(self, text: str) -> None:
        """Show which jobs run in the background; an empty text hides the button."""
        self.jobs.setText(text)
        self.jobs.setVisible(bool(text))
        self.jobs.setIcon(self._theme.icons.get("jobs"))
        self._show()

    def show_messages(self, count: int) -> None:
        """Show how many messages there were since the window was opened."""
        self.messages.setIcon(self._theme.icons.get("messages"))
        text = f"{count} messages" if count != 1 else "1 message"
        self.messages.setToolTip(f"{text} since the window was opened" if count else "No messages so far")
        self.messages.setAccessibleName(self.messages.toolTip())

    def show_zone(self, name: str, about: str) -> None:
        """Show the zone of the window's times; ``about`` is its name in full."""
        self.zone.setText(name)
        self.zone.setToolTip(f"All times are in this zone: {about}. Click to choose another one.")
        self.zone.setAccessibleName(f"Time zone: {about}")
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show as many sources as fit into the new width."""
        super().resizeEvent(event)
        self._show()

    def _follow(self, link: str) -> None:
        kind, _, number = link.partition(":")
        if kind == "panel":
            self.panel_clicked.emit(number)
            return
        (self.gap_clicked if kind == "gap" else self.source_clicked).emit(int(number))

    def _show(self) -> None:
        if self._words is not None:
            tokens, health = self._theme.tokens, self._words.health
            symbol = f'<span style="color:{tokens.health(health)}">{SYMBOLS[health]}</span>'
            link = f'<a href="findings" style="color:{tokens.muted}; text-decoration:none">'
            self.verdict.show_links(f"{symbol}&nbsp;{link}{escape(self._words.short)}</a>")
        texts = [shown(entry.text) for entry in self._entries]
        fitting = self._fitting(texts)
        if fitting < len(texts):
            texts = [_shorter(text) for text in texts]
            fitting = self._fitting(texts)
        parts = [self._part(*one) for one in zip(self._entries[:fitting], texts, strict=False)]
        more = len(self._entries) - fitting
        if more > 0:
            text = f"and {more} more" if parts else f"{more} sources"
            look = f"color:{self._theme.tokens.muted}; text-decoration:none"
            parts.append(f'<a href="panel:sources" style="{look}">{text}</a>')
        self._sources.show_links(_BETWEEN.join(parts))
        self._sources.setToolTip("<br>".join(escape(_about(entry)) for entry in self._entries))

    def _part(self, entry: SourceEntry, text: str) -> str:
        tokens = self._theme.tokens
        symbol = f'<span style="color:{tokens.health(entry.state)}">{SYMBOLS[entry.state]}</span>'
        html = escape(text)
        if len(self._entries) > 1 and entry.source:
            hidden = bool(self._chosen) and entry.source not in self._chosen
            look = f"color:{tokens.faint if hidden else tokens.muted}; text-decoration:none"
            html = f'<a href="source:{entry.source}" style="{look}">{html}</a>'
        if entry.link:
            look = f"color:{tokens.text}; text-decoration:none"
            html = f'<a href="panel:{entry.link}" style="{look}">{html}</a>'
        if entry.gaps:
            look = f"color:{tokens.muted}"
            html += f'{_SEPARATOR}<a href="gap:{entry.source}" style="{look}">{escape(entry.gaps)}</a>'
        return f"{symbol}&nbsp;{html}"

    def _fitting(self, texts: Sequence[str]) -> int:
        """Return how many entries fit in full, with room for "and 3 more" beside them."""
        metrics = self._sources.fontMetrics()
        pairs = zip(texts, self._entries, strict=True)
        full = [_SEPARATOR.join(filter(None, (text, entry.gaps))) for text, entry in pairs]
        buttons = [one for one in (self.jobs, self.verdict) if not one.isHidden()]
        fixed = (self._session, self.zone, self.messages, *buttons)
        taken = sum(one.sizeHint().width() + _SPACING for one in fixed)
        room = self.width() - 2 * _MARGIN - taken
        widths = [metrics.horizontalAdvance(f"{SYMBOLS['critical']} {text}") + _GAP for text in full]
        if sum(widths) - _GAP <= room:
            return len(widths)
        room -= metrics.horizontalAdvance(f"and {len(widths)} more")
        fitting = 0
        while fitting < len(widths) and widths[fitting] <= room:
            room -= widths[fitting]
            fitting += 1
        return fitting


def _ghost_button(name: str) -> QToolButton:
    button = QToolButton()
    button.setObjectName(name)
    button.setProperty("role", "ghost")
    return button


def _split(text: str) -> tuple[str, str]:
    """The source's name, and what is said of it."""
    name, _, rest = text.partition(_SEPARATOR)
    return name, rest


def _shorter(text: str) -> str:
    """Return the text without the number of series, which the tooltip shows, too."""
    return _SEPARATOR.join(part for part in text.split(_SEPARATOR) if not part.endswith(" series"))


def _about(entry: SourceEntry) -> str:
    return _SEPARATOR.join(part for part in (entry.text, entry.gaps, entry.details) if part)


def _hint() -> str:
    keys = QKeySequence("Ctrl+K").toString(QKeySequence.SequenceFormat.NativeText)
    return f"{keys} finds every command · ? lists the keys"


def escape(text: str) -> str:
    """Return foreign text for a rich-text label, which shows it literally on one line."""
    plain = shown(text)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
