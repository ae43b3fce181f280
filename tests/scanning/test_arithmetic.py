"""What is told of a design without drawing it is what is told when it is drawn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Design, Gradient, Layer, Modules, Photo, QRImage, check, generate
from qrkit.design.frames import FRAME_KINDS
from qrkit.design.limits import ALIKE, MARKER_PATTERNS, MODULE_TYPES, SPRITE_NAMES
from qrkit.design.presets import PRESETS
from qrkit.scanning.arithmetic import is_robust, reckoned
from tests.scanning.designs import CORNERS, all_eyes, dark_frame, plain, tiny_sprite

colors = st.tuples(st.sampled_from([255, 255, 255, 200, 60, 0]), *[st.integers(0, 255)] * 3)


@st.composite
def designs(draw) -> Design:
    sprite = draw(st.none() | st.sampled_from(SPRITE_NAMES))
    style = draw(st.sampled_from([one for one in MODULE_TYPES if one != "sprite"]))
    patterns = {corner: draw(st.none() | st.sampled_from(MARKER_PATTERNS)) for corner in CORNERS}
    look = {name: "#" + bytes(draw(colors)).hex() for name in ("foreground", "background") if draw(st.booleans())}
    return Design(
        content=draw(st.sampled_from(["x", "https://example.com/" + "a" * 60])),
        size=draw(st.integers(2, 12)),
        padding=draw(st.integers(0, 8)),
        flip=draw(st.sampled_from(["none", "none", "horizontal", "vertical", "both"])),
        modules=Modules(type="sprite", sprite=sprite) if sprite else Modules(type=style),
        markers={corner: {"pattern": pattern} for corner, pattern in patterns.items() if pattern},
        **look,
    )


def known(report) -> list[tuple[str, str, str, str | None]]:
    return [(issue.code, issue.severity, issue.where, issue.embedded) for issue in report.issues]


def assert_same(found, drawn) -> None:
    assert found.structure.contrast == pytest.approx(drawn.structure.contrast, abs=0.1)  # sprites have gaps
    assert known(found) == known(drawn)
    assert (found.verdict, found.score, found.embedded) == (drawn.verdict, drawn.score, drawn.embedded)
    assert found.modules_wide == pytest.approx(drawn.modules_wide)


@given(designs())
@settings(max_examples=40)
def test_what_is_reckoned_is_what_is_measured(design):
    if found := reckoned(design):
        assert_same(found, QRImage(design).check("static"))


def test_most_designs_need_no_drawing():
    assert all(
        reckoned(plain(markers=all_eyes(f"eye-{number}"), modules=Modules(type=style), foreground="#0B3D91"))
        for number in range(1, 18)
        for style in ("default", "rounded", "liquid", "dots")
    )


dark = st.builds("#{:02x}{:02x}{:02x}".format, *[st.integers(0, 70)] * 3)
fills = dark | st.builds(Gradient.linear, dark, dark)


@st.composite
def decorated(draw) -> Design:
    """Designs in several inks, with unusual eyes and frames, most of which phones read."""
    style = draw(st.sampled_from([*ALIKE, "fluid", "lattice"]))
    eye = st.fixed_dictionaries(
        {"pattern": st.sampled_from(MARKER_PATTERNS)},
        optional={"inner": st.sampled_from(MARKER_PATTERNS), "inner_color": fills, "outer_color": fills},
    )
    sizes = {"sizes": sorted(draw(st.tuples(*[st.floats(0.85, 1)] * 2))), "palette": draw(st.lists(dark, max_size=3))}
    frame = st.fixed_dictionaries({"kind": st.sampled_from(FRAME_KINDS)}, optional={"background": dark, "color": dark})
    return Design(
        content=draw(st.sampled_from(["x", "https://example.com/" + "a" * 60])),
        padding=draw(st.integers(2, 8)),
        foreground=draw(fills),
        background=draw(st.sampled_from(["white", "#FFF6EC", "#FFFFFF80", "transparent"])),
        modules=Modules(type=style, **(sizes if style in ALIKE else {})),
        markers={corner: draw(eye) for corner in CORNERS},
        frame=draw(st.none() | frame),
    )


@pytest.mark.slow
@given(decorated())
@settings(max_examples=60)
def test_what_is_known_to_be_robust_is_robust_as_drawn(design):
    if is_robust(design):
        assert QRImage(design).check("static").verdict == "robust"


@pytest.mark.slow
@given(decorated())
@settings(max_examples=60)
def test_calculated_reports_of_frames_and_eyes_equal_measured_ones(design):
    if found := reckoned(design):
        assert_same(found, QRImage(design).check("static"))


@pytest.mark.parametrize("style", [*ALIKE, "bricks", "fluid"])
@pytest.mark.parametrize("pattern", ["eye-1", "rounded", "soft-dot"])
def test_a_framed_design_with_round_eyes_of_its_own_inks_needs_no_drawing(style, pattern):
    look = {"foreground": "#0F1B3D", "background": "#FFFCF7", "frame": "bubble", "modules": Modules(type=style)}
    design = plain(markers=all_eyes(pattern, inner_color="#5A1505"), **look)
    assert_same(reckoned(design), QRImage(design).check("static"))


@pytest.mark.parametrize("style", ["default", "classy", "classy-rounded", "crosses", "fluid"])
@pytest.mark.parametrize("pattern", ["arch", "leaf", "petal", "soft-square"])
def test_eyes_with_round_rings_in_the_ink_of_the_modules_need_no_drawing(style, pattern):
    look = {"foreground": "#0F1B3D", "modules": Modules(type=style)}
    design = plain(markers=all_eyes(pattern, inner_color="#5A1505", outer_color="#0F1B3D"), **look)
    assert is_robust(design)
    assert_same(reckoned(design), QRImage(design).check("static"))


@pytest.mark.parametrize("stop", [(1, 1), (0, 1), (0.3, 0.6)])
@pytest.mark.parametrize("fields", [{}, {"markers": all_eyes("rounded"), "frame": "bar"}, {"flip": "both"}])
def test_a_design_in_a_linear_gradient_needs_no_drawing(fields, stop):
    design = plain(foreground=Gradient.linear("black", "#0B3D91", "#602040", stop=stop), **fields)
    found, drawn = reckoned(design), QRImage(design).check("static")
    assert_same(found, drawn)
    assert found.structure.contrast == pytest.approx(drawn.structure.contrast, abs=0.01)
    for mine, measured in zip(found.structure.eyes, drawn.structure.eyes, strict=True):
        assert mine.ring_contrast == pytest.approx(measured.ring_contrast, abs=0.01)
        assert mine.pupil_contrast == pytest.approx(measured.pupil_contrast, abs=0.01)


@pytest.mark.parametrize("fields", [{}, {"markers": all_eyes("rounded")}])
def test_ink_that_checkout_scanners_do_not_see_is_reported_without_drawing(fields):
    design = plain("https://example.com/01/09506000134352", foreground="#B00000", **fields)
    found = reckoned(design)
    assert [issue.code for issue in found.issues if issue.embedded == "warning"] == ["till-color"]
    assert_same(found, check(design, "static"))


@pytest.mark.parametrize("style", ["bubbles", "crosses", "classy-rounded"])
def test_near_a_limit_styles_with_gaps_are_measured(style):
    assert reckoned(plain(modules=Modules(type=style)))
    assert reckoned(plain(modules=Modules(type=style), foreground="#4A4A4A", background="#FDFDFD")) is None


@pytest.mark.parametrize(("foreground", "verdict"), [("#204E38", "ok"), ("#1C4E38", "robust")])
def test_at_the_limit_of_contrast_the_pixels_decide(foreground, verdict):
    """The slanted edges of diagonals leave a little less contrast than their colors have."""
    content, look = "https://example.com/" + "a" * 60, {"background": "#FFFF80", "padding": 2}
    design = plain(content, modules=Modules(type="diagonal"), foreground=foreground, **look)
    assert QRImage(design).check("static").verdict == verdict
    assert is_robust(design) is (verdict == "robust")
    assert (reckoned(design) is None) is (verdict == "ok")


def test_most_presets_need_no_drawing():
    found = {name: generate("https://example.com", preset=name, warn=False).design for name in PRESETS}
    robust = {name for name, design in found.items() if is_robust(design)}
    assert {"plain", "bubble", "classy", "confetti", "phone", "sunset", "swiss", "tent", "wifi"} <= robust
    assert {"plain", "bar", "bubble", "classy", "contact", "phone", "sunset", "swiss", "ticket", "wifi"} <= {
        name for name in found if reckoned(found[name])
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"markers": all_eyes("circle")},
        {"markers": all_eyes("leaf", outer_color="#333333")},
        {"markers": all_eyes("leaf", inner="default")},
        {"markers": all_eyes("leaf"), "foreground": Gradient.linear("black", "navy")},
        {"markers": all_eyes("leaf"), "modules": Modules(type="bricks")},
        {"markers": all_eyes("leaf"), "modules": Modules(type="dots", palette=["black", "navy"])},
        {"markers": all_eyes("eye-1", inner="eye-17")},
        {"markers": all_eyes("rounded", outer_color="#777777")},
        {"markers": all_eyes("eye-1", outer_color=Gradient.linear("black", "navy"))},
        {"modules": Modules(type="dots", sizes=(0.6, 1))},
        {"modules": Modules(type="crosses"), "foreground": Gradient.linear("black", "navy")},
        {"modules": Modules(type="dots", palette=["black", "orange"])},
        {"foreground": Gradient.linear("black", "orange")},
        {"frame": "bar", "padding": 2},
        {"frame": "bar", "background": "transparent"},
    ],
)
def test_whatever_phones_may_miss_is_looked_at(fields):
    assert not is_robust(plain(**fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"layers": [Layer("icon:heart", x=1, y=1, width=9, height=9)]},
        {"photo": Photo("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'/>")},
        {"wrapper": dark_frame(9)},
        {"foreground": Gradient.radial("black", "navy")},
        {"background": Gradient.linear("white", "ivory")},
        {"modules": tiny_sprite(1)},
        {"markers": all_eyes("circle")},
        {"markers": all_eyes("eye-1", inner_color=Gradient.linear("black", "navy"))},
        {"modules": Modules(type="dots", palette=["black", "navy"])},
        {"markers": all_eyes("eye-1", opacity=0.5)},
    ],
)
def test_whatever_else_is_drawn_is_looked_at(fields):
    assert reckoned(plain(**fields)) is None
    assert QRImage(plain(**fields)).scan.budget is not None


def test_the_scan_of_an_image_is_reckoned_where_that_will_do():
    image = QRImage(plain(padding=0))
    assert image.scan == reckoned(image.design)
    assert image.scan.budget is None
    assert known(image.scan) == known(check(image.design, "static"))
