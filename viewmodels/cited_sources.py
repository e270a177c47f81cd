"""Who is meant by the tag that a limit's source begins with: ``EPP`` is Duncan Epping's thresholds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_TAG = re.compile(r"\w+")


def cited(texts: Iterable[str], sources: Mapping[str, str]) -> Sequence[str]:
    """Return a line for each source that the texts name, in their order; ``sources`` are these by tag."""
    tags = dict.fromkeys(tag for text in texts for tag in _TAG.findall(text) if tag in sources)
    return [f"{tag}: {sources[tag]}" for tag in tags]
