"""Micro QR Codes: modules against segno and the standard, pictures against zxing-cpp, and what a design may ask."""

import json
from datetime import UTC, datetime
from io import BytesIO

import pytest
import segno
import zxingcpp
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, QRImage, Role, check, decode, generate, generate_sequence
from qrkit.__main__ import main
from qrkit.design.decoration import Markers
from qrkit.design.limits import MICRO_EYES
from qrkit.design.shapes.eyes import EYES
from qrkit.design.shapes.styles import STAMPS, STYLES
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.portfolio.access import create_key
from qrkit.server import Client, make_app
from qrkit.store import Store
from qrkit.store.records.accounts import insert_account
from qrkit.symbol.encode import encode
from qrkit.symbol.encode.capacity import MICRO_DATA_BITS, Segment, bits_needed
from qrkit.symbol.symbol import bit_numbers, finder_places, roles, side_of
from qrkit.tracking.records import Account
from qrkit.tracking.short_urls import new_id
from tests.conformance import readers

VERSIONS = (-1, -2, -3, -4)
HELD = {
    # ISO/IEC 18004:2015, table 7: digits, alphanumeric characters, bytes and Kanji
    (-1, "L"): (5, 0, 0, 0),
    (-2, "L"): (10, 6, 0, 0), (-2, "M"): (8, 5, 0, 0),
    (-3, "L"): (23, 14, 9, 6), (-3, "M"): (18, 11, 7, 4),
    (-4, "L"): (35, 21, 15, 9), (-4, "M"): (30, 18, 13, 8), (-4, "Q"): (21, 13, 9, 5),
}  # fmt: skip
MODES = {"numeric": "8", "alphanumeric": "Q", "byte": "z", "kanji": "点"}
FULL = [
    (version, level, mode, MODES[mode] * count)
    for (version, level), counts in HELD.items()
    for mode, count in zip(MODES, counts, strict=True)
    if count
]
texts = st.one_of(
    st.text("0123456789", min_size=1, max_size=21),
    st.text("0123456789ABC $%*+-./:", min_size=1, max_size=13),
    st.text("0123456789ABCabcäß", min_size=1, max_size=4),
)


def drawn(content: str, **fields: object) -> QRImage:
    return generate(content, micro=True, **fields)


def read(image: QRImage, format: str = "png") -> tuple[str, str, str]:
    data = image.to_bytes(format)
    pixels = readers.svg(data) if format == "svg" else readers.raster(data)
    on_white = Image.new("RGBA", (pixels.shape[1], pixels.shape[0]), "white")
    on_white.alpha_composite(Image.fromarray(pixels.astype("uint8"), "RGBA"))
    found = zxingcpp.read_barcodes(on_white.convert("L"), formats=zxingcpp.BarcodeFormat.MicroQRCode)
    assert len(found) == 1
    return found[0].text, found[0].extra["Version"], found[0].ec_level


# ---- Symbols


@pytest.mark.parametrize(("version", "level", "mode", "content"), FULL)
def test_full_symbol_has_the_modules_of_segno_and_is_read(version, level, mode, content):
    image = drawn(content, ec=level, em=mode)
    theirs = segno.make_micro(
        content, version=f"M{-version}", error=None if version == -1 else level, mode=mode, boost_error=False
    )
    assert (image.symbol.version, image.symbol.mask) == (version, theirs.mask)
    assert image.symbol.modules == tuple(map(bytes, theirs.matrix))
    for format in ("png", "svg"):
        assert read(image, format) == (content, f"M{-version}", level)
    if version > -4 and (version - 1, level) in HELD:
        assert drawn(content + MODES[mode], ec=level, em=mode).symbol.version < version


def test_example_of_the_standard_has_its_modules():
    """ISO/IEC 18004:2015, annex I.3: 01234567 in version M2-L."""
    symbol = encode("01234567", error_correction="L", mode="numeric", micro=True)
    theirs = segno.make_micro("01234567", error="L", boost_error=False)
    assert (symbol.name, symbol.mask) == ("M2-L", 1)
    assert symbol.modules == tuple(map(bytes, theirs.matrix))
    assert repr(symbol) == "<Symbol M2-L, numeric, mask 1, 13 x 13 modules>"


@given(texts, st.sampled_from("LMQ"), st.sampled_from(["auto", "byte"]), st.sampled_from([None, 0, 1, 2, 3]))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_back(text, level, mode, mask):
    try:
        image = drawn(text, ec=level, em=mode, mask=mask, size=4)
    except ContentTooLong:
        assert mode == "byte"
        return
    assert read(image) == (text, f"M{-image.symbol.version}", level)
    assert mask in (None, image.symbol.mask)
    found = decode(image.to_bytes())
    assert (found.content, found.version, found.ec) == (text, image.symbol.version, level)


