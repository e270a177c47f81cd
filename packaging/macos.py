"""What macOS is told of the program, how it is signed from the inside out, and the disk image it comes on.

    python packaging/macos.py NAME    signs dist/Hyperscope.app, makes dist/release/hyperscope-….dmg

Who signs is said by two variables, so that no secret is here: ``HYPERSCOPE_SIGN_IDENTITY``, a certificate of
the keychain (without it the signature is one of nobody, which only this machine accepts at once), and
``HYPERSCOPE_NOTARY_PROFILE``, a profile that ``xcrun notarytool store-credentials`` made (without it nothing
is sent to Apple). The steps are values, in their order; ``main`` only runs them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from licences import CONTENTS, components_of
from packing import write_checksum

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from resources.version import VERSION  # noqa: E402 - of this checkout, wherever the user stands

APP = ROOT / "dist" / "Hyperscope.app"
CONTENTS_FILE = APP.parent / CONTENTS
RELEASE = ROOT / "dist" / "release"
ENTITLEMENTS = Path(__file__).with_name("macos.entitlements")
IDENTIFIER = "io.hyperscope.Hyperscope"
SESSION_TYPE = "io.hyperscope.session"
OLDEST_SYSTEM = "14.0"
"""The oldest macOS that all wheels inside are for, as their names say: numpy's newest for each processor is
``macosx_14_0``, which pip takes on every machine that has it; PySide6's is ``macosx_13_0_universal2``.
"""

_MACOS_TAG = re.compile(r"^Tag: .*-macosx_(\d+)_(\d+)_", re.MULTILINE)

NOBODY = "-"
MACH_O = {
    bytes.fromhex(magic) for magic in ("cffaedfe", "cefaedfe", "feedfacf", "feedface", "cafebabe", "bebafeca")
}
"""How programs and libraries of macOS begin: of 64 and 32 bits, and of several processors in one file."""


def info_plist(version: str = VERSION) -> dict[str, object]:
    """Return what the app says of itself beside what PyInstaller puts there."""
    return {
        "CFBundleName": "Hyperscope",
        "CFBundleDisplayName": "Hyperscope",
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "LSBackgroundOnly": False,  # which PyInstaller sets, as one of the two programs has a console
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSMinimumSystemVersion": OLDEST_SYSTEM,
        "NSHighResolutionCapable": True,
        "NSLocalNetworkUsageDescription": "Hyperscope reads counters of the servers that you name.",
        "NSHumanReadableCopyright": "Apache-2.0",
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Hyperscope session",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Owner",
                "LSItemContentTypes": [SESSION_TYPE],
            }
        ],
        "UTExportedTypeDeclarations": [
            {
                "UTTypeIdentifier": SESSION_TYPE,
                "UTTypeDescription": "Hyperscope session",
                "UTTypeConformsTo": ["public.data"],
                "UTTypeTagSpecification": {"public.filename-extension": ["hscope"]},
            }
        ],
    }


def main(arguments: list[str]) -> int:
    """Sign the app, make the disk image; print what was made; return the exit code."""
    if len(arguments) != 1:
        print("macos: say for which processor: macos-arm64, macos-x86_64", file=sys.stderr)
        return 2
    if not APP.is_dir():
        print("macos: nothing is built yet: run 'python run.py bundle' first", file=sys.stderr)
        return 1
    inside = [one.name for one in components_of(CONTENTS_FILE) if one.kind == "pypi"]
    needed = oldest_system(metadata.distribution(name).read_text("WHEEL") or "" for name in inside)
    if needed > _numbers(OLDEST_SYSTEM):
        print(
            f"macos: what is inside needs macOS {needed[0]}.{needed[1]}, the app says {OLDEST_SYSTEM}: "
            "one of them must change (OLDEST_SYSTEM, requirements)",
            file=sys.stderr,
        )
        return 1
    image = RELEASE / f"hyperscope-{VERSION}-{arguments[0]}.dmg"
    RELEASE.mkdir(parents=True, exist_ok=True)
    identity = os.environ.get("HYPERSCOPE_SIGN_IDENTITY") or NOBODY
    profile = os.environ.get("HYPERSCOPE_NOTARY_PROFILE", "")
    stage = ROOT / "build" / "image"
    try:
        for step in (*signing_steps(APP, identity), *starting_steps(APP)):
            subprocess.run(step, check=True)
        lay_out_image(APP, stage)
        for step in (*image_steps(stage, image, identity), *notarising_steps(image, profile)):
            subprocess.run(step, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"macos: {error}", file=sys.stderr)
        return 1
    print(f"{write_checksum(image).read_text(encoding='ascii').strip()}  ({image.stat().st_size:,} bytes)")
    return 0


def oldest_system(wheels: Iterable[str]) -> tuple[int, int]:
    """Return the oldest macOS for which all ``wheels`` are, each as its file WHEEL tells of it."""
    told = [[(int(major), int(minor)) for major, minor in _MACOS_TAG.findall(wheel)] for wheel in wheels]
    return max((min(versions) for versions in told if versions), default=(0, 0))


def _numbers(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return int(major), int(minor)


def signing_steps(app: Path, identity: str) -> list[list[str]]:
    """Return the commands that sign ``app``, the innermost first: a signature seals all that is inside.

    Links are neither followed nor signed: what they point to is signed where it lies.
    """
    sign = ["codesign", "--force", "--sign", identity]
    if identity != NOBODY:
        sign += ["--timestamp", "--options", "runtime"]
    rights = [] if identity == NOBODY else ["--entitlements", str(ENTITLEMENTS)]
    programs = app / "Contents" / "MacOS"
    steps = [
        [*sign, *(rights if path == app or path.parent == programs else ()), str(path)]
        for path in _inside_out(app)
    ]
    return [*steps, ["codesign", "--verify", "--deep", "--strict", str(app)]]


def starting_steps(app: Path) -> list[list[str]]:
    """Return the commands that start ``app`` as it was signed: what its rights forbid fails here."""
    program = str(app / "Contents" / "MacOS" / "hyperscope-cli")
    return [[program, "--version"], [program, "selftest"]]


def image_steps(stage: Path, image: Path, identity: str) -> list[list[str]]:
    """Return the commands that make a disk image of the folder ``stage``, and sign it."""
    make = ["hdiutil", "create", "-volname", "Hyperscope", "-srcfolder", str(stage), "-ov", "-format", "UDZO"]
    steps = [[*make, str(image)]]
    if identity != NOBODY:
        steps.append(["codesign", "--force", "--sign", identity, "--timestamp", str(image)])
    return steps


def notarising_steps(image: Path, profile: str) -> list[list[str]]:
    """Return the commands that let Apple look at the image and attach its answer; none without a profile."""
    if not profile:
        return []
    notary = ["xcrun", "notarytool", "submit", str(image), "--keychain-profile", profile, "--wait"]
    staple = ["xcrun", "stapler", "staple", str(image)]
    return [
        notary,
        staple,
        ["spctl", "--assess", "--type", "open", "--context", "context:primary-signature", str(image)],
    ]


def lay_out_image(app: Path, stage: Path) -> None:
    """Put into ``stage`` what the image shows: the app, and a link to where it is to be dragged."""
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    shutil.copytree(app, stage / app.name, symlinks=True)
    (stage / "Applications").symlink_to("/Applications")


def _inside_out(app: Path) -> Iterator[Path]:
    """The deepest libraries and frameworks first, then the programs, the app last."""
    files = [path for path in app.rglob("*") if not path.is_symlink() and path.is_file() and _is_code(path)]
    frameworks = [path for path in app.rglob("*.framework") if path.is_dir() and not path.is_symlink()]
    programs = app / "Contents" / "MacOS"

    def order(path: Path) -> tuple[bool, int, str]:
        return path.parent == programs, -len(path.parts), str(path)

    yield from sorted([*files, *frameworks], key=order)
    yield app


def _is_code(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in MACH_O


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
