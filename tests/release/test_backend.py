"""The archives of a release do not depend on the time, place and user of the build."""

from __future__ import annotations

import io
import runpy
import tarfile
import zipfile
from pathlib import Path

import pytest

BACKEND = runpy.run_path(str(Path(__file__).parents[2] / "release" / "backend.py"))
FILES = {"p/b.py": b"b = 1\n", "p/a.py": b"a = 1\n", "p.dist-info/RECORD": b"p/a.py,,\n"}


def tar_of(path: Path, *, mtime: int, mode: int, owner: str, names: list[str]) -> Path:
    """Write a .tar.gz like a builder with that time, umask and name."""
    with tarfile.open(path, "w:gz") as archive:
        folder = tarfile.TarInfo("p")
        folder.type, folder.mode, folder.mtime = tarfile.DIRTYPE, mode | 0o100, mtime
        archive.addfile(folder)
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode, entry.uname = len(FILES[name]), mtime, mode, owner
            archive.addfile(entry, io.BytesIO(FILES[name]))
    return path


def zip_of(path: Path, *, year: int, mode: int, names: list[str]) -> Path:
    """Write a wheel like a builder with that time and umask."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            entry = zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, FILES[name])
    return path


def test_two_source_archives_of_the_same_files_are_the_same(tmp_path: Path) -> None:
    """Built at another time, by another user with another umask, from another file system."""
    one = tar_of(tmp_path / "1.gz", mtime=1, mode=0o600, owner="ann", names=[*FILES])
    two = tar_of(tmp_path / "2.gz", mtime=9, mode=0o664, owner="bob", names=[*reversed(FILES)])
    assert one.read_bytes() != two.read_bytes()
    BACKEND["settle_tar"](one)
    BACKEND["settle_tar"](two)
    assert one.read_bytes() == two.read_bytes()
    with tarfile.open(one) as archive:
        entries = {entry.name: entry for entry in archive}
        assert [*entries] == sorted(["p", *FILES])
        assert (entries["p"].mode, entries["p/a.py"].mode) == (0o755, 0o644)
        read = archive.extractfile("p/a.py")
        assert read is not None
        assert read.read() == FILES["p/a.py"]


def test_two_wheels_of_the_same_files_are_the_same(tmp_path: Path) -> None:
    """The record of a wheel stays its last entry."""
    one = zip_of(tmp_path / "1.whl", year=2001, mode=0o600, names=[*FILES])
    two = zip_of(tmp_path / "2.whl", year=2020, mode=0o664, names=[*reversed(FILES)])
    BACKEND["settle_zip"](one)
    BACKEND["settle_zip"](two)
    assert one.read_bytes() == two.read_bytes()
    with zipfile.ZipFile(one) as archive:
        assert archive.namelist() == ["p/a.py", "p/b.py", "p.dist-info/RECORD"]
        assert archive.read("p/b.py") == FILES["p/b.py"]
        assert archive.infolist()[0].external_attr >> 16 == 0o100644


def test_an_executable_file_stays_executable(tmp_path: Path) -> None:
    """Its mode is kept."""
    wheel = zip_of(tmp_path / "1.whl", year=2001, mode=0o700, names=["p/a.py"])
    BACKEND["settle_zip"](wheel)
    with zipfile.ZipFile(wheel) as archive:
        assert archive.infolist()[0].external_attr >> 16 == 0o100755


def test_the_date_is_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`SOURCE_DATE_EPOCH` sets it, as the specification of reproducible builds says."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    wheel = zip_of(tmp_path / "1.whl", year=2020, mode=0o644, names=["p/a.py"])
    BACKEND["settle_zip"](wheel)
    with zipfile.ZipFile(wheel) as archive:
        assert archive.infolist()[0].date_time == (2001, 9, 9, 1, 46, 40)
