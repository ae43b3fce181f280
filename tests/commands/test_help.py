"""What the command line says of itself, and of words that are none of its own."""

import argparse
import json
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from itertools import dropwhile
from pathlib import Path

import pytest

from qrkit import Design
from qrkit.__main__ import main, parser
from qrkit.commands.output import EXIT_STATUSES, Status, status_of
from qrkit.contents.kinds import MODULES
from qrkit.design.limits import Within
from qrkit.server import Settings
from tests.sweeps import quick_first
from tests.test_house import HEAVY

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "notebooks/how-to").glob("*.md")))
NESTED = {
    "content": [*MODULES, "read"],
    "account": ["create", "list", "plan", "key", "keys", "revoke"],
    "campaign": ["list", "add", "set", "remove"],
    "webhook": ["add", "list", "test", "log", "replay", "remove"],
    "template": ["save", "list", "show", "remove"],
    "gs1": ["set", "show", "list", "import", "export"],
}
COMMANDS = [
    "generate", "sheet", "content", "decode", "check", "trial", "list", "show", "add", "set", "remove", "explain",
    "gs1", "campaign", "template", "import", "export", "scans", "tail", "experiment", "report", "studio", "console",
    "serve", "webhook", "account", "verify", "backup", "archive", "rescue", "compact", "migrate", "mcp", "demo",
    "completion",
]  # fmt: skip
EVERY = [*COMMANDS, *(f"{command} {what}" for command, names in NESTED.items() for what in names)]
each_command = pytest.mark.parametrize("command", EVERY)


