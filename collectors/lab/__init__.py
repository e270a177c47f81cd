"""The lab: a seeded simulation of a small vSphere cluster with problems in it."""

from collectors.lab.exporting import export_lab
from collectors.lab.fields import FieldSet
from collectors.lab.lab import TICK_S, Lab, Tick
from collectors.lab.recording import Progress, record_lab, run_memory
from collectors.lab.scenario import Scenario, Scenarios, find_scenario, load_scenarios
from collectors.lab.truth import Allowed, GroundTruth, Truth

__all__ = [
    "TICK_S",
    "Allowed",
    "FieldSet",
    "GroundTruth",
    "Lab",
    "Progress",
    "Scenario",
    "Scenarios",
    "Tick",
    "Truth",
    "export_lab",
    "find_scenario",
    "load_scenarios",
    "record_lab",
    "run_memory",
]
