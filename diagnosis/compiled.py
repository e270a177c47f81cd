"""Problem cards prepared for running: every expression is parsed and checked once, every template split."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from diagnosis.language import STATISTICS, ExpressionError, Node, Shape, forget_texts, parse, settled
from diagnosis.support import has_support
from resources.failures import KnowledgeError
from resources.problem_cards import Card, Cause, EvidenceItem, Problems, Rule, Signal, Sustained

_PLACE = re.compile(r"\{([^{}]+)\}")
_CALL = re.compile(r"(who|top|event|word)\(\s*([a-z_0-9]+)\s*(?:,\s*([a-z_0-9]+)\s*)?\)")
_TEXTS = ("entity", "host", "pool", "store", "vcenter", "esxtop")
NO_THRESHOLDS: Mapping[str, float] = {}
FACT = "fact:"
"""How a member's counter says that it is a fact of the member."""
OF_HOST = "host:"
"""How a member's counter says that it is one of the member's host."""
OF_USER = "user:"
"""How a counter of ``users`` says that it is one of the VM as a whole, not of its use of the device."""


def bare_key(key: str) -> str:
    """Return the catalogue's key of a signal's counter, without the words that say whose it is."""
    return key.removeprefix(OF_HOST).removeprefix(OF_USER)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder in a template: a text (``entity``, ``host``, ``pool``), members of a
    signal, what the events of a signal say, the words of a fact, or a number. With ``part``, only members
    with at least that part of the first one's number are named.
    """

    kind: str  # "text", "who", "top", "event", "word" or "number"
    name: str = ""
    node: Node | None = None
    unit: str = ""
    part: float = 0.0


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with placeholders; ``literals`` has one item more than ``placeholders``."""

    literals: tuple[str, ...]
    placeholders: tuple[Placeholder, ...]

    def names(self) -> set[str]:
        """Return the signals that its placeholders use."""
        named = {one.name for one in self.placeholders if one.name and one.kind != "text"}
        return named.union(
            *(placeholder.node.names() for placeholder in self.placeholders if placeholder.node)
        )


@dataclass(frozen=True, slots=True)
class CompiledSignal:
    """A signal with its parsed expression; ``needs`` are the signals and thresholds that a
    derived signal uses. ``counters``: local name → counter key; empty for derived signals and facts.
    ``limits`` are the thresholds that the expressions of a measured signal use.
    """

    signal: Signal
    node: Node | None
    weight: Node | None = None
    needs: frozenset[str] = frozenset()
    limits: frozenset[str] = frozenset()
    counters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompiledStated:
    """A cause that follows from a fact of the inventory alone, with its sentences."""

    known: Node
    test: Node
    because: Template
    otherwise: Template


@dataclass(frozen=True, slots=True)
class CompiledCause:
    """A cause with its parsed tests and sentences."""

    cause: Cause
    likely: Node | None
    possible: Node | None
    because: Template
    because_possible: Template
    otherwise: Template
    unknown: Template
    remedies: tuple[Template, ...]
    stated: CompiledStated | None = None

    def nodes(self) -> Iterable[Node]:
        """The parsed tests of the cause."""
        stated = (self.stated.known, self.stated.test) if self.stated else ()
        return [test for test in (self.likely, self.possible, *stated) if test]

    def texts(self) -> Iterable[Template]:
        """The sentences of the cause."""
        stated = (self.stated.because, self.stated.otherwise) if self.stated else ()
        return (self.because, self.because_possible, self.otherwise, self.unknown, *stated, *self.remedies)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRule:
    """One rule of one card, with everything that is needed to run it."""

    card: Card
    rule: Rule
    sustained: Sustained
    signals: Mapping[str, CompiledSignal]
    thresholds: Mapping[str, float]
    classed: Mapping[str, str]  # threshold → the number of a class of storage that replaces it
    condition: Node
    critical: Node | None
    bad_sample: Node | None
    measure: Node | None
    conclusion: Template
    notes: tuple[Template, ...]
    evidence: tuple[tuple[EvidenceItem, Node], ...]
    causes: tuple[CompiledCause, ...]
    values: Mapping[str, Node]
    order: tuple[str, ...] = field(default=())  # signals, each after those that it is made of

    def closure(self, names: Iterable[str]) -> list[str]:
        """Return the named signals and all signals that they depend on, in an order in which they
        can be computed.
        """
        wanted = _closure(self.signals, names)
        return [name for name in self.order if name in wanted]

    def detecting(self) -> list[str]:
        """Return the signals that decide whether an entity has the problem."""
        return _detecting(self)

    def explaining(self) -> list[str]:
        """Return the signals that causes, evidence and sentences use."""
        return _explaining(self)

    def expressions(self) -> Iterator[Node]:
        """Return the expressions over a finding's windows: of values, evidence, causes and sentences."""
        yield from self.values.values()
        yield from (node for _, node in self.evidence)
        yield from (node for cause in self.causes for node in cause.nodes())
        texts = (self.conclusion, *self.notes, *(text for cause in self.causes for text in cause.texts()))
        yield from (one.node for text in texts for one in text.placeholders if one.node)

    def measuring(self) -> list[str]:
        """Return the signals that the number of the check is made of."""
        return _measuring(self)

    def needed(self) -> frozenset[str]:
        """Return the counters that decide whether an entity has the problem."""
        return _needed(self)

    def counters(self) -> set[str]:
        """Return every counter that the rule may read."""
        return {bare_key(key) for signal in self.signals.values() for key in signal.counters.values()}


