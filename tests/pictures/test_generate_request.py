import copy
from unittest.mock import ANY

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qrkit import Design
from qrkit.design.limits import FORMAT_ALIASES, FORMATS, GET_ONLY_FORMATS
from qrkit.errors import InvalidParameter, NotFound
from qrkit.pictures.generate_request import GenerateRequest, merged, read_post

LINK = "https://example.com"
TEMPLATES = {"navy": {"foreground": "navy", "padding": 7, "format": "svg", "em": "byte"}}


def template(name):
    if name not in TEMPLATES:
        raise NotFound("template", name)
    return TEMPLATES[name]


def read(**fields):
    return read_post({"content": LINK} | fields, template)


def problems(**fields):
    with pytest.raises(InvalidParameter) as caught:
        read(**fields)
    return {one.name: one.code for one in caught.value.problems}


# Fields ---------------------------------------------------------------------------------------------------------------


def test_content_alone_gives_the_defaults():
    asked = read()
    assert asked.design == Design(content=LINK, em="byte")
    assert (asked.format, asked.style, asked.shorten, asked.attachment, asked.filename) == (
        "png",
        "blocks",
        "",
        False,
        "",
    )
    assert tuple(asked.unknown) == ()


@pytest.mark.parametrize("absent", [None, ""])
def test_absent_fields_are_as_if_they_were_not_sent(absent):
    assert read(template=absent, format=absent, shorten=absent) == read()


def test_the_design_is_read():
    assert read(padding=3, foreground="navy").design == Design(content=LINK, padding=3, foreground="navy", em="byte")


@pytest.mark.parametrize(
    ("em", "content", "mode"),
    [("BYTE", LINK, "byte"), ("Numeric", "123", "numeric"), ("alphanumeric", "A1", "alphanumeric")],
)
def test_the_encoding_mode_is_read_in_any_case(em, content, mode):
    assert read(content=content, em=em).design == Design(content=content, em=mode)


@pytest.mark.parametrize("em", ["auto", "kanji", 7])
def test_other_encoding_modes_are_refused(em):
    assert problems(em=em) == {"em": ANY}


@pytest.mark.parametrize("name", [one for one in FORMATS if one not in GET_ONLY_FORMATS])
def test_formats_are_read_in_any_case(name):
    assert read(format=name.upper()).format == name


def test_other_names_of_formats_are_read():
    posted = {name: found for name, found in FORMAT_ALIASES.items() if found not in GET_ONLY_FORMATS}
    assert posted
    assert {name: read(format=name.upper()).format for name in posted} == posted


@pytest.mark.parametrize("name", GET_ONLY_FORMATS)
def test_formats_of_get_are_refused_with_those_of_post(name):
    with pytest.raises(InvalidParameter, match=r"only available with GET; POST supports .*png") as caught:
        read(format=name.upper())
    assert (caught.value.name, caught.value.code) == ("format", "format-not-available")


def test_an_unknown_format_is_refused_with_those_there_are():
    with pytest.raises(InvalidParameter, match=r"must be one of .*png"):
        read(format="doc")


@pytest.mark.parametrize(("text", "name"), [("none", ""), ("None", ""), ("tiny", "tiny"), ("Tiny", "Tiny")])
def test_shorten_names_a_service_or_none(text, name):
    assert read(shorten=text).shorten == name


@pytest.mark.parametrize("name", ["template", "format", "shorten"])
def test_what_is_no_text_is_refused(name):
    assert problems(**{name: 7}) == {name: "wrong-type"}


def test_everything_that_is_wrong_is_named_at_once():
    assert set(problems(padding=-1, format=7, shorten=7, em="auto", template=7)) == {
        "padding", "format", "shorten", "em", "template",
    }  # fmt: skip


def test_unknown_fields_are_ignored_and_told():
    asked = read(colour="red", markers={"middle": {}})
    assert asked.design == Design(content=LINK, em="byte")
    assert set(asked.unknown) == {"colour", "markers.middle"}


