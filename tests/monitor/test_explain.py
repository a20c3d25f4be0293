"""`evocrawl explain`: the reasons of a stored crawl, from its store alone."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from stored_crawls import EVIL, SEED, StoredCrawl, name, stored
from tiny_webs import link

from evocrawl.cli import main
from evocrawl.core.errors import StateError
from evocrawl.core.model import Content
from evocrawl.core.urls.identity import fingerprint
from evocrawl.monitor.explain import explain
from evocrawl.monitor.explain_text import as_text
from evocrawl.population.link_status import LinkState, link_status
from evocrawl.species import SPECIES
from evocrawl.store.archive import Archive

LIVE_SPECIES = [each for each in SPECIES if each != "oracle"]


def last_page(path: Path) -> str:
    with Archive(path) as archive:
        return [page.url for page in archive.pages()][-1]


@pytest.mark.parametrize("species", LIVE_SPECIES)
def test_every_species_explains_its_last_page(species: str, tmp_path: Path) -> None:
    """The path begins at the seed, and the agent's energies add up."""
    crawl = StoredCrawl(tmp_path / "s", species)
    path = crawl.run()
    crawl.close()
    url = last_page(path)
    found = explain(str(path), url)
    assert found.status == "fetched"
    assert found.notes == []
    assert (found.path[0].url, found.path[-1].url) == (SEED, url)
    assert found.found is not None
    assert found.path[-1].relevance == found.found.relevance
    assert found.reason is not None
    assert len(found.reason.rule) > 20
    agent = found.agent
    assert agent is not None
    paid = sum(agent.paid.values())
    assert agent.energy_after == pytest.approx(agent.energy_before + agent.gained - paid)
    if not crawl.population.species[0].revisits:
        assert agent.energy_before == crawl.energies[url]
        assert agent.gained != 0 or paid > 0
    json.dumps(found.as_json(), allow_nan=False)
    assert url in as_text(found)


def test_the_terms_of_evo_are_those_at_the_time_of_the_choice(tmp_path: Path) -> None:
    """A crawl that notes the score of each choice has the same scores as the explanations."""
    crawl = StoredCrawl(tmp_path / "s", "evo", budget=20)
    choice = crawl.population.species[0].choice
    scores: dict[str, float] = {}
    draw = type(choice).draw

    def noted(self, agent, leads):  # type: ignore[no-untyped-def]
        lead = draw(self, agent, leads)
        if len(leads) > 1:
            theta = self.model.sampled(agent.mind.z, agent.mind.temperature)
            scores[lead.url] = float(np.max(self.prospects.features(leads) @ theta))
        return lead

    type(choice).draw = noted  # type: ignore[method-assign]
    try:
        crawl.run()
    finally:
        type(choice).draw = draw  # type: ignore[method-assign]
    crawl.close()
    assert len(scores) > 8
    for url, score in scores.items():
        reason = explain(str(crawl.path), url).reason
        assert reason is not None
        assert reason.score == pytest.approx(score)
        assert sum(each.contribution for each in reason.terms) == pytest.approx(score)
        assert reason.chance is not None
        assert 0 < reason.chance < 1


def test_a_draw_is_explained_by_its_probability(tmp_path: Path) -> None:
    path = stored(tmp_path / "s", "energy")
    reason = explain(str(path), last_page(path)).reason
    assert reason is not None
    assert reason.drawn is not None
    assert 0 < reason.drawn <= 1


@pytest.mark.parametrize("species", ["evo", "best_first", "breadth_first", "energy", "random"])
def test_a_waiting_link_has_a_rank_and_the_missing_score(species: str, tmp_path: Path) -> None:
    path = stored(tmp_path / "s", species, visits=8)
    with Archive(path) as archive:
        pages = [*archive.pages()]
    fetched = {page.url for page in pages}
    waiting = {link.url for page in pages for link in page.links} - fetched
    found = [explain(str(path), url) for url in sorted(waiting)]
    assert {each.status for each in found} == {"waiting"}
    if species == "random":
        assert all(each.notes for each in found)
        return
    places = [each.place for each in found]
    assert all(each is not None and 1 <= each.rank <= each.waiting for each in places)
    if species == "evo":
        ranks = sorted(each.rank for each in places if each)
        assert ranks[0] == 1
        assert {each.waiting for each in places if each} == {len(waiting)}
        best = min(found, key=lambda each: each.place.rank if each.place else 99)
        worst = max(found, key=lambda each: each.place.rank if each.place else 0)
        assert best.place is not None
        assert worst.place is not None
        assert best.place.score >= worst.place.score
        assert worst.missing


def test_the_next_choice_of_breadth_first_has_rank_one(tmp_path: Path) -> None:
    path = stored(tmp_path / "short", "breadth_first", visits=6)
    whole = stored(tmp_path / "long", "breadth_first", visits=7)
    place = explain(str(path), last_page(whole)).place
    assert place is not None
    assert place.rank == 1


