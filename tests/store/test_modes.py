"""Who may read the files of a store: its owner, unless the operator has given the store another mode."""

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from stat import S_IMODE
from tempfile import TemporaryDirectory

import pandas as pd
import pytest

from qrkit import open_portfolio
from qrkit.__main__ import main
from qrkit.store.recording.recorder import record_visit
from qrkit.store.upkeep.maintenance import backup, compact, rescue, verify
from qrkit.tracking.records import Visit

pytestmark = [
    pytest.mark.rule("P1"),
    pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions"),
]
NOW = datetime(2026, 4, 15, 12, tzinfo=UTC)
PATIENCE = 60


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder):
    """Return the modes of files and of folders below a folder, by name."""
    found = {path.relative_to(folder): S_IMODE(path.stat().st_mode) for path in sorted(folder.rglob("*"))}
    files = {str(path): oct(mode) for path, mode in found.items() if (folder / path).is_file()}
    folders = {str(path): oct(mode) for path, mode in found.items() if (folder / path).is_dir()}
    return files, folders


def fill(path):
    """Make a store with a log, an inbox, and a history, all of them in use; return it open."""
    shop = open_portfolio(path, clock=lambda: NOW)
    shop.insert_qrcode("https://example.com", short_code="door")
    times = [datetime(2026, 2, 1) + timedelta(hours=hour) for hour in range(50)]
    shop.scans.insert(pd.DataFrame({"short_code": "door", "time": times, "visitor": 1, "user_agent": "x"}))
    shop.archive()
    shop.store.checkpoint()
    shop.insert_campaign("Spring")
    code = shop.list_qrcodes()[0]
    assert record_visit(shop.store, Visit(NOW, "scan", "door", 1, code.content, "x"), seconds=PATIENCE)
    return shop


@pytest.mark.parametrize(("chosen", "file", "folder"), [(None, "0o600", "0o700"), (0o660, "0o660", "0o770")])
def test_all_files_have_the_mode_of_the_store(tmp_path, chosen, file, folder):
    path = tmp_path / "shop.duckdb"
    if chosen:
        open_portfolio(path).close()
        path.chmod(chosen)
    with fill(path) as shop:
        files, folders = modes(tmp_path)
        assert len([name for name in files if ".inbox-" in name]) == 2
        assert {"shop.duckdb.wal", "shop.history/manifest.json", "shop.history/codes.parquet"} < set(files)
        backup(shop.store, tmp_path / "copy.duckdb")
        with open_portfolio(snapshot_of=path) as seen:
            backup(seen.store, tmp_path / "seen.duckdb")
        compact(shop.store)
        rescue(path, tmp_path / "new.duckdb")
        more_files, more_folders = modes(tmp_path)
    assert set((files | more_files).values()) == {file}
    assert set((folders | more_folders).values()) == {folder}
    assert not (tmp_path / "shop.duckdb.wal").exists()


@pytest.fixture
def public():
    """A folder that all users can enter; those of pytest are private."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_existing_files_keep_their_mode_and_verify_says_so(public, tmp_path, capsys):
    path = public / "shop.duckdb"
    fill(path).close()
    path.chmod(0o644)
    assert main(["verify", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{path}: sound\n"
    assert f"other users of this machine can read {path}; if they should not: chmod -R o= {path}\n" in err
    copy = tmp_path / "copy.duckdb"
    open_portfolio(copy).close()
    copy.chmod(0o640)
    with open_portfolio(path) as shop:
        backup(shop.store, copy)
    assert S_IMODE(copy.stat().st_mode) == 0o640
    assert S_IMODE(path.stat().st_mode) == 0o644
    path.chmod(0o600)
    assert main(["verify", str(path)]) == 0
    assert "other users" not in capsys.readouterr().err


def test_a_private_folder_is_enough(public, capsys):
    path = public / "own" / "shop.duckdb"
    path.parent.mkdir(mode=0o700)
    open_portfolio(path).close()
    path.chmod(0o644)
    assert main(["verify", str(path)]) == 0
    assert "other users" not in capsys.readouterr().err


LEFT = """
import os, sys
from qrkit import open_portfolio
shop = open_portfolio(sys.argv[1])
shop.insert_campaign("Spring")
os._exit(0)
"""


@pytest.mark.slow
def test_a_log_that_was_left_is_private(tmp_path):
    path = tmp_path / "shop.duckdb"
    subprocess.run([sys.executable, "-c", LEFT, str(path)], check=True, timeout=PATIENCE)
    assert S_IMODE(path.with_name("shop.duckdb.wal").stat().st_mode) == 0o600
    with open_portfolio(path) as shop:
        assert [one.name for one in shop.list_campaigns()] == ["Spring"]
        assert verify(shop.store) == []
