"""Sets of QR Codes from a table, whose columns fill in contents, captions and names of files."""

import subprocess
from pathlib import PurePosixPath

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit import Design, PrintSize, decode, generate_many, generate_set
from qrkit.errors import InvalidParameter
from qrkit.files import FileNames
from qrkit.pictures.patterns import path_in

TABLES = pd.DataFrame({"Table": [1, 2, 3], "Room": ["Hall", "a/b", ""], "url": ["x/1", "x/2", "x/3"]})
URL = "https://example.com/{url}"


def caption_of(image):
    return (image.design.frame.caption.text, image.design.frame.caption.subtitle)


def test_columns_fill_in_contents_captions_and_subtitles():
    images = generate_set(TABLES, URL, caption="Table {Table}", subtitle="{Room}", preset="wifi").images
    assert [one.design.content for one in images] == [f"https://example.com/x/{n}" for n in (1, 2, 3)]
    assert [caption_of(one) for one in images] == [("Table 1", "Hall"), ("Table 2", "a/b"), ("Table 3", None)]
    assert decode(images[2].to_bytes("png")).content == "https://example.com/x/3"


def test_numbers_fill_in_a_set_without_a_table():
    images = generate_set(12, "https://example.com/{n}", caption="Table {n}").images
    assert [caption_of(one)[0] for one in images] == [f"Table {n}" for n in range(1, 13)]
    assert {one.design.frame.kind for one in images} == {"bar"}


def test_without_words_a_set_is_a_batch():
    contents = [f"https://example.com/{n}" for n in (1, 2, 3)]
    made = generate_set(3, "https://example.com/{n}", design={"ec": "H"}, size=5).images
    assert [one.to_bytes("svg") for one in made] == [
        one.to_bytes("svg") for one in generate_many(contents, design={"ec": "H"}, size=5).images
    ]


def test_a_design_keeps_its_frame_for_all_words():
    design = Design(content="x", frame={"kind": "bubble", "color": "#AA0000"}).with_logo("icon:heart")
    images = generate_set([{"a": "b" * 9}, {"a": "b" * 120}], "{a}", caption="{n}", design=design).images
    assert {one.design.frame.kind for one in images} == {"bubble"}
    assert [decode(one.to_bytes("png")).content for one in images] == ["b" * 9, "b" * 120]


def test_a_row_that_cannot_have_its_words_is_an_error_of_its_own():
    rows = [{"a": "one"}, {"a": "x" * 300}, {"a": "three"}]
    made = generate_set(rows, "https://example.com/{n}", caption="{a}")
    assert [image is None for image in made.images] == [False, True, False]
    assert made.errors[0].error.startswith("caption='xxx")


def test_an_empty_caption_in_a_row_is_an_error_of_that_row():
    made = generate_set([{"a": ""}, {"a": "two"}], "https://example.com/{n}", caption="{a}", preset="bubble")
    assert [image is None for image in made.images] == [True, False]


@pytest.mark.parametrize(
    ("rows", "how", "told"),
    [
        ([], {}, "rows: are none"),
        (0, {}, r"rows=0: must be in 1\.\.100,000"),
        (2, {"caption": "{Table}"}, r"caption='\{Table\}': has the unknown field \{Table\}; the fields are \{n\}"),
        (2, {"names": "{nn}"}, r"names='\{nn\}'.*did you mean 'n'"),
    ],
)
def test_what_a_set_cannot_be_made_of_is_told(rows, how, told):
    with pytest.raises(InvalidParameter, match=told):
        generate_set(rows, "x", **how)


def test_names_follow_a_pattern_with_folders(tmp_path):
    made = generate_set(TABLES, URL, names="{Room}/Table {Table}", to=tmp_path, format="svg")
    assert made.created == 3
    found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.svg"))
    assert found == ["Hall/Table 1.svg", "Table 3.svg", "a_b/Table 2.svg"]


def test_a_path_as_a_name_stays_in_the_folder(tmp_path):
    names = [PurePosixPath("../../up"), PurePosixPath("/etc/x"), PurePosixPath("a/b")]
    assert generate_many(["1", "2", "3"], names=names, to=tmp_path / "in").created == 3
    found = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.png")]
    assert sorted(found) == ["in/_/etc/x.png", "in/a/b.png", "in/qrcode/qrcode/up.png"]


@pytest.mark.needs("pdftoppm")
def test_a_pdf_has_a_page_for_each_picture(tmp_path):
    made = generate_set(3, "https://example.com/{n}", to=tmp_path / "s.pdf", print_size=PrintSize(size_mm=60))
    assert (made.created, made.target) == (3, tmp_path / "s.pdf")
    subprocess.run(["pdftoppm", "-r", "100", "-png", tmp_path / "s.pdf", tmp_path / "p"], check=True)
    pages = sorted(tmp_path.glob("p-*.png"))
    assert [decode(page).content for page in pages] == [f"https://example.com/{n}" for n in (1, 2, 3)]
    assert b"/MediaBox[0 0 170.079 170.079]" in (tmp_path / "s.pdf").read_bytes()


def test_a_failed_row_has_no_page(tmp_path):
    made = generate_many(["a", "x" * 3000, "c"], to=tmp_path / "s.pdf")
    assert (made.created, [error.row for error in made.errors]) == (2, [1])
    assert b"/Count 2>>" in (tmp_path / "s.pdf").read_bytes()


@given(st.lists(st.text(max_size=20), min_size=2, max_size=4))
def test_no_value_leads_out_of_the_folder(values):
    """Each part is a name that every file system accepts, and only slashes of the pattern make folders."""
    names = {f"f{place}": value for place, value in enumerate(values)}
    path = path_in("/".join(f"{{{name}}}" for name in names), names)
    assert 1 <= len(path.parts) <= len(values)
    assert not path.is_absolute()
    for part in path.parts:
        assert part.strip(" .")
        assert not set(part) & set('<>:"/\\|?*\0')
        assert path_in("{part}", {"part": part}).name == part


def test_a_folder_never_has_the_name_of_a_file():
    names = FileNames("svg")
    first, second = (path_in(pattern, {"a": "x.svg"}) for pattern in ("{a}", "{a}/y"))
    assert names.name_for(str(first)) != second.parts[0]


@pytest.mark.parametrize("field", ["caption", "subtitle"])
def test_words_with_an_unknown_column_are_refused(field):
    with pytest.raises(InvalidParameter, match="has the unknown field"):
        generate_set([{"Table": "1"}], "{Table}", **{field: "T {Room}"})
