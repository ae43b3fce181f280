"""Sheets of labels, as they are printed: where everything lies, what is read back, and what is refused."""

import re
import subprocess
import warnings
import zlib
from collections import Counter
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
import qrkit.accessor
from PIL import Image, ImageColor, ImageOps

from qrkit import Design, Layer, decode_all, generate, open_portfolio
from qrkit.drawing.writers import FORMATS
from qrkit.errors import InvalidParameter, NotFound, ScanWarning
from qrkit.paper import (
    CARDS,
    Labels,
    SheetSettings,
    first_page,
    stock_named,
    stocks,
    write_sheet,
    write_test_page,
)
from qrkit.paper.placing import Lettering, TextSize, place, room_of
from tests import icc
from tests.conformance import readers

LINK = "https://go.example.com/{n}"
MM = 25.4 / 72
PLACED = re.compile(r"^q (\S+) 0 0 \1 (\S+) (\S+) cm /(\S+) Do Q$", re.MULTILINE)
"""A code or a letter on a page: its size, its place, and its form."""
BLACK_BAR = {"kind": "bar", "caption": "{name}", "color": "black"}
TOO_SMALL = ("Hisago OP2505", "Online Labels OL229")
"""Stocks that no QR Code fits."""


def labels(count, content=LINK, **fields):
    rows = [{"n": str(n), "name": f"Table {n}", **fields} for n in range(1, count + 1)]
    return Labels(rows, lambda row: generate(content.format(**row), warn=False), lambda row: row)


@pytest.fixture
def written(tmp_path):
    """Writes a sheet, and returns its file."""

    def write(count=1, content=LINK, fields=None, **settings):
        return write_sheet(tmp_path / "s.pdf", labels(count, content, **fields or {}), SheetSettings(**settings)).path

    return write


def streams(file):
    """The decompressed streams of a PDF, by the start of their dictionaries."""
    data = file.read_bytes()
    found = re.finditer(rb"<<([^\n]*?)/Length (\d+)/Filter/FlateDecode>>\nstream\n", data)
    return [(one[1], zlib.decompress(data[one.end() : one.end() + int(one[2])]).decode("latin-1")) for one in found]


def pages(file):
    return [text for head, text in streams(file) if not head]


def moved(page):
    """Where labels begin on a page, in millimeters."""
    return [tuple(map(float, one)) for one in re.findall(r"^1 0 0 1 (\S+) (\S+) cm\n\S+ \S+ m$", page, re.MULTILINE)]


def shown(file, dots=150, page=1, box=None):
    """A page, or a box of it in millimeters, as poppler shows it, as gray."""
    part = [round(side / 25.4 * dots) for side in box or ()]
    cut = [str(one) for pair in zip(("-x", "-y", "-W", "-H"), part, strict=False) for one in pair]
    target = file.with_suffix(f".{dots}")
    command = ["pdftoppm", "-r", str(dots), "-f", str(page), "-l", str(page), "-gray", "-singlefile", *cut]
    subprocess.run([*command, str(file), str(target)], check=True)
    return Image.open(target.with_suffix(f".{dots}.pgm"))


def read(picture):
    return sorted(found.content for found in decode_all(picture))


# ---- where labels lie


@pytest.mark.parametrize("name", ["L7160", "5160", "L7163", "8960", *CARDS])
def test_labels_begin_where_their_stock_says(name, written):
    stock = stock_named(name)
    file = written(len(stock.places), "1", stock=name, least_module=0.1)
    (page,) = pages(file)
    assert np.allclose(moved(page), stock.places, atol=1e-3)
    width, height = re.search(rb"MediaBox\[0 0 (\S+) (\S+)\]", file.read_bytes()).groups()
    assert (float(width) * MM, float(height) * MM) == pytest.approx(stock.page, abs=1e-3)


@pytest.mark.slow
def test_labels_of_all_makers_begin_where_their_stock_says(written):
    large = [(name, one) for name, one in stocks().items() if name not in TOO_SMALL]
    for name, stock in large[::2]:
        file = written(1, "1", stock=name, copies=len(stock.places), least_module=0.1)
        assert np.allclose(moved(pages(file)[0]), stock.places, atol=1e-3), name


