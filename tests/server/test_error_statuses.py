"""Which HTTP status each error becomes."""

from __future__ import annotations

import pytest

from qrkit import errors
from qrkit.server.statuses import STATUSES, status_of


@pytest.mark.rule("H4")
def test_statuses_follow_what_went_wrong():
    """Open: which status a condition has. 400 for what was sent, 401 and 403 for who, 404 for what is not there."""
    found = {cls.__name__: status for cls, status in STATUSES.items() if status != 400}
    assert found == {
        "NotAuthenticated": 401,
        "NotAllowed": 403,
        "RemoteContentDisabled": 403,
        "NotFound": 404,
        "WrongMethod": 405,
        "Gone": 410,
        "BodyTooLarge": 413,
        "AddressTooLong": 414,
        "WrongMediaType": 415,
        "HeaderTooLarge": 431,
        "TooManyRequests": 429,
        "StoreBusy": 503,
        "StoreClosed": 503,
        "StoreDamaged": 503,
        "StoreReadOnly": 503,
        "NotReady": 503,
        "NotStored": 503,
    }


def test_what_the_table_does_not_name_has_the_status_of_its_base():
    problem = errors.Problem("size", "x", "must be a whole number")
    assert status_of(errors.AssetError(problem)) == status_of(errors.InvalidParameter(problem)) == 400
    assert status_of(errors.MissingProgram("x")) == status_of(errors.CannotWrite("x")) == 500
