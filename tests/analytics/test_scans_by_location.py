"""Where QR Codes hang, against pandas."""

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import analytics, open_portfolio

LOCATIONS = st.one_of(
    st.none(), st.tuples(st.floats(-90, 90, allow_subnormal=False), st.floats(-180, 180, allow_subnormal=False))
)


@settings(max_examples=6)
@given(locations=st.lists(LOCATIONS, min_size=1, max_size=5), data=st.data())
def test_scans_are_counted_by_the_location_of_their_code(locations, data):
    scanned = data.draw(st.lists(st.tuples(st.integers(0, len(locations) - 1), st.integers(0, 3)), max_size=12))
    with open_portfolio(":memory:") as portfolio:
        for number, location in enumerate(locations):
            where = location and {"address": f"Road {number}", "latitude": location[0], "longitude": location[1]}
            portfolio.insert_qrcode("x", name=f"N{number}", short_code=f"c{number}", location=where or {})
        rows = [(f"c{number}", "2026-06-01", visitor) for number, visitor in scanned]
        frame = pd.DataFrame(rows, columns=["short_code", "time", "visitor"]).astype({"time": "datetime64[us]"})
        portfolio.scans.insert(frame)
        found = analytics.scans_by_location(portfolio.scans)
    expected = {
        f"N{number}": (
            f"Road {number}", *location,
            sum(one == number for one, _ in scanned), len({visitor for one, visitor in scanned if one == number}),
        )
        for number, location in enumerate(locations)
        if location
    }  # fmt: skip
    columns = ["qrcode", "address", "latitude", "longitude", "scans", "visitors"]
    assert {row[0]: row[1:] for row in found[columns].itertuples(index=False, name=None)} == expected
    assert found["scans"].is_monotonic_decreasing
