"""How the species of a crawl are named."""

from __future__ import annotations

import pytest

from evocrawl.core.errors import SettingError
from evocrawl.population.assembly import makers_of
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
        ("evolution", "one or more, joined by"), ("evo+evo", "one or more, joined by"),
        ("enegy", "did you mean energy"), ("evo+breadth", "did you mean breadth_first"),
    ],
)  # fmt: skip
def test_an_unknown_or_repeated_species_is_refused(name: str, problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        makers_of(name)
