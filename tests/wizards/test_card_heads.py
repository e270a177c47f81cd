"""A card in the gallery: the test's name is never cut to make room for badges, nor a line of its question."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from resources.guided_tests import load_guided_tests
from widgets.theme import Theme
from widgets.theme.type import body_font
from wizards.flows.cards import Connected, card_groups
from wizards.flows.gallery import TestCard
from wizards.pages.badge import badge_width
from wizards.pages.card import CardView, head_badges
from wizards.pages.fonts import sized

NARROWEST = 352
CARDS = [one for group in card_groups(load_guided_tests(), Connected("lab", "x"), []) for one in group.cards]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("card", CARDS, ids=[one.id for one in CARDS])
def test_the_name_of_a_test_is_whole_in_the_narrowest_column(card: TestCard) -> None:
    font = body_font()  # what the window sets; another test may have left Qt's own
    texts = head_badges(card, NARROWEST, font)
    badges = sum(badge_width(one, font) + 4 for one in texts)
    title = QFontMetrics(sized(font, 13, bold=True)).horizontalAdvance(card.title)
    assert title + badges + 2 * 12 <= NARROWEST
    assert [one.split()[0] for one in texts] == [f"D{level}" for level in card.levels]


def test_the_highest_class_has_its_word_where_there_is_room(qapp: QApplication) -> None:
    for card in CARDS:
        assert len(head_badges(card, 700, qapp.font())[-1].split()) > 1


def test_the_question_takes_two_lines_at_most_in_a_card_of_any_width(qapp: QApplication) -> None:
    """A line as wide as its room was wrapped once more when it was painted, and the third one was cut."""
    theme = Theme(qapp, "dark")
    qapp.setFont(body_font())
    card = next(one for one in CARDS if one.id == "dedup-prep")
    view = CardView(theme, card, str)
    text = 34 + 2 * QFontMetrics(sized(view.font(), 13)).lineSpacing() + 2
    for width in range(300, 420):
        view.resize(width, view.height())
        picture = view.grab().toImage()
        below = picture.copy(12, text, width - 24, 72 - text)
        colours = {below.pixel(x, y) for x in range(below.width()) for y in range(below.height())}
        assert len(colours) == 1, width
    view.deleteLater()
