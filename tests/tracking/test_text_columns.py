"""Columns of text: the same with every pandas."""

import datetime
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrkit.tracking.text_columns import as_text, text_column, with_dtypes
from tests.dtypes import TEXT

MISSING = (None, float("nan"), pd.NA, pd.NaT)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(MISSING)))
def test_text_stays_as_it_is_and_what_is_missing_stays_missing(values):
    found = text_column(values)
    assert str(found.dtype) == TEXT
    assert found.dropna().tolist() == [value for value in values if isinstance(value, str)]
    assert found.notna().tolist() == [isinstance(value, str) for value in values]


@pytest.mark.parametrize(
    ("values", "dtype", "texts"),
    [
        ([1, None], "Int64", ["1"]),
        ([1.5, None], "float64", ["1.5"]),
        ([True, None], "boolean", ["True"]),
        (["a", None], "category", ["a"]),
        (["a", None], "string", ["a"]),
        ([Decimal("1.50"), None], "object", ["1.50"]),
        ([datetime.date(2026, 6, 1), None], "object", ["2026-06-01"]),
        ([None, None], "object", []),
        ([], "object", []),
    ],
)
def test_a_column_of_any_dtype_becomes_text_but_for_what_is_missing(values, dtype, texts):
    found = as_text(pd.Series(values, dtype=dtype, name="part"))
    assert (str(found.dtype), found.name, found.dropna().tolist()) == (TEXT, "part", texts)


def test_a_frame_gets_its_dtypes_and_keeps_the_order_of_its_columns():
    frame = pd.DataFrame({"kind": ["scan", None], "other": [1, 2], "scans": ["3", "4"]})
    found = with_dtypes(frame, {"scans": "int64", "kind": "str"})
    assert found.dtypes.astype(str).to_dict() == {"kind": TEXT, "other": "int64", "scans": "int64"}
    assert found["kind"].isna().tolist() == [False, True]
