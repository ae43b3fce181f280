"""Most looks that other generators offer can be described as designs, and all of these are read."""

import pytest

from qrkit import Design, QRImage, decode
from tests.design.peers import LOOKS, SIZE

DESIGNS = {name: look for name, look in LOOKS.items() if not isinstance(look, str)}


def test_most_looks_of_other_generators_can_be_described():
    assert len(LOOKS) == 150
    assert len([Design(**{**SIZE, **look}) for look in DESIGNS.values()]) >= 140


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_looks_of_other_generators_are_read(name):
    image = QRImage(Design(**{**SIZE, **DESIGNS[name]}))
    assert decode(image.to_bytes("png")).content == image.design.content
