"""Plain pictures the short way, held against the long way and against pictures made up here."""

import re
from io import BytesIO
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit import Design, QRImage, decode, generate
from qrkit.design.runs import runs
from qrkit.drawing.draw import draw, draw_plain, is_plain
from qrkit.drawing.plain_picture import written_runs
from qrkit.drawing.svg.svg_text import quoted
from qrkit.drawing.writers import eps, pdf, png, svg
from qrkit.errors import InvalidParameter

COLORS = ["black", "white", "transparent", "#0B3D91", "#80FF0000", "#01FFFFFF", "#40102030"]

contents = st.text(min_size=1, max_size=40).filter(lambda text: text.encode("utf-8", "ignore").decode() == text)
sides = st.none() | st.integers(250, 700)
designs = st.fixed_dictionaries(
    {
        "content": contents,
        "version": st.none() | st.integers(6, 14),
        "ec": st.sampled_from("LMQH"),
        "size": st.integers(1, 20),
        "padding": st.integers(0, 20),
        "width": sides,
        "height": sides,
        "foreground": st.sampled_from(COLORS),
        "background": st.sampled_from(COLORS),
        "modules": st.sampled_from([{}, {"union": False}, {"union": True}]),
    }
).map(lambda fields: Design(**fields))
many = settings(max_examples=150)


def drawn(design: Design) -> QRImage | None:
    """None where the size asked for is too small."""
    try:
        return QRImage(design)
    except InvalidParameter as error:
        assert "leaves less than a pixel" in str(error)
        return None


CELLS = st.integers(1, 12).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(0, 1), min_size=width, max_size=width).map(bytes), min_size=1, max_size=6
    ).map(tuple)
)


@given(CELLS)
def test_runs_cover_each_dark_cell_once_and_never_touch_in_a_row(cells):
    drawn = [bytearray(len(row)) for row in cells]
    for column, row, number in runs(cells):
        assert not any(drawn[row][max(column - 1, 0) : column + number])
        drawn[row][column : column + number] = b"\1" * number
    assert tuple(map(bytes, drawn)) == cells
    assert written_runs(cells, "re") == [f"{column} {row} {number} re" for column, row, number in runs(cells)]


@pytest.mark.slow
@given(designs)
@many
def test_the_short_way_gives_what_the_long_way_gives(design):
    image = drawn(design)
    if image is None:
        return
    for exact in (False, True):
        short, long = draw_plain(design, image.symbol, exact=exact), draw(design, image.symbol, exact=exact)
        assert short == long.plain
        assert short or exact, "in whole pixels, every such design is plain"
    assert image.to_bytes("png") == png.write(image.scene)
    assert image.to_bytes("svg") == svg.write(image.exact_scene)
    assert image.to_bytes("eps") == eps.write(image.exact_scene)
    assert image.to_bytes("pdf") == pdf.write(image.exact_scene)
    assert image._repr_mimebundle_()["image/svg+xml"].encode() == svg.write_union(image.exact_scene)


def pixels(design: Design, modules: tuple[bytes, ...]) -> np.ndarray:
    """What a plain design looks like, by the words of ruling G8: 0 for the background."""
    across = len(modules) + 2 * design.padding
    width = design.width or design.height or across * design.size
    height = design.height or design.width or across * design.size
    module = min(width, height) // across
    found = np.zeros((height, width), dtype=np.uint8)
    symbol = np.kron(np.array([list(row) for row in modules], dtype=np.uint8), np.ones((module, module), np.uint8))
    left = (width - across * module) // 2 + design.padding * module
    top = (height - across * module) // 2 + design.padding * module
    found[top : top + len(symbol), left : left + len(symbol)] = symbol
    return found


@pytest.mark.slow
@pytest.mark.rule("G8")
@given(designs)
@many
def test_every_pixel_of_a_png_is_where_and_what_it_should_be(design):
    image = drawn(design)
    if image is None:
        return
    light, dark = design.background, design.foreground.over(design.background)
    colors = np.array([(one.red, one.green, one.blue, one.alpha) for one in (light, dark)], dtype=np.uint8)
    shown = np.asarray(Image.open(BytesIO(image.to_bytes())).convert("RGBA"))
    assert np.array_equal(shown, colors[pixels(design, image.symbol.modules)])


@pytest.mark.rule("G5")
@pytest.mark.parametrize("version", [1, 3, 12, 13, 40])
@pytest.mark.parametrize(
    "fields", [{}, {"size": 3, "padding": 0, "foreground": "#8000FF7F", "background": "#80000000"}]
)
def test_every_line_of_an_svg_is_as_old_clients_read_it(version, fields):
    """A fact; from version 13 on, the lines are put together in another way."""
    image = generate("x", version=version, modules={"union": False}, **fields)
    design, size = image.design, image.design.size
    styles = []
    for color in (design.background, design.foreground):
        opacity = f"fill-opacity:{color.alpha / 255:.4g};" if color.alpha < 255 else ""
        styles.append(f"fill:rgb({color.red},{color.green},{color.blue});{opacity}")
    expected = [f'<rect x="0" y="0" width="{image.width}" height="{image.height}" style="{styles[0]}"/>']
    for row, line in enumerate(image.symbol.modules):
        for column in np.flatnonzero(list(line)):
            x, y = (design.padding + column) * size, (design.padding + row) * size
            expected.append(f'<rect x="{x}" y="{y}" width="{size}" height="{size}" style="{styles[1]}"/>')
    assert image.to_bytes("svg").decode().splitlines()[1:-1] == expected


