import re
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit.visits.follow_or_show import Destination, destination

many = settings(max_examples=300)

FOLLOWED = [
    ("https://example.com", "https://example.com"),
    ("http://example.com/", "http://example.com/"),
    ("HTTPS://Example.COM/Path?Query#Part", "https://example.com/Path?Query#Part"),
    ("https://example.com:8443/x", "https://example.com:8443/x"),
    ("https://example.com:/x", "https://example.com/x"),
    ("https://example.com?a=b", "https://example.com?a=b"),
    ("https://example.com#a", "https://example.com#a"),
    ("https://a_b.example-1.com.", "https://a_b.example-1.com."),
    ("http://localhost", "http://localhost"),
    ("http://192.0.2.7:80/x", "http://192.0.2.7:80/x"),
    ("http://[2001:DB8::1]/x", "http://[2001:db8::1]/x"),
    ("http://[::1]:8080", "http://[::1]:8080"),
    ("https://example.com/a b", "https://example.com/a%20b"),
    ("https://example.com/ü?q=日#é", "https://example.com/%C3%BC?q=%E6%97%A5#%C3%A9"),
    ("https://example.com/%C3%BC%2Fx", "https://example.com/%C3%BC%2Fx"),
    ("https://example.com/100%", "https://example.com/100%"),
    ('https://example.com/"<x>^`{y}', "https://example.com/%22%3Cx%3E%5E%60%7By%7D"),
    ("https://example.com/(a)[b]*'!$&;,=+~@:|", "https://example.com/(a)[b]*'!$&;,=+~@:|"),
    ("https://example.com/%0d%0aSet-Cookie:x", "https://example.com/%0d%0aSet-Cookie:x"),
    ("https://example.com//evil.example", "https://example.com//evil.example"),
    ("https://example.com/?u=javascript:alert(1)", "https://example.com/?u=javascript:alert(1)"),
    ("https://example.com/user@host", "https://example.com/user@host"),
    # Persian and emoji spellings need joiners; percent-encoded, no reader takes them for anything else.
    ("https://fa.example/می\u200cشود", "https://fa.example/%D9%85%DB%8C%E2%80%8C%D8%B4%D9%88%D8%AF"),
    # Blanks at the ends are slips of those who typed the content, and change nothing.
    (" https://example.com\r\n", "https://example.com"),
    # IDNA as browsers do it: in 2010 ß and ς became letters of their own, and other domains.
    ("https://Müller.example/ü", "https://xn--mller-kva.example/%C3%BC"),
    ("https://straße.example", "https://xn--strae-oqa.example"),
    ("https://STRAẞE.example", "https://xn--strae-oqa.example"),
    ("https://βόλος.example", "https://xn--nxasmm1c.example"),
    ("https://ΒΌΛΟΣ.example", "https://xn--nxasmq6b.example"),
    ("https://日本語。example", "https://xn--wgv71a119e.example"),
    ("https://\uff25\uff38\uff21\uff2d\uff30\uff2c\uff25.com", "https://example.com"),
    ("https://😀.example", "https://xn--e28h.example"),
    ("https://xn--mller-kva.example", "https://xn--mller-kva.example"),
    ("MEBKM:TITLE:Menu;URL:https\\://example.com/a\\;b;;", "https://example.com/a;b"),
    ("URLTO:Menu:https://example.com/x", "https://example.com/x"),
    ("urlto::http://example.com", "http://example.com"),
]

