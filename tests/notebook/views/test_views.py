import inspect
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

import qrkit
from qrkit import (
    Brand,
    Campaign,
    Caption,
    Color,
    ContactSheet,
    Design,
    Frame,
    Gradient,
    Layer,
    Location,
    Marker,
    Markers,
    Modules,
    Photo,
    Placeholder,
    PrintSize,
    Properties,
    QRCode,
    ScheduleEvent,
    Sprite,
    Stop,
    Wrapper,
    decode,
    generate,
    open_portfolio,
)
from qrkit.errors import ScanWarning
from qrkit.exchange.merge import ImportIssue, ImportResult
from qrkit.notebook.views.html import page_text
from qrkit.portfolio.brands import Brands
from qrkit.portfolio.templates import Templates
from qrkit.scanning.budget import Budget
from qrkit.scanning.grade import Grade
from qrkit.scanning.largest_logo import LargestLogo
from qrkit.scanning.panel import Panel
from qrkit.scanning.photographs.photo_grade import PhotoGrade
from qrkit.scanning.repair import Repair
from tests.scanning.captures import CAPTURES, flat, photo

CREATED = datetime(2026, 3, 1, tzinfo=UTC)
HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(2)> " ' & $x$ ]]> javascript:alert(3)"""
DOT = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><circle r='1'/></svg>"
REMOTE = "https://pictures.example.com/logo.png"
PICTURES = {"image/svg+xml", "image/png"}
NO_OBJECTS = {"Role", "QRImage"}
"""An enumeration, and what `tests/pictures/test_image.py` looks at."""


def shop_with(text):
    shop = open_portfolio(":memory:", base_url="https://go.example.com", clock=lambda: CREATED)
    window = shop.insert_campaign(text, description=text)
    shop.insert_qrcode("https://example.com", name=text, campaign_id=window.id, comment=text, short_code="door")
    shop.templates.save(text[:100], Design(content="x", modules=Modules(type="dots")))
    shop.brands.save(text[:100], Brand(text[:100], logo="icon:heart"))
    return shop


def code_with(text):
    fields = {"name": text, "content": text, "comment": text, "urlinfo": text, "location": Location(address=text)}
    return QRCode(id="c0ffee", created=CREATED, short_url="https://go.example.com/door", **fields)


@pytest.fixture(scope="module")
def checked():
    """A report with all that a check finds, and what mends its design."""
    weak = Design(content="https://example.com", padding=1, foreground="#99AAAA")
    return weak.check("quick"), weak.check("standard"), weak.make_scannable()


def examples(text, checked):
    """An object of each class, with a stranger's text wherever there is room for it."""
    shop = shop_with(text)
    quick, standard, repair = checked
    logo = Design(content="hi", ec="H").largest_logo("icon:heart", level="static")
    fill = Gradient.linear("navy", "teal")
    issue = ImportIssue(2, text, text, text, "invalid", text)
    made = [
        Color.parse("#80E4572E"), ContactSheet({"a": generate("x")}), decode(generate(text).to_bytes("png")),
        Design(content=text, foreground=fill, layers=[Layer("icon:heart", name=text, x=0, y=0, width=9, height=9)]),
        fill, Layer(REMOTE, name=text, x=0, y=0, width=9, height=9), Location(address=text), Marker("eye-3"),
        Markers.all("eye-4", inner_color="red"), Modules(type="bars"), Placeholder(x=0, y=0, width=9, height=9), shop,
        Properties(size=3), code_with(text), Campaign(id="c0ffee", name=text, description=text, created=CREATED),
        generate(text).scene, Sprite(content=DOT, name=text, width=9, height=9), Stop(offset=0, color="red"),
        generate(text).symbol, shop.templates, repair, logo, standard.grade, quick.panel, quick.budget,
        Wrapper(source=DOT, width=99, height=99, placeholder=Placeholder(x=0, y=0, width=90, height=90)),
        Brand(text[:100], logo="icon:heart"), shop.brands,
        Caption("<img src=x onload=y>"), Frame("card", caption="<b onload=y>"),
        Photo(DOT), qrkit.check(photo(flat(Design(content="hi")), CAPTURES[0])).photo,
        PrintSize(size_mm=40), generate(text).print_at(90), quick, ImportResult(0, (issue,)),
        ScheduleEvent(content=text, date=CREATED), shop.scans.where(since="2026-06-01", time_zone="Europe/Ljubljana"),
    ]  # fmt: skip
    return {type(one).__name__: one for one in made}


@pytest.fixture(scope="module")
def hostile(checked):
    return examples(HOSTILE, checked)


@pytest.fixture(scope="module")
def again(checked):
    return examples(HOSTILE, checked)


PUBLIC = sorted(name for name in qrkit.__all__ if inspect.isclass(getattr(qrkit, name)) and name not in NO_OBJECTS)
FOUND = [one.__name__ for one in (Budget, Grade, LargestLogo, Panel, PhotoGrade, Repair, Templates, Brands)]
each = pytest.mark.parametrize("name", [*PUBLIC, *FOUND])


