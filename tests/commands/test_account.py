"""`qrkit account …`: accounts, plans and keys of a store from the command line."""

import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.errors import NotAuthenticated
from qrkit.portfolio.access import authenticate, create_account, create_key, get_account, list_accounts, list_keys
from qrkit.server import Client, Settings, make_app
from qrkit.store import Store

KEY = re.compile(r"qk_[A-Za-z0-9_-]{43}")
STAMP = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every command works in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("QRKIT_STORE", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def same_store(tmp_path_factory):
    """A store with the local account and one called Ana, for all commands that change nothing."""
    path = tmp_path_factory.mktemp("account") / "shop.duckdb"
    with open_portfolio(path) as shop:
        create_account(shop.store, "Ana", plan="pro")
    return path


@pytest.fixture
def store(same_store, folder):
    return Path(shutil.copy(same_store, folder))


def run(capsys, *words, store="shop.duckdb"):
    """What a command that succeeds prints, and what it tells beside."""
    assert main(["account", *words, "--store", str(store)]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def refused(capsys, *words, store="shop.duckdb"):
    """The one line of a command that is refused: exit status 2, nothing on the standard output."""
    assert main(["account", *words, "--store", str(store)]) == 2
    said, complained = capsys.readouterr()
    assert said == ""
    assert complained.startswith("qrkit account: ")
    assert complained.count("\n") == 1
    return complained


def misused(capsys, *words):
    with pytest.raises(SystemExit) as caught:
        main(["account", *words])
    assert caught.value.code == 2
    return capsys.readouterr().err


def status(store, key, path="list"):
    """What the interface answers to a key."""
    with open_portfolio(store) as shop:
        client = Client(make_app(shop.store, Settings(generates_a_minute=0)))
        return client.get(f"/api/v3/track/{path}", auth=key).status


# Accounts and plans ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "plan"), [([], "free"), (["--plan", "pro"], "pro"), (["--plan", "premium"], "premium")]
)
def test_create_makes_an_account_of_a_plan(words, plan, store, capsys):
    out, err = run(capsys, "create", "Bojan Žnidaršič", *words)
    assert (out, err) == (f"Bojan Žnidaršič: an account of the plan {plan}\n", "")
    with Store(store) as opened:
        assert get_account(opened, "Bojan Žnidaršič").plan == plan


def test_create_makes_the_store_where_there_is_none_and_nothing_else_does(folder, capsys):
    for words in (
        ["list"],
        ["plan", "local", "pro"],
        ["key", "local"],
        ["keys", "local"],
        ["revoke", "local", "0" * 12],
    ):
        told = refused(capsys, *words, store="shpo.duckdb")
        assert "no store 'shpo.duckdb'" in told
        assert "create one, with the account 'local'" in told
        assert list(folder.iterdir()) == []
    run(capsys, "create", "Ana", store="new.duckdb")
    assert run(capsys, "list", store="new.duckdb")[0] == "local  premium  keys: 0\nAna  free  keys: 0\n"


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["create", "Ana"], "is already the name of an account"),
        (["create", "local"], "is the account that every store has"),
        (["create", ""], "1..100 characters"),
        (["create", "x" * 101], "1..100 characters"),
        (["create", "a\nb"], "1..100 characters"),
        (["create", "a\x1b[31m"], "1..100 characters"),
        (["create", "Bojan", "--plan", "gold"], "plan='gold': is not a plan; allowed: free, pro, premium"),
        (["create", "Bojan", "--plan", "premum"], "did you mean 'premium'"),
        (["plan", "Ana", "gold"], "plan='gold': is not a plan"),
        (["plan", "Nobody", "pro"], "no account 'Nobody'"),
        (["key", "Nobody"], "no account 'Nobody'"),
        (["keys", "Nobody"], "no account 'Nobody'"),
        (["keys", "ana"], "no account 'ana'"),
        (["revoke", "Nobody", "0" * 12], "no account 'Nobody'"),
        (["revoke", "Ana", "0" * 12], "no API key '000000000000'"),
        (["revoke", "Ana", ""], "no API key ''"),
        (
            ["key", "Ana", "--expires", "tomorrow"],
            "expires='tomorrow': must be a date and time as yyyy-MM-ddTHH:mm:ssZ",
        ),
        (["key", "Ana", "--expires", "2020-01-01T00:00:00Z"], "expires='2020-01-01T00:00:00Z': must be in the future"),
    ],
    ids=lambda value: " ".join(value)[:30].replace("\n", "?").replace("\x1b", "?") if isinstance(value, list) else "",
)
def test_what_is_wrong_is_one_line_and_changes_nothing(words, rule, same_store, capsys):
    assert rule in refused(capsys, *words, store=same_store)
    with Store(same_store) as opened:
        assert [(one.name, one.plan, list_keys(opened, one)) for one in list_accounts(opened)] == [
            ("local", "premium", []),
            ("Ana", "pro", []),
        ]


