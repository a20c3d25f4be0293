"""Pages appear, change and vanish at their times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from world_files import CHANGES, ROWS, A, B, C, write_rows

from evocrawl.core.model import Dead
from evocrawl.core.urls.identity import fingerprint
from evocrawl.simulation.worlds.archwiki import START, read_history
from evocrawl.simulation.worlds.base import Arrived, Document
from evocrawl.simulation.worlds.changing import Changing
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.world_file import WorldError

NEW = "http://a.test/new"


@pytest.fixture
def world(tmp_path: Path) -> Changing:
    start = write_rows(tmp_path / "start.jsonl", ROWS)
    return Changing.read(start, write_rows(tmp_path / "changes.jsonl", CHANGES))


def page(world: Changing, url: str, now_s: float) -> Document:
    arrived = world.fetch(url, now_s)
    assert isinstance(arrived, Arrived)
    return arrived.document


def test_a_change_counts_from_its_second_on(world: Changing) -> None:
    """With any order of the changes in the file."""
    assert page(world, B, 99.0).text == "Birds, birds and birds."
    assert page(world, B, 100.0).text == "Whales."
    assert [link.url for link in page(world, B, 100.0).links] == [A]


def test_a_page_vanishes_and_appears_again(world: Changing) -> None:
    """It has its earlier content with the additions, and each link once."""
    dead = world.fetch(B, 200.0)
    assert isinstance(dead, Dead)
    assert dead.reason == "status 404"
    assert page(world, B, 300.0).text == "Whales.\nThey are back."
    assert [link.url for link in page(world, B, 300.0).links] == [A, C]


def test_a_page_appears(world: Changing) -> None:
    """Before that it is missing; its topic is known from the beginning."""
    assert isinstance(world.fetch(NEW, 149.9), Dead)
    assert page(world, NEW, 150.0).title == "New"
    assert world.about("Nature.Fish") == {fingerprint(NEW)}
    assert fingerprint(NEW) in world.about("Nature")
    assert len(world) == 4


def test_an_earlier_change_sets_the_date_alone(world: Changing) -> None:
    """A page without changes keeps the date of the file."""
    assert page(world, A, 0.0).text == "Albatrosses and other birds."
    assert world.changed_at(A, 0.0) == -50.0
    assert world.changed_at(B, 0.0) == 0.0
    assert [world.changed_at(B, now) for now in (100.0, 250.0, 301.0)] == [100.0, None, 300.0]
    assert world.changed_at(C, 0.0) is None


def test_fetches_do_not_change_what_comes_later(world: Changing) -> None:
    """Earlier times can be requested again."""
    before = [page(world, B, now) for now in (0.0, 100.0, 300.0)]
    assert [page(world, B, now) for now in (300.0, 100.0, 0.0)] == before[::-1]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"url": A}, "at_s"),
        ({"url": A, "at_s": "soon"}, "at_s"),
        ({"url": A, "at_s": 1, "links_added": [1]}, "links_added[0]"),
    ],
)
def test_a_bad_change_is_named(tmp_path: Path, row: dict[str, object], field: str) -> None:
    """By line and field, as in a world file."""
    start = write_rows(tmp_path / "start.jsonl", ROWS)
    with pytest.raises(WorldError) as caught:
        Changing.read(start, write_rows(tmp_path / "changes.jsonl", [row]))
    assert (caught.value.line, caught.value.field) == (1, field)


def history(tmp_path: Path, *rows: object, moved: dict[str, str] | None = None) -> Changing:
    """Return the small world with the history of one page, in seconds from the beginning."""
    timed = [[START + row[0], *row[1:]] for row in rows if isinstance(row, list)]
    changes = write_rows(tmp_path / "changes.jsonl", [{"url": NEW, "changes": timed}])
    redirects = tmp_path / "redirects.json"
    redirects.write_text(json.dumps(moved or {}))
    start = Recorded.read(write_rows(tmp_path / "start.jsonl", ROWS))
    return Changing(start, read_history(changes, redirects))


def test_a_history_of_a_wiki_is_read(tmp_path: Path) -> None:
    """Appearing, changing with new links, vanishing."""
    world = history(
        tmp_path,
        [10, "A", 30, 30, 0, 1, 0], [20, "M", 40, 12, 2, [A, "http://x.test/"], 1], [30, "D"],
    )  # fmt: skip
    assert isinstance(world.fetch(NEW, 9.0), Dead)
    assert page(world, NEW, 10.0).title == "new"
    changed = page(world, NEW, 20.0)
    assert changed.text.endswith(
        "Revision of 2018-01-01 00:00+00:00: 12 characters added, 2 removed."
    )
    assert [link.url for link in changed.links] == [A, "http://x.test/"]
    assert isinstance(world.fetch(NEW, 30.0), Dead)


@pytest.mark.parametrize("at_s", [10, -10])
def test_a_page_of_a_wiki_that_redirects(tmp_path: Path, at_s: int) -> None:
    """From its last change on, or from the beginning."""
    world = history(tmp_path, [at_s, "A", 30, 30, 0, 1, 0], moved={NEW: B})
    assert isinstance(world.fetch(NEW, 9.0), Dead) == (at_s > 0)
    assert page(world, NEW, 10.0).url == B
    assert len(world) == 3


@pytest.mark.parametrize("row", [["x", "A"], [1, "Q"], [1, "A"], [], [1e300, "A", 1, 1, 1, 1]])
def test_a_bad_history_is_named(tmp_path: Path, row: list[object]) -> None:
    """With its line and position."""
    changes = write_rows(tmp_path / "changes.jsonl", [{"url": NEW, "changes": [row]}])
    with pytest.raises(WorldError, match=r"line 1: changes\[0\]"):
        list(read_history(changes))
    with pytest.raises(WorldError, match="list of lists"):
        list(read_history(write_rows(changes, [{"url": NEW, "changes": row or 1}])))
