"""Short codes as other services have them: the longest known one wins, whatever its letters."""

from datetime import UTC, datetime
from unicodedata import normalize
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.errors import InvalidParameter
from qrkit.server import Client, Settings, make_app
from qrkit.tracking.short_urls import BEHIND
from qrkit.visits.follow_or_show import with_query
from tests.server.test_follow import kinds
from tests.server.test_short_urls import IPHONE

BASE_URL = "https://go.example.com"
TARGET = "https://example.com/"
CODES = [
    *(
        "a",
        "1",
        "summer",
        "summer/2024",
        "summer/2025",
        "v1.2",
        "menu.pdf",
        "köln",
        "straße/ä",
        "日本語",
        "हिन्दी",
        "414",
    ),
    *("a,b;c=d@e:f", "Door", "door", "x" * 200, "ä" * 150, "a/b/c/d/e", "plus+", "docs", "01/spring"),
]


@pytest.fixture(scope="module")
def moved():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        for code in CODES:
            shop.insert_qrcode(TARGET + code, short_code=code)
        yield shop


@pytest.fixture(scope="module")
def client(moved):
    moment = datetime(2026, 3, 14, 12, tzinfo=UTC)
    settings = Settings(base_url=BASE_URL, unknown_codes_a_minute=0)
    return Client(make_app(moved.store, settings, clock=lambda: moment))


@pytest.mark.rule("T19")
@pytest.mark.parametrize("code", CODES)
def test_every_code_leads_to_its_own_target(moved, client, code):
    record = moved.find_qrcode(code)
    assert (record.short_code, record.content) == (code, TARGET + code)
    path = unquote(record.short_url.removeprefix(BASE_URL))
    assert moved.find_qrcode(record.short_url).id == record.id
    for tail in ("", "/", "/any/tail"):
        assert client.get(path + tail).headers["location"] == client.get(path).headers["location"]
    assert client.get(path, raw=1).text == record.content
    assert record.content in client.get(f"{path}+", headers={"Accept": "text/html"}).text
    assert client.get(f"{path}.png").headers["content-type"] == "image/png"


@pytest.mark.rule("T19")
def test_a_visit_counts_for_the_longest_code(moved, client):
    before = [len(kinds(moved, code)) for code in ("summer", "summer/2024")]
    client.get("/summer/2024/tail", headers={"User-Agent": "a"})
    assert [len(kinds(moved, code)) for code in ("summer", "summer/2024")] == [before[0], before[1] + 1]


def test_a_code_with_a_suffix_is_no_picture(client):
    assert client.get("/menu.pdf").status == 302
    assert client.get("/menu.png").status == 404


def test_a_decomposed_letter_is_the_same_code(client):
    assert client.get("/ko\u0308ln").status == 302


def test_a_deleted_code_does_not_fall_back_to_a_shorter():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(TARGET, short_code="summer")
        shop.delete_qrcode(shop.insert_qrcode(TARGET, short_code="summer/2024").id)
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL)))
        assert [client.get(path).status for path in ("/summer/2024/x", "/summer/2023")] == [410, 302]


def test_codes_stay_when_the_store_is_opened_again(tmp_path):
    with open_portfolio(tmp_path / "shop.duckdb", base_url=BASE_URL) as shop:
        for code in CODES:
            shop.insert_qrcode(TARGET + code, short_code=code)
    with open_portfolio(tmp_path / "shop.duckdb") as shop:
        client = Client(make_app(shop.store, Settings(unknown_codes_a_minute=0)))
        for code in CODES:
            assert (
                client.get(unquote(shop.find_qrcode(code).short_url.removeprefix(BASE_URL)), raw=1).text
                == TARGET + code
            )


@pytest.mark.parametrize("guess", ["/{}", "/{}/x", "/{}.a", "/{}.png", "/{}+", "/ä{}", "/a,{}", "/v{}.2/x"])
def test_guesses_of_any_form_are_limited(guess):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(TARGET, short_code="summer/2024")
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL, unknown_codes_a_minute=3)))
        assert [client.get(guess.format(f"x{number}")).status for number in range(5)] == [404] * 3 + [429] * 2
        assert client.get("/summer/2024").status == 302


