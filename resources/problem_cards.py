"""Loads the knowledge about problems: cards, sustained rules, consequences (resources/problems/*.toml)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from resources.check_measures import Measure
from resources.derived_counters import DerivedFile
from resources.failures import KnowledgeError
from resources.first_looks import FirstLooks
from resources.problem_changes import Changes
from resources.problem_consequences import Consequence
from resources.problem_ways import Way
from resources.storage_classes import StorageClasses
from resources.system_vms import NO_SYSTEM_VMS, SystemVms
from resources.threshold_sets import NO_LIMITS, OwnThresholds, StorageLimits
from resources.toml_files import checked, knowledge_error, knowledge_files, read_toml, shipped_once

Layer = Literal["configuration", "contention", "utilisation", "capacity", "data"]
Reduce = Literal[
    "max", "second", "min", "sum", "top3", "mean", "weighted", "count", "lower", "median", "upper", "members"
]

FOLDER = "problems"
_SUSTAINED = "_sustained.toml"
_CONSEQUENCES = "_consequences.toml"
_SOURCES = "_sources.toml"
_DERIVED = "_derived.toml"
_FIRST_LOOKS = "_first_looks.toml"
_CHANGES = "_changes.toml"
_SYSTEM_VMS = "_system_vms.toml"
_STORAGE = "_storage_classes.toml"
_T = TypeVar("_T")
_TAG = re.compile(r"[A-Za-z0-9]+")
_ID = re.compile(r"[a-z]+\.[a-z_]+")
_SCOPE = re.compile(
    r"(self|elsewhere|guest|users|hosts|memory_tier|store|(host\.)?"
    r"(vm|vcpu|world|vdisk|port|nic|device|datastore|adapter|path|host)|vsan)"
)


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that a rule compares with; ``source`` begins with a tag that docs/problems.md explains.

    ``of_class`` names the number of a class of storage that is used instead where the class has it.
    """

    value: Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]
    unit: str
    source: str
    of_class: str = ""


_TOLD_OF = ("", "users", "host", "all", "uncounted")
ACROSS_HOSTS = ("elsewhere", "guest", "users")
"""Scopes whose members are on other hosts, which have samples of their own times."""