@pytest.mark.parametrize("version", VERSIONS)
def test_roles_cover_the_symbol(version):
    side, rows = side_of(version), roles(version)
    assert side == 9 - 2 * version == len(rows) == len(rows[0])
    flat = b"".join(rows)
    counts = [flat.count(role) for role in (Role.FINDER, Role.SEPARATOR, Role.TIMING, Role.FORMAT)]
    assert counts == [49, 15, 2 * (side - 8), 15]
    assert flat.count(Role.ALIGNMENT) == flat.count(Role.DARK_MODULE) == flat.count(Role.VERSION) == 0
    assert finder_places(side) == {"top_left": (0, 0)}
    numbers = [number for row in bit_numbers(version).tolist() for number in row if number >= 0]
    assert sorted(numbers) == list(range(flat.count(Role.DATA))) == list(range(side * side - sum(counts)))


def test_mix_of_modes_is_shorter_than_one_mode():
    image = drawn("ab1234567890", ec="L", em="auto")
    assert (image.symbol.name, image.symbol.mode, read(image)[0]) == ("M3-L", "mixed", "ab1234567890")
    assert drawn("ab1234567890", ec="L").symbol.name == "M4-L"


def test_level_is_used_as_given_and_only_m4_has_q():
    names = [drawn("123", em="numeric", ec=level).symbol.name for level in "LMQ"]
    assert names == ["M1", "M2-M", "M4-Q"]


def test_modes_that_a_version_lacks_never_fit():
    for (version, level), counts in HELD.items():
        for (mode, character), count in zip(MODES.items(), counts, strict=True):
            for length in (count, count + 1):
                fits = bits_needed([Segment(mode, character * length)], version) <= MICRO_DATA_BITS[version, level]
                assert fits == (0 < length <= count)


# ---- Designs


def test_quiet_zone_is_two_modules_unless_it_is_set():
    design = Design(content="1", micro=True)
    assert (design.padding, drawn("1").width) == (2, (15 + 4) * 8)
    assert (design.replace(micro=False).padding, design.replace(padding=4).padding) == (4, 4)
    assert Design(content="1", micro=True, quiet_zone=0).padding == 0
    assert Design.from_json(design.to_json()) == design
    assert Design(content="1").padding == 4


@pytest.mark.parametrize(
    ("fields", "field", "rule"),
    [
        ({"version": 1}, "version", "cannot be combined with micro"),
        ({"ec": "H"}, "ec", "must be L, M or Q with micro"),
        ({"mask": 4}, "mask", "must be in 0..3 with micro"),
        ({"pad_codewords": "free"}, "pad_codewords", "must be iso with micro"),
        ({"charset": "utf-8"}, "charset", "declare no charset"),
        ({"fnc1": True}, "fnc1", "have no FNC1"),
        ({"part": {"number": 1, "of": 2, "parity": 0}}, "part", "have no structured append"),
    ],
)
def test_field_that_excludes_micro_is_named(fields, field, rule):
    with pytest.raises(InvalidParameter, match=rule) as raised:
        Design(content="1", micro=True, **fields)
    assert [problem.name for problem in raised.value.problems] == [field]


def test_sequence_has_no_micro_qr_codes():
    with pytest.raises(InvalidParameter, match="micro: must be left out"):
        generate_sequence("1234", micro=True, symbols=2)


def test_encoder_refuses_what_a_design_refuses():
    with pytest.raises(InvalidParameter, match="must be L, M or Q in a Micro QR Code"):
        encode("1", error_correction="H", micro=True)
    with pytest.raises(InvalidParameter, match=r"must be in 0\.\.3 in a Micro QR Code"):
        encode("1", mask=4, micro=True)


def test_content_that_is_too_long_is_told_what_fits():
    with pytest.raises(ContentTooLong, match=r"ec=M, holds 112; .*: at most 13 bytes, ec=L, or micro=False"):
        drawn("a" * 14)
    with pytest.raises(ContentTooLong, match="at most 9 bytes, em=numeric, or micro=False") as raised:
        drawn("1" * 20, ec="Q")
    assert (raised.value.needed_bits, raised.value.capacity_bits) == (168, 80)


@pytest.mark.parametrize("style", [*STYLES, *STAMPS])
def test_every_module_style_is_read(style):
    image = drawn("qrkit", modules={"type": style}, size=12)
    assert read(image) == read(image, "svg") == ("qrkit", "M3", "M")


