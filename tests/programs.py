"""Programs that tests start and that Python packages do not contain: Redis and Chromium.

A test that needs one that is not installed is skipped, and says so. ``python tests/programs.py``
installs what is missing, where it may and the system is Debian or alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

REDIS = ("redis-server", "valkey-server")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


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


def _install(packages: list[str]) -> None:
    apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        subprocess.run([*apt, *step], env=quiet, stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    missing = [names[0] for names in (REDIS, CHROMIUM) if installed(names) is None]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        _install(missing)
