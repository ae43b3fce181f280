"""What a redirect with variants costs, against one without: processor time of the app, with a durable scan each."""

from statistics import median
from time import thread_time

import pytest

from qrkit import open_portfolio
from qrkit.server import make_app
from qrkit.server.client import Client
from qrkit.server.settings import Settings

pytestmark = pytest.mark.benchmark

REDIRECTS = 3_000
MOST_TIMES = 1.1
HEADERS = {
    "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1",
    "accept-language": "de-AT,de;q=0.9",
}
VARIANTS = [{"name": name, "content": f"https://{name}.example"} for name in "ab"]


def test_a_redirect_with_variants(tmp_path, say, record):
    with open_portfolio(tmp_path / "shop.duckdb", base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com/spring", short_code="plain")
        shop.insert_qrcode("https://example.com/spring", short_code="split", rules=[{"variants": VARIANTS}])
        app = Client(make_app(shop.store, Settings(base_url=shop.base_url, trusted_proxies=["127.0.0.1"])))
        times = {"plain": [], "split": []}
        for number in range(REDIRECTS):
            for place, (code, found) in enumerate(times.items()):
                visitor = HEADERS | {"x-forwarded-for": f"10.{place}.{number >> 8}.{number & 255}"}
                before = thread_time()
                assert app.get(f"/{code}", headers=visitor).status == 302
                found.append((thread_time() - before) * 1e6)
    plain, split = (median(found) for found in times.values())
    record("a redirect with variants, against one without", us=[split], times=[split / plain])
    say(f"a redirect: {plain:.0f} µs; with variants: {split:.0f} µs, {split / plain:.2f} times")
    assert split <= MOST_TIMES * plain
