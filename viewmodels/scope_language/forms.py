"""The forms of the language with examples: the table that help and docs are drawn from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """A form: how it is written, an ``example``, and what it shows."""

    form: str
    example: str
    meaning: str


FORMS: tuple[Form, ...] = (
    Form("a name", "db-prod", "That VM, host, datastore, device …; part of a name is enough if one fits."),
    Form("several names", "web03, web04", "All of them. A comma keeps two names apart."),
    Form('"a name"', '"02:50"', "Exactly that name, whatever else it could mean; quotes within are doubled."),
    Form("a path", "esx03.lab › db-prod › vCPU 2", "The part of that VM on that host; > does as well as ›."),
    Form("kind:pattern", "VM:db*", "All of a kind whose names match; * is any text, ? one character."),
    Form("a kind", "hosts", "All hosts; also VMs, datastores, devices, uplinks, adapters, vCPUs, disks …"),
    Form(
        "… on a name", "VM:db* on esx03", "Those of them that are on that host, or below it in another way."
    ),
    Form("all", "all", "Everything; alone, over the whole session."),
    Form("a time", "02:50", "Pins that moment; without a date the one nearest to what is shown."),
    Form(
        "a date and time",
        "2026-11-21 02:40",
        "Pins that moment; also 21 Nov 02:40, and with a zone: …T02:40Z.",
    ),
    Form("from–to", "02:40–02:55", "That window; a hyphen will do: 02:40-02:55."),
    Form("a date", "2026-11-21", "That day."),
    Form("-length", "-15m", "The newest 15 minutes, moving on while samples come; s, m, h and d."),
    Form("last length", "last 1h", "The same in words."),
    Form("whole session", "db-prod whole session", "From the first sample to the last."),
    Form("counter name", "ready web03", "A chart of that counter; esxtop's names will do: %RDY web03."),
    Form("source:name", "source:esx01.lab", "Only what that source recorded; source:* for all."),
    Form("id:kind/key", "id:vm/5012-aa", "One entity by its key, where several have the same name and path."),
    Form("several of these", "VM:db* ready -15m", "All at once, in any order."),
)