@given(
    st.fixed_dictionaries(
        {
            "content": contents,
            "size": st.integers(3, 12),
            "padding": st.integers(4, 8),
            "foreground": st.sampled_from(["black", "#0B3D91", "#C0000000"]),
            "background": st.sampled_from(["white", "transparent", "#80FFFFFF"]),
        }
    )
)
@settings(max_examples=40)
def test_readers_read_plain_pictures(fields):
    image = QRImage(Design(**fields))
    assert decode(image.to_bytes("png")).content == image.design.content


@pytest.mark.rule("G9")
@pytest.mark.parametrize("format", ["png", "svg"])
def test_the_same_design_gives_the_same_bytes_whatever_was_drawn_before(format):
    first = [QRImage(Design(content="same", size=size)).to_bytes(format) for size in range(1, 21)]
    assert first == [QRImage(Design(content="same", size=size)).to_bytes(format) for size in range(1, 21)]


LAYER = {"content": "icon:heart", "x": 1, "y": 1, "width": 9, "height": 9}
HOLE = {"x": 5, "y": 5, "width": 80, "height": 80}
WRAPPER = {"source": "icon:square", "width": 90, "height": 90, "placeholder": HOLE}
GRADIENT = {"gradient": "linear", "stops": [{"offset": 0, "color": "red"}, {"offset": 1, "color": "blue"}]}


@pytest.mark.parametrize(
    "fields",
    [
        {"layers": [LAYER]},
        {"wrapper": WRAPPER},
        {"flip": "both"},
        {"modules": {"type": "dots"}},
        {"markers": {"topLeft": {"pattern": "eye-3"}}},
        {"markers": {"bottomLeft": {"pattern": "default", "innerColor": "red"}}},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_decorated_is_not_plain(fields):
    design = Design(content="x", **fields)
    image = QRImage(design)
    assert not is_plain(design)
    assert draw_plain(design, image.symbol) is None
    assert image.to_bytes("png") == png.write(image.scene)


def test_gradients_are_not_plain():
    for field in ("foreground", "background"):
        image = generate("x", **{field: GRADIENT})
        assert draw_plain(image.design, image.symbol) is None
        assert image.scene.plain is None


def test_a_size_that_is_too_small_is_refused_before_anything_is_drawn():
    with pytest.raises(InvalidParameter, match="width=28: leaves less than a pixel for each of 29 modules"):
        generate("x", width=28)


# ---- compression


def test_compression_changes_bytes_and_no_pixel(tmp_path):
    image = generate("https://example.com", version=10)
    files = [image.to_bytes("png", compression=level) for level in range(10)]
    assert len({shown(file) for file in files}) == 1
    assert len(files[0]) > len(files[1]) > len(files[6]) > len(files[9])
    assert image.to_bytes("png") == files[png.PLAIN_COMPRESSION]
    assert image.save(tmp_path / "a.png", compression=9).read_bytes() == files[9]
    assert image.to_bytes("png", compression=np.int64(9)) == files[9]


def shown(file: bytes) -> bytes:
    return Image.open(BytesIO(file)).convert("RGBA").tobytes()


def test_decorated_and_printed_pictures_are_compressed_as_asked():
    decorated = generate("x", foreground=GRADIENT)
    small, large, usual = (decorated.to_bytes("png", compression=level) for level in (9, 0, None))
    assert len(small) <= len(usual) < len(large)
    assert shown(small) == shown(large) == shown(usual)
    printed = generate("x").print_at(30)
    small, large = (printed.to_bytes("png", compression=level) for level in (9, 0))
    assert len(small) < len(large)
    assert shown(small) == shown(large) == shown(printed.to_bytes("png"))


@pytest.mark.parametrize("level", [-1, 10, True, "3", 2.5, float("nan")])
def test_a_level_of_compression_that_does_not_exist_is_refused(level, tmp_path):
    image = generate("x")
    with pytest.raises(InvalidParameter, match=r"compression=.*: must be a whole number in 0\.\.9"):
        image.to_bytes("png", compression=level)
    with pytest.raises(InvalidParameter, match="compression"):
        image.save(tmp_path / "x.png", compression=level)
    assert list(tmp_path.iterdir()) == []


def test_only_png_has_levels_of_compression():
    with pytest.raises(InvalidParameter, match="compression=3: is only for the format png"):
        generate("x").to_bytes("svg", compression=3)
    with pytest.raises(InvalidParameter, match="compression=3: is only for the format png"):
        generate("x").print_at(30).to_bytes("pdf", compression=3)


# ---- SVG text


@given(st.text(alphabet=st.sampled_from("ab<>&\"'\n\r\t é\u2028")) | st.text())
@settings(max_examples=300)
def test_texts_are_quoted_as_the_standard_library_does(text):
    assert quoted(text) == quoteattr(text)


def test_labels_hold_no_character_that_xml_forbids():
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10100), 0x1F600, 0x10FFFF]))
    labels = [svg.readable(character).removeprefix("QR Code: ") for character in everything]
    forbidden = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
    assert labels == [forbidden.sub("\ufffd", character) for character in everything]