@pytest.mark.parametrize("words", [["create", "Ana", "--plan", "gold"], ["create", ""]])
def test_an_account_that_cannot_be_made_leaves_no_store_behind(words, folder, capsys):
    refused(capsys, *words, store="new.duckdb")
    assert list(folder.iterdir()) == []


def test_list_has_a_line_an_account_with_its_plan_and_its_keys(store, capsys):
    with Store(store) as opened:
        for _ in range(2):
            create_key(opened, get_account(opened, "Ana"))
    assert run(capsys, "list") == ("local  premium  keys: 0\nAna  pro  keys: 2\n", "")


@pytest.mark.rule("T13")
def test_a_plan_holds_for_the_next_request(store, capsys):
    """Open: how a plan changes. By the operator, and what it allows from then on."""
    key = run(capsys, "key", "Ana")[0].strip()
    assert status(store, key, "export.csv") == 200
    assert run(capsys, "plan", "Ana", "free") == ("Ana: the plan is now free\n", "")
    assert (status(store, key, "export.csv"), status(store, key)) == (403, 200)
    run(capsys, "plan", "Ana", "premium")
    assert status(store, key, "export.csv") == 200


# Keys -----------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("T14")
def test_a_key_is_alone_on_the_standard_output_and_works(store, capsys):
    """Open: how a key is handed over. Once, alone on its line, so that a script can take it."""
    out, err = run(capsys, "key", "Ana")
    assert KEY.fullmatch(out.removesuffix("\n"))
    assert err == "qrkit account: this key is shown only once; the store keeps only a hash of it\n"
    key = out.strip()
    assert status(store, key) == 200
    assert key.encode() not in store.read_bytes()
    for words in (["keys", "Ana"], ["list"]):
        shown = "".join(run(capsys, *words))
        assert key not in shown
        assert key[3:20] not in shown


@pytest.mark.rule("T14")
def test_keys_are_listed_with_all_that_is_known_of_them(store, capsys):
    """Open: what is told of a key. Its id, when it was made and ends, and what its owner calls it."""
    assert run(capsys, "keys", "Ana") == ("", "")
    run(capsys, "key", "Ana", "--label", "printer at the door")
    run(capsys, "key", "Ana", "--expires", "2037-01-01T01:00:00+01:00")
    run(capsys, "key", "Ana")
    run(capsys, "key", "local")
    out, err = run(capsys, "keys", "Ana")
    assert err == ""
    assert re.fullmatch(
        rf"[0-9a-f]{{12}}  made {STAMP}  no end  printer at the door\n"
        rf"[0-9a-f]{{12}}  made {STAMP}  expires 2037-01-01T00:00:00Z\n"
        rf"[0-9a-f]{{12}}  made {STAMP}  no end\n",
        out,
    )


@pytest.mark.rule("T14")
def test_a_revoked_key_opens_nothing_any_more_and_others_do(store, capsys):
    """Open: a key that was lost. Its id takes it back, at once and for good."""
    lost, kept = (run(capsys, "key", "Ana")[0].strip() for _ in range(2))
    id = run(capsys, "keys", "Ana")[0].split()[0]
    assert run(capsys, "revoke", "Ana", id) == (f"{id}: opens nothing any more\n", "")
    assert (status(store, lost), status(store, kept)) == (401, 200)
    assert re.search(rf"^{id}  made {STAMP}  revoked {STAMP}$", run(capsys, "keys", "Ana")[0], re.MULTILINE)
    assert f"no API key '{id}'" in refused(capsys, "revoke", "Ana", id)


def test_a_key_of_another_account_is_not_found(store, capsys):
    key = run(capsys, "key", "Ana")[0].strip()
    id = run(capsys, "keys", "Ana")[0].split()[0]
    assert f"no API key '{id}'" in refused(capsys, "revoke", "local", id)
    assert status(store, key) == 200


