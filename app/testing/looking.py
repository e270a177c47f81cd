"""What an environment has for a test, and the checks of a plan: read, never changed."""

from __future__ import annotations

from app.testing.messages import Found
from resources.guided_tests import GuidedTests
from wizards.flows.checks import checks_of
from wizards.flows.plan import Plan
from wizards.flows.sheets import present_settings
from wizards.flows.surroundings import look
from workloads.environment import Environment


def look_into(environment: Environment) -> Found:
    """Return what is there, and close the environment. Raises SourceError if it does not answer."""
    try:
        return Found(look(environment))
    finally:
        environment.close()


def check_in(environment: Environment, plan: Plan, known: GuidedTests) -> Found:
    """Return what is there now, all checks of a plan, and the present values of what it changes; close the
    environment.
    """
    try:
        around = look(environment)
        checks = tuple(checks_of(plan, around, environment, known))
        now = present_settings(plan, environment.settings)
    finally:
        environment.close()
    return Found(around, checks, tuple((of, name, value) for (of, name), value in now.items()))
