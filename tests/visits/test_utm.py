"""UTM parameters of campaigns and queries of visitors reach the targets of redirects."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.store import Store
from qrkit.store.upkeep.moving import migrate
from qrkit.tracking.utm import Utm
from qrkit.visits.redirect import Redirects, Request

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
    "Mobile/15E148 Safari/604.1"
)
HOME = "https://example.com/home"
UTM = {"source": "poster", "campaign": "{campaign}", "term": "{name} {short_code}"}


@pytest.fixture
def shop(new_place):
    with open_portfolio(new_place(), base_url="https://go.example.com") as shop:
        yield shop


@pytest.fixture(scope="module")
def same_shop(new_place):
    """One for whatever looks at nothing but what it makes itself."""
    with open_portfolio(new_place(), base_url="https://go.example.com") as shop:
        yield shop


def link(shop, code, query="", **options):
    answer = Redirects(shop.store, records=False, **options).answer(Request("GET", code.short_code, {}, query=query))
    return answer.destination.link


def parameters(url):
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def test_codes_of_a_campaign_lead_with_its_parameters(shop):
    spring = shop.insert_campaign("Spring & more", utm=UTM)
    door = shop.insert_qrcode(HOME, name="Tür", campaign_id=spring.id)
    gate = shop.insert_qrcode(HOME)
    found = {"utm_source": "poster", "utm_campaign": "Spring & more", "utm_term": f"Tür {door.short_code}"}
    assert parameters(link(shop, door)) == found
    assert link(shop, gate) == HOME
    assert link(shop, door).isascii()
    asked = Request("GET", door.short_code, {})
    assert shop.explain(door.short_code, asked).content == link(shop, door)


def test_every_change_reaches_printed_codes_at_once(shop):
    spring = shop.insert_campaign("Spring")
    codes = [shop.insert_qrcode(HOME, name="Door", campaign_id=spring.id) for _ in range(2)]
    with shop.store.atomic():
        shop.update_campaign(spring.id, utm=UTM)
        assert parameters(link(shop, codes[0]))["utm_campaign"] == "Spring"
    shop.update_campaign(spring.id, name="Summer", utm=Utm(medium="print"))
    shop.update_qrcode(codes[1].id, name="Gate")
    assert parameters(link(shop, codes[1]))["utm_term"] == f"Gate {codes[1].short_code}"
    assert parameters(link(shop, codes[0])) == {
        "utm_source": "poster",
        "utm_medium": "print",
        "utm_campaign": "Summer",
        "utm_term": f"Door {codes[0].short_code}",
    }
    shop.update_campaign(spring.id, utm={"term": "", "campaign": "", "medium": ""})
    assert link(shop, codes[0]) == f"{HOME}?utm_source=poster"
    shop.update_qrcode(codes[0].id, campaign_id="")
    assert link(shop, codes[0]) == HOME
    shop.delete_campaign(spring.id, keep=True)
    assert link(shop, codes[1]) == HOME


def test_parameters_of_the_target_and_other_contents_stay(shop):
    spring = shop.insert_campaign("Spring", utm={"source": "poster", "medium": "print"})
    own = shop.insert_qrcode("https://example.com/?a=1&utm_source=wall#map", campaign_id=spring.id)
    assert link(shop, own) == "https://example.com/?a=1&utm_source=wall&utm_medium=print#map"
    text = shop.insert_qrcode("tel:+38640123456", campaign_id=spring.id)
    assert link(shop, text) == "tel:+38640123456"


def test_scans_are_counted_by_the_parameters_added(shop):
    spring = shop.insert_campaign("Spring", utm={"source": "wall {short_code}"})
    door = shop.insert_qrcode(HOME, campaign_id=spring.id)
    Redirects(shop.store).answer(Request("GET", door.short_code, {"user-agent": IPHONE}, "192.0.2.1"))
    found = shop.scans.where(campaign_id=spring.id).to_frame()
    assert found["utm_source"].tolist() == [f"wall {door.short_code}"]


def test_parameters_survive_a_move_and_a_restart(shop, tmp_path):
    spring = shop.insert_campaign("Spring", utm=UTM)
    door = shop.insert_qrcode(HOME, name="Door", short_code="doo", campaign_id=spring.id)
    with Store(tmp_path / "moved.duckdb") as other:
        migrate(shop.store, other)
    with open_portfolio(tmp_path / "moved.duckdb") as moved:
        assert moved.find_campaign("Spring").utm == Utm(**UTM)
        assert link(moved, door) == link(shop, door)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"source": "{who}"}, "must not have braces, except for {campaign}, {name} and {short_code}"),
        ({"source": "a{b"}, "must not have braces"),
        ({"source": "x" * 201}, "must have 0..200 characters"),
        ({"sauce": "x"}, "sauce"),
        ("poster", "must be an object"),
    ],
)
def test_wrong_parameters_are_refused_by_name(same_shop, wrong, rule):
    with pytest.raises(InvalidParameter) as caught:
        same_shop.insert_campaign("Spring", utm=wrong)
    assert rule in str(caught.value)


@given(name=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30))
def test_any_name_arrives_as_it_is(same_shop, name):
    spring = same_shop.insert_campaign("Spring", utm={"content": "{name}"})
    door = same_shop.insert_qrcode(f"{HOME}?a=b", name=name, campaign_id=spring.id)
    assert parameters(link(same_shop, door)) == {"a": "b", "utm_content": door.name}


# ---- the query of a visitor


@pytest.mark.rule("T21")
def test_query_passes_if_the_code_or_the_server_says(shop):
    query = "wall=a%20b&id=2&c"
    target = "https://example.com/?id=1"
    codes = {chosen: shop.insert_qrcode(target, pass_query=chosen) for chosen in (None, True, False)}
    assert [link(shop, code, query) for code in codes.values()] == [target, f"{target}&wall=a%20b&c", target]
    named = {"pass_query": ["wall"]}
    assert [link(shop, code, query, **named) for code in codes.values()] == [
        f"{target}&wall=a%20b",
        f"{target}&wall=a%20b&c",
        target,
    ]
    changed = shop.update_qrcode(codes[True].id, pass_query="")
    assert (changed.pass_query, link(shop, changed, query)) == (None, target)
    assert "passQuery" not in changed.to_json()