def test_the_first_label_is_the_one_asked_for(written):
    places = stock_named("L7160").places
    first, second = pages(written(3, stock="L7160", start=20))
    assert moved(first) == pytest.approx(np.array(places[19:]), abs=1e-3)
    assert moved(second) == pytest.approx(np.array(places[:1]), abs=1e-3)


def test_a_code_is_drawn_once_and_placed_as_often_as_asked(written):
    file = written(2, stock="L7160", copies=30)
    assert len(pages(file)) == 3
    assert Counter(len(moved(page)) for page in pages(file)) == {21: 2, 18: 1}
    assert sum(b"Subtype/Form" in head for head, _ in streams(file)) == 2


def test_the_same_sheet_has_the_same_bytes(written):
    how = {"count": 3, "stock": "business-card", "lines": ("{name}",), "bleed": 3, "marks": "crop"}
    assert written(**how).read_bytes() == written(**how).read_bytes()


def test_no_font_and_no_image_is_embedded(written):
    data = written(3, stock="L7160", lines=("{name}", "Größe"), label_color="#FFEECC").read_bytes()
    assert b"/Font" not in data
    assert b"/Image" not in data


@pytest.mark.needs("pdftoppm")
@pytest.mark.parametrize(("paper", "size"), [(None, (210, 297)), ("A2", (420, 594)), ("tabloid", (279.4, 431.8))])
def test_a_poster_has_its_title_above_the_code_and_further_texts_below(paper, size, written):
    texts = ("Menu", "Scan it with your phone", "Open every day")
    file = written(2, stock="poster", paper=paper, lines=texts)
    width, height = map(float, re.search(rb"MediaBox\[0 0 (\S+) (\S+)\]", file.read_bytes()).groups())
    assert (width * MM, height * MM) == pytest.approx(size, abs=1e-2)
    page = pages(file)[0]
    code, *letters = [(*map(float, one[:3]), one[3]) for one in PLACED.findall(page)]
    title, others = letters[:4], letters[4:]
    assert max(y for _, _, y, _ in title) < code[2] < min(y for _, _, y, _ in others)
    assert min(size for size, *_ in title) > 2 * max(size for size, *_ in others)
    assert read(shown(file, 40, 2)) == [LINK.format(n=2)]


def test_the_page_of_a_poster_has_room_for_its_bleed(written):
    data = written(stock="poster", paper="A3", bleed=3, marks="crop").read_bytes()
    trim, media = (
        re.search(rb"/%sBox\[(\S+) (\S+) (\S+) (\S+)\]" % name, data).groups() for name in (b"Trim", b"Media")
    )
    left, bottom, right, top = (float(side) * MM for side in trim)
    assert (right - left, top - bottom) == pytest.approx((297, 420), abs=1e-2)
    assert [float(side) * MM for side in media[2:]] == pytest.approx([313, 436], abs=1e-2)
    with pytest.raises(InvalidParameter, match="paper='card': is not a paper size"):
        written(stock="poster", paper="card")


# ---- what the printer prints


