"""Commands work with a store while `qrkit serve` has it, and visitors do not notice."""

import csv
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from itertools import count
from pathlib import Path

import pytest

from qrkit import open_portfolio
from tests.server.open_loop import p99, redirects
from tests.server.processes import served
from tests.sweeps import night_after

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Python has no Unix sockets on Windows")

RATE = 100
LONGEST_MS = 300


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_portfolio("shop.duckdb") as portfolio:
        portfolio.insert_qrcode("https://example.com/door", name="Door", short_code="door")
    return "shop.duckdb"


def start(*words):
    command = [sys.executable, "-W", "error", "-m", "qrkit", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def run(*words, status=0):
    """Run a command; give what it prints, and what it complains of."""
    with start(*words) as process:
        printed, complained = process.communicate()
    assert process.returncode == status, complained
    return printed, complained


def answer(url):
    """The status and the body of an answer."""
    try:
        with urllib.request.urlopen(url) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


HOLDING = "import sys, qrkit; shop = qrkit.open_portfolio(sys.argv[1]); print('open', flush=True); input()"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else")
def test_a_socket_of_another_user_is_named(store):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDING, store], **pipes) as holder:
        assert holder.stdout.readline() == "open\n"
        socket = Path(f"{store}.sock").absolute()
        socket.touch()
        os.chown(socket, 65534, 65534)
        told = f"{socket} belongs to another user, so commands cannot reach the server of this store; keep the store in"
        printed, complained = run("list", "--store", store)
        assert told in complained
        assert "Door" in printed
        assert told in run("add", "https://example.com/2", "--store", store, status=2)[1]
        holder.communicate("\n")


def test_a_server_says_that_it_has_made_its_store_and_names_one_that_may_be_meant(store):
    with start("serve", "--store", "shpo.duckdb", "--port", "0") as server:
        first = server.stdout.readline()
        server.terminate()
        server.communicate()
    new = "shpo.duckdb (new: it has no QR Codes yet; did you mean 'shop.duckdb'?) at http://127.0.0.1:"
    assert first.startswith(new)


@pytest.mark.slow
def test_commands_and_server_work_with_one_store(store, tmp_path):
    (tmp_path / "codes.csv").write_text("QR Code Name,Content\nWindow,https://example.com/window\n")
    (tmp_path / "brand.json").write_text('{"foreground": "#204060"}')
    at = ("--store", store)
    with served(store) as (_, url):
        key = run("account", "key", "local", *at)[0].strip()
        assert answer(f"{url}/api/v3/track/list?auth={key}")[0] == 200
        assert run("template", "save", "brand", "brand.json", *at) == ("brand: saved\n", "")
        assert run("import", "codes.csv", "--template", "brand", *at)[0] == "codes.csv: 1 created; template brand\n"
        old = ("--old-base-url", "https://old.example/qr")
        told = "the server of this store answers at https://old.example/qr after a restart"
        assert told in run("import", "codes.csv", *old, *at)[1]
        assert run("export", "out.csv", *at) == ("out.csv: 2 QR Codes\n", "")
        with (tmp_path / "out.csv").open(newline="") as file:
            rows = {row["QR Code Name"]: row for row in csv.DictReader(file)}
        code = rows["Window"]["Trackable URL"].rpartition("/")[2]
        assert answer(f"{url}/{code}.svg")[0] == 200
        assert b"Window" in answer(f"{url}/api/v3/track/list?auth={key}")[1]
        assert "leads to" in run("set", "Window", "--rule", "device=ios https://example.com/app", *at)[0]
        assert run("explain", "Window", "--device", "ios", *at)[0].startswith("https://example.com/app: rule 1 of 1")
        assert run("backup", store, "copy.duckdb")[1] == ""
        assert run("verify", store) == (f"{store}: sound\n", "")
        assert "bytes smaller" in run("compact", store)[0]
        id = run("account", "keys", "local", *at)[0].split()[0]
        run("account", "revoke", "local", id, *at)
        assert answer(f"{url}/api/v3/track/list?auth={key}")[0] == 401
        for refused in (("serve", *at, "--port", "0"), ("migrate", store, "new.duckdb")):
            assert "is open in another process; close that one" in run(*refused, status=2)[1]
    with open_portfolio("copy.duckdb") as copy:
        assert {one.name: one.template for one in copy.list_qrcodes()} == {"Door": "", "Window": "brand"}


@pytest.mark.slow
def test_a_server_that_was_killed_is_in_nobodys_way(store, tmp_path):
    with served(store) as (process, _):
        process.kill()
        process.wait()
        assert (tmp_path / "shop.duckdb.sock").exists()
        assert run("account", "list", "--store", store)[1] == ""
    with served(store):
        assert run("account", "list", "--store", store) == ("local  premium  keys: 0\n", "")


def do_much(store, url, folder, codes):
    """Import a number of codes; make, use and revoke keys meanwhile; then write a report and a file."""
    at = ("--store", store)
    importing = start("import", str(folder / "many.csv"), *at)
    for number in count():
        key = run("account", "key", "local", "--label", f"{number}", *at)[0].strip()
        assert answer(f"{url}/api/v3/track/qrcode/none?auth={key}")[0] == 404
        id = json.loads(run("account", "keys", "local", "--json", *at)[0].splitlines()[-1])["id"]
        run("account", "revoke", "local", id, *at)
        assert answer(f"{url}/api/v3/track/qrcode/none?auth={key}")[0] == 401
        if importing.poll() is not None:
            break
    printed, complained = importing.communicate()
    assert printed.endswith(f"{codes:,} created\n"), complained
    run("report", "-o", str(folder / "report.html"), *at)
    run("export", str(folder / "out.csv"), *at)


@pytest.mark.slow
@pytest.mark.needs("loopback")
def test_changes_do_not_wait_for_a_file_that_is_read(store):
    """The file is a pipe, so that the command stands still in the middle of it."""
    os.mkfifo("posters.csv")
    with served(store), start("import", "posters.csv", "--store", store) as importing:
        with Path("posters.csv").open("w", encoding="utf-8") as file:  # waits for the command to open it
            run("add", "https://example.com/meanwhile", "--name", "Meanwhile", "--store", store)
            file.write("Name,Content\nPoster,https://example.com/poster\n")
        complained = importing.communicate()[1]
        assert importing.returncode == 0, complained
        listed = run("list", "--store", store, "--json")[0].splitlines()
    assert [json.loads(line)["name"] for line in listed] == ["Door", "Meanwhile", "Poster"]


@pytest.mark.slow
@pytest.mark.parametrize("codes", night_after([10_000, 50_000]))
def test_visitors_do_not_wait_for_commands(store, tmp_path, capsys, codes):
    rows = (f"Poster {one},https://example.com/{one}\n" for one in range(codes))
    (tmp_path / "many.csv").write_text("QR Code Name,Content\n" + "".join(rows))
    with served(store) as (_, url), redirects(url, RATE) as times:
        do_much(store, url, tmp_path, codes)
    middle, longest = times[len(times) // 2], times[-1]
    told = f"{len(times)} redirects: p50 {middle:.1f} ms, p99 {p99(times):.1f} ms, longest {longest:.1f} ms"
    with capsys.disabled():
        print(f"\n{told}", end="", flush=True)  # noqa: T201
    assert longest < LONGEST_MS, told