def test_error_about_a_missing_content_names_the_unknown_fields():
    with pytest.raises(InvalidParameter) as caught:
        read_post({"Content": LINK, "size": 0}, template)
    told = "content: is required; unknown fields were ignored: Content; size=0: must be in 1..20 pixels per module"
    assert str(caught.value) == told


def test_error_about_a_mode_lists_what_post_allows():
    for mode in ("kanji", 5):
        with pytest.raises(InvalidParameter) as caught:
            read(em=mode)
        assert caught.value.rule == "must be one of byte, numeric, alphanumeric"


def test_fields_lie_over_the_template_that_is_named():
    asked = read(template="navy", padding=3)
    assert asked.design == Design(content=LINK, em="byte", foreground="navy", padding=3)
    assert asked.format == "svg"


def test_an_unknown_template_is_not_found():
    with pytest.raises(NotFound):
        read(template="red")


def test_a_content_may_be_described_by_its_kind():
    asked = read(content={"kind": "wifi", "ssid": "Nero", "password": "espresso", "security": None})
    assert asked.design.content == "WIFI:T:WPA;S:Nero;P:espresso;;"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"kind": "wifi"}, {"content.ssid": "missing-parameter"}),
        ({"kind": "wifi", "ssid": "x" * 99, "password": "s3cret" * 99}, {"content.ssid": ANY, "content.password": ANY}),
        ({"kind": "wifi", "ssid": "Nero"}, {"content.password": ANY}),
        ({"kind": "wifi", "sid": "Nero", "ssid": "x"}, {"content.sid": "unknown-parameter"}),
        ({"kind": "wify"}, {"content.kind": ANY}),
        ({"kind": 7}, {"content.kind": ANY}),
        ({}, {"content.kind": "missing-parameter"}),
        ({"kind": "wifi", "sid": "Nero"}, {"content.ssid": "missing-parameter", "content.sid": "unknown-parameter"}),
    ],
)
def test_what_breaks_a_rule_of_a_kind_is_named_in_its_object(content, named):
    assert problems(content=content) == named


def test_fields_of_a_kind_are_proposed_as_json_has_them():
    with pytest.raises(InvalidParameter, match=r"allowed: ssid, .*, userName, ") as caught:
        read(content={"kind": "wifi", "ssid": "Nero", "zone": 1})
    assert "user_name" not in str(caught.value)


# Merging --------------------------------------------------------------------------------------------------------------

scalars = st.one_of(st.booleans(), st.integers(-3, 3), st.text("ab", min_size=1, max_size=2))
lists = st.lists(scalars, max_size=2)
names = st.sampled_from(["a", "b", "c", "content"])
objects = st.recursive(
    st.dictionaries(names, scalars | lists, max_size=3),
    lambda inner: st.dictionaries(names, scalars | lists | inner, max_size=3),
    max_leaves=8,
)


def leaves(fields, path=()):
    """Path of each value that is no object."""
    found = {}
    for name, value in fields.items():
        found |= leaves(value, (*path, name)) if isinstance(value, dict) else {(*path, name): value}
    return found


def starts(path, other):
    return path[: len(other)] == other


@pytest.mark.rule("G18")
@settings(max_examples=200)
@given(objects, objects)
def test_fields_of_the_request_win_and_the_rest_of_the_template_stays(template, fields):
    """Open: how a template and a request go together. Objects merge deeply, the request wins, lists replace."""
    before = copy.deepcopy((template, fields))
    found = leaves(merged(template, fields))
    mine, theirs = leaves(fields), leaves(template)
    assert {path: found[path] for path in mine} == mine
    untouched = {
        path: value for path, value in theirs.items() if not any(starts(path, one) or starts(one, path) for one in mine)
    }
    assert found == mine | {path: value for path, value in untouched.items() if path in found}
    assert all(path in found for path in untouched if not _under_a_replaced(path, template, fields))
    assert (template, fields) == before


