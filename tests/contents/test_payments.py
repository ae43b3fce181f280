"""Contents that move money, secrets and goods are what their standards say, and are read back."""

import string
from decimal import Decimal

import pyotp
import pytest
import segno.helpers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from stdnum import bitcoin as bitcoin_numbers
from stdnum import iban as iban_numbers
from stdnum import iso11649
from stdnum.br import cnpj, cpf
from stdnum.ch import esr
from stdnum.iso7064 import mod_97_10

from qrkit import contents
from qrkit.contents.cards import summary
from qrkit.contents.payments.pix_codes import pix
from qrkit.contents.payments.swiss_bills import NOTIFICATIONS
from qrkit.contents.payments.wallets import LETTERS
from qrkit.errors import InvalidParameter

records = settings(max_examples=200)

QR_REFERENCE = "000008207791225857421286694"
RED_CROSS = contents.epc_transfer(
    "Red Cross of Belgium", "BE72000000001616", 1, bic="BPOTBEB1", purpose="CHAR", text="Urgency fund",
    information="Sample EPC QR code", version="001",
)  # fmt: skip
MUSTER = contents.PostalAddress(
    name="Max Muster & Söhne", street="Musterstrasse", number="123", postcode="8000", town="Seldwyla"
)
PAYER = contents.PostalAddress(
    name="Simon Muster", street="Musterstrasse", number="1", postcode="8000", town="Seldwyla"
)
BILL = contents.swiss_bill(
    MUSTER, "CH64 3196 1000 0044 2155 7", "50", debtor=PAYER, reference="00 00082 07791 22585 74212 86694",
    message="Payment of travel",
)  # fmt: skip
FULANO = contents.pix("123e4567-e12b-12d1-a456-426655440000", "Fulano de Tal", "BRASILIA")
CHAI = contents.upi("chai.point@okbank", "Chai Point", amount=20)
LUKE = contents.bitcoin("1NS17iag9jJgTHD1VXjvLCEnZuQ3rJED9L", amount="20.3", label="Luke-Jr")
ALICE = contents.otp("JBSWY3DPEHPK3PXP", account="alice@google.com", issuer="Example")


# ---- what the standards show


def test_the_transfer_of_the_epc_guidelines():
    lines = ["BCD", "001", "1", "SCT", "BPOTBEB1", "Red Cross of Belgium", "BE72000000001616", "EUR1", "CHAR", ""]
    assert "\n".join([*lines, "Urgency fund", "Sample EPC QR code"]) == RED_CROSS
    assert RED_CROSS.drawn == {"ec": "M"}


def test_the_bills_of_the_swiss_guidelines():
    lines = ["SPC", "0200", "1", "CH6431961000004421557", "S", "Max Muster & Söhne", "Musterstrasse", "123", "8000"]
    lines += ["Seldwyla", "CH", *[""] * 7, "50.00", "CHF", "S", "Simon Muster", "Musterstrasse", "1", "8000"]
    lines += ["Seldwyla", "CH", "QRR", "000008207791225857421286694", "Payment of travel", "EPD"]
    assert "\n".join(lines) == BILL
    swico, schemes = (
        "//S1/10/1234/11/201021/30/102673386/32/7.7/40/0:30",
        ("UV;UltraPay005;12345", "XY;XYService;54321"),
    )
    long = contents.swiss_bill(
        MUSTER, "CH4431999123000889012", 1949.75, reference="210000000003139471430009017",
        message="Order from 15.10.2020", billing_information=swico, alternative_schemes=schemes,
    )  # fmt: skip
    assert long.endswith("\n".join(["\nOrder from 15.10.2020", "EPD", swico, *schemes]))


def test_the_static_code_of_the_pix_manual():
    assert FULANO == (
        "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR"
        "5913Fulano de Tal6008BRASILIA62070503***63041D3D"
    )


