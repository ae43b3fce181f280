"""All QR Codes of a campaign in one look."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

from qrkit import Design, Layer, Modules, PrintSize, decode, open_portfolio
from qrkit.errors import InvalidParameter, NotFound
from qrkit.portfolio.code_sets import zip_in_look

LOOK = Design(content="look", foreground="navy", modules=Modules(type="dots"))


@pytest.fixture(scope="module")
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as opened:
        spring = opened.insert_campaign("Spring")
        opened.templates.save("red", Design(content="x", foreground="#CC0000"))
        opened.templates.use("red")
        for name in ("Door", "Window", "Door"):
            opened.insert_qrcode("https://example.com", name=name, campaign_id=spring.id, template="red")
        opened.insert_qrcode("https://example.com/other", name="Other")
        yield opened


def files(data):
    with ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_each_code_of_a_campaign_is_drawn_in_the_look(shop):
    spring = shop.find_campaign("Spring")
    pictures = files(zip_in_look(shop, LOOK, campaign_id=spring.id, format="svg"))
    assert len(pictures) == 3
    assert all(b"#CC0000" not in picture and b"rgb(204" not in picture for picture in pictures.values())
    pictures = files(zip_in_look(shop, LOOK, campaign_id=spring.id))
    for picture in pictures.values():
        colors = Image.open(BytesIO(picture)).convert("RGB").getcolors()
        assert (0, 0, 128) in {color for _, color in colors}
    assert {decode(one).content for one in pictures.values()} == {
        code.encoded for code in shop.list_qrcodes(campaign_id=spring.id)
    }


def test_file_names_follow_the_pattern_and_are_never_the_same(shop):
    names = list(files(zip_in_look(shop, LOOK, names="{campaign} {number} {name}")))
    assert names == ["Spring 1 Door.png", "Spring 2 Window.png", "Spring 3 Door.png", "4 Other.png"]
    assert len(files(zip_in_look(shop, LOOK))) == 4
    codes = [code.short_code for code in shop.list_qrcodes()]
    assert [name.removesuffix(".png") for name in files(zip_in_look(shop, LOOK, names="{short_code}"))] == codes


def test_captions_show_the_fields_of_each_code(shop):
    look = LOOK.replace(
        frame={"kind": "bar", "caption": "{name}"}, layers=[Layer("icon:heart", x=90, y=90, width=20, height=20)]
    )
    pictures = files(zip_in_look(shop, look, print_size=PrintSize(size_mm=40)))
    assert len(set(pictures.values())) == 4
    assert all(decode(picture).content.startswith("https://go.example.com/") for picture in pictures.values())


def test_errors_name_what_is_wrong(shop):
    with pytest.raises(InvalidParameter, match=r"unknown field \{names\}.*did you mean 'name'"):
        zip_in_look(shop, LOOK, names="{names}")
    with pytest.raises(NotFound):
        zip_in_look(shop, LOOK, campaign_id="none")
    empty = shop.insert_campaign("Empty")
    with pytest.raises(InvalidParameter, match="has no QR Codes"):
        zip_in_look(shop, LOOK, campaign_id=empty.id)
    with pytest.raises(InvalidParameter, match="cannot draw 'Door'"):
        zip_in_look(shop, LOOK.replace(layers=[Layer("https://example.com/logo.png", x=9, y=9, width=9, height=9)]))


def test_file_names_and_captions_have_fields_of_users():
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        shop.insert_qrcode("https://example.com", name="A", fields={"City": "Graz"})
        shop.insert_qrcode("https://example.com", name="B")
        assert list(files(zip_in_look(shop, LOOK, names="{City} {name}"))) == ["Graz A.png", "B.png"]
        with pytest.raises(InvalidParameter, match=r"unknown field \{Town\}; the fields are .*\{City\}"):
            zip_in_look(shop, LOOK, names="{Town}")
