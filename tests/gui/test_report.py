"""The Report page in the window: written, ticked, put in order, without names, saved as HTML and as PDF."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import which

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.helping import topic_of
from app.gui.report_material import put_finding
from app.gui.report_model import ReportModel
from app.gui.report_paper import ReportPaper
from app.report_making import AskedComparison
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange
from tests.app.test_report_command import page, validated
from tests.gui.one_window import opened, press, program, session
from tests.gui.windows import child_of, has_charts, message_button, wait
from widgets.messages import Messages
from widgets.report_print import LaidReport
from widgets.report_print.printer import PaperPrinting, chosen_pages, printer_for
from wizards.pages.report_page import ReportPage
from wizards.pages.report_rail import ReportRail

__all__ = ["opened", "program", "session"]
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
CTRL, SHIFT, ALT = (getattr(Qt.KeyboardModifier, f"{name}Modifier") for name in ("Control", "Shift", "Alt"))


@dataclass(frozen=True)
class Desk:
    """A window with the page in front, its report written and laid out."""

    program: Program
    page: ReportPage
    rail: ReportRail
    qtbot: QtBot

    @property
    def model(self) -> ReportModel:
        return self.program.desk.report

    def settle(self) -> None:
        """Wait until the pages are those of the choices."""
        wait(self.qtbot, lambda: self.model.state == "ready" and not self.model._soon.isActive())
        wait(self.qtbot, lambda: self.rail.pdf.isEnabled() and self.model.size)

    def sections(self) -> list[str]:
        """The sections of the report as it is shown."""
        assert self.model.report is not None
        return [one.key for one in self.model.report.sections]

    def tick(self, key: str) -> None:
        """Click the box of a section."""
        self.qtbot.mouseClick(
            self.rail.contents.viewport(), Qt.MouseButton.LeftButton, pos=self._row(key) + QPoint(14, 0)
        )

    def click(self, key: str) -> None:
        """Click the title of a section."""
        self.qtbot.mouseClick(
            self.rail.contents.viewport(), Qt.MouseButton.LeftButton, pos=self._row(key) + QPoint(90, 0)
        )

    def _row(self, key: str) -> QPoint:
        contents = self.rail.contents
        place = contents.visualItemRect(contents.item(contents.keys().index(key)))
        return QPoint(place.left(), place.center().y())

    def save(self, button: object, to: Path) -> Path:
        """Press a button of the pane, type a name, wait until the file is there."""
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        dialog = child_of(self.program.window, QFileDialog)
        child_of(dialog, QLineEdit).setText(str(to))
        dialog.accept()
        wait(self.qtbot, to.is_file)
        wait(self.qtbot, lambda: self.rail.file.text() == f"Saved: {to.name}")
        wait(self.qtbot, lambda: not self.program.window.findChildren(QFileDialog))
        return to


@pytest.fixture
def desk(opened: Program, qtbot: QtBot) -> Desk:
    press(qtbot, Qt.Key.Key_R, CTRL)
    wait(qtbot, lambda: opened.window.findChild(ReportRail) is not None)
    found = Desk(opened, child_of(opened.window, ReportPage), child_of(opened.window, ReportRail), qtbot)
    found.settle()
    return found


def badge(program: Program, name: str) -> str:
    bar = program.window.pages.tabBar()
    at = next(n for n in range(bar.count()) if bar.accessibleTabName(n).split(",")[0] == name)
    label = bar.tabButton(at, bar.ButtonPosition.RightSide)
    return label.text() if isinstance(label, QLabel) and label.isVisible() else ""


def test_the_page_shows_what_will_be_printed(desk: Desk) -> None:
    assert desk.page.pages.count > 4
    assert desk.sections()[:3] == ["summary", "findings", "timeline"]
    assert re.fullmatch(
        r"One file, [\d.]+ KB, opens without a network\. \d+ pages, A4\.", desk.rail.about.text()
    )
    wait(desk.qtbot, lambda: desk.page.pages._painted)
    assert desk.page.pages.hasFocus()  # keys go to what is looked at
    ink = desk.page.pages._painted[0].toImage()
    assert any(ink.pixelColor(x, y).lightness() < 90 for x in range(60, 400, 3) for y in range(60, 300, 3))
    assert topic_of(desk.page.pages) == "window#report"
    assert topic_of(desk.rail.title) == "window#report"


def test_the_buttons_stay_where_they_are_when_something_was_saved(desk: Desk, tmp_path: Path) -> None:
    places = [
        desk.rail.mapFromGlobal(one.mapToGlobal(QPoint(0, 0))) for one in (desk.rail.html, desk.rail.pdf)
    ]
    desk.save(desk.rail.html, tmp_path / "night.html")
    wait(desk.qtbot, desk.rail.open.isVisible)
    desk.settle()
    now = [desk.rail.mapFromGlobal(one.mapToGlobal(QPoint(0, 0))) for one in (desk.rail.html, desk.rail.pdf)]
    assert now == places, "a second click would hit something else"


def test_sections_are_ticked_and_moved(desk: Desk) -> None:
    before, pages = desk.sections(), desk.page.pages.count
    desk.tick("inventory")
    wait(desk.qtbot, lambda: "inventory" not in desk.sections())
    desk.settle()
    assert desk.sections() == [key for key in before if key != "inventory"]
    assert desk.page.pages.count < pages

    desk.click("timeline")
    assert desk.rail.contents.hasFocus()
    press(desk.qtbot, Qt.Key.Key_Up, ALT)
    wait(desk.qtbot, lambda: desk.sections()[:3] == ["summary", "timeline", "findings"])
    press(desk.qtbot, Qt.Key.Key_Up, ALT)  # page 1 stays page 1
    assert desk.sections()[0] == "summary"

    for button, expected in (("manager", ["summary", "timeline"]), ("support", ["timeline", "findings"])):
        desk.qtbot.mouseClick(desk.rail.audience.buttons[button], Qt.MouseButton.LeftButton)
        wait(desk.qtbot, partial(lambda two: desk.sections()[:2] == two, expected))
    assert "summary" not in desk.sections()


def test_a_click_in_the_contents_brings_the_section_in_sight(desk: Desk) -> None:
    desk.click("method")
    assert desk.page.pages.page_in_sight() >= desk.page.pages.count - 4
    assert desk.page.pages.verticalScrollBar().value() > 0


def test_it_is_saved_as_html_and_as_pdf(desk: Desk, tmp_path: Path) -> None:
    desk.rail.title.setFocus()
    for word, field in (("Orders were slow", desk.rail.title), ("mara", desk.rail.author)):
        desk.qtbot.keyClicks(field, word)
    desk.qtbot.keyClicks(desk.rail.remarks, "Ticket CHG-20418")
    wait(desk.qtbot, lambda: desk.model.report is not None and desk.model.report.author == "mara")
    wait(desk.qtbot, lambda: desk.model.choices.remarks)
    desk.settle()
    html = desk.save(desk.rail.html, tmp_path / "report.html")
    assert validated(html) == ""
    markup = html.read_text(encoding="utf-8")
    assert "<h1>Orders were slow</h1>" in markup
    assert "prepared by mara" in markup
    assert "Ticket CHG-20418" in page(markup, "summary")
    pdf = desk.save(desk.rail.pdf, tmp_path / "report.pdf")
    assert pdf.read_bytes().startswith(b"%PDF-")
    assert desk.rail.file.text() == "Saved: report.pdf"


def test_a_session_is_never_written_over(desk: Desk, session: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious.html"
    precious.write_bytes(session.read_bytes())
    desk.qtbot.mouseClick(desk.rail.html, Qt.MouseButton.LeftButton)
    child_of(desk.program.window, QFileDialog).fileSelected.emit(str(precious))
    child_of(desk.program.window, QFileDialog).reject()
    messages = child_of(desk.program.window, Messages)
    wait(desk.qtbot, lambda: "is a session. The report would replace it." in messages.text)
    assert precious.read_bytes() == session.read_bytes()


def test_printing_is_stopped_and_leaves_no_file(desk: Desk, tmp_path: Path) -> None:
    jobs = desk.program.desk.jobs
    desk.qtbot.mouseClick(desk.rail.pdf, Qt.MouseButton.LeftButton)
    child_of(desk.program.window, QFileDialog).fileSelected.emit(str(tmp_path / "report.pdf"))
    child_of(desk.program.window, QFileDialog).reject()
    (job,) = (one for one in jobs.visible_jobs() if one.title == "Printing report.pdf")
    job.cancel()
    assert [one.state for one in jobs.visible_jobs()] == ["cancelled"]
    desk.qtbot.wait(50)
    assert list(tmp_path.glob("*.pdf")) == []


def file_of(dialog: QPrintDialog) -> QLineEdit:
    found = dialog.findChild(QLineEdit, "filename")
    assert found is not None
    return found


def test_it_is_printed(desk: Desk, tmp_path: Path) -> None:
    """On a printer that every system without one has: a file."""
    out = tmp_path / "paper.pdf"
    desk.qtbot.mouseClick(desk.rail.paper_button, Qt.MouseButton.LeftButton)
    dialog = child_of(desk.program.window, QPrintDialog)
    assert dialog.isVisible()
    file_of(dialog).setText(str(out))
    button = next(one for one in dialog.findChildren(QPushButton) if one.text() == "&Print")
    desk.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    messages = child_of(desk.program.window, Messages)
    count = desk.page.pages.count
    wait(desk.qtbot, lambda: f"Printed: {count} pages." in messages.text)
    assert out.read_bytes().startswith(b"%PDF-")
    if which("pdftotext"):
        text = subprocess.run(
            ["pdftotext", "-layout", out, "-"], capture_output=True, text=True, check=True
        ).stdout
        assert text.count("\f") == count
        assert "What was found" in text
    wait(desk.qtbot, lambda: not desk.program.window.findChildren(QPrintDialog))


def test_only_the_pages_that_were_chosen_are_printed_and_printing_is_stopped(
    desk: Desk, tmp_path: Path
) -> None:
    assert desk.model.report is not None
    laid = LaidReport(desk.model.report, "letter")
    while laid.advance():
        pass
    printer = printer_for(laid)
    printer.setOutputFileName(str(tmp_path / "two.pdf"))
    printer.setFromTo(2, 3)
    printing = PaperPrinting(laid, printer)
    while printing.advance():
        pass
    assert printing.close()
    assert printing.done == 2
    assert chosen_pages(printer, 5) == [1, 2]
    printer.setPageOrder(printer.PageOrder.LastPageFirst)
    assert chosen_pages(printer, 5) == [2, 1]

    desk.qtbot.mouseClick(desk.rail.paper_button, Qt.MouseButton.LeftButton)
    dialog = child_of(desk.program.window, QPrintDialog)
    file_of(dialog).setText(str(tmp_path / "stopped.pdf"))
    dialog.accept()
    jobs = desk.program.desk.jobs
    (job,) = (one for one in jobs.visible_jobs() if one.title.startswith("Printing"))
    job.cancel()
    assert [one.state for one in jobs.visible_jobs()] == ["cancelled"]
    wait(desk.qtbot, lambda: not desk.program.window.findChildren(QPrintDialog))


@pytest.mark.qt_log_ignore("This plugin does not support", "QPainter::begin")
def test_a_printer_that_takes_nothing_is_said(desk: Desk, tmp_path: Path) -> None:
    laid = desk.page.pages._laid
    assert laid is not None
    printer = printer_for(laid)
    printer.setOutputFileName(str(tmp_path / "no such folder" / "paper.pdf"))
    ReportPaper(desk.program.desk, desk.page, desk.page)._print(laid, printer)
    messages = child_of(desk.program.window, Messages)
    wait(desk.qtbot, lambda: "The printer took no pages" in messages.text)
    assert [one.state for one in desk.program.desk.jobs.visible_jobs()] == ["failed"]


def test_what_was_chosen_and_put_in_is_there_when_the_session_is_opened_again(
    opened: Program, session: Path, qtbot: QtBot
) -> None:
    desk = opened.desk
    opened.window.show_panel("charts")
    wait(qtbot, lambda: has_charts(opened))
    press(qtbot, Qt.Key.Key_A, CTRL | SHIFT)
    put_finding(desk, desk.findings.findings[0])
    press(qtbot, Qt.Key.Key_R, CTRL)
    wait(qtbot, lambda: opened.window.findChild(ReportRail) is not None)
    page = Desk(opened, child_of(opened.window, ReportPage), child_of(opened.window, ReportRail), qtbot)
    page.settle()
    for word, field in (("Mara Voss", page.rail.author), ("the board", page.rail.recipient)):
        qtbot.keyClicks(field, word)
    page.tick("inventory")
    wait(qtbot, lambda: page.model.report is not None and page.model.report.recipient == "the board")
    assert page.model.report is not None
    assert page.model.report.byline.endswith(" · prepared by Mara Voss for the board")
    before, kept = page.sections(), (page.model.choices, page.model.put_in)
    gone = Path("/nowhere/gone.hscope")
    window = TimeRange(0, 1000)
    other = AskedComparison(window, window, sessions=(None, gone))
    page.model.put_more(page.model.put_in.with_one(comparison=other), "The comparison is")

    opened.desk.session.close()
    wait(qtbot, lambda: desk.session.snapshot is None)
    assert page.model.put_in.count == 0
    opened.workbench.open_paths([session])
    wait(qtbot, lambda: desk.findings.diagnosis is not None)
    assert (page.model.choices, page.model.put_in) == kept
    messages = child_of(opened.window, Messages)
    assert (
        "A comparison with gone.hscope was in the report: that file is not there any more." in messages.text
    )
    assert badge(opened, "Report") == str(kept[1].count)
    opened.window.show_panel("report")
    page.settle()
    assert page.sections() == before

    page.model.start_anew()  # who prepared it is proposed again, for whom is not
    assert (page.model.choices.author, page.model.choices.recipient) == ("Mara Voss", "")


def test_names_are_left_out(desk: Desk, tmp_path: Path) -> None:
    snapshot = desk.program.desk.session.whole
    assert snapshot is not None
    names = [one.name for ref, one in snapshot.entities.items() if ref.kind in ("vm", "host", "datastore")]
    desk.qtbot.keyClicks(desk.rail.title, f"Why {names[0]} was slow")
    desk.qtbot.mouseClick(desk.rail.anonymise, Qt.MouseButton.LeftButton, pos=QPoint(10, 8))
    wait(desk.qtbot, lambda: desk.model.choices.anonymise)
    desk.settle()
    assert " → " in desk.rail.example.toolTip() + desk.rail.example.text()
    assert not desk.rail.author.isEnabled()
    markup = desk.save(desk.rail.html, tmp_path / "away.html").read_text(encoding="utf-8").lower()
    assert [name for name in names if name.lower() in markup] == []
    assert "anonymised.hscope" in markup


def test_what_is_shown_is_put_into_the_report(opened: Program, qtbot: QtBot) -> None:
    desk = opened.desk
    opened.window.show_panel("charts")
    wait(qtbot, lambda: has_charts(opened))
    press(qtbot, Qt.Key.Key_A, CTRL | SHIFT)
    count = len(desk.charts.charts)
    assert badge(opened, "Report") == str(count)
    messages = child_of(opened.window, Messages)
    assert f"{count} charts are in the report." in messages.text
    press(qtbot, Qt.Key.Key_A, CTRL | SHIFT)
    assert "in the report already" in messages.text
    assert badge(opened, "Report") == str(count)

    put_finding(desk, desk.findings.findings[0])
    whole = desk.session.whole
    assert whole is not None
    assert whole.span is not None
    middle = (whole.span.start + whole.span.end) // 2
    desk.comparison.with_before(TimeRange(middle, whole.span.end))
    wait(qtbot, lambda: desk.comparison.state == "ready")
    press(qtbot, Qt.Key.Key_A, CTRL | SHIFT)
    assert badge(opened, "Report") == str(count + 2)
    told = [one.text for one in messages.shown if "in the report" in one.text]
    assert told == ["The comparison is in the report."]
    message_button(messages).click()
    wait(qtbot, lambda: desk.report.state == "ready" and desk.report.report is not None)
    assert desk.report.report is not None
    keys = [one.key for one in desk.report.report.sections]
    assert {"finding-1", "charts", "comparison"} <= set(keys)
    assert opened.window.pages.currentWidget().objectName() == "panel-report"
    assert not [one.text for one in messages.shown if "in the report" in one.text]


def test_names_of_tabs_are_worth_more_than_their_badges(opened: Program, qtbot: QtBot) -> None:
    """Beside the findings there is room for all names, and not for badges; on wider pages for both."""
    opened.window.show_panel("charts")
    wait(qtbot, lambda: has_charts(opened))
    press(qtbot, Qt.Key.Key_A, CTRL | SHIFT)
    assert badge(opened, "Report")
    tabs = opened.window.pages
    tabs.resize(tabs._needed() - 10 * tabs.count() + 4, tabs.height())  # the names move together first
    assert not badge(opened, "Report")
    assert tabs.tabText(tabs.count() - 1) == "Report"
    tabs.resize(tabs._needed() + 200, tabs.height())
    assert badge(opened, "Report")
    tabs.resize(300, tabs.height())
    assert not tabs.tabText(tabs.count() - 1)


@pytest.mark.parametrize("width", [520, 1100])
def test_a_badge_stands_nearer_to_its_own_name_than_to_the_next(
    opened: Program, qtbot: QtBot, width: int
) -> None:
    opened.window.show_panel("charts")
    tabs = opened.window.pages
    tabs.show_badge("Troubleshoot", "3", "critical", "3 found")
    tabs.resize(width, 400)
    bar = tabs.tabBar()
    own = next(at for at in range(bar.count()) if bar.accessibleTabName(at).startswith("Troubleshoot"))
    label = bar.tabButton(own, bar.ButtonPosition.RightSide)
    assert isinstance(label, QLabel)
    place = label.geometry()
    text = (
        bar.fontMetrics().horizontalAdvance(bar.tabText(own)) if bar.tabText(own) else bar.iconSize().width()
    )
    padding = bar.tabRect(own + 1).width() - (
        bar.fontMetrics().horizontalAdvance(bar.tabText(own + 1))
        if bar.tabText(own + 1)
        else bar.iconSize().width()
    )
    to_own = place.left() - (bar.tabRect(own).left() + padding // 2 + text)
    to_next = bar.tabRect(own + 1).left() + padding // 2 - place.right()
    assert to_own < to_next
    assert to_own >= 0


def test_a_guided_run_is_put_in_and_told(
    program: Program, session: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "mine.hscope"
    path.write_bytes(session.read_bytes())
    program.workbench.open_paths([path])
    desk = program.desk
    wait(qtbot, lambda: desk.findings.diagnosis is not None)
    program.window.show_panel("troubleshoot")
    wait(qtbot, lambda: desk.troubleshooting.state == "ready")
    assert badge(program, "Troubleshoot").isdigit()
    press(qtbot, Qt.Key.Key_A, CTRL | SHIFT)
    wait(qtbot, lambda: desk.troubleshooting.keeping.number)
    assert badge(program, "Report") == "1"
    with SessionReader.open(path) as reader:
        assert len(reader.troubleshooting()) == 1
    press(qtbot, Qt.Key.Key_R, CTRL)
    wait(qtbot, lambda: desk.report.state == "ready")
    assert desk.report.report is not None
    assert "guided-1" in [one.key for one in desk.report.report.sections]


def test_a_session_that_grows_is_said(desk: Desk) -> None:
    path = desk.program.desk.session.path
    assert path is not None
    assert not desk.page.renew.isVisible()
    desk.program.desk.findings.judging.diagnosis = None  # as if it was judged otherwise
    desk.program.desk.findings.changed.emit()
    assert desk.page.renew.isVisible()
    desk.qtbot.mouseClick(desk.page.renew, Qt.MouseButton.LeftButton)
    desk.settle()
    wait(desk.qtbot, lambda: not desk.page.renew.isVisible())


def test_writing_is_stopped_and_taken_up_again(desk: Desk) -> None:
    desk.model.write()
    assert desk.page.cancel.isVisible()
    desk.qtbot.mouseClick(desk.page.cancel, Qt.MouseButton.LeftButton)
    assert desk.model.state == "cancelled"
    assert desk.page.pages.count > 4  # the pages from before stay
    desk.page.pages.setFocus()
    press(desk.qtbot, Qt.Key.Key_R)
    desk.settle()
    assert not desk.page.cancel.isVisible()


def test_without_a_session_the_page_says_what_would_be_here(
    program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    empty = tmp_path / "empty.hscope"
    with SessionWriter.create(empty, durable=False):
        pass
    program.workbench.open_paths([empty])
    wait(qtbot, lambda: program.desk.session.snapshot is not None)
    press(qtbot, Qt.Key.Key_R, CTRL)
    wait(qtbot, lambda: program.desk.report.state == "ready")
    assert program.desk.report.report is not None
    assert program.desk.report.report.title == "Performance report: nothing was judged"