def test_the_addresses_of_bip_21():
    # The address that BIP 21 prints has a wrong checksum; this is the one of BIP 20, in the same examples.
    address = "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJED9L"
    assert contents.bitcoin(address) == f"bitcoin:{address}"
    assert contents.bitcoin(address, label="Luke-Jr") == f"bitcoin:{address}?label=Luke-Jr"
    assert f"bitcoin:{address}?amount=20.3&label=Luke-Jr" == LUKE
    text = f"bitcoin:{address}?amount=50&label=Luke-Jr&message=Donation%20for%20project%20xyz"
    assert contents.bitcoin(address, amount=50, label="Luke-Jr", message="Donation for project xyz") == text
    assert contents.read(f"bitcoin:{address}?req-somethingyoudontunderstand=50").kind == "text"
    assert contents.read(f"bitcoin:{address}?somethingyoudontunderstand=50").kind == "bitcoin"


def test_the_keys_of_the_key_uri_format():
    assert ALICE == "otpauth://totp/Example:alice@google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example"
    long = (
        "otpauth://totp/ACME%20Co:john.doe@email.com?secret=HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ&issuer=ACME%20Co"
        "&algorithm=SHA1&digits=6&period=30"
    )
    assert contents.read(long).fields == {
        "secret": "HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ", "account": "john.doe@email.com", "issuer": "ACME Co"
    }  # fmt: skip


def test_the_link_of_the_upi_specification():
    found = contents.read(
        "upi://pay?pa=nadeem@npci&pn=nadeem%20chinna&mc=0000&tid=cxnkjcnkjdfdvjndkjfvn&tr=4894398cndhcd23"
        "&tn=Pay%20to%20mystar%20store&am=10&mam=null&cu=INR&url=https://mystar.com/orderid=9298yw89e8973e"
    )
    assert found.fields == {
        "address": "nadeem@npci", "name": "nadeem chinna", "amount": Decimal(10), "note": "Pay to mystar store",
        "reference": "4894398cndhcd23", "merchant_code": "0000",
    }  # fmt: skip


# ---- random records are read back


UNICODE = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"])


def lines(longest, *, alphabet=UNICODE):
    """Texts of one line, without spaces at their ends."""
    return st.text(alphabet, min_size=1, max_size=longest).map(lambda one: one.strip(" ")).filter(len)


def amounts(most, places=2):
    return st.decimals(Decimal(1).scaleb(-places), most, places=places)


def maybe(**fields):
    return st.fixed_dictionaries({}, optional=fields)


def money(**fields):
    return maybe(amount=amounts(999_999_999), **fields)


LATIN = st.characters(codec="latin-1", exclude_categories=["Cc", "Cf"])
ASCII = st.characters(min_codepoint=32, max_codepoint=126)
digits = st.text(string.digits, min_size=30, max_size=30)
IBAN_SHAPES = {"BE": 12, "DE": 18, "AT": 16, "EE": 16}


def with_check_digits(bban, country):
    return country + iban_numbers.calc_check_digits(f"{country}00{bban}") + bban


ibans = st.builds(
    lambda text, one: with_check_digits(text[: IBAN_SHAPES[one]], one),
    digits,
    st.sampled_from(["BE", "DE", "AT", "EE"]),
)
creditor_references = st.text(string.ascii_uppercase + string.digits, min_size=1, max_size=21).map(
    lambda text: f"RF{mod_97_10.calc_check_digits(text + 'RF')}{text}"
)
qr_references = (
    st.text(string.digits, min_size=26, max_size=26)
    .filter(lambda text: text.strip("0"))
    .map(lambda text: text + esr.calc_check_digit(text))
)
bank_numbers = st.one_of(st.integers(30_000, 31_999), st.integers(0, 29_999))
swiss_ibans = st.builds(
    lambda bank, account, country: with_check_digits(f"{bank:05}{account[:12]}", country),
    bank_numbers, digits, st.sampled_from(["CH", "LI"]),
)  # fmt: skip
addresses = st.fixed_dictionaries(
    {"name": lines(70, alphabet=LATIN), "postcode": lines(16, alphabet=ASCII), "town": lines(35, alphabet=LATIN)},
    optional={"street": lines(70, alphabet=LATIN), "number": lines(16, alphabet=ASCII), "country": st.just("LI")},
)


