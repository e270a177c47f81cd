"""The pages on the window: shortcuts and settings, from the tables that its menus are drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from page_tables import lines, table

from app.gui import panels
from app.gui.actions import ACTIONS, ActionSpec
from app.gui.settings import SETTINGS, SettingSpec
from app.gui.shortcut_sheet import esxtop_key
from resources.catalogue import Catalogue, load_catalogue
from resources.views import Screen, load_screens
from viewmodels.scope_language import FORMS

SHORTCUTS_INTRO = """\
# Shortcuts

Every key of the window, drawn from the tables that its menus, the command palette (`Ctrl+K`) and the sheet of
shortcuts (`?`) are drawn from, by `docs/generate.py`: do not edit this page.

`Ctrl` is `Cmd` on macOS, `Alt` is `Option`. Keys of a view work while that view has the focus.
"""

SETTINGS_INTRO = """\
# Settings

Everything under File › Preferences (`Ctrl+,`), drawn from the table of settings by `docs/generate.py`: do not
edit this page.

They are kept as JSON in `settings.json` in the user's configuration folder: `%LOCALAPPDATA%\\hyperscope` on
Windows, `~/Library/Application Support/hyperscope` on macOS, `~/.config/hyperscope` on Linux. A setting that
is not in the file, or that has a value which it can't have, is at its standard. Passwords are never in it.
"""


SCOPE_INTRO = """\
# What the scope bar understands

The forms of what is typed into the scope bar (`Ctrl+L`, or a click on it) and into the command palette
(`Ctrl+K`), drawn from the table of the language by `docs/generate.py`: do not edit this page.

What was understood is said below the field before `Enter` does anything: `2 VMs · 02:40–02:55 · CPU ready`.
What is not understood gets one sentence with the nearest text, and changes nothing. `Esc` leaves everything
as it was, `Tab` completes. Times are those of the zone that the window shows. The field opens with the exact
text of the present scope, which can be sent to a colleague who has the same session.
"""


def scope_page() -> str:
    """docs/scope.md: the forms of the language with examples."""
    rows = ((form.form, f"`{form.example}`", form.meaning.replace("*", "\\*")) for form in FORMS)
    return f"{SCOPE_INTRO}\n{table(('What', 'Example', 'What it shows'), rows)}"


def shortcuts_page() -> str:
    """docs/shortcuts.md: actions by menu, panels, then the keys of each view."""
    parts = [SHORTCUTS_INTRO, "## Everywhere\n"]
    for menu in dict.fromkeys(spec.menu for spec in ACTIONS):
        own = [spec for spec in ACTIONS if spec.menu == menu]
        head = (menu or "Other", "Keys", "What it does")
        parts.append(table(head, ((clean(spec.title), keys(spec), spec.help) for spec in own)))
    shown = ((spec.title, keys_text(spec.keys), spec.help) for spec in panels.PANELS if spec.keys)
    parts.append(table(("Panel", "Keys", "What it does"), shown))
    catalogue = load_catalogue()
    view_keys = panels.view_keys(load_screens(catalogue))
    for spec in panels.PANELS:
        own = list(view_keys.get(spec.id, ()))
        if own:
            parts.append(f"## {spec.title}\n")
            parts.append(table(("In this view", "Keys"), ((clean(one.title), keys(one)) for one in own)))
    parts.append(esxtop_screens(catalogue))
    return "\n".join(parts)


def keys(spec: ActionSpec) -> str:
    """An action's keys; in the esxtop view as esxtop writes them: r and R."""
    written = map(esxtop_key, spec.keys) if spec.context == "esxtop" else spec.keys
    return keys_text(written) or "in the menu"


def keys_text(names: Iterable[str]) -> str:
    """Keys in a cell."""
    return " ".join(f"`{name}`" for name in names)


def clean(title: str) -> str:
    """A title without the dots that promise a dialog."""
    return title.rstrip("…")


def esxtop_screens(catalogue: Catalogue) -> str:
    """Screens of the esxtop view with their columns and sort keys."""
    head = ("Key", "Screen", "Columns, as esxtop calls them", "More with `f`", "Sort keys")
    rows = (screen_row(screen, catalogue) for screen in load_screens(catalogue))
    return "## Screens of the esxtop view\n\n" + table(head, rows)


def screen_row(screen: Screen, catalogue: Catalogue) -> tuple[str, ...]:
    """The cells of one screen."""
    sorts = (f"`{key}` {heading(counter, catalogue)}" for key, counter in screen.sort.items())
    title = f"{screen.title} ({screen.note})" if screen.note else screen.title
    return (
        f"`{screen.key}`",
        title,
        ", ".join(heading(counter, catalogue) for counter in screen.standard),
        ", ".join(heading(counter, catalogue) for counter in screen.more) or "–",
        lines(sorts),
    )


def heading(key: str, catalogue: Catalogue) -> str:
    """A counter as esxtop's screen has it, its label where esxtop has no name for it."""
    known = catalogue.get(key)
    return known.short or known.label if known else key


def settings_page() -> str:
    """docs/settings.md: all settings by group."""
    parts = [SETTINGS_INTRO]
    for group in dict.fromkeys(spec.group for spec in SETTINGS):
        rows = (setting_row(spec) for spec in SETTINGS if spec.group == group)
        parts.append(f"## {group}\n\n" + table(("Setting", "In the file", "Standard", "Can be", ""), rows))
    return "\n".join(parts)


def setting_row(spec: SettingSpec) -> tuple[str, ...]:
    """The cells of one setting."""
    return (spec.title, f"`{spec.key}`", value_text(spec, spec.default), lines(choices(spec)), spec.help)


def value_text(spec: SettingSpec, value: str | int | bool) -> str:
    """A value as the file has it."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int):
        return f"`{value}` {spec.unit}".rstrip()
    return f"`{value}`" if value else "empty"


def choices(spec: SettingSpec) -> Iterator[str]:
    """What a setting can be."""
    if spec.choices:
        yield from (f"`{value}`: {label}" for value, label in spec.choices)
    elif isinstance(spec.default, bool):
        yield "`true`, `false`"
    elif isinstance(spec.default, int):
        yield f"{spec.minimum} to {spec.maximum} {spec.unit}".rstrip()
    else:
        yield "a text"
