"""Names are compared as people read them."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.portfolio.access import create_key
from qrkit.server import Client, make_app
from qrkit.tracking.names import Spellings, tidy_name

SAME = ["Summer Fest", " Summer Fest ", "Summer  Fest", "Summer\tFest\n", "Summer\u00a0Fest"]
CAFE = ["Caf\u00e9", "Cafe\u0301"]


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        yield portfolio


@given(st.text())
def test_a_tidy_name_stays_as_it_is(text):
    assert tidy_name(tidy_name(text)) == tidy_name(text)


@pytest.mark.parametrize("names", [SAME, CAFE], ids=["blanks", "Unicode"])
def test_names_that_read_alike_are_one_campaign(shop, names):
    rows = "".join(f'"{name}",Code {number},https://example.com\n' for number, name in enumerate(names))
    result = shop.import_file(f"Campaign Name,QR Code Name,Content\n{rows}".encode())
    assert (result.created, result.issues) == (len(names), ())
    (campaign,) = shop.list_campaigns()
    assert campaign.name == names[0]
    assert {shop.find_campaign(name).id for name in names} == {campaign.id}


@pytest.mark.parametrize("name", SAME)
def test_a_campaign_keeps_its_name_without_blanks(shop, name):
    campaign = shop.insert_campaign(name)
    assert campaign.name == "Summer Fest"
    assert shop.update_campaign(campaign.id, name=f"{name}  2 ").name == "Summer Fest 2"


def test_a_difference_in_case_is_told_with_both_names(shop):
    spring = shop.insert_campaign("Spring")
    with pytest.warns(UserWarning, match="'SPRING' and 'Spring' differ only in case"):
        loud = shop.insert_campaign("SPRING")
    with pytest.warns(UserWarning, match="'spring' and 'Spring' differ only in case"):
        shop.update_campaign(loud.id, name="spring")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shop.update_campaign(loud.id, name="Autumn")
        shop.update_campaign(spring.id, name="SPRING")  # no other is like it now


def test_the_interface_tells_a_difference_in_case(shop):
    client = Client(make_app(shop.store), headers={"Authorization": f"Bearer {create_key(shop.store, shop.account)}"})
    for name, told in (("Spring", None), ("spring", "the campaigns 'spring' and 'Spring' differ only in case")):
        reply = client.post("/api/v3/track/campaign", {"name": name})
        assert reply.status == 200
        assert reply.headers.get("x-api-warning") == told


@pytest.mark.rule("X2", "X3")
def test_an_import_tells_differences_in_case_once(shop):
    lines = ["Spring,Door,https://example.com/1", "spring,Bus,https://example.com/2", "spring,bus,https://example.com/3",
             "Spring,DOOR,https://example.com/1", "Spring,Door ,https://example.com/1"]  # fmt: skip
    result = shop.import_file("\n".join(["Campaign Name,QR Code Name,Content", *lines]).encode())
    assert result.created == 4
    assert [(issue.row, issue.error) for issue in result.issues] == [
        (3, "similar-name: the campaigns 'spring' and 'Spring' differ only in case"),
        (4, "similar-name: the QR Codes 'bus' and 'Bus' differ only in case"),
        (5, "similar-name: the QR Codes 'DOOR' and 'Door' differ only in case"),
        (6, "duplicate: 'Door' with this content is in row 2 already"),
    ]
    assert len(shop.list_campaigns()) == 2


@pytest.mark.rule("X3")
def test_a_name_that_reads_alike_is_taken(shop):
    shop.import_file(b"QR Code Name,Content\nDoor,https://example.com/1")
    result = shop.import_file(b"QR Code Name,Content\n Door  ,https://example.com/2")
    assert [issue.reason for issue in result.issues] == ["renamed"]
    assert shop.list_qrcodes()[1].name == "Door (2)"


@pytest.mark.parametrize(
    ("name", "others", "found"),
    [
        ("Spring", ["Autumn", "Spring"], ""),
        ("Spring", ["Autumn", "SPRING ", "spring"], "the codes 'Spring' and 'SPRING' differ only in case"),
        ("Straße", ["STRASSE"], "the codes 'Straße' and 'STRASSE' differ only in case"),
        ("", [], ""),
    ],
)
def test_the_first_other_case_is_told(name, others, found):
    assert Spellings([*map(tidy_name, others)]).warning(name, what="codes") == found
