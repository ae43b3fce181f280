"""GS1 Digital Links and element strings are what GS1 specifies; biip, which is not ours, reads them as well."""

from datetime import date

import biip
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import ean, numdb

from qrkit import contents
from qrkit.contents.gs1_identifiers import CHECKED, KEYS, LETTERS, identifier
from qrkit.contents.gs1_strings import SEPARATOR
from qrkit.errors import InvalidParameter

records = settings(max_examples=200)

# Examples of the GS1 Digital Link Standard, URI Syntax, section 5.
LINKS = [
    ("https://id.gs1.org/01/09520123456788", {"gtin": "09520123456788"}),
    ("https://brand.example.com/01/09520123456788", {"gtin": "9520123456788", "domain": "https://brand.example.com"}),
    ("https://brand.example.com/some-extra/pathinfo/01/09520123456788",
     {"gtin": "09520123456788", "domain": "https://brand.example.com/some-extra/pathinfo"}),
    ("https://id.gs1.org/01/09520123456788/22/2A", {"gtin": "09520123456788", "variant": "2A"}),
    ("https://id.gs1.org/01/09520123456788/10/ABC123", {"gtin": "09520123456788", "lot": "ABC123"}),
    ("https://id.gs1.org/01/09520123456788/21/12345", {"gtin": "09520123456788", "serial": "12345"}),
    ("https://id.gs1.org/01/09520123456788/10/ABC1/21/12345?17=180426",
     {"gtin": "09520123456788", "lot": "ABC1", "serial": "12345", "elements": {"17": "180426"}}),
    ("https://id.gs1.org/01/09520123456788?3103=000195", {"gtin": "09520123456788", "elements": {"3103": "000195"}}),
    ("https://id.gs1.org/01/09520123456788?17=201225&3103=000195&3922=0299",
     {"gtin": "09520123456788", "elements": {"17": "201225", "3103": "000195", "3922": "0299"}}),
    ("https://id.gs1.org/00/195201234567891232", {"elements": {"00": "195201234567891232"}}),
    ("https://id.gs1.org/00/195201234567891232?02=09520123456788&37=25&10=ABC123",
     {"elements": {"00": "195201234567891232", "02": "09520123456788", "37": "25", "10": "ABC123"}}),
    ("https://id.gs1.org/414/9520123456788", {"elements": {"414": "9520123456788"}}),
    ("https://id.gs1.org/414/9520123456788/254/32a%2Fb", {"elements": {"414": "9520123456788", "254": "32a/b"}}),
]  # fmt: skip


@pytest.mark.parametrize(("link", "fields"), LINKS, ids=[one[0][8:60] for one in LINKS])
def test_the_links_of_the_standard(link, fields):
    content = contents.gs1_digital_link(**fields)
    assert content == link
    found = contents.read(link)
    assert (found.kind, found.fields) == ("gs1_digital_link", content.fields)


def test_a_short_gtin_in_a_link_is_read_with_zeros():
    found = contents.read("HTTPS://Brand.example.com/01/9520123456788/?linkType=gs1:pip#top")
    assert found.fields == {"gtin": "09520123456788", "domain": "https://brand.example.com"}


@pytest.mark.parametrize(
    "link",
    [
        "https://example.com/", "https://example.com/01/", "https://example.com/01/09520123456787",
        "https://example.com/01/09520123456788/21/1/10/2", "https://example.com/01/09520123456788/99/1",
        "https://example.com/01/09520123456788?17=20139", "https://example.com/01/09520123456788?17=1&17=2",
        "https://example.com/01/09520123456788?1234567=1", "https://example.com/01/09520123456788/10/%FF",
        "https://[::1/01/09520123456788", "https://example.com/shop/01/article", "ftp://example.com/01/09520123456788",
        "https://example.com/01/09520123456788/10/a%0Ab",
    ],
)  # fmt: skip
def test_other_addresses_are_no_links_of_gs1(link):
    assert contents.read(link).kind != "gs1_digital_link"


def test_the_element_string_of_the_general_specifications():
    content = contents.gs1_elements("(01)09506000134352(10)ABC123(17)281231(21)12")
    assert content == "010950600013435217281231" + f"10ABC123{SEPARATOR}2112"
    assert content.fields["elements"] == {"01": "09506000134352", "17": "281231", "10": "ABC123", "21": "12"}
    assert contents.read(f"]Q3{content}").fields == content.fields
    assert content.drawn


