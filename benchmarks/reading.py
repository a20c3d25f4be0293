"""Compares the CPU time to read a page with that of Scrapy's link extraction.

Run: python benchmarks/reading.py FOLDER [--pages 300] [--runs 7] [--seed 1]

FOLDER contains HTML files, such as an unpacked documentation. Each run times
every reader on the same pages, in shuffled order of readers; the ratio is the median over runs of
paired ratios. A reader gets bytes and URL and returns the links; evocrawl also returns contexts,
main text, title and language, which the others do not ("+ text" adds trafilatura's main text).
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from evocrawl.extraction import parse_html

Reader = Callable[[bytes, str], int]
EXTRACTOR = LinkExtractor()


def evocrawl(body: bytes, url: str) -> int:
    """Return links with contexts; also read main text, title and language."""
    return len(parse_html(body, url, encoding="utf-8").links)


def scrapy(body: bytes, url: str) -> int:
    """Return the links of a Scrapy response; also read its title."""
    response = HtmlResponse(url, body=body, encoding="utf-8")
    response.selector.xpath("//title/text()").get()
    return len(EXTRACTOR.extract_links(response))


def scrapy_and_text(body: bytes, url: str) -> int:
    """Return the same; also extract the main text by trafilatura."""
    from trafilatura import extract

    extract(body.decode("utf-8", "replace"))
    return scrapy(body, url)


def readers() -> dict[str, Reader]:
    """Return the readers that are installed, by name."""
    found: dict[str, Reader] = {"evocrawl": evocrawl, "scrapy": scrapy}
    if find_spec("trafilatura"):
        found["scrapy + text"] = scrapy_and_text
    return found


def pages(folder: Path, most: int, chance: random.Random) -> list[tuple[bytes, str]]:
    """Return a sample of the HTML files of the folder, with addresses."""
    files = sorted(path for path in folder.rglob("*.htm*") if path.is_file())
    if not files:
        raise SystemExit(f"no HTML files in {folder}")
    chosen = chance.sample(files, min(most, len(files)))
    return [
        (f.read_bytes(), f"https://docs.test/{f.relative_to(folder).as_posix()}") for f in chosen
    ]


def milliseconds(reader: Reader, sample: list[tuple[bytes, str]]) -> float:
    """Return the CPU time for each page in milliseconds."""
    begin = time.process_time()
    for body, url in sample:
        reader(body, url)
    return (time.process_time() - begin) / len(sample) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    sample = pages(options.folder, options.pages, chance)
    named = readers()
    times: dict[str, list[float]] = {name: [] for name in named}
    for _ in range(options.runs):
        for name in chance.sample(list(named), len(named)):
            times[name].append(milliseconds(named[name], sample))
    size = statistics.mean(len(body) for body, _ in sample)
    print(f"{len(sample)} pages of {size / 1000:.0f} kB on average, {options.runs} runs\n")
    print("| reader | links a page | CPU ms a page, median (min–max) | ratio to scrapy |")
    print("| --- | ---: | ---: | ---: |")
    for name, reader in named.items():
        links = statistics.mean(reader(body, url) for body, url in sample)
        took = times[name]
        ratio = statistics.median(a / b for a, b in zip(took, times["scrapy"], strict=True))
        spread = f"{statistics.median(took):.2f} ({min(took):.2f}–{max(took):.2f})"
        print(f"| {name} | {links:.1f} | {spread} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
