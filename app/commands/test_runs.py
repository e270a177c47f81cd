"""``test plan``, ``check``, ``run`` and ``resume``: from a test to its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.commands.options import AsJson, SessionPath
from app.commands.test_options import (
    AgentKeys,
    Attached,
    AttachedRun,
    EnvironmentAddresses,
    GuestUser,
    KeyFile,
    PasswordStdin,
    Thumbprints,
    Workers,
    Yes,
    environment_options,
)
from app.terminal import hint, print_json, print_line
from resources.failures import (
    AlreadyExistsError,
    NotFoundError,
    SourceError,
    UnfinishedTestError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.testing.environments import EnvironmentOptions
    from app.testing.running import Earlier, TestWords
    from sessions.journal import JournalEntry
    from sessions.store import SessionReader
    from wizards.flows.check_result import CheckResult
    from wizards.flows.plan import Plan

PlanPath = Annotated[
    Path, typer.Argument(metavar="PLAN.toml", help="As 'test plan' wrote it.", show_default=False)
]
Confirm = Annotated[
    list[str] | None,
    typer.Option(
        metavar="UUID",
        help="The last 8 characters of the UUID of a disk that may be overwritten; repeat for each.",
        show_default=False,
    ),
]


def plan(
    test: Annotated[str, typer.Argument(metavar="TEST", help="As 'test list' lists it.", show_default=False)],
    environment: EnvironmentAddresses,
    out: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="PLAN.toml", help="The plan to write.", show_default=False),
    ],
    length: Annotated[
        Literal["quick", "full", "lab"] | None,
        typer.Option(help="How long it takes. [default: full; lab in the lab]", show_default=False),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="An input; lists with commas; repeatable."),
    ] = None,
    datastore: Annotated[str, typer.Option(metavar="NAME", help="The datastore that is tested.")] = "",
    datastore_b: Annotated[str, typer.Option(metavar="NAME", help="The one that it is compared with.")] = "",
    cluster: Annotated[str, typer.Option(metavar="NAME", help="The cluster that is tested.")] = "",
    worker: Workers = None,
    critical: Annotated[str, typer.Option(metavar="NAME", help="The critical worker.")] = "",
    make_disks: Annotated[
        int,
        typer.Option(metavar="GB", min=0, help="Make a disk of that size for each worker; 0: use theirs."),
    ] = 0,
    seed: Annotated[int, typer.Option(min=1, help="Of the order and of what is written.")] = 1,
    guest_user: GuestUser = "",
    key_file: KeyFile = None,
    agent: AgentKeys = True,
    thumbprint: Thumbprints = None,
    password_stdin: PasswordStdin = False,
    as_json: AsJson = False,
) -> None:
    """Make a plan: a file that says everything that will happen, to be read and edited. Nothing is
    changed."""
    from msgspec.structs import replace  # noqa: PLC0415 - after the help

    from app.testing.environments import open_environment  # noqa: PLC0415
    from app.testing.looking import look_into  # noqa: PLC0415
    from resources.fio_jobs import load_fio_jobs  # noqa: PLC0415
    from resources.guided_tests import load_guided_tests  # noqa: PLC0415
    from wizards.flows.inputs import typed_input  # noqa: PLC0415
    from wizards.flows.plan_file import plan_text  # noqa: PLC0415
    from wizards.flows.plan_rules import require_runnable  # noqa: PLC0415
    from wizards.flows.planning import Choice, make_plan  # noqa: PLC0415

    known, jobs = load_guided_tests(), load_fio_jobs()
    wanted = known.require(test)
    is_lab = all(one.startswith("lab:") for one in environment)
    given = {"datastore": datastore, "datastore b": datastore_b, "cluster": cluster}
    choice = Choice(
        test,
        length or ("lab" if is_lab else "full"),
        dict(typed_input(wanted, text) for text in inputs or ()),
        {name: value for name, value in given.items() if value},
        critical=critical,
        make_disks=make_disks << 30 if make_disks else None,
        seed=seed,
    )
    options = environment_options(
        workers=worker,
        guest_user=guest_user,
        key_file=key_file,
        agent=agent,
        thumbprints=thumbprint,
        password_stdin=password_stdin,
    )
    around = look_into(open_environment(environment, options)).around
    made = replace(make_plan(wanted, around, choice), guest_user=guest_user, environment=tuple(environment))
    require_runnable(made, known, jobs)
    _write(out, plan_text(made))
    if as_json:
        print_json(_costs(made))
        return
    for line in _summary(made):
        print_line(line)
    hint(f"Next: hyperscope test check {out}")


def check(
    path: PlanPath,
    key_file: KeyFile = None,
    agent: AgentKeys = True,
    thumbprint: Thumbprints = None,
    password_stdin: PasswordStdin = False,
    attached: Attached = False,
    as_json: AsJson = False,
) -> None:
    """Check everything that the plan needs, and say how to mend what blocks it. Nothing is changed."""
    from app.testing.asking import answering, tell  # noqa: PLC0415 - after the help
    from app.testing.environments import open_environment  # noqa: PLC0415
    from app.testing.looking import check_in  # noqa: PLC0415
    from resources.guided_tests import load_guided_tests  # noqa: PLC0415

    made, known = _read(path), load_guided_tests()
    options = _options_of(made, key_file, thumbprint, agent=agent, password_stdin=password_stdin)
    if attached:
        with answering(options) as asking:
            answer = check_in(open_environment(made.environment, asking), made, known)
        tell(answer)
        return
    found = check_in(open_environment(made.environment, options), made, known).checks
    if as_json:
        print_json({"checks": [one.to_json() for one in found], **_costs(made)})
    else:
        for line in _check_lines(found):
            print_line(line)
        for line in _summary(made):
            print_line(line)
    blocks = [one for one in found if one.state in ("block", "unknown")]
    if blocks:
        what = "1 check blocks" if len(blocks) == 1 else f"{len(blocks)} checks block"
        raise UsageError(f"{what} the start: {', '.join(one.id for one in blocks)}.")
    hint(f"Next: hyperscope test run {path} -o run.hscope")


def run(
    path: PlanPath,
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="S.hscope", help="The session: a new file.", show_default=False
        ),
    ],
    yes: Yes = False,
    confirm: Confirm = None,
    take_locks: Annotated[
        bool, typer.Option("--take-locks", help="Take over what a dead run still holds.")
    ] = False,
    key_file: KeyFile = None,
    agent: AgentKeys = True,
    thumbprint: Thumbprints = None,
    password_stdin: PasswordStdin = False,
    attached: AttachedRun = False,
    as_json: AsJson = False,
) -> None:
    """Run a plan to its verdict; Ctrl-C ends the load and puts everything back."""
    from app.testing.running import TestWords  # noqa: PLC0415 - after the help

    made = _read(path)
    if out.exists():
        raise AlreadyExistsError(f"{out} is there already.", advice="Name a new file for each run.")
    _require_consent(made, yes=yes or attached, typed=confirm or ())
    options = _options_of(made, key_file, thumbprint, agent=agent, password_stdin=password_stdin)
    words = TestWords(options, as_json=as_json, is_attached=attached, take_locks=take_locks)
    _run(made, out, words)


def resume(
    session: SessionPath,
    yes: Yes = False,
    confirm: Confirm = None,
    key_file: KeyFile = None,
    agent: AgentKeys = True,
    thumbprint: Thumbprints = None,
    password_stdin: PasswordStdin = False,
    attached: AttachedRun = False,
    as_json: AsJson = False,
) -> None:
    """Go on with a run that was interrupted: put back what it left, keep its rounds, measure the others."""
    from dataclasses import replace  # noqa: PLC0415 - after the help

    from app.testing.asking import ParentLines, asking_parent  # noqa: PLC0415
    from app.testing.left import saying_what_is_left  # noqa: PLC0415
    from app.testing.restoring import restore_session  # noqa: PLC0415
    from app.testing.running import Earlier, TestWords  # noqa: PLC0415
    from sessions.store import SessionReader  # noqa: PLC0415
    from wizards.flows.plan_file import parse_plan  # noqa: PLC0415
    from wizards.flows.run_details import read_rounds  # noqa: PLC0415

    with SessionReader.open(session) as reader:
        runs = reader.test_runs()
    if not runs:
        raise NotFoundError(f"There is no test run in {session}.", advice="Name the session of one.")
    last = runs[-1]
    if last.end is not None and all(one.state in ("done", "skipped") for one in last.phases):
        raise UsageError(f"Run {last.id} has ended; it can be repeated with 'hyperscope test run'.")
    made = parse_plan(last.plan, f"The plan of run {last.id}")
    _require_runnable(made)
    _require_consent(made, yes=yes or attached, typed=confirm or ())
    options = _options_of(made, key_file, thumbprint, agent=agent, password_stdin=password_stdin)
    parent = ParentLines() if attached and not password_stdin else None
    with saying_what_is_left(Path(session)):
        restore_session(Path(session), options if parent is None else asking_parent(options, parent))
    with SessionReader.open(session) as reader:
        entries = tuple(one for one in reader.journal() if one.run == last.id)
        resumed_at = _newest(reader)
    going_on = replace(options, resumed_at=resumed_at)
    words = TestWords(going_on, as_json=as_json, is_attached=attached, parent=parent)
    _run(made, session, words, Earlier(last.id, read_rounds(last.details), entries))


def _newest(reader: SessionReader) -> int | None:
    """Return the newest instant (ms) in a session: a lab goes on there, other clocks have gone on anyway."""
    span = reader.span()
    instants = [span.end] if span is not None else []
    instants += [at for run in reader.test_runs() for one in run.phases for at in (one.start, one.end) if at]
    return max(instants, default=None)


def _options_of(
    made: Plan, key_file: Path | None, thumbprints: Sequence[str] | None, *, agent: bool, password_stdin: bool
) -> EnvironmentOptions:
    """Return how the environment of a plan is opened: its workers, its guests' account."""
    from app.testing.environments import exactly  # noqa: PLC0415 - after the help

    return environment_options(
        workers=exactly([one.name for one in made.workers]),
        guest_user=made.guest_user,
        key_file=key_file,
        agent=agent,
        thumbprints=thumbprints,
        password_stdin=password_stdin,
    )


