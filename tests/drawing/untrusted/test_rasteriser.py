"""Drawings may be a stranger's: whatever one does to the renderer, the next one is drawn."""

import base64
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from qrkit.drawing.untrusted.rasteriser import MOST_WORKERS, rasterise, rasterise_all, within
from qrkit.errors import QrkitError, RenderingFailed
from qrkit.server.statuses import status_of
from tests.sweeps import quick_first

SPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def drawing(body, width=20, height=20):
    return f'<svg {SPACES} width="{width}" height="{height}">{body}</svg>'.encode()


RED = drawing('<rect width="20" height="20" fill="#f00"/>')
RED_PIXELS = b"\xff\0\0\xff" * 400


def assert_draws():
    assert rasterise(RED, 20, 20) == RED_PIXELS


def workers():
    """Process ids of the renderers of this process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it ended meanwhile
            continue
        if parent == os.getpid() and any(word.endswith(b"rasteriser/worker.py") for word in words):
            found.append(int(folder.name))
    return found


def ran(script, *options, given=b"", **environment):
    """What a Python of its own says to what it is given; it must say nothing else, and no warning."""
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", *options, "-c", script]
    run = subprocess.run(command, capture_output=True, timeout=60, input=given, env=os.environ | environment)
    assert (run.returncode, run.stderr) == (0, b"")
    return run.stdout


# Pixels ---------------------------------------------------------------------------------------------------------------

BEGIN = f"""
import os, sys
from pathlib import Path
from qrkit.drawing.untrusted.rasteriser import rasterise, within
RED, PIXELS = {RED!r}, {RED_PIXELS!r}
def children():
    return Path("/proc/self/task", str(os.getpid()), "children").read_text().split()
