"""POST /api/v3/generate: a decorated picture (interface.md, endpoint 2)."""

import json
from io import BytesIO
from urllib.parse import unquote

import pytest
from PIL import Image

from qrkit import Design, QRImage, decode, open_portfolio
from qrkit.design.limits import FORMAT_ALIASES, FORMATS, GET_ONLY_FORMATS, SPRITE_NAMES
from qrkit.portfolio.access import create_key, local_account
from qrkit.server import Client, make_app
from tests.conformance import readers
from tests.server.posted import DISC, FULL, LINK, PLAIN, RED, changed, paths, png, uri
from tests.server.test_errors import assert_keeps_the_contract
from tests.sweeps import quick_first

GENERATE = "/api/v3/generate"
POSTED = [name for name in FORMATS if name not in GET_ONLY_FORMATS]


# Keys -----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("H4", "T14")
@pytest.mark.parametrize("body", [b'{"content": "hi"}', b"", b"{", b" " * 13_000_000], ids=lambda body: str(body[:9]))
@pytest.mark.parametrize("wrong", [None, "x", "qk_" + "A" * 43, "null", "Bearer"])
def test_a_key_is_required_before_the_body_is_looked_at(client, body, wrong):
    """Open: a missing or wrong key. 401 whatever the body is, with a word for each, and the key nowhere in it."""
    for query, headers in [
        (f"auth={wrong or ''}", {}),
        ("", {"Authorization": f"Bearer {wrong}"} if wrong else {"Authorization": "Basic eDp5"}),
    ]:
        reply = client.request("POST", GENERATE, query=query, headers=headers, body=body)
        assert_keeps_the_contract(reply)
        assert (reply.status, reply.headers["x-api-error-code"]) == (401, "unknown-key" if wrong else "missing-key")
        assert reply.headers["www-authenticate"]
        assert "AAAA" not in reply.text + repr(reply.headers)


@pytest.mark.rule("T14", "H3")
def test_a_bearer_key_does_as_well_and_two_that_differ_are_refused(client, key, picture):
    """Open: other ways to send a key. A Bearer token; two keys that differ are a mistake, not a choice."""
    body = b'{"content": "hi"}'
    reply = client.request("POST", GENERATE, headers={"Authorization": f"bearer {key}"}, body=body)
    assert (reply.status, reply.body) == (200, picture({"content": "hi"}))
    assert int(reply.headers["x-ratelimit-remaining"]) < int(reply.headers["x-ratelimit-limit"])
    reply = client.request("POST", GENERATE, query="auth=x", headers={"Authorization": f"Bearer {key}"}, body=body)
    assert_keeps_the_contract(reply)
    assert (reply.status, key in reply.text + repr(reply.headers)) == (400, False)


# Formats --------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G4", "H5")
@pytest.mark.parametrize("name", [*POSTED, *(name for name, of in FORMAT_ALIASES.items() if of in POSTED)])
def test_every_format_of_post_has_its_media_type_and_reads(send, name):
    """Open: media types, aliases, case. As by GET."""
    reply = send(PLAIN | {"format": name.title(), "layers": [FULL["layers"][0] | {"x": 1, "y": 1, "width": 9}]})
    format = FORMAT_ALIASES.get(name, name)
    assert (reply.status, reply.headers["content-type"]) == (200, readers.MEDIA_TYPES[format])
    assert reply.headers["content-disposition"] == "inline"
    if format == "svg":
        assert readers.zxing(readers.svg(reply.body)) == LINK.encode()
    elif format == "pdf":
        assert reply.body.startswith(b"%PDF-")
    else:
        assert decode(reply.body).content == LINK


@pytest.mark.rule("G8")
@pytest.mark.parametrize("name", [*GET_ONLY_FORMATS, "HTM", "Eps"])
def test_formats_of_get_alone_are_refused_with_those_of_post(refused, name):
    """Open: what xaml, eps, txt, html and zip answer by POST. 400 that says GET, and what POST has."""
    body = PLAIN | {"format": name}
    assert refused(body, 400, "format-not-available", "is only available with GET; POST supports png, jpg,") == {
        "/format": "format-not-available"
    }


# Fields ---------------------------------------------------------------------------------------------------------------


