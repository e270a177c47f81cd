"""Reads a text of the scope bar from left to right into entities, a time, sources and counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from resources.counter_schema import Counter
from resources.foreign_text import shown
from sessions.model import EntityRef
from viewmodels.entity_words import KINDS, counted, kind_of
from viewmodels.scope_language.counters import counter_words
from viewmodels.scope_language.misunderstanding import UnclearError
from viewmodels.scope_language.names import Names
from viewmodels.scope_language.surroundings import Surroundings
from viewmodels.scope_language.times import Times, time_at
from viewmodels.scope_language.words import Word, quoted, words_of

_LONGEST_PHRASE = 12
"""Words of the longest name that is understood without quotes: each length is looked up among all names."""
_EVERYTHING = frozenset({"all", "everything"})


@dataclass(eq=False)
class Reading:
    """Reads a text from left to right; ``at`` is the number of the next word.

    ``counters`` are the phrases for counters, each with the counters that it may mean.
    """

    text: str
    around: Surroundings
    at: int = 0
    refs: list[EntityRef] = field(default_factory=list)
    is_all: bool = False
    times: Times | None = None
    sources: frozenset[int] | None = None
    counters: list[tuple[str, Sequence[Counter]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.words = words_of(self.text)
        self.names = self.around.names
        self.known_counters = counter_words(self.around.catalogue, self.around.limits)

    def read(self) -> None:
        """Read the whole text. Raises UnclearError for the first part that means nothing."""
        if not self.words:
            raise UnclearError("Type a name, a time or a counter: db-prod, 02:40–02:55, ready web03.")
        while self.at < len(self.words):
            try:
                if not any(step() for step in self._steps()):
                    raise _meaningless(self.words[self.at].name, self.names)
            except UnclearError as unclear:
                raise self._mended(unclear) from None

    def _mended(self, unclear: UnclearError) -> UnclearError:
        """Return the error with the whole text to type instead, where one word was not understood."""
        near = unclear.what.nearest
        if not near:
            return unclear
        word = self.words[self.at]
        return UnclearError(unclear.what.sentence, f"{self.text[: word.start]}{near}{self.text[word.end :]}")

    def _steps(self) -> Sequence[Callable[[], bool]]:
        if self.words[self.at].is_sign:
            return (self._separator,)
        if self.words[self.at].quoted is not None:
            return (self._prefixed, self._quoted_name, self._path)
        return (self._time, self._keyword, self._prefixed, self._path, self._kind, self._counter_or_name,
                self._pattern, self._part_of_name)  # fmt: skip

    def _separator(self) -> bool:
        if self.words[self.at].is_step:
            raise UnclearError("A path needs a name on both sides of its ›.")
        self.at += 1
        return True

    def _time(self) -> bool:
        start = self.words[self.at].start
        stop = next((one.start for one in self.words[self.at :] if one.quoted is not None), len(self.text))
        found = time_at(self.text[start:stop], self.around.when)
        if found is None:
            return False
        if self.times is not None:
            raise UnclearError("That names two times. Type one moment, or a window like 02:40–02:55.")
        self.times = found
        end = start + found.length
        while self.at < len(self.words) and self.words[self.at].start < end:
            self.at += 1
        self._skip_zone()
        return True

    def _skip_zone(self) -> None:
        """Skip the zone's name after a time, as the bar shows it: ``02:40 – 02:55 CET``."""
        span = self.around.snapshot.span
        if self.at < len(self.words) and self.words[self.at].plain == self.around.clock.zone_of(span):
            self.at += 1

    def _keyword(self) -> bool:
        word = self.words[self.at].plain.casefold()
        if word in _EVERYTHING:
            self.is_all = True
            self.at += 1
            return True
        if word in {"on", "in"} and self.refs and self.at + 1 < len(self.words):
            self.at += 1
            self._restrict()
            return True
        return False

    def _restrict(self) -> None:
        """Keep of the entities so far those below the ones that come next."""
        before, self.refs = self.refs, []
        steps = (
            self._prefixed, self._quoted_name, self._path, self._counter_or_name, self._pattern,
            self._part_of_name,
        )  # fmt: skip
        if not any(step() for step in steps):
            raise _meaningless(self.words[self.at].name, self.names)
        owners, self.refs = self.refs, []
        self.refs = self.names.below(before, owners)
        if not self.refs:
            raise UnclearError(f"None of the {counted(before)} is on {counted(owners)} in this time.")

    def _prefixed(self) -> bool:
        """``VM:db*``, ``VM:"db prod"``, ``source:esx01``, ``id:vm/5012``."""
        word = self.words[self.at]
        prefix, colon, rest = word.plain.partition(":")
        if not colon or (word.quoted is not None and rest):
            return False
        exact = word.quoted is not None
        what = word.quoted if word.quoted is not None else rest
        kind = kind_of(prefix)
        if kind is not None:
            found = self.names.called(what, kind) if exact else self.names.matching(what or "*", kind)
            if not found:
                raise _unknown(what, self.names, prefix)
            self.refs += found
        elif prefix.casefold() == "source":
            found_sources = _sources(what, self.around, exact=exact)
            self.sources = found_sources | (self.sources or frozenset()) if found_sources else found_sources
        elif prefix.casefold() == "id":
            found = self.names.with_key(what)
            if not found:
                raise UnclearError(f"No entity has the id “{shown(what, 80)}”.")
            self.refs += found
        else:
            return False
        self.at += 1
        return True

    def _quoted_name(self) -> bool:
        word = self.words[self.at]
        if word.quoted is None or word.plain or self._is_step(self.at + 1):
            return False
        found = self.names.exact(word.quoted)
        if not found:
            raise _unknown(word.quoted, self.names)
        self.refs += found
        self.at += 1
        return True

    def _path(self) -> bool:
        """Names joined by ›; each has as many words as stand between two signs."""
        steps, at = [""], self.at
        while at < len(self.words) and (not self.words[at].is_sign or self.words[at].is_step):
            if self.words[at].is_step:
                steps.append("")
            else:
                steps[-1] = f"{steps[-1]} {self.words[at].name}".strip()
            at += 1
        if len(steps) == 1:
            return False
        if not self.names.called(steps[0]) and not self._is_step(self.at + 1):
            return False  # a counter before the path
        return self._take_path(steps, at)

    def _is_step(self, at: int) -> bool:
        return at < len(self.words) and self.words[at].is_step

    def _take_path(self, steps: Sequence[str], end: int) -> bool:
        """Take a path; of its last step only the words that are a name: a counter or a time may follow."""
        last = self._words_before(end)
        for dropped in range(len(last)):
            name = " ".join(last[: len(last) - dropped])
            found = self.names.at_path([*steps[:-1], name]) if name else []
            if found:
                self.refs += found
                self.at = end - dropped
                return True
        lost = next((step for step in steps[:-1] if not self.names.called(step)), steps[-1])
        raise UnclearError(_unknown(lost, self.names).what.sentence)

    def _words_before(self, end: int) -> list[str]:
        """Return the words of the last step of a path that ends before word number ``end``."""
        found: list[str] = []
        for word in reversed(self.words[self.at : end]):
            if word.is_step:
                break
            found.insert(0, word.name)
        return found

    def _kind(self) -> bool:
        kind = kind_of(self.words[self.at].plain)
        if kind is None or self.words[self.at].plain.casefold() == KINDS[kind][0].casefold():
            return False
        found = self.names.of_kind(kind)
        if not found:
            raise UnclearError(f"This session has no {KINDS[kind][1]}.")
        self.refs += found
        self.at += 1
        return True

    def _counter_or_name(self) -> bool:
        """The longest phrase that is a counter or an exact name; a counter if both are as long."""
        plain = self._plain_words()
        count, counters = self.known_counters.phrase_at(plain)
        for length in range(len(plain), count, -1):
            found = self.names.exact(" ".join(plain[:length]))
            if found:
                self.refs += found
                self.at += length
                return True
        if count:
            self.counters.append((" ".join(plain[:count]), counters))
            self.at += count
        return bool(count)

    def _pattern(self) -> bool:
        word = self.words[self.at].plain
        if not {"*", "?"} & set(word):
            return False
        found = self.names.matching(word)
        if not found:
            raise _unknown(word, self.names)
        self.refs += found
        self.at += 1
        return True

    def _part_of_name(self) -> bool:
        """Words that are in the names of one entity only; a VM before a host before its parts."""
        plain = self._plain_words()
        for length in range(len(plain), 0, -1):
            found = self.names.containing(plain[:length])
            best = [ref for ref in found if ref.kind == found[0].kind]
            if len(best) == 1:
                self.refs += best
                self.at += length
                return True
            if best and length == 1:
                some = ", ".join(self.names.name(ref) for ref in best[:3])
                what = shown(plain[0], 80)
                sentence = f"{counted(best)} have “{what}” in their names: {some} …"
                raise UnclearError(sentence, f"{KINDS[best[0].kind][0]}:*{plain[0]}*")
        return False

    def _plain_words(self) -> list[str]:
        """Return the words from here that can be one phrase: up to a sign, a quote, a time or a prefix."""
        found: list[str] = []
        for word in self.words[self.at : self.at + _LONGEST_PHRASE]:
            if (
                word.is_sign
                or word.quoted is not None
                or (found and _begins_anew(word, self.text, self.around))
            ):
                break
            found.append(word.plain)
        return found