@pytest.mark.rule("T14")
def test_a_key_ends_when_it_expires(store, capsys):
    """Open: keys with an end. They work until then, by the clock of the server."""
    future = run(capsys, "key", "Ana", "--expires", "2037-01-01T00:00:00Z")[0].strip()
    assert status(store, future) == 200
    with Store(store) as opened:
        assert authenticate(opened, future, datetime(2036, 12, 31, tzinfo=UTC)).name == "Ana"
        with pytest.raises(NotAuthenticated):
            authenticate(opened, future, datetime(2037, 1, 1, tzinfo=UTC))


# Which store ----------------------------------------------------------------------------------------------------------


def test_the_environment_says_which_store_is_meant_unless_an_option_does(store, folder, monkeypatch, capsys):
    monkeypatch.setenv("QRKIT_STORE", str(store))
    assert main(["account", "list"]) == 0
    assert capsys.readouterr().out == "local  premium  keys: 0\nAna  pro  keys: 0\n"
    assert main(["account", "create", "Bojan"]) == 0
    assert main(["export", "out.csv"]) == 0
    assert main(["account", "create", "Cene", "--store", "other.duckdb"]) == 0
    capsys.readouterr()
    assert main(["account", "list", "--store", "other.duckdb"]) == 0
    assert capsys.readouterr().out == "local  premium  keys: 0\nCene  free  keys: 0\n"
    assert not (folder / "qrkit.duckdb").exists()


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_word_the_store_is_qrkit_duckdb(value, folder, monkeypatch, capsys):
    if value is not None:
        monkeypatch.setenv("QRKIT_STORE", value)
    assert main(["account", "create", "Ana"]) == 0
    assert (folder / "qrkit.duckdb").exists()
    assert capsys.readouterr().out == "Ana: an account of the plan free\n"


def test_what_is_no_store_is_refused_and_left_alone(folder, capsys):
    (folder / "text.duckdb").write_text("text")
    for words in (["create", "Ana"], ["list"], ["key", "local"]):
        assert "cannot be opened as a store" in refused(capsys, *words, store="text.duckdb")
    assert (folder / "text.duckdb").read_text() == "text"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "qrkit account: WHAT is required: create, list,"),
        (["creat"], "qrkit account: WHAT: 'creat' is not a command; allowed: create, "),
        (["create"], "qrkit account create: NAME is required"),
        (["plan", "Ana"], "qrkit account plan: PLAN is required"),
        (["revoke", "Ana"], "qrkit account revoke: ID is required"),
        (["list", "--plan", "pro"], "qrkit account list: --plan is not an option"),
        (["list", "Ana"], "qrkit account list: 'Ana' is one word too many"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_words_that_are_none_of_ours_are_refused_in_one_line(words, told, capsys):
    said = misused(capsys, *words)
    assert said.startswith(told)
    assert said.count("\n") == 1


def test_programs_are_told_the_same_as_people(store, capsys):
    def told(*words):
        return [json.loads(line) for line in run(capsys, *words, "--json")[0].splitlines()]

    assert told("create", "Bojan", "--plan", "pro") == [{"name": "Bojan", "plan": "pro"}]
    assert told("plan", "Bojan", "free") == [{"name": "Bojan", "plan": "free"}]
    [made] = told("key", "Bojan", "--label", "till", "--expires", "2037-01-01T00:00:00Z")
    assert KEY.fullmatch(made["key"])
    [key] = told("keys", "Bojan")
    assert re.fullmatch(STAMP, key.pop("created"))
    assert key == {"id": made["id"], "label": "till", "expires": "2037-01-01T00:00:00Z", "revoked": None}
    assert told("revoke", "Bojan", made["id"]) == [{"id": made["id"]}]
    assert re.fullmatch(STAMP, told("keys", "Bojan")[0]["revoked"])
    assert told("list")[1:] == [
        {"name": "Ana", "plan": "pro", "keys": 0}, {"name": "Bojan", "plan": "free", "keys": 1},
    ]  # fmt: skip


def test_help_names_what_can_be_done(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["account", "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    missing = [name for name in ("create", "list", "plan", "key", "keys", "revoke") if f"    {name} " not in text]
    assert missing == []
