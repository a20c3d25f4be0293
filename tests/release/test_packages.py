"""A wheel and an egg contain every package: `pyproject.toml` lists each by name."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_package_of_the_tree_is_in_the_distribution() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {
        ".".join(init.parent.relative_to(ROOT).parts)
        for init in (ROOT / "evocrawl").rglob("__init__.py")
    }
    assert len(found) > 20
    assert found <= {*listed}
