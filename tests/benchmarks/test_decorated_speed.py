"""How fast decorated designs become pictures, against the bare rasteriser on the SVG of the same design."""

import gc
from io import BytesIO
from itertools import count
from statistics import median
from time import perf_counter

import numpy as np
import pytest
import pyvips
from PIL import Image

from qrkit import Design, Frame, Gradient, Layer, Modules, data_uri, generate
from qrkit.design.shapes.styles import STYLES
from qrkit.drawing.untrusted.rasteriser.kept import forget_drawings
from qrkit.notebook.widgets.studio.draft import Draft, Edit
from tests.scanning.designs import heart

pytestmark = pytest.mark.benchmark

ROUNDS = 9


def noise(side: int, seed: int) -> str:
    """A PNG that no compression makes smaller, as a data URI."""
    pixels = np.random.default_rng(seed).integers(0, 255, (side, side, 4), dtype=np.uint8)
    file = BytesIO()
    Image.fromarray(pixels, "RGBA").save(file, "PNG")
    return data_uri(file.getvalue())


def rich() -> Design:
    """V7 with circles, a focal gradient on a gradient, and three 256 px pictures, at 1000 px."""
    colors = ("#123456", "#a01030", "#0a5020")
    stops = [{"offset": index / 2, "color": color} for index, color in enumerate(colors)]
    return Design(
        content="x" * 100,
        version=7,
        ec="L",
        width=1000,
        foreground=Gradient(gradient="radial", cx=0.5, cy=0.5, fx=0.3, fy=0.3, radius=0.7, stops=stops),
        background=Gradient.linear("#fff8e0", "#e0f0ff"),
        modules={"type": "sprite", "sprite": "circle"},
        layers=[Layer(noise(256, index), x=100 + 200 * index, y=300, width=128, height=128) for index in range(3)],
    )


