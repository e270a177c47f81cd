"""Takes the pictures of README and docs from the real window on a lab recording.

python docs/screenshots.py [FOLDER]      writes docs/images/*.png (offscreen without a display)
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSize, QTimer
from PySide6.QtWidgets import QApplication

from app.gui.application import Program, build
from lab import Lab, find_scenario, load_scenarios, record_lab
from sessions.store import SessionWriter
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

IMAGES = Path(__file__).resolve().parent / "images"
SIZE = QSize(1440, 900)


def main(folder: Path) -> None:
    """Record the lab's demo, show it in the window in dark and light, and keep the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    application = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "lab-friday.hscope"
        with SessionWriter.create(path, title="lab-friday", durable=False) as writer:
            record_lab(Lab(find_scenario(load_scenarios(), "demo"), seed=1), writer)
        program = build(application, Path(place) / "settings")
        program.window.resize(SIZE)
        program.window.move(16, 16)  # away from the cursor, which would light up what is below it
        program.window.show()
        wait(400)
        for theme in ("dark", "light"):
            program.desk.settings.set("look.theme", theme)
            wait(200)
            program.window.grab().save(str(folder / f"start-{theme}.png"))
        program.workbench.open_paths([path])
        wait_for(lambda: program.desk.findings.diagnosis is not None)
        for theme in ("dark", "light"):
            program.desk.settings.set("look.theme", theme)
            for name, show in views(program).items():
                show()
                wait(1_500)
                program.window.grab().save(str(folder / f"{name}-{theme}.png"))
        program.desk.settings.set("record.folder", place)
        guided_tests(program, folder)
        program.window.close()


def guided_tests(program: Program, folder: Path) -> None:
    """Keep pictures of the tests, of one that runs in the lab, and of its result."""
    window = program.window

    def keep(name: str, *themes: str) -> None:
        for theme in themes:
            program.desk.settings.set("look.theme", theme)
            wait(600)
            window.grab().save(str(folder / f"{name}-{theme}.png"))

    window.show_panel("tests")
    wait(1_500)
    keep("tests", "dark", "light")
    program.desk.settings.set("look.theme", "dark")
    program.desk.tests.begin("sioc-shares")
    wait_for(lambda: any(page.isVisible() for page in window.findChildren(RunPage)))
    run = next(page for page in window.findChildren(RunPage) if page.isVisible())
    wait_for(lambda: run.head.title.text().startswith(("P2", "P3")) or not run.isVisible())
    keep("test-run", "dark")
    result = window.findChildren(ResultPage)[0]
    wait_for(lambda: result.isVisible() and bool(result.head.line.text()))
    wait(2_000)
    keep("test-result", "dark", "light")


def views(program: Program) -> dict[str, Callable[[], None]]:
    """What to show for each picture."""

    def finding() -> None:
        program.desk.show_finding(program.desk.findings.findings[0])

    def page(name: str) -> Callable[[], None]:
        def show() -> None:
            program.desk.scope.reset()
            program.desk.charts.release()
            program.window.show_panel(name)

        return show

    def report() -> None:
        program.window.show_panel("report")
        wait_for(lambda: program.desk.report.state == "ready" and bool(program.desk.report.size))

    return {
        "findings": finding,
        "overview": page("overview"),
        "esxtop": page("esxtop"),
        "heatmap": page("heatmap"),
        "report": report,
    }


def wait(milliseconds: int) -> None:
    """Let the window work for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait_for(ready: Callable[[], bool], milliseconds: int = 60_000) -> None:
    """Let the window work until something holds."""
    loop = QEventLoop()
    timer = QTimer(interval=50)
    timer.timeout.connect(lambda: loop.quit() if ready() else None)
    timer.start()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
    timer.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
