"""`generate_many`: thousands of pictures, in order, whatever single rows hold."""

import os
import subprocess
import sys
import unicodedata
import warnings
import zipfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Design, Layer, PrintSize, QRImage, data_uri, decode, generate
from qrkit.errors import InvalidParameter, RenderingFailed, ScanWarning, UnknownParameter, UnreadableFile
from qrkit.pictures import batch_files
from qrkit.pictures.batch_files import SAMPLE, Look, Painter, Row, painted_rows
from qrkit.pictures.batches import Batch, RowError, generate_many
from tests.sweeps import quick_first, quick_rows

URLS = [f"https://example.com/{number}" for number in range(5)]
LOST = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/><foreignObject/></svg>'
)
some = settings(max_examples=15)


def files_of(target):
    """Name and bytes of each file, in their order in a zip."""
    with ZipFile(target) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


# ---- pictures as objects


def test_pictures_come_back_in_order():
    batch = generate_many(URLS, ec="H", size=3)
    assert [image.design for image in batch.images] == [Design(content=url, ec="H", size=3) for url in URLS]
    assert (batch.created, batch.errors, batch.target) == (5, (), None)
    assert repr(batch) == "<Batch: 5 created>"


@pytest.mark.parametrize("to", [None, "codes.zip", "codes"])
def test_a_row_that_is_known_to_be_wrong_is_told_of_with_its_error(to, tmp_path):
    wrong = UnreadableFile("has 3 cells")
    batch = generate_many(["x", wrong, *["y"] * 20], to=to and tmp_path / to, names=["a", "", *["b"] * 20], processes=2)
    assert (batch.created, batch.errors) == (21, (RowError(1, "", "has 3 cells"),))


@pytest.mark.parametrize("name", ["codes.svg", "codes.PNG", "codes.jpeg", "a.b/codes.eps"])
def test_a_target_with_the_name_of_one_picture_is_no_folder(name, tmp_path):
    with pytest.raises(InvalidParameter, match=r"is the name of one picture; pass a folder or a \.zip file"):
        generate_many(["x"], to=tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / name).mkdir(parents=True)
    assert generate_many(["x"], to=tmp_path / name).created == 1


