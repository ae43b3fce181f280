"""Rules and findings are English when they are made; what a widget shows of them is in its language."""

import re
from base64 import b64encode
from time import process_time

import pytest

from qrkit import Design, PrintSize, contents, generate, open_portfolio, widgets
from qrkit.errors import InvalidParameter
from qrkit.languages import LANGUAGES, in_language, translated
from qrkit.notebook.widgets.studio.draft import Edit
from qrkit.pictures.preflight import print_checks
from qrkit.tracking.redirect_rules import TYPES, Condition

TRANSLATED = LANGUAGES[1:]
CONTENT = "https://example.com/spring"
CORNERS = ("topLeft", "topRight", "bottomLeft")


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("must be in 1..40", "muss zwischen 1 und 40 liegen"),
        ("must have 1..1,000 characters, not 1,200", "muss 1 bis 1.000 Zeichen haben, nicht 1.200"),
        ("the quiet zone is 1.5 modules wide", "die Ruhezone ist 1,5 Module breit"),
        (
            "the logo hides 62% of what error correction can restore",
            "das Logo verdeckt 62\xa0% dessen, was die Fehlerkorrektur wiederherstellen kann",
        ),
        ("must be text; must be a number", "muss ein Text sein; muss eine Zahl sein"),
        ("12.5 mm", "12,5 mm"),
        ("Something that no catalog has", "Something that no catalog has"),
    ],
)
def test_finished_texts_keep_their_values(text, german):
    with in_language("de"):
        assert translated(text) == german


def test_a_finished_text_stays_as_it_is_in_english():
    assert translated("must be in 1,000..2,000") == "must be in 1,000..2,000"


@pytest.mark.parametrize(
    "text",
    [
        "x" + " brought x scans, x times a usual day. Without it, scans fell x" * 200,
        "No clear difference between " + "x and x (likely x to x times as many scans); one of x times or more " * 200,
        "must be " * 20_000,
        "x: " * 20_000,
    ],
)
def test_no_text_takes_long(text):
    began = process_time()
    with in_language("de"):
        translated(text)
    assert process_time() - began < 2


FRAGILE = [
    {"padding": 1},
    {"foreground": "#777777"},
    {"foreground": "white", "background": "black"},
    {"background": "#00FFFFFF", "padding": 2},
    {"flip": "horizontal"},
    {"modules": {"type": "dots", "sizes": [0.4, 0.5]}},
    {"markers": {name: {"pattern": "eye-13", "inner": "eye-3"} for name in CORNERS}},
    {"layers": [{"content": "icon:heart", "x": 60, "y": 60, "width": 160, "height": 160}], "size": 10},
    {"layers": [{"content": "icon:heart", "x": 80, "y": 80, "width": 90, "height": 90}], "size": 10},
    {"content": "https://id.gs1.org/01/09506000134352", "foreground": "#AA0000"},
    {"content": "Füße"},
]


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_finding_of_these_checks_is_translated(language):
    checks = [Design(**({"content": CONTENT} | fields)).check(level="static", audience="all") for fields in FRAGILE]
    parts = {part for one in checks for issue in one.issues for part in issue.message.split("; ")}
    assert len(parts) > 20
    with in_language(language):
        assert {part for part in parts if translated(part) == part} == set()


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_to_know_before_printing_is_translated(language):
    image = generate(CONTENT, background="#00FFFFFF", padding=3, warn=False)
    sizes = [None, *(PrintSize(size_mm=mm, dpi=300) for mm in (8, 40))]
    texts = {check.text for size in sizes for check in print_checks(image, size and image.printed(size))}
    parts = {part for text in texts for part in text.split("; ")}
    with in_language(language):
        assert {part for part in parts if translated(part) == part} == set()


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("wifi", {"ssid": "Cafe", "password": "short"}),
        ("contact", {"name": "Ana", "email": "ana"}),
        ("location", {"latitude": 100, "longitude": 0}),
        ("phone", {"number": "12"}),
    ],
)
def test_rules_of_contents_are_translated(language, kind, fields):
    with pytest.raises(InvalidParameter) as error:
        getattr(contents, kind)(**fields)
    with in_language(language):
        assert [one.rule for one in error.value.problems if translated(one.rule) == one.rule] == []


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("content", ["LPA:1$a.example$X", "otpauth://totp/Shop?secret=JBSWY3DPEHPK3PXP"])
def test_what_only_apps_read_is_translated_with_its_kind(language, content):
    with open_portfolio(":memory:") as shop, pytest.raises(InvalidParameter) as error:
        shop.insert_qrcode(content)
    with in_language(language):
        told = translated(str(error.value))
    assert not re.search("apps read|can stand for|mobile plan|one-time password", told)


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_a_condition_needs_is_translated(language):
    for name in TYPES:
        with pytest.raises(InvalidParameter) as error:
            Condition(type=name)
        with in_language(language):
            assert [one.rule for one in error.value.problems if translated(one.rule) == one.rule] == []


