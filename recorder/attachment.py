"""Whether a recording depends on whoever started it: then it ends with them, until they let it go."""

from __future__ import annotations

from collections.abc import Callable


class Attachment:
    """The recorder's tie to the window that started it.

    ``lost`` is called when stdin ends or stdout is closed: it ends the recording while ``is_attached``.
    """

    def __init__(self, end: Callable[[], None], *, is_attached: bool) -> None:
        self._end = end
        self.is_attached = is_attached

    def lost(self) -> None:
        """End the recording if it is attached: the window that started it is gone."""
        if self.is_attached:
            self._end()

    def detach(self) -> None:
        """Let the recording go on when the window is gone."""
        self.is_attached = False
