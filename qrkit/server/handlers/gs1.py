"""Handles GS1 Digital Links (GS1-Conformant Resolver Standard 1.2), and the records of what they identify."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from qrkit.contents.gs1_compression import read_compressed
from qrkit.contents.gs1_identifiers import KEYS
from qrkit.contents.gs1_paths import Gs1Path, check_elements, gs1_path, gs1_path_in, qualifiers, read_gs1_path
from qrkit.contents.syntax import write_query
from qrkit.errors import InvalidParameter, NotFound, Problem
from qrkit.exchange.linksets import linkset, read_linkset
from qrkit.server.clients import unlocking
from qrkit.server.handlers.short_urls import HTML, asking, brand_of, shown
from qrkit.server.requests.parsing import accepted
from qrkit.server.requests.request import JSON, Response, tagged
from qrkit.server.service import Call
from qrkit.tracking.gs1_choosing import Wishes
from qrkit.tracking.gs1_entities import VOCABULARY, short_type
from qrkit.visits import redirect
from qrkit.visits.follow_or_show import with_query

LINKSET = "application/linkset+json"
WHOLE = ("linkset", "all")
"""Types of link that ask for all links."""
OWN = ("linkType", "context")
"""Parameters that the resolver reads, and does not pass on."""
CONTEXT = "https://ref.gs1.org/standards/resolver/linkset-context"
CORS = {"Access-Control-Allow-Methods": "GET, HEAD, OPTIONS", "Vary": "Accept, Accept-Language"}
SERVED = sorted(KEYS, key=int)
MOST_BYTES = 4 * 2**20


def resolve(call: Call) -> Response:
    """Lead from a GS1 Digital Link to one of its links, or answer with the list of them.

    Raises:
        InvalidParameter: If the path or an element in the query breaks a rule of GS1.
    """
    request, service = call.request, call.service
    path, compressed = _path(call)
    query = "&".join(filter(None, (compressed, request.query)))
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    check_elements(parameters)
    base = _base(call)
    headers = _headers(f"{base}/{path}", compressed) | dict(service.redirect_headers)
    if request.method == "OPTIONS":
        return Response(200, headers=headers)
    types, asked = accepted(request.headers.get("accept", "")), parameters.get("linkType", "")
    is_whole = asked in WHOLE or types[:1] == (LINKSET,)
    wishes = Wishes(
        short_type(asked) if asked else "",
        accepted(request.headers.get("accept-language", "")),
        types,
        parameters.get("context", ""),
    )
    visit = redirect.Request(request.method, path.key, request.headers, request.address, request.query)
    found = service.redirects.resolve(visit, path, None if is_whole else wishes)
    if hash := found.answer.asks_password:
        if not unlocking.is_let_in(service.store, path.key, hash, request.headers):
            return asking(call, path.key)
        found = service.redirects.resolve(replace(visit, is_let_in=True), path, None if is_whole else wishes)
    if is_whole or len(found.links) > 1:
        links = () if is_whole else found.links
        if "text/html" in types:
            from qrkit.server.pages.landing import PAGE_HEADERS, links_page

            page = links_page(request.headers, brand_of(service, path.key), found.levels, links)
            return Response(200 if is_whole else 300, HTML, page, headers | PAGE_HEADERS)
        body = json.dumps(linkset(base, found.levels), ensure_ascii=False).encode()
        return Response(200 if is_whole else 300, LINKSET, body, headers)
    if found.answer.destination.kind == "page":
        return shown(call, path.key, found.answer)
    location = found.answer.destination.link or ""
    if query and found.links and found.links[0].fwqs:
        location = with_query(location, _passed(query), "*", found.reserved)
    return Response(302, headers=headers | {"Location": location})


def _path(call: Call) -> tuple[Gs1Path, str | None]:
    """Return what a request identifies, and what its path says beside that, as a query, if it was compressed.

    A path is compressed as a whole or behind its key.
    """
    text = call.request.path["gs1"]
    *first, last = text.rstrip("/").split("/")
    if len(first) in (0, 2) and (values := read_compressed(last)):
        values = dict(zip(first[::2], first[1::2], strict=True)) | values
        if key := next(filter(KEYS.__contains__, values), ""):
            numbers = [key, *qualifiers(key, values)]
            others = ((name, value) for name, value in values.items() if name not in numbers)
            return gs1_path(tuple((number, values[number]) for number in numbers)), write_query(others)
    path = read_gs1_path(text)
    if path is None:
        raise NotFound("page", f"/{text}")
    return path, None


def _passed(query: str) -> str:
    """Return the pairs of a query that are passed on."""
    return "&".join(pair for pair in query.split("&") if unquote_plus(pair.partition("=")[0]) not in OWN)


def _base(call: Call) -> str:
    """Return the address that was asked, without the path of the link."""
    base = urlsplit(call.service.base_url)
    host = call.request.headers.get("host") or base.netloc
    return f"{base.scheme}://{host}{base.path.rstrip('/')}"


def _headers(url: str, compressed: str | None) -> dict[str, str]:
    """Return the headers of all answers about a link. Some clients read only one header `Link`."""
    links = [
        f'<{url}?linkType=linkset>; rel="linkset"; type="{LINKSET}"',
        f'<{CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"',
        *([f'<{url}{compressed and "?"}{compressed}>; rel="owl:sameAs"'] if compressed is not None else []),
    ]
    return CORS | {"Link": ", ".join(links)}


def describe(call: Call) -> Response:
    """Describe the resolver to other programs."""
    described = {
        "name": f"Resolver of {call.service.host}",
        "resolverRoot": call.service.base_url,
        "supportedPrimaryKeys": SERVED,
        "supportedLinkType": [{"namespace": VOCABULARY, "prefix": "gs1:"}],
        "linkTypeDefaultCanBeLinkset": False,
        "supportedContextValuesEnumerated": [],
        "jsonLdContextLocation": CONTEXT,
    }
    return tagged(Response(200, "application/json", json.dumps(described).encode(), CORS), "public, max-age=3600")


def get_linkset(call: Call) -> Response:
    """Return the links of a product, place or thing, of a lot or an item, and of all levels above it."""
    return Response(200, LINKSET, json.dumps(call.portfolio.gs1.linkset(call.request.path["gs1"])).encode())


def set_linkset(call: Call) -> Response:
    """Set the links of a product, place or thing, or of lots and items of it, from a linkset."""
    path = gs1_path_in(call.request.path["gs1"])
    found = read_linkset(call.request.body(MOST_BYTES))
    if found.keys() != {path.key}:
        raise InvalidParameter(Problem("linkset", ", ".join(found), f"must have only anchors of {path.key}"))
    code = call.portfolio.gs1.put(path.key, found[path.key])
    return Response(200, JSON, json.dumps({"id": code.id, "shortUrl": code.short_url}).encode())


def delete_linkset(call: Call) -> Response:
    """Delete a product, place or thing with its lots and items, or one of them."""
    call.portfolio.gs1.delete(call.request.path["gs1"])
    return Response(200)
