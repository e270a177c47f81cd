"""Images that the style sheet needs as files (check mark, arrows), drawn from the icons."""

from __future__ import annotations

from PySide6.QtCore import QDir, QTemporaryDir

from widgets.theme.icons import Icons
from widgets.theme.tokens import Tokens

_SIZE = 12
_PICTURES = {
    "check": ("check", "on_accent"),
    "down": ("down", "muted"),
    "up": ("up", "muted"),
    "close": ("close", "muted"),
    "left": ("back", "muted"),
    "right": ("forward", "muted"),
}


class Images:
    """Writes the images into a temporary folder, which is deleted with this object."""

    def __init__(self) -> None:
        self._folder = QTemporaryDir()
        self._written: dict[str, dict[str, str]] = {}

    def write(self, icons: Icons, tokens: Tokens) -> dict[str, str]:
        """Return the images' paths by name in the style sheet; a theme's first call writes them."""
        known = self._written.get(tokens.name)
        if known is not None:
            return known
        folder = QDir(self._folder.path())
        paths: dict[str, str] = {}
        for name, (icon, colour) in _PICTURES.items():
            path = folder.filePath(f"{name}-{tokens.name}")
            for scale, end in ((1, ".png"), (2, "@2x.png")):
                pixmap = icons.get(icon, getattr(tokens, colour)).pixmap(_SIZE * scale, _SIZE * scale)
                pixmap.save(path + end)
            paths[f"{name}_image"] = path + ".png"
        self._written[tokens.name] = paths
        return paths
