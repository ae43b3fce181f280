"""`Portfolio`: the records of one account, and what is made of them: pictures, tables, files, scans."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, Unpack

from qrkit.design.design import DesignFields, lists_fields
from qrkit.errors import InvalidParameter, NotAllowed, NotFound, Problem, UnreadableFile
from qrkit.exchange import (
    ExchangeFormat,
    Reading,
    Writing,
    exchange_format,
    exchange_format_of_file,
    import_format,
    import_format_of_file,
    sniffed,
)
from qrkit.exchange.columns import write_row
from qrkit.exchange.frames import campaigns_frame, qrcodes_frame, table_of_frame, whole_frame
from qrkit.exchange.merge import ImportResult, merge
from qrkit.exchange.sheets import sheet_of, table_of_sheet
from qrkit.exchange.tables import Table, codes_of
from qrkit.exchange.zip_file import IMAGE_FORMATS, MOST_READ_SIDE
from qrkit.files import complete_file
from qrkit.late import UNSEEN, Shown, Watch, watch
from qrkit.pictures.image import QRImage
from qrkit.portfolio.code_pictures import drawn
from qrkit.portfolio.codes import Records
from qrkit.portfolio.importing import Importing
from qrkit.portfolio.privacy import PrivacyReport
from qrkit.portfolio.templates import Templates
from qrkit.store import Scans, Store
from qrkit.store.accounts import owner_of
from qrkit.store.free_sql import free_sql
from qrkit.store.qrcodes import count_qrcodes
from qrkit.store.retention import keep_days, overdue_before, set_keep_days, sweep
from qrkit.store.user_agents import reparse
from qrkit.store.visitor_data import visits_kept
from qrkit.symbol.decode import decode
from qrkit.tracking.records import PLANS, QRCode

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Portfolio", "picture_of"]


class Portfolio(Shown, Records):
    """Campaigns and QR Codes of one account in a store: as records, pictures, tables and files.

    Attributes:
        store: Where they are.
        account: Whose they are.
        base_url: What short URLs begin with; it is printed on paper, so choose it for good.
    """

    @property
    def scans(self) -> Scans:
        """The scans of this portfolio; `qrkit.analytics` asks it questions."""
        return Scans(self.store, self.account.id, most_qrcodes=PLANS[self.account.plan].most_qrcodes)

    def scans_of(self, id: str) -> Scans:
        """The scans of a QR Code or of a campaign of this portfolio.

        Raises:
            NotFound: It has neither of this id.
            NotAllowed: The plan does not show the QR Code (ruling T13).
        """
        try:
            code = self.get_qrcode(id)
        except NotFound:
            try:
                return self.scans.where(campaign_id=self.get_campaign(id).id)
            except NotFound:
                raise NotFound("QR Code or campaign", id) from None
        if not code.is_available:
            raise NotAllowed(f"the plan {self.account.plan} does not show QR Code {id}, nor its scans")
        return self.scans.where(qrcode_id=code.id)

    def sql(self, select: str, *, seconds: float = 30.0, **parameters: Any) -> pd.DataFrame:
        """The answer to a SELECT in the SQL of DuckDB over the rows of this portfolio, and nothing else.

        It runs beside the store, in a database in memory that holds these tables alone. So it can change nothing and
        reach no file, no network and no other account, whatever it says. It sees what is committed.

        Columns: those of the SELECT, in the dtypes that DuckDB gives them.

        Args:
            select: One SELECT. Tables: `scans` and `visits` (bots and previews too) with the columns of
                `scans.to_frame()`; `qrcodes` (id, name, campaign_id, content, comment, short_code, created, scans,
                is_dynamic, is_schedule_enabled, address, latitude, longitude); `campaigns` (id, name, description,
                created); `day_counts` (day, qrcode_id, kind, visits), what is left of visits that were swept out.
                Times are UTC, TIMESTAMP without a zone.
            seconds: How long it may take, 0.1..3600; 512 MB of memory and a million rows are the other limits.
            **parameters: Values of the `$names` in it: never write them into the text.

        Raises:
            InvalidParameter: It is not one SELECT, DuckDB refuses it, or it takes more than it may.

        Example:
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:") as shop:
            ...     door = shop.insert_qrcode("https://example.com", name="Door")
            ...     shop.sql("SELECT name, scans FROM qrcodes WHERE scans < $most", most=10).to_dict("records")
            [{'name': 'Door', 'scans': 0}]
        """
        return free_sql(self.scans, select, parameters, seconds=seconds)

    def privacy_report(self) -> PrivacyReport:
        """What is kept of those who visit the short URLs of this portfolio, why, and for how long."""
        before = overdue_before(self.store, self.now())
        return PrivacyReport(self.now(), keep_days(self.store), visits_kept(self.store, self.account.id, before))

    def keep_visits(self, *, days: int | None) -> None:
        """Say for how many days, 1..36500, the store keeps visits, of all accounts; None for ever. `sweep` does it.

        Raises:
            InvalidParameter: It is no number of days.
        """
        set_keep_days(self.store, days)

    def sweep(self) -> int:
        """Reduce the visits in the store that are older than they are kept to counts, and give their number.

        It reckons in whole UTC days: what is kept for 1 day goes at the second midnight. Numbers of scans stay, and so
        do those of each day; all else of those visits is deleted. `qrkit.store.maintenance.compact` takes it
        out of the file.
        """
        return sweep(self.store, self.now())

    def reparse(self) -> int:
        """Tell the user agents of all scans in the store apart anew, and give how many another version had told apart.

        Do it after an update of the parsers; new user agents are told apart by themselves. Scans stay scans, and bots
        bots: what was counted does not change.

        Raises:
            StoreReadOnly: The store is a snapshot.
        """
        return reparse(self.store)

    @property
    def templates(self) -> Templates:
        """Its stored designs, by name."""
        return Templates(self.store, self.account.id, clock=self._clock)

    def campaigns(self) -> pd.DataFrame:
        """A row a campaign, indexed by id.

        Columns: name, description (str), created (datetime64, UTC), qrcodes, scans (int64).
        """
        return campaigns_frame(self.list_campaigns(), self.list_qrcodes())

    def qrcodes(self, *, campaign_id: str | None = None) -> pd.DataFrame:
        """Returns a DataFrame with one row per QR Code, indexed by id.

        Columns: as the fields of `QRCode`: campaign (its name), name, content, short_url, address, comment,
        em, ec (str), created (datetime64, UTC), scans, size, padding, version (int64; -1 is automatic), latitude,
        longitude (float64, degrees), is_dynamic (bool).
        """
        return qrcodes_frame(self.list_qrcodes(campaign_id=campaign_id), self._campaign_names())

    @lists_fields(DesignFields, is_change=True)
    def image(self, code: QRCode, *, template: str = "", **changes: Unpack[DesignFields]) -> QRImage:
        """The picture of a QR Code: its short URL when it is dynamic, else its content (rulings T2, X5).

        Args:
            code: A record of this portfolio.
            template: Name of a stored design that it is drawn with, in place of its properties.
            **changes: Fields of `Design` that replace those of its properties, or of the template.

        Raises:
            NotFound: There is no template of this name.
            NotAllowed: The plan does not show what its picture says (ruling T13).
        """
        if not code.is_available:
            raise NotAllowed(f"the plan {self.account.plan} does not show QR Code {code.id}, so it cannot be drawn")
        if template:
            return QRImage(self.templates.design(template, self._linked(code).encoded, **changes))
        return QRImage(drawn(self._linked(code).encoded, code.properties, **changes))

    def export_file(
        self, path: str | Path, *, image_format: str = "png", safe: bool = True, progress: bool = False
    ) -> Path:
        """Write all campaigns and QR Codes to a file, in the format of its suffix; gives the path back.

        QR Codes that the plan does not show are left out (ruling T13): a row without content could not be read again.

        Args:
            path: Where to; its suffix is one of `qrkit.exchange.EXCHANGE_FORMATS`.
            image_format: Of the pictures in a zip: png, eps or svg.
            safe: Whether texts in a csv that a spreadsheet would run as formulas get an apostrophe, which an import
                takes off again (ruling X7).
            progress: Whether a bar shows how far it has come.

        Raises:
            InvalidParameter: There is no such format, or a text is too long for it; nothing was written.
            CannotWrite: The file cannot be written there.
        """
        file = Path(path)
        chosen = exchange_format_of_file(file)
        with complete_file(file) as opened:
            self._export(chosen, opened, image_format, watch(progress=progress), safe=safe)
        return file

    def export_bytes(self, format: str, *, image_format: str = "png", safe: bool = True) -> bytes:
        """All campaigns and QR Codes as the bytes of a file, as `export_file` writes it.

        Args:
            format: A name of `qrkit.exchange.EXCHANGE_FORMATS`: csv, xls, xlsx, xml, json or zip.
            image_format: Of the pictures in a zip: png, eps or svg.
            safe: Whether texts in a csv that a spreadsheet would run as formulas get an apostrophe (ruling X7).

        Raises:
            InvalidParameter: There is no such format, or a text is too long for it.
        """
        file = BytesIO()
        self._export(exchange_format(format), file, image_format, UNSEEN, safe=safe)
        return file.getvalue()

    def _export(self, format: ExchangeFormat, file: BinaryIO, image_format: str, seen: Watch, *, safe: bool) -> None:
        """Write all that the plan shows, some thousands at a time."""
        if image_format.lower() not in IMAGE_FORMATS:
            rule = f"must be one of {', '.join(IMAGE_FORMATS)}"
            raise InvalidParameter(Problem("image_format", image_format, rule))
        names = self._campaign_names()
        codes = (code for part in self.qrcodes_in_parts() for code in part if code.is_available)
        count = min(count_qrcodes(self.store, self.account.id), PLANS[self.account.plan].most_qrcodes)
        rows = (write_row(code, names[code.campaign_id]) for code in seen(codes, "Exporting", count))

        def draw(code: QRCode, format: str) -> bytes:
            return self.image(code).to_bytes(format)

        format.write(rows, file, Writing(draw, safe=safe, image_format=image_format.lower()))

    def import_file(
        self,
        source: str | Path | bytes,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        progress: bool = False,
    ) -> ImportResult:
        """Add the QR Codes of a file, in one transaction.

        A QR Code that is there already is left out, one with a name in use gets another; short codes, dates and scans
        are kept (interface.md, import rule 6; rulings X2 to X4).

        Args:
            source: The file's path, or its bytes.
            format: What it is. Of a workbook or a zip the first bytes say so; of a csv, an xml or a json the suffix of
                a path does by default, and bytes are a csv.
            columns: For a csv, xlsx, xls or ods whose columns have other names: what it calls ours, as
                `{"content": "landing page", "name": "poster"}`; other columns are not read.
            progress: Whether bars show how far it has come.

        Raises:
            UnreadableFile: The file as a whole cannot be read; nothing was changed.
            InvalidParameter: There is no such format or column.
        """
        seen = watch(progress=progress)
        if isinstance(source, bytes):
            data, named = source, import_format(format or "csv")
        else:
            file = Path(source)
            named = import_format(format) if format else import_format_of_file(file)
            try:
                data = file.read_bytes()
            except OSError as error:
                raise UnreadableFile(f"{file}: {error.strerror}") from error
        if columns:
            return self._import(table_of_sheet(sheet_of(data, named.name), columns), seen)
        how = Reading(lambda picture: decode(picture, most_side=MOST_READ_SIDE).content, seen)
        return self._import(sniffed(data, named.name).read(data, how), seen)

    def to_frame(self) -> pd.DataFrame:
        """All QR Codes, a row each, indexed by id, as `import_frame` reads them again.

        QR Codes that the plan does not show are left out (ruling T13), as in `export_file`.

        Columns: those of `qrcodes()`, then foreground, background (str: #RRGGBB, #AARRGGBB or a name),
        is_schedule_enabled (bool) and schedule (str: JSON, a list of events with content, recurrence and date; empty
        without events).
        """
        codes = [code for code in self.list_qrcodes() if code.is_available]
        return whole_frame(codes, self._campaign_names())

    def import_frame(self, frame: pd.DataFrame, *, columns: Mapping[str, Hashable] | None = None) -> ImportResult:
        """Add the QR Codes of a DataFrame, in one transaction and by the rules of `import_file`.

        Text stays text: "NA", "007" and "=1+1" come in as they are. NaN, NaT, NA and None are empty cells, and take
        the default. The index is not looked at.

        Args:
            frame: Columns as `to_frame` names them or as files do ("Trackable URL"), in any order and case and of any
                dtype; only `content` is required. Moments without a zone are UTC. Up to 200,000 rows. Columns of other
                names are left out, and the result says so.
            columns: For a frame whose columns have other names: what it calls ours, as
                `{"content": "url", "name": "product"}`; other columns are not read.

        Returns:
            What was done. `row` of an issue is the place in the frame, counted from 1 (`frame.iloc[row - 1]`); 0 is
            that of the columns' names.

        Raises:
            InvalidParameter: If the frame cannot be read, because the column `content` is missing for example, or if
                `columns` names a column that does not exist; nothing was changed.

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
        return self._import(table_of_frame(frame, columns), UNSEEN)

    def _import(self, table: Table, seen: Watch) -> ImportResult:
        """Add the rows of a table in one transaction."""
        with self.store.atomic():
            importing = Importing(self, [row.cells.get("Trackable URL", "") for row in table.rows])
            codes = codes_of(table, self.now(), seen)
            result = merge(codes, importing.present(), importing.has_own_code, importing.insert)
            importing.finish()
        return result

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Portfolio of {self.account.name} in {self.store.path}>"

    if not TYPE_CHECKING:  # which would take any name for good then

        def __getattr__(self, name: str) -> Any:
            """Name the scans where somebody asks a portfolio what they are asked, or gives it in their place."""
            is_of_scans = not name.startswith("_") and hasattr(Scans, name)
            hint = "; its scans have: use portfolio.scans in its place" if is_of_scans else ""
            raise AttributeError(f"a Portfolio has no {name!r}{hint}", name=name, obj=self)

    def _campaign_names(self) -> dict[str | None, str]:
        return {None: ""} | {one.id: one.name for one in self.list_campaigns()}


def picture_of(store: Store, short_code: str, *, base_url: str) -> QRImage:
    """The picture of whosever QR Code has a short code, as `{base_url}/{code}.png` shows it (ruling T2).

    Raises:
        NotFound: No QR Code has it.
    """
    found = owner_of(store, short_code)
    if found is None:
        raise NotFound("short URL", short_code)
    account, id = found
    return QRImage(Portfolio(store, account, base_url=base_url).design_of(id))
