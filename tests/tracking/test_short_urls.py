from urllib.parse import quote, unquote, urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit import Color, Properties
from qrkit.errors import InvalidParameter
from qrkit.server.requests.generate_query import read_get
from qrkit.server.requests.parsing import pairs
from qrkit.tracking.short_urls import (
    BASE_58,
    ShortLink,
    base_url_of,
    beginnings,
    image_url,
    is_short_code,
    leads_to_this_machine,
    new_id,
    new_ids,
    new_short_code,
    read_short_url,
    shared_paths,
    short_url,
    slug,
)

some = settings(max_examples=150)
GO = "https://go.example.com"
BASES = (
    GO,
    "http://localhost:8080",
    "https://example.com/go",
    "https://example.com/our/codes",
    "https://bücher.example",
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
short_codes = st.text("ABCabc0123456789_-ä.+~日", min_size=1, max_size=64).filter(is_short_code)


@pytest.mark.rule("T1")
def test_codes_have_six_letters_that_nobody_mistakes_and_ids_32_hex():
    """Open: what ids and short codes look like. Short enough to print, 38 billion of them, without 0 O I l."""
    assert len(BASE_58) == len(set(BASE_58)) == 58
    assert set("0OIl").isdisjoint(BASE_58)
    codes = {new_short_code() for _ in range(2_000)}
    assert {len(code) for code in codes} == {6}
    assert set("".join(codes)) == set(BASE_58)  # one of 58 letters missing in 12,000: chances below 1 in 10 ** 88
    ids = {*(new_id() for _ in range(200)), *new_ids(200), *new_ids(0)}
    assert len(ids) == 400
    assert all(len(id_) == 32 and set(id_) <= set("0123456789abcdef") for id_ in ids)


@pytest.mark.rule("T19")
@pytest.mark.parametrize(
    "text",
    [
        *("k3Jd9Q", "door", "a-b_c", "ab", "a" * 200, "a", "1", "summer/2024", "v1.2", "a.png", "köln/straße", "हिन्दी"),
        *("日本語", "docs", "414", "2024/12", "01/spring", "a,b;c=d@e:f", "~me", "it's", "(x)", "$5!", "apis", "a/api"),
    ],
)
def test_a_chosen_short_code_is_a_plain_word(text):
    assert is_short_code(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "a" * 201,
            "api",
            "API",
            "api/v3/generate",
            ".well-known/x",
            "robots.txt",
            "ab\n",
            "a b",
            "/a",
            "a/",
            "a//b",
        ),
        *(".", "..", "a/../b", "a?b", "a#b", "a%20b", "a\\b", "a&b", "🙂", "01/09506000134352", "414/9506000134352/x"),
        *("a\u0308", "a\u200bb", "a\u202eb", "[a]", "<a>", '"a"', "\u0600x"),
    ],
)
def test_what_could_not_be_found_in_a_path_is_no_short_code(text):
    assert not is_short_code(text)


@given(texts)
@example("İSTANBUL ÇAĞRI")
@example("🄰🄱 ﬁne ½")
@example("हिन्दी समाचार")
@some
def test_a_slug_of_a_slug_is_itself(text):
    assert slug(slug(text)) == slug(text)
    assert len(slug(text)) <= 80


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Spring window, 2026!", "spring-window-2026"),
        ("  --Straße__9  ", "straße__9"),
        ("مرحبا بالعالم", "مرحبا-بالعالم"),
        ("हिन्दी समाचार", "हिन्दी-समाचार"),
        ("กำหนดการ", "กําหนดการ"),
        ("日本語 テキスト", "日本語-テキスト"),
        ("I ❤️ NY", "i-ny"),
        ("🙂", ""),
        ("../../etc/passwd?x=1#y", "etc-passwd-x-1-y"),
        ("x" * 100, "x" * 80),
    ],
)
def test_a_slug_has_the_words_of_a_text_in_any_script(text, wanted):
    assert slug(text) == wanted


