"""Reports in the look of a brand."""

import base64
import re
from datetime import UTC, datetime

import lxml.html
import pytest

from qrkit import Brand, charts, open_portfolio, report
from qrkit.errors import NotFound, RemoteContentDisabled

ACME = Brand("Acme & Söhne", ink="#431407", accent="#F97316", ground="#FFF7ED", logo="icon:heart")
JUNE = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", clock=lambda: JUNE) as portfolio:
        spring = portfolio.insert_campaign("Spring window")
        portfolio.insert_qrcode("https://example.com/door", name="Door", campaign_id=spring.id)
        portfolio.brands.save("acme", ACME)
        yield portfolio


def parsed(made):
    return lxml.html.document_fromstring(made.html)


def test_page_begins_with_the_name_and_the_logo(shop):
    for made in (report.portfolio(shop, brand=ACME), report.campaign(shop, shop.list_campaigns()[0].id, brand=ACME)):
        page = parsed(made)
        (mark,) = page.xpath("//header/p[@class='mark']")
        assert mark.text_content() == ACME.name
        (logo,) = page.xpath("//header//img/@src")
        assert b"<path" in base64.b64decode(logo.removeprefix("data:image/svg+xml;base64,"))
        (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
        assert "img-src data:;" in policy and policy.startswith("default-src 'none'")


@pytest.mark.slow
def test_brand_in_use_is_the_default(shop):
    assert not parsed(report.portfolio(shop)).xpath("//p[@class='mark']")
    shop.brands.use("acme")
    assert report.portfolio(shop) == report.portfolio(shop, brand=ACME)
    assert "Other" in report.portfolio(shop, brand=Brand("Other")).html
    shop.brands.save("other", Brand("Other"))
    assert report.portfolio(shop, brand="other") == report.portfolio(shop, brand=Brand("Other"))
    with pytest.raises(NotFound, match="no brand 'othr'"):
        report.portfolio(shop, brand="othr")
    shop.brands.use(None)
    assert not parsed(report.portfolio(shop)).xpath("//p[@class='mark']")


def test_page_takes_the_colors_of_the_brand(shop):
    html = report.portfolio(shop, brand=ACME).html
    light, dark = charts.brand_colors(ACME)["color-1"]
    assert re.findall(r"--color-1:(#\w+);", html) == [light, dark]
    assert f"--ink:{ACME.ink.rgb.lower()};" in html


def test_logo_from_the_web_is_not_fetched(shop):
    with pytest.raises(RemoteContentDisabled, match="logo"):
        report.portfolio(shop, brand=Brand("Acme", logo="https://example.com/logo.png"))
