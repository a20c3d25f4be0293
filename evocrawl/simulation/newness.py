"""Measures of the news that a run found, in worlds whose pages have dates."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from evocrawl.core.model import Fingerprint
from evocrawl.simulation.evaluation import freshness
from evocrawl.simulation.evaluation.freshness import Download, Window
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.runner import Run
from evocrawl.simulation.scoring import Witness
from evocrawl.simulation.worlds.base import World

_HOUR_S = 3600.0
_UNDATED: Row = dict.fromkeys(
    ("news_sent", "news_found", "download_efficiency", "sent_efficiency", "freshness", "age_h")
)


@runtime_checkable
class Dated(Protocol):
    """A world that knows the times at which its pages change."""

    def changed_at(self, url: str, now_s: float) -> float | None:
        """Return the time of the last change of a page before `now_s`; None for no page."""


def newness(world: World, done: Run, seen: Witness) -> Row:
    """Return the fields of a row on found URLs and on news; news is None if no page has a date."""
    downloads = [
        Download(step.finished_at_s, step.agent, step.fingerprint, step.changed_at_s)
        for step in done.steps
        if step.outcome == "fetched"
    ]
    row: Row = {
        "found_urls": len(seen.found),
        "relative_found_url": freshness.relative_found_url(len(seen.found), len(downloads)),
        **_UNDATED,
        "news": [],
    }
    dated = any(each.changed_at_s is not None for each in downloads)
    return row | _news(world, downloads, done, seen) if dated and isinstance(world, Dated) else row


def _news(world: Dated, downloads: list[Download], done: Run, seen: Witness) -> Row:
    def changed_at(page: Fingerprint, now_s: float) -> float | None:
        return world.changed_at(seen.urls[page], now_s)

    sent, found = freshness.sent_and_found(downloads)
    windows = freshness.over_time(downloads, changed_at, done.simulated_s)
    age_s = freshness.mean_of(window.age_s for window in windows)
    return {
        "news_sent": len(sent),
        "news_found": len(found),
        "download_efficiency": freshness.efficiency(len(found), len(downloads)),
        "sent_efficiency": freshness.efficiency(len(found), len(sent)),
        "freshness": freshness.mean_of(window.freshness for window in windows),
        "age_h": None if age_s is None else age_s / _HOUR_S,
        "news": [_point(window) for window in windows],
    }


def _point(window: Window) -> list[float | None]:
    age_h = None if window.age_s is None else round(window.age_s / _HOUR_S, 6)
    share = None if window.freshness is None else round(window.freshness, 6)
    hours = round(window.end_s / _HOUR_S, 6)
    return [hours, window.downloaded, window.sent, window.found, share, age_h]
