"""Settings with which scrapy-playwright starts the system's Chromium; it reaches only loopback."""

from __future__ import annotations

from programs import CHROMIUM, needed

_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.*",
]  # fmt: skip


def launch_options() -> dict[str, object]:
    """Return PLAYWRIGHT_LAUNCH_OPTIONS; skip the test where Chromium is not installed."""
    return {"executable_path": needed(CHROMIUM), "args": _ARGUMENTS, "timeout": 120_000}
