"""A template draws every tracked code: its own, that of its campaign, or the default of the account."""

import re
from functools import partial
from io import BytesIO
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Brand, Color, QRImage, decode, open_portfolio, report
from qrkit.__main__ import main
from qrkit.errors import InvalidParameter, NotFound, ScanWarning
from qrkit.pictures.generate_request import in_format
from qrkit.portfolio.access import create_key
from qrkit.server import Client, make_app
from qrkit.store import Store

GO = "https://go.example.com"
COLORS = {"own": "navy", "campaign": "purple", "default": "teal"}
BLACK = Color.parse("black")


@pytest.fixture
def shop(new_place):
    with open_portfolio(new_place(), base_url=GO) as opened:
        for name, color in COLORS.items():
            opened.templates.save(name, {"foreground": color})
        yield opened


def color_of(shop, code):
    return shop.image(code).design.foreground


def test_own_template_precedes_that_of_the_campaign_and_the_default(shop):
    campaign = shop.insert_campaign("Spring", template="campaign")
    code = shop.insert_qrcode("https://example.com", campaign_id=campaign.id, template="own")
    shop.set_default_template("default")
    seen = [color_of(shop, code)]
    code = shop.update_qrcode(code.id, template="")
    seen.append(color_of(shop, code))
    shop.update_campaign(campaign.id, template="")
    seen.append(color_of(shop, code))
    shop.set_default_template(None)
    seen.append(color_of(shop, code))
    assert seen == [*map(Color.parse, COLORS.values()), BLACK]


def test_records_without_a_template_are_written_as_before(shop):
    campaign, code = shop.insert_campaign("Spring"), shop.insert_qrcode("https://example.com")
    assert '"template"' not in campaign.to_json() + code.to_json() + code.to_list_json()
    assert '"template":"own"' in shop.update_qrcode(code.id, template="own").to_json()


def test_a_change_of_a_template_is_seen_at_once_and_one_that_is_rolled_back_is_not(shop):
    code = shop.insert_qrcode("https://example.com", template="own")
    with pytest.raises(ZeroDivisionError), shop.store.atomic():
        shop.set_default_template("default")
        shop.templates.save("own", {"foreground": "maroon"})
        assert color_of(shop, code) == Color.parse("maroon")
        raise ZeroDivisionError
    assert color_of(shop, code) == Color.parse("navy")
    assert color_of(shop, shop.update_qrcode(code.id, template="")) == BLACK


@pytest.mark.parametrize("call", ["insert_qrcode", "insert_campaign"])
def test_unknown_template_is_refused_with_the_nearest(shop, call):
    with pytest.raises(InvalidParameter, match="template='owm': is not the name of a template; did you mean 'own'"):
        getattr(shop, call)("https://example.com", template="owm")
    with pytest.raises(NotFound, match="did you mean 'default'"):
        shop.set_default_template("defaults")
    assert shop.list_campaigns() == shop.list_qrcodes() == []


def test_a_template_in_use_is_deleted_only_by_force(shop):
    campaign = shop.insert_campaign("Spring", template="own")
    for number in range(5):
        shop.insert_qrcode("https://example.com", name=f"Door {number}", template="own")
    shop.set_default_template("own")
    with pytest.raises(InvalidParameter, match=r"the account by default and campaign 'Spring' and QR Codes .* 2 more"):
        shop.templates.delete("own")
    assert "own" in shop.templates
    shop.templates.delete("own", force=True)
    assert (shop.templates.default, shop.get_campaign(campaign.id).template) == (None, "")
    assert {code.template for code in shop.list_qrcodes()} == {""}


def test_version_and_mode_of_a_template_give_way_to_the_short_url(shop):
    shop.templates.save("small", {"version": 1, "em": "numeric", "foreground": "navy"})
    image = shop.image(shop.insert_qrcode("https://example.com", short_code="door", template="small"))
    assert decode(image.to_bytes()).content == f"{GO}/door?q"
    assert (image.design.foreground, image.symbol.version) == (Color.parse("navy"), 3)