@pytest.mark.needs("pdftoppm")
@pytest.mark.parametrize("name", ["L7160", pytest.param("5160", marks=pytest.mark.slow)])
def test_labels_and_modules_are_exact_on_paper(name, written):
    """A label within 0.1 mm, a module within 0.02 mm, at 1,200 dots per inch."""
    stock = stock_named(name)
    x, y = stock.places[1]
    file = written(2, stock=name, marks="cut")
    dark = np.asarray(shown(file, 1200, box=(x - 1, y - 1, stock.width + 2, stock.height + 2))) < 128
    dot = 25.4 / 1200
    start = np.round(np.array([x - 1, y - 1]) / dot) * dot
    middle = dark[dark.shape[0] // 2], dark[:, dark.shape[1] // 2]
    for line, at, side in zip(middle, (x, y), (stock.width, stock.height), strict=True):
        edges = np.flatnonzero(line)[[0, -1]] * dot + dot / 2 + start[0 if at == x else 1]
        assert edges == pytest.approx([at, at + side], abs=0.1)
    inner = dark[150:-150, 150:-150]
    rows, columns = np.flatnonzero(inner.any(1)), np.flatnonzero(inner.any(0))
    module = (columns[-1] - columns[0] + 1) * dot / generate(LINK.format(n=2)).symbol.side
    assert (rows[-1] - rows[0] + 1) == pytest.approx(columns[-1] - columns[0] + 1, abs=1)
    finder = inner[rows[0] + round(module / dot / 2), columns[0] :]
    changes = np.flatnonzero(np.diff(finder.astype(int)))[:2] + 1
    assert changes * dot == pytest.approx([7 * module, 8 * module], abs=0.02)


@pytest.mark.needs("pdftoppm")
@pytest.mark.parametrize("name", ["L7160", pytest.param("sticker", marks=pytest.mark.slow)])
def test_every_code_of_a_sheet_is_read_back(name, written):
    count = len(stock_named(name).places)
    file = written(count, stock=name, lines=("{name}",))
    assert read(shown(file, 200)) == sorted(LINK.format(n=n) for n in range(1, count + 1))


@pytest.mark.needs("pdftoppm")
def test_a_table_tent_stands_upright_on_both_sides(written):
    picture = shown(written(1, stock="table-tent", lines=("{name}",)), 100)
    middle = picture.height // 2
    back, front = picture.crop((0, 0, picture.width, middle)), picture.crop((0, middle, *picture.size))
    assert read(back) == read(front) == [LINK.format(n=1)]
    back, front = (one.crop(ImageOps.invert(one).getbbox()) for one in (back.rotate(180), front))
    assert back.size == pytest.approx(front.size, abs=1)
    assert np.abs(np.asarray(back.resize(front.size), int) - np.asarray(front, int)).mean() < 20


@pytest.mark.needs("pdftoppm")
@pytest.mark.parametrize("stock", ["L7160", "table-tent"])
def test_picture_of_the_first_page_shows_what_is_printed(stock, written):
    settings = {"stock": stock, "lines": ("{name}",), "start": 2, "copies": 2}
    page = FORMATS["png"].write(first_page(labels(25), SheetSettings(**settings), width=1240))
    printed = shown(written(25, **settings))
    with Image.open(BytesIO(page)) as picture:
        assert picture.size == pytest.approx(printed.size, abs=1)
        dark = [np.asarray(one.convert("L").resize((310, 438))) < 128 for one in (picture, printed)]
    assert read(page) == read(printed)
    assert np.mean(dark[0] != dark[1]) < 0.01


@pytest.mark.needs("pdftoppm")
def test_round_labels_clip_their_color(written):
    stock = stock_named("sticker")
    x, y = stock.places[0]
    picture = shown(written(1, stock="sticker", label_color="#000080"), 100, box=(x, y, 50, 50))
    assert picture.getpixel((4, 4)) == 255
    assert picture.getpixel((picture.width // 2, 4)) < 100


@pytest.mark.needs("pdftoppm")
def test_bleed_reaches_over_the_cut_and_marks_lie_outside(written):
    stock = stock_named("business-card", gap=6, edge=8)
    x, y = stock.places[0]
    file = written(1, stock="business-card", label_color="#000080", bleed=3, marks="crop")
    picture = shown(file, 254, box=(x - 8, y - 8, 20, 20))  # ten dots a millimeter
    assert [picture.getpixel((at, 150)) < 100 for at in (45, 52)] == [False, True]
    marks = np.asarray(picture)[:38, :48] < 128
    assert np.flatnonzero(marks.any(0)).size == 0
    assert (np.asarray(picture)[:40, 76:84] < 128).any()


@pytest.mark.parametrize(("paper", "marks"), [("A4", "crop"), ("A4", "cut"), ("card", "crop"), ("card", "cut")])
def test_folds_are_marked_outside_of_the_finished_card(paper, marks, written):
    file = written(2, stock="table-tent", paper=paper, marks=marks, bleed=3)
    page, width = pages(file)[0], float(re.search(rb"MediaBox\[0 0 (\S+)", file.read_bytes())[1]) * MM
    lefts, middle = [x for x, _ in moved(page)], moved(page)[0][1] + 240 / 2
    dashed = page.partition("[1 1] 0 d")[2]
    folds = [tuple(map(float, one)) for one in re.findall(r"^(\S+) (\S+) m (\S+) (\S+) l S$", dashed, re.MULTILINE)]
    assert len(folds) == 2
    for start, top, end, bottom in folds:
        assert (top, bottom) == pytest.approx((middle, middle), abs=1e-3)
        assert min(start, end) >= 0
        assert max(start, end) <= width + 1e-3
        assert max(start, end) < min(lefts) - 3 or min(start, end) > max(lefts) + 90 + 3


@pytest.mark.needs("pdftoppm")
def test_bleed_fills_the_corners_of_a_card_with_round_ones(written):
    x, y = stock_named("hang-tag", gap=6, edge=3).places[0]
    picture = shown(written(stock="hang-tag", label_color="#000080", bleed=3), 254, box=(x - 3, y - 3, 5, 5))
    assert np.asarray(picture)[1:-1, 1:-1].max() < 100


@pytest.mark.needs("pdftoppm")
def test_the_bleed_of_a_label_hides_no_other(written):
    file = written(21, stock="L7160", label_color="#FFEE00", bleed=8)
    assert read(shown(file)) == sorted(LINK.format(n=number) for number in range(1, 22))


@pytest.mark.needs("pdftoppm")
@pytest.mark.parametrize(
    ("color", "fields", "beside"),
    [
        ("#FFE8B0", {}, "#FFE8B0"),
        ("#FFE8B0", {"background": "#FFFFE0"}, "#FFFFE0"),
        ("#FFE8B0", {"foreground": "#C08040"}, "white"),
        ("#204080", {}, "white"),
        ("#204080", {"foreground": "white", "background": "transparent"}, "#204080"),
    ],
)
def test_a_code_stands_on_a_colored_label_if_phones_read_it_there(color, fields, beside, tmp_path):
    one = Labels([{}], lambda row: generate(LINK, warn=False, **fields), dict)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = write_sheet(tmp_path / "s.pdf", one, SheetSettings(stock="L7160", label_color=color)).path
    subprocess.run(["pdftoppm", "-r", "150", "-png", "-singlefile", file, tmp_path / "s"], check=True)
    picture = Image.open(tmp_path / "s.png").convert("RGB")
    x, y = stock_named("L7160").places[0]
    corner = round((x + 16) / 25.4 * 150), round((y + 3.5) / 25.4 * 150)
    assert np.allclose(picture.getpixel(corner), ImageColor.getrgb(beside), atol=2)


def test_text_that_people_cannot_read_is_told(tmp_path):
    with pytest.warns(UserWarning, match="text in #000000 on #222222 has a contrast of 1.3, and people need 3 or more"):
        write_sheet(tmp_path / "s.pdf", labels(1), SheetSettings(stock="L7160", lines=["x"], label_color="#222"))
    for field in ("label_color", "text_color"):
        with pytest.raises(InvalidParameter, match=f"{field}.*must be opaque"):
            SheetSettings(stock="L7160", **{field: "transparent"})


@pytest.mark.needs("pdftoppm")
def test_the_printer_is_corrected(written):
    page = np.asarray(shown(written(1, stock="L7160"), 254)) < 128
    other = np.asarray(shown(written(1, stock="L7160", offset_x=5, offset_y=-2), 254)) < 128
    assert np.argwhere(other).min(0) - np.argwhere(page).min(0) == pytest.approx([-20, 50], abs=1)
    other = np.asarray(shown(written(1, stock="L7160", scale=1.1), 254)) < 128
    assert np.argwhere(other).max(0) == pytest.approx(np.argwhere(page).max(0) * 1.1, abs=2)


@pytest.mark.needs("gs")
def test_black_is_one_ink_if_asked(written):
    file = written(2, stock="L7160", lines=("{name}",), key_black=True, marks="cut")
    command = ["gs", "-q", "-o", "-", "-sDEVICE=inkcov", str(file)]
    inks = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[:4]
    assert [float(ink) for ink in inks[:3]] == [0, 0, 0]
    assert float(inks[3]) > 0


@pytest.fixture(scope="session")
def press(tmp_path_factory):
    file = tmp_path_factory.mktemp("icc") / "press.icc"
    file.write_bytes(icc.profile())
    return file


@pytest.mark.parametrize(("marks", "edge"), [("none", 3), ("crop", 8)])
def test_each_card_has_a_page_that_says_where_it_is_cut(marks, edge, press, written):
    how = {"bleed": 3, "marks": marks, "profile": press}
    data = written(3, stock="business-card", paper="Card", **how).read_bytes().decode("latin-1")
    found = {tuple(re.findall(r"/(\w+Box)\[([^]]*)\]", line)) for line in data.splitlines() if "/Type/Page/" in line}
    (page,) = (dict(one) for one in found)
    boxes = {name: [float(side) * MM for side in sides.split()] for name, sides in page.items()}
    width, height = 85 + 2 * edge, 55 + 2 * edge
    assert data.count("/TrimBox") == 3
    assert boxes["MediaBox"] == pytest.approx([0, 0, width, height], abs=0.01)
    assert boxes["TrimBox"] == pytest.approx([edge, edge, width - edge, height - edge], abs=0.01)
    assert boxes["BleedBox"] == pytest.approx([edge - 3, edge - 3, width - edge + 3, height - edge + 3], abs=0.01)


@pytest.mark.needs("gs", "qpdf")
def test_a_sheet_for_a_press_has_black_ink_alone_and_a_spot_color(press, written, tmp_path):
    file = written(2, stock="L7160", lines=("{name}",), marks="crop", profile=press)
    subprocess.run(["qpdf", "--check", file], check=True, capture_output=True)
    command = ["gs", "-q", "-o", "-", "-sDEVICE=inkcov", str(file)]
    inks = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[:4]
    assert [float(ink) > 0 for ink in inks] == [False, False, False, True]
    first = file.read_bytes()
    assert written(2, stock="L7160", lines=("{name}",), marks="crop", profile=press).read_bytes() == first
    how = {"lines": ("{name}",), "text_color": "navy", "profile": press, "spots": {"navy": "Reflex Blue"}}
    (page,) = pages(written(2, stock="L7160", **how))
    assert len(re.findall("/C. cs 1 scn", page)) == 2


def test_a_spot_color_that_no_label_has_is_refused(press, written, tmp_path):
    with pytest.raises(InvalidParameter, match="no module, text or flat shape has the color #000080"):
        written(2, stock="L7160", profile=press, spots={"navy": "Reflex Blue"})
    assert list(tmp_path.iterdir()) == []
    file = write_test_page(tmp_path / "t.pdf", SheetSettings(stock="L7160", profile=press, spots={"navy": "Blue"}))
    assert len(pages(file)) == 1


def test_modules_are_whole_dots_of_the_printer(written):
    scale = float(re.search(r"q (\S+) 0 0 \S+ \S+ \S+ cm /X", pages(written(1, stock="L7160", dpi=203))[0])[1])
    dots = scale * 8 / (25.4 / 203)  # 8 pixels a module
    assert dots == pytest.approx(round(dots), abs=1e-3)


def test_a_test_page_numbers_each_label(tmp_path):
    file = write_test_page(tmp_path / "t.pdf", SheetSettings(stock="L7160"))
    (page,) = pages(file)
    assert page.count("S Q") == 21
    assert len(pages(file)) == 1


# ---- what is refused, before anything is written


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"count": 0, "stock": "L7160"}, "rows: must not be empty: there is no QR Code to print"),
        ({"stock": "L7160", "start": 22}, "start=22: must be in 1..21, the labels on a page of Avery 7160"),
        ({"stock": "L7160", "lines": ("{nmae}",)}, r"unknown field \{nmae\}.*did you mean 'name'"),
        ({"stock": "L7160", "lines": ("x" * 300,)}, "label='Table 1': the text does not fit Avery 7160, even in"),
        ({"stock": "L7160", "lines": ("a word " * 4_600,)}, "label='Table 1': the text does not fit"),
        ({"stock": "L7160", "lines": ("שלום",)}, "label='Table 1': has Hebrew letters"),
        (
            {"stock": "L7651", "content": "x" * 200, "count": 2},
            "label='Table 1': the QR Code does not fit Avery 8651: its modules would be 0.2. mm wide, and phones need "
            "0.4 mm; version 5 is the largest that fits.*larger label; label='Table 2': [^;]*, and phones need 0.4 mm$",
        ),
        (
            {"stock": "L7651", "content": "x" * 60, "dpi": 203},
            "would be 0.38 mm wide, whole dots at 203 dpi, and phones need 0.5 mm",
        ),
        ({"stock": "L7160", "bleed": 11}, "bleed=11: must be in 0..10 millimeters"),
        ({"stock": "L7160", "color": "red"}, "color='red': is not a parameter"),
    ],
)
def test_what_cannot_be_kept_is_told_and_nothing_is_written(how, told, written, tmp_path):
    with pytest.raises(InvalidParameter, match=told):
        written(**how)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("stock", "start", "numbers"), [("L7160", 2, range(1, 21)), ("table-tent", 1, [1, 1, 2, 2])])
