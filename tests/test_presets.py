"""Presets: looks that phones read, on contents and symbols of all sizes, with room for a logo and a caption."""

from base64 import b64decode
from io import BytesIO
from itertools import cycle

import pytest
from PIL import Image, ImageFilter

from qrkit import Caption, Design, Frame, Layer, Photo, data_uri, decode, generate, generate_many
from qrkit.__main__ import main
from qrkit.design.frames import FRAME_KINDS
from qrkit.drawing.logo import placed_logo
from qrkit.errors import InvalidParameter, RemoteContentDisabled, UnreadableFile
from qrkit.languages import LANGUAGES, in_language
from qrkit.presets import PRESETS, with_preset
from tests.sweeps import night_between

CONTENTS = ["https://example.com/spring", "https://qr.example.com/Ab12cx", "x" * 120]
EVERY_FOURTH = [*PRESETS][::4]
COLORWAYS = [(name, colorway) for name, preset in PRESETS.items() for colorway in preset.colorways]
FIRST_COLORWAYS = [(name, next(iter(PRESETS[name].colorways))) for name in EVERY_FOURTH]
LOGO = data_uri(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="#123" d="M0 0h9v9z"/></svg>')
WIFI = "WIFI:T:WPA;S:guests;P:strawberry-7;;"


def contents_of(name, colorway, contents):
    """All for the first colorway; for another one, which differs in colors alone, one."""
    number = list(PRESETS[name].colorways).index(colorway)
    return contents if number == 0 else contents[number : number + 1]


def test_there_are_24_presets_beside_the_plain_one_each_in_three_colorways():
    assert len(PRESETS) == 25
    assert list(PRESETS) == ["plain", *sorted(set(PRESETS) - {"plain"})]
    assert all(len(set(preset.colorways)) == 3 for preset in PRESETS.values())


@pytest.mark.parametrize(
    ("name", "colorway"),
    [
        pytest.param(name, colorway, marks=() if (name, colorway) in FIRST_COLORWAYS else pytest.mark.slow)
        for name, colorway in COLORWAYS
    ],
)
def test_every_colorway_is_read(name, colorway):
    for content, size in contents_of(name, colorway, [("A", 8), ("https://example.com/spring", 4), ("x" * 300, 4)]):
        image = generate(with_preset(Design(content=content, size=size), name, colorway), warn=False)
        assert decode(image.to_bytes("png")).content == content


@pytest.mark.parametrize(("name", "content"), [*zip([*PRESETS][::4], cycle(CONTENTS), strict=False)])
def test_the_standard_check_calls_presets_robust_on_phones(name, content):
    report = with_preset(Design(content=content), name).check()
    assert report.verdict == "robust", str(report)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "colorway"), night_between(COLORWAYS))
def test_the_standard_check_calls_every_colorway_robust_on_phones(name, colorway):
    for content in contents_of(name, colorway, CONTENTS):
        report = with_preset(Design(content=content), name, colorway, caption="Scan me").check()
        assert report.verdict == "robust", f"{content}: {report}"


@pytest.mark.slow
@pytest.mark.needs("libzbar0")
@pytest.mark.parametrize(("name", "colorway"), night_between(COLORWAYS))
def test_every_colorway_is_read_by_a_reader_that_the_check_does_not_ask(name, colorway):
    for content in contents_of(name, colorway, [*CONTENTS, WIFI]):
        assert missed_by_zbar(with_preset(Design(content=content, size=6), name, colorway)) == 0


@pytest.mark.slow
@pytest.mark.needs("libzbar0")
@pytest.mark.parametrize(
    ("kind", "names"), [("preset", [*[*PRESETS][::2], "plate"]), ("frame", FRAME_KINDS)], ids=["presets", "frames"]
)
def test_a_logo_and_a_caption_leave_each_look_readable(kind, names):
    """Of all captures, a reader that the check does not ask misses at most 2%."""
    contents, fields = cycle(CONTENTS[:2]), {"logo": "icon:camera", "caption": "Order here"}
    looks = [generate(next(contents), size=6, warn=False, **fields, **{kind: name}).design for name in names]
    assert sum(map(missed_by_zbar, looks)) <= 0.02 * CAPTURES * len(looks)


