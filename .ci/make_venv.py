"""Make a folder (`.venv`) that holds everything requirements.lock names, checked by hash, and qrkit itself.

The Makefile calls it as `python3 .ci/make_venv.py .venv`. Nothing else on the machine is changed, save the caches of
pip and uv. After a failure the same command goes on where it stopped. When the folder is complete it does nothing.

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
NEWER = ("python3.13", "python3.12", "python3.11")
IS_NEW_ENOUGH = "import sys; sys.exit(sys.version_info[:2] < {})".format(OLDEST)


def say(text):
    print("qrkit: " + text, flush=True)


def stop(problem, remedy):
    sys.exit("qrkit: {}\n       {}".format(problem, remedy))


def run(*command):
    """Run a program without showing what it prints. Returns whether it went well, and the last lines it printed."""
    # pip would otherwise install into the user's own folder where its settings say so.
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
    lines = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
    return done.returncode == 0, "\n".join(lines[-4:])


def works(*command):
    return run(*command)[0]


def go_on_with_new_enough_python():
    """Where this Python is too old, start again with a newer one found on PATH."""
    if sys.version_info[:2] >= OLDEST:
        return
    here = "Python {}.{}.{} ({})".format(*sys.version_info[:3], sys.executable)
    for name in NEWER:
        # All of PATH: the first find may be a launcher that knows the name but has no such Python.
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            found = shutil.which(name, path=folder)
            if found and works(found, "-c", IS_NEW_ENOUGH):
                say("{} is too old, going on with {}".format(here, found))
                os.execv(found, [found] + sys.argv)  # noqa: RUF005 - reads the same as its neighbours in old Pythons
    stop(
        "this is {}, and Python {}.{} or newer is needed; none was found on PATH.".format(here, *OLDEST),
        "Install one (Debian, Ubuntu: sudo apt install python3 python3-venv), or name it: make PYTHON=/path/to/python3.13",
    )


def fingerprint():
    """What the folder is made from: the lock file, and what pyproject.toml says about building and needing."""
    import tomllib  # noqa: PLC0415 - Python 3.11 has it, older ones never come here

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [project.get(table) for table in ("build-system", "project", "dependency-groups")]
    return hashlib.sha256(LOCK.read_bytes() + json.dumps(asked, sort_keys=True).encode()).hexdigest()


def make_folder(folder):
    """Make the folder with Python and pip in it, unless a usable one is there."""
    python = folder / "bin" / "python"
    if works(python, "-c", IS_NEW_ENOUGH):
        if works(folder / "bin" / "uv", "--version") or works(python, "-m", "pip", "--version"):
            return
    elif folder.exists() and any(folder.iterdir()):
        stop(
            "{} is there, but without a Python {}.{} or newer that runs.".format(folder, *OLDEST),
            "Remove it (rm -r {}) and give the command again.".format(folder),
        )
    say("making {} with Python {}.{}.{}".format(folder, *sys.version_info[:3]))
    was_there = folder.exists()
    made, problem = False, ""
    try:
        made, problem = run(sys.executable, "-m", "venv", folder)
    finally:
        if not made and not was_there:
            shutil.rmtree(str(folder), ignore_errors=True)
    if not made:
        stop(
            "{} cannot make virtual environments: {}".format(sys.executable, problem.splitlines()[-1:] or "no reason given"),
            "Debian and Ubuntu keep that apart: sudo apt install python3-venv",
        )
