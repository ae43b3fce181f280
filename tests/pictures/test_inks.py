"""Files for print shops: PDF/X-4 and TIFF in CMYK, spot colors, bleed, and what is refused."""

import base64
import json
import pickle
import re
import subprocess
import zlib
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from qrkit import Gradient, Layer, PrintSize, decode, generate, generate_many
from qrkit.design.color import Color
from qrkit.drawing.frames import FRAMES
from qrkit.drawing.writers import FORMATS
from qrkit.errors import InvalidParameter
from qrkit.pictures.inks import Inks, press_of
from tests import icc

LINK = "https://example.com"
MM = 72 / 25.4
RED, SPOT = "#D20F39", "PANTONE 186 C"


def _picture():
    """A picture in color, of which one side is transparent, as a data URI."""
    down = Image.linear_gradient("L").resize((40, 40))
    across, file = down.rotate(90), BytesIO()
    Image.merge("RGBA", (down, across, down.rotate(180), across)).save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


DESIGNS = {
    "plain": {},
    "dots": {"modules": {"type": "dots"}, "markers": {"top_left": {"pattern": "eye-3"}}},
    "red": {"foreground": RED, "background": "#FFEE00"},
    "gradient": {"foreground": Gradient.linear("navy", "black"), "background": Gradient.linear("#80FFEE00", "white")},
    "layers": {"ec": "H", "layers": [Layer(content=_picture(), x=100, y=100, width=50, height=50, opacity=0.9)]},
    "frame": {"frame": {"kind": "bar", "caption": "Scan", "color": "navy"}},
}
"""Designs, by what they paint with."""


@pytest.fixture(scope="session")
def press(tmp_path_factory):
    file = tmp_path_factory.mktemp("icc") / "press.icc"
    file.write_bytes(icc.profile())
    return file


def drawn(name):
    return generate(LINK, warn=False, **DESIGNS[name])


def unpacked(pdf):
    """A PDF with its streams as text, without its profile."""
    streams = re.sub(
        rb"/Filter/FlateDecode>>\nstream\n(.*?)\nendstream",
        lambda one: b"\n" + zlib.decompress(one[1]),
        pdf,
        flags=re.DOTALL,
    )
    return streams.replace(icc.profile(), b"").decode("latin-1")


def boxes(text):
    found = re.findall(r"/(\w+)Box\[([^]]*)\]", text)
    return {name: np.array(numbers.split(), float) / MM for name, numbers in found if name != "B"}


# ---- PDF/X-4


@pytest.mark.parametrize("name", DESIGNS)
def test_all_colors_are_inks(name, press):
    text = unpacked(drawn(name).print_at(40, profile=press).to_bytes("pdf"))
    assert re.findall(r"DeviceRGB|\b\S+ \S+ \S+ rg\b|/Font|^\S+ g$", text, re.MULTILINE) == []
    assert "/S/GTS_PDFX" in text


def test_metadata_says_what_the_file_is(press):
    text = unpacked(drawn("plain").print_at(40, profile=press).to_bytes("pdf"))
    root = ElementTree.fromstring(re.search(r"<x:xmpmeta.*</x:xmpmeta>", text, re.DOTALL)[0])
    ((about),) = root.iter("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}Description")
    assert about.get("{http://www.npes.org/pdfx/ns/id/}GTS_PDFXVersion") == "PDF/X-4"
    assert about.get("{http://ns.adobe.com/pdf/1.3/}Trapped") == "False"
    unique = re.search(r"/ID\[<(\w{32})><\1>\]", text)[1]
    assert about.get("{http://ns.adobe.com/xap/1.0/mm/}DocumentID").replace("-", "") == f"uuid:{unique}"
    assert bytes.fromhex(re.search(r"/OutputConditionIdentifier<(\w+)>", text)[1]) == b"Test press"


def test_the_same_input_gives_the_same_bytes(press):
    size = PrintSize(size_mm=40, profile=press, bleed_mm=2)
    files = {drawn("layers").printed(one).to_bytes("pdf") for one in (size, pickle.loads(pickle.dumps(size)))}
    assert len(files) == 1
    other = drawn("dots").printed(size).to_bytes("pdf")
    ids = {re.search(rb"/ID\[(.*?)\]", one)[1] for one in (*files, other)}
    assert len(ids) == 2


