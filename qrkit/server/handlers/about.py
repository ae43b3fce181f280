"""Reports the health of the service."""

from __future__ import annotations

import json
from importlib.metadata import version

from qrkit.errors import StoreBusy, TooManyRequests
from qrkit.server.messages import JSON, Response
from qrkit.server.service import Call
from qrkit.store.maintenance import check_writing

__all__ = ["health"]


def health(call: Call) -> Response:
    """Report whether the store can be read and written, and how many visits were lost or late since the start.

    Raises:
        StoreBusy: If the store cannot be read and written, or does not respond in time.
    """
    service = call.service
    try:
        with service.gates.asking.passing():
            check_writing(service.store)
    except TooManyRequests as error:
        raise StoreBusy("the store does not answer") from error
    body = {
        "status": "ok",
        "version": version("qrkit-studio"),
        "lost": service.redirects.lost,
        "late": service.redirects.late,
    }
    return Response(200, JSON, json.dumps(body).encode(), {"Cache-Control": "no-store"})
