"""The gallery of presets shows what they draw today."""

from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from qrkit import presets
from qrkit.errors import InvalidParameter

SCRIPT = Path(__file__).parents[2] / ".ci" / "make_thumbnails.py"


@pytest.fixture(scope="module")
def thumbnail():
    spec = spec_from_file_location("make_thumbnails", SCRIPT)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.thumbnail


def pixels(png):
    return np.asarray(Image.open(BytesIO(png)).convert("RGBA"), dtype=float) / 255


@pytest.mark.slow
@pytest.mark.parametrize("name", presets.PRESETS)
def test_thumbnails_are_those_of_today(thumbnail, name):
    """If not, `make pictures` draws them anew. The last bits of a pixel may differ between versions of libraries."""
    kept, drawn = pixels(presets.gallery().thumbnail(name)), pixels(thumbnail(name))
    assert kept.shape == drawn.shape
    assert np.abs(kept - drawn).mean() < 0.01


def test_a_notebook_shows_every_preset_with_its_colorways():
    html = presets.gallery()._repr_mimebundle_()["text/html"]
    assert html.count("<img") == len(presets.PRESETS)
    assert all(f"{name}: {preset.title}" in html for name, preset in presets.PRESETS.items())
    assert repr(presets.gallery()) == f"<Gallery of {len(presets.PRESETS)}: {', '.join(presets.PRESETS)}>"


def test_an_unknown_preset_has_no_thumbnail():
    with pytest.raises(InvalidParameter, match="did you mean 'bubble'"):
        presets.gallery().thumbnail("buble")