@given(st.floats(15, 500), st.floats(0.5, 10), st.sampled_from(["plain", "dots", "gradient"]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_a_page_is_its_size_and_a_bleed_that_the_background_fills(press, size_mm, bleed, name, is_pressed):
    printed = drawn(name).print_at(size_mm, bleed_mm=bleed, profile=press if is_pressed else None)
    text = unpacked(printed.to_bytes("pdf"))
    found = boxes(text)
    whole = size_mm + 2 * bleed
    assert found["Media"] == pytest.approx([0, 0, whole, whole], abs=0.01)
    assert found["Bleed"] == pytest.approx(found["Media"], abs=0.01)
    assert found["Trim"] == pytest.approx([bleed, bleed, whole - bleed, whole - bleed], abs=0.01)
    scales = [float(one) for one in re.findall(r"^(\S+) 0 0 -?\1 \S+ \S+ cm$", text, re.MULTILINE)]
    (x, _, width, _) = map(float, re.search(r"^(\S+) (\S+) (\S+) (\S+) re f$", text, re.MULTILINE).groups())
    inner = re.search(r"cm\nq\n(\S+) 0 0 \S+ (\S+) \S+ cm\n", text)
    assert inner
    left = (float(inner[2]) + x * float(inner[1])) * scales[0] / MM
    right = left + width * float(inner[1]) * scales[0] / MM
    assert left <= 0.01
    assert right >= whole - 0.01


@pytest.mark.parametrize("kind", FRAMES)
def test_the_ground_of_a_frame_continues_into_the_bleed_or_the_error_says_why_not(kind):
    frame = {"kind": kind, "color": "navy", "caption": "Scan me"}
    printed = generate(LINK, frame=frame, width=300, warn=False).print_at(60, bleed_mm=3)
    if kind in ("bag", "border", "bubble", "pill", "ribbon", "round", "tag"):
        with pytest.raises(
            InvalidParameter, match="bleed_mm: needs a background, or a frame whose ground reaches all edges"
        ):
            printed.to_bytes("pdf")
        return
    picture = Image.open(BytesIO(FORMATS["png"].write(printed.exact_scene))).convert("RGB")
    pixels, bleed = np.asarray(picture, int), round(3 / 66 * picture.width)
    for turned in (np.rot90(pixels, turns) for turns in range(4)):
        third = turned.shape[1] // 3
        outside, edge = turned[1 : bleed + 2, third:-third], turned[bleed + 2, third:-third]
        assert (abs(outside - edge) <= 1).all(axis=(0, 2)).any()
        # A straight cut leaves no light corner: the ground fills the corners of the bleed, too.
        assert (turned[1:bleed, 1:bleed] == outside[0, 0]).all()
    assert decode(picture).content == LINK


@pytest.mark.parametrize("name", ["red", "frame"])
def test_a_spot_color_keeps_its_name(name, press):
    color = {"red": RED, "frame": "navy"}[name]
    text = unpacked(drawn(name).print_at(40, profile=press, spots={color: SPOT}).to_bytes("pdf"))
    named = re.search(r"/(C\d) \[/Separation/([#\w]+)/DeviceCMYK", text)
    assert bytes.fromhex(named[2].replace("#", "")) == SPOT.encode()
    assert f"/{named[1]} cs 1 scn" in text


def test_black_modules_keep_the_inks_below_them_and_plates_hide_them(press):
    text = unpacked(drawn("dots").print_at(40, profile=press).to_bytes("pdf"))
    assert "/OPM 1" in text
    plate = generate(LINK, background="black", foreground="#FFEE00", warn=False).print_at(40, profile=press)
    assert "/OPM 1" not in unpacked(plate.to_bytes("pdf"))


def test_a_set_is_one_pdf_x(press, tmp_path):
    size = PrintSize(size_mm=40, profile=press, bleed_mm=2)
    generate_many([LINK, f"{LINK}/2"], to=tmp_path / "s.pdf", print_size=size)
    text = unpacked((tmp_path / "s.pdf").read_bytes())
    assert (text.count("/TrimBox"), text.count("/GTS_PDFX/")) == (2, 1)


# ---- inks


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_grays_are_black_ink_alone_and_colors_have_others(press, parts):
    inks = [float(one) for one in press_of(Inks(profile=press)).inks(Color(*parts)).split()]
    if len(set(parts)) == 1:
        assert inks == pytest.approx([0, 0, 0, 1 - parts[0] / 255], abs=1e-3)
    elif max(parts) - min(parts) > 100:
        assert any(inks[:3])


@given(st.lists(st.tuples(*[st.sampled_from([0, 1, 128, 255])] * 3), min_size=2, max_size=9))
def test_black_and_white_pixels_have_no_colored_ink(press, pixels):
    found = press_of(Inks(profile=press)).pixels(len(pixels), 1, bytes(part for one in pixels for part in one))
    for pixel, inks in zip(pixels, zip(*[iter(found)] * 4, strict=True), strict=True):
        if pixel in ((0, 0, 0), (255, 255, 255)) or all(len(set(one)) == 1 for one in pixels):
            assert inks == (0, 0, 0, 255 - pixel[0])


@pytest.mark.parametrize("name", DESIGNS)
def test_a_tiff_is_in_cmyk_and_reads(name, press):
    data = drawn(name).print_at(40, dpi=200, profile=press).to_bytes("tif")
    picture = Image.open(BytesIO(data))
    assert (picture.mode, picture.info["dpi"]) == ("CMYK", (200, 200))
    profile = ImageCms.ImageCmsProfile(BytesIO(picture.info["icc_profile"]))
    assert ImageCms.getProfileDescription(profile).strip() == "Test press"
    assert decode(picture).content == LINK
    if name in ("plain", "dots"):
        assert [one[1] for one in picture.getextrema()] == [0, 0, 0, 255]


# ---- what is refused, before anything is written


def bad(name, tmp_path):
    file = tmp_path / f"{name}.icc"
    good = icc.profile()
    data = {
        "RGB": icc.profile(space=b"RGB "),
        "screen": icc.profile(kind=b"mntr"),
        "damaged": good[:200] + bytes(len(good) - 200),
        "short": good[:100],
        "empty": b"",
        "large": good + bytes(50_000_000),
    }
    if name in data:
        file.write_bytes(data[name])
    return file


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("RGB", "is not the ICC profile of a CMYK printer; ask your print shop"),
        ("screen", "is not the ICC profile of a CMYK printer"),
        ("short", "is not the ICC profile|is damaged"),
        ("empty", "is not the ICC profile"),
        ("damaged", "is damaged"),
        ("large", "is larger than 16 MB"),
        ("missing", "cannot be read: No such file"),
    ],
)
def test_a_profile_that_is_none_is_refused(name, told, tmp_path):
    with pytest.raises(InvalidParameter, match=told) as caught:
        generate(LINK).print_at(40, profile=bad(name, tmp_path))
    assert caught.value.name == "profile"


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=5))
@settings(deadline=None)
def test_a_damaged_profile_is_refused_or_converts(tmp_path_factory, changes):
    data = bytearray(icc.profile())
    for at, byte in changes:
        data[at] = byte
    file = tmp_path_factory.getbasetemp() / "changed.icc"
    file.write_bytes(data)
    try:
        inks = press_of(Inks(profile=file)).inks(Color(200, 20, 50))
    except InvalidParameter as error:
        assert error.name == "profile"
    else:
        assert len(inks.split()) == 4


