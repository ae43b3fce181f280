"""Filters and pages the QR Codes of a portfolio for the browser widget: `Catalogue`. Independent of any browser."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from qrkit.charts.sparklines import sparkline
from qrkit.contents.cards import summary
from qrkit.contents.suspicious_links import link_warning
from qrkit.design.design import Design
from qrkit.errors import InvalidParameter, NotFound, Problem, QrkitError, nearest, renaming
from qrkit.languages import translated
from qrkit.model import plain
from qrkit.notebook.views.tracking import code_image
from qrkit.paper.label_pages import SheetSettings
from qrkit.pictures.printing import PrintSize
from qrkit.portfolio import Portfolio
from qrkit.portfolio.code_designs import CodeDesigns
from qrkit.portfolio.code_sets import MOST_IN_SET, code_sheet
from qrkit.portfolio.many_codes import EditedQRCodes
from qrkit.portfolio.trackable import check_change
from qrkit.store.questions.column_copy import columns
from qrkit.store.questions.local_time import local_time
from qrkit.store.questions.time_zones import stretches_of
from qrkit.store.records.searching import ORDERS, Search, imports
from qrkit.tracking.names import tidy_name
from qrkit.tracking.records import DERIVED, QRCode, TermsFields
from qrkit.tracking.short_urls import leads_to_this_machine
from qrkit.tracking.times import from_iso, zone_of
from qrkit.visits.sample_visitors import sample_request

NEW_CAMPAIGN = "new_campaign"
"""The field with the name of a campaign that is added, unless there is one of this name, in place of `campaign_id`."""

OF_ONE_CODE = {"id", "name", "short_code", "created", "scans", *DERIVED}
"""Fields that a copy of a QR Code does not share."""
DECIDING = ("content", "is_schedule_enabled", "schedule", *(TermsFields.__annotations__.keys() - {"password"}))
"""Fields that decide where a test request leads, which is sent as if the password had been typed."""
EDITED = ("name", "comment", "campaign_id", "template", "password", *DECIDING)
"""Fields that users can edit."""
EDITED_TOGETHER = ("template", "campaign_id", NEW_CAMPAIGN, "rules_of_campaigns", "find", "replace")
"""Fields of an edit of many QR Codes."""

MOST_ROWS = 20
"""Rows per page."""
SPARK_DAYS = 30
"""Days covered by a sparkline."""
FEW_COLUMNS = 4
"""Columns that are shown unless others are chosen."""
FIELD = "field:"
"""What stands before the name of a field in the name of its column, and in `order`."""
SHEETS = {"sheet": "labels.pdf", "page": "labels.svg"}
"""Kinds of downloads that are labels, and their files."""
LONGEST_CELL = 120
MOST_WORDS = 8
MOST_SAMPLES = 4
"""Changes of contents that a preview shows."""
DRAWING_SECONDS = 0.06
"""Time to draw thumbnails for one answer, so that the next key does not wait for all of them."""
MOST_THUMBNAILS = 500
"""Thumbnails kept in memory."""

Scanned = tuple[list[int], date, date]
"""The scans of each of the last days, and the days of the first and the last scan."""
PER_DAY = """
SELECT
    qrcode_id, date_diff('day', $first::DATE, greatest(day, $first::DATE - 1)) AS day, count(*) AS scans,
    min(day) AS since, max(day) AS last