CAPTURES = 4


def missed_by_zbar(design: Design) -> int:
    """Captures in which zbar reads nothing: sharp, a little out of focus, in half of the contrast, and turned."""
    from pyzbar.pyzbar import ZBarSymbol, decode

    sharp = Image.open(BytesIO(generate(design, warn=False).to_bytes("png"))).convert("L")
    blurred, pale = sharp.filter(ImageFilter.GaussianBlur(1.5)), sharp.point(lambda grey: 64 + grey / 2)
    turned = sharp.rotate(10, Image.Resampling.BILINEAR, expand=True, fillcolor=255)
    found = [
        [one.data.decode() for one in decode(picture, symbols=[ZBarSymbol.QRCODE])]
        for picture in (sharp, blurred, pale, turned)
    ]
    assert len(found) == CAPTURES
    return sum(texts != [design.content] for texts in found)


@pytest.mark.parametrize(
    "name", [name if name in EVERY_FOURTH else pytest.param(name, marks=pytest.mark.slow) for name in PRESETS]
)
def test_every_preset_has_room_for_a_logo_and_a_caption(name):
    design = with_preset(Design(content="https://example.com"), name, logo=LOGO, caption="Come in")
    assert [layer.content for layer in design.layers][-1] == LOGO
    assert design.ec == "H"
    if PRESETS[name].frame != "round":
        assert design.frame.caption.text == "Come in"
    assert decode(generate(design, warn=False).to_bytes("png")).content == "https://example.com"


def test_a_preset_takes_the_place_of_the_look_and_leaves_the_rest():
    layer = Layer("icon:heart", x=1, y=2, width=3, height=4)
    design = Design(content="hi", ec="Q", size=5, layers=[layer], foreground="red", modules={"type": "dots"})
    changed = with_preset(design, "plain")
    assert changed.replace(background="white", foreground="black", markers={}) == Design(
        content="hi", ec="Q", size=5, layers=[layer]
    )


def test_a_caption_stays_when_the_preset_changes():
    first = with_preset(Design(content="hi"), "bubble", caption=Caption("Olá", weight="medium"))
    second = with_preset(first, "ticket")
    assert (second.frame.kind, second.frame.caption) == ("ticket", first.frame.caption)
    assert with_preset(first, "bar", caption="Hi").frame.caption.text == "Hi"


@pytest.mark.parametrize("first", PRESETS)
@pytest.mark.parametrize("second", ["plain", "contact", "ticket", "badge"])
def test_what_a_preset_brought_goes_with_the_next(first, second):
    plain = Design(content=WIFI)
    changed, fresh = with_preset(with_preset(plain, first), second), with_preset(plain, second)
    assert (changed.frame, changed.photo, changed.padding) == (fresh.frame, fresh.photo, fresh.padding)
    assert [layer.name for layer in changed.layers] == [layer.name for layer in fresh.layers]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_captions_fit_in_every_language(language):
    with in_language(language):
        for name, preset in PRESETS.items():
            if preset.caption:
                assert generate(with_preset(Design(content="hi"), name), warn=False).width


def test_captions_are_in_the_language_of_the_context_until_another_look_is_chosen():
    english = with_preset(Design(content="hi"), "wifi")
    with in_language("de"):
        assert with_preset(english, "bar").frame.caption == Caption("Scan mich")
        german = with_preset(english, "wifi")
        assert german.frame.caption == Caption("Gratis-WLAN", subtitle="Kamera auf den Code richten")
        assert with_preset(german, "plain").frame is None
        own = with_preset(german, "ticket", caption="For our guests")
        assert with_preset(own, "bubble").frame.caption.text == "For our guests"