def _run(made: Plan, out: Path, words: TestWords, earlier: Earlier | None = None) -> None:
    from app.testing.left import saying_what_is_left  # noqa: PLC0415 - after the help
    from app.testing.running import run_test  # noqa: PLC0415
    from wizards.flows.plan_file import plan_text  # noqa: PLC0415
    from wizards.flows.result import result_json, result_lines, what_failed  # noqa: PLC0415

    with saying_what_is_left(out):
        collector, outcome = run_test(made, plan_text(made), out, words, earlier)
    result = collector.result
    if result is not None and not words.is_attached:
        if words.as_json:
            print_json(result_json(result, collector.measured, collector.workers, collector.changes))
        elif outcome.error is None or collector.changes:
            for line in result_lines(result, collector.changes):
                print_line(line)
    if any(one.is_open for one in collector.changes):
        raise SourceError(
            "Not everything could be put back.",
            meaning=what_failed(result),
            advice=f"Run: hyperscope restore {out}",
        )
    if outcome.error is not None:
        raise outcome.error
    if what_failed(result):
        raise UnfinishedTestError(
            what_failed(result),
            meaning=_put_back_words(collector.changes),
            advice=f"Go on with 'hyperscope test resume {out}', or run the plan again.",
        )


def _put_back_words(changes: Sequence[JournalEntry]) -> str:
    """Return what is put back of a run of which nothing is left to put back, and what it measured."""
    from wizards.flows.change_count import count_changes, left_words  # noqa: PLC0415 - after the help

    left = left_words(count_changes(changes))
    put_back = f"{left}, the others are put back" if left else "What it had changed is put back"
    return f"{put_back}; what it measured is kept."


