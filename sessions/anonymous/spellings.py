"""How else a name is written: by servers that encode it, in JSON and HTML, and by other systems' Unicode."""

from __future__ import annotations

import html
import json
import unicodedata
from collections.abc import Iterator
from typing import Literal
from urllib.parse import quote, quote_plus, unquote

_LEAST = 3
"""Shorter spellings are left out: any text holds them."""
_FORMS: tuple[Literal["NFC"], Literal["NFD"]] = ("NFC", "NFD")


def other_spellings(name: str) -> set[str]:
    r"""Return the spellings of a name besides its own: ``a%2fb``, ``a%20b``, ``\u00fc``, ``&amp;``, NFD.

    vCenter writes ``%``, ``/`` and ``\`` of a name as ``%25``, ``%2f`` and ``%5c``; others all that is no
    letter of ASCII. Most names have no other spelling.
    """
    if name.isascii() and name.isalnum():
        return set()
    written = {
        spelling
        for plain in {name, unquote(name)}
        for form in _FORMS
        for spelling in _encoded(unicodedata.normalize(form, plain))
    }
    return {one for one in written if len(one) >= _LEAST and one != name}


def without_remark(name: str) -> str:
    """Return what people write of a name that has a remark in brackets: ``JBOSS 11`` of
    ``JBOSS 11 (billing)``; empty if there is none, or if what is left could be any word.
    """
    at = max(name.rfind(" ("), name.rfind(" [")) if name.endswith((")", "]")) else 0
    short = name[: max(at, 0)].strip()
    return short if len(short) > _LEAST and any(one.isdigit() for one in short) else ""


def _encoded(name: str) -> Iterator[str]:
    yield name
    yield name.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")
    yield from (quote(name, safe=safe, errors="replace") for safe in ("", "/", "/()"))
    yield quote_plus(name, errors="replace")
    yield name.replace(" ", "%20")
    for escaped in (json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]):
        yield from (escaped, escaped.replace("/", "\\/"))
    yield from (html.escape(name), html.escape(name, quote=False))