@pytest.mark.rule("T1")
@given(st.sampled_from(BASES), short_codes, texts)
@example(GO, "ab", "عَرَبِيّ / 🙂 ?#%")
@some
def test_a_short_url_is_safe_to_print_and_is_read_back(base, code, urlinfo):
    """Open: what follows the code. A readable tail that any reader of codes passes on as it is, and that we ignore."""
    url = short_url(base, code, urlinfo)
    assert url.startswith(f"{base}/{quote(code, safe='+')}")
    assert url.removeprefix(base).isascii()
    assert set(" ?#\"'<>\\\r\n").isdisjoint(url)
    assert read_short_url(url, base) == ShortLink(code, slug(urlinfo))
    tail = unquote(urlsplit(url).path).removeprefix(f"{unquote(urlsplit(base).path)}/{code}")
    assert tail == (f"/{slug(urlinfo)}" if slug(urlinfo) else "")


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://bit.ly/A6qOVH", ("A6qOVH", "")),
        ("http://1.usa.gov/wfLQtf/", ("wfLQtf", "")),
        ("  HTTPS://Q.example/abc/Some%20Words/more  ", ("abc", "some-words-more")),
        ("https://q.example/abc?utm_source=x#y", ("abc", "")),
        ("https://q.example//abc", ("abc", "")),
        ("https://q.example:8443/abc", ("abc", "")),
        ("https://q.example/a", ("a", "")),
        ("https://q.example/v1.2", ("v1.2", "")),
        ("https://q.example/%61bc", ("abc", "")),
        ("https://q.example/a%CC%88", ("ä", "")),
        ("https://q.example/summer%2F2024", ("summer/2024", "")),
        ("https://q.example/summer%2F2024/for-you", ("summer/2024", "for-you")),
        ("https://q.example/Summer/Sale", ("Summer/Sale", "")),
        ("https://q.example/summer/sale", ("summer", "sale")),
    ],
)
def test_a_short_url_of_any_other_host_is_read_too(url, link):
    assert read_short_url(url, GO) == read_short_url(url) == ShortLink(*link)


def test_a_base_url_with_a_path_is_taken_off_before_the_code():
    assert read_short_url("https://example.com/go/abc/tail", "https://example.com/go") == ("abc", "tail")
    assert read_short_url("https://old.example/qr/abc/tail", "", {"old.example": "/qr/"}) == ("abc", "tail")
    assert read_short_url("https://new.example/qr/abc", "", {"old.example": "/qr/"}) == ("qr", "abc")
    assert read_short_url("https://old.example/go/abc", "https://example.com/go") == ("abc", "")
    assert read_short_url("https://example.com/goabc", "https://example.com/go") == ("goabc", "")


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "\0", "none", "n/a", "-", "abc123", "/abc123", "//q.example/abc123", "mailto:abc123"),
        *("ftp://q.example/abc123", "javascript:alert", "https://", "https://q.example", "https://q.example/"),
        *("https:///abc", "https://q.example/api/v3/generate"),
        *("https://[::1/abc", "https://q.example/a%20b", "https://q.example/" + "a" * 201, "https://q.example/.."),
    ],
)
def test_what_is_no_short_url_has_no_code(text):
    assert read_short_url(text) is None
    assert read_short_url(text, GO) is None


@given(texts | texts.map("https://q.example/".__add__))
@some
def test_reading_a_short_url_never_fails(text):
    found = read_short_url(text, GO)
    assert found is None or is_short_code(found.code)


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("https://go.example.com", GO),
        ("https://go.example.com/", GO),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("HTTPS://GO.EXAMPLE.COM", "HTTPS://GO.EXAMPLE.COM"),
        ("https://example.com/go/", "https://example.com/go"),
        ("https://bücher.example", "https://bücher.example"),
    ],
)
def test_a_base_url_is_taken_without_its_last_slash(text, base):
    assert base_url_of(text) == base