def _require_consent(made: Plan, *, yes: bool, typed: Sequence[str]) -> None:
    """Ask before anything happens; disks that were given must be named by the end of their UUIDs."""
    from app.terminal import read_typed_line  # noqa: PLC0415 - after the help
    from connections.secrets import can_prompt  # noqa: PLC0415
    from resources.fio_jobs import load_fio_jobs  # noqa: PLC0415
    from wizards.flows.confirmation import disks_to_confirm, require_confirmed  # noqa: PLC0415

    disks = disks_to_confirm(made, load_fio_jobs())
    given = list(typed)
    if disks and not given and not yes and can_prompt():
        for one in disks:
            print_line(f"{one.path} of {one.worker}, UUID {one.uuid}, will be OVERWRITTEN.")
            hint("Type the last 8 characters of its UUID:")
            given.append((read_typed_line(lambda: False) or "").strip())
    require_confirmed(disks, given)
    if yes:
        return
    if not can_prompt():
        raise UsageError(
            "Nobody is at a terminal to be asked.", advice="Add --yes once 'hyperscope test check' is well."
        )
    for line in _summary(made):
        print_line(line)
    hint("Start the test? [y/N]")
    answer = (read_typed_line(lambda: False) or "").strip().lower()
    if answer not in ("y", "yes"):
        raise UsageError("The test was not started.")


