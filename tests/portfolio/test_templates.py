"""Stored designs, from which a request to generate may begin (ruling G18)."""

import copy
from datetime import UTC, datetime

import pytest

from qrkit import Brand, Color, Design, generate, open_portfolio
from qrkit.design.decoration import Layer, Marker, Markers, Modules
from qrkit.design.gradient import Gradient
from qrkit.drawing.logo import placed_logo
from qrkit.errors import InvalidParameter, NotFound, UnknownParameter
from qrkit.pictures.generate_request import read_post
from qrkit.portfolio.access import create_key
from qrkit.portfolio.saved import LONGEST_NAME, MOST_SAVED
from qrkit.portfolio.templates import Templates
from qrkit.server import Client, make_app
from qrkit.server.statuses import status_of
from qrkit.store import Store
from qrkit.store.records.accounts import insert_account
from qrkit.tracking.records import Account
from qrkit.tracking.short_urls import new_id

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
BRAND = {
    "ec": "H",
    "foreground": {"gradient": "linear", "stops": [{"offset": 0, "color": "red"}, {"offset": 1, "color": "#80000000"}]},
    "markers": {"topLeft": {"pattern": "eye-3", "innerColor": "navy"}, "topRight": {"pattern": "eye-4"}},
    "layers": [{"content": "icon:home", "x": 90, "y": 90, "width": 20, "height": 20}],
    "modules": {"type": "rounded", "union": True},
    "format": "svg",
}


@pytest.fixture(scope="module")
def store(new_place):
    with Store(new_place()) as opened:
        yield opened


@pytest.fixture
def account(store):
    made = Account(new_id(), f"account {new_id()}", "premium")
    insert_account(store, made, NOON)
    return made


@pytest.fixture
def templates(store, account):
    return Templates(store, account.id)


@pytest.fixture
def post(store, account):
    client, key = Client(make_app(store)), create_key(store, account)
    return lambda **fields: client.post("/api/v3/generate", fields, auth=key)


# Storing --------------------------------------------------------------------------------------------------------------


def test_a_template_is_given_back_as_it_was_saved(templates):
    given = copy.deepcopy(BRAND)
    templates.save("brand", given)
    assert templates.get("brand") == BRAND == given
    assert (list(templates), templates.names(), len(templates), "brand" in templates) == (["brand"], ["brand"], 1, True)
    assert repr(templates) == "<Templates: brand>"


def test_names_are_sorted_whatever_they_are(templates):
    names = ["ö", "a'; DROP TABLE templates; --", "日本 😀", "B", "\0", "x" * LONGEST_NAME, "..", " "]
    for number, name in enumerate(names):
        templates.save(name, {"padding": number})
    assert templates.names() == sorted(names)
    assert [templates.get(name)["padding"] for name in names] == list(range(len(names)))


def test_a_template_of_the_same_name_is_replaced_whole(templates):
    templates.save("brand", BRAND)
    templates.save("brand", {"padding": 2})
    assert (templates.get("brand"), templates.names()) == ({"padding": 2}, ["brand"])


def test_a_template_saved_beside_others_replaces_none_of_them(templates):
    looks = [{"ec": "H"}, {"ec": "Q"}, {"ec": "H", "size": 4}, {"size": 4, "ec": "H"}]
    assert [templates.save_beside("poster", look) for look in looks] == ["poster", "poster 2", "poster 3", "poster 3"]
    assert [templates.get(name) for name in templates] == looks[:3]


def test_a_deleted_template_is_gone_and_cannot_be_deleted_again(templates):
    templates.save("brand", BRAND)
    templates.delete("brand")
    assert (templates.names(), "brand" in templates, repr(templates)) == ([], False, "<Templates: none>")
    for again in (templates.get, templates.delete, lambda name: templates.design(name, "x")):
        with pytest.raises(NotFound, match="no template 'brand'") as caught:
            again("brand")
        assert (status_of(caught.value), caught.value.code) == (404, "template-not-found")


@pytest.mark.rule("G18")
def test_templates_belong_to_an_account(store, templates, post):
    """Open: whose templates are seen. Only those of the key's account, under names of its own."""
    other = Templates(store, new_id())
    other.save("brand", {"ec": "L"})
    assert post(content="x", template="brand").status == 404
    templates.save("brand", {"ec": "H"})
    assert (templates.get("brand"), other.get("brand")) == ({"ec": "H"}, {"ec": "L"})
    templates.delete("brand")
    assert other.names() == ["brand"]


