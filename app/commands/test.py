"""``test``: guided tests: what there is, and the jobs of fio that they run. ``test_runs`` has the rest."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from app.commands import test_runs
from app.commands.options import AsJson
from app.commands.test_gain import gain
from app.commands.test_looking import look
from app.commands.test_own import own
from app.consoles import results
from app.terminal import hint, print_json, print_line
from resources.failures import NotFoundError, UsageError
from resources.fio_jobs import FioJob, FioJobs, load_fio_jobs
from resources.foreign_text import shown
from resources.guided_tests import Analysis, GuidedTest, InputValue, load_guided_tests
from workloads.job_file import Disk, input_text, job_file

commands = typer.Typer(
    help="Guided tests: real load on real VMs, what it proves, and everything put back.",
    rich_markup_mode=None,
)
commands.command("look")(look)
commands.command("plan")(test_runs.plan)
commands.command("check")(test_runs.check)
commands.command("run")(test_runs.run)
commands.command("resume")(test_runs.resume)

_WRITES = {
    "nothing": "reads only",
    "working set": "overwrites the working set",
    "all": "overwrites the whole disk",
}


@commands.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the tests: what each answers, how long it takes, what it risks."""
    known = load_guided_tests()
    if as_json:
        analyses = [_analysis(one) for one in known.analyses.values()]
        print_json({"tests": [_test(one) for one in known.tests.values()], "analyses": analyses})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("test", "class", "question", "risk"):
        table.add_column(title, no_wrap=title in ("test", "class"))
    for one in known.cards:
        badges = one.badges if isinstance(one, GuidedTest) else ("D0",)
        table.add_row(Text(one.id), " ".join(badges), one.question, one.risk)
    results().print(table)
    hint("Next: hyperscope test plan io-sweep lab:default -o sweep.toml")


@commands.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="TEST", help="As 'test list' lists it.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Show a test: its phases, its inputs with their defaults, its checks and guards."""
    known = load_guided_tests()
    if name in known.analyses:
        _show_analysis(known.analyses[name], as_json)
        return
    one = known.require(name)
    if as_json:
        print_json(_test(one))
        return
    print_line(f"{one.title} ({', '.join(one.badges)}): {one.question}")
    print_line(f"Risk: {one.risk}. Runs in: {', '.join(one.environments)}. Source: {one.source}.")
    print_line("Phases:")
    for step in one.step:
        print_line(f"  {step.label or step.step:10} {step.title}")
    print_line("Inputs (--set NAME=VALUE):")
    for given in one.input:
        print_line(f"  {given.name:20} {given.title}: {_default(given.default)}")
    print_line("Checks:")
    for check in one.checks:
        described = known.checks[check]
        print_line(f"  {check:4} {described.title} ({described.severity}s)")


@commands.command("jobs")
def jobs(as_json: AsJson = False) -> None:
    """List the jobs: what each does, what it writes, and what it asks for with its defaults."""
    known = load_fio_jobs()
    if as_json:
        print_json({"jobs": [_described(job, known) for job in known.jobs.values()]})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("job", "what it does", "disk", "asks for"):
        table.add_column(title, no_wrap=title == "job")
    for job in known.jobs.values():
        asked = ", ".join(
            f"{name} {input_text(one, one.default)}" for name, one in known.inputs_of(job).items()
        )
        table.add_row(Text(job.id), job.purpose, _WRITES[job.writes], asked)
    results().print(table)
    hint("Next: hyperscope test job random-read --disk /dev/disk/by-id/…")


@commands.command("job")
def job(
    name: Annotated[str, typer.Argument(metavar="JOB", help="As 'test jobs' lists it.", show_default=False)],
    disks: Annotated[
        list[str],
        typer.Option("--disk", metavar="PATH", help="A disk of the guest; repeatable.", show_default=False),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=NUMBER", help="A value in place of the default; repeatable."),
    ] = None,
    guest: Annotated[Literal["linux", "windows"], typer.Option(help="The guest's system.")] = "linux",
) -> None:
    """Print a job file for fio, with a seed of its own for each disk.

    Nothing runs. In a guest, run 'fio --output-format=json+ --status-interval=5 --output=out.json job.fio',
    and import out.json here. Most jobs OVERWRITE the disk: the first line says so.
    """
    known = load_fio_jobs()
    chosen = known.jobs.get(name)
    if chosen is None:
        raise NotFoundError(f"There is no job {shown(name)}.", advice="'hyperscope test jobs' lists them.")
    given = dict(_number(text) for text in inputs or ())
    named = [Disk(f"disk{number}", path) for number, path in enumerate(disks, start=1)]
    text = job_file(known, chosen, given, named, guest)
    print_line(f"# {_WRITES[chosen.writes]}" + (f"; needs fio {chosen.needs}" if chosen.needs else ""))
    for line in text.splitlines():
        print_line(line)


commands.command("own")(own)
commands.command("gain")(gain)


def _default(value: InputValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _test(one: GuidedTest) -> dict[str, object]:
    return {
        "id": one.id,
        "title": one.title,
        "question": one.question,
        "group": one.group,
        "badges": list(one.badges),
        "risk": one.risk,
        "environments": list(one.environments),
        "source": one.source,
        "lengths": {name: length.rounds for name, length in one.lengths.items()},
        "steps": [{"step": step.step, "title": step.title, "label": step.label} for step in one.step],
        "inputs": {
            given.name: {
                "title": given.title,
                "kind": given.kind,
                "default": list(given.default) if isinstance(given.default, tuple) else given.default,
            }
            for given in one.input
        },
        "checks": list(one.checks),
    }


def _show_analysis(one: Analysis, as_json: bool) -> None:
    if as_json:
        print_json(_analysis(one))
        return
    print_line(f"{one.title} (D0): {one.question}")
    print_line(f"Risk: {one.risk}. Takes {one.cost}. Source: {one.source}.")
    hint("Next: hyperscope test gain S.hscope")


def _analysis(one: Analysis) -> dict[str, object]:
    return {
        "id": one.id,
        "title": one.title,
        "question": one.question,
        "group": one.group,
        "badges": ["D0"],
        "risk": one.risk,
        "source": one.source,
        "measured_by": one.leads_to,
    }


def _number(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise UsageError(f"{shown(text)} is not NAME=NUMBER.", advice="Write --set reads=70.")
    return name, int(value)


def _described(one: FioJob, known: FioJobs) -> dict[str, object]:
    return {
        "id": one.id,
        "title": one.title,
        "purpose": one.purpose,
        "writes": one.writes,
        "needs": one.needs,
        "source": one.source,
        "inputs": {
            name: {"title": it.title, "kind": it.kind, "default": it.default, "from": it.least, "to": it.most}
            for name, it in known.inputs_of(one).items()
        },
    }