@pytest.mark.parametrize(
    "text",
    [
        *("", "go.example.com", "//go.example.com", "ftp://go.example.com", "https://", "https:///x", "https://[bad"),
        *("https://go.example.com?x=1", "https://go.example.com/?", "https://go.example.com/#"),
        *("https://me:secret@go.example.com", "https://go.example.com:99999", "https://:8080", "https://a b.example"),
        *(" https://go.example.com", "https://go.example.com\n", "https://go.example.com/\0"),
        *("https://go.example.com\\x", "https://go.example.com#a"),
    ],
)
def test_a_base_url_that_could_not_be_printed_is_refused(text):
    with pytest.raises(InvalidParameter, match=r"must be like https://go\.example\.com") as caught:
        base_url_of(text)
    assert caught.value.name == "base_url"


@pytest.mark.rule("T2")
@given(
    content=texts.filter(bool),
    properties=st.builds(
        Properties,
        size=st.integers(1, 20),
        version=st.none() | st.integers(1, 40),
        padding=st.integers(0, 20),
        ec=st.sampled_from("LMQH"),
        foreground=st.builds(Color, *[st.integers(0, 255)] * 4),
        background=st.builds(Color, *[st.integers(0, 255)] * 4),
    ),
)
@some
def test_an_image_url_is_a_generate_url_that_says_the_same(content, properties):
    """Open: what imageUrl is. A GET generate URL: read as the server reads it, it gives content and properties back."""
    url = urlsplit(image_url(GO, content, properties))
    assert f"{url.scheme}://{url.netloc}{url.path}" == f"{GO}/api/v3/generate"
    design = read_get(pairs(url.query)).design
    assert design.content == content
    assert {name: getattr(design, name) for name in Properties.model_fields} == dict(properties)


@pytest.mark.parametrize(("em", "content"), [("numeric", "0123456789"), ("alphanumeric", "A+B $%*./:-")])
def test_an_image_url_says_the_encoding_mode(em, content):
    query = urlsplit(image_url(GO, content, Properties(em=em))).query
    assert (read_get(pairs(query)).design.em, read_get(pairs(query)).design.content) == (em, content)


def test_an_image_url_leaves_defaults_out():
    assert image_url(GO, "a b", Properties()) == f"{GO}/api/v3/generate?content=a%20b"


@pytest.mark.parametrize(
    ("urls", "paths"),
    [
        ([], {}),
        (["https://a.example/door"], {}),
        (["https://a.example/door/left", "https://a.example/gate/right"], {}),
        (["https://a.example/door/left", "https://a.example/door/left"], {}),
        (["https://a.example/q/door", "https://a.example/q/gate/left"], {"a.example": "/q/"}),
        (["https://a.example/q/r/door", "https://a.example/q/r/gate"], {"a.example": "/q/r/"}),
        (["https://a.example/q/door", "https://a.example/gate"], {}),
        (["https://a.example/q/1a", "https://a.example/q/2a", "https://b.example/x", "none"], {"a.example": "/q/"}),
    ],
)
def test_several_short_urls_tell_the_path_of_their_base_url(urls, paths):
    assert shared_paths(urls) == paths


@pytest.mark.rule("T19")
@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("door", ["door"]),
        ("door+", ["door+", "door"]),
        ("summer/2024.png", ["summer/2024.png", "summer/2024", "summer"]),
        ("a//b/", ["a"]),
        ("door/api/v3", ["door/api/v3", "door/api", "door"]),
        ("api/v3", []),
        ("", []),
        ("x" * 199 + "/" + "y" * 300, ["x" * 199]),
        ("x" * 300, []),
    ],
)
def test_a_path_begins_with_its_longest_codes_first(path, wanted):
    assert list(beginnings(path)) == wanted


def test_a_path_of_any_length_has_few_beginnings():
    assert len(list(beginnings("a/" * 50_000))) <= 100


@pytest.mark.parametrize(
    ("url", "leads_here"),
    [
        ("http://localhost:8080", True),
        ("http://LOCALHOST/q", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:80", True),
        ("https://localhost.example.com", False),
        (GO, False),
    ],
)
def test_a_url_of_this_machine_is_known_by_its_host(url, leads_here):
    assert leads_to_this_machine(url) == leads_here
