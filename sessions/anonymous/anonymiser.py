"""Replaces the names, addresses and paths of one session, in whatever record they stand."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from resources.anonymity_rules import AnonymityRules, program_words
from resources.event_forms import load_event_forms
from sessions.anonymous.addresses import Addresses
from sessions.anonymous.event_texts import TOLD_IDS, OwnWords, event_texts
from sessions.anonymous.guided_runs import OWN_WORDS, of_this_session, told_names, told_users
from sessions.anonymous.ids import is_id
from sessions.anonymous.known_names import KnownNames
from sessions.anonymous.pseudonyms import Pseudonyms
from sessions.anonymous.spellings import other_spellings, without_remark
from sessions.anonymous.structured_texts import NAMES, USERS, StructuredTexts
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.journal import ChangedObject, Figure, JournalEntry, Phase, TestRun
from sessions.model import Entity, EntityRef, Event, Fact, SeriesSpec, SourceSpec
from sessions.troubleshooting import CheckResult, TroubleshootingRun
from sessions.verdicts import CheckNumber, CheckReach, Verdict

_T = TypeVar("_T")
_OWN_RUN = re.compile("test [a-z-]+, run ")
"""How a source of a guided test is called; other sources of fio have the name of a file."""
_WORLD_OF = re.compile(r"vm[mx][\w-]*:(.+)", re.DOTALL)
"""How a VM's worlds are called: ``vmx-vcpu-0:NAME``. The name may be cut, or an earlier one of the VM."""
_OBJECTS = {
    "VirtualMachine": "vm", "HostSystem": "host", "ClusterComputeResource": "cluster",
    "Datastore": "datastore", "StoragePod": "datastore", "ResourcePool": "pool",
}  # fmt: skip
"""What a server calls its objects, and what they are called instead of their names."""
_OWN_WORDS: Mapping[type, frozenset[str]] = {
    Event: frozenset({"kind"}),
    Finding: frozenset({"problem", "severity", "title"}),
    Evidence: frozenset({"counter", "statistic", "unit", "what"}),
    CauseVerdict: frozenset({"cause", "title", "verdict"}),
    CheckReach: frozenset({"problem", "title", "verdict", "shown_by"}),
    CheckNumber: frozenset({"what", "unit"}),
    Verdict: frozenset({"state"}),
    JournalEntry: frozenset({"setting", "state", "undo"}),
    ChangedObject: frozenset({"kind"}),
    TestRun: frozenset({"test"}),
    Phase: frozenset({"state"}),
    Figure: frozenset({"unit"}),
    **OWN_WORDS,
}
"""Fields with words of the program: only names that nobody can take for one are replaced in them."""
_OWN_BEGIN: Mapping[tuple[type, str], int] = {
    (Finding, "consequence_of"): 1,
    (CheckResult, "follows_from"): 2,
}
"""How many texts of these fields, at their beginning, are words of the program."""
_USER_OF = re.compile("://([^@/\\s]+)@")