def test_words_that_were_typed_stay():
    """A caption of a preset goes though its subtitle or its weight was changed by hand."""
    wifi = with_preset(Design(content=WIFI), "wifi")
    own = {"text": "For our guests"}
    card = wifi.replace(frame=wifi.frame.replace(caption=wifi.frame.caption.replace(**own)))
    assert with_preset(card, "ticket").frame.caption == Caption("For our guests")
    own = {"subtitle": "Ask at the bar", "weight": "medium"}
    card = wifi.replace(frame=wifi.frame.replace(caption=wifi.frame.caption.replace(**own)))
    assert with_preset(card, "ticket").frame.caption == Caption("Admit one", **own)
    assert with_preset(card, "plain").frame is None


def test_a_preset_leaves_layers_in_their_places():
    design = Design(content=WIFI, width=700).with_logo("icon:wifi", 0.2, place=(0.7, 0.5), name="mine")
    moved = with_preset(design, "orbit")
    assert (moved.padding, len(moved.layers)) == (2, 2)
    assert placed_logo(moved, "icon:wifi").share == pytest.approx(placed_logo(design, "icon:wifi").share, abs=0.001)


def test_a_preset_with_a_photo_shows_yours():
    file = BytesIO()
    Image.new("RGB", (30, 30), "#DD8800").save(file, "PNG")
    photo = data_uri(file.getvalue())
    for name in ("photo", "mosaic"):
        design = with_preset(Design(content="hi"), name, photo=photo)
        assert design.photo.content == photo
        assert generate(design, warn=False).to_bytes("png") != generate(
            with_preset(Design(content="hi"), name), warn=False
        ).to_bytes("png")
    with pytest.raises(InvalidParameter, match=r"photo=.* is only for presets that show a photo, not for 'bar'"):
        with_preset(Design(content="hi"), "bar", photo=photo)


def test_unknown_names_are_named_with_the_nearest():
    with pytest.raises(InvalidParameter, match="preset='fluidd': is not a preset; did you mean 'fluid'"):
        with_preset(Design(content="hi"), "fluidd")
    with pytest.raises(InvalidParameter, match="colorway='plumm': is not a colorway of 'fluid'; did you mean 'plum'"):
        with_preset(Design(content="hi"), "fluid", "plumm")


# ---- generate with a logo, a caption, a frame and a preset


OPTIONS = {
    "logo": {"logo": "acme.svg"},
    "logo and level": {"logo": "acme.svg", "ec": "Q"},
    "icon": {"logo": "icon:heart"},
    "caption": {"caption": "Menü"},
    "frame and caption": {"frame": "seal", "caption": "Menu"},
    "preset": {"preset": "bubble"},
    "preset and all": {
        "preset": "badge", "colorway": "plum", "logo": "acme.svg", "caption": "Olá", "frame": "ticket", "size": 12,
    },
    "preset and color": {"preset": "bar", "foreground": "#000080", "padding": 5},
}  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_generate_does_what_the_command_line_does(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "acme.svg").write_bytes(b64decode(LOGO.partition(",")[2]))
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    assert main(["generate", "https://example.com", *words, "-o", "a.svg"]) == 0
    image = generate("https://example.com", **options)
    assert image.to_bytes("svg") == (tmp_path / "a.svg").read_bytes()
    assert decode(image.to_bytes()).content == "https://example.com"


def test_generate_takes_a_logo_in_any_form(tmp_path):
    data = b64decode(LOGO.partition(",")[2])
    (tmp_path / "acme.svg").write_bytes(data)
    forms = [tmp_path / "acme.svg", str(tmp_path / "acme.svg"), data, LOGO, "https://example.com/acme.svg"]
    images = [generate("hi", logo=form, fetch=lambda url: data) for form in forms]
    assert len({image.to_bytes("png") for image in images}) == 1
    assert [image.design.layers[-1].name for image in images] == ["acme", "acme", "", "", ""]
    assert images[0].design.ec == "H"
    with pytest.raises(RemoteContentDisabled):
        generate("hi", logo="https://example.com/acme.svg")