@pytest.mark.parametrize("text", ["8004001234", "4015550100", "401K-plan", "8004-A12", "80101234"])
def test_texts_that_begin_like_a_key_by_chance_are_texts(text):
    assert contents.read(text).kind == "text"
    assert contents.read(f"]Q3{text}").kind == "gs1_elements"


@pytest.mark.parametrize("elements", [{"8004": "AB-1", "7040": "1ABC"}, {"8010": "9506AB", "8011": "12"}])
def test_texts_with_separators_do_not_begin_like_a_key_by_chance(elements):
    assert contents.read(contents.gs1_elements(elements)).fields["elements"] == elements


def test_a_model_number_has_the_check_pair_of_the_general_specifications():
    assert contents.gs1_elements({"8013": "1987654Ad4X4bL5ttr2310c2K"}) == "80131987654Ad4X4bL5ttr2310c2K"
    with pytest.raises(InvalidParameter, match="2L, but the rest of the number needs 2K"):
        contents.gs1_elements({"8013": "1987654Ad4X4bL5ttr2310c2L"})


# ---- random records

SSCC = "195201234567891232"
letters = st.text(LETTERS, min_size=1, max_size=20)
digits = st.text("0123456789", min_size=17, max_size=17)


def checked(number, text):
    """A number with its check digit, as long as an identifier wants it."""
    body = text[: CHECKED[number] - 1]
    return body + ean.calc_check_digit(body)


days = st.dates(date(2010, 1, 1), date(2049, 12, 31))
dates = days.map(lambda one: f"{one:%y%m%d}")
six_digits = st.from_regex("[0-9]{6}", fullmatch=True)
others = st.fixed_dictionaries(
    {},
    optional={
        "17": dates,
        "11": dates,
        "3103": six_digits,
        "240": letters,
        "8012": letters,
        "416": digits.map(lambda one: checked("416", one)),
        "7007": dates,
        "3922": st.from_regex("[0-9]{1,15}", fullmatch=True),
        "90": letters,
        "4333": st.builds("".join, st.tuples(six_digits, st.sampled_from(["", "-"]))),
    },
)
keys = st.one_of(
    st.sampled_from(["00", "402", "414", "417", "253", "255", "8003", "8017", "8018"]).flatmap(
        lambda number: digits.map(lambda one: {number: checked(number, f"0{one[1:]}" if number == "8003" else one)})
    ),
    letters.map(lambda one: {"8004": f"9506000{one}"}),
    letters.map(lambda one: {"401": f"9506000{one}"}),
)


@records
@given(digits, st.fixed_dictionaries({}, optional={"variant": letters, "lot": letters, "serial": letters}), others)
def test_links_of_products_are_read_back_here_and_by_biip(number, qualifiers, elements):
    gtin = checked("01", number)
    content = contents.gs1_digital_link(gtin, **qualifiers, elements=elements)
    found = contents.read(content)
    assert (found, found.kind, found.fields) == (content, content.kind, content.fields)
    theirs = biip.parse(str(content)).gs1_digital_link_uri
    names = {"variant": "22", "lot": "10", "serial": "21"}
    said = {"01": gtin} | {names[name]: value for name, value in qualifiers.items()} | elements
    assert {one.ai.ai: one.value for one in theirs.element_strings} == said


@records
@given(keys, others)
def test_links_of_other_keys_are_read_back(key, elements):
    content = contents.gs1_digital_link(elements=key | elements, domain="https://example.com/a/b")
    found = contents.read(content)
    assert (found, found.kind, found.fields) == (content, content.kind, content.fields)


@records
@given(keys, others, st.lists(st.sampled_from(["10", "21", "22"]), unique=True), letters)
def test_element_strings_are_read_back_here_and_by_biip(key, elements, more, value):
    content = contents.gs1_elements(key | elements | dict.fromkeys(more, value))
    found = contents.read(content)
    assert (found, found.kind, found.fields) == (content, content.kind, content.fields)
    theirs = biip.parse(f"]Q3{content}", config=biip.ParseConfig(gs1_element_strings_verify_date=False))
    said = {one.ai.ai: one.value for one in theirs.gs1_message.element_strings}
    assert said == content.fields["elements"]


def test_every_identifier_of_the_table_is_known_and_every_key_is_in_it():
    for number in [*KEYS, *CHECKED, *(one for groups in KEYS.values() for group in groups for one in group)]:
        assert identifier(number).title
    table = numdb.get("gs1_ai")
    known = [number for number in map(str, range(10_000)) if table.info(number)[0][1].get("format")]
    assert len([number for number in known if identifier(number)]) > 400


