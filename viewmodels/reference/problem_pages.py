"""The page of a problem: its causes and what to do first, then when it is found, by which numbers, and what
tells its causes apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from diagnosis.compiled import FACT, CompiledRule, bare_key
from diagnosis.wording import CONNECT, RECORD
from resources.catalogue import Catalogue
from resources.problem_cards import Card, Cause, Hold, Problems, Rule, Signal, Threshold
from resources.problem_consequences import Consequence
from resources.units import format_duration, format_value
from viewmodels.entity_words import kind_label
from viewmodels.reference import values as page
from viewmodels.reference.values import Span, cell, code, joined, to_page

_PLACE = re.compile(r"\{[^{}]*\}")
_IF_KNOWN = re.compile(r"\[[^\[\]]*\{[^\[\]]*\]")
_WORDS = {
    "{host}": "the host",
    "{vcenter}": CONNECT,
    "{esxtop}": RECORD,
}
_NOT_BEGINNING = re.compile(r"\(\?!((?:[\w-]|\\\.)+)\)\.\*")
"""The pattern of all names but those with a beginning, which admins should not have to decipher."""
_TAG = re.compile(r"[A-Za-z0-9]+")
_LAYERS = {
    "configuration": "how something is set",
    "contention": "several want the same",
    "utilisation": "something is full",
    "capacity": "there is too little",
    "data": "what was recorded",
}
_WHERE = {
    "same": "same entity",
    "host": "its host",
    "host_of": "a VM of it",
    "on_host": "same host",
    "pool": "a VM in it",
    "cluster": "a host of it",
    "user": "a VM on it",
    "part": "a host or disk of it",
    "stored": "a datastore of its disks, or one on it",
    "way": "a device over the same way",
}


@dataclass(frozen=True, slots=True)
class ProblemKnowledge:
    """What pages of problems are drawn from; ``rules`` are the compiled rules of all cards."""

    problems: Problems
    rules: Sequence[CompiledRule]
    catalogue: Catalogue


def problem_page(card: Card, known: ProblemKnowledge) -> page.Page:
    """Return the page about a problem."""
    sections: dict[str, Iterable[page.Block]] = {
        "": _head(card),
        "Causes, and what to do": _causes(card),
        "Don't be fooled": [page.Bullets(tuple(map(page.plain, card.traps)))] if card.traps else [],
        "What follows from what": _consequences(card, known.problems),
        "When it is found": _rules(card, known.problems),
        "What tells the causes apart": _tests(card),
        "Thresholds": _thresholds(card, known.problems),
        "Needed to be judged": _needed(card, known),
        "What it looks at": _signals(card, known),
        "Sources": _sources(card, known.problems),
    }
    return page.page_of("problem", card.id, card.title, sections, (card.title,))


def _head(card: Card) -> Iterator[page.Block]:
    yield page.paragraph(Span(f"{card.title}.", "bold"), f" {card.meaning}")
    yield page.paragraph(f"{card.question} Layer: {card.layer} ({_LAYERS[card.layer]}).")


def _rules(card: Card, problems: Problems) -> Iterator[page.Block]:
    for rule in card.rules:
        yield page.paragraph(*_rule(rule, problems))
    for presence in card.presence:
        of = ", ".join(map(kind_label, presence.kinds)) or "a source"
        yield page.paragraph(f"Of {of}, worth knowing: ", code(presence.condition), ".")


def _rule(rule: Rule, problems: Problems) -> Iterator[Span]:
    sustained = problems.sustained[rule.sustained]
    what = "Worth knowing" if rule.severity == "info" else "Warning"
    yield Span(f"Of a {kind_label(rule.entity)}")
    yield from _only(rule, problems)
    yield Span(f". {what} when this holds {hold_words(sustained.warning)}: ")
    yield code(rule.condition)
    yield Span(".")
    if rule.critical:
        yield Span(f" Critical when this holds {hold_words(sustained.critical)}: ")
        yield code(rule.critical)
        yield Span(".")
    if rule.bad_sample:
        yield Span(" It begins with the first and ends with the last sample at which ")
        yield code(rule.bad_sample)
        yield Span(".")
    if rule.level:
        yield Span(" It is a state: a capture too short to tell how long shows it too, as a warning at most.")


def _only(rule: Rule, problems: Problems) -> Iterator[Span]:
    """Which entities of its kind a rule is about."""
    if rule.where_class:
        titles = [one.title for one in problems.storage.classes.classes if one.id in rule.where_class]
        yield Span(f" of the class {' or '.join(titles)}")
    if rule.where_name:
        if other := _NOT_BEGINNING.fullmatch(rule.where_name):
            beginning = other[1].replace("\\", "")
            yield Span(f' whose name does not begin with "{beginning}"')
        else:
            yield Span(" with a name like ")
            yield code(rule.where_name)
    if rule.only is not None:
        yield Span(f" whose {rule.only.fact} is ")
        yield code(rule.only.like)


def hold_words(hold: Hold) -> str:
    """Return how long a condition must hold: "1 min of any 1 min 40 s", "in 2 samples of any 5 min"."""
    if hold.count:
        return f"in {hold.count} samples of any {format_duration(hold.of_s)}"
    return f"{format_duration(hold.hold_s)} of any {format_duration(hold.of_s)}"


def _thresholds(card: Card, problems: Problems) -> Iterator[page.Block]:
    if card.thresholds:
        rows = ((cell(code(name)), *_threshold(one, problems)) for name, one in card.thresholds.items())
        yield page.Table(("Threshold", "Value", "Source"), tuple(rows))
    if any(one.of_class for one in card.thresholds.values()):
        own = [one.label for one in problems.storage.own.sets if one.used]
        judge = f" Yours that judge: {', '.join(own)}." if own else ""
        where = "Numbers of a class of storage hold for what is of it; see Storage limits in the preferences."
        yield page.paragraph(where + judge)


def _threshold(one: Threshold, problems: Problems) -> tuple[page.Cell, page.Cell]:
    values, sources = [format_value(one.value, one.unit)], [one.source]
    for each in problems.storage.classes.classes if one.of_class else ():
        number = problems.storage.number(each.id, one.of_class)
        if number is None or number == one.value:
            continue
        values.append(f"{each.title}: {format_value(number, one.unit)}")
        is_own = number != problems.storage.shipped(each.id, one.of_class)
        said = problems.storage.label(each.id) if is_own else each.numbers[one.of_class].source
        sources.append(f"{each.title}: {said}")
    return cell(*values), cell(*sources)


def _needed(card: Card, known: ProblemKnowledge) -> Iterator[page.Block]:
    """The counters that conditions read, and who counts them at which level."""
    rules = [rule for rule in known.rules if rule.card.id == card.id and not rule.rule.finds_only]
    keys = dict.fromkeys(
        bare_key(key)
        for rule in rules
        for name in rule.detecting()
        for key in rule.signals[name].counters.values()
        if not key.startswith(FACT)
    )
    derived = {one.counter: one for one in known.problems.derived.counters}
    rows = [_need(key, known.catalogue, derived[key].source if key in derived else "") for key in keys]
    if rows:
        yield page.Table(("Counter", "esxtop", "vCenter"), tuple(rows))
    facts = sorted(_facts(rules))
    if facts:
        yield page.paragraph("Of the inventory: ", *joined(map(code, facts)), ".")
    for text in dict.fromkeys(rule.rule.unjudged for rule in rules if rule.rule.unjudged):
        yield page.paragraph(f"Where that is missing: {text}.")
    if any(cause.needs for cause in card.causes):
        named = ", ".join(cause.title for cause in card.causes if cause.needs)
        yield page.paragraph(f"Only esxtop decides these causes: {named}.")


def _facts(rules: Iterable[CompiledRule]) -> set[str]:
    found = {rule.rule.only.fact for rule in rules if rule.rule.only}
    for rule in rules:
        for name in rule.detecting():
            signal = rule.signals[name]
            found |= {signal.signal.fact} if signal.signal.fact else set()
            found |= {key.removeprefix(FACT) for key in signal.counters.values() if key.startswith(FACT)}
    return found


def _need(key: str, catalogue: Catalogue, derived: str) -> tuple[page.Cell, ...]:
    counter = catalogue.get(key)
    if counter is None:
        return cell(code(key)), cell("–"), cell(derived or "–")
    esxtop = counter.short or (counter.esxtop[0].counter if counter.esxtop else "–")
    names = [f"{one.name} (level {one.level}/{one.level_instance})" for one in counter.vcenter]
    twins = list(dict.fromkeys(names))  # a VM and its host have the same one
    worked_out = f"worked out: {derived}" if derived else ""
    return cell(to_page("counter", key)), cell(esxtop), cell(*(twins or [worked_out or "–"]))


def _signals(card: Card, known: ProblemKnowledge) -> Iterator[page.Block]:
    named = [*card.signals.items(), *(one for rule in card.rules for one in rule.signals.items())]
    every = (_signal(name, one, known.catalogue) for name, one in named)
    rows = tuple(dict.fromkeys(every))  # a rule may call something else by a name of the card
    if rows:
        yield page.Table(("Name in conditions", "What", "Of"), rows)
    if card.values:
        yield page.Table(
            ("Named", "Is, over the finding's windows"),
            tuple((cell(code(name)), cell(code(text))) for name, text in card.values.items()),
        )


def _signal(name: str, signal: Signal, catalogue: Catalogue) -> tuple[page.Cell, ...]:
    if signal.arrived:
        within = f"VMs that came to it within {format_duration(signal.within_s)}"
        return cell(code(name)), cell((Span("events "), *joined(map(code, signal.arrived)))), cell(within)
    if signal.happening:
        whose = {"users": "VMs that lie on it", "host": "its host", "all": "anything"}.get(signal.of, "it")
        told = (Span("events "), *joined(map(code, signal.happening)))
        return cell(code(name)), cell(told), cell(f"seconds that what happens to {whose} takes")
    if signal.derived:
        return cell(code(name)), cell(code(signal.expr)), cell("")
    keys = [signal.counter] if signal.counter else list(signal.counters.values())
    counters = joined(
        to_page("counter", key) if catalogue.get(key) else code(key) for key in dict.fromkeys(keys)
    )
    what = counters if keys else (Span("fact "), code(signal.fact))
    formula = code(signal.expr) if signal.counters else Span("")
    of = signal.of or "itself"
    if signal.each_instance:
        of = f"{signal.reduce} over the instances of {of}"
    elif signal.of not in ("", "self", "host"):
        of = f"{signal.reduce} of {of}"
    return cell(code(name)), cell(what, formula), cell(of)


def _causes(card: Card) -> Iterator[page.Block]:
    rows = []
    for cause in card.causes:
        steps = [
            f"{number}. {_spoken(step, _about(card, cause))}"
            for number, step in enumerate(cause.remedies, start=1)
        ]
        rows.append((cell(cause.title), cell(*(steps or ["–"]))))
    if rows:
        yield page.Table(("Cause", "What to do"), tuple(rows))


def _tests(card: Card) -> Iterator[page.Block]:
    if card.causes:
        yield page.Table(("Cause", "When"), tuple(_test(cause, _about(card, cause)) for cause in card.causes))


def _test(cause: Cause, about: str) -> tuple[page.Cell, ...]:
    tests = [
        ("by the inventory", cause.stated.test if cause.stated else ""),
        ("likely", cause.likely),
        ("possible", cause.possible),
    ]
    when: list[page.Line] = [
        (Span(verdict, "italic"), Span(" "), code(test)) for verdict, test in tests if test
    ]
    if cause.unknown:
        when.append((Span("unknown", "italic"), Span(f" {_spoken(cause.unknown, about)}")))
    return cell(code(cause.id), cause.title), cell(*when)


def _about(card: Card, cause: Cause) -> str:
    """What a cause is about: "the VM", or "it" where that can be of several kinds."""
    every = [*(rule.entity for rule in card.rules), *(kind for one in card.presence for kind in one.kinds)]
    kinds = {kind for kind in every if not cause.entities or kind in cause.entities}
    return f"the {kind_label(kinds.pop())}" if len(kinds) == 1 else "it"


def _spoken(template: str, about: str) -> str:
    """A sentence about ``about`` without its numbers, and without the parts that are only said where their
    numbers are known.
    """
    template = template.replace("{entity}'s", "its" if about == "it" else f"{about}'s")
    template = template.replace("{entity}", about)
    for place, word in _WORDS.items():
        template = template.replace(place, word)
    while _IF_KNOWN.search(template):
        template = _IF_KNOWN.sub("", template)  # the innermost first
    said = _PLACE.sub("…", template)
    return said[:1].upper() + said[1:]


def _consequences(card: Card, problems: Problems) -> Iterator[page.Block]:
    titles = {one.id: one.title for one in problems.cards}
    causes = {(one.id, cause.id): cause.title for one in problems.cards for cause in one.causes}

    def line(lead: str, other: str, pair: Consequence) -> page.Line:
        named = " or ".join(f"“{causes[pair.downstream, one]}”" for one in pair.causes)
        whose = "its cause" if pair.downstream == card.id else "the cause there"
        only = f", if {whose} is {named}" if named else ""
        return (
            Span(f"{lead} "),
            to_page("problem", other, titles.get(other, "")),
            Span(f" ({_WHERE[pair.relation]}){only}: {pair.because}"),
        )

    pairs = problems.consequences
    lines = [line("Explains:", pair.downstream, pair) for pair in pairs if pair.upstream == card.id]
    lines += [line("Explained by:", pair.upstream, pair) for pair in pairs if pair.downstream == card.id]
    if lines:
        yield page.Bullets(tuple(lines))


def _sources(card: Card, problems: Problems) -> Iterator[page.Block]:
    cited = [tag.strip() for tag in card.sources.split(";")]
    rows = []
    for text in cited:
        tag = _TAG.match(text)
        said = problems.sources.get(tag[0], "") if tag else ""
        rows.append((Span(f"{text}: "), Span(said)))
    yield page.Bullets(tuple(rows))
