"""The page of guided tests: its cards, its filter, and what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from tests.gui.recordings import record
from tests.gui.windows import child_of, wait
from wizards.pages.gallery import GalleryView

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("lab") / "lab.hscope", seconds=120.0)


@pytest.fixture
def gallery(live: Program, qtbot: QtBot, session: Path) -> GalleryView:
    live.workbench.open_paths([session])
    wait(qtbot, lambda: live.desk.session.whole is not None)
    live.window.show_panel("tests")
    view = child_of(live.window, GalleryView)
    wait(qtbot, lambda: bool(view.cards))
    return view


def test_every_guided_test_has_a_card(live: Program, gallery: GalleryView) -> None:
    assert [one.card.id for one in gallery.cards if one.isVisible()] == [one.card.id for one in gallery.cards]
    assert {one.card.id for one in gallery.cards} == set(live.desk.tests.known.tests)


def test_a_session_of_the_lab_offers_to_run_the_tests(gallery: GalleryView) -> None:
    assert all(one.button.isEnabled() for one in gallery.cards if one.card.readiness == "ready")
    shares = next(one for one in gallery.cards if one.card.id == "sioc-shares")
    assert shares.button.text() == "Run"
    assert "D3 overwrites" in shares.accessibleName()
    assert "Not run yet" in shares.accessibleDescription()


def test_the_search_leaves_the_cards_that_have_the_words(gallery: GalleryView, qtbot: QtBot) -> None:
    everything = len(gallery.cards)
    qtbot.keyClicks(gallery.search, "storage control")
    assert [one.card.id for one in gallery.cards] == ["sioc-shares"]
    qtbot.keyClick(gallery.search, Qt.Key.Key_Escape)
    assert len(gallery.cards) == everything


def test_no_pane_but_the_inventory_stands_beside_the_tests(live: Program, gallery: GalleryView) -> None:
    assert not live.window.dock("findings").isVisible()
    assert not live.window.dock("timeline").isVisible()
    assert live.window.dock("inventory").isVisible()
    live.window.show_panel("overview")
    assert live.window.dock("findings").isVisible()
    assert live.window.dock("timeline").isVisible()


def test_a_pane_that_the_user_closed_stays_closed(live: Program, gallery: GalleryView) -> None:
    live.window.show_panel("overview")
    live.window.dock("findings").toggleViewAction().trigger()
    live.window.show_panel("tests")
    live.window.show_panel("overview")
    assert not live.window.dock("findings").isVisible()
