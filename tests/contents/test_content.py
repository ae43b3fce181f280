import copy
import pickle

import pytest

from qrkit import contents, decode, generate
from qrkit.contents.kinds import MODULES, kind_named, make
from qrkit.errors import InvalidParameter, MissingParameter

NETWORK = contents.wifi("Cafe Nero", "espresso")


def test_a_content_is_its_text():
    assert NETWORK == "WIFI:T:WPA;S:Cafe Nero;P:espresso;;"
    assert hash(NETWORK) == hash(str(NETWORK))
    assert decode(generate(NETWORK).to_bytes("png")).content == NETWORK


def test_repr_hides_secrets():
    assert repr(NETWORK) == "<Content wifi, ssid='Cafe Nero', password='…'>"
    assert "espresso" not in repr([NETWORK])
    assert NETWORK.shown_fields() == {"ssid": "Cafe Nero", "password": "…"}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_keep_kind_and_fields(copied):
    found = copied(NETWORK)
    assert (found, found.kind, found.fields, found.secrets) == (NETWORK, "wifi", NETWORK.fields, NETWORK.secrets)


def test_fields_cannot_be_changed():
    with pytest.raises(TypeError):
        NETWORK.fields["ssid"] = "other"


@pytest.mark.parametrize("name", MODULES)
def test_every_kind_describes_its_fields(name):
    kind = kind_named(name)
    assert kind.title
    assert getattr(contents, name) is kind.write
    assert all(field.description for field in kind.fields.model_fields.values())
    assert make(name, kind.example).kind == name
    assert contents.read(make(name, kind.example)).fields == make(name, kind.example).fields
    assert "Args:" in kind.write.__doc__
    assert "Raises:" in kind.write.__doc__


def test_a_content_is_made_from_names_as_python_or_json_writes_them():
    assert make("wifi", {"ssid": "Cafe Nero", "password": "espresso"}) == NETWORK


def test_an_unknown_kind_is_refused_with_the_nearest():
    with pytest.raises(InvalidParameter, match=r"kind='wify': is not a kind of content; did you mean 'wifi'\?"):
        make("wify", {})


def test_errors_name_the_field_but_never_show_a_secret():
    with pytest.raises(InvalidParameter) as caught:
        contents.wifi("x" * 40, "s3cret" * 100)
    assert [one.name for one in caught.value.problems] == ["ssid", "password"]
    assert "s3cret" not in str(caught.value)
    with pytest.raises(MissingParameter, match="ssid: is required"):
        contents.wifi()
    with pytest.raises(InvalidParameter, match="nme"):
        contents.wifi("net", "secret", nme=3)
    with pytest.raises(TypeError):
        contents.wifi("net", "secret", "WPA")


def test_what_is_no_content_of_another_kind_is_text():
    found = contents.read("hello")
    assert (found, found.kind, found.fields) == ("hello", "text", {"text": "hello"})
