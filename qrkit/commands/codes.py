"""Implements `qrkit list`, `show`, `add`, `set` and `remove`: the tracked QR Codes of a store, one by one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qrkit.commands.output import Status, complain, complaining, in_one_line, print_json, tell_of_local_urls
from qrkit.commands.parsing import Parser, add_fields, add_json, given_options
from qrkit.commands.printed_tables import Column, Row, Table, print_fields, print_picture
from qrkit.commands.stores import add_base_url, add_store, is_missing, opened
from qrkit.commands.terms import add_terms, json_list, terms_of
from qrkit.contents.cards import summary
from qrkit.errors import InvalidParameter, Problem, counted
from qrkit.languages import weekday_name
from qrkit.store.questions.scan_attributes import check_field_names
from qrkit.tracking.records import Location, QRCode, TermsFields
from qrkit.tracking.times import to_iso

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qrkit.portfolio import Portfolio
    from qrkit.tracking.redirect_rules import RedirectRule


CODE_HELP = "short code, short URL, name or ID"
CODES = Table(
    "QR Code",
    (
        Column("short_code", "Code", "bold cyan", is_whole=True),
        Column("name", "Name", shown=summary),
        Column("campaign", "Campaign", "dim"),
        Column("content", "Content", shown=summary),
        Column("scans", "Scans"),
        Column("template"),
        Column("tags"),
        Column("short_url"),
        Column("created"),
        Column("id"),
    ),
)
KEYS = ", ".join(column.key for column in CODES.columns)
ISSUES = "issues (reason, error)"
TERMS = [str(QRCode.model_fields[name].alias) for name in TermsFields.__annotations__]
FURTHER_KEYS = (
    "imported_scans, active_content, comment, address, latitude, longitude, is_dynamic, is_schedule_enabled, schedule, "
    f"fields, terms ({', '.join(TERMS)})"
)
TEXTS = {"name": "TEXT", "comment": "TEXT", "urlinfo": "TEXT", "template": "NAME"}
"""Fields of a record that have an option, with what stands for their values in the help."""
PLACES = {"address": "TEXT", "latitude": "N", "longitude": "N"}
"""Fields of a location that have an option."""


def define_list(one: Parser) -> None:
    """Define the command `list`."""
    one.add_argument("search", nargs="?", default="", metavar="SEARCH", help="text to search for (default: list all)")
    one.add_argument("--campaign", metavar="NAME", help="only those of this campaign")
    add_filters(one, "those with")
    one.add_argument("--limit", type=_count, metavar="N", help="list at most N QR Codes, oldest first (default: all)")
    add_store(one)
    CODES.add_options(one)
    one.set_defaults(run=_list)


def define_show(one: Parser) -> None:
    """Define the command `show`."""
    one.add_argument("code", metavar="CODE", help=CODE_HELP)
    _add_output(one)
    add_store(one)
    add_json(one, f"{KEYS}, {FURTHER_KEYS}")
    one.set_defaults(run=_show)


def define_add(one: Parser) -> None:
    """Define the command `add`."""
    one.add_argument("content", metavar="CONTENT", help="where the short URL leads: a URL, or text to show")
    _add_output(one)
    add_fields(one, lambda: QRCode, {"short_code": "CODE"})
    _add_changes(one, is_new=True)
    marker = "leave out the ?q in the picture, which tells its scans from clicks on the short URL"
    one.add_argument("--no-scan-marker", dest="scan_marker", action="store_false", default=None, help=marker)
    one.add_argument("--static", action="store_true", help="the picture encodes CONTENT itself; no scans are counted")
    add_base_url(one)
    add_json(one, f"{KEYS}, {ISSUES}")
    one.set_defaults(run=_add)


def define_set(one: Parser) -> None:
    """Define the command `set`."""
    one.add_argument("codes", nargs="*", metavar="CODE", help=CODE_HELP)
    one.add_argument("--all", action="store_true", help="change all QR Codes")
    one.add_argument("--of-campaign", metavar="NAME", help="change all QR Codes of this campaign")
    content = one.add_mutually_exclusive_group()
    content.add_argument("--content", metavar="TEXT", help="where the short URLs lead from now on")
    fix = "complete contents such as www.example.com and <https://example.com>, if only one reading makes sense"
    content.add_argument("--fix-urls", action="store_true", help=fix)
    one.add_argument("--preview", action="store_true", help="show what would be changed, and change nothing")
    _add_changes(one, is_new=False)
    one.add_argument("--no-tag", action="append", default=[], metavar="TAG", help="remove a tag")
    add_json(one, f"{KEYS}, {ISSUES}", each="QR Code")
    one.set_defaults(run=_set)


def define_remove(one: Parser) -> None:
    """Define the command `remove`."""
    one.add_argument("codes", nargs="+", metavar="CODE", help=CODE_HELP)
    one.add_argument("--yes", action="store_true", help="do not ask")
    add_store(one)
    add_json(one, KEYS, each="QR Code")
    one.set_defaults(run=_remove)


def _add_output(one: Parser) -> None:
    picture = "also save its picture as this file; the suffix sets the format"
    one.add_argument("-o", "--output", type=Path, metavar="FILE", help=picture)


def _add_changes(one: Parser, *, is_new: bool) -> None:
    """Add the options that new and existing QR Codes have in common, and `--no-schedule` for existing ones."""
    add_fields(one, lambda: QRCode, TEXTS)
    one.add_argument("--campaign", metavar="NAME", help="name of the campaign, see `qrkit campaign`")
    add_fields(one, lambda: Location, PLACES)
    one.add_argument("--tag", action="append", default=[], metavar="TAG", help="add a tag; repeat it for several")
    field = "a field of yours, such as City=Graz; repeat it for several"
    more = "" if is_new else "; without TEXT, it is removed"
    one.add_argument("--field", action="append", default=[], metavar="NAME=TEXT", help=field + more)
    schedule = one.add_mutually_exclusive_group()
    events = "changes of the content, as JSON or a JSON file: objects with date, content and, to repeat, recurrence"
    schedule.add_argument("--schedule", metavar="JSON", help=events)
    if not is_new:
        schedule.add_argument("--no-schedule", action="store_true", help="remove scheduled changes")
    add_terms(one)
    add_store(one)


def add_filters(one: Parser, what: str) -> None:
    """Add the options that filter by a tag and by fields."""
    one.add_argument("--tag", action="append", metavar="TAG", help=f"only {what} this tag, or one of several")
    field = f"only {what} this text in a field of yours, such as City=Graz"
    one.add_argument("--field", action="append", default=[], metavar="NAME=TEXT", help=field)


def fields_of(given: Sequence[str], option: str = "--field", example: str = "City=Graz") -> dict[str, str]:
    """Return the fields that options ask for, each a name and a text, such as the example."""
    fields: dict[str, str] = {}
    for one in given:
        name, sign, text = one.partition("=")
        if not sign or not name.strip():
            raise InvalidParameter(Problem(option, one, f"must be a name and a text, such as {example}"))
        if name.strip() in fields:
            raise InvalidParameter(Problem(option, one, "names a field for the second time", "duplicate-parameter"))
        fields[name.strip()] = text
    return fields


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, 1 or more")
    return int(text)


# What is printed


def code_rows(portfolio: Portfolio, codes: Sequence[QRCode]) -> list[Row]:
    """Return what lists tell of QR Codes, by the keys of `CODES`."""
    campaigns = {campaign.id: campaign.name for campaign in portfolio.list_campaigns()}
    own = ("short_code", "name", "content", "scans", "template", "short_url", "id")
    return [
        {name: getattr(code, name) for name in own}
        | {"campaign": campaigns.get(code.campaign_id or "", ""), "created": to_iso(code.created)}
        | {"tags": ", ".join(code.tags)}
        for code in codes
    ]


def _tell(
    asked: argparse.Namespace,
    portfolio: Portfolio,
    codes: Sequence[QRCode],
    what: str,
    issues: Sequence[Mapping[str, str]] | None = None,
) -> None:
    """Print what was done with QR Codes: a line for each, without secrets, or JSON, also with issues if given."""
    further = {} if issues is None else {"issues": list(issues)}
    for code, row in zip(codes, code_rows(portfolio, codes), strict=True):
        if asked.json:
            print_json(**CODES.record(row), **further)
        else:
            words = {name: in_one_line(summary(str(value))) for name, value in row.items()}
            print(what.format(off=_closed(code, portfolio), **words))


def _closed(code: QRCode, portfolio: Portfolio) -> str:
    """Return in brackets why a QR Code leads nowhere now: it is switched off, or outside of its times; else ""."""
    since, until, now = code.valid_since, code.valid_until, portfolio.now()
    early = f"not before {to_iso(since)}" if since and now < since else ""
    late = f"not after {to_iso(until)}" if until and until <= now else ""
    reason = (early or late) if code.active else "switched off"
    return f" ({reason})" if reason else ""


def _warn(asked: argparse.Namespace, codes: Sequence[QRCode]) -> list[dict[str, str]]:
    """Warn of a new content that only looks like a web address, as an import does; return the warning as an issue."""
    from qrkit.contents.suspicious_links import link_warning

    is_new = asked.content is not None and any(code.is_dynamic for code in codes)
    warning = link_warning(asked.content) if is_new else ""
    if not warning:
        return []
    complain(asked.command, warning)
    return [{"reason": "suspicious-url", "error": f"suspicious-url: {warning}"}]


def _list(asked: argparse.Namespace) -> None:
    with opened(asked, to_read=True) as portfolio:
        campaign_id = portfolio.find_campaign(asked.campaign).id if asked.campaign is not None else None
        codes = portfolio.search_qrcodes(asked.search, campaign_id=campaign_id)
        fields = fields_of(asked.field).items()
        check_field_names(dict(fields), portfolio.scans)
        found = [code for code in codes if fields <= code.fields.items() and _has_tag(code, asked.tag)]
        CODES.print(asked, code_rows(portfolio, found[: asked.limit]))
    if not found:
        filters = {
            "contains this text": asked.search,
            "is in this campaign": asked.campaign,
            "has this tag": asked.tag,
            "has this value of the field": asked.field,
        }
        given = " and ".join(what for what, value in filters.items() if value)
        complain("list", f"no QR Code {given}" if given else "no QR Codes yet; `qrkit add` creates one")
    elif len(found) > (asked.limit or len(found)):
        complain("list", f"{len(found) - asked.limit:,} more are left out")


def _has_tag(code: QRCode, tags: Sequence[str] | None) -> bool:
    return not tags or not set(tags).isdisjoint(code.tags)


def _show(asked: argparse.Namespace) -> None:
    from qrkit.store.records.searching import imports
    from qrkit.tracking.schedule import active_content

    with opened(asked, to_read=True) as portfolio:
        code = portfolio.find_qrcode(asked.code)
        imported, _ = imports(portfolio.store, [code.id]).get(code.id, (0, None))
        (row,) = code_rows(portfolio, [code])
        schedule = code.schedule if code.is_schedule_enabled else ()
        active = active_content(code.content, schedule, portfolio.now())
        _save_picture(asked, portfolio, code)
        if asked.json:
            print_json(**CODES.record(row), imported_scans=imported, **_further(code, active))
            return
        print_fields(summary(code.name), _fields(code, row, active, imported))
        if sys.stdout.isatty() and code.is_available:
            print_picture(portfolio.image(code).to_text("binary"))


def _further(code: QRCode, active: str) -> dict[str, Any]:
    """Return what JSON says about a single QR Code beyond the columns of a list: the names of `FURTHER_KEYS`."""
    return {
        "active_content": active,
        "comment": code.comment,
        **{name: getattr(code.location, name) for name in PLACES},
        "is_dynamic": code.is_dynamic,
        "is_schedule_enabled": code.is_schedule_enabled,
        "schedule": [event.model_dump(mode="json") for event in code.schedule],
        "fields": dict(code.fields),
        "terms": _terms(code),
    }


def _terms(code: QRCode) -> dict[str, Any]:
    """Return the rules, limits and times of a QR Code that it has; of a password, only that there is one."""
    known = code.model_dump(mode="json", by_alias=True)
    return {name: True if name == "password" else known[name] for name in TERMS if name in known}


def _told(rule: RedirectRule) -> str:
    variants = [f"{one.name} ({one.weight}) {summary(one.content)}" for one in rule.variants]
    return ", ".join(variants) or summary(rule.content)


def _fields(code: QRCode, row: Row, active: str, imported: int) -> dict[str, str]:
    """Return the details of a QR Code to print, by their labels."""
    events = [
        f"{to_iso(event.date)} {_recurrence(event.recurrence)}: {summary(event.content)}" for event in code.schedule
    ]
    state = "" if code.is_schedule_enabled else "off; "
    place = code.location
    degrees = f"{place.latitude}, {place.longitude}" if None not in (place.latitude, place.longitude) else ""
    return {
        "short URL": code.short_url if code.is_dynamic else "none: the picture encodes the content",
        "content": summary(code.content),
        "now leads to": summary(active) if active != code.content else "",
        "schedule": state + "; ".join(events) if events else "",
        **{f"rule {number}": f"{rule}: {_told(rule)}" for number, rule in enumerate(code.rules, start=1)},
        "switched off": "" if code.active else "yes",
        "not before": to_iso(code.valid_since) if code.valid_since else "",
        "not after": to_iso(code.valid_until) if code.valid_until else "",
        "limit": counted(code.limit, "scan") if code.limit else "",
        "limit a day": counted(code.limit_a_day, "scan") if code.limit_a_day else "",
        "otherwise": summary(code.otherwise),
        "password": "asked for" if code.password else "",
        "passes its query on": {None: "", True: "yes", False: "no"}[code.pass_query],
        "click ID": code.click_id,
        "campaign": row["campaign"],
        "template": code.template,
        "scans": f"{code.scans:,}" + (f" ({imported:,} imported)" if imported else ""),
        "tags": row["tags"],
        **{f"{name} (field)": summary(text) for name, text in code.fields.items()},
        "comment": code.comment,
        "address": place.address,
        "degrees": degrees,
        "created": row["created"],
        "id": code.id,
    }


def _recurrence(number: int) -> str:
    return f"every {weekday_name(number)}" if number else "once"


# What is done


def _changes(asked: argparse.Namespace, portfolio: Portfolio) -> dict[str, Any]:
    """Return the arguments of `insert_qrcode` and `update_qrcode` that the options ask for."""
    given = given_options(asked, TEXTS)
    if asked.campaign is not None:
        given["campaign_id"] = portfolio.find_campaign(asked.campaign).id if asked.campaign else ""
    if place := given_options(asked, PLACES):
        given["location"] = place
    if asked.schedule is not None:
        events = json_list("schedule", asked.schedule, "objects with date and content")
        given |= {"schedule": events, "is_schedule_enabled": True}
    elif "no_schedule" in asked and asked.no_schedule:
        given |= {"schedule": [], "is_schedule_enabled": False}
    if fields := fields_of(asked.field):
        given["fields"] = fields
    return given | terms_of(asked)


def _add(asked: argparse.Namespace) -> None:
    from qrkit.drawing.writers import format_of_file
    from qrkit.portfolio import open_portfolio

    if asked.output:
        format_of_file(asked.output)
    if is_missing(asked.store):
        # Try it in memory first, so that an invalid option does not leave a new, empty store behind.
        with open_portfolio(":memory:", base_url=asked.base_url) as trial:
            _insert(asked, trial)
    with opened(asked) as portfolio:
        with portfolio.store.atomic():  # nothing is added if the picture cannot be drawn or written
            code = _insert(asked, portfolio)
            _save_picture(asked, portfolio, code)
        tell_of_local_urls("add", portfolio)
        _tell(asked, portfolio, [code], "{short_url}" if code.is_dynamic else "{short_code}", _warn(asked, [code]))


def _save_picture(asked: argparse.Namespace, portfolio: Portfolio, code: QRCode) -> None:
    """Write the picture of a QR Code to the file that was asked for, if any."""
    if asked.output:
        with complaining(asked.command):
            portfolio.image(code).save(asked.output)


def _insert(asked: argparse.Namespace, portfolio: Portfolio) -> QRCode:
    changes = _changes(asked, portfolio) | {"short_code": asked.short_code or "", "is_dynamic": not asked.static}
    changes |= {"tags": asked.tag, "scan_marker": asked.scan_marker}
    return portfolio.insert_qrcode(asked.content, **changes | {"campaign_id": changes.get("campaign_id") or None})


def _set(asked: argparse.Namespace) -> None:
    with opened(asked, must_exist=True) as portfolio, portfolio.store.atomic():
        changes = _changes(asked, portfolio) | ({} if asked.content is None else {"content": asked.content})
        if not (changes or asked.fix_urls or asked.tag or asked.no_tag):
            raise InvalidParameter(Problem("options", None, "must say what to change, such as --content"))
        found = _chosen(asked, portfolio)
        if "name" in changes and len(asked.codes) != 1:
            raise InvalidParameter(Problem("name", asked.name, "is only for one CODE: names tell QR Codes apart"))
        wanted = {code.id: changes | _fixed(code, asked) | _tagged(code, asked) for code in found}
        if asked.preview:
            seen = {"content", "active", "valid_since", "valid_until"}
            told = [(code, own.keys() & seen, own) for code in found if (own := wanted[code.id])]
            codes = [code.replace(**{name: own[name] for name in names}) for code, names, own in told]
        else:
            codes = [portfolio.update_qrcode(id, **own) for id, own in wanted.items() if own]
        leads = "would lead" if asked.preview else "leads"
        _tell(asked, portfolio, codes, f"{{short_code}}: {{name}} {leads} to {{content}}{{off}}", _warn(asked, codes))
    if not codes:
        complain("set", "no content can be completed" if found else "there are no such QR Codes")


def _chosen(asked: argparse.Namespace, portfolio: Portfolio) -> list[QRCode]:
    """Return the QR Codes that a command is to change."""
    if bool(asked.codes) + asked.all + (asked.of_campaign is not None) != 1:
        given = " ".join(asked.codes) or None
        raise InvalidParameter(Problem("codes", given, "must be CODEs; without them, use --all or --of-campaign NAME"))
    if asked.codes:
        return [portfolio.find_qrcode(code) for code in asked.codes]
    return portfolio.list_qrcodes(campaign_id=None if asked.all else portfolio.find_campaign(asked.of_campaign).id)


def _tagged(code: QRCode, asked: argparse.Namespace) -> dict[str, Any]:
    """Return the tags of a QR Code with those added and removed that the options name; empty if they name none."""
    if not asked.tag and not asked.no_tag:
        return {}
    return {"tags": [tag for tag in (*code.tags, *asked.tag) if tag not in asked.no_tag]}


def _fixed(code: QRCode, asked: argparse.Namespace) -> dict[str, Any]:
    """Return the content of a QR Code with its web address completed; empty if there is nothing to complete."""
    from qrkit.contents.suspicious_links import meant_url

    url = meant_url(code.content) if asked.fix_urls and code.is_available and code.is_dynamic else ""
    return {"content": url} if url else {}


def _remove(asked: argparse.Namespace) -> Status:
    with opened(asked, must_exist=True) as portfolio:
        codes = list({code.id: code for code in map(portfolio.find_qrcode, asked.codes)}.values())
        names = ", ".join(f"{code.short_code} ({summary(code.name)})" for code in codes)
        if not asked.yes and not confirm(f"Remove {names}? Printed codes will lead nowhere, for good."):
            complain("remove", "nothing was removed")
            return Status.REFUSED
        with portfolio.store.atomic():
            for code in codes:
                portfolio.delete_qrcode(code.id)
        _tell(asked, portfolio, codes, "{short_code}: removed")
    return Status.DONE


def confirm(question: str) -> bool:
    """Ask a question on the terminal and return whether the answer was yes."""
    if not sys.stdin.isatty():
        raise InvalidParameter(Problem("--yes", None, "is required, because there is no terminal to ask you in"))
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
