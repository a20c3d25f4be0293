"""What a configuration becomes: species by their names, a model of links with its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from evocrawl.core.config.config import Config
from evocrawl.core.errors import SettingError
from evocrawl.population.assembly import Assembly, assemble, makers_of
from evocrawl.species import SPECIES


def test_several_species_are_joined_by_a_plus() -> None:
    """In the order of their names."""
    assert makers_of("evo") == [SPECIES["evo"]]
    assert makers_of("energy+best_first") == [SPECIES["energy"], SPECIES["best_first"]]


@pytest.mark.parametrize("name", ["evo, energy", " evo energy", "evo;energy", "evo , energy "])
def test_a_list_in_another_form_is_refused_with_the_right_form(name: str) -> None:
    with pytest.raises(SettingError, match=r"did you mean evo\+energy\?"):
        makers_of(name)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("evolution", r"^species is 'evolution'; allowed: one or more, joined by"),
        ("evo+evo", r"^species is 'evo\+evo'; allowed: one or more, joined by"),
        ("enegy", "did you mean energy"), ("evo+breadth", "did you mean breadth_first"),
    ],
)  # fmt: skip
def test_an_unknown_or_repeated_species_is_refused(name: str, problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        makers_of(name)


def assembled(**options: str) -> Assembly:
    config = Config.read({}, {"query": "coral reef", **options})
    return assemble(config, concurrency=3, host_limit=lambda _: (1, 0.0), timeout_s=9.0)


@pytest.mark.parametrize(("relevance", "has_vectors"), [("tfidf", False), ("tfidf+vectors", True)])
def test_the_model_of_links_has_the_word_vectors_of_the_query(
    relevance: str, has_vectors: bool
) -> None:
    """If the relevance model has any; other species have no such model."""
    assembly = assembled(species="evo", relevance=relevance)
    assert assembly.link_model is not None
    assert (assembly.link_model.nearness._vectors is not None) == has_vectors
    assert assembled(species="energy", relevance=relevance).link_model is None


def test_the_configuration_limits_the_visits_at_once() -> None:
    """Without a limit, those are as many as the downloader has."""
    assert assembled().population.max_unsettled == 3
    assert assembled(max_unsettled="2").population.max_unsettled == 2


@pytest.mark.parametrize("name", ["learnt", "learn_to"])
def test_only_a_species_with_a_model_of_links_learns(name: str) -> None:
    with pytest.raises(SettingError, match="species that has a link model"):
        assembled(species="energy", **{name: "learnt.npz"})


def test_what_is_learnt_goes_to_a_file_that_can_be_written(tmp_path: Path) -> None:
    """This is checked before the crawl begins; the error has the cause."""
    (tmp_path / "file").touch()
    with pytest.raises(SettingError, match=r"a path that can be written \(.*directory.*\)"):
        assembled(species="evo", learn_to=str(tmp_path / "file" / "learnt.npz"))


@pytest.mark.parametrize("browser", ["never", "auto"])
def test_the_choice_of_a_browser_learns_only_if_there_is_one(browser: str) -> None:
    """Without one, no visit costs time for it."""
    assembly = assembled(browser=browser)
    learns = assembly.rendering.learn in assembly.population.on_outcome
    assert learns == (browser == "auto")
