"""The checks before a test: what is looked at, what it found, whether the test may start."""

from wizards.flows.checks.table import run_checks

__all__ = ["run_checks"]
