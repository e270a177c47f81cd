"""The guided tests as data (resources/tests/*.toml): what each asks, does, checks and risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from resources.failures import KnowledgeError, NotFoundError
from resources.foreign_text import shown
from resources.toml_files import checked, knowledge_error, knowledge_files, read_toml, shipped_once

_FOLDER = "tests"
_FACTS = "facts.toml"
_CHECKS = "checks.toml"
_SETTINGS = "settings.toml"
_ESTIMATES = "estimates.toml"
_ANALYSES = "analyses.toml"

Badge = Literal["D0", "D1", "D2", "D3"]
"""Safety classes: D0 reads only, D1 changes settings and undoes them, D2 puts load on, D3 overwrites
disks."""

Length = Literal["quick", "full", "lab"]

_ENVIRONMENTS = {"vcenter": "a vCenter", "ssh": "guests over ssh", "lab": "the lab"}

InputKind = Literal[
    "percent", "count", "seconds", "bytes", "ms", "flag", "choice", "counts", "bytes list", "texts"
]
"""``counts`` and ``bytes list`` are lists of numbers that a sweep goes through; ``texts`` a list of texts."""

InputValue = bool | int | float | str | tuple[int | str, ...]

Role = Literal["", "critical", "competing", "heavy", "light"]

Target = Literal["datastore", "datastore b", "cluster", "workers", "critical", "competing", "heavy", "light"]
"""What a change is made to: an object that was chosen, or each worker's VM (of a role)."""

StepKind = Literal["fill", "measure", "wait", "ask"]
"""``fill`` ends when all is written; ``wait`` until something has settled; ``ask`` when a person has done
it."""

Waits = Literal["", "seconds", "drs settled", "destaged"]
Order = Literal["as listed", "there and back", "shuffled", "case by case"]
"""How repetitions follow one another: A B C A B C, A B C C B A, shuffled with the first again at the end, or
all steps of one value (``hand 1``, ``drs 1``) before those of the next."""

Severity = Literal["block", "warn"]
PositiveInt = Annotated[int, msgspec.Meta(ge=1)]


class LengthOfTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a test takes in one of its lengths: repetitions, and seconds of each phase.

    ``steady_s`` is how much longer the warm-up may take until the load is steady; ``settle_s`` the pause
    after each phase.
    """

    rounds: PositiveInt
    warm_up_s: Annotated[int, msgspec.Meta(ge=0)]
    measure_s: PositiveInt
    steady_s: Annotated[int, msgspec.Meta(ge=0)] = 0
    settle_s: Annotated[int, msgspec.Meta(ge=0)] = 0
    disk_gb: PositiveInt = 40
    """The size of a disk that the run makes, if nobody asks for another (GB)."""
    inputs: Mapping[str, InputValue] = {}
    """Defaults of inputs that differ in this length."""


class TestInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a test asks for, with its default; numbers lie between ``least`` and ``most``.

    Texts are those of ``choices``, and those that match the regular expression ``pattern`` if there is one.
    """

    __test__ = False  # pytest: this is none of its tests

    name: str
    title: str
    kind: InputKind
    default: InputValue
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    pattern: str = ""
    help: str = ""
    source: str = ""


class StepChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A setting during a step. ``value`` may be ``{input}``; without a value the setting is not set.

    The value of ``host`` is computed: the host of each worker, from the placement that the step is repeated
    for. ``only_in`` names the environments where it is made, all if empty.
    """

    of: Target
    setting: str
    value: bool | int | float | str | None = None
    only_in: tuple[str, ...] = ()


class StepWork(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The job of some workers in a step; ``inputs`` are numbers, or ``{input}``.

    ``roles`` are those who do it, all if empty. ``on_s`` and ``off_s`` let them pause in turn (seconds).
    """

    job: str
    roles: tuple[Role, ...] = ()
    inputs: Mapping[str, int | str] = {}
    disk: Literal["", "a", "b"] = ""
    """The first or the second disk only, all if empty."""
    on_s: int | str = 0
    off_s: int | str = 0


class TestStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phase of a test, as a template.

    ``step`` is its word in the result, ``label`` the short one on the phase bar. ``each`` repeats it for each
    value of an input (``{value}`` in texts and inputs), or for each ``worker`` alone, or for the first
    one, two, three … workers (``worker count``). ``in_rounds`` says that it is repeated in each round.
    ``longer`` is a factor on its length. ``facts`` are read at its end. ``only_if`` names a flag that must
    be on (``fill``) or off (``!fill``), or the value that an input must have (``sweep=depth``).
    """

    __test__ = False  # pytest: this is none of its tests

    step: str
    title: str
    label: str = ""
    kind: StepKind = "measure"
    each: str = ""
    in_rounds: bool = True
    longer: float = 1.0
    wait: Waits = ""
    ask: str = ""
    changes: tuple[StepChange, ...] = ()
    work: tuple[StepWork, ...] = ()
    facts: tuple[str, ...] = ()
    only_if: str = ""
    only_in: tuple[str, ...] = ()
    seconds: float = 0.0
    """How long a fill by time takes."""

    def is_wanted(self, inputs: Mapping[str, InputValue]) -> bool:
        """Return True if ``only_if`` holds with these inputs."""
        if self.only_if.startswith("!"):
            return not inputs[self.only_if[1:]]
        name, _, value = self.only_if.partition("=")
        return not name or (inputs[name] == value if value else bool(inputs[name]))


class GuardsOfTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ends a run: bystanders' latency (ms) for a time, free space below a limit, workers that are lost.

    Zero switches a guard off. ``hosts_least`` is how many hosts with a worker must remain.
    """

    bystander_ms: float = 30.0
    bystander_s: float = 30.0
    free_percent: float = 10.0
    workers_least: int = 1
    hosts_least: int = 1


class GuidedTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A guided test: the card of the gallery, its inputs and lengths, its steps, checks and guards."""

    id: str
    title: str
    question: str
    group: str
    badges: tuple[Badge, ...]
    risk: str
    source: str
    environments: tuple[Literal["vcenter", "ssh", "lab"], ...]
    lengths: Mapping[Length, LengthOfTest]
    step: tuple[TestStep, ...]
    rank: int = 100
    """Its place in the gallery; groups come in the order of their first test."""
    expected: str = ""
    order: Order = "as listed"
    objects: tuple[Literal["datastore", "datastore b", "cluster"], ...] = ()
    datastore_types: tuple[str, ...] = ()
    """What kinds of datastores it is about, any if empty."""
    roles: tuple[Role, ...] = ()
    workers_least: int = 1
    problems: tuple[str, ...] = ()
    """The problems (ids of cards) whose finding offers this test."""
    workers_usual: int = 0
    """How many workers are chosen if nobody says which; 0 for all."""
    hosts_least: int = 1
    one_host: bool = False
    """True if all workers must be on one host."""
    checks: tuple[str, ...] = ()
    observes: tuple[str, ...] = ()
    guards: GuardsOfTest = GuardsOfTest()
    input: tuple[TestInput, ...] = ()

    @property
    def inputs(self) -> Mapping[str, TestInput]:
        """The inputs by name."""
        return {one.name: one for one in self.input}

    @property
    def environments_text(self) -> str:
        """What it can be run in: ``a vCenter or the lab``."""
        return " or ".join(_ENVIRONMENTS[one] for one in self.environments)


class Analysis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A test that only reads what was recorded (D0): the card of the gallery. It has no plan and no run.

    ``leads_to`` is the test that measures what it estimates, ``rank`` its place in the gallery.
    """

    id: str
    title: str
    question: str
    rank: int
    group: str
    cost: str
    risk: str
    leads_to: str
    source: str


class FactDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact of an object of an environment: name, unit, what it says, of which kinds of object, where
    from."""

    name: str
    unit: str
    what: str
    of: tuple[str, ...]
    source: str


class CheckDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A check before a test: its id (``C3``), title, whether it blocks or warns, why it matters, how to
    mend it.

    ``limit`` is the number that it compares with, in ``unit``.
    """

    id: str
    title: str
    severity: Severity
    why: str
    mend: str
    source: str
    limit: float | None = None
    unit: str = ""


class SettingDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A setting that a plan may change: what it takes, and of which kind of object it is.

    ``none`` is the number that stands for no limit; ``per_disk`` says that its name goes on with ``:<disk>``.
    """

    name: str
    title: str
    kind: Literal["flag", "number", "choice", "text"]
    of: str
    source: str
    unit: str = ""
    least: float | None = None
    most: float | None = None
    none: float | None = None
    choices: tuple[str, ...] = ()
    may_be_unset: bool = False
    per_disk: bool = False


class Estimates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is assumed before anything was measured: MB a second of a disk that is filled, mean latency, the
    most I/Os a second of a worker, seconds of a change.
    """

    fill_mb_s: float
    latency_ms: float
    most_iops: float
    change_s: float
    source: str


