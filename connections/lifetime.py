"""What every connection to a server has in common: opened before use, closed after, never pickled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from connections.address import Address


class ServerConnection(ABC):
    """A connection to the server at ``address``; a context manager that opens and closes it.

    Its repr shows the address only, never a secret. It can't be pickled.
    """

    def __init__(self, address: Address) -> None:
        self.address = address

    @abstractmethod
    def open(self) -> None:
        """Connect and log in. Raises SourceError, UsageError; after a failure it stays closed."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection. Never raises; may be repeated."""

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address})"

    def __reduce__(self) -> Any:
        raise TypeError("a connection can't be pickled")
