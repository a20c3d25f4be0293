"""Who may import whom: the core stays free of Scrapy, lower layers know no higher ones."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import evocrawl

ROOT = Path(evocrawl.__file__).parent
CORE_LAYERS = (
    {
        "model", "urls", "scripts", "events", "errors", "options", "config", "stats",
        "budget", "clock", "economies", "fees", "hosts", "ledger", "flights", "items", "meta",
        "places", "particulars", "addresses", "learning_options", "network_options",
        "worker_options", "trap_options", "seam_options", "showing", "troubles", "memory_options",
        "keys", "spill", "blocks", "tables", "hostnames", "references",
        "log_records", "sameness", "files",
    },
    {"energy", "relevance", "links", "reading", "species", "store", "robots", "robots_cache",
     "robots_lines"},
    {"advice", "borders", "colony", "ending", "hearing", "holdings", "shares", "tasks", "territory",
     "worker", "chronicle", "discovery", "doors", "environment", "habitat", "landing",
     "life", "limits", "mixing", "novelty", "pens", "population", "replay",
     "barren", "growth", "sections", "slices", "traps", "turns", "waiting", "yields"},
    {"cli", "simulation", "evaluation", "experiments", "report"},
)  # fmt: skip
IN_SCRAPY = len(CORE_LAYERS)
SIBLINGS = {"energy", "relevance", "links", "reading", "species", "store"}
FRAMEWORKS = {"scrapy", "twisted"}


def part_of(module: str) -> str:
    """The part of the house: `evocrawl.species.base` is of `species`."""
    return module.split(".")[1] if "." in module else ""


def layer_of(part: str) -> int:
    """Whatever is not declared to be core is an adapter to Scrapy; spiders stand on top."""
    if part in ("", "spiders"):
        return IN_SCRAPY + 1
    return next((i for i, parts in enumerate(CORE_LAYERS) if part in parts), IN_SCRAPY)


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, for type checking too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            assert node.module is not None
            whole = node.module == "evocrawl"
            yield from (
                [f"evocrawl.{alias.name}" for alias in node.names] if whole else [node.module]
            )


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name, packages' own files included."""
    return {
        ".".join(["evocrawl", *path.relative_to(ROOT).with_suffix("").parts]): path
        for path in sorted(ROOT.rglob("*.py"))
    }


MODULES = [
    *modules().items(),
    *(
        (f"evocrawl.{folder}.{path.stem}", path)
        for folder in ("middlewares", "pipelines", "spiders")
        for path in sorted((ROOT / folder).glob("*.py"))
    ),
]
EVERY_MODULE = pytest.mark.parametrize(("module", "path"), dict(MODULES).items())


@EVERY_MODULE
def test_only_adapters_import_scrapy(module: str, path: Path) -> None:
    """The core runs without Scrapy and Twisted, and without their types."""
    if layer_of(part_of(module)) < IN_SCRAPY:
        assert not {name.split(".")[0] for name in imports(path)} & FRAMEWORKS


@EVERY_MODULE
def test_a_module_imports_no_higher_layer(module: str, path: Path) -> None:
    """What is below does not know what is built on it."""
    part = part_of(module)
    for name in imports(path):
        if name.startswith("evocrawl."):
            assert layer_of(part_of(name)) <= layer_of(part), f"{module} imports {name}"


@EVERY_MODULE
def test_families_do_not_import_each_other(module: str, path: Path) -> None:
    """Energy, relevance, reading, species and store meet in the population alone."""
    part = part_of(module)
    if part in SIBLINGS:
        used = {part_of(name) for name in imports(path) if name.startswith("evocrawl.")}
        assert used & SIBLINGS <= {part}


def test_the_core_loads_neither_scrapy_nor_twisted() -> None:
    """Also not by way of a third package."""
    code = (
        "import sys, evocrawl, evocrawl.population.population, evocrawl.species, evocrawl.simulation\n"
        "import evocrawl.core.config.config, evocrawl.core.stats, evocrawl.relevance\n"
        "print(sorted({'scrapy', 'twisted'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_layers_name_parts_that_exist() -> None:
    """A misspelt part would be held to no rule; parts still to come are allowed for."""
    there = {part_of(module) for module, _ in MODULES}
    assert set().union(*CORE_LAYERS) - there <= {"links", "evaluation"}