@pytest.mark.parametrize(
    ("name", "how", "format", "told"),
    [
        ("plain", {}, "png", "profile: is only for pdf and tif"),
        ("red", {"spots": {RED: SPOT}}, "tif", "spots: is only for pdf"),
        ("plain", {"bleed_mm": 2}, "tif", "bleed_mm: is only for pdf"),
        ("plain", {"bleed_mm": 11}, "pdf", "bleed_mm=11: must be in 0..10 millimeters"),
        ("plain", {"spots": {RED: SPOT}}, "pdf", f"spots: no module, text or flat shape has the color {RED}"),
        ("gradient", {"spots": {"navy": SPOT}}, "pdf", "no module, text or flat shape has the color #000080"),
        ("plain", {"spots": {"rde": SPOT}}, "pdf", "spots.rde='rde': must be a color as .*; did you mean 'red'"),
        ("plain", {"spots": {"black": ""}}, "pdf", "must not be empty"),
        ("plain", {"spots": {"black": "x" * 61}}, "pdf", "must have 1..60 characters"),
        ("plain", {"spots": {"black": SPOT}, "profile": None}, "pdf", "needs a profile"),
        ("plain", {"spots": {"black": "None"}}, "pdf", "spots.*not All or None"),
        ("plain", {"spots": {"black": "X", "red": "X"}}, "pdf", "spots.*must have different names"),
    ],
)
def test_what_cannot_be_kept_is_refused(name, how, format, told, press, tmp_path):
    with pytest.raises(InvalidParameter, match=told):
        drawn(name).print_at(40, **({"profile": press} | how)).save(tmp_path / f"p.{format}")
    assert list(tmp_path.iterdir()) == []