def test_explicit_template_and_changes_win(shop):
    code = shop.insert_qrcode("https://example.com", template="own")
    assert shop.image(code, template="default").design.foreground == Color.parse("teal")
    image = shop.image(code, foreground="maroon", size=3)
    assert (image.design.foreground, image.design.size) == (Color.parse("maroon"), 3)
    with pytest.raises(NotFound, match="did you mean 'own'"):
        shop.image(code, template="owm")


def test_captions_show_the_fields_of_the_code_and_keep_other_braces(shop):
    caption = {"text": "{name} {x}", "subtitle": "{campaign}: {short_url}"}
    shop.templates.save("framed", Brand("Acme", frame="bar").design("0", caption))
    campaign = shop.insert_campaign("Spring")
    code = shop.insert_qrcode("https://e.org", name="Door", campaign_id=campaign.id, short_code="d1", template="framed")
    words = shop.image(code).design.frame.caption
    assert (words.text, words.subtitle) == ("Door {x}", f"Spring: {GO}/d1")


def test_captions_show_fields_of_users(shop):
    shop.templates.save("placed", Brand("Acme", frame="bar").design("0", {"text": "{name} {City}", "subtitle": "{x}"}))
    codes = [
        shop.insert_qrcode("https://e.org", name="Door", template="placed", fields=fields)
        for fields in ({"City": "Graz\nWest"}, {})
    ]
    captions = [shop.image(code).design.frame.caption for code in codes]
    assert [(one.text, one.subtitle) for one in captions] == [("Door Graz West", "{x}"), ("Door", "{x}")]


@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
@settings(max_examples=15)
def test_any_name_fits_a_caption(named_shop, name):
    code = named_shop.insert_qrcode("https://example.com", name=name)
    assert decode(named_shop.image(code).to_bytes()).content == code.encoded


@pytest.fixture(scope="module")
def named_shop():
    with open_portfolio(":memory:", base_url=GO) as opened:
        opened.templates.save("framed", {"frame": {"kind": "bar", "caption": "{name}"}})
        opened.set_default_template("framed")
        yield opened


def test_every_picture_in_a_zip_obeys_its_template_and_is_read_back(shop):
    shop.templates.save("framed", {"frame": {"kind": "bar", "caption": "{name}"}, "ec": "H"})
    shop.set_default_template("framed")
    doors = {f"Door {number}": shop.insert_qrcode("https://example.com", name=f"Door {number}") for number in range(3)}
    with ZipFile(BytesIO(shop.export_bytes("zip"))) as archive:
        for name, code in doors.items():
            picture = archive.read(f"{name}.png")
            assert decode(picture).content == code.encoded
            assert picture == shop.image(code).to_bytes()


LONG = "https://example.com/" + "x" * 100


def fails_to_draw(shop):
    """A shop in which the template `narrow` cannot draw a static code with a long content."""
    shop.templates.save("narrow", {"width": 40, "padding": 0})
    shop.insert_qrcode("https://example.com", name="Gate", template="narrow")
    for name in ("Till", "Shelf"):
        shop.insert_qrcode(LONG, name=name, template="narrow", is_dynamic=False)


def test_an_export_names_the_codes_that_cannot_be_drawn_and_writes_nothing(shop, tmp_path):
    fails_to_draw(shop)
    with pytest.raises(InvalidParameter) as caught:
        shop.export_file(tmp_path / "codes.zip")
    assert list(tmp_path.iterdir()) == []
    assert str(caught.value).startswith("template='narrow': cannot draw the QR Codes 'Till', 'Shelf': ")
    assert caught.value.code == "not-drawn"
    assert shop.export_bytes("csv")  # without pictures, nothing has to be drawn


def test_an_export_stops_where_many_codes_cannot_be_drawn(shop):
    fails_to_draw(shop)
    for number in range(12):
        shop.insert_qrcode(LONG, name=f"Door {number}", template="narrow", is_dynamic=False)
    with pytest.raises(InvalidParameter, match=r"'Door 7' and perhaps more: ") as caught:
        shop.export_bytes("zip")
    assert "Door 8" not in str(caught.value)


