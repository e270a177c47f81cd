"""Replaces what names something by its form: paths, addresses, users, device names, UUIDs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from resources.anonymity_rules import AnonymityRules
from sessions.anonymous.ids import ID_FORMS, NO_PATH, Ids
from sessions.anonymous.pseudonyms import Pseudonyms

_STORED = "vmx|vmxf|vmtx|vmdk|vmsd|vmsn|vmss|vmem|vswp|nvram|iso|flp"
"""Endings of files that belong to VMs: after a datastore, folders and names before them may hold spaces."""
_FORMS: tuple[tuple[str, str], ...] = (
    ("url", r"(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>|,;)\]}]*"),
    (
        "stored",
        rf"\[[^\[\]\n/]+\] (?:[^\[\]\n\"'<>|]*?\.(?:{_STORED})(?![\w-])|(?:[^{NO_PATH}]+/)+[^{NO_PATH}]*)",
    ),
    ("exported", rf"(?:(?<![\w.:/-])[\w.-]+)?:/(?!/)[^{NO_PATH}]*(?:/[^{NO_PATH}]*)*"),
    ("windows_path", rf"(?<!\w)[A-Za-z]:\\[^{NO_PATH}]+(?:\\[^{NO_PATH}]*)*"),
    ("windows_path", rf"\\\\[^{NO_PATH}]+(?:\\[^{NO_PATH}]*)+"),
    ("path", rf"(?<![\w./:%-])/(?:[^{NO_PATH}]+/)+[^{NO_PATH}]*|(?<![\w./:%-])/[^{NO_PATH}]{{3,}}"),
    ("user_at", r"(?<![\w.+-])[\w.+-]+@[\w.-]*\w"),
    ("domain_user", r"(?<![\w\\-])[A-Za-z][\w.-]*\\[\w.$-]+"),
)
_NOT_IN_LABELS = frozenset({"windows_path", "domain_user", "path"})


class Addresses:
    """Finds addresses in texts. What is a replacement already stays as it is."""

    def __init__(self, rules: AnonymityRules, pseudonyms: Pseudonyms) -> None:
        self._rules, self._pseudonyms = rules, pseudonyms
        self._ids = Ids(pseudonyms)
        by_name: dict[str, Callable[[str], str]] = {
            "url": self._url,
            "windows_path": self.path,
            "path": self.path,
            "stored": self._stored,
            "exported": self._exported,
            "user_at": self.user,
            "domain_user": self.user,
            "domain": self._domain,
            **self._ids.by_form,
        }
        forms = [*_FORMS, *ID_FORMS, *self._more_forms()]
        self._handlers = [by_name[name] for name, _ in forms]
        self._all = _joined(forms)
        without = [one for one in forms if one[0] not in _NOT_IN_LABELS]
        self._label_handlers = [by_name[name] for name, _ in without]
        self._in_label = _joined(without)

    def _more_forms(self) -> list[tuple[str, str]]:
        endings = "|".join(map(re.escape, self._rules.file_endings))
        domains = "|".join(map(re.escape, self._rules.domain_endings))
        return [
            ("path", rf"(?<![^{NO_PATH}])[^{NO_PATH}]+(?:/[^{NO_PATH}]+)*\.(?:{endings})(?![\w-])"),
            ("domain", rf"(?<![\w.@-])(?:[\w-]+\.)+(?:{domains})(?![\w.-])"),
        ]

    def replaced(self, text: str) -> str:
        """Return a text with its addresses and paths replaced."""
        return self._all.sub(lambda found: self._handlers[(found.lastindex or 1) - 1](found[0]), text)

    def in_label(self, text: str) -> str:
        r"""Return a source's own spelling of a series with its addresses replaced; its ``\`` are no paths."""
        return self._in_label.sub(
            lambda found: self._label_handlers[(found.lastindex or 1) - 1](found[0]), text
        )

    def user(self, name: str) -> str:
        """Return what a user is called instead; a domain before it is replaced, too."""
        domain, mark, own = name.partition("\\")
        if mark:
            return f"{self._named('domain', domain)}\\{self.user(own)}"
        own, mark, domain = name.partition("@")
        if mark:
            return f"{self.user(own)}@{self._named('domain', domain)}"
        return name if self._rules.keeps_user(name) else self._named("user", name)

    def path(self, path: str) -> str:
        """Return a path or file name of which only the product's own folders and files are left."""
        separator = "\\" if "\\" in path else "/"
        parts = path.split(separator)
        return separator.join([*(self._folder(one) for one in parts[:-1]), self.file(parts[-1])])

    def log(self, log: str, names: Mapping[str, str]) -> str:
        """Return a log that tells events, with its host if it says one: ``host-1: vmkernel.log``."""
        host, colon, file = log.rpartition(": ")
        called = names.get(host) or self._named("host", host)
        return f"{called}{colon}{self.file(file)}"

    def file(self, name: str) -> str:
        """Return what a file is called instead, with its ending: ``file-3.csv``."""
        if not name or self._is_kept(name, (*self._rules.kept_files, *self._rules.kept_folders)):
            return name
        changed = self._ids.of_part(name)
        if changed != name:
            return changed
        stem, dot, ending = name.rpartition(".")
        if dot and ending.lower() in self._rules.file_endings:
            return f"{self._named('file', stem)}.{ending}"
        return self._named("file", name)

    def _folder(self, name: str) -> str:
        if not name or re.fullmatch("[A-Za-z]:", name) or self._is_kept(name, self._rules.kept_folders):
            return name
        changed = self._ids.of_part(name)
        return changed if changed != name else self._named("folder", name)

    def _is_kept(self, name: str, globs: tuple[str, ...]) -> bool:
        return self._pseudonyms.has_given(name) or any(fnmatchcase(name, glob) for glob in globs)

    def _named(self, what: str, original: str) -> str:
        if not original or self._pseudonyms.has_given(original):
            return original
        return self._pseudonyms.of(what, original.lower() if what in ("domain", "user") else original)

    def _url(self, text: str) -> str:
        scheme, _, rest = text.partition("://")
        place, slash, path = rest.partition("/")
        who, mark, server = place.rpartition("@")
        user = f"{self.user(who)}{mark}" if mark else ""
        name, colon, port = server.rpartition(":")
        if not (colon and port.isdigit()):
            name, colon, port = server, "", ""
        return f"{scheme}://{user}{self._server(name)}{colon}{port}{slash}{self._rest(path)}"

    def _stored(self, text: str) -> str:
        """A file in a datastore: ``[datastore] folder/vm.vmx``; other texts in brackets are no datastores."""
        datastore, _, path = text[1:].partition("] ")
        is_given = self._pseudonyms.has_given(datastore)
        if not is_given and "/" not in path:
            return f"[{self.replaced(datastore)}] {self.replaced(path)}"
        if not is_given and path.rpartition(".")[2].lower() not in _STORED.split("|"):
            return f"[{self.replaced(datastore)}] {self.replaced(path)}"
        return f"[{self._named('datastore', datastore)}] {self._rest(path)}"

    def _exported(self, text: str) -> str:
        """A folder that a server exports over NFS: ``server:/folder``; or a path with ``/`` on Windows."""
        server, _, path = text.partition(":/")
        if len(server) == 1 and server.isalpha():
            return f"{server}:/{self._rest(path)}"
        named = server if not server or server.isdigit() else self._server(server)
        return f"{named}:/{self._rest(path)}"

    def _rest(self, path: str) -> str:
        parts = path.split("/")
        return "/".join([*map(self._folder, parts[:-1]), self.file(parts[-1])])

    def _server(self, name: str) -> str:
        replaced = self.replaced(name)
        return replaced if replaced != name else self._named("server", name)

    def _domain(self, text: str) -> str:
        return self._named("domain", text)


def _joined(forms: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    return re.compile("|".join(f"({form})" for _, form in forms))
