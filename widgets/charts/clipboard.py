"""The samples and values of a chart for the clipboard or a file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtGui import QGuiApplication

from resources.foreign_text import shown
from resources.spreadsheet_text import safe_cell
from resources.units import format_count
from sessions.distinct import distinct
from sessions.times import TimeRange, iso
from viewmodels.curve import Curve, NamedCurve
from viewmodels.file_offer import FileOffer, text_form
from viewmodels.text_table import TextTable
from viewmodels.time_labels import Clock
from widgets.copying import copy_table


def copy_samples(curves: Sequence[NamedCurve], window: TimeRange, title: str) -> str:
    """Copy the samples of the window to the clipboard as CSV; returns a message for the user."""
    text, rows = as_csv([(f"{named.full_name} ({named.unit})", named.curve) for named in curves], window)
    QGuiApplication.clipboard().setText(text)
    return f"{shown(title)}: {format_count(rows)} rows copied as CSV."


def samples_file(curves: Sequence[NamedCurve], window: TimeRange, title: str) -> FileOffer:
    """Return the offer to save the samples of the window as CSV."""
    columns = [(f"{named.full_name} ({named.unit})", named.curve) for named in curves]
    return FileOffer(title, (text_form("CSV", ".csv", lambda: as_csv(columns, window)[0]),))


def copy_values(curves: Sequence[NamedCurve], moment: tuple[int, Clock], title: str) -> str:
    """Copy each curve's value at the pinned moment to the clipboard, a row each.

    ``moment`` is in ms, with the clock that shows it. Returns a message for the user.
    """
    at, clock = moment
    rows = tuple((one.full_name, one.curve.value_at(at), one.unit) for one in curves)
    copy_table(TextTable(title, (title, f"value at {clock.stamp(at)}", "unit"), rows))
    return f"{shown(title)}: values at {clock.moment(at)} copied."


def as_csv(columns: Sequence[tuple[str, Curve]], window: TimeRange) -> tuple[str, int]:
    """Return the samples within the window as CSV, absent ones empty, and the number of rows.

    ``columns`` are title and curve of each column.
    """
    curves = [curve for _, curve in columns]
    inside = [(curve.times >= window.start) & (curve.times <= window.end) for curve in curves]
    parts = [curve.times[mask] for curve, mask in zip(curves, inside, strict=True)]
    times = distinct(np.concatenate(parts or [np.zeros(0, np.int64)]))
    table = np.full((times.size, len(curves)), np.nan)
    for number, (curve, mask) in enumerate(zip(curves, inside, strict=True)):
        table[np.searchsorted(times, curve.times[mask]), number] = curve.values[mask]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time", *(safe_cell(title) for title, _ in columns)])
    for t_ms, row in zip(times.tolist(), table.tolist(), strict=True):
        writer.writerow([iso(t_ms), *("" if math.isnan(value) else repr(value) for value in row)])
    return out.getvalue(), times.size