@pytest.fixture
def helped(monkeypatch, capsys):
    """What `--help` of a command prints on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def help_of(command=""):
        with pytest.raises(SystemExit) as caught:
            main([*command.split(), "--help"])
        assert caught.value.code == 0
        return capsys.readouterr().out

    return help_of


@pytest.fixture
def misused(capsys):
    """The one line with which words that are none of ours are refused."""

    def told(*words):
        with pytest.raises(SystemExit) as caught:
            main([*words])
        assert caught.value.code == 2
        said, complained = capsys.readouterr()
        assert said == ""
        assert complained.count("\n") == 1
        return complained

    return told


def calls(text):
    """The words of each call of qrkit in lines for a shell."""
    found = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        words = list(dropwhile(lambda word: "=" in word, shlex.split(line, comments=True)))
        if words[:1] == ["qrkit"]:
            own = words[1:]
            end = next((place for place, word in enumerate(own) if word in ("<", ">", "|", "&&")), len(own))
            found.append(own[:end])
    return found


# Help -----------------------------------------------------------------------------------------------------------------


def test_help_names_every_command_in_a_line_of_its_own(helped):
    text = helped()
    found = re.findall(r"^    (\w+) +[a-z]", text, re.MULTILINE)
    assert found == COMMANDS, "a command has its name in COMMANDS here, so that its help is tried"


@each_command
def test_usage_names_every_subcommand(command, helped):
    usage, _, subcommands = helped(command).partition("commands:\n  WHAT\n")
    names = re.findall(r"^    (\w+) ", subcommands, re.MULTILINE)
    assert "|".join(names) in usage


@each_command
def test_help_has_a_sentence_and_examples_and_fits_a_terminal(command, helped):
    text = helped(command)
    assert text.startswith(f"usage: qrkit {command} ")
    assert re.search(r"\n\n[A-Z][^.]+\.\n", text)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    *_, examples = text.split("\nexamples:\n")
    assert calls(examples)


@pytest.mark.parametrize("command", ["", *EVERY])
def test_every_example_of_the_help_can_be_read(command, helped):
    examples = calls(helped(command).split("\nexamples:\n")[1].split("\n\n")[0])
    assert examples
    for words in examples:
        assert parser().parse_args(words).command == words[0]


def test_every_call_in_the_readme_and_the_pages_can_be_read():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    found = [words for block in blocks for words in calls(block)]
    assert len(found) > 10
    for words in found:
        assert parser().parse_args(words).command == words[0]


@each_command
def test_every_option_and_every_word_is_explained(command, helped):
    text = helped(command)
    options, _ = text.split("\nexamples:\n")
    rows = re.findall(r"^  ((?:-\w, )?--[^ ]+|[A-Z]+)( [A-Z]+)?(.*\n(?: {6,}.*\n)*)", options, re.MULTILINE)
    assert rows
    assert [name for name, _, what in rows if not what.strip() and name != "WHAT"] == []


@pytest.mark.parametrize(("command", "model"), [("generate", Design), ("serve", Settings)])
def test_help_tells_the_bounds_and_the_defaults_that_hold(command, model, helped):
    text = " ".join(helped(command).split())
    told = 0
    for name, field in model.model_fields.items():
        option = f"--{name.replace('_', '-')} N "
        bound = next((one for one in field.metadata if isinstance(one, Within)), None)
        if option in text and bound:
            told += 1
            sentence = text.split(option)[1].split(" --")[0]
            assert f"{bound.low}..{bound.high}" in sentence
            assert field.default is None or f"default {field.default})" in sentence
    assert told >= 2


def test_help_names_a_unit_once_and_no_bound_that_every_text_has(helped):
    text = " ".join(helped("add").split())
    assert "degrees north of the equator (-90..90) --longitude" in text
    assert "a private note --urlinfo" in text
    assert "(1..20 pixels per module" in " ".join(helped("generate").split())


def test_only_existing_codes_have_a_schedule_to_remove(helped, misused):
    assert "--no-schedule" in helped("set")
    assert "--no-schedule" in misused("add", "https://example.com", "--no-schedule")


def test_each_setting_of_a_server_is_an_option_of_serve_and_on_its_page():
    missing = Settings.model_fields.keys() - vars(parser().parse_args(["serve"])).keys()
    assert not missing, "a field of Settings has its option in qrkit/commands/serve.py"
    told = {
        one.replace("--no-", "--")
        for one in re.findall(r"--[a-z-]+", (ROOT / "notebooks/how-to/deploy.md").read_text(encoding="utf-8"))
    }
    missing = {f"--{name.replace('_', '-')}" for name in Settings.model_fields} - told
    assert not missing, "an option of serve has its row in notebooks/how-to/deploy.md"


def test_help_tells_what_each_exit_status_means(helped):
    text = helped()
    for status, meaning in EXIT_STATUSES.items():
        assert re.search(rf"^  {status:<4} {re.escape(meaning)}$", text, re.MULTILINE)
    assert EXIT_STATUSES.keys() == set(Status)


@pytest.mark.parametrize(
    ("done", "failed", "status"), [(3, 0, 0), (0, 0, 0), (2, 1, 1), (1, 9, 1), (0, 1, 2), (0, 50, 2)]
)
def test_the_status_says_whether_all_some_or_nothing_was_done(done, failed, status):
    assert status_of(done, failed) == status


def test_help_shows_nothing_of_what_the_environment_holds(helped, monkeypatch):
    monkeypatch.setenv("QRKIT_STORE", "postgresql://joe:geheim@db.example/shop")
    assert not [command for command in EVERY if "joe" in helped(command)]


def test_without_a_word_the_help_is_shown(helped, capsys):
    assert main([]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", helped())


def keys_told(text):
    """The names in the objects of `--json`, as a help tells them; of another way of the command, the second."""
    told = " ".join(text.split("\nexamples:\n")[0].split("\n  --json ")[1].split())
    ways = re.sub(r" \([^)]*\)", "", told.partition(": ")[2]).split("; with --from ")
    return [way.split(", ") for way in ways]


def example_of(text):
    return text.split("\nexamples:\n")[1].replace("\\\n", " ").strip().removeprefix("qrkit ")


VARIANTS = json.dumps([{"variants": [{"name": one, "content": f"https://example.com/{one}"} for one in "AB"]}])


@pytest.mark.slow
def test_json_has_the_names_that_the_help_tells(helped, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QRKIT_STORE", "shop.duckdb")
    Path("codes.csv").write_text("Content\nhi\n")
    Path("brand.json").write_text('{"content": "x", "ec": "H"}')
    id, tried = "", set()
    for words in (
        "generate hi -o code.png",
        "generate --from codes.csv -o codes",
        "decode code.png",
        "check brand.json --level static",
        "import codes.csv",
        "export codes.xml",
        "sheet codes.pdf --stock L7160",
        "report",
        "account create Ana",
        "account list",
        "account plan Ana pro",
        "account key Ana",
        "account keys Ana",
        "account revoke Ana ID",
        "template save brand brand.json",
        "template list",
        "template remove brand",
        "campaign add Spring",
        "campaign list",
        "campaign set Spring --name Summer",
        "add https://example.com --short-code door --campaign Summer",
        "list",
        "show door",
        "explain door",
        f"set door --rules {shlex.quote(VARIANTS)}",
        "experiment door",
        "set door --name Door",
        "scans",
        "remove door --yes",
        "campaign remove Summer --yes",
        "verify shop.duckdb",
        "backup shop.duckdb copy.duckdb",
        "archive shop.duckdb",
        "rescue shop.duckdb rescued.duckdb",
        "compact shop.duckdb",
        "migrate shop.duckdb new.duckdb",
        "content read hello",
        "gs1 set 9506000134352 --link gs1:pip=https://example.com/rice",
        "gs1 list",
        "gs1 export links.json",
        "gs1 import links.json",
        "webhook add https://127.0.0.1/",
        "webhook list",
        "webhook test ID",
        "webhook log ID",
        "webhook replay ID",
        "webhook remove ID",
        *(example_of(helped(f"content {kind}")) for kind in MODULES),
    ):
        fails = words == "webhook test ID"  # this machine is refused
        assert main([*shlex.split(words.replace("ID", id)), "--json"]) == fails
        made = json.loads(capsys.readouterr().out.splitlines()[0])
        id = made.get("id", "") or id
        command = " ".join(words.split()[: 2 if words.split()[0] in NESTED else 1])
        assert list(made) == keys_told(helped(command))["--from" in words], words
        tried.add(command)
    # A trial waits for phones; tests/trials has its JSON.
    silent = {"trial", *(command for command in EVERY if "\n  --json " not in helped(command))}
    assert {*EVERY} - silent == tried, "what has --json is tried here"


# A light start --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["serve", "--help"], ["generate", "hi"]], ids=" ".join)
def test_python_m_qrkit_starts_quickly(words):
    command = [sys.executable, "-X", "importtime", "-m", "qrkit", *words]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(re.findall(r"\| +(\w+)$", run.stderr, re.MULTILINE))
    assert loaded & HEAVY == set()
    assert "qrkit" in loaded
    if words == ["--version"]:
        assert run.stdout == f"qrkit {version('qrkit-studio')}\n"


# Words that are none of ours ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["generatte", "hi"], "qrkit: COMMAND: 'generatte' is not a command; did you mean 'generate'"),
        (["draw"], "qrkit: COMMAND: 'draw' is not a command; allowed: generate, sheet, content, decode"),
        (["--versoin"], "qrkit: --versoin is not an option; did you mean '--version'?"),
        (["--store", "shop.duckdb", "list"], "qrkit: --store must come after the command: qrkit COMMAND --store"),
        (["help"], "qrkit: COMMAND: 'help' is not a command; did you mean '--help'?"),
        (["generate", "hi", "--foregruond", "red"], "--foregruond is not an option; did you mean '--foreground'?"),
        (["generate", "hi", "--distance-m", "2m"], "--distance-m: must be a number, not '2m' (see"),
        (["generate", "hi", "--count", "1.5"], "--count: must be a whole number, not '1.5' (see"),
        (["generate", "hi", "--foregruond=red"], "--foregruond is not an option; did you mean '--foreground'?"),
        (["generate", "hi", "--fill-color", "red"], "--fill-color is not an option; did you mean '--foreground'?"),
        (["generate", "hi", "--border=1"], "--border is not an option; did you mean '--padding'?"),
        (["report", "--from", "2026-06-01"], "--from is not an option; did you mean '--since'?"),
        (["list", "--search", "door"], "qrkit list: --search is not an option; write: qrkit list SEARCH"),
        (["set", "door", "--ec", "H"], "qrkit set: --ec is not an option (see"),
        (
            ["list", "front", "door"],
            "qrkit list: 'door' is one word too many; put a text of several words in quotes",
        ),
        (["campaign", "rename", "a", "b"], "WHAT: 'rename' is not a command; allowed: list, add, set, remove (see"),
        (["generate", "hi", "--zzz", "1"], "qrkit generate: --zzz is not an option (see `qrkit generate --help`)"),
        (["generate", "hi", "ho"], "qrkit generate: 'ho' is one word too many"),
        (["generate", "hi", "--style", "blcks"], "--style: 'blcks' is not a choice; did you mean 'blocks'?"),
        (["generate", "hi", "--design", "a", "--template", "b"], "--template: not allowed with argument --design"),
        (["generate", "hi", "--size"], "--size: expected one argument"),
        (["decode"], "qrkit decode: PICTURE is required"),
        (["check", "a.png", "--min", "robst"], "--min: 'robst' is not a choice; did you mean 'robust'?"),
        (["report", "--since", "1 June"], "--since: '1 June' is not a day such as 2026-06-01"),
        (["scans", "--silent", "--by", "day"], "--by: not allowed with argument --silent"),
        (["scans", "--until", "2026-09-31"], "'2026-09-31' is not a day such as 2026-06-01; 2026-09 has 30 days"),
        (["archive", "--store", "a.duckdb"], "--store is not an option here; write: qrkit archive a.duckdb"),
        (["backup", "--store", "a.duckdb", "b.duckdb"], "here; write: qrkit backup a.duckdb b.duckdb"),
        (["report", "a.duckdb"], "qrkit report: 'a.duckdb' is one word too many; write: --store a.duckdb"),
        (["report", "my shop.duckdb"], "'my shop.duckdb' is one word too many; write: --store 'my shop.duckdb' (see"),
        (["report", "a.duckdb", "--store", "b.duckdb"], "'a.duckdb' is one word too many; put a text of"),
        (["verify"], "STORE is required"),
        (["backup", "shop.duckdb"], "COPY is required"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_they_are_refused_in_one_line_with_what_may_have_been_meant(words, told, misused):
    assert told in misused(*words)


@pytest.mark.parametrize("some", quick_first([slice(-1, None), slice(None)]), ids=["one", "all"])
@pytest.mark.parametrize("command", [command for command in EVERY if command not in NESTED])
def test_an_option_with_a_slip_is_proposed_and_none_is_cut_short(command, some, helped, misused):
    word = "bash" if command == "completion" else "word"
    positional = [word] * len(re.findall(r"^  [A-Z]+ ", helped(command).split("\nexamples:")[0], re.MULTILINE))
    options = re.findall(r"^  (?:-\w, )?(--[a-z][a-z0-9-]+)", helped(command), re.MULTILINE)
    assert "--help" in options
    for option in options[some]:
        slip = f"{option[:-2]}{option[-1]}"
        if slip not in options:
            assert repr(option) in misused(*command.split(), *positional, slip)
        if option[:-1] not in options:
            assert f"{option[:-1]} is not an option" in misused(*command.split(), *positional, option[:-1])


def test_the_parser_reads_what_a_program_gives_it():
    read = parser().parse_args(["generate", "hi", "--size", "5", "--version", ""])
    assert isinstance(read, argparse.Namespace)
    assert (read.content, read.size, read.version) == ("hi", 5, "")