# ---- what programs make of it


@pytest.mark.slow
@pytest.mark.needs("pdftoppm")
@pytest.mark.parametrize("name", DESIGNS)
def test_poppler_shows_the_same_shapes_as_in_rgb(name, press, tmp_path):
    """And it reads."""
    pictures = []
    for kind, profile in (("rgb", None), ("inks", press)):
        file = drawn(name).print_at(40, profile=profile).save(tmp_path / f"{kind}.pdf")
        subprocess.run(["pdftoppm", "-r", "300", "-png", "-singlefile", file, file.with_suffix("")], check=True)
        pictures.append(Image.open(file.with_suffix(".png")))
        assert decode(pictures[-1]).content == LINK
    light, dark = (np.asarray(one.convert("L"), int) for one in pictures)
    assert light.shape == dark.shape
    # Inks are other colors, but edges lie where they lay.
    edges = [np.abs(np.diff(one, axis=1)) > 60 for one in (light, dark)]
    assert (edges[0] != edges[1]).mean() < 0.004


@pytest.mark.slow
@pytest.mark.needs("gs")
def test_ghostscript_counts_black_ink_alone(press, tmp_path):
    for name in ("plain", "dots"):
        file = drawn(name).print_at(40, profile=press, bleed_mm=3).save(tmp_path / f"{name}.pdf")
        command = ["gs", "-q", "-o", "-", "-sDEVICE=inkcov", str(file)]
        inks = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[:4]
        assert [float(ink) > 0 for ink in inks] == [False, False, False, True]


@pytest.mark.slow
@pytest.mark.needs("gs")
def test_ghostscript_makes_a_plate_of_a_spot_color(press, tmp_path):
    file = drawn("red").print_at(40, profile=press, spots={RED: SPOT}).save(tmp_path / "s.pdf")
    command = ["gs", "-q", "-o", str(tmp_path / "s.tif"), "-sDEVICE=tiffsep", "-r300", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    (plate,) = tmp_path.glob(f"*{SPOT}*")
    assert decode(Image.open(plate).convert("L")).content == LINK


@pytest.mark.slow
@pytest.mark.needs("qpdf")
@pytest.mark.parametrize("name", DESIGNS)
def test_qpdf_finds_what_pdf_x_4_asks_for_and_no_fault(name, press, tmp_path):
    """ISO 15930-7: clauses 6.2 to 6.21, as far as our files have what they speak of."""
    bleed = 0 if name == "frame" else 3
    file = drawn(name).print_at(40, profile=press, bleed_mm=bleed).save(tmp_path / "x.pdf")
    done = subprocess.run(["qpdf", "--check", file], capture_output=True, text=True, check=True)
    assert "No syntax or stream encoding errors" in done.stdout
    told = json.loads(subprocess.run(["qpdf", "--json=2", file], capture_output=True, check=True).stdout)["qpdf"][1]
    objects = {name: one.get("value") or one["stream"]["dict"] for name, one in told.items()}
    root = objects[f"obj:{objects['trailer']['/Root']}"]
    (intent,) = root["/OutputIntents"]
    assert (root["/Version"], intent["/S"]) == ("/1.6", "/GTS_PDFX")
    assert objects[f"obj:{intent['/DestOutputProfile']}"]["/N"] == 4
    assert objects[f"obj:{root['/Metadata']}"]["/Subtype"] == "/XML"
    assert objects[f"obj:{objects['trailer']['/Info']}"]["/Trapped"] == "/False"
    assert len(objects["trailer"]["/ID"]) == 2
    (page,) = (one for one in objects.values() if one.get("/Type") == "/Page")
    left, bottom, right, top = page["/TrimBox"]
    assert 0 <= page["/BleedBox"][0] <= left < right <= page["/BleedBox"][2] <= page["/MediaBox"][2]
    assert 0 <= page["/BleedBox"][1] <= bottom < top <= page["/BleedBox"][3] <= page["/MediaBox"][3]
    assert "/ArtBox" not in page
    text = json.dumps(objects)
    forbidden = ("/DeviceRGB", "/Font", "/AA", "/JS", "/Encrypt", "/TR", "/HTP", "/OPI", "/PS", "/Annots")
    assert [one for one in forbidden if f'"{one}"' in text] == []