def test_the_first_page_is_shown_as_a_picture(stock, start, numbers, tmp_path):
    settings = SheetSettings(stock=stock, lines=("{name}",), start=start)
    file = write_sheet(tmp_path / "s.svg", labels(23), settings).path
    assert read(file) == sorted(LINK.format(n=n) for n in numbers)
    assert "First page, " in file.read_text(encoding="utf-8")


def test_a_sheet_is_a_pdf(tmp_path):
    with pytest.raises(InvalidParameter, match=r"must end in \.pdf"):
        write_sheet(tmp_path / "s.png", labels(1), SheetSettings(stock="L7160"))


@pytest.mark.parametrize("line", ["https://go.example.com/?a=/", "&&&&@@//", "Ab-" * 40, "x" * 30])
@pytest.mark.parametrize("name", ["L7651", "sticker", "8960"])
def test_text_lies_within_its_label(line, name, written):
    """Each letter does, and none is lost."""
    stock = stock_named(name)
    try:
        (page,) = pages(written(1, "1", stock=name, lines=(line,), least_module=0.1))
    except InvalidParameter as error:
        assert "the text does not fit" in str(error)
        return
    letters = PLACED.findall(page)[1:]
    assert len(letters) == len(line.replace(" ", ""))
    for _, x, y, _ in letters:
        assert 0 < float(x) < stock.width
        assert 0 < float(y) < stock.height


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        (
            ("Lucía Fernández-Öz", "lucia@casaverde.example", "Interior designer"),
            ["Lucía", "Fernández-Öz", "lucia@casaverde.example", "Interior designer"],
        ),
        (("Door", "https://go.example.com/a?b=door"), ["Door", "https://go.example.com/a?b=door"]),
    ],
)
def test_letters_get_smaller_before_a_word_is_broken(texts, lines):
    stock = stock_named("business-card")
    placed = place(room_of(stock), 1, texts, TextSize(3.5, 3, 3.5), Lettering([texts]))
    assert [line.text for line in placed.lines] == lines
    sizes = [line.capital for line in placed.lines]
    assert min(sizes) >= 1.27
    assert sizes == sorted(sizes, reverse=True)