class _SettingFile(msgspec.Struct, forbid_unknown_fields=True):
    setting: list[SettingDescription]


class _AnalysisFile(msgspec.Struct, forbid_unknown_fields=True):
    analysis: list[Analysis]


class _EstimatesFile(msgspec.Struct, forbid_unknown_fields=True):
    estimates: Estimates


class _FactFile(msgspec.Struct, forbid_unknown_fields=True):
    fact: list[FactDescription]


class _CheckFile(msgspec.Struct, forbid_unknown_fields=True):
    check: list[CheckDescription]


class GuidedTests(msgspec.Struct, frozen=True):
    """All tests by id in the order of the gallery, with the checks, facts, settings and estimates that they
    share; beside them the analyses, which only read.
    """

    tests: Mapping[str, GuidedTest]
    checks: Mapping[str, CheckDescription]
    facts: Mapping[str, FactDescription]
    settings: Mapping[str, SettingDescription]
    estimates: Estimates
    analyses: Mapping[str, Analysis]

    @property
    def cards(self) -> tuple[GuidedTest | Analysis, ...]:
        """All tests and analyses in the order of the gallery."""
        every: list[GuidedTest | Analysis] = [*self.tests.values(), *self.analyses.values()]
        return tuple(sorted(every, key=lambda one: one.rank))

    def require(self, name: str) -> GuidedTest:
        """Return a test. Raises NotFoundError, also for an analysis, which has no plan."""
        found = self.tests.get(name)
        if name in self.analyses:
            raise NotFoundError(
                f"{self.analyses[name].title} has no plan: it only reads.",
                advice="Run: hyperscope test gain S.hscope",
            )
        if found is None:
            raise NotFoundError(
                f"There is no test {shown(name)}.", advice="'hyperscope test list' shows them."
            )
        return found


@shipped_once
def load_guided_tests(extra_dirs: Sequence[Path] = ()) -> GuidedTests:
    """Load the tests that ship with Hyperscope, then ``tests/*.toml`` of each of ``extra_dirs``.

    A file in a later folder replaces the one with the same name. Raises KnowledgeError naming file and entry.
    """
    files = {path.name: path for place in knowledge_files(_FOLDER, extra_dirs) for path in place}
    facts, checks, settings = files.pop(_FACTS), files.pop(_CHECKS), files.pop(_SETTINGS)
    estimates, read_only = files.pop(_ESTIMATES), files.pop(_ANALYSES)
    known_facts = {one.name: one for one in checked(read_toml(facts), _FactFile, facts).fact}
    known_checks = {one.id: one for one in checked(read_toml(checks), _CheckFile, checks).check}
    found: list[GuidedTest] = []
    for _, path in sorted(files.items()):
        test = checked(read_toml(path), GuidedTest, path)
        _require_consistent(test, known_checks, path)
        found.append(test)
    tests = {one.id: one for one in sorted(found, key=lambda one: one.rank)}
    analyses = {one.id: one for one in checked(read_toml(read_only), _AnalysisFile, read_only).analysis}
    for one in analyses.values():
        if one.leads_to not in tests:
            raise knowledge_error(read_only, one.id, f"there is no test {one.leads_to}")
    setting_file = checked(read_toml(settings), _SettingFile, settings)
    known_settings = {one.name: one for one in setting_file.setting}
    assumed = checked(read_toml(estimates), _EstimatesFile, estimates).estimates
    return GuidedTests(tests, known_checks, known_facts, known_settings, assumed, analyses)


def _require_consistent(test: GuidedTest, checks: Mapping[str, CheckDescription], path: Path) -> None:
    def refuse(problem: str) -> KnowledgeError:
        return knowledge_error(path, test.id, problem)

    if path.stem != test.id:
        raise refuse("the file must be called like the test")
    if missing := {"quick", "full", "lab"} - set(test.lengths):
        raise refuse(f"it has no length {min(missing)}")
    if unknown := set(test.checks) - set(checks):
        raise refuse(f"there is no check {min(unknown)}")
    inputs = test.inputs
    for length in test.lengths.values():
        if unknown := set(length.inputs) - set(inputs):
            raise refuse(f"a length sets {min(unknown)}, which is no input")
    for step in test.step:
        if step.each not in ("", "worker", "worker count", *inputs):
            raise refuse(f"{step.step}: {step.each} is no input")
        if step.only_if and step.only_if.lstrip("!").partition("=")[0] not in inputs:
            raise refuse(f"{step.step}: {step.only_if} is no input")
