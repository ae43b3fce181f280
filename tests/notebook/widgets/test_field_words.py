"""What people read in the studio instead of the names that programs use."""

import re

import pytest

from qrkit.notebook.widgets.controls import groups
from qrkit.notebook.widgets.studio.content_form import kind_forms


def leaves(controls):
    for control in controls:
        yield control
        yield from leaves(control.fields)


CONTROLS = list(leaves(control for members in groups().values() for control in members))
CHOICES = [control for control in CONTROLS if control.kind == "choice"]


@pytest.mark.parametrize("control", CHOICES, ids=lambda control: control.name)
def test_every_choice_has_words_of_its_own(control):
    words = [control.words[choice] for choice in control.choices]
    assert len({*words}) == len(words)
    assert control.words[""]


def test_every_choice_of_a_content_has_words():
    fields = [field for form in kind_forms().values() for field in form["fields"] if field["kind"] == "choice"]
    assert [field["name"] for field in fields if not {*map(str, field["choices"])} <= {*field["words"]}] == []


def test_help_speaks_of_labels_and_words_not_of_names():
    text = " ".join(control.help for control in CONTROLS)
    assert re.search(r"hit-test|\bem\b|padCodewords|`", text) is None
    assert "“Draw on top” covers the modules." in text
    assert "depends on version, encoding mode and error correction level." in text


def test_labels_are_written_like_sentences():
    labels = [control.label for control in CONTROLS if control.label]
    assert [label for label in labels if not label[0].isupper() or "_" in label] == []


def test_shares_are_shown_in_percent_and_lengths_in_pixels():
    opacity, width = (next(one for one in CONTROLS if one.name == name) for name in ("opacity", "width"))
    assert (opacity.percent, opacity.unit, opacity.low, opacity.high) == (True, "%", 0, 1)
    assert (width.percent, width.unit) == (False, "px")
