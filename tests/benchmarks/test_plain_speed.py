"""How fast a text becomes a plain file, against segno and qrcode in the same run. CPU time."""

import gc
import json
import os
import subprocess
import sys
from functools import cache
from io import BytesIO, StringIO
from itertools import count, islice
from pathlib import Path
from statistics import median
from time import process_time

import pytest
import segno

from qrkit import decode, generate
from qrkit.drawing.writers.png import PLAIN_COMPRESSION
from qrkit.symbol.encode import encode

pytestmark = pytest.mark.benchmark

CASES = {
    "3-M, a URL of 30 bytes": ("https://example.com/" + "a" * 10, "M"),
    "6-M, a URL of 100 bytes": ("https://example.com/" + "b" * 80, "M"),
    "18-H, 300 bytes": ("c" * 300, "H"),
    "40-L, 2953 bytes": ("d" * 2953, "L"),
}
ROUNDS = 9
SIZE, PADDING = 8, 4
NUMBERS = count(1)


def by_qrkit(content: str, level: str, format: str) -> bytes:
    # A rect per module is the svg of the HTTP interface; other formats are drawn as by default.
    drawn = {"modules": {"union": False}} if format == "svg" else {}
    return generate(content, ec=level, **drawn).to_bytes(format)


def by_qrkit_smaller(content: str, level: str, format: str) -> bytes:
    return generate(content, ec=level).to_bytes(format, compression=6)


def by_default(content: str, level: str, format: str) -> bytes:
    return generate(content, ec=level).to_bytes(format)


def by_segno(content: str, level: str, format: str) -> bytes | str:
    file = StringIO() if format == "eps" else BytesIO()
    code = segno.make_qr(content, error=level, mode="byte", encoding="utf-8", boost_error=False)
    code.save(file, kind=format, scale=SIZE, border=PADDING)
    return file.getvalue()


@cache
def peers(format: str):
    """What writes the format, by name, and why others are not there."""
    found, missing = {"segno": by_segno, "qrkit": by_qrkit}, []
    if format == "png":
        found["qrkit, compression 6"] = by_qrkit_smaller
    if format == "svg":
        found["qrkit, by default"] = by_default
    try:
        if format in ("png", "svg"):  # qrcode has no eps, and a pdf of pixels
            found["qrcode"] = qrcode_writer(format)
    except ImportError as error:
        missing.append(f"qrcode is left out: {error}")
    return found, missing


def qrcode_writer(format: str):
    import qrcode
    from qrcode.image.pil import PilImage
    from qrcode.image.svg import SvgImage
    from qrcode.util import MODE_8BIT_BYTE, QRData

    def by_qrcode(content: str, level: str, format: str) -> bytes:
        file, correction = BytesIO(), {"L": 1, "M": 0, "Q": 3, "H": 2}[level]
        code = qrcode.QRCode(error_correction=correction, box_size=SIZE, border=PADDING)
        code.add_data(QRData(content.encode(), MODE_8BIT_BYTE))
        code.make_image(PilImage if format == "png" else SvgImage).save(file)
        return file.getvalue()

    return by_qrcode


def seconds(write, content: str, level: str, format: str, times: int) -> float:
    # Each text is a new one: a symbol that was encoded lately is not encoded again.
    texts = [f"{content[:-6]}{number:06}" for number in islice(NUMBERS, times)]
    gc.collect()
    start = process_time()
    for text in texts:
        write(text, level, format)
    return (process_time() - start) / times


def rounds_of(content: str, level: str, format: str) -> dict[str, list[float]]:
    """Seconds of each writer in every round; in each round all take their turn, the first another one each time."""
    writers = list(peers(format)[0].items())
    for _, write in writers:
        seconds(write, content, level, format, 1)  # tables that are made once
    times = {name: max(1, int(0.03 / seconds(write, content, level, format, 5))) for name, write in writers}
    found = {name: [] for name, _ in writers}
    for number in range(ROUNDS):
        turn = number % len(writers)
        for name, write in writers[turn:] + writers[:turn]:
            found[name].append(seconds(write, content, level, format, times[name]))
    return found


@pytest.mark.parametrize("format", ["png", "svg", "eps", "pdf"])
def test_a_text_becomes_a_file(format, capsys, record):
    rows = []
    for case, (content, level) in CASES.items():
        # Both draw the same modules, but for the padding: else the race would be between two different things.
        theirs = segno.make_qr(content, error=level, mode="byte", encoding="utf-8", boost_error=False)
        assert encode(content, error_correction=level, pad_codewords="segno").modules == tuple(
            map(bytes, theirs.matrix)
        )
        found = rounds_of(content, level, format)
        for name, ours in found.items():
            ratio = median(theirs / mine for theirs, mine in zip(found["segno"], ours, strict=True))
            numbers = {"median_us": median(ours) * 1e6, "least_us": min(ours) * 1e6, "segno/this": ratio}
            size = len(peers(format)[0][name](content, level, format))
            row = {"case": case, "writer": name, "bytes": size}
            rows.append(row | {key: round(value, 2) for key, value in numbers.items()})
            if name.startswith("qrkit"):
                times = [theirs / mine for theirs, mine in zip(found["segno"], ours, strict=True)]
                record(f"{format}{name.removeprefix('qrkit')}, {case}", us=[mine * 1e6 for mine in ours], times=times)
                assert median(times) > (8 if name == "qrkit, by default" else 12)
    form = "{case:24} {writer:21} {median_us:9.1f} us {segno/this:7.1f} {bytes:9}"
    table = [form.format_map(row) for row in rows]
    with capsys.disabled():
        print(f"\ntext -> {format}, median of {ROUNDS} interleaved rounds             segno/this     bytes")  # noqa: T201
        print("\n".join(table + peers(format)[1]))  # noqa: T201  # the table is what a benchmark is for
        print(json.dumps({f"text -> {format}": rows}))  # noqa: T201


