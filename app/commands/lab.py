"""``lab``: lists the scenarios of the simulated cluster, and exports them as captures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson
from app.consoles import progress_bar, results
from app.terminal import cancellable, print_json
from lab import (
    TICK_S,
    FieldSet,
    Lab,
    Progress,
    Scenario,
    Truth,
    export_lab,
    export_vcenter,
    find_scenario,
    load_scenarios,
)
from resources.failures import UsageError
from resources.units import format_bytes, format_duration

commands = typer.Typer(
    help="The embedded lab: a simulated cluster with known problems in it.", rich_markup_mode=None
)

Seed = Annotated[
    int,
    typer.Option(
        min=0, max=10**18 - 1, help="Each seed gives another cluster with the same kind of problem."
    ),
]


def show_lab_progress(show: Callable[[float | None, str], None]) -> Callable[[Progress], None]:
    """Return a callback that shows the lab's progress on the progress bar ``show``."""
    return lambda now: show(now.seconds / now.total, f"{format_duration(now.seconds)} of lab time")


@commands.command("list")
def list_(seed: Seed = 1, as_json: AsJson = False) -> None:
    """List all scenarios: what goes wrong in each, and what an expert would conclude."""
    scenarios = load_scenarios()
    if as_json:
        print_json({"scenarios": [describe(scenario, seed) for scenario in scenarios.values()]})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("scenario", "kind", "lasts", "what"):
        table.add_column(title, no_wrap=title != "what")
    for scenario in scenarios.values():
        table.add_row(Text(scenario.id), scenario.kind, duration_text(scenario), Text(scenario.title))
    results().print(table)


def duration_text(scenario: Scenario) -> str:
    """Return how long a scenario lasts in lab time, as a range if that depends on the seed."""
    if scenario.seconds:
        return format_duration(scenario.seconds)
    shortest, longest = scenario.minutes
    return f"{shortest} min" if shortest == longest else f"{shortest}–{longest} min"


def describe(scenario: Scenario, seed: int) -> dict[str, object]:
    """Return a scenario as JSON, with the problems that it has for this seed."""
    lab = Lab(scenario, seed=seed, fields="diagnosis")
    return {
        "id": scenario.id,
        "title": scenario.title,
        "kind": scenario.kind,
        "duration_s": lab.duration_s,
        "expert": scenario.expert,
        "truth": [truth_json(truth) for truth in lab.truth().truth],
    }


def truth_json(truth: Truth) -> dict[str, object]:
    """Return a problem of a lab run as JSON, named as a finding would name it; times in seconds of
    lab time.
    """
    return {
        "problem": truth.problem,
        "entity": {"kind": truth.kind, "name": truth.name},
        "cause": truth.cause,
        "from_s": truth.start_s,
        "to_s": truth.end_s,
        "severity": truth.severity,
    }


def require_scenario(name: str) -> Scenario:
    """Return the scenario with this id. Raises NotFoundError with the most similar ids."""
    return find_scenario(load_scenarios(), name)


@commands.command("export")
def export(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="As 'lab list' names it.", show_default=False)
    ],
    out: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The file to write.", show_default=False),
    ],
    vcenter: Annotated[
        bool,
        typer.Option(
            "--vcenter",
            help="As a vCenter shows it: FILE.json.gz, inventory and 20 s samples of its counters.",
        ),
    ] = False,
    all_fields: Annotated[
        bool, typer.Option("--all-fields", help="What 'esxtop -b -a' has, not only its default fields.")
    ] = False,
    interval: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0.1, help="Between two samples, as 'esxtop -d'."),
    ] = TICK_S,
    seed: Seed = 1,
    duration: Annotated[
        int,
        typer.Option(
            metavar="SECONDS", min=0, help="Lab time; 0 is all of the scenario.", show_default=False
        ),
    ] = 0,
    split: Annotated[bool, typer.Option("--split", help="One file a host: FILE-esx01….csv.")] = False,
    host: Annotated[str, typer.Option(metavar="NAME", help="Only this host.")] = "",
    as_json: AsJson = False,
) -> None:
    """Write a scenario as an esxtop batch capture, with the defects of genuine captures."""
    chosen = require_scenario(scenario)
    if vcenter and (all_fields or split or host or interval != TICK_S):
        raise UsageError(
            "--vcenter writes one file of the whole cluster.",
            advice="Leave out --all-fields, --split, --host and --interval: they are for captures of esxtop.",
        )
    fields: FieldSet = "all" if all_fields or vcenter else "default"
    lab = Lab(chosen, seed=seed, fields=fields, interval_s=interval)
    seconds = duration or None
    with cancellable() as cancel, progress_bar(f"Playing {chosen.id}") as show:
        played = show_lab_progress(show)
        if vcenter:
            files: tuple[Path, ...] = (
                export_vcenter(lab, out, duration_s=seconds, progress=played, cancel=cancel),
            )
        else:
            only = [host] if host else None
            files = export_lab(
                lab, out, hosts=only, split=split, duration_s=seconds, progress=played, cancel=cancel
            )
    if as_json:
        truths = [truth_json(truth) for truth in lab.truth().truth]
        print_json({"files": [str(file) for file in files], "seed": seed, "truth": truths})
        return
    for file in files:
        results().print(Text(f"{file}  {format_bytes(file.stat().st_size)}"))
