"""Icons by meaning, in the theme's colours, from the Phosphor set in QtAwesome."""

from __future__ import annotations

import qtawesome
from PySide6.QtGui import QIcon

from widgets.theme.tokens import Tokens, mix_colours

_DISABLED = 0.45

NAMES = {
    "host": "ph.hard-drives",
    "vm": "ph.desktop-tower",
    "vcpu": "ph.cpu",
    "world": "ph.gear-six",
    "cluster": "ph.circles-three-plus",
    "pool": "ph.stack",
    "vcenter": "ph.buildings",
    "datastore": "ph.database",
    "device": "ph.hard-drive",
    "adapter": "ph.swap",
    "path": "ph.git-branch",
    "nic": "ph.share-network",
    "port": "ph.git-commit",
    "vdisk": "ph.disc",
    "guest": "ph.monitor",
    "vsan": "ph.cube",
    "worker": "ph.lightning",
    "redo": "ph.arrow-u-up-right",
    "back": "ph.caret-left",
    "forward": "ph.caret-right",
    "search": "ph.magnifying-glass",
    "record": "ph.record",
    "stop": "ph.stop",
    "pause": "ph.pause",
    "play": "ph.play",
    "mark": "ph.flag",
    "pin": "ph.push-pin",
    "pinned": "ph.push-pin-fill",
    "more": "ph.dots-three",
    "findings": "ph.warning",
    "charts": "ph.chart-line",
    "table": "ph.table",
    "heatmap": "ph.grid-four",
    "overview": "ph.squares-four",
    "timeline": "ph.clock",
    "jobs": "ph.list-bullets",
    "messages": "ph.chat-text",
    "menu": "ph.list",
    "save": "ph.floppy-disk",
    "export": "ph.export",
    "window": "ph.app-window",
    "folder": "ph.folder",
    "connect": "ph.link",
    "open": "ph.folder-open",
    "import": "ph.file-arrow-down",
    "lab": "ph.flask",
    "settings": "ph.gear",
    "keyboard": "ph.keyboard",
    "close": "ph.x",
    "grip": "ph.dots-six-vertical",
    "copy": "ph.copy",
    "image": "ph.image",
    "follow": "ph.arrow-line-right",
    "expand": "ph.arrows-out-simple",
    "columns": "ph.columns",
    "help": "ph.question",
    "lock": "ph.lock",
    "info": "ph.info",
    "check": "ph.check",
    "down": "ph.caret-down",
    "up": "ph.caret-up",
    "add": "ph.plus",
    "remove": "ph.minus",
    "theme": "ph.moon",
    "undo": "ph.arrow-u-up-left",
    "events": "ph.lightning",
    "inventory": "ph.tree-structure",
    "shield": "ph.shield",
    "refresh": "ph.arrow-clockwise",
    "print": "ph.printer",
    "tests": "ph.test-tube",
    "troubleshoot": "ph.first-aid-kit",
    "compare": "ph.scales",
    "swap": "ph.arrows-down-up",
    "moved": "ph.arrows-left-right",
}
"""The name in the Phosphor set for each meaning."""


class Icons:
    """Creates icons in the colours of one set of tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def get(self, name: str, colour: str = "") -> QIcon:
        """Return the icon for a meaning in NAMES; ``colour`` replaces the theme's colour for muted text."""
        icon: QIcon = qtawesome.icon(
            NAMES[name],
            color=colour or self._tokens.muted,
            color_active=self._tokens.text,
            color_disabled=mix_colours(self._tokens.surface1, self._tokens.muted, _DISABLED),
        )
        return icon
