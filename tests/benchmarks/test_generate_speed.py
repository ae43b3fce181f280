"""How fast a text becomes a file, against segno in the same run."""

import gc
from io import BytesIO
from itertools import count, islice
from statistics import median
from time import process_time

import pytest
import segno

from qrkit import generate

pytestmark = pytest.mark.benchmark

CONTENTS = {
    "1-M, 11 bytes": "hello world",
    "3-M, 40 bytes": "https://example.com/" + "a" * 20,
    "10-M, 200 bytes": "https://example.com/" + "b" * 180,
    "40-M, 2300 bytes": "https://example.com/" + "c" * 2280,
}
ROUNDS = 7


def by_segno(content: str, format: str) -> bytes:
    file = BytesIO()
    code = segno.make_qr(content, error="m", mode="byte", encoding="utf-8", boost_error=False)
    code.save(file, kind=format, scale=8)
    return file.getvalue()


def by_qrkit(content: str, format: str) -> bytes:
    return generate(content).to_bytes(format)


NUMBERS = count(1)


def seconds(make, content: str, format: str, times: int) -> float:
    # Each text is a new one: a symbol that was encoded lately is not encoded again.
    texts = [f"{content[:-6]}{number:06}" for number in islice(NUMBERS, times)]
    start = process_time()
    for text in texts:
        make(text, format)
    return (process_time() - start) / times


@pytest.mark.parametrize("format", ["png", "svg"])
def test_a_text_becomes_a_file(format, capsys):
    table = [f"\ntext -> {format:4}            segno      qrkit   segno/qrkit (median of {ROUNDS} interleaved rounds)"]
    for name, content in CONTENTS.items():
        # Both draw the same modules, but for the padding: else the race would be between two different things.
        theirs = segno.make_qr(content, error="m", mode="byte", encoding="utf-8", boost_error=False)
        assert generate(content, pad_codewords="segno").symbol.modules == tuple(map(bytes, theirs.matrix))
        times = max(1, 2000 // len(theirs.matrix) ** 2 * 10)
        gc.collect()
        rounds = [
            (seconds(by_segno, content, format, times), seconds(by_qrkit, content, format, times))
            for _ in range(ROUNDS)
        ]
        slow, fast = (median(column) * 1000 for column in zip(*rounds, strict=True))
        ratio = median(one / other for one, other in rounds)
        assert ratio > 15
        table.append(f"{name:18} {slow:8.2f} ms {fast:7.2f} ms {ratio:10.1f}")
    with capsys.disabled():
        print("\n".join(table))  # noqa: T201  # the table is what a benchmark is for
