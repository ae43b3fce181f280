"""`Records`: the campaigns and QR Codes of one account, with the rules of the interface's track operations 3 to 10."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from qrkit.design.design import Design
from qrkit.errors import InvalidParameter, NotFound, Problem
from qrkit.exchange.columns import name_from
from qrkit.portfolio.code_pictures import check_drawable, drawn, fits, links_of
from qrkit.store import Store
from qrkit.store import qrcodes as table
from qrkit.tracking.records import PLANS, SHOWN_ANYWAY, Account, Campaign, Location, Properties, QRCode, ScheduleEvent
from qrkit.tracking.short_urls import base_url_of, is_short_code, new_id, new_short_code
from qrkit.tracking.times import Clock, now

__all__ = ["DEFAULT_BASE_URL", "Records"]

DEFAULT_BASE_URL = "http://localhost:8080"

Events = Sequence[ScheduleEvent | Mapping[str, Any]]


class Records:
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

    def now(self) -> datetime:
        """The present moment, by the clock of this portfolio."""
        return self._clock()

    def insert_campaign(self, name: str, *, description: str = "") -> Campaign:
        """Add a campaign.

        Args:
            name: 1..32,767 characters.
            description: At most 32,767 characters.

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
        found = table.campaigns(self.store, self.account.id, id=_sought(id))
        if not found:
            raise NotFound("campaign", id).advising({"python": "campaigns() of the portfolio shows what there is."})
        return found[0]

    def list_campaigns(self) -> list[Campaign]:
        """All campaigns, oldest first."""
        return table.campaigns(self.store, self.account.id)

    def update_campaign(self, id: str, *, name: str | None = None, description: str | None = None) -> Campaign:
        """Change a campaign; what is None stays as it is.

        Args:
            id: Which one.
            name: Its new name, 1..32,767 characters.
            description: Its new description.

        Raises:
            NotFound: This portfolio has none of this id.
            InvalidParameter: The name is empty or too long.
        """
        changes = _given(name=name, description=description)
        with self.store.atomic():
            changed = self.get_campaign(id).replace(**changes)
            table.update_campaign(self.store, changed)
        return changed

    def delete_campaign(self, id: str, *, keep: bool = False) -> None:
        """Delete a campaign, and its QR Codes unless they are kept (ruling T6).

        Args:
            id: Which one.
            keep: Whether its QR Codes stay, outside of any campaign.

        Raises:
            NotFound: This portfolio has none of this id.
        """
        with self.store.atomic():
            self.get_campaign(id)
            if keep:
                table.leave_campaign(self.store, id)
            else:
                table.delete_qrcodes(self.store, self._stored(campaign=id))
            table.delete_campaign(self.store, id)

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
        is_schedule_enabled: bool = False,
        schedule: Events = (),
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
            is_schedule_enabled: Whether the schedule is followed.
            schedule: Changes of content: content, recurrence, date (ruling T7).

        Raises:
            InvalidParameter: A field breaks its rule, the short code was given before, or there is no such campaign.
            ContentTooLong: What the picture encodes does not fit the version asked for.

        Example:
            >>> from qrkit import open_portfolio
            >>> with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
            ...     shop.insert_qrcode("https://example.com/spring", name="Door", short_code="door").short_url
            'https://go.example.com/door'
        """
        with self.store.atomic():
            self._check_campaign(campaign_id)
            record = QRCode(
                id=new_id(),
                campaign_id=campaign_id,
                name=name or name_from(str(content)),
                content=content,
                comment=comment,
                urlinfo=urlinfo,
                short_code=self._free_short_code(short_code),
                created=self._clock(),
                is_dynamic=is_dynamic,
                location=location or Location(),
                properties=properties or Properties(),
                is_schedule_enabled=is_schedule_enabled,
                schedule=schedule,
            )
            return self._insert(record)

    def get_qrcode(self, id: str) -> QRCode:
        """The QR Code of this id.

        Raises:
            NotFound: This portfolio has none of this id.
        """
        return _shown(self._one(id))

    def design_of(self, id: str) -> Design:
        """What the picture of a QR Code looks like, whether or not the plan shows its record (rulings T2, T13).

        Raises:
            NotFound: This portfolio has none of this id.
        """
        code = self._one(id)
        return drawn(code.encoded, code.properties)

    def list_qrcodes(self, *, campaign_id: str | None = None) -> list[QRCode]:
        """All QR Codes in the order they were added; of one campaign where one is given."""
        campaign = None if campaign_id is None else _sought(campaign_id)
        return [_shown(code) for code in self._stored(campaign=campaign)]

    def qrcodes_in_parts(self) -> Iterator[list[QRCode]]:
        """The same, some thousands at a time: of a large portfolio, not all records need be in memory at once."""
        most = PLANS[self.account.plan].most_qrcodes
        for part in table.qrcodes_in_parts(self.store, self.account.id, self._links, most=most):
            yield [_shown(code) for code in part]

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
        is_schedule_enabled: bool | None = None,
        schedule: Events | None = None,
    ) -> QRCode:
        """Change a QR Code; what is None stays as it is, down to single fields of location and properties (ruling T5).

        Args:
            id: Which one.
            content: Where a scan leads from now on; the printed code stays the same.
            name: Its name; "" names it after its content.
            campaign_id: Another campaign; "" takes it out of its campaign.
            comment: A private note.
            urlinfo: Words that the short URL ends in; printed codes with other words go on working.
            is_dynamic: Whether the picture encodes the short URL.
            location: Fields of `Location` that change. In a mapping, None leaves a field as it is; a `Location` changes
                what was given when it was made, so that `Location(latitude=None)` takes the latitude away.
            properties: Fields of `Properties` that change, likewise.
            is_schedule_enabled: Whether the schedule is followed.
            schedule: The whole new schedule; an empty one has no events.

        Raises:
            NotFound: This portfolio has none of this id.
            InvalidParameter: A field breaks its rule, or there is no such campaign.
            ContentTooLong: What the picture encodes does not fit the version asked for.
        """
        changes = _given(
            content=content,
            name=name,
            comment=comment,
            urlinfo=urlinfo,
            is_dynamic=is_dynamic,
            is_schedule_enabled=is_schedule_enabled,
            schedule=schedule,
        )
        with self.store.atomic():
            stored = self._one(id)
            if campaign_id is not None:
                changes["campaign_id"] = None if campaign_id == "" else campaign_id
                self._check_campaign(changes["campaign_id"])
            if name == "":
                changes["name"] = name_from(str(content or stored.content))
            if location is not None:
                changes["location"] = _merged(stored.location, location)
            if properties is not None:
                changes["properties"] = _merged(stored.properties, properties)
            # As if the plan showed it: what it does not show has to have a content, too.
            changed = self._linked(stored.replace(**changes, is_available=True))
            _check_change(stored, changed)
            table.update_qrcode(self.store, changed)
        return _shown(changed.model_copy(update={"is_available": stored.is_available}))

    def delete_qrcode(self, id: str) -> None:
        """Delete a QR Code; its short URL says so from then on, and is never given again (ruling T6).

        Raises:
            NotFound: This portfolio has none of this id.
        """
        with self.store.atomic():
            table.delete_qrcodes(self.store, [self._one(id)])

    def shorten(self, url: str) -> str:
        """The short URL of a URL: that of the code an earlier call made for it, else of a new tracked one (G9, G19).

        Raises:
            InvalidParameter: The URL is empty or too long.
        """
        Design(content=url)  # refuses what is no text
        with self.store.atomic():
            found = self._stored(content=url)
            made = [one for one in found if one.name == name_from(url) and one.is_dynamic and one.campaign_id is None]
            # A code beyond the plan works, though its record does not show its short URL (ruling T13).
            return (made[0] if made else self._one(self.insert_qrcode(url).id)).short_url

    def _stored(
        self, *, id: str | None = None, campaign: str | None = None, content: str | None = None
    ) -> list[QRCode]:
        """The QR Codes with all that the store knows of them, whether or not the plan shows it."""
        most, chosen = PLANS[self.account.plan].most_qrcodes, {"id": id, "campaign": campaign, "content": content}
        return table.qrcodes(self.store, self.account.id, self._links, most=most, **chosen)

    def _one(self, id: str) -> QRCode:
        found = self._stored(id=_sought(id))
        if not found:
            raise NotFound("QR Code", id).advising({"python": "qrcodes() of the portfolio shows what there is."})
        return found[0]

    def _check_campaign(self, id: str | None) -> None:
        if id is None:
            return
        if not table.campaigns(self.store, self.account.id, id=_sought(id)):
            raise InvalidParameter(Problem("campaign_id", id, "is not the id of a campaign of this portfolio"))

    def _free_short_code(self, wished: str = "") -> str:
        """The short code wished for, or a random one, that was never given to any account (ruling T1)."""
        if wished in ("", None):
            return next(code for code in iter(new_short_code, "") if not table.is_taken(self.store, code))
        if not isinstance(wished, str) or not is_short_code(wished):
            rule = "must be 2..64 letters, digits, _ or -, and not a word of the interface"
            raise InvalidParameter(Problem("short_code", wished, rule))
        if table.is_taken(self.store, wished):
            raise InvalidParameter(Problem("short_code", wished, "was given before; a short code is never given twice"))
        return wished

    def _insert(self, record: QRCode) -> QRCode:
        """Store a new record that can be drawn, and give it back with its URLs."""
        code = self._linked(record)
        check_drawable(code)
        table.insert_qrcode(self.store, self.account.id, code, self.now())
        # Whether the plan shows it depends on how many were there before.
        is_available = table.count_qrcodes(self.store, self.account.id) <= PLANS[self.account.plan].most_qrcodes
        return _shown(code.model_copy(update={"is_available": is_available}))

    def _links(self, fields: Mapping[str, Any]) -> dict[str, str]:
        return links_of(fields, self.base_url)

    def _linked(self, code: QRCode) -> QRCode:
        """The record with the URLs that it has in this portfolio."""
        return code.model_copy(update=self._links(vars(code)))


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _sought(id: Any) -> str:
    """An id to look for; "", which nothing has, in the place of what can be none."""
    return id if isinstance(id, str) and id.isascii() else ""


def _merged(stored: Location | Properties, given: Location | Properties | Mapping[str, Any]) -> Any:
    """The fields of a part of a record after a change, to be judged with the others; what was not given stays."""
    if isinstance(given, Mapping):
        return _fields(stored) | {name: value for name, value in given.items() if value is not None}
    return _fields(stored) | _fields(given) if isinstance(given, type(stored)) else given


def _fields(part: Location | Properties) -> dict[str, Any]:
    return {name: getattr(part, name) for name in part.model_fields_set}


def _check_change(before: QRCode, after: QRCode) -> None:
    """Refuse a version or mode that cannot be drawn; one that could not be drawn before may stay (ruling X12)."""
    drawn_before, drawn_after = before.properties, after.properties
    is_other = (drawn_after.version, drawn_after.em) != (drawn_before.version, drawn_before.em)
    if is_other or fits(before.encoded, drawn_before):
        check_drawable(after)


def _shown(code: QRCode) -> QRCode:
    """The record as the plan of its account shows it."""
    return code if code.is_available else QRCode(**{name: getattr(code, name) for name in SHOWN_ANYWAY})
