"""A client that another program makes of the description, with that program's settings as they come (ruling H7)."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from qrkit.portfolio.access import create_key, local_account
from qrkit.server import Client, Settings, make_app
from tests.server.raw import serving

pytestmark = [pytest.mark.slow, pytest.mark.needs("loopback"), pytest.mark.rule("H7")]


@pytest.fixture(scope="module")
def app(shop):
    return make_app(shop.store, Settings(base_url=shop.base_url, hosts=("127.0.0.1",)))


@pytest.fixture(scope="module")
def package(app, tmp_path_factory):
    """The name under which the generated client can be imported."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_bytes(Client(app).get("/api/v3/openapi.json").body)
    # Its packages are formatted by ruff, which lies beside Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    command = ["generate", "--path", "openapi.json", "--meta", "none", "--output-path", "generated_client"]
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *command, "--fail-on-warning"],
        cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "arning" not in done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield "generated_client"


@pytest.fixture(scope="module")
def models(package):
    return importlib.import_module(f"{package}.models")


@pytest.fixture(scope="module")
def call(package, app, shop):
    """Call an operation of the generated client on a server; gives the reply."""
    module = importlib.import_module(f"{package}.client")
    key = create_key(shop.store, local_account(shop.store))
    with serving(app) as server:
        client = module.AuthenticatedClient(base_url=f"http://127.0.0.1:{server.port}", token=key, timeout=120)

        def call(operation, *path, **values):
            called = importlib.import_module(f"{package}.api.default.{operation}")
            return called.sync_detailed(*path, client=client, **values)

        with client:
            yield call


@pytest.fixture(scope="module")
def ask(call):
    """Call an operation that succeeds; gives what the client makes of the answer."""

    def ask(operation, *path, **values):
        reply = call(operation, *path, **values)
        assert reply.status_code == 200, reply.content
        return reply.parsed

    return ask


FULL = {
    "content": "https://example.com/spring", "name": "Door", "comment": "left of the till", "urlinfo": "Spring window",
    "location": {"address": "Main street", "latitude": 46.05, "longitude": 14.5},
    "properties": {"size": 3, "version": 5, "padding": 1, "em": "Byte", "ec": "H", "foreground": "#FF0B3D91"},
    "isDynamic": False, "isScheduleEnabled": True,
    "schedule": [{"content": "hi", "recurrence": 1, "date": "2026-06-06T08:00:00Z"}],
}  # fmt: skip


def test_records_live_from_insert_to_delete(call, ask, models):
    campaign = ask("insert_campaign", body=models.NewCampaign(name="Spring"))
    made = ask("insert_qrcode", body=models.NewQRCode(content="https://example.com/spring", campaign_id=campaign.id))
    record = ask("get_qrcode", made.id)
    assert (record.id, record.created, record.campaign_id) == (made.id, made.created, campaign.id)
    assert (record.short_url, record.image_url) == (made.short_url, made.image_url)
    ask("update_qrcode", made.id, body=models.QRCodeChanges(content="https://example.com/summer"))
    ask("update_campaign", campaign.id, body=models.NewCampaign(name="Summer"))
    record.content = "https://example.com/summer"
    assert ask("get_qrcode", made.id).to_dict() == record.to_dict()
    assert ask("get_campaign", campaign.id).name == "Summer"
    ask("delete_qrcode", made.id)
    ask("delete_campaign", campaign.id, keep=True)
    for operation, id in (("get_qrcode", made.id), ("get_campaign", campaign.id)):
        reply = call(operation, id)
        assert (reply.status_code, reply.parsed.code) == (404, "not-found")


def test_pages_lead_through_the_list(ask, models):
    for number in range(5):
        ask("insert_qrcode", body=models.NewQRCode(content=f"https://example.com/page-{number}"))
    page = ask("list_everything", limit=2)
    found = page.qrcodes
    while page.next_:
        page = ask("list_everything", limit=2, after=page.next_)
        found += page.qrcodes
    assert [one.to_dict() for one in found] == [one.to_dict() for one in ask("list_everything").qrcodes]


def test_a_changed_size_changes_nothing_else(ask, models):
    campaign = ask("insert_campaign", body=models.NewCampaign(name="Spring", description="windows and doors"))
    made = ask("insert_qrcode", body=models.NewQRCode.from_dict(FULL | {"campaignId": campaign.id}))
    before = ask("get_qrcode", made.id)
    changes = models.QRCodeChanges(properties=models.PropertiesInput(size=5))
    assert json.loads(json.dumps(changes.to_dict())) == {"properties": {"size": 5}}
    ask("update_qrcode", made.id, body=changes)
    after = ask("get_qrcode", made.id)
    assert after.properties.size == 5
    after.properties.size, after.image_url = before.properties.size, before.image_url
    assert after.to_dict() == before.to_dict()
    assert (before.properties.ec, before.campaign_id) == (models.PropertiesEc.H, campaign.id)
    assert (before.comment, len(before.schedule), before.is_dynamic) == ("left of the till", 1, False)


def test_a_renamed_campaign_keeps_its_description(ask, models):
    made = ask("insert_campaign", body=models.NewCampaign(name="Spring", description="windows and doors"))
    ask("update_campaign", made.id, body=models.NewCampaign(name="Summer"))
    campaign = ask("get_campaign", made.id)
    assert (campaign.name, campaign.description) == ("Summer", "windows and doors")


def test_null_changes_nothing(ask, models):
    made = ask("insert_qrcode", body=models.NewQRCode.from_dict(FULL))
    before = ask("get_qrcode", made.id)
    ask("update_qrcode", made.id, body=models.QRCodeChanges(comment=None, location=None, schedule=None))
    assert ask("get_qrcode", made.id).to_dict() == before.to_dict()


def test_a_template_keeps_what_a_request_leaves_out(ask, models, shop):
    """A client that sent defaults would replace what the template holds."""
    shop.templates.save("brand", {"padding": 1, "foreground": "#0B3D91", "format": "svg"})
    picture = ask("generate_decorated", body=models.DesignRequest(content="hi", template="brand")).payload.read()
    assert b"<svg" in picture
    assert b"rgb(11,61,145)" in picture


def test_pictures_and_files_go_both_ways_as_bytes(ask, package, models):
    types = importlib.import_module(f"{package}.types")
    picture = ask("generate", content="https://example.com/tram").payload.read()
    read = ask("decode_picture", body=types.File(payload=picture))
    assert read.content == "https://example.com/tram"
    form = models.DecodePictureFilesBody(file=types.File(payload=picture, file_name="tram.png"))
    assert ask("decode_picture", body=form).to_dict() == read.to_dict()
    ask("insert_qrcode", body=models.NewQRCode(content="https://example.com/exported"))
    file = ask("export", "csv").payload.read()
    assert b"https://example.com/exported" in file
    assert ask("import_file", body=types.File(payload=file), format_=models.ImportFileFormat.CSV)
    assert ask("list_everything").qrcodes
