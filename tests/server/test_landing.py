"""The pages that people see: what stands on them, and what a real browser makes of them."""

import json
import re
import subprocess
from datetime import datetime
from html import escape
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Brand, Color, open_portfolio
from qrkit.contents.cards import Moment
from qrkit.errors import (
    BadRequest,
    Gone,
    InvalidParameter,
    NotFound,
    NotStored,
    Problem,
    QrkitError,
    StoreBusy,
    TooManyRequests,
    WrongMethod,
)
from qrkit.portfolio import Portfolio
from qrkit.portfolio.access import create_account
from qrkit.server import Client, make_app
from qrkit.server.pages.landing import failure, home, page, preview
from qrkit.server.pages.page_languages import LANGUAGES, language_for
from qrkit.server.statuses import status_of
from qrkit.visits.follow_or_show import Destination, destination
from qrkit.visits.redirect import Answer

HOSTILE = (
    "</pre></title></style><script>document.title='ran'</script>\"'><img src=x onerror=\"document.title='ran'\">"
    "<svg onload=alert(1)>&lt{{7*7}}{% raw %}"
)
SHORT_URL = "https://go.example.com/door"
FURNITURE = (
    "html head meta title style body main article svg path p h1 dl div dt dd pre a details summary footer ul li wbr "
    "span time button script"
)
ATTRIBUTES = (
    "lang charset name content class viewbox aria-hidden d dir href download rel type value aria-label hidden role "
    "datetime data-locale data-copied"
)
SAFE = re.compile(r"\?raw=1||(tel|mailto|sms|smsto|geo|upi|bitcoin|https?):.+", re.IGNORECASE)
SCRIPT = files("qrkit.server.pages").joinpath("landing.js").read_text(encoding="utf-8")
CONTACT = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:dr. Anastazija Marija Žnidaršič-Montefiore\r\nORG:Institut;Laboratory\r\n"
    "TITLE:Head of research\r\nTEL;TYPE=CELL:+386 40 123 456\r\nEMAIL:anastazija.znidarsic-montefiore@ocean.example.com"
    "\r\nURL:https://ocean.example.com/people/anastazija\r\nNOTE:Mornings only.\r\nEND:VCARD\r\n"
)
EVENT = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Opening\nDTSTART:20260614T180000Z\nEND:VEVENT\nEND:VCALENDAR"
WIFI = r"WIFI:T:WPA;S:Café Aurora;P:l1O0\;sunny;;"
MAIL = "mailto:hello@example.com?subject=Table&body=Good%20evening%2C%0A%0Aa%20table%2C%20please."


class Page(HTMLParser):
    """What a browser would make of a page: tags with their attributes, links, and the texts by the tag around them."""

    def __init__(self, data):
        super().__init__()
        self.tags, self.texts, self.inside, self.is_shown = [], {}, [], [True]
        self.feed(data.decode())
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "wbr", "path"):
            self.inside.append(tag)
            self.is_shown.append(self.is_shown[-1] and "hidden" not in dict(attrs))
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        if tag in self.inside:
            assert self.inside.pop() == tag
            self.is_shown.pop()

    def handle_data(self, data):
        if self.inside:
            self.texts[self.inside[-1]][-1] += data
            if "dd" in self.inside[:-1] and self.is_shown[-1]:
                self.texts["dd"][-1] += data

    def links(self):
        return [attributes for tag, attributes in self.tags if tag == "a"]

    def buttons(self):
        """The links that are buttons, by what they say."""
        links = zip(self.texts.get("a", ()), self.links(), strict=True)
        return {text: link for text, link in links if "button" in (link.get("class") or "").split()}

    def linked(self):
        """The addresses of the other links, by what they say."""
        links = zip(self.texts.get("a", ()), self.links(), strict=True)
        return {text: link["href"] for text, link in links if "class" not in link}

    def rows(self):
        return dict(zip(self.texts.get("dt", ()), self.texts.get("dd", ()), strict=True))

    def heading(self):
        (heading,) = self.texts["h1"]
        return heading.strip()


