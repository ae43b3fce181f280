"""No secret of a content gets into the name of a file, or into the title or the metadata of a picture."""

import zipfile
from io import BytesIO

import pytest
from PIL import Image

from qrkit import Design, Frame, generate, generate_many, generate_sequence, open_portfolio
from qrkit.contents.kinds import MODULES, kind_named
from qrkit.drawing.writers import FORMATS
from qrkit.notebook.widgets import Designer
from qrkit.portfolio.code_sets import zip_in_look
from qrkit.server import Client, Settings, make_app
from tests.sweeps import quick_first

WRITTEN = [kind.write(**kind.example) for kind in map(kind_named, MODULES)]
SECRET = [content for content in WRITTEN if content.secrets]
EXTRA = ["WIFI:T:WPA;S:Nero;P:s3cret/pass,word;;", "wifi:P:espresso;S:Nero;T:WPA;;"]
pytestmark = pytest.mark.rule("P2")
each = pytest.mark.parametrize("content", [*SECRET, *EXTRA], ids=lambda content: str(content)[:12])


def secrets(content):
    """The secrets of a content; of one with a slash, what follows it."""
    if content in EXTRA:
        return ["pass,word", "espresso"]
    return [str(content.fields[name]) for name in content.secrets]


def keeps(content, *texts):
    """Whether no text holds a secret."""
    return not any(secret.lower() in text.lower() for secret in secrets(content) for text in texts)


def test_all_kinds_with_secrets_are_swept():
    assert {content.kind for content in SECRET} >= {
        "wifi",
        "otp",
        "epc_transfer",
        "swiss_bill",
        "pix",
        "upi",
        "bitcoin",
    }


@each
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("fields", quick_first([{}, {"frame": Frame("bar"), "modules": {"type": "dots"}}]))
def test_no_format_says_a_secret(content, format, fields):
    data = generate(content, warn=False, **fields).to_bytes(format)
    texts = [data.decode("latin-1")]
    if format in ("png", "gif", "tif", "webp", "jpg", "bmp"):
        texts += map(str, Image.open(BytesIO(data)).info.values())
    if format == "zip":
        with zipfile.ZipFile(BytesIO(data)) as archive:
            texts = [*archive.namelist(), *(archive.read(name).decode("latin-1") for name in archive.namelist())]
    assert keeps(content, *texts)


@each
def test_parts_of_a_message_are_called_by_number(content):
    for image in generate_sequence(str(content), symbols=3):
        assert keeps(content, repr(image)), repr(image)
        assert f"Part {image.design.part.number} of 3" in image.to_bytes("svg").decode()


@each
def test_batches_name_no_file_by_a_secret(content, tmp_path):
    parts = generate_sequence(str(content), symbols=3)
    made = [generate_many([content, Design(content=content), *parts], to=tmp_path / "a")]
    made.append(generate_many([content], to=tmp_path / "b", names=[str(content)]))
    assert not any(one.errors for one in made)
    names = [file.name for file in tmp_path.rglob("*") if file.is_file()]
    assert len(names) == 6
    assert keeps(content, *names)
    assert not any(part.design.content in name for part in parts for name in names)


@each
def test_archives_name_no_file_by_a_secret(content):
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode(content, is_dynamic=False)
        for data in (shop.export_bytes("zip"), zip_in_look(shop, Design(content="0"))):
            with zipfile.ZipFile(BytesIO(data)) as archive:
                assert keeps(content, *archive.namelist())


@each
def test_downloads_are_not_named_by_secrets(content, monkeypatch):
    studio, names = Designer(str(content), name="secrets"), []
    monkeypatch.setattr(studio, "send", lambda message, buffers=None: names.append(message["name"]))
    studio._handle_custom_msg({"ask": "download", "format": "svg"}, [])
    studio._handle_custom_msg({"ask": "download", "format": "svg", "name": str(content)}, [])
    studio.close()
    assert len(names) == 2
    assert keeps(content, *names)


@each
@pytest.mark.parametrize("format", ["png", "zip"])
def test_names_over_http_are_without_secrets(content, format):
    with open_portfolio(":memory:") as shop:
        client = Client(make_app(shop.store, Settings()))
        asked = {"content": str(content), "format": format, "filename": str(content), "attachment": "true"}
        reply = client.get("/api/v3/generate", **asked)
        assert reply.status == 200
        names = [reply.headers["content-disposition"]]
        if format == "zip":
            with zipfile.ZipFile(BytesIO(reply.body)) as archive:
                names += archive.namelist()
        assert keeps(content, *names)
