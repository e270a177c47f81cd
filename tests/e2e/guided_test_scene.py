"""A guided test in the lab, in three clicks from the start page, with a real mouse."""

from __future__ import annotations

import os
from pathlib import Path

from app.gui.application import Program
from tests.e2e.hands import click, click_in, let_run, one_visible, until
from wizards.pages.gallery import GalleryView
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

PICTURES = "HYPERSCOPE_TEST_PICTURES"
"""The environment variable that names a folder for pictures of what is seen; none are taken without."""


def guided_test(program: Program, _arguments: list[str]) -> dict[str, object]:
    """Try the lab, go to the tests, run one: the result opens by itself.

    The shares take the lab some seconds: a quiet machine is through with the sweep before anybody sees it
    run.
    """
    window, desk = program.window, program.desk
    click(program.workbench.start_page.choices["lab"])
    until("the lab is shown", lambda: desk.session.snapshot is not None)
    tabs = window.pages.tabBar()
    number = next(n for n in range(tabs.count()) if tabs.tabText(n) == "Tests")
    click_in(tabs, tabs.tabRect(number))
    gallery = one_visible(window, GalleryView)
    until("the cards are there", lambda: gallery.cards)
    picture(program, "gallery")
    card = next(one for one in gallery.cards if one.card.id == "sioc-shares")
    click(card.button)
    until("the run is shown", lambda: any(one.isVisible() for one in window.findChildren(RunPage)))
    run = one_visible(window, RunPage)
    until("it measures", lambda: run.head.progress.accessibleName().startswith("measuring"))
    let_run(1.0)
    seen = {"title": run.head.title.text(), "workers": len(run.workers.table().rows)}
    picture(program, "run")
    until("the result opens", lambda: any(one.isVisible() for one in window.findChildren(ResultPage)))
    result = one_visible(window, ResultPage)
    until("the verdict is there", result.head.line.text)
    let_run(1.0)
    picture(program, "result")
    return {
        **seen,
        "verdict": result.head.line.text(),
        "validity": result.validity.accessibleName(),
        "put back": result.put_back.accessibleName(),
        "session": str(desk.session.path),
    }


def picture(program: Program, name: str) -> None:
    """Take a picture of the window, if somebody wants pictures."""
    folder = os.environ.get(PICTURES)
    if folder:
        let_run(0.5)
        program.window.grab().save(str(Path(folder) / f"{name}.png"))
