"""The form of a content, as the studio keeps it: complete or not."""

import pytest

from qrkit import contents
from qrkit.contents.kinds import MODULES, kind_named
from qrkit.errors import InvalidParameter
from qrkit.notebook.widgets import Designer
from qrkit.notebook.widgets.studio.content_form import ContentForm, kind_forms
from qrkit.notebook.widgets.studio.draft import Edit

NETWORK = contents.wifi("Nero", "espresso")


@pytest.fixture
def studio():
    made = Designer("hello", name="contents")
    yield made
    made.close()


def test_a_form_shows_the_kind_and_the_fields_of_a_content():
    form = ContentForm(NETWORK)
    assert form.as_dict() == {
        "kind": "wifi",
        "fields": {"ssid": "Nero", "password": "espresso"},
        "missing": "",
        "notes": [],
    }


@pytest.mark.parametrize("name", MODULES)
def test_every_kind_can_be_filled_in(name):
    kind = kind_named(name)
    wanted = kind.write(**kind.example)
    form = ContentForm("tel:+123456789")
    typed = dict(ContentForm(wanted).fields)
    form.change({"form": name})
    assert form.change(typed) == wanted
    shown = kind_forms()[name]
    assert [field["name"] for field in shown["fields"]] == list(kind.fields.model_fields)
    assert (shown["title"], [one for one in shown["fields"] if not one.get("help")]) == (kind.title, [])


def test_what_is_missing_is_told_and_no_error():
    form = ContentForm("hello")
    assert form.change({"form": "wifi"}) is None
    assert form.missing.startswith("Network name is required")
    assert form.change({"ssid": "Nero"}) is None
    assert form.missing.startswith("Password is required for WPA")
    assert form.change({"password": "espresso"}) == NETWORK
    assert form.missing == ""
    assert form.change({"password": ""}) is None
    assert form.fields == {"ssid": "Nero"}


def test_the_form_names_missing_fields_in_the_language_of_the_studio():
    studio = Designer("hello", name="contents", language="de")
    studio.edit(Edit(("form",), value="email"))
    assert studio.state["form"]["missing"] == "Empfänger ist erforderlich"
    studio.edit(Edit(("form",), value="wifi"), Edit(("form", "ssid"), value="Nero"))
    assert studio.state["form"]["missing"].startswith("Passwort ist für WPA erforderlich")
    assert studio.state["label"] == "Version 1, Stufe M, 232 x 232 px"
    studio.edit(Edit(("size",), value=99))
    assert studio.state["refused"]["size"]["offer"]["words"] == "20 Pixel pro Modul verwenden"
    studio.close()


def test_another_kind_keeps_only_fields_it_can_have():
    form = ContentForm(contents.contact("A person whose name is longer", title="Cook", note="Hi"))
    form.change({"form": "pix"})
    assert form.fields == {}
    form = ContentForm(contents.sms("70007", "Hi"))
    form.change({"form": "whatsapp"})
    assert form.fields == {"text": "Hi"}


def test_hidden_fields_of_another_kind_start_empty():
    form = ContentForm("https://example.com/t/{n}")
    form.change({"form": "event"})
    assert form.fields == {}
    form.change({"title": "Jazz in the Courtyard", "start": "2026-06-14T18:00", "url": "https://example.com/jazz"})
    form.change({"form": "contact"})
    assert form.fields == {}, "a title of an event is no position of a person, and the web address would be hidden"


def test_back_at_an_earlier_kind_its_own_answers_are_there():
    form = ContentForm("https://example.com")
    form.change({"form": "sms"})
    form.change({"number": "+39040123456", "text": "Hi"})
    form.change({"form": "contact"})
    form.change({"name": "Ana Petek", "url": "https://example.com/ana"})
    form.change({"form": "whatsapp"})
    assert form.fields == {}
    form.change({"number": "+39040654321"})
    form.change({"form": "sms"})
    assert form.fields == {"number": "+39040654321", "text": "Hi"}, "the number that was typed last counts"
    form.change({"form": "contact"})
    assert form.fields == {"name": "Ana Petek", "url": "https://example.com/ana"}
    form.follow("tel:+39040123456")
    form.change({"form": "contact"})
    assert form.fields == {}, "another content begins anew"


def test_back_to_text_shows_the_whole_content():
    form = ContentForm(NETWORK)
    form.change({"form": "phone"})
    assert (form.change({"form": "text"}), form.missing) == (NETWORK, "")


def test_what_breaks_a_rule_is_an_error_with_the_path_of_its_field():
    form = ContentForm(NETWORK)
    with pytest.raises(InvalidParameter) as caught:
        form.change({"ssid": "x" * 99})
    assert [one.name for one in caught.value.problems] == ["form.ssid"]
    with pytest.raises(InvalidParameter, match="is not a kind of content"):
        form.change({"form": "wify"})


CARD = (
    "BEGIN:VCARD\nVERSION:3.0\nN:Petek;Ana;;Dr.;\nFN:Ana Petek\nNICKNAME:Ani\nORG:Firma;Sales\nTEL:call me\nEND:VCARD\n"
)


def test_a_changed_field_keeps_what_has_no_field():
    form = ContentForm(CARD)
    assert form.notes == ["This code also contains, and keeps: N: Dr.; NICKNAME:Ani; ORG: Sales; TEL:call me."]
    assert form.change({"title": "CTO"}) == CARD.replace("TEL:", "TITLE:CTO\nTEL:")
    assert form.change({"title": ""}) == CARD
    assert form.change({"organization": "Company"}) == CARD.replace("Firma", "Company")


def test_what_cannot_be_kept_is_said():
    form = ContentForm(CARD)
    form.change({"phone": "", "format": "mecard"})
    assert form.notes == ["This code cannot keep N: Dr.; NICKNAME:Ani; ORG: Sales; TEL:call me."]


def test_what_was_cleaned_is_shown_until_it_is_typed_anew():
    form = ContentForm("tel:+123456789")
    form.change({"number": "030\u2011123456"})
    assert form.notes == ["Phone number was cleaned of U+2011 (non-breaking hyphen)."]
    form.change({"number": "030-123456"})
    assert form.notes == []


def test_the_studio_draws_a_form_as_soon_as_it_is_complete(studio):
    studio.edit(Edit(("form",), value="wifi"))
    studio.edit(Edit(("form", "ssid"), value="Nero"))
    assert (studio.design.content, studio.errors) == ("hello", {})
    studio.edit(Edit(("form", "password"), value="espresso"))
    assert studio.design.content == NETWORK
    studio.edit(Edit(("form", "password"), value="x" * 999))
    assert list(studio.errors) == ["form.password"]
    assert studio.design.content == NETWORK


def test_the_form_follows_what_is_undone_or_written_as_text(studio):
    studio.edit(Edit(("content",), value=str(NETWORK)))
    assert studio.state["form"]["kind"] == "wifi"
    studio.undo()
    assert studio.state["form"] == {"kind": "text", "fields": {"text": "hello"}, "missing": "", "notes": []}
