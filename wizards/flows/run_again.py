"""A run that is repeated: what its plan had chosen, as far as that is there, and a sentence on what was taken
over.
"""

from __future__ import annotations

from dataclasses import dataclass

from resources.foreign_text import shown
from resources.guided_tests import GuidedTest, InputValue
from resources.units import format_count
from wizards.flows.choices import Chosen, Offer, lengths_of, objects_of
from wizards.flows.plan import Plan
from wizards.flows.surroundings import Surroundings
from wizards.flows.verdicts.phrases import counted, listed

_MAX_INPUTS = 3


@dataclass(frozen=True, slots=True)
class Again:
    """What an earlier run had chosen; ``when`` is the time of that run as text."""

    chosen: Chosen
    when: str


def again_of(plan: Plan, test: GuidedTest, when: str) -> Again:
    """Return what a plan had chosen, by the names that a person reads."""
    known = test.inputs
    chosen = Chosen(
        objects_of(plan),
        tuple(one.name for one in plan.workers),
        next((one.name for one in plan.workers if one.role == "critical"), ""),
        plan.length,
        tuple((name, value) for name, value in plan.inputs.items() if name in known),
    )
    return Again(chosen, when)


def taken_over(again: Again, test: GuidedTest, around: Surroundings, offer: Offer, first: Chosen) -> Chosen:
    """Return what an earlier run had chosen, where it is there; ``first`` is chosen in the place of the
    others.
    """
    before, names = again.chosen, dict(offer.objects)
    able = {one.name for one in around.workers if one.facts is not None}
    workers = tuple(name for name in before.workers if name in able) or first.workers
    objects = tuple((what, name) for what, name in before.objects if name in names.get(what, ()))
    critical = ""
    if "critical" in test.roles:
        critical = next((one for one in (before.critical, first.critical, *workers) if one in workers), "")
    return Chosen(
        objects or first.objects,
        workers,
        critical,
        before.length if before.length in offer.lengths else first.length,
        tuple((name, value) for name, value in before.inputs if name in test.inputs),
    )  # fmt: skip


def taken_text(again: Again, test: GuidedTest, offer: Offer, chosen: Chosen) -> str:
    """Return what was taken over from the earlier run, and what of it is not there any more."""
    before = again.chosen
    kept = [name for name in chosen.workers if name in before.workers]
    gone = [name for name in before.workers if name not in chosen.workers]
    gone += [name for what, name in before.objects if (what, name) not in chosen.objects]
    parts = [counted(len(kept), "worker")] if kept else []
    if before.critical and before.critical == chosen.critical:
        parts.append(f"{shown(before.critical, 60)} critical")
    parts += [shown(name, 60) for what, name in chosen.objects if (what, name) in before.objects]
    if before.length == chosen.length and len(offer.lengths) > 1:
        parts.append(f"length {dict(lengths_of(test, offer))[chosen.length]}")
    parts += _inputs_text(test, chosen)
    text = f"Taken over from the run of {again.when}: {'; '.join(parts)}."
    return f"{text} Not there now: {listed(shown(one, 60) for one in gone)}." if gone else text


def _inputs_text(test: GuidedTest, chosen: Chosen) -> list[str]:
    """Return the inputs that are not what a new run would have, by their titles."""
    of_length = test.lengths[chosen.length].inputs
    other = [
        f"{one.title} {_value_text(value)}"
        for name, value in chosen.inputs
        if (one := test.inputs[name]) and value != of_length.get(name, one.default)
    ]
    if not other:
        return ["inputs as by default"]
    more = len(other) - _MAX_INPUTS
    return [*other[:_MAX_INPUTS], *([f"and {counted(more, 'other input')}"] if more > 0 else [])]


def _value_text(value: InputValue) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(_value_text(one) for one in value)
    return shown(value, 60) if isinstance(value, str) else format_count(round(value))