def _sources(name: str, around: Surroundings, *, exact: bool) -> frozenset[int]:
    sources = around.snapshot.sources
    if name == "*" and not exact:
        return frozenset()
    found = [one.id for one in sources if shown(one.spec.name).casefold() == name.casefold()]
    if not found:
        known = ", ".join(shown(one.spec.name, 60) for one in sources[:4])
        raise UnclearError(f"No source is called “{shown(name, 80)}”; there are {known}.")
    return frozenset(found)


def _begins_anew(word: Word, text: str, around: Surroundings) -> bool:
    prefix, colon, _ = word.plain.partition(":")
    if colon and (kind_of(prefix) is not None or prefix.casefold() in {"source", "id"}):
        return True
    try:
        return time_at(text[word.start :], around.when) is not None
    except UnclearError:
        return True


def _unknown(name: str, names: Names, prefix: str = "") -> UnclearError:
    what = shown(name, 80)
    kind = kind_of(prefix) if prefix else None
    near = names.near(name, kind)
    called = f"No {KINDS[kind][0]} is called" if kind is not None else "Nothing here is called"
    if not near:
        return UnclearError(f"{called} “{what}”.")
    typed = f"{prefix}:{quoted(near)}" if prefix else quoted(near)
    return UnclearError(f"{called} “{what}”. Do you mean {near}?", typed)


def _meaningless(word: str, names: Names) -> UnclearError:
    what, near = shown(word, 80), names.near(word)
    meant = f"Do you mean {near}?" if near else "Type a name, a time like 02:40–02:55, or a counter."
    sentence = f"“{what}” is no name, time or counter of this session. {meant}"
    return UnclearError(sentence, quoted(near) if near else "")
