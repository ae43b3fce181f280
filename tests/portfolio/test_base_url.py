"""A portfolio whose base URL has changed since its codes were made: what no longer fits is drawn so that it does."""

import io
import json
from urllib.parse import urlsplit
from wsgiref.validate import validator
from zipfile import ZipFile

import pytest

from qrkit import decode, open_portfolio
from qrkit.errors import ContentTooLong, InvalidParameter
from qrkit.portfolio.access import create_key
from qrkit.server import Client, Settings, make_app

SHORT, LONG = "http://goo.by", "https://qr.shop.example.com"
TARGET = "https://example.com/spring"
TIGHT = {"version": 2, "ec": "M"}
CAPITALS = {"version": 3, "em": "alphanumeric", "ec": "M"}
MOVED = pytest.mark.rule("X12", "T2")
pytestmark = pytest.mark.filterwarnings("ignore:base_url=.*began with:UserWarning")


@pytest.fixture
def moved(new_path):
    """A portfolio with codes that were made for another base URL, and one that any base URL suits."""
    path = new_path()
    with open_portfolio(path, base_url=SHORT) as shop:
        shop.insert_qrcode(TARGET, name="tight", short_code="tight", properties=TIGHT)
        shop.insert_qrcode(TARGET, name="easy", short_code="easy")
    with open_portfolio(path, base_url="HTTP://GOO.BY") as shop:
        shop.insert_qrcode(TARGET, name="capitals", short_code="CAPS", properties=CAPITALS)
    with open_portfolio(path, base_url=LONG) as shop:
        yield shop


@pytest.fixture
def client(moved):
    settings = Settings(base_url=LONG, generates_a_minute=0, unknown_codes_a_minute=0)
    return Client(validator(make_app(moved.store, settings)))


@MOVED
def test_every_code_is_exported_with_a_picture_of_its_short_url(moved):
    """Open: a base URL that is longer. One code of a fixed version blocked the export of the account."""
    with ZipFile(io.BytesIO(moved.export_bytes("zip"))) as archive:
        found = {name: decode(archive.read(name)) for name in archive.namelist() if name.endswith(".png")}
    assert {name: picture.content for name, picture in found.items()} == {
        "tight.png": f"{LONG}/tight?q",
        "easy.png": f"{LONG}/easy?q",
        "capitals.png": f"{LONG}/CAPS",
    }
    assert found["tight.png"].version == 3  # the smallest that holds it
    assert found["capitals.png"].version == 3  # the mode has to give way, the version need not


@MOVED
def test_what_is_kept_of_a_code_is_what_was_asked_for(moved):
    """Open: whether a record forgets its version. It does not: with the old base URL it is drawn as it was."""
    tight, _, capitals = moved.list_qrcodes()
    assert (tight.properties.version, capitals.properties.em) == (2, "alphanumeric")
    with open_portfolio(":memory:", base_url=SHORT) as back:
        back.import_file(moved.export_bytes("json"), format="json")
        assert back.image(back.list_qrcodes()[0]).symbol.version == 2


@MOVED
def test_image_urls_and_pictures_of_short_urls_are_answered(moved, client):
    """A fact: clients follow imageUrl. It asks for what can be drawn, and shows what `/{code}.png` shows."""
    for code in moved.list_qrcodes():
        parts = urlsplit(code.image_url)
        asked = client.request("GET", parts.path, query=parts.query)
        assert asked.status == 200, asked.text
        assert decode(asked.body).content == code.encoded
        assert client.get(f"/{code.short_code}.png").body == asked.body
        assert client.get(f"/{code.short_code}.svg").status == 200


@MOVED
@pytest.mark.parametrize(
    "change",
    [
        {"name": "renamed"},
        {"content": "https://example.com/summer"},
        {"urlinfo": "words that make the short URL longer still"},
        {"properties": {"size": 3, "version": 2, "ec": "Q"}},
    ],
)
def test_a_code_that_no_longer_fits_can_be_changed(moved, client, change):
    """Open: a change of something else. It was refused because of the version, which nobody had touched."""
    key = create_key(moved.store, moved.account)
    code = moved.list_qrcodes()[0]
    reply = client.request(
        "PUT", f"/api/v3/track/qrcode/{code.id}", query=f"auth={key}", body=json.dumps(change).encode()
    )
    assert reply.status == 200, reply.text
    after = moved.get_qrcode(code.id)
    assert moved.image(after).design.content == after.encoded
    assert decode(moved.image(after).to_bytes("png")).content == after.encoded


@pytest.mark.rule("X12")
def test_a_version_or_mode_that_is_newly_asked_for_must_still_hold_the_short_url(moved):
    """Open: whether anything goes. What a change asks for is judged as ever, and refused before it is printed."""
    tight, easy, _ = moved.list_qrcodes()
    for code in (tight, easy):
        with pytest.raises(ContentTooLong):
            moved.update_qrcode(code.id, properties={"version": 1})
        with pytest.raises(InvalidParameter):
            moved.update_qrcode(code.id, properties={"em": "numeric"})
    with pytest.raises(ContentTooLong):
        moved.image(tight, version=2)


@pytest.mark.parametrize(
    ("properties", "error", "words"),
    [
        (
            {"version": 1, "ec": "H"},
            ContentTooLong,
            "encodes the short URL '.*/door', which does not fit: content needs",
        ),
        ({"em": "numeric"}, InvalidParameter, "properties.em='numeric': cannot encode the short URL '.*/door'"),
    ],
)
def test_an_error_over_properties_names_the_short_url_that_nobody_sent(properties, error, words):
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop, pytest.raises(error, match=words):
        shop.insert_qrcode("42", short_code="door", properties=properties)