def around(path):
    """The part of the full design that a field is in, with the content: fields do the same with fewer beside them."""
    part = path.split(".")[0]
    return PLAIN | {name: value for name, value in FULL.items() if name == part}


EFFECTS = [
    ("content", "other"), ("version", 6), ("width", 280), ("height", 280), ("padding", 2), ("ec", "H"),
    ("flip", "horizontal"), ("flip", "vertical"), ("flip", "both"), ("foreground", "#102030"),
    ("background", "#F0F0FF"), ("modules", {}), ("markers", {}), ("layers", []), ("wrapper", None),
    ("modules.type", "rounded"), ("modules.sprite", "plus"), ("modules.sprites", [FULL["modules"]["sprites"][1]]),
    ("modules.seed", 1), ("modules.sprites.0.type", "blank"), ("modules.sprites.0.type", "padding"),
    ("modules.sprites.0.type", "both"), ("modules.sprites.0.width", 3), ("modules.sprites.0.height", 3),
    ("modules.sprites.0.content", uri(png(0, 0, 99, 255))), ("markers.topLeft", None), ("markers.topRight", None),
    ("markers.bottomLeft", None), ("markers.topLeft.pattern", "eye-17"), ("markers.topLeft.innerColor", "navy"),
    ("markers.topRight.outerColor", "navy"), ("markers.bottomLeft.opacity", 0.5), ("layers.0.content", "icon:heart"),
    ("layers.0.x", 120), ("layers.0.y", 120), ("layers.0.width", 40), ("layers.0.height", 40),
    ("layers.0.opacity", 0.5), ("layers.0.color", "#00AAAA"), ("layers.0.display", "overlay"),
    ("layers.0.display", "pixel-hit-test"), ("layers.0.tolerance", 12), ("layers.0.tolerance", -9),
    ("wrapper.source", RED), ("wrapper.width", 420), ("wrapper.height", 420), ("wrapper.placeholder.x", 10),
    ("wrapper.placeholder.y", 10), ("wrapper.placeholder.width", 200), ("wrapper.placeholder.height", 200),
    ("foreground.units", "absolute"), ("foreground.direction.start.x", 0.5), ("foreground.direction.start.y", 0.5),
    ("foreground.direction.stop.x", 0.2), ("foreground.direction.stop.y", 0.2), ("foreground.gradient", "radial"),
    ("background.cx", 0.2), ("background.cy", 0.2), ("background.fx", 0.6), ("background.fy", 0.6),
    ("background.radius", 0.2), ("background.stops.0.offset", 0.4), ("background.stops.0.color", "#CCFFCC"),
    ("background.stops.1.opacity", 0.3),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), EFFECTS, ids=[f"{path}={str(value)[:20]}" for path, value in EFFECTS])
def test_every_field_has_an_effect_on_the_picture(picture, path, value):
    base = around(path)
    assert picture(changed(base, path, value)) != picture(base)