@pytest.mark.parametrize("format", ["json", "xml", "zip"])
def test_templates_survive_an_export_and_an_import(shop, format):
    shop.insert_qrcode("https://example.com", name="Door", template="own")
    shop.insert_qrcode("https://example.org", name="Shelf")
    data = shop.export_bytes(format)
    with open_portfolio(":memory:") as other:
        other.templates.save("own", {})
        assert other.import_file(data, format=format).issues == ()
        assert {code.name: code.template for code in other.list_qrcodes()} == {"Door": "own", "Shelf": ""}


def test_rows_with_an_unknown_template_are_imported_without_it(shop):
    rows = b"Content,Template\nhttps://a.example,owm\nhttps://b.example,default\nhttps://c.example,\n"
    result = shop.import_file(rows, template="campaign")
    assert [code.template for code in shop.list_qrcodes()] == ["", "default", "campaign"]
    (issue,) = result.issues
    assert (issue.row, issue.reason, result.created, result.failed) == (2, "template-unknown", 3, 0)
    assert "did you mean 'own'" in issue.detail
    with pytest.raises(InvalidParameter, match="template='owm'"):
        shop.import_file(rows, template="owm")


def test_http_obeys_templates(shop):
    shop.set_default_template("default")
    client, key = Client(make_app(shop.store)), create_key(shop.store, shop.account)
    campaign = client.post("/api/v3/track/campaign", {"name": "Spring", "template": "campaign"}, auth=key).json()
    fields = {"content": "https://example.com", "campaignId": campaign["id"], "shortCode": "door"}
    code = client.post("/api/v3/track/qrcode", fields, auth=key).json()
    record = shop.get_qrcode(code["id"])
    for ext in ("png", "svg", "pdf"):
        # Clients read this SVG line by line, so its modules are elements of their own.
        assert client.get(f"/door.{ext}").body == QRImage(in_format(shop.image(record).design, ext)).to_bytes(ext)
    assert color_of(shop, record) == Color.parse("purple")
    url = f"/api/v3/track/qrcode/{code['id']}"
    change = partial(client.request, "PUT", url, query=f"auth={key}")
    assert change(body=b'{"template": "own"}').status == 200
    assert client.get(url, auth=key).json()["template"] == "own"
    refused = change(body=b'{"template": "owm"}')
    assert (refused.status, "did you mean 'own'" in refused.text) == (400, True)
    with ZipFile(BytesIO(client.get("/api/v3/track/export.zip", auth=key).body)) as archive:
        picture = archive.read("Spring/https___example.com.png")
    assert picture == shop.image(shop.get_qrcode(code["id"])).to_bytes()


def test_report_shows_codes_as_they_are_printed(shop):
    shop.insert_qrcode("https://example.com", template="own")
    shop.insert_qrcode("https://example.org")
    pictures = re.findall(
        r'<div class="code"><img( class="plain")? src="(data:image/[^"]+)"', report.portfolio(shop).html
    )
    assert sorted(bool(is_plain) for is_plain, _ in pictures) == [False, True]
    assert pictures[0][1] != pictures[1][1]


def test_import_of_the_command_line_sets_a_template(tmp_path, capsys):
    store, rows = tmp_path / "shop.duckdb", tmp_path / "rows.csv"
    rows.write_text("Content\nhttps://example.com\n")
    with open_portfolio(store, base_url=GO) as shop:
        shop.templates.save("brand", {"ec": "H"})
    assert main(["import", str(rows), "--template", "brand", "--store", str(store)]) == 0
    assert main(["template", "delete", "brand", "--store", str(store)]) == 2
    assert "QR Code 'https://example.com'" in capsys.readouterr().err
    assert main(["template", "delete", "brand", "--force", "--store", str(store)]) == 0
    with open_portfolio(store) as shop:
        assert [code.template for code in shop.list_qrcodes()] == [""]


