"""Scans are filtered, grouped and reported by tags and fields of QR Codes."""

from datetime import UTC, datetime

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.analytics import cross_table, rates, repeat_share, scans_by, scans_per, scans_per_day
from qrkit.errors import InvalidParameter
from qrkit.report import portfolio as report

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
ODD = "Straße/7~\"'{x}$ city"


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", clock=lambda: NOW) as made:
        made.insert_qrcode(
            "https://example.com/a", short_code="a", tags=["shop", "poster"], fields={"City": "Graz", "city": "x"}
        )
        made.insert_qrcode("https://example.com/b", short_code="b", tags=["poster"], fields={"City": "Wien", ODD: "y"})
        made.insert_qrcode("https://example.com/c", short_code="c")
        codes = ["a"] * 3 + ["b"] * 2 + ["c"]
        times = pd.date_range("2026-03-01", periods=6, freq="1D", tz="UTC")
        made.scans.insert(pd.DataFrame({"short_code": codes, "time": times, "city": "Linz"}))
        yield made


def counts(shop, by, **where):
    return scans_by(shop.scans.where(**where), by)[[by, "scans"]].to_numpy().tolist()


def test_scans_are_counted_by_a_field(shop):
    assert counts(shop, "City") == [["Graz", 3], ["Wien", 2], ["unknown", 1]]
    assert counts(shop, ODD) == [["unknown", 4], ["y", 2]]


def test_an_attribute_goes_before_a_field_of_its_name(shop):
    assert counts(shop, "city") == [["Linz", 6]]
    assert counts(shop, "field:city") == [["unknown", 3], ["x", 3]]


def test_scans_are_counted_with_each_tag(shop):
    frame = scans_by(shop.scans, "tag")
    assert frame[["tag", "scans"]].to_numpy().tolist() == [["poster", 5], ["shop", 3], ["unknown", 1]]
    assert frame["share"].tolist() == [5 / 6, 1 / 2, 1 / 6]


@pytest.mark.parametrize(
    ("filters", "scans"),
    [
        ({"tag": "poster"}, 5),
        ({"tag": ["shop", "none"]}, 3),
        ({"tag": "unknown"}, 1),
        ({"tag": "Poster"}, 0),
        ({"fields": {"City": "Graz"}}, 3),
        ({"fields": {"City": ["Graz", "Wien"]}}, 5),
        ({"fields": {"City": "unknown"}}, 1),
        ({"fields": {"City": "Wien", ODD: "y"}, "tag": "poster"}, 2),
        ({"fields": {"City": "Graz", ODD: "y"}}, 0),
        ({"fields": {}}, 6),
        ({"fields": {"City": "Graz"}, "city": "Linz"}, 3),
    ],
)
def test_scans_are_filtered_by_tags_and_fields(shop, filters, scans):
    view = shop.scans.where(**filters)
    assert view.count() == len(view.to_frame()) == scans
    assert view.where(tag=None, fields=None, city=None).count() == 6


def test_filter_by_a_misspelled_field_is_refused(shop):
    with pytest.raises(InvalidParameter, match=r"fields='Citty': is not a field of .* did you mean '[Cc]ity'"):
        shop.scans.where(fields={"Citty": "Graz"})


def test_groups_are_in_every_answer(shop):
    assert scans_per_day(shop.scans, by="City").groupby("City")["scans"].sum().to_dict() == {
        "Graz": 3,
        "Wien": 2,
        "unknown": 1,
    }
    assert scans_per(shop.scans, "month", by="tag")["scans"].tolist() == [5, 3, 1]
    assert sorted(repeat_share(shop.scans, by="City")["City"]) == []
    assert sorted(rates(shop.scans, by="tag")["tag"]) == ["poster", "shop", "unknown"]
    table = cross_table(shop.scans, "City", "tag")
    assert table.loc["Graz", ["poster", "shop"]].tolist() == [3, 3]
    assert cross_table(shop.scans, "device", "City").loc["total", "Wien"] == 2


@pytest.mark.parametrize(("by", "meant"), [("contry", "country"), ("CITY", "city")])
def test_names_that_are_close_are_offered(shop, by, meant):
    with pytest.raises(InvalidParameter, match=f"did you mean '{meant}'"):
        scans_by(shop.scans, by)


@pytest.mark.parametrize("by", ["Town", "field:Town", 7])
def test_unknown_fields_are_refused_with_those_there_are(shop, by):
    with pytest.raises(InvalidParameter, match=r"must be one of campaign, .*tag, or a field such as 'City'") as caught:
        scans_by(shop.scans, by)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("filters", "error"),
    [
        ({"tag": 7}, "tag=7: must be a tag, or a list of tags"),
        ({"fields": {"City": 7}}, "fields.City=7: must be text, or a list of texts"),
        ({"fields": "City"}, "fields='City': must map names to values"),
    ],
)
def test_invalid_filters_are_named(shop, filters, error):
    with pytest.raises(InvalidParameter, match=error):
        shop.scans.where(**filters)


def test_small_groups_of_tags_cannot_be_hidden(shop):
    for work in (
        lambda: cross_table(shop.scans, "tag", "City", least=2),
        lambda: report(shop, attributes=["tag"], least=2),
    ):
        with pytest.raises(InvalidParameter, match="a scan counts with each"):
            work()


@pytest.mark.slow
def test_reports_have_tables_of_tags_and_fields(shop):
    page = report(shop, attributes=["City", "tag"])
    for text in ("City", "Graz", "Tags", "poster"):
        assert f">{text}<" in page.html
    with pytest.raises(InvalidParameter, match="attributes='Town': must be one of"):
        report(shop, attributes=["Town"])


def test_sql_has_tags_and_fields(shop):
    by_city = """
        SELECT q.fields['City'] AS city, count(*) AS scans FROM scans s JOIN qrcodes q ON q.id = s.qrcode_id
        WHERE list_contains(q.tags, 'poster') GROUP BY ALL ORDER BY ALL
    """
    assert shop.sql(by_city).to_numpy().tolist() == [["Graz", 3], ["Wien", 2]]
