"""What a view offers to save as a file: a name, and the forms that the file can have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from viewmodels.text_table import TextTable, as_csv


@dataclass(frozen=True, slots=True)
class FileForm:
    """A form of a file: its name in the dialog (``CSV``), its suffix (``.csv``), and its content.

    ``content`` is called in a worker thread once the user has chosen the form; it must not touch widgets.
    """

    label: str
    suffix: str
    content: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class FileOffer:
    """A file that the user may save: its proposed name without suffix, and its forms, the best first."""

    name: str
    forms: tuple[FileForm, ...]


def table_file(table: TextTable) -> FileOffer:
    """Return the offer to save a table as CSV; a byte order mark tells Excel that it is UTF-8."""
    return FileOffer(table.title, (FileForm("CSV", ".csv", lambda: as_csv(table).encode("utf-8-sig")),))


def text_form(label: str, suffix: str, text: Callable[[], str]) -> FileForm:
    """Return a form whose content is a text."""
    return FileForm(label, suffix, lambda: text().encode("utf-8"))
