"""Reads the whole inventory, and repeats a reading that lacks objects that the server lists."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from collectors.vsphere.inventory.following import Follower, LostTrackError
from collectors.vsphere.inventory.inventory_state import InventoryState
from connections.vsphere.retry import is_transient
from resources.failures import DisconnectedError
from resources.vcenter_inventory import Reading

_log = logging.getLogger(__name__)


class CompleteReading:
    """Fills the inventory state with all objects of the server.

    ``missing`` is the number of listed objects that never came, even after repeated readings.
    """

    def __init__(self, follower: Follower, state: InventoryState, reading: Reading) -> None:
        self._follower, self._state, self._limits = follower, state, reading
        self._is_whole = False
        self._begun = 0.0
        self._rested = 0.0
        self.missing = 0

    def is_due(self, *, in_doubt: bool) -> bool:
        """Return True if the whole inventory should be read again.

        That is so when the last reading broke off, or when it was long ago and updates may have been lost
        since (``in_doubt``).
        """
        return not self._is_whole or (in_doubt and time.monotonic() >= self._rested)

    def read(self, progress: Callable[[int], None]) -> frozenset[str]:
        """Read the whole inventory; repeat the reading where a reply was lost or listed objects did not come.

        ``progress`` is called with the number of objects so far. Returns the moids that the server lists.
        Raises SourceError.
        """
        self._begun = time.monotonic()
        self._is_whole = False
        missing, listed = frozenset[str](), frozenset[str]()
        for more_tries in reversed(range(self._limits.max_tries)):
            try:
                missing, listed = self._read_pages(progress)
            except (DisconnectedError, LostTrackError) as error:
                if not more_tries or not is_transient(error):
                    raise
                _log.info("The inventory is read anew: %s", error.happened)
            else:
                if not missing:
                    break
                _log.warning("%d objects of the inventory did not come.", len(missing))
        self.missing = len(missing)
        return listed

    def end(self) -> None:
        """Note that the reading is stored; the next one is not due before a rest."""
        self._is_whole = True
        ended = time.monotonic()
        self._rested = ended + (ended - self._begun) * self._limits.pause_factor

    def _read_pages(self, progress: Callable[[int], None]) -> tuple[frozenset[str], frozenset[str]]:
        """Read all that there is once; what did not come although the server lists it, and the list.

        Only what it lists before and after counts: objects come and go while we read.
        """
        objects = 0
        came = set[str]()
        self._state.begin()
        self._follower.start()
        listed = self._follower.listed()
        while True:
            found = self._follower.next(0)
            self._state.take(found.updates)
            came |= {update.moid for update in found.updates}
            objects += len(found.updates)
            progress(objects)
            if not found.truncated:
                break
        if listed <= came:
            return frozenset(), listed
        listed = listed & self._follower.listed()
        return listed - came, listed
