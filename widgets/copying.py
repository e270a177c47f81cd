"""Copies tables, texts and pictures to the clipboard; each function returns a message for the user."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage, QPixmap

from resources.foreign_text import shown
from viewmodels.text_table import TextTable, as_html, as_tsv, rows_label


def table_mime(table: TextTable) -> QMimeData:
    """Return a table for the clipboard or a drag: as tab-separated text, and as HTML for spreadsheets."""
    data = QMimeData()
    data.setText(as_tsv(table))
    data.setHtml(as_html(table))
    return data


def copy_table(table: TextTable) -> str:
    """Copy a table with its heads to the clipboard."""
    QGuiApplication.clipboard().setMimeData(table_mime(table))
    return f"{shown(table.title)}: {rows_label(len(table.rows))} copied."


def copy_text(text: str, what: str) -> str:
    """Copy a text; ``what`` names it in the message."""
    QGuiApplication.clipboard().setText(text)
    return f"{shown(what)} copied."


def copy_picture(picture: QPixmap | QImage, title: str) -> str:
    """Copy a picture; ``title`` names what it shows."""
    image = picture.toImage() if isinstance(picture, QPixmap) else picture
    QGuiApplication.clipboard().setImage(image)
    return f"{shown(title)}: copied as a picture."
