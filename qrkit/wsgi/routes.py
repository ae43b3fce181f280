"""The routes of the HTTP interface, one row each (interface.md, "Endpoints")."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from qrkit.wsgi import handlers
from qrkit.wsgi.handlers import Service
from qrkit.wsgi.messages import Request, Response

__all__ = ["ROUTES", "Handler", "Route"]

Handler = Callable[[Service, Request], Response]


class Route(NamedTuple):
    """A method and a path template, and what answers them. HEAD is answered where GET is."""

    method: str
    path: str
    handler: Handler


ROUTES = (
    Route("GET", "/api/v3/generate", handlers.generate),
    Route("POST", "/api/v3/generate", handlers.generate_posted),
    Route("GET", "/{code}", handlers.follow),
    Route("GET", "/{code}/{urlinfo}", handlers.follow),
)
