"""The context menu of a chart: its picture and data leave, statistics, and closing it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint

from resources.foreign_text import shown
from sessions.times import TimeRange
from viewmodels.file_offer import FileForm, FileOffer
from widgets.charts.clipboard import copy_samples, copy_values, samples_file
from widgets.charts.picture import Picture, PictureChart, image_of, png_of, svg_of
from widgets.context_menu import COPY, SAVE, ContextMenu, Entries, MenuEntry, make_menu
from widgets.copying import copy_picture
from widgets.theme import LIGHT, Theme

if TYPE_CHECKING:
    from widgets.charts.card import ChartCard

CLOSE = "Del"
MOVE_KEYS = ("Alt+Up", "Alt+Down")
_MOST_CURVES = 6


class CardMenu:
    """Opens the menu of a card on a right click and by keyboard; its keys work while the plot has the
    focus.
    """

    def __init__(self, card: ChartCard, theme: Theme) -> None:
        self._card, self._theme = card, theme
        self._menu = ContextMenu(card, lambda _point: self.entries(), self._keyboard_place)

    def open_at(self, place: QPoint) -> None:
        """Open the menu at a point of the screen."""
        make_menu(self.entries(), self._card).popup(place)

    def entries(self) -> Entries:
        """Return the entries for the chart as it is now."""
        card = self._card
        meaning = MenuEntry("What does it show?", card.explain_wanted.emit)
        if card.is_summary:
            opened = MenuEntry("Open in the charts", card.opened.emit, "Return")
            return [opened, meaning, None, *self._picture(), *self._data()]
        scale = card.plot.drawing.scale
        return [
            meaning,
            *self._relations(),
            None,
            *self._picture(),
            MenuEntry("Copy all charts as a picture", lambda: card.page_wanted.emit("copy")),
            MenuEntry("Save a picture of all charts…", lambda: card.page_wanted.emit("save")),
            None,
            *self._data(),
            None,
            MenuEntry(
                "Statistics of each curve",
                lambda: card.statistics.emit(not card.has_statistics),
                "S",
                checked=card.has_statistics,
            ),
            *self._folding(),
            MenuEntry("Fit the values", card.plot.navigation.fit_values, "Y", enabled=scale.is_zoomed),
            None,
            MenuEntry("Move up", lambda: card.move_wanted.emit(-1), MOVE_KEYS[0]),
            MenuEntry("Move down", lambda: card.move_wanted.emit(1), MOVE_KEYS[1]),
            MenuEntry("Close the chart", card.closed.emit, CLOSE),
        ]

    def _relations(self) -> list[MenuEntry | None]:
        """What moved with each curve, of the first ones; and what was otherwise before."""
        card = self._card
        curves = [one for one in card.curves if one.series][:_MOST_CURVES]
        names = [one.full_name if len(curves) > 1 else "it" for one in curves]
        return [
            *(
                MenuEntry(f"What moved with {shown(name, 60)}", partial(card.moved_wanted.emit, one.series))
                for name, one in zip(names, curves, strict=True)
            ),
            MenuEntry("Compare this time with before", card.before_wanted.emit, "Ctrl+B"),
            MenuEntry("Put this chart into the report", card.report_wanted.emit),
            *card.more(card.spec.series),
        ]

    def _folding(self) -> list[MenuEntry | None]:
        card = self._card
        if not card.spec.line:
            return []
        folded = card.is_folded
        return [MenuEntry("Show as a chart" if folded else "Show as a line", lambda: card.unfold(on=folded))]

    def _picture(self) -> list[MenuEntry | None]:
        card = self._card

        def copy() -> None:
            picture = picture_of([card], self._theme)
            card.copied.emit(copy_picture(image_of(picture), card.spec.shown_title))

        return [
            MenuEntry("Copy picture", copy, COPY),
            MenuEntry(
                "Save picture…",
                lambda: card.saved.emit(picture_file(picture_of([card], self._theme))),
                SAVE,
            ),
        ]

    def _data(self) -> list[MenuEntry | None]:
        card = self._card
        title, curves = card.spec.shown_title, card.curves
        window = TimeRange(*map(round, card.plot.window_shown))
        entries: list[MenuEntry | None] = [
            MenuEntry("Copy data (CSV)", lambda: card.copied.emit(copy_samples(curves, window, title))),
            MenuEntry("Save data as CSV…", lambda: card.saved.emit(samples_file(curves, window, title))),
        ]
        moment = card.plot.pin.in_sight
        if moment is not None:
            at, clock = moment
            text = f"Copy values at {clock.time(at)}"
            entries.append(MenuEntry(text, lambda: card.copied.emit(copy_values(curves, moment, title))))
        return entries

    def _keyboard_place(self) -> QPoint:
        place: QPoint = self._card.plot.geometry().center()
        return place


def picture_of(cards: Sequence[ChartCard], theme: Theme) -> Picture:
    """Return a picture of charts that stand above each other, as they are now."""
    first = cards[0]
    window = TimeRange(*map(round, first.plot.window_shown))
    charts = [
        PictureChart(
            card.spec.shown_title,
            card.spec.note,
            card.spec.unit,
            card.curves,
            card.plot.drawing.scale.values,
            card.spec.limits,
            card.spec.bands,
        )
        for card in cards
    ]
    events, marks = first.plot.drawing.tracks
    moment, clock = first.plot.pin.in_sight, first.plot.drawing.time_axis.clock
    at = math.nan if moment is None else float(moment[0])
    return Picture(charts, window, clock, first.session, theme.tokens, at=at, events=events, marks=marks)


def picture_file(picture: Picture) -> FileOffer:
    """Return the offer to save a picture: in the colours of the window, or light ones for a report."""
    light = picture.in_colours(LIGHT)
    forms = [
        FileForm("PNG picture", ".png", lambda: png_of(picture)),
        FileForm("SVG drawing", ".svg", lambda: svg_of(picture)),
    ]
    if picture.tokens != LIGHT:
        forms.append(FileForm("PNG picture, light for reports", ".png", lambda: png_of(light)))
        forms.append(FileForm("SVG drawing, light for reports", ".svg", lambda: svg_of(light)))
    return FileOffer(_file_name(picture), tuple(forms))


def _file_name(picture: Picture) -> str:
    title = picture.charts[0].title if len(picture.charts) == 1 else f"{len(picture.charts)} charts"
    when = f"{picture.clock(picture.window.start):%Y-%m-%d %H.%M}"
    return " ".join(filter(None, (picture.session, title, when)))
