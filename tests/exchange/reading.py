"""What a reader makes of a file, as a DataFrame in which tests look things up."""

import pandas as pd

from qrkit.exchange import IMPORT_FORMATS, Reading
from qrkit.exchange.columns import ALL_NAMES


def undecodable(data):
    raise AssertionError("each picture is told of by the manifest")


def frame_of(table):
    """All columns of a table as text, with the verdict on each row, by the numbers of the rows."""
    columns = [*ALL_NAMES, "Error", "Reason"]
    verdicts = [{"Error": row.error, "Reason": row.reason if row.error else ""} for row in table.rows]
    rows = [dict.fromkeys(columns, "") | dict(row.cells) | said for row, said in zip(table.rows, verdicts, strict=True)]
    numbers = pd.Index([row.number for row in table.rows], name="row", dtype="int64")
    return pd.DataFrame(rows, columns=columns, index=numbers, dtype="str")


def read_frame(format, data, decode=undecodable):
    """What the reader of a format makes of a file."""
    return frame_of(IMPORT_FORMATS[format].read(data, Reading(decode)))
