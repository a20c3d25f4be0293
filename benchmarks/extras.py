"""What each extra adds to an installation: packages, megabytes on disk, time and memory of imports.

    python benchmarks/extras.py [--repeat 5] [--extras warc pdf …]

Run it in an environment in which the extras are installed (`pip install -e '.[dev]'`). The packages
of an extra are those that it requires, and what these require in turn, without what evocrawl itself
requires; two extras may share packages. Megabytes are those of the installed files, without
bytecode. The import is that of the modules that the crawl or the command imports when it uses the
extra, in a process of its own that has imported Scrapy and evocrawl's add-on before: processor time
(the least of some tries) and the memory that it adds (resident set).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

IMPORTS = {
    "ddgs": "ddgs.ddgs, ddgs.engines",
    "markdown": "markdownify",
    "mcp": "mcp.server, mcp.types, evocrawl.api.mcp.server",
    "model2vec": "model2vec",
    "parquet": "pyarrow, pyarrow.parquet",
    "pdf": "pypdf",
    "playwright": "scrapy_playwright.handler, psutil",
    "redis": "redis, redis.asyncio",
    "segmentation": "icu",
    "semantic": "pyoxigraph",
    "warc": "warcio",
    "sim": "matplotlib.figure, plotly.graph_objects, zstandard, pyarrow.parquet",
}
"""What is imported when an extra is used."""

_BASE = "import scrapy.crawler, evocrawl.addon, evocrawl.spiders.evospider"
_TIMED = """
import time
{base}
def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
before, began = memory(), time.process_time()
import {modules}
print(time.process_time() - began, memory() - before)
"""


def required(name: str, extras: frozenset[str] = frozenset()) -> set[str]:
    """Return the names of the packages that a package with some extras requires, itself too."""
    found: set[str] = set()
    waiting = [(canonicalize_name(name), extras)]
    seen = set()
    while waiting:
        package, wanted = each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        try:
            requirements = distribution(package).requires or []
        except PackageNotFoundError:
            continue  # its marker is of another system, or the extra is not installed
        found.add(package)
        for requirement in map(Requirement, requirements):
            markers = [{"extra": extra} for extra in wanted or ("",)]
            marker = requirement.marker
            if marker is None or any(map(marker.evaluate, markers)):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def size_of(package: Distribution) -> int:
    """Return the bytes of the files of a package, without bytecode."""
    paths = (Path(each.locate()) for each in package.files or () if each.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def imported(modules: str, repeat: int) -> tuple[float, float]:
    """Return the seconds and the bytes that an import takes at least."""
    line = [sys.executable, "-c", _TIMED.format(base=_BASE, modules=modules)]
    runs = [subprocess.run(line, capture_output=True, text=True, check=True) for _ in range(repeat)]
    seconds, sizes = zip(*(map(float, run.stdout.split()[-2:]) for run in runs), strict=True)
    return min(seconds), min(sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="imports of each extra")
    parser.add_argument("--extras", nargs="+", default=list(IMPORTS), choices=IMPORTS)
    given = parser.parse_args()
    base = required("evocrawl")
    whole = sum(size_of(distribution(name)) for name in base - {"evocrawl"})
    print("| extra | packages | MB on disk | import, s of CPU | import, MB |")
    print("| --- |" + " ---: |" * 4)
    print(f"| none: evocrawl's own requirements | {len(base) - 1} | {whole / 1e6:.1f} | | |")
    for extra in given.extras:
        packages = required("evocrawl", frozenset((extra,))) - base
        size = sum(size_of(distribution(name)) for name in packages)
        seconds, memory = imported(IMPORTS[extra], given.repeat)
        print(
            f"| `{extra}` | {len(packages)} | {size / 1e6:.1f} | {seconds:.2f} | "
            f"{memory / 1e6:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
