"""Debian packages fetched and unpacked into a cache folder, without installing them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from demo.waiting import announced

RELEASE = "Debian 12 (bookworm)"


class PackageError(Exception):
    """The packages cannot be fetched; the message names the solution."""


def cache_folder() -> Path:
    """Return the folder in EVOCRAWL_CACHE, or ``~/.cache/evocrawl/debian-docs``."""
    return Path(os.environ.get("EVOCRAWL_CACHE") or "~/.cache/evocrawl/debian-docs").expanduser()


def fetch(packages: Sequence[str], cache: Path) -> dict[str, Path]:
    """Return the unpacked folder of each package; download those missing in `cache`.

    A complete folder is renamed to its final name, so an interrupted run leaves no partial folder.
    Root is needed only if apt has no package lists. Raises PackageError.
    """
    folders = {package: cache / package for package in packages}
    missing = [package for package, folder in folders.items() if not folder.is_dir()]
    if missing:
        _check_tools()
        cache.mkdir(parents=True, exist_ok=True)
        with (
            announced(f"downloading {len(missing)} documentation packages"),
            tempfile.TemporaryDirectory(prefix=".fetch-", dir=cache) as work,
        ):
            _download(missing, Path(work))
            for package in missing:
                _unpack(package, Path(work), folders[package])
    return folders


def _check_tools() -> None:
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise PackageError(
                f"{tool} is missing: the demonstration web is made of packages of {RELEASE}. Crawl "
                'the live web instead: make crawl QUERY="…" SEEDS="https://…"'
            )


def _download(packages: Sequence[str], work: Path) -> None:
    root = os.geteuid() == 0
    command = ["apt-get", "download", *packages]
    if root:  # apt's own user cannot write here, and apt would warn
        command[1:1] = ["-o", "APT::Sandbox::User=root"]
    error = _run(command, work)
    if error and root:
        error = _run(["apt-get", "update"], work) or _run(command, work)
    if error:
        hint = "" if root else "Run `sudo apt-get update` once, then try again. "
        raise PackageError(
            f"{' '.join(command)} failed. {hint}The packages are those of {RELEASE}.\n{error}"
        )


def _unpack(package: str, work: Path, folder: Path) -> None:
    (archive,) = work.glob(f"{package}_*.deb")
    unpacked = work / package
    if error := _run(["dpkg-deb", "-x", str(archive), str(unpacked)], work):
        raise PackageError(f"{archive.name} cannot be unpacked: {error}")
    unpacked.chmod(0o755)
    if not folder.is_dir():  # another run may have finished first
        unpacked.rename(folder)


def _run(command: Sequence[str], work: Path) -> str:
    """Return "" if `command` succeeded, else its message."""
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stderr.strip() or f"exit code {done.returncode}")
