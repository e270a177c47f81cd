"""F1: the section about what has the focus, in the program, offline, with search and links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.help_topics import PAGES, Topic, find_topics, plain, read_topics, topic_named, with_sections
from app.gui.helping import OF_PLACES, contents, docs_folder
from app.gui.preferences import preferences
from resources.catalogue import load_catalogue
from resources.lab_acts import load_lab_acts
from resources.problem_cards import load_problems
from resources.views import load_limits, load_screens
from sessions.model import Entity, EntityRef
from sessions.server_counters import ServerCounter, counter_facts
from sessions.store import SessionWriter
from tests.gui.recordings import record
from tests.gui.windows import wait
from viewmodels.reference import Reference, anchor
from widgets.esxtop import EsxtopView
from widgets.findings import FindingsView
from widgets.help import HelpWindow

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def topics_in(folder: Path) -> list[Topic]:
    catalogue, problems = load_catalogue(), load_problems()
    screens = load_screens(catalogue)
    reference = Reference(problems, catalogue, screens, load_limits(problems))
    return read_topics(folder, screens, catalogue, reference)


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return topics_in(docs_folder())


def shown(program: Program, qtbot: QtBot) -> str:
    """Press F1 where the focus is, and return the heading of what the help shows."""
    program.window.actions_by_id["help.focus"].trigger()
    wait(qtbot, lambda: program.window.findChild(HelpWindow) is not None)
    view = program.window.findChild(HelpWindow)
    assert view is not None
    text = view.text.toPlainText().strip().splitlines()[0]
    view.hide()
    return text


def test_every_page_and_every_place_has_its_section(topics: list[Topic]) -> None:
    assert {one.page for one in topics} == {page for page, _ in PAGES}
    for key in OF_PLACES.values():
        topic = topic_named(topics, key)
        assert topic is not None
        assert topic.key == key
    for problem in load_problems().cards:
        topic = topic_named(topics, f"problems#{problem.id}")
        assert topic is not None
        assert topic.title == problem.id


def test_pages_that_are_lost_or_damaged_say_so(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "window.md").write_bytes(b"# The window \xff\xfe")
    found = topics_in(tmp_path / "docs")
    for page, title in PAGES:
        topic = topic_named(found, f"{page}#charts")
        assert topic is not None
        if page != "esxtop":
            assert topic.markdown.startswith(f"# {title}\n")
            assert f"`docs/{page}.md` is missing beside the program, or damaged" in topic.markdown


def test_every_link_within_the_help_leads_somewhere(topics: list[Topic]) -> None:
    keys = {one.key for one in topics}
    for topic in topics:
        for link in re.findall(r"\]\(([^)]+)\)", topic.markdown):
            if link.startswith(("http://", "https://")):
                continue
            named = topic_named(topics, f"{topic.page}{link}" if link.startswith("#") else link)
            assert named is not None, (topic.key, link)
            assert named.key in keys


def test_the_first_topic_of_a_page_leads_to_the_others(topics: list[Topic]) -> None:
    """Pages without words of their own were a heading and much empty space."""

    def page(key: str) -> str:
        topic = topic_named(topics, key)
        assert topic is not None
        return with_sections(topic, topics)

    assert "\n- [Heat map](#heat-map)\n" in page("window")
    assert page("problems").count("](#cpulimit)") == 1, "it has a table of its own"
    assert "](#" not in page("esxtop")
    assert page("window#heat-map").startswith("## Heat map")
    for name, _ in PAGES:
        for link in re.findall(r"\]\((#[^)]+)\)", page(name)):
            assert topic_named(topics, f"{name}{link}") in topics


def test_what_is_for_authors_of_the_pages_is_left_out(topics: list[Topic]) -> None:
    assert not [one.key for one in topics if "docs/generate.py" in one.markdown]
    shortcuts = topic_named(topics, "shortcuts")
    assert shortcuts is not None
    assert shortcuts.markdown.startswith("# Shortcuts\n\nEvery key of the window.")


def test_the_cases_to_practise_on_are_listed(topics: list[Topic]) -> None:
    (page,) = (one for one in topics if one.title == "Practising in the lab")
    for case in load_lab_acts().cases:
        assert f"- {case.title}\n" in page.markdown


def test_columns_of_a_screen_are_explained(topics: list[Topic]) -> None:
    cpu = topic_named(topics, "esxtop#CPU")
    assert cpu is not None
    lines = cpu.markdown.splitlines()
    assert lines[0] == "## CPU (per vCPU), key `c`"
    assert lines[4].startswith("| **%RDY**<br>"), "the column that decides first"
    assert all(line.count("|") == 4 for line in lines[2:] if line)


def test_problems_are_listed_by_their_titles(topics: list[Topic]) -> None:
    (problems,) = (one for one in contents(topics) if one.key == "problems")
    listed = {key: title for title, key in problems.sections}
    assert listed["problems#cpulimit"] == "Held back by a CPU limit"
    ids = {one.id for one in load_problems().cards}
    assert ids.isdisjoint(listed.values())


def test_f1_in_a_dialog_opens_a_help_that_it_does_not_hold_back(live: Program, qtbot: QtBot) -> None:
    dialog = preferences(live.desk, live.window)
    dialog.open()
    wait(qtbot, lambda: dialog.isActiveWindow() and QApplication.focusWidget() is not None)
    handle = dialog.windowHandle()
    qtbot.keyClick(handle, Qt.Key.Key_F1)
    wait(qtbot, lambda: dialog.findChild(HelpWindow) is not None)
    view = dialog.findChild(HelpWindow)
    assert view is not None
    wait(qtbot, view.isVisible)
    assert view.text.toPlainText().strip().splitlines()[0] == "Settings"
    qtbot.keyClicks(view.search, "heat map")  # it takes keys while the dialog is open
    assert view.hits.count()
    view.close()
    dialog.close()
    wait(qtbot, lambda: not live.window.findChildren(HelpWindow))
    live.workbench.start_page.choices["lab"].setFocus()
    assert shown(live, qtbot) == "The start page"  # the window has one of its own again


def test_search_finds_all_words_and_titles_first(topics: list[Topic]) -> None:
    found = find_topics(topics, "balloon limit")
    assert found
    for topic, _ in found:
        text = f"{topic.title} {plain(topic.markdown)}".casefold()
        assert "balloon" in text
        assert "limit" in text
    (_topic, piece) = find_topics(topics, "high ready time")[0]
    assert piece.startswith("The VM is ready to run"), "its title stands above it"
    assert find_topics(topics, "heat map")[0][0].key == "window#heat-map"
    assert find_topics(topics, "xyzzy") == []
    assert anchor("cpu.limit") == "cpulimit"


def test_f1_explains_what_has_the_focus(live: Program, qtbot: QtBot, tmp_path: Path) -> None:
    live.workbench.start_page.choices["lab"].setFocus()
    assert shown(live, qtbot) == "The start page"
    live.workbench.open_paths([record(tmp_path / "demo.hscope", seconds=900)])
    wait(qtbot, lambda: live.desk.findings.findings)
    window = live.window
    for panel, heading in (
        ("inventory", "Inventory"), ("tests", "Guided tests"), ("charts", "Charts"), ("heatmap", "Heat map"),
        ("timeline", "Timeline"), ("overview", "Overview"),
    ):  # fmt: skip
        window.show_panel(panel)
        assert shown(live, qtbot) == heading
    for panel, heading in (("troubleshoot", "Troubleshoot"), ("compare", "Compare"), ("report", "Report")):
        window.show_panel(panel)
        window.pages.tabBar().setFocus()  # as a click on the tab leaves it
        assert shown(live, qtbot) == heading
    window.show_panel("esxtop")
    view = window.findChild(EsxtopView)
    assert view is not None
    view.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_M)
    assert shown(live, qtbot).startswith("Memory, key m")
    findings = window.findChild(FindingsView)
    assert findings is not None
    wait(qtbot, lambda: findings.cards)
    findings.cards[0].setFocus()
    assert shown(live, qtbot) == findings.cards[0].finding.title


def test_search_links_back_and_pages_outside(
    live: Program, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    shown(live, qtbot)
    view = live.window.findChild(HelpWindow)
    assert view is not None
    view.show()
    qtbot.keyClicks(view.search, "cpu.limit")
    assert "Problems › Held back by a CPU limit" in view.hits.item(0).text()
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    assert view.text.toPlainText().startswith("Held back by a CPU limit")
    view.wanted.emit("problems")
    view.text.anchorClicked.emit(QUrl("#cpucostop"))
    assert view.text.toPlainText().startswith("vCPUs stopped to wait")
    view.back.click()
    assert view.text.toPlainText().startswith("Problems")
    view.forward.click()
    assert view.text.toPlainText().startswith("vCPUs stopped to wait")
    assert opened == [], "nothing outside is opened by itself"
    view.text.anchorClicked.emit(QUrl("https://example.invalid/kb"))
    assert opened == ["https://example.invalid/kb"]
    view.search.setText("xyzzy")
    assert view.hits.item(0).text() == "Nothing has these words."
    qtbot.keyClick(view.text, Qt.Key.Key_Escape)
    assert not view.isVisible()
    assert QApplication.activePopupWidget() is None


def test_the_counters_of_a_recorded_server_are_a_page(live: Program, qtbot: QtBot, tmp_path: Path) -> None:
    path, vcenter = tmp_path / "vc.hscope", EntityRef("vcenter", "uuid-1")
    counters = [
        ServerCounter(1, "cpu.ready.summation", "millisecond"),
        ServerCounter(2, "mem.tierLatency.average", "nanosecond", summary="Latency of <b>a</b> tier"),
    ]
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_entities([Entity(vcenter, "vc01.corp")])
        writer.add_facts(counter_facts(vcenter, counters, 1_790_000_000_000))
    action = live.window.actions_by_id["help.counters"]
    assert not action.isEnabled()
    live.workbench.open_paths([path])
    wait(qtbot, action.isEnabled)
    action.trigger()
    wait(qtbot, lambda: live.window.findChild(HelpWindow) is not None)
    view = live.window.findChild(HelpWindow)
    assert view is not None
    text = view.text.toPlainText()
    assert text.startswith("Counters of the recorded servers")
    assert "vc01.corp defines 2 counters: 1 in our catalogue, 1 not." in text
    assert "Latency of <b>a</b> tier" in text
    assert view.contents.currentItem() is None  # what is marked there could not be chosen by a click
    view.wanted.emit("window")
    assert view.contents.currentItem() is not None
    view.back.click()
    assert view.contents.currentItem() is None
    assert view.text.toPlainText().startswith("Counters of the recorded servers")
    view.hide()