class Signal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named quantity over time that a rule's expressions use.

    A signal is one of: measured, ``expr`` (default: the one counter) over ``counters`` of each member of the
    scope ``of``, reduced to one value at each sample; derived, ``expr`` over other signals; a ``fact``; the
    number of VMs that came to the host by events of the kinds ``arrived`` in the last ``within_s`` seconds;
    or how many seconds the longest event takes as a whole that is ``happening`` at that moment: 0 where none
    does, 1 for an event that is told without an end; it counts for ``after_s`` seconds after its end, too.
    With ``reduce`` "count" it is the number of such events that take ``within_s`` seconds or more. They
    happen to the entity, (``of`` "users") to a VM whose disks lie on it or in words that name its datastore,
    (``of`` "host") to its host, or to a datastore, in words that name the entity, ("uncounted") to storage of
    the host without samples, or ("all") to anything. ``says`` is a pattern of their text, in any capitals.

    ``of`` is the scope: ``self``; a kind of descendant (``vcpu``, ``vdisk``, ``port`` …); ``host``;
    ``host.<kind>`` for that kind on the same host; ``hosts`` of a cluster; ``store`` for the datastore that
    lies on a device; ``memory_tier`` for devices that a host uses as memory (no ``device`` here); ``vsan``
    for the parts (hosts, disk groups, disks, uplinks) that vSAN's performance service tells of a vSAN
    datastore, of a host (with ``others`` of the other hosts of its datastore), or of the host of such a part;
    ``elsewhere`` for the same entity in other sources; ``guest`` for what the VM's own guest counts, or those
    of a host's VMs; ``users`` for VMs, on any host that shares this entity, whose per-device counters name
    it. ``others`` leaves the entity itself out, and of a VM what is its own (its disks among those of its
    host). ``each_instance`` makes every instance a member (PCPUs of a host), ``where_instance`` those whose
    name matches the pattern. ``where_name`` keeps members whose name matches the pattern, ``same_prefix``
    those whose name starts with the same number of characters as the entity's, ``same_fact`` those with the
    same value of this fact (uplinks of one switch), ``other_fact`` those with another value (VMs of another
    pool), ``same_switch`` the uplinks of the switches that the entity's ports are on (all of them where that
    is not known and the host has only one switch; of a device or datastore those of its host's VMkernel
    ports, all where these are not known). A counter written ``fact:NAME`` is that fact of the member,
    ``host:NAME`` that counter of its host, ``user:NAME`` among ``users`` that of the VM as a whole.

    ``reduce``: largest, ``second`` largest, smallest, sum, sum of the ``top3``, mean, mean ``weighted`` by
    ``weight``, ``count`` of members with a value, ``lower`` and ``upper`` quartile, ``median`` (of an even
    number the upper one), number of all ``members`` (0 where there are none). ``whole``, for members on other
    hosts: unknown at samples for which one of these hosts has none, such as after its recording ended: a sum
    of the others would be too small.
    """

    counter: str = ""
    counters: dict[str, str] = msgspec.field(default_factory=dict)
    of: str = ""
    expr: str = ""
    reduce: Reduce = "max"
    weight: str = ""
    others: bool = False
    each_instance: bool = False
    where_instance: str = ""
    where_name: str = ""
    same_prefix: int = 0
    same_fact: str = ""
    other_fact: str = ""
    whole: bool = False
    same_switch: bool = False
    fact: str = ""
    arrived: list[str] = msgspec.field(default_factory=list)
    within_s: float = 0.0
    happening: list[str] = msgspec.field(default_factory=list)
    after_s: float = 0.0
    says: str = ""

    @property
    def depends_on_self(self) -> bool:
        """True if the members are chosen by properties of the judged entity other than its place."""
        return self.others or bool(self.same_prefix or self.same_fact or self.other_fact or self.same_switch)

    @property
    def measured(self) -> bool:
        """True if the signal is computed from series."""
        return bool(self.counter or self.counters)

    @property
    def derived(self) -> bool:
        """True if the signal is computed from other signals."""
        return not self.measured and not self.fact and not self.told

    @property
    def told(self) -> bool:
        """True if the signal is computed from events."""
        return bool(self.arrived or self.happening)


class EvidenceItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of evidence: ``statistic`` of ``signal`` over the finding's windows, compared with
    ``threshold``.

    ``counter`` is the one that is shown beside it; ``what`` names a number that is made of several, or of
    another kind than the counter: "used memory, of the host's".
    """

    signal: str
    statistic: str = "mean"
    threshold: str = ""
    counter: str = ""
    unit: str = ""
    what: str = ""


