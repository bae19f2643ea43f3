import os
from pathlib import Path

import pytest

from concolor.errors import InputError
from concolor.files import write_atomically


def test_writes_into_new_folders_and_over_old_files(tmp_path):
    file = tmp_path / "a" / "b"
    write_atomically(file, b"old")
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
    assert os.listdir(file.parent) == ["b"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomically(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"x"


@pytest.mark.parametrize("path", [os.devnull, "."])
def test_what_is_no_file_is_left_alone(path, tmp_path):
    with pytest.raises(InputError, match="no regular file"):
        write_atomically(path, b"x")
    assert Path(path).exists()


def test_a_folder_that_is_a_file_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(InputError, match="cannot be written"):
        write_atomically(tmp_path / "file" / "inside", b"y")
