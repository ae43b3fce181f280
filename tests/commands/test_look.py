"""`qrkit generate` with presets, logos, captions and frames."""

from importlib.resources import files
from zipfile import ZipFile

import pytest

from qrkit import Design, Frame, QRImage, data_uri, decode, generate
from qrkit.__main__ import main
from qrkit.presets import with_preset
from tests.sweeps import quick_first

LINK = "https://example.com"
MANROPE = files("font_manrope").joinpath("files", "Manrope-Regular.ttf").read_bytes()
LOGO = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="#123456" d="M0 0h9v9z"/></svg>'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "acme.svg").write_bytes(LOGO)
    (tmp_path / "gates.csv").write_text("gate,url\nNorth,https://example.com/n\nSouth,https://example.com/south\n")
    return tmp_path


@pytest.fixture
def run(capsys):
    def of(*words):
        status = main(["generate", *words])
        return status, capsys.readouterr().err

    return of


@pytest.mark.parametrize("name", quick_first(["bubble", "fluid", "badge"]))
def test_a_preset_with_a_logo_and_a_caption_is_the_one_of_python(run, folder, name):
    options = ("--preset", name, "--colorway", "plum", "--logo", "acme.svg", "--caption", "Olá", "-o", "a.png")
    assert run(LINK, *options)[0] == 0
    design = with_preset(Design(content=LINK), name, "plum", logo=data_uri(LOGO), caption="Olá")
    assert (folder / "a.png").read_bytes() == QRImage(design).to_bytes("png")


def test_options_win_over_the_preset(run, folder):
    assert run(LINK, "--preset", "bar", "--foreground", "#000080", "--padding", "5", "-o", "a.svg")[0] == 0
    expected = with_preset(Design(content=LINK), "bar").replace(foreground="#000080", padding=5)
    assert (folder / "a.svg").read_bytes() == QRImage(expected).to_bytes("svg")


def test_frame_eyes_and_logo_have_the_colors_and_the_size_asked_for(run, folder):
    colors = ("--frame-color", "#7C2D12", "--eye-color", "#C2410C")
    assert run(LINK, "--preset", "bubble", "--logo", "acme.svg", "--logo-size", "0.15", *colors, "-o", "a.json")[0] == 0
    made = Design.from_json((folder / "a.json").read_text())
    own = with_preset(Design(content=LINK), "bubble", logo=data_uri(LOGO), share=0.15)
    eye = own.markers.top_left.replace(inner_color="#C2410C", outer_color="#C2410C")
    eyes = {"top_left": eye, "top_right": eye, "bottom_left": eye}
    assert made == own.replace(frame=own.frame.replace(color="#7C2D12"), markers=eyes)
    assert run(LINK, "--logo", "acme.svg", "--logo-size", "0.15", "--eye-color", "navy", "-o", "b.json")[0] == 0
    plain = Design.from_json((folder / "b.json").read_text())
    assert plain.markers.bottom_left.outer_color == plain.markers.top_right.inner_color
    assert plain.layers == Design(content=LINK, ec="H").with_logo(data_uri(LOGO), 0.15, name="acme").layers


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--frame-color", "red"), "--frame-color='red': needs a frame, a caption, or a preset with a frame"),
        (("--frame", "bar", "--frame-color", "rred"), "--frame-color='rred': must be a color"),
        (("--eye-color", "rred"), "--eye-color='rred': must be a color"),
        (("--logo-size", "0.2"), "--logo-size=0.2: needs a logo"),
        (("--logo", "acme.svg", "--logo-size", "4"), "--logo-size=4.0: must be in 0.01..2 of the symbol's width"),
    ],
)
def test_colors_and_sizes_that_are_not_possible_are_refused(run, options, told):
    status, error = run(LINK, *options, "-o", "a.png")
    assert status == 2
    assert told in error


def test_a_code_is_as_wide_as_its_distance_needs(run, folder):
    assert run(LINK, "--distance-m", "3", "-o", "a.pdf") == (0, "")
    least = generate(LINK).least_width_mm(3)
    assert f"/MediaBox[0 0 {least / 25.4 * 72:.6g}".encode() in (folder / "a.pdf").read_bytes()
    status, error = run(LINK, "--distance-m", "3", "--size-mm", "40", "-o", "a.pdf")
    assert (status, "phones at 3 m need 12 mm; print it at least 396 mm wide" in error) == (0, True)
    assert "--distance-m=3.0: is for a single code" in run(LINK, "--count", "2", "--distance-m", "3", "-o", "a.zip")[1]
    assert "output='a.json': is for the design of a single code" in run(LINK, "--count", "2", "-o", "a.json")[1]
    texts = "--count", "2", "-o", "texts", "--format", "txt"
    assert "style='ascii': is for a single code" in run(LINK, *texts, "--style", "ascii")[1]
    assert "--distance-m=3.0: is only for pictures, not for text" in run(LINK, "--distance-m", "3")[1]


