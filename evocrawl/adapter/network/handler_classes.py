"""Checks which download handlers a crawl may use, and whether the guard sees their connections."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from evocrawl.core.errors import SettingError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from evocrawl.core.urls.networks import NetworkPolicy

logger = logging.getLogger(__name__)

SCHEMES = ("http", "https")

_BROWSER = "scrapy_playwright."


def check_handlers(settings: BaseSettings, networks: NetworkPolicy, trusted: Iterable[str]) -> None:
    """Raise SettingError if the guard cannot see the connections of an http(s) handler.

    The guard sees the connections of Scrapy's HTTP11DownloadHandler and of its subclasses, except
    a browser's. It does not need to see those of a handler in `trusted`. If `networks` allows every
    address, there is nothing to check.
    """
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    names = {_path(_load("EVOCRAWL_TRUSTED_HANDLERS", trust)) for trust in trusted}
    for scheme in SCHEMES:
        handler = handlers.get(scheme)
        if handler is None:
            continue
        setting = f"DOWNLOAD_HANDLERS[{scheme!r}]"
        kind = _load(setting, handler)
        _check_package(setting, kind)
        if networks.is_everything or is_watched(kind) or _path(kind) in names:
            continue
        raise SettingError(
            setting,
            _path(kind),
            "Scrapy's HTTP11DownloadHandler or a subclass of it, since the address guard does not "
            "see the connections of others; to trust this handler and keep all other guards, set "
            f'EVOCRAWL_TRUSTED_HANDLERS = "{_path(kind)}"',
        )


def _check_package(setting: str, kind: Any) -> None:
    """Check that the package of a Scrapy handler is installed."""
    check = getattr(kind, "_check_deps_installed", None)
    try:
        if check is not None:
            check()
    except NotConfigured as error:
        allowed = f"a handler whose package is installed ({error})"
        raise SettingError(setting, _path(kind), allowed) from error


def is_watched(kind: Any) -> bool:
    """Return True if the guard sees the connections of handlers of that class."""
    return (
        isinstance(kind, type) and issubclass(kind, HTTP11DownloadHandler) and not is_browser(kind)
    )


def is_browser(kind: Any) -> bool:
    """Return True for the handler of scrapy-playwright and its subclasses."""
    return any(base.__module__.startswith(_BROWSER) for base in getattr(kind, "__mro__", ()))


def check_loaded(handlers: Any) -> None:
    """Build the handlers of http and https; raises SettingError for one that cannot be built.

    `handlers` are the downloader's. Without this check, Scrapy would fail each single request.
    """
    for scheme in SCHEMES:
        if scheme in handlers._schemes and handlers._get_handler(scheme) is None:
            raise SettingError(
                f"DOWNLOAD_HANDLERS[{scheme!r}]",
                _path(handlers._schemes[scheme]),
                f"a handler that can be built here ({handlers._notconfigured[scheme]})",
            )


def say_what_is_not_watched(kind: type[Any]) -> None:
    """Log which connections of handlers of that class the guard does not see."""
    if not is_watched(kind):
        logger.warning(
            "guard: the address guard does not see the connections of %s; it looks up each host "
            "before a request is sent",
            _path(kind),
        )
    elif kind.download_request is not HTTP11DownloadHandler.download_request:
        logger.info(
            "guard: the address guard sees the connections that %s makes as its parent class does; "
            "for others it looks up the host before a request is sent",
            _path(kind),
        )


def _path(kind: Any) -> str:
    if isinstance(kind, str):
        return kind
    return f"{kind.__module__}.{getattr(kind, '__qualname__', kind)}"


def _load(setting: str, handler: Any) -> Any:
    try:
        return load_object(handler)
    except (ImportError, NameError, TypeError, ValueError) as error:
        raise SettingError(setting, handler, f"a class that can be imported ({error})") from error
