"""The lab while a test acts on it: its physics answers to shares, limits, placement, disks and load."""

from lab.acted.jobs import DiskLoad, LabJob
from lab.acted.simulation import ActedLab, Happening

__all__ = ["ActedLab", "DiskLoad", "Happening", "LabJob"]
