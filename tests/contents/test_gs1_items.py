"""Rows of items as GS1 Digital Links, with the text for people."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import contents
from qrkit.contents.gs1_items import read_item
from qrkit.errors import InvalidParameter

values = st.from_regex("[A-Z0-9/+%-]{1,20}", fullmatch=True)


@given(values, values, st.dates(date(2000, 1, 1), date(2049, 12, 31)))
def test_what_a_row_says_is_in_its_link_and_in_its_text(lot, serial, day):
    row = {"GTIN ": "9506000134352", "Batch": lot, "(21)": serial, "Best Before": f"{day}", "Color": "red", "3103": ""}
    link, text = read_item(row, "https://id.example.com/shop")
    found = contents.read(link)
    assert (found.kind, found.fields["domain"]) == ("gs1_digital_link", "https://id.example.com/shop")
    assert (found.fields["gtin"], found.fields["lot"], found.fields["serial"]) == ("09506000134352", lot, serial)
    assert found.fields["elements"] == {"15": f"{day:%y%m%d}"}
    assert text == f"(01)09506000134352 (10){lot} (21){serial} (15){day:%y%m%d}"


def test_another_key_needs_no_gtin():
    assert read_item({"414": "9506000134352", "254": "12"})[1] == "(414)9506000134352 (254)12"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"lot": "A"}, "a row needs a GTIN"),
        ({"name": "Rice"}, "a row needs a GTIN"),
        ({"gtin": "9506000134353"}, "check digit"),
        ({"gtin": "9506000134352", "expiry": "2027-13-01"}, "17"),
        ({"gtin": "9506000134352", "21": "a b"}, "21"),
    ],
)
def test_a_wrong_cell_is_named(row, told):
    with pytest.raises(InvalidParameter, match=told):
        read_item(row)