def answer(content):
    return Answer(content, destination(content))


def shown(content):
    return Page(page(answer(content)))


def assert_is_harmless(data):
    """No element but our own, no attribute that runs, styles or loads."""
    found = Page(data)
    assert {tag for tag, _ in found.tags} <= set(FURNITURE.split())
    assert {name for _, given in found.tags for name in given} <= set(ATTRIBUTES.split())
    assert not re.search("url\\(|@import|expression|//", found.texts["style"][0])
    assert len(found.texts["h1"]) == len(found.texts["title"]) == 1
    assert found.texts.get("script", [SCRIPT]) == [SCRIPT]
    assert all(SAFE.fullmatch(link["href"]) for link in found.links())


# ---- contents

HOSTILE_PLACES = {
    "text": HOSTILE,
    "contact": f"BEGIN:VCARD\nFN:{HOSTILE}\nNOTE:{HOSTILE}\nEND:VCARD",
    "event": f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:{HOSTILE}\nLOCATION:{HOSTILE}\nEND:VEVENT\nEND:VCALENDAR",
    "Wi-Fi": f"WIFI:S:{HOSTILE};P:{HOSTILE};;",
    "e-mail": f"mailto:a@example.com?subject={HOSTILE}",
    "message": f"sms:+39040?body={HOSTILE}",
    "place": f"geo:45.6,13.7?q={HOSTILE}",
    "number": f"tel:+39{HOSTILE}",
    "address": f"https://user@example.com/{HOSTILE}",
}


@pytest.mark.rule("T8")
@pytest.mark.parametrize("content", HOSTILE_PLACES.values(), ids=HOSTILE_PLACES)
def test_what_a_stranger_wrote_stays_text_in_every_place(content):
    """Open: how contents that are no web address are shown. As text, wherever on the page it stands."""
    data = page(answer(content))
    assert_is_harmless(data)
    assert Page(data).texts["pre"] == [content]
    assert data.decode().count("<script") == (content.startswith("WIFI"))


@settings(max_examples=200)
@given(
    st.one_of(st.text(min_size=1), st.text("<>&\"'/= abconerrscipt-!{}%;:\n", min_size=1)),
    st.sampled_from(["", "tel:1", "WIFI:S:", "geo:"]),
)
def test_any_content_is_a_harmless_page(content, beginning):
    data = page(answer(beginning + content))
    assert_is_harmless(data)
    (text,) = re.findall("<pre[^>]*>(.*)</pre>", data.decode(), re.DOTALL)
    assert not re.search("[<>\"']", text)


def test_a_text_that_is_no_unicode_is_still_a_page():
    assert b"ab?c" in page(Answer("ab\ud800c", destination("")))


@pytest.mark.parametrize(
    ("content", "label", "link"),
    [
        ("tel:+39 040", "Call", "tel:+39%20040"),
        (MAIL, "Write an e-mail", MAIL),
        ("sms:+39040", "Send a message", "sms:+39040"),
        ("tel:*100#", "Call", "tel:*100%23"),
        ("mailto:a@b.example?subject=Hi&amp;body=x", "Write an e-mail", "mailto:a@b.example?subject=Hi&body=x"),
        ("instagram://user?username=ana", "Open", "instagram://user?username=ana"),
        ("zoommtg://zoom.us/join?confno=1", "Open", "zoommtg://zoom.us/join?confno=1"),
        ("SMSTO:+39040:10%25 off; hi", "Send a message", "sms:+39040?body=10%2525%20off%3B%20hi"),
        ("sms:+39040;?&body=hi", "Send a message", "sms:+39040?body=hi"),
        ("sms:+39040,+39041", "Send a message", "sms:+39040,+39041"),
        ("SMSTO::hi", "Send a message", "sms:?body=hi"),
        ("geo:45.6497,13.7681", "Show on a map", "geo:45.6497,13.7681"),
    ],
)
def test_the_one_button_opens_the_link_of_the_destination(content, label, link):
    found = shown(content)
    assert [attributes["href"] for attributes in found.links()] == [link]
    assert found.texts["a"] == [label]


