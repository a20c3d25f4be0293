"""Options of pages that are opened in a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evocrawl.core.config.option import maybe, number, one_of, option, whole

_MODES = ("never", "auto", "always")


@dataclass(frozen=True, kw_only=True)
class BrowserOptions:
    """Options of pages that are opened in a browser."""

    browser: Literal["never", "auto", "always"] = option(
        "never",
        one_of(_MODES),
        "never, auto or always",
        "which pages are opened in a browser, which runs their scripts: none; those whose HTML has "
        "nothing to read or is the shell of an app, as long as that pays; or all HTML pages",
    )
    browser_share: float = option(
        0.25,
        number(0, 1, above=True),
        "a number above 0, at most 1",
        "with browser=auto, most requests of scripts and data that pages in the browser make, as "
        "a share of max_requests; of the requests so far without a limit",
    )
    browser_pages: int = option(
        2, whole(1, 64), "a whole number from 1 to 64", "pages open in the browser at once"
    )
    browser_lifetime_pages: int = option(
        100,
        whole(0),
        "a whole number from 0",
        "pages after which a new browser takes the place of the old one, with what that keeps of "
        "closed pages; 0: it stays",
    )
    browser_timeout_s: float = option(
        20.0,
        number(1, 600),
        "a number from 1 to 600",
        "seconds that a page has in the browser; then it is read in its present state",
    )
    browser_cost: float = option(
        None,
        maybe(number(0)),
        "a number from 0",
        "energy that each request of a page in the browser costs its agent, at least once a page "
        "and at most `gain` a page; same as `cost` unless set",
    )
