"""SCSI codes of log lines in words (logs/scsi.toml): host, device and plug-in status, sense, commands."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from resources.toml_files import RESOURCES, checked, read_toml

SCSI_FILE = RESOURCES / "logs" / "scsi.toml"
Words = Mapping[str, str]


class ScsiCodes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What SCSI codes mean; keys are hexadecimal as the vmkernel writes them: ``0x2``, ``0x4/0x3``."""

    sources: tuple[str, ...]
    host: dict[str, str]
    device: dict[str, str]
    plugin: dict[str, str]
    sense: dict[str, str]
    additional: dict[str, str]
    commands: dict[str, str]

    def command(self, code: str) -> str:
        """Return ``read (0x28)``, or ``command 0x99`` for one that has no word."""
        name = self.commands.get(code)
        return f"{name} ({code})" if name else f"command {code}"

    def status(self, codes: Mapping[str, str]) -> str:
        """Return the words of a line's codes, which the groups H, D, P, key, asc and ascq of a pattern are.

        What is no error is left out; sense data only counts where the line calls it valid.
        """
        parts = [
            _worded(words, codes.get(letter, ""), letter)
            for letter, words in (("H", self.host), ("D", self.device), ("P", self.plugin))
            if codes.get(letter, "0x0") != "0x0"
        ]
        if codes.get("sense") == "Valid" and codes.get("key", "0x0") != "0x0":
            parts.append(self._sense(codes["key"], codes.get("asc", ""), codes.get("ascq", "")))
        return ", ".join(parts) or "no code says why"

    def _sense(self, key: str, asc: str, ascq: str) -> str:
        pair = f"{asc}/{ascq}"
        more = self.additional.get(pair, "")
        words = f"{self.sense.get(key, 'sense')}" + (f": {more}" if more else "")
        return f"{words} (sense {key} {asc} {ascq})"


def _worded(words: Words, code: str, letter: str) -> str:
    name = words.get(code)
    return f"{name} ({letter}:{code})" if name else f"{letter}:{code}"


def load_scsi_codes() -> ScsiCodes:
    """Load the codes. Raises KnowledgeError."""
    return checked(read_toml(SCSI_FILE), ScsiCodes, SCSI_FILE)
