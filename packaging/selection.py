"""Which files that PyInstaller collects go into the bundle: of Qt only what the window uses.

``hyperscope.spec`` asks ``is_needed`` for each; ``bundle.py`` asks ``unmet`` whether a library that stayed
needs one that went. Names are those inside the bundle: ``PySide6/Qt/plugins/platforms/libqxcb.so``.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

PLUGINS = {
    "platforms": {"qxcb", "qwayland", "qoffscreen", "qwindows", "qcocoa"},
    "platformthemes": {"qxdgdesktopportal"},
    "platforminputcontexts": {"composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"},
    "wayland-shell-integration": {"xdg-shell"},
    "wayland-decoration-client": {"bradient"},
    "xcbglintegrations": {"qxcb-egl-integration", "qxcb-glx-integration"},
    "styles": {"qmodernwindowsstyle", "qwindowsvistastyle", "qmacstyle"},
    "iconengines": {"qsvgicon"},
    "imageformats": {"qsvg", "qico", "qjpeg"},
    "printsupport": {"cupsprintersupport"},
}
"""Qt's plugins that stay, by their folder: displays, how they draw, what is read as a picture, printers."""

UNUSED_QT = (
    "Bluetooth", "Concurrent", "Designer", "EglFS", "Help", "Labs", "Lottie", "Network", "OpenGL",
    "Pdf", "Qml", "Quick", "Sql", "Test", "UiTools", "VirtualKeyboard", "WaylandCompositor", "Xml",
)  # fmt: skip
"""Qt's libraries that the window does not use; each stands for all whose names begin so."""

OF_GTK = (
    "libgtk", "libgdk", "libcairo", "libpango", "libatk", "libthai", "libdatrie", "libfribidi",
    "libgraphite2", "libharfbuzz", "libgobject-2.0", "libgio-2.0", "libgmodule-2.0",
)  # fmt: skip
"""Libraries of the system that only GTK's theme needs."""

OF_CUPS = (
    "libcups", "libavahi", "libgnutls", "libp11-kit", "libunistring", "libidn2", "libnettle",
    "libhogweed", "libgmp.", "libtasn1", "libgssapi_krb5", "libkrb5", "libk5crypto", "libkeyutils",
    "libcom_err",
)  # fmt: skip
"""What talks to a print service: the system's own is used; where it has none, Qt goes without its plugin."""

OF_DESKTOP = ("libdbus-1", "libsystemd", "libgcrypt", "libgpg-error", "liblz4", "libcap.", "libfontconfig")
"""The desktop's bus and fonts, in the system's version: ``app.display`` names what is missing."""

OF_GLIB = (
    "libmount.", "libblkid", "libselinux", "libpixman", "libjpeg.so.62", "libXext", "libXrender",
    "libreadline", "libtinfo",
)  # fmt: skip
"""What GTK's and GIO's libraries need, what those need that went, and what only a Python prompt uses."""

OF_WINDOWS = ("bcryptprimitives.dll", "icuuc.dll", "ucrtbase.dll")
"""What every Windows has; where it is Wine, stand-ins for them lie beside its Python."""

UNUSED = (
    "opengl32sw.dll", "zstandard/_cffi.", "_tkinter.", "_tcl_data/", "_tk_data/", "tcl8/", "libtcl",
    "libtk", "lxml/objectify.", "lxml/html/", "lxml/sax.", "lxml/builder.", "lxml/isoschematron",
    "setuptools/",
)  # fmt: skip
"""The rest: drawing without a graphics driver, a second way into zstd, Tcl, lxml for HTML and schemas."""

LEXERS = ("_mapping", "python", "special")
"""What stays of Pygments, which colours a traceback."""

_OF_THE_SYSTEM = tuple(name.lower() for name in (*OF_GTK, *OF_CUPS, *OF_DESKTOP, *OF_GLIB))
_QT_LIBRARY = re.compile(rf"(lib)?qt6?({'|'.join(UNUSED_QT)})", re.IGNORECASE)
_PLUGIN = re.compile(r"/plugins/(?P<folder>[\w-]+)/(lib)?(?P<name>[\w-]+)\.", re.IGNORECASE)
_TESTS = re.compile(r"^(numpy|lxml|pyqtgraph|psutil)/(.*/)?(tests?|examples)/")
_BROUGHT = re.compile(r"^\s*(?P<name>\S+)(?: => | \()", re.MULTILINE)


def is_needed(name: str) -> bool:
    """Return True if the file called ``name`` inside the bundle is to stay there."""
    path = PurePosixPath(name.replace("\\", "/"))
    text = str(path).lower()
    if path.parts[0] in ("PySide6", "shiboken6"):
        return _is_needed_of_qt(path)
    if path.name.lower() in OF_WINDOWS or path.name.lower().startswith(_OF_THE_SYSTEM):
        return False
    if _QT_LIBRARY.match(path.name):  # PyInstaller's links beside the program
        return False
    return not text.startswith(UNUSED) and not _TESTS.search(text)


def is_needed_module(name: str) -> bool:
    """Return True if the Python module called ``name`` is to stay: of Pygments' lexers that for Python."""
    folder, _, lexer = name.rpartition(".")
    return folder != "pygments.lexers" or lexer in LEXERS


def _is_needed_of_qt(path: PurePosixPath) -> bool:
    text = str(path).lower()
    if found := _PLUGIN.search(text):
        return found["name"] in PLUGINS.get(found["folder"], ())
    if "/translations/" in text or "/qml/" in text or path.name.lower() in (*OF_WINDOWS, *UNUSED):
        return False
    return not any(_QT_LIBRARY.match(part) for part in path.parts[1:])


def unmet(folder: Path, brought: Iterable[str]) -> list[str]:
    """Return the names in ``brought`` that a library in ``folder`` asks for and does not find in it (Linux).

    ``brought`` are the libraries that Qt's own package ships: the system's of the same name are others.
    """
    files = [
        path for path in folder.rglob("*") if ".so" in path.name and path.is_file() and not path.is_symlink()
    ]
    there = {path.name for path in folder.rglob("*.so*")}
    listed = subprocess.run(["ldd", *map(str, files)], check=False, capture_output=True, text=True).stdout
    asked = {found["name"] for found in _BROUGHT.finditer(listed)}
    return sorted(asked & set(brought) - there)
