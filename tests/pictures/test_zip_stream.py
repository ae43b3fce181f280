"""`ZipStream`: archives that every program opens, of any number of files."""

import io
import shutil
import subprocess
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from qrkit.pictures.zip_stream import ZipStream, packed
from tests.sweeps import quick_first


def test_what_goes_in_comes_out(tmp_path):
    files = {
        "a.txt": b"a" * 1000,
        "empty": b"",
        "Straße/größe €.svg": b"<svg/>" * 99,
        "\U0001f600.png": bytes(range(256)),
    }
    with (tmp_path / "a.zip").open("wb") as file, ZipStream(file) as archive:
        for number, (name, data) in enumerate(files.items()):
            archive.add(name, packed(data, deflated=bool(number % 2)))
    with ZipFile(tmp_path / "a.zip") as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == files
        assert [one.compress_type for one in archive.infolist()] == [ZIP_STORED, ZIP_DEFLATED] * 2
        assert {(one.date_time, one.external_attr >> 16) for one in archive.infolist()} == {
            ((1980, 1, 1, 0, 0, 0), 0o644)
        }


@pytest.mark.needs("unzip")
def test_another_program_reads_it(tmp_path):
    with (tmp_path / "a.zip").open("wb") as file, ZipStream(file) as archive:
        archive.add("größe.txt", packed(b"x" * 999, deflated=True))
        archive.add("b.txt", packed(b"y", deflated=False))
    ran = subprocess.run(
        [shutil.which("unzip"), "-t", "a.zip"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout
    assert "No errors" in ran.stdout


@pytest.mark.parametrize("count", quick_first([65_536, 65_535, 65_534]))
def test_there_may_be_more_files_than_old_archives_count(count):
    file, entry = io.BytesIO(), packed(b"", deflated=False)
    with ZipStream(file) as archive:
        for number in range(count):
            archive.add(str(number), entry)
    with ZipFile(file) as archive:
        assert archive.namelist() == [str(number) for number in range(count)]


def test_an_archive_may_be_longer_than_4_gb(tmp_path):
    start = 5 * 2**30
    with (tmp_path / "a.zip").open("wb") as file:
        # A hole, which takes no room on the disk.
        file.seek(start)
        with ZipStream(file, start=start) as archive:
            archive.add("a.txt", packed(b"far away", deflated=False))
            archive.add("b.txt", packed(b"and further", deflated=True))
    with ZipFile(tmp_path / "a.zip") as archive:
        assert archive.read("a.txt") + archive.read("b.txt") == b"far awayand further"
        assert archive.infolist()[0].header_offset == start


def test_an_error_inside_makes_no_archive():
    file = io.BytesIO()
    with pytest.raises(KeyError), ZipStream(file) as archive:
        archive.add("a", packed(b"a", deflated=False))
        raise KeyError
    assert b"PK\1\2" not in file.getvalue()
