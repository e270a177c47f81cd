"""``thresholds``: what classes of storage are judged by, and whether a file of such sets can be used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson, Thresholds
from app.consoles import results
from app.own_thresholds import with_own_thresholds
from app.terminal import print_error, print_json, print_line
from resources.failures import NotFoundError
from resources.foreign_text import shown
from resources.problem_cards import load_problems
from resources.threshold_sets import StorageLimits, read_thresholds
from resources.units import format_value
from viewmodels.threshold_sets import SetRow, number_rows, own_set, set_json, set_rows, sets_json

commands = typer.Typer(help="What storage is judged by: sets of thresholds.", rich_markup_mode=None)


@commands.command("list")
def list_(thresholds: Thresholds = "", as_json: AsJson = False) -> None:
    """List the threshold sets: the shipped one of each class of storage, and your own with their versions."""
    limits = _limits(thresholds)
    if as_json:
        print_json({"sets": sets_json(limits), "chosen": _chosen(limits), "trouble": limits.trouble})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("class", "set", "state"):
        table.add_column(title, no_wrap=title == "class")
    for row in set_rows(limits):
        table.add_row(row.storage_class, Text(row.title), row.state)
    results().print(table)
    for one in limits.own.chosen:
        print_line(f"{one.kind} {shown(one.pattern)}: class {one.storage_class}, chosen by you")


@commands.command("show")
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A class (ssd), or the name of a set of yours.")
    ],
    thresholds: Thresholds = "",
    as_json: AsJson = False,
) -> None:
    """Show the numbers of a set with units, sources and the shipped ones; of a class, those that judge it."""
    limits = _limits(thresholds)
    row = _row(limits, name)
    if as_json:
        print_json(set_json(limits, row))
        return
    known = limits.classes.get(row.storage_class)
    print_line(f"{row.title} ({row.state})")
    print_line(known.meaning if known else "")
    own = own_set(limits.own, row.name) if row.name else None
    if own and own.note:
        print_line(shown(own.note))
    for one in number_rows(limits.classes, row.storage_class, own.numbers if own else {}):
        changed = f", shipped: {format_value(one.shipped, one.unit)}" if one.is_changed else ""
        print_line(f"  {one.name:13} {format_value(one.value, one.unit)}{changed}")
        print_line(f"                {one.title}. {one.source}")


@commands.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of threshold sets.", readable=False)],
    as_json: AsJson = False,
) -> None:
    """Check whether a file of threshold sets can be used: every name, number and range in it."""
    classes = load_problems().storage.classes
    own = read_thresholds(file, classes)
    if as_json:
        print_json({"valid": True, "sets": len(own.sets), "chosen": len(own.chosen)})
        return
    sets = "1 set" if len(own.sets) == 1 else f"{len(own.sets)} sets"
    chosen = "1 class" if len(own.chosen) == 1 else f"{len(own.chosen)} classes"
    print_line(f"{shown(str(file))} can be used: {sets}, and {chosen} chosen by name.")


def _limits(thresholds: str) -> StorageLimits:
    return with_own_thresholds(load_problems(), thresholds, print_error).storage


def _row(limits: StorageLimits, name: str) -> SetRow:
    rows = set_rows(limits)
    for row in rows:
        if row.name and row.name.casefold() == name.casefold():
            return row
    for row in rows:
        known = limits.classes.get(row.storage_class)
        if row.judges and known and name.casefold() in (known.id, known.title.casefold()):
            return row
    classes = ", ".join(one.id for one in limits.classes.classes)
    raise NotFoundError(f"There is no set or class {shown(name)!r}.", advice=f"Classes are: {classes}.")


def _chosen(limits: StorageLimits) -> list[dict[str, str]]:
    return [
        {"kind": one.kind, "pattern": one.pattern, "class": one.storage_class, "note": one.note}
        for one in limits.own.chosen
    ]