@pytest.mark.parametrize("name", ["codes.tar.gz", "codes.tgz", "codes.TAR", "codes.7z", "codes.rar"])
def test_a_target_with_the_name_of_another_archive_is_no_folder(name, tmp_path):
    with pytest.raises(InvalidParameter, match=r"is the name of an archive .*; pass a folder or a \.zip file"):
        generate_many(["x"], to=tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    assert generate_many(["x"], to=tmp_path / "codes.2026").created == 1


def test_a_bad_row_never_stops_the_rest():
    contents = ["x", None, "y" * 3000, 7, b"bytes", "", "z"]
    batch = generate_many(contents)
    assert [image is None for image in batch.images] == [False, True, True, True, False, True, False]
    assert [(one.row, one.content[:9]) for one in batch.errors] == [
        (1, "None"), (2, "yyyyyyyyy"), (3, "7"), (5, ""),
    ]  # fmt: skip
    assert batch.errors[1].error.startswith("content needs 24020 bits")
    assert len(batch.errors[1].content) == 100
    with pytest.raises(InvalidParameter) as refused:
        generate(7)
    assert batch.errors[2].error == str(refused.value)


@pytest.mark.parametrize("processes", [1, 2])
def test_the_same_rows_have_the_same_errors_in_a_target(tmp_path, processes):
    contents = [*URLS * 4, "y" * 3000, None, Design(content="z" * 3000), QRImage, *URLS]
    batch = generate_many(contents, to=tmp_path / "codes.zip", processes=processes)
    assert batch.errors == generate_many(contents).errors
    assert (batch.created, len(files_of(tmp_path / "codes.zip"))) == (25, 25)


def test_errors_show_as_a_table():
    batch = Batch(1, (RowError(3, "<b>", "too <long>"),))
    assert str(batch) == "1 created, 1 not possible"
    assert batch.to_frame().reset_index().to_dict("records") == [{"row": 3, "content": "<b>", "error": "too <long>"}]
    assert "too &lt;long&gt;" in batch._repr_mimebundle_()["text/html"]
    assert Batch(1)._repr_mimebundle_()["text/html"] == "<p>1 created</p>"


@pytest.mark.parametrize(("as_fields", "processes"), quick_rows([(False, 1), (True, 2)]))
def test_layers_keep_their_share_of_the_symbol_in_pictures_of_other_contents(as_fields, processes, tmp_path):
    """Open: pixels of a picture that is larger than the design's own. Layers follow the symbol, as in `resized`."""
    brand = Design(content="https://example.com", layers=[Layer("icon:heart", x=118, y=118, width=60, height=60)])
    design = brand.model_dump(exclude_unset=True) if as_fields else brand
    contents = ["https://example.com/" + "x" * length for length in range(3 * SAMPLE)]
    found = generate_many(contents, design=design, padding=6).images
    assert [image.design for image in found] == [brand.resized(content=one, padding=6) for one in contents]
    assert {image.width for image in found} == {296, 328, 360, 392}
    names = map(str, range(3 * SAMPLE))
    generate_many(contents, to=tmp_path / "a.zip", names=names, design=design, padding=6, processes=processes)
    with ZipFile(tmp_path / "a.zip") as archive:
        files = [archive.read(name) for name in archive.namelist()]
    assert files == [image.to_bytes("png") for image in found]


@pytest.mark.parametrize("content", ["", "x" * 3000, None])
def test_a_design_whose_own_content_is_none_is_a_look_all_the_same(content):
    look = {"content": content, "layers": [Layer("icon:heart", x=118, y=118, width=60, height=60)]}
    (image,) = generate_many(["https://example.com"], design=look).images
    assert image.design.layers == tuple(look["layers"])


def test_designs_keep_their_looks_and_texts_take_the_template():
    own = Design(content="own", ec="H", foreground="navy")
    batch = generate_many(["text", own], design=Design(content="other", ec="Q", size=2), size=5)
    assert [image.design for image in batch.images] == [Design(content="text", ec="Q", size=5), own.replace(size=5)]
    [image] = generate_many(["text"], design={"ec": "L"}).images
    assert image.design == Design(content="text", ec="L")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"sizze": 3}, UnknownParameter, "did you mean 'size'"),
        ({"size": 99}, InvalidParameter, "size=99"),
        ({"design": "brand"}, InvalidParameter, "must be a Design"),
        ({"content": "x"}, InvalidParameter, "first argument"),
        ({"processes": 0}, InvalidParameter, "whole number, 1 or more"),
        ({"format": "pngg"}, InvalidParameter, "did you mean 'png'"),
        ({"names": "Door"}, InvalidParameter, "names: must be a list or another iterable of texts"),
        ({"print_size": PrintSize(size_mm=40), "to": None}, InvalidParameter, "print_size: is only for files"),
        ({"print_size": 60}, InvalidParameter, r"print_size=60: must be a qrkit\.PrintSize"),
    ],
    ids=["name", "bound", "design", "content", "processes", "format", "names", "size on paper", "number on paper"],
)
def test_what_is_wrong_with_all_of_them_is_said_at_once(tmp_path, arguments, error, words):
    with pytest.raises(error, match=words):
        generate_many(iter("never taken"), **{"to": tmp_path / "codes.zip", **arguments})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("contents", ["https://example.com", b"x", Design(content="x"), {"Door": "x"}, 7])
def test_what_is_one_content_is_no_list_of_them(contents):
    with pytest.raises(InvalidParameter, match="contents: must be a list or another iterable of texts"):
        generate_many(contents)


@pytest.mark.parametrize("target", [None, "codes.zip"])
def test_what_is_not_drawn_is_warned_of_once(tmp_path, target):
    layers = [Layer(data_uri(LOST), x=120, y=120, width=9, height=9)]
    to = target and tmp_path / target
    with pytest.warns(UserWarning, match="the SVG embeds HTML") as told:
        generate_many(["a", "b"], to=to, layers=layers)
    with pytest.warns(UserWarning, match="the SVG embeds HTML") as told_of_designs:
        generate_many([Design(content=text, layers=layers) for text in "abc"], to=to)
    assert [len(told), len(told_of_designs)] == [1, 1]
    assert {one.filename for one in [*told, *told_of_designs]} == {__file__}


