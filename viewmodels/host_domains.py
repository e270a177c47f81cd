"""The DNS domain that several hosts share: it tells none of them apart. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DOMAIN = re.compile(r"[^.\s]*[^.\s\d][^.\s]*(?P<domain>(\.[\w-]+)+)$")


def shared_domain(names: Iterable[str]) -> str:
    """Return the domain that all names share, with its dot: ``.lab.local``; empty if they share none.

    A name may go on behind a slash (``esx01.lab.local/vmnic2``). IP addresses have no domain.
    """
    found = {match["domain"] if (match := _DOMAIN.match(one.partition("/")[0])) else "" for one in names}
    return found.pop() if len(found) == 1 else ""


def without(domain: str, name: str) -> str:
    """Return a name without a domain: ``esx01/vmnic2`` for ``esx01.lab.local/vmnic2``."""
    return name.replace(domain, "", 1) if domain else name
