"""How long free padding takes, beside encoding the same content by segno in the same run. CPU time."""

from itertools import count
from statistics import median
from time import process_time

import numpy as np
import pytest
import segno

from qrkit.symbol.encode.free_padding import solve
from qrkit.symbol.symbol import side_of

pytestmark = pytest.mark.benchmark

URL = "https://example.com/a"
NUMBERS = count(1)


def disc(version: int) -> list[list[int]]:
    side = side_of(version)
    down, across = np.mgrid[:side, :side] - (side - 1) / 2
    return np.where(np.hypot(down, across) <= side / 4, 1, -1).tolist()


def milliseconds(work, rounds: int = 9) -> float:
    times = []
    for _ in range(rounds):
        started = process_time()
        work()
        times.append(1000 * (process_time() - started))
    return median(times)


@pytest.mark.parametrize(
    ("version", "level", "wanted"),
    [(5, "M", "a disc"), (5, "M", "every module"), (10, "M", "a disc"), (20, "L", "a disc")],
)
def test_one_mask_costs_a_few_encodings_of_segno(version, level, wanted, capsys):
    modules = disc(version) if wanted == "a disc" else [[1] * side_of(version)] * side_of(version)

    def by_segno() -> None:
        segno.make_qr(f"{URL}{next(NUMBERS)}", version=version, error=level, mask=3, boost_error=False)

    def by_us() -> None:
        solve(f"{URL}{next(NUMBERS)}", version=version, error_correction=level, mask=3, wanted=modules)

    by_us()
    ours, theirs = milliseconds(by_us), milliseconds(by_segno)
    with capsys.disabled():
        line = f"\n{version}-{level}, {wanted}: {ours:.1f} ms, {ours / theirs:.1f} x segno's encoding"
        print(line)  # noqa: T201  # the figure is what a benchmark is for
    assert ours < 15 * theirs or version > 5