def _under_a_replaced(path, template, fields):
    """Whether the request has something that is no object, or an object where the template has none, on the way."""
    for name in path:
        if name not in fields:
            return False
        template, fields = template[name], fields[name]
        if not (isinstance(template, dict) and isinstance(fields, dict)):
            return True
    return True


@pytest.mark.rule("G18", "H5")
@settings(max_examples=60)
@given(objects, names, st.sampled_from([None, ""]))
def test_what_counts_as_absent_leaves_the_template_as_it_is(template, name, absent):
    """Open: null in a request. It is as if it were not there, so it takes nothing out of a template."""
    assert merged(template, {name: absent}) == template
    assert merged({name: template}, {name: {name: absent}}) == {name: template}
    assert merged(template, {}) == template == merged({}, template)


@pytest.mark.rule("G18")
@pytest.mark.parametrize(
    ("template", "fields", "result"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}, {"a": {"b": 3, "c": 2}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": [{"b": 1}]}, {"a": [{"c": 1}]}, {"a": [{"c": 1}]}),
        ({"a": [1]}, {"a": []}, {"a": []}),
        ({"a": 1}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1}}, {"a": 1}, {"a": 1}),
        ({"a": True}, {"a": False}, {"a": False}),
        ({"a": 4}, {"a": 0}, {"a": 0}),
        ({"f": {"gradient": "radial", "cx": 1}}, {"f": {"gradient": "linear"}}, {"f": {"gradient": "linear"}}),
        ({"f": {"gradient": "radial", "cx": 1}}, {"f": {"cx": 2}}, {"f": {"gradient": "radial", "cx": 2}}),
        ({"f": "red"}, {"f": {"gradient": "linear"}}, {"f": {"gradient": "linear"}}),
    ],
)
def test_objects_merge_and_lists_and_gradients_are_replaced(template, fields, result):
    """Open: gradients. They are objects, but one of another kind has other fields, so it replaces the whole."""
    assert merged(template, fields) == result


# Shortening -----------------------------------------------------------------------------------------------------------


def shorten(content, name="tiny", services=None):
    if services is None:
        services = {"tiny": lambda url: "https://s.example/" + str(len(url)), "local": lambda url: url}
    return GenerateRequest(Design(content=content, ec="H"), shorten=name).shortened(services)


@pytest.mark.rule("G19")
@pytest.mark.parametrize("content", [LINK, "http://a", "HTTPS://EXAMPLE.COM/x?y#z", "http://[", "https://user@host/"])
def test_a_registered_service_replaces_the_url_and_nothing_else(content):
    """Open: what a shortening service is. A callable, URL in, short URL out, under a name the operator registers."""
    assert shorten(content) == Design(content=f"https://s.example/{len(content)}", ec="H")


@pytest.mark.rule("G19")
def test_without_a_service_the_content_stays():
    """Open: the default. None: nothing is sent to strangers unless it is asked for."""
    assert shorten(LINK, name="", services={}) == Design(content=LINK, ec="H")


@pytest.mark.rule("G19")
@pytest.mark.parametrize(
    "content", ["hello", "ftp://example.com", "mailto:a@example.com", "example.com", "javascript:1", "http:x", "https"]
)
def test_only_http_urls_are_shortened(content):
    """The interface says so, not what happens else: 400, because the picture would not be what was asked for."""
    with pytest.raises(InvalidParameter, match="http or https") as caught:
        shorten(content)
    assert (caught.value.name, caught.value.code) == ("shorten", "shorten-not-applicable")


@pytest.mark.rule("G19")
@pytest.mark.parametrize(("name", "hint"), [("tinny", "did you mean 'tiny'"), ("bit.ly", "allowed: tiny, local")])
def test_an_unknown_service_is_refused_with_those_there_are(name, hint):
    """Open: an unknown name. 400 with the known ones; a name is never an address to call."""
    with pytest.raises(InvalidParameter, match=hint) as caught:
        shorten(LINK, name=name)
    assert (caught.value.name, caught.value.value, caught.value.code) == ("shorten", name, "bad-value")
