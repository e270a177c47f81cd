"""Generates pages of docs/ from the program's tables: ``python docs/generate.py [--check]``.

A page is a name in PAGES and a function that returns its text; BLOCKS are parts of README.md, between ``<!--
NAME: generated -->`` and ``<!-- end -->``. ``--check`` writes nothing, names each page that is stale and
exits with 1. No window is made, but the window's tables import Qt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

from page_tables import lines, table  # noqa: E402
from vcenter_pages import presets_page, privileges_page  # noqa: E402
from window_pages import scope_page, settings_page, shortcuts_page  # noqa: E402

from app.command_line import build  # noqa: E402
from app.manual import commands_page, exit_codes, leaf_commands  # noqa: E402
from diagnosis.manual import problems_page  # noqa: E402
from resources.catalogue import load_catalogue  # noqa: E402
from resources.counter_schema import CONVERSIONS, Counter, VcenterSpelling  # noqa: E402
from resources.problem_cards import load_problems  # noqa: E402
from resources.units import UNITS  # noqa: E402

AREAS = {
    "cpu": "CPU",
    "mem": "Memory",
    "numa": "NUMA",
    "disk": "Devices, adapters and paths",
    "vaai": "Offloading to the array (VAAI)",
    "vdisk": "Virtual disks",
    "nfs": "NFS volumes",
    "net": "Network",
    "rdma": "RDMA",
    "power": "Power and processor states",
    "interrupt": "Interrupts",
    "vsan": "vSAN",
    "work": "Workers of a test (fio)",
    "datastore": "Datastores (Storage I/O Control)",
    "cluster": "Clusters (DRS)",
    "log": "Logs of ESXi",
}

COUNTERS_INTRO = """\
# Counters

Every counter that Hyperscope knows, drawn from `resources/counters` by
`docs/generate.py`: do not edit this page.

One key means one thing whatever source it comes from. Percentages of a VM are percent *of one vCPU*: esxtop's
sum over worlds and vCenter's milliseconds are both converted. ↓ low is good, ↑ high is good.

In the column esxtop, the first line is the name on the screen, then come object class and counter of batch
mode. *Per vCPU*: the sum over worlds is divided by the number of vCPUs. *Not in the first row*: esxtop prints
0 there. *Since boot*: a growing count, read as a rate.

In the column vCenter, the two levels are those from which vCenter archives the value and its instances;
samples of the last hour do not depend on them. The conversions are explained at the end of the page.

A counter that is not here is kept as `raw/<class>/<counter>`. An admin's own counters go into a folder
`counters` of a knowledge directory, in the same form; a counter with a key from this page replaces it.
"""


def counters_page() -> str:
    """Return docs/counters.md: every counter by area, then units and conversions."""
    counters = load_catalogue().counters()
    parts = [COUNTERS_INTRO]
    for area in dict.fromkeys(counter.key.split(".")[0] for counter in counters):
        own = [counter for counter in counters if counter.key.split(".")[0] == area]
        head = ("Counter", "esxtop", "Unit", "Meaning", "vCenter")
        parts.append(f"## {AREAS[area]}\n\n{table(head, map(counter_row, own))}")
    parts.append(
        "## Units\n\n" + table(("Unit", "What it is"), ((f"`{u}`", what) for u, what in UNITS.items()))
    )
    parts.append(
        "## How vCenter's numbers are converted\n\n"
        + table(("Conversion", "What it does"), ((f"`{name}`", what) for name, what in CONVERSIONS.items()))
    )
    return "\n".join(parts)


def commands_table() -> str:
    """Return README.md's table of commands, each with the first sentence of its help."""
    top: Any = typer.main.get_command(build())
    rows = (
        (f"`{command_line}`", " ".join((command.help or "").partition("\n\n")[0].split()))
        for command_line, command in leaf_commands("hyperscope", top)
    )
    return table(("Command", "What it does"), rows)


