"""The help as topics: sections of the pages in ``docs``, and the columns of esxtop. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from resources.catalogue import Catalogue
from resources.views import Screen
from viewmodels.reference import PageKind, Reference, anchor, page_markdown

PAGES = (
    ("window", "The window"),
    ("scope", "What the scope bar understands"),
    ("esxtop", "Columns of esxtop"),
    ("guide", "Five minutes with Hyperscope"),
    ("tests", "Guided tests"),
    ("problems", "Problems"),
    ("shortcuts", "Shortcuts"),
    ("counters", "Counters"),
    ("settings", "Settings"),
    ("commands", "Commands"),
    ("presets", "What is recorded from vCenter"),
    ("logs", "Log lines"),
    ("privileges", "Privileges in vCenter"),
)
"""The pages of the help in their order; ``esxtop`` is made from the table of screens."""
_OF_REFERENCE: dict[str, PageKind] = {"problems": "problem", "counters": "counter"}
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_HEADING = re.compile(r"\A#+ .*\n")
_IMAGE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n*", re.MULTILINE)
_LINK, _ENOUGH_LINKS = re.compile(r"\]\((?:\w+\.md)?#"), 3
_FOR_AUTHORS = re.compile(r",\s+drawn\s+from\s(?:(?!\n\n).)*?do\s+not\s+edit\s+this\s+page\.", re.DOTALL)
"""Where a page comes from is for those who write it."""
_BOLD_RANK, _TEXT_RANK = 0, 1
_SNIPPET = 45


@dataclass(frozen=True, slots=True)
class Topic:
    """One section of a page; the first one of a page has the page's title. ``also`` are other names of what
    it is about; ``label`` is what the contents call it, empty for its title.
    """

    page: str
    title: str
    markdown: str
    is_first: bool = False
    also: str = ""
    label: str = ""

    @property
    def shown_title(self) -> str:
        """What the contents and a search call it."""
        return self.label or self.title

    @property
    def key(self) -> str:
        """What links name it: ``window#charts``; a page's first one ``window``."""
        return self.page if self.is_first else f"{self.page}#{anchor(self.title)}"


_LOST = (
    "# {title}\n\nThis page of the help can't be read: `{file}` is missing beside the program, or damaged. "
    "Install Hyperscope again to get it back.\n"
)


def read_topics(
    folder: Path, screens: Sequence[Screen], catalogue: Catalogue, reference: Reference
) -> list[Topic]:
    """Return all topics; a page of ``folder`` that can't be read becomes a topic that says so.

    Problems and counters are drawn from the ``reference``: with thresholds of the user's own.
    """
    found: list[Topic] = []
    for page, title in PAGES:
        if page == "esxtop":
            found += _screen_topics(screens, catalogue)
            continue
        try:
            text = (folder / f"{page}.md").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            text = _LOST.format(title=title, file=f"{folder.name}/{page}.md")
        topics = _sections(page, title, text)
        found += _with_reference(topics, _OF_REFERENCE[page], reference) if page in _OF_REFERENCE else topics
    return found


def _with_reference(topics: Iterable[Topic], kind: PageKind, reference: Reference) -> Iterator[Topic]:
    """The page's first topic, one for each page of the reference, and what else there is."""
    pages = {one.name: one for one in reference.of_kind(kind)}
    first, *others = topics
    yield first
    for one in pages.values():
        # A problem's id means something to a file of its own cards; who looks for help knows its title.
        label = one.title if kind == "problem" else ""
        also = " ".join((one.title, *one.also))
        yield Topic(first.page, one.name, page_markdown(one, by_title=bool(label)), also=also, label=label)
    yield from (one for one in others if one.title not in pages)


def with_sections(topic: Topic, topics: Sequence[Topic]) -> str:
    """Return a topic's text; below the first one of a page that has no links of its own stand those to the
    others.
    """
    if not topic.is_first or len(_LINK.findall(topic.markdown)) >= _ENOUGH_LINKS:
        return topic.markdown
    others = [one for one in topics if one.page == topic.page and not one.is_first]
    links = [f"- [{one.shown_title}](#{anchor(one.title)})\n" for one in others]
    return f"{topic.markdown.rstrip()}\n\n{''.join(links)}"


def find_topics(topics: Sequence[Topic], words: str) -> list[tuple[Topic, str]]:
    """Return the topics with all of these words, each with a piece of its text; hits in titles first."""
    wanted = words.casefold().split()
    hits: list[tuple[int, int, Topic, str]] = []
    for number, topic in enumerate(topics):
        text = plain(topic.markdown)
        if wanted and all(word in f"{topic.title} {text}".casefold() for word in wanted):
            names = f"{topic.title} {topic.also}".casefold()
            in_title = any(word in names for word in wanted)
            body = plain(_HEADING.sub("", topic.markdown)) or text  # the title stands above the piece
            hits.append((_BOLD_RANK if in_title else _TEXT_RANK, number, topic, _piece(body, wanted)))
    return [(topic, piece) for _, _, topic, piece in sorted(hits, key=lambda hit: hit[:2])]


def topic_named(topics: Sequence[Topic], key: str) -> Topic | None:
    """Return the topic that a key or a link names: ``problems#cpulimit``, ``guide.md``, ``#charts``."""
    page, _, part = key.replace(".md", "").partition("#")
    whole = next((one for one in topics if one.page == page and one.is_first), None)
    named = next((one for one in topics if one.page == page and anchor(one.title) == anchor(part)), None)
    return named if part and named is not None else whole


@lru_cache(maxsize=1024)
def plain(markdown: str) -> str:
    """Return the words of a section on one line, without its markup."""
    return " ".join(re.sub(r"<br>|[`*|#]|\]\([^)]*\)|-{3,}", " ", markdown).split())


def _piece(text: str, wanted: Sequence[str]) -> str:
    places = [place for word in wanted if (place := text.casefold().find(word)) >= 0]
    start = max(0, min(places, default=0) - _SNIPPET)
    return ("…" if start else "") + text[start : start + 2 * _SNIPPET].strip() + "…"


def _sections(page: str, title: str, text: str) -> Iterator[Topic]:
    parts = _SECTION.split(_FOR_AUTHORS.sub(".", _IMAGE.sub("", text)))
    yield Topic(page, title, parts[0], is_first=True)
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        yield Topic(page, heading.strip("` "), f"## {heading}\n{body}")


def _screen_topics(screens: Sequence[Screen], catalogue: Catalogue) -> Iterator[Topic]:
    links = "\n".join(f"- `{one.key}` [{one.title}](esxtop.md#{anchor(one.title)})" for one in screens)
    intro = "# Columns of esxtop\n\nWhat the columns mean, screen by screen, those that decide first.\n\n"
    yield Topic("esxtop", "Columns of esxtop", intro + links, is_first=True)
    for screen in screens:
        keys = dict.fromkeys((*screen.deciding, *screen.columns, *screen.more, *screen.head))
        rows = (_column_row(key, catalogue) for key in keys)
        note = f" ({screen.note})" if screen.note else ""
        table = "\n".join(("| Column | Unit | What it is |", "| --- | --- | --- |", *rows))
        yield Topic("esxtop", screen.title, f"## {screen.title}{note}, key `{screen.key}`\n\n{table}\n")


def _column_row(key: str, catalogue: Catalogue) -> str:
    known = catalogue.get(key)
    if known is None:
        return f"| {key} | | |"
    name = f"**{known.short}**<br>{known.label}" if known.short else f"**{known.label}**"
    return f"| {name} | {known.unit} | {known.meaning.replace('|', '/')} |"
