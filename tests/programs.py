"""Programs that tests start and that Python packages do not contain: Redis and Chromium.

A test that needs one that is not installed is skipped, and says so. ``python tests/programs.py``
installs what is missing, where it may and the system is Debian or alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from ctypes.util import find_library

import pytest

REDIS = ("redis-server", "valkey-server")
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def installed(names: tuple[str, ...]) -> str | None:
    """Return the path of the first of these programs that is installed."""
    return next(filter(None, map(shutil.which, names)), None)


def needed(names: tuple[str, ...]) -> str:
    """Return the path of a program; skip the test where it is not installed."""
    found = installed(names)
    if found is None:
        pytest.skip(f"{names[0]} is not installed")
    return found


needs_chromium = pytest.mark.skipif(
    installed(CHROMIUM) is None, reason=f"{CHROMIUM[0]} is not installed"
)


def _install(package: str) -> None:
    apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300", "install", "-y"]
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    line = [*apt, "--no-install-recommends", package]
    subprocess.run(line, env=quiet, stdout=subprocess.DEVNULL, check=False)


def _install_missing() -> None:
    """Install Redis and the Chromium that needs least time; where that is unknown, another."""
    missing = [names[0] for names in (REDIS, CHROMIUM) if shutil.which(names[0]) is None]
    if find_library("atomic") is None:
        missing.append("libatomic1")  # which the driver of Playwright needs
    if missing:
        subprocess.run(["apt-get", "-q", "update"], stdout=subprocess.DEVNULL, check=False)
    for package in missing:
        _install(package)
    if installed(CHROMIUM) is None:
        _install(CHROMIUM[1])


if __name__ == "__main__" and os.geteuid() == 0 and shutil.which("apt-get"):
    _install_missing()
