"""Settings with which scrapy-playwright starts Debian's Chromium; it reaches only this machine."""

from __future__ import annotations

import os
import shutil
import subprocess

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.*",
]  # fmt: skip


def launch_options() -> dict[str, object]:
    """Return PLAYWRIGHT_LAUNCH_OPTIONS; Chromium is installed where it is missing and may be."""
    for install in (lambda: None, _install):
        install()
        found = next(filter(None, map(shutil.which, _NAMES)), None)
        if found:
            return {"executable_path": found, "args": _ARGUMENTS, "timeout": 120_000}
    raise RuntimeError("there is no chromium, and apt-get cannot install it")


def _install() -> None:
    apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        subprocess.run([*apt, *step], env=quiet, stdout=subprocess.DEVNULL, check=False)
