"""What a check costs in CPU time, and how well its score tells what engines see that took no part in it."""

from statistics import fmean, median
from time import process_time

import numpy as np
import pytest

from qrkit import Design, Gradient, Layer, QRImage, check
from qrkit.design.decoration import Modules
from qrkit.drawing.untrusted.rasteriser.kept import forget_drawings
from qrkit.scanning.readers import installed, standard
from tests.scanning.designs import all_eyes, broken, heart, plain, with_logo

pytestmark = pytest.mark.benchmark

CASES = {
    "2-M": plain(),
    "10-M": plain("x" * 200),
    "decorated": Design(
        content="https://example.com/spring",
        ec="H",
        foreground=Gradient.linear("#0B3D91", "#5B1D6B"),
        modules=Modules(type="sprite", sprite="star"),
        markers=all_eyes("eye-7"),
        layers=[Layer("icon:heart", x=130, y=130, width=60, height=60, color="#B00020")],
    ),
}
ROUNDS, FEW = 7, 3
MOST_SECONDS = {"static": 0.05, "standard": 1.0}
OTHERS = {"opencv", "zbar"}
"""Engines that are no judges."""


def seconds(what) -> float:
    forget_drawings()  # each round draws as if for the first time
    start = process_time()
    what()
    return process_time() - start


@pytest.mark.parametrize("case", CASES)
def test_a_check(case, capsys):
    design = CASES[case]
    parts = {
        "static": lambda: check(design, "static"),
        "quick": lambda: check(design, "quick", engines=standard()),
        "standard": lambda: check(design, "standard", engines=standard()),
        "png": lambda: QRImage(design).to_bytes("png"),
        "scan of an image": lambda: QRImage(design).scan,
    }
    for part in parts.values():
        part()  # what is loaded once
    found = {name: [seconds(part) for _ in range(ROUNDS)] for name, part in parts.items()}
    with capsys.disabled():
        print(f"\n{case}, median of {ROUNDS}; part of the time for its png")  # noqa: T201
        for name, times in found.items():
            ratio = median(times) / median(found["png"])
            print(f"  {name:17} {1000 * median(times):8.2f} ms {ratio:7.2f}")  # noqa: T201
    for level, most in MOST_SECONDS.items():
        assert min(found[level]) < most


def test_repairs_and_logos_cost_as_much_as_a_few_checks(capsys):
    """Against the standard check of the same design, of which each needs at least one; a repair, two."""
    design = heart()
    bare = design.replace(layers=())
    parts = {
        "standard": lambda: check(design),
        "static": lambda: check(design, "static"),
        "make_scannable": lambda: design.replace(padding=1).make_scannable(),
        "make_scannable, static": lambda: design.replace(padding=1).make_scannable(level="static"),
        "largest_logo": lambda: bare.largest_logo("icon:heart"),
        "largest_logo, static": lambda: bare.largest_logo("icon:heart", level="static"),
    }
    found = {name: [seconds(part) for _ in range(FEW)] for name, part in parts.items()}
    with capsys.disabled():
        print(f"\nmedian of {FEW}; part of the time for a standard check")  # noqa: T201
        for name, times in found.items():
            ratio = median(times) / median(found["standard"])
            print(f"  {name:23} {1000 * median(times):8.1f} ms {ratio:7.2f}")  # noqa: T201
    assert min(found["largest_logo"]) < 4 * min(found["standard"])


def ranks(values: list[float]) -> np.ndarray:
    """Places in the order of the values; equal ones share the mean of theirs."""
    array = np.array(values)
    return np.array([((array < one).sum() + (array <= one).sum() - 1) / 2 for one in array])


def spread() -> list[Design]:
    """Designs from good to bad."""
    designs = [design for _, design in broken()]
    designs += [plain(foreground=f"#{grey:02X}{grey:02X}{grey:02X}") for grey in range(0, 225, 32)]
    designs += [with_logo(share, ec=level) for share in (0.15, 0.25, 0.35, 0.45) for level in "MH"]
    designs += [plain(modules=Modules(type=style)) for style in ("rounded", "liquid", "dots", "bars")]
    return designs


@pytest.mark.needs("libzbar0")
def test_the_score_tells_what_other_engines_see(capsys):
    """As rank and linear correlation over designs, good and bad."""
    pytest.importorskip("cv2", reason="OpenCV is not installed")
    others = [one for one in installed() if one.name in OTHERS]
    designs = spread()
    rates = [check(design, engines=others).panel.rate for design in designs]
    by_level = {level: [check(one, level, engines=standard()).score for one in designs] for level in MOST_SECONDS}
    with capsys.disabled():
        print(f"\n{len(designs)} designs, of which OpenCV and zbar read {fmean(rates):.0%} of all captures")  # noqa: T201
        for level, scores in by_level.items():
            linear, rank = (np.corrcoef(*pair)[0, 1] for pair in ((scores, rates), (ranks(scores), ranks(rates))))
            print(f"  score of {level:8}  Pearson {linear:.2f}  Spearman {rank:.2f}")  # noqa: T201
    assert np.corrcoef(ranks(by_level["standard"]), ranks(rates))[0, 1] > 0.7
