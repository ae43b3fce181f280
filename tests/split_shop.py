"""A store with a QR Code whose visitors were split among variants, of which one converts far more."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from qrkit.portfolio.opening import portfolio_in
from qrkit.server import make_app
from qrkit.server.client import Client
from qrkit.server.settings import Settings
from qrkit.store import Store

RULES = [{"variants": [{"name": name, "content": f"https://example.com/{name.lower()}"} for name in ("Old", "New")]}]
CONVERTS = {"Old": 16, "New": 2}
"""One visitor in this many converts: rates so different that the answer is clear, however visitors are split."""
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


def make_split_shop(path, visitors=160):
    """Make the store, and return visitors and conversions of each variant, counted as they came."""
    now, counts, told = [NOON], {name: [0, 0] for name in CONVERTS}, []
    with Store(path) as store:
        shop = portfolio_in(store, base_url="https://go.example.com", clock=lambda: now[0])
        shop.insert_qrcode("https://example.com", name="Door", short_code="door", rules=RULES, click_id="click")
        shop.insert_qrcode("https://example.com", name="Gate", short_code="gate")
        client = Client(make_app(store, Settings(base_url=shop.base_url), clock=lambda: now[0]))
        for number in range(visitors):
            now[0] = NOON + timedelta(minutes=30 * number)
            agent = f"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.{number} Mobile/15E148"
            link = urlsplit(client.get("/door", headers={"user-agent": agent}).headers["location"])
            variant = link.path[1:].capitalize()
            count = counts[variant]
            count[0] += 1
            if count[0] % CONVERTS[variant] == 0:
                count[1] += 1
                told.append(
                    {"click_id": parse_qs(link.query)["click"][0], "time": now[0], "id": f"{number}", "value": 20}
                )
        now[0] += timedelta(days=2)
        shop.conversions.insert(told)
    return counts
