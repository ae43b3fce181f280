"""Looks that the studio saves by name, without a browser."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from qrkit.widgets import Designer

from qrkit import Design, Gradient, Layer, Markers, Modules, decode, open_portfolio
from qrkit.drawing.logo import placed_logo

TEXT = "https://example.com/spring"
LONG = f"{TEXT}?utm_source=flyer&utm_medium=print"


@pytest.fixture
def shop():
    with open_portfolio(":memory:", base_url="https://go.example.com") as opened:
        yield opened


@pytest.fixture
def studio(shop):
    made = Designer(TEXT, name="saved", portfolio=shop)
    yield made
    made.close()


def say(studio, ask, **message):
    studio._handle_message(studio, {"ask": ask, **message}, [])
    return studio.errors


def names(studio, kind="template"):
    return [look["name"] for look in studio.state["saved"]["looks"] if look["kind"] == kind]


def test_look_is_saved_as_a_template_and_applied_to_another_content(studio, shop):
    say(studio, "preset", name="badge")
    look = studio.design
    assert say(studio, "save", kind="template", name="Spring look") == {}
    assert names(studio) == shop.templates.names() == ["Spring look"]
    studio.design = Design(content="other")
    assert say(studio, "load", kind="template", name="Spring look") == {}
    assert studio.design.replace(content=TEXT).replace(layers=()) == look.replace(layers=())
    assert placed_logo(studio.design).share == pytest.approx(placed_logo(look).share, abs=0.001)
    say(studio, "undo")
    assert studio.design == Design(content="other")


def test_template_of_a_version_that_is_too_small_for_the_content_gets_a_larger_one(studio, shop):
    small = Design(
        content="0", version=2, ec="H", width=400, layers=[Layer("icon:heart", x=160, y=160, width=80, height=80)]
    )
    shop.templates.save("small", small)
    studio.design = Design(content=LONG)
    assert say(studio, "load", kind="template", name="small") == {}
    design = studio.design
    assert (design.content, design.version, design.ec, design.layers[0].content) == (LONG, None, "H", "icon:heart")
    (heart,) = design.layers
    assert (heart.x + heart.width / 2, heart.y + heart.height / 2) == pytest.approx((200, 200), abs=1)


def test_look_is_saved_as_a_brand_with_its_logo(studio, shop):
    say(studio, "preset", name="badge")
    say(studio, "edit", edits=[{"path": ["logo", "content"], "value": "icon:heart"}])
    badge = studio.design
    assert say(studio, "save", kind="brand", name="Acme") == {}
    brand = shop.brands.get("Acme")
    assert (brand.ink, brand.ground, brand.logo) == (badge.foreground, badge.background, "icon:heart")
    assert (brand.eye, brand.frame, brand.modules) == (badge.markers.top_left.pattern, badge.frame, badge.modules)
    studio.design = Design(content="other")
    say(studio, "edit", edits=[{"path": ["logo", "content"], "value": "icon:star"}])
    assert say(studio, "load", kind="brand", name="Acme") == {}
    assert studio.design.foreground == badge.foreground
    assert "icon:star" not in {layer.content for layer in studio.design.layers}
    assert decode(studio.image.to_bytes("png")).content == "other"


def test_a_taken_name_is_refused_until_you_ask_to_replace_it(studio, shop):
    say(studio, "save", kind="template", name="one")
    before = shop.templates.get("one")
    say(studio, "edit", edits=[{"path": ["size"], "value": 12}])
    assert "already the name of a template" in say(studio, "save", kind="template", name="one")["saved.name"]
    assert shop.templates.get("one") == before
    assert say(studio, "save", kind="template", name="one", replace=True) == {}
    assert shop.templates.get("one")["size"] == 12
    say(studio, "restore")
    assert shop.templates.get("one") == before


STARS = Modules(type="sprite", sprites=[{"content": "icon:star", "width": 8, "height": 8}])


@pytest.mark.parametrize(
    ("look", "field"),
    [
        (Design(content=TEXT, foreground=Gradient.linear("navy", "teal")), "foreground"),
        (Design(content=TEXT, background="transparent"), "ground"),
        (Design(content=TEXT, modules=STARS), "modules"),
    ],
)
def test_a_brand_names_the_field_that_it_cannot_have(studio, shop, look, field):
    studio.design = look
    assert list(say(studio, "save", kind="brand", name="Acme")) == [f"saved.{field}"]
    assert "1..100 characters" in say(studio, "save", kind="template", name="")["saved.name"]
    assert names(studio, "brand") == names(studio) == []


@pytest.mark.parametrize("kind", ["template", "brand"])
def test_a_deleted_look_comes_back_with_undo(studio, shop, kind):
    studio.design = Design(content=TEXT, foreground="navy", markers=Markers.all("eye-3"))
    say(studio, "save", kind=kind, name="mine")
    shelf = shop.templates if kind == "template" else shop.brands
    if kind == "brand":
        shelf.use("mine")
    before = shelf.get("mine")
    assert say(studio, "delete", kind=kind, name="mine") == {}
    assert names(studio, kind) == []
    say(studio, "restore")
    assert names(studio, kind) == ["mine"]
    assert shelf.get("mine") == before
    if kind == "brand":
        assert shelf.current == before


def test_a_campaign_uses_a_template_until_that_is_undone(studio, shop):
    spring = shop.insert_campaign("Spring")
    code = shop.insert_qrcode(TEXT, campaign_id=spring.id)
    studio.design = Design(content=TEXT, foreground="navy")
    say(studio, "save", kind="template", name="navy")
    assert say(studio, "use", name="navy", campaign=spring.id) == {}
    assert shop.design_of(code.id).foreground.rgb == "#000080"
    assert "Spring" in studio.state["saved"]["done"]
    assert "campaign 'Spring'" in say(studio, "delete", kind="template", name="navy")["saved"]
    say(studio, "restore")
    assert shop.get_campaign(spring.id).template == ""
    say(studio, "use", name="navy", campaign="")
    assert shop.templates.default == "navy"
    say(studio, "restore")
    assert shop.templates.default is None
    assert "is not the name of a template" in say(studio, "use", name="none", campaign=spring.id)["saved"]
    assert "no campaign" in say(studio, "use", name="navy", campaign="none")["saved"]


def test_gallery_gets_thumbnails_of_saved_looks(studio, monkeypatch):
    sent = []
    monkeypatch.setattr(studio, "send", lambda message, buffers=None: sent.append((message, buffers)))
    say(studio, "save", kind="template", name="mine")
    asked = [
        {"kind": "template", "name": "mine"},
        {"kind": "brand", "name": "none"},
        {"kind": "preset", "name": "badge"},
    ]
    say(studio, "looks", looks=[*asked, "odd"], view="v")
    answer, pictures = sent[-1]
    assert answer == {"answer": "looks", "view": "v", "looks": [asked[0], asked[2]]}
    assert {decode(picture).content for picture in pictures} == {TEXT}


def test_a_campaign_is_downloaded_in_the_look(studio, shop, monkeypatch):
    sent = []
    monkeypatch.setattr(studio, "send", lambda message, buffers=None: sent.append((message, buffers)))
    spring = shop.insert_campaign("Spring")
    codes = [shop.insert_qrcode(TEXT, name=name, campaign_id=spring.id) for name in ("Door", "Window")]
    say(studio, "download", of="campaign", format="png", campaign=spring.id, name="{number}-{name}", mm=40)
    message, (data,) = sent[-1]
    assert (message["name"], message["type"]) == ("qr-codes.zip", "application/zip")
    with ZipFile(BytesIO(data)) as archive:
        assert archive.namelist() == ["1-Door.png", "2-Window.png"]
        assert decode(archive.read("1-Door.png")).content == codes[0].encoded
    assert "unknown field" in say(studio, "download", of="campaign", format="png", campaign="", name="{names}")[""]


def test_print_checks_follow_the_width_and_the_design(studio):
    say(studio, "check")
    assert all(check["is_good"] for check in studio.state["print"])
    assert "Print it at least" in studio.state["print"][-1]["text"]
    assert say(studio, "print", mm=40, dpi=600) == {}
    assert any("away" in check["text"] for check in studio.state["print"])
    say(studio, "edit", edits=[{"path": ["background"], "value": "transparent"}])
    say(studio, "check")
    assert any("light paper" in check["text"] for check in studio.state["print"])
    assert "5,000" in say(studio, "print", mm=0)[""].replace("5000", "5,000")
    assert say(studio, "print") == {}
    assert not any("away" in check["text"] for check in studio.state["print"])


def test_nothing_is_offered_without_a_place_to_save(shop):
    alone = Designer(TEXT, name="alone")
    assert alone.state["saved"] is None
    for ask in ("save", "load", "delete", "use"):
        assert list(say(alone, ask, name="x")) == ["saved"]
    assert say(alone, "restore") == {}
    alone.close()
    templates = Designer(TEXT, name="alone", templates=shop.templates)
    assert templates.state["saved"]["kinds"] == ["template"]
    assert list(say(templates, "save", kind="brand", name="x")) == ["saved"]
    templates.close()


def test_looks_saved_elsewhere_appear_after_the_next_pause(studio, shop):
    shop.templates.save("elsewhere", {"ec": "H"})
    say(studio, "keep")
    assert names(studio) == ["elsewhere"]
