"""Write the QR Codes of a portfolio to a file, from records or from the texts that the database writes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

from qrkit.errors import UnknownParameter
from qrkit.exchange import ExchangeFormat, exchange_format, exchange_format_of_file
from qrkit.files import complete_file
from qrkit.late import UNSEEN, Watch, watch
from qrkit.portfolio.code_pictures import links_of, short_link_of
from qrkit.portfolio.codes import Records, visible
from qrkit.portfolio.explained import Explained
from qrkit.store.records.json_rows import campaigns_text, qrcode_texts, read_campaigns, read_qrcodes
from qrkit.store.records.qrcodes import Links, count_qrcodes, has_tags_or_fields, has_terms
from qrkit.tracking.records import Campaign, QRCode

if TYPE_CHECKING:
    from qrkit.paper.label_sheets import SheetFile
    from qrkit.pictures.printing import PrintSize


class Listing(NamedTuple):
    """A portfolio as texts that the database writes (`qrkit.store.records.json_rows`), many QR Codes in each."""

    base_url: str
    campaigns_text: str
    qrcode_texts: Sequence[str]

    @classmethod
    def of(cls, portfolio: Records) -> Self:
        """Return all campaigns and QR Codes, as the plan of the account shows them."""
        store, account = portfolio.store, portfolio.account
        texts = qrcode_texts(store, account.id, most=account.limits.most_qrcodes)
        return cls(portfolio.base_url, campaigns_text(store, account.id), tuple(texts))

    def campaigns(self) -> list[Campaign]:
        """Return the campaigns, oldest first."""
        return read_campaigns(self.campaigns_text)

    def qrcodes(self) -> Iterator[QRCode]:
        """Yield the QR Codes as visible under the plan, in the order they were added."""
        return map(visible, self._qrcodes(partial(links_of, base_url=self.base_url)))

    def available(self) -> Iterator[QRCode]:
        """Yield the QR Codes that the plan makes available, without their image URLs, which files do not have."""
        codes = self._qrcodes(partial(short_link_of, base_url=self.base_url))
        return (code for code in codes if code.is_available)

    def _qrcodes(self, links: Links) -> Iterator[QRCode]:
        for text in self.qrcode_texts:
            yield from read_qrcodes(text, links)

    def to_json(self) -> str:
        """Convert the listing to JSON: the QR Codes without properties, location and schedule."""
        return list_json(self.campaigns(), self.qrcodes())


def list_json(campaigns: Iterable[Campaign], qrcodes: Iterable[QRCode], *, following: str = "") -> str:
    """Convert records to the JSON of a list: the QR Codes without properties, location and schedule.

    The next page begins after the ID `following`; "" if there is none.
    """
    shown = ",".join(one.to_json() for one in campaigns), ",".join(one.to_list_json() for one in qrcodes)
    further = f',"next":{json.dumps(following)}' if following else ""
    return f'{{"campaigns":[{shown[0]}],"qrcodes":[{shown[1]}]{further}}}'


class Written(Explained):
    """What a portfolio writes to files."""

    def export_file(
        self,
        path: str | Path,
        *,
        image_format: str = "png",
        print_size: PrintSize | None = None,
        names: str = "",
        safe: bool = True,
        ids: Collection[str] | None = None,
        progress: bool = False,
    ) -> Path:
        """Write all campaigns and QR Codes to a file in the format of the file's suffix; return the path.

        QR Codes that the plan does not show are left out, because a row without content cannot be imported again. The
        pictures in a zip are drawn like those of `image`, and checked like `qrkit.check(..., "static")`, one of each
        look.

        Args:
            path: The file to write; the suffix must be one of `qrkit.exchange.EXPORT_FORMATS`. A .pdf has a page for
                each picture, and cannot be imported.
            image_format: The format of the pictures in a zip: png, eps, svg, pdf, tif or zpl.
            print_size: The print size of the pictures in a zip or a PDF, as in `QRImage.print_at`; by default, they
                have a size in pixels.
            names: Pattern of the paths of the pictures in a zip, such as `{campaign}/{name}`, with the fields
                `{name}`, `{campaign}`, `{number}`, `{short_code}`, `{short_url}` and yours, such as `{City}`. Names are
                made safe for every file system, and repeated ones are numbered.
            safe: Whether to put an apostrophe in front of csv texts that a spreadsheet would run as formulas; an import
                removes the apostrophe.
            ids: IDs of the QR Codes to write; by default, all.
            progress: Whether to show a progress bar.

        Raises:
            InvalidParameter: If the format is unknown, a text is too long for the format, or QR Codes cannot be drawn,
                which the error names with their template; no file is written.
            CannotWrite: If the file cannot be written.

        Warns:
            ScanWarning: If phones may fail to scan some of the pictures in a zip (the first three are named).
            UserWarning: If captions of pictures in a zip are cut to fit their frame, or their font lacks letters; and,
                with a print size, of each kind of finding of `QRImage.preflight`.
        """
        file = Path(path)
        chosen = exchange_format_of_file(file)
        with complete_file(file) as opened:
            seen = watch(progress=progress)
            how: dict[str, Any] = {"image_format": image_format, "print_size": print_size, "names": names, "safe": safe}
            self._export(chosen, opened, seen, ids, **how)
        return file

    def export_bytes(
        self,
        format: str,
        *,
        image_format: str = "png",
        print_size: PrintSize | None = None,
        names: str = "",
        safe: bool = True,
        ids: Collection[str] | None = None,
    ) -> bytes:
        """Return all campaigns and QR Codes as the bytes of a file, as written by `export_file`.

        Args:
            format: One of `qrkit.exchange.EXPORT_FORMATS`: csv, xls, xlsx, xml, json, zip or pdf.
            image_format: The format of the pictures in a zip: png, eps, svg, pdf, tif or zpl.
            print_size: The print size of the pictures, as in `export_file`.
            names: Pattern of the paths of the pictures in a zip, as in `export_file`.
            safe: Whether to put an apostrophe in front of csv texts that a spreadsheet would run as formulas.
            ids: IDs of the QR Codes to write; by default, all.

        Raises:
            InvalidParameter: If the format is unknown, a text is too long for the format, or QR Codes cannot be drawn.

        Warns:
            ScanWarning: If phones may fail to scan some of the pictures in a zip (the first three are named).
            UserWarning: If captions of pictures in a zip are cut to fit their frame, or their font lacks letters.
        """
        file = BytesIO()
        chosen = exchange_format(format)
        how: dict[str, Any] = {"image_format": image_format, "print_size": print_size, "names": names, "safe": safe}
        self._export(chosen, file, UNSEEN, ids, **how)
        return file.getvalue()

    def _export(
        self, format: ExchangeFormat, file: BinaryIO, seen: Watch, ids: Collection[str] | None = None, **how: Any
    ) -> None:
        """Write all QR Codes that the plan makes available, in batches."""
        from qrkit.portfolio.checking import ON_PAPER, ExportCheck
        from qrkit.portfolio.code_designs import CodeDesigns
        from qrkit.portfolio.written_codes import write_codes

        store, account_id, size = self.store, self.account.id, how["print_size"]
        codes = (code for code in self._each(self._short_links) if code.is_available)
        asked = (code for code in codes if ids is None or code.id in ids)
        count = min(count_qrcodes(store, account_id), self.account.limits.most_qrcodes)
        designs = CodeDesigns.of(store, account_id)
        check = ExportCheck(designs, ON_PAPER if size else (), size)
        how |= {"has_tags": has_tags_or_fields(store, account_id), "has_terms": has_terms(store, account_id)}
        found = seen(asked, "Exporting", count)
        write_codes(format, file, found, self.list_campaigns(), designs, **how, drawn=check.see)
        check.warn(stacklevel=4)

    def _short_links(self, fields: Mapping[str, Any]) -> dict[str, str]:
        """Return the short URL of a QR Code without its image URL, which no file and no DataFrame has."""
        return short_link_of(fields, self.base_url)

    def sheet(
        self, path: str | Path, stock: str, *, campaign_id: str | None = None, lines: Sequence[str] | None = None,
        **settings: Any,
    ) -> SheetFile:  # fmt: skip
        """Write a PDF of labels or cards with QR Codes, each drawn as `image` draws it, and lines of text.

        Args:
            path: The file, which ends in .pdf, in .zpl for a label printer (with `dpi`), or in .svg for a picture of
                the first page.
            stock: Part number of a label stock, such as `L7160`, or a card: business-card,
                us-business-card, table-tent, a6, sticker, ticket, hang-tag. `qrkit.paper.stocks()` has all stocks.
            campaign_id: The campaign whose QR Codes to print; by default, all.
            lines: Lines of text on a label, with the fields of `export_file` in braces. The first one is set larger. By
                default, the name, unless the captions of all pictures show it.
            **settings: Further fields of `qrkit.paper.SheetSettings`, such as start, copies, marks and bleed.

        Raises:
            NotFound: If there is no campaign with this ID.
            InvalidParameter: If a setting breaks its rule, there is no such stock, a text does not fit, or a QR Code is
                too dense for its label, which the error names; no file is written.
            CannotWrite: If the file cannot be written.

        Warns:
            ScanWarning: If phones may fail to scan some of the QR Codes (the first three are named).
            UserWarning: If the font lacks letters, which are drawn as boxes, or captions are cut to fit their frame.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> from qrkit import open_portfolio
            >>> shop = open_portfolio(":memory:", base_url="https://go.example.com")
            >>> _ = shop.insert_qrcode("https://example.com/menu", name="Menu")
            >>> with TemporaryDirectory() as folder:
            ...     print(shop.sheet(f"{folder}/labels.pdf", "L7160", copies=24))
            24 labels on 2 pages
        """
        from qrkit.paper.label_pages import SheetSettings
        from qrkit.portfolio.code_sets import code_sheet

        for name in sorted(settings.keys() - SheetSettings.model_fields.keys() - SheetSettings.other_names.keys()):
            raise UnknownParameter(name, settings[name], ("campaign_id", *SheetSettings.model_fields))
        return code_sheet(self, path, SheetSettings(stock=stock, **settings), lines, campaign_id=campaign_id)
