"""The errors that a user can meet, as one tree, each with its exit code.

    HyperscopeError                what happened, what it means, what to try
    ├── UsageError            2    the command's arguments do not fit
    ├── NotFoundError         3    a file, an entity or a scenario that is not there
    ├── AlreadyExistsError    4    a path that would be overwritten
    ├── AccessDeniedError     5    the operating system refused
    ├── BadInputError         6    a file without the expected content
    │   ├── NotACaptureError  7    not an esxtop batch capture (empty, HTML, a perfmon CSV, …)
    │   ├── NotASessionError  8    not a Hyperscope session
    │   └── DamagedError      9    a session whose content is inconsistent
    ├── TooNewError          10    written by a newer Hyperscope
    ├── DiskFullError        11    no space left
    ├── BusyError            12    another process writes this session
    ├── KnowledgeError       13    a TOML file of knowledge that is not valid
    ├── MissingLibraryError  14    a library of the system that the window needs
    ├── SourceError          20    a vCenter or host that did not deliver
    │   ├── UnknownHostError     21    its host name does not resolve
    │   ├── RefusedError         22    nothing listens at its address
    │   ├── TimedOutError        23    no answer in time
    │   ├── UntrustedError       24    a certificate or host key that is not trusted
    │   ├── ChangedCertificateError 25 not the certificate or host key that was trusted before
    │   ├── NotVSphereError      26    the server is no vCenter and no ESXi host
    │   ├── LoginError           27    wrong user or password
    │   ├── PrivilegeError       28    logged in, but a privilege is missing
    │   ├── NoCountersError      29    it has no performance data
    │   ├── NotSSHError          31    the server does not speak ssh
    │   └── DisconnectedError    30    the connection broke, or its data is invalid
    ├── UnfinishedTestError  40    a guided test that was stopped before its end; it was put back
    └── CancelledError      130    the user cancelled the work

Anything else that escapes is a bug and goes to the crash report, not to the user as a sentence.
"""

from __future__ import annotations


class HyperscopeError(Exception):
    """An expected failure: one sentence on what happened, one on what it means, one on what to try.

    ``meaning`` and ``advice`` may be empty if the first sentence says enough.
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
    """The command's arguments do not fit together."""

    exit_code = 2


class NotFoundError(HyperscopeError):
    """A file, an entity or a scenario does not exist."""

    exit_code = 3


class AlreadyExistsError(HyperscopeError):
    """The path exists and would be overwritten."""

    exit_code = 4


class AccessDeniedError(HyperscopeError):
    """The operating system refused access."""

    exit_code = 5


class BadInputError(HyperscopeError):
    """A file does not have the expected content."""

    exit_code = 6


class NotACaptureError(BadInputError):
    """The file is no esxtop batch capture: it is empty, HTML, a Windows perfmon CSV, a directory."""

    exit_code = 7


class NotASessionError(BadInputError):
    """The file is no Hyperscope session."""

    exit_code = 8


class DamagedError(BadInputError):
    """The session's content is inconsistent."""

    exit_code = 9


class TooNewError(HyperscopeError):
    """The session was written by a newer Hyperscope."""

    exit_code = 10


class DiskFullError(HyperscopeError):
    """No space is left on the device that holds the session."""

    exit_code = 11


class BusyError(HyperscopeError):
    """Another process writes this session."""

    exit_code = 12


class KnowledgeError(HyperscopeError):
    """A TOML file in resources/, or an admin's own, is not valid."""

    exit_code = 13


class MissingLibraryError(HyperscopeError):
    """A system library that the window needs is not installed."""

    exit_code = 14


class SourceError(HyperscopeError):
    """A vCenter or host did not deliver what was requested."""

    exit_code = 20


class UnknownHostError(SourceError):
    """The source's host name does not resolve."""

    exit_code = 21


class RefusedError(SourceError):
    """Nothing listens at the source's address."""

    exit_code = 22


class TimedOutError(SourceError):
    """The source did not answer in time."""

    exit_code = 23


class UntrustedError(SourceError):
    """The server's certificate or ssh host key is trusted by neither the system nor a fingerprint."""

    exit_code = 24


class ChangedCertificateError(SourceError):
    """The server's certificate or ssh host key is not the one that was trusted before."""

    exit_code = 25


class NotVSphereError(SourceError):
    """The server at this address is no vCenter and no ESXi host."""

    exit_code = 26


class NotSSHError(SourceError):
    """The server at this address does not speak ssh, or no version that is safe."""

    exit_code = 31


class LoginError(SourceError):
    """User or password are wrong, or the account may not log in."""

    exit_code = 27


class PrivilegeError(SourceError):
    """The account lacks a privilege that the work needs."""

    exit_code = 28


class NoCountersError(SourceError):
    """The source has no performance data."""

    exit_code = 29


class DisconnectedError(SourceError):
    """The connection broke, or the data that came over it is invalid; trying again may help."""

    exit_code = 30


class UnfinishedTestError(HyperscopeError):
    """A guided test did not reach its end: by hand, by a guard, or because its workers were lost."""

    exit_code = 40


class CancelledError(HyperscopeError):
    """The user cancelled the work; nothing is left behind."""

    exit_code = 130
