"""Stands in for Qt's OpenGL modules in the frozen program, which saves 10 MB: our charts do without OpenGL.

pyqtgraph imports both wherever it is loaded, and derives a view from ``QOpenGLWidget`` that it only uses if
it is told ``useOpenGL``. Its import must find something; whoever would use it gets an AttributeError.
PyInstaller runs this before the program (``runtime_hooks`` in ``hyperscope.spec``); it loads no Qt, as
commands use none.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _Absent(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name == "QOpenGLWidget":
            from PySide6.QtWidgets import QWidget  # noqa: PLC0415 - only where the window is drawn

            return QWidget
        raise AttributeError(f"{self.__name__}.{name}: this bundle is without OpenGL")


for _name in ("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets"):
    sys.modules.setdefault(_name, _Absent(_name))
