"""`ManyRecords`: QR Codes of one account by the page and by the selection, and what undoes that."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, Unpack

from qrkit.errors import ContentTooLong, InvalidParameter, NotFound, Problem
from qrkit.portfolio.codes import Records, visible
from qrkit.portfolio.given_fields import with_fields
from qrkit.portfolio.trackable import CHECKED_TOGETHER, check_change
from qrkit.store.records.qrcodes import delete_qrcodes
from qrkit.store.records.searching import EDITED, Search, deleted_rows, edit_qrcodes, put_back, search_qrcodes
from qrkit.tracking.own_fields import OwnFields
from qrkit.tracking.records import QRCode, TermsFields

if TYPE_CHECKING:
    from qrkit.exchange.merge import ImportResult

__all__ = ["DeletedQRCodes", "EditedQRCodes", "ManyRecords"]


@dataclass(frozen=True, slots=True)
class DeletedQRCodes:
    """Deleted QR Codes, as `Portfolio.restore_qrcodes` restores them; `len()` tells how many.

    Attributes:
        rows: Their rows in the store, by column.
        scans: How many scans were counted for those that the plan shows, without the numbers that were imported.
    """

    rows: tuple[dict[str, Any], ...] = field(repr=False)
    scans: int = 0

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class EditedQRCodes:
    """QR Codes that were edited together, as `Portfolio.undo_edit` changes them back; `len()` tells how many.

    Attributes:
        before: The `id` and the fields of each QR Code before the edit.
        after: The same after the edit, in the same order.
    """

    before: tuple[dict[str, Any], ...] = field(repr=False)
    after: tuple[dict[str, Any], ...] = field(repr=False)

    @classmethod
    def of(cls, pairs: Iterable[tuple[QRCode, QRCode]]) -> Self:
        """Keep QR Codes as they were before and after an edit; those that did not change are left out."""
        changed = [(_edited_fields(before), _edited_fields(after)) for before, after in pairs if before != after]
        return cls(tuple(before for before, _ in changed), tuple(after for _, after in changed))

    def __len__(self) -> int:
        return len(self.before)


class ManyRecords(Records):
    """What a portfolio does with many QR Codes in one step."""

    def search_page(self, search: Search, *, start: int = 0, limit: int | None = None) -> tuple[int, list[QRCode]]:
        """Return how many QR Codes match a search, and one page of them, in the order of the search.

        Args:
            search: Which QR Codes to find. QR Codes that the plan does not show match only a search without filters.
            start: The number of QR Codes before the page. Behind the last one, the number returned is 0.
            limit: The maximum number of QR Codes on the page; None for all.
        """
        number, codes = self._found(search, start, limit)
        return number, [visible(code) for code in codes]

    def _found(self, search: Search, start: int = 0, limit: int | None = None) -> tuple[int, list[QRCode]]:
        """Return a page as `search_page` does, with complete records, including those that the plan does not show."""
        asked = (self.store, self.account.id, search, self._links)
        most = self.account.limits.most_qrcodes
        return search_qrcodes(*asked, base_url=self.base_url, most=most, start=start, limit=limit)

    def _those(self, ids: Iterable[str]) -> list[QRCode]:
        """Return the complete records of QR Codes; raise NotFound if one of them is not in this portfolio."""
        wanted = {} if isinstance(ids, str) else dict.fromkeys(ids)
        if isinstance(ids, str) or any(isinstance(id, QRCode) for id in wanted):
            rule = "must be a list of IDs as texts, such as [code.id for code in codes]"
            raise InvalidParameter(Problem("ids", ids if isinstance(ids, str) else None, rule, "wrong-type"))
        _, codes = self._found(Search(ids=tuple(wanted)))
        known = {code.id for code in codes}
        if missing := [id for id in wanted if id not in known]:
            raise NotFound("QR Code", missing[0])
        return codes

    def search_qrcodes(self, text: str, *, campaign_id: str | None = None) -> list[QRCode]:
        """Return the QR Codes that contain a text, in the order they were added.

        The short URL, name, content, comment, address, tags and fields are searched, regardless of case. QR Codes that
        the plan does not show are not.

        Args:
            text: The text to look for; "" finds all QR Codes.
            campaign_id: ID of the campaign to search; by default, all QR Codes are searched.
        """
        if not text:
            return self.list_qrcodes(campaign_id=campaign_id)
        return self.search_page(Search((self.searchable(text),), campaign_id))[1]

    def searchable(self, text: str) -> str:
        """Return a text to search for: of a pasted short URL, the part before its readable tail."""
        code = self.short_code_in(text)
        return f"{self.base_url}/{code}" if code else text

    def delete_qrcodes(self, ids: Sequence[str]) -> DeletedQRCodes:
        """Delete QR Codes together, and return what `restore_qrcodes` needs to undo that.

        Raises:
            NotFound: If this portfolio has no QR Code with one of these IDs; nothing is deleted.
            InvalidParameter: If `ids` is a text, or has records in place of IDs.
        """
        with self.store.atomic():
            return self._delete(self._those(ids))

    def _delete(self, codes: Sequence[QRCode]) -> DeletedQRCodes:
        rows = {row["id"]: row for row in deleted_rows(self.store, [code.id for code in codes])}
        scans = sum(code.scans - rows[code.id]["imported_scans"] for code in codes if code.is_available)
        delete_qrcodes(self.store, codes, self.now())
        return DeletedQRCodes(tuple(rows.values()), scans)

    def restore_qrcodes(self, deleted: DeletedQRCodes) -> None:
        """Restore deleted QR Codes with their IDs, short codes, and the scans counted before they were deleted.

        Visits between deletion and restoration stay visits to a deleted short URL. A QR Code whose campaign or template
        has been deleted since then is restored without it.

        Args:
            deleted: What `delete_qrcodes` of this portfolio returned.

        Raises:
            InvalidParameter: If these QR Codes exist, because they were restored before.
        """
        with self.store.atomic():
            if deleted_rows(self.store, [row["id"] for row in deleted.rows]):
                raise InvalidParameter(Problem("deleted", f"{len(deleted.rows)} QR Codes", "were restored before"))
            put_back(self.store, self._without_what_is_gone(deleted.rows), self.now())

    def edit_qrcodes(
        self,
        ids: Sequence[str],
        *,
        template: str | None = None,
        campaign_id: str | None = None,
        find: str = "",
        replace: str = "",
        add_tags: Sequence[str] = (),
        remove_tags: Sequence[str] = (),
        fields: Mapping[str, str] | None = None,
        rules_of_campaigns: bool = False,
        **terms: Unpack[TermsFields],
    ) -> EditedQRCodes:
        """Change many QR Codes in one transaction, and return what `undo_edit` needs to undo that.

        Args:
            ids: IDs of the QR Codes.
            template: The name of the new template; "" for none, None for no change.
            campaign_id: ID of the new campaign; "" for none, None for no change.
            find: A part of contents, exactly as written, to replace everywhere; "" for no change.
            replace: The text that takes its place.
            add_tags: Tags to add behind those that a QR Code has.
            remove_tags: Tags to remove, exactly as they are written.
            fields: Fields of your own to set, by name; "" removes a field, and others are unchanged.
            rules_of_campaigns: Whether to give each QR Code the rules of its campaign, which replace its own.
            **terms: As for `update_qrcode`, such as `rules` or `active`.

        Raises:
            NotFound: If this portfolio has no QR Code with one of these IDs.
            InvalidParameter: If the campaign or the template does not exist, if rules are given twice, or if a
                content, the rules, the tags or the fields break a rule after the change; the error names the first such
                QR Code, and nothing is changed.

        Warns:
            UserWarning: If the plan does not show some of the QR Codes, which are not edited.
        """
        if rules_of_campaigns and terms.get("rules") is not None:
            raise InvalidParameter(Problem("rules", terms["rules"], "cannot be combined with rules_of_campaigns"))
        with self.store.atomic():
            self.templates.check_known(template or "")
            codes = self._those(ids)
            same: dict[str, Any] = {} if template is None else {"template": template}
            if campaign_id is not None:
                same["campaign_id"] = self._check_campaign(campaign_id).id if campaign_id else None
            same |= self._checked({name: value for name, value in terms.items() if value is not None})
            ruled = {one.id: one.rules for one in self.list_campaigns()} if rules_of_campaigns else {}
            pairs = []
            for code in self._shown(codes):
                own: dict[str, Any] = {"content": code.content.replace(find, replace)} if find else {}
                if rules_of_campaigns:
                    own["rules"] = ruled.get(same.get("campaign_id", code.campaign_id) or "", ())
                changed = self._edited(code, same | own, "replace" if find else "rules", replace or None)
                pairs.append((code, _sorted_anew(changed, add_tags, remove_tags, fields or {})))
            edit_qrcodes(self.store, pairs, self.now())
        return EditedQRCodes.of(pairs)

    def _checked(self, terms: Mapping[str, Any]) -> dict[str, Any]:
        """Return terms as any QR Code keeps them, checked once for all, so that a password is hashed once."""
        code = QRCode(id="", name="", created=self.now(), is_available=False).replace(**terms)
        return {name: getattr(code, name) for name in terms}

    def _shown(self, codes: Sequence[QRCode]) -> list[QRCode]:
        """Return the QR Codes that the plan shows, which alone can be edited, and warn of the others."""
        shown = [code for code in codes if code.is_available]
        if hidden := len(codes) - len(shown):
            text = f"QR Codes that the plan {self.account.plan} does not show are not edited: {hidden:,}"
            warnings.warn(text, stacklevel=3)
        return shown

    def undo_edit(self, edited: EditedQRCodes) -> int:
        """Change back what `edit_qrcodes` changed, in one transaction, and return how many QR Codes were changed back.

        Fields that were changed again since then keep the later value, and deleted QR Codes stay deleted. A QR Code
        whose previous campaign or template has been deleted since then is left without it.

        Args:
            edited: What `edit_qrcodes` of this portfolio returned.

        Raises:
            InvalidParameter: If a previous content breaks a rule today, such as when a version was set that is too
                small for it; the error names the first such QR Code, and nothing is changed.
        """
        with self.store.atomic():
            previous = self._without_what_is_gone(edited.before)
            changes = {after["id"]: (before, after) for before, after in zip(previous, edited.after, strict=True)}
            undone = []
            for code in self.search_page(Search(ids=tuple(changes)))[1]:
                before, after = changes[code.id]
                now = _edited_fields(code)
                fields = {name: before[name] for name in EDITED if now[name] == after[name]}
                fields["fields"] = _undone_fields(now["fields"], before["fields"], after["fields"])
                if code.is_available and now | fields != now:
                    undone.append((code, self._edited(code, fields, "edited", f"{len(edited):,} QR Codes")))
            edit_qrcodes(self.store, undone, self.now())
        return len(undone)

    def undo_import(self, imported: ImportResult) -> DeletedQRCodes:
        """Delete what `import_file` or `import_frame` added, and return what `restore_qrcodes` needs to undo that.

        QR Codes that the import updated are changed back, as `undo_edit` does. Campaigns that the import added are
        deleted, too, unless they have other QR Codes by now.

        Args:
            imported: What the import into this portfolio returned.

        Raises:
            InvalidParameter: If QR Codes kept the short codes of the file. No short code is given twice, so what was
                printed with them would never work again; edit these QR Codes instead. Nothing is deleted.
        """
        if imported.kept_codes:
            rule = "cannot be undone: no short code is given twice, so printed codes would never work again; edit them"
            raise InvalidParameter(Problem("imported", f"{imported.kept_codes:,} short codes of the file", rule))
        with self.store.atomic():
            self.undo_edit(EditedQRCodes.of(imported.updates))
            deleted = self._delete(self._found(Search(ids=imported.ids))[1])
            for campaign in self.list_campaigns():
                if campaign.id in imported.campaign_ids and not self.list_qrcodes(campaign_id=campaign.id):
                    self.delete_campaign(campaign.id)
        return deleted

    def _edited(self, code: QRCode, fields: Mapping[str, Any], name: str, value: str | None) -> QRCode:
        """Return a QR Code with other fields, each of which is valid; name and value are for an error about them."""
        if all(fields.get(one, getattr(code, one)) == getattr(code, one) for one in (*CHECKED_TOGETHER, "properties")):
            return code.model_copy(update=dict(fields))
        try:
            linked = self._linked(code.replace(**fields))
            check_change(code, linked)
        except (InvalidParameter, ContentTooLong) as error:
            raise InvalidParameter(Problem(name, value, f"does not work for {code.name!r}: {error}")) from error
        return linked

    def _without_what_is_gone(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return previous rows of QR Codes, without campaigns and templates that have been deleted since then."""
        campaigns = {campaign.id for campaign in self.list_campaigns()}
        templates = set(self.templates)
        return [
            row
            | {"campaign_id": row["campaign_id"] if row["campaign_id"] in campaigns else None}
            | {"template": row["template"] if row["template"] in templates else ""}
            for row in rows
        ]


def _sorted_anew(code: QRCode, added: Iterable[str], removed: Collection[str], fields: Mapping[str, str]) -> QRCode:
    """Return a QR Code with changes of its tags and own fields."""
    tags = [tag for tag in (*code.tags, *added) if tag not in removed]
    try:
        return code.replace(tags=tags, fields=with_fields(code.fields, fields)) if added or removed or fields else code
    except InvalidParameter as error:
        problems = [replace(one, rule=f"{one.rule} (QR Code {code.name!r})") for one in error.problems]
        raise InvalidParameter(*problems) from error


def _undone_fields(now: OwnFields, before: OwnFields, after: OwnFields) -> OwnFields:
    """Return own fields with their values before an edit, apart from those that were changed again since then."""
    names = dict.fromkeys((*before, *now))
    values = {name: (before if now.get(name) == after.get(name) else now).get(name) for name in names}
    return OwnFields((name, value) for name, value in values.items() if value is not None)


def _edited_fields(code: QRCode) -> dict[str, Any]:
    return {name: getattr(code, name) for name in ("id", *EDITED)}