"""


ENGINES = {"librsvg": b"", "resvg": b'<mask id="unused"/>'}
"""The element that has a drawing drawn by a renderer: resvg draws those with masks, librsvg all others."""


def of_engine(engine, svg):
    return svg.removesuffix(b"</svg>") + ENGINES[engine] + b"</svg>"


def drawn_by(engine, svg, width, height):
    return Image.frombytes("RGBA", (width, height), rasterise(of_engine(engine, svg), width, height))


@pytest.mark.parametrize("engine", ENGINES)
def test_pixels_come_row_by_row_with_an_alpha_that_is_not_multiplied_in(engine):
    body = (
        '<rect width="1" height="1" fill="#102030"/><rect x="1" width="1" height="1" fill="#f00" fill-opacity=".5"/>'
        '<rect y="1" width="1" height="1" fill="#00f"/>'
    )
    picture = drawn_by(engine, drawing(body, 3, 2), 3, 2)
    (first, faint, nothing), (blue, *rest) = [[picture.getpixel((x, y)) for x in range(3)] for y in range(2)]
    assert (first, blue) == ((16, 32, 48, 255), (0, 0, 255, 255))
    assert faint[:3] == (255, 0, 0)
    assert faint[3] in (127, 128)
    assert [nothing[3], *(one[3] for one in rest)] == [0, 0, 0]


def test_both_engines_see_the_same_in_a_gradient_a_path_and_a_picture():
    """They differ at edges alone: by less than one level of 255 on the mean of each channel."""
    file = BytesIO()
    Image.linear_gradient("L").resize((16, 16)).save(file, "PNG")
    body = (
        '<defs><linearGradient id="l"><stop stop-color="#f80"/><stop offset="1" stop-color="#08f" stop-opacity=".4"/>'
        '</linearGradient><radialGradient id="r"><stop stop-color="#fff"/><stop offset="1" stop-color="#083"/>'
        '</radialGradient></defs><rect width="200" height="100" fill="url(#l)"/>'
        '<circle cx="50" cy="50" r="40" fill="url(#r)"/>'
        '<path d="M110 10c40 0 40 80 0 80s-20-60 30-70z" fill="#123" stroke="#f0f" stroke-width="3"/>'
        f'<image x="140" y="20" width="48" height="48" xlink:href="data:image/png;base64,'
        f'{base64.b64encode(file.getvalue()).decode()}"/>'
    )
    one, other = (drawn_by(engine, drawing(body, 200, 100), 200, 100) for engine in ENGINES)
    assert max(ImageStat.Stat(ImageChops.difference(one, other)).mean) < 1
    assert min(ImageStat.Stat(one).stddev) > 20


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(1, 40), st.tuples(*[st.integers(0, 255)] * 3))
def test_a_drawing_of_any_size_has_four_bytes_a_pixel(width, height, color):
    svg = drawing('<rect width="100%" height="100%" fill="rgb({},{},{})"/>'.format(*color), width, height)
    assert rasterise(svg, width, height) == bytes((*color, 255)) * (width * height)


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "svg",
    [
        b"",
        b"no svg",
        b"\0" * 50,
        b"<svg",
        b"<svg/>",
        RED[:-10],
        b"\xff\xfe" + RED,
        drawing("", 21, 20),
        drawing("", 20, 19),
        drawing("<a"),
    ],
    ids=lambda svg: repr(svg[:12]),
)
def test_what_is_no_drawing_of_this_size_is_refused_in_one_line(svg):
    with pytest.raises(RenderingFailed, match=r"^the drawing cannot be rendered: .") as caught:
        rasterise(svg, 20, 20)
    assert isinstance(caught.value, QrkitError)
    assert (status_of(caught.value), caught.value.code) == (400, "rendering-failed")
    assert "\n" not in str(caught.value)
    assert_draws()


def test_drawings_of_one_request_are_those_of_a_request_for_each():
    blue = drawing('<circle cx="4" cy="2" r="2" fill="#00f"/>', 7, 5)
    several = [(RED, 20, 20), (blue, 7, 5), (RED, 20, 20)]
    assert rasterise_all(several) == [rasterise(*one) for one in several]
    assert rasterise_all([]) == []


def test_a_drawing_that_is_refused_refuses_all_of_its_request():
    with pytest.raises(RenderingFailed):
        rasterise_all([(RED, 20, 20), (b"<svg", 20, 20)])
    assert_draws()


uses = "".join(f'<g id="a{level}">' + f'<use xlink:href="#a{level - 1}"/>' * 10 + "</g>" for level in range(1, 9))
BOMBS = {
    "a hundred million uses": (
        drawing(f'<defs><rect id="a0" width="1" height="1"/>{uses}</defs><use xlink:href="#a8"/>'),
        20,
    ),
    "100,000 nested groups": (drawing("<g>" * 100_000 + "</g>" * 100_000), 20),
    "a picture of 40 GB": (drawing('<rect width="9" height="9"/>', 100_000, 100_000), 100_000),
    "a chain of filters": (
        drawing(
            '<filter id="f" x="-9" y="-9" width="99" height="99">'
            + '<feGaussianBlur stdDeviation="50"/><feMorphology radius="40"/>' * 300
            + '</filter><rect width="900" height="900" filter="url(#f)"/>',
            1_500,
            1_500,
        ),
        1_500,
    ),
}


@pytest.mark.parametrize("name", quick_first(BOMBS, 2))
def test_a_bomb_ends_in_time_and_the_next_drawing_is_drawn(name):
    svg, side = BOMBS[name]
    assert_draws()  # the time in which a worker starts is not the bomb's
    began = time.monotonic()
    with pytest.raises(RenderingFailed), within(0.8):
        rasterise(svg, side, side)
    assert time.monotonic() - began < 5
    assert_draws()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_survives_every_bomb(engine):
    script = f"""{BEGIN}
from qrkit.errors import RenderingFailed
for svg, side in eval(sys.stdin.read()):
    try:
        with within(2):
            rasterise(svg, side, side)
    except RenderingFailed:
        print("failed", end=" ")
    assert rasterise(RED, 20, 20) == PIXELS
