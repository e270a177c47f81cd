"""Whether a recording is attached to the process that started it: if so it ends with that process."""

from __future__ import annotations

from collections.abc import Callable


class Attachment:
    """The link of a recorder to the window that started it.

    ``lost`` is called when stdin ends or stdout is closed: it ends the recording while ``is_attached``.
    """

    def __init__(self, end: Callable[[], None], *, is_attached: bool) -> None:
        self._end = end
        self.is_attached = is_attached

    def lost(self) -> None:
        """End the recording if it is attached, because the window that started it is gone."""
        if self.is_attached:
            self._end()

    def detach(self) -> None:
        """Let the recording continue when the window is gone."""
        self.is_attached = False
