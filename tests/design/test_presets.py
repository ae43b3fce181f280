"""Presets: looks that read, on contents and symbols of all sizes."""

from io import BytesIO

import deqr
import numpy as np
import pytest
from PIL import Image

from qrkit import Design, Layer, decode, generate
from qrkit.design.presets import PRESETS, with_preset
from qrkit.errors import InvalidParameter


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("content", ["A", "https://example.com/spring", "x" * 300])
@pytest.mark.parametrize("size", [3, 8])
def test_presets_are_read_by_readers_of_both_kinds(name, content, size):
    png = generate(with_preset(Design(content=content, size=size), name)).to_bytes("png")
    assert decode(png).content == content
    # It writes into its picture, and wants more than a few pixels a module.
    greys = np.array(Image.open(BytesIO(png)).convert("L")).repeat(24 // size, axis=0).repeat(24 // size, axis=1)
    found = deqr.QuircDecoder().decode(greys)
    assert [entry.data for code in found for entry in code.data_entries] == [content]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("content", ["https://example.com/spring", "https://qr.example.com/Ab12cx", "x" * 120])
def test_the_standard_check_calls_every_preset_robust(name, content):
    report = with_preset(Design(content=content), name).check()
    assert report.verdict == "robust", str(report)


def test_preset_takes_the_place_of_the_look_and_leaves_the_rest():
    layer = Layer("icon:heart", x=1, y=2, width=3, height=4)
    design = Design(content="hi", ec="Q", size=5, layers=[layer], foreground="red", modules={"type": "dots"})
    changed = with_preset(design, "plain")
    assert changed == Design(content="hi", ec="Q", size=5, layers=[layer])


def test_unknown_preset_is_named_with_the_nearest():
    with pytest.raises(InvalidParameter, match="did you mean 'lagoon'"):
        with_preset(Design(content="hi"), "lagon")
