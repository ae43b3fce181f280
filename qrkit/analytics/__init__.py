"""Questions to the scans of a portfolio: one function a question, SQL beside it, a DataFrame as answer.

Every function takes a view like `portfolio.scans`, narrowed by its `where`: `portfolio.scans.where(campaign_id=…,
since=date(2026, 3, 1), until=…)`. Days and hours are UTC unless a time zone is given. Visitors are told apart by their
keys, which our own redirect changes every UTC day: who comes on two days counts twice, and scans without a key count
none (ruling T10).
"""

from __future__ import annotations

from qrkit.analytics.breakdowns import UNKNOWN, Attribute, Part, posters, scans_by, top_qrcodes
from qrkit.analytics.comparing import before_and_after, compare, rates
from qrkit.analytics.lifetimes import lives, scans_by_content
from qrkit.analytics.over_time import Period, scans_and_previous, scans_by_hour, scans_per, scans_per_day
from qrkit.analytics.scan_rows import scan_records
from qrkit.analytics.schedules import calendar, gaps_and_overlaps, served_under
from qrkit.analytics.simulated import Truth, simulate
from qrkit.analytics.small_groups import OTHER, without_small_groups
from qrkit.analytics.totals import repeat_share, summary
from qrkit.analytics.unusual_days import unusual_days
from qrkit.analytics.visit_kinds import human_scans, orphan_visits, visits_by_evidence, visits_by_kind

__all__ = [
    "OTHER",
    "UNKNOWN",
    "Attribute",
    "Part",
    "Period",
    "Truth",
    "before_and_after",
    "calendar",
    "compare",
    "gaps_and_overlaps",
    "human_scans",
    "lives",
    "orphan_visits",
    "posters",
    "rates",
    "repeat_share",
    "scan_records",
    "scans_and_previous",
    "scans_by",
    "scans_by_content",
    "scans_by_hour",
    "scans_per",
    "scans_per_day",
    "served_under",
    "simulate",
    "summary",
    "top_qrcodes",
    "unusual_days",
    "visits_by_evidence",
    "visits_by_kind",
    "without_small_groups",
]