def test_what_a_level_of_compression_costs_and_saves(capsys, record):
    image = generate(CASES["3-M, a URL of 30 bytes"][0])
    rows = []
    for level in range(10):
        times = [picture_seconds(image, level) for _ in range(ROUNDS)]
        rows.append({"level": level, "us": round(median(times) * 1e6, 1), "bytes": len(png(image, level))})
    (one, default, six), sizes = zip(
        *[(row["us"], row["bytes"]) for row in (rows[1], rows[PLAIN_COMPRESSION], rows[6])], strict=True
    )
    record(
        "levels of compression of a png",
        one_times=[one / default],
        six_times=[six / default],
        one_larger=[(sizes[0] / sizes[1] - 1) * 100],
        six_smaller=[(1 - sizes[2] / sizes[1]) * 100],
    )
    assert decode(png(image, PLAIN_COMPRESSION)).content == image.design.content
    assert default < 2 * one
    with capsys.disabled():
        print(f"\nsymbol -> png by compression; the default is {PLAIN_COMPRESSION}")  # noqa: T201
        print("\n".join("level {level} {us:8.1f} us {bytes:6} bytes".format_map(row) for row in rows))  # noqa: T201
        print(json.dumps({"symbol -> png": rows}))  # noqa: T201


def png(image, level: int) -> bytes:
    return image.to_bytes("png", compression=level)


def picture_seconds(image, level: int) -> float:
    start = process_time()
    for _ in range(30):
        png(image, level)
    return (process_time() - start) / 30


COMMAND = "import sys; from qrkit.__main__ import program; sys.argv = ['qrkit',"
FIRST = {
    "an empty program": "",
    "segno": "import io, segno; segno.make_qr('first').save(io.BytesIO(), kind='png', scale=8)",
    "pydantic alone": "from pydantic import BaseModel",
    "qrkit": "import qrkit; qrkit.generate('first').to_bytes('png')",
    "qrkit, encode": "from qrkit.symbol.encode import encode; encode('first')",
    "segno --help": "from segno.cli import main; main(['--help'])",
    "qrkit --help": "from qrkit.__main__ import main; main(['--help'])",
    "segno URL": "from segno.cli import main; main(['https://example.com', '-o', 'a.png', '--scale', '8'])",
    "qrkit generate URL": f"{COMMAND} 'generate', 'https://example.com', '-o', 'b.png']; program()",
    "qrkit generate URL in a color": f"{COMMAND} "
    "'generate', 'https://example.com', '-o', 'c.png', '--foreground', 'navy']; program()",
    "qrkit generate URL in a preset": f"{COMMAND} "
    "'generate', 'https://example.com', '-o', 'd.png', '--preset', 'bubble']; program()",
    "qrkit check": f"{COMMAND} 'check', 'b.png']; program()",
}
COMMANDS = {
    "qrkit generate URL": 2,
    "qrkit generate URL in a color": 2,
    "qrkit generate URL in a preset": 4.8,
    "qrkit check": 4.2,
}
"""Each takes less than this multiple of the time of segno's command."""


def test_a_program_that_writes_one_png(capsys, tmp_path, record):
    found = {name: [] for name in FIRST}
    for program in FIRST.values():
        process_milliseconds(program, tmp_path)  # the first run compiles
    for _ in range(ROUNDS):
        for name, program in FIRST.items():
            found[name].append(process_milliseconds(program, tmp_path))
    rows = [
        {
            "program": name,
            "median_ms": round(median(ms), 1),
            "least_ms": min(ms),
            "this/segno": round(median(ours / theirs for ours, theirs in zip(ms, found["segno"], strict=True)), 2),
        }
        for name, ms in found.items()
    ]
    assert median(ours / theirs for ours, theirs in zip(found["qrkit"], found["segno"], strict=True)) < 2
    for name, ms in found.items():
        record(f"a program: {name}", ms=ms)
    for name, most in COMMANDS.items():
        times = [mine / segno for mine, segno in zip(found[name], found["segno URL"], strict=True)]
        record(f"a command: {name}", times=times)
        assert median(times) < most
    with capsys.disabled():
        print(f"\nimport and one png in a new process, CPU time of all of it, median of {ROUNDS}; this/segno")  # noqa: T201
        print("\n".join("{program:30} {median_ms:6.1f} ms {this/segno:6.2f}".format_map(row) for row in rows))  # noqa: T201
        print(json.dumps({"first png, ms": rows}))  # noqa: T201


def process_milliseconds(program: str, compiled: Path) -> float:
    """CPU time of a process that finds its modules compiled."""
    import resource  # not on Windows

    places = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(compiled)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, env=os.environ | places, cwd=compiled, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000, 1)