def test_a_link_of_a_trap_is_held_back_with_its_group(tmp_path: Path) -> None:
    """Its links came after the limit of the template, so no species has seen them."""
    crawl = StoredCrawl(tmp_path / "s", "breadth_first")
    days = [f"http://a.test/day?n={number}" for number in range(20)]
    copy = Content("Day", "Nothing is planned for this day of the calendar so far. " * 4, "en")
    chain = {url: (copy, (link(days[at + 1]),)) for at, url in enumerate(days[:-1])}
    crawl.web = {SEED: (Content("Days", "A calendar.", "en"), (link(days[0]),)), **chain}
    for url in days:
        assert crawl.step()
        if link_status(crawl.population, fingerprint(url)).state is LinkState.HELD_BACK:
            break
    crawl.run(0)
    crawl.close()
    found = explain(str(crawl.path), url)
    assert found.status == "held back"
    assert found.missing[0].startswith("The link is held back: ")
    assert found.link is not None
    assert found.link.source in days


def test_a_link_that_waits_for_its_origin_is_explained(tmp_path: Path) -> None:
    """The origin is named."""
    crawl = StoredCrawl(tmp_path / "s", "breadth_first")
    crawl.journaled.guard(lambda url: None if url == SEED else "http://origin.test")
    crawl.run(3)
    crawl.close()
    with Archive(crawl.path) as archive:
        links = [each.url for page in archive.pages() for each in page.links]
    missing = [explain(str(crawl.path), url).missing for url in links]
    waits = "The link is chosen, and waits for robots.txt or the lease of http://origin.test."
    assert sum(waits in each for each in missing) == 1


def test_dead_links_and_unknown_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path / "s", "breadth_first", budget=100)
    dead = explain(str(path), name(44))
    assert (dead.status, dead.found and dead.found.reason) == ("dead", "status 404")
    assert dead.agent is not None
    assert dead.agent.paid == {"dead": 1.0}
    assert main(["explain", str(path), "http://nowhere.test/"]) == 1
    assert "is not known to this crawl" in capsys.readouterr().out
    assert main(["explain", str(path), "a.test/3"]) == 2
    assert "did you mean https://a.test/3?" in capsys.readouterr().err
    assert main(["explain", str(path), "http://a b/"]) == 2
    assert "did you mean" not in capsys.readouterr().err
    with pytest.raises(StateError, match="not an http or https URL"):
        explain(str(path), "http://")


def test_text_of_the_web_cannot_control_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stored(tmp_path / "s", "breadth_first", budget=100)
    assert main(["explain", str(path), name(5)]) == 0
    shown = capsys.readouterr().out
    assert "\\x1b[2J" in shown
    assert all(char.isprintable() or char == "\n" for char in shown)
    assert main(["explain", str(path), name(5), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["link"]["anchor"] == EVIL


def test_a_running_crawl_is_explained_and_not_changed(tmp_path: Path) -> None:
    crawl = StoredCrawl(tmp_path / "s")
    crawl.run(5)
    before = crawl.path.read_bytes()
    assert explain(str(crawl.path), SEED).status == "fetched"
    assert crawl.path.read_bytes() == before
    crawl.run(5)
    assert explain(str(crawl.path), last_page(crawl.path)).status == "fetched"
    crawl.close()


def test_a_page_behind_a_redirect_is_explained(tmp_path: Path) -> None:
    """By its own address, and by that of the link."""
    crawl = StoredCrawl(tmp_path / "s", "breadth_first")
    crawl.web["http://moved.test/"] = crawl.web[name(2)]
    answer = crawl.answer
    crawl.answer = lambda url: answer("http://moved.test/" if url == name(2) else url)  # type: ignore[method-assign]
    crawl.run()
    crawl.close()
    for url in ("http://moved.test/", name(2)):
        found = explain(str(crawl.path), url)
        assert found.status == "fetched"
        assert found.path[-1].url == "http://moved.test/"
        assert found.reason is not None


def test_a_failed_replay_is_reported(tmp_path: Path) -> None:
    """The rest of the explanation is shown."""
    path = stored(tmp_path / "s")
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE ops SET key = x'00' WHERE kind = 'choose' AND visit = 3")
    database.close()
    found = explain(str(path), last_page(path))
    assert "cannot be replayed" in found.notes[0]
    assert (found.status, found.path[0].url) == ("fetched", SEED)
    assert found.path[-1].url == last_page(path)
    assert found.found is not None
    assert found.reason is None
    database = sqlite3.connect(path)
    with database:
        database.execute("INSERT INTO about VALUES ('warp', '9')")
    database.close()
    with pytest.raises(StateError, match="does not know: warp"):
        explain(str(path), SEED)


def test_the_file_of_the_link_model_is_required(tmp_path: Path) -> None:
    learnt = tmp_path / "m.npz"
    first = StoredCrawl(tmp_path / "first", learn_to=str(learnt))
    first.run()
    first.assembly.save_learnt()
    first.close()
    path = stored(tmp_path / "s", learnt=str(learnt))
    database = sqlite3.connect(path)
    from evocrawl.species.evo.link_model.persistence import digest

    with database:
        database.execute(
            "UPDATE about SET value = ? WHERE name = 'learnt'", (json.dumps(digest(learnt)),)
        )
    database.close()
    with pytest.raises(StateError, match="--learnt"):
        explain(str(path), SEED)
    found = explain(str(path), last_page(path), learnt=str(learnt))
    assert (found.status, found.notes) == ("fetched", [])
