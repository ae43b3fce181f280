"""`Portfolio`: the records of one account, with pictures, DataFrames, import and export, and scans."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from qrkit.design.design import Design, DesignFields, lists_fields
from qrkit.errors import InvalidParameter, NotAllowed, NotFound, Problem
from qrkit.exchange import import_format, import_format_of_file
from qrkit.files import read_file
from qrkit.late import Shown, named, watch
from qrkit.portfolio.exporting import Written
from qrkit.portfolio.privacy import PrivacyReport
from qrkit.portfolio.scanned import Scanned
from qrkit.portfolio.webhooks import Webhooks
from qrkit.store import Scans, Store
from qrkit.store.copies.arrow_tables import ArrowTable
from qrkit.store.history.archiving import Archived, archive
from qrkit.store.questions.free_sql import free_sql
from qrkit.store.questions.outages import outages
from qrkit.store.recording.user_agents import reparse
from qrkit.store.records.accounts import owner_of
from qrkit.store.records.campaigns import count_in_campaigns
from qrkit.store.records.qrcodes import Staged, StoredRow
from qrkit.store.upkeep.retention import keep_days, overdue_before, set_keep_days, sweep
from qrkit.store.upkeep.visitor_data import visits_kept
from qrkit.tracking.records import Account, Campaign, QRCode
from qrkit.tracking.short_urls import base_url_of

if TYPE_CHECKING:
    import pandas as pd

    from qrkit.exchange.locating import PlaceFields
    from qrkit.exchange.merge import ImportResult
    from qrkit.exchange.table_files import Table
    from qrkit.pictures.image import QRImage
    from qrkit.portfolio.brands import Brands
    from qrkit.portfolio.gs1 import Gs1
    from qrkit.portfolio.importing import Present
    from qrkit.portfolio.scan_importing import ScanImport
    from qrkit.portfolio.storing import Updates


class Portfolio(Shown, Scanned, Written):
    """The campaigns and QR Codes of one account in a store, as records, pictures, DataFrames and files.

    Attributes:
        store: The store that contains the campaigns and QR Codes.
        account: The account that owns the campaigns and QR Codes.
        base_url: The base URL of short URLs. Choose a permanent address: printed QR Codes contain this URL.
    """

    @property
    def gs1(self) -> Gs1:
        """The products, places and things whose short URLs are GS1 Digital Links."""
        from qrkit.portfolio.gs1 import Gs1

        return Gs1(self)

    def silent(self, *, alarm: float = 0.05, time_zone: str | None = None) -> pd.DataFrame:
        """Return the QR Codes that have stopped being scanned, by the clock of this portfolio; see `analytics.silent`.

        Columns: those of `analytics.silent`, the most conspicuous QR Code first.

        Args:
            alarm: Probability of any false alarm in a portfolio where nothing happened, above 0 and below 1.
            time_zone: IANA name of the time zone for days; by default, that of the store.

        Raises:
            InvalidParameter: If `alarm` is out of range, or the time zone is unknown.
        """
        view = self.scans.where(time_zone=time_zone or self.time_zone)
        found: pd.DataFrame = named("analytics.silent_codes:silent")(view, alarm=alarm)
        return found

    def outages(
        self, *, since: date | str | None = None, until: date | str | None = None, time_zone: str | None = None
    ) -> pd.DataFrame:
        """Return when the server did not run, so that no code could be scanned; see `analytics.outages`.

        Columns: begin, end (datetime64[us, time zone]), hours (float64). Earliest first.

        Args:
            since: The first day or timestamp; None for no bound.
            until: The first day or timestamp after the period; None for no bound.
            time_zone: IANA name of the time zone of the bounds and of the columns; by default, that of the store.

        Raises:
            InvalidParameter: If a bound is not a date, `since` comes after `until`, or the time zone is unknown.
        """
        return outages(self.scans.where(since=since, until=until, time_zone=time_zone or self.time_zone))

    def sql(self, select: str, *, seconds: float = 30.0, **parameters: Any) -> pd.DataFrame:
        """Run a SELECT statement in DuckDB's SQL on the data of this portfolio and return the result.

        The query runs in a separate process, in a database that contains only the tables below. So the query cannot
        change data or access files, the network or other accounts. The query sees committed data only.

        Columns: those of the SELECT, with DuckDB's dtypes.

        Args:
            select: One SELECT or PIVOT. Tables: `scans` and `visits` (which include bots, link previews and HEAD
                requests) with the columns of `scans.to_frame()`; `qrcodes` (id, name, campaign_id, content, comment,
                short_code, created, scans, is_dynamic, is_schedule_enabled, address, latitude, longitude, tags (list),
                fields (map, as in `fields['City']`)); `campaigns` (id, name, description, created); `day_counts` (day,
                qrcode_id, kind, visits), the daily counts of visits deleted by `sweep`. Times are in UTC, as TIMESTAMP
                without a time zone; for Berlin, write `time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'`.
            seconds: The time limit, 0.1..3600; queries are also limited to 512 MB of memory and a million rows.
            **parameters: Values of the `$name` parameters. Always pass values this way, never as part of the SQL text.
                A DataFrame of pandas or polars, or an Arrow table, becomes a table of its name, without an index:
                `sql("… JOIN sales …", sales=frame)`.

        Raises:
            InvalidParameter: If the text is not a single SELECT or PIVOT, if DuckDB rejects it, if the query exceeds a
                limit, or if a DataFrame has the name of one of these tables or cannot be a table.

        Example:
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:") as shop:
            ...     door = shop.insert_qrcode("https://example.com", name="Door")
            ...     shop.sql("SELECT name, scans FROM qrcodes WHERE scans < $most", most=10).to_dict("records")
            [{'name': 'Door', 'scans': 0}]
        """
        return free_sql(self.scans, select, parameters, seconds=seconds)

    def privacy_report(self) -> PrivacyReport:
        """Return a report of the data kept about visitors of this portfolio's short URLs, why, and for how long."""
        before = overdue_before(self.store, self.now())
        return PrivacyReport(self.now(), keep_days(self.store), visits_kept(self.store, self.account.id, before))

    def keep_visits(self, *, days: int | None) -> None:
        """Set for how many days, 1..36500, the store keeps the visits of all accounts; None keeps visits forever.

        Call `sweep` to delete older visits.

        Raises:
            InvalidParameter: If `days` is not a whole number in 1..36500, or None.
        """
        set_keep_days(self.store, days)

    def sweep(self) -> int:
        """Delete visits that are older than the retention period, keep their counts, and return the number deleted.

        Retention is counted in whole UTC days: a visit kept for 1 day is deleted after the second midnight. Total and
        daily counts stay; all other data of these visits is deleted. Run `qrkit.store.upkeep.maintenance.compact` to
        remove the deleted data from the file.
        """
        return sweep(self.store, self.now())

    def archive(self, *, before: date | str | None = None, to: str | Path | None = None) -> Archived:
        """Move the visits of finished days into Parquet files, one or a few a month; all questions still count them.

        For `shop.duckdb`, the files are in the folder `shop.history`; keep the folder beside the file. For a store on a
        server, or to keep the files in a bucket, pass `to` the first time. Other programs can read the files. Visits
        that are added later for an archived day stay in the store until the next call.

        Args:
            before: The first day, in UTC, that stays in the store: a date, a datetime, or text such as 2026-06-01. By
                default today.
            to: A folder, for a store on a server, or a bucket, `s3://bucket/prefix`. The store remembers it. All
                processes that use the store must be able to read it. Keys of the bucket come from where AWS programs
                look for them: the environment, `~/.aws`, or the role of the machine.

        Raises:
            InvalidParameter: If `before` is not a date or is after today; if the store is in memory; if `to` is missing
                for a store on a server, or is not where its files are.
            MissingProgram: If `to` is a bucket, and s3fs is not installed.
            StoreBusy: If this thread has an open transaction, the disk is full, the bucket does not answer, or another
                process archives.
            StoreReadOnly: If the store is a snapshot.
            StoreDamaged: If a file of archived visits, or a part of the store, cannot be read.
            CannotWrite: If the files cannot be written.
        """
        return archive(self.store, before, to=to, clock=self.now)

    def reparse(self) -> int:
        """Parse the user agents of all scans in the store again; return how many came from another parser version.

        Call this method after updating the user agent parsers; new user agents are parsed automatically. Counts do not
        change: scans remain scans, and bots remain bots.

        Raises:
            StoreReadOnly: If the store is a snapshot.
        """
        return reparse(self.store)

    @property
    def brands(self) -> Brands:
        """The account's brands, by name, and the one that its reports and landing pages use."""
        from qrkit.portfolio.brands import Brands

        return Brands(self.store, self.account.id, clock=self._clock)

    @property
    def webhooks(self) -> Webhooks:
        """The webhooks, which notify other servers of events such as scans."""
        return Webhooks(self)

    def campaigns(self) -> pd.DataFrame:
        """Return a DataFrame with one row per campaign, indexed by ID.

        Columns: name, description (str), created (datetime64, UTC), qrcodes, scans (int64).
        """
        counted = count_in_campaigns(self.store, self.account.id, most=self.account.limits.most_qrcodes)
        from qrkit.exchange.data_frames import campaigns_frame

        return campaigns_frame(self.list_campaigns(), counted)

    def qrcodes(self, *, campaign_id: str | None = None, fields: bool = False) -> pd.DataFrame:
        """Return a DataFrame with one row per QR Code, indexed by ID.

        Columns: named like the fields of `QRCode`: campaign (the campaign's name), name, content, short_url, address,
        comment, em, ec (str), created (datetime64, UTC), scans, size, padding, version (int64; -1 is automatic),
        latitude, longitude (float64, degrees), is_dynamic (bool), tags (str, with commas between them), fields (str: a
        JSON object; "" for a QR Code without any).

        Args:
            campaign_id: Only the QR Codes of the campaign with this ID.
            fields: Whether each of your fields is a column of its own name (str; NaN for QR Codes without it), in place
                of the column `fields`.
        """
        from qrkit.exchange.data_frames import qrcodes_frame

        codes = self._each(self._short_links, campaign_id)
        return qrcodes_frame(codes, self.list_campaigns, fields=fields)

    @lists_fields(DesignFields, is_change=True)
    def image(self, code: QRCode, *, template: str = "", **changes: Unpack[DesignFields]) -> QRImage:
        """Return the picture of a QR Code, which encodes the short URL if the QR Code is dynamic, or else the content.

        A template draws it: that of the QR Code, or else of its campaign, or else the default of the account. Without
        any, the QR Code's properties do. The caption of a template may contain `{name}`, `{campaign}`, `{short_url}`
        and the names of your fields, such as `{City}`.

        Args:
            code: A record of this portfolio.
            template: The name of a template to use instead of the QR Code's own.
            **changes: Fields of `Design` that override the properties or the template.

        Raises:
            NotFound: If no template has this name.
            InvalidParameter: If `code` is not a record.
            NotAllowed: If the plan does not show the QR Code.
        """
        from qrkit.pictures.image import QRImage
        from qrkit.portfolio.code_designs import CodeDesigns

        if not isinstance(code, QRCode):
            rule = "must be a record, as find_qrcode and list_qrcodes of the portfolio return it"
            raise InvalidParameter(Problem("code", code, rule, "wrong-type"))
        if not code.is_available:
            raise NotAllowed(f"the plan {self.account.plan} does not show QR Code {code.id}, so it cannot be drawn")
        if template:
            self.templates.get(template)  # raises an error that names the nearest template
        designs = CodeDesigns.of(self.store, self.account.id)
        return QRImage(designs.design(self._linked(code), template=template, **changes))

    def check(
        self, *, campaign_id: str | None = None, level: str = "static", audience: str = "phones", progress: bool = False
    ) -> pd.DataFrame:
        """Check whether the pictures of the QR Codes scan, as `image` draws them: one row each, oldest first.

        Columns: name, template (str; missing if the properties draw it), verdict (ordered category, from unreadable to
        robust), score (Int64, 0..100), used (float64, share of the error correction used), least_width_mm (float64, the
        least width of a print), issue (str, the worst issue; if a picture cannot be drawn, the reason, and no verdict),
        report (object, `ScanReport`). The index is the ID.

        Args:
            campaign_id: The campaign whose QR Codes to check; by default, all.
            level: static, quick, standard or full; see `qrkit.check`. With readers, a QR Code takes up to a second.
            audience: Whose readers must read them: phones, or all, which adds embedded readers; see `qrkit.check`.
            progress: Whether to show a progress bar.

        Raises:
            InvalidParameter: If the level or the audience is unknown.

        Example:
            >>> from qrkit import open_portfolio
            >>> shop = open_portfolio(":memory:")
            >>> _ = shop.insert_qrcode("https://example.com/menu", name="Menu")
            >>> shop.check()["verdict"].tolist()
            ['robust']
        """
        from qrkit.portfolio.checking import check_codes
        from qrkit.portfolio.code_designs import CodeDesigns
        from qrkit.scanning import audience_named, level_named

        chosen, readers = level_named(level), audience_named(audience)
        codes = [code for code in self.list_qrcodes(campaign_id=campaign_id) if code.is_available]
        return check_codes(
            codes, CodeDesigns.of(self.store, self.account.id), chosen, readers, watch(progress=progress)
        )

    def import_file(
        self,
        source: str | Path | bytes,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        template: str = "",
        campaign: str = "",
        fix_urls: bool = False,
        old_base_url: str = "",
        anyway: bool = True,
        update_by: str = "",
        check: bool = False,
        progress: bool = False,
        **place: Unpack[PlaceFields],
    ) -> ImportResult:
        """Add the QR Codes of a file, in one transaction.

        QR Codes that already exist are skipped; a QR Code whose name is in use is renamed. Short codes, creation dates
        and scan counts are kept. Columns that are not ours become fields of the QR Codes, and the result lists them.

        Args:
            source: The path or the bytes of the file.
            format: The format of the file; by default, the suffix of the path, or csv for bytes. Workbooks and zip
                archives are always recognized by their first bytes, and so are json, xml and dumps said to be csv.
            columns: For a file with other column names (csv, json, xlsx, xls, ods, html or sql): our column names
                mapped to the file's, as in `{"content": "landing page", "name": "poster"}`.
            template: The name of the template for rows that add QR Codes and name none in a column Template.
            campaign: The name of the campaign for rows that add QR Codes and name none; it is added if no campaign has
                this name.
            fix_urls: Whether to complete web addresses such as "www.example.com" or "htp:/example.com" where only one
                reading makes sense. Otherwise they are imported as they are, and the result lists them.
            old_base_url: The base URL that the codes were printed with, if it has a path, as
                "https://old.example.com/qr" has: the short codes follow it. The store saves it, and a server that
                starts later answers requests for its host and path. By default, the whole path is the short code.
            anyway: Whether to import a file even if short codes in it are in use, so that what was printed with them
                would lead to another QR Code here. Their rows get new short codes.
            update_by: What identifies existing QR Codes, so that rows update them instead of adding new ones: "name",
                "short_url", or the name of a field of your own, such as "Poster ID". Every row needs its Content; other
                empty cells change nothing. Short codes, creation dates and scan counts stay, and dynamic QR Codes stay
                dynamic. Rows with a new value add QR Codes. A row is left out if it lacks the value, if it shares the
                value with an earlier row or several QR Codes, or if its short URL begins with another host than the
                base URL and the old ones (`old_base_url`).
            check: Whether to check the file alone. The result is that of an import, but nothing is added.
            progress: Whether to show progress bars.
            **place: Where the table is; the result says what was found and guessed. `sheet` is the name of the sheet;
                by default, the first one with the headings is read, and all that have the same ones; hidden sheets are
                not. `header_row` is the row with the headings, counted from 1; "3-4" for headings of two rows; 0 for a
                file without headings, whose columns are A, B, …. By default, headings are found within 50 rows.
                `encoding` is that of a text file, such as "cp1252"; by default, what is neither UTF-8 nor UTF-16 is
                guessed.

        Raises:
            UnreadableFile: If the file as a whole cannot be read, or `anyway` is false and short codes in it are in
                use; the portfolio is unchanged.
            InvalidParameter: If the format is unknown, a column or the template does not exist, or `old_base_url` is
                not an http or https URL.
        """
        from qrkit.exchange.locating import Place
        from qrkit.portfolio.importing import read_table

        seen = watch(progress=progress)
        if isinstance(source, bytes):
            data, named = source, import_format(format or "csv")
        else:
            file = _path_of(source, "import_frame")
            named = import_format(format) if format else import_format_of_file(file)
            data = read_file(file)
        table = read_table(data, named.name, columns, seen=seen, place=Place(**place))
        old = base_url_of(old_base_url, name="old_base_url") if old_base_url else ""
        how: dict[str, Any] = {"seen": seen, "fix_urls": fix_urls, "campaign": campaign, "anyway": anyway}
        return self._import_table(table, template, old, check=check, update_by=update_by, **how)

    def import_scans(
        self,
        source: str | Path | bytes,
        *,
        format: str = "csv",
        columns: Mapping[str, str] | None = None,
        code: str = "",
        name: str = "",
        check: bool = False,
    ) -> ScanImport:
        """Add visits that were counted elsewhere from a csv, json, xlsx, xls or ods file or a log, in one transaction.

        Files have a row per visit, or a number of visits per day, whose time is noon in UTC. Columns of exports by
        Shlink, YOURLS and Dub, and of tables of web analytics by path or UTM parameter, are recognized. In access logs
        of web servers, load balancers and networks such as Cloudflare, redirects are visits. Visits that are in the
        store already are not added again, as in `scans.insert`. A visit is a bot if the file or its user agent says so.
        Referrers are cut to their hosts, and IP addresses are not read. `scan_imports` lists the sources of imported
        visits.

        Args:
            source: The path or the bytes of the file.
            format: The format of bytes.
            columns: For other column names: what `scans.insert` calls a column, or `count`, mapped to the file's name.
            code: The short code of all visits, for a file that does not contain it.
            name: The name of the file that bytes come from, for `scan_imports`.
            check: Whether to check the file alone. The result is that of an import, but nothing is added.

        Raises:
            UnreadableFile: If the file as a whole cannot be read, or lacks a column; nothing is added.
            InvalidParameter: If a column does not exist.
            StoreBusy: If the store cannot be written.
        """
        from qrkit.exchange.sheets import read_sheet, sheet_of
        from qrkit.exchange.visit_tables import scan_table, share_of_visits
        from qrkit.portfolio.scan_importing import check_scans, insert_scans

        heading = (columns or {}).values() or share_of_visits
        if isinstance(source, bytes):
            sheet = sheet_of(source, format, heading, name=name or "the file")
        else:
            file = _path_of(source, "scans.insert")
            sheet, name = read_sheet(file, heading), file.name
        table = scan_table(sheet, columns, code=code)
        if check:
            return check_scans(self.scans, table, self.base_url, now=self.now())
        return insert_scans(self.scans, table, self.base_url, source=name, now=self.now())

    def scan_imports(self) -> pd.DataFrame:
        """Return where imported visits came from: a DataFrame with one row per import of visits, the oldest first.

        Imports that added no visit are left out; the last 1,000 are kept.

        Columns: imported (datetime64[us, UTC]), source (str: the name of the file; empty for bytes without a name),
        service (str: such as Shlink; empty if the headings do not tell), visits (int64: added), qrcodes (int64: with
        visits in the file), bots (int64: visits of the file that are bots here), bots_said (Int64: those that the file
        calls bots; missing if it does not say), first, last (datetime64[us, UTC]: of the visits in the file).
        """
        from qrkit.portfolio.scan_importing import imports_frame

        return imports_frame(self.store, self.account.id)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per QR Code, indexed by ID, which `import_frame` can import again.

        QR Codes that the plan does not show are left out, as in `export_file`.

        Columns: those of `qrcodes()`, then foreground, background (str: #RRGGBB, #AARRGGBB or a name),
        is_schedule_enabled (bool), schedule (str: a JSON list of events with content, recurrence and date; empty if
        there are no events) and template (str); then tags, fields, rules (str: a JSON list; empty if there are none),
        active (bool), valid_since, valid_until (datetime64[us, UTC]), limit, limit_a_day (int64: 0 for no limit),
        otherwise, password (str: its hash), pass_query (str: true, false or empty) and click_id (str).
        """
        from qrkit.exchange.data_frames import whole_frame

        codes = (code for code in self._each(self._short_links) if code.is_available)
        return whole_frame(codes, self.list_campaigns)

    def import_frame(
        self,
        frame: pd.DataFrame | ArrowTable,
        *,
        columns: Mapping[str, Hashable] | None = None,
        template: str = "",
        fix_urls: bool = False,
        update_by: str = "",
    ) -> ImportResult:
        """Add the QR Codes of a DataFrame, in one transaction and by the rules of `import_file`.

        Text stays text: "NA", "007" and "=1+1" are imported unchanged. NaN, NaT, NA and None are empty cells, for which
        the default is used. The index is ignored.

        Args:
            frame: The rows, at most 200,000: a DataFrame of pandas or polars, or an Arrow table. Columns are named as
                in `to_frame` or as in files ("Trackable URL"), in any order, case and dtype; only `content` is
                required, unless they are those of another service. Timestamps without a time zone are UTC. Other
                columns become fields, and the result lists them.
            columns: For a DataFrame with other column names: our column names mapped to the DataFrame's, as in
                `{"content": "url", "name": "product"}`.
            template: The name of the template for rows that name none in a column `template`.
            fix_urls: Whether to complete web addresses, as in `import_file`.
            update_by: What identifies existing QR Codes, so that rows update them, as in `import_file`.

        Returns:
            The numbers of QR Codes created and updated, and the issues. The `row` of an issue is the row's position in
            the DataFrame, counted from 1 (`frame.iloc[row - 1]`); 0 stands for the column names.

        Raises:
            InvalidParameter: If the DataFrame cannot be read, for example because the column `content` is missing, or
                if `columns` names a column that does not exist, or there is no such template; the portfolio is
                unchanged.

        Example:
            >>> import pandas as pd
            >>> from qrkit import open_portfolio
            >>> frame = pd.DataFrame({"content": ["https://example.com", None], "size": [10, 99]})
            >>> with open_portfolio(":memory:") as shop:
            ...     result = shop.import_frame(frame)
            ...     shop.to_frame()[["content", "size"]].to_dict("records")
            [{'content': 'https://example.com', 'size': 10}]
            >>> result.to_frame()["error"].to_dict()
            {2: "invalid: content='': must not be empty; size=99: must be in 1..20 pixels per module"}
        """
        from qrkit.exchange.data_frames import table_of_frame

        return self._import_table(table_of_frame(frame, columns), template, fix_urls=fix_urls, update_by=update_by)

    def _import_table(
        self, table: Table, template: str, old_base_url: str = "", *, check: bool = False, **how: Any
    ) -> ImportResult:
        """Import a table; `how` is for `importing.import_table`. With `check`, nothing is stored."""
        from qrkit.portfolio.importing import import_table
        from qrkit.portfolio.storing import present_in, store_rows

        def decide(known: Present, codes: Staged) -> tuple[Sequence[Campaign], Updates, ImportResult]:
            campaigns: list[Campaign] = []
            ids: list[str] = []

            def add(new: Sequence[Campaign], rows: Sequence[StoredRow]) -> None:
                campaigns.extend(new)
                ids.extend(row["id"] for row in rows)
                codes.add(rows)

            result = import_table(table, known, add, **how)
            named = tuple(one.id for one in campaigns)
            return campaigns, result.updates, replace(result, ids=tuple(ids), campaign_ids=named)

        updates = bool(how["update_by"])
        if check:
            known = present_in(self, template, old_base_url, updates=updates)
            return import_table(table, known, lambda *_: None, **how)
        return store_rows(self, decide, template=template, old_base_url=old_base_url, updates=updates)

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Portfolio of {self.account.name} in {self.store.path}>"

    if not TYPE_CHECKING:  # with `__getattr__`, type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Raise an AttributeError that points to `scans` if `Scans` has this attribute."""
            is_of_scans = not name.startswith("_") and hasattr(Scans, name)
            hint = "; use portfolio.scans, which does" if is_of_scans else ""
            raise AttributeError(f"a Portfolio has no {name!r}{hint}", name=name, obj=self)


def picture_of(store: Store, short_code: str, *, base_url: str) -> QRImage:
    """Return the picture of the QR Code with this short code, as served at `{base_url}/{code}.png`, for any account."""
    from qrkit.pictures.image import QRImage

    return QRImage(design_behind(store, short_code, base_url=base_url)[1])


def design_behind(store: Store, short_code: str, *, base_url: str) -> tuple[Account, Design]:
    """Return the account that has the QR Code with this short code, and the design of its picture."""
    found = owner_of(store, short_code)
    if found is None:
        raise NotFound("short URL", short_code)
    account, id = found
    return account, Portfolio(store, account, base_url=base_url).design_of(id)


def _path_of(source: object, for_frames: str) -> Path:
    """Return the path of a file to import; the error names the method that takes a DataFrame."""
    if not isinstance(source, str | PathLike) or "\n" in str(source):
        rule = "must be the path of a file; to import a text, pass its bytes: text.encode(); a DataFrame goes to "
        raise InvalidParameter(Problem("source", source, rule + for_frames, "wrong-type"))
    return Path(source)