# ---- targets


def test_a_zip_holds_the_pictures_in_order_and_they_decode(tmp_path):
    batch = generate_many(URLS, to=tmp_path / "codes.zip", names=["Door", "Gate", "", None, "Door"])
    assert repr(batch) == "<Batch: 5 created>"
    assert batch.target == tmp_path / "codes.zip"
    found = files_of(tmp_path / "codes.zip")
    third, fourth = "https___example.com_2.png", "https___example.com_3.png"
    assert list(found) == ["Door.png", "Gate.png", third, fourth, "Door (2).png"]
    assert [decode(data).content for data in found.values()] == URLS
    assert list(found.values()) == [generate(url).to_bytes("png") for url in URLS]


def test_a_folder_has_the_same_files(tmp_path):
    generate_many(URLS, to=tmp_path / "codes.ZIP", format="SVG")
    batch = generate_many(URLS, to=str(tmp_path / "new" / "codes"), format="svg")
    assert batch.target == tmp_path / "new" / "codes"
    found = {path.name: path.read_bytes() for path in batch.target.iterdir()}
    assert found == files_of(tmp_path / "codes.ZIP")


@pytest.mark.parametrize("processes", [1, 2])
def test_files_may_have_a_size_on_paper(tmp_path, processes):
    """Open: what printers need of many codes. Each is as wide as asked for; where that is too little, it is told of."""
    contents = ["https://example.com", *map(str, range(2 * SAMPLE)), "x" * 2_000]
    size = PrintSize(size_mm=12, dpi=100)
    with pytest.warns(UserWarning, match=r"change 1 of these pictures\. On the first, modules are 0\.36 mm wide"):
        batch = generate_many(contents, to=tmp_path, format="pdf", print_size=size, processes=processes)
    wanted = generate("https://example.com").print_at(12, dpi=100)
    assert (tmp_path / "https___example.com.pdf").read_bytes() == wanted.to_bytes("pdf")
    assert batch.created == len(list(tmp_path.iterdir())) == len(contents) - 1
    assert [(one.row, one.error.partition(";")[0]) for one in batch.errors] == [
        (len(contents) - 1, "size_mm=12.0: leaves less than a dot for a module")
    ]


@pytest.mark.parametrize(("format", "method"), [("png", zipfile.ZIP_STORED), ("svg", zipfile.ZIP_DEFLATED)])
def test_what_is_compressed_is_not_compressed_again(tmp_path, format, method):
    generate_many(URLS, to=tmp_path / "codes.zip", format=format)
    with ZipFile(tmp_path / "codes.zip") as archive:
        assert {one.compress_type for one in archive.infolist()} == {method}
        assert all(one.compress_size <= one.file_size for one in archive.infolist())


named = st.text(max_size=12) | st.sampled_from(["a", "A", "a (2)", "../x", "C:\\x", "/x", "con", "ß", "SS"])


@given(st.lists(named, min_size=1))
@some
def test_names_are_safe_and_no_two_the_same(tmp_path_factory, names):
    target = tmp_path_factory.mktemp("codes") / "codes.zip"
    batch = generate_many(["x"] * len(names), to=target, names=names, format="txt")
    found = files_of(target)
    assert batch.created == len(names) == len({unicodedata.normalize("NFC", name).casefold() for name in found})
    assert not [name for name in found if set('/\\:<>"|?*\0') & set(name) or name.strip(" .") != name]


def test_a_name_that_is_no_text_is_an_error_of_its_row(tmp_path):
    batch = generate_many(["a", "b", "c"], to=tmp_path, names=["a", 7, "a"], format="txt")
    assert [(one.row, one.error) for one in batch.errors] == [(1, "name=7: must be text")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a (2).txt", "a.txt"]


@pytest.mark.parametrize(("names", "number"), [(["a"], "1"), (["a", "b", "c"], "more than 2")])
def test_there_are_as_many_names_as_contents(tmp_path, names, number):
    with pytest.raises(InvalidParameter, match=f"names: must be as many as the contents, not {number}$"):
        generate_many(iter(["x", "y"]), to=tmp_path / "codes.zip", names=iter(names))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["codes.zip", "codes.pdf"])
