"""Saved brands: by account and name, with one in use."""

import pytest

from qrkit import Brand, Design, Frame, Gradient, Markers, open_portfolio
from qrkit.errors import AssetError, InvalidParameter, NotFound, RemoteContentDisabled
from qrkit.portfolio.access import create_account
from qrkit.portfolio.brands import Brands, brand_behind, brand_from
from qrkit.portfolio.saved import LONGEST_NAME
from qrkit.store import Store
from qrkit.tracking.short_urls import new_id

ACME = Brand(
    "Acme", ink="#1B2A49", accent="#9A3412", logo="icon:heart", frame=Frame("bar", caption="Go"), eye="rounded"
)
FADE = Gradient.linear("navy", "black")


@pytest.fixture(scope="module")
def store(new_place):
    with Store(new_place()) as opened:
        yield opened


@pytest.fixture
def brands(store):
    return Brands(store, new_id())


def test_a_brand_is_given_back_as_it_was_saved(brands):
    brands.save("acme", ACME)
    assert brands.get("acme") == ACME
    assert (list(brands), len(brands), "acme" in brands, repr(brands)) == (["acme"], 1, True, "<Brands: acme>")
    brands.save("acme", Brand("Acme", ink="navy"))
    assert brands.get("acme") == Brand("Acme", ink="navy")


def test_one_brand_is_in_use_until_another_is_or_it_is_deleted(brands):
    brands.save("acme", ACME)
    brands.save("other", Brand("Other"))
    assert brands.current is None
    brands.use("acme")
    assert brands.current == ACME
    brands.save("acme", ACME.replace(accent="navy"))
    assert brands.current == ACME.replace(accent="navy")
    brands.use("other")
    assert brands.current == Brand("Other")
    brands.use(None)
    assert brands.current is None
    brands.use("other")
    brands.delete("other")
    assert (brands.current, brands.names()) == (None, ["acme"])


def test_brands_belong_to_an_account(store, brands):
    other = Brands(store, new_id())
    brands.save("acme", ACME)
    brands.use("acme")
    assert (other.names(), other.current) == ([], None)
    with pytest.raises(NotFound):
        other.use("acme")
    other.save("acme", Brand("Theirs"))
    other.use(None)
    assert brands.current == ACME


def test_brands_and_templates_have_names_of_their_own(new_path):
    path = new_path()
    with open_portfolio(path) as shop:
        shop.templates.save("acme", {"ec": "H"})
        shop.brands.save("acme", ACME)
        shop.brands.use("acme")
    with open_portfolio(path) as shop:
        assert (shop.templates.get("acme"), shop.brands.get("acme"), shop.brands.current) == ({"ec": "H"}, ACME, ACME)
        shop.templates.delete("acme")
        assert shop.brands.names() == ["acme"]


@pytest.mark.parametrize("call", ["get", "use", "delete"])
def test_unknown_brand_is_named_with_the_nearest(brands, call):
    brands.save("acme", ACME)
    with pytest.raises(NotFound, match="no brand 'acne'; did you mean 'acme'") as caught:
        getattr(brands, call)("acne")
    assert caught.value.code == "brand-not-found"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"foreground": FADE}, "foreground"),
        ({"background": FADE}, "background"),
        ({"markers": Markers.all("rounded", inner_color=FADE)}, "markers.topLeft.innerColor"),
    ],
)
def test_brand_has_no_gradients(fields, field):
    with pytest.raises(InvalidParameter, match="has flat colors") as caught:
        brand_from(Design(content="x", **fields), "Acme")
    assert caught.value.name == field


@pytest.mark.parametrize("name", ["", "x" * (LONGEST_NAME + 1), None, 3, "\ud800"])
def test_invalid_name_is_refused(brands, name):
    with pytest.raises(InvalidParameter, match=r"1\.\.100 characters"):
        brands.save(name, ACME)
    assert brands.names() == []


@pytest.mark.parametrize(
    ("logo", "error"),
    [
        ("https://example.com/logo.png", RemoteContentDisabled),
        ("data:image/png;base64,AAAA", AssetError),
        ("icon:no-such-icon", InvalidParameter),
    ],
)
def test_brand_whose_logo_no_page_could_show_is_not_saved(brands, logo, error):
    with pytest.raises(error, match="logo"):
        brands.save("acme", Brand("Acme", logo=logo))
    assert brands.names() == []


def test_notebook_shows_saved_brands_with_their_pictures(brands):
    brands.save("acme", ACME)
    page = brands._repr_mimebundle_()["text/html"]
    assert "1 brand<" in page or "1 brand " in page
    assert page.count("data:image/png") == 1


def test_the_account_of_a_deleted_code_is_known_in_a_store_with_one_account(new_place):
    with open_portfolio(new_place()) as shop:
        shop.brands.save("acme", ACME)
        shop.brands.use("acme")
        code = shop.insert_qrcode("hello", short_code="door")
        assert brand_behind(shop.store, "door") == ACME
        shop.delete_qrcode(code.id)
        assert brand_behind(shop.store, "door") == ACME
        create_account(shop.store, "other")
        assert brand_behind(shop.store, "door") is None
