import os
from pathlib import Path

import pytest

from concolor.errors import FormatError, InputError
from concolor.files import read_json, read_text, write_atomically


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
def test_what_is_not_a_file_is_left_alone(path, tmp_path):
    with pytest.raises(InputError, match="not a regular file"):
        write_atomically(path, b"x")
    assert Path(path).exists()


def test_a_folder_that_is_a_file_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(InputError, match="cannot be written"):
        write_atomically(tmp_path / "file" / "inside", b"y")


def test_json_of_another_kind_is_refused(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"a": "é"}', encoding="utf-8")
    assert read_json(file, dict) == {"a": "é"} == read_json(str(file), (list, dict))
    with pytest.raises(FormatError, match=r"a\.json: unexpected JSON dict"):
        read_json(file, list)


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b'"' + b"9" * 5000, b"\xff"])
def test_what_is_not_json_is_one_error_with_the_path(content, tmp_path):
    file = tmp_path / "a.json"
    file.write_bytes(content)
    with pytest.raises(FormatError, match="cannot be read") as caught:
        read_json(file, (dict, list, str))
    assert caught.value.path == file


def test_text_that_is_not_there_is_one_error_with_the_path(tmp_path):
    with pytest.raises(FormatError, match=r"nowhere: cannot be read .*No such file"):
        read_text(tmp_path / "nowhere")
