"""Keeps which variants, with which weights, the rules of a QR Code had since when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from qrkit.store.connection import Store
from qrkit.tracking.redirect_rules import RedirectRule
from qrkit.tracking.times import naive

INSERT = "INSERT INTO splits (qrcode, split, since, variants) VALUES (?, ?, ?, ?)"


def begin_splits(
    store: Store, number: int, rules: Sequence[RedirectRule], before: Sequence[RedirectRule] = (), *, now: datetime
) -> None:
    """Keep the variants that begin with a change of the rules of a QR Code, in the open transaction."""
    for rule in {one.split: one for one in rules}.values():
        if rule.variants and rule.split not in {one.split for one in before}:
            weights = json.dumps({one.name: one.weight for one in rule.variants}, ensure_ascii=False)
            store.execute(INSERT, [number, rule.split, naive(now), weights])