def is_read_back(content):
    """Whether reading finds the kind and the fields, also in the form in which scanners hand texts on."""
    found = contents.read(str(content))
    return (found, found.kind, found.fields) == (content, content.kind, content.fields)


subjects = st.one_of(
    creditor_references.map(lambda one: {"reference": one}),
    lines(40, alphabet=ASCII).map(lambda one: {"text": one}),
)


@records
@given(
    lines(20),
    ibans,
    money(bic=st.just("BPOTBEB1"), purpose=st.just("CHAR"), information=lines(20)),
    st.one_of(st.just({}), subjects),
)
def test_transfers_are_read_back(name, iban, fields, subject):
    content = contents.epc_transfer(name, iban, **fields, **subject)
    assert is_read_back(content)
    assert contents.read(content.replace("\n", "\r\n")).fields == content.fields


@settings(max_examples=40)
@given(lines(20, alphabet=ASCII), ibans, amounts(999_999_999), subjects, maybe(purpose=st.just("CHAR")))
def test_segno_makes_the_same_transfers(name, iban, amount, subject, fields):
    content = contents.epc_transfer(name, iban, amount, **subject, **fields)
    theirs = segno.helpers.make_epc_qr(name, iban, amount, encoding="utf-8", **subject, **fields)
    ours = segno.make_qr(content.encode(), error="m", boost_error=False, mask=theirs.mask)
    assert ours.matrix == theirs.matrix


@records
@given(
    addresses,
    swiss_ibans,
    money(currency=st.just("EUR"), debtor=addresses, message=lines(70, alphabet=LATIN)),
    qr_references,
    creditor_references,
    st.booleans(),
)
def test_bills_are_read_back(creditor, iban, fields, qr_reference, creditor_reference, referred):
    if iban[4] == "3" and iban[4:9] < "32000":
        fields["reference"] = qr_reference
    elif referred:
        fields["reference"] = creditor_reference
    content = contents.swiss_bill(creditor, iban, **fields, billing_information="//S1/10/1", alternative_schemes=("a",))
    assert is_read_back(content)
    assert contents.read(content.replace("\n", "\r\n")).fields == content.fields


def with_endings(text, is_valid):
    return next(text + ending for ending in (f"{one:02}" for one in range(100)) if is_valid(text + ending))


pix_keys = st.one_of(
    st.uuids().map(str),
    st.integers(1, 999_999_998).map(lambda one: with_endings(f"{one:09}", cpf.is_valid)),
    st.integers(1, 10**8).map(lambda one: with_endings(f"{one:08}0001", cnpj.is_valid)),
    st.integers(10**9, 10**10).map(lambda one: f"+55{one}"),
    st.from_regex("[a-z0-9.]{1,20}@[a-z]{1,10}[.]com[.]br", fullmatch=True),
)


@records
@given(
    pix_keys,
    lines(25, alphabet=ASCII),
    lines(15, alphabet=ASCII),
    money(txid=st.from_regex("[A-Za-z0-9]{1,25}", fullmatch=True), description=lines(20, alphabet=ASCII)),
)
def test_pix_codes_are_read_back(key, name, city, fields):
    assert is_read_back(pix(key, name, city, **fields))


@records
@given(
    st.from_regex("[a-z0-9._-]{1,30}@[a-z]{2,10}", fullmatch=True),
    lines(99),
    money(note=lines(80), reference=st.just("A-1"), merchant_code=st.just("5411")),
)
def test_upi_links_are_read_back(address, name, fields):
    assert is_read_back(contents.upi(address, name, **fields))


