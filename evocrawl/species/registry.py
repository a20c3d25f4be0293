"""Species by name: built-in ones, and entry points of installed packages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.metadata import entry_points

from evocrawl.core.errors import SettingError
from evocrawl.species import SPECIES, Maker

GROUP = "evocrawl.species"
"""The group of entry points; each is a maker: it takes a SpeciesContext, and returns a Species."""


def known(wanted: Collection[str] = ()) -> Mapping[str, Maker | None]:
    """Return the names of all species, with the makers of built-in ones.

    A built-in species overrides an entry point of the same name. If all wanted names are built in,
    only these are returned: looking up entry points reads a file of each package.
    """
    if wanted and all(name in SPECIES for name in wanted):
        return SPECIES
    return {**{point.name: None for point in entry_points(group=GROUP)}, **SPECIES}


def maker_of(name: str) -> Maker:
    """Return the maker of a known species. Raises SettingError if its package cannot be imported.

    Raises KeyError for an unknown name.
    """
    if name in SPECIES:
        return SPECIES[name]
    point = {each.name: each for each in entry_points(group=GROUP)}[name]
    try:
        maker: Maker = point.load()
    except Exception as error:  # another package's module may raise anything
        allowed = f"a species that can be imported ({type(error).__name__}: {error})"
        raise SettingError("species", name, allowed) from error
    return maker