@pytest.mark.parametrize(
    "content",
    ["hello", WIFI, "javascript:alert(1)", "data:text/html,x", "https://user:pw@example.com/", "ftp://example.com/"],
)
def test_what_is_not_safe_to_open_has_no_link(content):
    found = shown(content)
    assert found.links() == []
    assert content in found.texts["pre"]


@pytest.mark.parametrize(
    ("content", "label", "name"),
    [
        (CONTACT, "Save contact", "contact.vcf"),
        ("MECARD:N:Owen,Sean;TEL:12125551212;;", "Save contact", "contact.vcf"),
        (EVENT, "Add to calendar", "event.ics"),
        ("BEGIN:VEVENT\nSUMMARY:Opening\nEND:VEVENT", "Add to calendar", "event.ics"),
    ],
)
def test_a_contact_or_an_event_is_saved_from_the_same_url(content, label, name):
    buttons = shown(content).buttons()
    assert {text: (link["href"], link["download"]) for text, link in buttons.items()} == {label: ("?raw=1", name)}


def test_a_network_is_its_name_and_its_password_to_select():
    found = shown(WIFI)
    assert found.heading() == "Café Aurora"
    assert found.rows()["Password"] == "l1O0;sunny"
    selected = [tag for tag, given in found.tags if "take" in (given.get("class") or "").split()]
    assert selected == ["h1", "span"]


def test_a_name_heads_the_page_and_is_not_said_twice():
    found = shown(CONTACT)
    assert found.heading() == found.texts["title"][0] == "dr. Anastazija Marija Žnidaršič-Montefiore"
    assert found.texts["p"] == ["Contact"]
    assert found.rows()["Phone (mobile)"] == "+386 40 123 456"


def test_plain_text_is_not_folded_away():
    found = shown("Table 12")
    assert "details" not in found.texts
    assert (found.heading(), found.texts["pre"]) == ("This QR Code says", ["Table 12"])


def test_the_same_content_is_the_same_page():
    assert page(answer(CONTACT)) == page(answer(CONTACT))


# ---- previews


def test_a_preview_tells_host_and_address_and_is_not_counted():
    found = Page(preview(SHORT_URL, answer("https://shop.example.com/spring?a=b&c=d")))
    assert found.heading() == "shop.example.com"
    assert found.rows() == {"Full address": "https://shop.example.com/spring?a=b&c=d"}
    assert [one["href"] for one in found.links()] == ["https://shop.example.com/spring?a=b&c=d"]
    assert found.texts["p"] == ["go.example.com/door leads to"]
    assert "not counted as a scan" in found.texts["footer"][0]


def test_a_preview_shows_the_host_that_the_browser_asks_and_the_address_as_it_was_written():
    found = Page(preview(SHORT_URL, answer("http://Müller.example/ü")))
    assert found.heading() == "xn--mller-kva.example"
    assert found.rows()["Address as written"] == "http://Müller.example/ü"
    assert "Not encrypted" in found.rows()["Connection"]


def test_a_preview_of_another_content_is_its_page():
    found = Page(preview(SHORT_URL, answer("tel:+39040")))
    assert found.rows() == shown("tel:+39040").rows()
    assert "not counted as a scan" in found.texts["footer"][0]


def test_a_preview_of_an_address_that_is_not_followed_by_itself_opens_it_on_request():
    own = Answer("https://go.example.com/other", Destination("page", "https://go.example.com/other"))
    assert Page(preview(SHORT_URL, own)).links()[0]["href"] == Page(page(own)).links()[0]["href"] == own.content


def test_a_preview_stays_text_whatever_it_shows():
    data = preview(f"https://go.example.com/{HOSTILE}", answer(f"https://example.com/{HOSTILE}"))
    assert_is_harmless(data)
    assert Page(data).rows()["Address as written"] == f"https://example.com/{HOSTILE}"


# ---- what went wrong


