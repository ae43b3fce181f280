"""Contents that add a person or a company to the contacts of a phone: vCards of two versions, and MeCards.

Sources: RFC 6350 (vCard 4.0), RFC 2426 (vCard 3.0), and NTT Docomo's MeCard, as ZXing's wiki describes it. Lines are
not folded (RFC 6350, 3.2 only recommends that), because each fold makes the symbol larger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from qrkit.contents.addresses import EmailAddresses, WebAddress, WebAddresses
from qrkit.contents.kinds import kind, kind_named
from qrkit.contents.messages import PhoneNumbers, PlainText
from qrkit.contents.moments import Day, day_of
from qrkit.contents.single_lines import OneLine
from qrkit.contents.syntax import (
    BLANKS,
    Line,
    block_of,
    escape,
    escape_pair,
    full_name,
    lines_of_card,
    names_of,
    split,
    unescape,
    without_scheme,
)
from qrkit.design.limits import Length
from qrkit.errors import InvalidParameter, Problem

Line200 = Annotated[OneLine, Length(1, 200)] | None
Name = Annotated[
    OneLine,
    Length(1, 200),
    Field(description="The whole name, as shown. Lists are sorted by its last word, unless there is a family name."),
    Field(examples=["Ana Petek"]),
]
Family = Annotated[Line200, Field(title="Family name", description="The part of the name by which lists are sorted.")]
Given = Annotated[Line200, Field(title="Given name", description="The other part of the name.")]
Organization = Annotated[Line200, Field(description="The company.")]
Title = Annotated[Line200, Field(title="Job title", description="The position in the company.")]
Phone = Annotated[PhoneNumbers, Field(description="Phone numbers.", examples=["+386 1 234 5678"])]
Mobile = Annotated[PhoneNumbers, Field(description="Mobile phone numbers.")]
WorkPhone = Annotated[PhoneNumbers, Field(description="Phone numbers at work.")]
Fax = Annotated[PhoneNumbers, Field(description="Fax numbers.")]
Email = Annotated[EmailAddresses, Field(title="E-mail", description="E-mail addresses.")]
Url = Annotated[WebAddresses, Field(title="Web", description="Web addresses.")]
Street = Annotated[Line200, Field(description="Street and number.")]
City = Annotated[Line200, Field(description="City.")]
Region = Annotated[Line200, Field(description="State or province.")]
Postcode = Annotated[Line200, Field(description="Postal code.")]
Country = Annotated[Line200, Field(description="Country.")]
Note = Annotated[PlainText | None, Field(description="Anything else; long notes make large symbols.")]
Birthday = Annotated[Day | None, Field(description="The day of birth, as 1990-05-17.")]
Photo = Annotated[WebAddress | None, Field(title="Photo", description="The URL of a photo; phones rarely load it.")]
Format = Annotated[
    Literal["vcard3", "vcard4", "mecard"],
    Field(description="`vcard3` is read by all phones, `mecard` is shorter and holds less, `vcard4` is the newest."),
]

PLACE = ("street", "city", "region", "postcode", "country")
PHONES = {"phone": "", "mobile": "CELL", "work_phone": "WORK", "fax": "FAX"}
"""The type of each kind of number (RFC 6350, 6.4.1)."""
NOT_IN_MECARD = ("title", "mobile", "work_phone", "fax", "photo")
MOST_LINES = 200
_WITH_SUFFIX = re.compile(r"([^,]+)((?:, (?:[A-Z][\w.]*[A-Z]\.?|\w+[^\WA-Z]\.))+)")
"""Matches a name with degrees or a legal form behind it: `John Smith, MD`, `Ana Petek, Ph.D.`, `Acme, Inc.`."""


@kind("Contact", behind="page")
def contact(
    name: Name,
    *,
    family_name: Family = None,
    given_name: Given = None,
    organization: Organization = None,
    title: Title = None,
    phone: Phone = (),
    mobile: Mobile = (),
    work_phone: WorkPhone = (),
    fax: Fax = (),
    email: Email = (),
    url: Url = (),
    street: Street = None,
    city: City = None,
    region: Region = None,
    postcode: Postcode = None,
    country: Country = None,
    birthday: Birthday = None,
    note: Note = None,
    photo: Photo = None,
    format: Format = "vcard3",
) -> str:
    """Add somebody to the contacts of a phone.

    Raises:
        InvalidParameter: If a field breaks its rule, or the format has no such field.

    Example:
        >>> from qrkit import contents
        >>> str(contents.contact("Ana Petek", phone="+386 1 234 5678", format="mecard"))
        'MECARD:N:Petek,Ana;TEL:+38612345678;;'
    """
    fields = dict(locals())
    parts = _name_fields(name, *_split_name(fields))
    if parts != {part: fields[part] for part in parts}:
        return contact(**fields | parts)
    if format == "mecard":
        if wrong := [name for name in NOT_IN_MECARD if fields[name]]:
            rule = "is not available in a MeCard, whose only field for numbers is phone; use another format"
            raise InvalidParameter(*(Problem(name, fields[name], rule) for name in wrong))
        return _mecard(fields)
    version = "3.0" if format == "vcard3" else "4.0"
    return "\r\n".join(["BEGIN:VCARD", f"VERSION:{version}", *_vcard_lines(fields), "END:VCARD"])


def _split_name(fields: dict[str, Any]) -> tuple[str, str]:
    """Return the family name and the given name; without fields of their own, the last word and the words before.

    If only one of the two is given, the other is what is left of the name before or after it.
    """
    family, given, name = fields["family_name"] or "", fields["given_name"] or "", fields["name"]
    if family and given:
        return family, given
    if (part := family or given) and (word := f" {part} ") in (words := f" {name} "):
        before, _, after = words.rpartition(word) if family else words.partition(word)
        rest = "" if before and after else (before or after).strip(" ,")  # a title may stand on either side
        return (family or rest, given or rest)
    parts = None if name.isupper() else _WITH_SUFFIX.fullmatch(name)
    name, suffix = parts.groups() if parts else (name, "")
    before, comma, after = name.partition(", ")  # as address books sort: Petek, Ana
    first, last = (after, before) if comma and before and " " not in before else name.rpartition(" ")[::2]
    return family or last + suffix, given or first


def _vcard_lines(fields: dict[str, Any]) -> Iterator[str]:
    is_new = fields["format"] == "vcard4"
    family, given = _split_name(fields)
    yield f"N:{escape(family)};{escape(given)};;;"
    yield f"FN:{escape(fields['name'])}"
    for name, key in (("organization", "ORG"), ("title", "TITLE")):
        if fields[name]:
            yield f"{key}:{escape(fields[name])}"
    for name, word in PHONES.items():
        about = f";TYPE={word}" if word else ""
        yield from (f"TEL{about}:{escape(number)}" for number in fields[name])
    yield from (f"EMAIL:{escape(address)}" for address in fields["email"])
    yield from (f"URL:{address if is_new else escape(address)}" for address in fields["url"])
    if any(fields[name] for name in PLACE):
        yield f"ADR:;;{';'.join(escape(fields[name] or '') for name in PLACE)}"
    if fields["birthday"]:
        yield f"BDAY:{fields['birthday']:{'%Y%m%d' if is_new else '%Y-%m-%d'}}"
    if fields["note"]:
        yield f"NOTE:{escape(fields['note'])}"
    if fields["photo"]:
        yield f"PHOTO{'' if is_new else ';VALUE=uri'}:{fields['photo']}"


def _mecard(fields: dict[str, Any]) -> str:
    family, given = _split_name(fields)
    if fields["name"] not in (f"{given} {family}".strip(), f"{family}, {given}"):
        rule = "must be the given name and the family name, because a MeCard has no others; or use another format"
        raise InvalidParameter(Problem("name", fields["name"], rule))
    values = [("N", ",".join(escape_pair(part) for part in (family, given) if part))]
    values += [("ORG", escape_pair(fields["organization"] or ""))]
    for name, key in (("phone", "TEL"), ("email", "EMAIL"), ("url", "URL")):
        values += [(key, escape_pair(value)) for value in fields[name]]
    if any(fields[name] for name in PLACE):
        values.append(("ADR", ",".join(["", "", *(escape_pair(fields[name] or "") for name in PLACE)])))
    values.append(("BDAY", f"{fields['birthday']:%Y%m%d}" if fields["birthday"] else ""))
    values.append(("NOTE", escape_pair(fields["note"] or "")))
    return "MECARD:" + "".join(f"{key}:{value};" for key, value in values if value) + ";"


# ---- reading


def read_contact(text: str) -> dict[str, Any] | None:
    """Return the fields of the first vCard, of any version; None if it has no name."""
    return _read(block_of(text, "VCARD", MOST_LINES))


def _read(lines: Iterable[Line]) -> dict[str, Any] | None:
    found: dict[str, list[Line]] = {}
    for line in lines:
        if line.value.strip():
            found.setdefault(line.name, []).append(line)
    values = {name: lines[0].value for name, lines in found.items()}
    texts = {name: unescape(value) for name, value in values.items()}
    name = full_name(values)
    if not name:
        return None
    fields = _name_fields(name, *names_of(values.get("N", ""))[:2])
    fields["organization"] = split(values.get("ORG", ""), ";")[0]
    born = (birthday_of(line) for line in found.get("BDAY", ()))
    fields |= {"title": texts.get("TITLE"), "note": texts.get("NOTE")}
    fields["birthday"] = next((day for day in born if isinstance(day, date)), None)
    for line in found.get("TEL", ()):
        fields[phone_field(line)] = (*fields.get(phone_field(line), ()), without_scheme(line))
    fields["email"] = tuple(map(without_scheme, found.get("EMAIL", ())))
    fields["url"] = tuple(unescape(line.value) for line in found.get("URL", ()))
    if "ADR" in found:
        fields |= _place_fields([piece.strip() for piece in split(found["ADR"][0].value, ";")])
    photo = texts.get("PHOTO", "")
    fields["photo"] = photo if photo[:8].lower().startswith(("http://", "https://")) else None
    fields["format"] = "vcard4" if texts.get("VERSION", "").startswith("4") else "vcard3"
    return fields


def birthday_of(line: Line) -> date | str:
    """Return the day of birth, or what is given instead; "" if its year is a placeholder, as in contacts from Apple."""
    return "" if "X-APPLE-OMIT-YEAR" in line.about.upper() else day_of(line.value) or line.value


def read_mecard(text: str) -> dict[str, Any] | None:
    """Return the fields of a MeCard; None if it has no name."""
    found = read_bizcard(text)
    return found and {name: value for name, value in found.items() if name not in NOT_IN_MECARD} | {"format": "mecard"}


def read_bizcard(text: str) -> dict[str, Any] | None:
    """Return the fields of a business card of N-Code; None if it has no name."""
    return _read(islice(lines_of_card(text), MOST_LINES))


def vcard_of(text: str) -> str | None:
    """Return a MeCard or a BIZCARD as a vCard, which contact apps can save; None for other texts and without a name."""
    start = text.lstrip(BLANKS)
    found = read_bizcard(start) if start[:8].upper().startswith(("MECARD:", "BIZCARD:")) else None
    if found is None:
        return None
    empty = {name: field.get_default() for name, field in kind_named("contact").fields.model_fields.items()}
    lines = _vcard_lines(empty | found | {"format": "vcard3"})
    return "\r\n".join(["BEGIN:VCARD", "VERSION:3.0", *lines, "END:VCARD", ""])


def _name_fields(name: str, family: str, given: str) -> dict[str, Any]:
    """Return the name, and its parts if they are not those that a contact gets without them."""
    fields = {"name": name, "family_name": None, "given_name": None}
    if (family, given) in (("", ""), _split_name(fields)):
        return fields
    return {"name": name, "family_name": family or None, "given_name": given or None}


def _place_fields(pieces: list[str]) -> dict[str, Any]:
    """Return the fields of an address; a box, an apartment and further lines are part of the street."""
    box, apartment, street, *others = [*pieces, *[""] * 7][:7]
    lines = (*box.split("\n"), *apartment.split("\n"), *street.split("\n"))
    return dict(zip(PLACE, (", ".join(filter(None, map(str.strip, lines))), *others), strict=True))


def phone_field(line: Line) -> str:
    """Return the field that a line with a phone number belongs to, by its types."""
    return next((name for name in ("fax", "mobile", "work_phone") if PHONES[name] in line.types), "phone")
