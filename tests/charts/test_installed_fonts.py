"""Charts show letters that their own font lacks in installed fonts, and say which scripts none of these has."""

import warnings

import pandas as pd
import pytest

from qrkit import charts

UNSEEN = "ᬅᬓ"
"""Balinese, which hardly any font has."""


def chart_of(name):
    return charts.bars(pd.DataFrame({"qrcode": [name, "Door"], "scans": [3, 2]}))


def saved(chart, path):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        chart.savefig(path)
    assert path.stat().st_size > 1_000
    return [str(one.message) for one in found]


def test_letters_of_the_own_font_need_no_other(tmp_path):
    assert saved(chart_of("Ελλάδα, Žižek, العربية"), tmp_path / "chart.png") == []


def test_a_script_that_no_font_has_is_named(tmp_path):
    (warning,) = saved(chart_of(f"Bali {UNSEEN}"), tmp_path / "chart.png")
    assert "boxes for Balinese" in warning
    assert "install Noto Sans Balinese" in warning


def test_saving_leaves_a_chart_as_it_was(tmp_path):
    chart = chart_of("門市 🎉")
    before, svg = [text.get_text() for text in chart.texts], charts.to_svg(chart)
    saved(chart, tmp_path / "chart.png")
    assert [text.get_text() for text in chart.texts] == before
    assert charts.to_svg(chart) == svg
    assert "門市 🎉" in svg


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg", "jpg"])
def test_names_in_any_script_are_saved_in_any_format(suffix, tmp_path):
    assert len(saved(chart_of("東京タワー 서울 โปสเตอร์ दुकान 🎉"), tmp_path / f"chart.{suffix}")) <= 1


def test_a_svg_for_a_page_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert UNSEEN in charts.to_svg(chart_of(UNSEEN))
