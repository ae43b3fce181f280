"""`Gs1`: the products, places and things of a portfolio, whose short URLs are GS1 Digital Links."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from qrkit.contents.gs1_paths import Gs1Path, gs1_path_in
from qrkit.errors import InvalidParameter, NotFound, Problem
from qrkit.exchange.linksets import LINK_COLUMNS, Described, described_by_rows, link_rows, linkset, read_linkset
from qrkit.files import complete_file, read_file
from qrkit.late import pd
from qrkit.pictures.generate_request import choice
from qrkit.portfolio.codes import Records
from qrkit.portfolio.importing import Present
from qrkit.portfolio.storing import Updates, store_rows
from qrkit.store.records.ids import qrcodes_named
from qrkit.store.records.qrcodes import Staged, stored_row
from qrkit.tracking.gs1_choosing import levels_of
from qrkit.tracking.gs1_entities import DEFAULT, Gs1Entity, Gs1Link, with_defaults
from qrkit.tracking.records import Campaign, QRCode
from qrkit.tracking.short_urls import new_id

__all__ = ["Gs1"]

FORMATS = ("json", "csv", "xlsx")
"""What is imported and exported."""


class Gs1:
    """What a portfolio knows of products, places and things, available as `Portfolio.gs1`.

    Each key, such as a GTIN, is a QR Code, whose short URL is its GS1 Digital Link; lots and items are entities below
    it. A key is named by its GTIN, as `(01)09506000134352(10)ABC`, as the path `01/09506000134352/10/ABC` or as a link.
    """

    def __init__(self, records: Records) -> None:
        self._records = records

    def __repr__(self) -> str:
        return f"<Gs1 of {self._records!r}>"

    def set(
        self,
        what: str,
        *,
        links: Iterable[Gs1Link | Mapping[str, Any]],
        description: str = "",
        default: str = "",
    ) -> QRCode:
        """Set the links of a product, place or thing, or of one of its lots or items, and return its QR Code.

        Args:
            what: Its key with its qualifiers. `21/{21}` at the end stands for all serial numbers.
            links: Its links, 1..100, which replace earlier ones: objects with href, linkType, title and, optionally,
                type, hreflang, context and fwqs, or `Gs1Link`.
            description: What it is, for people; the name of a new QR Code.
            default: The type of the link that answers requests without a type; by default, the first link does.

        Raises:
            InvalidParameter: If the key or a link breaks a rule, or there is no link yet for the key of a lot or item.

        Example:
            >>> from qrkit import open_portfolio
            >>> page = {"href": "https://example.com/rice", "linkType": "gs1:pip", "title": "Rice"}
            >>> with open_portfolio(":memory:", base_url="https://id.example.com") as shop:
            ...     shop.gs1.set("9506000134352", links=[page]).short_url
            'https://id.example.com/01/09506000134352'
        """
        path = gs1_path_in(what)
        given = [link if isinstance(link, Gs1Link) else Gs1Link.from_fields(link) for link in links]
        entity = Gs1Entity(below=path.below, description=description, links=with_defaults(given, default))
        with self._records.store.atomic():
            return self.put(path.key, [entity])

    def get(self, what: str) -> Gs1Entity:
        """Return what is known of exactly this product, place or thing, lot or item.

        Raises:
            NotFound: If nothing is.
        """
        path = gs1_path_in(what)
        found = next((one for one in self._existing(path).gs1 if one.below == path.below), None)
        if found is None:
            raise NotFound("GS1 entity", str(path))
        return found

    def linkset(self, what: str) -> dict[str, Any]:
        """Return the links of a product, place or thing, lot or item, and of all levels above it (RFC 9264).

        Raises:
            NotFound: If there are none.
        """
        path = gs1_path_in(what)
        levels = levels_of(self._existing(path).gs1, path)
        if not levels:
            raise NotFound("GS1 entity", str(path))
        return linkset(self._records.base_url, levels)

    def delete(self, what: str) -> None:
        """Delete one of the lots and items of a key, or the key with all of them.

        The QR Code of a key stays, switched off and without links, because the key may be printed: `set` brings it
        back.

        Raises:
            NotFound: If it is not there.
        """
        path = gs1_path_in(what)
        with self._records.store.atomic():
            self.get(what)
            code = self._existing(path)
            kept = [one for one in code.gs1 if path.below and one.below != path.below]
            self._records.update_qrcode(code.id, gs1=kept, active=bool(kept) and code.active)

    def to_frame(self) -> pd.DataFrame:
        """Return all links: a DataFrame with one row per link, which `import_file` can read as csv or xlsx.

        Columns: all str: anchor (such as 01/09506000134352/10/ABC), description, linkType, href, title, type, hreflang
        and context (separated by commas), fwqs (true or false).
        """
        rows = [row for key, entities in self._all().items() for row in link_rows(key, entities)]
        return pd.DataFrame(rows, columns=list(LINK_COLUMNS), dtype="str")

    def export_bytes(self) -> bytes:
        """Return all links as one linkset, which `import_file` can read."""
        levels = ((gs1_path_in(f"{key}/{one.below}"), one) for key, entities in self._all().items() for one in entities)
        return json.dumps(linkset(self._records.base_url, levels, templates=True), ensure_ascii=False).encode()

    def export_file(self, path: str | Path) -> Path:
        """Write all links to a file: a linkset (json), or a table with a row per link (csv or xlsx), by its suffix.

        Raises:
            InvalidParameter: If the suffix is another one.
            CannotWrite: If the file cannot be written.
        """
        file = Path(path)
        writers: dict[str, Callable[[Any], object]] = {
            ".json": lambda opened: opened.write(self.export_bytes()),
            ".csv": lambda opened: self.to_frame().to_csv(opened, index=False),
            ".xlsx": lambda opened: self.to_frame().to_excel(opened, index=False),
        }
        if file.suffix.lower() not in writers:
            raise InvalidParameter(Problem("path", str(path), f"must end with {', '.join(writers)}"))
        with complete_file(file) as opened:
            writers[file.suffix.lower()](opened)
        return file

    def import_file(self, source: str | Path | bytes, *, format: str = "") -> int:
        """Set the links of a file in one transaction, and return the number of keys.

        Args:
            source: The path or the bytes of a linkset (json), also as the Community Edition of GS1's resolver writes
                it, or of a csv or xlsx file with a row per link and the columns of `to_frame`.
            format: json, csv or xlsx; by default, the suffix of the path, or json for bytes.

        Raises:
            UnreadableFile: If the file cannot be read.
            InvalidParameter: If a link breaks a rule; nothing is set.
        """
        data = source if isinstance(source, bytes) else read_file(Path(source))
        chosen = format or ("json" if isinstance(source, bytes) else Path(source).suffix[1:].lower())
        choice("format", chosen, FORMATS)
        found = read_linkset(data) if chosen == "json" else described_by_rows(data, chosen)

        def decide(known: Present, staged: Staged) -> tuple[Sequence[Campaign], Updates, list[str]]:
            taken = found.keys() & set(known.short_codes.split())
            new = (self._new(key, entities) for key, entities in found.items() if key not in taken)
            staged.add([stored_row(code) for code in new])
            return [], [], [*taken]

        with self._records.store.atomic():
            for key in store_rows(self._records, decide):
                self.put(key, found[key])
        return len(found)

    def _all(self) -> Described:
        return {code.short_code: list(code.gs1) for code in self._records.list_qrcodes() if code.gs1}

    def put(self, key: str, entities: Iterable[Gs1Entity]) -> QRCode:
        """Add entities of a key, such as `01/09506000134352`, each in place of the one with its qualifiers.

        Raises:
            InvalidParameter: If there is none yet for the key itself.
        """
        code = self._code(key)
        fields = _fields(key, {one.below: one for one in (*(code.gs1 if code else ()), *entities)})
        if code is None:
            return self._records.insert_qrcode(**fields, short_code=key, scan_marker=False)
        is_active = code.active or not code.gs1  # it was deleted
        return self._records.update_qrcode(code.id, content=fields["content"], gs1=fields["gs1"], active=is_active)

    def _new(self, key: str, entities: Iterable[Gs1Entity]) -> QRCode:
        fields = _fields(key, {one.below: one for one in entities})
        return QRCode(id=new_id(), created=self._records.now(), short_code=key, scan_marker=False, **fields)

    def _code(self, key: str) -> QRCode | None:
        records = self._records
        found = map(records.get_qrcode, qrcodes_named(records.store, records.account.id, key, short_code=key))
        return next((code for code in found if code.short_code == key), None)

    def _existing(self, path: Gs1Path) -> QRCode:
        code = self._code(path.key)
        if code is None:
            raise NotFound("GS1 entity", str(path))
        return code


def _fields(key: str, by_place: Mapping[str, Gs1Entity]) -> dict[str, Any]:
    """Return the fields of the QR Code of a key with these entities by their qualifiers."""
    if "" not in by_place:
        raise InvalidParameter(Problem("links", None, f"must be set for {key} itself before a lot or an item"))
    content = next((link.href for link in by_place[""].of(DEFAULT)), "")
    return {"name": by_place[""].description[:100] or key, "content": content, "gs1": list(by_place.values())}
