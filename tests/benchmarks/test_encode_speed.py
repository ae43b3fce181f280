"""How fast a text becomes modules, against segno, qrcode and zint in the same run. CPU time."""

import gc
import json
import subprocess
import sys
from functools import cache
from itertools import count, islice
from statistics import median
from time import process_time

import pytest
import segno

from qrkit.symbol.encode import encode
from qrkit.symbol.encode.segments import segments_of

pytestmark = pytest.mark.benchmark

CASES = {
    "1-M, 11 bytes": ("hello world", "M", "byte"),
    "3-M, a URL of 30 bytes": ("https://example.com/" + "a" * 10, "M", "byte"),
    "6-M, a URL of 100 bytes": ("https://example.com/" + "b" * 80, "M", "byte"),
    "18-H, 300 bytes": ("c" * 300, "H", "byte"),
    "40-L, 2953 bytes": ("d" * 2953, "L", "byte"),
    "auto, a URL of 30 bytes": ("https://example.com/" + "a" * 10, "M", "auto"),
    "auto, three segments": ("HTTPS://EXAMPLE.COM/ORDER/name=alice&number=00123456789", "M", "auto"),
    "auto, 23 segments": ("order=12345678901234567890&SHOP=BERLIN " * 11, "M", "auto"),
    "30 Kanji": ("日本語の文字" * 4 + "000000", "M", "kanji"),
}
ROUNDS = 9
NUMBERS = count(1)


WIDE = str.maketrans("0123456789", "０１２３４５６７８９")  # noqa: RUF001  # digits that are Kanji


def by_qrkit(content: str, level: str, mode: str) -> object:
    return encode(content, error_correction=level, mode=mode).modules


def by_segno(content: str, level: str, mode: str) -> object:
    """In its automatic mode, segno makes one segment."""
    options = {"byte": {"mode": "byte", "encoding": "utf-8"}, "kanji": {"mode": "kanji"}, "auto": {}}
    return segno.make_qr(content, error=level, boost_error=False, **options[mode]).matrix


def assert_same(content: str, level: str, mode: str) -> None:
    """Both make the same modules, but for the padding: else the race would be between two different things."""
    ours = encode(content, error_correction=level, mode=mode, pad_codewords="segno")
    indicators = {"numeric": 1, "alphanumeric": 2, "byte": 4, "kanji": 8}
    segments = [
        (text, indicators[one], "shift_jis" if one == "kanji" else "utf-8")
        for one, text in segments_of(content, mode, ours.version)
    ]
    assert ours.modules == tuple(map(bytes, segno.make_qr(segments, error=level, boost_error=False).matrix))


@cache
def peers():
    """The encoders that are installed, by name, and why others are not there."""
    found, missing = {"segno": by_segno, "qrkit": by_qrkit}, []
    for name, make in (("qrcode", qrcode_encoder), ("zint", zint_encoder)):
        try:
            found[name] = make()
        except ImportError as error:
            missing.append(f"{name} is left out: {error}")
    return found, missing


def qrcode_encoder():
    import qrcode
    from qrcode.util import MODE_8BIT_BYTE, QRData

    def by_qrcode(content: str, level: str, mode: str) -> object:
        code = qrcode.QRCode(error_correction={"L": 1, "M": 0, "Q": 3, "H": 2}[level], border=0)
        code.add_data(QRData(content.encode(), MODE_8BIT_BYTE))
        code.make(fit=True)
        return code.modules

    return by_qrcode


def zint_encoder():
    """zint-bindings with the full choice of masks, up to modules that can be read."""
    import zint

    def by_zint(content: str, level: str, mode: str) -> object:
        symbol = zint.Symbol()
        symbol.symbology = zint.Symbology.QRCODE
        symbol.option_1 = "LMQH".index(level) + 1
        symbol.encode(content)
        return bytes(symbol.encoded_data)

    return by_zint


def seconds(make, content: str, level: str, mode: str, times: int) -> float:
    # Each text is a new one: a symbol that was encoded lately is not encoded again.
    texts = [f"{content[:-6]}{number:06}" for number in islice(NUMBERS, times)]
    if mode == "kanji":
        texts = [text.translate(WIDE) for text in texts]
    gc.collect()
    start = process_time()
    for text in texts:
        make(text, level, mode)
    return (process_time() - start) / times


def rounds_of(content: str, level: str, mode: str) -> dict[str, list[float]]:
    """Seconds of each encoder in every round; in each round all take their turn, the first another one each time."""
    # The others choose their own modes, which would be another race.
    encoders = [(name, make) for name, make in peers()[0].items() if mode == "byte" or name in ("segno", "qrkit")]
    times = {name: max(1, int(0.03 / seconds(make, content, level, mode, 1))) for name, make in encoders}
    found = {name: [] for name, _ in encoders}
    for number in range(ROUNDS):
        turn = number % len(encoders)
        for name, make in encoders[turn:] + encoders[:turn]:
            found[name].append(seconds(make, content, level, mode, times[name]))
    return found


def test_a_text_becomes_modules(capsys, record):
    rows = []
    for case, (content, level, mode) in CASES.items():
        assert_same(content.translate(WIDE) if mode == "kanji" else content, level, mode)
        found = rounds_of(content, level, mode)
        for name, ours in found.items():
            ratio = median(theirs / mine for theirs, mine in zip(found["segno"], ours, strict=True))
            faster = median(theirs / mine for theirs, mine in zip(ours, found["qrkit"], strict=True))
            numbers = {"median_us": median(ours) * 1e6, "least_us": min(ours) * 1e6}
            numbers |= {"segno/this": ratio, "this/qrkit": faster}
            rows.append({"case": case, "encoder": name} | {key: round(value, 2) for key, value in numbers.items()})
        assert median(theirs / ours for theirs, ours in zip(found["segno"], found["qrkit"], strict=True)) > 20
        for peer in found.keys() - {"qrkit"}:
            times = [theirs / ours for theirs, ours in zip(found[peer], found["qrkit"], strict=True)]
            record(f"modules, {case}, against {peer}", us=[ours * 1e6 for ours in found["qrkit"]], times=times)
    form = "{case:26} {encoder:7} {median_us:9.1f} us {segno/this:8.1f} {this/qrkit:8.1f}"
    table = [form.format_map(row) for row in rows]
    with capsys.disabled():
        print(f"\ntext -> modules, median of {ROUNDS} interleaved rounds     segno/this this/qrkit")  # noqa: T201
        print("\n".join(table + peers()[1]))  # noqa: T201  # the table is what a benchmark is for
        print(json.dumps({"text -> modules": rows}))  # noqa: T201


FIRST = """if True:
    from time import process_time
    from qrkit.symbol.encode import encode
    start = process_time()
    encode("first", version={version}, error_correction="H")
    print(process_time() - start)
"""


def test_the_first_symbol_of_a_version_in_a_new_process(capsys):
    rows = {}
    for version in (1, 7, 14, 21, 28, 35, 40):
        command = [sys.executable, "-c", FIRST.format(version=version)]
        runs = [float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(3)]
        rows[version] = round(median(runs) * 1000, 2)
    assert rows[40] < 30 * rows[1]  # it has 70 times as many modules
    with capsys.disabled():
        print("\nfirst symbol of a process, after import")  # noqa: T201
        print("\n".join(f"version {version:2} {found:6.1f} ms" for version, found in rows.items()))  # noqa: T201
        print(json.dumps({"first symbol, ms": rows}))  # noqa: T201