def segwit(version, program):
    """An address, as BIP 173 and BIP 350 make it."""
    bits = "".join(f"{byte:08b}" for byte in program)
    bits += "0" * (-len(bits) % 5)
    values = [version, *(int(bits[place : place + 5], 2) for place in range(0, len(bits), 5))]
    head = [3, 3, 0, 2, 3]
    rest = bitcoin_numbers.bech32_checksum([*head, *values, *[0] * 6]) ^ (0x2BC830A3 if version else 1)
    values += [rest >> 5 * (5 - place) & 31 for place in range(6)]
    return "bc1" + "".join(LETTERS[value] for value in values)


@records
@given(
    st.integers(0, 16),
    st.binary(min_size=32, max_size=32),
    maybe(amount=amounts(20_000_000, 8), label=lines(99), message=lines(99)),
)
def test_bitcoin_payments_are_read_back(version, program, fields):
    content = contents.bitcoin(segwit(version, program), **fields)
    assert is_read_back(content)
    assert contents.read(f"BITCOIN:{content.fields['address'].upper()}").fields["address"] == content.fields["address"]


names = lines(50).filter(lambda one: ":" not in one)


@records
@given(
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", min_size=32, max_size=32),
    names,
    maybe(issuer=names, digits=st.sampled_from([6, 8]), algorithm=st.sampled_from(["SHA1", "SHA256", "SHA512"])),
    st.one_of(st.just({}), st.just({"period": 60}), st.integers(0, 10**9).map(lambda one: {"counter": one})),
)
def test_one_time_passwords_are_read_back_here_and_by_pyotp(secret, account, fields, changes):
    content = contents.otp(secret, account=account, **fields, **changes)
    assert is_read_back(content)
    theirs = pyotp.parse_uri(str(content))
    assert (theirs.secret, theirs.digits) == (secret, fields.get("digits", 6))
    assert theirs.issuer == fields.get("issuer")
    assert theirs.digest().name == fields.get("algorithm", "SHA1").lower()


@pytest.mark.parametrize("message", NOTIFICATIONS)
def test_a_bill_of_nothing_is_a_notification(message):
    bill = contents.swiss_bill(MUSTER, "CH9300762011623852957", "0.00", message=message)
    assert bill.splitlines()[18] == "0.00"
    assert is_read_back(bill)
    assert "0.00 CHF" in summary(bill)


# ---- what is wrong


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: contents.epc_transfer("A", "BE71000000001616"), "iban: has the check digits 71, but .* needs 72"),
        (lambda: contents.epc_transfer("A", "DE7100000000161"), "iban: "),
        (lambda: contents.epc_transfer("A", "BE72000000001616", "0.001"), "amount='0.001': must be in 0.01"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", "1.001"), "must have at most 2 decimals"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", "12,30"), "decimal point"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", float("nan")), "must be a number"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", True), "must be a number"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", bic="NOPE"), "bic='NOPE': must be a BIC"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", reference="RF19539007547034"), "19, but .* needs 18"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", reference="X", text="Y"), "text='Y': must be left out"),
        (lambda: contents.epc_transfer("A", "BE72000000001616", version="001"), "bic: is required for version 001"),
        (lambda: contents.epc_transfer("あ" * 70, "BE72000000001616", text="あ" * 140), "only 331 are allowed"),
        (lambda: contents.swiss_bill(MUSTER, "BE72000000001616"), "iban: must be an account in Switzerland"),
        (lambda: contents.swiss_bill(MUSTER, "CH6431961000004421557"), "reference: must be a QR reference"),
        (lambda: contents.swiss_bill(MUSTER, "CH9300762011623852957", reference=QR_REFERENCE), "needs a QR-IBAN"),
        (lambda: contents.swiss_bill(MUSTER, "CH6431961000004421557", reference="0" * 27), "not all of them zeros"),
        (lambda: contents.swiss_bill(MUSTER, "CH9300762011623852957", 0), "message: must be one of NICHT ZUR ZAHLUNG"),
        (lambda: contents.swiss_bill(MUSTER, "CH9300762011623852957", 0, message="A"), "amount is 0.00"),
        (lambda: contents.swiss_bill(MUSTER, "CH6431961000004421557", reference="0" * 26 + "1"), "1, but .* needs 0"),
        (lambda: contents.swiss_bill(MUSTER, "CH9300762011623852957", message="Ж"), "has 'Ж', but Swiss bills"),
        (lambda: contents.swiss_bill({"name": "A"}, "CH9300762011623852957"), "creditor.postcode: is required"),
        (lambda: contents.pix("111.444.777-36", "A", "B"), "key: has the check digits 36, but .* needs 35"),
        (lambda: contents.pix("11444777000162", "A", "B"), "key: has the check digits 62, but .* needs 61"),
        (lambda: contents.pix("11912345678", "A", "B"), r"a phone number begins with \+55"),
        (lambda: contents.pix("a@b.br", "A", "São Paulo"), "letters without accents, as in 'Sao Paulo'"),
        (lambda: contents.pix("a@" + "b" * 65 + ".br", "A", "B", description="x" * 20), "characters too long"),
        (lambda: contents.upi("nobody", "A"), "address: must be a UPI address"),
        (lambda: contents.bitcoin("1NS17iag9jJgTHD1VXjvLCEnZuQ3rJED9M"), "address: has a wrong checksum"),
        (lambda: contents.bitcoin("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh"), "address: has a wrong checksum"),
        (lambda: contents.otp("JBSWY3DPEHPK3PX1", account="a"), "secret: must be base32"),
        (lambda: contents.otp("JBSWY3DPE", account="a"), "secret: is incomplete"),
        (lambda: contents.otp("JBSWY3DP", account="a:b"), "account='a:b': must not have a colon"),
        (lambda: contents.otp("JBSWY3DP", account="a", period=60, counter=1), "there is a counter"),
    ],
)
def test_wrong_fields_are_refused_with_what_is_right(make, message):
    with pytest.raises(InvalidParameter, match=message):
        make()


