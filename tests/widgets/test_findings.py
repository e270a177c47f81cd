"""The findings pane: which card is open, what is folded beneath it, keys, and what stays in sight."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QDrag, QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from resources.catalogue import load_catalogue
from resources.foreign_text import breakable
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.times import TimeRange
from tests.widgets.findings import HOSTS, A, B, C, D, finding, row
from viewmodels.finding_labels import lookup_in
from viewmodels.scope_verdict import OF_THE_SESSION
from viewmodels.verdict_words import VerdictWords
from widgets.dragging import SERIES_MIME, unpack_series
from widgets.findings import EvidenceLookup, FindingCard, FindingsView
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
"""The offscreen platform says so of every window."""


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> FindingsView:
    lookup = EvidenceLookup(lambda key: key, series=lambda _finding, item: [len(item.counter)])
    made = FindingsView(lookup, theme)
    qtbot.addWidget(made)
    made.resize(372, 470)  # the pane at 1280 × 720
    made.show()
    qtbot.waitExposed(made)
    return made


def opened(view: FindingsView) -> list[str]:
    return [card.finding.entity_name for card in view.cards if card.is_open]


def names(view: FindingsView) -> list[str]:
    return [card.finding.entity_name for card in view.cards]


def card(view: FindingsView, name: str) -> FindingCard:
    return next(one for one in view.cards if one.finding.entity_name == name)


def click(qtbot: QtBot, view: FindingsView, name: str) -> None:
    one = card(view, name)
    one.setFocus()
    qtbot.keyClick(one, Qt.Key.Key_Space)


def look_away(view: FindingsView) -> None:
    """Take the focus from the cards."""
    focus = view.focusWidget()
    if focus is not None:
        focus.clearFocus()


def test_the_first_is_open_until_the_user_says_otherwise(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([A, B, C])
    assert opened(view) == ["a"]
    view.show_findings([B, C])  # the finding that was open has gone
    assert opened(view) == ["b"]
    view.show_findings([D, B, C])  # a worse one
    assert opened(view) == ["d"]
    click(qtbot, view, "c")
    assert opened(view) == ["c"]
    view.show_findings([A, D, replace(C, conclusion="worse")])
    assert opened(view) == ["c"]
    view.show_findings([A, D])
    assert opened(view) == ["d"]  # A waits behind the button: somebody looked at C
    view.show_findings([A, D, C])  # the user's choice is back
    assert opened(view) == ["c"]


def test_who_folds_it_wants_none_open(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([A, B])
    click(qtbot, view, "a")
    assert opened(view) == []
    view.show_findings([D, A, B])
    view.show_findings([])
    view.show_findings([B])
    assert opened(view) == []
    view.forget()  # another session
    view.show_findings([A, B])
    assert opened(view) == ["a"]


def test_consequences_are_folded_beneath_their_root(qtbot: QtBot, view: FindingsView) -> None:
    second = finding("second", "warning", cause=A)
    third = finding("third", "warning", cause=second)
    lost = finding("lost", "warning", cause=D)  # its cause is not among them
    view.show_findings([A, B, second, third, lost])
    assert names(view) == ["a", "b", "lost"]
    button = next(one for one in card(view, "a").findChildren(QPushButton) if "follow" in one.text())
    assert button.text() == "▸ 2 findings follow from this"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert names(view) == ["a", "second", "third", "b", "lost"]
    assert [one.is_consequence for one in view.cards] == [False, True, True, False, False]
    click(qtbot, view, "third")
    view.show_findings([B, A, second, third])  # somebody looks: the order stays
    assert names(view) == ["a", "second", "third", "b"]
    assert opened(view) == ["third"]
    click(qtbot, view, "third")
    look_away(view)
    view.show_findings([B, A, second, third])
    assert names(view) == ["b", "a", "second", "third"]
    view.show_findings([second, B])  # without its cause it stands for itself
    assert names(view) == ["second", "b"]
    assert not view.cards[0].is_consequence
    view.show_findings([B, A, second, third])
    card(view, "a").setFocus()
    qtbot.keyClick(card(view, "a"), Qt.Key.Key_Left)
    assert names(view) == ["b", "a"]


def test_many_consequences_come_a_few_at_a_time(qtbot: QtBot, view: FindingsView) -> None:
    more = [finding(f"vm{number}", "warning", cause=A) for number in range(40)]
    view.show_findings([A, *more, B])
    card(view, "a").show_followers(True)
    assert len(view.cards) == 10
    [rest] = [one for one in view.findChildren(QPushButton) if one.text() == "32 more that follow"]
    qtbot.mouseClick(rest, Qt.MouseButton.LeftButton)
    assert len(view.cards) == 34
    assert names(view)[-1] == "b"
    assert rest.text() == "8 more that follow"
    qtbot.mouseClick(rest, Qt.MouseButton.LeftButton)
    assert len(view.cards) == 42
    assert not rest.isVisible()


def test_a_problem_of_many_does_not_hide_the_next(qtbot: QtBot, view: FindingsView) -> None:
    many = [finding(f"vm{number}") for number in range(2_000)]
    others = [replace(finding(f"host{number}"), problem=f"p{number}") for number in range(30)]
    view.show_findings([*many[:900], others[0], *many[900:], *others[1:]])
    assert names(view) == ["vm0", "vm1", "vm2", *(f"host{number}" for number in range(9))]
    [alike] = [one for one in view.findChildren(QPushButton) if one.text() == "1,997 more with this problem"]
    assert card(view, "vm2").y() < alike.y() < card(view, "host0").y()
    qtbot.mouseClick(alike, Qt.MouseButton.LeftButton)
    assert names(view)[26:28] == ["vm26", "host0"]
    assert alike.text() == "1,973 more with this problem"
    [more] = [one for one in view.findChildren(QPushButton) if one.text() == "Show 21 of 21 more"]
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    assert names(view)[-1] == "host29"
    assert not more.isVisible()
    view.forget()
    view.show_findings(many[:4])  # a button that stands for one card is no gain
    assert len(view.cards) == 4


def test_keys(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([A, B, C])
    view.activateWindow()
    view.cards[0].setFocus()
    for key, name in (("Down", "b"), ("Down", "c"), ("Down", "c"), ("Up", "b"), ("Home", "a"), ("End", "c")):
        qtbot.keyClick(view.focusWidget(), getattr(Qt.Key, f"Key_{key}"))
        assert view.focusWidget() is card(view, name), key
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Space)
    assert opened(view) == ["c"]
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Space)
    assert opened(view) == []
    wanted: list[Finding] = []
    view.wanted.connect(wanted.append)
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Return)
    assert wanted == [C]
    wanted.clear()
    qtbot.keyClick(view.focusWidget(), Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert wanted == [C]


def test_tab_goes_through_one_card_and_arrows_from_card_to_card(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([B, C])
    view.show_findings([A, B, finding("second", "warning", cause=A), C])  # a card that was made later, on top
    click(qtbot, view, "b")
    view.cards[0].setFocus()
    seen = []
    tab, down = Qt.Key.Key_Tab, Qt.Key.Key_Down
    for key in (tab, tab, down, tab, tab, down, tab):
        focus = view.window().focusWidget()
        one = focus if isinstance(focus, FindingCard) else None
        seen.append(one.finding.entity_name if one else getattr(focus, "text", str)())
        qtbot.keyClick(focus, key)
    again = "a"  # after the last of a card, Tab leaves the list: here there is nothing else
    assert seen == ["a", "▸ 1 finding follows from this", again, "b", "Show me", "What to do", "c"]


def test_a_finding_taller_than_the_pane_shows_its_head_when_it_opens(
    qtbot: QtBot, view: FindingsView
) -> None:
    """It was scrolled to its middle, so that nothing in sight said what had been opened."""
    tall = finding("tall", evidence=[row(f"counter.{number}", 1.0, 2.0) for number in range(12)])
    tall = replace(tall, problem="cpu.other", causes=tall.causes * 12)
    view.show_findings([A, B, C, D, tall])
    area = view.findChild(QScrollArea)
    assert area is not None
    click(qtbot, view, "tall")
    qtbot.wait(50)
    assert card(view, "tall").height() > area.viewport().height()
    head = card(view, "tall").mapTo(area.viewport(), QPoint(0, 0)).y()
    assert 0 <= head <= 16


def test_evidence_tells_a_state_by_its_word(qtbot: QtBot, theme: Theme) -> None:
    """It stood there as "2 limit 1", where the same finding on a terminal says soft and clear."""
    shown = FindingsView(lookup_in(load_catalogue(), lambda _finding, _item: []), theme)
    qtbot.addWidget(shown)
    state = Evidence("mem.state", "", "max", 2.0, 1.0, "")
    made_of_it = replace(state, what="State by free", value=2.0)
    shown.show_findings([finding("esx01", evidence=(state, made_of_it))])
    texts = [one.text() for one in shown.cards[0].findChildren(QLabel)]
    assert {"Memory state (highest)", "soft", "limit clear"} <= set(texts)
    assert {"2", "limit 1"} <= set(texts)  # a number that is made of it is no state


def test_it_is_told_to_screen_readers(view: FindingsView) -> None:
    view.show_findings([replace(A, entity_name="a\n\u202eb"), B])
    first, second = view.cards
    assert first.accessibleName() == "critical: Held back by a CPU limit, a �b"
    assert first.accessibleDescription() == "unfolded. a waited for 38.7 % of the time."
    assert second.accessibleDescription().startswith("folded. ")
    assert all(button.text() for button in view.findChildren(QPushButton) if button.isVisible())


def test_much_evidence_leaves_the_actions_in_sight(qtbot: QtBot, view: FindingsView) -> None:
    many = finding("naa.6005", evidence=HOSTS)
    many = replace(many, causes=many.causes * 6, conclusion="It took long to answer. " * 8)
    view.show_findings([many, B])
    for name in ("show", "steps"):
        button = view.cards[0].findChild(QPushButton, name)
        assert button is not None
        qtbot.waitUntil(lambda b=button: b.visibleRegion().boundingRect().size() == b.size())  # type: ignore[misc]
    more = view.cards[0].findChild(QPushButton, "evidence")
    assert more is not None
    assert more.text() == "and 12 more numbers"
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    view.show_findings([replace(many, share=0.6), B])  # the next evaluation keeps it unfolded
    again = [one.text() for one in view.cards[0].findChildren(QPushButton, "evidence") if one.isVisible()]
    assert again == ["Fewer numbers"]


def test_steps_stay_unfolded_and_focused(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([A, B])
    view.activateWindow()
    steps = view.cards[0].findChild(QPushButton, "steps")
    assert steps is not None
    steps.setFocus()
    steps.click()
    qtbot.waitUntil(steps.hasFocus)
    view.show_findings([replace(A, share=0.7), B])
    focus = view.focusWidget()
    assert isinstance(focus, QPushButton)
    assert focus.objectName() == "steps"
    assert focus.isChecked()
    assert focus is not steps


def test_a_click_during_which_newer_numbers_come_counts(qtbot: QtBot, view: FindingsView) -> None:
    """A fast recording renews its findings several times a second."""

    def steps() -> QPushButton:
        [one] = [one for one in view.cards[0].findChildren(QPushButton, "steps") if one.isVisible()]
        return one

    view.show_findings([A])
    held = steps()
    qtbot.mousePress(held, Qt.MouseButton.LeftButton)
    for share in (0.7, 0.8):
        view.show_findings([replace(A, share=share)])
    assert steps() is held
    qtbot.mouseRelease(held, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: steps() is not held)
    assert steps().isChecked()
    qtbot.mouseRelease(view.cards[0], Qt.MouseButton.LeftButton)  # of what was pressed elsewhere
    assert view.cards[0].is_open


def test_buttons_stay_where_they_are_while_a_problem_lasts(qtbot: QtBot, view: FindingsView) -> None:
    """31 min 30 s is wider than 31 min 5 s: the title must not wrap otherwise for that."""
    start = A.windows[0].start
    places = set()
    for letters in range(12, 36, 2):
        lasting = replace(A, entity_name="x" * letters)
        for seconds in (1800, 1865, 1891, 599, 86_390):
            view.show_findings([replace(lasting, windows=(TimeRange(start, start + 1000 * seconds),))])
            qtbot.wait(1)
            [steps] = [one for one in view.cards[0].findChildren(QPushButton, "steps") if one.isVisible()]
            if seconds != 1800:  # from the first renewal on
                places.add((letters, steps.mapTo(view, QPoint()).y()))
    assert len(places) == len({letters for letters, _ in places})


def test_what_is_in_sight_stays_there(qtbot: QtBot, view: FindingsView) -> None:
    many = [replace(finding(f"vm{number}"), problem=f"p{number}") for number in range(20)]
    view.show_findings(many)
    assert len(view.cards) == 12
    [rest] = [one for one in view.findChildren(QPushButton) if one.text() == "Show 8 of 8 more"]
    rest.click()
    scroll = view.findChild(QScrollArea)
    assert scroll is not None
    bar = scroll.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 600)
    bar.setValue(600)
    first = next(one for one in view.cards if one.geometry().bottom() > 600)
    before = first.y() - bar.value()
    new = [finding(f"new{number}") for number in range(3)]
    view.show_findings([*new, *(replace(one, conclusion="news " * 60) for one in many)])
    qtbot.waitUntil(lambda: first.y() > 800)
    qtbot.waitUntil(lambda: first.y() - bar.value() == before)
    bar.setValue(0)
    view.show_findings([finding("worst"), *many])
    qtbot.waitUntil(lambda: view.cards[0].y() < 100)
    assert bar.value() == 0


def news(view: FindingsView) -> QPushButton:
    button = view.findChild(QPushButton, "news")
    assert button is not None
    return button


def test_what_arrives_waits_while_the_focus_is_on_the_cards(qtbot: QtBot, view: FindingsView) -> None:
    """A new card pushed the one that was being read out of the pane."""
    view.activateWindow()
    view.show_findings([A, B])
    qtbot.waitUntil(view.isActiveWindow)
    card(view, "b").setFocus()
    place = card(view, "b").y()
    view.show_findings([C, B, A])
    assert names(view) == ["a", "b"]
    assert card(view, "b").y() == place
    assert (news(view).isVisible(), news(view).text()) == (True, "▲ 1 new finding")
    assert news(view).geometry().top() >= 0
    view.show_findings([D, C, B, replace(A, conclusion="It is worse.")])
    assert news(view).text() == "▲ 2 new findings"
    assert "It is worse." in card(view, "a").accessibleDescription()  # numbers go on
    qtbot.keyClick(card(view, "b"), Qt.Key.Key_N)
    assert names(view) == ["d", "c", "b", "a"]
    assert view.focusWidget() is card(view, "d")
    assert not news(view).isVisible()


def test_a_card_that_the_user_opened_stays_where_it_is(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([A, B])
    click(qtbot, view, "b")
    look_away(view)
    place = card(view, "b").y()
    view.show_findings([C, D, A, B])
    assert names(view) == ["a", "b"]
    assert card(view, "b").y() == place
    assert news(view).text() == "▲ 2 new findings"
    qtbot.mouseClick(news(view), Qt.MouseButton.LeftButton)
    assert names(view) == ["c", "d", "a", "b"]


def test_what_waited_comes_when_the_pointer_leaves(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([A])
    scroll = view.findChild(QScrollArea)
    assert scroll is not None
    QApplication.sendEvent(scroll, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
    scroll.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    view.show_findings([B, A])
    assert names(view) == ["a"]
    scroll.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert names(view) == ["b", "a"]
    assert not news(view).isVisible()


JUDGED = VerdictWords(
    "ok", "No problem found", "Judged to 02:43:20", "looked for 17 of 19 known problems in 4 sources"
)


def test_the_head_says_what_was_judged(qtbot: QtBot, view: FindingsView) -> None:
    left_out = ("Not judged: Co-stop: no source has it.",)
    view.show_verdict(replace(JUDGED, left_out=left_out))
    assert view.head.text.split("\n") == [
        "●",
        "No problem found",
        "Judged to 02:43:20",
        "Looked for 17 of 19 known problems in 4 sources.",
        *left_out,
    ]
    view.show_findings([A])
    view.show_verdict(replace(JUDGED, health="critical", title="1 critical", left_out=left_out))
    assert view.head.text == "▸ Judged to 02:43:20"
    reach = view.findChild(QPushButton, "reach")
    assert reach is not None
    qtbot.mouseClick(reach, Qt.MouseButton.LeftButton)
    assert view.head.text.split("\n")[1:] == ["Looked for 17 of 19 known problems in 4 sources.", *left_out]
    markup = view.head._details.text()
    assert markup.count("<p style") == 2, "a line each, with room between them"
    view.show_verdict(replace(JUDGED, health="critical", title="1 critical", left_out=("<b>Not</b> judged",)))
    assert "&lt;b&gt;Not&lt;/b&gt; judged" in view.head._details.text()
    view.show_findings([])
    reason = "There are two samples; a problem must last a minute or more to be called one, which they don't."
    view.show_verdict(VerdictWords("none", "Not judged yet", f"Not judged yet: {reason}", reason=reason))
    assert view.head.text.split("\n") == ["○", "Not judged yet", reason]
    view.show_findings([replace(A, severity="info")])
    assert view.head.text.split("\n") == ["○", "Not judged yet", reason]
    assert view.minimumSizeHint().width() < 372  # it made the pane wider than the window


def test_the_numbers_of_checks_are_beneath_what_was_judged(qtbot: QtBot, view: FindingsView) -> None:
    number = "High ready time: not found: ready on the worst vCPU of web01 at most 0.2 %, limit 5 %."
    view.show_verdict(replace(JUDGED, checks=(number,)))
    assert view.head.text.split("\n")[2:] == [
        "▸ Judged to 02:43:20",
        "Looked for 17 of 19 known problems in 4 sources.",
    ]
    reach = view.findChild(QPushButton, "reach")
    assert reach is not None
    qtbot.mouseClick(reach, Qt.MouseButton.LeftButton)
    assert view.head.text.split("\n")[2:] == [
        "▾ Judged to 02:43:20",
        "Looked for 17 of 19 known problems in 4 sources.",
        breakable(number),
    ]
    view.show_verdict(replace(JUDGED, checks=(number,), checks_of=OF_THE_SESSION))
    assert view.head.text.split("\n")[-2:] == [OF_THE_SESSION, breakable(number)]


def test_many_checks_scroll_and_leave_room_for_the_cards(qtbot: QtBot, view: FindingsView) -> None:
    title = "A problem that was looked for & <b>not found</b>"
    checks = tuple(f"{title}: not found: ready of web{n:02} at most 0.2 %, limit 5 %." for n in range(40))
    view.show_findings([A])
    view.show_verdict(replace(JUDGED, checks=checks, checked=("cpu.limit",) * 40, health="critical"))
    reach = view.findChild(QPushButton, "reach")
    assert reach is not None
    qtbot.mouseClick(reach, Qt.MouseButton.LeftButton)
    area = view.head.findChild(QScrollArea)
    assert area is not None
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 400)
    assert view.head.height() < 320
    labels = [one for one in area.findChildren(QLabel) if one.isVisible()]
    qtbot.waitUntil(lambda: all(one.width() <= area.viewport().width() for one in labels))
    view.resize(view.width(), 300)
    qtbot.waitUntil(lambda: view.head.height() < 180)  # the cards had 20 pixels in a window of 960 x 600
    asked: list[str] = []
    view.head.explain_wanted.connect(asked.append)
    labels[-1].linkActivated.emit("cpu.limit")
    assert asked == ["cpu.limit"]
    assert "&lt;b&gt;" in labels[-1].text()  # a title is text, never markup
    qtbot.mouseClick(reach, Qt.MouseButton.LeftButton)
    assert not area.isVisible()


def test_a_name_without_spaces_stays_within_its_card(qtbot: QtBot, view: FindingsView) -> None:
    view.show_findings([finding("naa." + "6005" * 60), B])
    qtbot.waitUntil(lambda: view.cards[0].height() > 100)
    scroll = view.findChild(QScrollArea)
    assert scroll is not None
    assert view.cards[0].width() <= scroll.viewport().width() - 20
    assert scroll.horizontalScrollBar().maximum() == 0


def test_evidence_is_dragged_onto_a_chart(
    view: FindingsView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The series comes from whoever knows the session; the card stays open."""
    dragged: list[list[int]] = []

    def take(moving: QDrag, _actions: Qt.DropAction) -> Qt.DropAction:
        dragged.append(unpack_series(bytes(moving.mimeData().data(SERIES_MIME).data())))
        return Qt.DropAction.CopyAction

    monkeypatch.setattr(QDrag, "exec", take)
    view.show_findings([A])
    assert opened(view) == ["a"]
    label = next(one for one in view.findChildren(QLabel) if one.text().startswith("cpu.ready"))
    qtbot.mousePress(label, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.mouseMove(label, QPoint(20, 8))
    qtbot.mouseMove(label, QPoint(90, 40))
    assert dragged == [[len("cpu.ready")]]
    assert opened(view) == ["a"]


def test_at_its_narrowest_the_pane_cuts_no_number_off(qtbot: QtBot, view: FindingsView) -> None:
    """At 960 pixels the window made the pane so narrow that "limit 0.02 MB/s" and durations were cut."""
    long = Evidence("Decompression", "", "max", 5.79, 0.02, "MB/s")
    view.show_findings([finding("MSSQL-BI-05", evidence=(long, row("Compression", 4.19, 1.0)))])
    view.resize(view.minimumWidth(), 470)
    qtbot.waitUntil(lambda: view.cards[0].height() > 100)
    scroll = view.findChild(QScrollArea)
    assert scroll is not None
    assert scroll.horizontalScrollBar().maximum() == 0
    right = view.cards[0].mapTo(view, view.cards[0].rect().topRight()).x()
    assert right < scroll.viewport().mapTo(view, scroll.viewport().rect().topRight()).x()


def test_a_button_that_has_no_steps_says_why(view: FindingsView) -> None:
    def tip() -> tuple[bool, str]:
        button = view.cards[0].findChild(QPushButton, "steps")
        assert isinstance(button, QPushButton)
        return button.isEnabled(), button.toolTip()

    view.show_findings([finding("a")])
    assert tip()[0]
    view.show_findings([finding("b", remedies=())])
    assert tip() == (
        False,
        "No cause of it is likely or possible, so there is no step: the causes say which numbers decide.",
    )
    view.show_findings([finding("c", cause=A, remedies=())])
    assert tip() == (False, "It follows from another finding: mend that one, by its steps.")


def test_a_ruled_out_cause_is_quieter_and_statistics_are_words(qtbot: QtBot, view: FindingsView) -> None:
    causes = (
        CauseVerdict("limit", "The VM has a limit", "likely", "It is 2,000 MHz."),
        CauseVerdict("pool", "Its pool has a limit", "ruled out", "The VM's own explains it."),
    )
    items = [
        replace(row("sent", 9.0, None), statistic=how)
        for how in ("max", "min", "last", "calm", "p95", "mean")
    ]
    view.show_findings([replace(finding("a", evidence=items), causes=causes)])
    labels = {one.text(): one.property("role") for one in card(view, "a").findChildren(QLabel)}
    assert labels["Its pool has a limit. The VM's own explains it."] == "muted"
    assert not labels["The VM has a limit. It is 2,000\N{NO-BREAK SPACE}MHz."]
    told = [text[6:-1] for text in labels if text.startswith("sent (")]
    assert told == ["highest", "lowest", "latest", "at other times", "95th percentile", "mean"]


def test_without_findings_the_verdict_has_the_room_that_there_is(view: FindingsView, qtbot: QtBot) -> None:
    """Half a line of it was cut above an empty pane; and the pane can still become low."""
    left_out = tuple(f"Not judged: problem {at}, no source has a counter that tells of it" for at in range(9))
    view.show_verdict(
        VerdictWords("ok", "No problem found", "Judged to 02:00", "Looked for 1 of 6", left_out)
    )
    view.show_findings([])
    view.resize(360, 700)
    area = view.head._unfolded
    qtbot.waitUntil(lambda: area.height() == area.maximumHeight() > 700 * 0.4)
    assert not area.verticalScrollBar().isVisible()
    view.resize(360, 240)
    qtbot.waitUntil(lambda: area.height() < 150)
    assert view.height() == 240
    assert area.verticalScrollBar().isVisible()


def test_a_verdict_on_a_cause_is_not_cut_in_a_wide_font(qtbot: QtBot, view: FindingsView) -> None:
    """With DejaVu Sans "ruled out" lost its first and its last letter."""
    causes = tuple(CauseVerdict(one, one, one, "So it is.") for one in ("likely", "ruled out"))
    view.setStyleSheet("QLabel { font-size: 17px; padding: 0 6px; }")
    view.show_findings([replace(finding("a"), causes=causes)])
    chips = [one for one in card(view, "a").findChildren(QLabel) if one.property("role") == "chip"]
    qtbot.waitUntil(lambda: all(one.width() >= one.sizeHint().width() for one in chips))
    assert len({one.width() for one in chips}) == 1


def test_that_steps_come_too_late_stands_right_below_them(qtbot: QtBot, view: FindingsView) -> None:
    note = "The limit is gone at the end of the recording."
    view.show_findings([replace(finding("a", evidence=HOSTS[:6]), notes=(note,))])
    one = card(view, "a")
    qtbot.mouseClick(one.findChild(QPushButton, "steps"), Qt.MouseButton.LeftButton)

    def top(begins: str) -> int:
        label = next(each for each in one.findChildren(QLabel) if breakable(begins) in each.text())
        return label.mapTo(one, QPoint(0, 0)).y()

    qtbot.waitUntil(lambda: top("Look again") < top("The limit is gone") < top("latency (mean)"))
