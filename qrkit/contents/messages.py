"""Contents that begin a conversation: e-mails, text messages, calls and WhatsApp chats; and any text."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import quote, unquote

from pydantic import AfterValidator, BeforeValidator, Field, StrictStr

from qrkit.contents.addresses import MOST_OF_A_KIND, EmailAddresses, LongText, several
from qrkit.contents.kinds import kind
from qrkit.contents.single_lines import OneLine, Pasted, check_characters, matching, requiring
from qrkit.contents.syntax import message_of, parameters_of, raw_pairs, unescape, unquoted
from qrkit.design.limits import Length, Most
from qrkit.model import broken

_SEPARATORS = re.compile("[ ()./-]")
_NUMBER = re.compile(r"\+?[0-9]{3,15}(?:;ext=[0-9]{1,10})?")
_CODE = re.compile("[*#][0-9*#]{1,30}")
"""Matches a code that phones run, such as `*100#`."""
_TONES = re.compile(r" *(?:,(?! *0(?: ?[0-9]){5})[0-9*, ]*#|,{2,}[0-9*#, ]*[0-9*#])$")
"""Matches pauses and the tones after them, such as the number of a conference, `,,123456#`. Six digits or more that
begin with 0 after a single pause are a second phone number."""
_EXTENSION = re.compile(
    r"[\s,;]*(?:ext=|#|(?:extension|extn?|durchwahl|dw|poste|int)\b[.:]?|x(?=[ .]?[0-9]))[ .:]*([0-9]{1,10})$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*(?:[;,|&\n\t/]|\b(?:or|and|oder|und|ou|et|o|y|e)\b| {2,}(?=[0+])|(?<=[0-9]) *(?=\+))\s*", re.IGNORECASE
)
"""Matches what may stand between two numbers."""
AREA_CODE, INTERNATIONAL_AREA_CODE = 5, 7
"""Digits that an area code has at most before a slash: alone, and with its country; zeros in front do not count."""


def number_in(text: str) -> str:
    """Return a phone number without the separators that people write: `+49 (0)30 12-34` is `+49301234`.

    An extension becomes a parameter (RFC 3966): `+1 555 0100 ext. 12` is `+15550100;ext=12`.
    """
    written = re.sub("^(?:tel|phone|fax):", "", text.strip(), flags=re.IGNORECASE).strip()
    extension = _EXTENSION.search(written)
    front = written[: extension.start()] if extension else written
    front = front.replace("(0)", "") if front.startswith("+") else front
    if found := _two_numbers(front):
        raise broken(f"has two phone numbers, {found[0]!r} and {found[1]!r}; give one of them")
    number = _SEPARATORS.sub("", front) + (f";ext={extension[1]}" if extension else "")
    if not _NUMBER.fullmatch(number):
        raise broken("must be a phone number of 3..15 digits, best with + and the country code: +49 30 123456")
    return number


def _two_numbers(text: str) -> list[str]:
    """Return the first two of several numbers; [] for one, whose area code may end with a slash."""
    parts = [part for part in _BETWEEN.split(text) if part]
    digits = [re.sub("[^0-9]", "", part) for part in parts]
    if len(parts) < 2 or not all(digits):
        return []
    most = INTERNATIONAL_AREA_CODE if parts[0].startswith(("+", "00")) else AREA_CODE
    is_area_code = "/" in text and len(digits[0].lstrip("0")) <= most and parts[1][0] not in "0+"
    return [] if is_area_code else parts[:2]


def _dialed(text: str) -> str:
    """Return a number with the tones that phones send after a pause, or a code that phones run."""
    code = text.replace(" ", "")
    if _CODE.fullmatch(code):
        return code
    tones = _TONES.search(text)
    return number_in(text[: tones.start()]) + tones[0].replace(" ", "") if tones else number_in(text)


def _numbers(text: str) -> str:
    """Return the numbers of several receivers, with a comma between them."""
    parts = re.split(r"[,;](?!\s*ext)", text, flags=re.IGNORECASE)  # not in front of an extension
    numbers = list(map(number_in, [part for part in parts if part.strip()] or [text]))
    if any(";" in number for number in numbers):
        raise broken("must not have an extension, because messages cannot reach one")
    return ",".join(numbers)


PhoneNumber = Annotated[StrictStr, Length(1, 60), AfterValidator(number_in), Pasted()]
PhoneNumbers = Annotated[tuple[PhoneNumber, ...], Most(0, MOST_OF_A_KIND), BeforeValidator(several)]
DialedNumber = Annotated[StrictStr, Length(1, 60), AfterValidator(_dialed), Pasted()]


def plain_text(text: str) -> str:
    """Give line breaks one form, and remove spaces at both ends; other control characters are refused."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return check_characters(text, lambda one: one < " " and one not in "\n\t")


