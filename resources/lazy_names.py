"""Lets a package offer names of its modules without loading these modules before somebody asks for a name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a package; ``modules`` says in which of its modules each name is defined.

    A name is kept in the package once it was loaded. A name that ``modules`` lacks raises AttributeError.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return load
