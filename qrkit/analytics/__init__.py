"""Answers questions about the scans of a portfolio: one function per question, each returning a DataFrame.

Every function takes a view such as `portfolio.scans`, which `where` narrows down: `portfolio.scans.where(campaign_id=…,
since="2026-03-01", time_zone="Europe/Paris")`. Days and hours are in the view's time zone, by default that of the store
(`portfolio.time_zone`), or UTC. Visitors are counted by key. qrkit's redirect gives each visitor a new key every UTC
day, so someone who scans on two days counts twice. Scans without a key do not count toward visitors.
"""

from __future__ import annotations

from qrkit.analytics.breakdowns import half_lives, scans_by, scans_by_content, scans_by_location, top_qrcodes
from qrkit.analytics.bursts import bursts
from qrkit.analytics.comparing import Looks, Unit, before_and_after, compare, rates
from qrkit.analytics.cross_tables import ClockAttribute, cross_table
from qrkit.analytics.designs import compare_designs, plan
from qrkit.analytics.experiments.experiment import check_split, experiment
from qrkit.analytics.experiments.planning import plan_experiment
from qrkit.analytics.exposure.opening_hours import scans_by_open_hour
from qrkit.analytics.exposure.units import lift_per_unit, scans_per_unit
from qrkit.analytics.forecasts import forecast
from qrkit.analytics.moved_codes import moved
from qrkit.analytics.over_time import Period, scans_and_previous, scans_by_hour, scans_per, scans_per_day
from qrkit.analytics.ranking import ranking
from qrkit.analytics.schedules import calendar, gaps_and_overlaps, served_under
from qrkit.analytics.silent_codes import silent
from qrkit.analytics.simulated.simulated import simulate
from qrkit.analytics.simulated.simulated_experiment import SimulatedExperiment, simulate_experiment
from qrkit.analytics.simulated.simulated_truth import Truth
from qrkit.analytics.small_groups import OTHER, without_small_groups
from qrkit.analytics.time_effects import TimeEffect, time_effects
from qrkit.analytics.totals import repeat_share, summary
from qrkit.analytics.unusual_days import unusual_days
from qrkit.analytics.visit_kinds import human_scans, orphan_visits, unlike_people, visits_by_evidence, visits_by_kind
from qrkit.store.questions.outages import outages
from qrkit.store.questions.scan_attributes import UNKNOWN, Attribute, Part
from qrkit.store.questions.scan_rows import scan_records

__all__ = [
    "OTHER", "UNKNOWN", "Attribute", "ClockAttribute", "Looks", "Part", "Period", "SimulatedExperiment",
    "TimeEffect", "Truth", "Unit", "before_and_after", "bursts", "calendar", "check_split", "compare",
    "compare_designs", "cross_table", "experiment", "forecast", "gaps_and_overlaps",
    "half_lives", "human_scans", "lift_per_unit", "moved", "orphan_visits", "outages", "plan", "plan_experiment",
    "ranking", "rates", "repeat_share", "scan_records", "scans_and_previous", "scans_by", "scans_by_content",
    "scans_by_hour", "scans_by_location", "scans_by_open_hour", "scans_per", "scans_per_day", "scans_per_unit",
    "served_under", "silent", "simulate", "simulate_experiment", "summary", "time_effects", "top_qrcodes",
    "unlike_people", "unusual_days", "visits_by_evidence", "visits_by_kind", "without_small_groups",
]  # fmt: skip

__dir__ = __all__.copy