def test_nothing_makes_no_file(tmp_path, name):
    assert generate_many([], to=tmp_path / name).created == 0
    assert list(tmp_path.iterdir()) == []


# ---- large batches


@pytest.mark.parametrize("format", quick_first(["png", "svg"]))
def test_several_processes_make_the_same_file(tmp_path, format):
    own = Design(content="own", ec="H", layers=[Layer("icon:heart", x=90, y=90, width=60, height=60)])
    contents = [f"https://example.com/{number}" for number in range(3 * SAMPLE)]
    contents[SAMPLE + 5] = "y" * 3000
    contents[SAMPLE + 7] = own
    contents[SAMPLE + 9] = None
    look = {"layers": [Layer("icon:heart", x=90, y=90, width=60, height=60)], "ec": "H"} if format == "png" else {}
    batches = [
        generate_many(iter(contents), to=tmp_path / f"{processes}.zip", processes=processes, format=format, **look)
        for processes in (1, 2)
    ]
    assert [batch.created for batch in batches] == [3 * SAMPLE - 2] * 2
    assert batches[0].errors == batches[1].errors
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


@pytest.mark.slow
def test_pictures_that_fetch_reads_are_drawn_by_several_processes(tmp_path):
    layers = [Layer("https://example.com/x.svg", x=40, y=40, width=9, height=9)]
    contents = [*URLS * 4, Design(content="own", layers=layers)]
    read = []

    def fetch(url):
        read.append(url)
        return LOST.replace(b"<foreignObject/>", b"")

    made = [generate_many(contents, to=tmp_path / f"{n}.zip", fetch=fetch, layers=layers, processes=n) for n in (1, 2)]
    assert [batch.errors for batch in made] == [(), ()]
    assert len(read) == 4
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_small_batches_start_no_process(tmp_path, monkeypatch):
    monkeypatch.setattr("qrkit.pictures.batch_files.in_workers", None)
    assert generate_many(URLS * 10, to=tmp_path / "codes.zip").created == 50


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "total", "starts"),
    [(5000, 5000, False), (6000, 6000, True), (300, None, False), (3000, None, True)],
    ids=["little", "much", "unknown and little", "unknown and much"],
)
def test_processes_start_when_what_is_left_is_worth_it(monkeypatch, count, total, starts):
    def started(work, parts, most):
        assert most == 8
        yield from ((kept, work(sent)) for kept, sent in parts)
        happened.append("started")

    happened = []
    milliseconds = iter(range(10_000))
    monkeypatch.setattr("qrkit.pictures.batch_files.processors", lambda: 8)
    monkeypatch.setattr("qrkit.pictures.batch_files.thread_time", lambda: next(milliseconds) / 1000)
    monkeypatch.setattr("qrkit.pictures.batch_files.in_workers", started)
    rows = [Row("same")] * count
    painter = Painter(Look(None, None, {}), "txt")
    assert [row for row, _ in painted_rows(iter(rows), painter, total)] == rows
    assert bool(happened) == starts


def test_contents_are_taken_once_as_they_are_needed(tmp_path):
    taken, ahead = [], []

    def contents():
        for number in range(40):
            taken.append(number)
            ahead.append(len(taken) - len(list(tmp_path.glob("codes/*.txt"))))
            yield f"n{number}"

    assert generate_many(contents(), to=tmp_path / "codes", format="txt").created == 40
    assert taken == list(range(40))
    assert set(ahead) == {1}


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_on_the_way_leaves_what_was_there_before(tmp_path, processes):
    target = tmp_path / "codes.zip"
    target.write_bytes(b"before")

    def contents():
        yield from map(str, range(2 * SAMPLE))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_many(contents(), to=target, processes=processes)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("codes.zip", b"before")]


def test_a_process_that_is_killed_is_told_of():
    with pytest.raises(RenderingFailed, match="processes=1"):
        list(batch_files.in_workers(os._exit, iter([(None, 1)]), 1))


def test_an_error_that_is_ours_is_not_one_of_the_row(tmp_path, monkeypatch):
    monkeypatch.setattr(QRImage, "to_bytes", lambda self, format: {}["bug"])
    with pytest.raises(KeyError, match="bug"):
        generate_many(URLS, to=tmp_path / "codes.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-c", "file", "-"])
