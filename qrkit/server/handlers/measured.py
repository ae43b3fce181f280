"""Reports the health of the service, and metrics of this process for Prometheus and other collectors."""

from __future__ import annotations

import json
import time
from dataclasses import replace

from qrkit.errors import NotAuthenticated, NotFound, NotReady
from qrkit.server.operation.metrics import OPENMETRICS, Family, Sample, write_openmetrics
from qrkit.server.requests.request import JSON, Response, problem
from qrkit.server.service import Call, Service, bearer_token
from qrkit.store.recording.recorder import waiting_visits
from qrkit.store.upkeep.daily_upkeep import upkeep_counts
from qrkit.tracking.times import now
from qrkit.version import __version__

NEVER_STORED = {"Cache-Control": "no-store"}
GATES = ("plain", "drawing", "reading", "decoding", "changing", "working")
_BEGAN = now()


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


def metrics(call: Call) -> Response:
    """Report metrics of the process that answers, in the text format of OpenMetrics.

    The operator of the server sets a token (`--metrics-token-file`), which is sent as a Bearer token; otherwise, there
    are no metrics. If several processes serve the store, each reports its own requests.
    """
    service, request = call.service, call.request
    if service.metrics is None:
        raise NotFound("page", "/api/v3/metrics")
    if not service.metrics.accepts(bearer_token(request)):
        service.gates.generates.take(request.address)
        raise NotAuthenticated("the token for metrics is missing or wrong; send it as a Bearer token", code="bad-token")
    families = [*_process(service), *service.metrics.families(), *_visits(service), *_upkeep(service), *_gates(service)]
    return Response(200, OPENMETRICS, write_openmetrics(families), NEVER_STORED)


def _process(service: Service) -> list[Family]:
    is_ready, began = int(not service.health.problem), _BEGAN.timestamp()
    return [
        Family("qrkit", "info", "Version of qrkit.", [Sample(1, {"version": __version__})]),
        Family("qrkit_ready", "gauge", "1 while the server is ready for requests, else 0.", [Sample(is_ready)]),
        Family("process_cpu_seconds", "counter", "Processor time of this process.", [Sample(time.process_time())]),
        Family("process_start_time_seconds", "gauge", "Unix time at which this process began.", [Sample(began)]),
    ]


def _visits(service: Service) -> list[Family]:
    redirects = service.redirects
    return [
        Family(
            "qrkit_visits",
            "counter",
            "Visits to short URLs: recorded in time, late (stored later), or lost.",
            [Sample(getattr(redirects, outcome), {"outcome": outcome}) for outcome in ("recorded", "late", "lost")],
        ),
        Family(
            "qrkit_visits_waiting",
            "gauge",
            "Visits in the inbox, which are durable and will move into the store.",
            [Sample(waiting_visits(service.store))],
        ),
    ]


def _upkeep(service: Service) -> list[Family]:
    counts = upkeep_counts(service.store)
    return [
        Family("qrkit_visits_archived", "counter", "Visits moved into the history.", [Sample(counts.archived)]),
        Family("qrkit_visits_swept", "counter", "Visits reduced to counts.", [Sample(counts.swept)]),
        Family("qrkit_upkeep_failures", "counter", "Sweeps and archives that failed.", [Sample(counts.failed)]),
    ]


def _gates(service: Service) -> list[Family]:
    """Report the work whose amount is limited: drawing, reading bodies and images, changing records, jobs."""
    gates = {name: getattr(service.gates, name) for name in GATES}

    def samples(attribute: str) -> list[Sample]:
        return [Sample(getattr(gate, attribute), {"work": name}) for name, gate in gates.items()]

    return [
        Family("qrkit_work", "counter", "Pieces of work that were done.", samples("worked")),
        Family("qrkit_work_seconds", "counter", "Seconds that this work took.", samples("worked_seconds")),
        Family("qrkit_work_refused", "counter", "Requests refused because too much work waited.", samples("refused")),
        Family("qrkit_work_running", "gauge", "Pieces of work that are being done.", samples("inside")),
        Family("qrkit_work_waiting", "gauge", "Requests that wait until work for them can begin.", samples("waiting")),
    ]
