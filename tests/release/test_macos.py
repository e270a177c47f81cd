"""What macOS is told, the order of signing on a made-up app, and the disk image's steps."""

from __future__ import annotations

import json
import plistlib
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from resources.version import VERSION

CODE = bytes.fromhex("cffaedfe") + b"code"


@pytest.fixture
def macos(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("macos")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """An app as PyInstaller lays one out: programs, libraries, a framework, and links into it."""
    contents = tmp_path / "Büro 1" / "Hyperscope.app" / "Contents"
    framework = contents / "Frameworks" / "PySide6" / "Qt" / "lib" / "QtCore.framework"
    files = {
        contents / "Info.plist": b"<plist/>",
        contents / "MacOS" / "hyperscope": CODE,
        contents / "MacOS" / "hyperscope-cli": CODE,
        contents / "Frameworks" / "libpython3.13.dylib": CODE,
        contents / "Frameworks" / "numpy" / "core.so": CODE,
        contents / "Resources" / "docs" / "guide.md": b"text",
        framework / "Versions" / "A" / "QtCore": CODE,
    }
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        (framework / "QtCore").symlink_to("Versions/A/QtCore")
        (framework / "Versions" / "Current").symlink_to("A", target_is_directory=True)
        (contents / "Frameworks" / "QtCore").symlink_to(framework / "Versions" / "A" / "QtCore")
        (contents / "Resources" / "numpy").symlink_to("../Frameworks/numpy", target_is_directory=True)
    except OSError:
        pytest.skip("links can't be made here")
    return contents.parent


def test_the_plist_can_be_written_and_says_who_opens_sessions(macos: ModuleType) -> None:
    told = plistlib.loads(plistlib.dumps(macos.info_plist()))

    [document] = told["CFBundleDocumentTypes"]
    [exported] = told["UTExportedTypeDeclarations"]
    assert document["LSItemContentTypes"] == [exported["UTTypeIdentifier"]]
    assert exported["UTTypeTagSpecification"] == {"public.filename-extension": ["hscope"]}
    assert told["LSBackgroundOnly"] is False, "an app without icon, menu and windows in front"
    assert told["CFBundleShortVersionString"] == told["CFBundleVersion"] == VERSION
    assert re.fullmatch(r"\d+(\.\d+){0,2}", told["CFBundleVersion"]), "macOS takes numbers alone"
    assert told["LSApplicationCategoryType"].startswith("public.app-category.")
    assert re.fullmatch(r"\d+\.\d+", told["LSMinimumSystemVersion"])


def test_the_oldest_system_is_that_of_the_most_demanding_wheel(macos: ModuleType) -> None:
    wheels = [
        "Wheel-Version: 1.0\nTag: cp313-cp313-macosx_14_0_arm64\n",
        "Tag: cp310-abi3-macosx_13_0_universal2\n",
        "Tag: cp38-abi3-macosx_10_12_x86_64\nTag: cp38-abi3-macosx_15_0_arm64\n",
        "Tag: py3-none-any\n",
        "",
    ]

    assert macos.oldest_system(wheels) == (14, 0)
    assert macos.oldest_system(["Tag: py3-none-any\n"]) == (0, 0)


def test_an_app_that_needs_a_newer_system_than_it_says_is_not_packed(
    macos: ModuleType,
    app: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    contents = tmp_path / "contents.json"
    contents.write_text(json.dumps([np.__file__]), encoding="utf-8")
    monkeypatch.setattr(macos, "APP", app)
    monkeypatch.setattr(macos, "CONTENTS_FILE", contents)
    monkeypatch.setattr(
        macos, "oldest_system", lambda wheels: (15, 0) if "Tag: " in "".join(wheels) else (0, 0)
    )

    assert macos.main(["macos-arm64"]) == 1
    assert "what is inside needs macOS 15.0, the app says 14.0" in capsys.readouterr().err


def test_what_is_inside_is_signed_before_what_holds_it(macos: ModuleType, app: Path) -> None:
    *signing, verifying = macos.signing_steps(app, "Developer ID Application: Someone")
    signed = [Path(step[-1]) for step in signing]

    for at, path in enumerate(signed):
        assert not [later for later in signed[at + 1 :] if path in later.parents], path
    assert signed[-1] == app
    assert [path.name for path in signed[-3:-1]] == ["hyperscope", "hyperscope-cli"]
    assert verifying == ["codesign", "--verify", "--deep", "--strict", str(app)]


def test_links_are_not_signed_and_nothing_is_signed_twice(macos: ModuleType, app: Path) -> None:
    signed = [Path(step[-1]) for step in macos.signing_steps(app, "-")[:-1]]

    assert sorted(path.name for path in signed) == sorted(
        [
            "Hyperscope.app",
            "QtCore",
            "QtCore.framework",
            "core.so",
            "hyperscope",
            "hyperscope-cli",
            "libpython3.13.dylib",
        ]
    )
    assert len({path.resolve() for path in signed}) == len(signed)
    assert not any(path.is_symlink() for path in signed)


def test_only_a_certificate_gets_apples_time_and_the_hardened_runtime(macos: ModuleType, app: Path) -> None:
    for step in macos.signing_steps(app, "-")[:-1]:
        assert step[:4] == ["codesign", "--force", "--sign", "-"]
        assert "--timestamp" not in step
    for step in macos.signing_steps(app, "Someone")[:-1]:
        assert step[3:7] == ["Someone", "--timestamp", "--options", "runtime"]
        is_started = Path(step[-1]) == app or Path(step[-1]).parent == app / "Contents/MacOS"
        assert ("--entitlements" in step) == is_started
    rights = plistlib.loads(macos.ENTITLEMENTS.read_bytes())
    assert rights == {"com.apple.security.cs.allow-unsigned-executable-memory": True}


def test_what_was_signed_is_started_before_it_is_packed(
    macos: ModuleType, app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def run(step: list[str], *, check: bool) -> None:
        assert check
        ran.append(f"{Path(step[0]).name} {step[1]}")
        if step[0] == "hdiutil":
            Path(step[-1]).write_bytes(b"image")

    contents = tmp_path / "contents.json"
    contents.write_text(json.dumps([np.__file__]), encoding="utf-8")
    monkeypatch.setattr(macos, "CONTENTS_FILE", contents)
    monkeypatch.setattr(macos, "APP", app)
    monkeypatch.setattr(macos, "RELEASE", tmp_path / "release")
    monkeypatch.setattr(macos, "ROOT", tmp_path)
    monkeypatch.setattr(macos.subprocess, "run", run)

    assert macos.main(["macos-arm64"]) == 0
    verified = ran.index("codesign --verify")
    assert ran[verified:] == [
        "codesign --verify",
        "hyperscope-cli --version",
        "hyperscope-cli selftest",
        "hdiutil create",
    ]
    assert all(Path(step[0]).exists() for step in macos.starting_steps(app))


def test_the_image_shows_the_app_and_where_to_drag_it(macos: ModuleType, app: Path, tmp_path: Path) -> None:
    stage = tmp_path / "stage"
    macos.lay_out_image(app, stage)
    macos.lay_out_image(app, stage)  # over what an earlier one left

    assert sorted(path.name for path in stage.iterdir()) == ["Applications", "Hyperscope.app"]
    assert (stage / "Applications").readlink() == Path("/Applications")
    core = stage / "Hyperscope.app/Contents/Frameworks/PySide6/Qt/lib/QtCore.framework/QtCore"
    assert core.readlink() == Path("Versions/A/QtCore")
    [make] = macos.image_steps(stage, tmp_path / "a.dmg", "-")
    assert make[:2] == ["hdiutil", "create"]
    assert make[-1] == str(tmp_path / "a.dmg")
    assert macos.image_steps(stage, tmp_path / "a.dmg", "Someone")[1][:4] == [
        "codesign",
        "--force",
        "--sign",
        "Someone",
    ]


def test_apple_is_asked_only_with_a_profile_and_its_answer_is_attached(
    macos: ModuleType, tmp_path: Path
) -> None:
    assert macos.notarising_steps(tmp_path / "a.dmg", "") == []
    asked = macos.notarising_steps(tmp_path / "a.dmg", "hyperscope")

    assert [step[:3] for step in asked[:2]] == [
        ["xcrun", "notarytool", "submit"],
        ["xcrun", "stapler", "staple"],
    ]
    assert "--wait" in asked[0]