@pytest.mark.parametrize(
    ("error", "heading", "words"),
    [
        (NotFound("short URL", HOSTILE), "This code leads nowhere", "Scan the code again"),
        (Gone("short URL", HOSTILE), "This page was taken down", "newer code"),
        (TooManyRequests(HOSTILE, retry_after=30), "Too many tries", "again in 1 minute"),
        (TooManyRequests(HOSTILE, retry_after=61), "Too many tries", "again in 2 minutes"),
        (TooManyRequests(HOSTILE, retry_after=80_000), "Too many tries", "again in 23 hours"),
        (NotStored(HOSTILE), "That did not work", "on our side"),
        (StoreBusy(HOSTILE), "That did not work", "on our side"),
        (QrkitError(HOSTILE), "That did not work", "on our side"),
        (WrongMethod(HOSTILE, ["GET"]), "This page cannot be shown", "scan the code once more"),
        (BadRequest(HOSTILE), "This page cannot be shown", "scan the code once more"),
        (InvalidParameter(Problem("x", HOSTILE, HOSTILE)), "This page cannot be shown", "scan the code once more"),
    ],
)
def test_a_failure_is_told_in_plain_words_without_technical_detail(error, heading, words):
    data = failure(error)
    assert_is_harmless(data)
    found = Page(data)
    assert found.heading() == heading
    assert words in data.decode()
    assert found.texts["footer"] == [f"Error {status_of(error)}"]
    assert "short URL" not in data.decode()
    assert "onerror" not in data.decode()
    assert [one["href"] for one in found.links()] == ([""] if status_of(error) >= 500 else [])


# ---- in a browser

SWITCHES = (
    "headless no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update disable-sync"
)
LONG = "Donaudampfschifffahrtsgesellschaft" * 4
PAGES = {
    "contact": page(answer(CONTACT)),
    "contact with long words": page(answer(f"BEGIN:VCARD\nFN:{LONG}\nEMAIL:{LONG}@example.com\nEND:VCARD")),
    "Wi-Fi": page(answer(f"WIFI:S:{LONG};P:{LONG};;")),
    "Wi-Fi in German": page(
        answer("WIFI:T:nopass;S:Gästenetz der Dampfschiffahrt;;"), headers={"accept-language": "de"}
    ),
    "Wi-Fi in Polish": page(answer(WIFI), headers={"accept-language": "pl"}),
    "event in Polish": page(answer(EVENT), headers={"accept-language": "pl"}),
    "contact in German": page(answer(CONTACT), headers={"accept-language": "de"}),
    "app": page(answer("https://apps.apple.com/1\nhttps://play.google.com/2")),
    "404 in German": failure(NotFound("short URL", "x"), {"accept-language": "de"}),
    "phone": page(answer("tel:+39 040 123 4567")),
    "e-mail": page(answer(MAIL)),
    "text": page(answer("The harbour was built in 1721. " * 65)),
    "one long word": page(answer(LONG * 5)),
    "Arabic": page(answer("مرحبا بكم في المعرض. يرجى التوجه إلى القاعة رقم ٣ في الطابق الثاني.")),
    "event": page(answer(EVENT)),
    "unsafe": page(answer("https://user@example.com/")),
    "preview": preview(SHORT_URL, answer(f"http://{'very-long-name.' * 8}example.org/{'x' * 300}")),
    "home": home("go.example.com", "/api/v3/docs"),
    "no page": failure(NotFound("page", "/x")),
    "404": failure(NotFound("short URL", "x")),
    "410": failure(Gone("short URL", "x")),
    "503": failure(NotStored("x")),
}
SIZES = [(320, 640), (390, 844), (1280, 800)]
MEASURE = """
const light = color => {
  const parts = color.match(/[\\d.]+/g).slice(0, 3).map(Number).map(part => part / 255);
  const [r, g, b] = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element, view) => {
  const color = view.getComputedStyle(element).backgroundColor;
  return color === 'rgba(0, 0, 0, 0)' && element.parentElement ? ground(element.parentElement, view) : color;
};
const measure = frame => {
  const view = frame.contentWindow, root = frame.contentDocument;
  root.querySelectorAll('details').forEach(details => details.open = true);
  const texts = [...root.querySelectorAll('h1,p,dt,dd,li,pre,a,summary,footer,button,.own')]
    .filter(element => element.checkVisibility());
  const contrasts = texts.map(element => {
    const both = [light(view.getComputedStyle(element).color), light(ground(element, view))].sort((a, b) => b - a);
    return (both[0] + 0.05) / (both[1] + 0.05);
  });
  const touched = [...root.querySelectorAll('a,summary,button')]
    .filter(element => element.checkVisibility()).map(element => element.getBoundingClientRect());
  return {
    name: frame.name, width: view.innerWidth, needs: root.scrollingElement.scrollWidth,
    contrast: Math.min(...contrasts), touched: Math.min(...touched.map(box => Math.min(box.width, box.height)), 999),
    smallest: Math.min(...texts.map(element => parseFloat(view.getComputedStyle(element).fontSize))),
    ground: light(view.getComputedStyle(root.body).backgroundColor),
    sideways: texts.filter(element => element.scrollWidth > element.clientWidth + 1
      && element.clientWidth > 1).map(element => element.tagName),
  };
};
addEventListener('load', () => {
  const found = [...document.querySelectorAll('iframe')].map(measure);
  document.body.textContent = JSON.stringify(found);
});
"""


