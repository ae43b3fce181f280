"""Returns one row per scan, with no more about the visitor than statistics files contain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.store import Scans
from qrkit.store.text_columns import with_dtypes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["scan_records"]

# "Generic_Android" with the model "K" is how the parser and Chrome say "unknown".
RECORDS = """
, records AS (
    SELECT
        nullif(campaign, '') AS campaign,
        nullif(system, '') AS systemName, nullif(system_version, '') AS systemVersion,
        nullif(browser, '') AS browserName, nullif(browser_version, '') AS browserVersion,
        CASE WHEN manufacturer NOT LIKE 'Generic%' THEN nullif(manufacturer, '') END AS manufacturer,
        CASE WHEN manufacturer NOT LIKE 'Generic%' OR device_model NOT IN ('K', 'Smartphone', 'Tablet', 'Feature Phone')
            THEN nullif(device_model, '') END AS deviceModel,
        device IN ('phone', 'tablet') AS isMobileDevice, device = 'tablet' AS isTablet,
        nullif(country, '') AS countryCode, nullif(region, '') AS region, nullif(city, '') AS city,
        latitude, longitude, time AS created
    FROM scans
)
SELECT * FROM records
ORDER BY created, COLUMNS(*) -- by all columns, so that scans of the same moment always come in the same order
"""
RECORD_TYPES = dict.fromkeys(
    ("campaign", "systemName", "systemVersion", "browserName", "browserVersion", "manufacturer", "deviceModel"), "str"
) | {"isMobileDevice": "bool", "isTablet": "bool", "countryCode": "str", "region": "str", "city": "str"}


def scan_records(scans: Scans) -> pd.DataFrame:
    """Return one row per scan, oldest first, with the columns of statistics files and nothing else about the visitor.

    Columns: campaign, systemName, systemVersion, browserName, browserVersion, manufacturer, deviceModel (str),
    isMobileDevice (bool, a phone or a tablet), isTablet (bool), countryCode, region, city (str), latitude, longitude
    (float64, degrees), created (datetime64[us], UTC without a time zone). Unknown values are missing (NaN); an unknown
    device is neither mobile nor a tablet.
    """
    return with_dtypes(scans.ask(RECORDS), RECORD_TYPES | {"latitude": "float64", "longitude": "float64"})