PlainText = Annotated[StrictStr, Length(1, 1_000), AfterValidator(plain_text)]
Dialed = Annotated[
    DialedNumber,
    Field(
        title="Phone number",
        description="Digits, best with + and the country code; tones may follow after pauses, as in "
        "`+39040123456,,12#`. Or a code, such as `*100#`.",
    ),
]


Receivers = Annotated[
    StrictStr,
    Length(1, 200),
    AfterValidator(_numbers),
    Pasted(),
    Field(
        title="Phone number",
        description="Digits, best with + and the country code; separate several numbers with commas.",
        examples=["+39 040 123456"],
    ),
]
International = Annotated[
    PhoneNumber,
    matching(r"\+[0-9]{7,}", "must be an international number, with + and the country code: +49 30 123456"),
    Field(title="Phone number", description="Digits, best with + and the country code."),
]
To = Annotated[
    EmailAddresses,
    requiring(bool, "must have at least one e-mail address"),
    Field(title="Recipient", description="E-mail addresses.", examples=["ana@example.com"]),
]
Cc = Annotated[EmailAddresses, Field(title="Copy to", description="Receivers of a copy.")]
Bcc = Annotated[EmailAddresses, Field(title="Hidden copy to", description="Receivers whom others do not see.")]
Subject = Annotated[Annotated[OneLine, Length(1, 500)] | None, Field(description="The subject.")]
Text = Annotated[
    Annotated[LongText, AfterValidator(plain_text)] | None,
    Field(description="The text that is filled in; people can change it before they send it."),
]
Message = Annotated[Text, Field(examples=["See you at eight"])]


@kind("E-mail", behind="page")
def email(to: To, *, cc: Cc = (), bcc: Bcc = (), subject: Subject = None, body: Text = None) -> str:
    """Begin an e-mail (RFC 6068).

    Example:
        >>> from qrkit import contents
        >>> str(contents.email("ana@example.com", subject="Spring menu"))
        'mailto:ana@example.com?subject=Spring%20menu'
    """
    lists = {"cc": _joined(cc), "bcc": _joined(bcc)}
    texts = {"subject": _quoted(subject or ""), "body": _quoted((body or "").replace("\n", "\r\n"))}
    query = "&".join(f"{name}={value}" for name, value in (lists | texts).items() if value)
    return f"mailto:{_joined(to)}{'?' if query else ''}{query}"


def _joined(addresses: tuple[str, ...]) -> str:
    return ",".join(quote(address, safe="@!$'*+-._~") for address in addresses)


def _quoted(text: str) -> str:
    return quote(text, safe="-._~!$'()*,:@/")


def read_email(text: str) -> dict[str, Any] | None:
    """Return the fields of an e-mail, or None for a text without a receiver."""
    to, _, query = text.partition(":")[2].partition("?")
    values = dict(reversed(list(parameters_of(query))))
    subject, body = (unquoted(values.get(name, "")) for name in ("subject", "body"))
    return _mail(f"{to.lstrip('/')},{values.get('to', '')}", values.get("cc", ""), values.get("bcc", ""), subject, body)


def _mail(to: str, cc: str, bcc: str, subject: str, body: str) -> dict[str, Any] | None:
    """Return the fields of an e-mail, or None without a receiver."""
    fields: dict[str, Any] = {"to": _split(to), "cc": _split(cc), "bcc": _split(bcc), "subject": subject}
    return fields | {"body": body.replace("\r\n", "\n")} if fields["to"] else None


