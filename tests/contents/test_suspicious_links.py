"""Which texts were meant as web addresses, and what becomes of them; sound links and other texts raise no alarm."""

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from qrkit import contents
from qrkit.contents.suspicious_links import LONGEST, meant_url, suspicious_link
from qrkit.visits.follow_or_show import destination

some = settings(max_examples=200, deadline=None)

HOSTS = [
    "example.com",
    "www.example.co.uk",
    "bücher.de",
    "go.example.museum",
    "xn--bcher-kva.de",
    "192.0.2.7",
    "a-b.io",
]
PATHS = ["", "/", "/menu", "/a/b.html?x=1&y=%20#top", "/?q=a+b", ":8080/x", "/über/uns", "/~ana/(1)", "/a,b;c=d"]
SCHEMES = ["http", "https"]
addresses = st.builds("{}{}".format, st.sampled_from(HOSTS), st.sampled_from(PATHS))
urls = st.builds("{}://{}".format, st.sampled_from([*SCHEMES, "HTTPS", "Http"]), addresses)

REAL_URLS = [
    "https://example.com",
    "https://en.wikipedia.org/wiki/QR_code#Design_(history)",
    "https://www.google.com/maps/place/Graz/@47.07,15.43,13z/data=!4m5!3m4",
    "https://web.archive.org/web/2020/https://example.com/",
    "https://example.com/redirect?to=http://example.org/a",
    "http://localhost:8080/x",
    "http://intranet/menu",
    "http://[2001:db8::1]:8080/a",
    "https://maps.app.goo.gl/AbC?g_st=ic",
    "https://пример.рф/меню",
    "HTTPS://EXAMPLE.COM/MENU",
    "https://my_shop.example.com/~ana",
    "  https://example.com/\n",
]
REAL_TEXTS = [
    "Table 7", "Tisch 7, bitte läuten", "Dr. Smith", "St. Gallen", "J.R.R. Tolkien", "v1.2.3", "3.5", "10.30",
    "9.00-17.00", "10.am", "e.g. this", "z.B./usw.", "a.m./p.m.", "S.p.A./GmbH", "Node.js", "Node.js/Express",
    "README.md", "script.sh", "index.html", "//Foo.baz", "com.example.app", "Anna.Schmidt", "U.S.A", "km/h", "and/or",
    "24/7", "ana@example.com", "shop@example.com", "@example.com", "Tel.: 030/123", "http", "HTTP", "https", "www",
    "http: see example.com",
    "00020101021226540014br.gov.bcb.pix2533pix.example.com/qr/v2/9d36b84fc752040000"  # a Pix payment
    "53039865802BR5906Fulano6008BRASILIA62070503***6304526C",
    "Https sichert", "http: das Protokoll", "ftp://example.com/x", "file:///tmp/x", "mailto:ana@example.com",
    "tel:+49301234", "geo:45.65,13.77", "data:text/plain,hi", "Wi-Fi: guest / password: espresso", "path:/a/b",
    "Visit www.example.com today!", "See https://example.com for more", "example.com and example.org", "hops: beer.com",
    "0123456789", "ABC-123", "978-3-16-148410-0", "Ünïcödé", "🙂", "日本語。テキスト", "", " ", "\n",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fault", "url"),
    [
        ("www.example.com/x", "has no https:// in front", "https://www.example.com/x"),
        ("example.com/menu", "has no https:// in front", "https://example.com/menu"),
        ("example.com:8080/menu", "has no https:// in front", "https://example.com:8080/menu"),
        ("museum.si", "has no https:// in front", "https://museum.si"),
        ("www.bücher.de", "has no https:// in front", "https://www.bücher.de"),
        ("EXAMPLE.COM/MENU", "has no https:// in front", "https://EXAMPLE.COM/MENU"),
        ("//example.com", "has no https:// in front", "https://example.com"),
        ("htp:/example.com/x", "begins with 'htp:/' instead of http://", "http://example.com/x"),
        ("http//example.com", "begins with 'http//' instead of http://", "http://example.com"),
        ("https:example.com", "begins with 'https:' instead of https://", "https://example.com"),
        ("https//:example.com", "begins with 'https//:' instead of https://", "https://example.com"),
        ("htttps;//example.com", "begins with 'htttps;//' instead of https://", "https://example.com"),
        ("https: //example.com", "begins with 'https: //' instead of https://", "https://example.com"),
        (r"https:\\example.com", r"begins with 'https:\\' instead of https://", "https://example.com"),
        ("ttps://192.0.2.7/x", "begins with 'ttps://' instead of https://", "https://192.0.2.7/x"),
        ("http://https://example.com", "begins with http twice", "https://example.com"),
        ("https:// example.com", "is not an address that browsers follow", "https://example.com"),
        ("https:///example.com", "is not an address that browsers follow", "https://example.com"),
        ("https://exa mple.com", "is not an address that browsers follow", ""),
        ("https://example,com", "is not an address that browsers follow", ""),
        ("https://example..com", "is not an address that browsers follow", ""),
        ("https://ana@example.com", "is not an address that browsers follow", ""),
        ("http:example.com/a b", "begins with 'http:' instead of http://", ""),
        (
            "https://example.com/?a=1&amp;b=2",
            "has an ampersand as in HTML (&amp;)",
            "https://example.com/?a=1&b=2",
        ),
        ("https://example.com/?a=1&amp;", "has an ampersand as in HTML (&amp;)", "https://example.com/?a=1&"),
        ("https://example.com/?a=1&amp;,", "ends with ','", "https://example.com/?a=1&"),
        ("https://example.com/a,", "ends with ','", "https://example.com/a"),
        ("https://example.com/?a=1;b;", "ends with ';'", ""),
        ("https://example.com/?a=1&amp;;", "ends with ';'", ""),
    ],
)
def test_an_address_with_a_mistake_is_told_with_the_address_that_was_meant(text, fault, url):
    found = suspicious_link(f" {text}\n")
    assert (found.fault, found.url) == (fault, url)


