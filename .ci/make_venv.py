"""Make a folder (`.venv`) that holds everything requirements.lock names, checked by hash, and qrkit itself.

The Makefile calls it as `python3 .ci/make_venv.py .venv`. Nothing else on the machine is changed, save the caches of
pip and uv. After a failure the same command goes on where it stopped; when the folder is complete it does nothing.

Standard library only, and written so that an old Python can read the file far enough to say that it is too old:
no annotations, no `match`, no `:=`, and `tomllib` is imported late.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
OLDEST = (3, 11)
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")
UNREACHABLE = re.compile(
    r"[\w ]*(?:name resolution|not known|dns error|unreachable|refused|timed out|certificate|proxy)[\w ]*",
    re.IGNORECASE,
)
"""What pip and uv say when they get no answer from the package index, with the words around it."""
IS_NEW_ENOUGH = "import sys; sys.exit(sys.version_info[:2] < {})".format(OLDEST)


def say(text):
    """Tell how it goes on."""
    print("qrkit: " + text, flush=True)


def stop(problem, remedy):
    """End with what is wrong and what to do about it."""
    sys.exit("qrkit: {}\n       {}".format(problem, remedy))


def run(*command):
    """Run a program unseen. Returns whether it went well, and the lines it printed."""
    # Without PIP_USER=0 a user's settings may send packages to his home folder instead.
    environment = dict(os.environ, PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=str(ROOT),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        return False, str(error)
    return done.returncode == 0, done.stdout.decode("utf-8", "replace").strip()


def reason(output):
    """Why a program failed: in a word where the network is to blame, else the last lines it printed."""
    silence = UNREACHABLE.search(output)
    if silence:
        return "the package index cannot be reached ({}). See to network and proxy.".format(silence.group().strip())
    return "\n       ".join(line[:200] for line in output.splitlines()[-3:])


def works(*command):
    """Whether a program is there and ends well."""
    return run(*command)[0]


def go_on_with_a_newer_python():
    """Where this Python is too old, start again with a newer one found on PATH."""
    here = "Python {}.{}.{} ({})".format(*sys.version_info[:3], sys.executable)
    for name in NEWER:
        # All of PATH: the first find may be a launcher that knows the name but has no such Python.
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            found = shutil.which(name, path=folder)
            if found and works(found, "-c", IS_NEW_ENOUGH):
                say("{} is too old, going on with {}".format(here, found))
                os.execv(found, [found] + sys.argv)
    stop(
        "this is {}; Python {}.{} or newer is needed, and none was found on PATH.".format(here, *OLDEST),
        "Install one (Debian, Ubuntu: sudo apt install python3 python3-venv), or name one you have: "
        "make PYTHON=/path/to/python3.13",
    )


def fingerprint():
    """What the folder is made from: the lock file, and what pyproject.toml says about building and needing."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [project.get(table) for table in ("build-system", "project", "dependency-groups")]
    return hashlib.sha256(LOCK.read_bytes() + json.dumps(asked, sort_keys=True).encode()).hexdigest()


def make_folder(folder):
    """Make the folder, with a Python and a pip in it, unless a usable one is there."""
    python = folder / "bin" / "python"
    if works(python, "-c", IS_NEW_ENOUGH):
        if works(folder / "bin" / "uv", "--version") or works(python, "-m", "pip", "--version"):
            return
    elif folder.exists() and any(folder.iterdir()):
        stop(
            "{} is there, but holds no Python {}.{} or newer that runs.".format(folder, *OLDEST),
            "Remove it (rm -r {}) and give the command again.".format(folder),
        )
    say("making {} with Python {}.{}.{}".format(folder, *sys.version_info[:3]))
    was_there = folder.exists()
    made, problem = False, "it lacks the module venv or ensurepip."
    try:
        if works(sys.executable, "-c", "import venv, ensurepip; ensurepip.version()"):
            made, problem = run(sys.executable, "-m", "venv", folder)
    finally:
        if not made and not was_there:
            shutil.rmtree(str(folder), ignore_errors=True)
    if not made:
        stop(
            "{} cannot make a virtual environment: {}".format(sys.executable, reason(problem)),
            "Debian and Ubuntu keep that part in a package of its own: sudo apt install python3-venv",
        )


def fetch_uv(folder):
    """Install uv, which does the rest in seconds, from its own part of the lock file. Where that fails, pip goes on."""
    if works(folder / "bin" / "uv", "--version"):
        return
    block = re.search(r"^uv==.*(?:\n    --hash=.*)*", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    with tempfile.TemporaryDirectory() as temporary:
        asked = Path(temporary) / "uv.txt"
        asked.write_text(block.group() + "\n" if block else "", encoding="utf-8")
        # Only as a wheel: compiling uv takes longer than it would save.
        options = ("--quiet", "--no-input", "--retries=2", "--require-hashes", "--only-binary=:all:")
        run(folder / "bin" / "python", "-m", "pip", "install", *options, "--requirement", asked)


def install(folder):
    """Install the locked packages and then qrkit as it stands here, by uv, else by pip."""
    python, uv = folder / "bin" / "python", folder / "bin" / "uv"
    fetch_uv(folder)
    ways = [("pip", python, "-m", "pip", "install", "--quiet", "--no-input", "--retries=2")]
    if works(uv, "--version"):
        ways.insert(0, ("uv", uv, "pip", "install", "--quiet", "--python", python))
    say("installing the packages of {} (some minutes on a slow line)".format(LOCK.name))
    problems = []
    for name, program, *options in ways:
        # The lock names every package, those that others need included: --no-deps saves looking.
        done, output = run(program, *options, "--no-deps", "--require-hashes", "--requirement", LOCK)
        if done:
            done, output = run(program, *options, "--no-deps", "--no-build-isolation", "--editable", ROOT)
        if done:
            return
        problems.append("{} says: {}".format(name, reason(output)))
    stop(
        "installing failed.\n       " + "\n       ".join(problems),
        "Give the same command again to go on from here; to begin anew, remove {} first.".format(folder),
    )


def main(arguments):
    """Make the folder named by the first argument, `.venv` without one."""
    if sys.version_info[:2] < OLDEST:
        go_on_with_a_newer_python()
    started = time.monotonic()
    folder = Path(os.path.abspath(arguments[0])) if arguments else ROOT / ".venv"
    stamp = folder / "installed"
    wanted = fingerprint()
    is_complete = stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted
    if not (is_complete and (folder / "bin" / "python").exists()):
        make_folder(folder)
        install(folder)
        say("ready after {:.0f} s".format(time.monotonic() - started))
    # Written last, and anew even when nothing changed: make compares its age with that of the lock file.
    stamp.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        stop("stopped.", "Give the command again to go on.")