def read_matmsg(text: str) -> dict[str, Any] | None:
    """Return the fields of an e-mail as NTT Docomo's phones write it, or None for a text without a receiver."""
    values = [(name, unescape(value)) for name, value in raw_pairs(text.partition(":")[2])]
    to, cc, bcc = (",".join(value for name, value in values if name == kind) for kind in ("TO", "CC", "BCC"))
    texts = dict(reversed(values))
    return _mail(to, cc, bcc, texts.get("SUB", ""), texts.get("BODY", ""))


def read_smtp(text: str) -> dict[str, Any] | None:
    """Return the fields of an e-mail in the form `SMTP:address:subject:text`, or None for a text without a receiver."""
    to, subject, body = [*text.split(":", 3)[1:], "", ""][:3]
    return _mail(to, "", "", subject, body) if "@" in to else None


def _split(addresses: str) -> tuple[str, ...]:
    """Return the addresses between commas, or semicolons, which Outlook writes."""
    return tuple(unquoted(address).strip() for address in re.split("[,;]", addresses) if address.strip())


@kind("Text message", behind="page")
def sms(
    number: Receivers,
    text: Message = None,
) -> str:
    r"""Begin a text message.

    The text stands in `SMSTO:` as it is, which phones of all makes read; in `sms:` (RFC 5724), they disagree about what
    separates the number from the text.

    Example:
        >>> from qrkit import contents
        >>> str(contents.sms("+39 040 123456", "One table, please"))
        'SMSTO:+39040123456:One table, please'
    """
    return f"SMSTO:{number}:{text or ''}"


def read_sms(text: str) -> dict[str, Any] | None:
    """Return the fields of a text or multimedia message in either form, or None for a text without a number."""
    scheme, _, rest = text.partition(":")
    number, words = message_of(rest, is_plain=scheme.upper() in ("SMSTO", "MMSTO"))
    is_number = any(map(str.isdigit, number)) and number.isprintable()  # which lines of text are not
    return {"number": number, "text": words} if is_number else None


@kind("Phone number", behind="page")
def phone(number: Annotated[Dialed, Field(examples=["+39 040 123456"])]) -> str:
    """Call a number (RFC 3966).

    Example:
        >>> from qrkit import contents
        >>> str(contents.phone("+39 040 123-456"))
        'tel:+39040123456'
    """
    return f"tel:{number.replace('#', '%23')}"


def read_phone(text: str) -> dict[str, Any] | None:
    """Return the number to call, or None for words alone, which are a sentence; "1-800-FLOWERS" is a number."""
    number = unquote(text.partition(":")[2]).strip(" /\r\n")
    is_number = any(character in "0123456789*#" for character in number) and number.isprintable()
    return {"number": number} if is_number else None


@kind("WhatsApp chat", behind="redirect")
def whatsapp(number: Annotated[International, Field(examples=["+39 040 123456"])], text: Message = None) -> str:
    """Begin a chat on WhatsApp, by its link `https://wa.me`.

    Example:
        >>> from qrkit import contents
        >>> str(contents.whatsapp("+39 040 123456", "Hello"))
        'https://wa.me/39040123456?text=Hello'
    """
    return f"https://wa.me/{number[1:]}" + (f"?text={_quoted(text)}" if text else "")


def read_whatsapp(text: str) -> dict[str, Any] | None:
    """Return the fields of a WhatsApp link that has a number; None for any other text."""
    _, _, rest = text.partition("://")
    host, _, path = rest.partition("/")
    number, _, query = path.partition("?")
    if host.lower() != "wa.me" or not number.isdecimal() or not number.isascii():
        return None
    name, _, words = query.partition("=")
    if query and (name != "text" or "&" in words):
        return None
    return {"number": f"+{number}", "text": unquote(words)}


# ---- any text


@kind("Text", behind="page")
def text(text: Annotated[LongText, Field(description="Any text, which phones show.", examples=["Table 7"])]) -> str:
    """Show a text. One that looks like another kind is read as that kind by phones, and by `read`.

    Example:
        >>> from qrkit import contents
        >>> str(contents.text("Table 7"))
        'Table 7'
    """
    return text