def browse(address, folder, *switches):
    given = [f"--{switch}" for switch in (*SWITCHES.split(), f"user-data-dir={folder / 'user'}", *switches)]
    run = subprocess.run(["chromium", *given, address], capture_output=True, check=True, text=True, timeout=60)
    return run.stdout


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.rule("T8")
@pytest.mark.parametrize("place", ["text", "contact"])
def test_a_browser_shows_hostile_content_as_text_and_runs_nothing(tmp_path, place):
    """Open: how contents that are no web address are shown. As text; nothing runs even where scripts may."""
    file = tmp_path / "page.html"
    file.write_bytes(page(answer(HOSTILE_PLACES[place])))
    found = browse(file.as_uri(), tmp_path, "dump-dom")
    assert f'dir="auto">{escape(HOSTILE_PLACES[place], quote=False)}</pre>' in found
    assert "<title>ran" not in found
    assert not any(f"<{element}" in found for element in ("script", "img", "svg onload"))


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize(("mode", "scheme"), [(1, "light"), (0, "dark")])
def test_every_page_fits_every_screen_and_is_readable(tmp_path, mode, scheme):
    frames = "".join(
        f'<iframe name="{name} {width}" srcdoc="{escape(data.decode())}" width={width} height={height} '
        f'style="border:0;color-scheme:{scheme}"></iframe>'
        for width, height in SIZES
        for name, data in PAGES.items()
    )
    sheet = tmp_path / "sheet.html"
    sheet.write_text(f'<!doctype html><meta charset="utf-8"><script>{MEASURE}</script>{frames}', encoding="utf-8")
    dom = browse(sheet.as_uri(), tmp_path, "dump-dom", f"blink-settings=preferredColorScheme={mode}")
    found = json.loads(re.search("<body>(.*)</body>", dom, re.DOTALL)[1])
    assert len(found) == len(PAGES) * len(SIZES)
    for one in found:
        assert one["needs"] <= one["width"], one
        assert one["sideways"] == [], one
        # WCAG 2.2: AA for text, and a fingertip.
        assert one["contrast"] >= 4.5, one
        assert one["touched"] >= 44, one
        assert one["smallest"] >= 13, one
        assert (one["ground"] < 0.05) == (scheme == "dark"), one


# Brands ---------------------------------------------------------------------------------------------------------------


def branded(text, brand):
    return page(Answer(text, destination(text)), brand).decode()


def test_page_has_the_name_the_logo_and_the_accent_of_the_brand():
    html = branded(WIFI, Brand("Café <Aurora>", accent="#F97316", logo="icon:heart"))
    assert "Café &lt;Aurora&gt;" in html
    assert html.count('<img src="data:image/svg+xml;base64,') == 1
    assert re.findall(r"--on-accent:(#\w+)", html)[-2:] == ["#000000", "#000000"]
    assert "<img" not in branded(WIFI, Brand("Aurora")) and "<img" not in branded(WIFI, None)


