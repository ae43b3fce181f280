"""Paths of GS1 Digital Links: what they identify, and which are refused."""

import pytest

from qrkit.contents.gs1_paths import read_gs1_path
from qrkit.errors import InvalidParameter

GTIN = "01/09506000134352"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (GTIN, GTIN),
        (f"{GTIN}/", GTIN),
        ("01/9506000134352", GTIN),
        (f"{GTIN}/22/2A/10/A%2FB/21/7", f"{GTIN}/22/2A/10/A%2FB/21/7"),
        (f"{GTIN}/235/XYZ", f"{GTIN}/235/XYZ"),
        ("414/9506000134352/254/x", "414/9506000134352/254/x"),
        ("410/9506000134352", "410/9506000134352"),
        ("8004/9506000134352ab", "8004/9506000134352ab"),
    ],
)
def test_a_path_is_read_and_written(path, found):
    assert str(read_gs1_path(path)) == found


def test_a_path_is_part_of_its_levels():
    path = read_gs1_path(f"{GTIN}/22/2A/10/AB/21/7")
    below = [level.below for level in path.levels()]
    assert below == ["22/2A/10/AB/21/7", "22/2A/10/AB", "22/2A", ""]
    assert {level.key for level in path.levels()} == {GTIN}


@pytest.mark.parametrize("path", ["door", "", "416/9506000134352", "10/ABC", "1/09506000134352"])
def test_what_begins_with_no_key_is_no_such_path(path):
    assert read_gs1_path(path) is None


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("01/09506000134353", "has the check digit 3, but the rest of the number needs 2"),
        ("01/123", "must have 8, 12, 13 or 14 digits"),
        (f"{GTIN}/foo", "nothing follows 'foo'"),
        (f"{GTIN}/foo/bar", "may have 22/10/21 or 235 after the key 01, in this order"),
        (f"{GTIN}/21/7/10/AB", "may have 22/10/21 or 235 after the key 01, in this order"),
        (f"{GTIN}/10/A/10/B", "may have 22/10/21 or 235 after the key 01, in this order"),
        (f"{GTIN}/10/" + "A" * 21, "must have the format X..20"),
        (f"{GTIN}/10/%F0%9F%98%80", "must have the format X..20"),
        ("410/9506000134352/10/A", "must not go on after the key 410"),
        ("00/" + "1" * 2_000, "must have at most 1000 characters"),
    ],
)
def test_anything_malformed_is_refused(path, told):
    with pytest.raises(InvalidParameter, match="path") as refused:
        read_gs1_path(path)
    assert told in str(refused.value)
