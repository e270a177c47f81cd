"""Where a run's time goes: the CPU seconds of each test file, children included, and how long its tests took.

python run.py test tests -p tests.cpu_by_file             # the 40 most expensive files
python run.py test tests -p tests.cpu_by_file -n 6        # with several workers, too

A child's time counts once its parent has waited for it: for a test, as a rule, at its end.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass

import pytest

_ROWS = 40
_NAME = "cpu_s"


@dataclass
class Cost:
    """What the tests of a file took: CPU and elapsed seconds, and how many tests they are."""

    cpu_s: float = 0.0
    elapsed_s: float = 0.0
    tests: int = 0


class CpuByFile:
    """Notes the CPU seconds of each test where it runs, and adds them up where the results are printed."""

    def __init__(self) -> None:
        self._before = _cpu_s()
        self._costs: dict[str, Cost] = defaultdict(Cost)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> None:
        """Note what was spent since the last report: this one's phase, and what collection took before."""
        now = _cpu_s()
        item.user_properties.append((_NAME, now - self._before))
        self._before = now

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase to its file's cost."""
        cost = self._costs[report.nodeid.partition("::")[0]]
        cost.elapsed_s += report.duration
        if report.when == "teardown":
            cost.tests += 1
            cost.cpu_s += sum(value for name, value in report.user_properties if name == _NAME)  # type: ignore[misc]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the table."""
        costs = sorted(self._costs.items(), key=lambda one: -one[1].cpu_s)
        write = terminalreporter.write_line
        terminalreporter.section("CPU seconds by file")
        write(f"{'CPU s':>8} {'took s':>8} {'tests':>6}  a test")
        total = Cost(
            *(sum(getattr(one, name) for _, one in costs) for name in ("cpu_s", "elapsed_s", "tests"))
        )
        for name, one in [("all files", total), *costs[:_ROWS]]:
            each = one.cpu_s / max(one.tests, 1)
            write(f"{one.cpu_s:8.1f} {one.elapsed_s:8.1f} {one.tests:6} {each:7.2f}  {name}")


def pytest_configure(config: pytest.Config) -> None:
    """Begin."""
    config.pluginmanager.register(CpuByFile(), "cpu-by-file")


def _cpu_s() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
