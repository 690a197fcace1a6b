"""Compiled code that was damaged on the disk is never used: it is deleted and compiled again."""

import pickle
from pathlib import Path

import pytest
from numba.core import caching

from ssmsim.engines import compile_cache
from ssmsim.engines.compile_cache import TRAILER_BYTES, announce, checked, sound
from ssmsim.errors import SsmsimError

BASE = next(kind for kind in caching.IndexDataCacheFile.__mro__ if kind.__name__ == "IndexDataCacheFile")


def cache_file(folder: Path, name: str = "loop.run-40.py311", ours: Path | None = None):
    return checked(ours or folder, BASE)(str(folder), name, "stamp")


def kept(folder: Path) -> tuple[Path, Path]:
    """Index and data of one function that was compiled."""
    cache_file(folder).save("signature", {"code": b"machine code" * 100})
    return folder / "loop.run-40.py311.nbi", folder / "loop.run-40.py311.1.nbc"


def test_what_was_compiled_is_found(tmp_path):
    index, data = kept(tmp_path)
    assert cache_file(tmp_path).load("signature") == {"code": b"machine code" * 100}
    assert sound(index) and sound(data)
    assert pickle.loads(data.read_bytes())  # Numba's own reader takes no notice of the hash


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("damage", ["truncate", "flip", "flip the hash", "empty", "garbage", "another's", "older"])
def test_damage_is_noticed(which, damage, tmp_path, capsys):
    file = kept(tmp_path)[which]
    data = bytearray(file.read_bytes())
    if damage == "another's":
        other = cache_file(tmp_path, "other-1.py311")
        other.save("signature", "other code")
        data = bytearray((tmp_path / f"other-1.py311{'.1.nbc' if which else '.nbi'}").read_bytes())
    data = {"truncate": data[: len(data) // 2], "empty": bytearray(), "garbage": bytearray(b"x" * 99),
            "older": data[:-TRAILER_BYTES]}.get(damage, data)  # fmt: skip
    if damage == "flip":
        data[len(data) // 3] ^= 1
    if damage == "flip the hash":
        data[-1] ^= 1
    file.write_bytes(data)
    compile_cache._announced = True
    assert cache_file(tmp_path).load("signature") is None
    assert not file.exists()
    cache_file(tmp_path).save("signature", "compiled again")
    assert cache_file(tmp_path).load("signature") == "compiled again"


def test_files_elsewhere_are_numbas(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file = cache_file(folder, ours=tmp_path / "ours")
    file.save("signature", "code")
    assert not (folder / "loop.run-40.py311.1.nbc").read_bytes()[-TRAILER_BYTES:].startswith(compile_cache.MARK)
    assert cache_file(folder, ours=tmp_path / "ours").load("signature") == "code"


def test_the_engine_uses_it():
    import ssmsim.engines.embedded.simulate  # noqa: F401
    from ssmsim.engines.embedded.sources import digest

    assert caching.IndexDataCacheFile.__name__ == "Checked"
    assert digest()


def test_a_first_use_is_announced_once_and_only_for_the_loop(capsys, monkeypatch):
    monkeypatch.setattr(compile_cache, "_announced", False)
    announce("tags.find-3.py311.nbi")
    assert capsys.readouterr().err == ""
    for name in ("loop.run-40.py311.nbi", "core.run-40.py311.nbi"):
        announce(name)
    assert capsys.readouterr().err == f"{compile_cache.FIRST_USE}\n"


@pytest.mark.parametrize("place", ["file", "/proc/ssmsim"])
def test_a_folder_that_cannot_be_written_is_one_line(place, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    before = caching.IndexDataCacheFile
    with pytest.raises(SsmsimError, match="set SSMSIM_CACHE to a folder"):
        compile_cache.use(tmp_path / place)
    assert caching.IndexDataCacheFile is before