def _closure(signals: Mapping[str, CompiledSignal], names: Iterable[str]) -> set[str]:
    """The named signals and all signals that they depend on."""
    wanted: set[str] = set()
    pending = [name for name in names if name in signals]
    while pending:
        name = pending.pop()
        if name not in wanted:
            wanted.add(name)
            pending.extend(need for need in signals[name].needs if need in signals)
    return wanted


@lru_cache(maxsize=512)
def _detecting(rule: CompiledRule) -> list[str]:
    nodes = [node for node in (rule.condition, rule.critical, rule.bad_sample) if node]
    return rule.closure(name for node in nodes for name in node.names())


@lru_cache(maxsize=512)
def _measuring(rule: CompiledRule) -> list[str]:
    return rule.closure(rule.measure.names() if rule.measure else ())


@lru_cache(maxsize=512)
def _needed(rule: CompiledRule) -> frozenset[str]:
    keys = {key for name in rule.detecting() for key in rule.signals[name].counters.values()}
    return frozenset(bare_key(key) for key in keys if not key.startswith(FACT))


@lru_cache(maxsize=512)
def _explaining(rule: CompiledRule) -> list[str]:
    names = {name for node in rule.values.values() for name in node.names()}
    for cause in rule.causes:
        for node in cause.nodes():
            names.update(node.names())
        for text in cause.texts():
            names |= text.names()
    for text in (rule.conclusion, *rule.notes):
        names |= text.names()
    for _, node in rule.evidence:
        names.update(node.names())
    return rule.closure(names)


def compile_problems(problems: Problems) -> list[CompiledRule]:
    """Compile all rules of all cards. Raises KnowledgeError that names the card and what is wrong in it."""
    return list(_compiled(_Same(problems)))


class _Same:
    """Problems as a key: equal only to themselves, so that compiling them once is enough."""

    __slots__ = ("problems",)

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.problems is self.problems

    def __hash__(self) -> int:
        return id(self.problems)


@lru_cache(maxsize=2)
def _compiled(which: _Same) -> tuple[CompiledRule, ...]:
    problems = which.problems
    rules = ((card, rule) for card in problems.cards for rule in card.rules)
    known: dict[tuple[str, int], CompiledSignal] = {}
    compiled = tuple(compile_rule(card, rule, problems.sustained, known) for card, rule in rules)
    forget_texts()
    return compiled


def compile_rule(
    card: Card,
    rule: Rule,
    sustained: Mapping[str, Sustained],
    known: dict[tuple[str, int], CompiledSignal] | None = None,
) -> CompiledRule:
    """Compile one rule of a card. ``known`` are the measured signals that other rules of cards share, by card
    and identity. Raises KnowledgeError.
    """
    return _Compiler(card, rule, {} if known is None else known).compile(sustained[rule.sustained])


