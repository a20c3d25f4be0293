"""Small spiders do with the add-on what they do with stock Scrapy.

Each runs both ways, on a site of its own: the items are the same, each callback and errback is
called as often, for the same kinds of failure, and the crawl ends for the same reason. The table of
docs/guide/drop-in.md gives the reason of each intended difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from groupruns import left_by
from pending import CALLS, REASONS
from spidergroups import GROUPS, cases_of

Left = Callable[[str], dict[str, dict[str, Any]]]
CASES = {name: group for group in GROUPS for name in cases_of(group)}
PAGE = Path(__file__).parent.parent.parent / "docs" / "guide" / "drop-in.md"


def _differences() -> dict[str, list[str]]:
    """Return the cells of the table of differences by the spider's name."""
    rows = {}
    for line in PAGE.read_text().splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            rows[cells[0].strip("`")] = cells[1:]
    return rows


DIFFERENCES = _differences()


def _marked(pending: dict[str, str]) -> list[Any]:
    marks = {name: [pytest.mark.xfail(strict=True, reason=why)] for name, why in pending.items()}
    return [
        pytest.param(group, name, id=name, marks=marks.get(name, []))
        for name, group in CASES.items()
    ]


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """Return the results of each case of a group with stock Scrapy and with the add-on."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    return lambda group: left_by(group, shared / "dropin")


@pytest.mark.parametrize(("group", "name"), _marked(CALLS))
def test_items_and_calls_are_those_of_stock_scrapy(left: Left, group: str, name: str) -> None:
    stock, addon = (left(group)[variant][name] for variant in ("stock", "addon"))
    if name in DIFFERENCES:
        assert (stock["items"], stock["calls"]) != (addon["items"], addon["calls"])
        for cell, run in zip(DIFFERENCES[name], (stock, addon), strict=False):
            assert cell.startswith(f"{len(run['items'])} item"), run["calls"]
        return
    assert addon["calls"] == stock["calls"]
    assert addon["items"] == stock["items"]


@pytest.mark.parametrize(("group", "name"), _marked(REASONS))
def test_the_crawl_ends_for_scrapys_reason(left: Left, group: str, name: str) -> None:
    stock, addon = (left(group)[variant][name] for variant in ("stock", "addon"))
    assert stock["reason"] != "does not end"
    assert addon["reason"] == stock["reason"]


def test_each_difference_has_a_reason() -> None:
    """The table names spiders of this suite, with the reason for each."""
    assert set(DIFFERENCES) <= set(CASES)
    for name, (_, _, why) in DIFFERENCES.items():
        assert len(why.split()) > 5, name
    assert not set(DIFFERENCES) & set(CALLS)