def test_templates_are_there_when_the_store_is_opened_again(new_path):
    path = new_path()
    with open_portfolio(path) as shop:
        shop.templates.save("brand", BRAND)
        before = generate(shop.templates.design("brand", "hi")).to_bytes("svg")
    with open_portfolio(path) as shop:
        assert shop.templates.get("brand") == BRAND
        assert generate(shop.templates.design("brand", "hi")).to_bytes("svg") == before


def test_of_a_design_the_fields_that_were_given_are_kept_but_not_its_content(templates):
    design = Design(
        content="x", ec="M", markers=Markers(top_left=Marker("eye-3", inner_color="navy")),
        foreground=Gradient.linear("red", "blue"), layers=[Layer("icon:home", x=1, y=2, width=3, height=4)], version=0,
    )  # fmt: skip
    templates.save("brand", design)
    kept = templates.get("brand")
    assert kept.keys() == {"ec", "markers", "foreground", "layers", "width", "symbolSide"}
    assert kept["markers"] == {"topLeft": {"pattern": "eye-3", "innerColor": "#FF000080"}}
    assert templates.design("brand", "x") == design.replace(width=232)
    assert templates.design("brand", "y") == design.replace(width=232, content="y")


def test_layers_of_a_template_stay_in_their_place_whatever_is_encoded(templates):
    """Open: pixels of a picture that is larger than the template's own. Its pictures have the width of that."""
    brand = Design(content="x", layers=[Layer("icon:home", x=100, y=100, width=32, height=32)])
    templates.save("brand", brand)
    assert {generate(templates.design("brand", "x" * length)).width for length in (1, 20, 90)} == {
        generate(brand).width
    }
    templates.save("fields", brand.model_dump(mode="json", exclude_unset=True))
    assert templates.get("fields")["width"] == templates.get("brand")["width"] == generate(brand).width
    templates.save("tall", brand.replace(height=300))
    assert templates.get("tall").keys() == {"layers", "height", "symbolSide"}
    templates.save("plain", brand.replace(layers=[]))
    assert templates.get("plain").keys() == {"layers"}


@pytest.mark.rule("G24")
@pytest.mark.parametrize("content", ["0", "x" * 20, "x" * 300])
def test_a_logo_of_a_template_keeps_its_share(templates, content):
    brand = Brand("H", logo="icon:coffee", frame="bar").design("https://example.com/menu", "Order here")
    templates.save("brand", brand)
    templates.save("copy", templates.get("brand"))
    posted = {"template": "brand", "content": content}
    for made in (
        templates.design("brand", content), templates.design("copy", content, width=1200, padding=1),
        read_post(posted, templates.get).design, read_post(posted | {"width": 700}, templates.get).design,
        read_post(templates.get("copy") | {"content": content}, templates.get).design,
    ):  # fmt: skip
        assert placed_logo(made).share == pytest.approx(placed_logo(brand).share, abs=0.002)
    assert read_post(posted, templates.get).unknown == []


@pytest.mark.rule("G24")
def test_layers_of_a_request_are_pixels(templates):
    templates.save("brand", Design(content="x").with_logo("icon:home"))
    layer = {"content": "icon:heart", "x": 90, "y": 90, "width": 20, "height": 20}
    link = "https://example.com/" + "x" * 200
    asked = read_post({"template": "brand", "content": link, "layers": [layer], "shorten": "s"}, templates.get)
    short = asked.shortened({"s": lambda _: "https://s.example/1"})
    assert asked.design.layers == short.layers == (Layer(**layer),)


def test_layers_of_a_framed_template_follow_the_width_of_its_whole_picture(templates):
    """The width of a template with a frame is that of the frame, so its layers are kept in the pixels of that."""
    brand = Design(content="x", frame="bar", layers=[Layer("icon:home", x=100, y=100, width=32, height=32)])
    templates.save("brand", brand)
    templates.save("fields", brand.model_dump(mode="json", exclude_unset=True))
    for name in ("brand", "fields"):
        assert generate(templates.design(name, "x")).width == generate(brand).width
        assert templates.get(name)["frame"] == {"kind": "bar"}
        kept = templates.get(name)["layers"][0]
        assert kept["width"] / kept["x"] == pytest.approx(0.32, abs=0.01) and kept["width"] > 32


