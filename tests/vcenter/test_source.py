"""The test vCenter's source is in Go's form, and what Go's own checker finds is nothing."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.vcenter.binaries import ROOT

SERVER = ROOT / "tests" / "vcenter" / "server"


def _run_py() -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_for_go", ROOT / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def go() -> str:
    found = _run_py().find_go()
    if found is None:
        pytest.skip("no Go here: the group 'dev' of the requirements brings one")
    return str(found)


def _said(*words: str) -> str:
    done = subprocess.run(words, cwd=SERVER, capture_output=True, text=True, check=False, encoding="utf-8")
    return (done.stdout + done.stderr).strip()


def test_gofmt_has_nothing_to_say(go: str) -> None:
    gofmt = Path(_said(go, "env", "GOROOT")) / "bin" / ("gofmt.exe" if os.name == "nt" else "gofmt")
    assert _said(str(gofmt), "-l", ".") == ""


def test_go_vet_has_nothing_to_say(go: str) -> None:
    try:
        known = _said(go, "list", "-mod=readonly", "-deps", ".")
    except OSError as error:
        pytest.skip(str(error))
    if "module lookup disabled" in known or "dial tcp" in known:
        pytest.skip("Go's modules are not here")
    assert _said(go, "vet", ".") == ""


def test_a_file_is_not_too_long() -> None:
    for path in SERVER.glob("*.go"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 500, path.name
