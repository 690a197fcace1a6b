"""Outputs: whole or absent, and nothing of the user's is replaced."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from ssmsim.errors import SsmsimError
from ssmsim.files import (
    Format,
    check_folder,
    check_output,
    check_outputs,
    csv_format,
    read_json,
    whole_file,
    whole_folder,
)

MINE = Format("table", lambda head: head.startswith(b"mine"))
BUSINESS = "mine: new\n"


def write(path, format_=MINE):
    with whole_file(path, format_) as temporary:
        temporary.write_text(BUSINESS)


def test_a_new_file_in_new_folders(tmp_path):
    write(tmp_path / "a/b/c.txt")
    assert (tmp_path / "a/b/c.txt").read_text() == BUSINESS
    assert [p.name for p in tmp_path.rglob("*")] == ["a", "b", "c.txt"]


def test_a_file_of_the_same_format_and_an_empty_one_are_replaced_with_their_permissions(tmp_path):
    for old in ("mine: old", ""):
        (tmp_path / "x").write_text(old)
        (tmp_path / "x").chmod(0o600)
        write(tmp_path / "x")
        assert (tmp_path / "x").read_text() == BUSINESS
        assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o600


def test_another_file_stays(tmp_path):
    (tmp_path / "x").write_text("a thesis")
    with pytest.raises(SsmsimError, match="x: exists and is not a table"):
        write(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "a thesis"


def test_links_are_followed(tmp_path):
    (tmp_path / "real").write_text("mine")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("new")
    write(tmp_path / "link")
    write(tmp_path / "dangling")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == BUSINESS
    assert (tmp_path / "dangling").is_symlink() and (tmp_path / "new").read_text() == BUSINESS
    (tmp_path / "thesis").write_text("a thesis")
    (tmp_path / "other").symlink_to("thesis")
    with pytest.raises(SsmsimError, match="other: exists and is not"):
        write(tmp_path / "other")


def test_a_circle_of_links(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(SsmsimError, match="/a: "):
        write(tmp_path / "a")


def test_a_fifo_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "f")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "f").read_text()), daemon=True)
    reader.start()
    write(tmp_path / "f")
    reader.join(5)
    assert got == [BUSINESS] and stat.S_ISFIFO((tmp_path / "f").stat().st_mode)


def test_a_fifo_without_a_reader_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("ssmsim.files.READER_SECONDS", 0.1)
    os.mkfifo(tmp_path / "f")
    with pytest.raises(SsmsimError, match="nobody reads this FIFO"):
        write(tmp_path / "f")
    assert stat.S_ISFIFO((tmp_path / "f").stat().st_mode)


def test_devices_are_written_to():
    before = Path("/dev/null").stat()
    write("/dev/null")
    after = Path("/dev/null").stat()
    assert stat.S_ISCHR(after.st_mode) and after.st_ino == before.st_ino
    if Path("/dev/full").exists():
        with pytest.raises(SsmsimError, match="/dev/full: cannot be written: no space left"):
            write("/dev/full")


def test_standard_output(capsys):
    write("-")
    assert capsys.readouterr().out == BUSINESS


@pytest.mark.parametrize(("name", "told"), [
    ("folder", "is a folder"), ("file/x", "is not a folder|not a directory"), ("a" * 256, "longer than 255|too long"),
    ("a/" * 3000 + "x", "too long|longer"), ("sock", "neither a file"), ("\0", "not a path"),
])  # fmt: skip
def test_no_place_for_a_file(name, told, tmp_path, monkeypatch):
    import socket

    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("sock")
        before = sorted(tmp_path.rglob("*"))
        for check in (check_output, write):
            with pytest.raises(SsmsimError, match=told):
                check(Path(name), MINE)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_long_name_that_the_file_system_takes(tmp_path):
    write(tmp_path / ("a" * 250))


def test_several_outputs(tmp_path):
    (tmp_path / "in").write_text("mine")
    (tmp_path / "link").symlink_to("same")
    with pytest.raises(SsmsimError, match="--a and --b name one file"):
        check_outputs({"--a": (tmp_path / "same", MINE), "--b": (tmp_path / "link", MINE)})
    with pytest.raises(SsmsimError, match="--a and --b name one file"):
        check_outputs({"--a": (Path("-"), MINE), "--b": (Path("-"), MINE)})
    with pytest.raises(SsmsimError, match="--a names an input"):
        check_outputs({"--a": (tmp_path / "in", MINE)}, [tmp_path / "in"])
    check_outputs({"--a": (Path("/dev/null"), MINE), "--b": (Path("/dev/null"), MINE)})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "link"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_write_protection(tmp_path):
    (tmp_path / "x").write_text("mine")
    (tmp_path / "x").chmod(0o400)
    with pytest.raises(SsmsimError, match="write-protected"):
        write(tmp_path / "x")


def test_an_error_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="mine"), whole_file(tmp_path / "x") as temporary:
        temporary.write_text("half")
        raise ValueError("mine")
    with pytest.raises(ValueError, match="mine"), whole_folder(tmp_path / "f", "kind") as folder:
        (folder / "half").touch()
        raise ValueError("mine")
    assert list(tmp_path.iterdir()) == []


def folder(path, format_="kind", inputs=(), text="new"):
    with whole_folder(path, format_, inputs) as temporary:
        (temporary / "sub").mkdir()
        (temporary / "sub/a").write_text(text)


def test_a_folder_that_was_written_is_replaced_and_an_empty_one_too(tmp_path):
    (tmp_path / "d").mkdir()
    for text in ("one", "two", "three"):
        folder(tmp_path / "d", text=text)
        assert (tmp_path / "d/sub/a").read_text() == text
    assert [p.name for p in tmp_path.iterdir()] == ["d"]


def add(name):
    return lambda d: (d / name).write_text("work")


@pytest.mark.parametrize(("change", "told"), [
    (add("thesis.tex"), r"holds thesis\.tex, which was not written"), (add("sub/b"), "holds sub/b"),
    (add("sub/a"), "holds sub/a, which was changed since"), (lambda d: (d / "new").mkdir(), "holds new"),
    (lambda d: (d / "l").symlink_to("/"), "holds l,"), (lambda d: (d / ".ssmsim-wrote.json").unlink(), "is not empty"),
    (add(".ssmsim-wrote.json"), "is not empty"),
])  # fmt: skip
def test_what_was_changed_since_stays(change, told, tmp_path):
    folder(tmp_path / "d")
    change(tmp_path / "d")
    before = sorted(str(p) for p in tmp_path.rglob("*"))
    with pytest.raises(SsmsimError, match=told):
        folder(tmp_path / "d")
    assert sorted(str(p) for p in tmp_path.rglob("*")) == before


def test_foreign_folders_other_kinds_and_inputs_stay(tmp_path, monkeypatch):
    (tmp_path / "d").mkdir()
    (tmp_path / "d/thesis.tex").touch()
    (tmp_path / "file").touch()
    folder(tmp_path / "k")
    for path, told in (
        ("d", "thesis.tex"),
        ("file", "not a folder"),
        ("/dev/null", "not a folder"),
        ("/", "input|folder|empty"),
    ):
        with pytest.raises(SsmsimError, match=told):
            folder(tmp_path / path)
    with pytest.raises(SsmsimError, match=r"another kind of output \(kind, not other\)"):
        folder(tmp_path / "k", "other")
    for place in ("k", "k/sub", "k/sub/a"):
        with pytest.raises(SsmsimError, match="holds an input"):
            folder(tmp_path / "k", inputs=[tmp_path / place])
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for path in (".", "..", tmp_path / "empty"):
        with pytest.raises(SsmsimError, match=r"working folder|not empty"):
            folder(path)


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    folder(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real/sub/a").exists()


def test_what_came_while_it_was_written_stays(tmp_path):
    with pytest.raises(SsmsimError, match="not empty"), whole_folder(tmp_path / "d", "kind") as temporary:
        (temporary / "a").touch()
        (tmp_path / "d").mkdir()
        (tmp_path / "d/thesis.tex").touch()
    assert [p.name for p in (tmp_path / "d").iterdir()] == ["thesis.tex"]


def test_a_check_creates_nothing(tmp_path):
    check_folder(tmp_path / "a/b", "kind")
    check_output(tmp_path / "a/b.txt", MINE)
    assert list(tmp_path.iterdir()) == []


def test_csv_formats(tmp_path):
    (tmp_path / "t.csv").write_text("pc,executed,wait\n")
    check_output(tmp_path / "t.csv", csv_format("table", "pc", "executed"))
    with pytest.raises(SsmsimError, match="not a table"):
        check_output(tmp_path / "t.csv", csv_format("table", "pc", "reason"))


@pytest.mark.parametrize(("data", "told"), [
    (b"{", "x.json:1: not JSON"), (b'{"a": 1, "a": 2}', "key 'a' is given twice"), (b"[" * 10**5, "nested too deeply"),
    (b"9" * 5000, "too long"), (b'{"a": NaN}', "not finite"), (b"-Infinity", "not finite"), (b"\xff", "not UTF-8"),
])  # fmt: skip
def test_json_that_is_refused(data, told, tmp_path):
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(SsmsimError, match=told):
        read_json(tmp_path / "x.json")


def test_json_with_a_byte_order_mark_and_what_is_no_file(tmp_path):
    (tmp_path / "x.json").write_bytes(b"\xef\xbb\xbf{}")
    assert read_json(tmp_path / "x.json") == {}
    os.mkfifo(tmp_path / "f")
    for path in (tmp_path, tmp_path / "f", Path("/dev/zero"), Path("/proc/self/mem"), Path("a" * 5000), Path("a\0b")):
        with pytest.raises(SsmsimError):
            read_json(path)


def test_stdout_by_another_name(tmp_path):
    code = "from ssmsim.files import whole_file, is_stdout; import sys\n"
    code += "with whole_file(sys.argv[1]) as t: t.write_text('x\\n')\nprint(is_stdout(sys.argv[1]))"
    import subprocess

    for name in ("/dev/stdout", "-", "/dev/fd/1"):
        done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=True)
        assert done.stdout == "x\nTrue\n"
    with (tmp_path / "out").open("w") as file:
        subprocess.run([sys.executable, "-c", code, "/dev/stdout"], stdout=file, check=True)
    assert (tmp_path / "out").read_text() == "x\nTrue\n"
