"""All pages of the reference, and how one is found: by its name, or by what esxtop or vCenter calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property

from diagnosis.compiled import compile_problems
from resources.catalogue import Catalogue
from resources.problem_cards import Problems
from resources.vcenter_presets import load_presets
from resources.views import LimitsByCounter, Screen
from viewmodels.reference.counter_pages import CounterUse, counter_page
from viewmodels.reference.problem_pages import ProblemKnowledge, problem_page
from viewmodels.reference.values import Page, PageKind

_MOST_NEAR = 5


class Reference:
    """The pages of all known problems and counters, made when they are first asked for."""

    def __init__(
        self, problems: Problems, catalogue: Catalogue, screens: Sequence[Screen], limits: LimitsByCounter
    ) -> None:
        self._problems, self._catalogue = problems, catalogue
        self._screens, self._limits = screens, limits

    @cached_property
    def pages(self) -> Mapping[tuple[PageKind, str], Page]:
        """All pages by kind and name: problems in the order of the cards, counters in that of the
        catalogue.
        """
        known = ProblemKnowledge(self._problems, compile_problems(self._problems), self._catalogue)
        found = [problem_page(card, known) for card in self._problems.cards]
        use = CounterUse(self._problems_by_counter(known), self._screens, self._limits, self._presets())
        found += [counter_page(counter, use) for counter in self._catalogue.counters()]
        return {(page.kind, page.name): page for page in found}

    def of_kind(self, kind: PageKind) -> list[Page]:
        """Return the pages of a kind, in their order."""
        return [page for page in self.pages.values() if page.kind == kind]

    def named(self, name: str) -> list[Page]:
        """Return the pages that a name means: an id, a name on esxtop's screen, a counter of vCenter, a
        title.
        """
        wanted = name.strip().casefold()
        by_id = [page for page in self.pages.values() if page.name.casefold() == wanted]
        if by_id:
            return by_id
        return [page for page in self.pages.values() if wanted in (also.casefold() for also in page.also)]

    def near(self, name: str) -> list[str]:
        """Return names of pages that look like one that there is not."""
        wanted = name.strip().casefold()
        ids = [page.name for page in self.pages.values()]
        within = [one for one in ids if wanted and wanted in one.casefold()]
        also = [
            page.name
            for page in self.pages.values()
            if any(wanted and wanted in one.casefold() for one in page.also)
        ]
        close = get_close_matches(wanted, ids, n=_MOST_NEAR)
        return list(dict.fromkeys([*within, *also, *close]))[:_MOST_NEAR]

    def _problems_by_counter(self, known: ProblemKnowledge) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for rule in known.rules:
            for key in rule.counters():
                problems = found.setdefault(key, [])
                if rule.card.id not in problems:
                    problems.append(rule.card.id)
        return found

    def _presets(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, preset in load_presets().items():
            for counter in self._catalogue.counters():
                is_listed = any(fnmatchcase(counter.key, like) for like in preset.counters)
                if is_listed and not preset.everything:
                    found.setdefault(counter.key, []).append(name)
        return found
