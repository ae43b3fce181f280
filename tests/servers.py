"""A PostgreSQL server of the tests' own, on a socket in a folder of its own, and databases on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

VERSIONS = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs, beside the path of programs."""
NOT_DURABLE = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")
"""For tests of behaviour, which have to be quick."""

_numbers = count(1)


def program(name: str) -> str | None:
    """Where a program of PostgreSQL is; of several versions the newest."""
    found = sorted(VERSIONS.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else shutil.which(name)


class Server:
    """A cluster in a temporary folder, run by an ordinary user: PostgreSQL refuses to run as root."""

    def __init__(self, *settings: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="qrkit-postgresql-", dir="/tmp")
        self._as_user: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
            self._as_user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        self._settings = (
            "listen_addresses=",
            f"unix_socket_directories={self.folder}",
            "max_connections=200",
            *settings,
        )
        self._run("initdb", "-A", "trust", "-U", "qrkit", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    def start(self) -> None:
        options = " ".join(f"-c {setting}" for setting in self._settings)
        self._run("pg_ctl", "-w", "-s", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self, how: str = "fast") -> None:
        """Stop it: `fast` in order, `immediate` as a crash would."""
        self._run("pg_ctl", "-w", "-s", "-m", how, "stop")

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str) -> str:
        return f"postgresql://qrkit@/{database}?host={self.folder}"

    def new_database(self, template: str = "template1") -> str:
        """The URL of a new database, made like another one."""
        import psycopg

        name = f"store_{next(_numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self.url(name)

    def _run(self, name: str, *arguments: str) -> None:
        command = [*self._as_user, program(name) or name, "-D", f"{self.folder}/data", *arguments]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


@contextmanager
def server(*settings: str) -> Iterator[Server]:
    """A server for as long as it is needed."""
    made = Server(*settings)
    try:
        yield made
    finally:
        made.remove()
