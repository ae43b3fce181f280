"""The pages that people see: what stands on them, and what a real browser makes of them."""

import json
import re
import subprocess
from html import escape
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Brand, Color, open_portfolio
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
from qrkit.server.landing import failure, page, preview
from qrkit.server.statuses import status_of
from qrkit.visits.destinations import Destination, destination
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
SCRIPT = files("qrkit.server").joinpath("landing.js").read_text(encoding="utf-8")
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
        if tag not in ("meta", "wbr", "path"):
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
        ("SMSTO:+39040:hi", "Send a message", "SMSTO:+39040:hi"),
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
        (NotFound("short URL", HOSTILE), "This code leads nowhere", "Scan the code once more"),
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
    "phone": page(answer("tel:+39 040 123 4567")),
    "e-mail": page(answer(MAIL)),
    "text": page(answer("The harbour was built in 1721. " * 65)),
    "one long word": page(answer(LONG * 5)),
    "Arabic": page(answer("مرحبا بكم في المعرض. يرجى التوجه إلى القاعة رقم ٣ في الطابق الثاني.")),
    "event": page(answer(EVENT)),
    "unsafe": page(answer("https://user@example.com/")),
    "preview": preview(SHORT_URL, answer(f"http://{'very-long-name.' * 8}example.org/{'x' * 300}")),
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
  const texts = [...root.querySelectorAll('h1,p,dt,dd,li,pre,a,summary,footer')];
  const contrasts = texts.map(element => {
    const both = [light(view.getComputedStyle(element).color), light(ground(element, view))].sort((a, b) => b - a);
    return (both[0] + 0.05) / (both[1] + 0.05);
  });
  const touched = [...root.querySelectorAll('a,summary')].map(element => element.getBoundingClientRect());
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
def test_text_and_icons_in_the_accent_of_a_brand_can_be_seen(accent):
    html = branded(WIFI, Brand("Aurora", accent=accent))
    for mode in (-2, -1):
        accents, texts, tints = (re.findall(rf"--{name}:(#\w+)", html) for name in ("accent", "on-accent", "tint"))
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


def test_brand_of_a_stranger_stays_text():
    found = Page(branded("hello", Brand(HOSTILE[:100])).encode())
    assert not {"script", "img"} & {tag for tag, _ in found.tags}
    assert HOSTILE[:100] in found.texts["span"]
