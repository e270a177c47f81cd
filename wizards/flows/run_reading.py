"""Reads a run from its session, and makes the page of the run or of its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from resources.failures import HyperscopeError
from resources.fio_jobs import FioJobs
from resources.guided_tests import GuidedTests
from resources.study_numbers import Studies
from sessions.journal import TestRun
from sessions.model import Event
from sessions.store import SessionReader
from sessions.times import TimeRange
from viewmodels.run_curves import (
    RUN_ATTRIBUTE,
    CounterCurve,
    counter_curves,
    devices_below,
    of_most_moved,
    work_curves,
)
from wizards.flows.chart_values import Band, TimeChart, TimeCurve
from wizards.flows.costs import Cost, cost_of
from wizards.flows.measured import NOTHING_MEASURED, Measured
from wizards.flows.plan import Plan
from wizards.flows.plan_file import parse_plan
from wizards.flows.result_sheet import ResultSheet
from wizards.flows.results import ResultSource, result_sheet
from wizards.flows.run_charts import ACTIVE, CPU, HOST_CPU, QUEUE, hosts_chart
from wizards.flows.run_details import read_rounds, read_verdict
from wizards.flows.run_record import LOST_EVENT
from wizards.flows.run_sheet import RunSheet
from wizards.flows.run_source import RunSource
from wizards.flows.runs import bands_of_run, run_sheet
from wizards.flows.verdict import Verdict

_MAX_CURVES = 60


@dataclass(frozen=True, slots=True)
class RunKnowledge:
    """What pages are made with: tests, job templates and studies as they ship; ``clock`` writes times."""

    tests: GuidedTests
    jobs: FioJobs
    studies: Studies
    clock: Callable[[float], str]

    @property
    def settings(self) -> dict[str, tuple[str, str]]:
        """The title and unit of each setting by its name."""
        return {name: (one.title, one.unit) for name, one in self.tests.settings.items()}


def run_page(
    reader: SessionReader, run: str, known: RunKnowledge, *, is_paused: bool = False
) -> RunSheet | None:
    """Return the page of a run that goes on; None if the session has no such run, or no readable plan."""
    newest = newest_sample(reader, run)  # first: what the run says of itself may be newer, not older
    found = _run(reader, run)
    plan = _plan(found)
    if found is None or plan is None:
        return None
    begun = [each for one in found.phases for each in (one.start, one.end) if each is not None]
    now = max([found.start, newest, *begun])
    window = TimeRange(found.start, max(now, found.start + 1))
    events = [one for one in reader.events() if one.at >= found.start]
    source = RunSource(
        run=found,
        plan=plan,
        cost=cost_of(plan, known.tests, known.jobs),
        work=work_curves(reader, run, window),
        counters=_counters(reader, plan, window, known),
        journal=reader.journal(),
        events=events,
        now=now,
        clock=known.clock,
        settings=known.settings,
        is_paused=is_paused,
        lost_events=_lost_events(reader, events),
    )
    return run_sheet(source)


def result_page(
    reader: SessionReader, run: str, known: RunKnowledge, *, is_live: bool = False, placement: str = ""
) -> ResultSheet | None:
    """Return the page of a run's result; None if the session has no such run.

    ``placement`` is the DRS placement that is shown, empty for the most unequal one.
    """
    found = _run(reader, run)
    if found is None:
        return None
    measured, verdict = _details(found)
    test = known.tests.tests.get(found.test)
    plan = _plan(found)
    source = ResultSource(
        run=found,
        title=test.title if test is not None else found.test,
        verdict=verdict,
        measured=measured,
        journal=reader.journal(),
        studies=known.studies,
        clock=known.clock,
        chart=_whole_run(reader, found, plan, known),
        settings=known.settings,
        is_live=is_live,
        placement=placement,
        phase_titles={} if plan is None else {one.name: one.title for one in plan.phases},
        newest=newest_sample(reader, run),
    )
    return result_sheet(source)


def _lost_events(reader: SessionReader, events: Sequence[Event]) -> dict[str, Event]:
    """Return the events on workers that were lost, by the workers' names."""
    found = [one for one in events if one.kind == LOST_EVENT and one.entity is not None]
    known = reader.entities() if found else {}
    return {known[one.entity].name: one for one in found if one.entity in known}


