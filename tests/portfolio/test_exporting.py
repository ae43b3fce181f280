"""Pictures of all QR Codes of a portfolio, as files for print."""

import subprocess
from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

from qrkit import PrintSize, decode, open_portfolio
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter
from qrkit.portfolio.access import create_key
from qrkit.server import Client, make_app

SIZE = PrintSize(size_mm=40, dpi=600)


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as opened:
        spring = opened.insert_campaign("Spring/../..")
        for name in ("Door", "door", "Window"):
            opened.insert_qrcode("https://example.com", name=name, campaign_id=spring.id, fields={"City": "Graz"})
        opened.insert_qrcode("https://example.com/other", name="Other")
        yield opened


def files(data):
    with ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "manifest.xml"}


def test_pictures_of_a_zip_have_the_size_and_the_names_asked_for(shop):
    pictures = files(shop.export_bytes("zip", image_format="tif", print_size=SIZE, names="{campaign}/{City}/{name}"))
    assert list(pictures) == [
        "Spring_.._/Graz/Door.tif", "Spring_.._/Graz/door (2).tif", "Spring_.._/Graz/Window.tif", "Other.tif",
    ]  # fmt: skip
    for picture, code in zip(pictures.values(), shop.list_qrcodes(), strict=True):
        image = Image.open(BytesIO(picture))
        assert image.width / image.info["dpi"][0] * 25.4 == pytest.approx(40, abs=1)
        assert decode(image).content == code.encoded


@pytest.mark.parametrize(("format", "width"), [("pdf", b"[0 0 113.386"), ("svg", b'width="40mm"'), ("eps", b"113.3")])
def test_vectors_of_a_zip_are_exactly_as_wide_as_asked(format, width, shop):
    pictures = files(shop.export_bytes("zip", image_format=format, print_size=SIZE))
    assert len(pictures) == 4
    assert all(width in picture for picture in pictures.values())


def test_a_zip_with_names_of_its_own_is_imported_again(shop):
    data = shop.export_bytes("zip", image_format="pdf", print_size=SIZE, names="{number}")
    with open_portfolio(":memory:", base_url="https://go.example.com") as other:
        assert other.import_file(data, format="zip").created == 4
        assert [code.short_url for code in other.list_qrcodes()] == [code.short_url for code in shop.list_qrcodes()]


@pytest.mark.needs("pdftoppm")
def test_a_pdf_has_a_page_for_each_code(shop, tmp_path):
    shop.export_file(tmp_path / "all.pdf", print_size=SIZE)
    subprocess.run(["pdftoppm", "-r", "150", "-png", tmp_path / "all.pdf", tmp_path / "p"], check=True)
    found = [decode(page).content for page in sorted(tmp_path.glob("p-*.png"))]
    assert found == [code.encoded for code in shop.list_qrcodes()]


def test_an_unknown_field_of_a_name_is_told_and_nothing_is_written(shop, tmp_path):
    with pytest.raises(
        InvalidParameter, match=r"names='\{nmae\}': has the unknown field \{nmae\}.*did you mean 'name'"
    ):
        shop.export_file(tmp_path / "c.zip", names="{nmae}")
    assert list(tmp_path.iterdir()) == []


def test_http_exports_for_print(shop):
    client, key = Client(make_app(shop.store)), create_key(shop.store, shop.account)

    def export(ext, **asked):
        return client.get(f"/api/v3/track/export.{ext}", auth=key, **asked)

    how = {"image_format": "svg", "print_size": PrintSize(size_mm=40), "names": "{number} {name}"}
    assert files(export("zip", format="svg", sizeMm=40, names="{number} {name}").body) == files(
        shop.export_bytes("zip", **how)
    )
    reply = export("pdf", sizeMm="40", dpi=600)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/pdf")
    assert reply.body.count(b"/MediaBox[0 0 113.386 113.386]") == 4
    assert export("pdf", names="{name}").headers["x-api-warning"] == "names was ignored; it is for zip"
    assert export("csv", sizeMm=40).headers["x-api-warning"] == "the size on paper was ignored; it is for zip and pdf"
    for asked, told in (
        ({"sizeMm": "wide"}, "sizeMm='wide': must be a number"),
        ({"sizeMm": "1"}, "sizeMm=1.0: must be in 2..5000 millimeters"),
        ({"dpi": "300"}, "sizeMm: is required"),
        ({"names": "{nmae}"}, "unknown field {nmae}"),
    ):
        reply = export("zip", **asked)
        assert (reply.status, told in reply.text) == (400, True), reply.text


def test_the_command_line_exports_for_print(tmp_path, capsys):
    store = str(tmp_path / "s.duckdb")
    with open_portfolio(store, base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com", name="Door")
    how = ["--store", store, "--size-mm", "40", "--image-format", "pdf", "--names", "x/{name}"]
    assert main(["export", str(tmp_path / "c.zip"), *how]) == 0
    assert list(files((tmp_path / "c.zip").read_bytes())) == ["x/Door.pdf"]
    assert main(["export", str(tmp_path / "c.pdf"), "--store", store, "--size-mm", "40"]) == 0
    assert main(["export", str(tmp_path / "c.zip"), "--store", store, "--dpi", "300"]) == 2
    assert "dpi=300: needs --size-mm" in capsys.readouterr().err
    for file, options, told in (
        ("c.csv", ["--names", "{name}"], "names='{name}': is only for .zip"),
        ("c.pdf", ["--names", "{name}"], "names='{name}': is only for .zip"),
        ("c.json", ["--size-mm", "40", "--dpi", "600"], "--size-mm=40: is only for .zip and .pdf; --dpi=600: is only"),
        ("c.xlsx", ["--image-format", "png"], "--image-format='png': is only for .zip"),
    ):
        assert main(["export", str(tmp_path / file), "--store", store, *options]) == 2
        assert told in capsys.readouterr().err
        assert not (tmp_path / file).exists() or file == "c.pdf"


def test_the_command_line_says_what_to_change_before_the_export_is_printed(tmp_path, capsys):
    store, file = str(tmp_path / "s.duckdb"), str(tmp_path / "c.pdf")
    with open_portfolio(store, base_url="https://go.example.com") as shop:
        for name in ("Door", "Gate"):
            shop.insert_qrcode("https://example.com", name=name)
    assert main(["export", file, "--store", store, "--size-mm", "40"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["export", file, "--store", store, "--size-mm", "8"]) == 0
    told = "qrkit export: before you print, change 2 of these pictures. On the first, modules are 0."
    assert capsys.readouterr().err.startswith(told)


@pytest.mark.parametrize("command", [["export", "c.pdf"], ["export", "c.zip"], ["sheet", "c.pdf", "--stock", "L7160"]])
def test_the_command_line_says_that_printed_short_urls_lead_nowhere(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    with open_portfolio("s.duckdb") as shop:
        shop.insert_qrcode("https://example.com", name="Door", is_dynamic=False)
    assert main([*command, "--store", "s.duckdb"]) == 0
    assert capsys.readouterr().err == ""
    with open_portfolio("s.duckdb") as shop:
        shop.insert_qrcode("https://example.com", name="Gate")
    assert main([*command, "--store", "s.duckdb"]) == 0
    assert "http://localhost:8080, which leads only to this computer; set the" in capsys.readouterr().err
    assert main([*command, "--store", "s.duckdb", "--base-url", "https://go.example.com"]) == 0
    assert capsys.readouterr().err == ""
