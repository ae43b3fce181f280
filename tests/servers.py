"""A PostgreSQL server of the tests' own, on a socket in a folder of its own, and databases on it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

VERSIONS = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs, beside the path of programs."""
NOT_DURABLE = (
    "fsync=off", "full_page_writes=off", "synchronous_commit=off", "wal_level=minimal", "max_wal_senders=0",
    "autovacuum=off", "jit=off",
)  # fmt: skip
"""For tests of behaviour, which have to be quick."""

DISK = "/tmp"
MEMORY = "/dev/shm"
MOST_BYTES = 4 * 2**30
"""Free memory that is needed, several times what the servers of all workers take."""

LATEST = 8
"""Databases that were made last and may not be in use yet. Thousands of files of old ones would have to be written."""
SOCKET = ".s.PGSQL.5432"

_numbers = count(1)


def program(name: str) -> str | None:
    """Where a program of PostgreSQL is; of several versions the newest."""
    found = sorted(VERSIONS.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    return str(found[-1]) if found else shutil.which(name)


class Server:
    """A cluster in a temporary folder, run by an ordinary user: PostgreSQL refuses to run as root."""

    def __init__(self, *settings: str, place: str = DISK) -> None:
        self.folder = tempfile.mkdtemp(prefix="qrkit-postgresql-", dir=place)
        self._databases: list[str] = []
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

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Nothing is answered meanwhile, and no connection ends, as on a machine that hangs."""
        first = int(Path(f"{self.folder}/data/postmaster.pid").read_text(encoding="ascii").split()[0])
        os.kill(first, signal.SIGSTOP)
        others = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii").split()
        for process in others:
            os.kill(int(process), signal.SIGSTOP)
        try:
            yield
        finally:
            for process in (*others, first):
                os.kill(int(process), signal.SIGCONT)

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str) -> str:
        return f"postgresql://qrkit@/{database}?host={self.folder}"

    def new_database(self, template: str = "template1", *, is_kept: bool = False) -> str:
        """The URL of a new database, made like another one; what is not to be kept is gone when nobody uses it."""
        import psycopg

        name = f"store_{next(_numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            used = {row[0] for row in connection.execute("SELECT datname FROM pg_stat_activity")}
            for old in self._databases[:-LATEST]:
                if old not in used:
                    connection.execute(f"DROP DATABASE {old}")
                    self._databases.remove(old)
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        if not is_kept:
            self._databases.append(name)
        return self.url(name)

    def _run(self, name: str, *arguments: str) -> None:
        command = [*self._as_user, program(name) or name, "-D", f"{self.folder}/data", *arguments]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


class Wire:
    """What stands between a program and a server, and is cut at the next commit.

    Attributes:
        cut: `before` the server hears of it, or `after` it, so that its answer is lost; empty where it is not cut.
        cuts: How often it was.
    """

    def __init__(self, server: Server) -> None:
        self.cut = ""
        self.cuts = 0
        self._target = f"{server.folder}/{SOCKET}"
        self.folder = tempfile.mkdtemp(prefix="qrkit-wire-", dir="/tmp")
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(f"{self.folder}/{SOCKET}")
        self._listening.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listening.close()
        shutil.rmtree(self.folder)

    def _accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                here, _ = self._listening.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(self._target)
                for ends in ((here, there, "before", b"COMMIT"), (there, here, "after", b"COMMIT\0")):
                    self._threads.append(threading.Thread(target=self._carry, args=ends))
                    self._threads[-1].start()

    def _carry(self, origin: socket.socket, end: socket.socket, when: str, sign: bytes) -> None:
        with suppress(OSError), origin:
            while said := origin.recv(65_536):
                if self.cut == when and sign in said:
                    self.cut = ""
                    self.cuts += 1
                    break
                end.sendall(said)
            for one in (end, origin):
                one.shutdown(socket.SHUT_RDWR)


def name_of(url: str) -> str:
    """The name of the database of such a URL."""
    return url.split("/")[3].split("?")[0]


@contextmanager
def wire(server: Server) -> Iterator[Wire]:
    """A wire to a server for as long as it is needed."""
    made = Wire(server)
    try:
        yield made
    finally:
        made.close()


def quick_place() -> str:
    """Memory where it has room: a disk takes 4 to 30 times as long for the 330 files of each new database."""
    has_room = Path(MEMORY).is_dir() and shutil.disk_usage(MEMORY).free > MOST_BYTES
    return MEMORY if has_room else DISK


@contextmanager
def server(*settings: str, place: str = DISK) -> Iterator[Server]:
    """A server for as long as it is needed."""
    made = Server(*settings, place=place)
    try:
        yield made
    finally:
        made.remove()