def test_a_script_needs_no_guard_and_runs_once(tmp_path, option):
    script = (
        "print('once')\n"
        "from qrkit.pictures.batches import generate_many\n"
        "print(generate_many(map(str, range(40)), to='codes.zip', format='txt', processes=2))\n"
    )
    (tmp_path / "script.py").write_text(script)
    command = {"-c": ["-c", script], "file": ["script.py"], "-": ["-"]}[option]
    ran = subprocess.run(
        [sys.executable, "-W", "error", *command],
        input=script if option == "-" else None,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(Path(batch_files.__file__).parent.parent)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("once\n40 created\n", "")
    assert len(files_of(tmp_path / "codes.zip")) == 40


MEMORY = """
import sys
from pathlib import Path
from qrkit.pictures.batches import generate_many
for count in map(int, sys.argv[1:]):
    generate_many(map(str, range(count)), to="codes.zip", version=1, em="numeric", size=1, padding=0, processes=1)
    lines = Path("/proc/self/status").read_text().splitlines()
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("few", "many", "bound"), [(500, 4_000, 2), pytest.param(2_000, 20_000, 8, marks=pytest.mark.slow)]
)
def test_memory_does_not_grow_with_the_number(tmp_path, few, many, bound):
    """The bound, in MiB, is for the names of the further files, to number those that are there twice."""
    command = [sys.executable, "-c", MEMORY, str(few), str(many)]
    ran = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    before, after = map(int, ran.stdout.split())
    assert after - before < bound * 1024, f"{before} KiB for {few} codes, {after} KiB for {many}"


def test_progress_shows_and_changes_nothing(tmp_path, capsys):
    generate_many(URLS, to=tmp_path / "1.zip")
    assert capsys.readouterr() == ("", "")
    generate_many(iter(URLS), to=tmp_path / "2.zip", progress=True)
    assert "Drawing" in capsys.readouterr().err
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert generate_many(URLS, progress=True).created == 5
    assert "Drawing: " in capsys.readouterr().err


# ---- will they scan


@pytest.mark.parametrize("to", [None, "codes.zip", "codes"])
def test_of_a_look_that_may_not_scan_there_is_one_warning(tmp_path, to):
    target = to and tmp_path / to
    with pytest.warns(ScanWarning) as told:
        batch = generate_many([f"https://example.com/{number}" for number in range(30)], to=target, padding=0)
    assert batch.created == 30
    assert len(told) == 1
    begin = "each picture of this look is fragile: the quiet zone is 0.0 modules wide"
    assert str(told[0].message).startswith(begin)
    assert told[0].filename == __file__


@pytest.mark.parametrize("to", [None, "codes.zip"])
def test_designs_that_may_not_scan_are_counted_in_one_warning(tmp_path, to):
    good = Design(content="https://example.com/0")
    weak = [Design(content=f"https://example.com/{number}", padding=0) for number in range(3)]
    long = Design(content="https://example.com/" + "x" * 40, padding=1)
    with pytest.warns(ScanWarning) as told:
        generate_many([good, weak[0], "text", weak[1], "x" * 9000, long, weak[2]], to=to and tmp_path / to)
    (one,) = told
    begin = "phones may fail to scan 4 of these pictures. The first, in row 1, is fragile: the quiet zone is 0.0"
    assert str(one.message).startswith(begin)
    assert one.filename == __file__


def test_of_a_look_that_scans_there_is_none(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ScanWarning)
        batch = generate_many(["x" * 9000, "https://example.com"], to=tmp_path / "codes.zip", ec="H")
        assert (batch.created, generate_many([]).created) == (1, 0)
        assert generate_many([Design(content="https://example.com")]).created == 1


@pytest.mark.parametrize("look", [{"em": "kanji"}, {"mode": "kanji"}, {"design": {"em": "kanji"}}], ids=str)
def test_a_batch_in_kanji_mode_has_no_other_content_to_encode(look):
    batch = generate_many(["点茗", "茗"], **look)
    assert [image.symbol.mode for image in batch.images] == ["kanji", "kanji"]
    assert generate_many(["点"], design=Design(content="茗", em="kanji")).created == 1
