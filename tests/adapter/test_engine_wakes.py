"""The timers that make the engine ask the scheduler again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from evocrawl.adapter import engine_wakes
from evocrawl.adapter.engine_wakes import EngineWakes


@pytest.mark.parametrize(("is_paused", "pause_s"), [(False, 0.1), (True, 1.0)])
def test_a_paused_engine_is_seldom_woken_for_pages_in_pipelines(
    monkeypatch: pytest.MonkeyPatch, *, is_paused: bool, pause_s: float
) -> None:
    """It settles no visit, however long the pause is."""
    later = list[tuple[float, Any]]()
    monkeypatch.setattr(engine_wakes, "call_later", lambda *call: later.append(call))
    asked = list[Any]()
    monkeypatch.setattr(engine_wakes, "ask_scheduler_soon", asked.append)
    engine = SimpleNamespace(paused=is_paused, scraper=SimpleNamespace(slot=object()))
    pages = {1: SimpleNamespace(known_at_s=1.0)}
    context: Any = SimpleNamespace(fetches=SimpleNamespace(under_way=pages))
    crawler: Any = SimpleNamespace(engine=engine)
    wakes = EngineWakes(crawler, context)
    wakes.look_soon()
    for turn in range(1, 4):
        delay_s, look = later[-1]
        assert delay_s == pause_s
        look()
        assert (len(later), len(asked)) == (turn + 1, turn)
    pages.clear()
    later[-1][1]()
    assert (len(later), len(asked)) == (4, 3)
