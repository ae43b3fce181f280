"""`Portfolio`: the campaigns and QR Codes of one user, as the interface's track operations offer them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from qrkit import access
from qrkit.design import Design
from qrkit.encode import check_fits
from qrkit.errors import ContentTooLong, InvalidParameter, NotFound, Problem, UnreadableFile
from qrkit.exchange import exchange_format, exchange_format_of_file
from qrkit.exchange.columns import Entry, name_from
from qrkit.exchange.merge import ImportIssue, ImportResult, merge
from qrkit.frames import campaigns_frame, entries_of, qrcodes_frame, text_table
from qrkit.image import QRImage
from qrkit.links import (
    ShortLink,
    base_url_of,
    image_url,
    is_short_code,
    new_id,
    new_short_code,
    read_short_url,
    short_url,
)
from qrkit.records import Account, Campaign, Location, Properties, QRCode
from qrkit.store import Scans, Store
from qrkit.store import portfolio as table
from qrkit.store.portfolio import StoredQRCode
from qrkit.store.settings import get_setting, set_setting
from qrkit.templates import Templates
from qrkit.times import Clock, now

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DEFAULT_BASE_URL", "Portfolio", "kept_base_url", "open_portfolio"]

DEFAULT_BASE_URL = "http://localhost:8080"
BASE_URL = "base_url"
"""Name under which a store keeps it."""


class Portfolio:
    """Campaigns and QR Codes of one account in a store.

    Attributes:
        store: Where they are.
        account: Whose they are.
        base_url: What short URLs begin with; it is printed on paper, so choose it for good.
    """

    def __init__(self, store: Store, account: Account, *, base_url: str = DEFAULT_BASE_URL, clock: Clock = now) -> None:
        self.store = store
        self.account = account
        self.base_url = base_url_of(base_url)
        self._clock = clock

    @property
    def scans(self) -> Scans:
        """The scans of this portfolio; `qrkit.analytics` asks it questions."""
        return Scans(self.store, self.account.id)

    @property
    def templates(self) -> Templates:
        """Its stored designs, by name."""
        return Templates(self.store, self.account.id, clock=self._clock)

    def insert_campaign(self, name: str, *, description: str = "") -> Campaign:
        """Add a campaign.

        Raises:
            InvalidParameter: The name is empty or too long.
        """
        campaign = Campaign(id=new_id(), name=name, description=description, created=self._clock())
        table.insert_campaign(self.store, self.account.id, campaign)
        return campaign

    def get_campaign(self, id: str) -> Campaign:
        """The campaign of this id.

        Raises:
            NotFound: This portfolio has none of this id.
        """
        found = table.campaigns(self.store, self.account.id, id=id or "")
        if not found:
            raise NotFound("campaign", id)
        return found[0]

    def insert_qrcode(  # noqa: PLR0913 - the fields of a record, each by its name
        self,
        content: str,
        *,
        name: str = "",
        campaign_id: str | None = None,
        comment: str = "",
        urlinfo: str = "",
        short_code: str = "",
        is_dynamic: bool = True,
        location: Location | dict[str, Any] | None = None,
        properties: Properties | dict[str, Any] | None = None,
    ) -> QRCode:
        """Add a tracked QR Code.

        Args:
            content: Where a scan leads: a URL, or text that is shown. 1..32,767 characters.
            name: Its name; without one, the content cut at 100 characters (ruling T4).
            campaign_id: The campaign it belongs to.
            comment: A private note.
            urlinfo: Words that the short URL ends in.
            short_code: A short code of your choice, 2..64 of `0-9 A-Z a-z _ -`; without one, 6 random characters (T1).
            is_dynamic: Whether the picture encodes the short URL; else it encodes the content, and scans are not seen.
            location: Where it hangs: address, latitude, longitude.
            properties: How it is drawn: size, version, padding, em, ec, foreground, background.

        Raises:
            InvalidParameter: A field breaks its rule, the short code was given before, or there is no such campaign.
            ContentTooLong: What the picture encodes does not fit the version asked for.
        """
        if campaign_id is not None and not (
            isinstance(campaign_id, str) and table.campaigns(self.store, self.account.id, id=campaign_id)
        ):
            raise InvalidParameter(Problem("campaign_id", campaign_id, "is not the id of a campaign of this portfolio"))
        with self.store.atomic():
            record = QRCode(
                id=new_id(),
                campaign_id=campaign_id,
                name=name or name_from(str(content)),
                content=content,
                comment=comment,
                urlinfo=urlinfo,
                short_code=self._free_short_code(short_code),
                short_url="",
                image_url="",
                created=self._clock(),
                is_dynamic=is_dynamic,
                location=location or Location(),
                properties=properties or Properties(),
            )
            self._check_drawable(record)
            return self._inserted(record)

    def shorten(self, url: str) -> str:
        """The short URL of a URL: that of the code an earlier call made for it, else of a new tracked one (G9, G19).

        Raises:
            InvalidParameter: The URL is empty or too long.
        """
        with self.store.atomic():
            found = table.qrcodes(self.store, self.account.id, content=url)
            made = [one for one in found if one.name == name_from(url) and one.is_dynamic and one.campaign_id is None]
            return self._record(made[0]).short_url if made else self.insert_qrcode(url).short_url

    def get_qrcode(self, id: str) -> QRCode:
        """The QR Code of this id.

        Raises:
            NotFound: This portfolio has none of this id.
        """
        found = table.qrcodes(self.store, self.account.id, id=id or "")
        if not found:
            raise NotFound("QR Code", id)
        return self._record(found[0])

    def list_campaigns(self) -> list[Campaign]:
        """All campaigns, oldest first."""
        return table.campaigns(self.store, self.account.id)

    def list_qrcodes(self, *, campaign_id: str | None = None) -> list[QRCode]:
        """All QR Codes in the order they were added; of one campaign where one is given."""
        found = table.qrcodes(self.store, self.account.id, campaign_id=campaign_id)
        return [self._record(one) for one in found]

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

    def image(self, code: QRCode, **changes: Any) -> QRImage:
        """The picture of a QR Code: its short URL when it is dynamic, else its content (rulings T2, X5).

        Args:
            code: A record of this portfolio.
            **changes: Fields of `Design` that replace those of its properties.
        """
        return QRImage(self._design(code, **changes))

    def export_file(self, path: str | Path) -> Path:
        """Write all campaigns and QR Codes to a file, in the format of its suffix; gives the path back.

        Raises:
            InvalidParameter: There is no such format.
        """
        file = Path(path)
        file.write_bytes(exchange_format_of_file(file).write(self._text_table()))
        return file

    def export_bytes(self, format: str) -> bytes:
        """All campaigns and QR Codes as the bytes of a file of this format.

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
            present = [(code.name, code.content) for code in table.qrcodes(self.store, self.account.id)]
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
                short_url="",
                image_url="",
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
        stored = self._inserted(record.replace(campaign_id=campaign_id))
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

    def _free_short_code(self, wished: str = "") -> str:
        """The short code wished for, or a random one, that was never given to any account (ruling T1)."""
        if not wished:
            return next(code for code in iter(new_short_code, "") if not table.is_taken(self.store, code))
        if not is_short_code(wished):
            rule = "must be 2..64 letters, digits, _ or -, and not a word of the interface"
            raise InvalidParameter(Problem("short_code", wished, rule))
        if table.is_taken(self.store, wished):
            raise InvalidParameter(Problem("short_code", wished, "was given before; a short code is never given twice"))
        return wished

    def _check_drawable(self, record: QRCode) -> None:
        """Refuse properties that the picture cannot have, before it is printed."""
        check_fits(self._design(record.replace(**self._links(record))))

    def _inserted(self, record: QRCode) -> QRCode:
        """Store a record and give it back with its URLs."""
        fields = {name: getattr(record, name) for name in StoredQRCode.__slots__}
        table.insert_qrcode(self.store, self.account.id, StoredQRCode(**fields))
        return record.replace(**self._links(record))

    def _record(self, stored: StoredQRCode) -> QRCode:
        fields = {name: getattr(stored, name) for name in StoredQRCode.__slots__}
        return QRCode(**(fields | self._links(stored)))

    def _links(self, record: QRCode | StoredQRCode) -> dict[str, str]:
        """The URLs that follow from a record."""
        url = short_url(self.base_url, record.short_code, record.urlinfo)
        encoded = url if record.is_dynamic else record.content
        return {"short_url": url, "image_url": image_url(self.base_url, encoded, record.properties)}

    def _design(self, code: QRCode, **changes: Any) -> Design:
        """What a QR Code looks like: its short URL when it is dynamic, else its content (rulings T2, X5)."""
        fields = {name: getattr(code.properties, name) for name in Properties.model_fields}
        return Design(content=code.short_url if code.is_dynamic else code.content, **(fields | changes))

    def _campaign_names(self) -> dict[str | None, str]:
        return {None: ""} | {one.id: one.name for one in self.list_campaigns()}

    def _text_table(self) -> pd.DataFrame:
        return text_table(self.list_qrcodes(), self._campaign_names())


def kept_base_url(store: Store, given: str | None = None) -> str:
    """What short URLs of a store begin with: what is given, which the store keeps, else what it has kept.

    Raises:
        InvalidParameter: It is no http or https URL.
    """
    kept = get_setting(store, BASE_URL)
    if given is None:
        return kept or DEFAULT_BASE_URL
    url = base_url_of(given)
    if url != kept:
        set_setting(store, BASE_URL, url)
    return url


def open_portfolio(path: str | Path = "qrkit.duckdb", *, base_url: str | None = None, clock: Clock = now) -> Portfolio:
    """Open the portfolio of the local user in a store file, which is made when it does not exist.

    Args:
        path: The file, or `:memory:`.
        base_url: What short URLs begin with: the address under which the redirects will be reached. The store keeps
            it, so that it need be given but once; http://localhost:8080 where it never was.
        clock: What time it is, for records that are made.

    Raises:
        StoreBusy: Another process has the file open.
        UnreadableFile: The file is not a store.
        InvalidParameter: `base_url` is no http or https URL.
    """
    if base_url is not None:
        base_url_of(base_url)  # before a file is made
    store = Store(path)
    return Portfolio(store, access.local_account(store), base_url=kept_base_url(store, base_url), clock=clock)
