import gzip
import time
from json import dumps
from urllib.parse import quote, quote_plus, unquote_to_bytes, urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qrkit.errors import AddressTooLong, BadRequest, InvalidParameter, QrkitError
from qrkit.server.requests.parsing import accepted, flag, json_object, pairs, whole
from qrkit.server.statuses import status_of

some = settings(max_examples=60)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)

KEY = "qk_1Zt5oQYhTn0f5o4VnAOq8wqkXW9L2m3GZ7cF4dJ0abc"


def refused(query):
    with pytest.raises(InvalidParameter) as caught:
        pairs(query)
    return caught.value


@some
@given(st.dictionaries(texts.map(str.lower), texts, max_size=20), st.sampled_from([quote, quote_plus]))
def test_what_was_url_encoded_is_read_back(parameters, way):
    told = []
    assert pairs(urlencode(parameters, quote_via=way), told) == parameters
    assert told == []


def escape(text):
    """What the function of this name makes of a text in browsers: https://tc39.es/ecma262/#sec-escape-string."""
    units = text.encode("utf-16-be")
    numbers = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    plain = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@*_-./")
    ways = [
        (lambda one: one in plain, chr),
        (lambda one: one < 256, "%{:02X}".format),
        (lambda one: True, "%u{:04X}".format),
    ]
    return "".join(next(way for holds, way in ways if holds(number))(number) for number in numbers)


def is_utf_8(text):
    try:
        unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.rule("H8")
@some
@given(texts.filter(lambda text: not is_utf_8(escape(text)) or "%u" in escape(text) or text.isascii()))
@example("žluť")
@example("café")
@example("🌷 20 €")
def test_what_old_scripts_escaped_is_read_back(text):
    """A fact: old pages escape with `%u017D` and `%E9`."""
    told = []
    assert pairs(f"content={escape(text)}", told) == {"content": text}
    assert [line.partition(":")[0] for line in told] == ([] if text.isascii() else ["content"])


@pytest.mark.rule("H8")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("a=%u017D%E9", "Žé"),
        ("a=%C5%BE%u017D", "Å¾Ž"),  # with one of the old escapes, all of the value is old
        ("a=\u00c5\u00be%u017D", "žŽ"),  # bytes that were sent bare are UTF-8 whatever is around them
        ("a=%25u017D", "%u017D"),
        ("a=%u17D", "%u17D"),
        ("a=%uD83C%uDF37", "🌷"),
        ("a=%E9+%E9", "é é"),
        ("a=%C0%AF", "À¯"),
        ("a=%ED%A0%80", "í\u00a0\u0080"),
        ("%u0061=b", "b"),
    ],
)
def test_old_escapes_are_units_of_utf_16_and_latin_1(query, found):
    assert pairs(query) == {"a": found}


@pytest.mark.rule("H8")
@pytest.mark.parametrize(
    "bad", ["%uD83C", "%uDF37%uD83C", "x%uD83Cx", "%uDF37", "\u00ff", "\u00c5%u017D", "\u00c5%BE%E9"]
)
@pytest.mark.parametrize("query", ["name={}", "{}=value", "a=1&name={}&b=2"])
def test_half_a_surrogate_pair_and_bare_bytes_that_are_no_utf_8_are_refused(query, bad):
    assert refused(query.format(bad)).code == "bad-encoding"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", {}),
        ("&", {}),
        ("&&a=1&&b=2&", {"a": "1", "b": "2"}),
        ("a", {}),
        ("=", {}),
        ("a=1=2", {"a": "1=2"}),
        ("a=%3D%26", {"a": "=&"}),
        ("a=b+c", {"a": "b c"}),
        ("a=b%20c", {"a": "b c"}),
        ("a=b%2Bc", {"a": "b+c"}),
        ("a=%E2%82%AC", {"a": "€"}),
        ("a=%e2%82%ac", {"a": "€"}),
        ("a=\u00e2\u0082\u00ac", {"a": "€"}),  # bytes that were sent bare, as a WSGI server hands them on
        ("a=%F0%9F%98%80", {"a": "😀"}),
        ("a=100%", {"a": "100%"}),
        ("a=%zz", {"a": "%zz"}),
        ("a=%4", {"a": "%4"}),
        ("a=%2541", {"a": "%41"}),
        ("a=%00", {"a": "\0"}),
        ("%61=1", {"a": "1"}),
        ("a;b=1", {"a;b": "1"}),
        ("a=1;b=2", {"a": "1;b=2"}),
        ("a[]=1", {"a[]": "1"}),
        ("FORMAT=svg&Size=3", {"format": "svg", "size": "3"}),
    ],
)
def test_a_query_is_split_at_ampersands_and_decoded_once(query, found):
    assert pairs(query) == found


