"""``explain``: prints the page of the reference about a problem or a counter."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.options import AsJson, Thresholds
from app.consoles import results
from app.own_thresholds import with_own_thresholds
from app.terminal import print_error, print_json, print_line
from resources.catalogue import load_catalogue
from resources.failures import NotFoundError
from resources.foreign_text import shown
from resources.problem_cards import load_problems
from resources.views import load_limits, load_screens
from viewmodels.reference import Reference, page_json, page_text

_WIDEST = 100


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A problem (cpu.ready_high), a counter (cpu.ready), %RDY, cpu.ready.summation.",
        ),
    ],
    thresholds: Thresholds = "",
    as_json: AsJson = False,
) -> None:
    """Explain a problem or a counter: what it means, who has it, thresholds with sources, causes, what to do.

    A counter can be named as esxtop or vCenter names it. Names that mean several things print all of them.
    """
    problems = with_own_thresholds(load_problems(), thresholds, print_error)
    catalogue = load_catalogue()
    reference = Reference(problems, catalogue, load_screens(catalogue), load_limits(problems))
    pages = reference.named(name)
    if not pages:
        near = reference.near(name)
        hint = (
            f"Did you mean {', '.join(near)}?"
            if near
            else "docs/problems.md and docs/counters.md list all names."
        )
        raise NotFoundError(f"There is no problem and no counter {shown(name)!r}.", advice=hint)
    if as_json:
        print_json({"pages": [page_json(page) for page in pages]})
        return
    width = min(results().width, _WIDEST)
    for number, page in enumerate(pages):
        if number:
            print_line("")
        for line in page_text(page, width):
            print_line(line)
