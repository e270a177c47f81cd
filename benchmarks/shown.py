"""How a board shows the lab: by which source, how often, with which counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab import FieldSet, Lab, Scenario, vcenter_document
from lab.lab import Tick
from lab.recording import samples_in
from lab.scenario import View
from lab.seen import TOGETHER
from lab.vcenter_export import VcenterView
from resources.catalogue import Catalogue
from resources.units import format_duration
from tests.lab.in_memory import lab_session, session_of
from tests.sessions.memory_session import MemorySession
from tests.vcenter_lab.vcenter_session import vcenter_session

Capture = Literal["default", "all", "plain"]
CAPTURES: dict[Capture, FieldSet] = {"default": "diagnosis", "all": "all", "plain": "plain-diagnosis"}
ESXTOP_INTERVALS = (2, 5, 20, 60, 300)
REALTIME_S, ROLLUP_S = 20, 300
ROLLUP_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Shown:
    """One way to show a scenario.

    Of esxtop ``capture`` says which counters there are: ``all`` of ``-b -a``, ``default`` those of them that
    cards read (the same findings, sooner), ``plain`` those of them that ``-b`` prints. A vCenter shows 20 s
    samples of all of its counters, or rollups of 300 s of those that it keeps at statistics level 1.
    """

    source: View = "esxtop"
    interval_s: int = 5
    capture: Capture = "default"

    @property
    def label(self) -> str:
        """What it is called: "esxtop, 5 s", "esxtop -b, 1 min", "vCenter, 5 min at level 1"."""
        every = format_duration(self.interval_s)
        if self.source == "vcenter":
            return f"vCenter, {every}" + (f" at level {ROLLUP_LEVEL}" if self.is_rolled_up else "")
        return {"default": "esxtop", "all": "esxtop -b -a", "plain": "esxtop -b"}[self.capture] + f", {every}"

    @property
    def is_rolled_up(self) -> bool:
        """True for what a vCenter keeps of the past."""
        return self.source == "vcenter" and self.interval_s != REALTIME_S

    @property
    def has_all_counters(self) -> bool:
        """True if no counter that the source counts is left out."""
        return not self.is_rolled_up and self.capture != "plain"

    def play(self, scenario: Scenario, seed: int, catalogue: Catalogue) -> tuple[Lab, MemorySession]:
        """Simulate a scenario; return the lab, run to its end, and the session that a recording gives."""
        if self.source == "esxtop":
            lab = Lab(scenario, seed=seed, fields=CAPTURES[self.capture], interval_s=self.interval_s)
            return lab, lab_session(lab, catalogue=catalogue)
        lab = Lab(scenario, seed=seed)
        level = ROLLUP_LEVEL if self.is_rolled_up else None
        document = vcenter_document(lab, catalogue=catalogue, interval_s=self.interval_s, level=level)
        return lab, vcenter_session(document, catalogue)


ESXTOP = Shown()
VCENTER = Shown("vcenter", REALTIME_S)


def play_both(
    scenario: Scenario, seed: int, catalogue: Catalogue
) -> tuple[Lab, MemorySession, MemorySession]:
    """Simulate a scenario once, and show it as ``ESXTOP`` and as ``VCENTER`` do; return the lab and both
    sessions.
    """
    lab = Lab(scenario, seed=seed, fields=CAPTURES[ESXTOP.capture], computed="all")
    view = VcenterView(lab, lab.duration_s, catalogue=catalogue)
    samples, ticks = samples_in(lab, lab.duration_s), list[Tick]()
    for begin in range(0, view.ticks, TOGETHER):
        seen = lab.steps(min(TOGETHER, view.ticks - begin))
        ticks += lab.ticks_of(seen)
        view.take(seen)
    document = view.document(as_lists=False)
    if samples > view.ticks:
        ticks += lab.ticks_of(lab.steps(samples - view.ticks))
    ticks = [tick for tick in ticks if tick.t_ms < lab.start_ms + lab.duration_s * 1000]
    return lab, session_of(ticks, lab, catalogue), vcenter_session(document, catalogue)