def test_a_target_of_ours_is_not_followed_at_any_depth():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(TARGET, short_code="summer/2024")
        shop.insert_qrcode(f"{BASE_URL}/summer/2024/tail", short_code="loop")
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL)))
        assert client.get("/loop").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/door.", "/door,", "/door).", "/door!", "/door;", "/door\u201d", "/door ", "/door\u200b", "/door\u3002",
        "//door", "///door//", "/door&utm_source=news", "/door?utm_source=news", "/door#map", "/door/spring-window.",
        "/summer/2024,", "/summer/2024&x=1",
    ],
)  # fmt: skip
def test_what_comes_along_with_a_pasted_short_url_is_ignored(path):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(f"{TARGET}/door", short_code="door", urlinfo="Spring window")
        shop.insert_qrcode(f"{TARGET}/summer", short_code="summer/2024")
        client = Client(
            make_app(shop.store, Settings(base_url=BASE_URL, unknown_codes_a_minute=0)), headers={"User-Agent": IPHONE}
        )
        reply = client.get(path)
        code = "summer/2024" if "summer" in path else "door"
        assert (reply.status, reply.headers["location"]) == (302, f"{TARGET}/{code.partition('/')[0]}")
        assert kinds(shop, code) == ["scan"]


def test_a_code_with_punctuation_is_not_taken_for_another():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(f"{TARGET}/1", short_code="door")
        shop.insert_qrcode(f"{TARGET}/2", short_code="door!")
        shop.insert_qrcode(f"{BASE_URL}/door.", short_code="loop")
        client = Client(
            make_app(shop.store, Settings(base_url=BASE_URL, unknown_codes_a_minute=0)), headers={"User-Agent": IPHONE}
        )
        found = [client.get(path).headers["location"][-1] for path in ("/door", "/door!", "/door!.", "/door.")]
        assert found == [*"1221"]
        assert client.get("/doors.").status == 404
        assert client.get("/loop").status == 200
        assert client.get("/door.png.").headers["content-type"] == "image/png"
        assert client.get("/door.png,").headers["content-type"] == "image/png"


ALIKE = (
    *("a", "a!", "a!)", "a.", "a.b", "a/b", "a/b,", "a/b/c", "b:", "b:)", "c", "c/d"),
    *("e/f;", "é", "é'", "x" * 199, "x" * 199 + "."),
)


@pytest.fixture(scope="module")
def alike():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        for number, code in enumerate(ALIKE):
            shop.insert_qrcode(f"{TARGET}{number}", short_code=code)
        yield Client(make_app(shop.store, Settings(base_url=BASE_URL, unknown_codes_a_minute=0)))


@settings(max_examples=300)
@given(
    st.sampled_from([*ALIKE, "b", "e/f", "e", "y", "/evil.example", "e\u0301"]),
    st.text(BEHIND, max_size=4) | st.sampled_from(["!" * 300, "." * 8_000]),
    st.sampled_from(["", "&x=1", "&to=https://evil.example/", "#map", "&."]),
)
@example("a", "!,", "")
@example("a", "!", "&x=1")
@example("c/d", ",", "")
@example("a.b", ")", "")
def test_the_longest_code_before_punctuation_wins_and_nothing_else_is_reached(alike, start, punctuation, rest):
    path = normalize("NFC", start.strip("/") + punctuation)
    known = [code for code in ALIKE if path.startswith(code) and not path[len(code) :].strip(BEHIND)]
    reply = alike.get(f"/{start}{punctuation}{rest}")
    if known:
        assert reply.headers["location"] == f"{TARGET}{ALIKE.index(max(known, key=len))}"
    else:
        assert reply.status in (404, 410)


# Case -----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T19")
def test_case_matters_unless_the_store_ignores_it():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(TARGET, short_code="Summer/Sale")
        settings = Settings(base_url=BASE_URL, unknown_codes_a_minute=0)
        assert Client(make_app(shop.store, settings)).get("/summer/sale").status == 404
        client = Client(make_app(shop.store, settings.replace(ignore_case=True)))
        late = shop.insert_qrcode(TARGET, short_code="Later")
        for path in ("/summer/sale", "/SUMMER/SALE/x", "/Summer/Sale", "/LATER", "/later"):
            assert client.get(path).status == 302
        assert len(kinds(shop, late.short_code)) == 2
        with pytest.raises(InvalidParameter, match="short_code='LATER'"):
            shop.insert_qrcode(TARGET, short_code="LATER")


@pytest.mark.rule("T19")
def test_imported_codes_are_found_in_any_case():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL, ignore_case=True)))
        shop.insert_qrcode(TARGET, short_code="Door", urlinfo="Spring window")  # the spellings are cached for the tail
        shop.import_file(f"Content,Trackable URL\n{TARGET}poster,{BASE_URL}/Poster\n".encode())
        assert [client.get(path).status for path in ("/POSTER", "/door")] == [302, 302]