@pytest.mark.parametrize(
    ("options", "frame"),
    [
        (("--caption", "Menu"), Frame("bar", caption="Menu")),
        (("--frame", "seal"), Frame("seal")),
        (("--frame", "seal", "--caption", "Menu"), Frame("seal", caption="Menu")),
    ],
)
def test_a_frame_and_its_words_need_no_preset(run, folder, options, frame):
    assert run(LINK, *options, "-o", "a.png")[0] == 0
    assert (folder / "a.png").read_bytes() == generate(LINK, frame=frame).to_bytes("png")


def test_the_frame_of_a_preset_can_be_another(run, folder):
    assert run(LINK, "--preset", "bubble", "--frame", "ticket", "-o", "a.png")[0] == 0
    preset = with_preset(Design(content=LINK), "bubble")
    assert (folder / "a.png").read_bytes() == QRImage(
        preset.replace(frame=preset.frame.replace(kind="ticket"))
    ).to_bytes()


@pytest.mark.parametrize(("level", "expected"), [((), "H"), (("--ec", "Q"), "Q")])
def test_a_logo_needs_no_preset_and_takes_level_h_unless_told_otherwise(run, folder, level, expected):
    assert run(LINK, "--logo", "acme.svg", *level, "-o", "a.png")[0] == 0
    design = Design(content=LINK, ec=expected).with_logo(data_uri(LOGO), plate="rounded", name="acme")
    assert (folder / "a.png").read_bytes() == QRImage(design).to_bytes()


def test_every_row_of_a_table_gets_the_look(run, folder):
    words = ("--from", "gates.csv", "--content-column", "url", "--name-column", "gate", "-o", "codes.zip")
    assert run(*words, "--preset", "bubble", "--logo", "icon:heart", "--caption", "Here")[0] == 0
    with ZipFile("codes.zip") as made:
        assert {decode(made.read(name)).content for name in made.namelist()} == {
            "https://example.com/n", "https://example.com/south",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--preset", "bubbel"), "preset='bubbel': is not a preset; did you mean 'bubble'"),
        (("--preset", "bubble", "--colorway", "pink"), "colorway='pink': is not a colorway of 'bubble'"),
        (("--colorway", "pink"), "colorway='pink': needs a preset"),
        (("--logo", "none.svg"), "logo='none.svg': is neither a file nor icon:NAME"),
        (("--frame", "sael"), "did you mean 'seal'"),
        (
            ("--caption", "\u05d0"),
            "caption='\u05d0': has Hebrew letters (character 1 is HEBREW LETTER ALEF); right-to-left",
        ),
        (("--caption", " "), "caption=' ': must not be blank"),
        (("--caption", "W" * 61), "must have 1..60 characters, not 61"),
        (("--caption", "W" * 60), "has 60 characters; about 17 fit in this frame around this symbol"),
        (("--preset", "bubble", "--caption", "W" * 60), "has 60 characters; about 17 fit"),
    ],
)
def test_what_is_wrong_is_named(run, options, error):
    status, err = run(LINK, *options, "-o", "a.png")
    assert status == 2
    assert error in err
    assert "frame.caption" not in err


def test_a_caption_of_a_table_has_only_its_columns(run, folder):
    status, err = run("--from", "gates.csv", "--content-column", "url", "--caption", "{door}", "-o", "codes.zip")
    assert status == 2
    assert "caption='{door}': has the unknown field {door}; the fields are {n}, {gate}, {url}\n" in err
    assert not (folder / "codes.zip").exists()


def test_many_columns_of_a_table_are_counted(run, folder):
    names = [f"c{number:02}" for number in range(25)]
    (folder / "wide.csv").write_text(",".join([*names, "url"]) + "\n" + "x," * 25 + "https://example.com\n")
    _, err = run("--from", "wide.csv", "--content-column", "url", "--caption", "{door}", "-o", "codes.zip")
    assert "the fields are {n}, {c00}, " in err
    assert err.endswith("{c18} and 7 more\n")


def test_a_caption_beside_a_design_changes_only_the_text(run, folder):
    frame = Frame("bubble", caption={"text": "Scan me", "font": data_uri(MANROPE), "color": "#FED7AA"})
    (folder / "brand.json").write_text(Design(content=LINK, frame=frame).to_json())
    assert run("--design", "brand.json", "--caption", "Menü", "-o", "a.svg")[0] == 0
    expected = frame.replace(caption=frame.caption.replace(text="Menü"))
    assert (folder / "a.svg").read_bytes() == generate(LINK, frame=expected).to_bytes("svg")