"""
    given = repr([(of_engine(engine, svg), side) for svg, side in BOMBS.values()]).encode()
    assert ran(script, given=given).split() == [b"failed"] * len(BOMBS)


def test_a_drawing_that_takes_too_long_says_how_long_it_had():
    svg, side = BOMBS["a chain of filters"]
    with pytest.raises(RenderingFailed, match=r"took longer than 0\.3 s"), within(0.3):
        rasterise(svg, side, side)


# Workers --------------------------------------------------------------------------------------------------------------


@linux
def test_a_worker_is_kept_and_one_that_was_killed_is_replaced():
    assert_draws()
    before = workers()
    assert_draws()
    assert workers() == before
    for pid in before:
        os.kill(pid, 9)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert_draws()
    (after,) = workers()
    assert after not in before


def test_threads_draw_at_once_and_each_gets_its_own():
    def draw(number):
        svg = drawing(f'<rect width="20" height="20" fill="rgb({number},0,{255 - number})"/>')
        return rasterise(svg, 20, 20)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(draw, range(160)))
    assert found == [bytes((number, 0, 255 - number, 255)) * 400 for number in range(160)]
    if sys.platform == "linux":
        assert 1 <= len(workers()) <= 2 * MOST_WORKERS, "those that draw, and those that compress"


def test_a_drawing_that_fails_in_one_thread_disturbs_no_other():
    def draw(number):
        if number % 4:
            return rasterise(RED, 20, 20)
        with pytest.raises(RenderingFailed):
            rasterise(b"<svg", 20, 20)
        return RED_PIXELS

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(draw, range(64))) == {RED_PIXELS}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_child_draws_with_workers_of_its_own():
    script = f"""{BEGIN}
assert rasterise(RED, 20, 20) == PIXELS
child = os.fork()
for number in range(20):
    assert rasterise(RED, 20, 20) == PIXELS
if not child:
    sys.exit(7)  # as programs end, with all that they clean up
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert rasterise(RED, 20, 20) == PIXELS
print("both", end="")
"""
    assert ran(script, "-W", "ignore::DeprecationWarning") == b"both"


@linux
def test_a_pool_of_forked_processes_draws():
    script = f"""{BEGIN}
import multiprocessing
def draw(_):
    return rasterise(RED, 20, 20) == PIXELS
assert draw(0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(all(pool.map(draw, range(20))), end="")
    pool.close()
    pool.join()
"""
    assert ran(script, "-W", "ignore::DeprecationWarning") == b"True"


@linux
def test_at_exit_no_worker_is_left_and_nothing_is_said():
    script = f"""{BEGIN}
rasterise(RED, 20, 20)
print(*children())
"""
    (pid,) = ran(script, "-W", "error").split()
    assert not Path("/proc", pid.decode()).exists()


@linux
def test_a_worker_does_not_see_the_secrets_of_the_environment():
    script = f"""{BEGIN}
rasterise(RED, 20, 20)
(pid,) = children()
print(Path("/proc", pid, "environ").read_text())
"""
    said = ran(script, QRKIT_SECRET="qk_hidden", AWS_SECRET_ACCESS_KEY="also hidden")
    names = {line.partition(b"=")[0] for line in said.split(b"\0")} - {b"\n"}
    memory = {b"MALLOC_ARENA_MAX", b"MALLOC_MMAP_THRESHOLD_", b"MALLOC_TRIM_THRESHOLD_"}
    assert names <= {b"PATH", b"LD_LIBRARY_PATH", b"PYTHONPATH", b""} | memory
    assert b"PATH" in names
    assert b"hidden" not in said


def test_all_that_is_drawn_within_a_limit_shares_it():
    with within(30):
        assert rasterise(RED, 20, 20)
    with within(0), pytest.raises(RenderingFailed, match="all its parts together take too long"):
        rasterise(RED, 20, 20)
    with within(0), within(30), pytest.raises(RenderingFailed):  # the outer one holds
        rasterise(RED, 20, 20)
    assert rasterise(RED, 20, 20)
