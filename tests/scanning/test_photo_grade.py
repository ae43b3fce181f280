"""A photo of a print: what the print does and what the photo does are told apart."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageOps

from qrkit import Brand, Design, check
from qrkit.errors import NoSymbol
from tests.scanning.captures import (
    CAPTURES,
    DAMAGES,
    Capture,
    cut,
    faded,
    flat,
    photo,
    sound,
    spread,
    stained,
    thin,
    torn,
)
from tests.sweeps import quick_first

MENU = Design(content="https://example.com/menu", ec="M")
LOGO = Brand("H", ink="#1B2A49", logo="icon:coffee").design("https://exmpl.co/menu")
HAND = CAPTURES[0]


def report_on(design=MENU, damage=sound, capture=HAND, seed=0):
    paper = damage(flat(design), np.random.default_rng(seed))
    return check(photo(paper, capture, seed))


def codes(report):
    return [issue.code for issue in report.issues]


@pytest.mark.parametrize("capture", quick_first(CAPTURES, 4), ids=lambda capture: capture.name)
def test_sound_prints_are_good_in_every_photo(capture):
    report = report_on(capture=capture)
    assert (report.photo.verdict, report.verdict, report.issues) == ("good", "robust", ())
    assert (report.content, report.panel, report.structure, report.grade) == (MENU.content, None, None, None)
    assert str(report).startswith("The print is good.\n  The photo itself (")


@pytest.mark.slow
@pytest.mark.parametrize("damage", [sound, *DAMAGES], ids=lambda damage: damage.__name__)
def test_damage_is_told_and_photos_are_not_blamed(damage):
    """Over designs, captures and seeds: sound prints good in 95% and never bad, damaged ones in less than 15%."""
    designs = (MENU, LOGO, MENU.replace(foreground="#0F766E"), MENU.replace(ec="L", content="https://example.com/2"))
    verdicts = []
    for number, design in enumerate(designs):
        for capture in CAPTURES:
            try:
                report = report_on(design, damage, capture, number)
                verdicts.append(report.photo.verdict if report.photo else report.verdict)
            except NoSymbol:
                verdicts.append("not read")
    good = verdicts.count("good") / len(verdicts)
    if damage is sound:
        assert good > 0.95
        assert "bad" not in verdicts
    else:
        assert good < 0.15


@pytest.mark.parametrize(
    ("damage", "code", "words"),
    [
        (stained, "error-budget", "codewords that can be corrected"),
        (faded, "contrast", "the ink is pale: it reflects"),
        (spread, "ink-spread", "dark modules are wider than light ones"),
        (thin, "ink-loss", "dark modules are narrower than light ones"),
        (cut, "quiet-zone", "1 module at the bottom and left; the standard asks for 4"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_faults_of_the_print_are_named(damage, code, words):
    report = report_on(damage=damage, seed=2)
    assert report.photo.verdict in ("weak", "bad")
    assert code in codes(report)
    assert words in str(report).lower()


def test_the_damage_is_where_it_is():
    design = MENU.replace(ec="H")
    paper = stained(flat(design), np.random.default_rng(2))
    grade = check(photo(paper, HAND)).photo
    rows, columns = np.nonzero(grade.budget.wrong)
    ink = np.argwhere(np.asarray(paper) == 15).mean(axis=0) / 12 - 4
    assert np.abs([rows.mean() - ink[0], columns.mean() - ink[1]]).max() < 2
    framed = np.asarray(Image.open(BytesIO(grade.damage_map())))[40:-40, 40:-40]
    is_framed = framed[::8, ::8, 0] != framed[::8, ::8, 1]
    assert (is_framed == grade.budget.wrong).all()


def test_a_logo_is_no_damage():
    report = report_on(LOGO)
    assert (report.photo.verdict, codes(report)) == ("good", ["logo"])
    assert 0.1 < report.photo.logo.used < 0.75
    assert "covered in the middle, as by a logo" in report.photo.sentences[1]


@pytest.mark.parametrize(("damage", "verdict"), [(sound, "good"), (stained, "weak"), (spread, "weak")])
def test_overexposed_photos_are_no_drawings(damage, verdict):
    bright = Capture("bright", module=9, blur=0.1, tilt=0.1, bend=0.002, shade=0.05, noise=0.005, exposure=1.5)
    report = report_on(MENU.replace(foreground="#0F766E"), damage, bright, seed=4)
    assert report.photo
    assert report.photo.verdict == verdict


def test_pale_eyes_put_a_print_at_risk_although_its_message_is_untouched():
    eye = {"pattern": "default", "innerColor": "#dddddd", "outerColor": "#dddddd"}
    pale = MENU.replace(markers=dict.fromkeys(("topLeft", "topRight", "bottomLeft"), eye))
    near = next(capture for capture in CAPTURES if capture.name == "near")
    report = report_on(pale, capture=near)
    assert (report.photo.verdict, report.verdict) == ("bad", "fragile")
    assert codes(report) == ["fixed-pattern", "error-budget"]
    eyes, budget = report.issues
    assert eyes.message.endswith(" modules are damaged across all three eyes, by which phones find the code")
    assert "in the fixed patterns; the message is untouched" in budget.message
    assert (eyes.measured >= eyes.needed, budget.severity, budget.measured) == (True, "note", 0)


@pytest.mark.parametrize(
    ("capture", "code", "advice"),
    [
        (Capture("far", module=2.1, blur=0.1), "photo-pixels", "come closer"),
        (Capture("shadow", shadow=0.08, shade=0), "photo-shadow", "move it out of the shadow"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_photo_that_shows_too_little_is_not_graded(capture, code, advice):
    report = report_on(capture=capture, seed=1)
    assert (report.photo.verdict, report.verdict, codes(report)) == ("unsure", "ok", [code])
    assert report.photo.sentences[0] == "This photo cannot show whether the print is good."
    assert advice in report.photo.sentences[1]


def test_what_the_photo_cuts_off_is_not_blamed():
    whole = photo(flat(MENU), HAND)
    found = check(whole).photo
    left = next(x for x in range(whole.width) if np.asarray(whole)[:, x].min() < 100)
    report = check(file_of(whole.crop((left - 4, 0, *whole.size))))
    assert (found.quiet, report.photo.quiet) == ((4, 4, 4, 4), (4, 4, 4, None))
    assert report.photo.verdict == "good"
    assert "The photo cuts off the left of the quiet zone, so nothing is said about it there." in str(report)


def file_of(image: Image.Image, **options) -> bytes:
    file = BytesIO()
    image.save(file, "JPEG", quality=90, **options)
    return file.getvalue()


def test_light_on_dark_and_mirrored_prints_are_told_of_and_turned_ones_are_good():
    taken = photo(flat(MENU), HAND)
    for seen, verdict, told in (
        (photo(ImageOps.invert(flat(MENU)), HAND), "fragile", ["polarity"]),
        (ImageOps.mirror(taken), "ok", ["mirrored"]),
        (taken.rotate(90), "robust", []),
    ):
        report = check(file_of(seen))
        assert (report.verdict, codes(report)) == (verdict, told)


@pytest.mark.parametrize(
    "capture",
    [
        Capture("in the dark", exposure=0.004, noise=0.0005, tilt=0.2),
        Capture("smoothed", module=14, blur=0.05, tilt=0.2, bend=0, shade=0, shadow=0.4, noise=0),
    ],
    ids=lambda capture: capture.name,
)
def test_photos_from_the_side_are_no_drawings(capture):
    """They have few grays, or areas of one color where a phone has taken the noise away."""
    report = report_on(capture=capture)
    assert report.photo is not None
    assert report.verdict == "robust"


def test_a_photo_that_no_reader_reads_at_first_sight_says_nothing_of_the_print():
    noisy = np.asarray(flat(MENU), dtype=np.float32) + np.random.default_rng(1).normal(0, 90, flat(MENU).size[::-1])
    report = check(Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)))
    assert (report.photo.verdict, report.verdict, codes(report)) == ("unsure", "ok", ["photo-unread"])


def test_large_photos_are_measured_with_all_their_pixels():
    """A small code in a photo of 12 megapixels, which readers get at a fraction of its size."""
    small = photo(flat(MENU), Capture("small", module=6, blur=0.15))
    page = Image.new("L", (4000, 3000), 190)
    page.paste(small, (700, 900))
    grade = check(file_of(page)).photo
    assert grade.verdict == "good"
    assert grade.pixels == pytest.approx(6, abs=0.5)


def test_a_grade_is_plain_data():
    report = report_on()
    plain = report.as_dict()["photo"]
    assert plain["verdict"] == "good"
    assert plain["quiet"] == {"top": 4, "right": 4, "bottom": 4, "left": 4}
    assert plain["sentences"] == list(report.photo.sentences)
    assert plain["contrast"] == pytest.approx(0.93, abs=0.05)
    assert check(file_of(flat(MENU))).as_dict()["photo"] is None


def test_a_code_that_is_seen_but_not_read_gets_advice():
    with pytest.raises(NoSymbol, match="a QR Code was found, but no reader can read it: come closer"):
        report_on(MENU.replace(ec="L"), torn)
