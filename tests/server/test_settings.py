from ipaddress import ip_network

import pytest

from qrkit.errors import InvalidParameter, UnknownParameter, UnreadableFile
from qrkit.server import Settings
from qrkit.server.settings import ENVIRONMENT

DEFAULTS = {
    "store": "qrkit.duckdb",
    "base_url": None,
    "host": "127.0.0.1",
    "port": 8080,
    "hosts": (),
    "trusted_proxies": (),
    "proxy_hops": 1,
    "fetch_from": (),
    "ignore_case": None,
    "pass_query": (),
    "referrer_policy": "no-referrer",
    "strict": False,
    "record_visits": True,
    "keep_days": None,
    "archive_after_days": None,
    "time_zone": None,
    "places": None,
    "access_log": True,
    "log_level": "info",
    "metrics_token_file": None,
    "threads": 176,
    "processes": 1,
    "renders": None,
    "generates_a_minute": 600,
    "unknown_codes_a_minute": 30,
}
EVERYTHING = {
    "store": ("shop.duckdb", "shop.duckdb"),
    "base_url": ("https://go.example.com/", "https://go.example.com"),
    "host": ("0.0.0.0", "0.0.0.0"),
    "port": ("80", 80),
    "hosts": ("a.example, b.example", ("a.example", "b.example")),
    "trusted_proxies": ("10.0.0.1,10.1.0.0/16,::1", ("10.0.0.1", "10.1.0.0/16", "::1")),
    "proxy_hops": ("2", 2),
    "fetch_from": ("img.example.com", ("img.example.com",)),
    "ignore_case": ("false", False),
    "pass_query": ("utm_source,utm_medium", ("utm_source", "utm_medium")),
    "referrer_policy": ("origin", "origin"),
    "strict": ("true", True),
    "record_visits": ("0", False),
    "keep_days": ("400", 400),
    "archive_after_days": ("0", 0),
    "time_zone": ("Europe/Ljubljana", "Europe/Ljubljana"),
    "places": ("2026", "2026"),
    "access_log": ("False", False),
    "log_level": ("error", "error"),
    "metrics_token_file": ("/run/secrets/metrics", "/run/secrets/metrics"),
    "threads": ("512", 512),
    "processes": ("4", 4),
    "renders": ("3", 3),
    "generates_a_minute": ("0", 0),
    "unknown_codes_a_minute": ("1000000", 1_000_000),
}


def fields(settings):
    return {name: getattr(settings, name) for name in Settings.model_fields}


def test_without_a_word_the_defaults_hold():
    assert fields(Settings()) == fields(Settings.read({})) == DEFAULTS
    assert fields(Settings.read({"PATH": "/bin", "HOME": "/root", "qrkit": "x", "XQRKIT_PORT": "1"})) == DEFAULTS


def test_a_variable_of_another_part_is_no_setting():
    assert fields(Settings.read({"QRKIT_STATE_FOLDER": "elsewhere"})) == DEFAULTS


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_field_is_read_from_its_variable(name):
    text, value = EVERYTHING[name]
    assert fields(Settings.read({f"QRKIT_{name.upper()}": text})) == DEFAULTS | {name: value}


def test_all_variables_together_make_the_settings():
    environment = {f"QRKIT_{name.upper()}": text for name, (text, _) in EVERYTHING.items()}
    assert tuple(environment) == ENVIRONMENT
    assert fields(Settings.read(environment)) == {name: value for name, (_, value) in EVERYTHING.items()}


@pytest.mark.parametrize("name", DEFAULTS)
def test_an_empty_variable_counts_as_absent(name):
    assert fields(Settings.read({f"QRKIT_{name.upper()}": ""})) == DEFAULTS