def test_case_cannot_be_ignored_where_it_tells_codes_apart(moved):
    with pytest.raises(InvalidParameter, match=r"ignore_case.*Door, door"):
        make_app(moved.store, Settings(base_url=BASE_URL, ignore_case=True))


# Addresses that may be printed ----------------------------------------------------------------------------------------


@pytest.mark.rule("T19")
@pytest.mark.parametrize("code", ["door/spring-window", "door.png", "door+"])
def test_no_new_code_takes_a_printed_address(code):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(TARGET, short_code="door", urlinfo="Spring window")
        shop.insert_qrcode(TARGET, short_code="door/winter")
        with pytest.raises(InvalidParameter, match="is an address of the QR Code 'door'"):
            shop.insert_qrcode(TARGET, short_code=code)


@pytest.mark.rule("T19")
def test_no_tail_leads_to_another_code():
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(TARGET, short_code="door/winter")
        door = shop.insert_qrcode(TARGET, short_code="door")
        with pytest.raises(InvalidParameter, match="urlinfo='Winter': makes the short URL of"):
            shop.update_qrcode(door.id, urlinfo="Winter")


# Behind proxies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["https://example.com/qr", "https://example.com/our/köln"])
def test_a_base_path_may_be_kept_or_removed_by_a_proxy(base):
    with open_portfolio(":memory:", base_url=base) as shop:
        for code in ("door", "qr/inner", "a/b"):
            shop.insert_qrcode(TARGET + code, short_code=code)
        client = Client(make_app(shop.store, Settings(base_url=base)))
        path = base.removeprefix("https://example.com")
        for start in ("", path):
            for code in ("door", "qr/inner", "a/b"):
                assert client.get(f"{start}/{code}", raw=1).text == TARGET + code
            assert client.get(f"{start}/door.png").status == 200
            assert client.get(f"{start}/api/v3/health").status == 200
            assert client.get(f"{start}/robots.txt").status == 200
            assert client.get(f"{start}/nobody").status == 404
        assert client.get(f"{path}x/door").status == 404


def test_the_path_of_an_earlier_base_url_still_works():
    with open_portfolio(":memory:", base_url="https://example.com/qr") as shop:
        shop.insert_qrcode(TARGET, short_code="door")
        client = Client(make_app(shop.store, Settings(base_url="https://go.example.com")))
        assert client.get("/qr/door").status == 302


@pytest.mark.rule("T21")
@pytest.mark.parametrize(
    ("target", "query", "names", "wanted"),
    [
        ("https://a.example", "utm_source=fb", (), ""),
        ("https://a.example", "utm_source=fb&x=1", ("utm_source",), "?utm_source=fb"),
        ("https://a.example/?utm_source=own", "utm_source=fb&b=2", ("*",), "&b=2"),
        ("https://a.example/x?a=1#y", "b=2", ("*",), "https://a.example/x?a=1&b=2#y"),
        ("https://a.example/x?#y", "b=2", ("*",), "https://a.example/x?b=2#y"),
        ("https://a.example/x?a=1&", "b=2", ("*",), "https://a.example/x?a=1&b=2"),
        ("https://a.example", "b=%0d%0aX:1&c=\r\nY&d=\xfc&=1", ("*",), "?b=%0d%0aX:1&c=%0D%0AY&d=%FC"),
        ("https://a.example", "&".join(f"a{number}={'y' * 100}" for number in range(200)), ("*",), ""),
    ],
)
def test_a_query_passes_by_name_and_the_target_wins(target, query, names, wanted):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(target, short_code="door")
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL, pass_query=names)))
        location = client.request("GET", "/door/tail", query=query).headers["location"]
        assert location == (wanted if wanted.startswith("https") else target + wanted)


def test_the_number_of_passing_parameters_is_limited():
    assert with_query("https://a.example", "&".join(f"a{number}=" for number in range(200)), {"*"}).count("=") == 100


@pytest.mark.rule("T21")
@pytest.mark.parametrize("policy", ["no-referrer", "origin"])
def test_the_referrer_policy_of_redirects_is_set(policy):
    with open_portfolio(":memory:", base_url=BASE_URL) as shop:
        shop.insert_qrcode(TARGET, short_code="door")
        client = Client(make_app(shop.store, Settings(base_url=BASE_URL, referrer_policy=policy)))
        assert client.get("/door").headers["referrer-policy"] == policy
        assert client.get("/door+").headers["referrer-policy"] == "no-referrer"
