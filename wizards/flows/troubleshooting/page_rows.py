"""What the list of the Troubleshoot page shows: the guide's groups and rows, as they are now or were judged
again after a change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from resources.guided_flow import Flow
from resources.units import format_measured
from sessions.troubleshooting import CheckResult, RowResult, TroubleshootingRun, Verification, ranked
from sessions.verdicts import CheckVerdict
from viewmodels.health import Health
from wizards.flows.troubleshooting.measured_words import measured_text, passed_text

STATES: Mapping[CheckVerdict, Health] = {
    "problem": "critical",
    "suspected": "warning",
    "not found": "ok",
    "insufficient data": "none",
    "not applicable": "part",
}
"""The symbol and colour of each verdict; one that was not reached is hollow."""


@dataclass(frozen=True, slots=True)
class ListHead:
    """The heading of a group, and how many of its rows found something."""

    title: str
    counted: str


@dataclass(frozen=True, slots=True)
class ListRow:
    """A row: its question, the verdict (None until it was judged), the number against its limit, and the
    problems that it is about; ``leading`` is the one that it is told by.
    """

    id: str
    title: str
    verdict: CheckVerdict | None
    measured: str
    leading: str = ""
    problems: tuple[str, ...] = ()

    @property
    def state(self) -> Health:
        """How it is drawn."""
        return STATES[self.verdict] if self.verdict is not None else "none"

    @property
    def is_found(self) -> bool:
        """True for a problem, and for what is suspected."""
        return self.verdict in ("problem", "suspected")


Line = ListHead | ListRow


def pending_lines(flow: Flow) -> tuple[Line, ...]:
    """Return the lines of a symptom that is being looked into: all rows are hollow."""
    lines: list[Line] = []
    for group in flow.groups:
        lines.append(ListHead(group.title, ""))
        lines += [ListRow(one.id, one.title, None, "") for one in flow.rows if one.group == group.id]
    return tuple(lines)


def lines_of(run: TroubleshootingRun, flow: Flow, again: Verification | None = None) -> tuple[Line, ...]:
    """Return the lines of a run; with a verification that is done, as they are after the change."""
    rows = [_after(row, again, flow) if _is_done(again) else _now(row) for row in run.rows]
    by_id = {row.id: row for row in rows}
    lines: list[Line] = []
    for group in flow.groups:
        own = [by_id[one.id] for one in run.rows if one.group == group.id]
        found = sum(one.is_found for one in own)
        lines += [ListHead(group.title, f"{found or 'none'} of {len(own)} found"), *own] if own else []
    return tuple(lines)


def found_only(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the rows that found something, under their headings."""
    kept: list[Line] = []
    for line in lines:
        if isinstance(line, ListHead):
            if kept and isinstance(kept[-1], ListHead):
                kept.pop()
            kept.append(line)
        elif line.is_found:
            kept.append(line)
    if kept and isinstance(kept[-1], ListHead):
        kept.pop()
    return tuple(kept)


def checks_now(run: TroubleshootingRun, again: Verification | None) -> Mapping[str, CheckResult]:
    """Return the checks by problem; those of a verification that is done count."""
    is_again = again is not None and _is_done(again) and again.checked
    checks = _checked(again) if again is not None and is_again else run.checks
    return {one.problem: one for one in checks}


def _checked(again: Verification) -> tuple[CheckResult, ...]:
    """The checks after the change. What faded away after it, as a balloon that empties, is gone: it is found
    in the later window only because it was still there when that began.
    """
    faded = {one.problem: one.because for one in again.checks if one.outcome == "fixed"}
    return tuple(
        replace(
            one, verdict="not found", because=faded[one.problem], severity=None, causes=(), steps=(),
            follows_from=None,
        )
        if one.is_found and one.problem in faded
        else one
        for one in again.checked
    )  # fmt: skip


def first_row(run: TroubleshootingRun, lines: Sequence[Line], again: Verification | None) -> str:
    """Return the id of the row that the page opens on: that of the worst problem, cause before symptom.

    After a change it is still the row of the problem that was to be fixed.
    """
    worst = next(iter(ranked(run.checks)), None)
    if worst is None and again is not None:
        worst = next(iter(ranked(again.checked)), None)
    if worst is not None:
        return worst.row
    return next((one.id for one in lines if isinstance(one, ListRow) and one.verdict == "not found"), "")


def counts_of(lines: Sequence[Line]) -> Mapping[CheckVerdict, int]:
    """Return how many rows have each verdict."""
    counts: dict[CheckVerdict, int] = dict.fromkeys(STATES, 0)
    for one in lines:
        if isinstance(one, ListRow) and one.verdict is not None:
            counts[one.verdict] += 1
    return counts


def _is_done(again: Verification | None) -> bool:
    return again is not None and again.state == "done"


def _now(row: RowResult) -> ListRow:
    return ListRow(row.id, row.title, row.verdict, row.measured, row.leading, row.problems)


def _after(row: RowResult, again: Verification | None, flow: Flow) -> ListRow:
    assert again is not None
    own = [one for one in _checked(again) if one.problem in row.problems]
    if not own:
        return ListRow(row.id, row.title, "insufficient data", "not judged again", row.leading, row.problems)
    same = [one for one in own if one.problem == row.leading]
    judged = [one for one in own if one.verdict != "not applicable"]
    leading = next(iter([*ranked(own), *same, *judged, *own]))
    was = next(_told(again, leading.problem), "")
    if was and (leading.problem != row.leading or _found_ever(again, row) > 1):
        was = f"{leading.title} {was}"  # nobody shall take it for the number of another check
    text = f"{was}{passed_text(leading) if ', now ' in was else ''}" or measured_text(leading, flow)
    if any(one.problem == leading.problem and one.outcome == "new" for one in again.checks):
        text = f"new: {text}"
    return ListRow(row.id, row.title, leading.verdict, text, leading.problem, row.problems)


def _found_ever(again: Verification, row: RowResult) -> int:
    """How many checks of a row found something, before the change or after it."""
    found = {"problem", "suspected"}
    own = [one for one in again.checks if one.problem in row.problems]
    return sum(not found.isdisjoint({one.before, one.after}) for one in own)


def _told(again: Verification, problem: str) -> Iterator[str]:
    """What is said of a check that was a problem before the change."""
    for one in again.checks:
        if one.problem != problem or one.before not in ("problem", "suspected"):
            continue
        if one.outcome == "ended by itself":
            yield "ended by itself"
        elif one.value_before is not None and one.value_after is not None:
            values, unit = (one.value_before, one.value_after), one.unit
            if one.number is not None and one.outcome != "fixed":  # what it was judged by, no peak
                values, unit = (one.number.before, one.number.after), one.number.unit
            before, after = (format_measured(value, unit, one.limit) for value in values)
            faded = one.outcome == "fixed" and one.after in ("problem", "suspected")
            yield f"was {before}, faded away" if faded else f"was {before}, now {after}"
