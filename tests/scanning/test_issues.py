"""Each issue is told of designs that have it and of no other, with what was measured and a fix that removes it."""

import re
from io import BytesIO

import pytest
from PIL import Image

from qrkit import Design, Gradient, Layer, Modules, check, data_uri, generate
from qrkit.scanning.readers import Engine
from qrkit.scanning.scan_report import VERDICTS, Issue, ScanReport
from tests.drawing.pictures import filled
from tests.scanning.designs import (
    CORNERS,
    PAYLOADS,
    URL,
    all_eyes,
    broken,
    plain,
    ring_and_disc,
    tiny_sprite,
    with_eyes,
    with_logo,
)

WHITE, BLACK, GREY = (filled((grey, grey, grey, 255)) for grey in (255, 0, 128))

DARK = [(x, y) for x in range(5) for y in range(5) if max(abs(x - 2), abs(y - 2)) != 1]
DOTS = "".join(f'<circle cx="{x + 0.5}" cy="{y + 0.5}" r="0.32"/>' for x, y in DARK)
GROUND = '<path fill="#fff" d="M0 0h5v5H0z"/>'
DOTTED = data_uri(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 5 5">{GROUND}{DOTS}</svg>'.encode())
"""An alignment pattern of dots."""

CASES: dict[str, Design] = {
    "error-budget": with_logo(0.45, ec="L"),
    "fixed-pattern": plain(layers=[Layer(BLACK, x=32 + 56, y=32 + 48, width=72, height=8)]),
    "alignment": plain(layers=[Layer(DOTTED, x=20 * 8, y=20 * 8, width=40, height=40)]),
    "eye-contrast": plain(markers=all_eyes("default", inner_color="#D8D8D8")),
    "eye-corner": plain(markers=all_eyes("circle")),
    "eye-fit": with_eyes(3.5),
    "eye-pupil": with_eyes(0, 1, 2.3),
    "eye-radius": plain(markers=all_eyes("circle")),
    "eye-size": with_eyes(0, 1, 3, 0, -0.3),
    "eye-width": with_eyes(0, 0.7),
    "fourth-eye": plain(PAYLOADS["long"], ec="H").with_logo(ring_and_disc(1), 0.25),
    "eye-ring": plain(layers=[Layer(WHITE, x=32 + 16, y=30, width=24, height=12)]),
    "eye-gap": plain(layers=[Layer(BLACK, x=40, y=40, width=40, height=40)]),
    "module-weight": plain(modules=tiny_sprite(0.7)),
    "quiet-zone": plain(padding=1),
    "contrast": plain(foreground="#909090"),
    "charset": plain("Café"),
    "till-color": plain("https://id.example.com/01/09506000134352", foreground="#B00000"),
    "till-logo": plain(
        "https://id.example.com/01/09506000134352/10/A", layers=[Layer(WHITE, x=150, y=150, width=40, height=40)]
    ),
    "polarity": plain(foreground="white", background="black"),
    "mirrored": plain(flip="vertical"),
    "not-read": plain(foreground="#C0C0C0"),
    "wrong-text": plain(),
}
"""A design that has it, by the code of each issue."""


AUDIENCE = {"charset": "all"}
"""Whose readers are asked, where it is not those of phones."""


def engine(said: bytes | None) -> Engine:
    return Engine("mine", "contour", "1", lambda greys: [said] if said else [])


def report_of(code: str) -> ScanReport:
    if code == "wrong-text":
        return check(CASES[code], "quick", engines=[engine(b"something else")])
    return check(CASES[code], "quick" if code == "not-read" else "static", audience=AUDIENCE.get(code, "phones"))


def with_code(report: ScanReport, code: str) -> list[Issue]:
    return [issue for issue in report.issues if issue.code == code]


def test_a_case_for_every_code():
    told = re.search(r"code: A stable identifier: (.*?)\.", Issue.__doc__, re.DOTALL)[1]
    assert set(CASES) == set(re.split(r",\s+", told))


@pytest.mark.parametrize("code", CASES)
def test_a_design_that_has_an_issue_is_told_of_it(code):
    (issue,) = with_code(report_of(code), code)[:1]
    assert issue.message
    assert issue.as_dict()["code"] == code


@pytest.mark.parametrize("content", PAYLOADS)
def test_a_plain_design_has_none(content):
    report = check(plain(PAYLOADS[content]), "static")
    assert (report.issues, report.verdict, report.score) == ((), "robust", 100)


@pytest.mark.parametrize(
    "code", [code for code in CASES if code not in ("not-read", "wrong-text", "fixed-pattern", "mirrored")]
)
def test_messages_name_what_was_measured_and_what_is_needed(code):
    (issue,) = with_code(report_of(code), code)[:1]
    numbers = [float(found) for found in re.findall(r"\d+(?:\.\d+)?", issue.message)]
    if "%" in issue.message:
        numbers += [number / 100 for number in numbers]
    shown = [abs(issue.measured)] if code != "polarity" else []
    shown += [abs(issue.needed)] if code != "polarity" else []
    for value in shown:
        assert min(abs(value - number) for number in numbers) <= 0.051, (value, issue.message)


def test_the_worst_comes_first():
    order = ("fatal", "error", "warning", "note")
    for name, design in broken():
        found = [order.index(issue.severity) for issue in check(design, "static").issues]
        assert found, name
        assert found == sorted(found), name


def test_severities_and_verdicts_go_together():
    worst = {"fatal": "unreadable", "error": "fragile", "warning": "ok", "note": "robust"}
    for name, design in broken():
        report = check(design, "static")
        assert report.verdict == worst[report.issues[0].severity], name
        assert (report.score == 0) == (report.verdict == "unreadable"), name
        assert all(
            report.is_at_least(one) == (VERDICTS.index(one) <= VERDICTS.index(report.verdict)) for one in VERDICTS
        )


def fixable():
    designs = [*broken(), *((code, CASES[code]) for code in CASES if code not in ("not-read", "wrong-text"))]
    designs += [
        ("light sprites", plain(modules=tiny_sprite(0.5, "icon:circle"))),
        ("pale gradient", plain(foreground=Gradient.radial("#888888", "#333333"), background="#F0F0E0")),
        ("clear", plain(background="#00FFFFFF")),
        ("padding 3", plain(padding=3)),
        ("all at once", plain(padding=0, foreground="#999999", flip="vertical", markers=all_eyes("drop"))),
        ("liquid", plain(modules=Modules(type="liquid"), padding=1, foreground="#FFFFFF", background="#101010")),
    ]
    return designs


@pytest.mark.parametrize(("name", "design"), [pytest.param(*one, id=one[0]) for one in fixable()])
def test_a_fix_removes_its_issue(name, design):
    """Or, where more than one is needed for it, each makes it less, and three are enough."""
    first = check(design, "static")
    for code in {issue.code for issue in first.issues if issue.fix}:
        report, left, rounds = first, with_code(first, code), 0
        while left and left[0].fix:
            report, before = check(report.fixed(left[0]), "static"), abs(left[0].measured - left[0].needed)
            left, rounds = with_code(report, code), rounds + 1
            assert not left or abs(left[0].measured - left[0].needed) < before, (name, code, left[0].message)
        assert rounds <= 3, (name, code)


def test_fixes_change_nothing_but_what_they_are_for():
    for code, fields in {
        "quiet-zone": {"padding"}, "contrast": {"foreground", "background"}, "mirrored": {"flip"},
        "polarity": {"foreground", "background"}, "eye-corner": {"markers"}, "eye-contrast": {"markers"},
        "eye-radius": {"markers"}, "module-weight": {"modules"}, "error-budget": {"layers"},
    }.items():  # fmt: skip
        (issue,) = with_code(report_of(code), code)
        assert set(issue.fix) <= fields, code
        fixed = report_of(code).fixed(issue)
        assert (fixed.content, fixed.size) == (URL, 8)


def test_a_mirrored_code_that_readers_read_is_ok():
    verdicts = {level: check(CASES["mirrored"], level).verdict for level in ("static", "standard")}
    assert verdicts == {"static": "fragile", "standard": "ok"}


GUESSED = [
    "Café", "Öl", "Straße", "Müller", "naïve", "señor", "São Paulo", "Kraków", "Škoda", "Ångström", "København",
    "İstanbul", "Αθήνα", "Москва", "東京タワー", "北京", "서울", "שלום", "مرحبا", "हिन्दी", "😀", "5 €", "„Hallo“",
    "Menü",
]  # fmt: skip


@pytest.mark.needs("libzbar0")
def test_zbar_shows_what_has_no_charset_wrong():
    from pyzbar.pyzbar import ZBarSymbol, decode

    def shown(text: str, **fields: str) -> str:
        picture = Image.open(BytesIO(generate(text, **fields).to_bytes()))
        return decode(picture, symbols=[ZBarSymbol.QRCODE])[0].data.decode()

    assert sum(shown(text) != text for text in GUESSED) > len(GUESSED) / 2
    assert [shown(text, charset="utf-8") for text in GUESSED] == GUESSED
    notes = [with_code(check(plain(text), "static", audience="all"), "charset")[0] for text in GUESSED]
    assert {(note.severity, note.fix["charset"]) for note in notes} == {("note", "utf-8")}


@pytest.mark.parametrize(
    "design",
    [plain("Cafe"), plain("Café", charset="utf-8"), plain("Café", charset="iso-8859-1"), plain("東京", em="kanji")],
)
def test_what_no_reader_has_to_guess_gets_no_note_on_charsets(design):
    assert not with_code(check(design, "static", audience="all"), "charset")
    assert not with_code(check(plain("Café"), "static"), "charset")


def test_a_note_on_charsets_changes_no_verdict():
    report = check(plain("Café"), "static", audience="all")
    assert (report.verdict, report.embedded, report.score) == ("robust", "robust", 100)
    assert check(report.fixed(with_code(report, "charset")[0]), "static", audience="all").issues == ()


def test_safe_eyes_keep_their_dark_colours():
    design = plain(markers=all_eyes("circle", inner_color="#0B3D91", outer_color="#FFDD00"))
    report = check(design, "static")
    fixed = report.fixed(with_code(report, "eye-ring")[0])
    for corner in CORNERS:
        marker = getattr(fixed.markers, corner)
        assert marker.pattern != "circle"
        assert (str(marker.inner_color), marker.outer_color) == (str(design.markers.top_left.inner_color), None)


def test_pale_gradients_of_eyes_become_darker_gradients():
    pale = Gradient.linear("#FCA5A5", "#93C5FD")
    design = plain(markers=all_eyes("default", inner_color=pale))
    report = check(design, "static")
    fixed = report.fixed(with_code(report, "eye-contrast")[0])
    center = fixed.markers.top_left.inner_color
    assert [stop.offset for stop in center.stops] == [0, 1]
    assert max(stop.color.luma for stop in center.stops) < 0.25
    assert check(fixed, "static").verdict == "robust"


def test_what_has_no_fix_says_so():
    report = check(CASES["fixed-pattern"], "static")
    (issue,) = [one for one in report.issues if one.fix is None][:1]
    with pytest.raises(ValueError, match=f"{issue.code} has no automatic fix"):
        report.fixed(issue)


def test_where_nothing_is_seen_nothing_else_is_told():
    report = check(plain(foreground="white", padding=0), "static")
    assert [(issue.code, issue.severity) for issue in report.issues] == [("contrast", "fatal")]
    assert report.verdict == "unreadable"


def test_readers_that_see_nothing_are_told_of():
    report = check(plain(), "quick", engines=[engine(None)])
    assert [(issue.code, issue.severity) for issue in report.issues] == [("not-read", "fatal")]
    assert "no scanner can read it" in report.issues[0].message
    assert (report.verdict, report.score) == ("unreadable", 0)


def test_another_text_is_fatal_and_its_reader_is_named():
    report = report_of("wrong-text")
    assert (report.verdict, report.score) == ("unreadable", 0)
    assert report.issues[0].message.startswith("mine reads a different text in the ")


def test_the_fix_of_a_quiet_zone_moves_layers_along():
    """They keep their place on the symbol, so that nothing else changes."""
    design = with_logo(0.2, padding=0, ec="H")
    before = check(design, "static")
    (issue,) = with_code(before, "quiet-zone")
    after = check(before.fixed(issue), "static")
    assert after.budget.wrong.tolist() == before.budget.wrong.tolist()
    assert after.verdict == "robust"


def test_a_quiet_zone_for_which_there_is_no_room_has_no_fix():
    design = with_logo(0.2, padding=0, ec="H").replace(width=30)
    (issue,) = with_code(check(design, "static"), "quiet-zone")
    assert issue.fix is None


@pytest.mark.parametrize("width", [None, 150, 900])
def test_the_fix_of_light_sprites_goes_by_the_size_they_are_drawn_in(width):
    module = 8 if width is None else width / 33
    design = plain(modules=tiny_sprite(0.55, "icon:circle", size=module), width=width)
    before = check(design, "static")
    (issue,) = with_code(before, "module-weight")
    after = check(before.fixed(issue), "static")
    assert after.structure.dark_weight > 0.9
    assert not with_code(after, "module-weight")


PLUS = "M.29 0h.42v.29h.29v.42h-.29v.29h-.42v-.29h-.29v-.42h.29z"
DIAMOND = "M.5 0l.5.5-.5.5-.5-.5z"
STAR = "M.5 0l.18.32.32.18-.32.18-.18.32-.18-.32-.32-.18.32-.18z"


@pytest.mark.parametrize(
    ("shape", "width", "verdict", "shares"),
    [
        (PLUS, 0.7, "robust", (0.95, 1)), (DIAMOND, 0.8, "robust", (0.95, 1)),
        (STAR, 0.8, "ok", (0.8, 0.95)), (DIAMOND, 0.65, "ok", (0.8, 0.95)), (STAR, 0.5, "fragile", (0, 0.75)),
    ],
)  # fmt: skip
def test_sprites_are_judged_by_their_ink_as_readers_read_them(shape, width, verdict, shares):
    sprite = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="{shape}"/></svg>'
    design = plain(modules=tiny_sprite(width, data_uri(sprite.encode())))
    assert check(design, "static").verdict == verdict
    least, most = shares
    assert least <= min(check(design).panel.shares.values()) <= most


@pytest.mark.parametrize(("ink", "ground"), [("#0F766E", "#FFFFFF"), ("#1D4ED8", "#FFFFFF"), ("#3B3B3B", "#F2E8CF")])
def test_contrast_costs_nothing_where_readers_read(ink, ground):
    design = plain(foreground=ink, background=ground)
    assert with_code(check(design, "static"), "contrast")[0].severity == "warning"
    assert check(design, "standard").verdict == "robust"


def test_low_contrast_alone_makes_nothing_fragile_that_readers_read():
    report = check(plain(foreground="#034AF3", background="#CEEFA0"), "standard")
    assert [(issue.code, issue.severity) for issue in report.issues] == [("contrast", "warning")]
    assert report.verdict == "ok"


def test_contrast_has_the_scale_of_the_grade():
    report = check(plain(foreground="#999999"), "standard")
    (issue,) = with_code(report, "contrast")
    assert issue.measured == pytest.approx(report.grade["SC"].value, abs=0.005)
    assert f"(grade {report.grade['SC'].letter} of ISO/IEC 15415)" in issue.message
    (eyes,) = with_code(check(plain(markers=all_eyes("default", inner_color="#999999")), "static"), "eye-contrast")
    assert eyes.measured == pytest.approx(issue.measured, abs=0.005)
    (told,) = with_code(check(plain(foreground="#999999"), "static"), "contrast")
    assert told.message.endswith("% or more is safe")


def test_a_message_never_shows_enough_where_too_little_was_measured():
    for grey in range(0x48, 0x70):
        for issue in check(plain(foreground=f"#{grey:02X}{grey:02X}{grey:02X}"), "static").issues:
            measured, needed = re.search(r"contrast is (\d+)% .*; (\d+)% or more is safe", issue.message).groups()
            assert float(measured) < float(needed)


def test_more_damage_than_can_be_corrected_says_who_can_still_read():
    by_share = [check(with_logo(share / 100, ec="M", color="#FF6A00"), "static") for share in range(20, 60, 2)]
    over = [report for report in by_share if report.budget.used > 1]
    assert {report.verdict for report in over} == {"fragile", "unreadable"}
    for report in over:
        who = "only a lenient scanner" if report.verdict == "fragile" else "no scanner"
        assert who in report.issues[0].message


@pytest.mark.parametrize("query", ["", "?37=12"], ids=["", "with-a-count"])
def test_tills_see_the_inks_of_a_palette_in_red_light(query):
    content = f"https://id.example.com/01/09506000134352{query}"
    design = plain(content, modules=Modules(type="dots", palette=["#B00000"]))
    (issue,) = [one for one in check(design, "static").issues if one.code == "till-color"]
    mended = design.replace(**issue.fix)
    assert "till-color" not in [one.code for one in check(mended, "static").issues]