@pytest.mark.parametrize("pattern", MICRO_EYES)
def test_every_eye_is_drawn_once_and_read(pattern):
    for size in (3, 7, 12, 16):
        image = drawn("qrkit", markers=Markers.all(pattern), size=size)
        assert read(image) == read(image, "svg") == ("qrkit", "M3", "M")
    only = drawn("qrkit", markers={"topLeft": {"pattern": pattern}}, size=16)
    assert only.to_bytes("svg") == image.to_bytes("svg")


@pytest.mark.parametrize("pattern", sorted(EYES.keys() - set(MICRO_EYES)))
def test_eye_that_readers_miss_is_refused_by_name(pattern):
    with pytest.raises(InvalidParameter, match=r"must be default, eye-2, .* with micro") as raised:
        drawn("qrkit", markers=Markers.all(pattern))
    assert [problem.name for problem in raised.value.problems] == ["markers.topLeft.pattern"]
    assert drawn("qrkit", markers={"topRight": {"pattern": pattern}})


@pytest.mark.parametrize(
    "fields",
    [
        {
            "foreground": {
                "gradient": "linear",
                "stops": [{"offset": 0, "color": "navy"}, {"offset": 1, "color": "red"}],
            }
        },
        {"frame": {"kind": "bar", "caption": {"text": "Scan"}}},
        {"flip": "vertical"},
        {"width": 400},
        {"padding": 6, "foreground": "navy"},
        {"modules": {"type": "dots", "palette": ["navy", "darkred"]}},
    ],
    ids=["gradient", "frame", "flip", "width", "colors", "palette"],
)
def test_decorated_micro_qr_code_is_read(fields):
    assert read(drawn("qrkit", size=10, **fields))[0] == "qrkit"


def test_layer_leaves_out_modules_but_no_pattern():
    image = drawn("1", ec="L", em="numeric", layers=[
        {"content": "icon:heart", "x": 0, "y": 0, "width": 120, "height": 120, "display": "box-hit-test"}
    ])  # fmt: skip
    assert image.to_bytes("svg") != drawn("1", ec="L", em="numeric").to_bytes("svg")


@pytest.mark.parametrize("format", ["png", "svg", "eps", "pdf"])
def test_plain_symbol_is_drawn_in_every_format(format):
    assert drawn("1").to_bytes(format)


def test_text_has_a_line_for_each_row():
    lines = drawn("1", ec="L", em="numeric").to_text("binary").splitlines()
    assert (len(lines), lines[2]) == (15, "001111111010100")


# ---- Checks


def test_check_gives_no_verdict():
    image = drawn("qrkit", padding=0, foreground="#DDDDDD", warn=True)
    for ask in (image.check, image.design.check, lambda: image.scan, lambda: check(image.to_bytes()),
                image.design.make_scannable):  # fmt: skip
        with pytest.raises(InvalidParameter, match="has no verdict: most phones cannot read Micro QR Codes"):
            ask()
    assert image.known_scan is image.fault is None


@pytest.mark.filterwarnings("error")
def test_nothing_warns_about_what_cannot_be_checked(tmp_path):
    image = drawn("qrkit", foreground="#CCCCCC", modules={"type": "dots"})
    image.save(tmp_path / "code.png")
    assert "image/svg+xml" in image._repr_mimebundle_()
    assert "M3-M" in image.symbol._repr_mimebundle_()["text/html"]


def test_command_draws_micro_qr_codes(tmp_path, capsys):
    file = tmp_path / "code.png"
    assert main(["generate", "12345", "--micro", "--em", "numeric", "--ec", "L", "-o", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []
    assert decode(file).version == -1
    assert decode(Image.open(BytesIO(file.read_bytes()))).dimension == 11


def test_http_interface_draws_without_a_score():
    with Store() as store:
        account = Account(new_id(), "shop", "premium")
        insert_account(store, account, datetime(2026, 3, 14, tzinfo=UTC))
        client, key = Client(make_app(store)), create_key(store, account)
        body = {"content": "qrkit", "micro": True, "foreground": "#FFCCCCCC"}
        reply = client.post("/api/v3/generate", body, auth=key)
        checked = client.post("/api/v3/check", body, auth=key)
    assert (reply.status, "x-scan-score" in reply.headers, "warning" in reply.headers) == (200, False, False)
    assert Image.open(BytesIO(reply.body)).size == (152, 152)
    assert checked.status == 400
    assert b"has no verdict" in checked.body