def test_a_store_from_before_templates_of_codes_gets_the_columns(new_path):
    path = new_path()
    with open_portfolio(path, base_url=GO) as shop:
        campaign = shop.insert_campaign("Spring")
        shop.insert_qrcode("https://example.com", campaign_id=campaign.id)
        shop.templates.save("brand", {"ec": "H"})
    with Store(path) as store:
        for table, column in (("qrcodes", "template"), ("campaigns", "template"), ("templates", "is_current")):
            store.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        store.execute("DELETE FROM migrations WHERE name = 'designs'")
    with open_portfolio(path) as shop:
        assert [one.template for one in (*shop.list_campaigns(), *shop.list_qrcodes())] == ["", ""]
        shop.set_default_template("brand")
        assert shop.image(shop.list_qrcodes()[0]).design.ec == "H"


def test_check_gives_each_code_the_verdict_of_its_picture(shop):
    shop.templates.save("pale", {"foreground": "#dddddd"})
    codes = [shop.insert_qrcode("https://example.com", name=name, template=name) for name in ("own", "pale")]
    codes.append(shop.insert_qrcode("https://example.com", name="plain"))
    found = shop.check()
    assert found.index.tolist() == [code.id for code in codes]
    assert found["name"].tolist() == ["own", "pale", "plain"]
    assert found["template"].fillna("").tolist() == ["own", "pale", ""]
    assert found["verdict"].tolist() == [shop.image(code).scan.verdict for code in codes]
    assert found["verdict"].tolist()[1] == "fragile"
    assert found["least_width_mm"].tolist() == [shop.image(code).least_width_mm() for code in codes]
    assert "the symbol contrast is" in found["issue"].iloc[1]
    read = shop.check(level="quick", audience="all")
    assert [report.level for report in read["report"]] == ["quick"] * 3


def test_check_can_be_of_one_campaign_and_of_nothing(shop):
    assert shop.check().empty
    campaign = shop.insert_campaign("Spring")
    code = shop.insert_qrcode("https://example.com", campaign_id=campaign.id)
    shop.insert_qrcode("https://example.com")
    assert shop.check(campaign_id=campaign.id).index.tolist() == [code.id]
    with pytest.raises(InvalidParameter, match="level='statik'"):
        shop.check(level="statik")


def test_check_tells_why_a_picture_cannot_be_drawn(shop):
    text = "x" * 1600
    code = shop.insert_qrcode(text, is_dynamic=False)
    shop.templates.save("high", {"ec": "H"})
    shop.update_qrcode(code.id, template="high")
    found = shop.check().loc[code.id]
    assert (found.isna()["verdict"], "version 40 with ec=H holds" in found["issue"]) == (True, True)


def test_export_warns_of_captions_that_are_cut_or_lack_letters(shop, tmp_path):
    shop.templates.save("named", {"frame": {"kind": "bar", "caption": "{name}"}})
    names = ["Door", "To be continued…", "A name that is much too long for a frame of this size to hold", "点 door"]
    for name in names:
        shop.insert_qrcode("https://example.com", name=name, template="named")
    with pytest.warns(UserWarning) as caught:
        shop.export_file(tmp_path / "codes.zip")
    boxed, cut = (str(one.message) for one in caught)
    assert boxed.startswith("letters are missing on 1 of these pictures ('点 door'). On the first, frame.caption: the")
    assert cut.startswith(f"captions are cut to fit the frame on 1 of these pictures ({names[2]!r}); shorten the names")
    assert {one.filename for one in caught} == {__file__}


def test_export_warns_of_pictures_that_may_not_scan(shop, tmp_path):
    shop.templates.save("pale", {"foreground": "#aaaaaa"})
    for number in range(5):
        shop.insert_qrcode("https://example.com", name=f"Door {number}", template="pale")
    shop.insert_qrcode("https://example.com", name="Fine")
    with pytest.warns(ScanWarning, match=r"fail to scan 5 of .*\('Door 0', 'Door 1', 'Door 2' and 2 more\)") as caught:
        shop.export_file(tmp_path / "codes.zip")
    assert caught[0].filename == __file__
    shop.export_file(tmp_path / "codes.csv")  # has no pictures, so it does not warn