def exit_codes_table() -> str:
    """Return README.md's table of failures and exit codes, without its heading."""
    return exit_codes().partition("\n\n")[2]


def counter_row(counter: Counter) -> tuple[str, ...]:
    """Return the cells of one counter."""
    numbers = ", ".join(f"{number} {word}" for number, word in counter.value_names.items())
    meaning = [counter.meaning]
    if numbers and counter.unit != "flag":
        meaning.append(f"Numbers: {numbers}.")
    meaning.append(f"*How we know: {counter.source}.*")
    return (
        lines([f"`{counter.key}`", counter.label]),
        lines([*([f"**{counter.short}**"] if counter.short else []), *spellings(counter)]),
        counter.unit + {"low": " ↓", "high": " ↑", "": ""}[counter.better],
        lines(meaning),
        lines(map(twin_text, counter.vcenter)) or "–",
    )


def spellings(counter: Counter) -> Iterator[str]:
    """Yield how esxtop's batch mode spells the counter: one line for each text, with its object classes."""
    by_text: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for spelling in counter.esxtop:
        notes = (
            ("per vCPU", spelling.per == "vcpu"),
            ("since boot", spelling.cumulative),
            ("not in the first row", spelling.io),
            ("text", spelling.text),
        )
        key = (spelling.counter, tuple(note for note, holds in notes if holds))
        by_text.setdefault(key, []).append(spelling.cls)
    for (text, holding), classes in by_text.items():
        note = f" *({', '.join(holding)})*" if holding else ""
        yield f"{', '.join(classes)}: `{text}`{note}"


def twin_text(twin: VcenterSpelling) -> str:
    """Return the text on one vCenter counter that measures the same: name, entity, conversion and levels."""
    where = f"{twin.on}, each {twin.instance}" if twin.instance else twin.on
    packets = f" with `{twin.packets}`" if twin.packets else ""
    note = f"; {twin.source}" if twin.source else ""
    return (
        f"`{twin.name}` ({where}; {twin.conversion}{packets}; level {twin.level}/{twin.level_instance}{note})"
    )


PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "counters.md": counters_page,
    "presets.md": presets_page,
    "privileges.md": privileges_page,
    "problems.md": lambda: problems_page(load_problems()),
    "scope.md": scope_page,
    "settings.md": settings_page,
    "shortcuts.md": shortcuts_page,
}


BLOCKS: dict[str, Callable[[], str]] = {"commands": commands_table, "exit codes": exit_codes_table}
"""The parts of README.md that are drawn from the program."""


def stale_pages(directory: Path) -> list[str]:
    """Return the pages in ``directory`` that differ from what would be generated now."""
    return [
        name
        for name, page in PAGES.items()
        if not (directory / name).is_file() or (directory / name).read_text(encoding="utf-8") != page()
    ]


def with_blocks(text: str) -> str:
    """Return the text of README.md with its generated parts renewed.

    Raises ValueError if the markers of one are missing.
    """
    for name, block in BLOCKS.items():
        before, start, rest = text.partition(f"<!-- {name}: generated -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        if not end:
            raise ValueError(f"README.md has no place for the generated part {name!r}")
        text = f"{before}{start}\n{block()}\n{end}{after}"
    return text


def main(arguments: list[str]) -> int:
    """Write all pages, or only check them; returns the exit code."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python docs/generate.py [--check]\n")
        return 2
    readme = README.read_text(encoding="utf-8")
    renewed = with_blocks(readme)
    stale = {f"docs/{name}": PAGES[name] for name in stale_pages(DOCS)}
    if readme != renewed:
        stale[README.name] = lambda: renewed
    for name, page in stale.items():
        if arguments:
            sys.stderr.write(f"{name} is stale: run python docs/generate.py\n")
        else:
            (DOCS.parent / name).write_text(page(), encoding="utf-8", newline="\n")
            sys.stdout.write(f"{name} written\n")
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