FROM (SELECT qrcode_id, {local}::DATE AS day FROM lean) days
WHERE qrcode_id IN (SELECT unnest($ids::VARCHAR[])) GROUP BY ALL
"""


class Catalogue:
    """The current view of a portfolio: filters, a page of rows, a selection, and one chosen code.

    Attributes:
        order: What the codes are sorted by, one of `ORDERS` or `field:` and the name of a field; `-` turns it around.
        only: "silent" for the codes that have stopped being scanned, "unscanned" for those without scans; "" for all.
        words: Search words; a code matches if its name, content, comment, address or short URL contains all of them.
        page: Page number from 0.
        columns: The columns beside name and scans; None for the first ones of those there are.
        selected: IDs of the codes to edit together, in the order of their selection.
        has_all: Whether all codes that match the filters are selected.
    """

    def __init__(self, portfolio: Portfolio) -> None:
        self.portfolio = portfolio
        self.words, self.campaign, self.page, self.chosen = "", "", 0, ""
        self.order, self.only = "added", ""
        self.columns: Sequence[str] | None = None
        self._ids: tuple[str, ...] | None = None
        self.selected: dict[str, None] = {}
        self.has_all = False
        self._thumbnails: dict[str, str] = {}
        self._shown: list[QRCode] = []
        self._state: dict[str, Any] = {"rows": []}
        self.reload()

    def reload(self) -> None:
        """Read the current campaigns, templates and looks of the portfolio."""
        self._designs = CodeDesigns.of(self.portfolio.store, self.portfolio.account.id)
        self._read_campaigns()
        if self.campaign not in self._campaigns:
            self.campaign = ""
        self._ids = self._ids_of(self.only)
        has_tags = any(code.tags for code in self.portfolio.search_page(Search(order="tags"), limit=1)[1])
        fields = [f"{FIELD}{name}" for name in self.portfolio.scans.field_names()]
        self._all_columns = ["campaign", *(["tags"] if has_tags else []), *fields]

    def _read_campaigns(self) -> None:
        self._campaigns = {campaign.id: campaign.name for campaign in self.portfolio.list_campaigns()}

    # ---- Finding and selecting

    def filter(self, **given: str) -> None:
        """Show other codes: words, campaign, order and only, as the attributes say. What is not given stays."""
        order = given.get("order", "added").removeprefix("-").partition(":")[0]
        if order not in ORDERS:
            raise InvalidParameter(Problem("order", order, nearest(order, ORDERS)))
        if "only" in given:
            self._ids = self._ids_of(given["only"])
        for name, value in given.items():
            setattr(self, name, value)
        self.page, self.has_all = 0, False

    def _ids_of(self, only: str) -> tuple[str, ...] | None:
        return tuple(self.portfolio.silent()["qrcode_id"]) if only == "silent" else None

    def select(self, ids: Sequence[str], *, is_on: bool) -> None:
        """Select these codes for an edit, or take them out of the selection."""
        if self.has_all:
            self.selected, self.has_all = dict.fromkeys(self._all_ids()), False
        for id in ids:
            if is_on:
                self.selected[id] = None
            else:
                self.selected.pop(id, None)

    def select_all(self, *, is_on: bool) -> None:
        """Select all codes that match the filters, or none."""
        self.selected, self.has_all = {}, is_on

    def _search(self) -> Search:
        words = tuple(map(self.portfolio.searchable, self.words.split()[:MOST_WORDS]))
        order, _, field = self.order.partition(":")
        return Search(words, self.campaign or None, self._ids, "", order, field, self.only == "unscanned")

    def _selection(self, content: str = "") -> Search:
        found = self._search() if self.has_all else Search(ids=tuple(self.selected))
        return replace(found, content=content)

    def _all_ids(self, content: str = "") -> list[str]:
        return [code.id for code in self.portfolio.search_page(self._selection(content))[1]]

    # ---- Changing

    def add(self, fields: Mapping[str, str]) -> None:
        """Add a code and choose it. Its fields are content, name, and campaign_id or `NEW_CAMPAIGN`."""
        with self.portfolio.store.atomic():
            given = self._with_campaign(fields)
            code = self.portfolio.insert_qrcode(**{**given, "campaign_id": given.get("campaign_id") or None})
        self.chosen = code.id
        self._read_campaigns()

    def duplicate(self) -> None:
        """Add a code with the fields of the chosen one and a short code of its own, and choose it."""
        code = self.portfolio.get_qrcode(self.chosen)
        fields = {name: getattr(code, name) for name in type(code).model_fields if name not in OF_ONE_CODE}
        self.chosen = self.portfolio.insert_qrcode(name=f"{code.name} (copy)", **fields).id

    def save(self, changes: Mapping[str, Any]) -> EditedQRCodes:
        """Change the chosen code, and return what `Portfolio.undo_edit` needs to undo that; an error changes nothing.

        `changes` has some of the fields in `EDITED`, as `Portfolio.update_qrcode` accepts them, or `NEW_CAMPAIGN`.
        """
        before = self.portfolio.get_qrcode(self.chosen)
        given = {name: changes[name] for name in (*EDITED, NEW_CAMPAIGN) if name in changes}
        with self.portfolio.store.atomic():
            after = self.portfolio.update_qrcode(self.chosen, **self._with_campaign(given))
        self._read_campaigns()
        return EditedQRCodes.of([(before, after)])

    def warning(self) -> str:
        """Return a sentence if the content of the chosen code looks like an address, but is none; else ""."""
        code = self.portfolio.get_qrcode(self.chosen)
        warning = link_warning(code.content) if code.is_dynamic else ""
        return warning and f"{code.name}: {warning}{'' if warning.endswith('?') else '.'}"

    def _with_campaign(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return fields with the ID of a campaign instead of the name of a new one, after adding it if it is new."""
        given = dict(fields)
        if NEW_CAMPAIGN in given:
            name = str(given.pop(NEW_CAMPAIGN))
            known = {campaign.name: campaign.id for campaign in reversed(self.portfolio.list_campaigns())}
            with renaming(lambda _: NEW_CAMPAIGN):
                given["campaign_id"] = known.get(tidy_name(name)) or self.portfolio.insert_campaign(name).id
        return given

    def attempt(self, changes: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
        """Return where a request would lead if the chosen code were saved, or what is wrong with the code, as JSON.

        The changes are as for `save`. The test request has texts: device, language, country, region, city, query,
        referrer, address, and the time `at` in UTC.
        """
        sent = {name: text for name, text in request.items() if isinstance(text, str) and text}
        place = {name: sent.pop(name, "") for name in ("country", "region", "city")}
        at = sent.pop("at", "")
        before = self.portfolio.get_qrcode(self.chosen)
        try:
            after = before.replace(**{name: changes[name] for name in DECIDING if name in changes})
            check_change(before, after)
            asked = replace(sample_request(**sent), is_let_in=True)
            found = self.portfolio.explain(after, asked, at=from_iso(at, name="at") if at else None, **place)
        except InvalidParameter as error:
            return {"problems": {one.name: translated(one.rule) for one in error.problems}}
        return {"problems": {}, "content": found.content, "rule": found.rule, "sentence": translated(found.sentence)}

    def use_template(self, name: str, design: Design) -> None:
        """Save a design as a template, which then draws the chosen code; an error changes nothing."""
        with self.portfolio.store.atomic():
            self.portfolio.templates.save(name, design)
            self.portfolio.update_qrcode(self.chosen, template=name)
        self.reload()

    def edit_selection(self, fields: Mapping[str, str]) -> EditedQRCodes:
        """Change the selected codes, and return what `Portfolio.undo_edit` needs to undo that.

        The fields are some of those in `EDITED_TOGETHER`, as `Portfolio.edit_qrcodes` accepts them. An error changes
        nothing, such as NotFound if a code has been deleted in the meantime.
        """
        given = _together(fields)
        # An edit of contents alone reads only the codes that it changes.
        content = given.get("find", "") if given.keys() <= {"find", "replace"} else ""
        with self.portfolio.store.atomic():
            edited = self.portfolio.edit_qrcodes(self._all_ids(content), **self._with_campaign(given))
        self._read_campaigns()
        return edited

    def download(self, fields: Mapping[str, Any]) -> tuple[str, bytes]:
        """Return the selected codes as a file for print: its name and its bytes.

        The fields say what to write (`kind`: zip, pdf, xlsx, sheet, or page, which is a picture of the first sheet),
        and how, as `Portfolio.export_bytes` and `SheetSettings` accept it: image_format, size_mm, dpi, names, stock.
        Empty ones have their defaults.
        """
        ids, given = set(self._all_ids()), {name: value for name, value in fields.items() if value}
        kind = given.pop("kind", "zip")
        if len(ids) > MOST_IN_SET:
            rule = f"are more than {MOST_IN_SET:,} QR Codes; select fewer, or use `qrkit export`"
            raise InvalidParameter(Problem("kind", f"{len(ids):,}", rule, "out-of-range"))
        if kind in SHEETS:
            settings = SheetSettings(stock=given.get("stock", ""))
            with TemporaryDirectory() as folder:
                code_sheet(self.portfolio, file := Path(folder, SHEETS[kind]), settings, ids=ids)
                return file.name, file.read_bytes()
        size = {name: given.pop(name) for name in ("size_mm", "dpi") if name in given}
        how = {name: given[name] for name in ("image_format", "names") if name in given and kind == "zip"}
        print_size = PrintSize(**size) if "size_mm" in size else None
        return f"qr-codes.{kind}", self.portfolio.export_bytes(kind, print_size=print_size, ids=ids, **how)

    def local_url(self) -> str:
        """Return the base URL if short URLs of selected codes lead to this computer alone; "" if none does."""
        url = self.portfolio.base_url
        codes = self.portfolio.search_page(self._selection())[1] if leads_to_this_machine(url) else []
        return url if any(code.is_dynamic for code in codes) else ""

    def preview(self, fields: Mapping[str, str]) -> dict[str, Any]:
        """Return what `edit_selection` would change, as JSON: how many codes, how many contents, and some of these."""
        given = _together(fields)
        find, replace = given.get("find", ""), given.get("replace", "")
        contents, samples = self.portfolio.search_page(self._selection(find), limit=MOST_SAMPLES) if find else (0, [])
        return {
            "fields": dict(given),
            "contents": contents,
            "samples": [
                {
                    "name": summary(code.name),
                    "before": code.content[:LONGEST_CELL],
                    "after": (after := code.content.replace(find, replace))[:LONGEST_CELL],
                    "warning": link_warning(after) if code.is_dynamic else "",
                }
                for code in samples
            ],
        }

    # ---- Showing

    def as_dict(self) -> dict[str, Any]:
        """Return what the browser draws, as JSON."""
        total, shown = self._page()
        ids = [code.id for code in shown]
        scanned, imported = self._scanned(ids), imports(self.portfolio.store, ids)
        rows = [self._row(code, scanned.get(code.id), *imported.get(code.id, (0, None))) for code in shown]
        self._shown = shown
        self._state = {
            "account": self.portfolio.account.name,
            "campaigns": [{"id": id, "name": name} for id, name in self._campaigns.items()],
            "templates": self.portfolio.templates.names(),
            "words": self.words,
            "campaign": self.campaign,
            "order": self.order,
            "columns": self._shown_columns(),
            "all_columns": self._all_columns,
            "today": self._today().isoformat(),
            "only": self.only,
            "rows": rows,
            "total": total,
            "page": self.page,
            "pages": _pages(total),
            "selected": total if self.has_all else len(self.selected),
            "has_all": self.has_all,
            "chosen": self._record(),
        }
        return self._state

    def with_thumbnails(self) -> dict[str, Any]:
        """Return the last `as_dict` with further thumbnails: all, or as many as `DRAWING_SECONDS` allow."""
        late = monotonic() + DRAWING_SECONDS
        for code in self._shown:
            key = self._key(code)
            if key not in self._thumbnails and monotonic() < late:
                if len(self._thumbnails) >= MOST_THUMBNAILS:
                    del self._thumbnails[next(iter(self._thumbnails))]
                self._thumbnails[key] = _picture(code, self._designs)
        rows = [
            row | {"picture": self._thumbnails.get(self._key(code))}
            for row, code in zip(self._state["rows"], self._shown, strict=True)
        ]
        return self._state | {"rows": rows}

    def _page(self) -> tuple[int, list[QRCode]]:
        """Return the number of matching codes, and the codes on the page; a page beyond the last becomes the last."""
        search, self.page = self._search(), max(self.page, 0)
        total, codes = self.portfolio.search_page(search, start=self.page * MOST_ROWS, limit=MOST_ROWS)
        if not codes and self.page:
            total, _ = self.portfolio.search_page(search, limit=1)
            self.page = _pages(total) - 1
            return self.portfolio.search_page(search, start=self.page * MOST_ROWS, limit=MOST_ROWS)
        return total, codes

    def _scanned(self, ids: Sequence[str]) -> dict[str, Scanned]:
        """Return how codes were scanned, by their IDs; those without scans are left out."""
        last = self._today()
        first = last - timedelta(days=SPARK_DAYS - 1)
        view = self.portfolio.scans.where(until=last + timedelta(days=1))
        found: dict[str, Scanned] = {}
        per_day = PER_DAY.format(local=local_time(stretches_of(view)))
        asked = view.query(per_day, first=first, ids=list(ids))
        for row in columns(view.store).rows(asked.sql, asked.parameters) if ids else ():  # `ask` would load pandas
            days, since, latest = found.get(row["qrcode_id"], ([0] * SPARK_DAYS, row["since"], row["last"]))
            if row["day"] >= 0:
                days[row["day"]] = row["scans"]
            found[row["qrcode_id"]] = days, min(since, row["since"]), max(latest, row["last"])
        return found

    def _today(self) -> date:
        return self.portfolio.now().astimezone(zone_of(self.portfolio.time_zone)).date()

    def _row(self, code: QRCode, scanned: Scanned | None, imported: int, stored: datetime | None) -> dict[str, Any]:
        begun = (stored or code.created).date()
        recent, since, last = scanned or ([0] * SPARK_DAYS, begun, None)
        return {
            "id": code.id,
            "name": summary(code.name),
            "content": summary(code.content)[:LONGEST_CELL],
            "campaign": self._campaigns.get(code.campaign_id or "", ""),
            "cells": [self._cell(code, column)[:LONGEST_CELL] for column in self._shown_columns()],
            "scans": code.scans - imported if code.is_available else None,
            "is_counted": code.is_dynamic,
            "since": min(begun, since).isoformat(),
            "last": last.isoformat() if last else "",
            "imported": imported,
            "recent": sum(recent),
            "sparkline": sparkline(recent),
            "picture": self._thumbnails.get(self._key(code)),
            "is_selected": self.has_all or code.id in self.selected,
        }

    def _shown_columns(self) -> list[str]:
        chosen = self._all_columns[:FEW_COLUMNS] if self.columns is None else self.columns
        return [one for one in self._all_columns if one in chosen] or self._all_columns[:1]

    def _cell(self, code: QRCode, column: str) -> str:
        if column == "campaign":
            return self._campaigns.get(code.campaign_id or "", "")
        return ", ".join(code.tags) if column == "tags" else code.fields.get(column.removeprefix(FIELD), "")

    def _key(self, code: QRCode) -> str:
        """Return a key made of everything in the records and templates that a thumbnail depends on."""
        template = self._designs.template_of(code)
        drawn = template or code.properties.to_json()
        return "\n".join((code.encoded, drawn, code.name, code.campaign_id or ""))

    def _record(self) -> dict[str, Any] | None:
        try:
            code = self.portfolio.get_qrcode(self.chosen)
        except NotFound:
            return None
        shown = {"id", "short_url", "is_available", *EDITED} - {"password"}
        fields = code.model_dump(mode="json", by_alias=False, include=shown)
        absent = dict.fromkeys(EDITED, "")  # records omit empty texts
        return {
            **absent,
            **fields,
            "campaign_id": code.campaign_id or "",
            "active": code.active,
            "rules": plain(code.rules),
            "password": bool(code.password),
            "picture": _picture(code, self._designs, is_large=True),
            "drawn_by": self._designs.template_of(code) if code.is_available else "",
        }


def _together(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fields[name] for name in EDITED_TOGETHER if isinstance(fields.get(name), str | bool)}


def _pages(total: int) -> int:
    return max(1, -(-total // MOST_ROWS))


def _picture(code: QRCode, designs: CodeDesigns, *, is_large: bool = False) -> str:
    """Return a small PNG or a large SVG as a data URI; "" if the code cannot be drawn."""
    with suppress(QrkitError):
        if image := code_image(code, designs):
            kind, data = ("svg+xml", image.small_svg().encode()) if is_large else ("png", image.to_bytes("png"))
            return f"data:image/{kind};base64,{b64encode(data).decode()}"
    return ""
