"""What a panel costs, part by part, against OpenCV reading the same captures. CPU time."""

from io import BytesIO
from statistics import median
from time import process_time

import numpy as np
import pytest
from PIL import Image

from qrkit import generate
from qrkit.scanning.conditions import CORE, Sheet, captured
from qrkit.scanning.panel import run_panel
from qrkit.scanning.readers import installed

pytestmark = pytest.mark.benchmark

CASES = {"3-M": "https://example.com/" + "a" * 10, "6-M": "https://example.com/" + "b" * 80, "8-M": "c" * 150}
PX, ROUNDS = 12, 7
MOST_SECONDS = 0.6


def milliseconds(what) -> float:
    start = process_time()
    what()
    return (process_time() - start) * 1000


@pytest.mark.parametrize("case", CASES)
def test_a_standard_panel(case, capsys):
    greys = np.asarray(Image.open(BytesIO(generate(CASES[case], size=PX).to_bytes("png"))).convert("L"))
    pictures = [picture for _, picture in captured(Sheet(greys, PX), CORE)]
    panel = run_panel(greys, PX, CASES[case])  # what is loaded once
    assert panel.verdict == "robust"
    parts = {
        "the panel": lambda: run_panel(greys, PX, CASES[case]),
        "captures": lambda: list(captured(Sheet(greys, PX), CORE)),
        "quick": lambda: run_panel(greys, PX, CASES[case], level="quick"),
        "full": lambda: run_panel(greys, PX, CASES[case], level="full"),
    }
    parts |= {one.name: lambda one=one: [one.read(picture) for picture in pictures] for one in installed()}
    found = {name: [] for name in parts}
    for _ in range(ROUNDS):
        for name, part in parts.items():
            found[name].append(milliseconds(part))
    assert min(found["the panel"]) < MOST_SECONDS * 1000
    peer = found.get("opencv", found["the panel"])
    with capsys.disabled():
        print(f"\n{case}, {len(CORE)} captures, median of {ROUNDS} interleaved rounds; part of OpenCV's time")  # noqa: T201
        for name, times in found.items():
            ratio = median(mine / theirs for mine, theirs in zip(times, peer, strict=True))
            print(f"  {name:10} {median(times):8.1f} ms {ratio:6.2f}")  # noqa: T201
