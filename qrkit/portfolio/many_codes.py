"""`ManyRecords`: QR Codes of one account by the page, by the selection, and back from deletion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qrkit.errors import ContentTooLong, InvalidParameter, NotFound, Problem
from qrkit.portfolio.codes import Records, check_change, visible
from qrkit.store.qrcodes import delete_qrcodes
from qrkit.store.searching import Search, deleted_rows, edit_qrcodes, put_back, search_qrcodes
from qrkit.tracking.records import PLANS, QRCode

__all__ = ["DeletedQRCodes", "ManyRecords"]


@dataclass(frozen=True, slots=True)
class DeletedQRCodes:
    """Deleted QR Codes, as `Portfolio.restore_qrcodes` restores them; `len()` tells how many.

    Attributes:
        rows: Their rows in the store, by column.
    """

    rows: tuple[dict[str, Any], ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.rows)


class ManyRecords(Records):
    """What a portfolio does with many QR Codes in one step."""

    def search_page(self, search: Search, *, start: int = 0, limit: int | None = None) -> tuple[int, list[QRCode]]:
        """Return how many QR Codes match a search, and one page of them, in the order they were added.

        Args:
            search: Which QR Codes to find. QR Codes that the plan does not show match only a search without filters.
            start: The number of QR Codes before the page. Behind the last one, the number returned is 0.
            limit: The maximum number of QR Codes on the page; None for all.
        """
        number, codes = search_qrcodes(
            self.store,
            self.account.id,
            search,
            self._links,
            base_url=self.base_url,
            most=PLANS[self.account.plan].most_qrcodes,
            start=start,
            limit=limit,
        )
        return number, [visible(code) for code in codes]

    def delete_qrcodes(self, ids: Sequence[str]) -> DeletedQRCodes:
        """Delete QR Codes together, and return what `restore_qrcodes` needs to undo that.

        Raises:
            NotFound: If this portfolio has no QR Code with one of these IDs; nothing is deleted.
        """
        with self.store.atomic():
            codes = [self._one(id) for id in dict.fromkeys(ids)]
            deleted = DeletedQRCodes(tuple(deleted_rows(self.store, [code.id for code in codes])))
            delete_qrcodes(self.store, codes)
        return deleted

    def restore_qrcodes(self, deleted: DeletedQRCodes) -> None:
        """Restore deleted QR Codes with their IDs, short codes, and the scans counted before they were deleted.

        Visits between deletion and restoration stay visits to a deleted short URL. A QR Code whose campaign or template
        has been deleted since then is restored without it.

        Args:
            deleted: What `delete_qrcodes` of this portfolio returned.

        Raises:
            InvalidParameter: If these QR Codes exist, because they were restored before.
        """
        campaigns = {campaign.id for campaign in self.list_campaigns()}
        with self.store.atomic():
            if deleted_rows(self.store, [row["id"] for row in deleted.rows]):
                raise InvalidParameter(Problem("deleted", f"{len(deleted.rows)} QR Codes", "were restored before"))
            put_back(
                self.store,
                [
                    row
                    | {"campaign_id": row["campaign_id"] if row["campaign_id"] in campaigns else None}
                    | {"template": row["template"] if row["template"] in self.templates else ""}
                    for row in deleted.rows
                ],
            )

    def edit_qrcodes(
        self,
        ids: Sequence[str],
        *,
        template: str | None = None,
        campaign_id: str | None = None,
        find: str = "",
        replace: str = "",
    ) -> int:
        """Change many QR Codes in one transaction, and return how many were changed.

        Args:
            ids: IDs of the QR Codes.
            template: The name of the new template; "" for none, None for no change.
            campaign_id: ID of the new campaign; "" for none, None for no change.
            find: A part of contents, exactly as written, to replace everywhere; "" for no change.
            replace: The text that takes its place.

        Raises:
            NotFound: If this portfolio has no QR Code with one of these IDs.
            InvalidParameter: If the campaign or the template does not exist, or if a content breaks a rule after the
                replacement; the error names the first such QR Code, and nothing is changed.
        """
        wanted = dict.fromkeys(ids)
        with self.store.atomic():
            self.templates.check_known(template or "")
            self._check_campaign(campaign_id or None)
            _, codes = self.search_page(Search(ids=tuple(wanted)))
            if missing := next(iter(wanted.keys() - {code.id for code in codes}), None):
                raise NotFound("QR Code", missing)
            fields: dict[str, str | None] = {} if template is None else {"template": template}
            if campaign_id is not None:
                fields["campaign_id"] = campaign_id or None
            edited = ((code, self._edited(code, fields, find, replace)) for code in codes if code.is_available)
            changed = [after for before, after in edited if after != before]
            edit_qrcodes(self.store, changed)
        return len(changed)

    def _edited(self, code: QRCode, fields: Mapping[str, Any], find: str, replace: str) -> QRCode:
        """Return a QR Code with other fields, and with a part of its content replaced."""
        changed = code.model_copy(update=dict(fields))
        if not find or find not in code.content:
            return changed
        try:
            linked = self._linked(changed.replace(content=code.content.replace(find, replace)))
            check_change(code, linked)
        except (InvalidParameter, ContentTooLong) as error:
            rule = f"does not work for {code.name!r}: {error}"
            raise InvalidParameter(Problem("replace", replace, rule)) from error
        return linked
