"""Fixtures for all tests of widgets: offscreen, Qt's warnings are failures, nothing may be left behind."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from tests.gui.left_behind import nothing_left_behind, pointer_in_a_corner
from widgets.theme import Theme

__all__ = ["nothing_left_behind", "pointer_in_a_corner"]


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The dark theme."""
    return Theme(qapp, "dark")