SHOWN = [
    "Lightning: 5 min",
    "Ton: laut",
    "Solana: die Band",
    "upi:",
    # Apps for maps ignore the coordinate system, and would show another place.
    "geo:46.1,14.5;crs=nad83",
    "geo:323482, 4306480;u=20;crs=EPSG:32618",
    "",
    "hello",
    "example.com",
    "www.example.com/x",
    "//example.com",
    "/path",
    "https:",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https://",
    "https://?x",
    "https://.",
    "https://-",
    "see https://example.com",
    # another host than it looks
    "https://user@example.com",
    "https://example.com:pw@evil.example/",
    "https://example.com%40evil.example",
    "https://example.com\\@evil.example",
    "https:\\\\example.com",
    "https://example.com/\\evil.example",
    "https://exam ple.com",
    "https://example.com evil.example",
    "https://example%2ecom",
    "https://example.com%00.evil.example",
    "https://a;b.example",
    "https://a\uff0fb.example",
    "https://a\uff1fb.example",
    "https://a\uff03b.example",
    "https://a\uff20b.example",
    "https://a\uff1a80",
    "https://a℀b.example",
    "https://exam\u200dple.com\u200d:80:80",
    "https://" + "ü" * 64 + ".example",
    # no address
    "https://[::1",
    "https://::1]",
    "https://[::1]evil.example",
    "https://evil[::1].example",
    "https://[192.0.2.7]",
    "https://[v1.a]",
    "https://[fe80::1%25eth0]",
    "https://[::1]:x",
    "https://example.com:99999",
    "https://example.com:-1",
    "https://example.com:+80",
    "https://example.com:\uff18\uff10",
    "https://example.com:80:80",
    # longer than servers and browsers take
    "https://example.com/" + "x" * 8_192,
    "https://example.com/" + "日" * 1_000,
    # a client that reads another scheme than we do
    "\x00https://example.com",
    "\x01https://example.com",
    "\x1fhttps://example.com",
    "\x7fhttps://example.com",
    "\x85https://example.com",
    "\u00a0https://example.com",
    "\u3000https://example.com",
    "\ufeffhttps://example.com",
    "\u202ehttps://example.com",
    "\u2066https://example.com",
    "ht\ttps://example.com",
    "ht\ntps://example.com",
    "http\u00ads://example.com",
    "https\u200b://example.com",
    "https:\t//example.com",
    "https:/\r/example.com",
    "https://example.com/a\tb",
    "https://example.com/a\r\nSet-Cookie: x",
    "https://example.com/a\x00b",
    "https://example.com/a\u202eb",
    "https://example.com/a\u061cb",
    "https://exam\u061cple.com",
    "https://example.com/a\u2028b",
    "https://example.com/a\u00a0b",
    "1https://example.com",
    # cards of other programs
    "WIFI:S:net;T:WPA;P:secret;;",
    "MEBKM:TITLE:x;URL:javascript\\:alert(1);;",
    "MEBKM:URL:https\\://user@example.com;;",
    "URLTO:x:ftp://example.com",
    "MECARD:TEL:1;;",
    "otpauth://totp/x?secret=y",
    # sentences
    "Skype:ana",
    "WhatsApp:+39040",
    "Spotify: a list",
    "Swish:123 456",
    "Bank:Sparkasse",
]

UNSAFE = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "\x01javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "javascript\u00ad:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/vcard,x",
    "vbscript:msgbox",
    "file:///etc/passwd",
    "file://host/share",
    "blob:https://example.com/1",
    "filesystem:https://example.com/x",
    "intent://example.com#Intent;scheme=https;end",
    "about:blank",
    "view-source:https://example.com",
    "chrome://settings",
    "ws://example.com",
    "ftp://example.com",
    "feed:https://example.com",
    "jar:https://example.com!/x",
    "ms-word:ofe|u|https://example.com",
    "market://details?id=x",
    "itms-apps://x",
    "tel\u200b:+39",
    "tel:+39\t040",
    "mailto:a@example.com\r\nBcc: b@example.com",
    "sms:+39?body=a\u2028b",
]