def test_what_is_given_wins_over_the_environment_and_nothing_over_nothing():
    environment = {"QRKIT_PORT": "80", "QRKIT_STRICT": "true", "QRKIT_HOSTS": "a.example", "QRKIT_HOST": "::"}
    chosen = Settings.read(environment, port=0, strict=False, hosts=[], host=None, renders=None, store="x.duckdb")
    assert fields(chosen) == DEFAULTS | {"port": 0, "host": "::", "store": "x.duckdb"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a.example", ("a.example",)),
        (" a.example , b.example ", ("a.example", "b.example")),
        ("a.example,,b.example,", ("a.example", "b.example")),
        (",", ()),
        ("*", ("*",)),
        ("10", ("10",)),
    ],
)
def test_lists_are_written_with_commas(text, names):
    assert Settings.read({"QRKIT_HOSTS": text}).hosts == names
    assert Settings.read({"QRKIT_FETCH_FROM": text}).fetch_from == names


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("True", True), ("1", True), ("false", False), ("FALSE", False), ("0", False)]
)
def test_yes_and_no_are_true_and_false_in_any_case_or_1_and_0(text, value):
    assert Settings.read({"QRKIT_STRICT": text}).strict is value


def test_texts_of_digits_stay_texts_where_a_text_is_asked_for():
    chosen = Settings.read({"QRKIT_STORE": "2026", "QRKIT_HOST": "0"})
    assert (chosen.store, chosen.host) == ("2026", "0")


@pytest.mark.parametrize(
    ("variable", "meant"),
    [("QRKIT_BASEURL", "QRKIT_BASE_URL"), ("QRKIT_PROT", "QRKIT_PORT"), ("QRKIT_THREAD", "QRKIT_THREADS")],
)
def test_an_unknown_variable_of_ours_is_a_slip_and_told_with_what_was_meant(variable, meant):
    with pytest.raises(UnknownParameter) as caught:
        Settings.read({variable: "x"})
    assert caught.value.name == variable
    assert repr(meant) in str(caught.value)


@pytest.mark.rule("T14")
def test_the_value_of_an_unknown_variable_is_not_repeated():
    """Open: a key in a variable that is none of ours. The error names the variable alone: it goes into logs."""
    with pytest.raises(UnknownParameter) as caught:
        Settings.read({"QRKIT_API_KEY": "qk_secret"})
    assert "qk_secret" not in str(caught.value)


WRONG = {
    "base_url": ["ftp://x", "go.example.com", "https://", "https://a.example/?x", "https://a b.example"],
    "port": ["-1", "65536", "http", "80.5", "8 0", "--5", "9" * 5_000, "²"],
    "trusted_proxies": ["10.0.0.0/33", "proxy.example", "10.0.0.1/8", "10.0.0.1;10.0.0.2"],
    "proxy_hops": ["0", "11", "one"],
    "ignore_case": ["maybe"],
    "referrer_policy": ["unsafe-url", "none"],
    "strict": ["maybe", "2", "-1"],
    "record_visits": ["never"],
    "keep_days": ["0", "36501", "long"],
    "access_log": ["/var/log/x"],
    "threads": ["3", "513", "many"],
    "processes": ["0", "1001", "two"],
    "renders": ["0", "65", "auto"],
    "generates_a_minute": ["-1", "1000001"],
    "unknown_codes_a_minute": ["-1", "x"],
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts], ids=lambda text: text[:20]
)
def test_a_wrong_value_in_the_environment_is_named(name, text):
    with pytest.raises(InvalidParameter) as caught:
        Settings.read({f"QRKIT_{name.upper()}": text})
    assert caught.value.name == name
    assert str(caught.value).startswith(f"{name}=")