@pytest.mark.rule("H5")
@pytest.mark.parametrize("query", ["a=&b=1", "b=1&a=", "b=1&a", "b=1&a=&&"])
def test_an_empty_value_counts_as_absent(query):
    """Open: what `size=` means. The same as no size, because forms send all of their fields."""
    assert pairs(query) == {"b": "1"}


@pytest.mark.rule("H5")
@pytest.mark.parametrize("query", ["a=1&a=2", "a=1&a=1", "a=1&b=2&a=3", "a=1&%61=2", "a=1&A=2", "A=&a="])
def test_a_parameter_given_twice_is_refused_by_name(query):
    """Open: which of two values holds. Neither: servers and proxies choose differently."""
    error = refused(query)
    assert (error.name, error.code) == ("a", "duplicate-parameter")


def test_fifty_parameters_are_read_and_fifty_one_are_refused():
    queries = ["&".join(f"p{number}={number}" for number in range(count)) for count in (50, 51)]
    assert len(pairs(queries[0])) == 50
    error = refused(queries[1])
    assert error.code == "too-many-parameters"
    assert "51 parameters; at most 50" in str(error)


def test_sixteen_kilobytes_are_read_and_one_more_is_refused():
    assert len(pairs("a=" + "x" * 16_382)["a"]) == 16_382
    with pytest.raises(AddressTooLong, match="16385 characters; at most 16384") as caught:
        pairs("a=" + "x" * 16_383)
    assert (status_of(caught.value), caught.value.code) == (414, "uri-too-long")


@pytest.mark.rule("T14")
@pytest.mark.parametrize(
    "query",
    [
        f"auth={KEY}&auth={KEY}",
        f"auth={KEY}&%61uth={KEY}x",
        f"auth={KEY}%uD800",
        f"auth={KEY}&AUTH={KEY}",
        f"auth={KEY}&content={'x' * 20_000}",
        f"auth={KEY}&" + "&".join(map(str, range(60))),
    ],
)
def test_a_refused_query_does_not_repeat_the_key_in_it(query):
    """Open: where a key may show. Not in an error: its text goes into headers, logs and screens."""
    with pytest.raises(QrkitError) as caught:
        pairs(query)
    assert KEY not in str(caught.value)
    assert KEY not in repr([caught.value.args, getattr(caught.value, "problems", ())])


@pytest.mark.rule("G1")
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3), ("3.0", 3), ("3.00", 3), (" 3 ", 3), ("+1", 1), ("-1", -1), ("-1.0", -1), ("0", 0), ("007", 7),
        ("999999999", 999_999_999),
    ],
)  # fmt: skip
def test_a_whole_number_may_end_in_point_zero(text, number):
    """A fact: one client writes 3 as `3.0`. The spellings are those of the cells of an import."""
    assert whole(text, "version") == number


@pytest.mark.parametrize(
    "text",
    ["3.5", "3.", "3,0", "1e1", "0x1", "--1", "- 1", "1_0", "x", ".0", "", " ", "٣", "²", "9999999999", "nan"],
)
def test_what_is_no_whole_number_is_refused_by_name_and_value(text):
    with pytest.raises(InvalidParameter) as caught:
        whole(text, "size")
    error = caught.value
    assert (error.name, error.value, error.code) == ("size", text, "wrong-type")
    assert "whole number" in str(error)


@some
@given(st.integers(-99_999_999, 999_999_999), st.sampled_from(["{}", "{}.0", " {}\t"]))
def test_a_written_number_is_read_back(number, form):
    assert whole(form.format(number), "size") == number


@pytest.mark.rule("H5")
@pytest.mark.parametrize(
    ("texts", "value"),
    [(["true", "TRUE", "True", "tRuE", "1", " true "], True), (["false", "FALSE", "False", "0", "0 "], False)],
)
def test_a_flag_is_true_or_false_in_any_case_or_a_digit(texts, value):
    """Open: how a boolean is spelled. `True` is what Python and .NET clients write, 1 what forms send."""
    assert {flag(text, "attachment") for text in texts} == {value}


@pytest.mark.parametrize("text", ["yes", "no", "on", "2", "-1", "", "t", "wahr", "1.0", "truefalse"])
def test_what_is_no_flag_is_refused_by_name_and_value(text):
    with pytest.raises(InvalidParameter, match="must be true or false") as caught:
        flag(text, "keep")
    assert (caught.value.name, caught.value.value, caught.value.code) == ("keep", text, "wrong-type")


