"""Names of a package that are loaded when somebody asks for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sessions.store
from sessions.store.reader import SessionReader

LOADED = """
import sys
import sessions.store
print("sessions.store.reader" in sys.modules)
sessions.store.SessionReader
print("sessions.store.reader" in sys.modules, "SessionReader" in vars(sessions.store))
"""


def test_a_name_is_the_one_of_its_module() -> None:
    assert sessions.store.SessionReader is SessionReader


def test_a_module_is_loaded_with_the_first_of_its_names() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]


def test_an_unknown_name_is_missing_as_in_any_module() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sesion'"):
        getattr(sessions.store, "Sesion")  # noqa: B009 - written out, mypy would refuse it
