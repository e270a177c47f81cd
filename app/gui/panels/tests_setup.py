"""The pages on which a test is set up: choose, check and plan."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.gui.desk import Desk
from app.gui.plan_files import PlanFiles
from app.gui.test_places import Place
from app.testing.environments import guests_source
from resources.foreign_text import shown
from wizards.flows.check_result import CheckResult
from wizards.flows.choices import Offer, lengths_of, named_in
from wizards.flows.run_again import Again
from wizards.pages.check_plan import CheckPlanPage
from wizards.pages.choose import ChoosePage, Where
from wizards.pages.guests_choice import Guests


class SetupPages(QObject):
    """Connects the two pages with the test that is set up."""

    def __init__(self, desk: Desk, view: QWidget) -> None:
        super().__init__(view)
        self._desk, self._tests, self._view = desk, desk.tests, view
        self.choose, self.check_plan = ChoosePage(desk.theme), CheckPlanPage(desk.theme)
        self.files = PlanFiles(desk, view)
        self._again: Again | None = None
        tests, setup = self._tests, self._tests.setup
        setup.offered.connect(self._show_offer)
        setup.changed.connect(self._show_setup)
        setup.ready.connect(self._run)
        self.choose.changed.connect(self._choose)
        self.choose.entered.connect(self._enter)
        self.choose.other_password.connect(self._forget_password)
        self.choose.reach_chosen.connect(lambda reach: tests.set_up(tests.test, None, reach))
        self.choose.back.connect(tests.close)
        self.choose.next_wanted.connect(lambda: tests.open(tests.test, "check"))
        page = self.check_plan
        page.back.connect(lambda: tests.open(tests.test, "choose"))
        page.checked.connect(setup.check)
        page.started.connect(setup.start)
        page.saved.connect(lambda: self.files.ask_save(tests.test))
        page.copied.connect(lambda text: desk.notify(text, "ok"))
        page.save_wanted.connect(desk.save_file)
        page.length_chosen.connect(self.choose.choose_length)
        page.checks.again.connect(lambda _check: setup.check())
        page.checks.left_out.connect(self._leave_out)
        page.checks.shown_there.connect(self._show_objects)
        page.checks.login_wanted.connect(desk.recording.connect)

    def _show_offer(self) -> None:
        now, places = self._tests.setup.now, self._tests.places
        if now is None:
            return
        place = now.place
        offer = now.offer or Offer((), (), ("lab",) if place.reach == "lab" else ("quick", "full"))
        about = named_in(now.around, now.about) if now.around is not None else ()
        ticked = place.workers or tuple(one.name for one in offer.candidates if one.name in about)
        others = tuple(places.reaches(now.test))
        user = place.guest_user or places.guest_user
        self.choose.show_test(now.test, offer, Where(place.reach, others, place.addresses, user, ticked))
        is_new = now.again is not None and now.again is not self._again
        self._again = now.again
        if now.again is not None and is_new:  # once: what is typed from now on stays
            self.choose.show_chosen(now.chosen or now.again.chosen, with_inputs=True)
        elif now.chosen is not None:
            self.choose.show_chosen(now.chosen)
        self.check_plan.show_lengths(lengths_of(now.test, offer), offer.lengths[0])
        if now.chosen is not None and now.plan is not None and place.reach != "lab":
            self._choose()  # what was typed before the guests were asked stays chosen

    def _enter(self, guests: Guests) -> None:
        """Ask the guests that were chosen."""
        now, places = self._tests.setup.now, self._tests.places
        if now is None:
            return
        if guests.addresses:
            self._tests.setup.enter(Place(guests.addresses))
        else:
            places.guest_user = guests.user
            self._tests.setup.enter(Place(now.place.addresses, guests.vms, guests.user))

    def _forget_password(self, guests: Guests) -> None:
        """Have the password of a vCenter's guests asked for again, at once if VMs are ticked."""
        now = self._tests.setup.now
        if now is None or not now.place.addresses:
            return

        def forgotten() -> None:
            if guests.vms:
                self._enter(guests)
            else:
                self._desk.notify("It is asked for when you log in to the guests again.", "info")

        self._desk.recording.forget_password(guests_source(now.place.addresses[0], guests.user), forgotten)

    def _show_setup(self) -> None:
        setup = self._tests.setup
        now = setup.now
        if now is None:
            return
        step = now.step
        if setup.is_looking:
            step = "Asking the guests…" if now.place.workers else "Looking at what there is…"
        self.choose.show_cost(now.sheet, now.problem, step, now.taken)
        if now.sheet is not None:
            self.check_plan.show_plan(now.sheet)
        if now.chosen is not None:
            self.check_plan.show_chosen_length(now.chosen.length)
        checking = setup.is_checking or setup.is_looking
        self.check_plan.show_checks(now.checks, setup.when(), checking=checking, problem=now.problem)

    def _choose(self) -> None:
        problem = self.choose.input_problem
        if problem:
            self._tests.setup.refuse(problem)
        else:
            self._tests.setup.choose(self.choose.chosen)

    def _leave_out(self, check: str) -> None:
        found = self._check(check)
        if found is not None:
            self.choose.leave_out(found.leave_out)

    def _show_objects(self, check: str) -> None:
        """Show what was recorded of the objects that a check is about."""
        found, snapshot = self._check(check), self._desk.session.snapshot
        if found is None or snapshot is None:
            return
        refs = [ref for ref, entity in snapshot.entities.items() if entity.name in found.objects]
        if refs:
            self._desk.scope.set(self._desk.scope.scope.on(refs))
            self._desk.charts.release()
            self._desk.notify("Overview and Charts show what this check is about.", "info")
        else:
            self._desk.notify(f"The session has nothing called {shown(found.objects[0], 80)}.", "info")

    def _check(self, identity: str) -> CheckResult | None:
        now = self._tests.setup.now
        return next((one for one in now.checks if one.id == identity), None) if now is not None else None

    def _run(self, plan: Path) -> None:
        now = self._tests.setup.now
        if now is not None and now.plan is not None:
            self.files.confirm_and_run(plan, now.plan, now.test.title)