# ---- what is wrong


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: contents.gs1_digital_link("9520123456787"), "gtin='9520123456787': has the check digit 7, .* needs 8"),
        (lambda: contents.gs1_digital_link("952012345678"), "gtin="),
        (lambda: contents.gs1_digital_link("95201234567"), "must have 8, 12, 13 or 14 digits"),
        (lambda: contents.gs1_digital_link("9520123456788", lot="a" * 21), r"\(10\) .* format X..20"),
        (lambda: contents.gs1_digital_link("9520123456788", lot="a#b"), r"\(10\)"),
        (lambda: contents.gs1_digital_link("9520123456788", elements={"10": "A"}), "has its own parameter; use lot"),
        (
            lambda: contents.gs1_digital_link("9520123456788", elements={"414": "9520123456788"}),
            "must have one key, not 01, 414",
        ),
        (lambda: contents.gs1_digital_link(), "gtin: is required unless elements has another key"),
        (lambda: contents.gs1_digital_link(lot="A"), "lot='A': needs a gtin"),
        (lambda: contents.gs1_digital_link("9520123456788", serial="1", elements={"235": "A"}), "must not be together"),
        (lambda: contents.gs1_digital_link("9520123456788", domain="example.com"), "must be a web address"),
        (lambda: contents.gs1_digital_link("9520123456788", domain="https://a.com/?x=1"), "without a query"),
        (lambda: contents.gs1_elements({"10": "A"}), "must have a key"),
        (lambda: contents.gs1_elements({"01": "09506000134353"}), r"\(01\) has the check digit 3, .* needs 2"),
        (lambda: contents.gs1_elements({"00": "195201234567891233"}), r"\(00\) has the check digit 3, .* needs 2"),
        (lambda: contents.gs1_elements("(01)09506000134352(17)281331"), "has no such day"),
        (lambda: contents.gs1_elements("(01)09506000134352(7003)2712312530"), "has no such day or time"),
        (lambda: contents.gs1_elements("(01)09506000134352(7003)2712001230"), "has no such day or time"),
        (lambda: contents.gs1_elements("(01)09506000134352(7007)270101270132"), "has no such day or time"),
        (lambda: contents.gs1_elements("(01)09506000134352(8008)271231123"), "has no such day or time"),
        (lambda: contents.gs1_elements("(01)09506000134352(17)28123"), "format N6"),
        (lambda: contents.gs1_elements("(01)09506000134352(05)1"), "no application identifier '05'"),
        (lambda: contents.gs1_elements("(01)09506000134352(10)A(10)B"), "twice"),
        (lambda: contents.gs1_elements("0109506000134352"), r"must be like \(01\)"),
        (lambda: contents.gs1_elements({"01": "09506000134352", "10": f"A{SEPARATOR}21B"}), r"\(10\)"),
        (lambda: contents.gs1_elements({"01": "09506000134352", "10": "A\n"}), r"\(10\)"),
        (lambda: contents.gs1_elements(5), "must be an object"),
        *(
            (lambda number=number, value=value: contents.gs1_elements({"00": SSCC, number: value}), message)
            for number, value, message in (
                ("4321", "7", r"\(4321\) must be 0 \(no\) or 1 \(yes\), not '7'"),
                ("4300", "A%2", "after each %"),
                ("4307", "at", "two capital letters"),
                ("4309", "18000000010000000000", "must be a latitude"),
                ("7241", "11", "type of media"),
                ("7252", "7", "0, 1, 2 or 9"),
                ("7258", "3/2", "such as 1/2"),
                ("8001", "00000025003011", "above 0"),
                ("8006", "095060001343520302", "piece 1 of 2"),
                ("8026", "095060001343520001", "piece 1 of 2"),
                ("8011", "012", "must not begin with 0"),
                ("8011", "0", "must not begin with 0"),
            )
        ),
        *(
            (lambda elements=elements: contents.gs1_elements(elements), rf"both \({one}\) and \({other}\), which GS1")
            for elements, one, other in (
                ("(01)09506000134352(37)25", "01", "37"),
                ("(00)195201234567891232(02)09520123456788(01)09520123456788", "01", "02"),
                ("(01)09506000134352(3103)000195(3102)001950", "3103", "3102"),
                ("(01)09506000134352(3922)0299(3932)9780299", "3922", "3932"),
                ("(01)09506000134352(422)040(426)040", "422", "426"),
                ("(8017)195201234567891232(8018)195201234567891232", "8017", "8018"),
            )
        ),
        (
            lambda: contents.gs1_digital_link("9520123456788", elements={"37": "25"}),
            r"elements: must not have both \(01\) and \(37\)",
        ),
        (lambda: contents.gs1_digital_link("9520123456788", elements="(3103)000195(3102)001950"), "both"),
    ],
)
def test_wrong_fields_are_refused_with_what_is_right(make, message):
    with pytest.raises(InvalidParameter, match=message):
        make()


