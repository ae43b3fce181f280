"""How fast a list of URLs becomes PNGs in a zip, against a loop over segno in the same run, and in how much memory."""

import gc
import io
import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter
from zipfile import ZipFile

import pytest
import segno

from qrkit import decode, generate_many

pytestmark = pytest.mark.benchmark

CODES = 10_000
SOME = 100
"""What the loop over segno makes in a round; its time is that of each times the number."""
ROUNDS = 5
STARTS = count(1)


def urls(number: int) -> list[str]:
    """Texts that nobody has encoded before."""
    start = next(STARTS)
    return [f"https://example.com/some/p/{start:03}-{each:06}" for each in range(number)]


def by_qrkit(contents: list[str], target: Path, processes: int | None = 1) -> None:
    generate_many(contents, to=target, processes=processes)


def by_segno(contents: list[str], target: Path) -> None:
    with ZipFile(target, "w") as archive:
        for content in contents:
            picture = io.BytesIO()
            segno.make_qr(content, error="M", boost_error=False).save(picture, kind="png", scale=8, border=4)
            archive.writestr(f"{content[-10:]}.png", picture.getvalue())


def seconds(work, number: int, *options) -> tuple[float, float]:
    """Processor seconds, of other processes, too, and seconds by the clock; for the whole number of codes."""
    contents = urls(number)
    gc.collect()
    start, clock = processor_seconds(), perf_counter()
    work(contents, *options)
    many = CODES / number
    return (processor_seconds() - start) * many, (perf_counter() - clock) * many


def processor_seconds() -> float:
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))


def test_urls_become_pictures_in_a_zip(tmp_path, capsys, record):
    target = tmp_path / "codes.zip"
    [content] = urls(1)
    for work in (by_segno, by_qrkit):
        work([content], target)
        with ZipFile(target) as archive:
            [name] = archive.namelist()
            assert decode(archive.read(name)).content == content
    works = {
        "segno, one process": (by_segno, SOME, target),
        "qrkit, one process": (by_qrkit, CODES, target, 1),
        "qrkit, as many as pay": (by_qrkit, CODES, target, None),
    }
    rounds = [{name: seconds(*work) for name, work in works.items()} for _ in range(ROUNDS)]
    rows = []
    for name in works:
        found = {"case": name, "least_cpu_s": min(one[name][0] for one in rounds)}
        found["least_wall_s"] = min(one[name][1] for one in rounds)
        for kind, place in (("cpu", 0), ("wall", 1)):
            ratios = [one["segno, one process"][place] / one[name][place] for one in rounds]
            found[f"segno/this_{kind}"] = median(ratios)
        rows.append({key: value if key == "case" else round(value, 2) for key, value in found.items()})
        times = [one["segno, one process"][0] / one[name][0] for one in rounds]
        record(f"10,000 URLs in a zip: {name}", seconds=[one[name][0] for one in rounds], times=times)
        assert median(times) > 15 or name.startswith("segno")
    form = "{case:22} {least_cpu_s:8.2f} {least_wall_s:8.2f} {segno/this_cpu:8.1f} {segno/this_wall:8.1f}"
    with capsys.disabled():
        print(f"\n{CODES:,} URLs -> PNGs in a zip   cpu s   wall s  segno/this, cpu and wall")  # noqa: T201
        print("\n".join(form.format_map(row) for row in rows))  # noqa: T201  # the table is what a benchmark is for
        print(json.dumps({"urls -> zip of PNGs": rows}))  # noqa: T201


MEMORY = """if True:
    from pathlib import Path
    from qrkit import generate_many
    generate_many((f"https://example.com/some/page/{{n:08}}" for n in range({number})), to="codes.zip", processes=1)
    lines = Path("/proc/self/status").read_text().splitlines()  # getrusage counts the process that started this one
    print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


def test_memory_of_batches(tmp_path, capsys, record):
    found = {}
    for number in (100, 1_000, 10_000, 100_000):
        command = [sys.executable, "-c", MEMORY.format(number=number)]
        ran = subprocess.run(command, check=True, capture_output=True, cwd=tmp_path, env=os.environ)
        found[number] = round(int(ran.stdout) / 1024, 1)
    assert found[100_000] < 2 * found[100]
    for number, memory in found.items():
        record(f"{number:,} codes in a zip", memory=[memory])
    with capsys.disabled():
        print("\nmost memory of a process that makes a zip, MiB")  # noqa: T201
        print("\n".join(f"{number:7,} codes {memory:6.1f}" for number, memory in found.items()))  # noqa: T201
        print(json.dumps({"memory of batches, MiB": found}))  # noqa: T201