@given(st.builds(Color, *[st.integers(0, 255)] * 3))
def test_text_icons_and_links_in_the_accent_of_a_brand_can_be_seen(accent):
    html = branded(WIFI, Brand("Aurora", accent=accent))
    names = ("accent", "on-accent", "tint", "link")
    accents, texts, tints, links = (re.findall(rf"--{name}:(#\w+)", html) for name in names)
    for mode, card in (-2, "#FFFFFF"), (-1, "#171B20"):
        assert Color.parse(links[mode]).contrast(Color.parse(card)) >= 4.5
        shade = Color.parse(accents[mode])
        assert shade.contrast(Color.parse(texts[mode])) >= 4.5
        assert shade.contrast(Color.parse(tints[mode])) >= 3


def test_a_logo_that_cannot_be_read_leaves_the_page_without_it():
    html = branded(WIFI, Brand("Aurora", logo="https://example.com/logo.png"))
    assert "<img" not in html and "Aurora" in html


def test_served_page_has_the_brand_of_the_account_that_has_the_code():
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode(WIFI, short_code="wifi")
        other = Portfolio(shop.store, create_account(shop.store, "other"))
        other.insert_qrcode(WIFI, short_code="theirs")
        shop.brands.save("aurora", Brand("Aurora Group"))
        client = Client(make_app(shop.store))
        assert b"Aurora Group" not in client.get("/wifi").body
        shop.brands.use("aurora")
        assert b"Aurora Group" in client.get("/wifi").body
        assert b"Aurora Group" not in client.get("/theirs").body


def test_page_of_a_deleted_code_has_the_brand_of_the_only_account():
    with open_portfolio(":memory:") as shop:
        shop.brands.save("aurora", Brand("Aurora Group"))
        shop.brands.use("aurora")
        code = shop.insert_qrcode(WIFI, short_code="wifi")
        shop.delete_qrcode(code.id)
        client = Client(make_app(shop.store), headers={"Accept": "text/html"})
        gone = client.get("/wifi")
        assert (gone.status, b"Aurora Group" in gone.body) == (410, True)
        assert b"Aurora Group" not in client.get("/nobody").body
        create_account(shop.store, "other")
        assert b"Aurora Group" not in client.get("/wifi").body


def test_page_that_fails_for_a_known_code_has_the_brand_of_its_account():
    with open_portfolio(":memory:") as shop:
        create_account(shop.store, "other")
        shop.brands.save("aurora", Brand("Aurora Group"))
        shop.brands.use("aurora")
        shop.insert_qrcode("otpauth://totp/Shop:ada?secret=JBSWY3DP", short_code="login", is_dynamic=False)
        reply = Client(make_app(shop.store), headers={"Accept": "text/html"}).get("/login", raw=1)
        assert (reply.status, b"Aurora Group" in reply.body) == (404, True)


def test_a_saved_mecard_is_a_vcard():
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode("MECARD:N:Owen,Sean;TEL:12125551212;;", short_code="sean")
        reply = Client(make_app(shop.store)).get("/sean", raw=1)
    assert reply.headers["content-type"] == "text/vcard; charset=utf-8"
    assert reply.headers["content-disposition"] == 'attachment; filename="contact.vcf"'
    assert reply.text.startswith("BEGIN:VCARD\r\nVERSION:3.0\r\nN:Owen;Sean;;;\r\nFN:Sean Owen\r\nTEL:12125551212")


def test_brand_of_a_stranger_stays_text():
    found = Page(branded("hello", Brand(HOSTILE[:100])).encode())
    assert not {"script", "img"} & {tag for tag, _ in found.tags}
    assert HOSTILE[:100] in found.texts["span"]


# Links in rows --------------------------------------------------------------------------------------------------------


