"""The pictures of the README and the how-to pages show what qrkit draws today."""

import doctest
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".github" / "pictures"


@pytest.fixture(scope="module")
def script():
    spec = spec_from_file_location("make_pictures", ROOT / ".ci" / "make_pictures.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", ["code.svg", "large.svg", "damage.svg", "mended.svg"])
def test_drawings_are_those_of_today(script, name):
    """If not, `make pictures` draws them anew."""
    assert script.PICTURES[name]() == (KEPT / name).read_bytes()


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_the_picture_of_the_report_is_that_of_today(script):
    """Fonts differ between machines; where lines and numbers stand hardly does."""
    kept, drawn = (
        np.asarray(Image.open(file).convert("L").reduce(10), dtype=float) / 255
        for file in (KEPT / "report.png", BytesIO(script.PICTURES["report.png"]()))
    )
    assert np.abs(kept - drawn).mean() < 0.02


def test_every_picture_is_made_and_shown(script):
    pages = (ROOT / "README.md", *(ROOT / "notebooks/how-to").glob("*.md"))
    shown = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert sorted(script.PICTURES) == sorted(file.name for file in KEPT.iterdir())
    assert all(f".github/pictures/{name}" in shown for name in script.PICTURES)


def test_the_code_shown_is_that_of_the_lines_beside_it(script):
    lines = doctest.DocTestParser().get_examples((ROOT / "notebooks/how-to/designs.md").read_text(encoding="utf-8"))
    names = {}
    for example in lines:
        if example.source.startswith(("from qrkit import Design", "brand = ")):
            exec(example.source, names)
    assert names["brand"] == script.BRAND