def test_a_word_that_is_too_long_in_the_smallest_letters_is_broken_alone():
    long = "https://go.example.com/" + "menus-and-prices/" * 3
    texts = ("Lucía Fernández-Öz", f"Fernández-Öz-Casaverde {long}")
    placed = place(room_of(stock_named("business-card")), 1, texts, TextSize(3.5, 3, 3.5), Lettering([texts]))
    told = [line.text for line in placed.lines]
    assert "Fernández-Öz" in told
    assert "Fernández-Öz-Casaverde" in told
    assert "".join(told).endswith(long)


@pytest.mark.parametrize("stock", ["business-card", "hang-tag"])
def test_labels_of_a_sheet_have_letters_and_codes_of_one_size(stock, tmp_path):
    """A long name makes the letters of all labels smaller, and moves no code of its own."""
    names = ("Table 1", "Table 2 by the long window to the garden", "Averyverylongunbrokenword", "")
    rows = [{"name": name, "room": room} for name, room in zip(names, ("Bar", "", "Terrace", ""), strict=True)]
    some = Labels(rows, lambda row: generate(LINK, warn=False), dict)
    settings = SheetSettings(stock=stock, lines=("{name}", "{room}"))
    (page,) = pages(write_sheet(tmp_path / "s.pdf", some, settings).path)
    placed = PLACED.findall(page)
    code = placed[0][3]
    assert len({(x, y, size) for size, x, y, form in placed if form == code}) == 1
    assert len({size for size, _, _, form in placed if form != code}) == 2