FRAME = {
    "kind": "bar", "color": "#102030", "background": "#FFFFEE", "radius": 0.1, "icon": "home", "side": "bottom",
    "caption": {"text": "Menu", "subtitle": "Today", "weight": "bold", "color": "#FFFFFF"},
}  # fmt: skip
FRAME_EFFECTS = [
    ("kind", "ticket"), ("color", "navy"), ("background", "ivory"), ("radius", 0), ("icon", "heart"), ("side", "top"),
    ("caption", None), ("caption.text", "Scan"), ("caption.subtitle", None), ("caption.weight", "regular"),
    ("caption.color", "yellow"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value"), FRAME_EFFECTS, ids=[path for path, _ in FRAME_EFFECTS])
def test_every_field_of_a_frame_has_an_effect_on_the_picture(picture, path, value):
    base = PLAIN | {"frame": FRAME}
    assert picture(changed(base, f"frame.{path}", value)) != picture(base)


def test_a_frame_is_drawn_as_in_python_and_may_come_from_a_template(picture, send):
    assert picture(PLAIN | {"frame": FRAME}) == QRImage(Design(content=LINK, frame=FRAME)).to_bytes("png")
    assert picture(PLAIN | {"frame": {"kind": "BAR"}}) == picture(PLAIN | {"frame": "bar"})
    assert decode(picture(PLAIN | {"frame": FRAME})).content == LINK


@pytest.mark.parametrize(
    ("frame", "pointer"),
    [
        ({}, "/frame/kind"),
        ({"kind": "circle"}, "/frame/kind"),
        ({"kind": "bar", "caption": {"text": "\u05d0"}}, "/frame/caption/text"),
        ({"kind": "bar", "caption": {"text": "W" * 60}}, "/frame/caption/text"),
        ({"kind": "bar", "caption": {"text": "a", "font": "data:font/ttf;base64,AAEAAP8="}}, "/frame/caption/font"),
        ({"kind": "bar", "icon": "no-such-icon"}, "/frame/icon"),
    ],
)
def test_what_is_wrong_with_a_frame_is_named(send, frame, pointer):
    reply = send(PLAIN | {"frame": frame})
    assert reply.status == 400
    assert [error["pointer"] for error in json.loads(reply.body)["errors"]] == [pointer]


PHOTO = {"content": uri(png(120, 60, 200, 255)), "place": "behind"}


@pytest.mark.parametrize(
    ("path", "value"),
    [("content", uri(png(10, 90, 40, 255))), ("content", DISC), ("place", "inside"), ("place", "halftone")],
)
def test_every_field_of_a_photo_has_an_effect_on_the_picture(picture, path, value):
    base = PLAIN | {"photo": PHOTO, "ec": "H"}
    assert picture(changed(base, f"photo.{path}", value)) != picture(base)


def test_a_photo_is_drawn_as_in_python(picture):
    body = PLAIN | {"photo": PHOTO, "ec": "H"}
    assert picture(body) == QRImage(Design(content=LINK, ec="H", photo=PHOTO)).to_bytes("png")
    assert decode(picture(body)).content == LINK


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"photo": {}}, "/photo/content"),
        ({"photo": PHOTO | {"place": "over"}}, "/photo/place"),
        ({"photo": PHOTO | {"content": "icon:home"}}, "/photo/content"),
        ({"photo": PHOTO | {"content": "data:image/png;base64,AAAA"}}, "/photo/content"),
        ({"photo": PHOTO | {"place": "inside"}, "modules": {"type": "fluid"}}, "/photo"),
    ],
)
def test_what_is_wrong_with_a_photo_is_named(send, fields, pointer):
    reply = send(PLAIN | fields)
    assert reply.status == 400
    assert [error["pointer"] for error in json.loads(reply.body)["errors"]] == [pointer]


def test_letters_that_a_font_lacks_are_named_in_a_header(send):
    reply = send(PLAIN | {"frame": {"kind": "bar", "caption": {"text": "\u6f22"}}})
    assert reply.status == 200 and "U+6F22" in reply.headers["x-api-warning"]


DOTS = {"type": "dots", "sizes": [0.8, 1], "palette": ["#301050", "#105030"]}
DOT_EFFECTS = [
    ("sizes", None), ("sizes", [0.8, 0.9]), ("palette", []), ("palette", ["#105030", "#301050"]), ("seed", 1),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), DOT_EFFECTS)
def test_sizes_and_colours_of_dots_have_an_effect_on_the_picture(picture, field, value):
    base = PLAIN | {"modules": DOTS}
    assert picture(changed(base, f"modules.{field}", value)) != picture(base)


@pytest.mark.parametrize(
    ("modules", "pointer"),
    [
        (DOTS | {"sizes": [0.2, 1]}, "/modules/sizes/0"),
        (DOTS | {"sizes": [0.8]}, "/modules/sizes"),
        (DOTS | {"sizes": [1, 0.8]}, "/modules/sizes"),
        (DOTS | {"palette": ["red"] * 9}, "/modules/palette"),
        (DOTS | {"palette": ["rad"]}, "/modules/palette/0"),
        (DOTS | {"type": "rounded"}, "/modules/sizes"),
        ({"palette": ["red"]}, "/modules/palette"),
    ],
)
def test_sizes_and_colours_are_refused_where_they_make_no_sense(send, modules, pointer):
    reply = send(PLAIN | {"modules": modules})
    assert reply.status == 400
    assert [error["pointer"] for error in json.loads(reply.body)["errors"]] == [pointer]


