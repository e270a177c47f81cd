"""The page docs/problems.md, generated from the problem cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from resources.problem_cards import Card, Cause, Hold, Problems, Rule, Signal, Sustained
from resources.problem_consequences import Consequence
from resources.units import format_duration, format_value

_PLACE = re.compile(r"\{[^{}]*\}")
_INTRO = """\
# Problems

Every problem that Hyperscope looks for, drawn from `resources/problems` by
`docs/generate.py`: do not edit this page.

A problem is found when its condition holds long enough (see *How long*, at the end). Its causes are then
judged by their own conditions: *likely*, *possible*, *ruled out*, or *unknown* where the data lack what would
decide. Names in conditions are the signals and thresholds of the card; statistics such as `mean(…)` are taken
over the finding's windows, `calm(…)` outside them. A problem that another one explains is reported as its
consequence.

An admin's own cards, or changed thresholds, go into a folder `problems` of a knowledge directory
(`hyperscope diagnose --knowledge DIR`); a file of the same name replaces the one that ships.
"""


def problems_page(problems: Problems) -> str:
    """Return the page as Markdown."""
    parts = [_INTRO, _contents(problems)]
    parts += [_card(card, problems) for card in problems.cards]
    parts += [_how_long(problems), _what_follows(problems), _sources(problems)]
    return "\n".join(parts)


def _contents(problems: Problems) -> str:
    rows = ((f"[`{card.id}`](#{_anchor(card)})", card.title, card.question) for card in problems.cards)
    return _table(("Problem", "", "Question"), rows)


def _anchor(card: Card) -> str:
    return card.id.replace(".", "")


def _card(card: Card, problems: Problems) -> str:
    lines = [f"## {card.id}", "", f"**{card.title}.** {card.meaning}", ""]
    for rule in card.rules:
        lines += [*_rule(rule, problems.sustained[rule.sustained]), ""]
    for presence in card.presence:
        of = ", ".join(presence.kinds) or "a source"
        lines += [f"Of {of}, worth knowing: `{presence.condition}`.", ""]
    if card.thresholds:
        head = ("Threshold", "Value", "Source")
        limits = card.thresholds.items()
        rows = ((f"`{name}`", format_value(one.value, one.unit), one.source) for name, one in limits)
        lines.append(_table(head, rows))
    signals = [pair for pair in card.signals.items() if not pair[1].derived]
    if signals:
        lines.append(_table(("Signal", "Counters", "Of"), (_signal(name, one) for name, one in signals)))
    if card.values:
        lines.append(
            _table(("Named", "Is"), ((f"`{name}`", f"`{text}`") for name, text in card.values.items()))
        )
    lines.append(_table(("Cause", "When", "What to do"), map(_cause, card.causes)))
    lines += [
        "Don't be fooled:",
        "",
        *(f"* {trap}" for trap in card.traps),
        "",
        f"Sources: {card.sources}.",
        "",
    ]
    return "\n".join(lines)


def _rule(rule: Rule, sustained: Sustained) -> Iterator[str]:
    what = "Worth knowing" if rule.severity == "info" else "Warning"
    yield f"Of a {rule.entity}. {what} when this holds {_hold(sustained.warning)}: `{rule.condition}`."
    if rule.critical:
        yield f"Critical when this holds {_hold(sustained.critical)}: `{rule.critical}`."
    if rule.level:
        yield "It is a state: a capture too short to tell how long shows it too, as a warning at most."


def _hold(hold: Hold) -> str:
    if hold.count:
        return f"in {hold.count} samples of any {format_duration(hold.of_s)}"
    return f"{format_duration(hold.hold_s)} of any {format_duration(hold.of_s)}"


def _signal(name: str, signal: Signal) -> tuple[str, str, str]:
    if signal.arrived:
        kinds = ", ".join(f"`{kind}`" for kind in signal.arrived)
        return (
            f"`{name}`",
            f"events {kinds}",
            f"VMs that came to it within {format_duration(signal.within_s)}",
        )
    if signal.happening:
        kinds = ", ".join(f"`{kind}`" for kind in signal.happening)
        whose = "VMs that lie on it" if signal.of else "it"
        return f"`{name}`", f"events {kinds}", f"seconds that what happens to {whose} takes"
    counters = [signal.counter] if signal.counter else list(signal.counters.values())
    of = signal.of or "itself"
    if signal.each_instance:
        of = f"{signal.reduce} over the instances of {of}"
    elif signal.of not in ("", "self", "host"):
        of = f"{signal.reduce} of {of}"
    return f"`{name}`", ", ".join(f"`{key}`" for key in counters) or f"fact `{signal.fact}`", of


def _cause(cause: Cause) -> tuple[str, str, str]:
    stated = cause.stated.test if cause.stated else ""
    tests = [("by the inventory", stated), ("likely", cause.likely), ("possible", cause.possible)]
    when = "<br>".join(f"*{verdict}* `{text}`" for verdict, text in tests if text)
    unknown = f"*unknown* {_spoken(cause.unknown)}" if cause.unknown else ""
    steps = "<br>".join(f"{number}. {_spoken(step)}" for number, step in enumerate(cause.remedies, start=1))
    return f"`{cause.id}`<br>{cause.title}", "<br>".join(part for part in (when, unknown) if part), steps


def _spoken(template: str) -> str:
    """A sentence without its numbers."""
    return _PLACE.sub("…", template.replace("{entity}", "*it*").replace("{host}", "the host"))


def _how_long(problems: Problems) -> str:
    rows = (
        (f"`{name}`", _hold(one.warning), _hold(one.critical), format_duration(one.clear_s), one.source)
        for name, one in problems.sustained.items()
    )
    head = ("Rule", "Warning", "Critical", "Over after", "Source")
    return "## How long\n\n" + _table(head, rows)


def _what_follows(problems: Problems) -> str:
    def row(pair: Consequence) -> tuple[str, ...]:
        only = ", ".join(f"`{cause}`" for cause in pair.causes)
        where = {
            "same": "same entity",
            "host": "its host",
            "host_of": "a VM of it",
            "on_host": "same host",
            "pool": "a VM in it",
            "cluster": "a host of it",
        }
        return f"`{pair.upstream}`", f"`{pair.downstream}`", where[pair.relation], only, pair.because

    head = ("This", "explains this", "where", "if its cause is", "because")
    return "## What follows from what\n\n" + _table(head, map(row, problems.consequences))


def _sources(problems: Problems) -> str:
    return "## Sources\n\n" + _table(("Tag", "What it is"), problems.sources.items())


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(head)
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
