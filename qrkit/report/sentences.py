"""Holds every sentence that a report computes, whole and with named values, so that a catalog can translate it.

A pair is the form for one and the form for several; `say` chooses by the value `count`. `page.html.jinja` has the words
that stay the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from qrkit import languages
from qrkit.languages import Sentence

__all__ = ["GLOSSARY", "SENTENCES", "say"]

HEADLINES: Mapping[str, Sentence] = {
    "peak": "{day} brought {scans} scans, {times} times a usual day.",
    "peak_of": "{day} brought {scans} scans, {percent} of them for {name}.",
    "peak_then_fell": "{day} brought {scans} scans, {times} times a usual day. "
    "Without it, scans fell {percent} {against}.",
    "peak_then_rose": "{day} brought {scans} scans, {times} times a usual day. "
    "Without it, scans rose {percent} {against}.",
    "growing": "Scans have been growing by about {percent} a week throughout.",
    "falling": "Scans have been falling by about {percent} a week throughout.",
    "fell": "Scans fell {percent} {against}.",
    "rose": "Scans rose {percent} {against}.",
    "multiplied": "Scans grew to {times} times as many {against}.",
    "leads": "{name} brought {percent} of all scans.",
}
"""The finding that a page begins with."""

LEADS: Mapping[str, Sentence] = {
    "one_day": ("{count} scan.", "{count} scans."),
    "many_days": (
        "{count} scan in {days} days, about {rate} a day.",
        "{count} scans in {days} days, about {rate} a day.",
    ),
    "rate_without": "Without {days}, about {rate} a day.",
    "people_unknown": "The records don't show which of them look like people.",
    "people_all": "All of them look like people.",
    "people_between": "Between {likely} and {possible} visits look like people.",
}

PHRASES: Mapping[str, Sentence] = {
    "in_second_half": "in the second half, {period}",
    "in_second_half_alone": "in the second half",
    "compared_with": "compared with {period}",
    "fewer": "{percent} fewer",
    "more": "{percent} more",
    "as_many": "as many",
    "times_as_many": "{times} times as many",
    "almost_none": "over 99% fewer",
    "far_more": "over {times} times as many",
    "from_none": "more, from none",
    "change": "Change {against}",
    "likely_rate": "likely {low}\N{EN DASH}{high}",
    "likely_same_way": "likely {low}\N{EN DASH}{high}%",
    "likely_times": "likely {low}\N{EN DASH}{high} times",
    "likely_between": "likely between {low} and {high}",
    "likely_at_least": "likely at least {low}",
    "minutes": ("1 minute", "{count} minutes"),
    "hours": ("1 hour", "{count} hours"),
    "days": ("1 day", "{count} days"),
}
"""Values of sentences that are words themselves."""

TRENDS: Mapping[str, Sentence] = {
    "trend_fell": "Scans fell {percent} {against} ({range}).",
    "trend_rose": "Scans rose {percent} {against} ({range}).",
    "trend_multiplied": "Scans grew to {times} times as many {against} ({range}).",
    "trend_growing": "Scans have been growing by about {percent} a week throughout, so they went from {before} to "
    "{after} a day {against}.",
    "trend_falling": "Scans have been falling by about {percent} a week throughout, so they went from {before} to "
    "{after} a day {against}.",
    "trend_same": "Scans did not change by more than chance {against} ({range}).",
    "trend_unclear": "There were {change} scans a day {against}, but whether that is more than chance is unknown: "
    "{reason}.",
    "trend_from_none": "The change {against} is unknown, because there were no scans before.",
    "detectable": "A change of {percent} or more would have shown 4 times out of 5.",
    "detectable_times": "A change to {times} times as many would have shown 4 times out of 5.",
    "trend_season": "A year earlier, they changed alike at this time ({range}), so it may be the season.",
    "trend_beyond_season": "A year earlier, scans went from {before} to {after} a day at this time; the season does "
    "not explain the change.",
    "trend_without": "This leaves out {days}; counting every day, there were {change}.",
}

PARTS: Mapping[str, Sentence] = {
    "campaigns_unclear": "There are too few days to say whether a campaign changed by more than chance.",
    "qrcodes_unclear": "There are too few days to say whether a QR Code changed by more than chance.",
    "campaigns_same": "No campaign changed by more than chance would explain.",
    "qrcodes_same": "No QR Code changed by more than chance would explain.",
    "campaigns_in_total": "That is clear only in the total: no campaign has enough scans to show it.",
    "qrcodes_in_total": "That is clear only in the total: no QR Code has enough scans to show it.",
    "campaigns_more": (
        "1 other campaign also changed by more than chance would explain.",
        "{count} other campaigns also changed by more than chance would explain.",
    ),
    "qrcodes_more": (
        "1 other QR Code also changed by more than chance would explain.",
        "{count} other QR Codes also changed by more than chance would explain.",
    ),
    "part_changed": "{name}: {change}, from {before} to {after} scans a day ({range}).",
    "part_ended": "{name}: no more scans, down from {before} a day.",
    "content_changed": "{name} has led to {content} since {day}: {change}, from {before} to {after} scans a day "
    "({range}).",
    "content_ended": "{name} has led to {content} since {day}: no more scans, down from {before} a day.",
    "content_same": "{name} has led to {content} since {day}; its scans did not change by more than chance ({range}).",
    "content_unclear": "{name} has led to {content} since {day}; whether its scans changed by more than chance is "
    "unknown: {reason}.",
    "leads": "{name} leads with {scans} scans, ahead of {other} ({other_scans}) by more than chance would explain.",
    "leads_by_places": "{name} leads with {scans} scans, ahead of {other} ({other_scans}). The places may explain "
    "that: codes of one campaign differ as much.",
    "leads_perhaps": "{name} leads with {scans} scans, but its lead over {other} ({other_scans}) may be chance.",
    "leads_without": "Without {days}, that is {scans} to {other_scans}.",
    "leads_unclear": "{name} leads with {scans} scans; whether its lead over {other} ({other_scans}) is chance is "
    "unknown: {reason}.",
}

DAYS: Mapping[str, Sentence] = {
    "outage": "No code was scanned for {time}, {period}: the server did not answer.",
    "outages_more": (
        "The server did not answer another time, for {time}.",
        "The server did not answer {count} more times, for {time} in all.",
    ),
    "days_unknown": "Too few days had scans to tell what is unusual.",
    "days_usual": "No day stands out from the days around it.",
    "days_more": ("1 more day stood out.", "{count} more days stood out."),
    "day_unusual": (
        "{day} had {count} scan; {low} to {high} would be usual.",
        "{day} had {count} scans; {low} to {high} would be usual.",
    ),
    "burst_of_a_day": ("{day} had {count} scan, about {extra} more than usual.",
                       "{day} had {count} scans, about {extra} more than usual."),
    "burst": "A burst began on {day} and lasted {days} days. It brought {scans} scans, about {extra} more than usual.",
}  # fmt: skip

CODES: Mapping[str, Sentence] = {
    "many": "One visitor made {scans} of these scans within {time} on {day}. People hardly do.",
    "rhythm": (
        "A monitor seems to open {name} every minute. It made {scans} of these scans.",
        "A monitor seems to open {name} every {count} minutes. It made {scans} of these scans.",
    ),
    "night": "{scans} of these scans came within an hour of the night, on {day}, nearly all with the user agent "
    "{agent}. People hardly do that.",
    "unlike_people_more": (
        "{count} more scan hardly came from people.",
        "{count} more scans hardly came from people.",
    ),
    "silent": "{name} has had no scan since {day} ({rate} a day before). Has it been taken down?",
    "silent_more": (
        "1 more code has stopped being scanned.",
        "{count} more codes have stopped being scanned.",
    ),
    "experiment": "Experiment on {name}: {sentence}",
    "moved": "{name} went from {before} to {after} scans a day, unlike the other codes. Was it moved?",
    "moved_more": (
        "1 more code changed while the others did not.",
        "{count} more codes changed while the others did not.",
    ),
    "all_silent": "No code has been scanned since {day}. Do the short URLs still work?",
    "new": "{name} was scanned for the first time on {day}; since then, {rate} a day.",
    "new_more": ("1 more code is new.", "{count} more codes are new."),
    "first_scans": (
        "1 code created in this period was scanned, within {time}.",
        "{count} codes created in this period were scanned, typically within {time}.",
    ),
    "unscanned": "Not scanned in this period: {names}.",
    "unscanned_and_more": "Not scanned in this period: {names} and {count} more.",
    "half_life": (
        "Half of the scans of {name} came within {time} of its first one.",
        "A typical code got half of its scans within {time} of its first one ({count} codes).",
    ),
    "machines": "{percent} of {visits} visits were bots or link previews. They don't count as scans.",
}

FIGURES: Mapping[str, Sentence] = {
    "figure_up": "\N{BLACK UP-POINTING TRIANGLE}\N{NO-BREAK SPACE}{percent} {against}",
    "figure_down": "\N{BLACK DOWN-POINTING TRIANGLE}\N{NO-BREAK SPACE}{percent} {against}",
    "figure_times": "{times} times as many {against}",
    "figure_same": "unchanged {against}",
    "vs": "vs {period}",
    "a_day_vs": "a day vs {period}",
    "second_half": "in the second half",
    "every_day": "{change}, counting every day",
    "without_days": "{change}, without {days}",
    "imported": "and {imported} imported",
    "swept": "and {swept} kept only as counts",
    "imported_and_swept": "and {imported} imported and {swept} kept only as counts",
    "visitors": "recognized within a day",
    "visitors_of_some": "known for {known} of {scans} scans",
    "visitors_unknown": "not known",
    "of_all": "of {codes}",
    "busiest": ("{count} scan, a {weekday}", "{count} scans, a {weekday}"),
}

TABLES: Mapping[str, Sentence] = {
    "unknown": ("Not known for 1 scan ({percent}).", "Not known for {count} scans ({percent})."),
}

METHODS: Mapping[str, Sentence] = {
    "clock": "All days and hours are in the {zone} time zone.",
    "clock_utc": "All days and hours are in UTC.",
    "nothing_left_out": "Visits by bots, link previews and HEAD requests would not count as scans; none are recorded.",
    "left_out": "Not counted as scans: {kinds}.",
    "bot": ("1 visit by a bot", "{count} visits by bots"),
    "prefetch": ("1 link preview", "{count} link previews"),
    "head": ("1 HEAD request", "{count} HEAD requests"),
    "static": (
        "1 code is static. It opens its content directly, so its scans can't be tracked.",
        "{count} codes are static. They open their content directly, so their scans can't be tracked.",
    ),
    "imported_scans": (
        "1 scan came with imported records. When it happened is not known: it stands beside its code and is in no "
        "other number or chart.",
        "{count} scans came with imported records. When they happened is not known: they stand beside their codes and "
        "are in no other number or chart.",
    ),
    "swept_scans": (
        "1 scan of an earlier day is kept only as a count for that day, and is in no other number or chart.",
        "{count} scans of earlier days are kept only as counts per day, and are in no other number or chart.",
    ),
    "often": "Visitors with more than {number} scans on a day are left out: programs scan that often, people do not.",
    "visitor_days": "A visitor is recognized within one day only: someone who scans on two days counts twice.",
    "no_visitors": "The number of visitors is unknown because these scans carry nothing to identify a repeat visitor.",
    "unknown_attributes": "{names} of visitors are not known.",
    "people_counted": "A visit from a browser on a known device counts as human ({likely}). Visits from unknown "
    "devices, visitors with more than 50 scans on a day, and link previews with no later scan by the same visitor, may "
    "also be human ({possible} with them). "
    "Neither number is a limit: a bot that poses as a phone looks like a person here, and an unusual browser may be "
    "taken for a bot.",
    "small_groups": "Groups with fewer than {least} visitors or scans are hidden or added up, and with them some "
    "larger ones, so that no total reveals them. Scans of days with fewer than {least} are counted on a later day, or "
    "the last one before. The range of human scans is rounded to multiples of {least}.",
    "whole_days": "Only whole days are compared: {period}.",
    "ranges": "A likely range contains the true change in about 95 of 100 cases if a day depends only on the few days "
    "before it. It reflects how much days vary and how long ups and downs last, because scans come in clusters. From "
    "two weeks on, each day is compared with the same weekday. A slow drift, or a rare event that has not happened "
    "yet, is not in the range.",
    "down": "Days on which the server did not answer for an hour or more are left out of rates and comparisons.",
    "joint_ranges": "When several are compared, the ranges are widened so that 95% holds for all of them together.",
    "halves": "There is no earlier period to compare with, so the report compares the two halves.",
    "causes": "Changes over time can have many causes, such as weather, holidays, or your own actions. A range is for "
    "one look at a time fixed beforehand: if you look every day, chance alone shows a difference sooner or later.",
    "unusual_days": "A day is unusual when its scans are far above or below what the level, trend and weekdays of the "
    "surrounding weeks suggest. The more the other days vary, the further a day must lie from them. If nothing "
    "happened, fewer than 1 report in 10 mentions an unusual day, and fewer than 1 in 10 a burst. Bursts shorter than "
    "a day, and drifts over weeks, are not found.",
    "half_lives": "The time from a code's first scan in this period until half of its scans in the period had "
    "arrived. The value grows as long as scans keep coming in.",
}

GLOSSARY: Mapping[str, str] = {
    "Scan": "A visit to a short URL that counts: bots, link previews and HEAD requests do not.",
    "Visitor": "A device that scanned, counted once per day.",
    "Dynamic code": "A QR Code with a short URL. Its scans are counted, and its content can change after printing.",
    "Static code": "A QR Code that holds its content itself. Nobody can count its scans.",
    "Link preview": "A request by a messenger or browser that shows a page before anybody opens it.",
    "Likely range": "Where the true value lies in about 95 of 100 cases.",
    "More than chance": "A difference that days like these would rarely show if nothing had changed.",
    "Unusual day": "A day far above or below what the days around it suggest.",
    "Burst": "A run of days far above the days around it.",
    "Imported scans": "Scans that another tool counted before the codes came to qrkit.",
}
"""What the words of a report mean."""

SENTENCES: Mapping[str, Sentence] = {
    **{f"headline_{key}": form for key, form in HEADLINES.items()},
    **LEADS, **PHRASES, **TRENDS, **PARTS, **DAYS, **CODES, **FIGURES, **TABLES, **METHODS,
}  # fmt: skip
"""All of them by key."""


def say(key: str, count: int | None = None, /, **values: str) -> str:
    """Return a sentence with its values in the language of the report; see `qrkit.languages.say`."""
    return languages.say(SENTENCES[key], count, **values)
