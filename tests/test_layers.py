"""The rules of imports: levels, loops, frameworks, and a sentence for each package."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

import evocrawl

ROOT = Path(evocrawl.__file__).parent
LEVELS: dict[str, int] = {
    "core": 0,
    "energy": 1, "relevance": 1, "extraction": 1, "politeness": 1, "frontier": 1, "estimation": 1,
    "species": 1,
    "population": 2,
    "store": 3, "pipelines": 3,
    "simulation": 4, "monitor": 4, "seeding": 4,
    "adapter": 5, "api": 5,
    "middlewares": 6, "spiders": 6, "cli": 6,
    "addon": 7,
}  # fmt: skip
"""Package to level: a package imports lower levels only. `addon` is a module, which puts all
Scrapy components in place; the root of the package itself imports it when it is asked for."""
ORDERS = {
    "store": ("cluster", "export", "archive", "journal"),
    "simulation": ("papers", "server", "campaign", "evaluation", "worlds"),
    "adapter": ("scheduler", "robots", "context", "network"),
}
"""Parts of a package, from the one that may use all to the one that uses none of the others."""
ADAPTERS = {"adapter", "middlewares", "pipelines", "spiders", "addon"}
FRAMEWORKS = {"scrapy", "twisted"}
SERVERS = "evocrawl.monitor.dashboard"
OPTIONAL = {
    "ddgs", "icu", "markdownify", "matplotlib", "mcp", "model2vec", "playwright", "plotly",
    "primp", "psutil", "pyarrow", "pyoxigraph", "pypdf", "redis", "scrapy_playwright", "warcio",
    "zstandard",
}  # fmt: skip
"""What extras install: no module that others need imports it, but within a function."""


@cache
def modules() -> dict[str, Path]:
    """Return every module by its dotted name; the links of the three root folders are followed."""
    files = [*ROOT.rglob("*.py")]
    for folder in ("middlewares", "pipelines", "spiders"):
        files += [ROOT / folder / path.name for path in (ROOT / folder).glob("*.py")]
    names = {
        ".".join(["evocrawl", *path.relative_to(ROOT).with_suffix("").parts]): path
        for path in sorted(set(files))
    }
    return {name.removesuffix(".__init__"): path for name, path in names.items()}


def package_of(module: str) -> str:
    """Return the package of a module: `evocrawl.species.base` is in `species`."""
    return module.split(".")[1] if "." in module else ""


@cache
def imports(module: str) -> frozenset[str]:
    """Return every module that one imports, also for types and within functions."""
    return frozenset(_imports(modules()[module]))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in modules() else node.module


def own_imports(module: str) -> set[str]:
    """Return what a module imports of evocrawl."""
    return {name for name in imports(module) if name.split(".")[0] == "evocrawl"}


def test_every_package_has_a_level() -> None:
    """A folder or module at the root that is not listed is refused, and so is a listed one that
    is not there."""
    there = {package_of(module) for module in modules()} - {""}
    assert there == set(LEVELS)


def test_a_module_imports_lower_levels_only() -> None:
    """No package above it, and no other package of its own level."""
    refused = [
        f"{module} imports {name}"
        for module in modules()
        if (package := package_of(module))
        for name in own_imports(module)
        if (used := package_of(name)) not in ("", package) and LEVELS[used] >= LEVELS[package]
    ]
    assert refused == []


def test_no_files_import_each_other_in_a_loop() -> None:
    """Types count as well. The add-on, which the root imports on demand, is left out."""
    graph = {module: own_imports(module) - {"evocrawl"} for module in modules()}
    graph["evocrawl"] = set()
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("package", ORDERS)
def test_parts_of_a_package_keep_their_order(package: str) -> None:
    """A part imports only those after it in the list."""
    parts = ORDERS[package]
    for module in modules():
        names = module.split(".")[1:]
        if len(names) < 2 or names[0] != package or names[1] not in parts:
            continue
        rank = parts.index(names[1])
        for name in own_imports(module):
            used = name.split(".")[1:]
            if len(used) > 1 and used[0] == package and used[1] in parts:
                assert parts.index(used[1]) >= rank, f"{module} imports {name}"


def test_only_adapters_import_scrapy() -> None:
    """The core runs without Scrapy and Twisted, and without their types.

    The dashboard serves with Twisted alone.
    """
    refused = [
        f"{module} imports {name}"
        for module in modules()
        if package_of(module) not in ADAPTERS
        for name in imports(module)
        if name.split(".")[0] in FRAMEWORKS
        and not (module.startswith(SERVERS) and name.split(".")[0] == "twisted")
    ]
    assert refused == []


def package_docs() -> dict[str, str]:
    """Return the docstring of every package."""
    return {
        name: ast.get_docstring(ast.parse(path.read_text())) or ""
        for name, path in modules().items()
        if path.name == "__init__.py"
    }


def test_a_package_says_in_a_sentence_what_is_in_it() -> None:
    """The sentence has an end, and differs from all others."""
    docs = package_docs()
    for package, text in docs.items():
        sentence = text.split("\n\n")[0]
        assert sentence.endswith("."), package
        assert len(sentence.split()) >= 4, package
        assert [*docs.values()].count(text) == 1, package


def test_the_core_loads_neither_scrapy_nor_twisted() -> None:
    """Also not through a third package."""
    core = [name for name in modules() if package_of(name) in {"population", "simulation", "store"}]
    optional = [name for name in core if imports(name) & OPTIONAL or name.endswith("parquet")]
    code = f"import sys, {', '.join(sorted({*core} - {*optional}))}\n" + (
        "print(sorted({'scrapy', 'twisted'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_levels_have_no_gaps() -> None:
    """Eight levels, from 0."""
    levels = sorted(set(LEVELS.values()))
    assert levels[0] == 0
    assert len(levels) <= 8
    assert all(after == before + 1 for before, after in pairwise(levels))


def test_no_two_test_files_share_a_name() -> None:
    """Pytest imports a test file by its bare name, and refuses a second one of that name."""
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