def crowded() -> Design:
    """V40 with a sprite of 60 shapes on each of its dark modules, at 2000 px."""
    shapes = "".join(
        f'<circle cx="{index % 8 * 3 + 1}" cy="{index // 8 * 3 + 1}" r="1.4" fill="#{index * 4:02x}2040"/>'
        for index in range(60)
    )
    sprite = data_uri(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">{shapes}</svg>'.encode())
    return Design(
        content="y" * 50,
        version=40,
        width=2000,
        modules={"type": "sprite", "sprites": [{"content": sprite, "width": 11, "height": 11}]},
    )


def framed() -> Design:
    """A logo on a plate, and a frame with a caption, at 1000 px."""
    frame = Frame("bar", caption="Scan me", icon="wifi")
    plain = Design(content="https://example.com/spring", ec="H", width=1000, modules={"type": "rounded"}, frame=frame)
    return plain.with_logo("icon:heart", 0.2, plate="circle")


def by_qrkit(design: Design) -> bytes:
    forget_drawings()  # each round draws as if for the first time
    return generate(design).to_bytes("png")


def bare(svg: bytes) -> bytes:
    return pyvips.Image.svgload_buffer(svg).pngsave_buffer(compression=6)


def seconds(make, argument) -> float:
    gc.collect()
    start = perf_counter()
    make(argument)
    return perf_counter() - start


@pytest.mark.parametrize(
    ("design", "rounds"),
    [(rich(), ROUNDS), (crowded(), 1), (framed(), ROUNDS)],
    ids=["rich V7", "crowded V40", "framed"],
)
def test_a_decorated_design_becomes_a_png(design, rounds, capsys):
    svg = generate(design).to_bytes("svg")
    bare(b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    assert by_qrkit(design) == by_qrkit(design)  # and both are warm
    times = [(seconds(by_qrkit, design), seconds(bare, svg)) for _ in range(rounds)]
    ours, theirs = (median(column) * 1000 for column in zip(*times, strict=True))
    ratio = median(one / other for one, other in times)
    with capsys.disabled():
        print(f"\n{ours:8.0f} ms qrkit {theirs:8.0f} ms librsvg alone, qrkit/librsvg {ratio:.2f}")  # noqa: T201
    assert ratio < 4


@pytest.mark.parametrize("width", [320, 1000])
@pytest.mark.parametrize("look", [*STYLES, "a bubble around dots"])
def test_a_look_becomes_a_png(look, width, say, record):
    """A new text each time, with its verdict and without; wall time, because both wait for processes."""
    fields = {"modules": Modules(type=look)} if look in STYLES else {"preset": "bubble"}
    design = generate("https://example.com", width=width, warn=False, **fields).design
    texts = map("https://example.com/{:012}".format, count())
    svg = generate(design.replace(content=next(texts)), warn=False).to_bytes("svg")

    def judged(one: Design) -> bytes:
        forget_drawings()
        image = generate(one, warn=False)
        return image.to_bytes("png") if image.scan else b""

    times = [
        (*(seconds(make, design.replace(content=next(texts))) for make in (by_qrkit, judged)), seconds(bare, svg))
        for _ in range(ROUNDS)
    ]
    drawn, with_verdict = ([one[index] / one[2] for one in times] for index in (0, 1))
    record(f"{look} at {width} px, against librsvg", drawn=drawn, with_verdict=with_verdict)
    say(f"{look} at {width} px: qrkit/librsvg {median(drawn):.2f}, with a verdict {median(with_verdict):.2f}")
    assert median(drawn) < 4


@pytest.mark.parametrize("width", [320, 1000])
def test_the_verdict_costs_little_beside_the_picture(width, capsys):
    """And the picture, little beside the bare rasteriser; wall time, because both wait for processes."""
    design = heart().resized(width=width)
    svg = generate(design, warn=False).to_bytes("svg")

    def judged(one: Design) -> bytes:
        forget_drawings()
        image = generate(one, warn=False)
        assert image.scan
        return image.to_bytes("png")

    assert judged(design) == by_qrkit(design)
    times = [(seconds(by_qrkit, design), seconds(judged, design), seconds(bare, svg)) for _ in range(ROUNDS)]
    plain, with_verdict, theirs = (median(column) * 1000 for column in zip(*times, strict=True))
    with capsys.disabled():
        print(  # noqa: T201
            f"\n{width} px: {plain:.1f} ms, with a verdict {with_verdict:.1f} ms, librsvg alone {theirs:.1f} ms; "
            f"qrkit/librsvg {plain / theirs:.2f}, with a verdict {with_verdict / theirs:.2f}"
        )
    assert median(judged / drawn for drawn, judged, _ in times) < 3


@pytest.mark.parametrize("design", ["heart", "star V30"])
def test_a_layer_is_dragged_in_the_studio(design, capsys):
    """Against the PNG of the same design, with the compression of the studio."""
    star = Modules(type="sprite", sprite="star")
    start = heart()
    if design != "heart":
        start = Design(content="https://example.com", version=30, width=1000, modules=star).with_logo("icon:heart")
    draft = Draft(start)

    def drag(number: int) -> None:
        draft.edit(Edit(("layers", 0, "x"), value=round(start.layers[0].x + number / 4, 2)), gesture=1)

    def png(number: int) -> None:
        layer = start.layers[0].replace(y=round(start.layers[0].y + number / 4, 2))
        generate(start.replace(layers=[layer]), warn=False).to_bytes("png", compression=1)

    times = [(seconds(drag, number), seconds(png, number)) for number in range(1, ROUNDS + 1)]
    dragged, drawn = (median(column) * 1000 for column in zip(*times, strict=True))
    with capsys.disabled():
        print(f"\n{design}: a step {dragged:.1f} ms, its png {drawn:.1f} ms, ratio {dragged / drawn:.2f}")  # noqa: T201
    assert dragged < 3 * drawn


def test_a_change_of_colour_encodes_nothing(capsys):
    content = "https://example.com/" + "c" * 1000
    start = generate(content)
    changed = generate(content, foreground="navy")
    assert changed.symbol is start.symbol
    new = median(seconds(lambda number: generate(f"{content}{number}"), number) for number in range(ROUNDS))
    same = median(seconds(lambda color: generate(content, foreground=color), f"#0000{10 + n}") for n in range(ROUNDS))
    with capsys.disabled():
        print(f"\nanother content {new * 1000:.1f} ms, another colour {same * 1000:.2f} ms")  # noqa: T201
    assert same < new
