"""Folds bursts of equal lines into one event each, and joins the beginning of a state with its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from collectors.logs.lines import Line
from resources.log_lines import Limits, LineForm
from sessions.model import EntityRef

Subject = tuple[str, str]
"""What a line is about: the name of a group of its form, and its value; empty ones for the host."""


@dataclass(slots=True)
class Burst:
    """Equal lines that came one after another: times of the first and the last (ms), how many they are.

    ``groups`` are those of the worst line. ``ends``: when the state was over that the line begins.
    """

    form: LineForm
    subject: Subject
    detail: tuple[str, ...]
    groups: Mapping[str, str]
    at: int
    last: int
    log: str
    count: int = 1
    entity: EntityRef | None = None
    ends: int | None = None

    @property
    def kind_of_log(self) -> str:
        """``vmkernel`` of ``vmkernel.0.gz``."""
        return self.log.partition(".")[0].partition("-")[0]

    @property
    def identity(self) -> tuple[object, ...]:
        """What equal lines have in common, once their entity is known; also what the host's tells apart."""
        own = self.subject[1] if self.entity is None or self.entity.kind == "host" else ""
        return self.entity, own, self.detail

    def take(self, other: Burst) -> None:
        """Add a later burst of equal lines. What two kinds of logs say is said twice, and counts once."""
        same_log = other.kind_of_log == self.kind_of_log
        self.count = self.count + other.count if same_log else max(self.count, other.count)
        self.last = max(self.last, other.last)
        worst = self.form.worst
        if worst and other.form is self.form and _number(other.groups, worst) > _number(self.groups, worst):
            self.groups = other.groups


def burst_of(line: Line, log: str) -> Burst:
    """Return the burst that a line begins."""
    form, groups = line.form, line.groups
    subject = next(((name, groups[name]) for name in form.of if groups.get(name)), ("", ""))
    if "vm" in form.of:
        subject = ("vm", "")
    detail = tuple(groups[name] for name in form.same if name in groups and groups[name] != subject[1])
    at = line.at - int(groups[form.lasted]) // 1000 if form.lasted else line.at
    return Burst(form, subject, detail, groups, max(at, 0), line.at, log)


class Folding:
    """Folds the lines of one log, in their order; keeps the bursts that may go on."""

    def __init__(self, limits: Limits) -> None:
        self._apart = limits.fold_s * 1000
        self._max = limits.max_seen
        self._open: dict[tuple[object, ...], Burst] = {}

    def add(self, burst: Burst) -> Iterator[Burst]:
        """Take a burst; yield those that are over because of it."""
        key = (burst.form.means, burst.subject, burst.detail)
        before = self._open.get(key)
        if before is not None and _goes_on(before, burst, self._apart):
            before.take(burst)
            return
        if before is not None:
            yield self._open.pop(key)
        elif len(self._open) >= self._max:
            yield self._open.pop(next(iter(self._open)))
        self._open[key] = burst

    def rest(self) -> Iterator[Burst]:
        """Yield the bursts that were not over."""
        yield from self._open.values()
        self._open.clear()


def folded(bursts: Iterable[Burst], limits: Limits) -> list[Burst]:
    """Fold the bursts of several logs of a host, whose entities are known; return them in order of time, with
    the ends of states.
    """
    apart = limits.fold_s * 1000
    kept: list[Burst] = []
    newest: dict[tuple[object, ...], Burst] = {}
    for burst in sorted(bursts, key=lambda one: one.at):
        key = (burst.form.means, burst.identity)
        before = newest.get(key)
        if before is not None and _goes_on(before, burst, apart):
            before.take(burst)
        else:
            newest[key] = burst
            kept.append(burst)
    _join_ends(kept, limits.open_h * 3_600_000)
    return kept


def _goes_on(before: Burst, after: Burst, apart: int) -> bool:
    """True if a burst is a part of an earlier one; each stun lasts by itself."""
    return not after.form.lasted and before.at <= after.at <= before.last + apart


def _join_ends(bursts: Iterable[Burst], longest: int) -> None:
    """Give states their ends: the next line that closes them, of the same entity."""
    begun: dict[tuple[object, ...], Burst] = {}
    for burst in bursts:
        state = burst.form.opens or burst.form.closes
        if not state:
            continue
        key = (state, burst.identity)
        before = begun.get(key)
        if burst.form.opens and before is None:
            begun[key] = burst
        elif burst.form.closes and before is not None:
            del begun[key]
            if burst.at - before.at <= longest:
                before.ends = burst.at


def _number(groups: Mapping[str, str], name: str) -> int:
    text = groups.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else 0
