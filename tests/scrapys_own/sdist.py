"""Scrapy's own tests: downloaded from the package index once, and unpacked for each test."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
import tarfile
from collections.abc import Collection
from pathlib import Path

import pytest

VERSION = "2.19.0"
SHA256 = "34130726582b64c91531162ab277c4053e558876d49ba219cb43679e71d80a87"
CACHE = Path.home() / ".cache" / "evocrawl"
_ARCHIVE = CACHE / f"scrapy-{VERSION}.tar.gz"


def unpacked(to: Path, tests: Collection[str]) -> Path:
    """Unpack the source archive unless it is there; return its folder.

    Of the files of tests it has those named `tests`: pytest takes time for each file that it sees.
    Skips the test where no index is reachable.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = to / f"scrapy-{VERSION}"
    with (CACHE / "scrapy.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _ARCHIVE.exists():
            _fetch()
        assert hashlib.sha256(_ARCHIVE.read_bytes()).hexdigest() == SHA256, _ARCHIVE
        if not folder.exists():
            with tarfile.open(_ARCHIVE) as archive:
                # Python 3.11.2 of Debian 12 has no filters; the archive has the digest above.
                archive.extraction_filter = getattr(tarfile, "data_filter", _as_it_is)
                archive.extractall(to)
            for each in (folder / "tests").glob("test_*.py"):
                if each.name not in tests:
                    each.unlink()
            _make_keys(folder)
    return folder


def _as_it_is(member: tarfile.TarInfo, _: str) -> tarfile.TarInfo:
    return member


def _make_keys(folder: Path) -> None:
    """Make the keys and certificates of the tests' servers.

    Each process of Scrapy's tests that is no worker of pytest-xdist would make its own in the same
    files, also while a server of another process reads them.
    """
    line = "from tests.keys import generate_keys; generate_keys()"
    subprocess.run([sys.executable, "-c", line], cwd=folder, check=True)


def _fetch() -> None:
    wanted = CACHE / "scrapy.txt"
    wanted.write_text(f"scrapy=={VERSION} --hash=sha256:{SHA256}\n")
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps"]
    line = [*pip, "--no-binary", "scrapy", "--dest", str(CACHE), "--requirement", str(wanted)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert "DO NOT MATCH THE HASHES" not in said, said
    if done.returncode:
        pytest.skip(f"the package index does not give scrapy {VERSION}: {said.strip()[-200:]}")
