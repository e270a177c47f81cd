"""Events that name something in their text, found through an index of words: not every text is read again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sessions.model import Event
from sessions.shared_devices import PARTITION, is_device_name

_WORDS = re.compile(r"\w+")


class EventWords:
    """Some events, looked up by a name in their texts. The index is made at the first look."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._places: dict[str, list[int]] | None = None
        self._found: dict[str, Sequence[Event]] = {}

    def naming(self, name: str) -> Sequence[Event]:
        """Return the events that name it as its own host does, in their order: ``vmnic0`` for
        ``esx01/vmnic0``.
        """
        short = name.rpartition("/")[2]
        if short not in self._found:
            pattern = _whole(short)
            self._found[short] = [one for one in self._likely(short) if pattern.search(one.text)]
        return self._found[short]

    def _likely(self, short: str) -> Sequence[Event]:
        """Events that have the rarest word of the name; all of them for a name without a word."""
        words = _WORDS.findall(short)
        if not words:
            return self._events
        if self._places is None:
            self._places = {}
            for place, event in enumerate(self._events):
                for word in dict.fromkeys(_WORDS.findall(event.text)):
                    self._places.setdefault(word, []).append(place)
        known = self._places
        return [self._events[place] for place in min((known.get(word, []) for word in words), key=len)]


@lru_cache(maxsize=1024)
def _whole(short: str) -> re.Pattern[str]:
    """The name as a word of its own: ``vmnic1`` is not in ``vmnic10``, ``vmhba1`` not in ``vmhba1:C0``. What
    is told of a device's partition, ``naa.1:2``, is told of ``naa.1``.
    """
    partition = f"(?:{PARTITION})?" if is_device_name(short) else ""
    return re.compile(rf"(?<![\w.:-]){re.escape(short)}{partition}(?![\w:-])")
