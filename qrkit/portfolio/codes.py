"""`Records`: the campaigns and QR Codes of one account, with the rules of the interface's track operations 3 to 10.

They say what inserting, changing and deleting means, what the plan of an account shows, and which QR Codes a short
code, a short URL, a name or an ID stands for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Unpack
from unicodedata import normalize

from qrkit.contents.cards import summary
from qrkit.contents.gs1_paths import is_gs1_key
from qrkit.design.design import Design
from qrkit.errors import InvalidParameter, NotFound, Problem, raise_any, similar
from qrkit.exchange.columns import check_names, name_from
from qrkit.portfolio.code_pictures import check_drawable, fits, links_of
from qrkit.portfolio.given_fields import checked_terms, merged, only_given, with_fields
from qrkit.portfolio.trackable import check_change, check_tail, check_trackable, unanswered_rules
from qrkit.store import Store
from qrkit.store.records import campaigns as campaign_table
from qrkit.store.records import qrcodes as table
from qrkit.store.records.ids import qrcodes_named, some_names
from qrkit.store.records.short_codes import address_holder, has_short_code, is_taken, longest_pasted
from qrkit.tracking.names import Spellings, tidy_name
from qrkit.tracking.records import (
    SHOWN_ANYWAY,
    Account,
    Campaign,
    Location,
    Properties,
    QRCode,
    ScheduleEvent,
    TermsFields,
)
from qrkit.tracking.redirect_rules import GivenRules
from qrkit.tracking.short_urls import (
    BEFORE,
    BEHIND,
    CODE_RULE,
    base_url_of,
    host_of,
    is_short_code,
    new_id,
    new_short_code,
    path_of,
    sought_id,
    tidy_code,
    with_scheme,
)
from qrkit.tracking.times import Clock, now
from qrkit.tracking.utm import GivenUtm

if TYPE_CHECKING:
    from qrkit.portfolio.templates import Templates

DEFAULT_BASE_URL = "http://localhost:8080"

MOST_PROPOSED = 5
"""Records that an error lists, if several have the same name."""
MOST_SHOWN = 40
"""Characters of a content that such an error shows."""

Events = Sequence[ScheduleEvent | Mapping[str, Any]]


class Records:
    """The campaigns and QR Codes of one account in a store.

    Attributes:
        store: The store that contains the campaigns and QR Codes.
        account: The account that owns the campaigns and QR Codes.
        base_url: The base URL of short URLs. Choose a permanent address: printed QR Codes contain this URL.

    Args:
        warn: Receives warnings; by default, they are Python's.
    """

    def __init__(
        self,
        store: Store,
        account: Account,
        *,
        base_url: str = DEFAULT_BASE_URL,
        clock: Clock = now,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self.store = store
        self.account = account
        self.base_url = base_url_of(base_url)
        self._clock = clock
        self._warn = warn

    def now(self) -> datetime:
        """Return the current time according to the clock of this portfolio."""
        return self._clock()

    @property
    def templates(self) -> Templates:
        """The account's stored designs, by name."""
        from qrkit.portfolio.templates import Templates

        return Templates(self.store, self.account.id, clock=self._clock)

    def set_default_template(self, name: str | None) -> None:
        """Draw all QR Codes with a template, unless they or their campaigns name another one; None for no default.

        Raises:
            NotFound: If no template has this name.
        """
        self.templates.use(name)

    def insert_campaign(
        self,
        name: str,
        *,
        description: str = "",
        template: str = "",
        rules: GivenRules = (),
        utm: GivenUtm | None = None,
    ) -> Campaign:
        """Add a campaign.

        Args:
            name: The name of the campaign, 1..32,767 characters.
            description: A description of the campaign, at most 32,767 characters.
            template: Name of the template for QR Codes of the campaign that have none of their own.
            rules: Rules that a new QR Code of the campaign gets, unless it is added with `rules` of its own.
            utm: UTM parameters that redirects add to the links of its QR Codes, such as `{"source": "poster", "term":
                "{name}"}`; see `Utm`. A parameter that a link has itself stays as it is.

        Raises:
            InvalidParameter: If a field is invalid, a rule never answers, or the template does not exist.

        Warns:
            UserWarning: If the name differs from that of another campaign only in case.
        """
        given = only_given(name=name, description=description, template=template, rules=rules, utm=utm)
        campaign = Campaign(id=new_id(), created=self._clock(), **given)
        raise_any(unanswered_rules(campaign.rules))
        with self.store.atomic():
            self.templates.check_known(template)
            self._warn_of_case(campaign)
            campaign_table.insert_campaign(self.store, self.account.id, campaign)
        return campaign

    def _warn_of_case(self, campaign: Campaign) -> None:
        others = Spellings([tidy_name(one.name) for one in self.list_campaigns() if one.id != campaign.id])
        text = others.warning(campaign.name, what="campaigns")
        if text and self._warn:
            self._warn(text)
        elif text:
            warnings.warn(text, stacklevel=3)

    def get_campaign(self, id: str) -> Campaign:
        """Return the campaign with this ID.

        Raises:
            NotFound: If this portfolio has no campaign with this ID.
        """
        if found := campaign_table.campaigns(self.store, self.account.id, id=sought_id(id)):
            return found[0]
        hint = "an ID is needed, not a name" if isinstance(id, str) else "an ID is needed, such as campaign.id"
        unknown = NotFound("campaign", id.name if isinstance(id, Campaign) else id, hint=hint)
        raise unknown.advising({"python": "campaigns() of the portfolio shows what there is."})

    def list_campaigns(self) -> list[Campaign]:
        """Return all campaigns, oldest first."""
        return campaign_table.campaigns(self.store, self.account.id)

    def update_campaign(
        self,
        id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        template: str | None = None,
        rules: GivenRules | None = None,
        utm: GivenUtm | None = None,
    ) -> Campaign:
        """Update a campaign; arguments left as None are unchanged.

        Args:
            id: ID of the campaign.
            name: The new name, 1..32,767 characters.
            description: The new description, at most 32,767 characters.
            template: The name of the new template; "" for none.
            rules: The new rules for new QR Codes; `edit_qrcodes` with `rules_of_campaigns` gives them to all.
            utm: The UTM parameters to change, also of printed QR Codes; "" removes one.

        Raises:
            NotFound: If this portfolio has no campaign with this ID.
            InvalidParameter: If a field is invalid, a rule never answers, or the template does not exist.

        Warns:
            UserWarning: If the new name differs from that of another campaign only in case.
        """
        changes = only_given(name=name, description=description, template=template, rules=rules)
        with self.store.atomic():
            self.templates.check_known(template or "")
            before = self.get_campaign(id)
            changes |= {} if utm is None else {"utm": merged(before.utm, utm)}
            changed = before.replace(**changes)
            if changed.rules != before.rules:
                raise_any(unanswered_rules(changed.rules))
            if name is not None:
                self._warn_of_case(changed)
            campaign_table.update_campaign(self.store, changed)
        return changed

    def delete_campaign(self, id: str, *, keep: bool = False) -> None:
        """Delete a campaign, including its QR Codes unless `keep` is true.

        Args:
            id: ID of the campaign.
            keep: Whether to keep the campaign's QR Codes, without a campaign.

        Raises:
            NotFound: If this portfolio has no campaign with this ID.
        """
        with self.store.atomic():
            self.get_campaign(id)
            codes = self._stored(campaign=id)
            if keep:
                campaign_table.leave_campaign(self.store, id, codes, self.now())
            else:
                table.delete_qrcodes(self.store, codes, self.now())
            campaign_table.delete_campaign(self.store, id)

    def insert_qrcode(
        self,
        content: str,
        *,
        name: str = "",
        campaign_id: str | None = None,
        comment: str = "",
        urlinfo: str = "",
        short_code: str = "",
        is_dynamic: bool = True,
        location: Location | Mapping[str, Any] | None = None,
        properties: Properties | Mapping[str, Any] | None = None,
        template: str = "",
        is_schedule_enabled: bool = False,
        schedule: Events = (),
        tags: Iterable[str] = (),
        fields: Mapping[str, str] | None = None,
        scan_marker: bool | None = None,
        **terms: Unpack[TermsFields],
    ) -> QRCode:
        """Add a tracked QR Code.

        Args:
            content: The redirect target: a URL, or text to display. 1..32,767 characters.
            name: The name of the QR Code; by default, the first 100 characters of the content.
            campaign_id: ID of the campaign to add the QR Code to, whose rules it gets if `rules` are not given.
            comment: A private note.
            urlinfo: Words appended to the short URL.
            short_code: A custom short code; by default, 6 random characters. It has 1..200 letters of any script,
                digits or `-._~!$'()*+,;=:@`, and `/` between its parts, as in `summer/2026`.
            is_dynamic: Whether the picture encodes the short URL. If false, the picture encodes the content, and scans
                are not counted.
            location: Where the QR Code is displayed: address, latitude, longitude.
            properties: How the QR Code is drawn: size, version, padding, em, ec, foreground, background.
            template: Name of the template that draws the QR Code in place of its properties; by default, that of the
                campaign or of the account.
            is_schedule_enabled: Whether to apply the schedule.
            schedule: Scheduled changes of the content, each with content, recurrence and date.
            tags: Words to sort QR Codes by, beside campaigns: at most 50 of 1..100 characters, without commas,
                semicolons and |.
            fields: Fields of your own, such as `{"City": "Graz"}`: at most 50, with names of 1..100 and texts of at
                most 1,000 characters. Names of columns of an export, such as Comment, are not allowed.
            scan_marker: Whether the picture encodes `?q` behind the short URL, so that scans of the picture are told
                from clicks of the link; by default, it does if its version and mode have room for it.
            **terms: Where the short URL leads whom, and when: `rules`, `active`, `valid_since`, `valid_until`, `limit`,
                `limit_a_day`, `otherwise`, `password`, `pass_query` and `click_id`; see `QRCode`.

        Raises:
            InvalidParameter: If a field is invalid, the short code was used before, or the campaign or the template
                does not exist.
            ContentTooLong: If the encoded text does not fit the requested version.

        Example:
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
            ...     shop.insert_qrcode("https://example.com/spring", name="Door", short_code="door").short_url
            'https://go.example.com/door'
        """
        with self.store.atomic():
            campaign = None if campaign_id is None else self._check_campaign(campaign_id)
            self.templates.check_known(template)
            code = QRCode(
                id=new_id(),
                campaign_id=campaign_id,
                name=name or name_from(str(content)),
                content=content,
                comment=comment,
                urlinfo=urlinfo,
                short_code=self._free_short_code(short_code, urlinfo, is_gs1=bool(terms.get("gs1"))),
                created=self._clock(),
                is_dynamic=is_dynamic,
                **only_given(location=location, properties=properties, fields=fields, template=template, tags=tags),
                is_schedule_enabled=is_schedule_enabled,
                schedule=schedule,
                scan_marker=scan_marker is not False,
                **{"rules": campaign.rules if campaign else (), **checked_terms(terms)},
            )
            return self._insert(code, may_drop_marker=scan_marker is None)

    def get_qrcode(self, id: str) -> QRCode:
        """Return the QR Code with this ID.

        Raises:
            NotFound: If this portfolio has no QR Code with this ID.
        """
        return visible(self._one(id))

    def design_of(self, id: str) -> Design:
        """Return the design of a QR Code's picture, even for a QR Code beyond the limit of the plan.

        Raises:
            NotFound: If this portfolio has no QR Code with this ID.
        """
        from qrkit.portfolio.code_designs import CodeDesigns

        return CodeDesigns.of(self.store, self.account.id).design(self._one(id))

    def find_qrcode(self, text: str) -> QRCode:
        """Return the QR Code with this short code, short URL, name or ID.

        Raises:
            NotFound: If there is none. The error suggests similar short codes and names.
            InvalidParameter: If several QR Codes have this name. The error lists their short codes.

        Example:
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
            ...     door = shop.insert_qrcode("https://example.com", name="Door", short_code="door")
            ...     {shop.find_qrcode(text).id == door.id for text in ("door", "Door", door.short_url)}
            {True}
        """
        code, written = self.short_code_in(text), dict.fromkeys((text, text.strip(BEFORE + BEHIND)))
        texts = ((one, code or normalize("NFC", one)) for one in written)
        found = (qrcodes_named(self.store, self.account.id, one, short_code=code) for one, code in texts)
        ids = next(filter(None, found), [])
        if len(ids) == 1:
            return self.get_qrcode(ids[0])
        if not ids:
            names = some_names(self.store, self.account.id, most=self.account.limits.most_qrcodes)
            raise NotFound("QR Code", text, hint=_suggestion(text, names))
        which = [told_apart(self.get_qrcode(id)) for id in ids[:MOST_PROPOSED]]
        raise InvalidParameter(_several("QR Codes", text, len(ids), which, "short code"))

    def short_code_in(self, text: str) -> str:
        """Return the known short code in a short URL of this portfolio, as people paste it; "" if there is none.

        Raises:
            InvalidParameter: If `text` is not a text.
        """
        if not isinstance(text, str):
            raise InvalidParameter(Problem("text", text, "must be a short code, a short URL, a name or an ID, as text"))
        url = with_scheme(text.strip().lstrip(BEFORE))
        path = path_of(url, self.base_url) if host_of(url) == host_of(self.base_url) else None
        found = longest_pasted(self.store, tidy_code(path)) if path else None
        return found[0] if found else ""

    def find_campaign(self, text: str) -> Campaign:
        """Return the campaign with this name or ID.

        Raises:
            NotFound: If there is none. The error suggests similar names.
            InvalidParameter: If several campaigns have this name. The error lists their IDs.
        """
        campaigns = self.list_campaigns()
        found = [campaign for campaign in campaigns if tidy_name(text) in (campaign.name, campaign.id)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFound("campaign", text, hint=_suggestion(text, [campaign.name for campaign in campaigns]))
        which = [f"{campaign.id} (of {campaign.created:%Y-%m-%d})" for campaign in found[:MOST_PROPOSED]]
        raise InvalidParameter(_several("campaigns", text, len(found), which, "ID"))

    def list_qrcodes(
        self, *, campaign_id: str | None = None, after: str | None = None, limit: int | None = None
    ) -> list[QRCode]:
        """Return the QR Codes in the order they were added: all of them, those of one campaign, or one page.

        Args:
            campaign_id: Only the QR Codes of the campaign with this ID.
            after: Only the QR Codes that were added after the one with this ID.
            limit: The maximum number of QR Codes; None for all.

        Raises:
            InvalidParameter: If `after` is not the ID of a QR Code of this portfolio, or if `limit` is less than 1.
        """
        if limit is not None and limit < 1:
            raise InvalidParameter(Problem("limit", limit, "must be at least 1", "out-of-range"))
        number = 0 if after is None else table.number_of(self.store, self.account.id, sought_id(after))
        if number is None:
            raise InvalidParameter(Problem("after", after, "is not the ID of a QR Code of this portfolio"))
        campaign = None if campaign_id is None else sought_id(campaign_id)
        return [visible(code) for code in self._stored(campaign=campaign, after=number, limit=limit)]

    def qrcodes_in_parts(self) -> Iterator[list[QRCode]]:
        """Yield all QR Codes in batches, so that a large portfolio does not have to fit in memory."""
        codes = self._each(self._links)
        while part := list(islice(codes, table.TOGETHER)):
            yield part

    def update_qrcode(
        self,
        id: str,
        *,
        content: str | None = None,
        name: str | None = None,
        campaign_id: str | None = None,
        comment: str | None = None,
        urlinfo: str | None = None,
        is_dynamic: bool | None = None,
        location: Location | Mapping[str, Any] | None = None,
        properties: Properties | Mapping[str, Any] | None = None,
        template: str | None = None,
        is_schedule_enabled: bool | None = None,
        schedule: Events | None = None,
        tags: Iterable[str] | None = None,
        fields: Mapping[str, str] | None = None,
        **terms: Unpack[TermsFields],
    ) -> QRCode:
        """Update a QR Code; arguments left as None are unchanged, also within location and properties.

        Args:
            id: ID of the code.
            content: The new redirect target; printed codes keep working.
            name: The new name; "" sets the name from the content.
            campaign_id: ID of the new campaign; "" removes the QR Code from its campaign.
            comment: A private note.
            urlinfo: Words appended to the short URL; printed codes with other words keep working.
            is_dynamic: Whether the picture encodes the short URL.
            location: The location fields to change. In a mapping, None leaves a field unchanged; a `Location` sets
                exactly the fields passed to it, so `Location(latitude=None)` clears the latitude.
            properties: The properties to change; a mapping or a `Properties` works as described for `location`.
            template: The name of the new template; "" for none.
            is_schedule_enabled: Whether to apply the schedule.
            schedule: The new schedule, which replaces the old one; an empty sequence removes all events.
            tags: The new tags, which replace the old ones; an empty sequence removes all tags.
            fields: The fields of your own to change; "" removes a field, and others are unchanged.
            **terms: As for `insert_qrcode`. An empty sequence of rules removes all, "" a time, the password or
                `pass_query`, 0 a limit.

        Raises:
            NotFound: If this portfolio has no QR Code with this ID.
            InvalidParameter: If a field is invalid, or the campaign or the template does not exist.
            ContentTooLong: If the encoded text does not fit the requested version.
        """
        changes = only_given(content=content, name=name, comment=comment, urlinfo=urlinfo, is_dynamic=is_dynamic)
        changes |= only_given(template=template, is_schedule_enabled=is_schedule_enabled, schedule=schedule, tags=tags)
        changes |= only_given(**checked_terms(terms, unchanged=("short_code", "scan_marker")))
        with self.store.atomic():
            stored = self._one(id)
            self.templates.check_known(template or "")
            if campaign_id is not None:
                changes["campaign_id"] = None if campaign_id == "" else self._check_campaign(campaign_id).id
            changes |= {"name": name_from(str(content or stored.content))} if name == "" else {}
            for part, given in (("location", location), ("properties", properties)):
                if given is not None:
                    changes[part] = merged(getattr(stored, part), given)
            if fields is not None:
                changes["fields"] = with_fields(stored.fields, fields)
            # Validate a QR Code beyond the limit of the plan, too: its content must not be empty either.
            changed = self._linked(stored.replace(**changes, is_available=True))
            check_change(stored, changed)
            if changed.urlinfo != stored.urlinfo:
                check_tail(self.store, changed.short_code, changed.urlinfo)
            table.update_qrcode(self.store, changed, stored, self.now())
        return visible(changed.model_copy(update={"is_available": stored.is_available}))

    def delete_qrcode(self, id: str) -> None:
        """Delete a QR Code; its short URL then reports that the QR Code was deleted, and is never reused.

        Raises:
            NotFound: If this portfolio has no QR Code with this ID.
        """
        with self.store.atomic():
            table.delete_qrcodes(self.store, [self._one(id)], self.now())

    def shorten(self, url: str) -> str:
        """Return a short URL for a URL of 1..32,767 characters: from an earlier call, or of a new tracked QR Code."""
        Design(content=url)  # raises if the URL is not a text
        with self.store.atomic():
            found = self._stored(content=url)
            found = [one for one in found if one.name == name_from(url) and one.is_dynamic and one.campaign_id is None]
            made = [one for one in found if not one.scan_marker]  # because the short URL may be drawn, too
            # A code beyond the limit of the plan works, but its public record hides the short URL (ruling T13).
            return (made[0] if made else self._one(self.insert_qrcode(url, scan_marker=False).id)).short_url

    def _each(self, links: table.Links, campaign_id: str | None = None) -> Iterator[QRCode]:
        """Yield the QR Codes, few of which are in memory at a time."""
        most, campaign = self.account.limits.most_qrcodes, None if campaign_id is None else sought_id(campaign_id)
        return map(visible, table.each_qrcode(self.store, self.account.id, links, most=most, campaign=campaign))

    def _stored(
        self,
        *,
        campaign: str | None = None,
        content: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[QRCode]:
        """Return the complete records of QR Codes, including QR Codes beyond the limit of the plan."""
        most, chosen = self.account.limits.most_qrcodes, {"campaign": campaign, "content": content}
        return table.qrcodes(self.store, self.account.id, self._links, most=most, after=after, limit=limit, **chosen)

    def _one(self, id: str) -> QRCode:
        most = self.account.limits.most_qrcodes
        if code := table.qrcode(self.store, self.account.id, self._links, most=most, id=sought_id(id)):
            return code
        hint = "an ID is needed, not a short code" if isinstance(id, str) else "an ID is needed, such as code.id"
        unknown = NotFound("QR Code", id.name if isinstance(id, QRCode) else id, hint=hint)
        raise unknown.advising({"python": "qrcodes() of the portfolio shows what there is."})

    def _check_campaign(self, id: str) -> Campaign:
        found = campaign_table.campaigns(self.store, self.account.id, id=sought_id(id))
        if not found:
            ids = [one.id for one in self.list_campaigns() if one.name == id]
            rule = f"is a name; the ID of this campaign is {ids[0]}" if ids else "is not the ID of a campaign"
            raise InvalidParameter(Problem("campaign_id", id, rule))
        return found[0]

    def _free_short_code(self, wished: str = "", urlinfo: str = "", *, is_gs1: bool = False) -> str:
        """Return the requested short code, the path of a key for GS1 entities, or a random one, that was never used."""
        if wished in ("", None):
            return next(code for code in iter(new_short_code, "") if not is_taken(self.store, code))
        is_allowed = is_gs1_key if is_gs1 else is_short_code
        if not isinstance(wished, str) or not is_allowed(wished := normalize("NFC", wished)):
            raise InvalidParameter(Problem("short_code", wished, CODE_RULE))
        if is_taken(self.store, wished):
            # Other accounts' codes are not distinguished from deleted ones, so that this says nothing about them.
            is_ours = has_short_code(self.store, self.account.id, wished)
            rule = "is used by another QR Code" if is_ours else "was used before, and is never given out again"
            raise InvalidParameter(Problem("short_code", wished, rule))
        if other := address_holder(self.store, wished):
            rule = f"is an address of the QR Code {other!r}, which may be printed"
            raise InvalidParameter(Problem("short_code", wished, rule))
        check_tail(self.store, wished, urlinfo if isinstance(urlinfo, str) else "")
        return wished

    def _insert(self, record: QRCode, *, may_drop_marker: bool) -> QRCode:
        """Store a new record if its picture can be drawn, and return the record with its URLs."""
        check_names(record.fields)
        code = self._linked(record)
        if may_drop_marker and not (code.is_dynamic and fits(code.encoded, code.properties)):
            code = self._linked(record.replace(scan_marker=False))
        check_drawable(code.encoded, code.properties, is_dynamic=code.is_dynamic)
        check_trackable(code)
        number = table.insert_qrcode(self.store, self.account.id, code, self.now())
        # The plan shows a limited number of QR Codes, oldest first. Numbers grow and are never given twice, so an
        # account whose newest QR Code has number 7 has no more than 7.
        most = self.account.limits.most_qrcodes
        is_available = number <= most or table.count_qrcodes(self.store, self.account.id) <= most
        return visible(code.model_copy(update={"is_available": is_available}))

    def _links(self, fields: Mapping[str, Any]) -> dict[str, str]:
        return links_of(fields, self.base_url)

    def _linked(self, code: QRCode) -> QRCode:
        """Return the record with its short URL and image URL in this portfolio."""
        return code.model_copy(update=self._links(vars(code)))


def _suggestion(text: str, names: Sequence[str]) -> str:
    """Return a hint for a name that was not found: similar names, if there are any."""
    return similar(text, names) if names else "there are none yet"


def told_apart(code: QRCode) -> str:
    """Return how an error tells a QR Code from others of its name."""
    return f"{code.short_code or code.id} ({summary(code.content)[:MOST_SHOWN]})"


def _several(kind: str, text: str, number: int, which: Sequence[str], better: str) -> Problem:
    """Return the problem of a name that several records have."""
    more = f", and {number - len(which)} more" if number > len(which) else ""
    return Problem("name", text, f"is the name of {number} {kind}: {', '.join(which)}{more}; use the {better}")


def visible(code: QRCode) -> QRCode:
    """Return the record as visible under the plan: in full, or only the fields that are always shown."""
    return code if code.is_available else QRCode(**{name: getattr(code, name) for name in SHOWN_ANYWAY})