@pytest.mark.parametrize(
    "text", ["10ABC", "01095060001343521", "0109506000134353", "2026", "0123456789", "hello", "]Q3", "\x1d"]
)
def test_other_texts_are_no_element_strings(text):
    assert contents.read(text).kind == "text"


PRINTED = [
    (f"0109506000134352{element}", "gs1_elements", {"elements": {"01": "09506000134352", number: value}})
    for element, number, value in (
        ("3725", "37", "25"), ("43217", "4321", "7"), ("4301J%zz", "4301", "J%zz"), ("8011012", "8011", "012"),
        ("17271331", "17", "271331"),
    )
] + [
    (f"https://id.gs1.org/01/09506000134352?{number}={value}", "gs1_digital_link",
     {"gtin": "09506000134352", "elements": {number: value}})
    for number, value in (("37", "25"), ("4307", "at"), ("8001", "00000025003011"), ("7003", "2713012460"))
] + [
    ("https://id.gs1.org/8006/095060001343520302", "gs1_digital_link", {"elements": {"8006": "095060001343520302"}}),
    ("https://id.gs1.org/8010/0614141ABC/8011/012", "gs1_digital_link",
     {"elements": {"8010": "0614141ABC", "8011": "012"}}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "fields"), PRINTED)
def test_printed_codes_are_read_though_no_new_ones_may_be_like_them(text, kind, fields):
    found = contents.read(text)
    assert (found.kind, found.fields) == (kind, fields)
    with pytest.raises(InvalidParameter, match="elements: "):
        getattr(contents, kind)(**fields)


def test_a_lot_of_a_printed_code_is_changed_and_the_rest_stays():
    found = contents.read("https://id.gs1.org/01/09506000134352/10/A?37=25").replace(lot="B")
    assert found == "https://id.gs1.org/01/09506000134352/10/B?37=25"
    assert contents.read("https://id.gs1.org/01/09506000134352?10=A").fields["lot"] == "A"


@settings(max_examples=300)
@given(
    st.sampled_from([LINKS[6][0], LINKS[12][0], contents.gs1_elements("(01)09506000134352(10)ABC123(21)12(3922)5")]),
    st.integers(0, 70), st.integers(0, 20), st.text(max_size=8),
)  # fmt: skip
def test_damaged_contents_are_read_as_something(content, start, length, text):
    assert contents.read(content[:start] + text + content[start + length :]).fields


@pytest.mark.parametrize(
    "start", ["https://id.gs1.org/01/", "https://id.gs1.org/01/09520123456788?", "01", "010950600013435210", ""]
)
@pytest.mark.parametrize("piece", ["/", "/01", "&10=a", "%4", "10A\x1d", "0", "01", "(01)"])
def test_hostile_texts_take_no_longer_than_others(start, piece):
    """Quadratic work would take minutes here."""
    assert contents.read(start + piece * 200_000).fields


@pytest.mark.parametrize(
    "element",
    ["(17)271200", "(4324)2712319999", "(8008)27123112", "(8008)271231123059", "(7007)270101", "(7251)202001012359"],
)
def test_dates_may_lack_a_day_or_have_a_time(element):
    assert contents.read(str(contents.gs1_elements(f"(01)09506000134352{element}"))).kind == "gs1_elements"


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("4300", "A%20B+C"), ("4301", "J%c3%Bcrg"), ("4307", "AT"), ("4309", "18000000003600000000"), ("4322", "0"),
        ("7241", "80"), ("7252", "9"), ("7258", "2/2"), ("8001", "01000025003091"), ("8006", "095060001343520202"),
        ("8011", "1"),
    ],
)  # fmt: skip
def test_values_at_their_limits_are_written_and_read(number, value):
    content = contents.gs1_elements({"00": SSCC, number: value})
    assert contents.read(str(content)).fields["elements"] == {"00": SSCC, number: value}