class Anonymiser:
    """What to write instead of each text of a session; the same wherever it stands."""

    def __init__(
        self,
        entities: Iterable[Entity],
        sources: Iterable[SourceSpec],
        facts: Iterable[Fact],
        events: Iterable[Event],
        journal: Iterable[JournalEntry],
        runs: Iterable[TestRun],
        rules: AnonymityRules,
        guided: Iterable[TroubleshootingRun] = (),
    ) -> None:
        """``runs`` are those of guided tests, ``guided`` those of the guided troubleshooting."""
        entities, facts, journal, runs = list(entities), list(facts), list(journal), list(runs)
        sources, guided, events = list(sources), list(guided), list(events)
        self._forms = load_event_forms()
        told = event_texts(events, self._forms)
        named = [
            *_named(entities, sources, facts, journal, runs, rules),
            *(pair for one in told for pair in one.names() if not _is_products(pair, rules)),
            *(pair for run in guided for pair in told_names(run, rules)),
        ]
        self._rules = rules
        self.pseudonyms = Pseudonyms({name for _, name in named})
        self._addresses = Addresses(rules, self.pseudonyms)
        self._own_words = OwnWords(self.pseudonyms)
        self._names: dict[str, str] = {}
        for what, name in named:
            self._learn(what, name)
        for user in _users(sources, events, journal, runs):
            self._learn_user(user)
        for user in (user for run in guided for user in told_users(run)):
            self._learn_user(user)
        for name, replacement in list(self._names.items()):
            for spelling in other_spellings(name):
                self._names.setdefault(spelling, replacement)
            if short := without_remark(name):
                self._names.setdefault(short, replacement)
        for one in told:
            if not one.may_be_own:
                said = one.anonymous(lambda name: self._names.get(name, name))
                self._names.setdefault(one.text, self._addresses.replaced(said))
        self._known = KnownNames.of(self._names)
        self._structured = StructuredTexts(self.text, self._sure)
        self._keys: dict[tuple[str, str], str] = {}
        self._taken: set[tuple[str, str]] = set()
        self._texts: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._refs = {one.ref for one in entities}
        self._own_worlds = _own_worlds(entities, rules)
        self._key_texts = {one.ref.key: one.ref for one in entities}
        foreign = self._own_words.foreign(told, self.text)
        if foreign:
            self._names = foreign | self._names
            self._known = KnownNames.of(self._names)
            self._texts.clear()

    def text(self, text: str) -> str:
        """Return a text without names and addresses."""
        found = self._texts.get(text)
        if found is None:
            found = self._names.get(text)
            if found is None:
                found = self._addresses.replaced(self._known.replaced(text))
            self._texts[text] = found
        return found

    def _sure(self, text: str) -> str:
        """Return a text without addresses, and without names that can't be words of the program."""
        return self._addresses.replaced(self._known.replaced(text, only_sure=True))

    def label(self, label: str) -> str:
        """Return a source's own spelling of a series without names."""
        found = self._labels.get(label)
        if found is None:
            found = self._labels[label] = self._addresses.in_label(self._known.replaced(label))
        return found

    def ref(self, ref: EntityRef) -> EntityRef:
        """Return the reference of an entity; two entities never get the same one."""
        known = ref.kind, ref.key
        key = self._keys.get(known)
        if key is None:
            # What is not in the session was met in another one, whose names are not known here.
            plain = self.text(ref.key) if ref in self._refs else self.pseudonyms.of("entity", ref.key)
            key, number = plain, 2
            while (ref.kind, key) in self._taken:
                key, number = f"{plain}~{number}", number + 1
            self._taken.add((ref.kind, key))
            self._keys[known] = key
        return EntityRef(ref.kind, key)

    def entity(self, entity: Entity) -> Entity:
        """Return an entity; the name of a part is kept where it is the product's own."""
        parent = self.ref(entity.parent) if entity.parent is not None else None
        return Entity(self.ref(entity.ref), self._entity_name(entity), parent)

    def _entity_name(self, entity: Entity) -> str:
        kind = entity.ref.kind
        if kind in self._rules.names:
            return self.text(entity.name)
        place, mark, own = entity.name.rpartition("/")
        if entity.ref not in self._own_worlds and not self._rules.keeps_part(kind, own):
            own = self._names.get(own) or self.pseudonyms.of(kind, own)
        return self.text(f"{place}{mark}{own}" if mark else own)

    def series(self, spec: SeriesSpec) -> SeriesSpec:
        """Return the specification of a series; the name of a raw counter is its source's own."""
        counter = spec.counter
        if counter.startswith("raw/"):
            counter = self._known.replaced(counter, only_sure=True)
        return SeriesSpec(
            self.ref(spec.entity),
            counter,
            spec.unit,
            self.text(spec.instance),
            spec.scale,
            self.label(spec.label),
        )

    def source(self, spec: SourceSpec) -> SourceSpec:
        """Return the specification of a source."""
        attributes = tuple(
            (self._known.replaced(name, only_sure=True), self._attribute(name, text))
            for name, text in spec.attributes
        )
        return SourceSpec(spec.kind, self.text(spec.name), spec.interval_s, spec.clock_offset_ms, attributes)

    def _attribute(self, name: str, text: str) -> str:
        if name in self._rules.file_attributes:
            return ", ".join(self._addresses.path(one) for one in text.split(", "))
        if name in self._rules.kept_attributes:
            return self._known.replaced(text, only_sure=True)
        return self.text(text)

    def record(self, record: _T) -> _T:
        """Return a fact, event, mark, gap, finding, verdict, journal entry, test run or guided run."""
        if isinstance(record, TroubleshootingRun):
            return self._walked(of_this_session(record))  # type: ignore[no-any-return]
        if isinstance(record, Fact):
            return self._fact(record)  # type: ignore[return-value]
        if isinstance(record, Verdict):
            sets = tuple(self.pseudonyms.of("thresholds", one) for one in record.judged_with)
            walked: Verdict = self._walked(record)  # whose own sets of thresholds an admin has named
            return replace(walked, judged_with=sets)  # type: ignore[return-value]
        if isinstance(record, Event):
            return self._event(record)  # type: ignore[return-value]
        if isinstance(record, TestRun):
            return self._run(record)  # type: ignore[return-value]
        return self._walked(record)  # type: ignore[no-any-return]

    def _fact(self, fact: Fact) -> Fact:
        value = fact.value
        if isinstance(value, str):
            value = self._fact_text(fact.name, value)
        return Fact(
            self.ref(fact.entity),
            self._known.replaced(fact.name, only_sure=True),
            value,
            fact.start,
            fact.end,
        )

    def _fact_text(self, name: str, value: str) -> str:
        if value in self._key_texts:
            return self.ref(self._key_texts[value]).key
        if value in self._names:
            return self._names[value]
        changed = self.text(value)
        if self._rules.keeps_fact(name) or changed != value or _is_plain(value):
            return changed
        what = self._rules.fact_names(name)
        return value if self._rules.keeps_name(what, value) else self.pseudonyms.of(what, value)

    def _event(self, event: Event) -> Event:
        """An event; what kind it is, and what identifies it, are words of who made it, too."""
        walked: Event = self._fields(event)
        is_told = event.id.startswith(TOLD_IDS) or self._own_words.are_all_of(walked.id)
        return replace(
            walked,
            kind=walked.kind if self._own_words.are_all_of(walked.kind) else "other",
            id=walked.id if is_told else self.pseudonyms.of("event", event.id),
            log=self._addresses.log(event.log, self._names),
        )

    def _run(self, run: TestRun) -> TestRun:
        values = {one.name: self._walked(getattr(run, one.name)) for one in fields(run)}
        values["test"] = run.test
        values["plan"] = self._structured.plan(run.plan)
        values["details"] = self._structured.json(run.details)
        return TestRun(**values)

    def _walked(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._structured.json(value) if value.startswith("{") else self.text(value)
        if isinstance(value, EntityRef):
            return self.ref(value)
        if isinstance(value, tuple | list):
            return tuple(self._walked(one) for one in value)
        if isinstance(value, Event):  # in findings and guided runs, too
            return self._event(value)
        return self._fields(value) if is_dataclass(value) else value

    def _fields(self, value: Any) -> Any:
        """A record with each of its fields walked."""
        kind: Any = type(value)
        own = _OWN_WORDS.get(kind, frozenset())
        found: dict[str, Any] = {}
        for one in fields(value):
            inside, begin = getattr(value, one.name), _OWN_BEGIN.get((kind, one.name), 0)
            if begin and inside is not None:
                found[one.name] = (*inside[:begin], *self._walked(inside[begin:]))
            elif one.name not in own:
                found[one.name] = self._walked(inside)
            else:
                is_text = isinstance(inside, str)
                found[one.name] = self._known.replaced(inside, only_sure=True) if is_text else inside
        return kind(**found)

    def _learn(self, what: str, name: str) -> None:
        if not name or name in self._names:
            return
        replacement = self.pseudonyms.of(what, name)
        self._names[name] = replacement
        self._learn_parts(what, name, replacement)

    def _learn_user(self, user: str) -> None:
        r"""A user's name without its domain is one, too, and so is the domain: ``ACME\mara``."""
        if user in self._names or self._rules.keeps_user(user):
            return
        self._names[user] = replaced = self._addresses.user(user)
        for mark in "\\@":
            if mark in user:
                for one, new in zip(user.partition(mark), replaced.partition(mark), strict=True):
                    if one not in ("", mark) and one != new:
                        self._names.setdefault(one, new)

    def _learn_parts(self, what: str, name: str, replacement: str) -> None:
        """A host's name without its domain is its name, too; and its domain is one."""
        host, colon, port = name.rpartition(":")
        if colon and port.isdigit():
            self._names.setdefault(host, replacement)
            name = host
        short, dot, domain = name.partition(".")
        if not dot or what not in ("host", "vm", "vcenter", "guest") or name.replace(".", "").isdigit():
            return
        if " " in name:
            return
        self._names.setdefault(short, replacement)
        replaced = self.pseudonyms.of("domain", domain.lower())
        self._names.setdefault(f".{domain}", f".{replaced}")
        if "." in domain:
            self._names.setdefault(domain, replaced)


def _is_products(named: tuple[str, str], rules: AnonymityRules) -> bool:
    """True for a name that the product gave, and for an id, which is replaced by its form."""
    what, name = named
    return rules.keeps_name(what, name) or rules.keeps_part(what, name) or (what == "device" and is_id(name))


def _is_plain(value: str) -> bool:
    """True for what names nothing: a number, a flag, a list of numbers."""
    return not any(one.isalpha() for one in value)


def _own_worlds(entities: Iterable[Entity], rules: AnonymityRules) -> frozenset[EntityRef]:
    """The worlds in groups of the kernel, whose names are the product's own."""
    worlds = [one for one in entities if one.ref.kind == "world"]
    groups = {one.ref for one in worlds if one.name in rules.kernel_groups}
    return frozenset(one.ref for one in worlds if one.parent in groups)


def _named(
    entities: list[Entity],
    sources: Iterable[SourceSpec],
    facts: list[Fact],
    journal: Iterable[JournalEntry],
    runs: list[TestRun],
    rules: AnonymityRules,
) -> Iterator[tuple[str, str]]:
    """Yield what is named, and how; the first that has a name decides what it is called instead."""
    later = [(fact.entity.kind, fact.value) for fact in facts if fact.name == "name"]
    for kind, what in rules.names.items():
        yield from ((what, one.name) for one in entities if one.ref.kind == kind)
        yield from ((what, str(name)) for of, name in later if of == kind)
    yield from (
        ("source", one.name) for one in sources if not (one.kind == "fio" and _OWN_RUN.match(one.name))
    )
    worlds = (_WORLD_OF.fullmatch(one.name) for one in entities if one.ref.kind == "world")
    yield from (("vm", of[1]) for of in filter(None, worlds))
    for entry in journal:
        yield _OBJECTS.get(entry.object.kind, "object"), entry.object.name
    own_worlds = _own_worlds(entities, rules)
    for one in entities:
        own = one.name.rpartition("/")[2]
        if one.ref.kind in rules.parts and not (one.ref in own_worlds or rules.keeps_part(one.ref.kind, own)):
            yield one.ref.kind, own
    keys = {one.ref.key for one in entities}
    for fact in facts:
        what = rules.fact_names(fact.name)
        if not isinstance(fact.value, str) or rules.keeps_fact(fact.name) or what == "name":
            continue
        is_word = what == "value" and (fact.value.lower() in program_words() or _is_plain(fact.value))
        if not is_word and fact.value not in keys and not rules.keeps_name(what, fact.value):
            yield what, fact.value
    for run in runs:
        yield from ((what, text) for key, text in _values(run) if (what := NAMES.get(key, "")))


def _users(
    sources: Iterable[SourceSpec],
    events: Iterable[Event],
    journal: Iterable[JournalEntry],
    runs: Iterable[TestRun],
) -> Iterator[str]:
    """Yield users: who did something, who is named as one, and who stands before a server in an address."""
    yield from (event.by for event in events if event.by)
    told = [pair for one in sources for pair in one.attributes]
    for entry in journal:
        told.append(("", entry.object.source))
        for setting in (entry.before, entry.after):
            told += _read((json.loads, setting)) if isinstance(setting, str) else ()
    told += [pair for run in runs for pair in _values(run)]
    for key, text in told:
        if key in USERS and text:
            yield text
        yield from _USER_OF.findall(text)


def _values(run: TestRun) -> Iterator[tuple[str, str]]:
    """Yield each text of a run's plan and details with its key."""
    return _read((tomllib.loads, run.plan), (json.loads, run.details))


def _read(*documents: tuple[Callable[[str], Any], str]) -> Iterator[tuple[str, str]]:
    for read, document in documents:
        try:
            yield from _texts("", read(document) if document else {})
        except (ValueError, RecursionError):
            continue


def _texts(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _texts(str(name), one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(key, one)
