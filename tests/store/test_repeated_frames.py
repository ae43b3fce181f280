"""A table of visits that comes again: what is stored already is left out, row for row."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import open_portfolio
from qrkit.store.questions.visit_frame import FRAME_COLUMNS
from qrkit.store.recording.visit_rows import insert_visits
from qrkit.store.records.short_codes import target
from qrkit.store.upkeep.maintenance import forget_visits, verify
from qrkit.tracking.records import Visit

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
COLUMNS = ["content", *(name for name in FRAME_COLUMNS if name != "content")]
SMALL = {
    "content": ["https://example.com", "https://example.net", ""],
    "short_code": ["door", "shelf"],
    "time": [NOON.replace(tzinfo=None) + timedelta(microseconds=micro) for micro in (0, 1)],
    "kind": ["scan", "bot", "head"],
    "user_agent": ["", "Agent/1.0"],
    "referrer": [None, "", "example.com"],
    "language": [None, "sl"],
    "visitor": [None, 0, 2**64 - 1],
    "country": [None, "SI"],
    "region": [None, "\0"],
    "city": [None, "Ptuj"],
    "latitude": [None, 0.0, 46.5],
    "longitude": [None, 1 / 3],
    "variant": [None, "A"],
    "via": [None, "scan"],
    "lot": [None, "A1"],
    "serial": [None, "7"],
    "link_type": [None, "gs1:pip"],
}
"""Few values of each column, so that rows are often equal."""
SAME = {name: values[0] for name, values in SMALL.items()}
# Mostly a row that differs from the usual one in one column or none.
rows = st.sampled_from(list(SMALL)).flatmap(
    lambda name: st.sampled_from(SMALL[name]).map(lambda value: tuple((SAME | {name: value})[one] for one in COLUMNS))
) | st.tuples(*(st.sampled_from(SMALL[name]) for name in COLUMNS))
tables = st.lists(rows, max_size=8)


@pytest.fixture(scope="module")
def shop(new_place):
    """Two codes; a test that needs an empty store deletes their visits."""
    with open_portfolio(new_place(), base_url="https://go.example.com") as shop:
        for code in SMALL["short_code"]:
            shop.insert_qrcode("https://example.org", name=code, short_code=code)
        yield shop


def frame(table):
    made = pd.DataFrame(table, columns=COLUMNS, dtype="object")
    return made.astype({"visitor": "UInt64", "time": "datetime64[us]"})


def stored(shop):
    """The rows that are stored, as a multiset."""
    asked = f"SELECT {', '.join(COLUMNS)} FROM visits v JOIN user_agents u ON u.number = v.user_agent"
    found = shop.store.rows(asked.replace("user_agent,", "u.text AS user_agent,"))
    return Counter(tuple(row.values()) for row in found)


def scans(shop):
    return {code.short_code: code.scans for code in shop.list_qrcodes()}


def cleared(shop):
    """The same shop without visits; their number is kept in the counters."""
    forget_visits(shop.store, NOON + timedelta(days=400))
    return shop


@pytest.mark.slow
@given(a=tables, b=tables)
@settings(max_examples=15)
def test_of_equal_rows_there_are_as_many_as_the_table_has_that_has_most(shop, a, b):
    """In whatever order and however often tables come, the store has the least multiset that all of them lie in."""
    before = scans(cleared(shop))
    assert shop.scans.insert(frame(a)) == len(a)
    assert shop.scans.insert(frame(b)) == (Counter(b) - Counter(a)).total()
    assert (shop.scans.insert(frame(a)), shop.scans.insert(frame(b))) == (0, 0)
    both = Counter(a) | Counter(b)
    assert stored(shop) == both
    code, kind = COLUMNS.index("short_code"), COLUMNS.index("kind")
    counted = Counter(row[code] for row in both.elements() if row[kind] == "scan")
    assert scans(shop) == {name: number + counted[name] for name, number in before.items()}
    assert verify(shop.store) == []


@pytest.mark.parametrize("more", [{"city": "Ptuj"}, {"referrer": ""}, {"latitude": 0.0}, {"visitor": 0}])
def test_a_value_in_an_empty_column_makes_another_visit(new_place, more):
    row = {"short_code": "door", "time": "2024-05-01"}
    with open_portfolio(new_place()) as shop:
        shop.insert_qrcode("https://example.org", short_code="door")
        added = [shop.scans.insert(rows) for rows in ([row | more], [row], [row | more], [row], [row, row | more, row])]
        assert added == [1, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("whole", "given"),
    [
        ("https://T.co/abc?x=1", "https://T.co/abc?x=1"),
        ("https://t.co/abc?x=1", "t.co"),
        ("t.co/abc", "t.co/abc"),
        ("https://ana:secret@t.co:443/#x", "https://ana:secret@t.co:443/#x"),
        ("android-app://com.example/", "android-app://com.example/"),
        ("direct", "direct"),
        ("T.co", "T.co"),
    ],
)
def test_rows_whose_whole_referrer_was_stored_are_known(new_place, whole, given):
    """1.1.0 stored referrers of tables as they came; they are cut to hosts now."""
    rows = [{"short_code": "door", "time": f"2024-05-0{day}", "referrer": given} for day in (1, 2, 2)]
    with open_portfolio(new_place()) as shop:
        shop.insert_qrcode("https://example.org", short_code="door")
        assert shop.scans.insert(rows) == 3
        shop.store.execute("UPDATE visits SET referrer = ?", [whole])
        assert (shop.scans.insert(rows), shop.scans.insert([rows[0] | {"referrer": "other.example"}])) == (0, 1)


def most_pairs(given, found):
    """How many rows of a table can each have a stored one for itself that may be the same, by trying all."""
    taken = {}

    def finds(at, tried):
        for place, one in enumerate(found):
            if place not in tried and one[1:] == given[at][1:] and given[at][0] in (None, one[0]):
                tried.add(place)
                if place not in taken or finds(taken[place], tried):
                    taken[place] = at
                    return True
        return False

    return sum(finds(at, set()) for at in range(len(given)))


def without_content(row, is_without):
    return (None, *row[1:]) if is_without else row


some_without = st.lists(st.builds(without_content, rows, st.booleans()), max_size=8)


@pytest.mark.slow
@given(a=some_without, b=some_without)
@settings(max_examples=15)
def test_rows_without_content_are_compared_without_it(shop, a, b):
    """As many rows are left out as can have a stored one each."""
    cleared(shop)
    assert shop.scans.insert(frame(a)) == len(a)
    pairs = most_pairs(b, list(stored(shop).elements()))
    assert shop.scans.insert(frame(b)) == len(b) - pairs
    assert (shop.scans.insert(frame(a)), shop.scans.insert(frame(b))) == (0, 0)


def test_a_content_that_changes_between_two_inserts_doubles_nothing(new_place):
    with open_portfolio(new_place()) as shop:
        code = shop.insert_qrcode("https://example.com/spring", short_code="door")
        table = pd.DataFrame({"short_code": "door", "time": [NOON, NOON, NOON + timedelta(seconds=1)]})
        assert shop.scans.insert(table) == 3
        shop.update_qrcode(code.id, content="https://example.com/summer")
        assert shop.scans.insert(table) == 0
        assert set(shop.scans.to_frame()["content"]) == {"https://example.com/spring"}


def test_a_table_that_has_grown_adds_what_is_new(shop):
    """An old provider's export of March, then that of March and April."""
    cleared(shop)
    march = pd.DataFrame({"short_code": "door", "time": pd.date_range("2026-03-01", periods=300, freq="6h")})
    grown = pd.concat([march, march.assign(time=march["time"] + timedelta(days=75))])
    assert shop.scans.insert(march) == 300
    assert shop.scans.insert(grown.sample(frac=1, random_state=1)) == 300
    assert shop.scans.count() == 600


