"""Engines: what they find is the payload as it is, in any picture, beside each other, and whatever is installed."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import numpy as np
import pytest
import segno
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from qrkit.scanning.readers import STANDARD, Engine, installed, standard

ENGINES = [
    *STANDARD,
    pytest.param("opencv", id="opencv"),
    pytest.param("zbar", marks=pytest.mark.needs("libzbar0")),
]
each_engine = pytest.mark.parametrize("name", ENGINES)


def engine(name: str) -> Engine:
    if name == "opencv":
        pytest.importorskip("cv2", reason="OpenCV is not installed")
    return next(one for one in installed() if one.name == name)


def drawn(code: segno.QRCode, scale: int = 8) -> np.ndarray:
    file = BytesIO()
    code.save(file, kind="png", scale=scale, border=4)
    return np.asarray(Image.open(file).convert("L"))


def greys_of(content: str | bytes, scale: int = 8) -> np.ndarray:
    return drawn(segno.make_qr(content, mode="byte", encoding=None if isinstance(content, bytes) else "utf-8"), scale)


@each_engine
@pytest.mark.parametrize("text", ["https://example.com/spring", "é", "ｱｲｳ", "€", "漢字 naïve 😀", "\x01\x1d a", "7"])
def test_the_payload_is_found_byte_by_byte(name, text):
    assert engine(name).read(greys_of(text)) == [text.encode()]


@pytest.mark.parametrize("name", [*STANDARD, pytest.param("zbar", marks=pytest.mark.needs("libzbar0"))])
def test_a_symbol_of_other_modes_and_charsets_is_one_payload(name):
    read = engine(name).read
    assert read(drawn(segno.make_qr("点茗", mode="kanji"))) == ["点茗".encode("shift_jis")]
    assert read(drawn(segno.make_qr("grün", mode="byte", encoding="iso-8859-1"))) == ["grün".encode("latin-1")]
    several = segno.make_qr("ABCDEFGHIJKLMNOP0123456789012345678901234567890")
    assert read(drawn(several)) == [b"ABCDEFGHIJKLMNOP0123456789012345678901234567890"]


@pytest.mark.parametrize("name", [*STANDARD, pytest.param("zbar", marks=pytest.mark.needs("libzbar0"))])
def test_all_symbols_of_a_picture_are_found(name):
    both = np.hstack([greys_of("first"), greys_of("second")])
    assert sorted(engine(name).read(both)) == [b"first", b"second"]


@each_engine
def test_a_picture_stays_as_it_was_and_may_be_a_view(name):
    greys = np.clip(greys_of("hi") // 2 + 60, 0, 255).astype(np.uint8)
    before = greys.copy()
    greys.flags.writeable = False
    turned = np.rot90(greys)
    assert engine(name).read(greys) == [b"hi"]
    assert engine(name).read(turned) == [b"hi"]
    assert (greys == before).all()


@each_engine
@settings(max_examples=40)
@given(st.integers(0, 70), st.integers(0, 70), st.sampled_from(["white", "black", "noise"]), st.integers(0, 99))
def test_odd_pictures_hold_nothing(name, height, width, kind, seed):
    noise = np.random.default_rng(seed).integers(0, 256, (height, width), dtype=np.uint8)
    greys = {"noise": noise, "white": np.full_like(noise, 255), "black": np.zeros_like(noise)}[kind]
    assert engine(name).read(greys) == []


@each_engine
def test_large_pictures_of_nothing_but_finders_end(name):
    finder = np.pad(np.pad(np.zeros((3, 3), np.uint8), 1, constant_values=255), 1)
    greys = np.tile(np.pad(finder, 1, constant_values=255), (20, 20)).repeat(4, 0).repeat(4, 1)
    assert engine(name).read(greys) == []


@each_engine
def test_threads_get_each_its_own(name):
    read = engine(name).read
    texts = [f"number {number}" for number in range(8)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(read, map(greys_of, texts)))
    assert found == [[text.encode()] for text in texts]


def test_quirc_looks_again_where_modules_are_small():
    """A module of a pixel and a half: only enlarged it is read."""
    small = Image.fromarray(greys_of("https://example.com/spring", 6))
    greys = np.asarray(small.resize((small.width // 4, small.height // 4), Image.Resampling.BOX))
    assert engine("quirc").read(greys) == [b"https://example.com/spring"]


def test_the_standard_engines_are_of_both_schools_and_say_their_version():
    assert [one.name for one in standard()] == list(STANDARD)
    assert {one.school for one in standard()} == {"run-length", "contour"}
    assert all(any(map(str.isdigit, one.version)) for one in installed())
    assert installed()[: len(STANDARD)] == standard()


def program(text: str) -> str:
    return subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stdout.strip()


def test_without_opencv_and_zbar_the_standard_engines_remain():
    missing = "import sys; sys.modules['cv2'] = sys.modules['pyzbar'] = None\n"
    names = "from qrkit.scanning.readers import installed; print(*[one.name for one in installed()])"
    assert program(missing + names).split() == list(STANDARD)


def test_nothing_is_loaded_before_it_is_asked_for():
    loaded = program("import sys, qrkit.scanning.readers; print(*sys.modules)").split()
    assert {"zxingcpp", "deqr", "cv2", "pyzbar"}.isdisjoint(loaded)
