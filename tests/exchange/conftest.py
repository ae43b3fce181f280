"""Where files are imported: an empty portfolio for each test."""

import pytest

from qrkit import open_portfolio


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as portfolio:
        yield portfolio