def test_a_contact_is_called_written_to_and_visited_from_its_page():
    address = "ADR;TYPE=HOME:;;Fornače 41;Piran;;6330;Slovenia"
    found = shown(CONTACT.replace("NOTE", f"{address}\r\nTEL:*21*0900#\r\nNOTE"))
    assert found.linked() == {
        "+386 40 123 456": "tel:+38640123456",
        "anastazija.znidarsic-montefiore@ocean.example.com": (
            "mailto:anastazija.znidarsic-montefiore@ocean.example.com"
        ),
        "https://ocean.example.com/people/anastazija": "https://ocean.example.com/people/anastazija",
        "Fornače 41, Piran, 6330, Slovenia": "geo:0,0?q=Forna%C4%8De%2041%2C%20Piran%2C%206330%2C%20Slovenia",
    }
    assert found.rows()["Phone"] == "*21*0900#"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "https://example.com@evil.example/",
        "https://\u0430\u0440\u0440le.com/",  # Cyrillic
        "https://example.com/\u202emoc.live",
        "ftp://example.com/",
        "//example.com/",
    ],
)
def test_an_address_that_could_mislead_is_shown_without_a_link(address):
    found = shown(f"BEGIN:VCARD\nFN:Ana\nURL:{address}\nEND:VCARD")
    assert found.linked() == {}
    assert found.rows()["Web"] == address


def test_an_event_leads_to_its_place():
    found = shown(EVENT.replace("DTSTART", "LOCATION:Pier 4\\, Trieste\nGEO:45.6;13.7\nDTSTART"))
    assert found.linked() == {"Pier 4, Trieste": "geo:0,0?q=Pier%204%2C%20Trieste", "45.6, 13.7": "geo:45.6,13.7"}


@pytest.mark.parametrize(
    ("content", "link"),
    [
        ("geo:45.6,13.7", "https://maps.apple.com/?q=45.6%2C13.7&ll=45.6%2C13.7"),
        (
            "geo:45.6,13.7,20;u=3?z=3&q=Piazza+Unit%C3%A0",
            "https://maps.apple.com/?q=Piazza%20Unit%C3%A0&ll=45.6%2C13.7",
        ),
        ("geo:0,0?q=Trieste", "https://maps.apple.com/?q=Trieste"),
        ("geo:0,0?q=45.6,13.7(Molo+Audace)", "https://maps.apple.com/?q=Molo%20Audace&ll=45.6%2C13.7"),
        ("geo:45.6,13.7?q=45.6,13.7(Molo%20Audace)", "https://maps.apple.com/?q=Molo%20Audace&ll=45.6%2C13.7"),
    ],
)
def test_an_iphone_which_knows_no_geo_links_is_led_to_its_maps(content, link):
    assert [button["href"] for button in on_iphone(content).buttons().values()] == [link]
    assert [button["href"] for button in shown(content).buttons().values()] == [content.replace("à", "%C3%A0")]


def on_iphone(content):
    agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)"
    return Page(page(answer(content), headers={"user-agent": agent}))


def test_an_iphone_gets_the_text_of_a_message_behind_an_ampersand():
    (button,) = on_iphone("SMSTO:+39040:10%25 off").buttons().values()
    assert button["href"] == "sms:+39040&body=10%2525%20off"


