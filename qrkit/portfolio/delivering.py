"""Sends events to webhooks: at least once, in the order of the events, with ever longer pauses after failures.

Requests are CloudEvents 1.0 in structured mode, signed as Standard Webhooks specifies.
"""

from __future__ import annotations

import hmac
import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import timedelta
from time import monotonic, sleep
from typing import Any

from qrkit.portfolio.posting import SECONDS, Unreachable, post
from qrkit.store import Store
from qrkit.store.records.receivers import Attempt, Progress, bury, claim, log_attempts, newer_events, settle
from qrkit.tracking.times import Clock, naive
from qrkit.tracking.webhook import Webhook

TOGETHER = 100
"""Events that are read, sent and recorded at a time; after a crash, at most these are sent again."""
GAP = 0.02
"""Seconds between two requests while that many wait, so that a receiver which was away is not flooded."""
TURN = 15.0
"""Seconds after which a webhook makes room for others."""
CLAIMED = timedelta(seconds=TURN + SECONDS + 5)
"""How long nobody else sends these events: longer than a turn can take."""
PAUSES = [timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 3_600, 21_600, 86_400)]
"""The pause after each failure. If the last one did not help either, an event becomes a dead letter; the next one is
tried a day later."""
MOST_FAILURES = len(PAUSES) + 30
"""Failures after which a webhook is switched off: a month."""

_log = logging.getLogger("qrkit")


def deliver(store: Store, id: str, clock: Clock) -> None:
    """Send what waits for a webhook, for one turn; do nothing if it is not due, or another process sends it."""
    end = monotonic() + TURN
    while monotonic() < end:
        moment = clock()
        progress = claim(store, id, moment, moment + CLAIMED)
        if progress is None or not _deliver_part(store, progress, clock, end):
            return


def _deliver_part(store: Store, progress: Progress, clock: Clock, end: float) -> bool:
    """Send at most `TOGETHER` events and record it; return whether there may be more."""
    webhook, position, failures = progress.webhook, progress.position, progress.webhook.failures
    read = newer_events(store, progress.account_id, after=position, most=TOGETHER, receiver=webhook.id)
    waiting = [(number, event) for number, event in read if webhook.wants(event)]
    attempts, error, buried = list[Attempt](), "", 0
    while waiting and not error and monotonic() < end:
        if attempts and len(read) == TOGETHER:
            sleep(GAP)
        # After a failure, one event alone is tried, in case that the receiver cannot take just one of them.
        part = waiting[: 1 if failures else webhook.batch]
        attempts.append(attempt(webhook, [event for _, event in part], clock))
        error, due = attempts[-1].error, clock()
        if not error:
            failures, position, waiting = 0, part[-1][0], waiting[len(part) :]
            continue
        failures += 1
        due += PAUSES[min(failures, len(PAUSES)) - 1]
        if failures > len(PAUSES):
            buried = position = part[0][0]
        if failures == MOST_FAILURES:
            _log.warning("the webhook %s has failed for a month and is switched off: %s", webhook.id, error)
    if not waiting and read:
        position = read[-1][0]
    after = webhook.model_copy(update={"failures": failures, "active": failures < MOST_FAILURES})
    with store.adding():
        if settle(store, progress, after, position=position, due=due if attempts else clock()):
            log_attempts(store, webhook.id, attempts)
            if buried:
                bury(store, webhook.id, buried, attempts[-1])
    return not error and len(read) == TOGETHER


def attempt(webhook: Webhook, events: Sequence[Mapping[str, Any]], clock: Clock) -> Attempt:
    """Send events in one request, and return what became of it."""
    moment, begun = clock(), monotonic()
    body = json.dumps(events if webhook.batch > 1 else events[0]).encode()
    # The same for each attempt to send the same events, so that a receiver can tell what it has already.
    id = "-".join(dict.fromkeys((events[0]["id"], events[-1]["id"])))
    signed = f"{id}.{int(moment.timestamp())}.".encode() + body
    signature = hmac.digest(b64decode(webhook.secret.removeprefix("whsec_")), signed, "sha256")
    headers = {
        "Content-Type": f"application/cloudevents{'-batch' if webhook.batch > 1 else ''}+json; charset=utf-8",
        "webhook-id": id,
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": f"v1,{b64encode(signature).decode()}",
    }
    status, error = None, ""
    try:
        status = post(webhook.url, body, headers, private=webhook.private)
        error = "" if 200 <= status < 300 else f"the answer has status {status}"
    except Unreachable as reason:
        error = str(reason)
    first = int(events[0]["id"])
    return Attempt(naive(moment), first, len(events), status, int((monotonic() - begun) * 1_000), error)
