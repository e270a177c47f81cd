"""Rewrites the texts within plans (TOML) and details (JSON), so that both can be read as before."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

USERS = frozenset({"user", "guest_user", "by"})
"""Keys whose texts are users."""
NAMES = {"name": "worker", "host": "host", "worker": "worker", "datastore": "datastore"}
"""Keys of plans and of a run's details whose texts are names."""
_KEY = re.compile(r"\s*([\w-]+)\s*=")
_TOML_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')


class StructuredTexts:
    """Rewrites documents: ``whole`` replaces every name in a text, ``sure`` leaves words of the program."""

    def __init__(self, whole: Callable[[str], str], sure: Callable[[str], str]) -> None:
        self._whole, self._sure = whole, sure

    def plan(self, plan: str) -> str:
        """Return a plan (TOML) whose keys and form are as they were; only its texts are rewritten."""
        key, lines = "", []
        for line in plan.split("\n"):
            if line.lstrip().startswith("#"):
                lines.append(self._told("", line))
                continue
            found = _KEY.match(line)
            key = found[1] if found else key
            lines.append(_TOML_TEXT.sub(partial(self._toml_text, key), line))
        return "\n".join(lines)

    def _toml_text(self, key: str, found: re.Match[str]) -> str:
        try:
            return json.dumps(self._told(key, json.loads(found[0])), ensure_ascii=False)
        except ValueError:  # an escape that only TOML has
            return self._told(key, found[0])

    def json(self, document: str) -> str:
        """Return a JSON document, or any other text, with other texts in it."""
        if not document:
            return document
        try:
            found = json.loads(document)
        except (ValueError, RecursionError):
            return self._whole(document)
        return json.dumps(self._json_value("", found), ensure_ascii=False)

    def _json_value(self, key: str, value: Any) -> Any:
        if isinstance(value, str):
            return self._told(key, value)
        if isinstance(value, dict):
            return {self._sure(name): self._json_value(name, one) for name, one in value.items()}
        return [self._json_value(key, one) for one in value] if isinstance(value, list) else value

    def _told(self, key: str, text: str) -> str:
        """Return a text under its key: a single word that names nothing there is the program's."""
        if key in NAMES or key in USERS or (" " in text and key):
            return self._whole(text)
        return self._sure(text)