@pytest.mark.parametrize(
    ("agent", "first"),
    [
        ("Mozilla/5.0 (Linux; Android 15; Pixel 9)", "Google Play"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", "App Store"),
        ("", "App Store"),
    ],
)
def test_an_app_is_in_the_store_of_the_device_first(agent, first):
    app = "https://apps.apple.com/app/id1\nhttps://play.google.com/store/apps/details?id=a\nhttps://example.com/app"
    found = Page(page(answer(app), headers={"user-agent": agent}))
    buttons = {text: link["href"] for text, link in found.buttons().items()}
    assert next(iter(buttons)) == first
    assert sorted(buttons.values()) == sorted(app.split())
    assert list(buttons)[-1] == "example.com"
    assert found.heading() == "Get the app"
    assert found.texts["pre"] == [app]


def test_an_address_of_an_app_that_could_mislead_has_no_button():
    app = "https://apps.apple.com/app/id1\nhttps://play.google.com@evil.example/"
    assert list(shown(app).buttons()) == ["App Store"]


@pytest.mark.parametrize("content", ["upi://pay?pa=shop@bank&pn=Shop", "bitcoin:bc1qar0srrr7xfk?amount=1"])
def test_a_payment_is_handed_to_an_app(content):
    buttons = shown(content).buttons()
    assert {text: link["href"] for text, link in buttons.items()} == {"Pay": content}


def test_the_secret_of_a_one_time_password_is_not_on_its_page():
    secret = "otpauth://totp/Shop:ada?secret=JBSWY3DP"
    data = page(answer(secret))
    assert Page(data).heading() == "Shop:ada"
    assert b"JBSWY3DP" not in data + preview(SHORT_URL, answer(secret))


# Languages ------------------------------------------------------------------------------------------------------------

DIGITS = {
    "contact": "BEGIN:VCARD\nFN:1\nTEL;TYPE=HOME,FAX:22\nEMAIL:3\nURL:4\nADR:5\nNOTE:6\nTITLE:7\nORG:8\nEND:VCARD",
    "unnamed contact": "BEGIN:VCARD\nTEL;CELL;WORK:22\nGEO:1;2\nEND:VCARD",
    "event": "BEGIN:VEVENT\nSUMMARY:1\nLOCATION:2\nDESCRIPTION:3\nDTSTART:20260614T180000Z\nDTEND:5\nEND:VEVENT",
    "organized event": "BEGIN:VEVENT\nSUMMARY:1\nORGANIZER:2\nEND:VEVENT",
    "Wi-Fi": "WIFI:S:1;P:2;I:3;E:4;H:true;T:nopass;;",
    "e-mail": "mailto:1?cc=2&bcc=3&subject=4&body=5",
    "message": "sms:1?body=2",
    "number": "tel:1",
    "place": "geo:1,2?q=3",
    "named place": "geo:0,0?q=3",
    "text": "1",
    "unsafe": "https://1@2/",
    "app": "https://apps.apple.com/1\nhttps://play.google.com/2",
    "payment": "upi:1",
    "one-time password": "otpauth://1/2",
    "loop": "https://1/",
}


def pages_of_digits(headers):
    """Every page that there is, of contents without words."""
    yield from (page(answer(content), headers=headers) for content in DIGITS.values())
    yield from (preview("https://1/2", answer(content), headers=headers) for content in DIGITS.values())
    yield preview("https://1/2", answer("http://1/ü"), headers=headers)
    yield home("1", "/2", headers)
    errors = [
        NotFound("short URL", "1"),
        NotFound("page", "1"),
        Gone("short URL", "1"),
        NotStored("1"),
        BadRequest("1"),
    ]
    yield from (failure(error, headers) for error in [*errors, TooManyRequests("1", retry_after=61)])


@pytest.mark.release
@pytest.mark.parametrize("tag", LANGUAGES[1:])
def test_every_word_of_pages_is_translated_when_released(tag):
    language = language_for(tag)
    own = {
        re.escape(text).replace(re.escape("{when}"), re.escape(language.wait(61))) for text in language.words.values()
    }
    sentences = "|".join(re.sub(r"\\\{[a-z]+\\\}", ".+", text) for text in sorted(own, key=len, reverse=True))
    known = re.compile(rf"({sentences}|App Store|Google Play|UTC|https?|%[0-9A-F]{{2}}|[\W\d_]|ü)*")
    date = language.moment(Moment(datetime(2026, 6, 14, 18), "UTC"))
    for data in pages_of_digits({"accept-language": tag}):
        found = Page(data)
        assert f'<html lang="{tag}">' in data.decode()
        texts = [text for name in found.texts if name not in ("style", "script", "pre") for text in found.texts[name]]
        texts += [given["aria-label"] for _, given in found.tags if "aria-label" in given]
        assert [text for text in texts if not known.fullmatch(text.replace(date, ""))] == []
