"""Reports the health of the service: whether it runs, and whether it is ready for requests."""

from __future__ import annotations

import json
from dataclasses import replace

from qrkit.errors import NotReady
from qrkit.server.requests.request import JSON, Response, problem
from qrkit.server.service import Call
from qrkit.version import __version__

NEVER_STORED = {"Cache-Control": "no-store"}


def live(_call: Call) -> Response:
    """Report that the server runs.

    This does not use the store. Restart a server that does not answer.
    """
    return Response(200, JSON, b'{"status": "ok"}', NEVER_STORED)


def health(call: Call) -> Response:
    """Report whether the server is ready, and how many visits were lost or late since it started.

    The server is ready while its store can be read and written and no visit was lost in the last minute. Otherwise, the
    status is 503, and requests should go to another server.
    """
    service = call.service
    told = {"version": __version__, "lost": service.redirects.lost, "late": service.redirects.late}
    reason = service.health.problem
    if not reason:
        return Response(200, JSON, json.dumps({"status": "ok"} | told).encode(), NEVER_STORED)
    answer = problem(NotReady(reason))
    return replace(answer, body=json.dumps(json.loads(answer.body) | told).encode())
