import re
from decimal import Decimal

import pytest

from qrkit import contents, decode
from qrkit.drawing.scene import Rectangle, Squares
from qrkit.errors import InvalidParameter
from qrkit.pictures.payment_part import DPI, UNIT, SwissPaymentPart
from tests.sweeps import quick_first

LONG = contents.PostalAddress(
    name="Ärztegemeinschaft am Bahnhof Winterthur-Wülflingen und Umgebung Nord A",
    street="Strasse der Vereinigung von Zollikofen und Unterzollikofen im Jahre 18",
    number="123a",
    postcode="8000",
    town="Seldwyla am langen See bei Irgendwo",
)
SHORT = contents.PostalAddress(name="Simon Muster", postcode="8000", town="Seldwyla")
FULL = contents.swiss_bill(
    LONG, "CH4431999123000889012", Decimal("123456789.5"), debtor=LONG, reference="210000000003139471430009017",
    message="x" * 80, billing_information="//S1/10/1234/11/201021/30/102673386/32/7.7/40/0:30",
    alternative_schemes=("Name AV1: UV;UltraPay005;12345", "Name AV2: XY;XYService;54321"),
)  # fmt: skip
EMPTY = contents.swiss_bill(SHORT, "CH9300762011623852957")


def boxes(part):
    """The drawn letters and lines as left, top, right and bottom, in millimeters below the line above the part."""
    outline = part.scene.items[-1].outline
    for piece in re.split(
        "(?=M)", "".join(f"{name}{' '.join(map(str, points))} " for name, points in outline.segments)
    ):
        numbers = [float(one) for one in re.findall(r"-?[\d.]+(?:e-?\d+)?", piece)]
        if numbers:
            x, y = numbers[::2], numbers[1::2]
            yield min(x) / UNIT, min(y) / UNIT - 5, max(x) / UNIT, max(y) / UNIT - 5


@pytest.mark.parametrize("bill", quick_first([FULL, EMPTY]), ids=["full", "empty"])
def test_the_symbol_is_46_mm_wide_with_a_cross_of_7_mm_and_can_be_read(bill):
    part = SwissPaymentPart(bill)
    squares = next(one for one in part.scene.items if isinstance(one, Squares))
    assert squares.size * len(squares.cells) == pytest.approx(46 * UNIT)
    assert (squares.x / UNIT, squares.y / UNIT) == pytest.approx((67, 5 + 17))
    white, black, *_ = [one for one in part.scene.items[1:] if isinstance(one, Rectangle)]
    assert (white.width, white.x - squares.x) == pytest.approx((7 * UNIT, 19.5 * UNIT))
    assert black.width == pytest.approx(7 * UNIT * 18.4 / 19.8)
    assert decode(part.to_bytes("png")).content == bill


@pytest.mark.parametrize("language", quick_first(["de", "fr", "it", "en"]))
@pytest.mark.parametrize("bill", [FULL, EMPTY], ids=["full", "empty"])
def test_everything_keeps_5_mm_from_the_edges_and_the_columns_stay_apart(bill, language):
    inner = [one for one in boxes(SwissPaymentPart(bill, language=language)) if one[2] - one[0] < 100 > one[3] - one[1]]
    for left, top, right, bottom in inner:
        if bottom > 0:
            assert top > 4.5  # accents stand above capitals
            assert bottom < 100.1
            assert any(low - 0.1 < left < right < high + 0.1 for low, high in ((5, 57), (67, 118), (118, 205)))


def test_files_have_their_size_on_paper(tmp_path):
    part = SwissPaymentPart(EMPTY, language="en")
    assert b'width="210mm" height="110mm"' in part.save(tmp_path / "part.svg").read_bytes()
    width, height = re.search(rb"/MediaBox\[0 0 ([\d.]+) ([\d.]+)\]", part.to_bytes("pdf")).groups()
    assert (float(width), float(height)) == pytest.approx((210 / 25.4 * 72, 110 / 25.4 * 72), abs=0.01)
    assert part.scene.dots_per_inch == DPI
    assert part._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_no_account_is_in_the_alternative_text():
    part = SwissPaymentPart(str(FULL))
    assert "(IBAN hidden)" in repr(part)
    assert "889012" not in part.to_bytes("svg").decode()


def test_letters_that_the_font_lacks_are_named():
    bill = contents.swiss_bill(SHORT.replace(name="Ĕ"), "CH9300762011623852957")
    with pytest.warns(UserWarning, match="no letter 'Ĕ'"):
        assert SwissPaymentPart(bill).scene


def test_other_texts_and_languages_are_refused():
    with pytest.raises(InvalidParameter, match="bill='text': must be a Swiss QR-bill"):
        SwissPaymentPart("hello")
    with pytest.raises(InvalidParameter, match="language='es': is not a language of Swiss bills; allowed: de, fr"):
        SwissPaymentPart(EMPTY, language="es")
