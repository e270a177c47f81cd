"""Turns a scenario's injections into changes of parameters: which cells, from which to which value, when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lab.controls import CONTROLS
from lab.parameters import LabState
from lab.scenario import Inject, Range, Scenario
from resources.failures import KnowledgeError
from sessions.model import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Envelope:
    """The strength of an injection over lab time in seconds: 0 before ``start``, rising during ``ramp``,
    1 until ``end``.

    With ``period`` the injection recurs from ``start`` on, for ``length`` seconds each time.
    """

    start: float
    ramp: float
    end: float
    period: float
    length: float

    def at(self, seconds: float) -> float:
        """Return the strength of the injection at this time, 0 to 1."""
        since = seconds - self.start
        if since < 0 or seconds >= self.end:
            return 0.0
        if self.period:
            since %= self.period
            if since >= self.length:
                return 0.0
        return min(1.0, since / self.ramp) if self.ramp > 0 else 1.0


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """Cells of one parameter that change from ``base`` to ``target`` with the strength of the envelope."""

    array: FloatArray
    cells: IntArray
    base: FloatArray
    target: FloatArray
    envelope: Envelope

    def reset(self) -> None:
        """Write the values without injection."""
        self.array.reshape(-1)[self.cells] = self.base

    def apply(self, seconds: float) -> None:
        """Write the values at this time; a value that was not set is set only at the end of the ramp."""
        level = self.envelope.at(seconds)
        if level == 0.0:
            return
        if not np.isfinite(self.base).all():
            moved = self.target if level >= 1.0 else self.base
        else:
            moved = self.base + (self.target - self.base) * level
        self.array.reshape(-1)[self.cells] = moved


def apply_all(changes: Sequence[ParameterChange], seconds: float) -> None:
    """Set all parameters as of this time. Where two movements share a cell, the later one counts."""
    for change in changes:
        change.reset()
    for change in changes:
        change.apply(seconds)


def plan_injections(
    scenario: Scenario, state: LabState, duration_s: float, rng: np.random.Generator
) -> tuple[ParameterChange, ...]:
    """Return the movements of a scenario in one lab, in order.

    Raises KnowledgeError for an unknown parameter.
    """
    changes: list[ParameterChange] = []
    for inject in scenario.inject:
        if inject.parameter not in CONTROLS:
            raise KnowledgeError(
                f"The lab's scenario {scenario.id} changes an unknown parameter {inject.parameter!r}."
            )
        origin = 0.0 if inject.along is None else changes[inject.along].envelope.start
        end = duration_s if inject.until is None else changes[inject.until].envelope.start
        changes.append(_movement(inject, state, (origin, end), rng))
    return tuple(changes)


def _movement(
    inject: Inject, state: LabState, span: tuple[float, float], rng: np.random.Generator
) -> ParameterChange:
    control = CONTROLS[inject.parameter]
    array: FloatArray = getattr(state.parameters, control.attribute)
    cells = control.cells(state.cluster.cast[inject.on], inject.which, state)
    base = array.reshape(-1)[cells].copy()
    drawn = _draw(inject.times if inject.to is None else inject.to, rng)
    target = base * drawn if inject.to is None else control.level(drawn, cells, base, state)
    return ParameterChange(array, cells, base, target, _envelope(inject, span, rng))


def _envelope(inject: Inject, span: tuple[float, float], rng: np.random.Generator) -> Envelope:
    origin, last = span
    start, ramp = origin + _draw(inject.at, rng), _draw(inject.ramp, rng)
    if inject.every is not None:
        length = _draw(inject.lasts, rng)
        return Envelope(start, ramp, last, _draw(inject.every, rng), length)
    end = last if inject.lasts is None else start + _draw(inject.lasts, rng)
    return Envelope(start, ramp, end, 0.0, 0.0)


def _draw(span: Range | None, rng: np.random.Generator) -> float:
    return float(rng.uniform(*span)) if span is not None else 0.0
