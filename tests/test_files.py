import os

import pytest

from qrkit.errors import CannotWrite
from qrkit.files import complete_file


def test_a_file_takes_its_name_when_all_of_it_is_written(tmp_path):
    path = tmp_path / "out.csv"
    path.write_bytes(b"before")
    with complete_file(path) as file:
        file.write(b"after")
        file.flush()
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("before", [b"before", None])
def test_an_error_on_the_way_leaves_what_was_there(tmp_path, before):
    path = tmp_path / "out.csv"
    if before:
        path.write_bytes(before)

    def fail():
        with complete_file(path) as file:
            file.write(b"half")
            raise ValueError

    with pytest.raises(ValueError):
        fail()
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == ({"out.csv": before} if before else {})


def test_a_link_stays_one_and_its_file_is_written(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with complete_file(tmp_path / "link") as file:
        file.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"x"


def test_a_pipe_is_written_to(tmp_path):
    read, write = os.pipe()
    with complete_file(tmp_path.joinpath("/dev/fd", str(write))) as file:
        file.write(b"x")
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        assert pipe.read() == b"x"


@pytest.mark.parametrize("name", ["nowhere/out.csv", "."])
def test_what_cannot_be_written_is_named_as_it_was_given(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(CannotWrite, match=r"No such file|Is a directory") as caught, complete_file(path):
        pass
    assert str(caught.value).startswith(f"{path} cannot be written: ")
    assert isinstance(caught.value, OSError)
