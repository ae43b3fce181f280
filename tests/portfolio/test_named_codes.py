"""How people name QR Codes and campaigns: by short code, short URL, name or ID; and how they look for some."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter, NotFound

ADDRESS = "https://go.example.com"


@pytest.fixture
def shop(new_place):
    with open_portfolio(new_place(), base_url=ADDRESS) as portfolio:
        yield portfolio


def with_door(shop):
    return shop.insert_qrcode("https://example.com", name="Front door", short_code="door", urlinfo="Spring sale")


@pytest.fixture
def door(shop):
    return with_door(shop)


@pytest.fixture(scope="module")
def same_shop(new_place):
    """One with a door for all names that it does not have."""
    with open_portfolio(new_place(), base_url=ADDRESS) as portfolio:
        with_door(portfolio)
        yield portfolio


def test_a_code_is_found_by_each_of_its_names(shop, door):
    shop.insert_qrcode("https://example.com", name="Gate", short_code="gate")
    assert door.short_url == f"{ADDRESS}/door/spring-sale"
    for text in ("door", "Front door", door.id, door.short_url, f"{ADDRESS}/door", f"{ADDRESS}/door/other-words"):
        assert shop.find_qrcode(text) == door


PASTED = ["<{}>", " {}\n", "“{}”,", "({}).", "'{}'", "{}?q", "{}?utm_source=mail", "\ufeff{}"]


@pytest.mark.parametrize("around", PASTED)
@pytest.mark.parametrize("url", [f"{ADDRESS}/door", "go.example.com/door", "HTTP://GO.EXAMPLE.COM/door/spring-sale"])
def test_a_pasted_short_url_finds_its_code(same_shop, around, url):
    text = around.format(url)
    assert [same_shop.find_qrcode(text).short_code, *(one.name for one in same_shop.search_qrcodes(text))] == [
        "door",
        "Front door",
    ]


@pytest.mark.parametrize("text", [" Front door ", "“Front door”", "door\n", "<door>"])
def test_a_pasted_name_finds_its_code(same_shop, text):
    assert same_shop.find_qrcode(text).short_code == "door"


def test_a_url_of_another_host_is_a_name_like_any_other(shop, door):
    url = "https://elsewhere.example/door"
    with pytest.raises(NotFound):
        shop.find_qrcode(url)
    other = shop.insert_qrcode(url)
    assert shop.find_qrcode(url).id == other.id


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("dor", "no QR Code 'dor'; did you mean 'door'"),
        ("Frontdoor", "did you mean 'Front door'"),
        ("DOOR", "did you mean 'door'"),
        ("completely different", "no QR Code 'completely different'$"),
        ("", "no QR Code ''$"),
        ("half a \ud83d letter", "no QR Code"),
        ("nul\0", "no QR Code"),
    ],
    ids=ascii,
)
def test_an_unknown_name_is_refused_with_similar_ones(same_shop, text, hint):
    with pytest.raises(NotFound, match=hint):
        same_shop.find_qrcode(text)


def test_an_empty_portfolio_says_so(shop):
    with pytest.raises(NotFound, match="there are none yet"):
        shop.find_qrcode("door")
    with pytest.raises(NotFound, match="there are none yet"):
        shop.find_campaign("Spring")


def test_a_name_of_several_codes_is_refused_with_their_short_codes(shop):
    for number in range(7):
        shop.insert_qrcode(f"https://example.com/{number}", name="Poster", short_code=f"code-{number}")
    with pytest.raises(InvalidParameter) as caught:
        shop.find_qrcode("Poster")
    assert "is the name of 7 QR Codes: code-0 (https://example.com/0), code-1 (" in str(caught.value)
    assert str(caught.value).endswith("and 2 more; use the short code")


def test_a_name_that_is_the_short_code_of_another_is_ambiguous_and_short_urls_are_not(shop, door):
    namesake = shop.insert_qrcode("https://example.com/x", name="door", short_code="gate")
    with pytest.raises(InvalidParameter, match=r"is the name of 2 QR Codes: door .*, gate "):
        shop.find_qrcode("door")
    assert shop.find_qrcode(f"{ADDRESS}/door").id == door.id
    assert shop.find_qrcode("gate").id == namesake.id


def test_an_ambiguous_name_shows_no_password(shop):
    for password in ("espresso", "ristretto"):
        shop.insert_qrcode(f"WIFI:T:WPA;S:Nero;P:{password};;", name="Wi-Fi", is_dynamic=False)
    with pytest.raises(InvalidParameter) as caught:
        shop.find_qrcode("Wi-Fi")
    assert not re.search("espresso|ristretto", str(caught.value))


def test_a_campaign_is_found_by_name_and_id(shop):
    spring, summer, again = (shop.insert_campaign(name) for name in ("Spring", "Summer", "Summer"))
    assert shop.find_campaign("Spring") == shop.find_campaign(spring.id) == spring
    with pytest.raises(NotFound, match="no campaign 'Sprng'; did you mean 'Spring'"):
        shop.find_campaign("Sprng")
    with pytest.raises(InvalidParameter, match=f"the name of 2 campaigns: {summer.id} .*{again.id} .*use the ID"):
        shop.find_campaign("Summer")
    assert shop.find_campaign(again.id) == again


def test_a_search_finds_what_contains_the_text_in_any_case():
    names = ["ab", "aB b", "Straße", "STRASSE", "istanbul", "Οδός", "ΟΔΟΣ"]
    with open_portfolio(":memory:") as shop:
        for number, name in enumerate(names):
            shop.insert_qrcode("1", name=name, short_code=f"000{number}")

        @given(st.text("abBsSßistςΣ", max_size=2))
        def check_search(sought):
            found = [code.name for code in shop.search_qrcodes(sought)]
            assert found == [name for name in names if sought.casefold() in name.casefold()]

        check_search()


@pytest.mark.parametrize(
    "text", ["front", "EXAMPLE.com", "DOOR", "fragile", "harbour", 'Say "Hi"', "c:\\D", ".example.com/DO"]
)
def test_a_search_looks_into_all_that_people_wrote(shop, text):
    shop.insert_qrcode("https://other.example")
    campaign = shop.insert_campaign("Spring")
    code = shop.insert_qrcode(
        "https://example.com",
        name="Front",
        short_code="door",
        comment="Fragile!",
        location={"address": "Harbour"},
        campaign_id=campaign.id,
        tags=['say "hi"'],
        fields={"Drive": "C:\\D"},
    )
    assert shop.search_qrcodes(text) == shop.search_qrcodes(text, campaign_id=campaign.id) == [code]
    assert shop.search_qrcodes(text, campaign_id=shop.insert_campaign("Summer").id) == []


@pytest.mark.parametrize("text", ["go.example", "com/", "\udcff", "\0"])
def test_a_search_does_not_find_what_all_short_urls_have_or_no_text_can(shop, text):
    shop.insert_qrcode("https://example.com")
    assert shop.search_qrcodes(text) == []