@pytest.mark.slow
def test_the_other_fields_have_their_effects_and_names_have_none(picture, send):
    rounded, named = {"modules": {"type": "rounded"}}, {"modules": {"type": "sprite", "sprite": "star"}}
    svg = PLAIN | {"format": "svg"}
    assert len({picture(PLAIN | more) for more in ({}, rounded, named)}) == 3
    assert len(picture(svg | {"modules": {"union": True}})) < len(picture(svg)) / 2
    assert picture(svg | {"modules": {"union": None}}) == picture(svg)
    assert picture({"content": "12", "em": "numeric"}) != picture({"content": "12", "em": "byte"})
    assert send(PLAIN | {"format": "svg"}).body.startswith(b"<svg")
    for path in ("modules.sprites.0.name", "layers.0.name"):
        assert picture(changed(FULL, path, "<b>\0\n")) == picture(FULL)


@pytest.mark.rule("G1")
@pytest.mark.parametrize(("version", "found"), [(0, 3), (-1, 3), ("", 3), (None, 3), (3.0, 3), (7.0, 7), (40, 40)])
def test_version_may_be_automatic_or_end_in_point_zero(picture, version, found):
    """A fact: clients write 0, -1 or nothing for automatic, and one writes `3.0` for 3."""
    assert decode(picture({"content": "x" * 40, "version": version})).version == found


@pytest.mark.rule("H6")
@pytest.mark.parametrize("text", quick_first(["#FF00FF00", "ff00ff00", "#00Ff00", "00FF00", "Lime", " lime "], 2))
def test_a_colour_has_the_spellings_of_get(picture, text):
    """Open: RGB alone, as POST says, or alpha and names. All of those of GET, alpha first, in every place."""
    reference = changed(changed(FULL, "layers.0.color", "#00FF00"), "background", "#00FF00")
    assert picture(changed(changed(FULL, "layers.0.color", text), "background", text)) == picture(reference)
    faint = Image.open(BytesIO(picture(PLAIN | {"background": "#8000FF00"})))
    assert faint.convert("RGBA").getpixel((0, 0)) == (0, 255, 0, 128)


@pytest.mark.rule("H5")
@pytest.mark.parametrize(
    ("path", "value"),
    [("em", "BYTE"), ("ec", "q"), ("flip", "None"), ("foreground.gradient", "Linear"), ("modules.type", "SPRITE"),
     ("modules.sprites.0.type", "Fill"), ("markers.topLeft.pattern", "EYE-3"), ("layers.0.display", "Box-Hit-Test"),
     ("foreground.units", "RELATIVE"), ("shorten", "NONE")],
)  # fmt: skip
def test_choices_are_read_in_any_case(picture, path, value):
    """Open: case. Any, in every field that has a list of choices."""
    assert picture(changed(around(path), path, value)) == picture(around(path))


ALL = [*paths(FULL), "format", "shorten", "template", "modules.sprite", "modules.union"]


@pytest.mark.rule("H5")
@pytest.mark.parametrize("path", quick_first([path for path in ALL if not path.split(".")[-1].isdigit()], 30))
def test_null_and_empty_text_are_as_good_as_absent(send, path):
    """Open: null and "". As if the field were not there, be it required or not, at every depth."""
    design = around(path)
    other = send(json.loads(json.dumps(changed(design, path, "drop me")), object_hook=_without))
    for absent in (None, ""):
        one = send(changed(design, path, absent))
        assert (one.status, one.body) == (other.status, other.body)


def _without(fields):
    return {name: value for name, value in fields.items() if value != "drop me"}


@pytest.mark.rule("H2")
def test_unknown_fields_change_nothing_and_are_named_at_every_depth(send, picture):
    """Open: unknown JSON fields. Ignored, for clients newer than us, and named in a header, for slips of the pen."""
    places = ["", "modules.", "modules.sprites.1.", "markers.", "markers.topRight.", "layers.0.", "wrapper.",
              "wrapper.placeholder.", "foreground.", "foreground.stops.1.", "foreground.direction.stop."]  # fmt: skip
    design = FULL
    for place in places:
        design = changed(design, f"{place}x漢", {"content": "a"})
    reply = send(changed(design, "markers.top_left", {"pattern": "eye-1"}))
    assert (reply.status, reply.body) == (200, picture(FULL))
    warning = reply.headers["x-api-warning"].partition("ignored: ")[2].partition(";")[0]
    said = unquote(warning).split(", ")
    assert sorted(said) == sorted(["markers.top_left", *(f"{place}x漢" for place in places)])
    assert "ignored" not in send(FULL).headers["x-api-warning"]