class _Compiler:
    def __init__(self, card: Card, rule: Rule, known: dict[tuple[str, int], CompiledSignal]) -> None:
        self._card, self._rule, self._known = card, rule, known
        self._signals = card.signals_for(rule)
        self._thresholds = {name: threshold.value for name, threshold in card.thresholds.items()}
        self._names: dict[str, Shape] = dict.fromkeys(self._thresholds, Shape.CONSTANT)
        for name in self._signals:
            if name in self._thresholds:
                raise self._refuse(name, ExpressionError("is both a signal and a threshold"))
            self._names[name] = Shape.SERIES
        self._settings = frozenset(name for name, signal in self._signals.items() if signal.fact)
        """Facts: what they were at each sample, and in what is told of a finding, for most of its windows."""
        self._tests: set[str] = set()
        self._values: dict[str, Node] = {}

    def compile(self, sustained: Sustained) -> CompiledRule:
        signals = {name: self._signal(name, signal) for name, signal in self._signals.items()}
        rule = self._rule
        condition = self._test("condition", rule.condition, Shape.SERIES)
        critical = self._test("critical", rule.critical, Shape.SERIES) if rule.critical else None
        values = {name: self._value(name, text) for name, text in self._card.values.items()}
        return CompiledRule(
            card=self._card,
            rule=rule,
            sustained=sustained,
            signals=signals,
            thresholds=self._thresholds,
            classed={name: one.of_class for name, one in self._card.thresholds.items() if one.of_class},
            condition=condition,
            critical=critical,
            bad_sample=self._test("bad_sample", rule.bad_sample, Shape.SERIES) if rule.bad_sample else None,
            measure=self._measure(signals, condition, critical),
            values=values,
            conclusion=self._template("conclusion", rule.conclusion),
            notes=tuple(self._template("notes", note) for note in rule.notes),
            evidence=tuple((item, self._evidence(item)) for item in rule.evidence),
            causes=tuple(self._cause(cause) for cause in self._card.causes_for(rule)),
            order=self._order(signals),
        )

    def _refuse(self, where: str, error: ExpressionError) -> KnowledgeError:
        return KnowledgeError(f"{self._card.id}.toml: rule for {self._rule.entity}: {where}: {error}.")

    def _parse(self, where: str, text: str, names: Mapping[str, Shape] | None = None) -> Node:
        try:
            return parse(text, self._names, self._tests) if names is None else parse(text, names)
        except ExpressionError as error:
            raise self._refuse(where, error) from error

    def _over_windows(self, where: str, text: str) -> Node:
        """An expression that has one value for a finding."""
        return settled(self._parse(where, text), self._settings)

    def _test(self, where: str, text: str, widest: Shape) -> Node:
        node = self._over_windows(where, text) if widest is Shape.ENTITY else self._parse(where, text)
        if not node.truth:
            raise self._refuse(where, ExpressionError("must be true or false"))
        if node.shape > widest:
            raise self._refuse(where, ExpressionError("needs statistics, such as mean(…), of its signals"))
        if widest is Shape.SERIES and _has_statistic(node):
            raise self._refuse(where, ExpressionError("can't use statistics: there are no windows yet"))
        return node

    def _measure(
        self, signals: Mapping[str, CompiledSignal], condition: Node, critical: Node | None
    ) -> Node | None:
        """The number that the check is told by, which must be one that the condition looks at."""
        if self._rule.measure is None:
            return None
        node = self._parse("measure", self._rule.measure.expr)
        if node.truth or node.shape is not Shape.SERIES or _has_statistic(node):
            raise self._refuse("measure", ExpressionError("must be a number that has samples"))
        tests = [condition, *([critical] if critical else [])]
        looked_at = _closure(signals, (name for test in tests for name in test.names()))
        if left := set(node.names()) - looked_at - self._thresholds.keys():
            raise self._refuse("measure", ExpressionError(f"the condition does not look at {min(left)!r}"))
        return node

    def _value(self, name: str, text: str) -> Node:
        """A named expression over the windows; from here on others may use its name."""
        node = self._over_windows(f"value {name}", text)
        if name in self._names:
            raise self._refuse(f"value {name}", ExpressionError("is also a signal or a threshold"))
        if node.shape is Shape.SERIES:
            raise self._refuse(f"value {name}", ExpressionError("needs statistics, such as mean(…)"))
        self._names[name] = Shape.ENTITY
        self._values[name] = node
        if node.truth:
            self._tests.add(name)
        return node

    def _signal(self, name: str, signal: Signal) -> CompiledSignal:
        if signal.fact or signal.told:
            return CompiledSignal(signal, None)
        if signal.derived:
            node = self._parse(f"signal {name}", signal.expr)
            if _has_statistic(node):
                raise self._refuse(f"signal {name}", ExpressionError("can't use statistics"))
            return CompiledSignal(signal, node, needs=frozenset(node.names()))
        shared = self._card.id, id(signal)
        if shared not in self._known:
            self._known[shared] = self._measured(name, signal)
        return self._known[shared]

    def _measured(self, name: str, signal: Signal) -> CompiledSignal:
        counters = signal.counters or {"value": signal.counter}
        local = {**dict.fromkeys(self._thresholds, Shape.CONSTANT), **dict.fromkeys(counters, Shape.SERIES)}
        node = self._parse(f"signal {name}", signal.expr or "value", local)
        weight = self._parse(f"signal {name}", signal.weight, local) if signal.weight else None
        named = {name for one in (node, weight) if one for name in one.names()}
        limits = frozenset(named - counters.keys())
        return CompiledSignal(signal, node, weight, limits=limits, counters=counters)

    def _order(self, signals: Mapping[str, CompiledSignal]) -> tuple[str, ...]:
        order: list[str] = []
        pending = dict(signals)
        while pending:
            ready = [name for name, signal in pending.items() if not signal.needs & pending.keys()]
            if not ready:
                raise self._refuse("signals", ExpressionError(f"{min(pending)} is made of itself"))
            for name in ready:
                order.append(name)
                del pending[name]
        return tuple(order)

    def _evidence(self, item: EvidenceItem) -> Node:
        if item.statistic not in STATISTICS:
            raise self._refuse(f"evidence {item.signal}", ExpressionError(f"no statistic {item.statistic!r}"))
        if item.signal in self._settings and item.statistic != "usual":
            raise self._refuse(
                f"evidence {item.signal}",
                ExpressionError("a fact is told as it was most of the time: 'usual'"),
            )
        text = item.signal if item.signal in self._settings else f"{item.statistic}({item.signal})"
        return self._over_windows(f"evidence {item.signal}", text)

    def _cause(self, cause: Cause) -> CompiledCause:
        def test(text: str) -> Node | None:
            return self._supported(cause, text) if text else None

        def template(text: str) -> Template:
            return self._template(f"cause {cause.id}", text)

        return CompiledCause(
            cause=cause,
            likely=test(cause.likely),
            possible=test(cause.possible),
            because=template(cause.because),
            because_possible=template(cause.because_possible or cause.because),
            otherwise=template(cause.otherwise),
            unknown=template(cause.unknown),
            remedies=tuple(template(step) for step in cause.remedies),
            stated=self._stated(cause),
        )

    def _supported(self, cause: Cause, text: str) -> Node:
        """The test of a cause, which must rest on evidence for it."""
        where = f"cause {cause.id}"
        node = self._test(where, text, Shape.ENTITY)
        if not has_support(node, self._values, self._thresholds):
            raise self._refuse(
                where,
                ExpressionError(
                    f"{text!r} is true where something else is not: a cause needs a number that speaks for it"
                ),
            )
        return node

    def _stated(self, cause: Cause) -> CompiledStated | None:
        if cause.stated is None:
            return None
        where = f"cause {cause.id}"
        return CompiledStated(
            known=self._over_windows(where, cause.stated.known),
            test=self._supported(cause, cause.stated.test),
            because=self._template(where, cause.stated.because),
            otherwise=self._template(where, cause.stated.otherwise),
        )

    def _template(self, where: str, text: str) -> Template:
        try:
            return compile_template(text, self._names, self._signals, self._thresholds)
        except ExpressionError as error:
            raise self._refuse(where, error) from error


