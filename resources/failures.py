"""The errors that a user can meet, as one tree, each with its exit code.

    HyperscopeError                what happened, what it means, what to try
    ├── UsageError            2    the command's words do not fit
    ├── NotFoundError         3    a file, an entity or a scenario that is not there
    ├── AlreadyExistsError    4    a path that would be overwritten
    ├── AccessDeniedError     5    the operating system refused
    ├── BadInputError         6    a file that is not what it should be
    │   ├── NotACaptureError  7    not an esxtop batch capture (empty, HTML, a perfmon CSV, …)
    │   ├── NotASessionError  8    not a Hyperscope session
    │   └── DamagedError      9    a session whose content does not check
    ├── TooNewError          10    written by a newer Hyperscope
    ├── DiskFullError        11    no space left
    ├── BusyError            12    another process writes this session
    ├── KnowledgeError       13    a TOML file in resources/ that does not validate
    ├── MissingLibraryError  14    a library of the system that the window needs
    ├── SourceError          20    a vCenter or host that does not give what was asked
    │   ├── UnknownHostError     21    its name does not resolve
    │   ├── RefusedError         22    nothing listens there
    │   ├── TimedOutError        23    no answer in time
    │   ├── UntrustedError       24    a certificate or host key that nobody vouches for
    │   ├── ChangedCertificateError 25 not the certificate or host key that was trusted before
    │   ├── NotVSphereError      26    something else answers there
    │   ├── LoginError           27    wrong user or password
    │   ├── PrivilegeError       28    logged in, but not allowed to
    │   ├── NoCountersError      29    it has no performance data to give
    │   ├── NotSSHError          31    something else than ssh answers there
    │   └── DisconnectedError    30    the connection broke, or what came over it makes no sense
    └── CancelledError      130    the user stopped it

Anything else that escapes is a bug and goes to the crash report, not to the user as a sentence.
"""

from __future__ import annotations


class HyperscopeError(Exception):
    """An expected failure: one sentence of what happened, one of what it means, one of what to try.

    ``meaning`` and ``advice`` may be empty where the first sentence says it all.
    """

    exit_code = 1

    def __init__(self, happened: str, *, meaning: str = "", advice: str = "") -> None:
        super().__init__(happened)
        self.happened = happened
        self.meaning = meaning
        self.advice = advice

    def __str__(self) -> str:
        return " ".join(part for part in (self.happened, self.meaning, self.advice) if part)

    def __reduce__(self) -> tuple[object, ...]:
        # Worker processes send their errors home by pickle, which would call __init__ with args only.
        return (_rebuild, (type(self), self.happened, self.meaning, self.advice))


def _rebuild(kind: type[HyperscopeError], happened: str, meaning: str, advice: str) -> HyperscopeError:
    return kind(happened, meaning=meaning, advice=advice)


class UsageError(HyperscopeError):
    """The command's words do not fit together."""

    exit_code = 2


class NotFoundError(HyperscopeError):
    """A file, an entity or a scenario that is not there."""

    exit_code = 3


class AlreadyExistsError(HyperscopeError):
    """A path that would be overwritten."""

    exit_code = 4


class AccessDeniedError(HyperscopeError):
    """The operating system refused access."""

    exit_code = 5


class BadInputError(HyperscopeError):
    """A file that is not what it should be."""

    exit_code = 6


class NotACaptureError(BadInputError):
    """Not an esxtop batch capture: empty, HTML, a Windows perfmon CSV, a directory."""

    exit_code = 7


class NotASessionError(BadInputError):
    """Not a Hyperscope session file."""

    exit_code = 8


class DamagedError(BadInputError):
    """A session whose content does not check."""

    exit_code = 9


class TooNewError(HyperscopeError):
    """A session written by a newer Hyperscope."""

    exit_code = 10


class DiskFullError(HyperscopeError):
    """No space left on the device that the session is on."""

    exit_code = 11


class BusyError(HyperscopeError):
    """Another process is writing this session."""

    exit_code = 12


class KnowledgeError(HyperscopeError):
    """A TOML file in resources/ (or an admin's own) that does not validate."""

    exit_code = 13


class MissingLibraryError(HyperscopeError):
    """A library of the system that the window needs is not there."""

    exit_code = 14


class SourceError(HyperscopeError):
    """A vCenter or host that does not give what was asked."""

    exit_code = 20


class UnknownHostError(SourceError):
    """The source's name does not resolve."""

    exit_code = 21


class RefusedError(SourceError):
    """Nothing listens at that address."""

    exit_code = 22


class TimedOutError(SourceError):
    """No answer in time."""

    exit_code = 23


class UntrustedError(SourceError):
    """A certificate or ssh host key that neither the system's store nor a fingerprint vouches for."""

    exit_code = 24


class ChangedCertificateError(SourceError):
    """Not the certificate or ssh host key that was trusted before."""

    exit_code = 25


class NotVSphereError(SourceError):
    """Something answers there, but it is no vCenter and no ESXi host."""

    exit_code = 26


class NotSSHError(SourceError):
    """Something answers there, but it does not speak ssh, or no version that is safe."""

    exit_code = 31


class LoginError(SourceError):
    """Wrong user or password, or an account that may not log in."""

    exit_code = 27


class PrivilegeError(SourceError):
    """Logged in, but the account lacks a privilege that the work needs."""

    exit_code = 28


class NoCountersError(SourceError):
    """A source without performance data."""

    exit_code = 29


class DisconnectedError(SourceError):
    """The connection broke, or what came over it makes no sense; trying again may help."""

    exit_code = 30


class CancelledError(HyperscopeError):
    """The user stopped the work; nothing is left behind."""

    exit_code = 130