# Examples of BIP 350.
VALID = [
    "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
    "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
    "BC1SW50QGDZ25J",
    "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
    "tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
    "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
]
INVALID = [
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
    "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL",
    "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
    "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
    "bc1pw5dgrnzv",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
    "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P",
    "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
    "bc1gmk9yu",
]


@pytest.mark.parametrize("address", VALID)
def test_valid_addresses_of_bip_350(address):
    assert is_read_back(contents.bitcoin(address))


@pytest.mark.parametrize("address", INVALID)
def test_invalid_addresses_of_bip_350(address):
    with pytest.raises(InvalidParameter, match="address"):
        contents.bitcoin(address)
    assert contents.read(f"bitcoin:{address}").kind == "text"


# ---- nothing becomes another record


INJECTED = ["\n", "\r", "\r\n", "\u2028", "\x85", "\x00", "\x1d", "\t"]
WRITERS = {
    "epc_transfer": lambda text: contents.epc_transfer(text, "BE72000000001616", text=text),
    "swiss_bill": lambda text: contents.swiss_bill(MUSTER.replace(name=text), "CH9300762011623852957", message=text),
    "pix": lambda text: contents.pix("a@b.br", text, "B", description=text),
    "upi": lambda text: contents.upi("a@bank", text, note=text),
    "bitcoin": lambda text: contents.bitcoin(LUKE.fields["address"], label=text, message=text),
    "otp": lambda text: contents.otp("JBSWY3DPEHPK3PXP", account=text, issuer=text),
}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("mark", INJECTED, ids=repr)
def test_line_breaks_and_controls_are_refused(kind, mark):
    with pytest.raises(InvalidParameter, match=f"U\\+{ord(mark[0]):04X} at 2"):
        WRITERS[kind](f"a{mark}b")


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("text", ["a&am=1", "a=b", "50%26", "a;b", "a\\nb", "?a#b", "a/b", "6304AAAA", "+1"])
def test_marks_of_the_formats_stay_in_their_field(kind, text):
    assert is_read_back(WRITERS[kind](text))


def test_a_link_that_says_something_twice_is_text():
    assert contents.read(f"{CHAI}&pa=thief@bank").kind == "text"
    assert contents.read(f"{LUKE}&amount=1").kind == "text"
    assert contents.read(f"{ALICE}&secret=JBSWY3DPEHPK3PXQ").kind == "text"