def test_values_of_python_are_kept_like_their_json(templates):
    fields = {"foreground": Color(1, 2, 3), "modules": Modules(type="dots"), "layers": (), "version": 3.0}
    templates.save("brand", fields)
    assert templates.get("brand") == {
        "foreground": "#FF010203", "modules": {"type": "dots"}, "layers": [], "version": 3,
    }  # fmt: skip
    assert templates.design("brand", "x") == Design(content="x", **fields)


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "x" * (LONGEST_NAME + 1), None, 3, "\ud800", ["a"]])
def test_a_name_is_a_text_of_1_to_100_characters(templates, name):
    with pytest.raises(InvalidParameter, match="must be a text") as caught:
        templates.save(name, BRAND)
    assert caught.value.name == "name"
    assert len(templates) == 0


@pytest.mark.parametrize(
    ("fields", "problems"),
    [
        ({"ec": "X", "padding": 21}, {"ec": "bad-value", "padding": "out-of-range"}),
        ({"markers": {"topLeft": {"pattern": "eye-18"}}}, {"markers.topLeft.pattern": "bad-value"}),
        ({"layers": [{"content": "icon:home", "x": 1, "y": 1, "width": 5}]}, {"layers.0.height": "missing-parameter"}),
        ({"format": "eps"}, {"format": "format-not-available"}),
        ({"em": "auto"}, {"em": "bad-value"}),
        ({"content": 5}, {"content": "wrong-type"}),
        ({"shorten": 5}, {"shorten": "wrong-type"}),
        ({"sizee": 5}, {"sizee": "unknown-parameter"}),
        ({"markers": {"topLeft": {"pattern": "eye-1", "innerColour": "red"}}, "x": 1},
         {"markers.topLeft.innerColour": "unknown-parameter", "x": "unknown-parameter"}),
        ({"markers": {"top_left": {"pattern": "eye-1"}}}, {"markers.top_left": "unknown-parameter"}),
    ],
)  # fmt: skip
def test_a_template_no_request_could_have_is_refused_when_it_is_stored(templates, fields, problems):
    templates.save("brand", {"ec": "L"})
    with pytest.raises(InvalidParameter) as caught:
        templates.save("brand", fields)
    assert {one.name: one.code for one in caught.value.problems} == problems
    assert templates.get("brand") == {"ec": "L"}


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"paddings": 1}, "did you mean 'padding'"),
        ({"markers": {"topLeft": {"pattern": "eye-1", "innerColour": "red"}}}, "did you mean 'inner_?[cC]olor'"),
    ],
)
def test_an_unknown_field_gets_the_nearest_of_its_record(templates, fields, hint):
    with pytest.raises(UnknownParameter, match=hint):
        templates.save("brand", fields)


@pytest.mark.slow
def test_an_account_has_at_most_1000_templates(templates):
    for number in range(MOST_SAVED):
        templates.save(str(number), {})
    with pytest.raises(InvalidParameter, match="1000"):
        templates.save("one more", {})
    templates.save("7", {"padding": 7})
    assert templates.get("7") == {"padding": 7}
    templates.delete("8")
    templates.save("one more", {})


def test_a_template_has_the_length_of_a_body_at_most(templates):
    picture = "data:image/png;base64," + "A" * 5_999_000
    layer = {"content": picture, "x": 0, "y": 0, "width": 5, "height": 5}
    with pytest.raises(InvalidParameter, match="at most 12000000"):
        templates.save("large", {"layers": [layer] * 3})
    assert templates.names() == []