@pytest.mark.slow
@pytest.mark.rule("G9")
def test_the_same_request_gives_the_same_bytes(picture):
    """Open: chance, dates and ids in pictures. None: sprites are picked by content and seed."""
    with open_portfolio(":memory:") as other:
        key = create_key(other.store, local_account(other.store))
        for format in POSTED:
            again = Client(make_app(other.store)).post(GENERATE, FULL | {"format": format}, auth=key)
            assert again.body == picture(FULL | {"format": format})


# Bounds ---------------------------------------------------------------------------------------------------------------

RANGE, TYPE, VALUE, MISSING = "out-of-range", "wrong-type", "bad-value", "missing-parameter"
WRONG = [
    ("content", "x" * 32_768, RANGE), ("content", 5, TYPE), ("content", "\ud800", "bad-content"),
    ("version", 41, RANGE), ("version", -2, RANGE), ("version", "3", TYPE), ("width", 0, RANGE),
    ("width", 10_001, RANGE),
    ("height", 1.5, TYPE), ("height", 10_001, RANGE), ("padding", -1, RANGE), ("padding", 21, RANGE),
    ("padding", True, TYPE),
    ("em", "auto", VALUE), ("em", 1, VALUE), ("ec", "X", VALUE), ("ec", ["M"], VALUE), ("flip", "left", VALUE),
    ("format", "pgn", VALUE), ("format", 0, TYPE), ("format", ["png"], TYPE), ("shorten", False, TYPE),
    ("template", {}, TYPE), ("foreground", "blak", "bad-colour"), ("background", "#FFFF", "bad-colour"),
    ("background", 5, "bad-colour"), ("modules", "rounded", TYPE), ("modules.type", "square", VALUE),
    ("modules.sprite", "stars", VALUE), ("modules.sprites", [FULL["modules"]["sprites"][0]] * 21, RANGE),
    ("modules.sprites", {}, TYPE), ("modules.sprites.0", 5, TYPE), ("modules.sprites.0.type", "none", VALUE),
    ("modules.sprites.1.width", 0, RANGE), ("modules.sprites.1.height", 10_001, RANGE),
    ("modules.sprites.0.content", None, MISSING), ("modules.seed", "a", TYPE), ("modules.union", [], TYPE),
    ("markers.topLeft.pattern", "eye-18", VALUE), ("markers.topLeft.pattern", None, MISSING),
    ("markers.topRight.innerColor", "x", "bad-colour"), ("markers.bottomLeft.outerColor", 1, "bad-colour"),
    ("markers.topLeft.opacity", 1.01, RANGE), ("markers.topLeft.opacity", -0.01, RANGE), ("layers", "icon:home", TYPE),
    ("layers", FULL["layers"] * 51, RANGE), ("layers.0.content", None, MISSING), ("layers.0.x", None, MISSING),
    ("layers.0.y", None, MISSING), ("layers.0.width", None, MISSING), ("layers.0.height", 0, RANGE),
    ("layers.0.x", -10_001, RANGE), ("layers.0.y", "1", TYPE), ("layers.0.opacity", 2, RANGE),
    ("layers.0.color", "no", "bad-colour"), ("layers.0.display", "hit", VALUE), ("layers.0.tolerance", 1_001, RANGE),
    ("wrapper.source", None, MISSING), ("wrapper.width", 0, RANGE), ("wrapper.height", 10_001, RANGE),
    ("wrapper.placeholder", None, MISSING), ("wrapper.placeholder.x", None, MISSING),
    ("wrapper.placeholder.y", "0", TYPE), ("wrapper.placeholder.width", 0, RANGE), ("foreground.gradient", "c", VALUE),
    ("foreground.units", "em", VALUE), ("foreground.direction.start", None, MISSING),
    ("foreground.direction.stop.x", None, MISSING), ("foreground.stops", None, MISSING),
    ("foreground.stops.0.offset", 1.1, RANGE), ("foreground.stops.1.offset", -0.1, RANGE),
    ("foreground.stops.0.color", None, MISSING), ("foreground.stops.0.opacity", 1.1, RANGE),
    ("background.cx", 10_001, RANGE), ("background.radius", 0, RANGE), ("background.radius", [], TYPE),
]  # fmt: skip


