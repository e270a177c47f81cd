"""The report of the open session: what was chosen and put into it, and the report as it is now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.jobs import Job, JobRunner
from app.gui.report_choices import PutIn, WindowChoices
from app.gui.session_model import SessionModel
from resources.failures import HyperscopeError
from sessions.store import SessionReader

if TYPE_CHECKING:
    from app.gui.report_writing import WrittenReport
    from app.report_making import Asked
    from viewmodels.report.document import Report, Section

State = Literal["nothing", "writing", "ready", "failed", "cancelled"]
JOB, _SIZE = "report.write", "report.size"
_SOON_MS = 150


@dataclass(frozen=True, slots=True)
class ContentsRow:
    """A section in the list of contents; ``is_in`` if it stands in the report."""

    key: str
    title: str
    note: str
    is_in: bool


class ReportModel(QObject):
    """Signals: ``changed`` when the state, the choices or what was put in are others; ``arranged`` when
    ``report`` is another one; ``asked`` when the page is to come to the front; ``put`` with a message when
    something was put in. Between the page and the pane beside it: ``section_wanted`` with the key of a
    section that is to come in sight, ``section_seen`` with that of the one that is; ``save_wanted`` with
    "html", "pdf" or "paper" (to print it); ``laid`` with the number of pages (0: they are being laid out);
    ``saved`` with a path. ``left`` with the choices and what was put in, when a session is closed that has
    any.

    ``material`` returns what a report is to be about now, None without a session; ``author`` who prepared
    the last one, and so is proposed for the next.
    """

    changed = Signal()
    arranged = Signal()
    asked = Signal()
    put = Signal(str)
    section_wanted = Signal(str)
    section_seen = Signal(str)
    save_wanted = Signal(str)
    laid = Signal(int)
    saved = Signal(object)
    left = Signal(object, object)

    def __init__(self, session: SessionModel, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._jobs = session, jobs
        self.material: Callable[[PutIn], Asked | None] = lambda _put: None
        self.author: Callable[[], str] = lambda: ""
        self.state: State = "nothing"
        self.error: HyperscopeError | None = None
        self.choices = WindowChoices()
        self.put_in = PutIn()
        self.report: Report | None = None
        self.size = 0
        self._written: WrittenReport | None = None
        self._of: object = None
        self._made: object = None
        self._job: Job | None = None
        self._is_watched = False
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._arrange)
        session.opened.connect(lambda _snapshot: self._clear())
        session.closed.connect(self._clear)

    @property
    def has_grown(self) -> bool:
        """True if the session has other findings or samples than those that the report tells of."""
        return self.state == "ready" and self._of != self._basis()

    @property
    def whole(self) -> Report | None:
        """The report with all sections; None until it was written."""
        return self._written.report if self._written is not None else None

    @property
    def _usual(self) -> WindowChoices:
        return WindowChoices(author=self.author())

    @property
    def example(self) -> str:
        """A name and what stands for it; empty where names stay."""
        return self._written.example if self._written is not None else ""

    @property
    def progress(self) -> tuple[float | None, str]:
        """How far writing is, 0 to 1 or None, and what it does."""
        return (self._job.part, self._job.text) if self._job is not None else (None, "")

    def contents(self) -> list[ContentsRow]:
        """Return all sections that there are, in the order in which they stand."""
        from viewmodels.report.choices import usual  # noqa: PLC0415 - not at the start

        if self.whole is None:
            return []
        ticks, places = dict(self.choices.ticks), {key: at for at, key in enumerate(self.choices.order)}
        rows = [
            ContentsRow(one.key, *_heading(one), ticks.get(one.key, usual(one.key, self.choices.audience)))
            for one in self.whole.sections
        ]
        # What the order does not know stands where it usually does: behind what it comes after.
        at = 0
        ranks = {}
        for row in rows:
            at = places.get(row.key, at)
            ranks[row.key] = at
        return sorted(rows, key=lambda row: ranks[row.key])

    def watch(self, *, on: bool) -> None:
        """The page comes in sight, or goes: what it shows is written when it is looked at."""
        self._is_watched = on
        if on and self.state in ("nothing", "ready") and (self._written is None or self._made != self._key()):
            self.write()

    def write(self) -> None:
        """Write the report of the session as it is now."""
        from app.gui.report_writing import written  # noqa: PLC0415 - not at the start

        asked, whole = self.material(self.put_in), self._session.whole
        if asked is None or whole is None:
            return
        self.state, self.error, self._job = "writing", None, None
        basis, key, anonymise = self._basis(), self._key(), self.choices.anonymise

        def work(reader: SessionReader, job: Job) -> WrittenReport:
            self._job = job
            return written(reader, whole, asked, job, anonymise=anonymise)

        def done(found: WrittenReport) -> None:
            self._written, self._of, self._made = found, basis, key
            self.state = "ready"
            self._arrange()

        self._session.query(JOB, work, done, failed=self._fail, title="Writing the report")
        self.changed.emit()

    def cancel(self) -> None:
        """Stop writing; the report from before stays, if there is one."""
        self._jobs.cancel(JOB)
        if self.state == "writing":
            self.state = "cancelled"
            self.changed.emit()

    def choose(self, choices: WindowChoices) -> None:
        """Take other choices: the report is arranged anew, or written anew without or with names."""
        before, self.choices = self.choices, choices
        if choices.anonymise != before.anonymise:
            self.write()
        elif choices != before and self._written is not None:
            self._soon.start()  # somebody types: not with each letter

    def start_anew(self) -> None:
        """Forget what was chosen and put in."""
        self.choices, self.put_in = self._usual, PutIn()
        self.write()

    def take_up(self, choices: WindowChoices, put_in: PutIn) -> None:
        """Go on with what was chosen and put in when the session was open before."""
        self.choices, self.put_in = choices, put_in
        self.changed.emit()

    def put_more(self, put_in: PutIn, what: str) -> None:
        """Take what was put in together with more; ``what`` begins the sentence: "The chart is"."""
        if put_in == self.put_in:
            self.put.emit(f"{what} in the report already.")
            return
        self.put_in = put_in
        if self._is_watched:
            self.write()
        self.put.emit(f"{what} in the report.")
        self.changed.emit()

    def _arrange(self) -> None:
        """Put the sections together as they were chosen."""
        from viewmodels.report.choices import ReportChoices, arranged  # noqa: PLC0415 - not at the start

        self._soon.stop()
        found, choices = self._written, self.choices
        if found is None:
            return
        keys = tuple(row.key for row in self.contents() if row.is_in)
        remarks = [part for part in found.text(choices.remarks).split("\n") if part.strip()]
        wanted = ReportChoices(
            sections=keys,
            title=found.text(choices.title),
            author="" if choices.anonymise else choices.author,
            recipient="" if choices.anonymise else choices.recipient,
            remarks=tuple(remarks),
            look=choices.look,
        )
        report = arranged(found.report, wanted)
        if report != self.report:
            self.report, self.size = report, 0
            self._measure(report)
            self.arranged.emit()
        self.changed.emit()

    def _measure(self, report: Report) -> None:
        """Find out how large the HTML file will be."""
        from app.gui.report_writing import html_bytes  # noqa: PLC0415 - not at the start

        def done(size: int) -> None:
            self.size = size
            self.changed.emit()

        self._jobs.start(_SIZE, "Measuring the report", lambda _job: len(html_bytes(report)), done)

    def _basis(self) -> object:
        """What of the session a report tells of: other samples or findings make it old."""
        whole, asked = self._session.whole, self.material(self.put_in)
        if whole is None or asked is None:
            return None
        return whole.samples, tuple(asked.findings), len(whole.marks)

    def _key(self) -> object:
        """What makes a report another one, without the session having grown."""
        asked = self.material(self.put_in)
        return (self.put_in, self.choices.anonymise, asked.clock if asked is not None else None)

    def _fail(self, error: HyperscopeError) -> None:
        self.state, self.error = "failed", error
        self.changed.emit()

    def _clear(self) -> None:
        self._jobs.cancel(JOB)
        self._soon.stop()
        if (self.choices, self.put_in) != (self._usual, PutIn()):
            self.left.emit(self.choices, self.put_in)
        self._written, self.report, self._of, self._made, self.size = None, None, None, None, 0
        self.choices, self.put_in = self._usual, PutIn()
        self.state, self.error = "nothing", None
        self.arranged.emit()
        self.changed.emit()


def _heading(section: Section) -> tuple[str, str]:
    """Return title and note for a narrow list, in which two runs of one VM can be told apart."""
    kind, _, number = section.key.partition("-")
    if kind == "guided":
        return f"Guided run {number}: {section.title.partition(': ')[2]}", ""
    return section.title, section.note
