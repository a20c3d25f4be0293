"""Builds evocrawl as setuptools does, and makes the archives the same whenever and wherever built.

Archives have entries in order of their names, one date (`SOURCE_DATE_EPOCH`, or else a fixed one),
no owner, and modes that do not depend on the umask. pip and build call this module as PEP 517 says.
"""

from __future__ import annotations

import gzip
import os
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

EPOCH = 1_580_601_600
"""2 February 2020: the date of all files unless `SOURCE_DATE_EPOCH` is set; zip begins in 1980."""


def build_sdist(folder: str, settings: dict[str, Any] | None = None) -> str:
    """Build the source archive in `folder`; return its name."""
    name = build_meta.build_sdist(folder, settings)
    settle_tar(Path(folder, name))
    return name


def build_wheel(
    folder: str, settings: dict[str, Any] | None = None, metadata: str | None = None
) -> str:
    """Build the wheel in `folder`; return its name."""
    name = build_meta.build_wheel(folder, settings, metadata)
    settle_zip(Path(folder, name))
    return name


def settle_tar(path: Path) -> None:
    """Write the entries of a .tar.gz again: in order, with one date, without owner."""
    epoch_s = _epoch_s()
    beside = path.with_suffix(".new")
    with (
        tarfile.open(path) as old,
        beside.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=epoch_s) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for entry in sorted(old.getmembers(), key=lambda each: each.name):
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = epoch_s, 0, 0, "", ""
            entry.mode = _mode(entry.mode, is_folder=entry.isdir())
            entry.pax_headers = {}
            new.addfile(entry, old.extractfile(entry) if entry.isreg() else None)
    beside.replace(path)


def settle_zip(path: Path) -> None:
    """Write the entries of a wheel again: in order, with one date; the record comes last."""
    date = time.gmtime(_epoch_s())[:6]
    beside = path.with_suffix(".new")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(beside, "w") as new:
        entries = sorted(
            old.infolist(), key=lambda each: (each.filename.count("/RECORD"), each.filename)
        )
        for entry in entries:
            made = zipfile.ZipInfo(entry.filename, date)
            made.compress_type = zipfile.ZIP_DEFLATED
            made.create_system = 3  # Unix, also where it is built elsewhere
            made.external_attr = (0o100000 | _mode(entry.external_attr >> 16)) << 16
            new.writestr(made, old.read(entry))
    beside.replace(path)


def _mode(mode: int, *, is_folder: bool = False) -> int:
    return 0o755 if is_folder or mode & 0o100 else 0o644


def _epoch_s() -> int:
    return int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH))