TABLES = {
    "csv": [
        "Title\nShop,of us\nName,Content,Trackable URL,City\nA,www.example.com,https://old.example/qr/a,Graz\n"
        "A,https://example.com?x&amp;y,https://old.example/qr/b,\nB,http:/http://example.com,=A1,\nC,N/A,,x,y\n"
        "D,<https://example.com>,,\n,https://example.com/a b,,\nE,myapp://open,,\nF,https://e.example,door,\n",
        "Content,Status,Short link\nhttps://example.com,off,https://s.example/a\nhttps://example.com/b,new,\n",
        "Content,Name,QR Code Name (2),Size\nhttps://example.com,x,y,99\nhttps://example.com,x,y,1\n",
        'Content,Created,Scans\nhttps://example.com,soon,many\n"https://example.com,,\n',
        "Short URL,Long URL,long_url\nhttps://s.example/a,https://example.com/a,https://example.com/b\n",
    ],
    "sql": ["INSERT INTO links (short_url, long_url) VALUES ('a', 'https://example.com'), (oops;"],
}


VISITS = b"""short code,time,kind,visitor,latitude,country,timezone,event,human
door,2026-03-01,,,,
gate,2026-03-01,,,,
door,soon,,,,
,2026-03-01,,,,
door,2026-03-01,odd,,,
door,2026-03-01,,-1,,
door,2026-03-01,,,95,
door,2026-03-01,,,,Nowhere
door,1926-03-01,,,,
door,2026-03-01,,,,,,sale,
door,2026-03-01,,,,,,,0.9
"""


@pytest.mark.parametrize("language", TRANSLATED)
def test_notes_on_an_import_are_translated(language):
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        shop.insert_qrcode(CONTENT, short_code="door")
        results = [shop.import_file(text.encode(), format=name) for name in TABLES for text in TABLES[name]]
        parts = {part for one in results for issue in one.issues for part in issue.detail.split("; ")}
        results.append(shop.import_scans(VISITS))
    parts |= {part for _, detail in results.pop().issues for part in detail.split("; ")}
    assert len(parts) > 20
    with in_language(language):
        assert {part for part in parts if translated(part) == part} == set()
        assert not any(" created" in str(result) or " left out" in str(result) for result in results)


@pytest.mark.parametrize("language", TRANSLATED)
def test_where_a_code_leads_is_translated(language):
    soon, rule = "2099-01-01", {"conditions": [{"type": "language", "matchValue": "de"}], "content": CONTENT}
    split = {"variants": [{"name": "a", "content": CONTENT}, {"name": "b", "content": CONTENT}], "remember_days": 3}
    event = {"content": CONTENT, "date": "2026-01-01T00:00:00Z", "recurrence": 0}
    with open_portfolio(":memory:") as shop:
        code = shop.insert_qrcode(CONTENT)
        changes = [
            {}, {"active": False}, {"valid_since": soon}, {"valid_until": "2020-01-01"}, {"password": "swordfish"},
            {"rules": [rule]}, {"rules": [split]}, {"schedule": [event], "is_schedule_enabled": True},
        ]  # fmt: skip
        told = {shop.explain(code.replace(**change)).sentence for change in changes}
    parts = {part for text in told for part in text.split("; ")}
    with in_language(language):
        assert {part for part in parts if translated(part) == part} == set()


SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="{}"{}</svg>'
BAD_SVG = {
    "no svg": "<html/>",
    "no namespace": "<svg><path/></svg>",
    "not closed": SVG.format("0 0 9 9", "><g>"),
    "no size": SVG.format("0 0 0 9", '><path d="M0 0h9v9z"/>'),
}


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("svg", BAD_SVG.values(), ids=BAD_SVG)
def test_why_an_svg_is_refused_is_translated(language, svg):
    with pytest.raises(InvalidParameter) as error:
        Design(content=CONTENT).with_logo(f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}")
    parts = {part for problem in error.value.problems for part in problem.rule.split("; ")}
    with in_language(language):
        assert {part for part in parts if translated(part) == part} == set()


@pytest.mark.slow
def test_a_studio_says_its_rules_in_its_language():
    studio = widgets.Designer(CONTENT, name="german rules", language="de")
    studio.edit(Edit(("padding",), value=1000))
    assert studio.errors["padding"].startswith("must be in")
    assert studio.state["errors"]["padding"].startswith("muss zwischen")
