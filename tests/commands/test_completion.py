"""`qrkit completion`: in the shells themselves, where words are typed and completed by Tab."""

import re
import subprocess

import pytest

from qrkit.__main__ import COMMANDS, main

pytest.importorskip("fcntl", reason="terminals of Unix")
from tests.terminals import on_terminal

FILES = {"bash": "qrkit.bash", "zsh": "_qrkit", "fish": "qrkit.fish"}
NAMES = [source.partition(":define_")[2] for group in COMMANDS.values() for source in group]
TYPED = [
    ("qrkit comple\t", "completion"),
    ("qrkit campaign rem\t", "campaign remove"),
    ("qrkit generate --capt\t", "generate --caption"),
    ("qrkit generate --preset bubb\t", "generate --preset bubble"),
    ("qrkit generate --frame tick\t", "generate --frame ticket"),
    ("qrkit scans --by coun\t", "scans --by country"),
    ("qrkit list --store sho\t", "list --store shop.duckdb"),
    ("qrkit set door gate --cont\t", "set door gate --content"),
]
"""What is typed, and what it becomes."""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """A folder with the scripts, and with a file that can be completed."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "shop.duckdb").touch()
    return folder


@pytest.fixture
def script(scripts, capsys):
    def of(shell):
        assert main(["completion", shell]) == 0
        (scripts / FILES[shell]).write_text(capsys.readouterr().out)
        return scripts

    return of


def completed(words, folder, ready):
    """What the shell takes each line for, after Tab: `qrkit` is a function that tells its arguments."""
    steps = [("READY> ", f'{ready}; qrkit() {{ echo "told: $*."; }}; echo begin$((1 + 1))\n'), ("begin2", "")]
    for typed, expected in TYPED:
        steps += [("READY> ", f"{typed}\n"), (f"told: {expected}.", "")]
    return on_terminal(words, *steps, ("READY> ", "exit\n"), cwd=folder, env={"PS1": "READY> ", "HOME": str(folder)})[0]


@pytest.mark.needs("bash")
def test_bash_completes_commands_options_choices_and_files(script):
    assert completed(["bash", "--norc", "--noprofile", "-i"], script("bash"), "source ./qrkit.bash") == 0


@pytest.mark.needs("zsh")
def test_zsh_completes_commands_options_choices_and_files(script):
    ready = "fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D"
    assert completed(["zsh", "-f", "-i"], script("zsh"), ready) == 0


@pytest.mark.needs("fish")
def test_fish_completes_commands_options_choices_and_files(script):
    folder = script("fish")
    lines = "; ".join(f"complete -C '{typed.strip()}'; echo END" for typed, _ in TYPED)
    words = ["fish", "--no-config", "--command", f"source qrkit.fish; {lines}"]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    offered = [[line.split("\t")[0] for line in part.splitlines() if line] for part in run.stdout.split("END\n")[:-1]]
    assert offered == [[expected.split()[-1]] for _, expected in TYPED]


@pytest.mark.needs("fish")
def test_every_command_is_offered_with_its_sentence(script):
    words = ["fish", "--no-config", "--command", "source qrkit.fish; complete -C 'qrkit '"]
    run = subprocess.run(words, cwd=script("fish"), capture_output=True, text=True, check=True)
    offered = dict(line.split("\t") for line in run.stdout.splitlines())
    sentences = [sentence for group in COMMANDS.values() for sentence in group.values()]
    assert offered == dict(zip(NAMES, sentences, strict=True))


def test_another_shell_is_refused(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["completion", "fsh"])
    assert caught.value.code == 2
    assert re.search("'fsh' is not a choice; did you mean 'fish'", capsys.readouterr().err)
