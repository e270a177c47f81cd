"""The pages docs/problems.md and docs/counters.md: a section for every problem and counter, from the
reference.
"""

from __future__ import annotations

from functools import cache

from page_tables import table

from resources.catalogue import load_catalogue
from resources.counter_schema import CONVERSIONS
from resources.problem_cards import Problems, load_problems
from resources.units import UNITS, format_duration
from resources.views import load_limits, load_screens
from viewmodels.reference import Page, Reference, anchor, page_markdown
from viewmodels.reference.problem_pages import hold_words

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
    "guest": "Guests, as their own kernel counts",
    "work": "Workers of a test (fio)",
    "datastore": "Datastores (Storage I/O Control)",
    "cluster": "Clusters (DRS)",
    "log": "Logs of ESXi",
}

PROBLEMS_INTRO = """\
# Problems

Every problem that Hyperscope looks for, drawn from `resources/problems` by
`docs/generate.py`: do not edit this page. `hyperscope explain NAME` prints the same on a terminal, F1
shows it in the window.

A problem is found when its condition holds long enough (see *How long*, at the end). Its causes are then
judged by their own conditions: *likely*, *possible*, *ruled out*, or *unknown* where the data lack what would
decide. Names in conditions are the signals and thresholds of the card; statistics such as `mean(…)` are taken
over the finding's windows, `calm(…)` outside them. A problem that another one explains is reported as its
consequence.

Storage is judged by its class, which the device says or you choose: `hyperscope thresholds list`, or the
preferences. An admin's own cards, or other changed thresholds, go into a folder `problems` of a knowledge
directory (`hyperscope diagnose --knowledge DIR`); a file of the same name replaces the one that ships.
"""

COUNTERS_INTRO = """\
# Counters

Every counter that Hyperscope knows, drawn from `resources/counters` by
`docs/generate.py`: do not edit this page. `hyperscope explain NAME` prints the same on a terminal (also
`explain %RDY`), F1 shows it in the window.

One key means one thing whatever source it comes from. Percentages of a VM are percent *of one vCPU*: esxtop's
sum over worlds and vCenter's milliseconds are both converted. ↓ low is good, ↑ high is good.

A counter that is not here is kept as `raw/<class>/<counter>`. An admin's own counters go into a folder
`counters` of a knowledge directory, in the same form; a counter with a key from this page replaces it.
"""
ARROWS = {"low": " ↓", "high": " ↑", "": ""}


@cache
def reference() -> Reference:
    """Return the reference of what ships."""
    problems, catalogue = load_problems(), load_catalogue()
    return Reference(problems, catalogue, load_screens(catalogue), load_limits(problems))


def problems_page(pages: Reference) -> str:
    """Return docs/problems.md: a list, a section for each problem, and what they share."""
    problems = load_problems()
    rows = ((_link(page), page.title, problems.card(page.name).question) for page in pages.of_kind("problem"))
    parts = [PROBLEMS_INTRO, table(("Problem", "", "Question"), rows)]
    parts += map(page_markdown, pages.of_kind("problem"))
    return "\n".join([*parts, _how_long(problems), _sources(problems)])


def counters_page(pages: Reference) -> str:
    """Return docs/counters.md: lists by area, a section for each counter, units and conversions."""
    catalogue = load_catalogue()
    found = pages.of_kind("counter")
    parts = [COUNTERS_INTRO]
    if untitled := {page.name.split(".")[0] for page in found} - AREAS.keys():
        raise SystemExit(f"AREAS has no title for counters of: {', '.join(sorted(untitled))}.")
    for area, title in AREAS.items():
        own = [page for page in found if page.name.split(".")[0] == area]
        known = [(page, catalogue.get(page.name)) for page in own]
        rows = (
            (_link(page), page.title, one.short, one.unit + ARROWS[one.better]) for page, one in known if one
        )
        if own:
            parts.append(f"**{title}**\n\n" + table(("Counter", "", "esxtop", "Unit"), rows))
    parts += map(page_markdown, found)
    parts.append(
        "## Units\n\n" + table(("Unit", "What it is"), ((f"`{u}`", what) for u, what in UNITS.items()))
    )
    converted = ((f"`{name}`", what) for name, what in CONVERSIONS.items())
    parts.append(
        "## How vCenter's numbers are converted\n\n" + table(("Conversion", "What it does"), converted)
    )
    return "\n".join(parts)


def _link(page: Page) -> str:
    return f"[`{page.name}`](#{anchor(page.name)})"


def _how_long(problems: Problems) -> str:
    rows = (
        (
            f"`{name}`",
            hold_words(one.warning),
            hold_words(one.critical),
            format_duration(one.clear_s),
            one.source,
        )
        for name, one in problems.sustained.items()
    )
    return "## How long\n\n" + table(("Rule", "Warning", "Critical", "Over after", "Source"), rows)


def _sources(problems: Problems) -> str:
    return "## Sources\n\n" + table(("Tag", "What it is"), problems.sources.items())
