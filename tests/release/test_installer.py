"""The Windows installer's script: whose folders and registry it touches, what it removes, what NSIS says."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def installer(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("installer")


@pytest.fixture
def text(installer: ModuleType) -> str:
    """The script without comments."""
    lines = installer.SCRIPT.read_text(encoding="ascii").splitlines()
    return "\n".join(re.sub(r"(^| ); .*", "", line) for line in lines)


def _section(text: str, name: str) -> str:
    return text.partition(f'Section "{name}"')[2].partition("SectionEnd")[0]


def test_it_needs_no_admin_and_touches_only_what_is_the_users(text: str) -> None:
    assert re.findall(r"RequestExecutionLevel (\w+)", text) == ["user"]
    assert {words[1] for words in re.findall(r"(Reg\w+|WriteReg\w+)(?: /ifempty)? (HK\w+)", text)} == {"HKCU"}
    assert 'InstallDir "$LOCALAPPDATA\\Programs\\Hyperscope"' in text
    assert "SetShellVarContext all" not in text


def test_only_folders_that_are_ours_are_removed_with_all_that_is_in_them(text: str) -> None:
    removed = re.findall(r'RMDir /r "([^"]+)"', text)

    assert removed == [r"${FOLDER}\_internal", r"${FOLDER}\licences", r"$INSTDIR\_internal.going"]


def test_the_old_program_goes_after_the_new_one_is_in_its_place(text: str) -> None:
    steps = [
        'File /r "${SOURCE}\\*"',
        'Rename "$INSTDIR" "$Old"',
        'Rename "$New" "$INSTDIR"',
        'Rename "$Old" "$INSTDIR"',  # when that failed
        "Call KeepTheUsersFiles",
        'WriteRegStr HKCU "Software\\Classes\\.hscope" ""',
    ]
    section = _section(text, "Hyperscope")
    places = [section.index(step) for step in steps]

    assert places == sorted(places)
    assert section.rindex('RemoveProgram "$Old"') > places[3]
    assert section.rindex('RemoveProgram "$Before"') > places[3]


def test_what_is_written_to_the_registry_is_taken_back(text: str) -> None:
    keys = set(re.findall(r'WriteReg\w+ HKCU "([^"]+)"', _section(text, "Hyperscope")))
    gone = set(re.findall(r'DeleteReg\w+(?: /ifempty)? HKCU "([^"]+)"', _section(text, "Uninstall")))

    assert keys
    for key in keys:
        assert any(key == one or key.startswith(f"{one}\\") for one in gone), key


def test_every_failure_has_an_answer_in_silence(text: str) -> None:
    assert all("/SD" in line for line in text.splitlines() if "MessageBox " in line)
    assert "SetErrorLevel 2" in text


def test_a_session_opens_in_the_window_under_any_name(text: str) -> None:
    assert """shell\\open\\command" "" '"$INSTDIR\\hyperscope.exe" gui "%1"'""" in text


def test_the_compiler_is_told_all_that_the_script_asks_for(
    installer: ModuleType, text: str, tmp_path: Path
) -> None:
    (tmp_path / "hyperscope.exe").write_bytes(b"x")
    words = installer.command("makensis", tmp_path, tmp_path / "icons", tmp_path / "setup.exe", "1.2")
    given = {word[2:].partition("=")[0] for word in words if word.startswith("-D")}
    own = set(re.findall(r"!define (\w+)", text)) | set(re.findall(r"!macro \w+ (\w+)", text))

    asked = {name for name in re.findall(r"\$\{(\w+)\}", text) if name.isupper()}
    assert asked - own == given
    assert "-DVERSION_NUMBERS=1.2.0.0" in words
    assert "-DLONGEST=14" in words


def test_the_folder_is_asked_for_and_its_picture_is_our_own(text: str) -> None:
    pages = re.findall(r"!insertmacro MUI_(?:UN)?PAGE_(\w+)", text)

    assert pages == ["DIRECTORY", "INSTFILES", "FINISH", "CONFIRM", "INSTFILES"]
    assert '!define MUI_WELCOMEFINISHPAGE_BITMAP "${PICTURE}"' in text
    assert text.index("MUI_WELCOMEFINISHPAGE_BITMAP") < text.index("MUI_PAGE_FINISH")


@pytest.mark.skipif(not shutil.which("makensis"), reason="needs makensis, which is NSIS's")
def test_nsis_makes_a_program_of_it_without_a_warning(installer: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "Büro 1" / "hyperscope"
    for name in ("hyperscope.exe", "hyperscope-cli.exe", "_internal/a.dll", "licences/NOTICE.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x" * 1000)
    made = tmp_path / "hyperscope-1.2-setup.exe"
    icons = tmp_path / "made"
    installer.make_icons(icons)
    (icons / installer.PICTURE).write_bytes(installer.installer_picture())

    words = installer.command(shutil.which("makensis"), folder, icons, made, "1.2")
    done = subprocess.run([words[0], "-WX", *words[1:]], check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert made.read_bytes().startswith(b"MZ")
