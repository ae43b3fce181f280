"""`Webhooks`: which servers are notified of events of an account's QR Codes, and what became of each delivery."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from qrkit.errors import InvalidParameter, NotFound, Problem
from qrkit.late import named, pd
from qrkit.portfolio.codes import Records
from qrkit.store.recording.event_log import Event, asked_kinds, cloud_event, tell_once
from qrkit.store.recording.recorder import include_waiting
from qrkit.store.records import receivers as table
from qrkit.tracking.short_urls import new_id
from qrkit.tracking.text_columns import frame_of
from qrkit.tracking.times import naive
from qrkit.tracking.webhook import EVENT_KINDS, EventKind, Webhook

__all__ = ["Webhooks"]

MOST = 100
"""Webhooks of an account."""


class Webhooks:
    """The webhooks of one account, available as `Portfolio.webhooks`.

    A running server sends the events as CloudEvents 1.0, signed as in Standard Webhooks: at least once, in order.
    After a failure, it waits longer and longer, up to a day; an event that fails eight times becomes a dead letter.

    Example:
        >>> from qrkit import open_portfolio
        >>> with open_portfolio(":memory:") as shop:
        ...     webhook = shop.webhooks.add("https://example.com/scans", kinds=["scan"])
        ...     [one.url for one in shop.webhooks.list()]
        ['https://example.com/scans']
    """

    def __init__(self, portfolio: Records) -> None:
        self._portfolio = portfolio
        self._store, self._account_id = portfolio.store, portfolio.account.id

    def __repr__(self) -> str:
        return f"<Webhooks of {self._portfolio!r}>"

    def add(
        self,
        url: str,
        *,
        kinds: Sequence[EventKind] = EVENT_KINDS,
        campaign: str = "",
        code: str = "",
        tag: str = "",
        batch: int = 1,
        private: bool = False,
    ) -> Webhook:
        """Add a webhook, which gets the events from now on, and return it with the secret of its signatures.

        Args:
            url: Where events are sent, by POST.
            kinds: scan, conversion, code.created, code.updated, code.deleted, limit.reached, code.silent, unusual.day
                and experiment.decided; by default, all.
            campaign: Only events of QR Codes of a campaign: its name or ID.
            code: Only events of a QR Code, as for `find_qrcode`.
            tag: Only events of QR Codes with a tag.
            batch: Maximum number of events in one request, 1..100.
            private: Whether the URL may be http and may lead to an address that is not public.

        Raises:
            InvalidParameter: If the URL, a kind or the batch is invalid, the URL is not https and `private` is false,
                or the account has 100 webhooks.
            NotFound: If there is no such campaign or QR Code.
        """
        webhook = Webhook(
            id=new_id(),
            url=url,
            kinds=tuple(kinds),
            campaign_id=self._portfolio.find_campaign(campaign).id if campaign else "",
            qrcode_id=self._portfolio.find_qrcode(code).id if code else "",
            tag=tag,
            batch=batch,
            secret=f"whsec_{b64encode(secrets.token_bytes(32)).decode()}",
            private=private,
            created=self._portfolio.now().replace(microsecond=0),
            active=True,
            failures=0,
        )
        if not (private or url.startswith("https:")):
            how = "allows http and private addresses"
            raise InvalidParameter(Problem("url", url, "must begin with https://")).advising(
                {"python": f"private=True {how}.", "command": f"--private {how}", "http": "an operator may use http"}
            )
        include_waiting(self._store)  # otherwise it would get scans from before
        with self._store.atomic():
            if len(self.list()) >= MOST:
                raise InvalidParameter(Problem("url", url, f"is one too many; an account has at most {MOST} webhooks"))
            table.insert_webhook(self._store, self._account_id, webhook)
        return webhook

    def list(self) -> Sequence[Webhook]:
        """Return all webhooks, oldest first."""
        return table.webhooks(self._store, self._account_id)

    def get(self, id: str) -> Webhook:
        """Return a webhook.

        Raises:
            NotFound: If the account has no webhook with this ID.
        """
        found = next((one for one in self.list() if one.id == id), None)
        if found is None:
            raise NotFound("webhook", id)
        return found

    def remove(self, id: str) -> None:
        """Remove a webhook with its log and its dead letters.

        Raises:
            NotFound: If the account has no webhook with this ID.
        """
        table.delete_webhook(self._store, self.get(id).id)

    def daily(self, *, time_zone: str | None = None) -> int:
        """Look for QR Codes that fell silent, unusual days, and experiments with a winner; return how many are new.

        They are found as by `analytics.silent`, `analytics.unusual_days` and `analytics.experiment`, and become the
        events code.silent, unusual.day and experiment.decided, each once. Only the kinds that a webhook or a stream
        asks for are looked for. `qrkit serve` does this once a day.

        Args:
            time_zone: IANA name of the time zone for days; by default, that of the store.

        Raises:
            InvalidParameter: If the time zone is unknown.
        """
        kinds = {kind for account_id, kind in asked_kinds(self._store) if account_id == self._account_id}
        found = named("report.daily_events:daily_events")(self._portfolio, kinds, time_zone) if kinds else {}
        return tell_once(self._store, self._account_id, found)

    def test(self, id: str) -> table.Attempt:
        """Send a webhook a `qrkit.test` now, and return what became of it: the status of the answer, and the error.

        Raises:
            NotFound: If the account has no webhook with this ID.
        """
        from qrkit.portfolio.delivering import attempt  # loads ssl and an HTTP client

        webhook, event = self.get(id), Event(0, "test", naive(self._portfolio.now()).isoformat())
        done = attempt(webhook, [cloud_event(self._store.database.id, {}, event, number=0)], self._portfolio.now)
        table.log_attempts(self._store, id, [done])
        return done

    def log(self, id: str) -> pd.DataFrame:
        """Return the last 1,000 attempts to send events to a webhook, the latest first.

        Columns: time (datetime64[us, UTC]), event (int64: ID of the first event; 0 for a test), events (int64: how many
        were sent together), status (Int64: missing without an answer), milliseconds (int64), error (str).

        Raises:
            NotFound: If the account has no webhook with this ID.
        """
        kinds = {"time": "datetime64[us]", "event": "int64", "events": "int64", "status": "Int64"}
        rows = table.logged_attempts(self._store, self.get(id).id)
        frame = frame_of(rows, kinds | {"milliseconds": "int64", "error": "str"})
        return frame.assign(time=frame["time"].dt.tz_localize("UTC"))

    def dead(self, id: str) -> Sequence[dict[str, Any]]:
        """Return the dead letters of a webhook, oldest first: events that it could not be sent, of the last 30 days.

        Each is the event as it would be sent, with the members `died` (when it was given up) and `error`.

        Raises:
            NotFound: If the account has no webhook with this ID.
        """
        return table.dead_letters(self._store, self.get(id).id)

    def replay(self, id: str) -> int:
        """Have all dead letters of a webhook sent again, and switch it on if it was off; return their number.

        Raises:
            NotFound: If the account has no webhook with this ID.
        """
        from qrkit.portfolio.delivering import CLAIMED

        now = self._portfolio.now()
        return table.revive(self._store, self.get(id).id, now, now + CLAIMED)