TAPPED = [
    ("tel:+39 040 123", "tel:+39%20040%20123"),
    ("TEL:112", "TEL:112"),
    ("tel:*100#", "tel:*100%23"),
    ("tel:*100%23", "tel:*100%23"),
    ("mailto:a@example.com?subject=Grüße&body=1%202", "mailto:a@example.com?subject=Gr%C3%BC%C3%9Fe&body=1%202"),
    ('mailto:"><script>@x', "mailto:%22%3E%3Cscript%3E@x"),
    ("sms:+39040?body=hi", "sms:+39040?body=hi"),
    ("sms:+39040?body=1%20&amp;lt;&amp;x=2", "sms:+39040?body=1%20&amp;lt;&x=2"),
    ("smsto:+39040:hi", "smsto:+39040:hi"),
    ("geo:45.6,13.7;crs=wgs84?q=a;crs=moon", "geo:45.6,13.7;crs=wgs84?q=a;crs=moon"),
    ("geo:45.6497,13.7681?q=Trieste", "geo:45.6497,13.7681?q=Trieste"),
    ("geo:45.6497, 13.7681?q=Molo Audace", "geo:45.6497,13.7681?q=Molo%20Audace"),
    ("mmsto:+39040?body=hi", "mmsto:+39040?body=hi"),
    ("MATMSG:TO:a@example.com;SUB:50% off;BODY:x\\; y;;", "mailto:a@example.com?subject=50%25%20off&body=x%3B%20y"),
    ("lightning:LNBC10U1P3PJ257PP5", "lightning:LNBC10U1P3PJ257PP5"),
    (
        "ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=2e18",
        "ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=2e18",
    ),
    ("ton://transfer/EQCD39VS?amount=1", "ton://transfer/EQCD39VS?amount=1"),
    (" tel:112\n", "tel:112"),
    ("SMTP:a@example.com:Hi:x: y", "mailto:a@example.com?subject=Hi&body=x:%20y"),
    ("facetime:+14155551212", "facetime:+14155551212"),
    ("facetime-audio://ana@example.com", "facetime-audio://ana@example.com"),
    ("skype:echo123?call", "skype:echo123?call"),
    ("sip:ana@example.com", "sip:ana@example.com"),
    ("tg://resolve?domain=x", "tg://resolve?domain=x"),
    ("whatsapp://send?phone=39040&text=Hi", "whatsapp://send?phone=39040&text=Hi"),
    ("spotify:track:6rqhFgbbKwnb9MLmUQDhG6", "spotify:track:6rqhFgbbKwnb9MLmUQDhG6"),
    ("webcal://example.com/a.ics", "webcal://example.com/a.ics"),
    ("payto://iban/DE89370400440532013000?amount=EUR:10", "payto://iban/DE89370400440532013000?amount=EUR:10"),
    ("bank://singlepaymentsepa?name=Ana&amount=10%2C50", "bank://singlepaymentsepa?name=Ana&amount=10%2C50"),
    ("phonepe://pay?pa=a@b&pn=x", "phonepe://pay?pa=a@b&pn=x"),
]


def ids(rows):
    return [ascii(row if isinstance(row, str) else row[0])[1:60] for row in rows]


@pytest.mark.rule("T8")
@pytest.mark.parametrize(("content", "location"), FOLLOWED, ids=ids(FOLLOWED))
def test_a_clean_web_address_is_followed(content, location):
    """Open: how an address is sent on. As ASCII that every browser reads as the content means it."""
    assert destination(content) == Destination("redirect", location)


@pytest.mark.rule("T8")
@pytest.mark.parametrize("content", SHOWN, ids=ids(SHOWN))
def test_other_text_is_shown_without_a_link(content):
    """Open: what may be followed. Nothing that one reader takes for an address, or for another one than it looks."""
    assert destination(content) == Destination("page")


@pytest.mark.rule("T8")
@pytest.mark.parametrize("content", UNSAFE, ids=ids(UNSAFE))
def test_an_unsafe_scheme_is_never_a_link(content):
    """Open: schemes that run or open things on the visitor's machine. They are text, whatever disguises them."""
    assert destination(content) == Destination("page")


