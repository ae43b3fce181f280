"""Where files are imported: an empty portfolio for each test."""

import pytest

from qrkit.portfolio.opening import portfolio_in
from qrkit.store import Store

TABLES = "SELECT table_name AS name FROM duckdb_tables() WHERE estimated_size > 0 AND table_name != 'migrations'"
EMPTY = {"settings": "DELETE FROM settings WHERE name != 'id'"}


@pytest.fixture(scope="session")
def kept():
    """The store of all these tests: DuckDB takes longer to open an empty one than most of them need."""
    with Store() as store:
        yield store


@pytest.fixture
def new_store(kept):
    """An empty store; afterwards, all happens to it that happens when one is closed, and its rows go."""
    yield kept
    kept.database.finish()
    kept.database.helpers.clear()
    kept.database.memory.clear()
    with kept.atomic():
        for row in kept.rows(TABLES):
            kept.execute(EMPTY.get(row["name"], f"DELETE FROM {row['name']}"))


@pytest.fixture
def shop(new_store):
    return portfolio_in(new_store, base_url="https://go.example.com")
