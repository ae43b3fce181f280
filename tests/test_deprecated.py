"""Names of 1.0 still work, say what they are called now, and are not shown."""

from importlib import import_module

import pytest

import qrkit

OLD = [
    ("qrkit.analytics", "lives", "half_lives"),
    ("qrkit.analytics", "posters", "scans_by_location"),
    ("qrkit.charts", "delays", "time_to_first_scan"),
    ("qrkit.charts", "panels", "small_multiples"),
    ("qrkit.charts", "people", "human_scans"),
    ("qrkit.charts", "posters", "scans_by_location"),
    ("qrkit.charts", "previous", "previous_period"),
    ("qrkit.charts", "unusual", "unusual_days"),
    ("qrkit.charts", "week", "hour_of_week"),
]


@pytest.mark.parametrize(("module", "old", "new"), OLD)
def test_an_old_name_is_the_new_one_and_warns(module, old, new):
    home = import_module(module)
    with pytest.warns(
        DeprecationWarning, match=rf"{module}\.{old} will be removed in qrkit 1\.2: use {module}\.{new}$"
    ) as caught:
        assert getattr(home, old) is getattr(home, new)
    assert caught[0].filename == __file__
    assert new in home.__all__
    assert old not in dir(home)


def test_a_name_that_moved_to_another_module_is_found_there():
    with pytest.warns(DeprecationWarning, match=r"use qrkit\.tracking\.times\.first_moment$"):
        from qrkit.analytics.time_zones import first_moment
    assert first_moment is import_module("qrkit.tracking.times").first_moment

    with pytest.warns(DeprecationWarning, match=r"use qrkit\.charts\.sparklines\.sparkline$"):
        from qrkit.charts.svg import sparkline
    assert sparkline is qrkit.charts.sparkline


def test_a_name_that_never_was_is_none():
    with pytest.raises(AttributeError, match=r"module 'qrkit\.charts' has no attribute 'hour_of_weak'"):
        qrkit.charts.hour_of_weak  # noqa: B018
