"""A row a scan, with no more of the visitor than statistics files tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qrkit.store import Scans
from qrkit.tracking.text_columns import with_dtypes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["scan_records"]

# "Generic_Android" with the model "K" is how the parser and Chrome say that they do not know.
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
ORDER BY created, COLUMNS(*) -- by all that is told, so that scans of one moment always come in the same order
"""
RECORD_TYPES = dict.fromkeys(
    ("campaign", "system_name", "system_version", "browser_name", "browser_version", "manufacturer", "device_model"),
    "str",
) | {"is_mobile_device": "bool", "is_tablet": "bool", "country_code": "str", "region": "str", "city": "str"}


def scan_records(scans: Scans) -> pd.DataFrame:
    """Returns a DataFrame with one row per scan, oldest first: what statistics files hold, which say less of visitors.

    Columns: campaign, system_name, system_version, browser_name, browser_version, manufacturer, device_model (str),
    is_mobile_device (bool, a phone or a tablet), is_tablet (bool), country_code, region, city (str), latitude,
    longitude (float64, degrees), created (datetime64[us], UTC without a zone). What is not known is missing (NaN); a
    device that is not known is neither mobile nor a tablet. Files have these names in camelCase.
    """
    return with_dtypes(scans.ask(RECORDS), RECORD_TYPES | {"latitude": "float64", "longitude": "float64"})