def test_letters_that_the_font_lacks_are_told(written):
    with pytest.warns(UserWarning, match=r"no letter '店'"):
        written(1, stock="L7160", lines=("店",))


# ---- from a portfolio, a frame, the command line


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as opened:
        spring = opened.insert_campaign("Spring")
        for name in ("Door", "Window"):
            opened.insert_qrcode("https://example.com", name=name, campaign_id=spring.id, fields={"City": "Graz"})
        opened.insert_qrcode("https://example.com/other", name="Other")
        yield opened


def test_names_are_on_labels_unless_captions_say_them(shop, tmp_path):
    def written(**how):
        return shop.sheet(tmp_path / "s.pdf", "L7160", **how).path.read_bytes()

    assert written() == written(lines=["{name}"]) != written(lines=[])
    shop.templates.save("bar", {"frame": {"kind": "bar", "caption": {"text": "{name}"}}})
    shop.set_default_template("bar")
    assert written() == written(lines=[]) != written(lines=["{name}"])
    assert shop.sheet(tmp_path / "s.pdf", "L7160", campaign_id=shop.find_campaign("Spring").id).labels == 2


@pytest.mark.needs("pdftoppm")
def test_a_campaign_becomes_a_sheet(shop, tmp_path):
    spring = shop.find_campaign("Spring")
    lines = ["{name}", "{campaign}, {City}", "{number}: {short_url}"]
    made = shop.sheet(tmp_path / "s.pdf", "L7160", campaign_id=spring.id, lines=lines)
    assert str(made) == "2 labels on 1 page"
    assert read(shown(made.path)) == sorted(code.encoded for code in shop.list_qrcodes(campaign_id=spring.id))
    assert shop.sheet(tmp_path / "s.pdf", "L7160").labels == 3
    with pytest.raises(NotFound):
        shop.sheet(tmp_path / "s.pdf", "L7160", campaign_id="none")
    with pytest.raises(InvalidParameter, match="must not be empty"):
        shop.sheet(tmp_path / "s.pdf", "L7160", campaign_id=shop.insert_campaign("Empty").id)


