"""The colours of the window as two sets of tokens, dark and light."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from viewmodels.health import Health

SYMBOLS: dict[Health, str] = {
    "critical": "▲",
    "warning": "◆",
    "was critical": "△",
    "was warning": "◇",
    "over": "◈",
    "affected": "↳",
    "ok": "●",
    "partly": "◐",
    "info": "■",
    "part": "·",
    "none": "○",
}
"""The symbol of each health state: a state is never shown by colour alone."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of a theme as ``#rrggbb``; ``series`` are the colours of curves in order (Okabe–Ito,
    tuned).
    """

    name: Literal["dark", "light"]
    background: str
    surface1: str
    surface2: str
    surface3: str
    line: str
    text: str
    muted: str
    faint: str
    accent: str
    on_accent: str
    critical: str
    warning: str
    ok: str
    info: str
    series: tuple[str, ...]

    def health(self, state: Health) -> str:
        """Return the colour of a health state."""
        return {
            "critical": self.critical,
            "warning": self.warning,
            "was critical": self.critical,
            "was warning": self.warning,
            "over": self.warning,
            "affected": self.muted,
            "ok": self.ok,
            "partly": self.warning,
            "info": self.info,
            "part": self.faint,
            "none": self.faint,
        }[state]

    def curve(self, number: int) -> str:
        """Return the colour of curve ``number`` of a chart (from 0); the colours repeat."""
        return self.series[number % len(self.series)]

    def colours(self) -> dict[str, str]:
        """Return all colours and tints by name, for the style sheet."""
        single = {
            field.name: str(getattr(self, field.name))
            for field in fields(self)
            if field.name not in {"name", "series"}
        }
        return {**single, **self.tints()}

    def tints(self) -> dict[str, str]:
        """Return tinted surfaces by name: ``…_tint`` for chips, ``…_card`` for cards."""
        return {
            **{
                f"{state}_tint": mix_colours(self.surface1, getattr(self, state), _SMALL_TINT)
                for state in _TINTED
            },
            **{
                f"{state}_card": mix_colours(self.surface2, getattr(self, state), _CARD_TINT)
                for state in _TINTED
            },
            "selected": mix_colours(self.surface1, self.accent, _SELECTED_TINT),
        }


def mix_colours(ground: str, over: str, part: float) -> str:
    """Return the colour of ``over`` laid on ``ground`` with opacity ``part`` (0 to 1), as ``#rrggbb``."""
    pairs = [(int(ground[at : at + 2], 16), int(over[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


_TINTED = ("critical", "warning", "ok")
_SMALL_TINT, _CARD_TINT, _SELECTED_TINT = 0.12, 0.07, 0.18

DARK = Tokens(
    name="dark",
    background="#10151c",
    surface1="#151c25",
    surface2="#1b2430",
    surface3="#243040",
    line="#2a3646",
    text="#e7edf4",
    muted="#8fa0b3",
    faint="#7c8da1",
    accent="#5aa9ff",
    on_accent="#0b1726",
    critical="#ff6b6b",
    warning="#f2a93b",
    ok="#42b88a",
    info="#5aa9ff",
    series=("#56b4e9", "#e69f00", "#2fbf93", "#cc79a7", "#f0e442", "#ff8a65", "#9fa8ff", "#c0ca33"),
)

LIGHT = Tokens(
    name="light",
    background="#f4f6f9",
    surface1="#ffffff",
    surface2="#f0f3f7",
    surface3="#e3e9f0",
    line="#d5dde6",
    text="#17212c",
    muted="#516172",
    faint="#607082",
    accent="#1769d6",
    on_accent="#ffffff",
    critical="#c22727",
    warning="#a55100",
    ok="#127a54",
    info="#1769d6",
    series=("#0072b2", "#c77c00", "#00875f", "#b0568a", "#8a7f00", "#c2410c", "#4f56c9", "#5b7f00"),
)

RADIUS_CARD = 8
BODY_PX = 13
SMALL_PX = 12
ROW_PX = 26
DENSE_ROW_PX = 22