def test_all_wrong_values_are_named_at_once():
    with pytest.raises(InvalidParameter) as caught:
        Settings.read({f"QRKIT_{name.upper()}": texts[0] for name, texts in WRONG.items()}, store=5)
    assert {problem.name for problem in caught.value.problems} == {*WRONG, "store"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", -1),
        ("port", 65_536),
        ("port", "80"),
        ("port", True),
        ("port", 80.5),
        ("proxy_hops", 0),
        ("proxy_hops", 11),
        ("threads", 3),
        ("threads", 513),
        ("processes", 0),
        ("processes", 1_001),
        ("renders", 0),
        ("renders", 65),
        ("generates_a_minute", -1),
        ("unknown_codes_a_minute", 1_000_001),
        ("hosts", "a.example"),
        ("hosts", [1]),
        ("hosts", [""]),
        ("hosts", ["https://my.example"]),
        ("hosts", ["my.example/"]),
        ("hosts", ["a.example b.example"]),
        ("hosts", ["*.example"]),
        ("trusted_proxies", ["x"]),
        ("base_url", ""),
        ("store", None),
    ],
)
def test_a_wrong_keyword_is_named(name, value):
    with pytest.raises(InvalidParameter) as caught:
        Settings(**{name: value})
    assert caught.value.name.partition(".")[0] == name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("port", [0, 65_535]),
        ("proxy_hops", [1, 10]),
        ("threads", [4, 512]),
        ("processes", [1, 1_000]),
        ("renders", [1, 64, None]),
        ("generates_a_minute", [0, 1_000_000]),
        ("unknown_codes_a_minute", [0, 1_000_000]),
    ],
)
def test_bounds_are_included(name, values):
    assert [getattr(Settings(**{name: value}), name) for value in values] == values


def test_an_unknown_keyword_is_refused_with_what_was_meant():
    with pytest.raises(UnknownParameter, match=r"prot.*did you mean 'port'"):
        Settings(prot=80)
    with pytest.raises(UnknownParameter, match="'port'"):
        Settings.read({}, prot=80)


def test_proxies_are_networks():
    chosen = Settings(trusted_proxies=("10.0.0.1", "10.1.0.0/16", "2001:db8::/32"))
    assert chosen.proxies == tuple(ip_network(one) for one in ("10.0.0.1/32", "10.1.0.0/16", "2001:db8::/32"))
    assert Settings().proxies == ()


def test_settings_are_frozen_and_equal_when_their_fields_are():
    one, other = Settings(port=80, trusted_proxies=["10.0.0.1"]), Settings(port=80, trusted_proxies=("10.0.0.1",))
    assert one == other
    assert one.proxies  # what was made of them once makes no difference
    assert one == other
    assert hash(one) == hash(other)
    assert one != Settings(port=80)
    with pytest.raises(Exception, match="frozen"):
        one.port = 81
    assert one.replace(port=81) == Settings(port=81, trusted_proxies=("10.0.0.1",))
    assert one.replace(trusted_proxies=()).proxies == ()
    assert one.port == 80


def test_the_base_url_loses_its_last_slash():
    assert Settings(base_url="https://go.example.com/q/").base_url == "https://go.example.com/q"


# A file of settings ---------------------------------------------------------------------------------------------------


def test_a_file_holds_settings_that_variables_and_arguments_override(tmp_path):
    file = tmp_path / "qrkit.toml"
    file.write_text('port = 80\nthreads = 8\nhosts = ["a.example", "b.example"]\nlog_level = "error"\nstrict = true\n')
    settings = Settings.read({"QRKIT_SETTINGS": str(file), "QRKIT_PORT": "81", "QRKIT_THREADS": "9"}, threads=10)
    assert fields(settings) == DEFAULTS | {
        "port": 81, "threads": 10, "hosts": ("a.example", "b.example"), "log_level": "error", "strict": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("prot = 80", UnknownParameter, "did you mean 'port'"),
        ("port = 99999", InvalidParameter, r"port=99999: must be in 0\.\.65535"),
        ('log_level = "loud"', InvalidParameter, "log_level='loud'"),
        ('store = "x.duckdb"', InvalidParameter, "use --store or QRKIT_STORE"),
        ("port = ", UnreadableFile, "is not a TOML file"),
        (None, UnreadableFile, "No such file"),
    ],
)
def test_a_wrong_file_of_settings_is_refused(tmp_path, text, error, words):
    file = tmp_path / "qrkit.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(error, match=words):
        Settings.read({"QRKIT_SETTINGS": str(file)})