def test_generate_decorates_a_whole_design():
    design = Design(content="hi", size=12, frame=Frame("bubble", caption=Caption("Old", color="#FED7AA")))
    image = generate(design, caption="New", logo="icon:heart")
    assert image.design.frame == Frame("bubble", caption=Caption("New", color="#FED7AA"))
    assert (image.design.size, image.design.ec, len(image.design.layers)) == (12, "H", 2)
    replaced = generate(image.design, logo="icon:star")
    assert [layer.content for layer in replaced.design.layers][1:] == ["icon:star"]


def test_fields_of_a_decorated_picture_win_over_the_preset():
    frame = Frame("card", color="#14532D")
    image = generate("hi", preset="bubble", modules={"type": "dots"}, frame=frame, caption="Hello")
    assert image.design.modules.type == "dots"
    assert image.design.frame == frame.replace(caption="Hello")


def test_a_photo_of_a_preset_keeps_its_place():
    sample = with_preset(Design(content="hi"), "mosaic").photo.content
    assert generate("hi", preset="mosaic", photo=Photo(sample)).design.photo.place == "inside"


@pytest.mark.parametrize("name", ["logo", "caption", "preset", "colorway"])
def test_a_design_says_who_takes_a_logo_or_a_preset(name):
    for make in (lambda fields: Design(content="hi", **fields), lambda fields: generate_many(["hi"], **fields)):
        with pytest.raises(InvalidParameter, match=f"{name}='x': is not a parameter") as caught:
            make({name: "x"})
        assert "`qrkit.generate` takes logo, caption, preset" in caught.value.__notes__[0]


def test_many_codes_get_the_look_of_one():
    look = generate("https://example.com/0", logo="icon:heart", caption="Menu").design
    images = generate_many(["https://example.com/1", "https://example.com/2"], design=look).images
    assert [decode(image.to_bytes("png")).content for image in images] == [
        "https://example.com/1",
        "https://example.com/2",
    ]
    assert {(len(image.design.layers), image.design.frame.caption.text) for image in images} == {(2, "Menu")}


def test_a_font_is_no_logo(tmp_path):
    file = tmp_path / "letters.ttf"
    file.write_bytes(b"\0\1\0\0" + bytes(60))
    with pytest.raises(UnreadableFile, match=r"letters\.ttf is a font, not a picture"):
        generate("https://example.com", logo=file)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"preset": "bubbel"}, "preset='bubbel': is not a preset; did you mean 'bubble'"),
        ({"colorway": "plum"}, "colorway='plum': needs a preset, whose colors it names"),
        ({"logo": "none.svg"}, "logo='none.svg': is neither a file nor icon:NAME"),
        ({"logo": "x" * 5000}, "is neither a file nor icon:NAME"),
        ({"frame": "sael", "caption": "x"}, "frame='sael': is not a frame; did you mean 'seal'"),
        ({"caption": " "}, "caption=' ': must not be blank"),
        ({"caption": "W" * 60}, "caption='WW.*has 60 characters; about 17 fit in this frame"),
        ({"logos": "none.svg"}, "logos.*is not a parameter"),
        ({"preset": 7}, "preset=7: must be a text"),
        ({"preset": "bubble", "colorway": b"plum"}, "colorway=b'plum': must be a text"),
        ({"logo": 123}, "logo=123: must be a path, bytes"),
        ({"caption": 5}, "caption=5: must be a text or a Caption"),
    ],
)
def test_what_is_wrong_with_a_decoration_is_named(options, error):
    with pytest.raises(InvalidParameter, match=error):
        generate("https://example.com", **options)