def test_visits_of_the_redirect_are_none_of_the_table(shop):
    cleared(shop)
    table = pd.DataFrame({"short_code": ["door"], "time": [NOON], "kind": ["scan"]})
    seen = Visit(NOON, "scan", "door", target(shop.store, "door").qrcode, "https://example.org", visitor=7)
    insert_visits(shop.store, [seen])
    assert (shop.scans.insert(table), shop.scans.insert(table), shop.scans.count()) == (1, 0, 2)


def test_inside_a_transaction_its_own_rows_are_seen(shop):
    cleared(shop)
    table = pd.DataFrame({"short_code": "door", "time": [NOON, NOON]})
    with shop.store.atomic():
        assert [shop.scans.insert(table) for _ in range(3)] == [2, 0, 0]
    assert shop.scans.insert(table) == 0


def test_visits_that_were_reduced_to_counts_cannot_be_seen(shop):
    cleared(shop)
    table = pd.DataFrame({"short_code": ["door"], "time": [NOON]})
    assert shop.scans.insert(table) == 1
    assert cleared(shop).scans.insert(table) == 1


@pytest.mark.slow
@pytest.mark.needs("postgres")
def test_processes_that_bring_the_same_table_at_once_store_it_once(server, empty_store):
    url = server.new_database(empty_store)
    random = Random(1)
    times = [NOON + timedelta(seconds=random.randrange(500)) for _ in range(2_000)]
    table = pd.DataFrame({"short_code": "door", "time": times, "kind": random.choices(["scan", "bot"], k=2_000)})
    shops = [open_portfolio(f"{url}&application_name=process{number}") for number in range(3)]
    shops[0].insert_qrcode("https://example.org", short_code="door")
    with ThreadPoolExecutor(3) as threads:
        added = list(threads.map(lambda shop: shop.scans.insert(table), shops))
    assert sorted(added) == [0, 0, 2_000]
    assert shops[0].list_qrcodes()[0].scans == shops[1].scans.count() == (table["kind"] == "scan").sum()
    for shop in shops:
        shop.close()
