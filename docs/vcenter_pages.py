"""The pages on recording a vCenter: the privileges that it takes, and what each preset records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from page_tables import lines, table

from collectors.vsphere.counters.metrics import Definition, Meaning, choose_realtime
from resources.catalogue import Catalogue, load_catalogue
from resources.counter_schema import Counter, VcenterSpelling
from resources.vcenter_presets import DEFAULT_PRESET, Preset, load_presets
from resources.vcenter_privileges import Privilege, login_limits, privileges

Column = Mapping[tuple[str, bool], Meaning]
"""What a preset makes of each vCenter name, by whether its instances are meant."""

KINDS: tuple[tuple[Literal["vm", "host"], str], ...] = (("vm", "VMs"), ("host", "hosts"))
PLACES = {
    "": "the whole",
    "nic": "each NIC",
    "pcpu": "each logical CPU",
    "vcpu": "each vCPU",
    "vdisk": "each virtual disk",
}

PRIVILEGES_INTRO = """\
# Privileges

What an account needs so that `hyperscope record` can read a vCenter or an ESXi host, drawn from
`resources/vcenter/privileges.toml` by `docs/generate.py`: do not edit this page.

Give the account the **read-only role on the root of the inventory, propagating to its children**. That role
holds all of them but those that say so; a role that is a copy of it can have these, too. Nothing is ever
changed; a guest that is recorded through VMware Tools has a folder with a script meanwhile. A recording
says at its start which privilege is missing and what it would have given; it goes on
without that. It ends (exit code 28) only when the account sees no host and no VM at all.
"""

BESIDE_THE_ROLE = " (not in the read-only role; all else is recorded without it)"

PRESETS_INTRO = """\
# Presets

What `hyperscope record --preset NAME` asks of a vCenter or ESXi host, drawn from
`resources/vcenter/presets.toml` and the catalogue of counters by `docs/generate.py`: do not edit this page.

✓ recorded under the counter's key, in its unit ([counters.md](counters.md) has units and conversions). *raw*:
recorded as `raw/vcenter/<name>`, with vCenter's own number and unit. Where vCenter has several names for one
counter, the first that the server has is taken. What a server does not have is left out;
`hyperscope info` says what came.

A preset of your own goes into `vcenter/presets.toml` of a folder that is given with `--knowledge DIR`; one of
the same name replaces ours.
"""


def privileges_page() -> str:
    """docs/privileges.md."""
    kinds = ("vcenter", "esxi", "esxtop", "tools")
    needed = {kind: {entry.id for entry in privileges(kind)} for kind in kinds}
    entries: dict[str, Privilege] = {entry.id: entry for kind in kinds for entry in privileges(kind)}
    head = ("Privilege", "vCenter", "ESXi", "esxtop", "Guests by Tools", "What it gives", "How we know")
    rows = (
        (
            f"`{name}`",
            *(tick(name in needed[kind]) for kind in kinds),
            entry.gives + ("" if entry.in_read_only else BESIDE_THE_ROLE),
            entry.source,
        )
        for name, entry in entries.items()
    )
    login = login_limits()
    after = (
        "## Logging in\n\n"
        "A wrong password at the start is not tried again. A password that worked before and is refused\n"
        f"later is tried {login.tries} times, {login.rest_s:g} s apart, so that it locks no account.\n\n"
        f"*How we know: {login.source}.*\n"
    )
    return "\n".join((PRIVILEGES_INTRO, table(head, rows), after))


def presets_page() -> str:
    """docs/presets.md: the presets, then every known counter with what each makes of it."""
    presets, catalogue = load_presets(), load_catalogue()
    parts = [PRESETS_INTRO, table(("Preset", "What it records"), map(preset_row, presets.items()))]
    for kind, title in KINDS:
        columns = [recorded(kind, preset, catalogue) for preset in presets.values()]
        rows = [
            (f"`{counter.key}`", counter.label, names(twins), place(instance), *cells)
            for counter in catalogue.counters()
            for instance, twins in by_instance(kind, counter).items()
            for cells in [[mark(counter, twins, column) for column in columns]]
            if any(cells)
        ]
        parts.append(f"## Counters of {title}, every 20 s\n")
        parts.append(table(("Counter", "", "vCenter", "Of", *presets), rows))
    for name, preset in presets.items():
        parts.append(f"## Besides, with `{name}`\n\n{besides(preset)}")
    return "\n".join(parts)


def preset_row(item: tuple[str, Preset]) -> tuple[str, str]:
    """A preset's name and title."""
    name, preset = item
    return f"`{name}`" + (" (standard)" if name == DEFAULT_PRESET else ""), f"{preset.title}."


def recorded(kind: Literal["vm", "host"], preset: Preset, catalogue: Catalogue) -> Column:
    """What a preset records of a server that has all counters of the catalogue, as the recorder chooses."""
    known = dict.fromkeys(twin.name for counter in catalogue.counters() for twin in counter.vcenter)
    definitions = [Definition(number, name, "") for number, name in enumerate(known, 1)]
    chosen = choose_realtime(kind, definitions, catalogue, preset, None)
    by_id = {str(definition.id): definition.name for definition in definitions}
    return {(by_id[counter], named): meaning for (counter, named), meaning in chosen.meanings.items()}


def mark(counter: Counter, twins: Sequence[VcenterSpelling], column: Column) -> str:
    """Whether a preset records a counter, and how."""
    meanings = [column.get((twin.name, bool(twin.instance))) for twin in twins]
    keys = {meaning.key for meaning in meanings if meaning is not None}
    if counter.key in keys:
        return "✓"
    return "*raw*" if any(key.startswith("raw/") for key in keys) else ""


def by_instance(kind: str, counter: Counter) -> Mapping[str, Sequence[VcenterSpelling]]:
    """A counter's names in vCenter on a kind of entity, by what their instances are."""
    found: dict[str, list[VcenterSpelling]] = {}
    for twin in counter.vcenter:
        if twin.on == kind:
            found.setdefault(twin.instance, []).append(twin)
    return found


def names(twins: Iterable[VcenterSpelling]) -> str:
    """vCenter's names in a cell."""
    return lines(f"`{twin.name}`" for twin in twins)


def place(instance: str) -> str:
    """Of what a name has values."""
    return PLACES.get(instance, f"each {instance}")


def besides(preset: Preset) -> str:
    """What a preset records beyond the catalogue."""
    said = list(besides_lines(preset))
    return "".join(f"- {line}\n" for line in said) or "Nothing.\n"


def besides_lines(preset: Preset) -> Iterator[str]:
    """One line for each kind of entity and way."""
    if preset.everything:
        yield "whatever else the server defines, *raw*"
    for kind, title in (*KINDS, ("cluster", "clusters"), ("datastore", "datastores")):
        if names := preset.raw.of(kind):
            yield f"of {title}, *raw* (`[*]`: each instance): {quoted(names)}"
    for kind, title in (("cluster", "clusters"), ("datastore", "datastores")):
        if names := preset.rollups.of(kind):
            yield f"of {title}, *raw*, means of 300 s from vCenter's archive: {quoted(names)}"
    if preset.without:
        yield f"left out all the same: {quoted(preset.without)}"


def quoted(names: Sequence[str]) -> str:
    """vCenter names in a sentence."""
    return ", ".join(f"`{name}`" for name in names)


def tick(yes: bool) -> str:
    """A cell of yes or no."""
    return "needed" if yes else "–"