def test_a_sheet_tells_what_phones_may_not_read_and_what_is_cut(shop, tmp_path):
    shop.templates.save("t", Design(content="x", frame=BLACK_BAR, foreground="#BBBBBB"))
    shop.templates.use("t")
    shop.insert_qrcode("https://example.com", name="The long wall " * 5)
    with pytest.warns(UserWarning) as caught:
        shop.sheet(tmp_path / "s.pdf", "a6", lines=[])
    told = [str(one.message)[:60] for one in caught]
    assert told == [
        "label 'Door': converted to CMYK, dark and light differ by 19",
        "captions are cut to fit the frame on 1 of these pictures ('T",
    ]
    logo = Layer(content="icon:star", x=60, y=60, width=180, height=180, color="white")
    shop.templates.save("t", Design(content="x", layers=[logo], foreground="#BBBBBB"))
    with pytest.warns(UserWarning) as caught:
        shop.sheet(tmp_path / "s.pdf", "a6", lines=[])
    (told,) = (str(one.message) for one in caught if one.category is ScanWarning)
    assert re.search("phones may fail to scan 4 .*error correction", told)


@pytest.mark.needs("pdftoppm")
def test_a_frame_becomes_a_sheet_without_tracking(tmp_path):
    frame = pd.DataFrame(
        {"Table": [1, 2], "url": ["https://example.com/1", "https://example.com/2"], "seats": [4, None]}
    )
    made = frame.qr.sheet(tmp_path / "t.pdf", "ticket", "url", lines=["Table {Table}", "{seats}"])
    assert read(shown(made.path)) == list(frame.url)
    drawn = frame.assign(qr=frame.qr.generate("url", ec="H"))
    assert drawn.qr.sheet(tmp_path / "t.pdf", "a6", "qr", lines=["{Table}"], design=Design(content="x")).labels == 2
    assert drawn.qr.sheet(tmp_path / "t.pdf", "a6", "url", lines=["{Table}"], copies=2).labels == 4
    with pytest.raises(InvalidParameter, match="label='row 0': the QR Code does not fit Avery 8651"):
        frame.assign(url="x" * 300).qr.sheet(tmp_path / "t.pdf", "L7651", "url")
    assert qrkit.accessor
    with pytest.raises(AttributeError, match="no column 'link'"):
        frame.qr.sheet(tmp_path / "t.pdf", "a6", "link")


