"""The lab: a seeded simulation of a small vSphere cluster that has performance problems."""

from lab.esxtop_export import export_lab
from lab.fields import FieldSet
from lab.lab import Lab, Tick
from lab.pace import Pace
from lab.physics import TICK_S
from lab.recording import Progress, record_lab
from lab.scenario import Scenario, Scenarios, find_scenario, load_scenarios
from lab.truth import Allowed, GroundTruth, Truth
from lab.vcenter_export import export_vcenter, read_vcenter, vcenter_document

__all__ = [
    "TICK_S",
    "Allowed",
    "FieldSet",
    "GroundTruth",
    "Lab",
    "Pace",
    "Progress",
    "Scenario",
    "Scenarios",
    "Tick",
    "Truth",
    "export_lab",
    "export_vcenter",
    "find_scenario",
    "load_scenarios",
    "read_vcenter",
    "record_lab",
    "vcenter_document",
]