@pytest.mark.rule("T8")
@pytest.mark.parametrize(("content", "link"), TAPPED, ids=ids(TAPPED))
def test_a_number_an_e_mail_or_a_place_is_a_link_to_tap(content, link):
    """Open: `tel:` and its like. A page with a link: many apps fail on a redirect to them."""
    assert destination(content) == Destination("page", link)


@pytest.mark.rule("T8")
@pytest.mark.parametrize(
    ("content", "download"),
    [
        ("BEGIN:VCARD\nVERSION:3.0\nFN:A\nEND:VCARD", ("contact.vcf", "text/vcard")),
        ("\r\nbegin:vcard\r\nend:vcard", ("contact.vcf", "text/vcard")),
        ("BEGIN:VCALENDAR\nEND:VCALENDAR", ("event.ics", "text/calendar")),
        (" begin:vevent\nEND:VEVENT", ("event.ics", "text/calendar")),
        ("BEGIN:VJOURNAL\nEND:VJOURNAL", None),
        ("xBEGIN:VCARD", None),
    ],
)
def test_a_contact_or_an_event_is_offered_as_a_file(content, download):
    """Open: vCard and iCalendar. A page with a file to save, under the name and media type phones open."""
    assert destination(content) == Destination("page", download=download)


def test_the_longest_address_that_is_followed_has_8192_characters():
    longest = "https://example.com/".ljust(8_192, "a")
    assert destination(longest) == Destination("redirect", longest)
    assert destination(longest + "a") == Destination("page")


def assert_is_harmless(found):
    assert found.kind in ("redirect", "page")
    if found.link is None:
        assert found.kind == "page"
        return
    assert re.fullmatch(r"[!-~]+", found.link)
    parts = urlsplit(found.link)
    if found.kind == "page":
        assert parts.scheme in ("tel", "mailto", "sms", "smsto", "geo")
        return
    assert parts.scheme in ("http", "https")
    assert found.link.startswith(f"{parts.scheme}://{parts.netloc}")
    assert re.fullmatch(r"([a-z0-9_][a-z0-9._-]*|\[[0-9a-f:.]+\])(:[0-9]+)?", parts.netloc)
    assert len(found.link) <= 8_192


hosts = st.one_of(
    st.sampled_from(["example.com", "[::1]", "straße.de", "a@b", "a:80", "a:x", "日本", "a\\b", "ΑΣ", "a\u200db"]),
    st.text("aZ09.-_@:[]%/\\ßς\u00ad\u200d\u202e\t\n 日", max_size=12),
)
schemes = ["http://", "https://", "HTTP://", "https:/", "https:", "//", " http://", "h\tttp://", "tel:", "geo:"]
addresses = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(schemes),
    hosts,
    st.sampled_from(["", "/", "?", "#", ":80/", ":/", "\\"]),
    st.text(max_size=10),
)


@many
@given(st.one_of(st.text(max_size=40), addresses))
def test_whatever_is_followed_is_an_ascii_web_address_with_a_host_and_no_user(content):
    assert_is_harmless(destination(content))


@many
@given(hosts, st.sampled_from(["", "/", "/x?y#z"]))
def test_a_followed_address_leads_to_itself(host, rest):
    found = destination(f"https://{host}{rest}")
    if found.link is not None:
        assert destination(found.link) == found
        plain = host.partition("/")[0].strip().lower()
        if re.fullmatch(r"[a-z0-9.-]+(:80)?", plain):
            assert urlsplit(found.link).netloc == plain


@many
@given(st.text("".join(map(chr, range(0x21))) + "\u00a0\u202e\u2066\ufeff\u061c", min_size=1, max_size=3))
def test_nothing_in_front_makes_a_script_a_link(front):
    for content in (f"{front}javascript:alert(1)", f"java{front}script:alert(1)", f"javascript{front}:alert(1)"):
        assert destination(content) == Destination("page")
