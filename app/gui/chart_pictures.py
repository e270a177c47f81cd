"""Copies the picture of all charts, which takes long enough to be drawn in a worker."""

from __future__ import annotations

from app.gui.desk import Desk
from widgets.charts.picture import Picture, image_of
from widgets.copying import copy_picture


def copy_drawn(desk: Desk, picture: Picture, title: str) -> None:
    """Draw a picture in a worker, then copy it and say so."""
    desk.jobs.start(
        "charts.picture",
        "Drawing the picture",
        lambda _job: image_of(picture),
        lambda image: desk.notify(copy_picture(image, title), "ok"),
    )
