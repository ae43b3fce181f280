"""`Portfolio`: the records of one account, and what is made of them: pictures, tables, files, scans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from qrkit.errors import ContentTooLong, InvalidParameter, NotAllowed, NotFound, UnreadableFile
from qrkit.exchange import exchange_format, exchange_format_of_file
from qrkit.exchange.columns import Entry
from qrkit.exchange.merge import ImportIssue, ImportResult, merge
from qrkit.frames import campaigns_frame, entries_of, qrcodes_frame, text_table
from qrkit.image import QRImage
from qrkit.links import ShortLink, new_id, read_short_url
from qrkit.portfolio.records import Records
from qrkit.records import PLANS, QRCode
from qrkit.store import Scans, Store
from qrkit.store import portfolio as table
from qrkit.store.accounts import owner_of
from qrkit.templates import Templates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Portfolio", "picture_of"]


class Portfolio(Records):
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
            return self.scans.where(campaign_id=self.get_campaign(id).id)
        if not code.is_available:
            raise NotAllowed(f"the plan {self.account.plan} does not show QR Code {id}, nor its scans")
        return self.scans.where(qrcode_id=code.id)

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
        """A row a QR Code, indexed by id, in the 16 columns of the CSV.

        Columns: Campaign Name, QR Code Name, Content, Trackable URL, Address, Comment, Encode Mode, Error Correction
        (str), Created (UTC) (datetime64, UTC), Scans, Size, Padding, Version (int64; Version -1 is automatic),
        Latitude, Longitude (float64, degrees), Dynamic (bool).
        """
        return qrcodes_frame(self.list_qrcodes(campaign_id=campaign_id), self._campaign_names())

    def image(self, code: QRCode, *, template: str = "", **changes: Any) -> QRImage:
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
            return QRImage(self.templates.design(template, self._encoded(code), **changes))
        return QRImage(self._design(code, **changes))

    def export_file(self, path: str | Path) -> Path:
        """Write all campaigns and QR Codes to a file, in the format of its suffix; gives the path back.

        QR Codes that the plan does not show are left out (ruling T13): a row without content could not be read again.

        Raises:
            InvalidParameter: There is no such format.
        """
        file = Path(path)
        file.write_bytes(exchange_format_of_file(file).write(self._text_table()))
        return file

    def export_bytes(self, format: str) -> bytes:
        """All campaigns and QR Codes as the bytes of a file of this format, as `export_file` writes it.

        Raises:
            InvalidParameter: There is no such format.
        """
        return exchange_format(format).write(self._text_table())

    def import_file(self, source: str | Path | bytes, *, format: str | None = None) -> ImportResult:
        """Add the QR Codes of a file, in one transaction.

        A QR Code that is there already is left out, one with a name in use gets another; short codes, dates and scans
        are kept (interface.md, import rule 6; rulings X2 to X4).

        Args:
            source: The file's path, or its bytes.
            format: Needed for bytes; of a path, the suffix says it.

        Raises:
            UnreadableFile: The file as a whole cannot be read; nothing was changed.
            InvalidParameter: There is no such format.
        """
        if isinstance(source, bytes):
            data, chosen = source, exchange_format(format or "csv")
        else:
            file = Path(source)
            chosen = exchange_format(format) if format else exchange_format_of_file(file)
            try:
                data = file.read_bytes()
            except OSError as error:
                raise UnreadableFile(f"{file}: {error.strerror}") from error
        entries, issues = entries_of(chosen.read(data))
        with self.store.atomic():
            present = [(code.name, code.content) for code in self._stored()]
            result = merge(entries, present, lambda entry: self._own_link(entry) is not None, self._insert_entry)
        issues += result.issues
        return ImportResult(result.created, tuple(sorted(issues, key=lambda issue: issue.row)))

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Portfolio of {self.account.name} in {self.store.path}>"

    def _own_link(self, entry: Entry) -> ShortLink | None:
        """The short code that a row of an import brings, when it is free (ruling X4)."""
        link = read_short_url(entry.trackable_url, self.base_url)
        return None if link is None or table.is_taken(self.store, link.code) else link

    def _insert_entry(self, entry: Entry, name: str) -> ImportIssue | None:
        """Store one row of an import under this name; say what could not be kept of it (ruling X4)."""
        own = self._own_link(entry)
        link = own or read_short_url(entry.trackable_url, self.base_url)
        row = (entry.row, entry.campaign, entry.name, entry.content)
        try:
            record = QRCode(
                id=new_id(),
                name=name,
                content=entry.content,
                comment=entry.comment,
                urlinfo=link.urlinfo if link else "",
                short_code=own.code if own else self._free_short_code(),
                scans=entry.scans,
                created=entry.created or self._clock(),
                properties=entry.properties,
                location=entry.location,
                is_dynamic=entry.is_dynamic,
            )
            self._check_drawable(record)
            campaign_id = self._campaign_id(entry.campaign)
        except (InvalidParameter, ContentTooLong) as error:
            return ImportIssue(*row, "invalid", str(error))
        stored = self._insert(record.replace(campaign_id=campaign_id))
        if own or not entry.trackable_url:
            return None
        what = "is in use" if link else "is no short URL"
        return ImportIssue(*row, "code-taken", f"{entry.trackable_url!r} {what}; the new one is {stored.short_url}")

    def _campaign_id(self, name: str) -> str | None:
        """The oldest campaign of this name, made where there is none; None for no name."""
        if not name:
            return None
        found = table.campaigns(self.store, self.account.id, name=name)
        return found[0].id if found else self.insert_campaign(name).id

    def _campaign_names(self) -> dict[str | None, str]:
        return {None: ""} | {one.id: one.name for one in self.list_campaigns()}

    def _text_table(self) -> pd.DataFrame:
        return text_table([code for code in self.list_qrcodes() if code.is_available], self._campaign_names())


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
