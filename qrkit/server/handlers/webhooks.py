"""Handles the webhooks of an account."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from qrkit.errors import ignored
from qrkit.server.requests.parsing import with_plain_ids
from qrkit.server.requests.request import JSON, Response
from qrkit.server.requests.track_request import json_named
from qrkit.server.service import Call
from qrkit.store.records.receivers import Attempt, logged_attempts
from qrkit.tracking.times import to_iso, utc
from qrkit.tracking.webhook import NewWebhook, Webhook

MOST_BYTES = 2**16


def list_webhooks(call: Call) -> Response:
    """List the webhooks, without their secrets."""
    return _json([_record(one) for one in call.portfolio.webhooks.list()])


def add_webhook(call: Call) -> Response:
    """Add a webhook, which gets the events from now on.

    The reply has the secret with which its requests are signed, by Standard Webhooks. No other reply has it.
    """
    known, unknown = NewWebhook.known(with_plain_ids(call.json(MOST_BYTES)))
    with json_named():
        asked = dict(NewWebhook(**known))
        where = {"campaign": asked.pop("campaign_id"), "code": asked.pop("qrcode_id")}
        added = call.portfolio.webhooks.add(**asked, **where)
    return _json(_record(added) | {"secret": added.secret}, ignored(unknown))


def remove_webhook(call: Call) -> Response:
    """Remove a webhook with its log and its dead letters."""
    call.portfolio.webhooks.remove(call.id)
    return Response()


def test_webhook(call: Call) -> Response:
    """Send a webhook a test event, and return what became of it."""
    with call.service.gates.working.passing(call.client):
        return _json(_logged(call.portfolio.webhooks.test(call.id)))


def webhook_log(call: Call) -> Response:
    """List the last 1,000 attempts to send events to a webhook, the latest first, and its dead letters.

    Dead letters are the events of the last 30 days that it could not be sent, with the reasons.
    """
    webhooks = call.portfolio.webhooks
    log = logged_attempts(call.service.store, webhooks.get(call.id).id)
    return _json({"log": [_logged(one) for one in log], "dead": webhooks.dead(call.id)})


def replay_webhook(call: Call) -> Response:
    """Send the dead letters of a webhook again, and go on with it if it was switched off."""
    return _json({"replayed": call.portfolio.webhooks.replay(call.id)})


def _record(webhook: Webhook) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(webhook.to_json())
    return {name: value for name, value in record.items() if name != "secret" and value != ""}


def _logged(attempt: Attempt) -> dict[str, Any]:
    row = attempt._asdict() | {"time": to_iso(utc(attempt.time)), "event": str(attempt.event)}
    return {name: value for name, value in row.items() if value not in (None, "")}


def _json(value: Any, warnings: Sequence[str] = ()) -> Response:
    return Response(200, JSON, json.dumps(value).encode(), warnings=warnings)