# ---- rolls of a label printer, and what is told before printing


def zpl_labels(file):
    return [one + b"\n" for one in file.read_bytes().splitlines()]


@pytest.mark.parametrize(("stock", "dpi"), [("DK-1209", 203), ("DK-1241", 300), ("30334", 600)])
def test_a_roll_is_printed_in_whole_dots_and_read_back(stock, dpi, tmp_path):
    settings = SheetSettings(stock=stock, dpi=dpi, lines=("{name}",), copies=2)
    made = write_sheet(tmp_path / "r.zpl", labels(3), settings)
    assert (made.labels, made.pages) == (6, 6)
    size = stock_named(stock)
    for number, label in enumerate(zpl_labels(made.path), 1):
        assert b"^PQ2^" in label
        pixels = readers.zpl(label)
        assert pixels.shape[:2] == (round(size.height * dpi / 25.4), round(size.width * dpi / 25.4))
        assert readers.zxing(pixels) == LINK.format(n=number).encode()
        dark = np.flatnonzero((pixels[..., 0] < 128).any(axis=1))
        assert dark[0] > dpi / 25.4
        assert len(pixels) - dark[-1] > dpi / 25.4


def test_what_a_roll_cannot_have_is_told(tmp_path):
    for settings, told in (
        ({"stock": "DK-1209"}, "dpi: is required for a .zpl: 203, 300 or 600"),
        (
            {"stock": "L7160", "dpi": 203, "start": 2, "marks": "cut"},
            r"start=2: is only for a \.pdf; marks='cut': is",
        ),
        ({"stock": "table-tent", "dpi": 203}, "stock='table-tent': is a folded card"),
        ({"stock": "DK-1221", "dpi": 203}, "the QR Code does not fit Brother DK-1221.*whole dots at 203 dpi"),
    ):
        with pytest.raises(InvalidParameter, match=told):
            write_sheet(tmp_path / "r.zpl", labels(1, "x" * 150), SheetSettings(**settings))
        assert list(tmp_path.iterdir()) == []


def test_widths_are_told_to_a_tenth_of_a_millimeter(tmp_path):
    clear = Labels([{}], lambda row: generate(LINK, background="transparent", warn=False), dict)
    with pytest.warns(UserWarning, match=r"white field \d+\.\d mm wide"):
        write_sheet(tmp_path / "s.pdf", clear, SheetSettings(stock="L7160", label_color="#222"))


def test_what_to_change_before_printing_is_told_once_for_a_look(tmp_path):
    rows = [{"n": str(n), "name": f"Table {n}"} for n in range(30)]
    pale = Labels(rows, lambda row: generate(LINK.format(**row), foreground="#777", padding=0, warn=False), dict)
    with pytest.warns(UserWarning, match="label 'Table 0'") as caught:
        write_sheet(tmp_path / "s.pdf", pale, SheetSettings(stock="L7160"))
    told = [str(one.message) for one in caught]
    assert [one.split("; ")[1][:21] for one in told] == ["set the quiet zone (p", "print the modules in "]
