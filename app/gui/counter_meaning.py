"""Explains the counters of a chart and the number beside an entity: opens the pages of the reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from sessions.model import EntityRef
from viewmodels.headlines import HeadlineCache
from widgets.context_menu import MenuEntry, make_menu

_MOST = 12


def explain_series(desk: Desk, view: QWidget, ids: Sequence[int]) -> None:
    """Show what the counters of these series mean."""
    snapshot = desk.session.snapshot
    if snapshot is None:
        return
    keys = list(dict.fromkeys(snapshot.by_id[one].counter for one in ids if one in snapshot.by_id))
    known = [found for key in keys if (found := desk.catalogue.get(key)) is not None]
    if len(known) == 1:
        desk.topics.counter(known[0].key)
    elif known:
        entries = [
            MenuEntry(f"What is {one.label}?", partial(desk.topics.counter, one.key)) for one in known[:_MOST]
        ]
        make_menu(entries, view).popup(QCursor.pos())
    else:
        desk.notify("The catalogue does not know this counter: its name is all that is known of it.", "info")


def explain_headline(desk: Desk, headlines: HeadlineCache, ref: EntityRef) -> None:
    """Show what the number beside an entity means."""
    snapshot = desk.session.snapshot
    found = headlines.of(snapshot, desk.headlines, desk.limits).chosen.get(ref) if snapshot else None
    if found is not None and found.series:
        desk.topics.counter(found.series[0].counter)