class Only(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which entities of its kind a rule is about: those whose ``fact``, where it is known, matches the
    pattern ``like`` as a whole. ``others`` says of all others why they are not judged. ``told``: where the
    fact is not known the entity is one of the others.
    """

    fact: str
    like: str
    others: str
    told: bool = False


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When an entity of one kind has the problem.

    ``condition`` and ``critical`` are true or false at each sample, and must hold as long as the
    ``sustained`` rule says. ``level`` marks a condition on a state: even a capture shorter than the sustained
    rule can show such a problem. ``severity`` "info": worth knowing, but harmless now. Only entities whose
    name matches the pattern ``where_name`` are judged (empty: all). ``unjudged`` says what the data lack
    where none of the entities can be judged, and which source has it. ``finds_only``: it can find the
    problem, but that it found nothing says nothing. ``where_class``: only entities of these classes of
    storage are judged (empty: all). ``bad_sample``: true at each sample that is bad by itself. A condition on
    means is true before the first of them and ends before the last: where this is given, the finding's
    windows begin and end with such samples. ``told_of`` "cluster": what is judged is a datastore, and the
    finding is told of its hosts' cluster.
    """

    entity: str
    sustained: str
    condition: str
    conclusion: str
    critical: str = ""
    measure: Measure | None = None
    where_name: str = ""
    level: bool = False
    signals: dict[str, Signal] = msgspec.field(default_factory=dict)
    evidence: list[EvidenceItem] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
    severity: Literal["info", "critical"] = "critical"
    unjudged: str = ""
    finds_only: bool = False
    only: Only | None = None
    where_class: list[str] = msgspec.field(default_factory=list)
    bad_sample: str = ""
    told_of: Literal["", "cluster"] = ""


class Presence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a whole source, or one of its entities, has too few samples to be judged.

    ``condition`` and the sentences may use ``samples``, ``expected``, ``coverage`` (0 to 1), ``seconds``,
    ``interval`` (s), ``left_s`` and ``came_s`` (seconds after the source's first sample at which an entity
    was gone for good, or there for the first time; −1 if it was not) and the card's thresholds. ``kinds`` are
    the kinds of entities (empty: the source itself).
    """

    condition: str
    conclusion: str
    kinds: list[str] = msgspec.field(default_factory=list)


class Stated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a fact of the inventory decides a cause: ``test`` is evaluated if ``known`` exists.

    The sentence is ``because`` if the test is true, ``otherwise`` if it is false.
    """

    known: str
    test: str
    because: str
    otherwise: str


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A possible cause of a problem, and how to tell whether it is the one.

    A ``stated`` fact of the inventory decides first, if there is one. Otherwise the verdict is that of the
    first true expression among ``likely`` and ``possible``; if both are false, the cause is ruled out.
    ``needs`` is a kind of source without which the verdict is unknown.

    ``because`` (``otherwise`` if ruled out) is the sentence's template; what stands in [square brackets] is
    left out where a number in it is not known. ``unknown`` says which counter or
    fact is missing for a verdict and how to get it. ``entities``: the cause applies only to rules of these
    kinds. ``after`` are causes of the card that would explain the same numbers better: while one of them is
    unknown, this one is possible at most.
    """

    id: str
    title: str
    because: str
    otherwise: str
    unknown: str
    remedies: list[str]
    likely: str = ""
    possible: str = ""
    because_possible: str = ""
    entities: list[str] = msgspec.field(default_factory=list)
    stated: Stated | None = None
    needs: Literal["", "esxtop"] = ""
    after: list[str] = msgspec.field(default_factory=list)


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The full description of one problem.

    ``values`` are named expressions over a finding's windows, used in causes and sentences; each may use the
    ones before it.
    """

    id: str
    title: str
    layer: Layer
    question: str
    meaning: str
    sources: str
    traps: list[str]
    causes: list[Cause]
    values: dict[str, str] = msgspec.field(default_factory=dict)
    thresholds: dict[str, Threshold] = msgspec.field(default_factory=dict)
    signals: dict[str, Signal] = msgspec.field(default_factory=dict)
    rules: list[Rule] = msgspec.field(default_factory=list)
    presence: list[Presence] = msgspec.field(default_factory=list)
    way: Way | None = None

    def causes_for(self, rule: Rule) -> list[Cause]:
        """Return the causes that apply to the kind of entity that ``rule`` judges."""
        return [cause for cause in self.causes if not cause.entities or rule.entity in cause.entities]

    def signals_for(self, rule: Rule) -> dict[str, Signal]:
        """Return the card's signals, including those that ``rule`` replaces or adds."""
        return {**self.signals, **rule.signals}


class Hold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """True for ``hold_s`` seconds within any ``of_s`` seconds; or in ``count`` samples within any ``of_s``
    seconds.
    """

    of_s: float
    hold_s: float = 0.0
    count: int = 0


class Returning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern that comes back: at least ``times`` bursts, each with ``part`` (0 to 1) of the time that
    the rule asks for, whose beginnings are evenly spaced: none further off the median distance than
    ``spread`` of it. Of bursts that are one sample each there must be ``lone_times``. Bursts that come back
    before a problem would have ended must last as long together as the rule asks for.
    """

    times: int
    part: float
    spread: float
    lone_times: int


class Sustained(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a condition must hold to be a problem, in seconds, independent of the sampling interval.

    A problem ends after ``clear_s`` seconds without the condition. ``coverage`` is the part (0 to 1) of the
    time looked at for which the condition must be known. ``returning`` finds bursts that are each too short;
    with ``only_bursts`` nothing but bursts that come back is found, however long each is.
    """

    warning: Hold
    critical: Hold
    clear_s: float
    coverage: float
    source: str
    returning: Returning | None = None
    only_bursts: bool = False


class Problems(msgspec.Struct, frozen=True):
    """All problem knowledge: ``cards`` in the order in which they are checked; ``sources`` by tag.

    ``derived`` computes counters that some sources lack; ``changes`` are the events that may explain a
    problem; ``system_vms`` are the VMs that are not judged; ``looks`` is what to do where no cause is
    supported; ``storage`` is what classes of storage are judged by.
    """

    cards: tuple[Card, ...]
    sustained: dict[str, Sustained]
    consequences: tuple[Consequence, ...]
    sources: dict[str, str]
    derived: DerivedFile = DerivedFile()
    changes: Changes = Changes()
    system_vms: SystemVms = NO_SYSTEM_VMS
    looks: FirstLooks = FirstLooks()
    storage: StorageLimits = NO_LIMITS

    def judged_by(self, own: OwnThresholds, trouble: str = "") -> Problems:
        """Return the same knowledge with an admin's own sets; ``trouble`` says why they are not used."""
        return msgspec.structs.replace(self, storage=StorageLimits(self.storage.classes, own, trouble))

    def card(self, problem: str) -> Card:
        """Return the card with this id; KeyError if there is none."""
        return {card.id: card for card in self.cards}[problem]


class _SustainedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: dict[str, Sustained]


class _SourceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sources: dict[str, str]


class _ConsequenceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pairs: list[Consequence]


@shipped_once
def load_problems(extra_dirs: Sequence[Path] = ()) -> Problems:
    """Load the cards that ship with Hyperscope, then ``problems/*.toml`` of each of ``extra_dirs``.

    A file in a later folder replaces the one with the same name. Raises KnowledgeError naming file and entry.
    """
    files = {path.name: path for place in knowledge_files(FOLDER, extra_dirs) for path in place}
    sustained = _decoded(files.pop(_SUSTAINED), _SustainedFile).rules
    consequences = tuple(_decoded(files.pop(_CONSEQUENCES), _ConsequenceFile).pairs)
    sources = _decoded(files.pop(_SOURCES), _SourceFile).sources
    derived = _decoded(files.pop(_DERIVED), DerivedFile)
    looks = _decoded(files.pop(_FIRST_LOOKS), FirstLooks)
    changes = _decoded(files.pop(_CHANGES), Changes)
    system_vms = _decoded(files.pop(_SYSTEM_VMS), SystemVms)
    storage = StorageLimits(_classes(files.pop(_STORAGE), sources))
    cards = []
    for name, path in sorted(files.items()):
        card = _decoded(path, Card)
        _check(card, path, sustained)
        _check_sources(card, path, sources)
        _check_classes(card, path, storage.classes)
        if name != f"{card.id}.toml":
            raise knowledge_error(path, "id", f"the file must be named {card.id}.toml")
        cards.append(card)
    problems = Problems(
        tuple(cards), sustained, consequences, sources, derived, changes, system_vms, looks, storage
    )
    _check_consequences(problems)
    return problems


def _decoded(path: Path, kind: type[_T]) -> _T:
    return checked(read_toml(path), kind, path)


def _check(card: Card, path: Path, sustained: dict[str, Sustained]) -> None:
    def refuse(where: str, what: str) -> KnowledgeError:
        return knowledge_error(path, where, what)

    if not _ID.fullmatch(card.id):
        raise refuse("id", f"{card.id!r} is not of the form area.problem")
    for rule in card.rules:
        if rule.sustained not in sustained:
            raise refuse(f"rule for {rule.entity}", f"there is no sustained rule {rule.sustained!r}")
        for name, signal in card.signals_for(rule).items():
            _check_signal(signal, f"signal {name}", refuse)
        if rule.measure and rule.measure.limit not in card.thresholds:
            raise refuse(f"rule for {rule.entity}", f"there is no threshold {rule.measure.limit!r}")
        for item in rule.evidence:
            if item.threshold and item.threshold not in card.thresholds:
                raise refuse(f"evidence {item.signal}", f"there is no threshold {item.threshold!r}")
    if card.way:
        card.way.check(card.signals, card.thresholds, [one.id for one in card.causes], refuse)
    _check_causes(card, refuse)


def _check_causes(card: Card, refuse: Callable[[str, str], KnowledgeError]) -> None:
    ids = [cause.id for cause in card.causes]
    if len(set(ids)) != len(ids):
        raise refuse("causes", "an id is there twice")
    for cause in card.causes:
        if missing := set(cause.after) - set(ids):
            raise refuse(f"cause {cause.id}", f"it is after {min(missing)!r}, which is no cause of this card")


def _check_sources(card: Card, path: Path, sources: dict[str, str]) -> None:
    """Check that every number cites a source, with a tag that is explained in ``_sources.toml``."""
    cited = [("sources", tag.strip()) for tag in card.sources.split(";")]
    cited += [(f"threshold {name}", threshold.source) for name, threshold in card.thresholds.items()]
    for where, text in cited:
        _check_tag(text, where, path, sources)


def _check_tag(text: str, where: str, path: Path, sources: dict[str, str]) -> None:
    tag = _TAG.match(text)
    if not tag or tag[0] not in sources:
        raise knowledge_error(path, where, f"{text!r} does not begin with a source of {_SOURCES}")


def _classes(path: Path, sources: dict[str, str]) -> StorageClasses:
    classes = _decoded(path, StorageClasses)
    for entry, wrong in classes.faults():
        raise knowledge_error(path, entry, wrong)
    for where, text in classes.cited():
        _check_tag(text, where, path, sources)
    return classes


def _check_classes(card: Card, path: Path, classes: StorageClasses) -> None:
    for name, one in card.thresholds.items():
        if one.of_class and not classes.has(one.of_class, one.unit):
            raise knowledge_error(path, f"threshold {name}", f"no class has {one.of_class!r} in its unit")
    for rule in card.rules:
        if unknown := set(rule.where_class) - {one.id for one in classes.classes}:
            raise knowledge_error(path, f"rule for {rule.entity}", f"there is no class {min(unknown)!r}")


def _check_signal(signal: Signal, where: str, refuse: Callable[[str, str], KnowledgeError]) -> None:
    if signal.derived:
        if not signal.expr or signal.of:
            raise refuse(where, "needs a counter, or an expression over other signals and no scope")
        return
    if signal.arrived and (signal.measured or signal.fact or signal.expr or signal.within_s <= 0):
        raise refuse(where, "counts arrivals within some seconds, and nothing else")
    if signal.happening:
        if signal.measured or signal.fact or signal.expr or signal.arrived or signal.of not in _TOLD_OF:
            raise refuse(where, "is about events of the entity, its users or its host, and nothing else")
        return
    if not _SCOPE.fullmatch(signal.of or "self"):
        raise refuse(where, f"{signal.of!r} is not a scope")
    if signal.counters and not signal.expr:
        raise refuse(where, "several counters need an expression")
    if signal.whole and signal.of not in ACROSS_HOSTS:
        raise refuse(where, "only members on other hosts can lack a host's samples")
    if signal.reduce == "weighted" and not signal.weight:
        raise refuse(where, "a weighted mean needs a weight")


def _check_consequences(problems: Problems) -> None:
    known = {card.id: {cause.id for cause in card.causes} for card in problems.cards}
    for pair in problems.consequences:
        for problem, causes in (
            (pair.upstream, pair.upstream_causes),
            (pair.downstream, [*pair.causes, *pair.unless]),
        ):
            if problem not in known:
                raise KnowledgeError(f"{_CONSEQUENCES}: there is no problem {problem!r}.")
            if missing := set(causes) - known[problem]:
                raise KnowledgeError(f"{_CONSEQUENCES}: {problem} has no cause {min(missing)!r}.")
