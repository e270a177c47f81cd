"""What Windows shows of a program's file: name, version and owner (Properties, Task Manager, inventories)."""

from __future__ import annotations

NAMES = {
    "ProductName": "Hyperscope",
    "CompanyName": "Hyperscope",
    "LegalCopyright": "Apache-2.0",
}
ENGLISH, UNICODE = 0x0409, 1200


def numbers(version: str) -> tuple[int, int, int, int]:
    """Return a version as Windows has it in a file: four numbers."""
    parts = [int(part) for part in version.split(".") if part.isdigit()]
    first, second, third, fourth = [*parts, 0, 0, 0, 0][:4]
    return first, second, third, fourth


def version_text(version: str, program: str, description: str) -> str:
    """Return what a file of PyInstaller's says of ``program``, which it puts into the executable."""
    four = numbers(version)
    told = {
        **NAMES, "FileDescription": description, "FileVersion": version, "ProductVersion": version,
        "InternalName": program, "OriginalFilename": f"{program}.exe",
    }  # fmt: skip
    structs = ", ".join(f"StringStruct({name!r}, {text!r})" for name, text in told.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={four}, prodvers={four}, mask=0x3F, flags=0, OS=0x40004, "
        "fileType=1, subtype=0, date=(0, 0)), kids=["
        f"StringFileInfo([StringTable('{ENGLISH:04X}{UNICODE:04X}', [{structs}])]), "
        f"VarFileInfo([VarStruct('Translation', [{ENGLISH}, {UNICODE}])])])"
    )