def test_a_space_in_a_path_tells_where_visitors_are_sent():
    found = suspicious_link("https://example.com/menu Table 7")
    assert str(found) == "has a space in it, so visitors are sent to https://example.com/menu%20Table%207"


def test_the_sentence_says_what_visitors_see_and_what_was_meant():
    told = "has no https:// in front, so visitors see it as text, not as a page; did you mean https://www.example.com?"
    assert str(suspicious_link("www.example.com")) == told


@pytest.mark.parametrize("text", REAL_URLS + REAL_TEXTS)
def test_sound_links_and_other_texts_raise_no_alarm(text):
    assert suspicious_link(text) is None


@some
@given(urls)
def test_links_raise_no_alarm(url):
    assert suspicious_link(url) is None


@some
@given(st.lists(st.sampled_from([text for text in REAL_TEXTS if text.strip()] + REAL_URLS), min_size=2, max_size=5))
def test_sentences_raise_no_alarm(words):
    text = " ".join(word.strip() for word in words)
    # A web address with words behind it is one with a space in it.
    assume(not text.lower().startswith("http"))
    assert suspicious_link(text) is None


@pytest.mark.parametrize(
    "content",
    [
        contents.link("https://example.com", utm_source="poster"),
        contents.wifi("example.com", "espresso"),
        contents.contact("Ana Novak", url="https://example.com", email="ana@example.com"),
        contents.email("ana@example.com", subject="www.example.com"),
        contents.phone("+49 30 123456"),
        contents.sms("+49 30 123456", "see example.com/menu"),
        contents.whatsapp("+49 30 123456", "hello"),
        contents.location(45.65, 13.77),
    ],
    ids=lambda content: content.kind,
)
def test_contents_by_kind_raise_no_alarm(content):
    assert suspicious_link(str(content)) is None


MISTAKES = [":/", "//", ":", ";//", "://:", ": //", ":// ", ".//", ":\\\\", "//:", ":///"]


@some
@given(st.sampled_from(SCHEMES), st.sampled_from(MISTAKES), addresses)
def test_a_mistake_after_the_scheme_is_completed(scheme, mistake, address):
    assume(not (mistake == "://:" and address[0].isdigit()))
    found = suspicious_link(f"{scheme}{mistake}{address}")
    assert found is not None
    assert found.url in ("", f"{scheme}://{address}")


@some
@given(addresses)
def test_an_address_without_a_scheme_is_completed_with_https(address):
    assume(not address[0].isdigit())
    found = suspicious_link(f"www.{address}")
    assert found.url == f"https://www.{address}"


@settings(max_examples=500, deadline=None)
@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from([*HOSTS, *PATHS, *SCHEMES, *MISTAKES, "www.", " ", "@", "htp", "//"]), max_size=6).map(
        "".join
    )
)
@example("http" + " " * 4_000 + "x")
@example("www." + "a-" * 2_000)
@example("a." * 2_000 + "com")
def test_what_is_said_of_any_text_is_true(text):
    found = suspicious_link(text)
    if found is None:
        return
    assert (destination(text).link or "") == found.location
    if found.url:
        assert suspicious_link(found.url) is None
        assert destination(found.url).kind == "redirect"


def test_long_texts_are_not_judged():
    assert suspicious_link("www.example.com/" + "x" * LONGEST) is None


AROUND = [
    *(("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ('"', '"'), ("`", "`"), ("<", ">"), ("(", ")"), ("[", "]")),
    *(("<URL:", ">"), ("\u200b", ""), ("", "\u200b"), ("\ufeff", ""), ("\u200e", "\u202c"), ("", "\u00a0"), ("", "”")),
    ("[our page](", ")"),
]


@some
@given(
    st.sampled_from(AROUND), st.builds("{}://example.com{}".format, st.sampled_from(SCHEMES), st.sampled_from(PATHS))
)
def test_what_is_around_an_address_is_told(around, url):
    """Open: quotes of Word, brackets of mail, characters that nobody sees."""
    front, end = around
    found = suspicious_link(f"{front}{url}{end}")
    assert found.url == url
    assert found.fault.endswith((" around it", " in it"))


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://example.com/?a=1&amp;b=2">our page</a>',
        "<a class='x' href='https://example.com/?a=1&b=2'></a>",
    ],
)
def test_an_html_link_is_suspicious(text):
    """People copy it from the source of a page."""
    assert suspicious_link(text).url == "https://example.com/?a=1&b=2"


@pytest.mark.parametrize(
    "text",
    [
        "https://de.wikipedia.org/wiki/„Foo“",
        "https://example.com/(a)",
        "“Hello”",
        "(Table 7)",
        "\u200bTable 7",
        '"',
        "<>",
    ],
)
def test_quotes_within_addresses_and_texts_raise_no_alarm(text):
    assert suspicious_link(text) is None


def test_unseen_characters_within_an_address_are_told():
    found = suspicious_link("https://exa\u200bmple.com/a")
    assert (found.fault, found.url) == ("has U+200B (zero width space) in it", "https://example.com/a")
    assert suspicious_link("https://example.com/e\u0301") is None


def test_meant_url_is_the_one_sensible_reading():
    assert meant_url("“www.example.com”") == "https://www.example.com"
    assert meant_url("https://example.com") == meant_url("Table 7") == meant_url("https://exa mple.com") == ""
