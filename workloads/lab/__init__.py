"""The lab as an environment of tests: its simulation answers, by its own clock."""

from workloads.lab.environment import LAB_TESTS, LabEnvironment

__all__ = ["LAB_TESTS", "LabEnvironment"]
