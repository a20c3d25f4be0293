"""Worlds are opened by name, and saved."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from world_files import CHANGES, ROWS, write_rows

from evocrawl.core.errors import SettingError
from evocrawl.core.model import Dead, Refused
from evocrawl.simulation.worlds.changing import Changing
from evocrawl.simulation.worlds.made_up.news import News
from evocrawl.simulation.worlds.made_up.sites import Sites
from evocrawl.simulation.worlds.recorded import Recorded
from evocrawl.simulation.worlds.registry import open_world
from evocrawl.simulation.worlds.world_file import WorldError
from evocrawl.simulation.worlds.writer import save_world


def test_a_file_or_a_folder_is_opened_as_what_it_is(tmp_path: Path) -> None:
    """A folder names its world."""
    folder = tmp_path / "birds"
    folder.mkdir()
    pages = write_rows(folder / "pages.jsonl", ROWS)
    assert isinstance(open_world(pages), Recorded)
    assert open_world(str(folder)).name == "birds"
    pages.rename(folder / "start.jsonl")
    assert isinstance(open_world(folder), Recorded)
    write_rows(folder / "changes.jsonl", CHANGES)
    assert isinstance(open_world(folder), Changing)
    write_rows(folder / "changes.jsonl", [{"url": "http://a.test/new", "changes": []}])
    assert isinstance(open_world(folder), Changing)


def test_packed_files_of_a_folder_are_found(tmp_path: Path) -> None:
    """By their ending."""
    raw = write_rows(tmp_path / "w", ROWS).read_bytes()
    (tmp_path / "pages.jsonl.gz").write_bytes(gzip.compress(raw))
    assert len(open_world(tmp_path)) == 3


def test_what_is_no_world_is_an_error(tmp_path: Path) -> None:
    """A folder without the files, a name without a file."""
    with pytest.raises(WorldError, match=r"no pages\.jsonl"):
        open_world(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_world(tmp_path / "none")


def test_made_up_worlds_take_their_numbers_from_the_name() -> None:
    """Those of the plan, of the weather, and the seed."""
    sites = open_world("sites:sites=20,semantic=0.5,forbidden=0.25,latency_s=2,seed=3")
    assert isinstance(sites, Sites)
    assert (sites.plan.sites, sites.plan.semantic, sites.weather.latency_s) == (20, 0.5, 2.0)
    assert sites.weather.dead == 0.02
    other = open_world("sites:sites=20,semantic=0.5,forbidden=0.25,latency_s=2,seed=4")
    assert list(sites.documents()) != list(other.documents())
    news = open_world("news:pages=200")
    rewired = open_world("news:pages=200,rewired=1")
    assert isinstance(news, News)
    assert (news.name, rewired.name) == ("news:pages=200", "news:pages=200,rewired=1")


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("sites:sides=3", "world"), ("sites:sites=many", "sites"), ("news:pages=1", "pages"),
        ("news:seed=-1", "seed"), ("sites:semantic=x", "semantic"), ("news:dead=2", "dead"),
        ("sites:sites=0.5", "sites"), ("news:days=nan", "days"), ("sites:weather=1", "world"),
        ("sites:rewired=1", "world"), ("sites:dead=0.6,moved=0.6", "world"),
    ],
)  # fmt: skip
def test_a_number_that_cannot_be_is_named(spec: str, name: str) -> None:
    """With what would do."""
    with pytest.raises(SettingError) as caught:
        open_world(spec)
    assert caught.value.name == name


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_a_saved_world_is_the_same_world(tmp_path: Path, ending: str) -> None:
    """Pages, topics, and what is no page: all that a crawl can meet at time 0."""
    world = open_world("sites:sites=20,timeouts=0.1,moved=0.2,dead=0.2,forbidden=0.2,seed=1")
    path = tmp_path / f"sites.jsonl{ending}"
    assert save_world(world, path) > len(world)
    again = open_world(path)
    assert list(again.documents()) == list(world.documents())
    assert again.topics() == world.topics()
    assert all(again.about(topic) == world.about(topic) for topic in world.topics())
    met = set()
    for url in {link.url for document in world.documents() for link in document.links}:
        first, second = world.fetch(url, 0.0), again.fetch(url, 0.0)
        met.add(type(first))
        assert type(first) is type(second)
        assert first.cost.requests == second.cost.requests
        if isinstance(first, Dead) and first.reason != "no HTML":
            assert first.reason == getattr(second, "reason", "")
    assert met >= {Dead, Refused}
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_recorded_world_survives_being_saved(tmp_path: Path) -> None:
    """Dates, languages and links with all their marks."""
    world = open_world(write_rows(tmp_path / "w.jsonl", ROWS))
    save_world(world, tmp_path / "copy.jsonl")
    again = open_world(tmp_path / "copy.jsonl")
    assert list(again.documents()) == list(world.documents())


def test_a_save_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither half a file nor the end of an older one."""
    world = open_world("sites:sites=3,seed=1")
    path = tmp_path / "w.jsonl"
    path.write_text("older")

    def fail() -> None:
        raise OSError("disk full")

    monkeypatch.setattr(world, "documents", fail)
    with pytest.raises(OSError, match="disk full"):
        save_world(world, path)
    assert path.read_text() == "older"
    assert len(list(tmp_path.iterdir())) == 1
