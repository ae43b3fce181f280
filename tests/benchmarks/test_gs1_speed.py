"""GS1 Digital Links of 10,000 products: how long their import takes, and what a redirect costs beside a short code."""

import json
from statistics import median
from time import perf_counter, thread_time

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.server import make_app
from qrkit.server.client import Client
from qrkit.server.settings import Settings
from tests.benchmarks.test_split_speed import HEADERS

pytestmark = pytest.mark.benchmark

PRODUCTS, REDIRECTS = 10_000, 3_000
MOST_TIMES, MOST_SECONDS = 1.8, 10
"""Of each product and short code, the first scan is measured, which reads what it leads to."""
TYPES = ("pip", "instructions", "recipeInfo", "nutritionalInfo", "certificationInfo")
LOTS = ("", "/10/A1", "/10/B2", "/10/C3")


def gtin(number):
    digits = f"950600{number:07}"
    total = sum(int(digit) * (3 - 2 * (place % 2)) for place, digit in enumerate(digits))
    return f"{digits}{-total % 10}"


def entity(number, below):
    anchor = f"https://id.example.com/01/{gtin(number)}{below}"
    links = {
        f"https://ref.gs1.org/voc/{name}": [
            {"href": f"https://example.com/{number}/{name}", "title": f"{name} {number}"}
        ]
        for name in TYPES
    }
    return {"anchor": anchor, "description": f"Product {number}", **links}


def test_products_lots_and_links(tmp_path, say, record):
    entities = [entity(number, below) for number in range(PRODUCTS) for below in LOTS]
    data = json.dumps({"linkset": entities}).encode()
    with open_portfolio(tmp_path / "shop.duckdb", base_url="https://id.example.com") as shop:
        begun = perf_counter()
        assert shop.gs1.import_file(data) == PRODUCTS
        seconds = perf_counter() - begun
        shop.import_frame(pd.DataFrame({"content": [f"https://example.com/{one}" for one in range(REDIRECTS)]}))
        codes = [code.short_code for code in shop.list_qrcodes() if not code.gs1]
        app = Client(make_app(shop.store, Settings(base_url=shop.base_url, trusted_proxies=["127.0.0.1"])))
        times = {"plain": [], "link": []}
        for number in range(REDIRECTS):
            paths = (f"/{codes[number]}", f"/01/{gtin(number * 7 % PRODUCTS)}/10/A1")
            for place, (path, found) in enumerate(zip(paths, times.values(), strict=True)):
                visitor = HEADERS | {"x-forwarded-for": f"10.{place}.{number >> 8}.{number & 255}"}
                before = thread_time()
                assert app.get(path, headers=visitor).status == 302
                found.append((thread_time() - before) * 1e6)
    plain, link = (median(found) for found in times.values())
    record("a redirect of a GS1 Digital Link, against a short code's", us=[link], times=[link / plain])
    record("an import of 10,000 products with three lots and 200,000 GS1 links", s=[seconds])
    say(f"import: {seconds:.1f} s; a redirect: {plain:.0f} µs; of a GS1 Digital Link: {link:.0f} µs, ")
    say(f"{link / plain:.2f} times")
    assert link <= MOST_TIMES * plain
    assert seconds <= MOST_SECONDS