# JSON -----------------------------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@some
@given(st.dictionaries(texts, json_values, max_size=4), st.booleans(), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_an_object_that_was_written_as_json_is_read_back(found, is_ascii, encoding):
    assert json_object(dumps(found, ensure_ascii=is_ascii).encode(encoding)) == found


def refused_body(body):
    with pytest.raises(BadRequest) as caught:
        json_object(body)
    assert status_of(caught.value) == 400
    assert len(str(caught.value)) < 300
    return caught.value


@pytest.mark.parametrize("body", [b"", b" ", b"\n\r\t "])
def test_an_empty_body_is_no_json(body):
    assert refused_body(body).code == "empty-body"


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"1",
        b"null",
        b'"a"',
        b"{",
        b"{}{}",
        b"{'a': 1}",
        b"\xff",
        b"\xef\xbb\xbf",
        b"{\0}",
        "{}".encode("utf-16"),
    ],
)
def test_what_is_no_json_object_is_refused(body):
    assert refused_body(body).code == "bad-json"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"content=a%20b&name=Door", "the body is a form; a JSON object is needed"),
        (b"properties[size]=8", "the body is a form; a JSON object is needed"),
        (b"[{}]", "the body must be a JSON object, not a list"),
        (rb'"{\"content\": \"a\"}"', "the body must be a JSON object, not a text; was it encoded as JSON twice?"),
        (b"null", "the body must be a JSON object, not null"),
        (b"7", "the body must be a JSON object"),
    ],
)
def test_error_names_what_a_client_sent_by_mistake(body, words):
    assert str(refused_body(body)) == words


@pytest.mark.parametrize("body", ['{"%s": 1, "b": 2, "%s": 1}', '{"a": [{"%s": 1, "%s": 1}]}'])
@pytest.mark.parametrize("name", ["a", "é", "x" * 10_000])
def test_a_name_that_stands_twice_in_an_object_is_named(body, name):
    error = refused_body((body % (name, name)).encode())
    assert error.code == "bad-json"
    assert f"twice: '{name[:60]}'" in str(error)


def test_a_name_may_stand_in_several_objects():
    assert json_object(b'{"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}') == {"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}


def test_one_name_twice_among_many_is_found_in_no_time():
    names = ", ".join(f'"{number}": 1' for number in range(100_000))
    began = time.process_time()
    assert refused_body(f'{{{names}, "99999": 1}}'.encode()).code == "bad-json"
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 400, "-" + "9" * 5_000, "0x1", "01", "1."]
)
def test_a_number_that_json_has_not_or_no_float_holds_is_refused(number):
    assert refused_body(f'{{"a": {number}}}'.encode()).code == "bad-json"


@pytest.mark.parametrize("number", ["1e308", "-0.0", "1e-400", "9" * 300, "3.0", "12345678901234567890"])
def test_a_number_that_a_float_holds_is_read(number):
    assert float(json_object(f'{{"a": {number}}}'.encode())["a"]) == float(number)


@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize(("depth", "fits"), [(22, True), (24, False), (900, False), (100_000, False)])
def test_a_body_has_24_levels_at_most(begin, end, depth, fits):
    body = f'{{"a": {begin * depth}1{end * depth}}}'.encode()
    if fits:
        assert json_object(body)
    else:
        assert refused_body(body).code == "json-too-deep"


@pytest.mark.parametrize("one", ["1", "{}", "[]"])
def test_a_body_has_20_000_values_at_most(one):
    def body(count):
        return f'{{"a": [{", ".join([one] * count)}]}}'.encode()

    assert len(json_object(body(19_999))["a"]) == 19_999
    assert refused_body(body(20_000)).code == "json-too-large"


def test_texts_may_have_200000_commas_and_no_more():
    assert json_object(dumps({"a": "," * 200_000}).encode()) == {"a": "," * 200_000}
    assert refused_body(dumps({"a": "," * 200_001}).encode()).code == "json-too-large"


def test_a_compressed_body_is_called_so():
    with pytest.raises(BadRequest, match="is compressed with gzip; send it uncompressed") as caught:
        json_object(gzip.compress(b'{"content": "x"}'))
    assert caught.value.code == "bad-json"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", []),
        ("*/*", []),
        ("undefined", []),
        ("de-AT, de;q=0.9, en;q=0.95, *;q=0.1", ["de-at", "en", "de"]),
        ("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", ["text/html", "application/xhtml+xml"]),
        ("fr;q=0, de", ["de"]),
        ("text/html;level=1;q=0.5, text/plain;Q=0.7", ["text/plain", "text/html"]),
        ("text/html;q=0.5;level=1, text/plain;q=0.7;charset=utf-8", ["text/plain", "text/html"]),
        ("de;q=2, fr;q=high, it;q=0.1234, nl;q=, pl;q=1.5, es;q=1;q=0, en;q=0.1", ["en"]),
        ("x," * 10_000, ["x"] * 50),
    ],
)
def test_a_header_names_what_is_wanted(header, found):
    assert list(accepted(header)) == found