def newest_sample(reader: SessionReader, run: str) -> int:
    """Return the time of the newest sample of a run's workers, 0 if there is none."""
    known = [one.id for one in reader.sources() if dict(one.spec.attributes).get(RUN_ATTRIBUTE) == run]
    return max((int(found[-1]) for one in known if (found := reader.times(one)).size), default=0)


def _run(reader: SessionReader, run: str) -> TestRun | None:
    return next((one for one in reader.test_runs() if one.id == run), None)


def _plan(run: TestRun | None) -> Plan | None:
    try:
        return parse_plan(run.plan) if run is not None and run.plan else None
    except HyperscopeError:
        return None


def _details(run: TestRun) -> tuple[Measured, Verdict | None]:
    """Return what was measured and the verdict; a session that was damaged still shows its figures."""
    try:
        return read_rounds(run.details), read_verdict(run.details, run)
    except HyperscopeError:
        return NOTHING_MEASURED, None


def _counters(
    reader: SessionReader, plan: Plan, window: TimeRange, known: RunKnowledge
) -> Mapping[str, list[CounterCurve]]:
    stores = [one.name for one in plan.objects if one.kind == "Datastore"]
    test = known.tests.tests.get(plan.test)
    observed = frozenset(test.observes) if test is not None else frozenset()
    found = {}
    if QUEUE in observed:
        devices = devices_below(reader, stores)
        queues = counter_curves(reader, [QUEUE], window, devices=devices)
        found[QUEUE] = queues if devices else of_most_moved(queues)  # else nobody told where the datastore is
    if ACTIVE in observed:
        found[ACTIVE] = counter_curves(reader, [ACTIVE], window, stores)
    if CPU in observed:
        hosts = {one.host for one in plan.workers if one.host}
        found[CPU] = counter_curves(reader, HOST_CPU, window, hosts)
    return found


def _whole_run(
    reader: SessionReader, run: TestRun, plan: Plan | None, known: RunKnowledge
) -> TimeChart | None:
    phases = [one.end or one.start or 0 for one in run.phases]
    end = run.end if run.end is not None else max(phases, default=run.start)
    if end <= run.start:
        return None
    window = TimeRange(run.start, end)
    work = work_curves(reader, run.id, window)
    if not work.workers:
        return None
    order = {one.name: number for number, one in enumerate(plan.workers)} if plan is not None else {}
    critical = {one.name for one in plan.workers if one.role == "critical"} if plan is not None else set()
    workers = sorted(
        work.workers, key=lambda one: (one.worker not in critical, order.get(one.worker, 0), one.worker)
    )
    curves = tuple(
        TimeCurve(one.worker, one.iops, order.get(one.worker, number))
        for number, one in enumerate(workers[:_MAX_CURVES])
    )
    bands: tuple[Band, ...] = ()
    if plan is not None:
        cost: Cost = cost_of(plan, known.tests, known.jobs)
        bands = tuple(bands_of_run(run, plan, cost, end))
    placed = plan is not None and known.tests.tests.get(plan.test)
    if plan is not None and placed and CPU in placed.observes:  # what moves is CPU load, not I/O
        hosts = counter_curves(reader, HOST_CPU, window, {one.host for one in plan.workers if one.host})
        if len(hosts) > 1:
            return hosts_chart(hosts, work.times, bands, window, reader.events())
    return TimeChart(
        "IOPS per VM, whole run", "stacked", "/s", work.times, curves, bands, window, is_stacked=True,
        empty="No worker reported a sample",
    )  # fmt: skip