EXAMPLES = [RED_CROSS, BILL, FULANO, CHAI, LUKE, ALICE]


@settings(max_examples=300)
@given(st.sampled_from(EXAMPLES), st.integers(0, 400), st.integers(0, 30), st.text(max_size=8))
@example(FULANO, 4, 0, "\ud800")
@example(RED_CROSS, 0, 0, "SMS:")
@example(RED_CROSS, 0, 0, "tel:")
@example(FULANO, 0, 0, "SMS:")
def test_damaged_contents_are_read_as_something(content, start, length, text):
    found = contents.read(content[:start] + text + content[start + length :])
    kinds = {"text", "epc_transfer", "swiss_bill", "pix", "upi", "bitcoin", "otp", "gs1_elements"}
    # On one line, a payment behind SMS: is a text message, whose number phones show as it is.
    is_message = text.upper().endswith(("SMS:", "SMSTO:", "MMS:", "MMSTO:", "TEL:")) and "\n" not in content
    assert found.kind in kinds | ({"sms", "phone"} if is_message else set())
    assert isinstance(summary(found), str)


@pytest.mark.parametrize(
    "start", ["BCD\n", "SPC\n", "000201", "upi://pay?", "bitcoin:", "otpauth://totp/", "BCD\n002\n1\nSCT\n"]
)
@pytest.mark.parametrize("piece", ["\n", "\r\n", "0", "9999", "&a=b", "%4", "%41", "=", ":", "1", "A"])
def test_hostile_texts_take_no_longer_than_others(start, piece):
    """Quadratic work would take minutes here."""
    assert contents.read(start + piece * 200_000).kind == "text"


# ---- what people see


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (RED_CROSS, "Transfer to Red Cross of Belgium, 1.00 EUR (IBAN hidden)"),
        (BILL, "Swiss bill: payment to Max Muster & Söhne, 50.00 CHF (IBAN hidden)"),
        (FULANO, "Pix payment to Fulano de Tal (key hidden)"),
        (CHAI, "UPI payment to Chai Point, 20.00 INR (address hidden)"),
        (LUKE, "Bitcoin payment to Luke-Jr, 20.30000000 BTC (address hidden)"),
        (contents.bitcoin(LUKE.fields["address"], amount=1), "Bitcoin payment of 1.00000000 BTC (address hidden)"),
        (RED_CROSS.replace("\n", " "), "Transfer (IBAN hidden)"),
        ("SPC 0200 1 CH6431961000004421557 S Max", "Swiss bill: payment (IBAN hidden)"),
        (FULANO[:70], "Pix payment (key hidden)"),
        ("BCD\n003\n1\nINST\n\nRed Cross\nBE72000000001616", "Transfer (IBAN hidden)"),
        ("00020101021126370009SG.PAYNOW010100211UEN201234567", "Payment (details hidden)"),
        ("lightning:LNBC10U1", "Payment (details hidden)"),
        ("BCD is a number", "BCD is a number"),
        ("000201", "000201"),
    ],
)
def test_lines_about_payments_hide_accounts(content, line):
    assert summary(content) == line
    assert summary(line) == line


@pytest.mark.parametrize("content", EXAMPLES)
def test_repr_and_shown_fields_show_at_most_the_end_of_an_account(content):
    for name, count in content.secrets.items():
        shown = content.shown_fields()[name]
        assert shown == f"…{content.fields[name][-count:]}" if count else "…"
        assert content.fields[name] not in repr(content)


def test_a_short_account_is_hidden_whole():
    assert contents.upi("a@bank", "A").shown_fields()["address"] == "…"


def test_errors_show_no_account():
    with pytest.raises(InvalidParameter) as caught:
        contents.epc_transfer("", "BE71000000001616")
    assert "0000001616" not in str(caught.value)
    assert iso11649.is_valid("RF18539007547034")
