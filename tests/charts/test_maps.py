"""Places on a map whose dots would cover each other."""

from itertools import combinations
from math import hypot

import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

from qrkit import charts
from qrkit.charts.maps import NEAR, cluster, radius_of

place = st.tuples(st.floats(0, 500), st.floats(0, 320), st.integers(0, 1_000))


@given(st.lists(place, max_size=60))
@example([(53.0, 4.0, 757), (24.0, 16.0, 428), (20.0, 6.0, 400)])
def test_each_place_is_in_one_dot_and_no_dot_covers_another(places):
    places.sort(key=lambda one: -one[2])
    dots = cluster(places)
    assert sorted(number for dot in dots for number in dot.places) == list(range(len(places)))
    most = max((dot.scans for dot in dots), default=0) or 1
    for dot in dots:
        assert dot.scans == sum(places[number][2] for number in dot.places)
        assert (dot.x, dot.y) == places[dot.places[0]][:2]
    for one, other in combinations(dots, 2):
        radii = radius_of(one.scans, most) + radius_of(other.scans, most)
        assert hypot(one.x - other.x, one.y - other.y) >= NEAR * radii


def test_near_places_share_a_dot_that_says_how_many_and_are_listed():
    rows = [("Door", 46.0, 14.0, 30), ("Desk", 46.0, 14.0004, 8), ("Bar", 46.0004, 14.0, 4), ("Far", 46.2, 14.3, 20)]
    chart = charts.scans_by_location(pd.DataFrame(rows, columns=["qrcode", "latitude", "longitude", "scans"]))
    texts = [text.get_text() for text in chart.texts]
    assert {"3 places: 42", "Far: 20"} <= set(texts)
    (listed,) = (text for text in texts if text.startswith("Not labeled"))
    assert listed == "Not labeled: Door: 30, Desk: 8, Bar: 4"