# Use ------------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("G18")
def test_a_request_with_a_template_is_the_request_with_its_fields(templates, post):
    """Open: what "preloads" means. The picture is that of the template's fields with the request's over them."""
    templates.save("brand", BRAND)
    plain = post(content="hi", **BRAND)
    assert (plain.status, plain.headers["content-type"]) == (200, "image/svg+xml")
    by_name = post(content="hi", template="brand")
    assert (by_name.status, by_name.body, by_name.headers["content-type"]) == (200, plain.body, "image/svg+xml")
    assert generate(templates.design("brand", "hi")).to_bytes("svg") == plain.body
    changed = BRAND | {"layers": [], "format": "png", "markers": BRAND["markers"] | {"topRight": {"pattern": "star"}}}
    request = {"layers": [], "format": "png", "markers": {"topRight": {"pattern": "star"}}, "ec": None}
    asked = post(content="hi", template="brand", **request)
    assert asked.body == post(content="hi", **changed).body != plain.body


@pytest.mark.rule("G18")
def test_a_template_may_hold_the_content(templates, post):
    """Open: whether content may be preloaded. It is a field like any other; without it, content stays required."""
    templates.save("door", {"content": "at the door"})
    templates.save("bare", {})
    assert post(template="door").body == post(content="at the door").body
    assert post(template="door", content="elsewhere").body == post(content="elsewhere").body
    reply = post(template="bare")
    assert (reply.status, reply.headers["x-api-error-code"]) == (400, "missing-parameter")


@pytest.mark.rule("G18")
@pytest.mark.parametrize("name", ["nobody", "Brand", "brand ", "\0", "\ud800", "x" * 5_000])
def test_an_unknown_template_is_404(templates, post, name):
    """Open: a template that is not there. 404, not a picture without it; names are taken at their letters."""
    templates.save("brand", BRAND)
    reply = post(content="x", template=name)
    assert (reply.status, reply.headers["x-api-error-code"]) == (404, "template-not-found")


@pytest.mark.parametrize("absent", [None, ""])
def test_no_template_is_no_template(post, absent):
    assert post(content="x", template=absent).body == post(content="x").body


def test_in_python_a_design_may_have_what_http_has_not(templates):
    templates.save("brand", BRAND)
    made = templates.design("brand", "hi", em="auto", markers={"top_left": {"pattern": "eye-5"}})
    assert (made.em, made.ec) == ("auto", "H")
    assert made.markers.top_left == Marker("eye-5", inner_color="navy")
    assert made.markers.top_right == Marker("eye-4")
    with pytest.raises(InvalidParameter, match="padding=21"):
        templates.design("brand", "hi", padding=21)


def test_a_template_is_asked_for_by_name_only(templates):
    templates.save("brand", BRAND)
    request = read_post({"content": "x", "template": "brand", "more": 1}, templates.get)
    assert (request.format, request.design.ec, list(request.unknown)) == ("svg", "H", ["more"])


@pytest.mark.rule("G18")
def test_a_template_that_begins_with_another_is_refused_and_not_kept_without_it():
    """Open: templates of templates. There are none; dropping the name would lose what was meant by it."""
    with open_portfolio(":memory:") as shop:
        with pytest.raises(InvalidParameter, match="template='brand': a template cannot build on another one"):
            shop.templates.save("own", {"template": "brand", "ec": "H"})
        assert shop.templates.names() == []


@pytest.mark.parametrize("name", [5, None, b"brand", ["brand"]])
def test_a_name_that_is_no_text_is_no_template(name):
    with open_portfolio(":memory:") as shop:
        for ask in (shop.templates.get, shop.templates.delete, lambda one: shop.templates.design(one, "x")):
            with pytest.raises(NotFound, match="no template"):
                ask(name)


def test_a_tracked_code_is_drawn_with_a_template():
    """The template's looks, the code's short URL; what is said beside it wins. A static code says its content."""
    with open_portfolio(":memory:", base_url="https://go.example.com") as shop:
        shop.templates.save("brand", {"ec": "H", "markers": {"topLeft": {"pattern": "eye-3"}}, "foreground": "navy"})
        code = shop.insert_qrcode("https://example.com", short_code="door", properties={"ec": "L", "size": 3})
        image = shop.image(code, template="brand", foreground="black")
        assert (image.design.content, image.design.ec, image.design.size) == (code.encoded, "H", 8)
        assert image.design.markers.top_left.pattern == "eye-3"
        assert image.design.foreground == Color.parse("black")
        static = shop.insert_qrcode("hello", is_dynamic=False)
        assert shop.image(static, template="brand").design.content == "hello"
        with pytest.raises(NotFound):
            shop.image(code, template="none")
