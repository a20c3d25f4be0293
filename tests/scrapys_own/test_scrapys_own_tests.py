"""Scrapy's own tests pass with the add-on in each crawler.

Those that do not, and are not to, are in a table of docs/drop-in.md with the reason.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from sdist import unpacked

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "drop-in.md"
FILES = {
    "crawl": ("crawl", "downloaderslotssettings", "request_left"),
    "engine": (
        "engine", "engine_loop", "engine_close_spider", "engine_download",
        "engine_stop_download_bytes", "engine_stop_download_headers", "closespider", "signals",
        "core_scraper",
    ),
    "scheduler": (
        "scheduler", "scheduler_base", "dupefilters", "spider_start", "pipelines", "pipeline_crawl",
        "request_attribute_binding", "request_cb_kwargs",
    ),
    "spider middlewares": (
        "spidermiddleware", "spidermiddleware_depth", "spidermiddleware_httperror",
        "spidermiddleware_output_chain", "spidermiddleware_process_start",
        "spidermiddleware_start",
    ),
}  # fmt: skip
"""Modules that run crawls, by subject: `crawl` is tests/test_crawl.py of Scrapy."""


def _expected() -> dict[str, str]:
    """Return the tests of the table that fail on purpose, with the reason."""
    rows = re.findall(r"^\| `(test_[^`]+)` \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    return dict(rows)


EXPECTED = _expected()


def _outcomes(report: Path) -> tuple[set[str], set[str]]:
    """Return the tests that ran and those that failed, as ``test_module::name``."""
    ran, failed = set(), set()
    for case in ElementTree.parse(report).iter("testcase"):
        module = next(e for e in case.get("classname", "").split(".") if e.startswith("test_"))
        name = f"{module}::{case.get('name')}"
        if case.find("skipped") is None:
            ran.add(name)
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(name)
    return ran, failed


@pytest.mark.parametrize("subject", FILES)
def test_scrapys_own_tests_pass(subject: str, tmp_path: Path) -> None:
    source = unpacked(tmp_path)
    report = tmp_path / "report.xml"
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-p", "forced_addon", "-p", "no:cacheprovider", "-q",
            f"--junitxml={report}", *(f"tests/test_{each}.py" for each in FILES[subject]),
        ],
        cwd=source,
        env={**environment, "PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    said = done.stdout[-6000:] + done.stderr[-2000:]
    assert done.returncode in (0, 1), said
    ran, failed = _outcomes(report)
    assert len(ran) > 15, said
    assert failed == {name for name in ran if name in EXPECTED}, said


def test_each_expected_failure_has_a_reason() -> None:
    modules = {f"test_{each}" for files in FILES.values() for each in files}
    for name, why in EXPECTED.items():
        assert name.split("::")[0] in modules
        assert len(why.split()) > 5, name
