"""The ``--json`` option of the commands; importing it loads nothing but typer."""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
