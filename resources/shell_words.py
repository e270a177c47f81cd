"""Writes a command's words as a shell takes them: POSIX shells, or PowerShell and cmd on Windows."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable

_PLAIN_ON_WINDOWS = re.compile(r"[\w.:\\/+=-]+", re.ASCII)
_NOT_DOUBLE = re.compile('[$`"“”„]')
"""What PowerShell reads within double quotes, typographic ones included; a Windows file name may have it."""
_SINGLE = re.compile("['‘’‚‛]")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Control characters, and those that turn the direction of a text: no terminal must get them as they are."""


def shell_command(words: Iterable[str], *, on_windows: bool = sys.platform == "win32") -> str:
    """Return a command that can be pasted into a shell: each word arrives as it is, nothing in it is run."""
    quote = _on_windows if on_windows else _in_posix
    return " ".join(map(quote, words))


def _in_posix(word: str) -> str:
    if not _UNPRINTABLE.search(word):
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{_UNPRINTABLE.sub(_octal, escaped)}'"  # bash, zsh, POSIX 2024


def _octal(found: re.Match[str]) -> str:
    return "".join(f"\\{byte:03o}" for byte in found[0].encode())


def _on_windows(word: str) -> str:
    """Double quotes serve both shells; single ones PowerShell, which alone reads ``$`` within double ones."""
    if _PLAIN_ON_WINDOWS.fullmatch(word):
        return word
    if not _NOT_DOUBLE.search(word):
        return f'"{word}"'
    return f"'{_SINGLE.sub(lambda found: found[0] * 2, word)}'"
