"""Returns one row per scan, with no more about the visitor than statistics files contain."""

from __future__ import annotations

from io import BytesIO

from qrkit.late import pd
from qrkit.store.copies.sandbox import read_parquet, write_parquet
from qrkit.store.questions.column_copy import columns
from qrkit.store.questions.scans import Scans
from qrkit.tracking.text_columns import with_dtypes

# "Generic_Android" with the model "K" is how the parser and Chrome say "unknown".
RECORDS = """
, records AS (
    SELECT
        nullif(campaign, '') AS campaign,
        nullif(system, '') AS system_name, nullif(system_version, '') AS system_version,
        nullif(browser, '') AS browser_name, nullif(browser_version, '') AS browser_version,
        CASE WHEN manufacturer NOT LIKE 'Generic%' THEN nullif(manufacturer, '') END AS manufacturer,
        CASE WHEN manufacturer NOT LIKE 'Generic%' OR device_model NOT IN ('K', 'Smartphone', 'Tablet', 'Feature Phone')
            THEN nullif(device_model, '') END AS device_model,
        device IN ('phone', 'tablet') AS is_mobile_device, device = 'tablet' AS is_tablet,
        nullif(country, '') AS country_code, nullif(region, '') AS region, nullif(city, '') AS city,
        latitude, longitude, time AS created
    FROM scans
)
SELECT * FROM records
"""
IN_ORDER = "created, COLUMNS(*)"
"""All columns, so that scans of the same moment always come in the same order."""
RECORD_TYPES = dict.fromkeys(
    ("campaign", "system_name", "system_version", "browser_name", "browser_version", "manufacturer", "device_model"),
    "str",
) | {"is_mobile_device": "bool", "is_tablet": "bool", "country_code": "str", "region": "str", "city": "str"}


def scan_records(scans: Scans) -> pd.DataFrame:
    """Return one row per scan, oldest first, with the columns of statistics files and nothing else about the visitor.

    Columns: campaign, system_name, system_version, browser_name, browser_version, manufacturer, device_model (str),
    is_mobile_device (bool, a phone or a tablet), is_tablet (bool), country_code, region, city (str), latitude,
    longitude (float64, degrees), created (datetime64[us], UTC without a time zone). Unknown values are missing (NaN);
    so is the campaign of a code without one. An unknown device is neither mobile nor a tablet. Files have these names
    in camelCase.
    """
    return _with_dtypes(scans.ask(f"{RECORDS} ORDER BY {IN_ORDER}"))


def scan_records_parquet(scans: Scans) -> bytes:
    """Return the rows of `scan_records` as a Parquet file, which takes the interpreter almost no time."""
    # Make the query first: it may parse new user agents, which the copy of a server must include.
    file, query = BytesIO(), scans.query(RECORDS)
    write_parquet(columns(scans.store), query, file, order=IN_ORDER)
    return file.getvalue()


def read_scan_records(data: bytes) -> pd.DataFrame:
    """Return the DataFrame of `scan_records` from what `scan_records_parquet` returned, also in another process."""
    return _with_dtypes(read_parquet(data))


def _with_dtypes(frame: pd.DataFrame) -> pd.DataFrame:
    return with_dtypes(frame, RECORD_TYPES | {"latitude": "float64", "longitude": "float64"})
