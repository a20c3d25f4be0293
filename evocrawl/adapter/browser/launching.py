"""Chooses and starts the browser; a missing package or program is an error before the crawl."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scrapy.utils.asyncio import is_asyncio_available

from evocrawl.core.errors import SettingError

_OPTIONS = "PLAYWRIGHT_LAUNCH_OPTIONS"
_PACKAGES = ("scrapy_playwright", "playwright", "psutil")
_CHROMIUMS = (
    "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable",
)  # fmt: skip
"""The first one has no windows and needs a sixth of the processor time of the others."""
_SEALED = (
    # The crawl's downloader makes all requests; connections of the browser itself must fail.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--js-flags=--max-old-space-size=512",
)


def is_chromium(settings: Mapping[str, Any]) -> bool:
    """Return True if PLAYWRIGHT_BROWSER_TYPE is Chromium, as it is unless set."""
    return (settings.get("PLAYWRIGHT_BROWSER_TYPE") or "chromium") == "chromium"


def check_browser(settings: Mapping[str, Any], mode: str) -> None:
    """Raise SettingError if no browser can be started here; the error names what to install."""
    missing = next((each for each in _PACKAGES if find_spec(each) is None), None)
    if missing is not None:
        allowed = f"never; others need {missing}: pip install 'evocrawl[playwright]'"
        raise SettingError("browser", mode, allowed)
    if not is_asyncio_available():
        raise SettingError("browser", mode, "never; others need Twisted's asyncio reactor")
    if _is_remote(settings) or not is_chromium(settings) or executable(settings):
        return
    if not _has_own_chromium():
        allowed = (
            "never; others need a Chromium: apt install chromium-headless-shell, or playwright "
            "install chromium, or its executable_path in PLAYWRIGHT_LAUNCH_OPTIONS"
        )
        raise SettingError("browser", mode, allowed)


def launch_options(options: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return PLAYWRIGHT_LAUNCH_OPTIONS, completed so that the browser connects to nothing."""
    if not is_chromium(settings):
        return dict(options)
    arguments = [*options.get("args", ()), *_SEALED]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium does not start as root otherwise
    found = executable(settings)
    path = {"executable_path": found} if found and "channel" not in options else {}
    return {**options, **path, "args": arguments}


def executable(settings: Mapping[str, Any]) -> str | None:
    """Return the path of the Chromium that the settings name, or of the system's; None if neither.

    Playwright's own Chromium has precedence over the system's.
    """
    named = _own_options(settings).get("executable_path")
    if named:
        return shutil.which(str(named))
    if _has_own_chromium():
        return None
    return next(filter(None, map(shutil.which, _CHROMIUMS)), None)


def _own_options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return PLAYWRIGHT_LAUNCH_OPTIONS, which is JSON on a command line; raises SettingError."""
    given = settings.get(_OPTIONS) or {}
    try:
        return dict(json.loads(given) if isinstance(given, str) else given)
    except (TypeError, ValueError) as error:
        raise SettingError(_OPTIONS, given, "a dict, or one as JSON") from error


def _has_own_chromium() -> bool:
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright"
    return any(Path(folder).glob("chromium*-[0-9]*"))


def _is_remote(settings: Mapping[str, Any]) -> bool:
    return any(settings.get(name) for name in ("PLAYWRIGHT_CDP_URL", "PLAYWRIGHT_CONNECT_URL"))