@pytest.mark.rule("H3", "H4")
@pytest.mark.parametrize(("path", "value", "code"), WRONG, ids=[f"{row[0]}={str(row[1])[:15]!a}" for row in WRONG])
def test_every_bound_is_refused_at_its_field(refused, path, value, code):
    """Open: statuses and words. 400 with a stable word and a JSON pointer to the field."""
    assert refused(changed(FULL, path, value), 400, code) == {"/" + path.replace(".", "/"): code}


@pytest.mark.rule("H3", "G13", "G15", "G16")
@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        ("layers.0.content", RED, "/layers/0/color"),
        ("modules", {"sprite": "star"}, "/modules/sprite"),
        ("modules", {"type": "sprite"}, "/modules/type"),
        ("wrapper.placeholder.x", 90, "/wrapper/placeholder"),
        ("wrapper.placeholder.y", -1, "/wrapper/placeholder"),
        ("wrapper.placeholder", {"x": 0, "y": 0, "width": 20, "height": 400}, "/wrapper/placeholder"),
        ("foreground.stops", [{"offset": 0, "color": "red"}], "/foreground/stops"),
        ("foreground", {"gradient": "linear", "units": "absolute", "stops": FULL["foreground"]["stops"]},
         "/foreground/direction"),
        ("width", 44, "/width"),
        ("height", 44, "/height"),
    ],
)  # fmt: skip
def test_rules_over_several_fields_point_at_the_one_to_change(send, path, value, pointer):
    """Open: fields that do not go together. 400 at one of them."""
    reply = send(changed(FULL, path, value))
    assert_keeps_the_contract(reply)
    assert [one["pointer"] for one in reply.json()["errors"]] == [pointer]


@pytest.mark.rule("H3")
def test_all_that_is_wrong_is_told_at_once(refused):
    """Open: which of several mistakes is told. All of them, so that a client need not ask once for each."""
    design, expected = FULL, {}
    for path, value, code in [row for row in WRONG if row[0] not in ("content", "template") and "." not in row[0]]:
        design, expected = changed(design, path, value), expected | {f"/{path}": code}
    del design["content"]
    assert refused(design, 400, MISSING) == {"/content": MISSING} | expected
    design = changed(changed(FULL, "layers.0.x", None), "template", 5)
    design = changed(changed(design, "markers.topLeft.opacity", 7), "modules.sprites.1.width", 0)
    wrong = {"/layers/0/x": MISSING, "/markers/topLeft/opacity": RANGE, "/modules/sprites/1/width": RANGE}
    assert refused(design, 400, TYPE) == wrong | {"/template": TYPE}


@pytest.mark.rule("G14", "G12", "G10")
@pytest.mark.parametrize(
    ("path", "value", "words"),
    [("layers.0.content", "icon:hme", ["did you mean 'home'"]), ("modules.sprite", "strs", SPRITE_NAMES),
     ("markers.topLeft.pattern", "eye-0", [f"'eye-{number}'" for number in range(1, 18)])],
)  # fmt: skip
def test_an_unknown_name_gets_the_near_ones_or_the_list(send, path, value, words):
    """Open: unknown icons, sprites and patterns. 400 with what may have been meant."""
    detail = send(changed(FULL, path, value)).json()["detail"]
    assert [word for word in words if word not in detail] == []


def test_numbers_on_their_bounds_are_taken(send):
    for path, value in [("padding", 0), ("padding", 20), ("markers.topLeft.opacity", 0),
                        ("layers.0.x", -10_000), ("layers.0.y", 10_000), ("layers.0.tolerance", -1_000),
                        ("layers.0.tolerance", 1_000), ("layers.0.width", 0.1), ("layers", FULL["layers"] * 50),
                        ("modules.sprites", FULL["modules"]["sprites"] * 10), ("layers.0.opacity", 1)]:  # fmt: skip
        reply = send(changed(around(path), path, value) | {"format": "svg"})
        assert (path, value, reply.status) == (path, value, 200)
    for size in ({"width": 10_000, "height": 4_000}, {"height": 10_000, "width": 29}):
        assert send({"content": "x", "format": "svg"} | size).status == 200
