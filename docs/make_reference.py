"""Writes reference/settings.md from the tables in the code: `python docs/make_reference.py`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from evocrawl.adapter.meta import META_KEYS
from evocrawl.core.config.config import PREFIX, Config
from evocrawl.core.config.presets import SPECIES_PRESETS
from evocrawl.core.stats import STATS

PAGE = Path(__file__).parent / "reference" / "settings.md"

_HEAD = """\
# Reference

`docs/make_reference.py` generates this page from the code.

## Settings and arguments

Each option is a Scrapy setting and, in `evospider`, a spider argument; the argument wins. An
unknown name, a value out of range or a contradiction ends the crawl before the first request.

"""

_ECONOMIES = """
## Defaults of species

If one of these species is alone in a crawl, these options have other defaults than above.
Options that you set win. Several species together use the ordinary defaults.

"""

_STATS = """
## Stats

"""

_META = """
## Request meta keys

"""

_SIGNALS = """
## Signals

evocrawl defines none of its own. `request_scheduled` is sent for each request that a spider yields
when it becomes a link of the population, `request_dropped` for a redirect that leads to a page
that is known already.
"""


def reference() -> str:
    """Return the text of the page."""
    options = "".join(_option(each.name, each.default, each.metadata) for each in fields(Config))
    stats = "".join(f"### `{name}`\n\n{meaning}.\n\n" for name, meaning in STATS.items())
    keys = "".join(f"### `{name}`\n\n{meaning}.\n\n" for name, meaning in META_KEYS.items())
    economies = "".join(_economy(name, own) for name, own in SPECIES_PRESETS.items())
    page = f"{_HEAD}{options}{_ECONOMIES}{economies}{_STATS}{stats}{_META}{keys}{_SIGNALS}"
    return page.replace("\n\n\n", "\n\n")


def _option(name: str, default: object, metadata: object) -> str:
    option = metadata["option"]  # type: ignore[index]
    shown = "not set" if default in (None, "", ()) else f"`{default}`"
    return (
        f"### `{PREFIX}{name.upper()}`\n\n"
        f"Argument `{name}`. Default: {shown}. Allowed: {option.allowed}.\n\n"
        f"{option.meaning[:1].upper()}{option.meaning[1:]}.\n\n"
    )


def _economy(species: str, own: dict[str, object]) -> str:
    defaults = ", ".join(f"`{name}` {value}" for name, value in own.items())
    return f"- `{species}`: {defaults}\n"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