def compile_template(
    text: str,
    names: Mapping[str, Shape],
    signals: Mapping[str, Signal] = MappingProxyType({}),
    thresholds: Mapping[str, float] = NO_THRESHOLDS,
) -> Template:
    """Parse a sentence with placeholders; those that are measured among ``signals`` have members whose names
    can be given, others have events or the words of a fact. ``thresholds`` are the numbers of the card.

    Raises ExpressionError.
    """
    pieces = _PLACE.split(text)
    settings = frozenset(name for name, signal in signals.items() if signal.fact)
    places = (piece.strip() for piece in pieces[1::2])
    placeholders = tuple(_place(place, names, signals, settings, thresholds) for place in places)
    return Template(tuple(pieces[::2]), placeholders)


def _place(
    text: str,
    names: Mapping[str, Shape],
    signals: Mapping[str, Signal],
    settings: frozenset[str],
    thresholds: Mapping[str, float],
) -> Placeholder:
    if text in _TEXTS:
        return Placeholder("text", name=text)
    expression, _, unit = text.partition(":")
    if called := _CALL.fullmatch(expression):
        kind, name, part = called.groups()
        signal = signals.get(name, Signal())
        fits = {"event": bool(signal.happening), "word": bool(signal.fact)}.get(kind, signal.measured)
        if not fits:
            what = {"event": "a signal of events", "word": "a fact"}.get(kind, "a measured signal")
            raise ExpressionError(f"{name!r} is not {what}")
        if part and part not in thresholds:
            raise ExpressionError(f"{part!r} is not a threshold")
        return Placeholder(kind, name=name, unit=unit, part=thresholds[part] if part else 0.0)
    node = settled(parse(expression, names), settings)
    if node.shape is Shape.SERIES or node.truth:
        raise ExpressionError(f"{{{text}}} is not one number")
    return Placeholder("number", node=node, unit=unit)


def _has_statistic(node: Node) -> bool:
    return node.op.startswith("over ") or any(_has_statistic(arg) for arg in node.args)