def _read(path: Path) -> Plan:
    from wizards.flows.plan_file import read_plan  # noqa: PLC0415 - after the help

    made = read_plan(path)
    _require_runnable(made)
    return made


def _require_runnable(made: Plan) -> None:
    from resources.fio_jobs import load_fio_jobs  # noqa: PLC0415 - after the help
    from resources.guided_tests import load_guided_tests  # noqa: PLC0415
    from wizards.flows.plan_rules import require_runnable  # noqa: PLC0415

    require_runnable(made, load_guided_tests(), load_fio_jobs())


def _write(path: Path, text: str) -> None:
    from resources.files import replace_file, write_failures  # noqa: PLC0415 - after the help

    with write_failures(path):
        replace_file(path, text)


def _costs(made: Plan) -> dict[str, object]:
    from resources.fio_jobs import load_fio_jobs  # noqa: PLC0415 - after the help
    from resources.guided_tests import load_guided_tests  # noqa: PLC0415
    from wizards.flows.costs import cost_of  # noqa: PLC0415

    cost = cost_of(made, load_guided_tests(), load_fio_jobs())
    return {
        "test": made.test,
        "seconds": cost.seconds,
        "bytes": cost.bytes,
        "iops": cost.iops,
        "changes": cost.changes,
        "workers": [one.name for one in made.workers],
        "phases": [
            {"name": one.name, "title": one.title, "start_s": one.start_s, "seconds": one.seconds}
            for one in cost.steps
        ],
    }


def _summary(made: Plan) -> list[str]:
    from resources.fio_jobs import load_fio_jobs  # noqa: PLC0415 - after the help
    from resources.guided_tests import load_guided_tests  # noqa: PLC0415
    from resources.units import format_bytes, format_duration  # noqa: PLC0415
    from wizards.flows.costs import cost_of  # noqa: PLC0415

    cost = cost_of(made, load_guided_tests(), load_fio_jobs())
    phases = " ".join(one.label for one in cost.steps)
    is_lab = all(one.startswith("lab:") for one in made.environment)
    time = f"≈ {format_duration(cost.seconds)}{' of the lab’s time' if is_lab else ''}"
    return [
        (
            f"{time}, ≈ {format_bytes(cost.bytes)} written, "
            f"{cost.changes} changes, all undone; {len(made.workers)} workers."
        ),
        f"Phases: {phases}.",
    ]


def _check_lines(found: Sequence[CheckResult]) -> list[str]:
    signs = {"ok": "●", "note": "■", "warn": "◆", "block": "▲", "unknown": "▲"}
    lines = []
    for one in found:
        lines.append(f"{signs[one.state]} {one.id:4} {one.found}")
        if one.state in ("warn", "block", "unknown"):
            lines += [f"       Why: {one.why}", f"       Mend: {one.mend}"]
    return lines