class Elements(HTMLParser):
    """Names of the elements of a page, and of their attributes."""

    def __init__(self, page):
        super().__init__()
        self.names, self.attributes = set(), {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes |= dict(attrs)


def bundle_of(one):
    """What a notebook shows of an object, which may have HTML alone."""
    if hasattr(one, "_repr_mimebundle_"):
        return one._repr_mimebundle_()
    return {"text/plain": repr(one), "text/html": one._repr_html_()}


@each
def test_whatever_is_public_shows_itself(hostile, name):
    bundle = bundle_of(hostile[name])
    assert bundle["text/plain"] == repr(hostile[name])
    assert not re.search(r"0x[0-9a-f]{6}| object at ", bundle["text/plain"])
    assert len(bundle["text/plain"]) < 2000
    assert bundle.keys() & {"text/html", "image/svg+xml"}
    if "image/png" in bundle:
        assert bundle["image/png"].startswith(b"\x89PNG")
        assert bundle["image/svg+xml"].startswith("<svg")


@pytest.mark.parametrize(
    "name", ["Design", "Gradient", "Marker", "Markers", "Modules", "Photo", "QRCode", "Scene", "Symbol"]
)
def test_what_is_seen_is_shown_as_a_picture_that_reads(hostile, name):
    bundle = bundle_of(hostile[name])
    assert bundle.keys() >= PICTURES
    assert decode(bundle["image/png"]).content


@each
def test_what_strangers_wrote_is_text(hostile, name):
    page = bundle_of(hostile[name]).get("text/html", "")
    found = Elements(page)
    assert found.names.isdisjoint({"script", "link", "iframe", "object", "style"})
    assert not any(attribute.startswith("on") for attribute in found.attributes)
    assert "href" not in found.attributes
    assert found.attributes.get("src", "data:image/png").startswith("data:image/png")
    if "alert" in page:
        assert HOSTILE in html.fromstring(page).text_content()
        assert "mathjax_ignore" in page


@settings(max_examples=60)
@given(st.text(max_size=300))
def test_any_text_is_one_text_of_a_page(text):
    shown = html.fromstring(f"<p>x{page_text(text)}x</p>")
    assert len(shown) == 0
    assert len(shown.text) <= 202
    page_text(text).encode()


@each
def test_equal_objects_look_the_same(hostile, again, name):
    ids = re.compile(r"[0-9a-f]{32}")
    first, second = (repr(bundle_of(one)) for one in (hostile[name], again[name]))
    assert ids.sub("", first) == ids.sub("", second)


@each
def test_colours_of_text_are_those_of_the_page(hostile, name):
    page = bundle_of(hostile[name]).get("text/html", "")
    # Letters on a badge lie on its own colour; the marks of a panel are seen on both.
    letters = re.findall(r"(?<![-\w])color:(#\w+)", re.sub(r"background:#\w+;color:#fff", "", page))
    assert set(letters) <= {"#15803D", "#B91C1C", "#9CA3AF"}
    assert not re.search(r"background(-color)?:(#fff|white)", page, re.IGNORECASE)


def test_design_whose_picture_is_not_to_be_had_shows_its_fields_and_why():
    design = Design(content="hi", layers=[Layer(REMOTE, x=0, y=0, width=9, height=9)])
    bundle = design._repr_mimebundle_()
    assert not bundle.keys() & PICTURES
    assert "not drawn" in bundle["text/html"]
    assert REMOTE in bundle["text/html"]


def test_code_that_the_plan_does_not_show_has_no_picture():
    hidden = QRCode(id="c0ffee", name="Door", created=CREATED, is_available=False)
    bundle = hidden._repr_mimebundle_()
    assert not bundle.keys() & PICTURES
    assert "the plan" in bundle["text/html"]


def test_portfolio_shows_its_first_codes_and_how_many_there_are():
    shop = shop_with("Spring")
    for number in range(11):
        shop.insert_qrcode(f"https://example.com/{number}", name=f"Gate {number}")
    page = shop._repr_mimebundle_()["text/html"]
    assert page.count("<img") == 10
    assert "12 QR Codes, 1 campaign" in page
    assert "2 more" in page


def test_closed_portfolio_is_shown_as_text(tmp_path):
    shop = open_portfolio(tmp_path / "shop.duckdb")
    shop.close()
    assert shop._repr_mimebundle_() == {"text/plain": repr(shop)}


def test_repair_shows_both_pictures_and_each_change(checked):
    repair = checked[2]
    page = repair._repr_mimebundle_()["text/html"]
    assert page.count("<img") == 2
    assert repair.before.verdict in page
    assert all(change.message in page for change in repair.changes)


def test_fields_with_their_default_are_not_told():
    assert repr(Design(content="hi", ec="M", size=10)) == "Design(content='hi', size=10)"
    assert repr(Properties()) == "Properties()"
    long = repr(Sprite(content="data:image/png;base64," + "A" * 9999, width=9, height=9))
    assert len(long) < 150


def test_text_of_a_colour_makes_it_again():
    for text in ("#80E4572E", "#0B3D91"):
        color = Color.parse(text)
        assert eval(repr(color)) == color


def test_imports_and_warnings_show_what_strangers_wrote_as_text():
    issue = ImportIssue(2, HOSTILE, HOSTILE, HOSTILE, "invalid", HOSTILE)
    assert "script" not in Elements(ImportResult(0, (issue,))._repr_mimebundle_()["text/html"]).names
    with pytest.warns(ScanWarning, match="contrast|differ|quiet"):
        generate("hi", padding=0, foreground="#BBBBBB")
