"""The page of “would DRS help here?”: the hosts of today and after the moves, what was wanted over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from resources.foreign_text import shown
from resources.units import format_count, format_value
from sessions.model import FloatArray
from sessions.times import TimeRange
from wizards.flows.chart_values import TimeChart, TimeCurve
from wizards.flows.drs_gain import MAX_MOVES, ClusterGain, HostDemand, cores_text
from wizards.flows.result_sheet import (
    ActLine,
    Chip,
    FactLine,
    FactList,
    HostRow,
    PlacedVm,
    PlacementView,
    RawCell,
    RawTable,
    ResultHead,
    ResultSheet,
)
from wizards.flows.results import validity_of, verdict_state
from wizards.flows.verdicts.drs_model import Cluster
from wizards.flows.verdicts.drs_record import filled_percent, moved
from wizards.flows.verdicts.phrases import counted

_MAX_HOSTS, _MAX_VMS, _MAX_CURVES = 6, 5, 8
_FULL = 100.0


def gain_sheet(gains: Sequence[ClusterGain], why_not_measured: str = "") -> ResultSheet:
    """Return the page of the first cluster; the others are notes.

    ``why_not_measured`` says why the test that measures it can't be set up, empty if it can.
    """
    one, others = gains[0], gains[1:]
    verdict = one.verdict
    lines = [FactLine("info", each, "", "", each) for each in verdict.notes]
    lines += [_other(each) for each in others]
    return ResultSheet(
        head=_head(one, why_not_measured),
        validity=validity_of(verdict),
        placements=tuple(_placements(one)),
        run=_over_time(one),
        notes=FactList("What else it shows", tuple(lines)) if lines else None,
        raw=_moves_table(one) or _hosts_table(one),
        foot=(
            "What a VM used and what it waited for (ready) is what it wants; a host serves what it can.",
            "read from this session, nothing is stored",
        ),
    )


def no_gain_sheet(line: str, sentence: str) -> ResultSheet:
    """Return the page while nothing is known yet, or where there is nothing to look at."""
    head = ResultHead("none", line, sentence, (), (ActLine("again", "Look again"),))
    return ResultSheet(head, FactList("Is it valid?", ()))


def _head(one: ClusterGain, why_not_measured: str) -> ResultHead:
    verdict = one.verdict
    chips = [Chip(one.scope), Chip("nothing was changed")]
    if verdict.confidence == "indicative":
        chips = [Chip("indicative", "none"), chips[0], Chip(f"surer: {verdict.needs}"), chips[1]]
    acts = (ActLine("measure", "Measure it: DRS balance…", why_not_measured), ActLine("again", "Look again"))
    sentence = verdict.sentence if verdict.valid else verdict.why
    shown_acts = acts if verdict.valid else acts[::-1]
    return ResultHead(verdict_state(verdict), verdict.line, sentence, tuple(chips), shown_acts)


def _other(one: ClusterGain) -> FactLine:
    return FactLine("info" if one.verdict.valid else "none", f"{one.title}:", one.verdict.line, "", one.scope)


def _placements(one: ClusterGain) -> Iterator[PlacementView]:
    """Yield where VMs stand today and after the moves; of many hosts those that change most."""
    now, then = one.found.now, one.found.then
    if now is None or then is None:
        return
    hosts = list(one.hosts())
    changed = sorted(hosts, key=lambda each: -abs(each.after - each.now))[:_MAX_HOSTS]
    kept = [each for each in hosts if each in changed]
    moves = {each.vm for each in moved(now, then)}
    count = counted(len(moves), "move") if moves else "no move brings more"
    names = {each.key: each.name for each in one.recorded.vms}
    for title, note, placed in (
        ("Today", "where VMs stand", now),
        ("By the model", f"after {count}" if moves else count, then),
    ):
        filled = filled_percent(placed)
        values = list(filled.values())
        rows = tuple(
            HostRow(
                one.short(each.host), _vms(placed, each.host, moves, names, placed is then), filled[each.host]
            )
            for each in kept
        )
        spread = f"imbalance {format_value(float(np.std(values)), '%')}"
        yield PlacementView(title, note, spread, max(values) <= _FULL, rows, _hidden(hosts, kept, filled))


def _vms(
    placed: Cluster, host: str, moves: set[str], names: dict[str, str], is_after: bool
) -> tuple[PlacedVm, ...]:
    """Return the VMs of a host, those that move first, then the most demanding; the rest as a number."""
    here = [one for one in placed.demands if placed.hosts[one.vm] == host]
    here.sort(key=lambda one: (one.vm not in moves, -one.amount, one.vm))
    mean = sum(one.amount for one in placed.demands) / max(1, len(placed.demands))
    most = _MAX_VMS if len(here) <= _MAX_VMS else _MAX_VMS - 1
    found = [
        PlacedVm(shown(names[one.vm], 60), one.amount > mean, is_after and one.vm in moves)
        for one in here[:most]
    ]
    if len(here) > most:
        found.append(PlacedVm(f"+{format_count(len(here) - most)}", is_heavy=False))
    return tuple(found)


def _hidden(hosts: Sequence[HostDemand], kept: Sequence[HostDemand], filled: dict[str, float]) -> str:
    others = [filled[one.host] for one in hosts if one not in kept]
    if not others:
        return ""
    low, high = format_value(min(others), ""), format_value(max(others), "%")
    return f"{counted(len(others), 'more host')}: {low} to {high}"


def _over_time(one: ClusterGain) -> TimeChart | None:
    """Return what the VMs of each host wanted, in percent of what it can serve; the fullest hosts of many."""
    wanted = one.found.wanted
    if wanted is None:
        return None
    hosts = list(one.hosts())
    window, step = one.recorded.window, round(one.recorded.step_s * 1000)
    count = max((values.size for values in wanted.values()), default=0)
    times = window.start + step // 2 + step * np.arange(count, dtype=np.int64)
    curves = tuple(
        TimeCurve(one.short(each.host), _percent(wanted[each.host], each.capacity), number, _text(each.now))
        for number, each in enumerate(hosts[:_MAX_CURVES])
    )
    fullest = f", the {_MAX_CURVES} fullest of {format_count(len(hosts))}" if len(hosts) > _MAX_CURVES else ""
    return TimeChart(
        "CPU that VMs want",
        f"% of each host's capacity{fullest}",
        "%",
        times,
        curves,
        window=TimeRange(window.start, max(window.end, window.start + 1)),
    )


def _percent(values: FloatArray, capacity: float) -> FloatArray:
    result: FloatArray = 100.0 * values / capacity
    return result


def _moves_table(one: ClusterGain) -> RawTable | None:
    moves = list(one.moves())
    if not moves:
        return None
    hosts = {each.host: each for each in one.hosts()}
    heads = (
        ("What the model moves", False),
        ("from", False),
        ("now", True),
        ("after", True),
        ("to", False),
        ("now", True),
        ("after", True),
        ("VM wants", True),
    )
    rows = []
    for move in moves[:MAX_MOVES]:
        before, after = hosts[move.before], hosts[move.after]
        rows.append(
            (
                RawCell(shown(move.vm), is_bold=True),
                RawCell(one.short(move.before)),
                _filled(before.now),
                _filled(before.after),
                RawCell(one.short(move.after)),
                _filled(after.now),
                _filled(after.after),
                RawCell(cores_text(move.cores), is_bold=True),
            )
        )
    return RawTable(heads, tuple(rows))


def _hosts_table(one: ClusterGain) -> RawTable | None:
    hosts = list(one.hosts())
    if not hosts:
        return None
    heads = (("Host", False), ("VMs", True), ("can serve", True), ("VMs want", True), ("of it", True))
    rows = tuple(
        (
            RawCell(one.short(each.host), is_bold=True),
            RawCell(format_count(each.vms)),
            RawCell(cores_text(each.capacity)),
            RawCell(cores_text(each.wanted)),
            _filled(each.now),
        )
        for each in hosts
    )
    return RawTable(heads, rows)


def _filled(percent: float) -> RawCell:
    return RawCell(_text(percent), "critical" if percent > _FULL else "part")


def _text(percent: float) -> str:
    return format_value(percent, "%")
