"""What people pass by mistake is named, with what would be right; nothing changes."""

from pathlib import Path

import pandas as pd
import pytest

from qrkit import Design, check, decode, generate, open_portfolio
from qrkit.errors import InvalidParameter, NotFound

LINK = "https://example.com"
RULES = {
    "a sheet of a campaign": (
        lambda shop: shop.sheet("labels.pdf", "L7160", campaign="Spring"),
        "campaign='Spring': is not a parameter; did you mean 'campaign_id'?",
    ),
    "a number to find": (
        lambda shop: shop.find_qrcode(5),
        "text=5: must be a short code, a short URL, a name or an ID",
    ),
    "a record for an ID": (
        lambda shop: shop.update_qrcode(shop.find_qrcode("door"), content=LINK),
        "no QR Code 'Door'; an ID is needed, such as code.id",
    ),
    "a name for a record": (lambda shop: shop.image("door"), "code='door': must be a record, as find_qrcode"),
    "an ID for several": (lambda shop: shop.delete_qrcodes("door"), "ids='door': must be a list of IDs"),
    "records for IDs": (
        lambda shop: shop.edit_qrcodes(shop.list_qrcodes(), add_tags=["x"]),
        "ids: must be a list of IDs",
    ),
    "a name of JSON": (
        lambda shop: shop.insert_qrcode(LINK, shortCode="abc"),
        "shortCode='abc': is not a parameter; did you mean 'short_code'?",
    ),
    "a new short code": (
        lambda shop: shop.update_qrcode(shop.find_qrcode("door").id, short_code="x"),
        "short_code='x': cannot change, because the QR Code may be printed",
    ),
    "a number to search for": (lambda shop: shop.search_qrcodes(5), "text=5: must be a short code, a short URL"),
    "a name that only a new QR Code has": (
        lambda shop: shop.update_qrcode(shop.find_qrcode("door").id, short_kode="x"),
        "short_kode='x': is not a parameter; allowed: ",
    ),
    "a text for a file": (lambda shop: shop.import_file(f"Content\n{LINK}\n"), "to import a text, pass its bytes"),
    "a frame for a file": (
        lambda shop: shop.import_file(pd.DataFrame({"Content": [LINK]})),
        "source=a DataFrame: must be the path of a file; to import a text, pass its bytes: text.encode(); a DataFrame "
        "goes to import_frame",
    ),
    "a frame for a file of visits": (
        lambda shop: shop.import_scans(pd.DataFrame({"short_code": ["door"]})),
        "a DataFrame goes to scans.insert",
    ),
    "a column for a text": (
        lambda shop: shop.insert_qrcode(pd.Series([LINK])),
        "content=a Series: must be a text",
    ),
    "a folder to read": (lambda shop: shop.import_file("folder"), "path='folder': must end in one of .csv,"),
    "a folder to write": (lambda shop: shop.export_file("folder"), "path='folder': must end in one of .csv,"),
    "a text for a template": (
        lambda shop: shop.templates.save("brand", "red"),
        "template='red': must be a Design, or a dict of its fields",
    ),
    "a name for the ID of a campaign": (
        lambda shop: shop.insert_qrcode(LINK, campaign_id=shop.insert_campaign("Spring").name),
        "campaign_id='Spring': is a name; the ID of this campaign is ",
    ),
    "no logo": (lambda _: Design(content=LINK).with_logo(None), "content: must be a path, bytes, icon:NAME"),
    "an open file": (lambda _: generate(LINK).save(None), "path: must be the path of a file"),
    "a picture on the web": (lambda _: decode(f"{LINK}/x.png"), "is a URL, and nothing is downloaded"),
    "a picture on the web, as a path": (lambda _: decode(Path(f"{LINK}/x.png")), "is a URL, and nothing is downloaded"),
    "a content to check": (lambda _: check(LINK), "is a URL, and nothing is downloaded"),
}


@pytest.mark.parametrize("slip", RULES)
def test_error_says_what_would_be_right(slip):
    act, rule = RULES[slip]
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        door = shop.insert_qrcode(LINK, name="Door", short_code="door")
        with pytest.raises((InvalidParameter, NotFound)) as error:
            act(shop)
        assert rule in str(error.value)
        assert shop.list_qrcodes() == [door]


def test_notebook_says_what_an_object_is():
    with pytest.raises(InvalidParameter, match="modules='rounded': must be an object") as error:
        generate(LINK, modules="rounded", markers=5)
    assert error.value.__notes__ == ["modules takes a dict or a Modules; markers takes a dict or a Markers"]
    assert error.value.told("http") == str(error.value)


def test_ids_may_be_an_index_of_a_frame():
    with open_portfolio(":memory:") as shop:
        shop.insert_qrcode(LINK)
        assert len(shop.edit_qrcodes(pd.Index(shop.qrcodes().index), add_tags=["x"])) == 1


def test_a_logo_may_be_a_file_or_its_bytes(tmp_path):
    file = tmp_path / "logo.png"
    generate("logo").save(file)
    design = Design(content=LINK)
    assert design.with_logo(file) == design.with_logo(str(file)) == design.with_logo(file.read_bytes())


def test_none_changes_no_field():
    with open_portfolio(":memory:") as shop:
        door = shop.insert_qrcode(LINK, name="Door", short_code="door")
        assert shop.update_qrcode(door.id, short_code=None, scan_marker=None) == door
