"""How long a print grade takes, beside encoding the same symbol by segno in the same run. CPU time."""

from statistics import median
from time import process_time

import numpy as np
import pytest
import segno

from qrkit.scanning.grade import QUIET_ZONE, grade
from qrkit.symbol.encode import encode

pytestmark = pytest.mark.benchmark


def milliseconds(work, rounds: int = 15) -> float:
    times = []
    for _ in range(rounds):
        started = process_time()
        work()
        times.append(1000 * (process_time() - started))
    return median(times)


@pytest.mark.parametrize("version", [2, 10, 40])
def test_a_grade_costs_a_few_encodings_of_segno(version, capsys):
    symbol = encode("grade", version=version)
    modules = np.pad([list(row) for row in symbol.modules], QUIET_ZONE)
    reflectance = np.where(modules == 1, 0.1, 0.9)
    grade(reflectance, symbol)
    ours = milliseconds(lambda: grade(reflectance, symbol))
    theirs = milliseconds(lambda: segno.make_qr("grade", version=version, mask=0))
    with capsys.disabled():
        line = f"\nversion {version}: {ours:.2f} ms, {ours / theirs:.2f} x segno's encoding"
        print(line)  # noqa: T201  # the figure is what a benchmark is for
    assert ours < 5 * theirs
